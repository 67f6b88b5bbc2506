/* gustavson_body.h: the sums of a row of C = A B, for one value type. */

static void FN(sum_row)(const gsolve_csr *A, const gsolve_csr *B, const gsolve_csr *C, int32_t i,
                        int32_t *restrict slot)
{
    const int64_t first = gs_start(C, i), a_end = gs_start(A, i + 1);
    const int32_t n = (int32_t)(gs_start(C, i + 1) - first);
    const int32_t *restrict b_col = B->col, *restrict c_col = C->col + first;
    const T *restrict b = B->value;
    T *restrict c = (T *)(uintptr_t)C->value + first;

    for (int32_t t = 0; t < n; t++) {
        slot[c_col[t]] = t;
        c[t] = 0;
    }
    for (int64_t k = gs_start(A, i); k < a_end; k++) {
        const T a = ((const T *)A->value)[k];
        const int64_t end = gs_start(B, A->col[k] + 1);
        for (int64_t q = gs_start(B, A->col[k]); q < end; q++) c[slot[b_col[q]]] += a * b[q];
    }
}
