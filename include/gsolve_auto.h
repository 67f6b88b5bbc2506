/* gsolve_auto.h: the automatic choice of a method and a preconditioner, and the automatic solver: a
 * handle that chooses, falls back, and keeps what it has set up for new values of the matrix.
 *
 *     gsolve_auto *S = NULL;
 *     gsolve_result result = GSOLVE_INIT(gsolve_result);
 *
 *     gsolve_auto_create(&S, ctx, "rtol=1e-10", &csr);
 *     for (...) {
 *         gsolve_auto_update(S, &csr);    the same pattern, new values
 *         gsolve_auto_run(S, b, x, &result);
 *     }
 *     gsolve_auto_destroy(&S);
 */
#ifndef GSOLVE_AUTO_H
#define GSOLVE_AUTO_H

#include "gsolve_solver.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- automatic choice ----------------------------------------------------------- */

/* A choice: a method and a preconditioner. */
typedef struct gsolve_choice {
    size_t size;      /* set by GSOLVE_INIT */
    char method[64];  /* spec of the method */
    char precond[64]; /* spec of the preconditioner */
    char why[200];    /* the reason, without a full stop */
} gsolve_choice;

/* Sets *choice to a choice of "auto" for a matrix with these statistics (gsolve_csr_statistics).
 * The run times of preconditioners are estimated for the context's device, so the choice can differ
 * between a CPU and a GPU. `attempt` 0 is the first choice; 1, 2, ... are the choices that follow
 * if the earlier ones fail. Returns true. Returns false, and leaves *choice unchanged, if there is
 * no such attempt or ctx is NULL. */
GSOLVE_API bool gsolve_auto_choose(const gsolve_context *ctx, const gsolve_statistics *statistics,
                                   int attempt, gsolve_choice *choice);

/* --- automatic solver ----------------------------------------------------------- */

/* An automatic solver. It holds a matrix, a list of choices, and of one choice the preconditioner
 * and the solver. */
typedef struct gsolve_auto gsolve_auto;

/* Creates an automatic solver for the matrix A = csr, which it copies as gsolve_matrix_create does
 * in the format "auto". Nothing is chosen and set up before the first run.
 *
 * `options` has the form "key=value,...", such as "rtol=1e-10,maxit=500", or is "" for the
 * defaults. The keys are those that all methods have: rtol, atol, dtol, maxit, stall, guess, keep
 * ("gsolve list solvers"). They apply to each choice. The default of `rtol` is 1e-8. Without
 * `maxit` each choice has a limit of its own.
 *
 * Two more keys make all choices iterate on a transformed system B y = P R b, with B = P R A C P'
 * and x = C P' y:
 *
 *     scale=rows        R brings the largest magnitude of each row into [0.5, 1); C = I. A choice
 *                       that needs a symmetric matrix then fails
 *     scale=symmetric   R = C brings the largest magnitude of each row and column near 1 (Ruiz
 *                       2001); a symmetric A stays symmetric
 *     scale=auto        none if the largest magnitudes of the rows differ by a factor of less than
 *                       100 or A is not square, else symmetric if A is symmetric, else rows
 *     scale=none        the default: R = C = I
 *     order=rcm         P is the reverse Cuthill-McKee order: small bandwidth
 *     order=amd         approximate minimum degree
 *     order=nd          nested dissection by METIS; fails with GSOLVE_UNSUPPORTED in a build
 *                       without METIS
 *     order=none        the default: P = I. With another order, the method direct keeps it: its own
 *                       option is order=none then, unless the choice sets one
 *
 * R and C hold powers of two, so that the values of B are exact; those below 2^-1000 (in single
 * precision 2^-120) of the largest in their row may become 0. "Converged" still means that the true
 * residual of A, b and x meets the tolerance: where it does not after a run for B, the choice
 * solves for a correction of x with a smaller tolerance, several times if needed. New values of A
 * get new scales; P stays. The handle then holds B beside A. Monitors get the residual that a run
 * for B began with, times the factor by which it has become smaller in the norm of B. Choices that
 * minimise |b - A x| ("lsqr", "lsmr", "direct,factor=qr") iterate on A in spite of `scale` and
 * `order`, because they would find another minimum with scales; gsolve_solver_note says so.
 *
 * Fails with GSOLVE_BAD_SPEC if a key or a value is not allowed, and with GSOLVE_BAD_MATRIX or
 * GSOLVE_UNSUPPORTED like gsolve_matrix_create. With order, or a scale other than auto, also with
 * GSOLVE_BAD_MATRIX if A is not square. */
