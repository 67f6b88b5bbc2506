/* gsolve_solver.h: iterative and direct solvers of A x = b, their results, and the profile of a
 * run. */
#ifndef GSOLVE_SOLVER_H
#define GSOLVE_SOLVER_H

#include "gsolve_csr.h"
#include "gsolve_precond.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- outcome and result --------------------------------------------------------- */

/* The outcomes of a run and their texts. docs/understand/residual_policy.md explains them. The
 * residual is r = b - A x. `rtol`, `atol`, `dtol`, `maxit` and `stall` are options of the method.
 * `dtol` is 1e8 by default, and `maxit` 10000 ("direct": 20, "refine": 200, "lsqr" and "lsmr":
 * 100000). `stall` is 2000
 * ("direct" and "refine": 3); with 0 the number of iterations without a smaller |r| is not limited.
 *
 *     GSOLVE_CONVERGED        |r| <= max(`rtol` |b|, `atol`) in every column
 *     GSOLVE_ITERATION_LIMIT  `maxit` iterations were made
 *     GSOLVE_STAGNATED        `stall` iterations passed without a smaller |r|, or the method found
 *                             |r| small enough but the true residual was not
 *     GSOLVE_DIVERGED         |r| exceeded `dtol` times the larger of |b| and the first |r|, or was
 *                             not finite
 *     GSOLVE_BREAKDOWN        the method would have divided by an inner product that is 0
 *     GSOLVE_INDEFINITE       p'Ap <= 0 or r'M^-1 r < 0, where the method needs A and M positive
 *                             definite
 *     GSOLVE_STOPPED          the monitor or the caller's stopping test stopped the run, or
 *                             gsolve_context_interrupt did
 *     GSOLVE_ACCEPTED         the caller's stopping test accepted x, which does not meet `rtol` and
 *                             `atol` (gsolve_solver_set_stopping_test)
 *     GSOLVE_LEAST_SQUARES    x minimises |r|, which is larger. It is a success, and one of these:
 *                             - |A'r| <= `rtol` |A| |r| with the Frobenius norm |A|, and the method
 *                               is "lsqr" or "lsmr", or A is not square, structurally deficient or
 *                               proven singular;
 *                             - A has a null space (gsolve_matrix_set_null_space), b is not in the
 *                               range of A, and |P r| <= max(`rtol` |b|, `atol`), where P removes
 *                               the left null space
 *     GSOLVE_NOT_SOLVED       |A'r| <= `rtol` |A| |r|, and neither holds: A x = b may have a
 *                             solution, and x is not it
 *     GSOLVE_TIME_LIMIT       the time limit of the context was reached
 *                             (gsolve_context_set_time_limit)
 *
 * |A'r| is examined where |r| is too large, with the methods "lsqr", "lsmr" and "direct". r and A'r
 * are computed from A, b and x; r is rounded to the type of A, and A'r computed in that type. A is
 * structurally deficient if no n x n matrix with nonzeros at these places has full rank. It is
 * proven singular if it has a null space (gsolve_matrix_set_null_space), or if every row has two or
 * more entries that sum to 0, within 1e-12 of the sum of their magnitudes, or if |A'r| is at most
 * 2^-46 |A| |r|. */
#define GSOLVE_OUTCOME_LIST(X)                                                \
    X(GSOLVE_CONVERGED, "converged")                                          \
    X(GSOLVE_ITERATION_LIMIT, "iteration limit")                              \
    X(GSOLVE_STAGNATED, "stagnated")                                          \
    X(GSOLVE_DIVERGED, "diverged")                                            \
    X(GSOLVE_BREAKDOWN, "breakdown")                                          \
    X(GSOLVE_INDEFINITE, "indefinite")                                        \
    X(GSOLVE_STOPPED, "stopped")                                              \
    X(GSOLVE_ACCEPTED, "accepted")                                            \
    X(GSOLVE_LEAST_SQUARES, "least squares")                                  \
    X(GSOLVE_NOT_SOLVED, "least-squares residual reached, system not solved") \
    X(GSOLVE_TIME_LIMIT, "time limit reached")

/* GSOLVE_OUTCOME_COUNT is the number of outcomes. */
typedef enum gsolve_outcome {
    GSOLVE_OUTCOME_LIST(GSOLVE_ENUM) GSOLVE_OUTCOME_COUNT
} gsolve_outcome;

