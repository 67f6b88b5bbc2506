/* bsr_body.h: values and products on the CPU for one value type T. */

#define LANES ((int)(32 / sizeof(T)))
#define WIDE  ((int)(GS_LEVEL_BYTES / sizeof(T))) /* numbers of a vector register */

typedef T FN(lanes) __attribute__((vector_size(32)));

/* --- values ----------------------------------------------------------------------------------- */

static int32_t FN(column)(const gs_bsr *m, int32_t I, int64_t k)
{
    return m->offset ? m->base[I] + m->offset[k] : m->col[k];
}

/* Stores row r of block row I in its blocks. Entries and blocks ascend. */
static void FN(fill_row)(const gs_bsr *m, int32_t I, int r)
{
    const gsolve_csr *A = &m->csr;
    const int b = m->b;
    const int64_t i = (int64_t)I * b + r;
    const int64_t end = i < A->nrows ? gs_start(A, (int32_t)i + 1) : 0;
    const T *value = A->value;
    int64_t at = i < A->nrows ? gs_start(A, (int32_t)i) : 0;

    for (int64_t k = m->first[I]; k < m->first[I + 1]; k++) {
        const int32_t first = FN(column)(m, I, k) * b;
        T *out = (T *)m->value + k * b * b + r;
        for (int c = 0; c < b; c++) {
            const bool there = at < end && A->col[at] - first == c;
            out[c * b] = there ? value[at] : 0;
            at += there;
        }
    }
}

/* Stores the values of given blocks. */
static void FN(put_blocks)(const gs_bsr *m, const gs_square_blocks *given, int threads)
{
    const int b = m->b, by_row = given->column_major ? 1 : b, by_column = b + 1 - by_row;
    const T *value = given->csr.value;

#pragma omp parallel for schedule(static) num_threads(threads)
    for (int64_t k = 0; k < m->blocks; k++) {
        T *to = (T *)m->value + k * b * b;
        const T *from = value + k * b * b;
        for (int c = 0; c < b; c++) {
            for (int r = 0; r < b; r++) to[c * b + r] = from[r * by_row + c * by_column];
        }
    }
}

static gsolve_status FN(refill)(gs_bsr *m, gsolve_context *ctx, const gs_square_blocks *given)
{
    const int threads = gs_threads_for(m->blocks * m->b * m->b, gsolve_threads(ctx));

    if (given) {
        FN(put_blocks)(m, given, threads);
        return GSOLVE_OK;
    }
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int32_t I = 0; I < m->rows; I++) {
        for (int r = 0; r < m->b; r++) FN(fill_row)(m, I, r);
    }
    return GSOLVE_OK;
}

/* Two vectors of zeros follow the last value, since row_block reads past it. */
static gsolve_status FN(store)(gs_bsr *m, gsolve_context *ctx, const gs_square_blocks *given)
{
    T *value;
    gsolve_status status;

    TRY(find_pattern(m, ctx, given));
    ALLOC(ctx, gs_location(ctx), value, (size_t)m->stored + 2 * (size_t)LANES);
    m->value = value;
    memset(value + m->stored, 0, 2 * LANES * sizeof *value);
    TRY(FN(refill)(m, ctx, given));
done:
    return status;
}

/* Row r of block row I is the concatenation of the rows r of its blocks. */
static void FN(spread_row)(const gs_bsr *m, const gs_csr_arrays *to, int32_t I)
{
    const int b = m->b;
    const int64_t from = m->first[I], end = m->first[I + 1];
    const T *value = m->value;
    int64_t at = from * b * b;

    for (int r = 0; r < b; r++) {
        gs_set_start(to, (int64_t)I * b + r, at);
        for (int64_t k = from; k < end; k++) {
            const int32_t first = FN(column)(m, I, k) * b;
            for (int c = 0; c < b; c++, at++) {
                to->col[at] = first + c;
                ((T *)to->value)[at] = value[k * b * b + c * b + r];
            }
        }
    }
}

static gsolve_status FN(spread)(const gs_bsr *m, gsolve_context *ctx,
                                const gs_square_blocks *blocks, const gsolve_csr *csr)
{
    const gs_csr_arrays to = gs_csr_arrays_of(ctx, csr);
    const int threads = gs_threads_for(m->stored, gsolve_threads(ctx));
    (void)blocks;

#pragma omp parallel for schedule(static) num_threads(threads)
    for (int32_t I = 0; I < m->rows; I++) FN(spread_row)(m, &to, I);
    gs_set_start(&to, csr->nrows, m->stored);
    return GSOLVE_OK;
}

