/* operand.h: prepares the caller's matrices for a product: checks and sorts them, and copies them
 * to where kernels read them. */
#ifndef GS_SPGEMM_OPERAND_H
#define GS_SPGEMM_OPERAND_H

#include "matrix/csr.h"

typedef struct gs_operand {
    gsolve_csr
        used; /* the matrix to multiply: the caller's arrays, or those of own if it has them */
    gsolve_csr own; /* a copy, or all zero */
    int64_t entries;
} gs_operand;

/* Prepares *in from the matrix `given`. name: "A" or the like, for error messages. On failure there
 * is nothing to free. */
gsolve_status gs_operand_prepare(gs_operand *in, gsolve_context *ctx, const char *name,
                                 const gsolve_csr *given);
void gs_operand_free(gs_operand *in, gsolve_context *ctx);

/* Puts the name of the matrix before the last error message, if `status` says that the matrix is
 * wrong. Returns status. */
gsolve_status gs_prefix_matrix(gsolve_context *ctx, const char *name, gsolve_status status);

/* Copies the caller's arrays that `used` refers to, so that the operand owns its pattern and, if
 * `values`, its values. */
gsolve_status gs_operand_own(gs_operand *in, gsolve_context *ctx, bool values);

/* Frees the values that the operand owns. */
void gs_operand_free_values(gs_operand *in, gsolve_context *ctx);

/* *fresh = the pattern of kept with the values of given. kept owns its pattern. The caller frees
 * *fresh after use. GSOLVE_BAD_MATRIX: the pattern of given differs. */
gsolve_status gs_operand_update(gs_operand *fresh, gsolve_context *ctx, const char *name,
                                const gs_operand *kept, const gsolve_csr *given);

/* Checks that A B is possible: sizes, types and locations. names: for the error message. */
gsolve_status gs_operands_check(gsolve_context *ctx, const char *names, const gsolve_csr *A,
                                const gsolve_csr *B);

#endif
