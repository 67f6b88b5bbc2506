/* method.h: what a method is made of, and the operations its recurrence is written in.
 *
 * A method knows no device, no value type, no format: it works on vectors (gsolve_dense, one column
 * for each right-hand side, all in A's type on A's device) and on scalars (arrays on the device,
 * one number for each right-hand side). Every operation leaves the columns alone that have ended.
 */
#ifndef GS_SOLVER_METHOD_H
#define GS_SOLVER_METHOD_H

#include "core/staging.h"
#include "matrix/csr.h"
#include "matrix/residual.h"
#include "solver/block/block.h"
#include "solver/resident/resident.h"
#include "solver/run/profile.h"
#include "solver/run/scalar_kernels.h"
#include "vector/batch.h"

typedef struct gsolve_solver gs_krylov;
typedef double *gs_scalar;

typedef struct gs_run_options { /* of every method, first in its options struct */
    double rtol, atol, dtol;
    int maxit, stall;
    int resident; /* of methods that can */
    int guess, keep;
} gs_run_options;

enum { GS_GUESS_GIVEN, GS_GUESS_PROJECTION };
#define GS_MOST_KEPT 64

enum { GS_RESIDENT_AUTO, GS_RESIDENT_OFF };

/* The row of an option table that sets it. */
#define GS_RESIDENT_OPTION(type)                                            \
    {"resident",                                                            \
     "on a GPU all steps in one kernel, where the system fits on its chip", \
     GSOLVE_CHOICE,                                                         \
     offsetof(type, run.resident),                                          \
     GS_RESIDENT_AUTO,                                                      \
     0,                                                                     \
     0,                                                                     \
     "auto|off"}

/* The rows of an option table that set them; run must be the first member of type. */
#define GS_RUN_OPTIONS(type, maxit0, stall0)                                                     \
    {"rtol",      "relative tolerance: |b - Ax| <= rtol |b|",                                    \
     GSOLVE_REAL, offsetof(type, run.rtol),                                                      \
     1e-8,        0,                                                                             \
     1,           NULL},                                                                         \
        {"atol",      "absolute tolerance: |b - Ax| <= atol",                                    \
         GSOLVE_REAL, offsetof(type, run.atol),                                                  \
         0,           0,                                                                         \
         1e300,       NULL},                                                                     \
        {"dtol",      "diverged: |b - Ax| > dtol |b|",                                           \
         GSOLVE_REAL, offsetof(type, run.dtol),                                                  \
         1e8,         1,                                                                         \
         1e300,       NULL},                                                                     \
        {"maxit", "most iterations", GSOLVE_INT, offsetof(type, run.maxit), maxit0,              \
         0,       2147483647,        NULL},                                                      \
        {"guess",                                                                                \
         "where x begins: as given, or from there at the best combination of earlier solutions", \
         GSOLVE_CHOICE,                                                                          \
         offsetof(type, run.guess),                                                              \
         GS_GUESS_GIVEN,                                                                         \
         0,                                                                                      \
         0,                                                                                      \
         "given|projection"},                                                                    \
        {"keep",     "earlier solutions for guess=projection",                                   \
         GSOLVE_INT, offsetof(type, run.keep),                                                   \
         8,          1,                                                                          \
         64,         NULL},                                                                      \
    {                                                                                            \
        "stall", "stagnated: no new least residual in so many iterations; 0: never", GSOLVE_INT, \
            offsetof(type, run.stall), stall0, 0, 2147483647, NULL                               \
    }

