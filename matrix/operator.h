/* operator.h: what the solver asks of a matrix that is an operator, which is a function of the
 * caller, and of a preconditioner that applies such a function. spmv/operator/operator.c and
 * precond/function.c answer. */
#ifndef GS_MATRIX_OPERATOR_H
#define GS_MATRIX_OPERATOR_H

#include "gsolve.h"

/* Whether A is an operator: it has no rows. */
bool gs_matrix_is_operator(const gsolve_matrix *A);

/* The flags that the caller has set for an operator (gsolve_function_flag); 0 for rows. */
unsigned gs_matrix_flags(const gsolve_matrix *A);

/* The ranks that share the rows of A, see dist/comm.h; NULL: one rank has them all. */
struct gs_comm *gs_matrix_comm(const gsolve_matrix *A);

/* The ranks over which M adds its sums; NULL: M computes with this rank's rows alone. */
struct gs_comm *gs_precond_comm(const gsolve_precond *M);

/* Whether A was created from the rows of several ranks (gsolve_matrix_create_dist). */
bool gs_matrix_is_distributed(const gsolve_matrix *A);

/* The values of a distributed A that this rank holds, in the parts 0 and 1: *count values. */
const void *gs_matrix_values(const gsolve_matrix *A, int part, int64_t *count);

/* Whether M approximates A'A, and whether it approximates A, as far as its kind tells. Of a
 * function of the caller neither is known: it is applied as the method needs it. */
bool gs_precond_is_of_normal(const gsolve_precond *M);
bool gs_precond_is_of_matrix(const gsolve_precond *M);

/* Whether products with A, or applications of M, may be recorded in a CUDA graph. M may be NULL. */
bool gs_matrix_is_recordable(const gsolve_matrix *A);
bool gs_precond_is_recordable(const gsolve_precond *M);

#endif
