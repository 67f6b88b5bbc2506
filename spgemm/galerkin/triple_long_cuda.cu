// triple_long_cuda.cu: a row of R (A P) by a warp. The warp reads the elements of the rows of A P
// that R's row refers to, 32 at a time across row ends, and adds them to the sums of their columns.
// Elements with equal columns among the 32 are added in the order of the lanes. Invariant: every
// sum receives its terms in the order of R's row.
#include "spgemm/galerkin/triple_kernels.cuh"
#include "spgemm/hash/hash_rows.cuh"

namespace gs_triple_rows
{
namespace
{

__device__ int lane_of()
{
    return (int)threadIdx.x % 32;
}

template <class T>
struct element {
    bool is_one;
    int32_t col;
    T factor, value;
};

// --- the elements of rows -----------------------------------------------------------------------

// The elements of the rows of B that the 32 lanes refer to, concatenated.
template <class T>
struct elements {
    rows_of B;
    uint8_t *owner; // 32 bytes in shared memory: the lane of the row that begins at each element
    int64_t begin;  // the first position of this lane's row, minus `before`
    int before, length; // the elements of the rows before it; its own
    T factor;
    int total, at, current; // at: the next element; current: the lane whose row began last

    __device__ elements(const rows_of &rows, uint8_t *space)
        : B(rows), owner(space), total(0), at(0)
    {
    }

    // This lane refers to row j, or to none if j < 0. A row longer than `longest` is truncated; it
    // exceeds the limit of steps anyway.
    __device__ void set_row(int32_t j, T f)
    {
        constexpr int64_t longest = 1 << 22;

        factor = f;
        begin = 0;
        length = 0;
        if (j >= 0) {
            begin = B.begin(j);
            length = (int)min(B.begin((int64_t)j + 1) - begin, longest);
        }
        const int upto = running_sum(length, 32);
        before = upto - length;
        begin -= before;
        total = __shfl_sync(all_lanes, upto, 31);
        at = 0;
        current = 0;
    }

    // *x = this lane's element of the next 32. False: no element is left.
    __device__ bool next(element<T> *x)
    {
        if (at >= total) return false;
        const int lane = lane_of(), place = before - at;
        const bool begins = length > 0 && place >= 0 && place < 32;
        const unsigned begun = __reduce_or_sync(all_lanes, begins ? 1u << place : 0u);
        const unsigned upto = begun & (all_lanes >> (31 - lane));
        if (begins) owner[place] = (uint8_t)lane;
        __syncwarp();
        const int from = upto ? owner[31 - __clz((int)upto)] : current;
        if (begun) current = owner[31 - __clz((int)begun)];
        __syncwarp(); // before the next call overwrites owner
        const int64_t e = __shfl_sync(all_lanes, begin, from) + at + lane;
        x->factor = __shfl_sync(all_lanes, factor, from);
        x->is_one = at + lane < total;
        x->col = x->is_one ? B.col[e] : 0;
        x->value = x->is_one ? B.template number<T>(e) : T(0);
        at += 32;
        return true;
    }
};

// --- sums by columns ----------------------------------------------------------------------------

// A hash table of 2^bits places, and the list of its used places in the order in which the columns
// occurred.
template <class T>
struct sums {
    T *sum;
    int32_t *key;
    uint16_t *list;
    int bits, n;

    __host__ __device__ static constexpr int bytes(int bits)
    {
        return (int)(sizeof(T) + sizeof(int32_t) + sizeof(uint16_t)) << bits;
    }
    __device__ sums(char *space, int log2)
        : sum(reinterpret_cast<T *>(space)), key(reinterpret_cast<int32_t *>(sum + (1 << log2))),
          list(reinterpret_cast<uint16_t *>(key + (1 << log2))), bits(log2), n(0)
    {
        for (int k = lane_of(); k < 1 << bits; k += 32) key[k] = -1;
        __syncwarp();
    }

