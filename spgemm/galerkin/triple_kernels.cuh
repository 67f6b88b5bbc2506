// triple_kernels.cuh: the kernels of triple_cuda.cu: rows made, packed, renewed.
#ifndef GS_TRIPLE_KERNELS_CUH
#define GS_TRIPLE_KERNELS_CUH

#include "spgemm/galerkin/triple_kept.cuh"

namespace gs_triple_rows
{

constexpr int parts = 3; // classes of rows by their entries
constexpr int part_bits[parts] = {6, 8, 10};
constexpr int at_once = 4;       // blocks of a multiprocessor, for want of registers
constexpr int most_steps = 4096; // of a warp for a row, some milliseconds

struct facts {
    unsigned long long products, entries;
    unsigned left, refused; // rows with more entries than there is room; with too many steps
};

// Rows of one class: C's columns and values of the k-th from 2^bits k on.
struct part {
    int32_t *rows; // nullptr: all
    int32_t nrows;
    int32_t *col;
    void *value;
};

struct shape {
    int ra_bits, bits; // of the table for R A; C's row has up to 2^bits entries
};

// Shared memory of a warp: the sums of R A, where C's columns are sorted at the end; those of C;
// the owners.
template <class T>
__host__ __device__ constexpr int ra_bytes(shape s)
{
    return sums<T>::bytes(s.ra_bits) > 8 << s.bits ? sums<T>::bytes(s.ra_bits) : 8 << s.bits;
}

template <class T>
__host__ __device__ constexpr int warp_bytes(shape s)
{
    return ra_bytes<T>(s) + sums<T>::bytes(s.bits + 1) + 32;
}

__device__ inline char *warp_space(int bytes)
{
    extern __shared__ __align__(16) char gs_triple_space[];
    return gs_triple_space + (int)threadIdx.x / 32 * bytes;
}

__device__ inline int64_t warp_of_grid()
{
    return ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) / 32;
}

// Row i of C into the part's k-th place; returns its entries, -1: there are more than fit, -2: it
// takes too many steps.
template <class T>
__device__ int make_row(const operands &o, int64_t i, int64_t k, shape s, const part &to,
                        effort *spent)
{
    char *space = warp_space(warp_bytes<T>(s));
    sums<T> ra(space, s.ra_bits), c(space + ra_bytes<T>(s), s.bits + 1);
    uint8_t *owner = reinterpret_cast<uint8_t *>(space + warp_bytes<T>(s) - 32);
    unsigned long long *sorted = reinterpret_cast<unsigned long long *>(space);
    const bounds most = {1 << s.bits, most_steps};
    silent<T> note;

    if (!sum_row(o, i, owner, &ra, &c, most, spent, &note)) return c.n > most.entries ? -1 : -2;
    for (int e = lane_of(); e < c.n; e += 32) {
        sorted[e] = (unsigned long long)c.key[c.list[e]] << 16 | c.list[e];
    }
    sort(sorted, c.n);
    for (int e = lane_of(); e < c.n; e += 32) {
        to.col[(k << s.bits) + e] = (int32_t)(sorted[e] >> 16);
        static_cast<T *>(to.value)[(k << s.bits) + e] = c.sum[sorted[e] & 0xffff];
    }
    return c.n;
}

template <class T>
__global__ void __launch_bounds__(gs_block_size, at_once)
    make_rows(operands o, part to, shape s, int32_t *count, int32_t *left, facts *f, row_size *size)
{
    __shared__ unsigned long long entries, products;
    const int64_t k = warp_of_grid();

    if (threadIdx.x == 0) entries = products = 0;
    if (!to.rows && k == 0) count[to.nrows] = 0;
    __syncthreads();
    if (k < to.nrows) {
        const int32_t i = to.rows ? to.rows[k] : (int32_t)k;
        effort spent = {0, 0, 0, 0};
        const int n = make_row<T>(o, i, k, s, to, &spent);
        const unsigned long long mine = n < 0 ? 0 : spent.outer + spent.inner;
        if (lane_of() == 0) {
            count[i] = max(n, 0);
            if (size && n >= 0) size[i] = {spent.outer, spent.inner, spent.columns};
            if (n == -1) left[atomicAdd(&f->left, 1u)] = i;
            if (n == -2) atomicAdd(&f->refused, 1u);
            if (n > 0) atomicAdd(&entries, (unsigned long long)n);
            if (mine > 0) atomicAdd(&products, mine);
        }
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd(&f->entries, entries);
        atomicAdd(&f->products, products);
    }
}

// The part's rows that were made there, of more than `above` entries, to where they belong.
template <class T>
__global__ void __launch_bounds__(gs_block_size)
    pack_rows(part from, int bits, int above, rows_of C, int32_t *col, T *value)
{
    const int64_t k = warp_of_grid();
    if (k >= from.nrows) return; // the whole warp
    const int64_t i = from.rows ? from.rows[k] : k, begin = C.begin(i);
    const int n = (int)(C.begin(i + 1) - begin);

    if (n <= above || n > 1 << bits) return;
    for (int e = lane_of(); e < n; e += 32) {
        col[begin + e] = from.col[(k << bits) + e];
        value[begin + e] = static_cast<const T *>(from.value)[(k << bits) + e];
    }
}

// New values of the rows of more than `above` entries, up to as many as fit. KEEP: what
// their products are added to, too.
template <class T, bool KEEP>
__global__ void __launch_bounds__(gs_block_size, at_once)
    renew_rows(operands o, int32_t nrows, shape s, int above, rows_of C, T *value,
               places_of_rows kept)
{
    const int64_t i = warp_of_grid();
    if (i >= nrows) return; // the whole warp
    const int64_t begin = C.begin(i);
    const int n = (int)(C.begin(i + 1) - begin);
    if (n <= above || n > 1 << s.bits) return;
    const int mine = warp_bytes<T>(s);
    char *space = warp_space(mine + (KEEP ? index_bytes(s.ra_bits, s.bits + 1) : 0));
    sums<T> ra(space, s.ra_bits), c(space + ra_bytes<T>(s), s.bits + 1);
    uint8_t *owner = reinterpret_cast<uint8_t *>(space + mine - 32);
    effort spent = {0, 0, 0, 0};

    c.expect(C.col + begin, n);
    if constexpr (KEEP) {
        recorder<T> note(kept.row(i, n), ra, c, space + mine);
        sum_row(o, i, owner, &ra, &c, {n, most_steps}, &spent, &note);
    } else {
        silent<T> note;
        sum_row(o, i, owner, &ra, &c, {n, most_steps}, &spent, &note);
    }
    for (int e = lane_of(); e < n; e += 32) value[begin + e] = c.sum[c.list[e]];
}

// kernel on a warp a row, each with so many bytes.
template <class... P, class... X>
gsolve_status launch_rows(gs_queue *q, const char *name, void (*kernel)(P...), int32_t rows,
                          int bytes, X... arguments)
{
    constexpr int enough = 96 << 10; // bytes of a block
    int warps = gs_block_size / 32;

    while (warps > 1 && warps * bytes > enough) warps /= 2;
    return launch_with(q, name, kernel, ((int64_t)rows + warps - 1) / warps, 32 * warps,
                       warps * bytes, arguments...);
}

} // namespace gs_triple_rows

#endif
