// block_cuda.cu: the kernels of block.h on a GPU. A thread has a row: it reads all columns of it,
// so that a block is read once.
#include "solver/block.cuh"

namespace
{

#define SMALL __device__
#include "core/judge_body.h"

// --- Gram matrices ----------------------------------------------------------------------------

template <class T>
struct gram_operands {
    columns<const T> U, V[2];
    const T *d[2]; // times which V counts, or NULL
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
    const T *d = which ? a.d[1] : a.d[0];
    const int64_t step = (int64_t)gridDim.x * gs_block_size;
    double sum[tile * tile] = {};

    if (ended && *ended) return;
    for (int64_t i = (int64_t)blockIdx.x * gs_block_size + threadIdx.x; i < n; i += step) {
        T u[tile], v[tile];
        const double weight = d ? (double)d[i] : 1;
#pragma unroll
        for (int j = 0; j < tile; j++) {
            u[j] = first + j < b ? a.U(i, first + j) : T(0);
            v[j] = other + j < b ? V(i, other + j) : T(0);
        }
#pragma unroll
        for (int j = 0; j < tile; j++) {
            const double with = weight * (double)v[j];
#pragma unroll
            for (int l = 0; l < tile; l++) sum[l + j * tile] += (double)u[l] * with;
        }
    }
    double *G = which ? a.G[1] : a.G[0];
    grid_sums(sum, partial + (int64_t)at * tile * tile * gridDim.x, arrived + at,
              [&](int e, double total) {
                  const int i = first + e % tile, j = other + e / tile;
                  if (i < b && j < b) G[i + j * GS_BLOCK] = total;
              });
}

template <class T>
gsolve_status launch_gram(gs_queue *q, int64_t n, int b, int count, const gram_operands<T> &a,
                          void *space)
{
    const int tiles = (b + tile - 1) / tile;
    const dim3 grid((unsigned)rows_grid(q, n, 2), (unsigned)(tiles * tiles * count));

    gram_kernel<T><<<grid, gs_block_size, 0, q->stream>>>(n, b, a, (double *)((char *)space + head),
                                                          (unsigned *)space, q->guard);
    return gs_cuda(q, cudaGetLastError(), "products of columns");
}

template <class T>
gsolve_status gram(gs_queue *q, int64_t n, int b, gs_block_columns U, gs_block_columns V, double *G,
                   void *space)
{
    const columns<const T> v = of<const T>(V);
    const gram_operands<T> a = {of<const T>(U), {v, v}, {nullptr, nullptr}, {G, G}};

    return launch_gram(q, n, b, 1, a, space);
}

template <class T>
gsolve_status squares(gs_queue *q, int64_t n, int b, gs_block_columns W, gs_block_columns Z,
                      const void *d, double *G, double *WW, void *space)
{
    const columns<const T> w = of<const T>(W), z = Z.v ? of<const T>(Z) : w;
    const gram_operands<T> a = {w, {z, w}, {Z.v ? nullptr : (const T *)d, nullptr}, {G, WW}};

    return launch_gram(q, n, b, 2, a, space);
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
                const double *xi, gs_block_places X, columns<T> W, const int *column_ended,
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
            if (!off[j]) ((T *)X.v)[i + X.at[j]] += times(s, to_x.of[j]);
        }
    }
}

template <class T, int B>
gsolve_status step_of(gs_queue *q, int64_t n, int b, gs_block_columns S, gs_block_columns Q,
                      const double *alpha, const double *xi, gs_block_places X, gs_block_columns W,
                      const int *ended)
{
    constexpr auto kernel = step_kernel<T, B>;

    return gs_launch(q, "a step of a block", kernel, gs_grid(q, n, gs_at_once<kernel>()),
                     gs_block_size, n, b, of<const T>(S), of<const T>(Q), alpha, xi, X, of<T>(W),
                     ended, q->guard);
}

template <class T>
gsolve_status step(gs_queue *q, int64_t n, int b, gs_block_columns S, gs_block_columns Q,
                   const double *alpha, const double *xi, gs_block_places X, gs_block_columns W,
                   const int *ended)
{
    return b <= 4   ? step_of<T, 4>(q, n, b, S, Q, alpha, xi, X, W, ended)
           : b <= 8 ? step_of<T, 8>(q, n, b, S, Q, alpha, xi, X, W, ended)
                    : step_of<T, 16>(q, n, b, S, Q, alpha, xi, X, W, ended);
}

template <class T, int B>
__global__ void __launch_bounds__(gs_block_size)
    turn_kernel(int64_t n, int b, columns<const T> Z, const T *d, const double *t,
                const double *zeta, columns<T> S, columns<T> W, const int *ended)
{
    __shared__ shared_small<T, B> by_t, by_zeta;
    const int64_t step = (int64_t)gridDim.x * gs_block_size;

    if (ended && *ended) return;
    load_small(by_t, b, t);
    load_small(by_zeta, b, zeta);
    __syncthreads();
    for (int64_t i = (int64_t)blockIdx.x * gs_block_size + threadIdx.x; i < n; i += step) {
        T s[B], w[B], z[B];
        const T weight = d ? d[i] : T(1);
        load_row(columns<const T>{W.v, W.stride}, i, b, w);
        load_row(Z, i, Z.v ? b : 0, z);
        load_row(columns<const T>{S.v, S.stride}, i, zeta ? b : 0, s);
#pragma unroll
        for (int j = 0; j < B; j++) {
            if (j >= b) continue;
            const T fresh = times(w, by_t.of[j]);
            W(i, j) = fresh;
            S(i, j) = (Z.v ? times(z, by_t.of[j]) : weight * fresh) + times(s, by_zeta.of[j]);
        }
    }
}

