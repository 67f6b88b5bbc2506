/* transfer_body.h: near-null vectors, the tentative prolongator and the values of the smoothed one
 * on the CPU for one value type, see aggregation.h. */

static gsolve_status FN(modes)(gsolve_context *ctx, gsolve_dense xyz, gsolve_dense B)
{
    const int d = xyz.ncols;
    T *b = B.value;

#pragma omp parallel for schedule(static) num_threads(gsolve_threads(ctx))
    for (int32_t i = 0; i < B.nrows; i++) {
        for (int32_t m = 0; m < B.ncols; m++) {
            b[i + m * B.stride] = (T)gs_rigid_body_mode(xyz, i / d, i % d, m);
        }
    }
    return GSOLVE_OK;
}

/* --- the tentative prolongator: a thread owns whole aggregates -------------------------------- */

/* Q = B, for one near-null vector. */
static void FN(copy_vector)(gsolve_context *ctx, int32_t n, gsolve_dense B, T *Q)
{
#pragma omp parallel for schedule(static) num_threads(gsolve_threads(ctx))
    for (int32_t i = 0; i < n; i++) Q[i] = (T)gs_element(B, i, 0);
}

/* The dot product of columns a and b of Q over the rows of aggregate g. */
static double FN(product)(const gs_aggregates *G, int32_t g, int32_t a, int32_t b)
{
    const T *Q = G->Q;
    double sum = 0;

    for (int32_t m = G->start[g]; m < G->start[g + 1]; m++) {
        const int32_t first = G->member[m] * G->block;
        for (int32_t i = first; i < first + G->block; i++) {
            sum += (double)Q[(int64_t)i * G->k + a] * (double)Q[(int64_t)i * G->k + b];
        }
    }
    return sum;
}

/* Column b of Q = scale (column b - factor column a), in the rows of aggregate g. */
static void FN(combine)(const gs_aggregates *G, int32_t g, int32_t a, double factor, int32_t b,
                        double scale)
{
    T *Q = G->Q;

    for (int32_t m = G->start[g]; m < G->start[g + 1]; m++) {
        const int32_t first = G->member[m] * G->block;
        for (int32_t i = first; i < first + G->block; i++) {
            T *q = Q + (int64_t)i * G->k;
            q[b] = (T)(scale * ((double)q[b] - factor * (double)q[a]));
        }
    }
}

/* Modified Gram-Schmidt with one reorthogonalisation: each vector is orthogonalised twice against
 * those before. */
static void FN(orthogonalise)(const gs_aggregates *G, int32_t g, gsolve_dense coarse)
{
    const double least =
        sizeof(T) == sizeof(float) ? 1e-5 : 1e-10; /* relative to the vector's norm before */

    for (int32_t b = 0; b < G->k; b++) {
        const double given = sqrt(FN(product)(G, g, b, b));
        double left;
        for (int32_t a = 0; a < G->k; a++) gs_set_element(coarse, g * G->k + a, b, 0);
        for (int twice = 0; twice < 2; twice++) {
            for (int32_t a = 0; a < b; a++) {
                const int32_t row = g * G->k + a;
                const double r = FN(product)(G, g, a, b);
                FN(combine)(G, g, a, r, b, 1);
                gs_set_element(coarse, row, b, gs_element(coarse, row, b) + r);
            }
        }
        left = sqrt(FN(product)(G, g, b, b));
        if (!(left > least * given)) left = 0;
        FN(combine)(G, g, b, 0, b, left > 0 ? 1 / left : 0);
        gs_set_element(coarse, g * G->k + b, b, left);
    }
}

/* Q = B, row-major; 0 for unknowns in no aggregate. */
static void FN(copy_vectors)(gsolve_context *ctx, int32_t n, const gs_aggregates *G, gsolve_dense B)
{
    T *Q = G->Q;

#pragma omp parallel for schedule(static) num_threads(gsolve_threads(ctx))
    for (int32_t i = 0; i < n; i++) {
        const bool in = G->of[i / G->block] >= 0;
        for (int32_t c = 0; c < G->k; c++) {
            Q[(int64_t)i * G->k + c] = in ? (T)gs_element(B, i, c) : (T)0;
        }
    }
}

static gsolve_status FN(factor)(gsolve_context *ctx, int32_t n, const gs_aggregates *G,
                                gsolve_dense B, gsolve_dense coarse)
{
    const int threads = gsolve_threads(ctx);

    if (G->k == 1) {
        if (G->Q != B.value) FN(copy_vector)(ctx, n, B, G->Q);
        for (int32_t g = 0; g < G->count; g++) gs_set_element(coarse, g, 0, 1);
        return GSOLVE_OK;
    }
    FN(copy_vectors)(ctx, n, G, B);
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int32_t g = 0; g < G->count; g++) FN(orthogonalise)(G, g, coarse);
    return GSOLVE_OK;
}

/* --- values of the smoothed prolongator ------------------------------------------------------- */

/* The factor of row i of A_f Q. */
static double FN(factor_of)(const filtered *F, double damping, int32_t i)
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
    const double factor = FN(factor_of)(F, damping, i);
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
