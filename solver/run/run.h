/* run.h: the state of a run, in one struct for each file of this folder that owns a part, and what
 * these files offer each other. Only the owner writes a part, unless its comment says otherwise. */
#ifndef GS_SOLVER_RUN_RUN_H
#define GS_SOLVER_RUN_RUN_H

#include "core/staging.h"
#include "matrix/null_space.h"
#include "matrix/residual.h"
#include "solver/method.h"
#include "solver/run/profile.h"
#include "vector/batch.h"

#define GS_MAX_WORK      64               /* blocks that a solver may own */
#define GS_MAX_PERIOD    (GS_HISTORY / 4) /* of steps that are recorded */
#define GS_MOST_EXPONENT 1020             /* 2^1020 and 2^-1020 are normal numbers */

/* --- the parts of the state ------------------------------------------------------------------- */

/* One right-hand side. outer.c, outer_scale.c and outer_answer.c set it; progress.c sets outcome,
 * iterations and products when the column ends. */
typedef struct gs_column {
    double target, norm;    /* |b - Ax| to reach, |b| */
    double first, begin;    /* |b - Ax| when the run began, when this correction began */
    double verified;        /* |b - Ax| at the last restart, INFINITY before the first */
    double last;            /* |b - Ax| / |b| of the last iterate, recomputed */
    double kept, kept_true; /* |r| and |b - Ax| (or INFINITY) of the kept x, see outer.c */
    int kept_at, checked;   /* iterations when x was kept, and kept_true computed */
    int keeps;              /* the index in gs_outer.kept of the vector that holds the kept x */
    double tighten;         /* 1, or for norm=preconditioned the factor of the target that makes the
                               true residual small enough, see outer_answer.c */
    bool pending;           /* the other vector holds an x whose |r| the host does not know yet */
    int scale;              /* the run's r is 2^-scale (b - Ax), see outer.c */
    int left;               /* k->b is 2^-left (b - Ax) after the run */
    bool rounded;           /* only the rounding of x to the caller's type prevents convergence */
    int restarts, iterations, products;
    gsolve_outcome outcome;
    double residual;      /* |b - Ax| / |b| of the x that is returned */
    double rounding;      /* of it, see gs_norms */
    bool doubled;         /* of it, see gs_norms */
    double projected;     /* |P (b - Ax)| / |b| of it, see null_space.c */
    double removed;       /* |b - P b| */
    double normal;        /* |A'r| / (|A| |r|) of it, or -1, see least_squares.c */
    double normal_before; /* that at the last restart, INFINITY before the first */
    int most;             /* maxit, or less while proving */
    bool proving;         /* the run goes on to show that A is singular, see least_squares.c */
} gs_column;

typedef struct gs_moving { /* an array on the device, `words` words of 4 bytes for each column */
    void *first;
    int64_t words;
} gs_moving;

typedef struct gs_work { /* work.c: work space */
    void *block[GS_MAX_WORK];
    int blocks;
    gs_moving moving[GS_MAX_WORK]; /* the arrays that move when columns are swapped */
    int nmoving;
    bool counting;  /* work space is counted and not allocated, see gsolve_solver_memory */
    size_t counted; /* its bytes on the device */
} gs_work;

typedef struct gs_columns { /* columns.c: kernels on several columns at once */
    const gs_columns_kernels *kernels;
    gs_queue *batch; /* batches vector kernels, see vector/batch.h; NULL: each runs at once */
    int *all_ended;  /* on the device: whether all columns have ended; NULL: nothing reads it */
} gs_columns;

typedef struct gs_recording {    /* loop.c: the steps of a chunk, recorded as a CUDA graph */
    gs_graph *graph;             /* NULL: nothing is recorded */
    int products[GS_MAX_PERIOD]; /* products made by the end of each step */
    bool *active;                /* the columns that were active when it was recorded */
    int ncols;
    uint64_t A, M; /* versions of A and M */
    int form;      /* changes of A's form; adapt_matrix.c */
    int64_t from;  /* steps since the start before which nothing is recorded or replayed, since they
                      may allocate what they are the first to use; loop.c, adapt_matrix.c */
    bool impossible; /* something in a step cannot be recorded */
} gs_recording;

/* Iterations and products of a run, and the time that they take; the files count their own. */
typedef struct gs_counts {
    int iteration;          /* of the run, as far as the host knows */
    int begun;              /* iterations before this round */
    int products;           /* so far; those of steps that the host has not read yet are counted */
    int before;             /* products before this round */
    int by[2 * GS_HISTORY]; /* see gs_products_by */
    double product_seconds, precond_seconds;
} gs_counts;

