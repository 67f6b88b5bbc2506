/* gsolve.h: iterative solvers for sparse linear systems A x = b on CPUs and NVIDIA GPUs.
 *
 * One call solves a system:
 *
 *     gsolve_context *ctx = NULL;
 *     gsolve_result result = GSOLVE_INIT(gsolve_result);
 *     gsolve_csr csr = gsolve_csr_view(n, start, col, value);
 *
 *     gsolve_context_create(&ctx, "auto");
 *     gsolve_solve(ctx, &csr, gsolve_vector(b, n), gsolve_vector(x, n), &result);
 *     gsolve_context_destroy(&ctx);
 *
 * gsolve_auto.h does the same for a sequence of systems with one pattern. The caller can also
 * choose each part (format, preconditioner, method and tolerance):
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
 *     gsolve_arrays.h    views of sparse matrices (CSR) and of dense vectors
 *     gsolve_csr.h       statistics, transpose and assembly of sparse matrices; their products
 *     gsolve_matrix.h    matrix: matrix-vector products y = A x in a storage format
 *     gsolve_precond.h   preconditioner: z = M^-1 r
 *     gsolve_solver.h    solver: Krylov methods, results, profile
 *     gsolve_auto.h      automatic choice; a solver that chooses, falls back and is kept
 *     gsolve_dist.h      a system whose rows are distributed over ranks, such as MPI processes
 *
 * Two more headers are included separately: gsolve_io.h (files and generators) and gsolve_plugin.h
 * (formats and preconditioners of your own; lists of all names; memory and copies: gsolve_alloc,
 * gsolve_free, gsolve_copy, gsolve_stream).
 *
 * Notation: A' is the transpose of A. M^-T is the inverse of M'. |v| is the Euclidean norm of a
 * vector v. |a_ij| is the absolute value of the number a_ij in row i and column j of A. x_c is
 * column c of x. Indices start at 0. Times are in seconds and sizes in bytes. An entry of a sparse
 * matrix is a stored value; it can be 0.
 *
 * These rules hold for every function, unless its description says otherwise:
 *
 * Specs: a spec is a string that names a device, a format, a preconditioner, a method, a product
 * method (the algorithm of a matrix-matrix product) or a generator. It has the form "name" or
 * "name,key=value,...". A name may be written in any case. Blanks around names, keys and values
 * are ignored. The command-line program gsolve shows all names and keys with "gsolve list".
 *
 * Errors: most functions that can fail return a gsolve_status. A function that fails leaves its
 * output arguments unchanged, with one exception: after GSOLVE_NO_MEMORY, GSOLVE_DEVICE_FAILED and
 * GSOLVE_INTERRUPTED the elements of a vector or array that the function computes (such as y, z or
 * x) are undefined. gsolve_error(ctx) returns one sentence about the cause. A call records no
 * sentence if its ctx is NULL, or if it has no ctx and its matrix, preconditioner, product or
 * solver is NULL. gsolve_error(NULL) is only for gsolve_context_create. Every function that returns
 * a status can return GSOLVE_BAD_ARGUMENT, GSOLVE_NO_MEMORY and GSOLVE_DEVICE_FAILED. An argument
 * that is NULL or out of range gives GSOLVE_BAD_ARGUMENT. Every function that takes a spec can
 * return GSOLVE_BAD_SPEC. The descriptions name the other statuses. Functions that return no
 * status, and gsolve_fail, need valid arguments: with NULL their behaviour is undefined, unless the
 * description allows NULL. A solve that does not converge is not an error: gsolve_result.outcome
 * reports it.
 *
 * Structs that the library fills, such as gsolve_result, are initialised with GSOLVE_INIT, because
 * later versions of the library may append members to them.
 *
 * Ownership: a function gsolve_..._create makes a handle, and gsolve_..._destroy frees it. A
 * destroy function takes the address of the handle and sets the handle to NULL. It does nothing if
 * the address or the handle is NULL. Arrays that the caller passes in remain the caller's, and the
 * library keeps no pointer to them after the call. The exceptions keep a pointer, and their
 * descriptions say for how long: gsolve_matrix_create_owned, gsolve_matrix_create_operator,
 * gsolve_precond_create_function, gsolve_register_format, gsolve_register_precond,
 * gsolve_context_create_with, gsolve_context_use_stream, and the functions that set a callback,
 * such as gsolve_solver_set_monitor.
 *
 * Asynchronous work: on a GPU a call may return before its work is complete, if all its results are
 * on the device. The work is ordered on the context's stream (gsolve_stream) and may still read and
 * write arrays on the device. A copy to the host by gsolve_copy waits for it. A call with a result
 * on the host returns when the result is complete.
 *
 * Lifetime: a solver uses its matrix and its preconditioner in every call but
 * gsolve_solver_destroy. A preconditioner does not use the matrix from which it was created, except
 * one of gsolve_precond_create_chebyshev.
 * gsolve_context_destroy destroys all objects in the context. Their handles are then invalid.
 *
 * Threads: only one thread at a time may use a context and the objects in it. The only exceptions
 * are gsolve_context_interrupt and gsolve_abandon_files of gsolve_io.h. Two contexts share nothing
 * and may be used by two threads at the same time. The library has these global variables: one
 * records whether the process was created by fork, one text for each thread is what
 * gsolve_error(NULL) returns, and two locks let one thread at a time into METIS and MUMPS, which
 * change the state of the process.
 *
 * Fork: OpenMP threads do not survive fork. If a process has created a context and then calls fork,
 * the library uses one thread in the child, in old and in new contexts. The results stay equal bit
 * for bit. A GPU does not work in such a child: calls that need it fail with GSOLVE_DEVICE_FAILED
 * or GSOLVE_NO_MEMORY.
 *
 * Reproducibility: the same sequence of calls with the same input gives the same bits, which means
 * results that are equal bit for bit. This holds for any number of threads and on every x86-64
 * processor. A CPU and a GPU give different bits, except for an assembly (gsolve_assembly). The
 * bits of a product with a matrix in the format "auto" depend on all earlier calls with that
 * matrix. Bits can differ in four cases:
 *
 *     between runs          the format and the product method "cusparse"
 *     between runs          the option `trial` of the format "auto", which measures times
 *     between machines      the method "direct"
 *     between GPU models    the format "speculative" without the option `steps`
 *
 * Limits: the numbers of rows and of columns are below 2^31. The number of entries may be larger
 * and then needs 64-bit offsets (GSOLVE_O64).
 */
