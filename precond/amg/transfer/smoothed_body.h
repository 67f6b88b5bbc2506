/* smoothed_body.h: the values of the smoothed prolongator on the CPU for one value type, see
 * aggregation.h. */

/* The factor of row i of A_f Q. */
static double FN(factor)(const filtered *F, double damping, int32_t i)
{
    const int64_t end = gs_start(F->A, i + 1);
    const T *a = F->A->value;
    double diagonal = 0, moved = 0, others = 0;

    for (int64_t e = gs_start(F->A, i); e < end; e++) {
        const int32_t j = column_of(F, i, e);
        const double v = (double)a[e];
        if (F->A->col[e] == i) diagonal = v;
        if (j == i) {
            moved += v;
        } else {
            others += fabs(v);
        }
    }
    return gs_damping_of_row(damping, diagonal, fabs(moved) + others);
}

/* Whether row i keeps its tentative values: its row of P has only its own aggregate although a
 * strong neighbour is in another one, because the row is too long to be smoothed. */
static bool FN(keeps_tentative)(const filtered *F, const gs_aggregates *G, int32_t i, int32_t own)
{
    const int64_t end = gs_start(F->A, i + 1);

    for (int64_t e = gs_start(F->A, i); e < end; e++) {
        const int32_t g = G->of[node_of(F, column_of(F, i, e))];
        if (g >= 0 && g != own) return true;
    }
    return false;
}

/* Computes row i of P. slot[g]: the position of aggregate g in it. */
static void FN(smooth_row)(const filtered *F, const gs_aggregates *G, double damping,
                           const int32_t *slot, int32_t i, T *p, int64_t length)
{
    const int32_t own = G->of[node_of(F, i)], k = G->k;
    const T *a = F->A->value, *Q = G->Q;

    if (own < 0) return;
    for (int64_t e = 0; e < length; e++) p[e] = 0;
    for (int32_t c = 0; c < k; c++) p[slot[own] * k + c] = Q[(int64_t)i * k + c];
    if (damping == 0 || (length == k && FN(keeps_tentative)(F, G, i, own))) return;
    const double factor = FN(factor)(F, damping, i);
    for (int64_t e = gs_start(F->A, i); e < gs_start(F->A, i + 1); e++) {
        const int32_t j = column_of(F, i, e), g = G->of[node_of(F, j)];
        const double w = factor * (double)a[e];
        if (g < 0) continue;
        for (int32_t c = 0; c < k; c++) {
            p[slot[g] * k + c] -= (T)(w * (double)Q[(int64_t)j * k + c]);
        }
    }
}

static gsolve_status FN(values)(gsolve_context *ctx, const gsolve_csr *A, const uint32_t *strong,
                                const gs_aggregates *G, double damping, const gsolve_csr *P)
{
    const filtered F = {A, strong, G->block};
    const int threads = gsolve_threads(ctx);
    T *p = gs_owned_block(ctx, P->value);
    int32_t *slots = NULL;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, slots, (size_t)threads * (size_t)G->count);
#pragma omp parallel num_threads(threads)
    {
        int32_t *slot = slots + (int64_t)omp_get_thread_num() * G->count;
#pragma omp for schedule(static)
        for (int32_t i = 0; i < A->nrows; i++) {
            const int64_t begin = gs_start(P, i), end = gs_start(P, i + 1);
            for (int64_t e = begin; e < end; e += G->k) {
                slot[P->col[e] / G->k] = (int32_t)((e - begin) / G->k);
            }
            FN(smooth_row)(&F, G, damping, slot, i, p + begin, end - begin);
        }
    }
done:
    gsolve_free(ctx, GSOLVE_HOST, slots);
    return status;
}
