/* gauss_seidel_blocks.h: sweeps over the rows [at, end) of one block for one offset type: for one
 * column, and for up to GS_AMG_COLUMNS columns, row-major. Each row depends on the row before it,
 * so that the code for one column keeps the dependent chain of operations short. */

/* --- one column ------------------------------------------------------------------------------- */

/* Row i times x; outside the block x counts with its old values. The sums before and after the
 * diagonal are separate, so that only one of them depends on the row updated last. */
static inline __attribute__((always_inline)) T ON(row_product)(const gsolve_csr *A, int32_t i,
                                                               int32_t at, int32_t end, const T *x,
                                                               const T *old)
{
    const OFFSET *start = A->start, to = start[i + 1];
    const int32_t *col = A->col;
    const T *value = A->value;
    OFFSET k = start[i];
    T before = 0, after = 0;

    for (; k < to && col[k] < at; k++) after += value[k] * old[col[k]];
    for (; k < to && col[k] < i; k++) before += value[k] * x[col[k]];
    for (; k < to && col[k] < end; k++) after += value[k] * x[col[k]];
    for (; k < to; k++) after += value[k] * old[col[k]];
    return after + before;
}

static void ON(sweep_block_from_x)(const gsolve_csr *A, int32_t at, int32_t end, bool back,
                                   const T *d, const T *b, T *x, const T *old)
{
    const int32_t step = back ? -1 : 1;

    for (int32_t i = back ? end - 1 : at; i >= at && i < end; i += step) {
        const T Ax = ON(row_product)(A, i, at, end, x, old);
        x[i] += d[i] * (b[i] - Ax);
    }
}

/* From x = 0: only rows of the block that have been updated count. The row updated last is added
 * last. Each x_j is multiplied by d_i a_ij, a product that depends on no other row. The loops are
 * short, so that vector instructions would be slower. */
static void ON(up_from_zero)(const gsolve_csr *A, int32_t at, int32_t end, const T *d, const T *b,
                             T *x)
{
    const OFFSET *start = A->start;
    const int32_t *col = A->col;
    const T *value = A->value;

    for (int32_t i = at; i < end; i++) {
        OFFSET from = start[i], to;
        T sum = d[i] * b[i];
        while (from < start[i + 1] && col[from] < at) from++;
        for (to = from; to < start[i + 1] && col[to] < i; to++) continue;
#pragma omp simd safelen(1)
        for (OFFSET k = from; k < to; k++) sum -= d[i] * value[k] * x[col[k]];
        x[i] = sum;
    }
}

static void ON(down_from_zero)(const gsolve_csr *A, int32_t at, int32_t end, const T *d, const T *b,
                               T *x)
{
    const OFFSET *start = A->start;
    const int32_t *col = A->col;
    const T *value = A->value;

    for (int32_t i = end - 1; i >= at; i--) {
        OFFSET from = start[i], to = start[i + 1];
        T sum = d[i] * b[i];
        while (from < to && col[from] <= i) from++;
        while (from < to && col[to - 1] >= end) to--;
#pragma omp simd safelen(1)
        for (OFFSET k = to - 1; k >= from; k--) sum -= d[i] * value[k] * x[col[k]];
        x[i] = sum;
    }
}

/* --- several columns -------------------------------------------------------------------------- */

/* Adds row i times x to `before` for the columns of the block before i, and to `after` for all
 * others. Outside the block x counts with its old values. */
static inline __attribute__((always_inline)) void ON(row_product_of)(const FN(sweep_args) * v,
                                                                     const int32_t columns,
                                                                     int32_t i, int32_t at,
                                                                     int32_t end, T *before,
                                                                     T *after)
{
    const OFFSET *start = v->A->start, to = start[i + 1];
    const int32_t *col = v->A->col;
    const T *value = v->A->value, *x = v->x, *old = v->old;
    OFFSET k = start[i];

    for (; k < to && col[k] < at; k++) FN(add)(columns, value[k], old, col[k], after);
    for (; k < to && col[k] < i; k++) FN(add)(columns, value[k], x, col[k], before);
    for (; k < to && col[k] < end; k++) FN(add)(columns, value[k], x, col[k], after);
    for (; k < to; k++) FN(add)(columns, value[k], old, col[k], after);
}

