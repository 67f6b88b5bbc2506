// vector_ops.cuh: the vector kernels on a GPU, as operations of each.cuh. What becomes of an
// operation says each<T>(q, n, aligned, op, name), which the file that includes this one has: it
// runs (vector_cuda.cu), or is kept to run with those of other columns (batch_cuda.cu).
#include "vector/each.cuh"

extern "C" {
#include "vector/vector.h"
}

namespace
{

template <class T, class Op>
gsolve_status each(gs_queue *q, int64_t n, bool aligned, const Op &op, const char *name);

#define SMALL __device__
#include "vector/convergence_body.h"

// The value of r; one thread tells of a flaw.
__device__ double value_of(const gs_ratio &r)
{
    const double num = r.num ? *r.num : 1, den = r.den ? *r.den : 1;
    const double num2 = r.num2 ? *r.num2 : 1, den2 = r.den2 ? *r.den2 : 1;
    const double value = r.sign * (num / den) * (num2 / den2);

    if (isfinite(value) && !(r.positive && (den < 0 || num < 0))) return value;
    if (r.flag && blockIdx.x == 0 && threadIdx.x == 0 && !*r.flag) *r.flag = r.flaw;
    return 0;
}

template <class T>
struct zero_op : gs_plain {
    T *y;
    template <int W>
    __device__ void at(int64_t i, double *)
    {
        gs_store<W>(y, i, gs_pack<T, W>{});
    }
};

template <class T>
gsolve_status zero(gs_queue *q, int64_t n, void *y)
{
    return each<T>(q, n, gs_aligned(y), zero_op<T>{{}, (T *)y}, "zero");
}

template <class T, class X>
struct copy_op : gs_plain {
    const X *x;
    T *y;
    template <int W>
    __device__ void at(int64_t i, double *)
    {
        gs_pack<T, W> v;
        for (int w = 0; w < W; w++) v.v[w] = (T)x[i + w];
        gs_store<W>(y, i, v);
    }
};

template <class T>
gsolve_status copy(gs_queue *q, int64_t n, gsolve_type type, const void *x, void *y)
{
    if (type == GSOLVE_F64) {
        return each<T>(q, n, gs_aligned(y), copy_op<T, double>{{}, (const double *)x, (T *)y},
                       "copy");
    }
    return each<T>(q, n, gs_aligned(y), copy_op<T, float>{{}, (const float *)x, (T *)y}, "copy");
}

template <class T>
struct scale_op : gs_plain {
    gs_ratio a;
    T *y;
    T alpha;
    __device__ void begin() { alpha = (T)value_of(a); }
    template <int W>
    __device__ void at(int64_t i, double *)
    {
        auto v = gs_load<W>(y, i);
        for (int w = 0; w < W; w++) v.v[w] *= alpha;
        gs_store<W>(y, i, v);
    }
};

template <class T>
gsolve_status scale(gs_queue *q, int64_t n, gs_ratio a, void *y)
{
    return each<T>(q, n, gs_aligned(y), scale_op<T>{{}, a, (T *)y, 0}, "scale");
}

// S = 1: x'y; S = 2: also x'x
template <class T, int S>
struct dot_op : gs_plain {
    static constexpr int sums = S, least_blocks = 8;
    const T *x, *y;
    double *out[2];
    template <int W>
    __device__ void at(int64_t i, double *sum)
    {
        const auto X = gs_load<W>(x, i), Y = gs_load<W>(y, i);
        for (int w = 0; w < W; w++) {
            sum[0] += (double)X.v[w] * (double)Y.v[w];
            if constexpr (S > 1) sum[1] += (double)X.v[w] * (double)X.v[w];
        }
    }
    __device__ void store(int s, double total) { *out[s] = total; }
};

template <class T>
gsolve_status dot(gs_queue *q, int64_t n, const void *x, const void *y, double *xy)
{
    return each<T>(q, n, gs_all_aligned(x, y),
                   dot_op<T, 1>{{}, (const T *)x, (const T *)y, {xy, nullptr}}, "dot");
}

template <class T>
gsolve_status dot2(gs_queue *q, int64_t n, const void *x, const void *y, double *xy, double *xx)
{
    return each<T>(q, n, gs_all_aligned(x, y),
                   dot_op<T, 2>{{}, (const T *)x, (const T *)y, {xy, xx}}, "dot2");
}

template <class T>
struct axpby_op : gs_plain {
    gs_ratio a, b;
    const T *x;
    T *y;
    T alpha, beta;
    __device__ void begin() { alpha = (T)value_of(a), beta = (T)value_of(b); }
    template <int W>
    __device__ void at(int64_t i, double *)
    {
        const auto X = gs_load<W>(x, i);
        gs_pack<T, W> Y = {};
        if (beta != 0) Y = gs_load<W>(y, i);
        for (int w = 0; w < W; w++) {
            Y.v[w] = beta != 0 ? alpha * X.v[w] + beta * Y.v[w] : alpha * X.v[w];
        }
        gs_store<W>(y, i, Y);
    }
};

template <class T>
gsolve_status axpby(gs_queue *q, int64_t n, gs_ratio a, const void *x, gs_ratio b, void *y)
{
    return each<T>(q, n, gs_all_aligned(x, y), axpby_op<T>{{}, a, b, (const T *)x, (T *)y, 0, 0},
                   "axpby");
}

template <class T>
struct axpbypcz_op : gs_plain {
    gs_ratio a, b, c;
    const T *x, *y, *d;
    T *z, *u;
    T alpha, beta, gamma;
    __device__ void begin()
    {
        alpha = (T)value_of(a), beta = y ? (T)value_of(b) : T(0), gamma = (T)value_of(c);
    }
    template <int W>
    __device__ void at(int64_t i, double *)
    {
        const auto X = gs_load<W>(x, i);
        gs_pack<T, W> Y = {}, Z = {};
        if (y) Y = gs_load<W>(y, i);
        if (gamma != 0) Z = gs_load<W>(z, i);
        for (int w = 0; w < W; w++) {
            const T v = y ? alpha * X.v[w] + beta * Y.v[w] : alpha * X.v[w];
            Z.v[w] = gamma != 0 ? v + gamma * Z.v[w] : v;
        }
        gs_store<W>(z, i, Z);
        if (!u) return;
        if (d) {
            const auto D = gs_load<W>(d, i);
            for (int w = 0; w < W; w++) Z.v[w] *= D.v[w];
        }
        gs_store<W>(u, i, Z);
    }
};

template <class T>
gsolve_status axpbypcz(gs_queue *q, int64_t n, gs_ratio a, const void *x, gs_ratio b, const void *y,
                       gs_ratio c, void *z, const void *d, void *w)
{
    const axpbypcz_op<T> op = {{},     a, b, c, (const T *)x, (const T *)y, (const T *)d, (T *)z,
                               (T *)w, 0, 0, 0};
    return each<T>(q, n, gs_all_aligned(x, y, z, d, w), op, "axpbypcz");
}

template <class T>
struct axpy_norm_op : gs_plain {
    static constexpr int sums = 1;
    gs_ratio a;
    const T *x;
    T *y;
    double *yy;
    T alpha;
    __device__ void begin() { alpha = (T)value_of(a); }
    template <int W>
    __device__ void at(int64_t i, double *sum)
    {
        const auto X = gs_load<W>(x, i);
        auto Y = gs_load<W>(y, i);
        for (int w = 0; w < W; w++) {
            Y.v[w] += alpha * X.v[w];
            sum[0] += (double)Y.v[w] * (double)Y.v[w];
        }
        gs_store<W>(y, i, Y);
    }
    __device__ void store(int, double total) { *yy = total; }
};

template <class T>
gsolve_status axpy_norm(gs_queue *q, int64_t n, gs_ratio a, const void *x, void *y, double *yy)
{
    return each<T>(q, n, gs_all_aligned(x, y), axpy_norm_op<T>{{}, a, (const T *)x, (T *)y, yy, 0},
                   "axpy_norm");
}

template <class T, bool D>
struct residual_op : gs_plain {
    static constexpr int sums = D ? 2 : 1, least_blocks = 8;
    gs_ratio a;
    const T *Aq, *d;
    T *r;
    double *rr, *rz; // r'r, r'(d * r)
    gs_convergence_test judge;
    T alpha;
    __device__ void begin() { alpha = (T)value_of(a); }
    // The step that a column ended with is over.
    __device__ void skip()
    {
        if (blockIdx.x == 0 && threadIdx.x == 0) judge.ended[judge.c] = GS_ENDED;
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
        if (s == 0) test_column(&judge, total, 1);
    }
};

template <class T>
gsolve_status residual_step(gs_queue *q, int64_t n, gs_ratio a, const void *Aq, void *r,
                            const void *d, double *rr, double *rz, const gs_convergence_test *judge)
{
    const bool aligned = gs_all_aligned(Aq, r, d);

    if (d) {
        const residual_op<T, true> op = {{},     a, (const T *)Aq, (const T *)d, (T *)r, rr, rz,
                                         *judge, 0};
        return each<T>(q, n, aligned, op, "residual_step");
    }
    const residual_op<T, false> op = {{}, a, (const T *)Aq, nullptr, (T *)r, rr, rz, *judge, 0};
    return each<T>(q, n, aligned, op, "residual_step");
}

template <class T>
struct solution_op : gs_plain {
    static constexpr int sums = 2;
    gs_ratio a, b;
    gs_solution v;
    double *out[2]; // r'r, w'r
    gs_convergence_test judge;
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
        if (s == 0) test_column(&judge, total, 1);
    }
};