#ifndef GSOLVE_H
#define GSOLVE_H

#include "gsolve_arrays.h"
#include "gsolve_auto.h"
#include "gsolve_context.h"
#include "gsolve_csr.h"
#include "gsolve_dist.h"
#include "gsolve_matrix.h"
#include "gsolve_precond.h"
#include "gsolve_solver.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- one call ------------------------------------------------------------------- */

/* Solves A x = b until |b - A x| <= 1e-8 |b| in each column, where csr is A. The function creates
 * an automatic solver (gsolve_auto_create), runs it once and destroys it: it computes the
 * statistics of A, chooses a method and a preconditioner, and solves. If this choice cannot be set
 * up or does not converge, the function tries the next one from the same initial guess. It frees
 * all memory that it has allocated. The log of the context gets two lines for each choice
 * (gsolve_context_set_log).
 *
 * csr is on the host or on the device. If A is not square, the function solves the least-squares
 * problem by a QR factorisation (see gsolve_solver_create). b and x are as for gsolve_auto_run: on
 * entry x is the initial guess. On return x is the solution of the choice
 * that converged, or else the x with the smallest residual of all choices. *result describes the
 * run that computed this x; its member `seconds` is the time of the whole call.
 *
 * Fails with GSOLVE_BAD_MATRIX or GSOLVE_UNSUPPORTED like gsolve_matrix_create. If no choice can be
 * set up, the status is that of the last attempt, such as GSOLVE_ZERO_PIVOT, and x is the initial
 * guess. */
GSOLVE_API gsolve_status gsolve_solve(gsolve_context *ctx, const gsolve_csr *csr, gsolve_dense b,
                                      gsolve_dense x, gsolve_result *result);

#ifdef __cplusplus
}
#endif
#endif
