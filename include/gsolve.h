/* gsolve.h: iterative solvers for sparse linear systems A x = b on CPUs and NVIDIA GPUs.
 *
 * One call solves a system:
 *
 *     gsolve_context *ctx = NULL;
 *     gsolve_result result;
 *     gsolve_csr csr = gsolve_csr_view(n, start, col, value);
 *
 *     gsolve_context_create(&ctx, "auto");
 *     gsolve_solve(ctx, &csr, gsolve_vector(b, n), gsolve_vector(x, n), &result);
 *     gsolve_context_destroy(&ctx);
 *
 * The same system, with each part chosen by the caller:
 *
 *     gsolve_matrix *A = NULL;
 *     gsolve_precond *M = NULL;
 *     gsolve_solver *S = NULL;
 *
 *     gsolve_matrix_create(&A, ctx, "auto", &csr);
 *     gsolve_precond_create(&M, ctx, "ic", &csr);
 *     gsolve_solver_create(&S, ctx, "cg,rtol=1e-10", A, M);
 *     gsolve_solver_run(S, gsolve_vector(b, n), gsolve_vector(x, n), &result);
 *
 * This header includes the headers of all topics:
 *
 *     gsolve_context.h   status codes; context: device, memory, last error
 *     gsolve_arrays.h    views of compressed rows and of dense vectors
 *     gsolve_csr.h       statistics, transpose and products of sparse matrices
 *     gsolve_matrix.h    matrix: y = A x in a storage format
 *     gsolve_precond.h   preconditioner: z = M^-1 r
 *     gsolve_solver.h    solver: Krylov methods, results, profile, automatic choice
 *
 * Two more headers are included separately: gsolve_io.h (files and generators) and
 * gsolve_plugin.h (formats and preconditioners of your own).
 *
 * Notation: A' is the transpose of A. |v| is the Euclidean norm of v. Times are in seconds and
 * sizes in bytes.
 *
 * These rules hold for every function:
 *
 * Specs: a string names a device, a format, a preconditioner or a method. It has the form "name"
 * or "name,key=value,...". The command gsolve list shows all names and keys.
 *
 * Errors: a function that can fail returns a gsolve_status. A function that fails leaves its output
 * arguments unchanged, unless its description says otherwise. gsolve_error(ctx) returns one
 * sentence about the cause. Every such function can return GSOLVE_BAD_ARGUMENT (an argument is NULL
 * or out of range), GSOLVE_NO_MEMORY and GSOLVE_DEVICE_FAILED. Every function that takes a spec can
 * return GSOLVE_BAD_SPEC. The descriptions name the other statuses. A solve that does not converge
 * is not an error: gsolve_result.outcome reports it.
 *
 * Ownership: a function gsolve_..._create makes a handle, and gsolve_..._destroy frees it. Destroy
 * takes the address of the handle, sets the handle to NULL, and accepts NULL. Arrays that the
 * caller passes in remain the caller's. The library keeps no pointer to them after the call.
 * gsolve_matrix_create_owned is the exception.
 *
 * Lifetime: a solver uses its matrix and its preconditioner. After one of them is destroyed, the
 * solver may only be destroyed. gsolve_context_destroy destroys everything that was created in the
 * context. Handles to it are then invalid.
 *
 * Threads: only one thread at a time may use a context and the objects in it. Two contexts share
 * nothing and may be used by two threads at the same time. The library has one global variable. It
 * records whether the process is a child of fork.
 *
 * Fork: OpenMP threads do not survive fork. In a child of a process that has created a context,
 * every call therefore runs on one thread. The results have the same bits. A context on a GPU does
 * not work in a child.
 *
 * Reproducibility: the same input gives the same bits, for any number of threads. The matrix format
 * "auto" depends on all earlier calls with that matrix: the same sequence of calls gives the same
 * bits. Two things are not reproducible: results of cuSPARSE (the format and the product method
 * "cusparse"), and options that choose by measured times. gsolve list marks them.
 *
 * Index types: rows and columns count from 0 and are below 2^31. The number of entries may be
 * larger.
 */
#ifndef GSOLVE_H
#define GSOLVE_H

#include "gsolve_arrays.h"
#include "gsolve_context.h"
#include "gsolve_csr.h"
#include "gsolve_matrix.h"
#include "gsolve_precond.h"
#include "gsolve_solver.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- one call ------------------------------------------------------------------- */

/* Solves A x = b with rtol = 1e-8, where csr is A. The function computes the statistics of the
 * matrix, chooses the method and the preconditioner, solves, and frees all its memory. If a choice
 * cannot be set up or does not converge, it tries the next one from the same initial guess. x
 * returns the best solution of all choices. b, x and *result are as for gsolve_solver_run. The
 * statuses are those of gsolve_matrix_create and of gsolve_solver_run. */
gsolve_status gsolve_solve(gsolve_context *ctx, const gsolve_csr *csr, gsolve_dense b,
                           gsolve_dense x, gsolve_result *result);

/* A function of the caller that receives one line of text. user is the pointer that the caller
 * passed along with the function. */
typedef void gsolve_log(const char *line, void *user);

/* Does what gsolve_solve does. In addition it calls log(line, user) for each choice that it tries:
 * once with the reason for the choice, and once with the outcome or the error. log may be NULL. */
gsolve_status gsolve_solve_logged(gsolve_context *ctx, const gsolve_csr *csr, gsolve_dense b,
                                  gsolve_dense x, gsolve_result *result, gsolve_log *log,
                                  void *user);

#ifdef __cplusplus
}
#endif
#endif
