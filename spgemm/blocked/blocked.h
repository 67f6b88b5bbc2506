/* blocked.h: from compressed rows to rows of dense blocks and back. */
#ifndef GS_SPGEMM_BLOCKED_BLOCKED_H
#define GS_SPGEMM_BLOCKED_BLOCKED_H

#include "spgemm/blocked/blocked_type.h"

#define GS_MOST_BLOCK 8 /* the most rows, and the most columns, of a block */

/* As the public functions of these names, but the arguments are not NULL. */
gsolve_status gs_blocked_from_csr(gs_blocked *B, gsolve_context *ctx, int32_t height, int32_t width,
                                  const gsolve_csr *A);
gsolve_status gs_blocked_to_csr(gsolve_csr *A, gsolve_context *ctx, const gs_blocked *B);
gsolve_status gs_blocked_multiply(gs_blocked *C, gsolve_context *ctx, const char *spec,
                                  const gs_blocked *A, const gs_blocked *B);
void gs_blocked_free(gs_blocked *B, gsolve_context *ctx);

/* A's columns ascend; all arrays are where these kernels read them. */
typedef struct gs_blocked_kernels {
    /* count[I], int64: blocks of block row I of A, for each of B's rows */
    gsolve_status (*count)(gsolve_context *ctx, const gs_blocked *B, const gsolve_csr *A,
                           int64_t *count);
    /* B's columns and values; its offsets are set */
    gsolve_status (*fill)(gsolve_context *ctx, const gs_blocked *B, const gsolve_csr *A);
    /* B's values, A having new ones in the pattern that B was made of */
    gsolve_status (*refill)(gsolve_context *ctx, const gs_blocked *B, const gsolve_csr *A);
    /* start[0..n] = offsets, of B's offset type, from count[0..n), which it may change: count[n]
     * counts, too */
    gsolve_status (*offsets)(gsolve_context *ctx, const gsolve_csr *B, int64_t *count);
    /* *total = the sum of count[0..n) */
    gsolve_status (*total)(gsolve_context *ctx, int32_t n, const int64_t *count, int64_t *total);
    /* A from B: offsets, columns and values */
    gsolve_status (*spread)(gsolve_context *ctx, const gsolve_csr *A, const gs_blocked *B);
} gs_blocked_kernels;

extern const gs_blocked_kernels gs_blocked_host[GSOLVE_TYPE_COUNT];
extern const gs_blocked_kernels gs_blocked_cuda[GSOLVE_TYPE_COUNT];

#endif
