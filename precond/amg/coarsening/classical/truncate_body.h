/* truncate_body.h: truncates all rows of a matrix on the CPU for one value type, see
 * classical.h. */

/* Truncates P's rows into arrays of P's size; length: what is left of each. */
static void FN(truncate_each_row)(gsolve_context *ctx, const gsolve_csr *P, int most,
                                  double truncate, int32_t *column, double *weight, int32_t *length)
{
    const T *p = P->value;

#pragma omp parallel for schedule(static) num_threads(gsolve_threads(ctx))
    for (int32_t r = 0; r < P->nrows; r++) {
        const int64_t begin = gs_start(P, r), end = gs_start(P, r + 1);
        for (int64_t k = begin; k < end; k++) column[k] = P->col[k], weight[k] = (double)p[k];
        length[r] =
            gs_truncate_row((int32_t)(end - begin), column + begin, weight + begin, most, truncate);
    }
}

static void FN(pack_rows)(const gs_csr_arrays *Q, gsolve_context *ctx, const gsolve_csr *P,
                          const int32_t *column, const double *weight)
{
#pragma omp parallel for schedule(static) num_threads(gsolve_threads(ctx))
    for (int32_t r = 0; r < Q->csr.nrows; r++) {
        int64_t from = gs_start(P, r);
        for (int64_t k = gs_start(&Q->csr, r); k < gs_start(&Q->csr, r + 1); k++, from++) {
            Q->col[k] = column[from];
            ((T *)Q->value)[k] = (T)weight[from];
        }
    }
}

static gsolve_status FN(truncate_rows)(gsolve_csr *Q, gsolve_context *ctx, const gsolve_csr *P,
                                       int most, double truncate)
{
    const int64_t entries = gs_start(P, P->nrows);
    int32_t *column = NULL, *length = NULL;
    double *weight = NULL;
    int64_t left = 0;
    gsolve_csr C = {0};
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, column, entries);
    ALLOC(ctx, GSOLVE_HOST, weight, entries);
    ALLOC(ctx, GSOLVE_HOST, length, P->nrows);
    FN(truncate_each_row)(ctx, P, most, truncate, column, weight, length);
    for (int32_t r = 0; r < P->nrows; r++) left += length[r];
    TRY(gs_csr_new_at(&C, ctx, gs_location(ctx), P->nrows, P->ncols, left, P->type));
    const gs_csr_arrays to = gs_csr_arrays_of(ctx, &C);
    gs_set_start(&to, 0, 0);
    for (int32_t r = 0; r < P->nrows; r++) gs_set_start(&to, r + 1, gs_start(&C, r) + length[r]);
    FN(pack_rows)(&to, ctx, P, column, weight);
    *Q = C;
done:
    gsolve_free(ctx, GSOLVE_HOST, column);
    gsolve_free(ctx, GSOLVE_HOST, weight);
    gsolve_free(ctx, GSOLVE_HOST, length);
    return status;
}

static void FN(update_row)(const gsolve_csr *Q, T *q, const gsolve_csr *P, int32_t r)
{
    const int64_t begin = gs_start(Q, r), end = gs_start(Q, r + 1), end_p = gs_start(P, r + 1);
    const T *p = P->value;
    double all = 0, kept = 0;
    int64_t at = begin;

    for (int64_t k = gs_start(P, r); k < end_p; k++) {
        all += (double)p[k];
        if (at == end || Q->col[at] != P->col[k]) continue;
        q[at++] = p[k];
        kept += (double)p[k];
    }
    if (end - begin == end_p - gs_start(P, r)) return;
    for (int64_t k = begin; k < end; k++)
        q[k] = (T)(gs_sum_preserving_scale(all, kept) * (double)q[k]);
}

static gsolve_status FN(update)(const gsolve_csr *Q, gsolve_context *ctx, const gsolve_csr *P)
{
    T *q = gs_owned_block(ctx, Q->value);

#pragma omp parallel for schedule(static) num_threads(gsolve_threads(ctx))
    for (int32_t r = 0; r < Q->nrows; r++) FN(update_row)(Q, q, P, r);
    return GSOLVE_OK;
}