typedef struct gs_method {
    gsolve_plugin plugin;
    size_t state_size;
    int products;    /* of a step with A; 0: steps differ */
    bool any_shape;  /* A need not be square */
    bool transposes; /* applies A' and M^-T */
    bool flexible;   /* M may vary */
    bool ignores_precond;
    bool tests_convergence; /* its steps make the stopping test, in the pass that finds |r| */
    bool definite;          /* A is taken for symmetric positive definite */
    /* columns depend on one another, and move at a start, or where settled says so */
    bool whole;
    bool late; /* x is up to date only after finish */
    /* Allocates work space for k->width columns into k's state, by gs_new_... */
    gsolve_status (*setup)(gs_krylov *k);
    /* From k->x: sets the state and k->rr = |r|^2 in the active columns. */
    gsolve_status (*start)(gs_krylov *k);
    /* The iteration after j others since the start; sets k->rr. What it does depends on j alone,
     * and from the second period on on j modulo the period: steps are recorded and replayed. It
     * reads no scalar and leaves no state behind but on the device. */
    gsolve_status (*step)(gs_krylov *k, int64_t j);
    /* optional: count such steps of column c by gs_resident_cuda, where k->resident is set */
    gsolve_status (*resident_steps)(gs_krylov *k, int32_t c, int64_t j, int count);
    /* optional: the period; else 2. 0: steps work on the host and are never recorded */
    int (*period)(const gs_krylov *k);
    /* optional, where whole: whether columns may move before step j, which begins with x alone, by
     * a start of its own, if there is no narrow */
    bool (*settled)(const gs_krylov *k, int64_t j);
    /* optional, where settled does not begin anew: what columns share is divided after so many were
     * wide, of which k->wide have moved to the front */
    gsolve_status (*narrow)(gs_krylov *k, int32_t before);
    /* optional: brings x up to date in the columns that have ended (GMRES forms it at the end), and
     * may write k->note */
    gsolve_status (*finish)(gs_krylov *k);
    /* optional: releases what setup took by other means than gs_new_... */
    void (*destroy)(gs_krylov *k);
} gs_method;

typedef struct gs_column {  /* one right-hand side during a run */
    double target, norm;    /* |b - Ax| to reach, |b| */
    double first, begin;    /* |b - Ax| at the begin of the run, of the present correction */
    double verified;        /* |b - Ax| at the last restart */
    double last;            /* |b - Ax| / |b| of the last iterate, verified */
    double kept, kept_true; /* |r| when x was kept, see outer.c; |b - Ax|, or INFINITY */
    int kept_at, checked;   /* iterations when x was kept, and kept_true computed */
    int keeps;              /* which of the two vectors holds it */
    bool pending;           /* whether the other one holds an x whose |r| is not known yet */
    int scale;              /* the run's r is 2^-scale (b - Ax), see outer.c */
    int left;               /* k->b is 2^-left (b - Ax) after the run */
    bool rounded;           /* it converged but for the rounding of x to the caller's type */
    int restarts, iterations, products;
    gsolve_outcome outcome;
    double residual; /* |b - Ax| / |b| of the x that is returned */
} gs_column;

typedef struct gs_outer { /* of outer.c: the caller's system */
    gsolve_dense b, x;    /* as given */
    gs_stage at_b, at_x;  /* where the device reads them, while correcting */
    bool correcting;      /* the run solves for a correction of x */
    bool examined;        /* whether A's size was looked at in this run */
    int size;             /* the run's A is 2^size times the caller's */
    gsolve_dense kept[2]; /* earlier x of the run; the second where the host sees |r| late */
    gsolve_dense formed[GSOLVE_TYPE_COUNT]; /* space for x, while correcting */
    gs_norms *norms;                        /* one for each column */
} gs_outer;

typedef struct gs_guess {  /* of initial_guess.c */
    gsolve_dense U, W;     /* keep vectors each, of which kept are there */
    gsolve_dense fresh;    /* two vectors */
    gsolve_dense begin, r; /* x at the begin of the run; b - A x */
    double *h;             /* keep + 2 numbers on the device */
    int64_t ld;
    int kept;
    double use[GS_MOST_KEPT], of[GS_MOST_KEPT]; /* see put; numbers fetched */
    uint64_t A;                                 /* the version of A that they are of */
} gs_guess;

#define GS_MAX_WORK 56 /* blocks that a solver may own */

