/* grouped_body.h: groups of rows of R A P for one value type. The sum of row m of the group in the
 * c-th column of a run that stands at position t of the list is sum[(t * width + c) * lanes + m].
 */

/* *g += the products of the factors f, one for each row of the group, and a row of B. Each caller
 * passes a constant for lanes. */
__attribute__((always_inline)) static inline void FN(add_row)(gs_row_sums *g, const gsolve_csr *B,
                                                              int32_t row, int32_t width,
                                                              const int lanes, const T *restrict f)
{
    const int64_t end = gs_start(B, row + 1);
    const int32_t *restrict b_col = B->col;
    const T *restrict b = B->value;
    uint32_t *restrict slot = g->slot, n = g->n;
    const uint32_t base = g->base;

    for (int64_t q = gs_start(B, row); q < end; q += width) {
        const int32_t j = b_col[q];
        const uint32_t known = slot[j] - base; /* n or more: a new column */
        const uint32_t at = known < n ? known : n;
        T *restrict sum = (T *)g->sum + (size_t)at * (size_t)(width * lanes);
        if (known >= n) {
            slot[j] = base + n;
            g->list[n++] = j;
            memset(sum, 0, (size_t)(width * lanes) * sizeof *sum);
        }
        for (int32_t c = 0; c < width; c++, sum += lanes) {
            const T value = b[q + c];
            for (int m = 0; m < lanes; m++) sum[m] += f[m] * value;
        }
    }
    g->n = n;
}

__attribute__((always_inline)) static inline int64_t FN(sum_in)(
    const int lanes, const gs_grouping *G, gs_row_sums *ra, gs_row_sums *c, const gsolve_csr *R,
    const gsolve_csr *const factor[2], int32_t i)
{
    const gsolve_csr *A = factor[0], *P = factor[1];
    const int64_t begin = gs_start(R, i), length = gs_start(R, i + 1) - begin;
    const T *r = R->value;
    int64_t products = 0;

    gs_row_begin(ra, A->ncols);
    for (int64_t k = 0; k < length; k++) {
        const int32_t j = R->col[begin + k];
        T f[GS_MAX_GROUP] = {0};
        for (int32_t m = 0; m < G->rows; m++) f[m] = r[begin + m * length + k];
        FN(add_row)(ra, A, j, G->run_a, lanes, f);
        products += gs_start(A, j + 1) - gs_start(A, j);
    }
    gs_row_begin(c, P->ncols);
    for (uint32_t t = 0; t < ra->n; t++) {
        const T *f = (const T *)ra->sum + (size_t)t * (size_t)(G->run_a * lanes);
        for (int32_t k = 0; k < G->run_a; k++) {
            const int32_t j = ra->list[t] + k;
            FN(add_row)(c, P, j, G->run_p, lanes, f + k * lanes);
            products += gs_start(P, j + 1) - gs_start(P, j);
        }
    }
    return products * G->rows;
}

static int64_t FN(sum)(const gs_grouping *G, gs_row_sums *ra, gs_row_sums *c, const gsolve_csr *R,
                       const gsolve_csr *A, const gsolve_csr *P, int32_t i)
{
    const gsolve_csr *const factor[2] = {A, P};

    return gs_group_lanes(G) == GS_MAX_GROUP ? FN(sum_in)(GS_MAX_GROUP, G, ra, c, R, factor, i)
                                             : FN(sum_in)(GS_MAX_GROUP / 2, G, ra, c, R, factor, i);
}

static void FN(put)(const gs_grouping *G, const gs_row_sums *c, const int32_t *col, int32_t length,
                    void *value)
{
    const int32_t lanes = gs_group_lanes(G);
    T *to = value;

    for (int32_t e = 0; e < length; e++) {
        const int32_t first = e - e % G->run_p;
        const size_t at = c->slot[col[first]] - c->base;
        const T *sum = (const T *)c->sum + (at * (size_t)G->run_p + (size_t)(e - first)) * lanes;
        for (int32_t m = 0; m < G->rows; m++) to[(int64_t)m * length + e] = sum[m];
    }
}