GSOLVE_API gsolve_status gsolve_auto_create(gsolve_auto **S, gsolve_context *ctx,
                                            const char *options, const gsolve_csr *csr);

/* Creates an automatic solver for a matrix handle of the caller, in any format. A must not be
 * destroyed before the last call with S other than gsolve_auto_destroy. For new values, call
 * gsolve_matrix_update or gsolve_matrix_update_assembled. `options` and the errors are those of
 * gsolve_auto_create; `scale` and `order` also fail with GSOLVE_UNSUPPORTED if A is an operator or
 * has a null space (gsolve_matrix_set_null_space), and so does a run if A has got one since. */
GSOLVE_API gsolve_status gsolve_auto_create_from(gsolve_auto **S, gsolve_context *ctx,
                                                 const char *options, const gsolve_matrix *A);

/* Frees the automatic solver with all that it holds, but not a matrix of the caller. */
GSOLVE_API void gsolve_auto_destroy(gsolve_auto **S);

/* Replaces the values of A, with the rules and the errors of gsolve_matrix_update: csr has the
 * pattern of the creation. The next run updates the preconditioner. Fails with GSOLVE_BAD_ARGUMENT
 * if the matrix is a handle of the caller. */
GSOLVE_API gsolve_status gsolve_auto_update(gsolve_auto *S, const gsolve_csr *csr);

/* Sets options for later runs, such as "rtol=1e-4,maxit=50", with the keys, the rules and the
 * errors of gsolve_solver_set. They apply to the choice that is set up, which stays, and to all
 * others. */
GSOLVE_API gsolve_status gsolve_auto_set(gsolve_auto *S, const char *options);

/* Solves A x = b. b, x and *result are as for gsolve_solver_run. On entry x is the initial guess.
 * A row-major x is copied to columns, and written when the run ends.
 *
 * The first run computes the statistics of A and makes a list of choices, as gsolve_auto_choose
 * does. It sets up and runs one choice after another, each from the same initial guess, until one
 * converges. That choice stays set up, and later runs begin with it. If it fails in a later run,
 * the run tries the choices that follow in the list and then those before it. If A has new values,
 * the list is first made again from their statistics. A choice fails if it cannot be set up or does
 * not converge (gsolve_outcome_is_success). If the monitor stops the run, no other choice is tried,
 * nor after an interrupt or at the end of the time limit (gsolve_context_interrupt). If these end
 * the set-up of a choice, and another one has a result, the outcome is GSOLVE_STOPPED or
 * GSOLVE_TIME_LIMIT; if none has, the call fails with GSOLVE_INTERRUPTED.
 * A matrix-free operator has one choice: the method "auto" without a preconditioner.
 *
 * If A has new values, a run keeps the pattern, the format, the choice and all memory, and updates
 * the preconditioner. Two things are built again when that pays:
 *
 *     the levels of "amg"   by its option `reuse`
 *     the choice            if cg with "jacobi", "ic" or "amg" took in the last run more than 1.25
 *                           times the iterations of the first run after its set-up, and more than
 *                           8 more. The run then compares the estimated times of the choices for
 *                           the statistics of the new values. For the present choice it takes the
 *                           iterations of the last run instead of the estimate. If another choice
 *                           is estimated to take less than 0.8 times as long, set-up included, and
 *                           has not failed before, the run sets it up.
 *
 * Both depend on counts and on a table of costs (docs/understand/automatic_choice.md), never on
 * measured times. So the same sequence of calls gives the same bits. The bits are also those of a
 * new handle for the new values if that makes the same choice, the preconditioner is not "amg", and
 * the matrix is a handle in another format than "auto".
 *
 * x returns the solution of the choice that converged, or else the x with the smallest residual of
 * all choices. *result describes the run of this choice; its member `seconds` is the time of the
 * whole call. If no choice has a result, the call fails with the status of the last one that
 * failed, such as GSOLVE_ZERO_PIVOT, and x is the initial guess. A failure that another choice
 * would not avoid, such as GSOLVE_BAD_ARGUMENT, ends the run at once.
 *
 * A run allocates memory where gsolve_solver_run does; where it sets up a choice, builds levels
 * again, or updates a preconditioner whose update needs work space; and for a copy of the initial
 * guess, and of a row-major x, if no earlier run had one as large. The copy of the guess is at the
 * location of x. */
GSOLVE_API gsolve_status gsolve_auto_run(gsolve_auto *S, gsolve_dense b, gsolve_dense x,
                                         gsolve_result *result);

/* --- information ---------------------------------------------------------------- */

