/* gauss_seidel_rows.h: the rows of one block from at to end, for one type OFFSET of row starts.
 * Each waits for the one before it, so that what waits is kept short. */

/* Row i times x, or old outside the block. Sums before and after the diagonal are apart, so that
 * the product with the element reached last is not waited for by the others. */
static inline __attribute__((always_inline)) T ON(row_product)(OFFSET k, OFFSET to, const T *value,
                                                               const int32_t *col, int32_t i,
                                                               int32_t at, int32_t end, const T *x,
                                                               const T *old)
{
    T before = 0, after = 0;

    for (; k < to && col[k] < at; k++) after += value[k] * old[col[k]];
    for (; k < to && col[k] < i; k++) before += value[k] * x[col[k]];
    for (; k < to && col[k] < end; k++) after += value[k] * x[col[k]];
    for (; k < to; k++) after += value[k] * old[col[k]];
    return after + before;
}

static void ON(sweep_block_from_x)(const gsolve_csr *A, int32_t at, int32_t end, bool back,
                                   const T *d, const T *b, T *x, const T *old)
{
    const OFFSET *start = A->start;
    const int32_t step = back ? -1 : 1;

    for (int32_t i = back ? end - 1 : at; i >= at && i < end; i += step) {
        const T Ax = ON(row_product)(start[i], start[i + 1], A->value, A->col, i, at, end, x, old);
        x[i] += d[i] * (b[i] - Ax);
    }
}

/* From 0, where only what has been reached counts: the latest comes last, and each is multiplied by
 * d_i a_ij, which does not wait. The loops are short: vectors of them would be slower. */
static void ON(up_from_zero)(const gsolve_csr *A, int32_t at, int32_t end, const T *d, const T *b,
                             T *x)
{
    const OFFSET *start = A->start;
    const int32_t *col = A->col;
    const T *value = A->value;

    for (int32_t i = at; i < end; i++) {
        OFFSET from = start[i], to;
        T sum = d[i] * b[i];
        while (from < start[i + 1] && col[from] < at) from++;
        for (to = from; to < start[i + 1] && col[to] < i; to++) continue;
#pragma omp simd safelen(1)
        for (OFFSET k = from; k < to; k++) sum -= d[i] * value[k] * x[col[k]];
        x[i] = sum;
    }
}

static void ON(down_from_zero)(const gsolve_csr *A, int32_t at, int32_t end, const T *d, const T *b,
                               T *x)
{
    const OFFSET *start = A->start;
    const int32_t *col = A->col;
    const T *value = A->value;

    for (int32_t i = end - 1; i >= at; i--) {
        OFFSET from = start[i], to = start[i + 1];
        T sum = d[i] * b[i];
        while (from < to && col[from] <= i) from++;
        while (from < to && col[to - 1] >= end) to--;
#pragma omp simd safelen(1)
        for (OFFSET k = to - 1; k >= from; k--) sum -= d[i] * value[k] * x[col[k]];
        x[i] = sum;
    }
}

static void ON(sweep_block_from_zero)(const gsolve_csr *A, int32_t at, int32_t end, bool back,
                                      const T *d, const T *b, T *x)
{
    (back ? ON(down_from_zero) : ON(up_from_zero))(A, at, end, d, b, x);
}

/* With A': each row, once reached, is taken from what is left (r) of those after it in its block.
 */
static void ON(transposed_block)(const gsolve_csr *A, int32_t at, int32_t end, bool zero, bool back,
                                 const T *d, T *r, T *x)
{
    const OFFSET *start = A->start;
    const T *value = A->value;

    for (int32_t i = back ? end - 1 : at; i >= at && i < end; i += back ? -1 : 1) {
        const T y = d[i] * r[i];
        for (OFFSET k = start[i]; k < start[i + 1]; k++) {
            const int32_t j = A->col[k];
            if (j >= at && j < end && (back ? j < i : j > i)) r[j] -= value[k] * y;
        }
        x[i] = zero ? y : x[i] + y;
    }
}
