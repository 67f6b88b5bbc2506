// jacobi_cuda.cu: z = d * r on a GPU. A thread owns W neighbouring elements (gs_each). Moves three
// vectors; for several columns d is read once for all of them.
#include "vector/each.cuh"

extern "C" {
#include "precond/jacobi/jacobi.h"
}

namespace
{

template <class T>
struct divide : gs_plain {
    static constexpr int sums = 1;
    const T *d, *r;
    T *z;
    double *rz;
    template <int W>
    __device__ void at(int64_t i, double *sum)
    {
        const auto D = gs_load<W>(d, i), R = gs_load<W>(r, i);
        gs_pack<T, W> Z;
        for (int w = 0; w < W; w++) {
            Z.v[w] = D.v[w] * R.v[w];
            sum[0] += (double)R.v[w] * (double)Z.v[w];
        }
        gs_store<W>(z, i, Z);
    }
    __device__ void store(int, double total) { *rz = total; }
};

template <class T>
gsolve_status apply(gs_queue *q, int64_t n, const void *d, const void *r, void *z, double *rz)
{
    return gs_each<T>(q, n, gs_all_aligned(d, r, z),
                      divide<T>{{}, (const T *)d, (const T *)r, (T *)z, rz}, "jacobi");
}

template <class T>
struct divide_columns : gs_plain {
    const T *d, *r;
    T *z;
    int64_t rstride, zstride;
    int columns;
    template <int W>
    __device__ void at(int64_t i, double *)
    {
        const auto D = gs_load<W>(d, i);
        for (int c = 0; c < columns; c++) {
            auto R = gs_load<W>(r, c * rstride + i);
            for (int w = 0; w < W; w++) R.v[w] *= D.v[w];
            gs_store<W>(z, c * zstride + i, R);
        }
    }
};

template <class T>
gsolve_status apply_columns(gs_queue *q, const void *d, gsolve_dense r, gsolve_dense z)
{
    const bool aligned = gs_all_aligned(d, r.value, z.value) && r.stride % gs_wide<T> == 0 &&
                         z.stride % gs_wide<T> == 0;

    return gs_each<T>(
        q, r.nrows, aligned,
        divide_columns<T>{
            {}, (const T *)d, (const T *)r.value, (T *)z.value, r.stride, z.stride, r.ncols},
        "jacobi");
}

} // namespace

extern "C" const gs_jacobi_kernels gs_jacobi_cuda[GSOLVE_TYPE_COUNT] = {
    {apply<float>, apply_columns<float>}, {apply<double>, apply_columns<double>}};