typedef struct gs_monitoring { /* progress.c */
    gsolve_monitor *call;      /* the caller's, or NULL; solver.c */
    void *user;
    gsolve_stopping_test *test; /* the caller's, or NULL; solver.c */
    void *test_user;
    int reported;           /* the last iteration that both were called for */
    bool watched;           /* loop.c: on some rank there is call, test, or a limit of time */
    bool stopped;           /* the caller has ended the run, */
    int stopped_at;         /* by the answer for this iteration */
    gsolve_outcome outcome; /* if stopped: GSOLVE_STOPPED, _TIME_LIMIT or _ACCEPTED */
} gs_monitoring;

typedef struct gs_adapting { /* adapt_matrix.c */
    bool on;                 /* A's form may still change */
    int64_t next_at;         /* iterations of the run after which A gets the next estimate */
} gs_adapting;

typedef struct gs_guess {  /* initial_guess.c: earlier solutions */
    gsolve_dense U, W;     /* space for `keep` vectors each; the first `kept` are set */
    gsolve_dense pair;     /* two vectors: a correction u and w = A u */
    gsolve_dense begin, r; /* x when the run began; b - A x */
    double *h;             /* keep + 2 numbers on the device */
    int kept;
    double use[GS_MOST_KEPT]; /* the part of each vector in the last solutions, see add_pair */
    double h_host[GS_MOST_KEPT];
    uint64_t A; /* the version of A that the vectors belong to */
} gs_guess;

/* The caller's system, and the system that the run iterates on; see outer.c. */
typedef struct gs_outer {
    gsolve_dense b, x;         /* the caller's */
    gs_stage at_b, at_x;       /* copies that the device can read, while correcting */
    gsolve_dense own_b, own_x; /* vectors for the run's b, if it is not the caller's, and x */
    bool examined;             /* the size of A was computed in this run */
    gsolve_dense kept[2];      /* kept x of each column; the second where the host reads |r| late */
    gsolve_dense formed[GSOLVE_TYPE_COUNT]; /* space for x in each type, while correcting */
    gs_norms *norms;                        /* one for each column */
} gs_outer;

typedef struct gs_row_major { /* row_major.c: columns of the caller's b and x, where kernels read */
    void *block[2];
    size_t bytes[2];
} gs_row_major;

/* What gsolve_solver_spectrum reads; the values are how to read it. */
typedef enum gs_spectrum_kind { GS_OF_CG, GS_OF_MINRES, GS_OF_GMRES } gs_spectrum_kind;

typedef struct gs_spectrum { /* spectrum.c: spectrum=on */
    double *record;          /* on the device, `size` numbers for each column; NULL: off */
    int size;
    gs_spectrum_kind kind;
} gs_spectrum;

typedef struct gs_residency { /* resident/resident.c: steps in one kernel */
    struct gs_resident *plan; /* NULL: no run is resident */
    bool on;                  /* this run is; outer_scale.c may end it */
    uint64_t A;               /* the version of A that the plan holds */
} gs_residency;

typedef struct gs_projection {    /* null_space.c: the null spaces of A */
    const gs_null_spaces *spaces; /* of this run; NULL: A has none */
    uint64_t version;             /* of the null spaces of the last run */
    int32_t width, dimension;     /* for which the arrays below are allocated */
    double *h;                    /* on the device: `dimension` numbers for each column */
    int *none;                    /* on the device: 0 for each column; a value of k->skip */
    double *h_host, *removed;     /* on the host: the h of a column; L'b of each column */
    gsolve_dense b;               /* P b of the caller's b, in double precision */
    gsolve_dense r;               /* a residual, in A's type */
} gs_projection;

typedef struct gs_least_squares { /* least_squares.c; its memory is that of gs_new_work */
    gsolve_dense r, g;            /* b - A x and A'r of a column, in A's type */
    double *sum;                  /* on the device: one number */
    void *start;                  /* for an operator: a vector of norm 1, in A's type */
    void *matching;               /* on the host: work space for the search for a proof that A is
                                     singular; NULL where it is not needed */
    uint64_t version;             /* of A, whose values the rest belongs to */
    bool measured, examined;      /* norm is set; singular is set */
    double norm;                  /* |A| */
    bool singular;                /* proven by the pattern or by the sums of the rows */
} gs_least_squares;

typedef struct gs_auto_method { /* choose/auto_method.c: what the method "auto" chose */
    gsolve_precond *M;          /* the preconditioner that it made, or NULL */
    uint64_t version;           /* of A, whose values M was made from */
    char text[768];             /* what it chose and why, or "" */
} gs_auto_method;

