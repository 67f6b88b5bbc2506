/* relax.h: a product fused with the vector operations around it, as one pass over the rows of a
 * matrix with rows of similar lengths. The order of each row's sum does not depend on the number of
 * threads.
 *
 * A residual moves 12 bytes per entry (8 in fp32), 4 per row and three vectors; a copy and a
 * product move five vectors. A step moves five vectors instead of eight. */
#ifndef GS_PRECOND_AMG_SMOOTHERS_RELAX_H
#define GS_PRECOND_AMG_SMOOTHERS_RELAX_H

#include "spmv/step.h"

typedef struct gs_relax_kernels {
    /* *longest = the number of entries of A's longest row; on the host */
    gsolve_status (*longest)(gsolve_context *ctx, const gsolve_csr *A, int32_t *longest);
    /* y of step from x, or the residual, see spmv/step.h; wide is NULL. mean: entries per row of A,
     * which sets the threads per row on a GPU. Vectors have this many columns, row-major. x and y
     * do not overlap. */
    gsolve_status (*relax)(gs_queue *q, const gsolve_csr *A, double mean, int32_t columns,
                           const void *x, const gs_step *step);
} gs_relax_kernels;

extern const gs_relax_kernels GS_HOST_TABLES(gs_relax);
extern const gs_relax_kernels gs_relax_cuda[GSOLVE_TYPE_COUNT];

/* Whether the passes pay off for matrix, whose rows A are: its format multiplies by rows, and these
 * have similar lengths. *mean: entries per row. Synchronises. */
gsolve_status gs_relax_applies(bool *applies, double *mean, gsolve_context *ctx,
                               const gsolve_matrix *matrix, const gsolve_csr *A);

/* Whether A's rows, with this mean number of entries, have similar lengths. longest: entries of the
 * longest row; 0: it is computed, and the host synchronises. */
gsolve_status gs_relax_rows_are_even(bool *even, gsolve_context *ctx, const gsolve_csr *A,
                                     double mean, int32_t longest);

#endif
