/* vector_body.h: the vector kernels on the CPU for one type T, see vector.h. Each has an inner
 * function that works on one block [0, n) and a driver that distributes the blocks over the
 * threads. */

#define EACH_BLOCK(n, ...) GS_EACH_PIECE(n, __VA_ARGS__)

static gsolve_status FN(zero)(gs_queue *q, int64_t n, void *py)
{
    T *y = py;

    EACH_BLOCK(n, memset(y + from, 0, (size_t)(to - from) * sizeof *y));
    return GSOLVE_OK;
}

static gsolve_status FN(copy)(gs_queue *q, int64_t n, gsolve_type type, const void *x, void *py)
{
    T *y = py;

    if (type == GSOLVE_F64) {
        const double *v = x;
        EACH_BLOCK(n, for (int64_t i = from; i < to; i++) y[i] = (T)v[i]);
    } else {
        const float *v = x;
        EACH_BLOCK(n, for (int64_t i = from; i < to; i++) y[i] = (T)v[i]);
    }
    return GSOLVE_OK;
}

static void FN(block_scale)(int64_t n, T a, T *restrict y)
{
#pragma omp simd
    for (int64_t i = 0; i < n; i++) y[i] *= a;
}

static gsolve_status FN(scale)(gs_queue *q, int64_t n, gs_ratio a, void *py)
{
    const T alpha = (T)ratio_value(a);
    T *y = py;

    EACH_BLOCK(n, FN(block_scale)(to - from, alpha, y + from));
    return GSOLVE_OK;
}

static double FN(block_dot)(int64_t n, const T *restrict x, const T *restrict y)
{
    double sum[GS_LANES] = {0};

    GS_EACH_LANE(n, sum[lane] += (double)x[i] * (double)y[i]);
    return gs_sum_lanes(sum);
}

static gsolve_status FN(dot)(gs_queue *q, int64_t n, const void *px, const void *py, double *xy)
{
    const T *x = px, *y = py;
    double part[GS_MAX_BLOCKS];

    EACH_BLOCK(n, part[k] = FN(block_dot)(to - from, x + from, y + from));
    *xy = gs_sum(blocks.count, part);
    return GSOLVE_OK;
}

static void FN(block_dot2)(int64_t n, const T *restrict x, const T *restrict y, double *xy,
                           double *xx)
{
    double with[GS_LANES] = {0}, own[GS_LANES] = {0};

    GS_EACH_LANE(n, {
        with[lane] += (double)x[i] * (double)y[i];
        own[lane] += (double)x[i] * (double)x[i];
    });
    *xy = gs_sum_lanes(with);
    *xx = gs_sum_lanes(own);
}

static gsolve_status FN(dot2)(gs_queue *q, int64_t n, const void *px, const void *py, double *xy,
                              double *xx)
{
    const T *x = px, *y = py;
    double with[GS_MAX_BLOCKS], own[GS_MAX_BLOCKS];

    EACH_BLOCK(n, FN(block_dot2)(to - from, x + from, y + from, &with[k], &own[k]));
    *xy = gs_sum(blocks.count, with);
    *xx = gs_sum(blocks.count, own);
    return GSOLVE_OK;
}

static void FN(block_axpby)(int64_t n, T a, const T *restrict x, T b, T *restrict y)
{
    if (b == 0) {
#pragma omp simd
        for (int64_t i = 0; i < n; i++) y[i] = a * x[i];
    } else {
#pragma omp simd
        for (int64_t i = 0; i < n; i++) y[i] = a * x[i] + b * y[i];
    }
}

static gsolve_status FN(axpby)(gs_queue *q, int64_t n, gs_ratio a, const void *px, gs_ratio b,
                               void *py)
{
    const T *x = px, alpha = (T)ratio_value(a), beta = (T)ratio_value(b);
    T *y = py;

    EACH_BLOCK(n, FN(block_axpby)(to - from, alpha, x + from, beta, y + from));
    return GSOLVE_OK;
}

static void FN(block_axpbypcz)(int64_t n, T a, const T *restrict x, T b, const T *restrict y, T c,
                               T *restrict z)
{
    if (c == 0) {
#pragma omp simd
        for (int64_t i = 0; i < n; i++) z[i] = a * x[i] + b * y[i];
    } else {
#pragma omp simd
        for (int64_t i = 0; i < n; i++) z[i] = a * x[i] + b * y[i] + c * z[i];
    }
}

static void FN(block_times)(int64_t n, const T *restrict d, const T *restrict z, T *restrict w)
{
#pragma omp simd
    for (int64_t i = 0; i < n; i++) w[i] = d[i] * z[i];
}