struct gs_run {
    /* On the host, an element for each column: */
    gs_column *column;
    int32_t *order;        /* the right-hand side of the column; columns.c */
    bool *in_round;        /* columns that take part in this round; loop.c */
    gs_progress *fetched;  /* the progress that the host last read; progress.c */
    double *squares;       /* scratch: numbers fetched from the device */
    int *mask;             /* scratch: flags for the device, or fetched from it */
    gs_progress *progress; /* on the device, followed by GS_HISTORY residuals for each column */
    bool x_is_zero;        /* at the start of an inner run; loop.c */
    bool correcting;       /* the run solves for a correction of the caller's x; outer*.c */
    int size;              /* the run's A is 2^size times the caller's; outer*.c */
    gs_work work;
    gs_columns columns;
    gs_recording recording;
    gs_counts counts;
    gs_monitoring monitor;
    gs_adapting adapting;
    gs_profile profile; /* profile.h */
    bool profiled;      /* loop.c: on some rank there is a profile */
    gs_guess guess;
    gs_outer outer;
    gs_row_major row_major;
    gs_residency resident;
    gs_projection projection;
    gs_least_squares least_squares;
    gs_scalar norm_factor; /* on the device, for norm=preconditioned with M: see norm.c; or NULL */
    gs_spectrum spectrum;
    gs_auto_method chosen;
    int passes; /* choose/auto_passes.c: 0, or the last run was that many runs for corrections of a
                   transformed system, and the numbers are those of the caller's system */
    gs_run_options last;  /* the options of the last run; solver.c */
    gsolve_result result; /* of the last run; solver.c */
    char *explanation;    /* of the last run, or NULL; explain.c */
};

/* Products made by the end of an iteration. The array is a ring. */
static inline int *gs_products_by(const gs_krylov *k, int64_t iteration)
{
    return &k->run->counts.by[iteration % (2 * GS_HISTORY)];
}

/* --- solver.c ----------------------------------------------------------------------------------
 */

/* gsolve_solver_create with arguments that are not NULL. file: NULL, or the file from which the
 * method reads its set-up. */
gsolve_status gs_solver_create(gsolve_solver **S, gsolve_context *ctx, const char *spec,
                               const gsolve_matrix *A, const gsolve_precond *M, gs_loading *file);

/* --- setup.c: a solver ------------------------------------------------------------------------ */

/* *k = a solver without a method, its parts empty. counting: its work space is only counted. */
gsolve_status gs_solver_new(gs_krylov **k, gsolve_context *ctx, bool counting);
/* Releases the solver itself. gs_solver_drop releases what the method and the set-up allocated, and
 * is called before. */
void gs_solver_free(gs_krylov **k);
/* Parses `spec` and sets the method and its options. */
gsolve_status gs_solver_set_method(gs_krylov *k, const char *spec);
/* Checks that A and k->M suit the method. */
gsolve_status gs_solver_check(const gs_krylov *k);
/* Work space for runs of `width` columns; a larger width allocates all of it again. */
gsolve_status gs_solver_reserve(gs_krylov *k, int32_t width);
/* Sets k up for the method that `spec` names, with k->M. */
gsolve_status gs_solver_set_up(gs_krylov *k, const char *spec);
/* Undoes gs_solver_set_up, so that it can be called with another spec. */
void gs_solver_drop(gs_krylov *k);

/* --- choose/explain_function.c ---------------------------------------------------------------- */

/* If functions of the caller take part in the run and explain why column `worst` failed, writes a
 * sentence to text and returns true. */
bool gs_explain_function(const gs_krylov *k, const gs_column *worst, char *text, size_t size);

/* --- settings.c ---------------------------------------------------------------------------------
 */

/* Fails with GSOLVE_BAD_SPEC if a key of `options`, which is not empty, is not one that
 * gsolve_solver_set sets. of: the method, for the sentence. */
gsolve_status gs_settings_check(gsolve_context *ctx, const char *of, const char *options);

/* --- work.c ----------------------------------------------------------------------------------- */

/* From here on the array at first, of `bytes` bytes for each column, moves when columns move. */
void gs_work_move_along(gs_krylov *k, void *first, size_t bytes);
/* Releases all work space. */
void gs_work_release(gs_krylov *k);

/* --- row_major.c ------------------------------------------------------------------------------ */

/* Whether u and v, of any layouts, share memory. If their memory interleaves and their layouts or
 * strides differ, the answer is true. */
bool gs_vectors_overlap(gsolve_dense u, gsolve_dense v);
/* Fails unless b and x are vectors for a system with a matrix of nrows x ncols. Their values are
 * not read. */
