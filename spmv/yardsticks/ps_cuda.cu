// ps_cuda.cu: the two launches of ps on a GPU, see ps.h. In the first, a thread strides over the
// entries. In the second, a thread adds the products of one row, and a block of threads copies the
// products of its rows to shared memory in pieces of GS_PS_PIECE. Loads are coalesced, but a thread
// works as long as its row is.
#include "core/pdl.cuh"

extern "C" {
#include "core/try.h"
#include "spmv/yardsticks/ps.h"
}

namespace
{

// product[k] = value[k] x[col[k]] for k < n. A thread strides over the entries; accesses are
// coalesced except for the gathers of x.
template <class T>
__global__ void __launch_bounds__(gs_block_size)
    multiply(int64_t n, const int32_t *col, const T *value, const T *x, T *product, gs_guard guard)
{
    const int64_t step = (int64_t)gridDim.x * gs_block_size;

    if (guard.has_ended()) return;
#pragma unroll 4
    for (int64_t k = (int64_t)blockIdx.x * gs_block_size + threadIdx.x; k < n; k += step) {
        product[k] = value[k] * __ldg(&x[col[k]]);
    }
}

// y_i = alpha (sum of row i's products) + beta y_i. A block owns gs_block_size neighbouring rows
// and a thread one row. The block copies the products of its rows piece by piece to shared memory,
// coalesced; each thread adds those of its row in their order.
template <class T, class O>
__global__ void __launch_bounds__(gs_block_size)
    add(int32_t n, const O *start, const T *product, T alpha, T beta, T *y, gs_guard guard)
{
    __shared__ T piece[GS_PS_PIECE];
    const int64_t first = (int64_t)blockIdx.x * gs_block_size, i = first + threadIdx.x;
    const int64_t last = min(first + gs_block_size, (int64_t)n);
    T sum = 0;

    if (guard.has_ended()) return;
    const int64_t end = start[last]; // of the block's rows
    const int64_t from = start[min(i, last)], to = start[min(i + 1, last)];
    for (int64_t at = start[first]; at < end; at += GS_PS_PIECE) {
        const int64_t stop = min(at + GS_PS_PIECE, end);
        for (int64_t k = at + threadIdx.x; k < stop; k += gs_block_size) piece[k - at] = product[k];
        __syncthreads();
        for (int64_t k = max(from, at); k < min(to, stop); k++) sum += piece[k - at];
        __syncthreads();
    }
    if (i < last) y[i] = beta == 0 ? alpha * sum : alpha * sum + beta * y[i];
}

template <class T, class O>
gsolve_status add_rows(gs_queue *q, const gs_ps *s, T alpha, T beta, T *y)
{
    const int32_t n = s->csr.nrows;
    const int blocks = (int)(((int64_t)n + gs_block_size - 1) / gs_block_size);

    return gs_launch_pdl(q, "the sums of rows", add<T, O>, blocks, gs_block_size, n,
                         (const O *)s->csr.start, (const T *)s->product, alpha, beta, y);
}

template <class T>
gsolve_status apply(gs_queue *q, const gs_ps *s, double alpha, const void *x, double beta, void *y)
{
    const gsolve_csr *A = &s->csr;
    gsolve_status status = GSOLVE_OK;

    if (A->nrows == 0) return status;
    if (s->entries > 0) {
        TRY(gs_launch_pdl(q, "the products of entries", multiply<T>, gs_grid(q, s->entries),
                          gs_block_size, s->entries, A->col, (const T *)A->value, (const T *)x,
                          (T *)s->product));
    }
    TRY(A->offset == GSOLVE_O64 ? (add_rows<T, int64_t>(q, s, (T)alpha, (T)beta, (T *)y))
                                : (add_rows<T, int32_t>(q, s, (T)alpha, (T)beta, (T *)y)));
done:
    return status;
}

} // namespace

extern "C" const gs_ps_kernels gs_ps_cuda[GSOLVE_TYPE_COUNT] = {
    {apply<float>},
    {apply<double>},
};
