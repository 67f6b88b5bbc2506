/* operations.h: the operations that a method's recurrence is written in.
 *
 * Every operation acts on each active column and leaves the others unchanged. Products and
 * preconditioners may also overwrite columns of their result that have ended. */
#ifndef GS_SOLVER_OPERATIONS_OPERATIONS_H
#define GS_SOLVER_OPERATIONS_OPERATIONS_H

#include "solver/method.h"
#include "solver/operations/classes.h"
#include "solver/operations/scalar_kernels.h"

/* The coefficient sign num / den of each column; NULL stands for 1. */
typedef struct gs_coefficient {
    double sign;
    gs_scalar num, den;
    gs_scalar num2, den2; /* another factor num2 / den2 */
    gsolve_outcome flaw;  /* the outcome of a column where a divisor vanishes */
    bool positive;        /* a negative num or den gives that outcome, too */
} gs_coefficient;

static inline gs_coefficient gs_number(double value)
{
    return (gs_coefficient){value, NULL, NULL, NULL, NULL, GSOLVE_BREAKDOWN, false};
}

static inline gs_coefficient gs_quotient(double sign, gs_scalar num, gs_scalar den)
{
    return (gs_coefficient){sign, num, den, NULL, NULL, GSOLVE_BREAKDOWN, false};
}

/* num / den; a negative one shows that A or M is not positive definite. */
static inline gs_coefficient gs_definite(gs_scalar num, gs_scalar den)
{
    return (gs_coefficient){1, num, den, NULL, NULL, GSOLVE_INDEFINITE, true};
}

gsolve_status gs_multiply(gs_krylov *k, gsolve_dense x, gsolve_dense y);           /* y = A x  */
gsolve_status gs_multiply_transpose(gs_krylov *k, gsolve_dense x, gsolve_dense y); /* y = A'x  */
/* y = A x, wy = w'y, and yy = y'y unless that is NULL */
gsolve_status gs_multiply_dot(gs_krylov *k, gsolve_dense x, gsolve_dense y, gsolve_dense w,
                              gs_scalar wy, gs_scalar yy);
gsolve_status gs_residual(gs_krylov *k, gsolve_dense r); /* r = b - Ax, rr = |r|^2    */
/* The diagonal of M^-1 if M is a diagonal, else NULL. *simple: M is a diagonal or absent. */
const void *gs_diagonal(const gs_krylov *k, bool *simple);
gsolve_status gs_precondition(gs_krylov *k, gsolve_dense r, gsolve_dense z); /* z = M^-1 r     */
gsolve_status gs_precondition_transpose(gs_krylov *k, gsolve_dense r, gsolve_dense z);
gsolve_status gs_precondition_dot(gs_krylov *k, gsolve_dense r, gsolve_dense z, gs_scalar rz);

gsolve_status gs_copy_scalar(gs_krylov *k, gs_scalar a, gs_scalar b); /* b = a    */
gsolve_status gs_zero(gs_krylov *k, gsolve_dense y);                  /* y = 0    */
gsolve_status gs_copy_vector(gs_krylov *k, gsolve_dense x,
                             gsolve_dense y);                           /* y = x, of any types */
gsolve_status gs_scale(gs_krylov *k, gs_coefficient a, gsolve_dense y); /* y *= a   */
gsolve_status gs_dot(gs_krylov *k, gsolve_dense x, gsolve_dense y, gs_scalar xy);
gsolve_status gs_dot2(gs_krylov *k, gsolve_dense x, gsolve_dense y, gs_scalar xy, gs_scalar xx);
gsolve_status gs_axpby(gs_krylov *k, gs_coefficient a, gsolve_dense x, gs_coefficient b,
                       gsolve_dense y); /* y = a x + b y */
gsolve_status gs_axpy_norm(gs_krylov *k, gs_coefficient a, gsolve_dense x, gsolve_dense y,
                           gs_scalar yy); /* y += a x, yy = y'y */

