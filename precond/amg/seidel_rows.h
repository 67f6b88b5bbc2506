/* seidel_rows.h: the rows of one block from at to end, for one type OFFSET of row starts. Each
 * waits for the one before it, so that what waits is kept short: the elements reached in this sweep
 * come last, the latest at the very end, and each is multiplied by d_i a_ij, which does not wait.
 */

/* x_i after the others have given rest; near: the entries that have been reached, up to i or (back)
 * down to it. */
static inline __attribute__((always_inline)) T ON(end_row)(T x, T d, OFFSET near, OFFSET near_end,
                                                           const T *value, const int32_t *col,
                                                           bool back, const T *reached)
{
    if (back) {
        for (OFFSET k = near_end; k-- > near;) x -= d * value[k] * reached[col[k]];
    } else {
        for (OFFSET k = near; k < near_end; k++) x -= d * value[k] * reached[col[k]];
    }
    return x;
}

static inline __attribute__((always_inline)) void ON(next_rows)(const gsolve_csr *A, int32_t at,
                                                                int32_t end, bool back, const T *d,
                                                                const T *b, T *x, const T *old)
{
    const OFFSET *start = A->start;
    const int32_t *col = A->col;
    const T *value = A->value;

    for (int32_t i = back ? end - 1 : at; i >= at && i < end; i += back ? -1 : 1) {
        const OFFSET to = start[i + 1];
        OFFSET k = start[i], near, near_end;
        T rest = 0;
        for (; k < to && col[k] < at; k++) rest += value[k] * old[col[k]];
        for (near = k; !back && k < to && col[k] < i; k++) continue;
        for (near_end = k; k < to && col[k] < (back ? i + 1 : end); k++) {
            rest += value[k] * x[col[k]];
        }
        for (near = back ? k : near; back && k < to && col[k] < end; k++) continue;
        near_end = back ? k : near_end;
        for (; k < to; k++) rest += value[k] * old[col[k]];
        x[i] = ON(end_row)(x[i] + d[i] * (b[i] - rest), d[i], near, near_end, value, col, back, x);
    }
}

/* From 0: only what has been reached counts. */
static inline __attribute__((always_inline)) void ON(first_rows)(const gsolve_csr *A, int32_t at,
                                                                 int32_t end, bool back, const T *d,
                                                                 const T *b, T *x)
{
    const OFFSET *start = A->start;
    const int32_t *col = A->col;

    for (int32_t i = back ? end - 1 : at; i >= at && i < end; i += back ? -1 : 1) {
        OFFSET near = start[i], near_end = start[i + 1];
        while (near < near_end && col[near] < (back ? i + 1 : at)) near++;
        if (back) {
            while (near < near_end && col[near_end - 1] >= end) near_end--;
        } else {
            OFFSET k = near;
            while (k < near_end && col[k] < i) k++;
            near_end = k;
        }
        x[i] = ON(end_row)(d[i] * b[i], d[i], near, near_end, A->value, col, back, x);
    }
}

static void ON(next)(const gsolve_csr *A, int32_t at, int32_t end, bool back, const T *d,
                     const T *b, T *x, const T *old)
{
    if (back) {
        ON(next_rows)(A, at, end, true, d, b, x, old);
    } else {
        ON(next_rows)(A, at, end, false, d, b, x, old);
    }
}

static void ON(first)(const gsolve_csr *A, int32_t at, int32_t end, bool back, const T *d,
                      const T *b, T *x)
{
    if (back) {
        ON(first_rows)(A, at, end, true, d, b, x);
    } else {
        ON(first_rows)(A, at, end, false, d, b, x);
    }
}

/* With A': each row, once reached, is taken from what is left (r) of those after it in its block.
 */
static void ON(turned)(const gsolve_csr *A, int32_t at, int32_t end, bool zero, bool back,
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
