/* gustavson_body.h: the sums of a row of C = A B, for one value type. */

/* Writes the columns of row i to list and their sums to sum, in the order in which they occur.
 * Returns their number. The slot of a column in the row is base + its position; all other slots are
 * below base. No branch depends on the pattern. */
static uint32_t FN(gather_row)(const gsolve_csr *A, const gsolve_csr *B, int32_t i, uint32_t base,
                               uint32_t *restrict slot, int32_t *restrict list, T *restrict sum)
{
    const int64_t a_end = gs_start(A, i + 1);
    const int32_t *restrict b_col = B->col;
    const T *restrict b = B->value;
    uint32_t n = 0;

    for (int64_t k = gs_start(A, i); k < a_end; k++) {
        const T a = ((const T *)A->value)[k];
        const int64_t end = gs_start(B, A->col[k] + 1);
        for (int64_t q = gs_start(B, A->col[k]); q < end; q++) {
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
    return n;
}

static uint32_t FN(make_row)(const gsolve_csr *A, const gsolve_csr *B, const gs_csr_arrays *C,
                             int32_t i, uint32_t base, const gs_gustavson_work *work)
{
    int32_t *restrict col = C->col + gs_start(&C->csr, i);
    T *restrict c = (T *)C->value + gs_start(&C->csr, i);
    const T *restrict sum = work->sum;
    const int32_t *restrict list = work->list;
    const uint32_t n = FN(gather_row)(A, B, i, base, work->slot, work->list, work->sum);
    int32_t rank[GS_RANKED];

    if (n <= GS_RANKED) {
        gs_gustavson_rank((int32_t)n, list, rank);
        for (uint32_t t = 0; t < n; t++) {
            col[rank[t]] = list[t];
            c[rank[t]] = sum[t];
        }
    } else {
        gs_gustavson_sort((int32_t)n, work, B->ncols, col);
        for (uint32_t t = 0; t < n; t++) c[t] = sum[work->slot[col[t]] - base];
    }
    return n;
}

static void FN(sum_row)(const gsolve_csr *A, const gsolve_csr *B, const gs_csr_arrays *C, int32_t i,
                        uint32_t *restrict slot)
{
    const int64_t first = gs_start(&C->csr, i), a_end = gs_start(A, i + 1);
    const int32_t n = (int32_t)(gs_start(&C->csr, i + 1) - first);
    const int32_t *restrict b_col = B->col, *restrict c_col = C->col + first;
    const T *restrict b = B->value;
    T *restrict c = (T *)C->value + first;

    for (int32_t t = 0; t < n; t++) {
        slot[c_col[t]] = (uint32_t)t;
        c[t] = 0;
    }
    for (int64_t k = gs_start(A, i); k < a_end; k++) {
        const T a = ((const T *)A->value)[k];
        const int64_t end = gs_start(B, A->col[k] + 1);
        for (int64_t q = gs_start(B, A->col[k]); q < end; q++) c[slot[b_col[q]]] += a * b[q];
    }
}
