// polynomial_cuda.cu: the kernels of polynomial.h on a GPU. In the element-wise kernels a thread
// owns W neighbouring elements (gs_each), and each vector of the step moves once. BATCHED: several
// columns, row-major. KEEPS: the direction p is stored.
#include "precond/batched.cuh"
#include "precond/subwarp.cuh"
#include "vector/each.cuh"

extern "C" {
#include "precond/chebyshev/polynomial.h"
}

namespace
{

#define INLINE __device__ inline
#include "precond/chebyshev/inverse_diagonal_rule.h"
#include "precond/random.h"

// d[i] from the sum and the diagonal entry of row i. L threads own R neighbouring rows and read
// them at the same time, so that the loads overlap. Reads the matrix once and writes d.
template <int L, int R, class T, class O>
__global__ void __launch_bounds__(gs_block_size)
    row_reciprocals(gs_inverse_diagonal kind, int32_t nrows, const O *start, const int32_t *col,
                    const T *value, T *d)
{
    const gs_subwarp<L> g;
    const int64_t i = g.unit * R;
    double sum[R] = {}, diagonal[R] = {};
    O at[R], to[R];
    bool more = false;

#pragma unroll
    for (int r = 0; r < R; r++) {
        at[r] = i + r < nrows ? start[i + r] + g.lane : 0;
        to[r] = i + r < nrows ? start[i + r + 1] : 0;
        more = more || at[r] < to[r];
    }
    while (more) {
        T a[R];
        int32_t j[R];
#pragma unroll
        for (int r = 0; r < R; r++) {
            const bool in = at[r] < to[r];
            a[r] = in ? value[at[r]] : T(0);
            j[r] = in ? col[at[r]] : -1;
        }
        more = false;
#pragma unroll
        for (int r = 0; r < R; r++) {
            sum[r] += gs_row_sum_term(kind, (double)a[r]);
            if (j[r] == i + r) diagonal[r] = (double)a[r];
            at[r] += L;
            more = more || at[r] < to[r];
        }
    }
#pragma unroll
    for (int r = 0; r < R; r++) {
        const double all = g.sum(sum[r]),
                     middle = g.sum(diagonal[r]); // one lane has the entry, the others 0
        if (i + r < nrows && g.lane == r % L)
            d[i + r] = (T)gs_inverse_diagonal_of(kind, middle, all);
    }
}

template <class T>
gsolve_status reciprocals(gs_queue *q, const gsolve_csr *A, gs_inverse_diagonal kind, void *d)
{
    constexpr int lanes = 8, rows = 4; // of a subwarp

    return gs_with_start(A, [&](auto start) {
        using O = std::remove_const_t<std::remove_pointer_t<decltype(start)>>;
        return gs_launch(q, "the sums of rows", row_reciprocals<lanes, rows, T, O>,
                         gs_subwarp_blocks(((int64_t)A->nrows + rows - 1) / rows, lanes),
                         gs_block_size, kind, A->nrows, start, A->col, (const T *)A->value, (T *)d);
    });
}

// y[i] = the pseudo-random number of index i.
template <class T>
struct random_vector : gs_plain {
    uint64_t seed;
    T *y;
    template <int W>
    __device__ void at(int64_t i, double *)
    {
        gs_pack<T, W> Y;
        for (int w = 0; w < W; w++) Y.v[w] = (T)gs_random_uniform(seed, i + w);
        gs_store<W>(y, i, Y);
    }
};

template <class T>
gsolve_status random(gs_queue *q, int64_t n, uint64_t seed, void *y)
{
    return gs_each<T>(q, n, gs_aligned(y), random_vector<T>{{}, seed, (T *)y}, "random");
}

// The elements of d for elements k to k + W - 1 of a dense block.
template <int W, bool BATCHED, class T>
__device__ gs_pack<T, W> load_diagonal(const T *d, gs_row_of_element row, int64_t k)
{
    if constexpr (BATCHED) {
        gs_pack<T, W> D;
        for (int w = 0; w < W; w++) D.v[w] = __ldg(&d[row(k + w)]);
        return D;
    } else {
        return gs_load<W>(d, k);
    }
}

// The first step of one column with r in double precision: b = r, x = a d * b.
template <class T>
struct first_from_f64 : gs_plain {
    T a;
    const T *d;
    const double *r;
    T *b, *x;
    template <int W>
    __device__ void at(int64_t i, double *)
    {
        const auto D = gs_load<W>(d, i);
        gs_pack<T, W> B, X;
        for (int w = 0; w < W; w++) {
            B.v[w] = (T)r[i + w];
            X.v[w] = a * D.v[w] * B.v[w];
        }
        gs_store<W>(b, i, B);
        gs_store<W>(x, i, X);
    }
};

template <class T>
gsolve_status step_from_f64(gs_queue *q, int64_t n, double a, const void *d, const double *r,
                            void *b, void *x)
{
    return gs_each<T>(q, n, gs_all_aligned(d, b, x),
                      first_from_f64<T>{{}, (T)a, (const T *)d, r, (T *)b, (T *)x}, "smooth");
}

// A step: p = a d * (b - Ax) + c old, x += p. STARTS: the first, from zero: p = x = a d * b.
template <class T, bool STARTS, bool BATCHED, bool KEEPS>
struct update : gs_plain {
    T a, c;
    gs_row_of_element row;
    const T *d, *b, *Ax, *old;
    T *p, *x;
    template <int W>
    __device__ void at(int64_t i, double *)
    {
        const auto D = load_diagonal<W, BATCHED>(d, row, i), B = gs_load<W>(b, i);
        gs_pack<T, W> P = {}, X;
        if constexpr (STARTS) {
            for (int w = 0; w < W; w++) X.v[w] = P.v[w] = a * D.v[w] * B.v[w];
        } else {
            const auto Q = gs_load<W>(Ax, i);
            X = gs_load<W>(x, i);
            if (c != T(0)) P = gs_load<W>(old, i);
            for (int w = 0; w < W; w++) {
                P.v[w] = a * D.v[w] * (B.v[w] - Q.v[w]) + c * P.v[w];
                X.v[w] += P.v[w];
            }
        }
        if constexpr (KEEPS) gs_store<W>(p, i, P);
        gs_store<W>(x, i, X);
    }
};

template <class T, bool BATCHED, bool KEEPS>
gsolve_status step_of(gs_queue *q, int64_t n, int32_t columns, double a, double c,
                      const gs_step_vectors &v)
{
    const T *d = (const T *)v.d, *b = (const T *)v.b, *Ax = (const T *)v.Ax;
    const T *old = (const T *)v.old;
    T *p = (T *)v.p, *x = (T *)v.x;
    const bool aligned = (BATCHED || gs_aligned(d)) && gs_all_aligned(b, Ax, old, p, x);
    const gs_row_of_element row(n, columns);

    if (!Ax) {
        return gs_each<T>(q, n * columns, aligned,
                          update<T, true, BATCHED, KEEPS>{{}, (T)a, (T)c, row, d, b, Ax, old, p, x},
                          "smooth");
    }
    return gs_each<T>(q, n * columns, aligned,
                      update<T, false, BATCHED, KEEPS>{{}, (T)a, (T)c, row, d, b, Ax, old, p, x},
                      "smooth");
}

template <class T>
gsolve_status step(gs_queue *q, int64_t n, int32_t columns, double a, double c, gs_step_vectors v)
{
    if (columns == 1) {
        return v.p ? step_of<T, false, true>(q, n, columns, a, c, v)
                   : step_of<T, false, false>(q, n, columns, a, c, v);
    }
    return v.p ? step_of<T, true, true>(q, n, columns, a, c, v)
               : step_of<T, true, false>(q, n, columns, a, c, v);
}

template <class T>
constexpr gs_polynomial_kernels table = {reciprocals<T>, random<T>, step_from_f64<T>, step<T>};

} // namespace

extern "C" const gs_polynomial_kernels gs_polynomial_cuda[GSOLVE_TYPE_COUNT] = {table<float>,
                                                                                table<double>};