static inline __attribute__((always_inline)) void ON(sweep_block_from_x_of)(
    const FN(sweep_args) * v, const int32_t columns, int32_t at, int32_t end)
{
    for (int32_t i = v->back ? end - 1 : at; i >= at && i < end; i += v->back ? -1 : 1) {
        const T *b = v->b + (int64_t)i * columns, d = v->d[i];
        T *x = v->x + (int64_t)i * columns, before[GS_AMG_COLUMNS] = {0};
        T after[GS_AMG_COLUMNS] = {0};
        ON(row_product_of)(v, columns, i, at, end, before, after);
        for (int32_t c = 0; c < columns; c++) x[c] += d * (b[c] - (after[c] + before[c]));
    }
}

/* From x = 0: only rows of the block that have been updated count. */
static inline __attribute__((always_inline)) void ON(sweep_block_from_zero_of)(
    const FN(sweep_args) * v, const int32_t columns, int32_t at, int32_t end)
{
    const OFFSET *start = v->A->start;
    const int32_t *col = v->A->col;
    const T *value = v->A->value;

    for (int32_t i = v->back ? end - 1 : at; i >= at && i < end; i += v->back ? -1 : 1) {
        const int32_t from = v->back ? i + 1 : at, to = v->back ? end : i;
        const T *b = v->b + (int64_t)i * columns, d = v->d[i];
        T *x = v->x + (int64_t)i * columns, sum[GS_AMG_COLUMNS] = {0};
        for (OFFSET k = start[i]; k < start[i + 1]; k++) {
            if (col[k] >= from && col[k] < to) FN(add)(columns, value[k], v->x, col[k], sum);
        }
        for (int32_t c = 0; c < columns; c++) x[c] = d * (b[c] - sum[c]);
    }
}

/* With A': r is the residual of the block. */
static inline __attribute__((always_inline)) void ON(transposed_block_of)(const FN(sweep_args) * v,
                                                                          const int32_t columns,
                                                                          int32_t at, int32_t end)
{
    const OFFSET *start = v->A->start;
    const int32_t *col = v->A->col;
    const T *value = v->A->value;

    for (int32_t i = v->back ? end - 1 : at; i >= at && i < end; i += v->back ? -1 : 1) {
        const int32_t from = v->back ? at : i + 1, to = v->back ? i : end;
        T *r = v->r, *x = v->x + (int64_t)i * columns, y[GS_AMG_COLUMNS];
        for (int32_t c = 0; c < columns; c++) y[c] = v->d[i] * r[(int64_t)i * columns + c];
        for (OFFSET k = start[i]; k < start[i + 1]; k++) {
            T *left = r + (int64_t)col[k] * columns;
            if (col[k] < from || col[k] >= to) continue;
            for (int32_t c = 0; c < columns; c++) left[c] -= value[k] * y[c];
        }
        for (int32_t c = 0; c < columns; c++) x[c] = v->zero ? y[c] : x[c] + y[c];
    }
}

static inline __attribute__((always_inline)) void ON(block_of)(const FN(sweep_args) * v,
                                                               const int32_t columns, int32_t at,
                                                               int32_t end)
{
    if (v->r) {
        ON(transposed_block_of)(v, columns, at, end);
    } else if (v->zero) {
        ON(sweep_block_from_zero_of)(v, columns, at, end);
    } else {
        ON(sweep_block_from_x_of)(v, columns, at, end);
    }
}

/* --- any number of columns -------------------------------------------------------------------- */

static void ON(block_of_one_column)(const FN(sweep_args) * v, int32_t at, int32_t end)
{
    if (v->r) {
        ON(transposed_block_of)(v, 1, at, end);
    } else if (v->zero) {
        (v->back ? ON(down_from_zero) : ON(up_from_zero))(v->A, at, end, v->d, v->b, v->x);
    } else {
        ON(sweep_block_from_x)(v->A, at, end, v->back, v->d, v->b, v->x, v->old);
    }
}

/* For 4 and 8 columns the compiler sees the number as a constant. */
static void ON(block)(const FN(sweep_args) * v, int32_t at, int32_t end)
{
    switch (v->columns) {
    case 8: ON(block_of)(v, 8, at, end); break;
    case 4: ON(block_of)(v, 4, at, end); break;
    case 1: ON(block_of_one_column)(v, at, end); break;
    default: ON(block_of)(v, v->columns, at, end); break;
    }
}
