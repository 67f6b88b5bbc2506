/* operand.h: the caller's matrices prepared for a product: checked, sorted, and where kernels read
 * them. */
#ifndef GS_SPGEMM_OPERAND_H
#define GS_SPGEMM_OPERAND_H

#include "matrix/csr.h"

typedef struct gs_operand {
    gsolve_csr used; /* the matrix to use: the caller's arrays where possible, else those of own */
    gsolve_csr own;  /* a copy, or all zero */
    int64_t entries;
} gs_operand;

/* Prepares *in from the matrix `given`. name: "A" or the like, for error messages. On failure there
 * is nothing to free. */
gsolve_status gs_operand_prepare(gs_operand *in, gsolve_context *ctx, const char *name,
                                 const gsolve_csr *given);
void gs_operand_free(gs_operand *in, gsolve_context *ctx);

/* Copies the caller's arrays that in uses, so that it owns its pattern and, if `values`, its
 * values. */
gsolve_status gs_operand_own(gs_operand *in, gsolve_context *ctx, bool values);

/* Frees the values that in owns. */
void gs_operand_free_values(gs_operand *in, gsolve_context *ctx);

/* *fresh = the pattern of kept, which gs_operand_own has processed, with the values of given. The
 * caller frees *fresh after use. GSOLVE_BAD_MATRIX: the pattern of given differs. */
gsolve_status gs_operand_update(gs_operand *fresh, gsolve_context *ctx, const char *name,
                                const gs_operand *kept, const gsolve_csr *given);

/* Checks that A B is possible: sizes, types and locations. names: for the error message. */
gsolve_status gs_operands_check(gsolve_context *ctx, const char *names, const gsolve_csr *A,
                                const gsolve_csr *B);

#endif