static gsolve_status FN(axpbypcz)(gs_queue *q, int64_t n, const gs_axpbypcz_args *v)
{
    enum { PIECE = 1024 }; /* of z, which stays in the first cache */
    const T *x = v->x, *y = v->y, *d = v->d;
    const T alpha = (T)ratio_value(v->a), beta = (T)ratio_value(v->b), gamma = (T)ratio_value(v->c);
    T *z = v->z, *w = v->w;

    EACH_BLOCK(
        n, for (int64_t i = from; i < to; i += PIECE) {
            const int64_t size = to - i < PIECE ? to - i : PIECE;
            if (y) {
                FN(block_axpbypcz)(size, alpha, x + i, beta, y + i, gamma, z + i);
            } else {
                FN(block_axpby)(size, alpha, x + i, gamma, z + i);
            }
            if (w && d) FN(block_times)(size, d + i, z + i, w + i);
            if (w && !d) memcpy(w + i, z + i, (size_t)size * sizeof *w);
        });
    return GSOLVE_OK;
}

static double FN(block_axpy_norm)(int64_t n, T a, const T *restrict x, T *restrict y)
{
    double sum[GS_LANES] = {0};

    GS_EACH_LANE(n, {
        const T v = y[i] + a * x[i];
        y[i] = v;
        sum[lane] += (double)v * (double)v;
    });
    return gs_sum_lanes(sum);
}

static gsolve_status FN(axpy_norm)(gs_queue *q, int64_t n, gs_ratio a, const void *px, void *py,
                                   double *yy)
{
    const T *x = px, alpha = (T)ratio_value(a);
    T *y = py;
    double part[GS_MAX_BLOCKS];

    EACH_BLOCK(n, part[k] = FN(block_axpy_norm)(to - from, alpha, x + from, y + from));
    *yy = gs_sum(blocks.count, part);
    return GSOLVE_OK;
}

static void FN(block_residual)(int64_t n, T a, const T *restrict Aq, T *restrict r,
                               const T *restrict d, double *rr, double *rz)
{
    double own[GS_LANES] = {0}, with[GS_LANES] = {0};

    if (!d) {
        *rr = FN(block_axpy_norm)(n, -a, Aq, r);
        *rz = 0;
        return;
    }
    GS_EACH_LANE(n, {
        const T v = r[i] - a * Aq[i];
        r[i] = v;
        own[lane] += (double)v * (double)v;
        with[lane] += (double)v * (double)v * (double)d[i];
    });
    *rr = gs_sum_lanes(own);
    *rz = gs_sum_lanes(with);
}

static gsolve_status FN(residual_step)(gs_queue *q, int64_t n, gs_ratio a, gs_residual_vectors v,
                                       double *rr, double *rz, const gs_convergence_test *test)
{
    const T *Aq = v.Aq, *d = v.d, alpha = (T)ratio_value(a);
    T *r = v.r;
    double own[GS_MAX_BLOCKS], with[GS_MAX_BLOCKS];

    EACH_BLOCK(n, FN(block_residual)(to - from, alpha, Aq + from, r + from, d ? d + from : NULL,
                                     &own[k], &with[k]));
    *rr = gs_sum(blocks.count, own);
    *rz = d ? gs_sum(blocks.count, with) : *rr;
    if (!test->factor) {
        test_column(test, *rr, 1);
    } else if (d) {
        test_column(test, preconditioned_square(test, *rz), 1);
    }
    return GSOLVE_OK;
}

static void FN(block_solution)(int64_t n, T a, T b, int64_t at, gs_solution v, double *rr,
                               double *wr)
{
    const T *restrict p = (const T *)v.p + at, *restrict s = (const T *)v.s + at;
    const T *restrict t = (const T *)v.t + at, *restrict w = (const T *)v.w + at;
    T *restrict x = (T *)v.x + at, *restrict r = (T *)v.r + at;
    double own[GS_LANES] = {0}, with[GS_LANES] = {0};

    GS_EACH_LANE(n, {
        const T u = r[i] - b * t[i];
        x[i] += a * p[i] + b * s[i];
        r[i] = u;
        own[lane] += (double)u * (double)u;
        with[lane] += (double)u * (double)w[i];
    });
    *rr = gs_sum_lanes(own);
    *wr = gs_sum_lanes(with);
}

static gsolve_status FN(solution_step)(gs_queue *q, int64_t n, gs_ratio a, gs_ratio b,
                                       gs_solution v, double *rr, double *wr,
                                       const gs_convergence_test *test)
{
    const T alpha = (T)ratio_value(a), omega = (T)ratio_value(b);
    double own[GS_MAX_BLOCKS], with[GS_MAX_BLOCKS];

    EACH_BLOCK(n, FN(block_solution)(to - from, alpha, omega, from, v, &own[k], &with[k]));
    *rr = gs_sum(blocks.count, own);
    *wr = gs_sum(blocks.count, with);
    test_column(test, *rr, 1);
    return GSOLVE_OK;
}

