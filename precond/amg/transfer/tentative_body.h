/* tentative_body.h: the tentative prolongator on the CPU for one value type, see aggregation.h. A
 * thread owns whole aggregates. */

/* Q = B, for one near-null vector. */
static void FN(copy_vector)(gsolve_context *ctx, int32_t n, gsolve_dense B, T *Q)
{
#pragma omp parallel for schedule(static) num_threads(gsolve_threads(ctx))
    for (int32_t i = 0; i < n; i++) Q[i] = (T)element(B, i, 0);
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
        for (int32_t a = 0; a < G->k; a++) set_element(coarse, g * G->k + a, b, 0);
        for (int twice = 0; twice < 2; twice++) {
            for (int32_t a = 0; a < b; a++) {
                const int32_t row = g * G->k + a;
                const double r = FN(product)(G, g, a, b);
                FN(combine)(G, g, a, r, b, 1);
                set_element(coarse, row, b, element(coarse, row, b) + r);
            }
        }
        left = sqrt(FN(product)(G, g, b, b));
        if (!(left > least * given)) left = 0;
        FN(combine)(G, g, b, 0, b, left > 0 ? 1 / left : 0);
        set_element(coarse, g * G->k + b, b, left);
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
            Q[(int64_t)i * G->k + c] = in ? (T)element(B, i, c) : (T)0;
        }
    }
}

static gsolve_status FN(factor)(gsolve_context *ctx, int32_t n, const gs_aggregates *G,
                                gsolve_dense B, gsolve_dense coarse)
{
    const int threads = gsolve_threads(ctx);

    if (G->k == 1) {
        if (G->Q != B.value) FN(copy_vector)(ctx, n, B, G->Q);
        for (int32_t g = 0; g < G->count; g++) set_element(coarse, g, 0, 1);
        return GSOLVE_OK;
    }
    FN(copy_vectors)(ctx, n, G, B);
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int32_t g = 0; g < G->count; g++) FN(orthogonalise)(G, g, coarse);
    return GSOLVE_OK;
}
