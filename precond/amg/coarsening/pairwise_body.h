/* pairwise_body.h: the weights of connections on the CPU for one value type, see aggregation.h. */

static double FN(entry)(const gsolve_csr *A, int32_t i, int32_t j)
{
    const int64_t at = gs_entry_at(A, i, j);
    return at < 0 ? 0 : (double)((const T *)A->value)[at];
}

/* weight[k] for each of A's entries: -(a_ij + a_ji) / 2 times the sign of the diagonal, between the
 * same unknowns of two nodes; 0 if this is negative or the diagonals have different signs. */
static void FN(compute_weights)(gsolve_context *ctx, const gsolve_csr *A, int32_t block,
                                const double *d, float *weight)
{
    const T *a = A->value;

#pragma omp parallel for schedule(static) num_threads(gsolve_threads(ctx))
    for (int32_t i = 0; i < A->nrows; i++) {
        const int64_t end = gs_start(A, i + 1);
        for (int64_t k = gs_start(A, i); k < end; k++) {
            const int32_t j = A->col[k];
            const bool same_unknown = i / block != j / block && i % block == j % block;
            weight[k] = same_unknown ? gs_weight((double)a[k], FN(entry)(A, j, i), d[i], d[j]) : 0;
        }
    }
}

static gsolve_status FN(aggregate)(gsolve_context *ctx, const gsolve_csr *A, int32_t block,
                                   double strength, int pairings, int32_t *of, int32_t *count)
{
    double *d = NULL;
    float *weight = NULL;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, d, A->nrows);
    ALLOC(ctx, GSOLVE_HOST, weight, gs_start(A, A->nrows));
    for (int32_t i = 0; i < A->nrows; i++) d[i] = FN(entry)(A, i, i);
    FN(compute_weights)(ctx, A, block, d, weight);
    TRY(pair_groups(ctx, A, block, strength, pairings, weight, of, count));
done:
    gsolve_free(ctx, GSOLVE_HOST, d);
    gsolve_free(ctx, GSOLVE_HOST, weight);
    return status;
}
