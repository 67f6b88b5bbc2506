/* statistics_body.h: the values of a row, for one value type. statistics.c includes it. */

/* *positive += the positive entries off the diagonal that are no rounding errors. */
static gs_row_values FN(sum_row)(const gsolve_csr *A, int64_t from, int64_t to, int32_t diagonal,
                                 int64_t *positive)
{
    const int32_t *col = A->col;
    const T *value = A->value;
    gs_row_values r = gs_row_values_of_none();
    double bound;

    for (int64_t k = from; k < to; k++) {
        gs_row_values_add(&r, (double)value[k], col[k] == diagonal);
    }
    bound = gs_sign_tolerance(sizeof(T) == sizeof(float)) * r.most;
    for (int64_t k = from; k < to; k++) {
        const double v = (double)value[k];
        *positive += col[k] != diagonal && v > 0 && v >= bound;
    }
    return r;
}