/* Returns the text of an outcome, such as "stagnated"; for another value "unknown outcome". */
GSOLVE_API const char *gsolve_outcome_text(gsolve_outcome outcome);

/* Returns true for GSOLVE_CONVERGED and GSOLVE_LEAST_SQUARES, and false for other outcomes. */
static inline bool gsolve_outcome_is_success(gsolve_outcome outcome)
{
    return outcome == GSOLVE_CONVERGED || outcome == GSOLVE_LEAST_SQUARES;
}

/* The result of a run, or of one of its columns. The result of a run has the outcome and the
 * residual of the worst column: the one with the largest residual of the columns that failed, or
 * else of those that the caller's stopping test accepted, or else of all. */
typedef struct gsolve_result {
    size_t size; /* set by GSOLVE_INIT */
    gsolve_outcome outcome;
    int iterations;           /* of the column; for a run: the largest number of a column */
    int products;             /* number of products with A or A' that the method computed for the
                                 column, without those of true residuals; for a run: in all, where a
                                 product with several columns counts once */
    double relative_residual; /* |b - A x| / |b|, the true residual of the x that the run returns,
                                 computed in double precision from the CSR copy of A, or by the
                                 function of an operator (gsolve_matrix_create_operator);
                                 |b - A x| if b = 0 */
    double seconds;           /* time of the run, also in the result of a column */
    double product_seconds; /* time that the host spent in products with A during the run. On a GPU
                               it is not the time of the products, because they are asynchronous */
    double precond_seconds; /* time that the host spent in applications of M during the run; on a
                               GPU it is not their time either */
    double projected_relative_residual; /* |P (b - A x)| / |b|, where P removes the left null space
                                           of gsolve_matrix_set_null_space; without one,
                                           relative_residual */
    double removed; /* |b - P b| / |b|, the part of b outside the range of A; 0 without a null
                       space */
    double relative_normal_residual; /* |A'r| / (|A| |r|) with r = b - A x and the Frobenius norm
                               |A|; -1 if the run did not need it */
} gsolve_result;

/* --- solver --------------------------------------------------------------------- */

/* A method with its work space, for one matrix and one preconditioner. */
typedef struct gsolve_solver gsolve_solver;

/* Creates a solver for the matrix A. `spec` names a method or is "auto", which chooses a method. A
 * must be square, except for the methods "direct", "lsqr" and "lsmr". A and M must not be destroyed
 * before the last call with the solver other than gsolve_solver_destroy.
 *
 * If A is not square, these methods solve the least-squares problem: they minimise |b - A x|.
 * "auto" then chooses "direct". The outcome is GSOLVE_CONVERGED if the residual meets the
 * tolerance, and else GSOLVE_LEAST_SQUARES. If A has more columns than rows, x is the solution
 * nearest to the initial guess, in the norm of M. If A does not have full rank, x can be one of
 * several least-squares solutions; "direct" can fail to find one.
 *
 * "lsqr" and "lsmr" iterate on A'A. Their preconditioner M is "jacobi,normal=1", whose matrix is
 * the diagonal of A'A, or one of gsolve_precond_create_function, which must approximate A'A: both
 * have A's number of columns. Any other M approximates a square A and is applied as M^-1 M^-T.
 *
 * If M is NULL, a method that `spec` names solves without a preconditioner. "auto" chooses a method
 * and a preconditioner as gsolve_auto_choose does. If they cannot be set up, it takes the next
 * choice. The solver creates and owns this preconditioner. After gsolve_matrix_update, the next run
 * updates the preconditioner first, with the errors of gsolve_precond_update. The choice stays the
 * same.
 *
 * If M is not NULL, the caller owns M and updates it. M must be in the same context as A; this is
 * not checked, and otherwise the results are undefined. The method "direct" ignores M, whatever its
 * size. "auto" chooses a method that uses M, or "direct" if A is not
 * square. If M is of the kind "none", "auto" chooses a method that solves without a preconditioner.
 *
 * Fails with GSOLVE_BAD_ARGUMENT if A is not square and the method needs a square one. Fails with
 * GSOLVE_BAD_ARGUMENT if the method uses M and M has another size or type than A, or M is variable
 * (gsolve_precond_is_variable) and the method is not flexible. Fails with GSOLVE_NO_MEMORY, before
 * any set-up, if the work space for one column does not fit into the free memory of the GPU.
 * "direct" fails with GSOLVE_UNSUPPORTED if A has 2^31 or more entries, if the factors would exceed
 * the option `limit`, or the factorisation the option `work`, and if the library of the option
 * `library` is not in this build or does not compute the factorisation. The call fails with
 * GSOLVE_ZERO_PIVOT if "direct" or the preconditioner of "auto" meets a zero pivot. */
