/* method.h: the interface of methods, for their authors.
 *
 * A method is one iteration of a recurrence, written in the operations of operations/operations.h.
 * It knows no device, no value type and no format. Vectors are gsolve_dense: one column for each
 * right-hand side, of A's type, on A's device. Scalars are arrays on the device: one number for
 * each right-hand side. The loop in solver/run/ calls the method, tests convergence and recomputes
 * the true residual. */
#ifndef GS_SOLVER_METHOD_H
#define GS_SOLVER_METHOD_H

#include "matrix/csr.h"
#include "solver/run/options.h"
#include "vector/vector.h"

typedef struct gsolve_solver gs_krylov;
typedef double *gs_scalar;

typedef struct gs_method {
    gsolve_plugin plugin;
    size_t state_size;      /* bytes of k->state */
    int products;           /* products with A in a step; 0: the number differs between steps */
    bool any_shape;         /* A may be rectangular */
    bool transposes;        /* applies A' and M^-T */
    bool flexible;          /* M may vary from one application to the next */
    bool ignores_precond;   /* never applies M */
    bool tests_convergence; /* a step tests convergence itself, in the pass that computes |r| */
    bool symmetric;         /* needs a symmetric A; for the explanation of failures */
    bool definite;          /* needs a symmetric positive definite A; guess=projection then
                             * minimises the A-norm of the error, else the residual */
    bool couples_columns;   /* the recurrence of a column uses other columns */
    bool late_solution;     /* x is up to date only after finish */
    /* Allocates k->state's work space for k->width columns. */
    gsolve_status (*setup)(gs_krylov *k);
    /* Sets the state from k->x, and k->rr = |b - A x|^2, in the active columns. */
    gsolve_status (*start)(gs_krylov *k);
    /* The iteration that follows j iterations since the start; sets k->rr. From the second period
     * on it depends on j modulo the period alone, since the loop records steps as a CUDA graph and
     * replays them. A step reads no scalar on the host and changes only device memory. */
    gsolve_status (*step)(gs_krylov *k, int64_t j);
    /* Optional: `count` steps of column c from step j on, in one kernel of solver/resident/. */
    gsolve_status (*resident_steps)(gs_krylov *k, int32_t c, int64_t j, int count);
    /* Optional: the period of step; without it 2. 0: steps use the host and cannot be recorded. */
    int (*period)(const gs_krylov *k);
    /* Optional, with couples_columns: whether columns may move before step j. Without narrow, step
     * j must then begin from x alone. */
    bool (*may_move)(const gs_krylov *k, int64_t j);
    /* Optional, where step j does not begin from x alone: columns have moved, and the first k->wide
     * of `before` columns remain. Removes the others from the state that columns share. */
    gsolve_status (*narrow)(gs_krylov *k, int32_t before);
    /* Optional: brings x up to date in the columns that have ended; may write k->note. */
    gsolve_status (*finish)(gs_krylov *k);
    /* Optional: releases what setup did not allocate by the functions below. */
    void (*destroy)(gs_krylov *k);
} gs_method;

/* The solver as a method reads it. A method writes *state, x, rr, skip and note; finish and narrow
 * may also set active and wide. */
struct gsolve_solver {
    gsolve_context *ctx;
    const gsolve_matrix *A;
    const gsolve_precond *M; /* or NULL */
    const gs_method *method;
    void *options; /* begins with gs_run_options */
    void *state;
    const gs_vector_kernels *vector; /* kernels of A's type on ctx's device */
    gsolve_csr csr;                  /* shape and type of A; its arrays after gs_need_rows */
    int32_t width, ncols;            /* columns of the work space; columns of this run */
    int32_t wide;                    /* active columns are among the first `wide` */
    gsolve_dense b, x;               /* of this run, in A's type */
    bool *active;                    /* on the host: columns that have not ended, as far as known */
    bool continues; /* start: continue with the last run's directions, if the method can */
    /* On the device, an element for each column: */
    gs_scalar rr;       /* |r|^2 */
    int *flag;          /* 0, or the gsolve_outcome that a kernel found */
    int *ended;         /* whether the column has ended; kernels then leave it as it is */
    const int *skip;    /* operations skip columns where it is not 0; NULL: those that have ended */
    char note[1024];    /* for gsolve_solver_note */
    struct gs_run *run; /* solver/run/ */
};