struct gsolve_solver {
    gsolve_context *ctx;
    const gsolve_matrix *A;
    const gsolve_precond *M; /* or NULL */
    const gs_method *method;
    void *options; /* begins with gs_run_options */
    void *state;   /* of the method */
    const gs_vector_kernels *vector;
    gsolve_csr csr;            /* A's sizes and type; its arrays after gs_need_rows */
    int32_t width, ncols;      /* columns there is space for; columns of this run */
    int32_t wide;              /* the first so many of them may go on */
    gsolve_dense b, x;         /* of this run, in A's type */
    gsolve_dense own_b, own_x; /* where b is not the caller's; x */
    gs_outer outer;
    /* on the device, for each column */
    gs_scalar rr;          /* |r|^2 */
    int *flag, *ended;     /* what a kernel found: 0 or an outcome; whether it goes on no more */
    int *all_ended;        /* one number: whether all have; NULL where kernels need not be told */
    gs_progress *progress; /* followed by the history, see scalar_kernels.h */
    /* on the host, for each column */
    int32_t *order;        /* the right-hand side that it is */
    gs_progress *seen;     /* the progress that the host last looked at */
    int *mask;             /* to set flag and ended from */
    bool *active;          /* columns that go on, as far as the host has seen */
    bool *round;           /* columns of this round */
    bool *recorded_active; /* columns that the graph moves */
    gs_column *column;
    double *relative;
    const gs_scalar_kernels *small;
    gs_resident *resident;        /* NULL: not resident */
    bool on_chip;                 /* this run's steps are made by it */
    uint64_t resident_A;          /* version of A that it holds */
    gs_graph *graph;              /* of the steps of a chunk; NULL: not recorded */
    int recorded[GS_HISTORY / 4]; /* products made by the end of each step of the chunk */
    int recorded_ncols;
    uint64_t recorded_A, recorded_M; /* versions of A and M */
    int recorded_form;               /* changes of A's form */
    int64_t record_from;             /* steps since the start before which nothing is recorded */
    bool adapting;                   /* A's form may change, see adapt_matrix.c */
    int64_t adapt_at;                /* iterations of the run after which it is asked next */
    bool stopped;                    /* by the monitor */
    bool within;                     /* another method, which judges: x begins as 0 */
    bool at_zero;                    /* x is 0 now, at the start of such a run */
    int *unless; /* kernels do nothing where it is set for a column; NULL: where that has ended */
    bool keeps;  /* going on with the last run's directions, if the method can */
    bool unrecordable;        /* something in a step cannot be recorded */
    int begun, before;        /* iterations and products before this round */
    int told;                 /* last iteration that the monitor has seen */
    int made[2 * GS_HISTORY]; /* products made before the end of an iteration, by its number */
    void *work[GS_MAX_WORK];
    int nwork;
    struct gs_moving { /* what a column has on the device, and moves with it */
        void *first;
        int64_t words; /* of 4 bytes, in which it lies behind that of the column before */
    } moving[GS_MAX_WORK];
    int nmoving;
    gs_queue *together; /* keeps kernels on vectors, see vector/batch.h; NULL: each runs at once */
    const gs_columns_kernels *columns;
    bool counting;  /* work space is counted and not allocated, see memory_estimate.c */
    size_t counted; /* its bytes on the device */
    gs_guess guess;
    gs_profile profile;
    int iteration, products;
    double product_seconds, precond_seconds;
    gsolve_monitor *monitor;
    void *user;
    gsolve_result result;
    char note[1024];        /* what the method has to say of the run, and chosen; or "" */
    gsolve_precond *own_M;  /* M where auto made it, else NULL */
    uint64_t own_M_version; /* of A, whose values own_M was made from */
    char chosen[768];       /* what auto chose and why, or "" */
    char *explanation;
};