template <class T>
gsolve_status solution_step(gs_queue *q, int64_t n, gs_ratio a, gs_ratio b, gs_solution v,
                            double *rr, double *wr, const gs_convergence_test *judge)
{
    const bool aligned = gs_all_aligned(v.p, v.s, v.t, v.w, v.x, v.r);
    const solution_op<T> op = {{}, a, b, v, {rr, wr}, *judge, 0, 0};

    return each<T>(q, n, aligned, op, "solution_step");
}

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

// --- many vectors, of any type V, against one -------------------------------------------------

constexpr int group = gs_most_sums; // vectors against which w is read once

template <class T, class V>
struct dots_op : gs_plain {
    static constexpr int sums = group;
    const V *basis;
    const T *w;
    int64_t stride;
    int count;
    double *h;
    template <int W>
    __device__ void at(int64_t i, double *sum)
    {
        const auto x = gs_load<W>(w, i);
#pragma unroll
        for (int j = 0; j < group; j++) {
            if (j < count) {
                const auto v = gs_load<W>(basis + j * stride, i);
                for (int e = 0; e < W; e++) sum[j] += (double)v.v[e] * (double)x.v[e];
            }
        }
    }
    __device__ void store(int s, double total)
    {
        if (s < count) h[s] = total;
    }
};