GSOLVE_API gsolve_status gsolve_solver_create(gsolve_solver **S, gsolve_context *ctx,
                                              const char *spec, const gsolve_matrix *A,
                                              const gsolve_precond *M);

/* Frees the solver and the preconditioner that it owns. */
GSOLVE_API void gsolve_solver_destroy(gsolve_solver **S);

/* Writes the set-up of S to a file, from which gsolve_solver_load makes it again. Only the method
 * "direct" has such a set-up: the factors of A, if CXSparse has computed them (library=cxsparse).
 * The file holds no entries of A, but hashes of its pattern and its values. It is for machines with
 * the same byte order and for this version of its format.
 *
 * The function writes to a temporary file in the same folder and renames it at the end. So after a
 * failure a file that existed at `path` is unchanged. A set-up and an empty file are replaced, if
 * the program has permission to write them; another file is not.
 *
 * Fails with GSOLVE_UNSUPPORTED for another method or library, with GSOLVE_BAD_ARGUMENT if A has
 * other values than those that are factored or `path` is empty, and with GSOLVE_BAD_FILE if the
 * file cannot be written, is a directory, or is not empty and no set-up. */
GSOLVE_API gsolve_status gsolve_solver_save(const gsolve_solver *S, const char *path);

/* Creates a solver for A from a file of gsolve_solver_save. `spec` and A are those of
 * gsolve_solver_create; the method is "direct". Solves give the same bits as with the solver that
 * was saved. After gsolve_matrix_update the next run factors A, as for a created solver, and first
 * analyses its pattern.
 *
 * Every number of the file is checked before it is used. Fails with GSOLVE_BAD_FILE if the file
 * cannot be read, is no such file, is truncated or damaged, or has another version or byte order;
 * with GSOLVE_BAD_MATRIX if A has another pattern, type or values; with GSOLVE_BAD_SPEC if the file
 * holds other factors than the options ask for; and with GSOLVE_UNSUPPORTED if `spec` names another
 * method. */
GSOLVE_API gsolve_status gsolve_solver_load(gsolve_solver **S, gsolve_context *ctx,
                                            const char *spec, const gsolve_matrix *A,
                                            const char *path);

/* Solves A x = b. On entry x is the initial guess. A is m x n, b has m rows and x has n rows, and
 * both have the same number of columns, which may be 0. b and x are of any type, which may differ
 * from that of A. Each of them is column-major or row-major, and on the host or on the device. They
 * must not overlap, else the call fails with GSOLVE_BAD_ARGUMENT. Methods iterate on columns: the
 * run copies row-major vectors to columns, and x back. The bits of x do not depend on the layouts.
 *
 * A column has converged if |b - A x| <= max(`rtol` |b|, `atol`). The default of `rtol` is 1e-8,
 * and that of `atol` 0. The run computes this residual in double precision from the CSR copy of A
 * and the caller's b and x (docs/understand/residual_policy.md). If the outcome is
 * GSOLVE_CONVERGED, all columns have converged. A column that has not converged returns the x with
 * the smallest residual among the initial guess, an iterate that the run stored, and the last
 * iterate. If b_c = 0, x_c is set to 0 and has converged.
 *
 * If A has a null space (gsolve_matrix_set_null_space), the run solves A x = P b, and x returns
 * without a component in the right null space. P (b - A x) then takes the place of b - A x. The
 * outcome is GSOLVE_LEAST_SQUARES instead of GSOLVE_CONVERGED for columns with a larger |b - A x|.
 *
 * On return x and *result are complete, also if x is on the device.
 *
 * A run allocates memory only in these cases: it is the first run, or has more columns than all
 * earlier runs; the format "auto" of A changes the converted form; the preconditioner that the
 * method "auto" created is updated; b or x is row-major, and the first of this size in this
 * solver, or on the host of a GPU; b or x has another type than A; |b|, |x| or |b - A x| is so
 * large or so small that its square may leave the range of the type of A, so that the run scales
 * the system; a profile is kept; A has a null space that is new, or new values since the null space
 * was checked, or is in single precision.
 *
 * Fails with GSOLVE_BAD_ARGUMENT if a value of b or x is not finite, with GSOLVE_UNSUPPORTED if the
 * method needs M^-T or A' and M or the operator A does not have it, and with the errors of
 * gsolve_precond_update where "auto" or "direct" must adapt to new values of A. After a failure
 * *result is unchanged, and x is unchanged or an iterate; after GSOLVE_DEVICE_FAILED x is
 * undefined. */
