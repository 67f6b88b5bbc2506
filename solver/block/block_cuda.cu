// block_cuda.cu: the kernels of block.h on a GPU. In those on vectors a thread computes whole rows,
// all columns of each, so that a block of columns is read once.
#include "core/pdl.cuh"
#include "solver/block/block.cuh"

namespace
{

#define SMALL __device__
#include "vector/convergence_body.h"

// --- Gram matrices ----------------------------------------------------------------------------

template <class T>
struct gram_operands {
    columns<const T> U, V[2];
    const T *d[2]; // V is multiplied by it; or NULL
    double *G[2];
};

// G = U'V, or U'(d V), for one or two V. A block of threads (blockIdx.y) sums one tile of one G:
// tile x tile products. Each of its threads sums them over every gridDim.x * gs_block_size-th row,
// in registers; part_sums adds the threads' sums in a fixed order. A tile reads 2 tile columns of n
// numbers.
template <class T>
__global__ void __launch_bounds__(gs_block_size)
    gram_kernel(int64_t n, int b, int all, gram_operands<T> a, double *partial, unsigned *arrived,
                gs_guard guard)
{
    const int tiles = (all + tile - 1) / tile, at = (int)blockIdx.y;
    const int first = at % tiles * tile, other = at / tiles % tiles * tile;
    const int which = at / (tiles * tiles);
    const columns<const T> V = which ? a.V[1] : a.V[0];
    const T *d = which ? a.d[1] : a.d[0];
    const int64_t step = (int64_t)gridDim.x * gs_block_size;
    __shared__ double of_warp[warps][tile * tile];
    double sum[tile * tile] = {};

    if (guard.has_ended()) return;
    for (int64_t i = (int64_t)blockIdx.x * gs_block_size + threadIdx.x; i < n; i += step) {
        T u[tile], v[tile];
        const double weight = d ? (double)d[i] : 1;
#pragma unroll
        for (int j = 0; j < tile; j++) {
            u[j] = first + j < all ? a.U(i, first + j) : T(0);
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
    warp_sums<tile * tile / 2>(sum);
    const double of_lane[2] = {sum[0], sum[1]};
    part_sums(of_lane, of_warp, (int)blockIdx.x, (int)gridDim.x,
              partial + (int64_t)at * tile * tile * gridDim.x, arrived + at,
              [&](int e, double total) {
                  const int l = e % 32 * 2 + e / 32; // the element of the tile
                  const int i = first + l % tile, j = other + l / tile;
                  if (i < all && j < b) G[i + j * GS_BLOCK] = total;
              });
}

template <class T>
gsolve_status launch_gram(gs_queue *q, int64_t n, int b, int all, int count,
                          const gram_operands<T> &a, void *space)
{
    const int tiles = (all + tile - 1) / tile;
    const dim3 grid((unsigned)rows_grid(q, n, 2), (unsigned)(tiles * tiles * count));

    return gs_launch_pdl_with(q, "products of columns", gram_kernel<T>, grid, gs_block_size, 0, n,
                              b, all, a, (double *)((char *)space + head), (unsigned *)space,
                              gs_guard{q->guard});
}

template <class T>
gsolve_status gram(gs_queue *q, int64_t n, int b, gs_block_columns U, gs_block_columns V, double *G,
                   void *space)
{
    const columns<const T> v = of<const T>(V);
    const gram_operands<T> a = {of<const T>(U), {v, v}, {nullptr, nullptr}, {G, G}};

    return launch_gram(q, n, b, b, 1, a, space);
}

template <class T>
gsolve_status squares(gs_queue *q, int64_t n, const gs_block_small *s, gs_block_columns W,
                      gs_block_columns Z, const void *d, void *space)
{
    const columns<const T> w = of<const T>(W), z = Z.v ? of<const T>(Z) : w;
    const gram_operands<T> a = {w, {z, w}, {Z.v ? nullptr : (const T *)d, nullptr}, {s->G, s->WW}};

    return launch_gram(q, n, s->b, s->all, 2, a, space);
}

// --- updates ----------------------------------------------------------------------------------

// A small matrix in shared memory, where every thread of a block reads it.
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

// Launches a kernel on n rows.
template <auto KERNEL, class... A>
gsolve_status launch_rows(gs_queue *q, const char *name, int64_t n, A... a)
{
    return gs_launch_pdl(q, name, KERNEL, gs_grid(q, n, gs_at_once<KERNEL>()), gs_block_size, n,
                         a...);
}

template <class T>
struct step_operands {
    columns<const T> S, Q;
    const double *alpha, *xi;
    gs_block_places X;
    columns<T> W;
    const int *column_ended;
};

// X += S alpha, W -= Q xi. A thread computes one row after another: it holds the row of S and of Q
// in registers. A block of threads holds alpha and xi in shared memory. Reads S, Q, X, W and writes
// X, W: 6 n b numbers.
template <class T, int B>
__global__ void __launch_bounds__(gs_block_size)
    step_kernel(int64_t n, int b, step_operands<T> a, gs_guard guard)
{
    __shared__ shared_small<T, B> to_x, to_w;
    __shared__ bool off[B];
    const int64_t step = (int64_t)gridDim.x * gs_block_size;

    if (guard.has_ended()) return;
    load_small(to_x, b, a.alpha);
    load_small(to_w, b, a.xi);
    if (threadIdx.x < B) off[threadIdx.x] = (int)threadIdx.x >= b || a.column_ended[threadIdx.x];
    __syncthreads();
    for (int64_t i = (int64_t)blockIdx.x * gs_block_size + threadIdx.x; i < n; i += step) {
        T s[B], q[B];
        load_row(a.S, i, b, s);
        load_row(a.Q, i, b, q);
#pragma unroll
        for (int j = 0; j < B; j++) {
            if (j < b) a.W(i, j) -= times(q, to_w.of[j]);
            if (!off[j]) ((T *)a.X.v)[i + a.X.at[j]] += times(s, to_x.of[j]);
        }
    }
}

template <class T>
gsolve_status step(gs_queue *q, int64_t n, const gs_block_small *s, gs_block_columns S,
                   gs_block_columns Q, gs_block_places X, gs_block_columns W, const int *ended)
{
    const step_operands<T> a = {of<const T>(S), of<const T>(Q), s->alpha, s->xi, X,
                                of<T>(W),       ended};

    static const char name[] = "a step of a block";

    return s->b <= 4   ? launch_rows<step_kernel<T, 4>>(q, name, n, s->b, a)
           : s->b <= 8 ? launch_rows<step_kernel<T, 8>>(q, name, n, s->b, a)
                       : launch_rows<step_kernel<T, 16>>(q, name, n, s->b, a);
}

template <class T>
struct combine_operands {
    gs_block_factors by;
    columns<const T> Z;
    const T *d; // or NULL
    columns<T> S, W;
};

// S = Z t + S zeta, W = W t. A thread computes one row after another: it reads the row of Z, S and
// W before it writes S and W, so that S may be W or Z. A block of threads holds t and zeta in
// shared memory. Reads Z, S, W and writes S, W: at most 5 n b numbers.
template <class T, int B>
__global__ void __launch_bounds__(gs_block_size)
    combine_kernel(int64_t n, combine_operands<T> a, gs_guard guard)
{
    const int b = a.by.b;
    __shared__ shared_small<T, B> by_t, by_zeta;
    const int64_t step = (int64_t)gridDim.x * gs_block_size;

    if (guard.has_ended()) return;
    load_small(by_t, b, a.by.t);
    load_small(by_zeta, a.by.all, a.by.zeta);
    __syncthreads();
    for (int64_t i = (int64_t)blockIdx.x * gs_block_size + threadIdx.x; i < n; i += step) {
        T s[B], w[B], z[B];
        const T weight = a.d ? a.d[i] : T(1);
        load_row(columns<const T>{a.W.v, a.W.stride}, i, b, w);
        load_row(a.Z, i, a.Z.v ? b : 0, z);
        load_row(columns<const T>{a.S.v, a.S.stride}, i, a.by.zeta ? a.by.all : 0, s);
#pragma unroll
        for (int j = 0; j < B; j++) {
            if (j >= b) continue;
            const T next = times(w, by_t.of[j]);
            a.W(i, j) = next;
            a.S(i, j) = (a.Z.v ? times(z, by_t.of[j]) : weight * next) + times(s, by_zeta.of[j]);
        }
    }
}

template <class T>
gsolve_status combine(gs_queue *q, int64_t n, const gs_block_factors *by, gs_block_columns Z,
                      const void *d, gs_block_columns S, gs_block_columns W)
{
    const combine_operands<T> a = {*by, of<const T>(Z), (const T *)d, of<T>(S), of<T>(W)};

    static const char name[] = "the directions of a block";

    return by->all <= 4   ? launch_rows<combine_kernel<T, 4>>(q, name, n, a)
           : by->all <= 8 ? launch_rows<combine_kernel<T, 8>>(q, name, n, a)
                          : launch_rows<combine_kernel<T, 16>>(q, name, n, a);
}

// --- small matrices: a thread for each element ------------------------------------------------

// After factorise: flags all columns if a square is negative or no vector is independent.
__device__ void flag_columns(const factor &f, const gs_block_small &a)
{
    int *flag = a.convergence.flag + a.convergence.c;
    const int i = (int)threadIdx.x;

    if (i < a.b && !flag[i]) {
        if (f.negative)
            flag[i] = GSOLVE_INDEFINITE;
        else if (f.rank == 0)
            flag[i] = GSOLVE_BREAKDOWN;
    }
    __syncthreads();
}

// gs_block_kernels.solve: one block of side x side threads; thread (i, j) computes element (i, j).
__global__ void __launch_bounds__(gs_block_size) solve_kernel(gs_block_small a, gs_guard guard)
{
    __shared__ factor f;
    const int i = (int)threadIdx.x % side, j = (int)threadIdx.x / side;
    double sum = 0, with = 0;

    if (guard.has_ended()) return;
    factorise(f, a.b, a.G, nullptr);
    flag_columns(f, a);
    for (int m = 0; m < f.rank; m++) sum += f.t[i][m] * f.t[j][m];
    f.rest[i][j] = sum; // xi
    __syncthreads();
    if (i >= a.b || j >= a.b) return;
    for (int m = 0; m < a.b; m++) with += f.rest[i][m] * a.sigma[m + j * GS_BLOCK];
    a.xi[i + j * GS_BLOCK] = sum;
    a.alpha[i + j * GS_BLOCK] = with;
}

// gs_block_kernels.orthogonal: one block of side x side threads; thread (i, j) computes element
// (i, j).
__global__ void __launch_bounds__(gs_block_size)
    orthogonal_kernel(gs_block_small a, bool start, gs_guard guard)
{
    __shared__ factor f;
    __shared__ double sigma[side][side], square[side][side]; // [column][row]
    const int i = (int)threadIdx.x % side, j = (int)threadIdx.x / side, b = a.b;
    const bool in = i < b && j < b;
    double sum = 0;

    if (guard.has_ended()) return;
    sigma[j][i] = start ? i == j : in ? a.sigma[i + j * GS_BLOCK] : 0;
    __syncthreads();
    for (int m = 0; in && !start && m < b; m++) sum += a.WW[i + m * GS_BLOCK] * sigma[j][m];
    square[j][i] = sum * sigma[j][i];
    factorise(f, a.b, a.G, nullptr);
    flag_columns(f, a);
    if (in) {
        double next = 0;
        for (int m = 0; m < b; m++) {
            next += f.L[m][i] * f.own[m] * sigma[j][m];
        }
        a.sigma[i + j * GS_BLOCK] = next;
        a.t[i + j * GS_BLOCK] = f.t[i][j];
        a.zeta[i + j * GS_BLOCK] = f.L[i][j] * f.own[i];
    }
    if (i < a.all - b && j < b) {
        double below = 0;
        for (int m = 0; m < b; m++) below -= a.G[b + i + m * GS_BLOCK] * f.t[m][j];
        a.zeta[b + i + j * GS_BLOCK] = below;
    }
    if (!start && j == 0 && i < b) {
        gs_convergence_test convergence = a.convergence;
        double rr = 0;
        convergence.c += i;
        if (convergence.ended[convergence.c]) return;
        for (int m = 0; m < b; m++) rr += square[i][m];
        a.rr[i] = rr;
        test_column(&convergence, rr, 1);
    }
}

gsolve_status solve(gs_queue *q, const gs_block_small *a)
{
    return gs_launch_pdl(q, "the small system of a block", solve_kernel, 1, gs_block_size, *a);
}

gsolve_status orthogonal(gs_queue *q, const gs_block_small *a, bool start)
{
    return gs_launch_pdl(q, "the small factors of a block", orthogonal_kernel, 1, gs_block_size, *a,
                         start);
}

} // namespace

extern "C" const gs_block_kernels gs_block_cuda[GSOLVE_TYPE_COUNT] = {
    {space_size, gram<float>, squares<float>, step<float>, combine<float>, solve, orthogonal},
    {space_size, gram<double>, squares<double>, step<double>, combine<double>, solve, orthogonal}};