template <class V>
bool basis_aligned(const V *basis, int64_t stride)
{
    return gs_aligned(basis) && stride * sizeof(V) % 16 == 0;
}

template <class T, class V>
gsolve_status dots_of(gs_queue *q, int64_t n, int m, const V *basis, int64_t stride, const T *w,
                      double *h)
{
    const bool aligned = basis_aligned(basis, stride) && gs_aligned(w);
    gsolve_status status = GSOLVE_OK;

    for (int first = 0; first < m && status == GSOLVE_OK; first += group) {
        const int count = m - first < group ? m - first : group;
        const dots_op<T, V> op = {{}, basis + first * stride, w, stride, count, h + first};
        status = each<T>(q, n, aligned, op, "dots");
    }
    return status;
}

template <class T>
gsolve_status dots(gs_queue *q, int64_t n, int m, gsolve_type type, const void *V, int64_t stride,
                   const void *w, double *h)
{
    return type == GSOLVE_F32
               ? dots_of<T, float>(q, n, m, (const float *)V, stride, (const T *)w, h)
               : dots_of<T, double>(q, n, m, (const double *)V, stride, (const T *)w, h);
}

template <class T, class V, bool N>
struct combine_op : gs_plain {
    static constexpr int sums = N ? 1 : 0;
    const V *basis;
    int64_t stride;
    int m;
    const double *h;
    double sign;
    T *w;
    double *ww;
    template <int W>
    __device__ void at(int64_t i, double *sum)
    {
        auto x = gs_load<W>(w, i);
#pragma unroll 4
        for (int j = 0; j < m; j++) {
            const T a = (T)(sign * __ldg(&h[j]));
            const auto v = gs_load<W>(basis + j * stride, i);
            for (int e = 0; e < W; e++) x.v[e] += a * (T)v.v[e];
        }
        gs_store<W>(w, i, x);
        if constexpr (N) {
            for (int e = 0; e < W; e++) sum[0] += (double)x.v[e] * (double)x.v[e];
        }
    }
    __device__ void store(int, double total) { *ww = total; }
};