GSOLVE_API gsolve_status gsolve_solver_run(gsolve_solver *S, gsolve_dense b, gsolve_dense x,
                                           gsolve_result *result);

/* Sets *result to the result of one column of the last run. Columns count from 0. Fails with
 * GSOLVE_BAD_ARGUMENT if there is no such column, if there was no run, or if the last run failed.
 */
GSOLVE_API gsolve_status gsolve_solver_column(const gsolve_solver *S, int32_t column,
                                              gsolve_result *result);

/* A function of the caller that a run calls once for each iteration, from iteration 0 on, which is
 * the initial guess. `relative_residual` is |r| / |b| of the worst column, with the |r| that the
 * method computed; the true residual can differ. `user` is the pointer of
 * gsolve_solver_set_monitor. If the true residual is still too large when the method reports
 * convergence, the run starts the method again from the current x, and calls the monitor a second
 * time for that iteration.
 *
 * The function returns true to go on, and false to stop the run. On a GPU, iterations that are
 * already submitted still run, without calls of the monitor. The monitor runs in the thread that
 * called gsolve_solver_run, and must not call the library for objects of the same context. */
typedef bool gsolve_monitor(int iteration, double relative_residual, void *user);

/* Makes later runs call monitor(iteration, relative_residual, user). NULL removes the monitor. The
 * solver keeps both pointers: `user` must be valid until the monitor is replaced or removed, or the
 * solver is destroyed. */
GSOLVE_API void gsolve_solver_set_monitor(gsolve_solver *S, gsolve_monitor *monitor, void *user);

/* What a stopping test of the caller decides. */
typedef enum gsolve_decision {
    GSOLVE_CONTINUE, /* iterate */
    GSOLVE_ACCEPT,   /* x is good enough by the caller's own rule */
    GSOLVE_STOP      /* end the run, whatever x is */
} gsolve_decision;

/* A stopping test of the caller. A run calls it for each column in each iteration, from iteration 0
 * on, which is the initial guess. `column` is the index of the column in b, from 0; the order of
 * the columns of an iteration is not defined. `residual_norm` is the column's |r|, and `rhs_norm`
 * its |b|, both in the units of b; |r| is the one that the method computed, as for the monitor, and
 * if the option `norm` of the method is `preconditioned`, |r| is multiplied as that option says.
 * `user` is the pointer of gsolve_solver_set_stopping_test. Columns that have ended are left out.
 *
 * The run ends with the outcome GSOLVE_ACCEPTED if the test returns GSOLVE_ACCEPT for every column
 * that still iterates, all in the same iteration. It ends with GSOLVE_STOPPED as soon as the test
 * returns GSOLVE_STOP. The test of `rtol`, `atol` and the other options stays in force: a column
 * whose true residual meets `rtol` or `atol` has converged, whatever the caller's test returned.
 * With rtol=0 the caller's rule alone decides, within `maxit` and `stall`.
 *
 * The rules of gsolve_monitor hold for this function too: on a GPU, iterations that are already
 * submitted still run, without calls of the test, so x can be some iterations further. The monitor
 * is called before the test. */
typedef gsolve_decision gsolve_stopping_test(int iteration, int32_t column, double residual_norm,
                                             double rhs_norm, void *user);

/* Makes later runs call test(iteration, column, residual_norm, rhs_norm, user). NULL removes the
 * test. The solver keeps both pointers: `user` must be valid until the test is replaced or removed,
 * or the solver is destroyed. */
GSOLVE_API void gsolve_solver_set_stopping_test(gsolve_solver *S, gsolve_stopping_test *test,
                                                void *user);

/* --- options between runs ------------------------------------------------------- */