static gsolve_status FN(find_bad)(gsolve_context *ctx, int64_t n, const void *values, int64_t *at)
{
    const T *value = values;
    int64_t first = INT64_MAX;

#pragma omp parallel for schedule(static) reduction(min : first) \
    num_threads(gs_threads_for(n, gsolve_threads(ctx)))
    for (int64_t k = 0; k < n; k++) {
        if (!isfinite(value[k]) && k < first) first = k;
    }
    *at = first == INT64_MAX ? -1 : first;
    return GSOLVE_OK;
}

/* --- products --------------------------------------------------------------------------------- */

/* sum[r] = row r of block row I times x. tail: the elements of x in the last block column, followed
 * by zeros. A column of a block is read as one or two vectors, whose last lanes read past it; these
 * values are finite, and their sums are dropped. */
static inline __attribute__((always_inline)) void FN(row_block)(const gs_bsr *m, int32_t I,
                                                                const T *x, const T *tail,
                                                                const int b, T *sum)
{
    const bool two = b > LANES;
    const int32_t last = m->cols - 1;
    const int64_t to = m->first[I + 1];
    const T *value = (const T *)m->value + m->first[I] * b * b;
    FN(lanes) s[2][GS_BSR_MOST] = {{{0}}}, v;

    for (int64_t k = m->first[I]; k < to; k++, value += b * b) {
        const int32_t J = FN(column)(m, I, k);
        const T *at = J < last ? x + (int64_t)J * b : tail;
        for (int c = 0; c < b; c++) {
            memcpy(&v, value + c * b, sizeof v);
            s[0][c] += v * at[c];
            if (!two) continue;
            memcpy(&v, value + c * b + LANES, sizeof v);
            s[1][c] += v * at[c];
        }
    }
    for (int c = 1; c < b; c++) {
        s[0][0] += s[0][c];
        s[1][0] += s[1][c];
    }
    memcpy(sum, &s[0][0], sizeof v);
    memcpy(sum + LANES, &s[1][0], sizeof v);
}

static void FN(finish_row)(double alpha, T sum, double beta, T *y)
{
    *y = beta == 0 ? (T)alpha * sum : (T)alpha * sum + (T)beta * *y;
}

