/* dependence_body.h: strong connections on the CPU for one value type, see classical.h. */

static double FN(diagonal_of)(const gsolve_csr *A, int32_t i)
{
    const int64_t end = gs_start(A, i + 1);

    for (int64_t k = gs_start(A, i); k < end; k++) {
        if (A->col[k] == i) return (double)((const T *)A->value)[k];
    }
    return 0;
}

static void FN(connect_row)(const gs_points *p, double strength, int32_t i)
{
    const int64_t begin = gs_start(p->A, i), end = gs_start(p->A, i + 1);
    const double d = FN(diagonal_of)(p->A, i);
    const T *a = p->A->value;
    double largest = 0;
    bool any = false;

    for (int64_t k = begin; k < end; k++) {
        const int32_t j = p->A->col[k];
        const bool same = j != i && (!p->component || p->component[j] == p->component[i]);
        p->mark[k] = same ? GS_SAME : 0;
        if (same) largest = fmax(largest, gs_dependence(d, (double)a[k]));
    }
    for (int64_t k = begin; k < end; k++) {
        if (!p->mark[k] || !gs_depends(gs_dependence(d, (double)a[k]), strength, largest)) continue;
        p->mark[k] |= GS_STRONG;
        any = true;
    }
    p->kind[i] = any ? GS_UNDECIDED : GS_ISOLATED;
}

static gsolve_status FN(connect)(gsolve_context *ctx, const gs_points *p, double strength)
{
#pragma omp parallel for schedule(static) num_threads(gsolve_threads(ctx))
    for (int32_t i = 0; i < p->A->nrows; i++) FN(connect_row)(p, strength, i);
    return GSOLVE_OK;
}

static gsolve_status FN(diagonal)(gsolve_context *ctx, const gsolve_csr *A, double *d)
{
#pragma omp parallel for schedule(static) num_threads(gsolve_threads(ctx))
    for (int32_t i = 0; i < A->nrows; i++) d[i] = FN(diagonal_of)(A, i);
    return GSOLVE_OK;
}

static gsolve_status FN(indicate)(gsolve_context *ctx, int32_t n, const uint8_t *component,
                                  const int32_t *number, gsolve_dense indicator)
{
    T *v = indicator.value;

#pragma omp parallel for schedule(static) num_threads(gsolve_threads(ctx))
    for (int32_t i = 0; i < n; i++) {
        if (number[i] < 0) continue;
        for (int32_t c = 0; c < indicator.ncols; c++) {
            v[number[i] + c * indicator.stride] = (T)(!component || component[i] == c);
        }
    }
    return GSOLVE_OK;
}
