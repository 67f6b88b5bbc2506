/* gsolve_solver.h: iterative and direct solvers of A x = b, their results, the profile of a run,
 * and the automatic choice of the method and the preconditioner. */
#ifndef GSOLVE_SOLVER_H
#define GSOLVE_SOLVER_H

#include "gsolve_csr.h"
#include "gsolve_precond.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- outcome and result --------------------------------------------------------- */

/* The outcomes of a run and their texts. docs/understand/residual_policy.md defines each. */
#define GSOLVE_OUTCOME_LIST(X)                                                      \
    X(GSOLVE_CONVERGED, "converged")                                                \
    X(GSOLVE_ITERATION_LIMIT, "iteration limit")                                    \
    X(GSOLVE_STAGNATED, "stagnated")                                                \
    X(GSOLVE_DIVERGED, "diverged")                                                  \
    X(GSOLVE_BREAKDOWN, "breakdown")   /* division by an inner product that is 0 */ \
    X(GSOLVE_INDEFINITE, "indefinite") /* p'Ap <= 0, where cg needs p'Ap > 0 */     \
    X(GSOLVE_STOPPED, "stopped")       /* the monitor stopped the run */

typedef enum gsolve_outcome {
    GSOLVE_OUTCOME_LIST(GSOLVE_ENUM) GSOLVE_OUTCOME_COUNT
} gsolve_outcome;

/* Returns the text of an outcome, such as "iteration limit". */
const char *gsolve_outcome_text(gsolve_outcome outcome);

/* The result of a run, or of one of its columns. The result of a run has the outcome, the counts
 * and the residual of the worst column. */
typedef struct gsolve_result {
    gsolve_outcome outcome;
    int iterations;
    int products;           /* products with A and with A' */
    double residual;        /* |b - A x| / |b| of the returned x, computed from A's rows */
    double seconds;         /* time of the whole run */
    double product_seconds; /* time of the host in products with A */
    double precond_seconds; /* time of the host in applications of M */
} gsolve_result;

/* --- solver --------------------------------------------------------------------- */

typedef struct gsolve_solver gsolve_solver;

/* Creates a solver for the matrix A. spec names a method; "auto" chooses one. A must be square,
 * except for "direct", which solves a least-squares problem if A is not square.
 *
 * If M is NULL, a named method solves without a preconditioner. "auto" chooses the method and the
 * preconditioner as gsolve_auto_choose does, and takes the next choice if one cannot be set up. The
 * solver then owns the preconditioner. After gsolve_matrix_update, the next run updates this
 * preconditioner first, with the errors of gsolve_precond_update. The choice stays the same.
 *
 * If M is not NULL, the caller owns M, updates it, and destroys it after the solver. "auto" then
 * chooses a method that uses M, or "direct" if A is not square. If M is of the kind "none", "auto"
 * chooses a method and solves without a preconditioner.
 *
 * Fails with GSOLVE_NO_MEMORY, before any set-up, if the work space does not fit into the device's
 * memory. Fails with GSOLVE_UNSUPPORTED if the method cannot use A or M, and with GSOLVE_ZERO_PIVOT
 * if "direct" or the preconditioner of "auto" meets a zero pivot. */
gsolve_status gsolve_solver_create(gsolve_solver **S, gsolve_context *ctx, const char *spec,
                                   const gsolve_matrix *A, const gsolve_precond *M);

/* Frees the solver and the preconditioner that it owns. */
void gsolve_solver_destroy(gsolve_solver **S);

/* Solves A x = b. On entry x is the initial guess. b and x are column-major, on the host or on the
 * device of A, of any type, with any number of columns. They must not share memory.
 *
 * A column has converged if |b - A x| <= max(rtol |b|, atol). The run computes this residual in
 * double precision from the caller's A, b and x (docs/understand/residual_policy.md). If the
 * outcome is GSOLVE_CONVERGED, all columns have converged. Otherwise x is the iterate with the
 * smallest known residual: the initial guess, an iterate that the run stored, or the last one.
 *
 * A run allocates memory only in these cases: it has more columns than all earlier runs; the format
 * "auto" of A changes its form; the preconditioner that the method "auto" created is updated; b or
 * x has another type than A; the numbers are so large or so small that they are scaled; a profile
 * is kept.
 *
 * After a failure *result is unchanged. x is unchanged or an iterate. */
gsolve_status gsolve_solver_run(gsolve_solver *S, gsolve_dense b, gsolve_dense x,
                                gsolve_result *result);

/* Fills *result with the result of one column of the last run. */
gsolve_status gsolve_solver_column(const gsolve_solver *S, int32_t column, gsolve_result *result);

/* A function of the caller that receives the residual of the worst column in each iteration, from
 * iteration 0 on. It returns false to stop the run. On a GPU, iterations that are already submitted
 * still run, without calls of the monitor. */
typedef bool gsolve_monitor(int iteration, double residual, void *user);

/* Makes later runs call monitor(iteration, residual, user). NULL removes the monitor. */
void gsolve_solver_set_monitor(gsolve_solver *S, gsolve_monitor *monitor, void *user);

/* --- information ---------------------------------------------------------------- */

