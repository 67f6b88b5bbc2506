/* hash_body.h: the sums for one type of values, see hash.h. */

/* sum[k] for the how-manieth column k: those of row i of A B. */
static void FN(sum_row)(const gsolve_csr *A, const gsolve_csr *B, int32_t i, gs_hash_table *t,
                        T *sum)
{
    const T *a = A->value, *b = B->value;
    const int64_t to = gs_start(A, i + 1);

    for (int64_t k = gs_start(A, i); k < to; k++) {
        const int32_t j = A->col[k];
        const int64_t end = gs_start(B, j + 1);
        for (int64_t e = gs_start(B, j); e < end; e++) {
            const int32_t before = t->found, at = gs_hash_order(t, B->col[e]);
            sum[at] = (at == before ? 0 : sum[at]) + a[k] * b[e];
        }
    }
}

/* Row i of C, which has its offsets. */
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

/* The values alone: with C's columns first in the table, the how-manieth is the place. */
static void FN(renew_row)(const gsolve_csr *A, const gsolve_csr *B, const gs_csr_arrays *C,
                          int32_t i, gs_hash_table *t)
{
    const int64_t from = gs_start(&C->csr, i), to = gs_start(&C->csr, i + 1);
    T *value = (T *)C->value + from;

    for (int64_t k = from; k < to; k++) {
        value[gs_hash_order(t, C->col[k])] = 0;
    }
    FN(sum_row)(A, B, i, t, value);
    gs_hash_empty(t);
}
