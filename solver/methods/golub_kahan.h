/* golub_kahan.h: the bidiagonalisation of Golub and Kahan (1965), which lsqr and lsmr share. */
#ifndef GS_SOLVER_METHODS_GOLUB_KAHAN_H
#define GS_SOLVER_METHODS_GOLUB_KAHAN_H

#include "solver/operations/operations.h"

/* When a least-squares solution is a success: for any A, or only if A is not square, structurally
 * deficient or proven singular (run/least_squares.c). */
enum { GS_ACCEPT_ANY, GS_ACCEPT_SINGULAR };

typedef struct gs_normal_options {
    gs_run_options run;
    int accept;
} gs_normal_options;

extern const gsolve_option gs_normal_option_table[];

/* With a preconditioner M of A'A it is that of A M^-1/2, written without the root of M (Arridge,
 * Betcke and Harhanen 2014, "Iterated preconditioned LSQR method"):
 *
 *     beta_1 u_1 = b - A x,  alpha_1 p_1 = A'u_1,  v_k = M^-1 p_k,  p_k'v_k = 1
 *     beta_k+1 u_k+1 = A v_k - alpha_k u_k,  alpha_k+1 p_k+1 = A'u_k+1 - beta_k+1 p_k
 *
 * The vectors are stored as U = beta u, P = alpha beta p and V = alpha beta v, so that a step needs
 * no pass to normalise them, and its coefficients need no root before the end of the step. */
typedef struct gs_golub_kahan {
    gsolve_dense U, q;            /* A's number of rows; q = A V */
    gs_scalar scalar[LS_SCALARS]; /* see scalar_kernels.h */
    gsolve_dense P, V, t;         /* A's number of columns; t = A'U. V is unused without M */
    double *limit;                /* on the host: what scalar[LS_LIMIT] is set to */
} gs_golub_kahan;

/* The numbers of vectors and scalars of gs_method: those that setup does not allocate. */
enum { GS_GOLUB_KAHAN_VECTORS = 2, GS_GOLUB_KAHAN_SCALARS = LS_BLOCK };

/* Allocates the rest of *g. */
gsolve_status gs_golub_kahan_setup(gs_krylov *k, gs_golub_kahan *g);
/* U = b - A x, P, V and their sums. k->rr = |U|^2. */
gsolve_status gs_golub_kahan_start(gs_krylov *k, gs_golub_kahan *g);
/* The next U, P, V and their sums. The method's rotation then computes alpha and beta. */
gsolve_status gs_golub_kahan_step(gs_krylov *k, gs_golub_kahan *g);
/* The arguments of the scalar kernels. m is 1 if there is an M, else 0. */
gs_scalar_arguments gs_golub_kahan_arguments(const gs_krylov *k, const gs_golub_kahan *g);
/* V, which is P without M. */
gsolve_dense gs_golub_kahan_direction(const gs_krylov *k, const gs_golub_kahan *g);
/* Returns the coefficient sign s. */
static inline gs_coefficient gs_times(double sign, gs_scalar s)
{
    return gs_quotient(sign, s, NULL);
}

#endif