template <class T, class V>
gsolve_status combine_of(gs_queue *q, int64_t n, int m, const V *basis, int64_t stride,
                         const double *h, double sign, T *w, double *ww)
{
    const bool aligned = basis_aligned(basis, stride) && gs_aligned(w);

    if (ww) {
        const combine_op<T, V, true> op = {{}, basis, stride, m, h, sign, w, ww};
        return each<T>(q, n, aligned, op, "combine");
    }
    const combine_op<T, V, false> op = {{}, basis, stride, m, h, sign, w, ww};
    return each<T>(q, n, aligned, op, "combine");
}

template <class T>
gsolve_status combine(gs_queue *q, int64_t n, int m, gsolve_type type, const void *V,
                      int64_t stride, const double *h, double sign, void *w, double *ww)
{
    return type == GSOLVE_F32 ? combine_of(q, n, m, (const float *)V, stride, h, sign, (T *)w, ww)
                              : combine_of(q, n, m, (const double *)V, stride, h, sign, (T *)w, ww);
}

// --- pipelined CG -----------------------------------------------------------------------------

template <class T>
struct pipe_op : gs_plain {
    static constexpr int sums = 3;
    gs_ratio a, b;
    gs_pipe v;
    double *out[3]; // r'u, w'u, r'r
    T alpha, beta;
    __device__ void begin() { alpha = (T)value_of(a), beta = (T)value_of(b); }

    // y = x + beta y
    template <int W>
    __device__ gs_pack<T, W> turn(int64_t i, const gs_pack<T, W> &x, void *y) const
    {
        auto Y = gs_load<W>((const T *)y, i);
        for (int w = 0; w < W; w++) Y.v[w] = x.v[w] + beta * Y.v[w];
        gs_store<W>((T *)y, i, Y);
        return Y;
    }
    // y += factor d
    template <int W>
    __device__ gs_pack<T, W> move(int64_t i, T factor, const gs_pack<T, W> &d, gs_pack<T, W> Y,
                                  void *y) const
    {
        for (int w = 0; w < W; w++) Y.v[w] += factor * d.v[w];
        gs_store<W>((T *)y, i, Y);
        return Y;
    }
    template <int W>
    __device__ void at(int64_t i, double *sum)
    {
        const auto w0 = gs_load<W>((const T *)v.w, i), u0 = gs_load<W>((const T *)v.u, i);
        const auto z = turn<W>(i, gs_load<W>((const T *)v.n, i), v.z);
        const auto q = turn<W>(i, gs_load<W>((const T *)v.m, i), v.q);
        const auto s = turn<W>(i, w0, v.s), p = turn<W>(i, u0, v.p);
        move<W>(i, alpha, p, gs_load<W>((const T *)v.x, i), v.x);
        const auto r = move<W>(i, -alpha, s, gs_load<W>((const T *)v.r, i), v.r);
        const auto u = move<W>(i, -alpha, q, u0, v.u), w = move<W>(i, -alpha, z, w0, v.w);
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

template <class T>
constexpr gs_vector_kernels table = {
    zero<T>,           copy<T>,     scale<T>,     dot<T>,           dot2<T>,
    axpby<T>,          axpbypcz<T>, axpy_norm<T>, residual_step<T>, solution_step<T>,
    direction_step<T>, dots<T>,     combine<T>,   pipe_step<T>};

} // namespace