static void FN(block_direction)(int64_t n, T a, T b, const T *restrict d, const T *restrict r,
                                T *restrict p, T *restrict x)
{
    if (d) {
#pragma omp simd
        for (int64_t i = 0; i < n; i++) {
            x[i] += a * p[i];
            p[i] = d[i] * r[i] + b * p[i];
        }
    } else {
#pragma omp simd
        for (int64_t i = 0; i < n; i++) {
            x[i] += a * p[i];
            p[i] = r[i] + b * p[i];
        }
    }
}

static gsolve_status FN(direction_step)(gs_queue *q, int64_t n, gs_ratio a, gs_ratio b,
                                        const void *pd, const void *pr, void *pp, void *px)
{
    const T *d = pd, *r = pr, alpha = (T)ratio_value(a), beta = (T)ratio_value(b);
    T *p = pp, *x = px;

    EACH_BLOCK(n, FN(block_direction)(to - from, alpha, beta, d ? d + from : NULL, r + from,
                                      p + from, x + from));
    return GSOLVE_OK;
}

/* --- several vectors of a basis, and w ---------------------------------------------------------*/

/* Four vectors at a time, from element `at` of vector j on: the processor then fetches from several
 * places at once, which one vector after the other does not. Each sum has the bits of
 * one vector alone. */
#define FOUR_VECTORS(S)                                                 \
    const S *restrict v0 = (const S *)V.V + j * V.stride + at;          \
    const S *restrict v1 = v0 + V.stride, *restrict v2 = v1 + V.stride; \
    const S *restrict v3 = v2 + V.stride;

#define DOT_FOUR(S)                                       \
    {                                                     \
        FOUR_VECTORS(S)                                   \
        GS_EACH_LANE(n, {                                 \
            sum[0][lane] += (double)v0[i] * (double)w[i]; \
            sum[1][lane] += (double)v1[i] * (double)w[i]; \
            sum[2][lane] += (double)v2[i] * (double)w[i]; \
            sum[3][lane] += (double)v3[i] * (double)w[i]; \
        });                                               \
    }

#define DOT_ONE(S)                                                    \
    {                                                                 \
        const S *restrict v = (const S *)V.V + j * V.stride + at;     \
        GS_EACH_LANE(n, sum[0][lane] += (double)v[i] * (double)w[i]); \
    }

#define AXPY_FOUR(S)                                                                             \
    {                                                                                            \
        FOUR_VECTORS(S)                                                                          \
        _Pragma("omp simd") for (int64_t i = 0; i < n; i++)                                      \
        {                                                                                        \
            w[i] = w[i] + a[0] * (T)v0[i] + a[1] * (T)v1[i] + a[2] * (T)v2[i] + a[3] * (T)v3[i]; \
        }                                                                                        \
    }

#define AXPY_ONE(S)                                                                 \
    {                                                                               \
        const S *restrict v = (const S *)V.V + j * V.stride + at;                   \
        _Pragma("omp simd") for (int64_t i = 0; i < n; i++) w[i] += a[0] * (T)v[i]; \
    }

/* h = V_j'w, for `count` vectors, 4 or 1. */
static void FN(basis_dots)(int64_t n, gs_basis_vectors V, int count, int64_t j, int64_t at,
                           const T *restrict w, double *h)
{
    double sum[4][GS_LANES] = {0};

    if (count == 4) {
        if (V.type == GSOLVE_F32) DOT_FOUR(float) else DOT_FOUR(double)
    } else {
        if (V.type == GSOLVE_F32) DOT_ONE(float) else DOT_ONE(double)
    }
    for (int c = 0; c < count; c++) h[c] = gs_sum_lanes(sum[c]);
}

/* w += a V, for `count` vectors, 4 or 1, added one after the other. */
static void FN(basis_axpy)(int64_t n, gs_basis_vectors V, int count, int64_t j, int64_t at,
                           const T *a, T *restrict w)
{
    if (count == 4) {
        if (V.type == GSOLVE_F32) AXPY_FOUR(float) else AXPY_FOUR(double)
    } else {
        if (V.type == GSOLVE_F32) AXPY_ONE(float) else AXPY_ONE(double)
    }
}

static gsolve_status FN(dots)(gs_queue *q, int64_t n, gs_basis_vectors V, const void *pw, double *h)
{
    const T *w = pw;
    double part[4][GS_MAX_BLOCKS];

    for (int j = 0, count; j < V.m; j += count) {
        count = V.m - j < 4 ? 1 : 4;
        EACH_BLOCK(n, {
            double sum[4];
            FN(basis_dots)(to - from, V, count, j, from, w + from, sum);
            for (int c = 0; c < count; c++) part[c][k] = sum[c];
        });
        for (int c = 0; c < count; c++) h[j + c] = gs_sum(blocks.count, part[c]);
    }
    return GSOLVE_OK;
}

