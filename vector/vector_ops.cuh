// vector_ops.cuh: the fused steps of cg, bicgstab and pipelined cg on a GPU, and the table of all
// vector kernels for one value type. Each step reads and writes every element of its vectors once
// and computes the inner products of the updated vectors in the same pass.
#ifndef GS_VECTOR_VECTOR_OPS_CUH
#define GS_VECTOR_VECTOR_OPS_CUH

#include "vector/blas_ops.cuh"

namespace
{

// residual_step of vector.h. D: d is given.
template <class T, bool D>
struct residual_op : gs_plain {
    static constexpr int sums = D ? 2 : 1, least_blocks = 8;
    gs_ratio a;
    const T *Aq, *d;
    T *r;
    double *rr, *rz; // r'r, r'(d * r)
    gs_convergence_test test;
    T alpha;
    __device__ void begin() { alpha = (T)value_of(a); }
    // Runs instead of the step if the column has ended. Its last step is complete by now, so no
    // later kernel needs to work on it.
    __device__ void skip()
    {
        if (blockIdx.x == 0 && threadIdx.x == 0) test.ended[test.c] = GS_ENDED;
    }
    template <int W>
    __device__ void at(int64_t i, double *sum)
    {
        const auto A = gs_load<W>(Aq, i);
        auto R = gs_load<W>(r, i);
        gs_pack<T, W> M = {};
        if constexpr (D) M = gs_load<W>(d, i);
        for (int w = 0; w < W; w++) {
            const T v = R.v[w] - alpha * A.v[w];
            R.v[w] = v;
            sum[0] += (double)v * (double)v;
            if constexpr (D) sum[1] += (double)v * (double)v * (double)M.v[w];
        }
        gs_store<W>(r, i, R);
    }
    __device__ void store(int s, double total)
    {
        *(s == 0 ? rr : rz) = total;
        if (!D) *rz = total;
        if (s == 0 && !test.factor) test_column(&test, total, 1);
        if (s == 1 && test.factor) test_column(&test, preconditioned_square(&test, total), 1);
    }
};

template <class T>
gsolve_status residual_step(gs_queue *q, int64_t n, gs_ratio a, gs_residual_vectors v, double *rr,
                            double *rz, const gs_convergence_test *test)
{
    const bool aligned = gs_all_aligned(v.Aq, v.r, v.d);
    const T *Aq = (const T *)v.Aq, *d = (const T *)v.d;

    if (d) {
        const residual_op<T, true> op = {{}, a, Aq, d, (T *)v.r, rr, rz, *test, 0};
        return each<T>(q, n, aligned, op, "residual_step");
    }
    const residual_op<T, false> op = {{}, a, Aq, nullptr, (T *)v.r, rr, rz, *test, 0};
    return each<T>(q, n, aligned, op, "residual_step");
}

// solution_step of vector.h.
template <class T>
struct solution_op : gs_plain {
    static constexpr int sums = 2;
    gs_ratio a, b;
    gs_solution v;
    double *out[2]; // r'r, w'r
    gs_convergence_test test;
    T alpha, omega;
    __device__ void begin() { alpha = (T)value_of(a), omega = (T)value_of(b); }
    template <int W>
    __device__ void at(int64_t i, double *sum)
    {
        const auto P = gs_load<W>((const T *)v.p, i), S = gs_load<W>((const T *)v.s, i);
        const auto Q = gs_load<W>((const T *)v.t, i), U = gs_load<W>((const T *)v.w, i);
        auto X = gs_load<W>((T *)v.x, i), R = gs_load<W>((T *)v.r, i);
        for (int w = 0; w < W; w++) {
            X.v[w] += alpha * P.v[w] + omega * S.v[w];
            R.v[w] -= omega * Q.v[w];
            sum[0] += (double)R.v[w] * (double)R.v[w];
            sum[1] += (double)R.v[w] * (double)U.v[w];
        }
        gs_store<W>((T *)v.x, i, X);
        gs_store<W>((T *)v.r, i, R);
    }
    __device__ void store(int s, double total)
    {
        *out[s] = total;
        if (s == 0) test_column(&test, total, 1);
    }
};

template <class T>
gsolve_status solution_step(gs_queue *q, int64_t n, gs_ratio a, gs_ratio b, gs_solution v,
                            double *rr, double *wr, const gs_convergence_test *test)
{
    const bool aligned = gs_all_aligned(v.p, v.s, v.t, v.w, v.x, v.r);
    const solution_op<T> op = {{}, a, b, v, {rr, wr}, *test, 0, 0};

    return each<T>(q, n, aligned, op, "solution_step");
}

// direction_step of vector.h. D: d is given.
template <class T, bool D>
struct direction_op : gs_plain {
    static constexpr int runs_until = GS_ENDED;
    gs_ratio a, b;
    const T *d, *r;
    T *p, *x;
    T alpha, beta;
    __device__ void begin() { alpha = (T)value_of(a), beta = (T)value_of(b); }
    template <int W>
    __device__ void at(int64_t i, double *)
    {
        auto P = gs_load<W>(p, i), X = gs_load<W>(x, i), R = gs_load<W>(r, i);
        if constexpr (D) {
            const auto M = gs_load<W>(d, i);
            for (int w = 0; w < W; w++) R.v[w] *= M.v[w];
        }
        for (int w = 0; w < W; w++) {
            X.v[w] += alpha * P.v[w];
            P.v[w] = R.v[w] + beta * P.v[w];
        }
        gs_store<W>(x, i, X);
        gs_store<W>(p, i, P);
    }
};

template <class T>
gsolve_status direction_step(gs_queue *q, int64_t n, gs_ratio a, gs_ratio b, const void *d,
                             const void *r, void *p, void *x)
{
    const bool aligned = gs_all_aligned(d, r, p, x);

    if (d) {
        return each<T>(
            q, n, aligned,
            direction_op<T, true>{{}, a, b, (const T *)d, (const T *)r, (T *)p, (T *)x, 0, 0},
            "direction_step");
    }
    return each<T>(q, n, aligned,
                   direction_op<T, false>{{}, a, b, nullptr, (const T *)r, (T *)p, (T *)x, 0, 0},
                   "direction_step");
}

// pipe_step of vector.h.
template <class T>
struct pipe_op : gs_plain {
    static constexpr int sums = 3;
    gs_ratio a, b;
    gs_pipe v;
    double *out[3]; // r'u, w'u, r'r
    T alpha, beta;
    __device__ void begin() { alpha = (T)value_of(a), beta = (T)value_of(b); }