gsolve_status gs_check_vectors(gsolve_context *ctx, int32_t nrows, int32_t ncols, gsolve_dense b,
                               gsolve_dense x);
/* *columns = v, or its columns in block `which` (0 or 1) of *r, where kernels read, if v is
 * row-major. */
gsolve_status gs_columns_from(gs_row_major *r, gsolve_context *ctx, int which, gsolve_dense v,
                              gsolve_dense *columns);
/* Copies the columns that gs_columns_from made to v. */
gsolve_status gs_columns_to(gsolve_context *ctx, gsolve_dense columns, gsolve_dense v);
void gs_row_major_release(gs_row_major *r, gsolve_context *ctx);

/* --- loop.c ----------------------------------------------------------------------------------- */

/* Solves A x = b for the first k->ncols columns of the caller's b and x. */
gsolve_status gs_krylov_run(gs_krylov *k, gsolve_dense b, gsolve_dense x);

/* --- progress.c ------------------------------------------------------------------------------- */

/* Progress of the active columns begins; their targets are set. */
gsolve_status gs_progress_begin(gs_krylov *k);
/* Tests convergence after a start (iterations: 0) or after a step (1). */
gsolve_status gs_progress_test(gs_krylov *k, int iterations);
/* Starts the copy of the progress to the host, in this slot. */
gsolve_status gs_progress_send(gs_krylov *k, int slot);
/* Waits for the copy in this slot and reads it: ends columns and calls the monitor and the caller's
 * stopping test. *any: a column is still active, and the caller has not ended the run. */
gsolve_status gs_progress_read(gs_krylov *k, int slot, bool *any);
/* After the last read of a round: if the caller has ended the run, ends all active columns. */
void gs_progress_stop(gs_krylov *k);

/* --- columns.c -------------------------------------------------------------------------------- */

/* Drops the recording of the run's steps. */
void gs_forget_graph(gs_krylov *k);
/* Work space for k->width columns. */
gsolve_status gs_columns_reserve(gs_krylov *k);
/* A run begins: column c is right-hand side c. */
void gs_columns_begin(gs_krylov *k);
/* A run ends: the host's arrays get the order of right-hand sides again. */
void gs_columns_end(gs_krylov *k);
/* Active columns move to the front and the others behind them. */
gsolve_status gs_columns_compact(gs_krylov *k);
/* Whether enough columns have ended before step j to move the others. */
bool gs_columns_should_compact(const gs_krylov *k, int64_t j);
/* After a step: the device finds out whether all columns have ended. */
gsolve_status gs_columns_test_ended(gs_krylov *k);
/* Column c of v. The columns of b and x do not move: for v = k->b or k->x it is the column of
 * its right-hand side. */
gsolve_dense gs_operand_column(const gs_krylov *k, gsolve_dense v, int32_t c);

/* --- adapt_matrix.c: A's form ("auto", see spmv/auto/) changes while a run uses it -------------
 */

/* A run begins; its active columns are known. */
gsolve_status gs_adapt_begin(gs_krylov *k);
/* Steps of the first chunk: fewer than `chunk` if A gets its first estimate before the end of it.
 */
int gs_adapt_first(const gs_krylov *k, int chunk);
/* Whether A gets an estimate after j steps since the start. */
bool gs_adapt_due(const gs_krylov *k, int64_t j);
/* Gives A the estimate; the host has read the progress of all j steps. */
gsolve_status gs_adapt_matrix(gs_krylov *k, int64_t j, int chunk);
/* A run ends: A gets the products made, and the estimate that none are left. */
gsolve_status gs_adapt_end(gs_krylov *k);

/* --- initial_guess.c: guess=projection -------------------------------------------------------- */

/* Work space, if the options ask for it. */
gsolve_status gs_guess_reserve(gs_krylov *k);
/* A run begins: improves k->x. */
gsolve_status gs_guess_begin(gs_krylov *k);
/* A run has ended: keeps its corrections. */
gsolve_status gs_guess_end(gs_krylov *k);

/* --- null_space.c ----------------------------------------------------------------------------- */

/* Whether A has null spaces in this run. */
static inline bool gs_projects(const gs_krylov *k)
{
    return k->run->projection.spaces != NULL;
}

