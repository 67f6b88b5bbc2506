// bsr_cuda.cu: the product on a GPU, see bsr_slices.cuh. A warp has 32 rows of a slice at a time, a
// thread one row; the grid strides over the warps of all slices. A thread loads the values and
// block columns of several blocks at once, before it knows how many blocks its slot has. The rows
// of a block share elements of x, which come from L1.
#include "spmv/bsr/bsr_slices.cuh"
#include "spmv/product.cuh"

using namespace gs_bsr_parts;

namespace
{

template <class T>
struct product : gs_operands<T> {
    const slice *slice_of;
    const int32_t *row;
    const uint16_t *blocks;
    const uint32_t *index;
    const T *value;
    T *sum;
    int64_t warps;
    int32_t nrows, ncols;
};

// Number of blocks that a thread loads at once: 64 bytes of values or more.
template <class T, int B>
constexpr int at_once = (64 + B * (int)sizeof(T) - 1) / (B * (int)sizeof(T));

// The part of a slice that belongs to one thread.
template <class T>
struct thread_part {
    slice s;
    const T *value; // of this thread
    int t;          // its slot
    int32_t row;    // block row, or number of the part, or -1
    int count;      // blocks of the slot
};

// The sum of the thread's row. Columns past the last element of x are skipped.
template <int KIND, class T, int B>
__device__ T row_sum(const product<T> &a, const thread_part<T> &h)
{
    constexpr int U = at_once<T, B>;
    const uint32_t *index = a.index + h.s.index;
    T sum = 0;

    for (int k = 0; k < h.s.width; k += U) {
        T v[U][B];
        int32_t J[U];
#pragma unroll
        for (int u = 0; u < U; u++) {
            const bool there = k + u < h.s.width;
            const int at = k + u;
            J[u] = !there           ? 0
                   : KIND == SHARED ? h.row + (int32_t)__ldg(&index[at])
                   : KIND == NEAR
                       ? h.s.base + (int32_t)__ldg(&((const uint16_t *)index)[at * slots + h.t])
                       : (int32_t)__ldg(&index[at * slots + h.t]);
#pragma unroll
            for (int c = 0; c < B; c++) {
                v[u][c] = there ? __ldcs(&h.value[(int64_t)(at * B + c) * 32]) : T(0);
            }
        }
#pragma unroll
        for (int u = 0; u < U; u++) {
            const int left = k + u < h.count ? min(a.ncols - J[u] * B, B) : 0;
            const T *x = a.x + (int64_t)J[u] * B;
#pragma unroll
            for (int c = 0; c < B; c++) {
                if (c < left) sum += v[u][c] * __ldg(&x[c]);
            }
        }
    }
    return sum;
}

template <class T, int B>
__device__ T any_row_sum(const product<T> &a, const thread_part<T> &h)
{
    if (h.s.kind == SHARED) return row_sum<SHARED, T, B>(a, h);
    if (h.s.kind == NEAR) return row_sum<NEAR, T, B>(a, h);
    return row_sum<FAR, T, B>(a, h);
}

// y = alpha A x + beta y for all slots; the sum of a part of a block row goes to a.sum. A warp owns
// 32 rows of a slice at a time, a thread one row; a block shares nothing before gs_grid_sum. SUMS
// 1: w'y, 2: w'y and y'y, whose terms each thread keeps in double. Memory moved: values and block
// columns once, x by gathers, y once.
template <class T, int B, int SUMS>
__global__ void __launch_bounds__(gs_block_size, 4)
    multiply_slices(product<T> a, double *partial, unsigned *arrived, gs_guard guard)
{
    constexpr int warps = gs_block_size / 32;
    const int lane = (int)threadIdx.x % 32;
    double terms[SUMS ? SUMS : 1] = {};

    if (guard.has_ended()) return;
    for (int64_t at = (int64_t)blockIdx.x * warps + threadIdx.x / 32; at < a.warps;
         at += (int64_t)gridDim.x * warps) {
        const int32_t n = (int32_t)(at / B);
        const int p = (int)(at % B), row_in_slice = p * 32 + lane, t = row_in_slice / B,
                  r = row_in_slice % B;
        thread_part<T> h;
        h.s = a.slice_of[n];
        h.value = a.value + (h.s.first * B + (int64_t)p * h.s.width) * (B * 32) + lane;
        h.t = t;
        h.row = a.row[(int64_t)n * slots + t];
        const int blocks = a.blocks[(int64_t)n * slots + t];
        h.count = blocks & (is_part - 1);
        const T sum = any_row_sum<T, B>(a, h);
        const int64_t i = (int64_t)h.row * B + r;
        if (blocks & is_part) {
            a.sum[i] = sum;
        } else if (h.row >= 0 && i < a.nrows) {
            gs_finish(a, i, sum);
            if constexpr (SUMS > 0) gs_add_terms<SUMS>(terms, a.w[i], sum);
        }
    }
    if constexpr (SUMS > 0) gs_store_sums<SUMS>(a, terms, partial, arrived);
}

// Adds the parts of block rows in parts. A warp owns one row; lane l adds parts l, l + 32, ... in
// their order, and shuffles add the lanes.
template <class T>
__global__ void add_parts(product<T> a, int b, int32_t longs, const int32_t *long_row,
                          const int32_t *part_of, gs_guard guard)
{
    const int64_t at = ((int64_t)blockIdx.x * gs_block_size + threadIdx.x) / 32;
    const int lane = (int)threadIdx.x % 32;
    T sum = 0;

    if (guard.has_ended() || at >= (int64_t)longs * b) return;
    const int32_t I = long_row[at / b];
    const int r = (int)(at % b);
    const int64_t i = (int64_t)I * b + r;
    for (int64_t j = (int64_t)part_of[I] + lane; j < part_of[I + 1]; j += 32) {
        sum += a.sum[j * b + r];
    }
    for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, d);
    if (lane == 0 && i < a.nrows) gs_finish(a, i, sum);
}

