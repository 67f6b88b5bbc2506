/* blocked.h: matrices of dense blocks: conversions from and to compressed rows, and products. */
#ifndef GS_SPGEMM_BLOCKED_BLOCKED_H
#define GS_SPGEMM_BLOCKED_BLOCKED_H

#include "spgemm/spgemm.h"

/* As the public functions gsolve_blocked_*, but the arguments are not NULL. */
gsolve_status gs_blocked_from_csr(gs_blocked *B, gsolve_context *ctx, int32_t height, int32_t width,
                                  const gsolve_csr *A);
/* column_major: of the numbers in a block */
gsolve_status gs_blocked_to_csr(gsolve_csr *A, gsolve_context *ctx, const gs_blocked *B,
                                bool column_major);
void gs_blocked_free(gs_blocked *B, gsolve_context *ctx);

/* A's columns ascend; all arrays are where these kernels read them. */
typedef struct gs_blocked_kernels {
    /* count[I] = the number of blocks in block row I of A, for I < B->csr.nrows */
    gsolve_status (*count)(gsolve_context *ctx, const gs_blocked *B, const gsolve_csr *A,
                           int64_t *count);
    /* Sets B's columns and values; its offsets are set. */
    gsolve_status (*fill)(gsolve_context *ctx, const gs_blocked *B, const gsolve_csr *A);
    /* Recomputes B's values from new values of A. A has the pattern from which B was made. */
    gsolve_status (*refill)(gsolve_context *ctx, const gs_blocked *B, const gsolve_csr *A);
    /* count[0..n] = the exclusive prefix sums of count[0..n); *total = count[n] */
    gsolve_status (*number)(gsolve_context *ctx, int32_t n, int64_t *count, int64_t *total);
    /* Sets A's offsets, columns and values from B, whose blocks are row-major or column-major. */
    gsolve_status (*spread)(gsolve_context *ctx, const gsolve_csr *A, const gs_blocked *B,
                            bool column_major);
} gs_blocked_kernels;

extern const gs_blocked_kernels GS_HOST_TABLES(gs_blocked);
extern const gs_blocked_kernels gs_blocked_cuda[GSOLVE_TYPE_COUNT];

#endif