/* What an automatic solver has chosen and done. The strings are valid until the next call with S
 * that is not const. */
typedef struct gsolve_auto_info {
    size_t size;          /* set by GSOLVE_INIT */
    const char *method;   /* spec of the method that the next run begins with, "" before the first
                             run */
    const char *precond;  /* spec of its preconditioner */
    const char *why;      /* the reason for this choice, without a full stop */
    char form[64];        /* spec of the format of the converted form in use */
    int choice;           /* position of this choice in the list, from 0; -1 before the first run */
    int choices;          /* number of choices in the list */
    int attempts;         /* number of choices that the last run tried */
    int64_t runs;         /* number of runs that returned GSOLVE_OK */
    int64_t updates;      /* number of updates of A since S was created */
    int64_t rebuilds;     /* number of times that new values or growing iterations made a run build
                             again: the levels of amg, or another choice */
    int iterations;       /* iterations of the last run that converged */
    int first_iterations; /* iterations of the first run that converged after the last set-up; 0:
                             there was none */
    double setup_seconds; /* time of set-ups and updates of preconditioners and methods in the
                             last run */
    double solve_seconds; /* time of iterations in the last run, of all choices that it tried */
    double total_setup_seconds; /* the two times of all runs */
    double total_solve_seconds;
    char transform[64]; /* what `scale` and `order` do to A for this choice, such as "scaled rows,
                           rcm order"; "" if nothing */
} gsolve_auto_info;

/* Sets all members of *info. */
GSOLVE_API void gsolve_auto_describe(const gsolve_auto *S, gsolve_auto_info *info);

/* Returns sentences about the last run: which choices failed and why, which choice solved the
 * system and why it was chosen, what was built again, and the text of gsolve_solver_explain. The
 * text is valid until the next call with S that is not const. */
GSOLVE_API const char *gsolve_auto_explain(gsolve_auto *S);

/* Finds out why the last run failed, and what to do, as gsolve_solver_diagnose does: for the choice
 * with the smallest residual, or, if no choice could be set up, for the first one. Called by a
 * gsolve_attempt_monitor at GSOLVE_ATTEMPT_ENDED, it diagnoses that attempt. The remedy is none
 * that has been tried in this run. *diagnosis is empty if the run succeeded, or if another choice
 * has been set up since and the attempt was not diagnosed. Fails with GSOLVE_NO_MEMORY, and as
 * gsolve_solver_diagnose. */
GSOLVE_API gsolve_status gsolve_auto_diagnose(gsolve_auto *S, gsolve_diagnosis *diagnosis);

/* Finds out, before any set-up, whether the statistics of A exclude a method: "cg", "pipecg",
 * "block_cg", "minres", or "refine" with such an inner method, if |A - A'| > 1e-6 |A| in the
 * Frobenius norm; and all of these but minres if a diagonal entry is negative, or 0 in a row with
 * other entries. *diagnosis is empty if they do not, and if A is an operator. `method` and `precond`
 * are specs. Fails with GSOLVE_BAD_ARGUMENT if an argument is NULL or diagnosis->size is not set. */
GSOLVE_API gsolve_status gsolve_auto_check(gsolve_context *ctx, const gsolve_matrix *A,
                                           const char *method, const char *precond,
                                           gsolve_diagnosis *diagnosis);

/* Returns the matrix A of S, for products, residuals and information. It lives as long as S, or is
 * the caller's. */
GSOLVE_API const gsolve_matrix *gsolve_auto_matrix(const gsolve_auto *S);

/* Returns the solver of the last choice that S has set up, for gsolve_solver_column, its profile
 * and its note, or NULL if there is none. If a run converged, this is the choice that converged.
 * The solver is valid until the next run. The caller must neither run nor destroy it. With `scale`
 * or `order` it is a solver for the transformed system; gsolve_solver_column returns the numbers of
 * the caller's system, and the profile is that of the last correction. */
GSOLVE_API gsolve_solver *gsolve_auto_solver(gsolve_auto *S);

/* --- a file for the set-up ------------------------------------------------------ */

/* Names a file that keeps a set-up from one program to the next. When a later run sets up a choice,
 * it first tries to read the preconditioner from the file, as gsolve_precond_load does for the
 * choice's spec. If the file does not exist or does not fit, the run creates the preconditioner
 * and, if the choice solves the system, writes the file, as gsolve_precond_save does. For a choice
 * without a preconditioner, gsolve_solver_load and gsolve_solver_save read and write the method,
 * such as "direct". A choice that cannot be saved neither reads nor writes the file. S copies
 * `path`; NULL removes the file's name from S.
 *
 * A set-up of this kind for other values or with other options is replaced, and so is a damaged
 * one. A set-up of another kind or for another pattern stays, and so does a file that the program
 * may read and not write. This does not make a run fail; members of gsolve_attempt say what
 * happened.
 *
 * Fails with GSOLVE_BAD_FILE if there is a file of this name that cannot be read, or that is
 * neither empty nor a set-up, and with GSOLVE_BAD_ARGUMENT if `path` is empty. */
