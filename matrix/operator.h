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

/* The rows of this rank of a matrix that several ranks share are in two matrices on the host: *part
 * = part i, 0 or 1, whose columns have numbers of its own. False: there is no part i. */
bool gs_matrix_part(const gsolve_matrix *A, int i, gsolve_csr *part);
/* The values of part i where kernels read them. */
const void *gs_matrix_part_values(const gsolve_matrix *A, int i);

/* The ranks over which M adds its sums; NULL: M computes with this rank's rows alone. */
struct gs_comm *gs_precond_comm(const gsolve_precond *M);

/* Whether M approximates A'A, and whether it approximates A, as far as its kind tells. Of a
 * function of the caller neither is known: it is applied as the method needs it. */
bool gs_precond_is_of_normal(const gsolve_precond *M);
bool gs_precond_is_of_matrix(const gsolve_precond *M);

/* Whether products with A, or applications of M, may be recorded in a CUDA graph. M may be NULL. */
bool gs_matrix_is_recordable(const gsolve_matrix *A);
bool gs_precond_is_recordable(const gsolve_precond *M);

#endif