extern const gsolve_plugin *const gs_methods[];
extern const gs_method gs_cg, gs_pipecg, gs_bicg, gs_bicgstab, gs_cgs, gs_tfqmr, gs_idr, gs_gmres,
    gs_fgmres, gs_block_cg, gs_block_gmres, gs_minres, gs_refine, gs_direct;

static inline const gs_run_options *gs_run(const gs_krylov *k)
{
    return k->options;
}

/* k->csr = A's rows on the host, which come from the device when first asked for. */
gsolve_status gs_need_rows(gs_krylov *k);

/* --- work space, released with the solver ------------------------------------------------------
 */

/* While k->counting, *work = NULL: what sets up a vector's values has to look. */
gsolve_status gs_new_work(gs_krylov *k, gsolve_location location, size_t count, size_t size,
                          void **work);
/* So many bytes of 0 on the device, a multiple of 8. */
gsolve_status gs_new_zeros(gs_krylov *k, size_t bytes, void **work);
gsolve_status gs_new_vector(gs_krylov *k, int32_t nrows, gsolve_dense *v);
gsolve_status gs_new_vector_of(gs_krylov *k, gsolve_type type, int32_t nrows, gsolve_dense *v);
/* Elements of *pointer's type, one for each column. */
#define GS_NEW_PER_COLUMN(k, location, pointer)                                 \
    ((location) == GSOLVE_DEVICE                                                \
         ? gs_new_columns(k, 1, sizeof *(pointer), (void **)(void *)&(pointer)) \
         : gs_new_work(k, location, (size_t)(k)->width, sizeof *(pointer),      \
                       (void **)(void *)&(pointer)))
/* On the device, count elements of size bytes (a multiple of 4) for each column. */
gsolve_status gs_new_columns(gs_krylov *k, size_t count, size_t size, void **work);
/* A vector whose columns stay in the order of b and x. */
gsolve_status gs_new_outer_vector(gs_krylov *k, int32_t nrows, gsolve_dense *v);
gsolve_status gs_new_outer_vector_of(gs_krylov *k, gsolve_type type, int32_t nrows,
                                     gsolve_dense *v);
gsolve_status gs_new_scalar(gs_krylov *k, gs_scalar *s);

/* Elements from one column of a vector, or vector of a basis, to the next. */
int64_t gs_vector_stride(int32_t nrows);
/* count vectors of n rows, gs_vector_stride apart, for each of width columns (1: for all alike). */
gsolve_status gs_new_basis(gs_krylov *k, gsolve_type type, int32_t width, int count,
                           gsolve_dense *V);
/* Vector j of a basis whose vectors are ld apart. */
gsolve_dense gs_basis_at(gsolve_dense V, int64_t ld, int j);

/* --- resident systems, resident.c --------------------------------------------------------------
 */

/* Sets k->resident where a resident run is possible; before a run, which then is on_chip: A's
 * present values. */
gsolve_status gs_resident_new(gs_krylov *k);
gsolve_status gs_resident_begin(gs_krylov *k);
void gs_resident_drop(gs_krylov *k);
/* What the next launch moves, for a profile: A, eight vectors, and in each step twice what the
 * products gather from. */
void gs_resident_expect_bytes(gs_krylov *k);
gs_resident_run gs_resident_run_of(const gs_krylov *k, int32_t c, gs_scalar rho, gs_scalar next,
                                   int steps);

/* --- columns -----------------------------------------------------------------------------------
 */

/* Tells the device which columns are active; their flags are cleared. */
gsolve_status gs_set_active(gs_krylov *k);

/* columns.c: all columns stand where their right-hand sides do; those that are active move to the
 * front, at a start; whether that is worth while before step j; the host's part back to the order
 * of right-hand sides. */
void gs_columns_begin(gs_krylov *k);
gsolve_status gs_columns_move_up(gs_krylov *k);
bool gs_columns_due(const gs_krylov *k, int64_t j);
void gs_columns_end(gs_krylov *k);
/* Tells the device whether all columns have ended, after a step. */
gsolve_status gs_columns_test_ended(gs_krylov *k);
/* Where column c of v lies: of b and x that of its right-hand side. */
gsolve_dense gs_place_of(const gs_krylov *k, gsolve_dense v, int32_t c);

