/* operand.h: the caller's matrices as products take them: clean, and where kernels read them. */
#ifndef GS_SPGEMM_OPERAND_H
#define GS_SPGEMM_OPERAND_H

#include "matrix/csr.h"

typedef struct gs_operand {
    gsolve_csr used; /* the caller's arrays where they serve as they are; else views of own */
    gsolve_csr own;  /* a copy, or all zero */
    int64_t entries;
} gs_operand;

/* *in from what was given; name: "A", for the sentences. On failure there is nothing to drop. */
gsolve_status gs_operand_prepare(gs_operand *in, gsolve_context *ctx, const char *name,
                                 const gsolve_csr *given);
void gs_operand_free(gs_operand *in, gsolve_context *ctx);

/* From here on in holds its pattern (its values too, if values), and no array of the caller's but
 * values. */
gsolve_status gs_operand_own(gs_operand *in, gsolve_context *ctx, bool values);

/* The values that were kept, or stem from the host, are not needed any more. */
void gs_operand_free_values(gs_operand *in, gsolve_context *ctx);

/* kept, which gs_operand_own has served, with the values of given, of the same pattern. *fresh:
 * what holds these, to be dropped after use. GSOLVE_BAD_MATRIX: the pattern differs. */
gsolve_status gs_operand_update(gs_operand *fresh, gsolve_context *ctx, const char *name,
                                const gs_operand *kept, const gsolve_csr *given);

/* Whether A B can be made: shapes, types and places, with a sentence. */
gsolve_status gs_operands_check(gsolve_context *ctx, const char *names, const gsolve_csr *A,
                                const gsolve_csr *B);

#endif