    // Adds factor times value for each lane with an element. The table must have space for 32 new
    // columns.
    __device__ void add(const element<T> &x)
    {
        const int lane = lane_of();
        const unsigned below = (1u << lane) - 1;
        bool fresh = false;
        const int place = x.is_one ? place_in(key, bits, x.col, &fresh) : -1 - lane;
        const unsigned same_place = __match_any_sync(all_lanes, place);
        const unsigned inserted = __ballot_sync(all_lanes, fresh);
        const bool leads = x.is_one && !(same_place & below),
                   first = leads && (same_place & inserted);
        const unsigned firsts = __ballot_sync(all_lanes, first);
        const int most = (int)__reduce_max_sync(all_lanes, (unsigned)__popc(same_place));
        T mine = leads && !first ? sum[place] : T(0);
        unsigned rest = same_place;

        for (int k = 0; k < most; k++) {
            const int next = (__ffs((int)rest) - 1) & 31;
            const T factor = __shfl_sync(all_lanes, x.factor, next);
            const T value = __shfl_sync(all_lanes, x.value, next);
            if (rest) mine = fma(factor, value, mine);
            rest &= rest - 1;
        }
        if (first) list[n + __popc(firsts & below)] = (uint16_t)place;
        if (leads) sum[place] = mine;
        n += __popc(firsts);
        __syncwarp();
    }
};

// --- a row --------------------------------------------------------------------------------------

struct operands {
    rows_of R, M; // M: A P
};

struct bounds {
    int entries, steps; // the limits: entries of C's row, batches of 32 elements
};

// c = row i of R M; *products += its products. False: the row exceeds the limits.
template <class T>
__device__ bool sum_row(const operands &o, int64_t i, uint8_t *owner, sums<T> *c, bounds most,
                        int64_t *products)
{
    const int64_t to = o.R.begin(i + 1);
    elements<T> m(o.M, owner);
    element<T> x, now;
    int steps = 0;

    for (int64_t first = o.R.begin(i); first < to; first += 32) {
        const bool has = first + lane_of() < to;
        m.set_row(has ? o.R.col[first + lane_of()] : -1,
                  has ? o.R.number<T>(first + lane_of()) : T(0));
        *products += m.total;
        for (bool more = m.next(&x); more;) {
            now = x;
            more = m.next(&x); // prefetched
            if (c->n > most.entries || steps++ >= most.steps) return false;
            c->add(now);
        }
    }
    return c->n <= most.entries;
}

constexpr int min_blocks = 4;   // that a multiprocessor runs; limits the registers
constexpr int max_steps = 4096; // batches of 32 elements of a row: some milliseconds

// The shared memory of a warp: the table of 2^bits places, the sort keys, and the owners.
template <class T>
__host__ __device__ constexpr int warp_bytes(int bits)
{
    return sums<T>::bytes(bits + 1) + (8 << bits) + 32;
}

// Stores row i of C at the k-th position of the part; returns its number of entries, or -1 if it
// has too many entries, -2 if it needs too many steps.
template <class T>
__device__ int make_row(const operands &o, int64_t i, int64_t k, int bits, const part &to,
                        int64_t *products)
{
    extern __shared__ __align__(16) char gs_triple_space[];
    char *space = gs_triple_space + (int)threadIdx.x / 32 * warp_bytes<T>(bits);
    sums<T> c(space, bits + 1);
    unsigned long long *sorted =
        reinterpret_cast<unsigned long long *>(space + sums<T>::bytes(bits + 1));
    uint8_t *owner = reinterpret_cast<uint8_t *>(sorted + (1 << bits));
    const bounds most = {1 << bits, max_steps};

    if (!sum_row(o, i, owner, &c, most, products)) return c.n > most.entries ? -1 : -2;
    for (int e = lane_of(); e < c.n; e += 32) {
        sorted[e] = (unsigned long long)c.key[c.list[e]] << 16 | c.list[e];
    }
    gs_hash_rows::sort<gs_hash_rows::by_warp>(sorted, c.n);
    for (int e = lane_of(); e < c.n; e += 32) {
        to.col[(k << bits) + e] = (int32_t)(sorted[e] >> 16);
        static_cast<T *>(to.value)[(k << bits) + e] = c.sum[sorted[e] & 0xffff];
    }
    return c.n;
}

// Computes the rows of a part. A warp owns a row, with a hash table of 2^(bits + 1) places in
// shared memory. Reads the row of R, and the rows of A P that it refers to, once; writes the
// columns and sums of the row once. Rows with too many entries are appended to `left`. Invariant:
// sums as in sum_row.
template <class T>
__global__ void __launch_bounds__(gs_block_size, min_blocks)
    make_rows(operands o, part to, int bits, int32_t *count, int32_t *left, statistics *f)
{
    __shared__ unsigned long long entries, products;
    const int64_t k = gs_hash_rows::by_warp::row();

    if (threadIdx.x == 0) entries = products = 0;
    __syncthreads();
    if (k < to.nrows) {
        const int32_t i = to.rows[k];
        int64_t mine = 0;
        const int n = make_row<T>(o, i, k, bits, to, &mine);
        if (lane_of() == 0) {
            count[i] = max(n, 0);
            if (n == -1) left[atomicAdd(&f->left, 1u)] = i;
            if (n == -2) atomicAdd(&f->rejected, 1u);
            if (n > 0) atomicAdd(&entries, (unsigned long long)n);
            if (n > 0) atomicAdd(&products, (unsigned long long)mine);
        }
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd(&f->entries, entries);
        atomicAdd(&f->products, products);
    }
}

// Launches make_rows with as many warps per block as fit the shared memory.
template <class T>
gsolve_status make(gsolve_context *ctx, const operands &o, const part *p, int bits, int32_t *count,
                   int32_t *left, statistics *f)
{
    constexpr int max_block_bytes = 96 << 10; // bytes of a block
    const int bytes = warp_bytes<T>(bits);
    int warps = gs_block_size / 32;

    while (warps > 1 && warps * bytes > max_block_bytes) warps /= 2;
    return launch_with(ctx->queue, "long rows of R A P", make_rows<T>,
                       ((int64_t)p->nrows + warps - 1) / warps, 32 * warps, warps * bytes, o, *p,
                       bits, count, left, f);
}

} // namespace

gsolve_status make_long_rows(gsolve_context *ctx, const gsolve_csr *R, const gsolve_csr *M,
                             const part *to, int bits, int32_t *count, int32_t *left, statistics *f)
{
    return (R->type == GSOLVE_F32 ? make<float> : make<double>)(ctx, {R, M}, to, bits, count, left,
                                                                f);
}

} // namespace gs_triple_rows