/* --- outer.c: the caller's b and x, and the run's ------------------------------------------------
 */

/* Work space; k->b and k->x from the caller's, and each column's target; x back to the caller,
 * unless the run failed. The end is to be called after each begin. */
gsolve_status gs_outer_new(gs_krylov *k);
gsolve_status gs_outer_begin(gs_krylov *k, gsolve_dense b, gsolve_dense x);
gsolve_status gs_outer_end(gs_krylov *k, gsolve_status status);
/* Keeps x of all columns, at a start; of those whose residual has halved since, where so many
 * chunks of steps (0 or 1) have been given that the host has not looked at. */
gsolve_status gs_outer_keep_first(gs_krylov *k);
gsolve_status gs_outer_keep(gs_krylov *k, int chunks);
/* Tests the columns of this round by their true residual; *again: some start once more. */
gsolve_status gs_outer_verify(gs_krylov *k, bool *again);
/* Whether all columns converged but for the rounding of x to the caller's type. */
bool gs_outer_rounded(const gs_krylov *k);
/* to = from, of one type, column by column, wherever they lie. */
gsolve_status gs_copy_columns(gsolve_context *ctx, gsolve_dense from, gsolve_dense to);
/* |r| to reach and |b| in units of the run. */
double gs_outer_target(const gs_krylov *k, int32_t c);
double gs_outer_norm(const gs_krylov *k, int32_t c);

/* progress.c: progress begins for the active columns, whose targets are set. */
gsolve_status gs_progress_begin(gs_krylov *k);
/* The test after a step (after: 1) or a start (0). */
gsolve_status gs_progress_test(gs_krylov *k, int after);
/* Sends the progress so far to the host, slot by slot; looks at what a slot brought: ends columns,
 * tells the monitor. */
gsolve_status gs_progress_post(gs_krylov *k, int slot);
gsolve_status gs_progress_read(gs_krylov *k, int slot, bool *any);

/* Runs the function name of scalar_kernels.h for the active columns on a. */
#define GS_RUN_SCALAR(k, name, a) gs_run_scalar_kernel(k, (k)->small->name, a)
gsolve_status gs_run_scalar_kernel(gs_krylov *k, gs_scalar_function *function,
                                   const gs_scalar_arguments *a);
/* What column c is judged by. */
gs_convergence_test gs_convergence_test_of(const gs_krylov *k, int32_t c);
/* The arguments that all of them have in common. */
gs_scalar_arguments gs_scalar_arguments_of(const gs_krylov *k);

/* --- adapt_matrix.c: what A is told of the products to come
 * --------------------------------------------
 */

/* At the begin of a run, where its columns are known; steps before A is asked; after j steps since
 * a start, if it is due then and all that happened has been looked at; in the end. */
gsolve_status gs_adapt_begin(gs_krylov *k);
int gs_adapt_first(const gs_krylov *k, int chunk);
bool gs_adapt_due(const gs_krylov *k, int64_t j);
gsolve_status gs_adapt_matrix(gs_krylov *k, int64_t j, int chunk);
gsolve_status gs_adapt_end(gs_krylov *k);

/* Steps after which the method does the same again; 0: they work on the host. */
int gs_period(const gs_krylov *k);

/* --- operations; num / den stands for the scalar of each column, NULL for 1 --------------------
 */

/* A coefficient sign num / den. */
typedef struct gs_coefficient {
    double sign;
    gs_scalar num, den;
    gs_scalar num2, den2; /* another factor num2 / den2 */
    gsolve_outcome flaw;  /* what it means that a divisor vanishes */
    bool positive;        /* ... or that num or den is negative */
} gs_coefficient;

static inline gs_coefficient gs_number(double value)
{
    return (gs_coefficient){value, NULL, NULL, NULL, NULL, GSOLVE_BREAKDOWN, false};
}

