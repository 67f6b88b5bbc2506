/* operations.h: the operations in which a method writes its recurrence.
 *
 * An operation acts on each active column that has not ended, and leaves the others unchanged. If
 * k->skip is set, it acts on each active column whose element of k->skip is 0. Products and
 * preconditioners are an exception: they compute the first k->wide columns, so the result is also
 * overwritten in columns that have ended.
 *
 * Vectors have A's type and are on the device. k->x and k->b may be arguments, too. Scalars
 * (gs_scalar) and the arrays h are on the device. An operation in one pass reads and writes each
 * element of its vectors once. M is "simple" if it is diagonal or NULL; NULL stands for the
 * identity. An operation that tests convergence stores the result where the loop reads it, and sets
 * k->ended. */
#ifndef GS_SOLVER_OPERATIONS_OPERATIONS_H
#define GS_SOLVER_OPERATIONS_OPERATIONS_H

#include "solver/method.h"
#include "solver/operations/scalar_kernels.h"
#include "solver/run/profile.h"

/* The coefficient of each column: a gs_ratio whose arrays have a number for each column. The
 * operation sets its flag to k->flag: if the kernel that uses the coefficient finds a flaw, the
 * next convergence test ends the column with the outcome `flaw`, which is not GSOLVE_CONVERGED. */
typedef gs_ratio gs_coefficient;

/* Returns the coefficient `value`. */
static inline gs_coefficient gs_number(double value)
{
    return (gs_coefficient){.sign = value, .flaw = GSOLVE_BREAKDOWN};
}

/* Returns the coefficient sign num / den. A divisor that is 0 gives the outcome breakdown. */
static inline gs_coefficient gs_quotient(double sign, gs_scalar num, gs_scalar den)
{
    return (gs_coefficient){.sign = sign, .num = num, .den = den, .flaw = GSOLVE_BREAKDOWN};
}

/* Returns the coefficient num / den, for a method that needs A and M positive definite. If num or
 * den is negative or den is 0, they are not, and the column ends with the outcome indefinite. */
static inline gs_coefficient gs_definite(gs_scalar num, gs_scalar den)
{
    return (gs_coefficient){
        .sign = 1, .num = num, .den = den, .flaw = GSOLVE_INDEFINITE, .positive = true};
}

/* --- products and preconditioner -------------------------------------------------------------- */

/* y = A x */
gsolve_status gs_multiply(gs_krylov *k, gsolve_dense x, gsolve_dense y);
/* y = A'x */
gsolve_status gs_multiply_transpose(gs_krylov *k, gsolve_dense x, gsolve_dense y);
/* y = A x, wy = w'y, and yy = y'y unless yy is NULL */
gsolve_status gs_multiply_dot(gs_krylov *k, gsolve_dense x, gsolve_dense y, gsolve_dense w,
                              gs_scalar wy, gs_scalar yy);
/* r = b - A x for the run's b and x, k->rr = |r|^2 */
gsolve_status gs_residual(gs_krylov *k, gsolve_dense r);
/* The functions below remove the right null space of A from z, if A has one (run/null_space.c).
 * M^-1 then means N N' subtracted from it, and M is neither diagonal nor simple. */
/* Returns false if M^-1 is the identity: there is no M, and A has no null space. */
bool gs_has_precond(const gs_krylov *k);
/* Returns the diagonal of M^-1 if M is diagonal, else NULL. Sets *simple to whether M is simple. */
const void *gs_diagonal(const gs_krylov *k, bool *simple);
/* z = M^-1 r */
gsolve_status gs_precondition(gs_krylov *k, gsolve_dense r, gsolve_dense z);
/* z = M^-T r. If A has a null space, its component in r is removed from r, too. */
gsolve_status gs_precondition_transpose(gs_krylov *k, gsolve_dense r, gsolve_dense z);
/* z = M^-1 r for an M that approximates A'A. If M approximates A, z = M^-1 M^-T r with t as work
 * space. If the run's A is a multiple of the caller's, z is divided by the square of the factor. */
gsolve_status gs_precondition_normal(gs_krylov *k, gsolve_dense r, gsolve_dense t, gsolve_dense z);
/* z = M^-1 r, rz = r'z */
gsolve_status gs_precondition_dot(gs_krylov *k, gsolve_dense r, gsolve_dense z, gs_scalar rz);

