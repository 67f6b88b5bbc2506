// block_cuda.cu: the kernels of block.h on a GPU. A thread has a row: it reads all columns of it,
// so that a block is read once.
#include "core/cuda.cuh"

extern "C" {
#include "solver/block.h"
}

namespace
{

constexpr int tile = 8;           // columns by columns of a Gram matrix that a thread sums
constexpr int most_tiles = 8;     // of two Gram matrices
constexpr int most_blocks = 1024; // of threads

// The counters stand first.
constexpr size_t head = 256;
constexpr size_t space_size = head + sizeof(double) * most_tiles * tile * tile * most_blocks;

template <class T>
struct columns {
    T *v;
    int64_t stride;
    __device__ T &operator()(int64_t i, int j) const { return v[i + j * stride]; }
};

template <class T>
columns<T> of(gs_block_columns v)
{
    return {(T *)v.v, v.stride};
}

int rows_grid(const gs_queue *q, int64_t n, int blocks_per_processor)
{
    const int grid = gs_grid(q, n, blocks_per_processor);
    return grid < most_blocks ? grid : most_blocks;
}

// gs_grid_sum of cuda.cuh for any number of sums: partial has S x gridDim.x.
template <int S, class Store>
__device__ void grid_sum(double (&mine)[S], double *partial, unsigned *arrived, Store store)
{
    __shared__ bool last;
    const double own = gs_block_sums(mine);
    const int blocks = (int)gridDim.x;

    if (threadIdx.x < S) {
        partial[(int)threadIdx.x * blocks + (int)blockIdx.x] = own;
        __threadfence();
    }
    __syncthreads();
    if (threadIdx.x == 0) last = atomicAdd(arrived, 1u) == gridDim.x - 1;
    __syncthreads();
    if (!last) return;
    __threadfence();
#pragma unroll
    for (int s = 0; s < S; s++) {
        mine[s] = 0;
        for (int b = (int)threadIdx.x; b < blocks; b += gs_block_size) {
            mine[s] += __ldcg(&partial[s * blocks + b]);
        }
    }
    const double total = gs_block_sums(mine);
    if (threadIdx.x < S) store((int)threadIdx.x, total);
    if (threadIdx.x == 0) *arrived = 0;
}

// --- Gram matrices ----------------------------------------------------------------------------

template <class T>
struct gram_operands {
    columns<const T> U, V[2];
    double *G[2];
};

template <class T>
__global__ void __launch_bounds__(gs_block_size)
    gram_kernel(int64_t n, int b, gram_operands<T> a, double *partial, unsigned *arrived,
                const int *ended)
{
    const int tiles = (b + tile - 1) / tile, at = (int)blockIdx.y;
    const int first = at % tiles * tile, other = at / tiles % tiles * tile;
    const int which = at / (tiles * tiles);
    const columns<const T> V = which ? a.V[1] : a.V[0];
    const int64_t step = (int64_t)gridDim.x * gs_block_size;
    double sum[tile * tile] = {};

    if (ended && *ended) return;
    for (int64_t i = (int64_t)blockIdx.x * gs_block_size + threadIdx.x; i < n; i += step) {
        T u[tile], v[tile];
#pragma unroll
        for (int j = 0; j < tile; j++) {
            u[j] = first + j < b ? a.U(i, first + j) : T(0);
            v[j] = other + j < b ? V(i, other + j) : T(0);
        }
#pragma unroll
        for (int e = 0; e < tile * tile; e++) {
            sum[e] += (double)u[e % tile] * (double)v[e / tile];
        }
    }
    double *G = which ? a.G[1] : a.G[0];
    grid_sum(sum, partial + (int64_t)at * tile * tile * gridDim.x, arrived + at,
             [&](int e, double total) {
                 const int i = first + e % tile, j = other + e / tile;
                 if (i < b && j < b) G[i + j * GS_BLOCK] = total;
             });
}

template <class T>
gsolve_status gram(gs_queue *q, int64_t n, int b, gs_block_columns U, int count,
                   const gs_block_columns *V, double *const *G, void *space)
{
    const int tiles = (b + tile - 1) / tile;
    const dim3 grid((unsigned)rows_grid(q, n, 2), (unsigned)(tiles * tiles * count));
    const gs_block_columns W = V[count - 1];
    const gram_operands<T> a = {{(const T *)U.v, U.stride},
                                {{(const T *)V[0].v, V[0].stride}, {(const T *)W.v, W.stride}},
                                {G[0], G[count - 1]}};

    gram_kernel<T><<<grid, gs_block_size, 0, q->stream>>>(n, b, a, (double *)((char *)space + head),
                                                          (unsigned *)space, q->guard);
    return gs_cuda(q, cudaGetLastError(), "products of columns");
}

// --- updates ----------------------------------------------------------------------------------

// A small matrix as every thread of a block reads it.
template <class T, int B>
struct shared_small {
    T of[B][B]; // [column][row]
};

template <class T, int B>
__device__ void load_small(shared_small<T, B> &s, int b, const double *C)
{
    for (int e = (int)threadIdx.x; e < B * B; e += gs_block_size) {
        const int i = e % B, j = e / B;
        s.of[j][i] = C && i < b && j < b ? (T)C[i + j * GS_BLOCK] : T(0);
    }
}

template <class T, int B>
__device__ void load_row(const columns<const T> &V, int64_t i, int b, T (&v)[B])
{
#pragma unroll
    for (int l = 0; l < B; l++) v[l] = l < b ? V(i, l) : T(0);
}

template <class T, int B>
__device__ T times(const T (&v)[B], const T (&c)[B])
{
    T sum = 0;
#pragma unroll
    for (int l = 0; l < B; l++) sum += v[l] * c[l];
    return sum;
}

template <class T, int B>
__global__ void __launch_bounds__(gs_block_size)
    step_kernel(int64_t n, int b, columns<const T> S, columns<const T> Q, const double *alpha,
                const double *xi, columns<T> X, columns<T> W, const int *column_ended,
                const int *ended)
{
    __shared__ shared_small<T, B> to_x, to_w;
    __shared__ bool off[B];
    const int64_t step = (int64_t)gridDim.x * gs_block_size;

    if (ended && *ended) return;
    load_small(to_x, b, alpha);
    load_small(to_w, b, xi);
    if (threadIdx.x < B) off[threadIdx.x] = (int)threadIdx.x >= b || column_ended[threadIdx.x];
    __syncthreads();
    for (int64_t i = (int64_t)blockIdx.x * gs_block_size + threadIdx.x; i < n; i += step) {
        T s[B], q[B];
        load_row(S, i, b, s);
        load_row(Q, i, b, q);
#pragma unroll
        for (int j = 0; j < B; j++) {
            if (j < b) W(i, j) -= times(q, to_w.of[j]);
            if (!off[j]) X(i, j) += times(s, to_x.of[j]);
        }
    }
}

template <class T, int B>
gsolve_status step_of(gs_queue *q, int64_t n, int b, gs_block_columns S, gs_block_columns Q,
                      const double *alpha, const double *xi, gs_block_columns X, gs_block_columns W,
                      const int *ended)
{
    constexpr auto kernel = step_kernel<T, B>;

    return gs_launch(q, "a step of a block", kernel, gs_grid(q, n, gs_at_once<kernel>()),
                     gs_block_size, n, b, of<const T>(S), of<const T>(Q), alpha, xi, of<T>(X),
                     of<T>(W), ended, q->guard);
}

template <class T>
gsolve_status step(gs_queue *q, int64_t n, int b, gs_block_columns S, gs_block_columns Q,
                   const double *alpha, const double *xi, gs_block_columns X, gs_block_columns W,
                   const int *ended)
{
    return b <= 4   ? step_of<T, 4>(q, n, b, S, Q, alpha, xi, X, W, ended)
           : b <= 8 ? step_of<T, 8>(q, n, b, S, Q, alpha, xi, X, W, ended)
                    : step_of<T, 16>(q, n, b, S, Q, alpha, xi, X, W, ended);
}

template <class T, int B>
__global__ void __launch_bounds__(gs_block_size)
    turn_kernel(int64_t n, int b, columns<const T> Z, const double *t, const double *zeta,
                columns<T> S, columns<T> W, const int *ended)
{
    __shared__ shared_small<T, B> by_t, by_zeta;
    const int64_t step = (int64_t)gridDim.x * gs_block_size;

    if (ended && *ended) return;
    load_small(by_t, b, t);
    load_small(by_zeta, b, zeta);
    __syncthreads();
    for (int64_t i = (int64_t)blockIdx.x * gs_block_size + threadIdx.x; i < n; i += step) {
        T s[B], w[B];
        load_row(columns<const T>{W.v, W.stride}, i, b, w);
#pragma unroll
        for (int j = 0; j < B; j++) {
            if (j < b) W(i, j) = times(w, by_t.of[j]);
        }
        load_row(Z, i, b, w);
        load_row(columns<const T>{S.v, S.stride}, i, zeta ? b : 0, s);
#pragma unroll
        for (int j = 0; j < B; j++) {
            if (j < b) S(i, j) = times(w, by_t.of[j]) + times(s, by_zeta.of[j]);
        }
    }
}

template <class T, int B>
gsolve_status turn_of(gs_queue *q, int64_t n, int b, gs_block_columns Z, const double *t,
                      const double *zeta, gs_block_columns S, gs_block_columns W)
{
    constexpr auto kernel = turn_kernel<T, B>;

    return gs_launch(q, "the directions of a block", kernel, gs_grid(q, n, gs_at_once<kernel>()),
                     gs_block_size, n, b, of<const T>(Z), t, zeta, of<T>(S), of<T>(W), q->guard);
}

template <class T>
gsolve_status turn(gs_queue *q, int64_t n, int b, gs_block_columns Z, const double *t,
                   const double *zeta, gs_block_columns S, gs_block_columns W)
{
    return b <= 4   ? turn_of<T, 4>(q, n, b, Z, t, zeta, S, W)
           : b <= 8 ? turn_of<T, 8>(q, n, b, Z, t, zeta, S, W)
                    : turn_of<T, 16>(q, n, b, Z, t, zeta, S, W);
}

} // namespace

extern "C" const gs_block_kernels gs_block_cuda[GSOLVE_TYPE_COUNT] = {
    {space_size, gram<float>, step<float>, turn<float>},
    {space_size, gram<double>, step<double>, turn<double>}};
