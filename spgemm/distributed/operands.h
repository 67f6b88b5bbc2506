/* operands.h: the matrices that distributed products multiply. */
#ifndef GS_SPGEMM_DISTRIBUTED_OPERANDS_H
#define GS_SPGEMM_DISTRIBUTED_OPERANDS_H

#include "dist/rows.h"

/* Fails unless A B is possible here: on the host, with equal types, and with columns of A that are
 * divided as the rows of B. names: "A B", for the sentence. Local. */
gsolve_status gs_dist_check_fit(gsolve_context *ctx, const char *names, const gsolve_dist_csr *A,
                                const gsolve_dist_csr *B);

/* A matrix of the caller, for the functions of distributed.h. */
typedef struct gs_dist_operand {
    gsolve_dist_csr used; /* complete and with ascending columns: the caller's arrays, or own */
    gsolve_dist_csr own;  /* a sorted copy, or all zero */
} gs_dist_operand;

/* Checks the rows of all ranks, and sorts them if they must be. name: "A" or the like, for error
 * messages. Collective. On failure, which is that of all ranks, there is nothing to free. */
gsolve_status gs_dist_operand_prepare(gs_dist_operand *in, gsolve_context *ctx, const char *name,
                                      const gsolve_dist_csr *given);
void gs_dist_operand_free(gs_dist_operand *in, gsolve_context *ctx);

#endif