gsolve_status gs_axpbypcz(gs_krylov *k, gs_coefficient a, gsolve_dense x, gs_coefficient b,
                          gsolve_dense y, gs_coefficient c, gsolve_dense z); /* z = ax + by + cz */
/* z = a x + b y + c z, w = M^-1 z, in one pass where M is a diagonal or absent. y may have no
 * values: then b y is left out. */
gsolve_status gs_axpbypcz_precondition(gs_krylov *k, gs_coefficient a, gsolve_dense x,
                                       gs_coefficient b, gsolve_dense y, gs_coefficient c,
                                       gsolve_dense z, gsolve_dense w);

/* The vectors of the last pass of BiCGStab. */
typedef struct gs_solution_vectors {
    gsolve_dense p, s, t, w, r;
} gs_solution_vectors;

/* x += a p + b s, r -= b t, wr = w'r, k->rr = |r|^2; tests convergence. */
gsolve_status gs_solution_step(gs_krylov *k, gs_coefficient a, gs_coefficient b,
                               const gs_solution_vectors *v, gs_scalar wr);

/* r -= a q, k->rr = |r|^2, z = M^-1 r, rz = r'z; tests convergence. Where M is a diagonal or absent
 * this is one pass that does not write z; gs_direction_step then reads r. */
gsolve_status gs_residual_step(gs_krylov *k, gs_coefficient a, gsolve_dense q, gsolve_dense r,
                               gsolve_dense z, gs_scalar rz);
/* x += a p, p = z + b p. */
gsolve_status gs_direction_step(gs_krylov *k, gs_coefficient a, gs_coefficient b, gsolve_dense r,
                                gsolve_dense z, gsolve_dense p);

/* The vectors of pipelined CG, see gs_pipe in vector/vector.h; x is k->x. */
typedef struct gs_pipe_vectors {
    gsolve_dense m, n, z, q, s, p, r, u, w;
} gs_pipe_vectors;

/* All updates of a step of pipelined CG and the sums ru = r'u, wu = w'u, k->rr, in one pass. */
gsolve_status gs_pipe_step(gs_krylov *k, gs_coefficient a, gs_coefficient b,
                           const gs_pipe_vectors *v, gs_scalar ru, gs_scalar wu);

/* Vectors v, of any type, that are ld apart in each column. */
typedef struct gs_basis {
    gsolve_dense v;
    int64_t ld;
} gs_basis;

/* h_i = V_i'w for the first m vectors; h of column c begins at h + c stride. */
gsolve_status gs_dots(gs_krylov *k, int m, gs_basis V, gsolve_dense w, double *h, int64_t stride);
/* w += sign sum_i h_i V_i over the first m vectors; ww = w'w unless that is NULL. */
gsolve_status gs_combine(gs_krylov *k, int m, gs_basis V, const double *h, int64_t stride,
                         double sign, gsolve_dense w, gs_scalar ww);

/* Before and after kernels on all columns at once, which together move `numbers` numbers of A's
 * type. The kernels do nothing once all columns have ended. */
void gs_begin_block(gs_krylov *k, gs_class class, double numbers);
void gs_end_block(gs_krylov *k);

/* Runs the function `name` of scalar_kernels.h on the columns that have not ended. */
#define GS_RUN_SCALAR(k, name, a) gs_run_scalar_kernel(k, gs_scalar_kernels_of(k)->name, a)
const gs_scalar_kernels *gs_scalar_kernels_of(const gs_krylov *k);
gsolve_status gs_run_scalar_kernel(gs_krylov *k, gs_scalar_function *function,
                                   const gs_scalar_arguments *a);
/* The arguments that all of these functions have in common. */
gs_scalar_arguments gs_scalar_arguments_of(const gs_krylov *k);
/* The convergence test of column c, for kernels that test it themselves. */
gs_convergence_test gs_convergence_test_of(const gs_krylov *k, int32_t c);

#endif
