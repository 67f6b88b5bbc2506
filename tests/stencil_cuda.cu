// stencil_cuda.cu: see stencil.h.
extern "C" {
#include "tests/stencil.h"
}

// A thread owns a point: it reads 5 elements of x, of which 4 are its neighbours' (from the
// caches), and writes one of y. Memory moved: x and y once.
template <class T>
__global__ void stencil(int side, T diagonal, const T *x, T *y)
{
    const int j = (int)(blockIdx.x * blockDim.x + threadIdx.x), i = (int)blockIdx.y;
    const long k = (long)i * side + j;

    if (j >= side) return;
    T sum = diagonal * x[k];
    if (i > 0) sum -= x[k - side];
    if (i + 1 < side) sum -= x[k + side];
    if (j > 0) sum -= x[k - 1];
    if (j + 1 < side) sum -= x[k + 1];
    y[k] = sum;
}

extern "C" bool launch_stencil(void *stream, bool single, int side, double diagonal, const void *x,
                               void *y)
{
    const dim3 blocks((unsigned)(side + 127) / 128, (unsigned)side);
    const cudaStream_t s = (cudaStream_t)stream;

    if (single) {
        stencil<<<blocks, 128, 0, s>>>(side, (float)diagonal, (const float *)x, (float *)y);
    } else {
        stencil<<<blocks, 128, 0, s>>>(side, diagonal, (const double *)x, (double *)y);
    }
    return cudaGetLastError() == cudaSuccess;
}