/* Sets options for later runs. `options` is "key=value,...", with the keys `rtol`, `atol`, `dtol`,
 * `maxit` and `stall`. They have the meaning and the limits that they have in the spec of
 * gsolve_solver_create; options that are not named keep their values. A later run gives the same
 * bits as a run of a new solver whose spec has these values. For "auto" they are set for the chosen
 * method; for "refine" they are those of the refinement, and the inner method follows them.
 *
 * The call allocates nothing, and on a GPU the CUDA graph of the steps stays valid. It does not
 * change the result of the last run. The empty string sets nothing.
 *
 * Fails with GSOLVE_BAD_SPEC for another key, or a value outside the limits. Then no option is
 * changed. */
GSOLVE_API gsolve_status gsolve_solver_set(gsolve_solver *S, const char *options);

/* --- information ---------------------------------------------------------------- */

/* Returns one or more sentences: why the last run ended with its outcome, and what to try next; the
 * text of gsolve_solver_note follows. Before the first run, or after a run that failed, the text
 * says that there has been no run. The text is valid until the next run or until the solver is
 * destroyed. If the run did not converge, the first call examines the matrix on the host and may
 * take as long as gsolve_csr_statistics. */
GSOLVE_API const char *gsolve_solver_explain(gsolve_solver *S);

/* Why a run failed, and one thing to do about it. */
typedef struct gsolve_diagnosis {
    size_t size;       /* set by GSOLVE_INIT */
    char name[32];     /* of the cause, for programs, such as "not symmetric" or "iteration limit";
                          "" if there is nothing to diagnose */
    char cause[768];   /* sentences. Rows and columns count from 1 */
    char method[128];  /* spec of the method to try, "auto", or "" for that of the run */
    char precond[128]; /* spec of the preconditioner to try, "auto", "none", or "" for that of the
                          run */
    char options[96]; /* what else to change, "key=value,...": rtol, maxit (a number, or "default"),
                         scale, order, type, null_space=constants; "" for nothing */
    char remedy[512]; /* a sentence that says this; "" if gsolve knows no remedy, and then the three
                         members above are "", too */
} gsolve_diagnosis;

/* Finds out why the last run failed, and what to do. *diagnosis is empty if there was no run or it
 * succeeded. The cause is what the statistics and the rows of A, the residual and the numbers of
 * the run show; the remedy is never the method with the preconditioner that has just failed. The
 * call examines the matrix on the host; see gsolve_solver_explain. If memory is short, it examines
 * less.
 *
 * Fails with GSOLVE_BAD_ARGUMENT if diagnosis is NULL or its size is not set. */
GSOLVE_API gsolve_status gsolve_solver_diagnose(gsolve_solver *S, gsolve_diagnosis *diagnosis);

/* Returns a remark of the method about the last run, such as "42 inner iterations of cg in single
 * precision.", or "" if there is none. For "auto" the remark contains the choice and its reason,
 * such as "auto chose cg + ic: symmetric with a positive diagonal.", even before the first run. The
 * text is valid until the next run or until the solver is destroyed. */
GSOLVE_API const char *gsolve_solver_note(const gsolve_solver *S);

/* Returns the name of the method in use; for "auto" the name of the method that it chose. It is a
 * constant string. */
GSOLVE_API const char *gsolve_solver_name(const gsolve_solver *S);

/* Estimates the bytes of work space that a solver with this spec would hold in the memory of the
 * context's device, the GPU or the host, for a matrix with the size and the type of csr and this
 * number of right-hand sides, 1 or more. No work space is allocated. Only the method "auto" reads
 * the arrays of csr.
 *
 * The estimate omits four things: A', which "bicg", "lsqr" and "lsmr" store in the matrix; a copy
 * of a small matrix of up to 30 MB, which "cg" and "bicgstab" store on a GPU; the preconditioner
 * that "auto" creates; and a copy of b and one more vector, if A has a null space.
 *
 * Fails with GSOLVE_UNSUPPORTED for "refine" and "direct", whose work space depends on the values
 * or on the pattern, and with GSOLVE_BAD_ARGUMENT if csr is not square and the method is neither
 * "lsqr" nor "lsmr". */
GSOLVE_API gsolve_status gsolve_solver_memory(gsolve_context *ctx, const char *spec,
                                              const gsolve_csr *csr, int32_t columns,
                                              size_t *bytes);

/* --- spectrum ------------------------------------------------------------------- */

