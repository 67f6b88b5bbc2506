/* transform_support.h: matrices whose rows are shuffled or badly scaled, for the tests of scaling
 * and ordering. */
#ifndef TESTS_TRANSFORM_SUPPORT_H
#define TESTS_TRANSFORM_SUPPORT_H

#include <math.h>

#include "tests/common.h"

/* p = a permutation of 0 to n - 1; free it. */
static inline int32_t *random_permutation(int32_t n, uint64_t seed)
{
    int32_t *p = malloc(((size_t)n + 1) * sizeof *p);

    for (int32_t i = 0; i < n; i++) p[i] = i;
    for (int32_t i = n - 1; i > 0; i--) {
        const int32_t j = (int32_t)((gsolve_random(seed, (uint64_t)i) + 1) / 2 * (i + 1)) % (i + 1);
        const int32_t kept = p[i];
        p[i] = p[j];
        p[j] = kept;
    }
    return p;
}

/* The entry (i, j) of A becomes (p_i, p_j) with the value row_i a_ij col_j. NULL: identity, ones.
 */
static inline gsolve_csr changed(gsolve_context *ctx, const gsolve_csr *A, const int32_t *p,
                                 const double *row, const double *col)
{
    const int64_t entries = gsolve_csr_entries(A);
    int32_t *i = malloc(((size_t)entries + 1) * sizeof *i);
    int32_t *j = malloc(((size_t)entries + 1) * sizeof *j);
    double *v = malloc(((size_t)entries + 1) * sizeof *v);
    gsolve_csr B;

    for (int32_t r = 0; r < A->nrows; r++) {
        for (int64_t k = gs_start(A, r); k < gs_start(A, r + 1); k++) {
            const int32_t c = A->col[k];
            i[k] = p ? p[r] : r;
            j[k] = p ? p[c] : c;
            v[k] = gs_value(A, k) * (row ? row[r] : 1) * (col ? col[c] : 1);
        }
    }
    OK(ctx, gs_csr_from_triplets(&B, ctx, A->nrows, A->ncols, entries, i, j, v));
    free(i);
    free(j);
    free(v);
    return B;
}

static inline gsolve_csr shuffled(gsolve_context *ctx, const char *matrix, uint64_t seed)
{
    gsolve_csr A = read_matrix(ctx, matrix);
    int32_t *p = random_permutation(A.nrows, seed);
    const gsolve_csr B = changed(ctx, &A, p, NULL, NULL);

    free(p);
    gsolve_csr_free(&A, ctx);
    return B;
}

/* n numbers between 10^-range and 10^range. */
static inline double *random_scales(int32_t n, double range, uint64_t seed)
{
    double *s = random_vector(n, seed);

    for (int32_t i = 0; i < n; i++) s[i] = pow(10, range * s[i]);
    return s;
}

/* R A, or R A R if symmetric, for random scales. */
static inline gsolve_csr badly_scaled(gsolve_context *ctx, const char *matrix, double range,
                                      bool symmetric, uint64_t seed)
{
    gsolve_csr A = read_matrix(ctx, matrix);
    double *s = random_scales(A.nrows, range, seed);
    const gsolve_csr B = changed(ctx, &A, NULL, s, symmetric ? s : NULL);

    free(s);
    gsolve_csr_free(&A, ctx);
    return B;
}

/* b = A x in column c of both. */
static inline void multiply_host(const gsolve_csr *A, const double *x, double *b)
{
    for (int32_t i = 0; i < A->nrows; i++) {
        b[i] = 0;
        for (int64_t k = gs_start(A, i); k < gs_start(A, i + 1); k++) {
            b[i] += gs_value(A, k) * x[A->col[k]];
        }
    }
}

/* |b - A x| / |b| in long double. */
static inline double true_residual(const gsolve_csr *A, const double *b, const double *x)
{
    long double rr = 0, bb = 0;

    for (int32_t i = 0; i < A->nrows; i++) {
        long double r = b[i];
        for (int64_t k = gs_start(A, i); k < gs_start(A, i + 1); k++) {
            r -= (long double)gs_value(A, k) * x[A->col[k]];
        }
        rr += r * r;
        bb += (long double)b[i] * b[i];
    }
    return (double)(bb > 0 ? sqrtl(rr / bb) : sqrtl(rr));
}

#endif
