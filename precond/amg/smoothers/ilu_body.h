/* ilu_body.h: the sweeps of ilu.h on the CPU for one value type. */

static double FN(entry)(const gsolve_csr *A, int32_t i, int64_t e, const T *old, const T *d)
{
    const int32_t j = A->col[e], least = i < j ? i : j;
    double sum = (double)((const T *)A->value)[e];

    for (int64_t k = gs_start(A, i); A->col[k] < least; k++) {
        const int32_t m = A->col[k];
        const int64_t at = gs_row_find(A->col, gs_start(A, m), gs_start(A, m + 1), j);
        if (at >= 0) sum -= (double)old[k] * (double)d[m] * (double)old[at];
    }
    return sum;
}

static gsolve_status FN(sweep)(gs_queue *q, const gsolve_csr *A, double mean, const void *old,
                               const void *d, void *pnext, void *pinverse)
{
    const T *a = A->value;
    T *next = pnext, *inverse = pinverse;

    (void)mean;
#pragma omp parallel for schedule(static) num_threads(gs_queue_threads(q))
    for (int32_t i = 0; i < A->nrows; i++) {
        for (int64_t e = gs_start(A, i); e < gs_start(A, i + 1); e++) {
            const double s = FN(entry)(A, i, e, old, d);
            next[e] = (T)s;
            if (A->col[e] == i) inverse[i] = (T)gs_ilu_reciprocal(s, (double)a[e]);
        }
    }
    return GSOLVE_OK;
}

static gsolve_status FN(put)(gs_queue *q, const gsolve_csr *A, const void *ps, const void *pd,
                             const gsolve_csr *side, void *values, bool upper)
{
    const T *s = ps, *d = pd;
    T *value = values;

#pragma omp parallel for schedule(static) num_threads(gs_queue_threads(q))
    for (int32_t i = 0; i < A->nrows; i++) {
        const int64_t begin = gs_start(side, i), length = gs_start(side, i + 1) - begin;
        const int64_t from = upper ? gs_start(A, i + 1) - length : gs_start(A, i);
        for (int64_t k = 0; k < length; k++) {
            value[begin + k] = s[from + k] * d[upper ? i : side->col[begin + k]];
        }
    }
    return GSOLVE_OK;
}