/* Returns one or two sentences: why the last run ended with its outcome, and what to try next. The
 * text is valid until the next run. The call examines the matrix and may take as long as
 * gsolve_csr_statistics. */
const char *gsolve_solver_explain(gsolve_solver *S);

/* Returns a remark of the method about the last run, such as "42 inner iterations of cg in single
 * precision.". For "auto" it also returns the choice and its reason, such as "auto chose cg + ic:
 * symmetric with a positive diagonal.", even before the first run. Returns "" if there is no
 * remark. The text is valid until the next run. gsolve_solver_explain ends with it. */
const char *gsolve_solver_note(const gsolve_solver *S);

/* Returns the name of the method in use; for "auto" the method that it chose. */
const char *gsolve_solver_name(const gsolve_solver *S);

/* Estimates the bytes of work space that a solver with this spec would hold on the context's
 * device, for a matrix of csr's shape and type and this number of right-hand sides. Nothing is
 * allocated.
 *
 * The estimate omits three things: A', which bicg stores in the matrix; a copy of a small matrix of
 * up to 30 MB, which cg and bicgstab store on a GPU; and the preconditioner that "auto" creates.
 *
 * Fails like gsolve_solver_create. Fails with GSOLVE_UNSUPPORTED for "refine" and "direct", whose
 * work space depends on the values or on the pattern. */
gsolve_status gsolve_solver_memory(gsolve_context *ctx, const char *spec, const gsolve_csr *csr,
                                   int32_t columns, size_t *bytes);

/* --- profile of a run ----------------------------------------------------------- */

/* One class of operations in the iterations of a run, such as "product + dot". */
typedef struct gsolve_profile_class {
    const char *name;
    int64_t calls;
    double bytes;   /* bytes of all calls, if each call reads and writes each of its arrays once; 0
                       for operations on a few numbers */
    double seconds; /* time of all calls on the device */
} gsolve_profile_class;

/* The iterations of the last run, without its start and its final check. */
typedef struct gsolve_profile {
    int iterations;
    double seconds;           /* time of all iterations */
    double iteration_seconds; /* time of one iteration; without the first ones, which record CUDA
                                 graphs on a GPU, if there are enough later ones */
    int64_t copies;           /* copies from the device to the host in all iterations */
    double iteration_bytes;   /* bytes that one iteration moves; 0 if no profile was kept */
    double class_seconds;     /* time of all classes; 0 if no profile was kept */
} gsolve_profile;

/* Switches the profile of later runs on or off. It is off at first. With a profile, a GPU launches
 * each operation separately to time it, instead of recorded graphs. The run takes longer; its bits
 * are the same. */
gsolve_status gsolve_solver_profile(gsolve_solver *S, bool on);

/* Fills *profile for the last run. */
void gsolve_solver_get_profile(const gsolve_solver *S, gsolve_profile *profile);

/* Fills *line with class number index of the last run that kept a profile. Only classes with calls
 * are counted. Returns false if there is no such class. */
bool gsolve_solver_profile_at(const gsolve_solver *S, int index, gsolve_profile_class *line);

/* --- automatic choice ----------------------------------------------------------- */

/* A method and a preconditioner. */
typedef struct gsolve_choice {
    char solver[64], precond[64]; /* specs */
    char why[200];                /* the reason in one sentence */
} gsolve_choice;

/* Fills *choice with what "auto" does for a matrix with these statistics on the context's device.
 * The device matters because the times are estimated for it. attempt 0 is the first choice. Higher
 * numbers are the choices that follow when the earlier ones fail. statistics comes from
 * gsolve_csr_statistics. Returns false, and leaves *choice unchanged, if there is no such attempt
 * or ctx is NULL. */
bool gsolve_auto_choose(const gsolve_context *ctx, const gsolve_statistics *statistics, int attempt,
                        gsolve_choice *choice);

/* Returns whether the next choice may succeed after a set-up failed with this status, because the
 * failure depends on the matrix: GSOLVE_ZERO_PIVOT, GSOLVE_UNSUPPORTED or GSOLVE_NO_MEMORY. */
bool gsolve_auto_may_fall_back(gsolve_status status);

/* The result of one attempt. */
typedef struct gsolve_attempt {
    gsolve_status status; /* of the set-up and the run */
    gsolve_result result; /* valid if status is GSOLVE_OK */
    bool last;            /* true: no further attempt */
} gsolve_attempt;

/* Solves with choice number index, from the initial guess in x, and fills *attempt. Returns false
 * if there is no such choice. */
typedef bool gsolve_attempt_function(int index, gsolve_dense x, gsolve_attempt *attempt,
                                     void *user);

/* The fall-back loop of gsolve_solve. It calls function with index 0, 1, 2, ..., each time with the
 * same initial guess, until an attempt converges, sets last, or fails with a status after which
 * gsolve_auto_may_fall_back is false. x and *result return the best attempt: one that converged, or
 * else the one with the smallest residual. *best returns its index. If no attempt has a result, x
 * is the initial guess, *best is -1, and the status is that of the last failure. */
gsolve_status gsolve_auto_attempts(gsolve_context *ctx, gsolve_dense x,
                                   gsolve_attempt_function *function, void *user,
                                   gsolve_result *result, int *best);

#ifdef __cplusplus
}
#endif
#endif
