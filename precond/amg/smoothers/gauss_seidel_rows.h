/* gauss_seidel_rows.h: sweeps over the rows [at, end) of one block for one offset type. Each row
 * depends on the row before it, so that the code keeps the dependent chain of operations short. */

/* Row i times x; outside the block x counts with its old values. The sums before and after the
 * diagonal are separate, so that only one of them depends on the row updated last. */
static inline __attribute__((always_inline)) T ON(row_product)(const gsolve_csr *A, int32_t i,
                                                               int32_t at, int32_t end, const T *x,
                                                               const T *old)
{
    const OFFSET *start = A->start, to = start[i + 1];
    const int32_t *col = A->col;
    const T *value = A->value;
    OFFSET k = start[i];
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
    const int32_t step = back ? -1 : 1;

    for (int32_t i = back ? end - 1 : at; i >= at && i < end; i += step) {
        const T Ax = ON(row_product)(A, i, at, end, x, old);
        x[i] += d[i] * (b[i] - Ax);
    }
}

/* From x = 0: only rows of the block that have been updated count. The row updated last is added
 * last. Each x_j is multiplied by d_i a_ij, a product that depends on no other row. The loops are
 * short, so that vector instructions would be slower. */
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

/* With A': after row i is updated, its part is subtracted from r in the later rows of the block. */
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