template <class T, int B, int SUMS>
gsolve_status launch(gs_queue *q, const product<T> &a)
{
    const int64_t blocks = (a.warps * 32 + gs_block_size - 1) / gs_block_size;
    const int64_t most = SUMS ? gs_most_partials : INT32_MAX;

    return gs_launch_pdl(q, "the product by blocks", multiply_slices<T, B, SUMS>,
                         (int)(blocks < 1      ? 1
                               : blocks < most ? blocks
                                               : most),
                         gs_block_size, a, q->partial, q->arrived);
}

template <class T, int SUMS>
gsolve_status launch_any(gs_queue *q, const product<T> &a, int b)
{
    switch (b) {
    case 2: return launch<T, 2, SUMS>(q, a);
    case 3: return launch<T, 3, SUMS>(q, a);
    case 4: return launch<T, 4, SUMS>(q, a);
    case 5: return launch<T, 5, SUMS>(q, a);
    case 6: return launch<T, 6, SUMS>(q, a);
    case 7: return launch<T, 7, SUMS>(q, a);
    default: return launch<T, 8, SUMS>(q, a);
    }
}

template <class T>
gsolve_status apply(gs_queue *q, const gs_bsr *m, double alpha, const void *x, double beta, void *y,
                    const gs_product_sums *dots)
{
    const gs_vector_kernels *vector = &gs_vector_cuda[m->csr.type];
    const gs_bsr_slices *p = m->slices;
    const product<T> a = {gs_operands_of<T>(alpha, x, beta, y, dots),
                          p->slice_of,
                          p->row,
                          p->blocks,
                          p->index,
                          (T *)p->value,
                          (T *)p->sum,
                          (int64_t)p->count * m->b,
                          m->csr.nrows,
                          m->csr.ncols};
    gsolve_status status;

    if (dots && p->longs == 0) {
        return dots->yy ? launch_any<T, 2>(q, a, m->b) : launch_any<T, 1>(q, a, m->b);
    }
    if (p->count > 0) TRY((launch_any<T, 0>(q, a, m->b)));
    if (p->longs > 0) {
        TRY(gs_launch_pdl(q, "adding parts of block rows", add_parts<T>,
                          blocks_for((int64_t)p->longs * m->b * 32), gs_block_size, a, m->b,
                          p->longs, p->long_row, p->part_of));
    }
    if (!dots) return GSOLVE_OK;
    return gs_sum_product(vector, q, a.nrows, y, dots);
done:
    return status;
}

} // namespace

extern "C" const gs_bsr_kernels gs_bsr_cuda[GSOLVE_TYPE_COUNT] = {
    {gs_bsr_store_slices, gs_bsr_drop_slices, gs_bsr_refill_slices, gs_bsr_spread_slices<float>,
     gs_bsr_find_bad<float>, apply<float>, gs_bsr_rows_cuda<float>, gs_bsr_sums_cuda},
    {gs_bsr_store_slices, gs_bsr_drop_slices, gs_bsr_refill_slices, gs_bsr_spread_slices<double>,
     gs_bsr_find_bad<double>, apply<double>, gs_bsr_rows_cuda<double>, gs_bsr_sums_cuda},
};
