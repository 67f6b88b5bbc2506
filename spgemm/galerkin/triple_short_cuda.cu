// triple_short_cuda.cu: short rows with many products. A small lanes own a row and a small hash
// table in shared memory. Used for A P and for R (A P).
#include "spgemm/galerkin/triple_kernels.cuh"
#include "spgemm/hash/hash_rows.cuh"

namespace gs_triple_rows
{
namespace
{

using gs_hash_rows::element;
using gs_hash_rows::visit_products;

constexpr int small_bits = 5, large_bits = 6;            // a table has 2^bits places
constexpr int max_entries_A = 256, max_entries_R = 1024; // of a row of A, and of R

// The threads of a block.
__host__ __device__ constexpr int threads_for(int lanes, int bits)
{
    return lanes == 4 && bits == large_bits ? gs_block_size / 2 : gs_block_size; // 48 KB at most
}

// This lane's row in the block, and the lanes that share it.
template <int G>
struct place {
    int slot, lane;
    unsigned group; // lanes that share the row

    __device__ place()
        : slot((int)threadIdx.x / G), lane((int)threadIdx.x % G),
          group(((1u << G) - 1) << ((int)threadIdx.x % 32 - lane))
    {
        static_assert(G < 32, "several rows a warp");
    }
};

// The hash table of a row. key: the column, or -1 at a free place.
template <class T, int BITS>
struct __align__(16) short_sums
{
    T sum[1 << BITS];
    int32_t key[1 << BITS];
    uint8_t list[1 << BITS];
    int32_t padding[4]; // so that the rows of a warp begin in different banks
};

template <int G, int BITS>
__device__ __forceinline__ void clear_keys(int32_t *key, int lane)
{
    for (int k = lane; k < (1 << BITS) / 4; k += G) {
        reinterpret_cast<int4 *>(key)[k] = make_int4(-1, -1, -1, -1);
    }
}

// --- counting -----------------------------------------------------------------------------------

template <int BITS>
struct __align__(16) short_keys
{
    int32_t key[1 << BITS];
    int32_t padding[4];
};

// count[i] = the columns of row i of A B, up to most_entries(large_bits); count[nrows] = 0. G lanes
// own a row. Reads the row of A and the rows of B that it refers to once.
template <int G>
__global__ void __launch_bounds__(gs_block_size)
    count_short(rows_of A, rows_of B, int32_t nrows, int32_t *count, row_statistics *f)
{
    constexpr int rows_of_block = gs_block_size / G, most = most_entries(large_bits);
    __shared__ short_keys<large_bits> space[rows_of_block];
    const place<G> me;
    int32_t *const key = space[me.slot].key;
    unsigned long long entries = 0, products = 0;
    int longest = 0;

    for (int64_t first = (int64_t)blockIdx.x * rows_of_block; first < nrows;
         first += (int64_t)gridDim.x * rows_of_block) {
        const int64_t i = first + me.slot;
        const int64_t from = i < nrows ? A.begin(i) : 0, end = i < nrows ? A.begin(i + 1) : 0;
        const bool fits = end - from <= max_entries_A;
        int n = fits ? 0 : most + 1;
        clear_keys<G, large_bits>(key, me.lane);
        __syncwarp();
        visit_products<nothing, false>(
            A, B, {from + me.lane, G, G, me.lane, G}, fits ? end : from, {0, 0},
            [&](int64_t e, int64_t) { return B.col[e]; },
            [&](bool is_one, nothing, int32_t j) {
                bool fresh = false;
                if (is_one && n <= most) place_in(key, large_bits, j, &fresh);
                n += __popc(__ballot_sync(all_lanes, fresh) & me.group);
                products += is_one;
            },
            [] {});
        __syncwarp(); // before the next row clears the keys
        if (me.lane || i >= nrows) continue;
        count[i] = n;
        entries += (unsigned)n;
        longest = max(longest, n > most ? too_long : n);
    }
    if (threadIdx.x == 0 && blockIdx.x == 0) count[nrows] = 0;
    add_statistics(entries, products, longest, f);
}

// --- a small lanes a row
// ---------------------------------------------------------------------------

// *s = the row of A B, unless it has more than most_entries(BITS) columns. Returns the number of
// columns found. *products += the products of this lane. Invariant: a sum receives its products in
// A's order.
template <class T, int G, int BITS>
__device__ __forceinline__ int sum_short(const rows_of &A, const rows_of &B, int64_t from,
                                         int64_t to, const place<G> &me, short_sums<T, BITS> *s,
                                         unsigned long long *products)
{
    constexpr int most = most_entries(BITS);
    int n = 0;

    clear_keys<G, BITS>(s->key, me.lane);
    __syncwarp();
    visit_products<T, false>(
        A, B, {from + me.lane, G, G, me.lane, G}, to, {0, 0},
        [&](int64_t e, int64_t) { return element<T>{B.col[e], B.number<T>(e)}; },
        [&](bool is_one, T a, element<T> b) {
            bool fresh = false;
            if (is_one && n <= most) {
                const int at = place_in(s->key, BITS, b.col, &fresh);
                s->sum[at] = fma(a, b.value, fresh ? T(0) : s->sum[at]);
            }
            n += __popc(__ballot_sync(all_lanes, fresh) & me.group);
            *products += is_one;
        },
        [] { __syncwarp(); });
    return n;
}

// Writes the n columns of s to col, ascending, and their sums to value. The rank of a column is the
// number of smaller ones. Overwrites s->key.
template <class T, int G, int BITS>
__device__ __forceinline__ void sort_columns(short_sums<T, BITS> *s, int n, const place<G> &me,
                                             int32_t *col, T *value)
{
    constexpr int each = (1 << BITS) / G; // places of a lane
    const unsigned below = (1u << threadIdx.x % 32) - 1;
    int32_t key[each];
    int at = 0;

#pragma unroll
    for (int e = 0; e < each; e++) key[e] = s->key[me.lane + e * G];
    __syncwarp();
#pragma unroll
    for (int e = 0; e < each; e++) {
        const unsigned taken = __ballot_sync(all_lanes, key[e] >= 0) & me.group;
        if (key[e] >= 0) {
            s->key[at + __popc(taken & below)] = key[e];
            s->list[at + __popc(taken & below)] = (uint8_t)(me.lane + e * G);
        }
        at += __popc(taken);
    }
    if (n > 0 && me.lane < 4) s->key[n + me.lane] = INT32_MAX;
    __syncwarp();
    for (int e = me.lane; e < n; e += G) {
        const int32_t mine = s->key[e];
        int smaller = 0;
        for (int k = 0; k < n; k += 4) {
            const int4 x = *reinterpret_cast<const int4 *>(&s->key[k]);
            smaller += (x.x < mine) + (x.y < mine) + (x.z < mine) + (x.w < mine);
        }
        col[smaller] = mine;
        value[smaller] = s->sum[s->list[e]];
    }
}

// Columns and values of the rows of A B, whose offsets are set. G lanes own a row and a table in
// shared memory. Reads the row of A and the rows of B that it refers to once; writes the row of C
// once.
template <class T, int G, int BITS>
__global__ void __launch_bounds__(threads_for(G, BITS))
    fill_short(rows_of A, rows_of B, int32_t nrows, rows_of C, int32_t *col, T *value)
{
    __shared__ short_sums<T, BITS> space[threads_for(G, BITS) / G];
    const place<G> me;
    const int64_t i = (int64_t)blockIdx.x * (threads_for(G, BITS) / G) + me.slot;
    const int64_t from = i < nrows ? A.begin(i) : 0, to = i < nrows ? A.begin(i + 1) : 0;
    const int64_t begin = i < nrows ? C.begin(i) : 0;
    short_sums<T, BITS> *const s = &space[me.slot];
    unsigned long long products = 0;
    const int n = sum_short<T, G, BITS>(A, B, from, to, me, s, &products);

    sort_columns<T, G, BITS>(s, n, me, col + begin, value + begin);
}

// Computes the rows of A B that fit a table of 2^BITS places, and stores each in its space of the
// part. count[i] = the entries of row i; the other rows are appended to `left`, in any order.
// Threads and memory as in fill_short.
template <class T, int G, int BITS>
__global__ void __launch_bounds__(gs_block_size)
    make_short(rows_of A, rows_of B, part to, int32_t *count, int32_t *left, statistics *f)
{
    __shared__ short_sums<T, BITS> space[gs_block_size / G];
    __shared__ unsigned long long entries;
    const place<G> me;
    const int64_t i = (int64_t)blockIdx.x * (gs_block_size / G) + me.slot;
    const int64_t from = i < to.nrows ? A.begin(i) : 0, end = i < to.nrows ? A.begin(i + 1) : 0;
    const bool is_short = end - from <= max_entries_R;
    short_sums<T, BITS> *const s = &space[me.slot];
    unsigned long long products = 0;

    if (threadIdx.x == 0) entries = 0;
    __syncthreads();
    const int n = sum_short<T, G, BITS>(A, B, from, is_short ? end : from, me, s, &products);
    const bool fits = is_short && n <= most_entries(BITS);
    sort_columns<T, G, BITS>(s, fits ? n : 0, me, to.col + (i << BITS),
                             static_cast<T *>(to.value) + (i << BITS));
    if (me.lane == 0 && i < to.nrows) {
        count[i] = fits ? n : 0;
        if (fits && n > 0) atomicAdd(&entries, (unsigned long long)n);
        if (!fits) left[atomicAdd(&f->left, 1u)] = (int32_t)i;
    }
    products = gs_block_sum(fits ? products : 0);
    if (threadIdx.x == 0) {
        atomicAdd(&f->entries, entries);
        atomicAdd(&f->products, products);
        if (blockIdx.x == 0) count[to.nrows] = 0;
    }
}

// --- on the host ---------------------------------------------------------------------------------

template <class T, int G>
gsolve_status fill_lanes(const gsolve_csr *M, gsolve_context *ctx, const gsolve_csr *A,
                         const gsolve_csr *B, bool small)
{
    const int threads = threads_for(G, small ? small_bits : large_bits), rows = threads / G;

    return launch_with(ctx->queue, "the rows of A P",
                       small ? fill_short<T, G, small_bits> : fill_short<T, G, large_bits>,
                       ((int64_t)A->nrows + rows - 1) / rows, threads, 0, rows_of(A), rows_of(B),
                       A->nrows, rows_of(M), (int32_t *)gs_owned_block(ctx, M->col),
                       (T *)gs_owned_block(ctx, M->value));
}

template <class T>
gsolve_status fill(const gsolve_csr *M, gsolve_context *ctx, const gsolve_csr *A,
                   const gsolve_csr *B, int lanes, bool small)
{
    return (lanes == 4   ? fill_lanes<T, 4>
            : lanes == 8 ? fill_lanes<T, 8>
                         : fill_lanes<T, 16>)(M, ctx, A, B, small);
}

} // namespace

gsolve_status count_by_lanes(gsolve_context *ctx, int lanes, const gsolve_csr *A,
                             const gsolve_csr *B, int32_t *count, row_statistics *f)
{
    constexpr int blocks = 16; // of a multiprocessor

    return gs_launch(ctx->queue, "counting columns of A P",
                     lanes == 4   ? count_short<4>
                     : lanes == 8 ? count_short<8>
                                  : count_short<16>,
                     gs_grid(ctx->queue, (int64_t)A->nrows * lanes, blocks), gs_block_size,
                     rows_of(A), rows_of(B), A->nrows, count, f);
}

gsolve_status fill_by_lanes(const gsolve_csr *M, int longest, int lanes, gsolve_context *ctx,
                            const gsolve_csr *A, const gsolve_csr *B)
{
    const bool small = longest <= most_entries(small_bits);

    return (M->type == GSOLVE_F32 ? fill<float> : fill<double>)(M, ctx, A, B, lanes, small);
}

gsolve_status make_short_rows(gsolve_context *ctx, const gsolve_csr *R, const gsolve_csr *M,
                              const part *to, int32_t *count, int32_t *left, statistics *f)
{
    constexpr int lanes = 8, rows = gs_block_size / lanes;
    const auto kernel = R->type == GSOLVE_F32 ? make_short<float, lanes, part_bits[0]>
                                              : make_short<double, lanes, part_bits[0]>;

    return launch_with(ctx->queue, "the rows of R A P", kernel,
                       ((int64_t)to->nrows + rows - 1) / rows, gs_block_size, 0, rows_of(R),
                       rows_of(M), *to, count, left, f);
}

} // namespace gs_triple_rows