GSOLVE_API gsolve_status gsolve_auto_set_setup_file(gsolve_auto *S, const char *path);

/* --- callbacks ------------------------------------------------------------------ */

/* Makes later runs call the monitor in each iteration of each choice, with the rules of
 * gsolve_solver_set_monitor. */
GSOLVE_API void gsolve_auto_set_monitor(gsolve_auto *S, gsolve_monitor *monitor, void *user);

/* Makes later runs use the stopping test with each choice, with the rules of
 * gsolve_solver_set_stopping_test. If it accepts x, no other choice is tried. */
GSOLVE_API void gsolve_auto_set_stopping_test(gsolve_auto *S, gsolve_stopping_test *test,
                                              void *user);

/* The moments at which a gsolve_attempt_monitor is called: before the set-up of a choice, between
 * its set-up and its run, and at its end. If the set-up fails, the second call is left out. */
typedef enum gsolve_attempt_stage {
    GSOLVE_ATTEMPT_BEGINS,
    GSOLVE_ATTEMPT_IS_SET_UP,
    GSOLVE_ATTEMPT_ENDED
} gsolve_attempt_stage;

/* One attempt of a run: the set-up and the run of one choice. It is valid during the call of the
 * monitor only. */
typedef struct gsolve_attempt {
    size_t size; /* set by the library: the size of its struct */
    gsolve_attempt_stage stage;
    int choice;                  /* position in the list of choices, from 0 */
    const char *method;          /* spec of the method with the options of S */
    const char *precond;         /* spec of the preconditioner */
    const char *why;             /* the reason for the choice */
    gsolve_precond *M;           /* NULL: not set up */
    gsolve_solver *S;            /* NULL: not set up */
    const gsolve_result *result; /* of the run; NULL until it ends, or if it failed */
    gsolve_status status;        /* at GSOLVE_ATTEMPT_ENDED: of the set-up and the run */
    bool kept;                   /* an earlier run has set the choice up */
    double precond_seconds;      /* time of the set-up or update of the preconditioner, */
    double method_seconds;       /* of the set-up of the method, */
    double run_seconds;          /* and of the run */
    bool setup_read;             /* M or S was read from the file of
                                    gsolve_auto_set_setup_file, */
    bool setup_written;          /* at GSOLVE_ATTEMPT_ENDED: that file was written after the run */
    const char *setup_note;      /* then: why the file was not read or not written, or "" */
} gsolve_attempt;

/* A function of the caller that follows the attempts. It may call functions of the library for
 * attempt->M and attempt->S, and at GSOLVE_ATTEMPT_ENDED even run attempt->S, but must not destroy
 * them. x of gsolve_auto_run, if it is column-major, is the initial guess at
 * GSOLVE_ATTEMPT_BEGINS, and the x of the attempt at GSOLVE_ATTEMPT_ENDED. The function returns
 * true to go on. If it returns false at GSOLVE_ATTEMPT_ENDED, no other choice is tried; at the
 * other stages the value is ignored. */
typedef bool gsolve_attempt_monitor(const gsolve_attempt *attempt, void *user);

/* Makes later runs call monitor(attempt, user). NULL removes the monitor. S keeps both pointers. */
GSOLVE_API void gsolve_auto_set_attempt_monitor(gsolve_auto *S, gsolve_attempt_monitor *monitor,
                                                void *user);

/* Replaces the list of choices by one of the caller: `count` methods with `count` preconditioners,
 * which runs try in this order, as specs for gsolve_solver_create and gsolve_precond_create. S
 * copies the specs and drops what it has set up. Runs then compute no statistics, and change the
 * choice only if it fails. Fails with GSOLVE_BAD_SPEC if a spec is too long; other errors in specs
 * are found by the run. Fails with GSOLVE_UNSUPPORTED if the option scale=rows is in use and each
 * choice needs a symmetric matrix. */
GSOLVE_API gsolve_status gsolve_auto_set_choices(gsolve_auto *S, int count,
                                                 const char *const *methods,
                                                 const char *const *preconds);

#ifdef __cplusplus
}
#endif
#endif
