// halo_cuda.cu: packs the elements of a vector that other ranks need, and adds those that they send
// back, on a GPU. A thread copies one element of one column; the buffers are memory of the host
// that kernels access, and adjacent threads access adjacent elements of them.
#include "core/pdl.cuh"

extern "C" {
#include "dist/halo.h"
}

namespace
{

template <class T>
struct rows_of {
    T *value;
    int64_t row_step, column_step;
    int32_t ncols;

    explicit rows_of(const gsolve_dense *v) : value((T *)v->value), ncols(v->ncols)
    {
        const bool row_major = v->layout == GSOLVE_ROW_MAJOR;
        row_step = row_major ? v->stride : 1;
        column_step = row_major ? 1 : v->stride;
    }
    // Element e of the packed rows: column e % ncols of row pack[e / ncols].
    __device__ T *at(const int32_t *pack, int64_t e) const
    {
        return &value[pack[e / ncols] * row_step + e % ncols * column_step];
    }
};

template <class T>
__global__ void __launch_bounds__(gs_block_size)
    pack_kernel(int64_t elements, const int32_t *pack, rows_of<T> x, T *to)
{
    const int64_t step = (int64_t)gridDim.x * gs_block_size;

    gs_wait();
    for (int64_t e = (int64_t)blockIdx.x * gs_block_size + threadIdx.x; e < elements; e += step) {
        to[e] = *x.at(pack, e);
    }
}

template <class T>
__global__ void __launch_bounds__(gs_block_size)
    add_kernel(int64_t elements, const int32_t *pack, const T *from, rows_of<T> y, gs_guard guard)
{
    const int64_t step = (int64_t)gridDim.x * gs_block_size;

    if (guard.has_ended()) return;
    for (int64_t e = (int64_t)blockIdx.x * gs_block_size + threadIdx.x; e < elements; e += step) {
        *y.at(pack, e) += from[e];
    }
}

template <class T>
gsolve_status pack(gs_queue *q, int64_t n, const int32_t *pack, const gsolve_dense *x, void *to)
{
    const int64_t elements = n * x->ncols;

    return gs_launch_pdl_with(q, "packing elements for other ranks", pack_kernel<T>,
                              dim3((unsigned)gs_grid(q, elements)), gs_block_size, 0, elements,
                              pack, rows_of<T>(x), (T *)to);
}

template <class T>
gsolve_status add(gs_queue *q, int64_t n, const int32_t *pack, const void *from,
                  const gsolve_dense *y)
{
    const int64_t elements = n * y->ncols;

    return gs_launch_pdl(q, "adding elements of other ranks", add_kernel<T>, gs_grid(q, elements),
                         gs_block_size, elements, pack, (const T *)from, rows_of<T>(y));
}

gsolve_status copy(gs_queue *q, size_t bytes, const void *from, void *to)
{
    return gs_cuda(q, cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, q->stream),
                   "copying elements of other ranks");
}

} // namespace

extern "C" const gs_halo_kernels gs_halo_cuda[GSOLVE_TYPE_COUNT] = {
    {pack<float>, add<float>, copy}, {pack<double>, add<double>, copy}};