extern const gsolve_plugin *const gs_methods[];
extern const gs_method gs_cg, gs_pipecg, gs_bicg, gs_bicgstab, gs_cgs, gs_tfqmr, gs_idr, gs_gmres,
    gs_fgmres, gs_block_cg, gs_block_gmres, gs_minres, gs_refine, gs_direct;

static inline const gs_run_options *gs_run_options_of(const gs_krylov *k)
{
    return k->options;
}

/* --- set-up -------------------------------------------------------------------------------------
 * Work space is released with the solver. gsolve_solver_memory calls setup only to count the bytes:
 * then a new pointer is NULL, and gs_is_counting says so. */

gsolve_status gs_new_work(gs_krylov *k, gsolve_location location, size_t count, size_t size,
                          void **work);
/* `bytes` zero bytes on the device; a multiple of 8. */
gsolve_status gs_new_zeros(gs_krylov *k, size_t bytes, void **work);
/* A vector; its columns move when columns move. */
gsolve_status gs_new_vector(gs_krylov *k, int32_t nrows, gsolve_dense *v);
gsolve_status gs_new_vector_of(gs_krylov *k, gsolve_type type, int32_t nrows, gsolve_dense *v);
/* A vector whose columns never move: they keep the order of b and x. */
gsolve_status gs_new_outer_vector(gs_krylov *k, int32_t nrows, gsolve_dense *v);
gsolve_status gs_new_outer_vector_of(gs_krylov *k, gsolve_type type, int32_t nrows,
                                     gsolve_dense *v);
gsolve_status gs_new_scalar(gs_krylov *k, gs_scalar *s);
/* On the device, `count` elements of `size` bytes (a multiple of 4) for each column. */
gsolve_status gs_new_columns(gs_krylov *k, size_t count, size_t size, void **work);
/* One element of *pointer's type for each column. */
#define GS_NEW_PER_COLUMN(k, location, pointer)                                 \
    ((location) == GSOLVE_DEVICE                                                \
         ? gs_new_columns(k, 1, sizeof *(pointer), (void **)(void *)&(pointer)) \
         : gs_new_work(k, location, (size_t)(k)->width, sizeof *(pointer),      \
                       (void **)(void *)&(pointer)))
/* `count` vectors for each of `width` columns; 1: one basis for all columns. Vectors of a basis are
 * gs_vector_stride apart. */
gsolve_status gs_new_basis(gs_krylov *k, gsolve_type type, int32_t width, int count,
                           gsolve_dense *V);
/* Elements from one column of a vector to the next: a multiple of a cache line. */
int64_t gs_vector_stride(int32_t nrows);
/* Vector j of a basis whose vectors are ld apart. */
gsolve_dense gs_basis_at(gsolve_dense V, int64_t ld, int j);

bool gs_is_counting(const gs_krylov *k);
/* GSOLVE_UNSUPPORTED while counting: the set-up from here on depends on A's values. */
gsolve_status gs_require_values(const gs_krylov *k);
/* k->csr = A's rows on the host, copied from the device at the first call. */
gsolve_status gs_need_rows(gs_krylov *k);

/* --- state of the run ------------------------------------------------------------------------- */

/* Whether this is the first start of a run. */
bool gs_is_first_start(const gs_krylov *k);
/* Steps that column c made since the start; 0: it did not take part. */
int gs_steps_of_column(const gs_krylov *k, int32_t c);
/* |r| to reach, and |b|, in units of the run. */
double gs_column_target(const gs_krylov *k, int32_t c);
double gs_column_norm(const gs_krylov *k, int32_t c);
/* Column c is this right-hand side of b and x. */
int32_t gs_rhs_of_column(const gs_krylov *k, int32_t c);
/* |r| of column c as the host last read it. */
double gs_last_residual(const gs_krylov *k, int32_t c);
/* Copies k->active to the device; clears the flags. */
gsolve_status gs_set_active(gs_krylov *k);
/* *ended = k->ended on the host, valid until the next call. */
gsolve_status gs_fetch_ended(gs_krylov *k, const int **ended);
/* Counts `seconds` as time of the preconditioner. */
void gs_add_precond_seconds(gs_krylov *k, double seconds);

#endif