/* --- vectors and scalars ---------------------------------------------------------------------- */

/* b = a */
gsolve_status gs_copy_scalar(gs_krylov *k, gs_scalar a, gs_scalar b);
/* y = 0 */
gsolve_status gs_zero(gs_krylov *k, gsolve_dense y);
/* y = x; the types of x and y may differ from each other and from A's */
gsolve_status gs_copy_vector(gs_krylov *k, gsolve_dense x, gsolve_dense y);
/* y = a y */
gsolve_status gs_scale(gs_krylov *k, gs_coefficient a, gsolve_dense y);
/* xy = x'y */
gsolve_status gs_dot(gs_krylov *k, gsolve_dense x, gsolve_dense y, gs_scalar xy);
/* xy = x'y, xx = x'x */
gsolve_status gs_dot2(gs_krylov *k, gsolve_dense x, gsolve_dense y, gs_scalar xy, gs_scalar xx);
/* y = a x + b y; y is not read if b is gs_number(0) */
gsolve_status gs_axpby(gs_krylov *k, gs_coefficient a, gsolve_dense x, gs_coefficient b,
                       gsolve_dense y);
/* y = y + a x, yy = y'y of the new y, in one pass. If yy is k->rr, y is a residual, and the left
 * null space of A is removed from it, if A has one. */
gsolve_status gs_axpy_norm(gs_krylov *k, gs_coefficient a, gsolve_dense x, gsolve_dense y,
                           gs_scalar yy);
/* z = a x + b y + c z; z is not read if c is gs_number(0) */
gsolve_status gs_axpbypcz(gs_krylov *k, gs_coefficient a, gsolve_dense x, gs_coefficient b,
                          gsolve_dense y, gs_coefficient c, gsolve_dense z);
/* z = a x + b y + c z, w = M^-1 z; in one pass if M is simple. b y is left out if y.value is NULL.
 */
gsolve_status gs_axpbypcz_precondition(gs_krylov *k, gs_coefficient a, gsolve_dense x,
                                       gs_coefficient b, gsolve_dense y, gs_coefficient c,
                                       gsolve_dense z, gsolve_dense w);

/* --- norm=preconditioned and spectrum=on -------------------------------------------------------
 * Each of these does nothing without its option. With norm=preconditioned, and an M, the test takes
 *
 *     |b|^2 r'M^-1 r / b'M^-1 b
 *
 * for |r|^2, so that it compares sqrt(r'M^-1 r) / sqrt(b'M^-1 b) with max(rtol, atol / |b|), and
 * all thresholds and histories keep the unit of |b|. b is the run's b, which is a residual where
 * the run solves for corrections (outer.c). */

/* Returns whether this is so. */
bool gs_has_preconditioned_norm(const gs_krylov *k);
/* Computes the factor |b|^2 / b'M^-1 b. start calls it before gs_square_norm. u and v: scratch. */
gsolve_status gs_compute_norm_factor(gs_krylov *k, gsolve_dense u, gsolve_dense v);
/* k->rr = what the test takes for |r|^2. power is 1: s = r'M^-1 r. power is 2: s = sqrt(r'M^-1 r).
 */
gsolve_status gs_square_norm(gs_krylov *k, gs_scalar s, int power);
/* start: the next step begins a Lanczos process. */
gsolve_status gs_start_lanczos(gs_krylov *k);
/* A step of cg with rho = r'M^-1 r and pq = p'A p. */
gsolve_status gs_record_cg(gs_krylov *k, gs_scalar rho, gs_scalar pq);
/* Runs the function `name` of scalar_kernels.h, which writes to the record. */
#define GS_RECORD(k, name, a) (gs_records_spectrum(k) ? GS_RUN_SCALAR(k, name, a) : GSOLVE_OK)
bool gs_records_spectrum(const gs_krylov *k);

/* --- fused steps ------------------------------------------------------------------------------ */

/* The vectors of gs_solution_step. In bicgstab p and s are the preconditioned directions M^-1 p and
 * M^-1 s, t = A M^-1 s, w is the shadow residual, and r holds s before the call. */
typedef struct gs_solution_vectors {
    gsolve_dense p, s, t, w, r;
} gs_solution_vectors;

