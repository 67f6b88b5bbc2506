/* hash_body.h: rows of C on the CPU for one value type, see hash.h. */

/* sum[k] = the entry of row i of A B in the column with index k in the table. New columns are
 * inserted. */
static void FN(sum_row)(const gsolve_csr *A, const gsolve_csr *B, int32_t i, gs_hash_table *t,
                        T *sum)
{
    const T *a = A->value, *b = B->value;
    const int64_t to = gs_start(A, i + 1);

    for (int64_t k = gs_start(A, i); k < to; k++) {
        const int32_t j = A->col[k];
        const int64_t end = gs_start(B, j + 1);
        for (int64_t e = gs_start(B, j); e < end; e++) {
            const int32_t before = t->found, at = gs_hash_index(t, B->col[e]);
            sum[at] = (at == before ? 0 : sum[at]) + a[k] * b[e];
        }
    }
}

/* Columns and values of row i of C, whose offsets are set. space: a sum for each column. */
static void FN(fill_row)(const gsolve_csr *A, const gsolve_csr *B, const gs_csr_arrays *C,
                         int32_t i, gs_hash_table *t, void *space)
{
    const int64_t at = gs_start(&C->csr, i);
    int32_t *col = C->col + at;
    T *value = (T *)C->value + at, *sum = space;

    FN(sum_row)(A, B, i, t, sum);
    gs_hash_sort(t);
    for (int32_t k = 0; k < t->found; k++) {
        col[k] = (int32_t)(t->sort[k] >> 32);
        value[k] = sum[(uint32_t)t->sort[k]];
    }
    gs_hash_empty(t);
}

/* Recomputes the values of row i of C. C's columns are inserted first, so that the index of a
 * column is its position in the row. */
static void FN(update_row)(const gsolve_csr *A, const gsolve_csr *B, const gs_csr_arrays *C,
                           int32_t i, gs_hash_table *t)
{
    const int64_t from = gs_start(&C->csr, i), to = gs_start(&C->csr, i + 1);
    T *value = (T *)C->value + from;

    for (int64_t k = from; k < to; k++) {
        value[gs_hash_index(t, C->col[k])] = 0;
    }
    FN(sum_row)(A, B, i, t, value);
    gs_hash_empty(t);
}