static inline __attribute__((always_inline)) void FN(task_of)(const gs_bsr *m, int32_t t,
                                                              double alpha, const T *x, double beta,
                                                              T *y, const gs_product_sums *dots,
                                                              const int b)
{
    const T *w = dots ? dots->w : NULL;
    T tail[GS_BSR_MOST] = {0};
    double wy = 0, yy = 0;

    for (int64_t j = (int64_t)(m->cols - 1) * b; m->cols > 0 && j < m->csr.ncols; j++) {
        tail[j - (int64_t)(m->cols - 1) * b] = x[j];
    }
    for (int32_t I = m->begin[t]; I < m->begin[t + 1]; I++) {
        T sum[2 * LANES];
        FN(row_block)(m, I, x, tail, b, sum);
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
                     const gs_product_sums *dots)
{
    switch (m->b) {
    case 2: FN(task_of)(m, t, alpha, x, beta, y, dots, 2); return;
    case 3: FN(task_of)(m, t, alpha, x, beta, y, dots, 3); return;
    case 4: FN(task_of)(m, t, alpha, x, beta, y, dots, 4); return;
    case 5: FN(task_of)(m, t, alpha, x, beta, y, dots, 5); return;
    case 6: FN(task_of)(m, t, alpha, x, beta, y, dots, 6); return;
    case 7: FN(task_of)(m, t, alpha, x, beta, y, dots, 7); return;
    default: FN(task_of)(m, t, alpha, x, beta, y, dots, 8); return;
    }
}

static gsolve_status FN(apply)(gs_queue *q, const gs_bsr *m, double alpha, const void *x,
                               double beta, void *y, const gs_product_sums *dots)
{
#pragma omp parallel for schedule(static) num_threads(gs_queue_threads(q)) if (m->tasks > 2)
    for (int32_t t = 0; t < m->tasks; t++) FN(task)(m, t, alpha, x, beta, y, dots);
    if (dots) *dots->wy = gs_sum(m->tasks, m->part);
    if (dots && dots->yy) *dots->yy = gs_sum(m->tasks, m->part + m->tasks);
    return GSOLVE_OK;
}

/* --- many columns, row-major ------------------------------------------------------------------ */

typedef T FN(wide) __attribute__((vector_size(GS_LEVEL_BYTES), aligned(sizeof(T)), may_alias));

/* sum[r n + l] = row r of block row I times column l of n = wide WIDE columns of x. With all loops
 * over vectors unrolled, the sums stay in registers. */
static inline __attribute__((always_inline)) void FN(columns_of_block)(const gs_bsr *m, int32_t I,
                                                                       const T *x, int64_t stride,
                                                                       const int b, const int wide,
                                                                       T *sum)
{
    const T *value = (const T *)m->value + m->first[I] * b * b;
    FN(wide) s[GS_BSR_MOST][2] = {{{0}}};

    for (int64_t k = m->first[I]; k < m->first[I + 1]; k++, value += b * b) {
        const int64_t first = (int64_t)FN(column)(m, I, k) * b;
        for (int c = 0; c < b && first + c < m->csr.ncols; c++) {
            const T *row = x + (first + c) * stride;
#pragma GCC unroll 2
            for (int w = 0; w < wide; w++) {
                const FN(wide) v = *(const FN(wide) *)(const void *)(row + w * WIDE);
#pragma GCC unroll 8
                for (int r = 0; r < b; r++) s[r][w] += value[c * b + r] * v;
            }
        }
    }
#pragma GCC unroll 8
    for (int r = 0; r < b; r++) {
#pragma GCC unroll 2
        for (int w = 0; w < wide; w++) {
            *(FN(wide) *)(void *)(sum + (r * wide + w) * WIDE) = s[r][w];
        }
    }
}

/* columns_of_block for one column. */
static inline __attribute__((always_inline)) void FN(column_of_block)(const gs_bsr *m, int32_t I,
                                                                      const T *x, int64_t stride,
                                                                      const int b, T *sum)
{
    const T *value = (const T *)m->value + m->first[I] * b * b;

    for (int r = 0; r < b; r++) sum[r] = 0;
    for (int64_t k = m->first[I]; k < m->first[I + 1]; k++, value += b * b) {
        const int64_t first = (int64_t)FN(column)(m, I, k) * b;
        for (int c = 0; c < b && first + c < m->csr.ncols; c++) {
            const T at = x[(first + c) * stride];
            for (int r = 0; r < b; r++) sum[r] += value[c * b + r] * at;
        }
    }
}

/* Block row I of y; one or two vectors of columns of x at a time. */
static inline __attribute__((always_inline)) void FN(multiply_block_row)(
    const gs_bsr *m, int32_t I, double alpha, gsolve_dense x, double beta, gsolve_dense y,
    const int b)
{
    const int32_t i = I * b, rows = m->csr.nrows - i < b ? m->csr.nrows - i : b;
    T sum[GS_BSR_MOST * 2 * WIDE];

    for (int32_t j = 0, n; j < x.ncols; j += n) {
        const int32_t left = x.ncols - j;
        const T *from = (const T *)x.value + j;
        n = left >= 2 * WIDE ? 2 * WIDE : left >= WIDE ? WIDE : 1;
        if (n == 2 * WIDE) {
            FN(columns_of_block)(m, I, from, x.stride, b, 2, sum);
        } else if (n == WIDE) {
            FN(columns_of_block)(m, I, from, x.stride, b, 1, sum);
        } else {
            FN(column_of_block)(m, I, from, x.stride, b, sum);
        }
        for (int32_t r = 0; r < rows; r++) {
            T *to = (T *)y.value + (i + r) * y.stride + j;
            for (int32_t l = 0; l < n; l++) FN(finish_row)(alpha, sum[r * n + l], beta, &to[l]);
        }
    }
}

static gsolve_status FN(multiply)(gsolve_context *ctx, const void *self, double alpha,
                                  gsolve_dense x, double beta, gsolve_dense y, void *sums)
{
    const gs_bsr *m = self;
    (void)sums;

#pragma omp parallel for schedule(static) num_threads(gsolve_threads(ctx)) if (m->tasks > 2)
    for (int32_t t = 0; t < m->tasks; t++) {
        for (int32_t I = m->begin[t]; I < m->begin[t + 1]; I++) {
            switch (m->b) {
            case 2: FN(multiply_block_row)(m, I, alpha, x, beta, y, 2); break;
            case 3: FN(multiply_block_row)(m, I, alpha, x, beta, y, 3); break;
            case 4: FN(multiply_block_row)(m, I, alpha, x, beta, y, 4); break;
            case 5: FN(multiply_block_row)(m, I, alpha, x, beta, y, 5); break;
            case 6: FN(multiply_block_row)(m, I, alpha, x, beta, y, 6); break;
            case 7: FN(multiply_block_row)(m, I, alpha, x, beta, y, 7); break;
            default: FN(multiply_block_row)(m, I, alpha, x, beta, y, 8); break;
            }
        }
    }
    return GSOLVE_OK;
}

#undef WIDE
#undef LANES