/* k->x = k->x + a p + b s, r = r - b t, wr = w'r and k->rr = |r|^2 of the new r, in one pass. Tests
 * convergence. */
gsolve_status gs_solution_step(gs_krylov *k, gs_coefficient a, gs_coefficient b,
                               const gs_solution_vectors *v, gs_scalar wr);

/* r = r - a q, k->rr = |r|^2, z = M^-1 r, rz = r'z. Tests convergence, with norm=preconditioned by
 * rz. If M is simple, it is one pass that does not write z; gs_direction_step then computes z from
 * r. */
gsolve_status gs_residual_step(gs_krylov *k, gs_coefficient a, gsolve_dense q, gsolve_dense r,
                               gsolve_dense z, gs_scalar rz);
/* k->x = k->x + a p with the p before the call, p = z + b p, in one pass. z = M^-1 r comes from the
 * preceding gs_residual_step; if M is simple, the pass reads r and not z. It also runs in the step
 * in which the column ends. */
gsolve_status gs_direction_step(gs_krylov *k, gs_coefficient a, gs_coefficient b, gsolve_dense r,
                                gsolve_dense z, gsolve_dense p);

/* The vectors of pipelined CG: m = M^-1 w, n = A m, u = M^-1 r, w = A u, and four directions. */
typedef struct gs_pipe_vectors {
    gsolve_dense m, n, z, q, s, p, r, u, w;
} gs_pipe_vectors;

/* A step of pipelined CG in one pass, in this order:
 *
 *     z = n + b z, q = m + b q, s = w + b s, p = u + b p
 *     k->x = k->x + a p, r = r - a s, u = u - a q, w = w - a z
 *     ru = r'u, wu = w'u, k->rr = |r|^2
 */
gsolve_status gs_pipe_step(gs_krylov *k, gs_coefficient a, gs_coefficient b,
                           const gs_pipe_vectors *v, gs_scalar ru, gs_scalar wu);

/* --- bases ------------------------------------------------------------------------------------ */

/* V is a basis of any type, as gs_new_basis allocates it, or its vectors from one on. */

/* h_i = V_i'w for i = 0, ..., m - 1. h_i of column c is h[c * stride + i]. */
gsolve_status gs_dots(gs_krylov *k, int m, gsolve_dense V, gsolve_dense w, double *h,
                      int64_t stride);
/* w = w + sign (sum of h_i V_i for i = 0, ..., m - 1), and ww = w'w of the new w unless ww is NULL.
 * h is as for gs_dots. */
gsolve_status gs_combine(gs_krylov *k, int m, gsolve_dense V, const double *h, int64_t stride,
                         double sign, gsolve_dense w, gs_scalar ww);

/* --- kernels of a method's own ---------------------------------------------------------------- */

/* gs_begin_block comes before kernels that work on all columns at once, and gs_end_block after
 * them. In between, a kernel that is submitted does nothing if all columns have ended. For the
 * profile: the kernels belong to `class` and together read and write `numbers` elements of A's
 * type. */
void gs_begin_block(gs_krylov *k, gs_class class, double numbers);
void gs_end_block(gs_krylov *k);

/* Runs the function `name` of scalar_kernels.h on each column that has not ended; k->skip has no
 * effect. `a` points to its arguments, which begin as gs_scalar_arguments_of returns them. */
#define GS_RUN_SCALAR(k, name, a) gs_run_scalar_kernel(k, gs_scalar_kernels_of(k)->name, a)
/* Returns the functions of scalar_kernels.h for the context's device. */
const gs_scalar_kernels *gs_scalar_kernels_of(const gs_krylov *k);
/* Runs one of these functions. */
gsolve_status gs_run_scalar_kernel(gs_krylov *k, gs_scalar_function *function,
                                   const gs_scalar_arguments *a);
/* Returns the arguments that all functions of scalar_kernels.h need, with the first scalars of the
 * state (gs_method.scalars) as s; the caller adds its own. */
gs_scalar_arguments gs_scalar_arguments_of(const gs_krylov *k);
/* Returns the arguments of the convergence test of column c, for kernels that make the test
 * themselves. */
gs_convergence_test gs_convergence_test_of(const gs_krylov *k, int32_t c);

#endif
