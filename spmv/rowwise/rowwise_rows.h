/* rowwise_rows.h: all rows, for one value type T and one type OFFSET of row starts. */

static void ON(scalar)(int threads, const gsolve_csr *A, double alpha, const T *restrict x,
                       double beta, T *restrict y)
{
    const OFFSET *start = A->start;
    const T *value = A->value;

#pragma omp parallel for schedule(dynamic, 512) num_threads(threads) if (A->nrows > 512)
    for (int32_t i = 0; i < A->nrows; i++) {
        const int64_t at = start[i], n = start[i + 1] - at;
        FN(finish_row)(alpha, FN(scalar_sum)(n, value + at, A->col + at, x), beta, &y[i]);
    }
}

static void ON(vector)(int threads, const gsolve_csr *A, double alpha, const T *restrict x,
                       double beta, T *restrict y)
{
    const OFFSET *start = A->start;
    const T *value = A->value;

#pragma omp parallel for schedule(dynamic, 512) num_threads(threads) if (A->nrows > 512)
    for (int32_t i = 0; i < A->nrows; i++) {
        const int64_t at = start[i], n = start[i + 1] - at;
        FN(finish_row)(alpha, FN(vector_sum)(n, value + at, A->col + at, x), beta, &y[i]);
    }
}