/* Fails if A has a null space and the method does not apply a preconditioner. */
gsolve_status gs_projection_check(const gs_krylov *k);
/* A run begins: finds A's null spaces and allocates work space. */
gsolve_status gs_projection_begin(gs_krylov *k);
/* Frees the work space. */
void gs_projection_drop(gs_krylov *k);
/* Replaces the run's b, k->run->outer.b, by P b. */
gsolve_status gs_projection_of_b(gs_krylov *k);
/* Removes the right null space from the columns of x, which are of any type. */
gsolve_status gs_projection_of_x(gs_krylov *k, gsolve_dense x);
/* Removes the left null space from r, one column. */
gsolve_status gs_projection_of_r(gs_krylov *k, gsolve_dense r);
/* Computes the norms that decide about column c, from one column of the run's b and x:
 * |P (b - A x)|, and |b| with the part that was removed. Without null spaces P = I. */
gsolve_status gs_projection_norms(gs_krylov *k, int32_t c, gsolve_dense b, gsolve_dense x,
                                  gs_norms *norms);
/* A run ends: computes the true residuals of its columns in x, and which are least-squares
 * solutions. */
gsolve_status gs_projection_end(gs_krylov *k, gsolve_dense x);

/* --- spectrum.c: spectrum=on ------------------------------------------------------------------ */

/* A run begins, or goes on with a multiple of A: nothing is recorded yet. */
gsolve_status gs_spectrum_begin(gs_krylov *k);
/* *e = the estimate of the last run; needs spectrum=on. steps is 0 if the run made no step. */
gsolve_status gs_spectrum_estimate(const gs_krylov *k, gsolve_spectrum *e);

/* --- outer.c, outer_answer.c, outer_scale.c --------------------------------------------------- */

/* Work space. */
gsolve_status gs_outer_reserve(gs_krylov *k);
/* Sets k->b, k->x and each column's target from the caller's b and x. */
gsolve_status gs_outer_begin(gs_krylov *k, gsolve_dense b, gsolve_dense x);
/* Copies x to the caller's vector, unless `status` is a failure. Must follow each gs_outer_begin.
 */
gsolve_status gs_outer_end(gs_krylov *k, gsolve_status status);
/* A start: keeps x of all active columns. */
gsolve_status gs_outer_keep_first(gs_krylov *k);
/* Keeps x of the columns whose residual has halved since. The device may be `chunks` (0 or 1)
 * chunks of steps ahead of the progress that the host has read. */
gsolve_status gs_outer_keep(gs_krylov *k, int chunks);
/* Computes the true residual of the columns of this round and decides. *again: some start again. */
gsolve_status gs_outer_verify(gs_krylov *k, bool *again);
/* Returns the column that the result of the run describes: the one with the largest residual among
 * those that failed; else among those that the caller's test accepted; else among all. */
const gs_column *gs_worst_column(const gs_krylov *k);
/* Whether every column converged, or did not because of rounding errors: of x in the caller's type,
 * or of A x; and there is a column of the second kind. Other methods would not converge either. */
bool gs_outer_rounded(const gs_krylov *k);

/* Column c of v, whose columns are in the order of right-hand sides. */
static inline gsolve_dense gs_outer_column(gsolve_dense v, const gs_krylov *k, int32_t c)
{
    return gs_column_of(v, k->run->order[c]);
}

static inline int gs_outer_clamp(int exponent, int most)
{
    return exponent > most ? most : exponent < -most ? -most : exponent;
}

/* The first ncols columns of v. */
static inline gsolve_dense gs_first_columns(gsolve_dense v, int32_t ncols)
{
    v.ncols = ncols;
    return v;
}

/* to = from, of one type, column by column, each on the host or on the device. */
gsolve_status gs_copy_columns(gsolve_context *ctx, gsolve_dense from, gsolve_dense to);
/* to = from: one column, of any types, both readable by kernels. */
gsolve_status gs_outer_copy_column(gs_krylov *k, gsolve_dense from, gsolve_dense to);
/* *square = v'v for one column. */
gsolve_status gs_outer_square(gs_krylov *k, gsolve_dense v, double *square);
/* From here on the run corrects the caller's x. Changes nothing where it fails. */
gsolve_status gs_outer_begin_corrections(gs_krylov *k);
/* Sets up the next correction of column c, whose x has these norms. */
gsolve_status gs_outer_begin_correction(gs_krylov *k, int32_t c, const gs_norms *norms);
/* outer_scale.c: once in a run, checks whether |A M^-1 b| is out of range. If so, columns that
 * failed start again with a multiple of A; if it is close to that, with corrections. Without memory
 * for that, the run ends as it is. */
gsolve_status gs_outer_rescue(gs_krylov *k, bool *again);
/* An element of x in an empty column of A may have overflowed: b - A x does not show it. Then the
 * norms of x, column c of v, become INFINITY. */
gsolve_status gs_outer_refuse_overflow(gs_krylov *k, gsolve_dense v, int32_t c, gs_norms *norms);

#endif
