// hash_update_cuda.cu: C's values once more, by the places of hash_plan.cuh.
//
// What binds is the traffic of each multiprocessor with its caches and shared memory, not that with
// the device's memory. So lanes of a group are as few as a row of B fills, several elements of it a
// lane are on their way at once (they have different places: no order among them), and a group is a
// warp at most wherever the sums of a row fit a warp's share of shared memory: no barrier of a
// block then for each row of B.
#include "spgemm/hash/hash_plan.cuh"

namespace gs_hash_rows
{
namespace
{

constexpr int apart = 64;           // bytes between the sums of rows, so that their banks differ
constexpr int piece_entries = 8192; // of a row that several blocks share

// --- groups of lanes, and blocks ----------------------------------------------------------------

// The elements of a row of B that a lane takes at once, every `size`-th.
template <class T, class P, int U>
struct elements {
    T value[U];
    P place[U];

    __device__ __forceinline__ void load(const T *b, const P *p, int left, int size)
    {
#pragma unroll
        for (int u = 0; u < U; u++) {
            value[u] = u * size < left ? b[u * size] : T(0);
            place[u] = u * size < left ? p[u * size] : P(0);
        }
    }
    // To the sums of the places from `piece` on, n of them.
    __device__ __forceinline__ void add(T a, T *sum, int left, int size, unsigned piece)
    {
        T s[U];
#pragma unroll
        for (int u = 0; u < U; u++) s[u] = u * size < left ? sum[place[u] - piece] : T(0);
#pragma unroll
        for (int u = 0; u < U; u++) {
            if (u * size < left) sum[place[u] - piece] = fma(a, value[u], s[u]);
        }
    }
};

// The first of n places, which ascend, that is at least `least`.
template <class P>
__device__ inline int first_place(const P *place, int n, unsigned least)
{
    int k = 0;

    while (k < n) {
        const int middle = k + (n - k) / 2;
        if (place[middle] < least) {
            k = middle + 1;
        } else {
            n = middle;
        }
    }
    return k;
}

struct piece_of_row { // entries [from, end) of a row of C
    unsigned from, end;
};

// The products of a row whose places lie in a piece, in A's order: R rows of B asked for at once,
// U elements of each by every lane. CUT: the piece is not the whole row.
template <class T, class P, int R, int U, bool CUT, class Sync>
__device__ __forceinline__ void add_rows(const rows_of &A, const rows_of &B, sharing s, int64_t to,
                                         const P *place, piece_of_row piece, T *sum, Sync sync)
{
    const int lane = (int)threadIdx.x % s.width;
    const T *const b = static_cast<const T *>(B.value) + s.me;

    for (int64_t k = s.first; __any_sync(all_lanes, k < to); k += s.step) {
        int64_t begin = 0;
        int length = 0, before = 0, all = 0;
        T a{};
        if (k < to) {
            const int32_t j = A.col[k];
            begin = B.begin(j);
            length = (int)(B.begin((int64_t)j + 1) - begin);
            a = A.number<T>(k);
        }
        if constexpr (CUT) {
            const int upto = running_sum(length, s.width);
            all = __shfl_sync(all_lanes, upto, s.width - 1, s.width);
            before = upto - length;
            const int skip = first_place(place + before, length, piece.from);
            length = first_place(place + before + skip, length - skip, piece.end);
            before += skip;
            begin += skip;
        }
        const int rows = __reduce_max_sync(all_lanes, k < to ? lane + 1 : 0);
        const int longest = __reduce_max_sync(all_lanes, length);
        for (int r = 0; r < rows; r += R) {
            const T *from[R];
            const P *placed[R];
            int n[R];
            elements<T, P, U> x[R];
#pragma unroll
            for (int i = 0; i < R; i++) {
                from[i] = b + __shfl_sync(all_lanes, begin, r + i, s.width);
                n[i] = __shfl_sync(all_lanes, length, r + i, s.width);
                placed[i] = place + s.me;
                if constexpr (CUT) {
                    placed[i] += __shfl_sync(all_lanes, before, r + i, s.width);
                } else {
                    place += n[i];
                }
                x[i].load(from[i], placed[i], n[i] - s.me, s.size);
            }
#pragma unroll
            for (int i = 0; i < R; i++) {
                if (CUT && n[i] == 0) continue; // for the whole block
                const T of_a = __shfl_sync(all_lanes, a, r + i, s.width);
                x[i].add(of_a, sum, n[i] - s.me, s.size, piece.from);
                if (longest > U * s.size) {
                    const int most = __reduce_max_sync(all_lanes, n[i]);
                    for (int e = U * s.size; e < most; e += U * s.size) {
                        const int left = n[i] - s.me - e;
                        x[i].load(from[i] + e, placed[i] + e, left, s.size);
                        x[i].add(of_a, sum, left, s.size, piece.from);
                    }
                }
                sync();
            }
        }
        if constexpr (CUT) place += all;
    }
}

// Rows of up to `most` entries by G lanes each.
template <class T, class P, int G, int R, int U>
__global__ void __launch_bounds__(gs_block_size)
    renew_few(rows_of A, rows_of B, rows_of C, const int32_t *rows, int32_t nrows, int most,
              const int64_t *begin, const uint8_t *place, T *value)
{
    const int slot = (int)threadIdx.x / G, lane = (int)threadIdx.x % G;
    const int64_t nth = (int64_t)blockIdx.x * (blockDim.x / G) + slot;
    const int32_t row = nth < nrows ? rows[nth] : -1;
    const int64_t from = row < 0 ? 0 : A.begin(row), to = row < 0 ? 0 : A.begin((int64_t)row + 1);
    const int64_t first = row < 0 ? 0 : C.begin(row);
    const int n = row < 0 ? 0 : (int)(C.begin((int64_t)row + 1) - first);
    T *sum = reinterpret_cast<T *>(row_space(slot, most * (int)sizeof(T) + apart));

    for (int k = lane; k < n; k += G) sum[k] = 0;
    __syncwarp();
    add_rows<T, P, R, U, false>(A, B, {from + lane, G, G, lane, G}, to,
                                reinterpret_cast<const P *>(place + (row < 0 ? 0 : begin[row])),
                                {0, (unsigned)n}, sum, [] { __syncwarp(); });
    for (int k = lane; k < n; k += G) value[first + k] = sum[k];
}

// Longer rows by a block for each piece of up to `most` entries. CUT: there are several.
template <class T, class P, bool CUT>
__global__ void __launch_bounds__(gs_block_size)
    renew_many(rows_of A, rows_of B, rows_of C, const int32_t *rows, int pieces, int most,
               const int64_t *begin, const uint8_t *place, T *value)
{
    const int32_t row = rows[blockIdx.x / (unsigned)pieces];
    const int piece = (int)(blockIdx.x % (unsigned)pieces) * most;
    const int64_t first = C.begin(row);
    const int n = min((int)(C.begin((int64_t)row + 1) - first) - piece, most);
    T *sum = reinterpret_cast<T *>(row_space(0, 0));

    if (n <= 0) return; // the whole block
    for (int k = (int)threadIdx.x; k < n; k += (int)blockDim.x) sum[k] = 0;
    __syncthreads();
    add_rows<T, P, 2, 4, CUT>(A, B, in_order<by_block>(A.begin(row)), A.begin((int64_t)row + 1),
                              reinterpret_cast<const P *>(place + begin[row]),
                              {(unsigned)piece, (unsigned)(piece + n)}, sum,
                              [] { __syncthreads(); });
    for (int k = (int)threadIdx.x; k < n; k += (int)blockDim.x) value[first + piece + k] = sum[k];
}

// --- which kernel -------------------------------------------------------------------------------

struct operands {
    const plan_on_device *p;
    gs_queue *q;
    rows_of A, B, C;
    void *value;
};

// kernel on a way's rows, `threads` a block and `sharers` a row; bytes of shared memory for each.
template <class T, class... P>
gsolve_status short_rows(const operands &o, void (*kernel)(P...), int way, int threads, int sharers,
                         int most, int bytes)
{
    const int64_t rows = o.p->seen.rows[way], per_block = threads / sharers;

    if (rows == 0) return GSOLVE_OK;
    return launch_with(o.q, "new values of short rows", kernel, (rows + per_block - 1) / per_block,
                       threads, (int)per_block * bytes, o.A, o.B, o.C,
                       o.p->rows + listed_before(&o.p->seen, way), (int32_t)rows, most, o.p->begin,
                       o.p->place, (T *)o.value);
}

template <class T, class P, int G, int R, int U>
gsolve_status few(const operands &o, int way, int threads)
{
    const int most = row_limits.most[way - 1];

    return short_rows<T>(o, renew_few<T, P, G, R, U>, way, threads, G, most,
                         most * (int)sizeof(T) + apart);
}

template <class T, class P, bool CUT>
gsolve_status many(const operands &o, int way, int threads)
{
    const int64_t rows = o.p->seen.rows[way];
    const int limit = way <= short_ways ? row_limits.most[way - 1] : INT32_MAX;
    const int longest = limit < o.p->seen.longest ? limit : o.p->seen.longest;
    const int pieces = (longest - 1) / piece_entries + 1;

    if (rows == 0) return GSOLVE_OK;
    return launch_with(o.q, "new values of long rows", renew_many<T, P, CUT>, rows * pieces,
                       threads, piece_entries * (int)sizeof(T), o.A, o.B, o.C,
                       o.p->rows + listed_before(&o.p->seen, way), pieces, piece_entries,
                       o.p->begin, o.p->place, (T *)o.value);
}

// Rows of up to byte_row entries, by the mean length of a row of B.
template <class T>
gsolve_status by_length_of_B(const operands &o, int way)
{
    const facts *w = &o.p->work;
    const unsigned long long mean = w->inputs > 0 ? w->products / (unsigned long long)w->inputs : 0;
    const int threads = way < byte_ways ? gs_block_size : gs_block_size / 2;

    return mean < 4 && way < 3 ? few<T, uint8_t, 4, 4, 1>(o, way, threads)
           : mean < 8          ? few<T, uint8_t, 8, 4, 1>(o, way, threads)
           : mean < 16         ? few<T, uint8_t, 8, 2, 2>(o, way, threads)
           : mean < 32         ? few<T, uint8_t, 8, 1, 4>(o, way, threads)
           : mean < 128        ? few<T, uint8_t, 8, 1, 8>(o, way, threads)
                               : few<T, uint8_t, 32, 2, 4>(o, way, threads);
}

template <class T>
gsolve_status renew(const operands &o)
{
    gsolve_status status;

    TRY((many<T, uint32_t, true>(o, last_way, 256))); // the heaviest first
    TRY((many<T, uint16_t, true>(o, 7, 256)));
    TRY((many<T, uint16_t, false>(o, 6, 128)));
    TRY((few<T, uint16_t, 32, 2, 4>(o, 5, 64)));
    TRY((few<T, uint16_t, 32, 2, 4>(o, 4, 128)));
    for (int way = byte_ways; way > 0; way--) TRY(by_length_of_B<T>(o, way));
done:
    return status;
}

} // namespace

gsolve_status run_plan(const void *plan, gsolve_context *ctx, const gsolve_csr *A,
                       const gsolve_csr *B, gsolve_csr *C)
{
    const plan_on_device *p = static_cast<const plan_on_device *>(plan);
    const operands o = {p,          ctx->queue, rows_of(A),
                        rows_of(B), rows_of(C), (void *)(uintptr_t)C->value};

    return C->type == GSOLVE_F32 ? renew<float>(o) : renew<double>(o);
}

} // namespace gs_hash_rows