    // y = x + beta y; returns y
    template <int W>
    __device__ gs_pack<T, W> xpby(int64_t i, const gs_pack<T, W> &x, void *y) const
    {
        auto Y = gs_load<W>((const T *)y, i);
        for (int w = 0; w < W; w++) Y.v[w] = x.v[w] + beta * Y.v[w];
        gs_store<W>((T *)y, i, Y);
        return Y;
    }
    // y = Y + factor d; returns y
    template <int W>
    __device__ gs_pack<T, W> add_multiple(int64_t i, T factor, const gs_pack<T, W> &d,
                                          gs_pack<T, W> Y, void *y) const
    {
        for (int w = 0; w < W; w++) Y.v[w] += factor * d.v[w];
        gs_store<W>((T *)y, i, Y);
        return Y;
    }
    template <int W>
    __device__ void at(int64_t i, double *sum)
    {
        const auto w0 = gs_load<W>((const T *)v.w, i), u0 = gs_load<W>((const T *)v.u, i);
        const auto z = xpby<W>(i, gs_load<W>((const T *)v.n, i), v.z);
        const auto q = xpby<W>(i, gs_load<W>((const T *)v.m, i), v.q);
        const auto s = xpby<W>(i, w0, v.s), p = xpby<W>(i, u0, v.p);
        add_multiple<W>(i, alpha, p, gs_load<W>((const T *)v.x, i), v.x);
        const auto r = add_multiple<W>(i, -alpha, s, gs_load<W>((const T *)v.r, i), v.r);
        const auto u = add_multiple<W>(i, -alpha, q, u0, v.u),
                   w = add_multiple<W>(i, -alpha, z, w0, v.w);
        for (int e = 0; e < W; e++) {
            sum[0] += (double)r.v[e] * (double)u.v[e];
            sum[1] += (double)w.v[e] * (double)u.v[e];
            sum[2] += (double)r.v[e] * (double)r.v[e];
        }
    }
    __device__ void store(int s, double total) { *out[s] = total; }
};

template <class T>
gsolve_status pipe_step(gs_queue *q, int64_t n, gs_ratio a, gs_ratio b, gs_pipe v, double *ru,
                        double *wu, double *rr)
{
    const bool aligned = gs_all_aligned(v.m, v.n, v.z, v.q, v.s, v.p, v.x, v.r, v.u, v.w);

    return each<T>(q, n, aligned, pipe_op<T>{{}, a, b, v, {ru, wu, rr}, 0, 0}, "pipe_step");
}

// --- all vector kernels -----------------------------------------------------------------------

template <class T>
constexpr gs_vector_kernels table = {
    zero<T>,     copy<T>,      scale<T>,         dot<T>,           dot2<T>,           axpby<T>,
    axpbypcz<T>, axpy_norm<T>, residual_step<T>, solution_step<T>, direction_step<T>, dots<T>,
    combine<T>,  pipe_step<T>, sum<T>,           shift<T>};

} // namespace

#endif
