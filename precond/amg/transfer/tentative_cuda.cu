// tentative_cuda.cu: near-null vectors and the tentative prolongator on a GPU. The latter's kernels
// read B and write Q and the coarse near-null vectors.
#include "precond/subwarp.cuh"

extern "C" {
#include "core/try.h"
#include "precond/amg/coarsening/aggregation.h"
}

#define SMALL static inline __device__
#include "precond/amg/transfer/transfer_rules.h"

namespace
{

// A thread owns every step-th unknown, and computes its element in each mode. Reads the coordinates
// and writes B once.
template <class T>
__global__ void __launch_bounds__(gs_block_size) fill_modes(gsolve_dense xyz, gsolve_dense B)
{
    const int64_t step = (int64_t)gridDim.x * gs_block_size;
    T *b = (T *)B.value;

    for (int64_t i = (int64_t)blockIdx.x * gs_block_size + threadIdx.x; i < B.nrows; i += step) {
        for (int m = 0; m < B.ncols; m++) {
            b[i + m * B.stride] =
                (T)gs_rigid_body_mode(xyz, i / xyz.ncols, (int)(i % xyz.ncols), m);
        }
    }
}

template <class T>
gsolve_status modes(gsolve_context *ctx, gsolve_dense xyz, gsolve_dense B)
{
    return gs_launch(ctx->queue, "near-null vectors", fill_modes<T>, gs_grid(ctx->queue, B.nrows),
                     gs_block_size, xyz, B);
}

// One near-null vector: Q = B, R = 1. A thread owns every step-th element. Moves B, Q and the
// coarse vector once.
template <class T>
__global__ void __launch_bounds__(gs_block_size)
    copy_vector(int32_t n, gsolve_dense B, T *Q, int32_t count, gsolve_dense coarse)
{
    const int64_t step = (int64_t)gridDim.x * gs_block_size;
    const int64_t first = (int64_t)blockIdx.x * gs_block_size + threadIdx.x;

    for (int64_t i = first; i < n; i += step) Q[i] = (T)gs_element(B, i, 0);
    for (int64_t g = first; g < count; g += step) gs_set_element(coarse, g, 0, 1);
}

// Several vectors: Q = B, row-major; 0 for unknowns in no aggregate. A thread owns every step-th
// row.
template <class T>
__global__ void __launch_bounds__(gs_block_size)
    copy_vectors(int32_t n, gsolve_dense B, int32_t block, int32_t k, const int32_t *of, T *Q)
{
    const int64_t step = (int64_t)gridDim.x * gs_block_size;

    for (int64_t i = (int64_t)blockIdx.x * gs_block_size + threadIdx.x; i < n; i += step) {
        const bool in = of[i / block] >= 0;
        for (int32_t c = 0; c < k; c++) Q[i * k + c] = in ? (T)gs_element(B, i, c) : (T)0;
    }
}

// The rows of an aggregate. Lane l of its warp owns rows l, l + 32, ...
template <class T>
struct rows_of {
    gs_subwarp<32> lanes;
    const int32_t *member;
    int32_t rows, block, k;
    T *Q;

    __device__ T *row(int32_t t) const
    {
        return Q + ((int64_t)member[t / block] * block + t % block) * k;
    }
    __device__ double product(int32_t a, int32_t b) const
    {
        double sum = 0;
        for (int32_t t = lanes.lane; t < rows; t += 32) {
            const T *q = row(t);
            sum += (double)q[a] * (double)q[b];
        }
        return lanes.sum(sum);
    }
    __device__ void combine(int32_t a, double factor, int32_t b, double scale) const
    {
        for (int32_t t = lanes.lane; t < rows; t += 32) {
            T *q = row(t);
            q[b] = (T)(scale * ((double)q[b] - factor * (double)q[a]));
        }
    }
};

// A warp owns an aggregate: modified Gram-Schmidt with one reorthogonalisation, each vector
// orthogonalised twice against those before. Q's rows of the aggregate are read and written k^2
// times through the cache. The sums over lanes have a fixed order.
template <class T>
__global__ void __launch_bounds__(gs_block_size) orthogonalise(gs_aggregates G, gsolve_dense coarse)
{
    const gs_subwarp<32> lanes;
    const double least =
        sizeof(T) == sizeof(float) ? 1e-5 : 1e-10; // relative to the vector's norm before
    const int32_t g = (int32_t)lanes.unit, k = G.k;

    if (lanes.unit >= G.count) return; // all lanes of the warp
    const rows_of<T> A = {
        lanes,   G.member + G.start[g], (G.start[g + 1] - G.start[g]) * G.block, G.block, k,
        (T *)G.Q};
    for (int32_t b = 0; b < k; b++) {
        const double given = sqrt(A.product(b, b));
        for (int32_t a = lanes.lane; a < k; a += 32)
            gs_set_element(coarse, (int64_t)g * k + a, b, 0);
        __syncwarp();
        for (int twice = 0; twice < 2; twice++) {
            for (int32_t a = 0; a < b; a++) {
                const int64_t row = (int64_t)g * k + a;
                const double r = A.product(a, b);
                A.combine(a, r, b, 1);
                if (lanes.lane == 0) gs_set_element(coarse, row, b, gs_element(coarse, row, b) + r);
            }
        }
        double left = sqrt(A.product(b, b));
        if (!(left > least * given)) left = 0;
        A.combine(b, 0, b, left > 0 ? 1 / left : 0);
        if (lanes.lane == 0) gs_set_element(coarse, (int64_t)g * k + b, b, left);
        __syncwarp();
    }
}

template <class T>
gsolve_status factor(gsolve_context *ctx, int32_t n, const gs_aggregates *G, gsolve_dense B,
                     gsolve_dense coarse)
{
    gs_queue *q = ctx->queue;
    T *Q = (T *)G->Q;
    gsolve_status status;

    if (G->k == 1) {
        return gs_launch(q, "the tentative prolongator", copy_vector<T>, gs_grid(q, n),
                         gs_block_size, Q == B.value ? 0 : n, B, Q, G->count, coarse);
    }
    TRY(gs_launch(q, "near-null vectors", copy_vectors<T>, gs_grid(q, n), gs_block_size, n, B,
                  G->block, G->k, G->of, Q));
    TRY(gs_launch(q, "the tentative prolongator", orthogonalise<T>, gs_subwarp_blocks(G->count, 32),
                  gs_block_size, *G, coarse));
done:
    return status;
}

} // namespace

extern "C" const gs_tentative_kernels gs_tentative_cuda[GSOLVE_TYPE_COUNT] = {
    {modes<float>, factor<float>}, {modes<double>, factor<double>}};
