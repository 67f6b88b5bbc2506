/* blocks_as_numbers.c: must not compile: a matrix of blocks has no rows of single numbers. */
#include "gsolve.h"

gsolve_status blocks_as_numbers(gsolve_matrix **A, gsolve_context *ctx, const gsolve_blocked *B);

gsolve_status blocks_as_numbers(gsolve_matrix **A, gsolve_context *ctx, const gsolve_blocked *B)
{
    return gsolve_matrix_create(A, ctx, "csr", &B->csr);
}
