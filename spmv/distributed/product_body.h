/* product_body.h: the products with the boundary rows, for one value type T. */

/* Element i of a column is at[i * step]. */
typedef struct FN(column) {
    T *at;
    int64_t step;
} FN(column);

static inline FN(column) FN(column_of)(const gsolve_dense *v, int32_t c)
{
    const bool rows = v->layout == GSOLVE_ROW_MAJOR;

    return (FN(column)){(T *)v->value + (rows ? c : c * v->stride), rows ? v->stride : 1};
}

/* One column of x: the own elements and those of the ghost columns. */
typedef struct FN(operand) {
    FN(column) own, ghost;
    int32_t n; /* own elements */
} FN(operand);

/* ghost: the elements of the ghost columns, row-major. */
static inline FN(operand)
    FN(operand_of)(const gs_dist_matrix *D, const gsolve_dense *x, void *ghost, int32_t c)
{
    return (FN(operand)){FN(column_of)(x, c), {(T *)ghost + c, x->ncols}, D->cols.count};
}

static inline T FN(element)(const FN(operand) * x, int32_t col)
{
    const bool own = col < x->n;
    const T *at = own ? x->own.at : x->ghost.at;

    return at[(own ? col : col - x->n) * (own ? x->own.step : x->ghost.step)];
}

/* The sum of a row in the order of row_sum (spmv/row_sum.h): entry k is added to the (k mod 4)-th
 * of four sums. */
static inline T FN(sum_row)(int64_t n, const T *value, const int32_t *col, const FN(operand) * x)
{
    T s[4] = {0, 0, 0, 0};

    for (int64_t k = 0; k < n; k++) s[k % 4] += value[k] * FN(element)(x, col[k]);
    return (s[0] + s[1]) + (s[2] + s[3]);
}

/* Adds the terms of the boundary rows to *wy = w'y and, unless it is NULL, to *yy = y'y. */
static void FN(add_sums)(const gs_dist_matrix *D, const T *y, const T *w, double *wy, double *yy)
{
    double sum = 0, squares = 0;

    for (int32_t b = 0; b < D->boundary_rows; b++) {
        const int32_t i = D->boundary_row_there[b];
        const double yi = (double)y[i];
        sum += (double)w[i] * yi;
        squares += yi * yi;
    }
    *wy += sum;
    if (yy) *yy += squares;
}

static gsolve_status FN(multiply)(gs_queue *q, const gs_dist_matrix *D, double alpha,
                                  const gsolve_dense *x, double beta, const gsolve_dense *y,
                                  const gs_dist_dots *dots)
{
    const gsolve_csr *B = &D->boundary_there;
    const int threads =
        gs_threads_for(gs_start(B, D->boundary_rows) * x->ncols, gs_queue_threads(q));
    const T *value = B->value;

    for (int32_t c = 0; c < x->ncols; c++) {
        const FN(operand) xc = FN(operand_of)(D, x, D->halo.ghost, c);
        const FN(column) yc = FN(column_of)(y, c);
#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1)
        for (int32_t b = 0; b < D->boundary_rows; b++) {
            const int64_t from = gs_start(B, b), n = gs_start(B, b + 1) - from;
            const T sum = (T)alpha * FN(sum_row)(n, value + from, B->col + from, &xc);
            T *to = &yc.at[D->boundary_row_there[b] * yc.step];
            *to = beta == 0 ? sum : sum + *to;
        }
        if (dots) {
            FN(add_sums)
            (D, yc.at, gs_column_of(dots->w, c).value, &dots->wy[c],
             dots->yy ? &dots->yy[c] : NULL);
        }
    }
    return GSOLVE_OK;
}

static gsolve_status FN(transposed)(gs_queue *q, const gs_dist_matrix *D, double alpha,
                                    const gsolve_dense *x, const gsolve_dense *y)
{
    const gsolve_csr *B = &D->boundary_there;
    const T *value = B->value;

    (void)q;
    for (int32_t c = 0; c < x->ncols; c++) {
        const FN(operand) to = FN(operand_of)(D, y, D->halo.in.buffer, c);
        const FN(column) xc = FN(column_of)(x, c);
        for (int32_t g = 0; g < D->map.ghosts; g++) to.ghost.at[g * to.ghost.step] = 0;
        for (int32_t b = 0; b < D->boundary_rows; b++) {
            const T xb = (T)alpha * xc.at[D->boundary_row_there[b] * xc.step];
            for (int64_t k = gs_start(B, b); k < gs_start(B, b + 1); k++) {
                const int32_t col = B->col[k];
                T *at = col < to.n ? &to.own.at[col * to.own.step]
                                   : &to.ghost.at[(col - to.n) * to.ghost.step];
                *at += value[k] * xb;
            }
        }
    }
    return GSOLVE_OK;
}
