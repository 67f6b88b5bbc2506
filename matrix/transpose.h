/* transpose.h: A' at the location of A, and new values for it. */
#ifndef GS_MATRIX_TRANSPOSE_H
#define GS_MATRIX_TRANSPOSE_H

#include "matrix/csr.h"

typedef struct gs_transpose_kernels {
    /* T = A', owned, with ascending columns. A has that many entries. (*order)[k] = the number in A
     * of entry k of T, in 32 bits if it fits; release it with gsolve_free. All arrays are where
     * ctx's kernels read them. */
    gsolve_status (*make)(gsolve_csr *T, void **order, gsolve_context *ctx, const gsolve_csr *A,
                          int64_t entries);
    /* Copies new values of A, whose pattern is unchanged, to T. */
    gsolve_status (*refill)(const gsolve_csr *T, const void *order, gsolve_context *ctx,
                            const gsolve_csr *A);
} gs_transpose_kernels;

extern const gs_transpose_kernels gs_transpose_host[GSOLVE_TYPE_COUNT];
extern const gs_transpose_kernels gs_transpose_cuda[GSOLVE_TYPE_COUNT];

static inline gsolve_status gs_transpose_make(gsolve_csr *T, void **order, gsolve_context *ctx,
                                              const gsolve_csr *A, int64_t entries)
{
    return GS_KERNELS(gs_transpose, ctx, A->type)->make(T, order, ctx, A, entries);
}

static inline gsolve_status gs_transpose_refill(const gsolve_csr *T, const void *order,
                                                gsolve_context *ctx, const gsolve_csr *A)
{
    return GS_KERNELS(gs_transpose, ctx, A->type)->refill(T, order, ctx, A);
}

#endif
