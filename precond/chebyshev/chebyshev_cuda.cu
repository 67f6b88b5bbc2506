// chebyshev_cuda.cu: the kernel on a GPU.
#include "core/each.cuh"

extern "C" {
#include "precond/chebyshev/chebyshev.h"
}

namespace
{

template <class T>
struct first : gs_plain { // z may be p
    T a;
    const T *d, *r;
    T *p, *z;
    template <int W>
    __device__ void at(int64_t i, double *)
    {
        const auto D = gs_load<W>(d, i), R = gs_load<W>(r, i);
        gs_pack<T, W> P;
        for (int w = 0; w < W; w++) P.v[w] = a * D.v[w] * R.v[w];
        gs_store<W>(p, i, P);
        gs_store<W>(z, i, P);
    }
};

template <class T>
struct next : gs_plain {
    T a, b;
    const T *d, *r, *Az;
    T *p, *z;
    template <int W>
    __device__ void at(int64_t i, double *)
    {
        const auto D = gs_load<W>(d, i), R = gs_load<W>(r, i), Q = gs_load<W>(Az, i);
        auto P = gs_load<W>(p, i), Z = gs_load<W>(z, i);
        for (int w = 0; w < W; w++) {
            P.v[w] = a * D.v[w] * (R.v[w] - Q.v[w]) + b * P.v[w];
            Z.v[w] += P.v[w];
        }
        gs_store<W>(p, i, P);
        gs_store<W>(z, i, Z);
    }
};

template <class T>
gsolve_status step(gs_queue *q, int64_t n, double a, double b, const void *d, const void *r,
                   const void *Az, void *p, void *z)
{
    const bool aligned = gs_all_aligned(d, r, Az, p, z);

    if (!Az) {
        return gs_each<T>(q, n, aligned,
                          first<T>{{}, (T)a, (const T *)d, (const T *)r, (T *)p, (T *)z},
                          "chebyshev");
    }
    return gs_each<T>(
        q, n, aligned,
        next<T>{{}, (T)a, (T)b, (const T *)d, (const T *)r, (const T *)Az, (T *)p, (T *)z},
        "chebyshev");
}

} // namespace

extern "C" const gs_chebyshev_kernels gs_chebyshev_cuda[GSOLVE_TYPE_COUNT] = {{step<float>},
                                                                              {step<double>}};