static double FN(block_combine)(int64_t n, gs_basis_vectors V, int64_t from, const double *h,
                                double sign, T *w)
{
    enum { PIECE = 2048, SUM = 512 }; /* of w, which stays in the first cache; of its sum */
    double sum = 0;

    for (int64_t at = 0; at < n; at += PIECE) {
        const int64_t size = n - at < PIECE ? n - at : PIECE;
        for (int j = 0, count; j < V.m; j += count) {
            T a[4];
            count = V.m - j < 4 ? 1 : 4;
            for (int c = 0; c < count; c++) a[c] = (T)(sign * h[j + c]);
            FN(basis_axpy)(size, V, count, j, from + at, a, w + at);
        }
        for (int64_t k = at; k < at + size; k += SUM) {
            sum += FN(block_dot)(at + size - k < SUM ? at + size - k : SUM, w + k, w + k);
        }
    }
    return sum;
}

static gsolve_status FN(combine)(gs_queue *q, int64_t n, gs_basis_vectors V, const double *h,
                                 double sign, void *pw, double *ww)
{
    T *w = pw;
    double part[GS_MAX_BLOCKS];

    EACH_BLOCK(n, part[k] = FN(block_combine)(to - from, V, from, h, sign, w + from));
    if (ww) *ww = gs_sum(blocks.count, part);
    return GSOLVE_OK;
}

/* --- pipelined CG ----------------------------------------------------------------------------- */

static void FN(block_pipe)(int64_t size, T a, T b, int64_t at, gs_pipe v, double *ru, double *wu,
                           double *rr)
{
    const T *restrict m = (const T *)v.m + at, *restrict n = (const T *)v.n + at;
    T *restrict z = (T *)v.z + at, *restrict q = (T *)v.q + at, *restrict s = (T *)v.s + at;
    T *restrict p = (T *)v.p + at, *restrict x = (T *)v.x + at, *restrict r = (T *)v.r + at;
    T *restrict u = (T *)v.u + at, *restrict w = (T *)v.w + at;
    double with_r[GS_LANES] = {0}, with_w[GS_LANES] = {0}, own[GS_LANES] = {0};

    GS_EACH_LANE(size, {
        z[i] = n[i] + b * z[i];
        q[i] = m[i] + b * q[i];
        s[i] = w[i] + b * s[i];
        p[i] = u[i] + b * p[i];
        x[i] += a * p[i];
        r[i] -= a * s[i];
        u[i] -= a * q[i];
        w[i] -= a * z[i];
        with_r[lane] += (double)r[i] * (double)u[i];
        with_w[lane] += (double)w[i] * (double)u[i];
        own[lane] += (double)r[i] * (double)r[i];
    });
    *ru = gs_sum_lanes(with_r);
    *wu = gs_sum_lanes(with_w);
    *rr = gs_sum_lanes(own);
}

static gsolve_status FN(pipe_step)(gs_queue *q, int64_t n, gs_ratio a, gs_ratio b, gs_pipe v,
                                   double *ru, double *wu, double *rr)
{
    const T alpha = (T)ratio_value(a), beta = (T)ratio_value(b);
    double with_r[GS_MAX_BLOCKS], with_w[GS_MAX_BLOCKS], own[GS_MAX_BLOCKS];

    EACH_BLOCK(n, FN(block_pipe)(to - from, alpha, beta, from, v, &with_r[k], &with_w[k], &own[k]));
    *ru = gs_sum(blocks.count, with_r);
    *wu = gs_sum(blocks.count, with_w);
    *rr = gs_sum(blocks.count, own);
    return GSOLVE_OK;
}

/* --- constants -------------------------------------------------------------------------------- */

static double FN(block_sum)(int64_t n, const T *restrict x)
{
    double sum[GS_LANES] = {0};

    GS_EACH_LANE(n, sum[lane] += (double)x[i]);
    return gs_sum_lanes(sum);
}

static gsolve_status FN(sum)(gs_queue *q, int64_t n, const void *px, double *total)
{
    const T *x = px;
    double part[GS_MAX_BLOCKS];

    EACH_BLOCK(n, part[k] = FN(block_sum)(to - from, x + from));
    *total = gs_sum(blocks.count, part);
    return GSOLVE_OK;
}

static void FN(block_shift)(int64_t n, T a, T *restrict y)
{
#pragma omp simd
    for (int64_t i = 0; i < n; i++) y[i] += a;
}

static gsolve_status FN(shift)(gs_queue *q, int64_t n, const double *a, double sign, void *py)
{
    const T alpha = (T)(sign * *a);
    T *y = py;

    EACH_BLOCK(n, FN(block_shift)(to - from, alpha, y + from));
    return GSOLVE_OK;
}

#undef EACH_BLOCK
