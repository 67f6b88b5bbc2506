/* triple_body.h: a row of R A P, for one value type. */

/* Adds f times row j of B to g, which has n columns. Returns the new number of columns. No branch
 * depends on the pattern. */
static inline uint32_t FN(add_row)(const gsolve_csr *B, int32_t j, T f, const row_sums *g,
                                   uint32_t n)
{
    const int64_t end = gs_start(B, j + 1);
    const int32_t *restrict col = B->col;
    const T *restrict value = B->value;
    const uint32_t base = g->base;
    uint32_t *restrict slot = g->slot;
    int32_t *restrict list = g->list;
    T *restrict sum = g->sum;

    for (int64_t k = gs_start(B, j); k < end; k++) {
        const uint32_t known = slot[col[k]] - base; /* n or more: a new column */
        const uint32_t at = known < n ? known : n;
        const T before = known < n ? sum[at] : 0;
        n += known >= n;
        slot[col[k]] = base + at;
        list[at] = col[k];
        sum[at] = before + f * value[k];
    }
    return n;
}

/* w->ra = row i of R A, its columns in the order in which they occur. */
static void FN(sum_outer)(const gsolve_csr *R, const gsolve_csr *A, int32_t i, worker *w)
{
    const int64_t end = gs_start(R, i + 1);
    uint32_t n = 0;

    begin_row(&w->ra, R->ncols);
    for (int64_t k = gs_start(R, i); k < end; k++) {
        const int32_t j = R->col[k];
        w->products += gs_start(A, j + 1) - gs_start(A, j);
        n = FN(add_row)(A, j, ((const T *)R->value)[k], &w->ra, n);
    }
    w->ra.n = n;
}

/* w->c = row i of R A P, its columns in the order in which they occur. */
static void FN(sum_row)(const gsolve_csr *R, const gsolve_csr *A, const gsolve_csr *P, int32_t i,
                        worker *w)
{
    const T *sum = w->ra.sum;
    uint32_t n = 0;

    FN(sum_outer)(R, A, i, w);
    begin_row(&w->c, P->ncols);
    for (uint32_t k = 0; k < w->ra.n; k++) {
        const int32_t j = w->ra.list[k];
        w->products += gs_start(P, j + 1) - gs_start(P, j);
        n = FN(add_row)(P, j, sum[k], &w->c, n);
    }
    w->c.n = n;
}

/* Appends the row w->c to the list, sorted. The list must have space for it. */
static void FN(append_row)(worker *w)
{
    const int32_t n = (int32_t)w->c.n;
    const int32_t *list = w->c.list;
    const T *sum = w->c.sum;
    int32_t *col = w->col + w->used, rank[RANKED];
    T *value = (T *)w->value + w->used;

    if (n <= RANKED) {
        rank_columns(n, list, rank);
        for (int32_t k = 0; k < n; k++) {
            col[rank[k]] = list[k];
            value[rank[k]] = sum[k];
        }
    } else {
        memcpy(col, list, (size_t)n * sizeof *col);
        qsort(col, (size_t)n, sizeof *col, compare);
        for (int32_t k = 0; k < n; k++) value[k] = sum[w->c.slot[col[k]] - w->c.base];
    }
}

/* Recomputes C's values in row i. Each product is added at its column's position, in the order of
 * sum_row. */
static void FN(update_values)(const gsolve_csr *R, const gsolve_csr *A, const gsolve_csr *P,
                              const gs_csr_arrays *C, int32_t i, worker *w)
{
    const int64_t first = gs_start(&C->csr, i);
    const int32_t n = (int32_t)(gs_start(&C->csr, i + 1) - first), *c_col = C->col + first;
    const int32_t *restrict col = P->col, *restrict list = w->ra.list;
    const T *restrict value = P->value, *restrict sum = w->ra.sum;
    T *restrict c = (T *)C->value + first;
    uint32_t *restrict slot = w->c.slot;

    FN(sum_outer)(R, A, i, w);
    for (int32_t k = 0; k < n; k++) {
        slot[c_col[k]] = (uint32_t)k;
        c[k] = 0;
    }
    for (uint32_t k = 0; k < w->ra.n; k++) {
        const int64_t end = gs_start(P, list[k] + 1);
        for (int64_t q = gs_start(P, list[k]); q < end; q++) c[slot[col[q]]] += sum[k] * value[q];
    }
}
