/* relax.h: what a product and the vectors around it come to in one pass over the rows of a matrix,
 * for rows of similar lengths. Each row has its sum in one order, whatever the threads.
 *
 * A residual moves 12 bytes an entry (8 in fp32), 4 a row and three vectors, where a copy and a
 * product move five; a step moves five vectors instead of eight. */
#ifndef GS_PRECOND_AMG_SMOOTHERS_RELAX_H
#define GS_PRECOND_AMG_SMOOTHERS_RELAX_H

#include "matrix/csr.h"

typedef struct gs_relax_kernels {
    /* *longest, on the host = the entries of A's longest row */
    gsolve_status (*longest)(gsolve_context *ctx, const gsolve_csr *A, int32_t *longest);
    /* r = b - A x; mean: entries a row of A, by which a GPU is shared out. Vectors have so many
     * columns, a row's numbers side by side. */
    gsolve_status (*residual)(gs_queue *q, const gsolve_csr *A, double mean, int32_t columns,
                              const void *b, const void *x, void *r);
    /* y = x + a d * (b - A x) + c (x - old); old may be y, and NULL: counts as 0; c 0: it is not
     * read. x and y are apart. d: a number a row. */
    gsolve_status (*relax)(gs_queue *q, const gsolve_csr *A, double mean, int32_t columns, double a,
                           double c, const void *d, const void *b, const void *x, const void *old,
                           void *y);
} gs_relax_kernels;

extern const gs_relax_kernels gs_relax_host[GSOLVE_TYPE_COUNT];
extern const gs_relax_kernels gs_relax_cuda[GSOLVE_TYPE_COUNT];

/* Whether these passes are what suits matrix, whose rows A are: it is multiplied by its rows, which
 * are of similar lengths. *mean: entries a row. Waits for the device. */
gsolve_status gs_relax_applies(bool *suits, double *mean, gsolve_context *ctx,
                               const gsolve_matrix *matrix, const gsolve_csr *A);

/* Whether A's rows, of so many entries on average, are of similar lengths; longest: entries of the
 * longest, or 0: it is looked for, and the device waited for. */
gsolve_status gs_relax_rows_are_even(bool *even, gsolve_context *ctx, const gsolve_csr *A,
                                     double mean, int32_t longest);

#endif