template <class T, int B>
gsolve_status turn_of(gs_queue *q, int64_t n, int b, gs_block_columns Z, const void *d,
                      const double *t, const double *zeta, gs_block_columns S, gs_block_columns W)
{
    constexpr auto kernel = turn_kernel<T, B>;

    return gs_launch(q, "the directions of a block", kernel, gs_grid(q, n, gs_at_once<kernel>()),
                     gs_block_size, n, b, of<const T>(Z), (const T *)d, t, zeta, of<T>(S), of<T>(W),
                     q->guard);
}

template <class T>
gsolve_status turn(gs_queue *q, int64_t n, int b, gs_block_columns Z, const void *d,
                   const double *t, const double *zeta, gs_block_columns S, gs_block_columns W)
{
    return b <= 4   ? turn_of<T, 4>(q, n, b, Z, d, t, zeta, S, W)
           : b <= 8 ? turn_of<T, 8>(q, n, b, Z, d, t, zeta, S, W)
                    : turn_of<T, 16>(q, n, b, Z, d, t, zeta, S, W);
}

// --- small matrices: a thread for each element ------------------------------------------------

// All columns are told of a negative square, and where nothing is left; after factorise.
__device__ void tell(const factor &f, const gs_block_small &a)
{
    int *flag = a.judge.flag + a.judge.c;
    const int i = (int)threadIdx.x;

    if (i < a.b && !flag[i]) {
        if (f.negative)
            flag[i] = GSOLVE_INDEFINITE;
        else if (f.rank == 0)
            flag[i] = GSOLVE_BREAKDOWN;
    }
    __syncthreads();
}

__global__ void __launch_bounds__(gs_block_size) solve_kernel(gs_block_small a, const int *ended)
{
    __shared__ factor f;
    const int i = (int)threadIdx.x % side, j = (int)threadIdx.x / side;
    double sum = 0, with = 0;

    if (ended && *ended) return;
    factorise(f, a.b, a.G, nullptr);
    tell(f, a);
    for (int m = 0; m < f.rank; m++) sum += f.t[i][m] * f.t[j][m];
    f.rest[i][j] = sum; // xi
    __syncthreads();
    if (i >= a.b || j >= a.b) return;
    for (int m = 0; m < a.b; m++) with += f.rest[i][m] * a.sigma[m + j * GS_BLOCK];
    a.xi[i + j * GS_BLOCK] = sum;
    a.alpha[i + j * GS_BLOCK] = with;
}

__global__ void __launch_bounds__(gs_block_size)
    orthogonal_kernel(gs_block_small a, bool start, const int *ended)
{
    __shared__ factor f;
    __shared__ double sigma[side][side], square[side][side]; // [column][row]
    const int i = (int)threadIdx.x % side, j = (int)threadIdx.x / side, b = a.b;
    const bool in = i < b && j < b;
    double sum = 0;

    if (ended && *ended) return;
    sigma[j][i] = start ? i == j : in ? a.sigma[i + j * GS_BLOCK] : 0;
    __syncthreads();
    for (int m = 0; in && !start && m < b; m++) sum += a.WW[i + m * GS_BLOCK] * sigma[j][m];
    square[j][i] = sum * sigma[j][i];
    factorise(f, a.b, a.G, nullptr);
    tell(f, a);
    if (in) {
        double next = 0;
        for (int m = 0; m < b; m++) {
            next += f.L[m][i] * f.own[m] * sigma[j][m];
        }
        a.sigma[i + j * GS_BLOCK] = next;
        a.t[i + j * GS_BLOCK] = f.t[i][j];
        a.zeta[i + j * GS_BLOCK] = f.L[i][j] * f.own[i];
    }
    if (!start && j == 0 && i < b) {
        gs_judge judge = a.judge;
        double rr = 0;
        judge.c += i;
        if (judge.ended[judge.c]) return;
        for (int m = 0; m < b; m++) rr += square[i][m];
        a.rr[i] = rr;
        judge_column(&judge, rr, 1);
    }
}

gsolve_status solve(gs_queue *q, const gs_block_small *a)
{
    return gs_launch(q, "the small system of a block", solve_kernel, 1, gs_block_size, *a,
                     q->guard);
}

gsolve_status orthogonal(gs_queue *q, const gs_block_small *a, bool start)
{
    return gs_launch(q, "the small factors of a block", orthogonal_kernel, 1, gs_block_size, *a,
                     start, q->guard);
}

} // namespace

extern "C" const gs_block_kernels gs_block_cuda[GSOLVE_TYPE_COUNT] = {
    {space_size, gram<float>, squares<float>, step<float>, turn<float>, solve, orthogonal},
    {space_size, gram<double>, squares<double>, step<double>, turn<double>, solve, orthogonal}};