/* Estimates of the last run of a solver with the option spectrum=on, from numbers that the method
 * computes anyway. M^-1 A has the eigenvalues of the method's operator. `cg`, `pipecg` and `minres`
 * have Ritz values of the Lanczos process, and `gmres` the singular values of its Hessenberg matrix
 * (Saad, Iterative Methods for Sparse Linear Systems, 2003, 6.5 to 6.7). With several columns the
 * values are the extremes over all of them. They lie within the true range and approach its ends as
 * the run goes on; after few steps they can be far from them.
 *
 * The solver records the first 1000 steps of a run in each column (`cg`, `pipecg`, `minres`: 16 kB
 * a column), or the first cycle (`gmres`: 8 m (m + 1) bytes a column with `restart` m). */
typedef struct gsolve_spectrum {
    size_t size;      /* set by GSOLVE_INIT */
    int steps;        /* number of steps that were recorded, the largest of a column; 0: none, and
                         the members below are 0 */
    double smallest;  /* smallest eigenvalue of M^-1 A; for `gmres` smallest singular value of
                         A M^-1 */
    double largest;   /* largest one */
    double condition; /* largest / smallest for `cg`, `pipecg` and `gmres`; for `minres` the
                         quotient of the largest and the smallest singular value of M^-1/2 A M^-1/2.
                         It is a lower bound, or INFINITY if `smallest` is 0, or negative with `cg`
                         and `pipecg` */
} gsolve_spectrum;

/* Estimates the spectrum from the last run. The call copies the record to the host and allocates
 * memory there.
 *
 * Fails with GSOLVE_UNSUPPORTED if the solver was not created with spectrum=on, and with
 * GSOLVE_BAD_ARGUMENT if there was no run, or if the last run failed. */
GSOLVE_API gsolve_status gsolve_solver_spectrum(const gsolve_solver *S, gsolve_spectrum *spectrum);

/* --- profile of a run ----------------------------------------------------------- */

/* One class of operations in the iterations of a run, such as "product + dot". Over several ranks on
 * CPUs, the messages of the rank are classes, too: "halo exchange", "sum over ranks", "gather from
 * all ranks", and "wait for other ranks", the time until all ranks have come to a message. The other
 * classes are then without their messages. On GPUs their times contain the messages. */
typedef struct gsolve_profile_class {
    size_t size;      /* set by GSOLVE_INIT */
    const char *name; /* a constant string */
    int64_t calls;    /* number of operations of this class */
    double bytes;     /* bytes of all calls, if each call reads and writes each of its arrays once;
                         0 for operations on a few numbers. Of messages: what this rank sends and
                         receives */
    double seconds;   /* time of all calls, on a GPU by the clock of the GPU */
} gsolve_profile_class;

/* The iterations of the last run, without its start and its final check. The first four members are
 * set for every run. The last two are 0 if no profile was kept. */
typedef struct gsolve_profile {
    size_t size;              /* set by GSOLVE_INIT */
    int iterations;           /* number of iterations */
    double seconds;           /* time of all iterations */
    double iteration_seconds; /* mean time of one iteration. The first iterations, in which a GPU
                                 captures CUDA graphs, do not count if enough later ones follow */
    int64_t copies;           /* number of copies from the device to the host in all iterations */
    double iteration_bytes;   /* mean number of bytes that one iteration reads and writes */
    double class_seconds;     /* time of all classes together */
} gsolve_profile;

/* Switches the profile of later runs on or off. It is off at first. With a profile, a GPU launches
 * each operation separately to time it, instead of CUDA graphs. Over several ranks on CPUs, all
 * ranks wait for each other before each message if one of them keeps a profile. The run takes
 * longer; its bits are the same. */
GSOLVE_API gsolve_status gsolve_solver_profile(gsolve_solver *S, bool on);

/* Sets all members of *profile for the last run. They are 0 if there was no run. */
GSOLVE_API void gsolve_solver_get_profile(const gsolve_solver *S, gsolve_profile *profile);

/* Sets *line to a class of operations of the last run and returns true. `index` counts, from 0, the
 * classes that have calls. Returns false, and leaves *line unchanged, if there is no such class or
 * no profile was kept. */
GSOLVE_API bool gsolve_solver_profile_at(const gsolve_solver *S, int index,
                                         gsolve_profile_class *line);

#ifdef __cplusplus
}
#endif
#endif
