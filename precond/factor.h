/* factor.h: incomplete factors A ~ L U on a given pattern, in double, and what is made of them. */
#ifndef GS_FACTOR_H
#define GS_FACTOR_H

#include "precond/triangle.h"

#define GS_MOST_SHIFT 1e3 /* of the diagonal, beyond which a factorisation is given up */

typedef struct gs_factor { /* the rows of a strict triangle */
    int64_t *start;        /* n + 1 */
    int32_t *col;          /* ascending */
    double *value;
} gs_factor;

gsolve_status gs_factor_new(gs_factor *f, gsolve_context *ctx, int32_t n, int64_t entries);
void gs_factor_free(gs_factor *f, gsolve_context *ctx);

/* T = F', a strict triangle of the other kind. */
gsolve_status gs_factor_transpose(gs_factor *T, gsolve_context *ctx, int32_t n, const gs_factor *F);

/* Lower (upper: upper) strict triangle of csr, in double. */
gsolve_status gs_factor_triangle(gs_factor *f, gsolve_context *ctx, const gsolve_csr *csr,
                                 bool upper);

/* The next shift to try after one that broke down: 0.001, then double. */
static inline double gs_next_shift(double shift)
{
    return shift > 0 ? 2 * shift : 1e-3;
}

#endif
