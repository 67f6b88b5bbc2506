/* row_sums_body.h: the sums of a row of a product, for one value type. */

/* The slot of a column in the row is base + its position; all other slots are below base. No branch
 * depends on the pattern. */
static int64_t FN(gather)(gs_row_sums *g, const gsolve_csr *B, const int32_t *restrict rows,
                          const void *factors, int64_t from, int64_t to)
{
    gs_row_begin(g, B->ncols);
    const uint32_t base = g->base;
    uint32_t *restrict slot = g->slot, n = 0;
    int32_t *restrict list = g->list;
    T *restrict sum = g->sum;
    const int32_t *restrict b_col = B->col;
    const T *restrict b = B->value, *restrict f = factors;
    int64_t products = 0;

    for (int64_t k = from; k < to; k++) {
        const T a = f[k];
        const int64_t begin = gs_start(B, rows[k]), end = gs_start(B, rows[k] + 1);
        products += end - begin;
        for (int64_t q = begin; q < end; q++) {
            const int32_t j = b_col[q];
            const uint32_t known = slot[j] - base; /* n or more: a new column */
            const uint32_t at = known < n ? known : n;
            const T before = known < n ? sum[at] : 0;
            n += known >= n;
            slot[j] = base + at;
            list[at] = j;
            sum[at] = before + a * b[q];
        }
    }
    g->n = n;
    return products;
}

static void FN(store)(const gs_row_sums *g, int32_t ncols, int32_t *restrict col, void *value)
{
    T *restrict c = value;
    const T *restrict sum = g->sum;
    const int32_t *restrict list = g->list;
    int32_t rank[GS_RANKED];

    if (g->n <= GS_RANKED) {
        rank_columns((int32_t)g->n, list, rank);
        for (uint32_t t = 0; t < g->n; t++) {
            col[rank[t]] = list[t];
            c[rank[t]] = sum[t];
        }
    } else {
        sort_columns(g, ncols, col);
        for (uint32_t t = 0; t < g->n; t++) c[t] = sum[g->slot[col[t]] - g->base];
    }
}

static void FN(refill)(const gs_csr_arrays *C, int32_t i, uint32_t *restrict slot,
                       const gsolve_csr *B, const int32_t *restrict rows, const void *factors,
                       int64_t from, int64_t to)
{
    const int64_t first = gs_start(&C->csr, i);
    const int32_t n = (int32_t)(gs_start(&C->csr, i + 1) - first);
    const int32_t *restrict b_col = B->col, *restrict c_col = C->col + first;
    const T *restrict b = B->value, *restrict f = factors;
    T *restrict c = (T *)C->value + first;

    for (int32_t t = 0; t < n; t++) {
        slot[c_col[t]] = (uint32_t)t;
        c[t] = 0;
    }
    for (int64_t k = from; k < to; k++) {
        const T a = f[k];
        const int32_t j = rows[k];
        const int64_t end = gs_start(B, j + 1);
        for (int64_t q = gs_start(B, j); q < end; q++) c[slot[b_col[q]]] += a * b[q];
    }
}
