/* bsr_body.h: values and products on the CPU for one value type T. */

#define LANES ((int)(64 / sizeof(T)))

typedef T FN(lanes) __attribute__((vector_size(64)));

/* --- values ----------------------------------------------------------------------------------- */

static int32_t FN(column)(const gs_bsr *m, int32_t I, int64_t k)
{
    return m->near ? m->base[I] + m->near[k] : m->col[k];
}

/* Row r of block row I into its blocks: both ascend. */
static void FN(fill_row)(const gs_bsr *m, int32_t I, int r)
{
    const gsolve_csr *A = &m->csr;
    const int b = m->b;
    const int64_t from = m->first[I], n = m->first[I + 1] - from, i = (int64_t)I * b + r;
    const int64_t end = i < A->nrows ? gs_start(A, (int32_t)i + 1) : 0;
    const T *value = A->value;
    T *out = (T *)m->value + (from * b + r * n) * b;
    int64_t at = i < A->nrows ? gs_start(A, (int32_t)i) : 0;

    memset(out, 0, (size_t)(n * b) * sizeof *out);
    for (int64_t k = 0; k < n; k++) {
        const int32_t first = FN(column)(m, I, from + k) * b;
        for (; at < end && A->col[at] - first < b; at++)
            out[k * b + A->col[at] - first] = value[at];
    }
}

static gsolve_status FN(refill)(gs_bsr *m, gsolve_context *ctx)
{
#pragma omp parallel for schedule(static) num_threads(gsolve_threads(ctx))
    for (int32_t I = 0; I < m->rows; I++) {
        for (int r = 0; r < m->b; r++) FN(fill_row)(m, I, r);
    }
    return GSOLVE_OK;
}

/* Behind the last value lie zeros, as many as a vector holds: see row_block. */
static gsolve_status FN(store)(gs_bsr *m, gsolve_context *ctx)
{
    T *value;
    gsolve_status status;

    TRY(gs_bsr_pattern_host(m, ctx));
    ALLOC(ctx, gs_place(ctx), value, (size_t)m->stored + (size_t)LANES);
    m->value = value;
    memset(value + m->stored, 0, LANES * sizeof *value);
    TRY(FN(refill)(m, ctx));
done:
    return status;
}

/* --- products --------------------------------------------------------------------------------- */

/* The b elements of x that belong to each of n blocks, one after the other, and zeros behind them,
 * as many as a vector holds. */
static inline __attribute__((always_inline)) void FN(gather)(const gs_bsr *m, int32_t I,
                                                             int64_t from, int64_t n, const T *x,
                                                             const int b, T *to)
{
    const int32_t last = (m->csr.ncols - b) / b; /* block columns up to here are whole */

    for (int64_t k = 0; k < n; k++) {
        const int32_t J = FN(column)(m, I, from + k);
        const T *at = x + (int64_t)J * b;
        if (J <= last && m->csr.ncols >= b) {
            for (int c = 0; c < b; c++) to[k * b + c] = at[c];
        } else {
            for (int c = 0; c < b; c++) to[k * b + c] = c < m->csr.ncols - J * b ? at[c] : 0;
        }
    }
    memset(to + n * b, 0, LANES * sizeof *to);
}

/* The sum of a vector's elements, by halves. */
static inline T FN(sum_lanes)(const FN(lanes) * v)
{
    T s[LANES];

    memcpy(s, v, sizeof s);
    for (int half = LANES / 2; half > 0; half /= 2) {
        for (int l = 0; l < half; l++) s[l] += s[l + half];
    }
    return s[0];
}

/* sum[r] = row r of block row I times x. The last vector of a row runs on into what follows, which
 * is finite, and meets the zeros of the buffer. */
static inline __attribute__((always_inline)) void FN(row_block)(const gs_bsr *m, int32_t I,
                                                                const T *x, const int b, T *sum)
{
    const int64_t from = m->first[I], n = m->first[I + 1] - from;
    const T *value = (const T *)m->value + from * b * b;
    FN(lanes) s[GS_BSR_MOST] = {{0}};
    T near[GS_BSR_PIECE * GS_BSR_MOST + LANES];

    for (int64_t k = 0; k < n; k += GS_BSR_PIECE) {
        const int64_t count = n - k < GS_BSR_PIECE ? n - k : GS_BSR_PIECE;
        FN(gather)(m, I, from + k, count, x, b, near);
        for (int64_t e = 0; e < count * b; e += LANES) {
            FN(lanes) v, u;
            memcpy(&u, near + e, sizeof u);
            for (int r = 0; r < b; r++) {
                memcpy(&v, value + (r * n + k) * b + e, sizeof v);
                s[r] += v * u;
            }
        }
    }
    for (int r = 0; r < b; r++) sum[r] = FN(sum_lanes)(&s[r]);
}

static void FN(finish_row)(double alpha, T sum, double beta, T *y)
{
    *y = beta == 0 ? (T)alpha * sum : (T)alpha * sum + (T)beta * *y;
}

static inline __attribute__((always_inline)) void FN(task_of)(const gs_bsr *m, int32_t t,
                                                              double alpha, const T *x, double beta,
                                                              T *y, const gs_bsr_dots *dots,
                                                              const int b)
{
    const T *w = dots ? dots->w : NULL;
    double wy = 0, yy = 0;

    for (int32_t I = m->begin[t]; I < m->begin[t + 1]; I++) {
        T sum[GS_BSR_MOST];
        FN(row_block)(m, I, x, b, sum);
        for (int64_t i = (int64_t)I * b; i < m->csr.nrows && i < (int64_t)(I + 1) * b; i++) {
            const T one = sum[i - (int64_t)I * b];
            FN(finish_row)(alpha, one, beta, &y[i]);
            if (!dots) continue;
            wy += (double)w[i] * (double)one;
            yy += (double)one * (double)one;
        }
    }
    m->part[t] = wy;
    m->part[m->tasks + t] = yy;
}

static void FN(task)(const gs_bsr *m, int32_t t, double alpha, const T *x, double beta, T *y,
                     const gs_bsr_dots *dots)
{
    switch (m->b) {
    case 2: FN(task_of)(m, t, alpha, x, beta, y, dots, 2); return;
    case 3: FN(task_of)(m, t, alpha, x, beta, y, dots, 3); return;
    case 4: FN(task_of)(m, t, alpha, x, beta, y, dots, 4); return;
    case 5: FN(task_of)(m, t, alpha, x, beta, y, dots, 5); return;
    default: FN(task_of)(m, t, alpha, x, beta, y, dots, 6); return;
    }
}

static gsolve_status FN(apply)(gs_queue *q, const gs_bsr *m, double alpha, const void *x,
                               double beta, void *y, const gs_bsr_dots *dots)
{
#pragma omp parallel for schedule(static) num_threads(gs_queue_threads(q)) if (m->tasks > 2)
    for (int32_t t = 0; t < m->tasks; t++) FN(task)(m, t, alpha, x, beta, y, dots);
    if (dots) *dots->wy = gs_sum(m->tasks, m->part);
    if (dots && dots->yy) *dots->yy = gs_sum(m->tasks, m->part + m->tasks);
    return GSOLVE_OK;
}

#undef LANES