static inline gs_coefficient gs_quotient(double sign, gs_scalar num, gs_scalar den)
{
    return (gs_coefficient){sign, num, den, NULL, NULL, GSOLVE_BREAKDOWN, false};
}

/* num / den, of which none may be negative where A and M are positive definite. */
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
/* What M^-1 multiplies by where it is a diagonal, else NULL; *simple: it is that, or absent. */
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
gsolve_status gs_axpbypcz(gs_krylov *k, gs_coefficient a, gsolve_dense x, gs_coefficient b,
                          gsolve_dense y, gs_coefficient c, gsolve_dense z); /* z = ax + by + cz */
gsolve_status gs_axpy_norm(gs_krylov *k, gs_coefficient a, gsolve_dense x, gsolve_dense y,
                           gs_scalar yy); /* y += a x, yy = y'y */

/* z = a x + b y + c z, w = M^-1 z, in one pass where M is a diagonal or absent; y may be empty. */
gsolve_status gs_axpbypcz_precondition(gs_krylov *k, gs_coefficient a, gsolve_dense x,
                                       gs_coefficient b, gsolve_dense y, gs_coefficient c,
                                       gsolve_dense z, gsolve_dense w);
/* x += a p + b s, r -= b t, wr = w'r, k->rr = |r|^2, which is judged. */
gsolve_status gs_solution_step(gs_krylov *k, gs_coefficient a, gsolve_dense p, gs_coefficient b,
                               gsolve_dense s, gsolve_dense t, gsolve_dense w, gsolve_dense r,
                               gs_scalar wr);

/* r -= a q, k->rr = |r|^2, which is judged, z = M^-1 r, rz = r'z. Where M is a diagonal or absent,
 * in one pass and without z; gs_direction_step knows. */
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

/* h[c][i] = V_i'w and w += sign sum_i h[c][i] V_i over the first m vectors of each column's basis;
 * V, of any type: stride separates columns, ld the vectors of a basis, hstride the h of columns. */
gsolve_status gs_dots(gs_krylov *k, int m, gsolve_dense V, int64_t ld, gsolve_dense w, double *h,
                      int64_t hstride);
gsolve_status gs_combine(gs_krylov *k, int m, gsolve_dense V, int64_t ld, const double *h,
                         int64_t hstride, double sign, gsolve_dense w, gs_scalar ww);

/* Around kernels of block.h that move so many numbers: they do nothing once all have ended. */
void gs_begin_block(gs_krylov *k, gs_class class, double numbers);
void gs_end_block(gs_krylov *k);

/* initial_guess.c: space, where the options ask for it; x at the begin of a run, once its columns
 * are known; what the run found is kept. */
gsolve_status gs_guess_new(gs_krylov *k);
gsolve_status gs_guess_begin(gs_krylov *k);
gsolve_status gs_guess_end(gs_krylov *k);

/* Everything that a run of width columns needs; a larger width begins anew. */
gsolve_status gs_solver_reserve(gs_krylov *k, int32_t width);
/* Refuses work space for width columns that does not fit into the device's memory. */
gsolve_status gs_solver_fits(gs_krylov *k, int32_t width);

/* Refuses a forecast: for a set-up that depends on more than shapes, before all else in it. */
gsolve_status gs_not_foretold(const gs_krylov *k);

/* Makes what k needs for the method named, with k->M; frees it again, own_M too, for another. */
gsolve_status gs_solver_set_up(gs_krylov *k, const char *named);
void gs_solver_drop(gs_krylov *k);

/* Whether k's operands suit its method; n: unknowns of k->M. */
gsolve_status gs_solver_check(const gs_krylov *k, int32_t n);

/* Nothing is recorded any more. */
void gs_forget_graph(gs_krylov *k);

/* The whole run on the caller's b and x. */
gsolve_status gs_krylov_run(gs_krylov *k, gsolve_dense b, gsolve_dense x);

#endif
