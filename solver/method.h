/* method.h: the interface of methods, for their authors.
 *
 * A method is the iteration of a recurrence. Its functions call the functions below and the
 * operations of operations/operations.h, so they are the same for all devices, value types and
 * formats. (direct, refine and the block methods also have code of their own.) The loop in
 * solver/run/ calls the functions of the method, tests convergence by k->rr, and computes the true
 * residual b - A x in double precision. Terms:
 *
 *     column     one right-hand side of a run, with its vectors and scalars
 *     step       one iteration of the method in all active columns
 *     round      start, the steps until all active columns have ended, and finish; a run has
 *                several rounds if columns must start again from their x
 *     active     of a column: it takes part in the round, and the host does not know yet that
 *                it has ended (k->active); the device can be some steps ahead of the host
 *     ended      of a column: converged or failed, as the device knows (k->ended); later
 *                operations leave the column unchanged
 *     period     the number of steps after which a method repeats the same sequence of
 *                kernels on the same arrays
 *     captured   the loop captures whole periods in a CUDA graph and launches it repeatedly
 *     pass       one kernel that reads and writes each element of its vectors at most once
 *     move       columns exchange their places in memory, so that the active ones come first and
 *                k->wide is their number; products work on the first k->wide columns alone. When
 *                more of them end, k->wide stays until the next move
 *
 * Vectors are gsolve_dense with one column for each right-hand side, on the device. They have A's
 * type, unless a function says otherwise. Scalars are arrays on the device. */
#ifndef GS_SOLVER_METHOD_H
#define GS_SOLVER_METHOD_H

#include "matrix/setup_file.h"
#include "solver/run/options.h"
#include "vector/vector.h"

/* The solver, as methods see it. */
typedef struct gsolve_solver gs_krylov;
/* A scalar of each column: an array of doubles on the device, also if A is in single precision. */
typedef double *gs_scalar;

typedef struct gs_method {
    gsolve_plugin plugin;
    size_t state_size;      /* bytes of k->state */
    int vectors, scalars;   /* the state begins with this number of gsolve_dense, and then of
                               gs_scalar, which are set up as by gs_new_vector, with A's number of
                               rows, and gs_new_scalar */
    int products;           /* number of products with A in a step; 0: it differs between steps */
    bool any_shape;         /* A may be rectangular */
    bool transposes;        /* the method applies A' and M^-T */
    bool flexible;          /* M may vary from one application to the next */
    bool ignores_precond;   /* the method never applies M */
    bool tests_convergence; /* a step tests convergence itself, in the pass that computes |r| */
    bool normal;            /* the method works on A'A: M has A's number of columns, and a
                               least-squares solution is what the user asked for */
    bool symmetric;         /* A must be symmetric; for the explanation of failures */
    bool definite;        /* A must be symmetric positive definite. The option guess=projection of a
                           * run begins at the best combination of earlier solutions; for such a
                           * method it is best in the A-norm of the error, else by the residual */
    bool couples_columns; /* the recurrence of a column uses other columns */
    bool late_solution;   /* k->x is the iterate only after finish, so the loop stores no x */
    const char *one_rank; /* NULL, or A must not be distributed over ranks: what to use instead */
    bool keeps_state; /* setup for more columns finds the state of the last setup, which may have
                       * failed, so that it need not compute again what does not depend on the
                       * number of columns; destroy is called once, at the end. What the
                       * functions below allocated is gone */
    /* Optional: sets up the rest of *k->state for k->width columns, whose bytes are 0 (see also
     * keeps_state), and k->period. setup is called when the solver is created, and again when a run
     * has more columns than all earlier ones. */
    gsolve_status (*setup)(gs_krylov *k);
    /* Begins a round: sets the state from k->x, and k->rr = |b - A x|^2, in the active columns. */
    gsolve_status (*start)(gs_krylov *k);
    /* Makes the step that follows j steps since start, and sets k->rr. For j of a period or more,
     * the step depends only on j modulo the period, because it may be captured and repeated. It
     * does not read scalars on the host and changes only memory of the device, unless the period is
     * 0. Then the host reads k->rr after every step, and columns never move. */
    gsolve_status (*step)(gs_krylov *k, int64_t j);
    /* Optional: makes the steps j to j + count - 1 of column c, with their convergence tests, in
     * one kernel of solver/resident/. The loop calls it instead of step if the system fits into the
     * on-chip memory of a GPU. */
    gsolve_status (*resident_steps)(gs_krylov *k, int32_t c, int64_t j, int count);
    /* Optional: returns whether columns may move before step j. NULL: always, or with
     * couples_columns never. State of single columns moves with them. If may_move returns true and
     * narrow is NULL, step j must read no older state that columns share, such as a common basis.
     */
    bool (*may_move)(const gs_krylov *k, int64_t j);
    /* Optional: columns have moved before a step. Of the first `before` columns only the first
     * k->wide remain active; removes the others from the state that columns share. It may change
     * k->wide on the way and then restores it. */
    gsolve_status (*narrow)(gs_krylov *k, int32_t before);
    /* Optional: ends a round, after all columns have ended and before the loop computes the true
     * residual. Brings k->x up to date in these columns; may write k->note. It may set k->active
     * and k->wide, and then leaves active false in all columns and wide = ncols. */
    gsolve_status (*finish)(gs_krylov *k);
    /* Optional: frees what setup allocated by other functions than those below. */
    void (*destroy)(gs_krylov *k);
    /* Optional: see gsolve_solver_save. save writes what setup reads from k->file, if that is not
     * NULL, instead of computing it. save fails if the set-up is for older values of A. */
    gsolve_status (*save)(const gs_krylov *k, gs_saving *file);
} gs_method;

/* The solver as a method reads it. A method writes only *state, x, rr, flag, skip and note; finish
 * may also set active and wide, and narrow may set wide for a while. Operations that test
 * convergence, and gs_set_active, write ended. */
struct gsolve_solver {
    gsolve_context *ctx;
    const gsolve_matrix *A;
    const gsolve_precond *M; /* or NULL */
    struct gs_comm *comm;    /* the ranks that share A's rows, dist/comm.h; NULL: one rank. Vectors
                                hold the rows of this rank; scalars are those of all ranks */
    int64_t total_rows, total_cols; /* of A, on all ranks */
    bool square;       /* on all ranks: this rank has as many rows of A as elements of x */
    int64_t first_row; /* the number of A's first row on this rank */
    const gs_method *method;
    void *options; /* the options struct of the method; its first member is a gs_run_options */
    void *state;   /* state_size bytes on the host, see setup */
    int period;    /* of the steps: 2, unless setup sets it; 0: they run on the host */
    const gs_vector_kernels *vector; /* kernels of A's type on ctx's device */
    gsolve_csr csr; /* shape and type of A; its arrays are NULL before gs_need_rows */
    int32_t width;  /* columns for which work space is allocated */
    int32_t ncols;  /* columns of this run, at most width */
    int32_t wide;   /* all active columns are among the first `wide` columns */
    /* The right-hand sides and the iterates of this run, in A's type: the caller's arrays, copies,
     * or a scaled system for a correction of the caller's x. Their columns never move; operations
     * find the right one. */
    gsolve_dense b, x;
    bool *active;   /* on the host, for each column: see the head of this file */
    bool inner;     /* set by refine for its inner solver: x begins as 0, and a run ends without the
                       true residual, which refine computes */
    bool continues; /* set by refine for its inner solver: start may go on with the directions of
                       the last run; a method can ignore it */
    /* On the device, an element for each column: */
    gs_scalar rr;       /* |r|^2 */
    int *flag;          /* a failure that a kernel found: a gsolve_outcome, or 0 for none. The
                           convergence test reads it */
    int *ended;         /* 0 until the column has ended, see GS_ENDED in core/device.h. The
                           convergence test of the loop or of an operation sets it */
    const int *skip;    /* set by a method around some operations: these leave the columns unchanged
                           whose element is not 0. NULL, the usual value: operations use ended */
    gs_loading *file;   /* during the set-up: the file to read it from, or NULL */
    char note[1024];    /* text for gsolve_solver_note */
    struct gs_run *run; /* the loop's own data, solver/run/; methods do not read it */
};

/* The list of all methods; NULL ends it. */
extern const gsolve_plugin *const gs_methods[];
extern const gs_method gs_cg, gs_pipecg, gs_bicg, gs_bicgstab, gs_cgs, gs_tfqmr, gs_idr, gs_gmres,
    gs_fgmres, gs_block_cg, gs_block_gmres, gs_minres, gs_lsqr, gs_lsmr, gs_refine, gs_direct;

/* The option table of a method whose options are gs_run_options alone. */
extern const gsolve_option gs_run_option_table[];

/* The options that all methods have. */
static inline const gs_run_options *gs_run_options_of(const gs_krylov *k)
{
    return k->options;
}

/* --- set-up -------------------------------------------------------------------------------------
 * Functions for setup. The loop frees what they allocate, together with the solver or before the
 * next setup. Memory is uninitialised. gsolve_solver_memory calls setup to count the bytes only:
 * then the functions set pointers to NULL, and gs_is_counting returns true. */

/* Sets *work to `count` elements of `size` bytes at this location. They never move. */
gsolve_status gs_new_work(gs_krylov *k, gsolve_location location, size_t count, size_t size,
                          void **work);
/* Sets *work to `bytes` bytes with the value 0 on the device. `bytes` is a multiple of 8. They
 * never move. */
gsolve_status gs_new_zeros(gs_krylov *k, size_t bytes, void **work);
/* Sets *v to a column-major vector with k->width columns of nrows elements of A's type. Its columns
 * move when columns move. */
gsolve_status gs_new_vector(gs_krylov *k, int32_t nrows, gsolve_dense *v);
/* Sets *v as gs_new_vector does, but its columns never move: they keep the order of b and x. */
gsolve_status gs_new_outer_vector(gs_krylov *k, int32_t nrows, gsolve_dense *v);
/* Sets *v as gs_new_vector (moves) or gs_new_outer_vector does, with elements of this type. */
gsolve_status gs_new_vector_of(gs_krylov *k, gsolve_type type, int32_t nrows, bool moves,
                               gsolve_dense *v);
/* Sets *s to a scalar of each of k->width columns, which moves with its column. */
gsolve_status gs_new_scalar(gs_krylov *k, gs_scalar *s);
/* Sets *work to `count` elements of `size` bytes for each of k->width columns, on the device. Those
 * of a column are contiguous and move with it. count * size is a multiple of 4. */
gsolve_status gs_new_columns(gs_krylov *k, size_t count, size_t size, void **work);
/* Sets `pointer` to one element of its type for each of k->width columns. On the device the
 * elements move with their columns, on the host they do not. */
#define GS_NEW_PER_COLUMN(k, location, pointer)                                 \
    ((location) == GSOLVE_DEVICE                                                \
         ? gs_new_columns(k, 1, sizeof *(pointer), (void **)(void *)&(pointer)) \
         : gs_new_work(k, location, (size_t)(k)->width, sizeof *(pointer),      \
                       (void **)(void *)&(pointer)))
/* Sets *V to a basis: `count` vectors of A's number of rows for each of `width` columns. width is
 * k->width, and the basis of a column moves with it; or width is 1: one basis for all columns. *V
 * has A's number of rows, `width` columns and the first vector of each of them. Vector j of a
 * column begins j * ld elements behind the first one, with ld = gs_vector_stride(nrows). */
gsolve_status gs_new_basis(gs_krylov *k, gsolve_type type, int32_t width, int count,
                           gsolve_dense *V);
/* With spectrum=on: allocates the record of a method that runs the Lanczos process, see
 * GS_LANCZOS_STEPS; `definite`: A and M are positive definite, else the sign of A is not known. */
gsolve_status gs_new_lanczos_record(gs_krylov *k, bool definite);
/* With spectrum=on: allocates the record of R of a cycle of m steps of gmres. */
gsolve_status gs_new_cycle_record(gs_krylov *k, int m);
/* Returns the number of elements from one column of a vector with nrows elements to the next: nrows
 * rounded up to a multiple of 16, so that each column begins on a cache line. */
int64_t gs_vector_stride(int32_t nrows);
/* Returns vector j of the basis V, for all columns: V with its values further on. */
gsolve_dense gs_basis_at(gsolve_dense V, int j);

/* Returns `asked`, or the number of A's rows on all ranks if that is smaller; at least 1. */
int gs_at_most_rows(const gs_krylov *k, int asked);

/* Returns whether setup is called to count bytes only. If the rest of setup depends on A's values,
 * setup then fails with GSOLVE_UNSUPPORTED. */
bool gs_is_counting(const gs_krylov *k);
/* Sets k->csr to a view of A's CSR copy on the host. If A was created on the device, the first call
 * copies it. */
gsolve_status gs_need_rows(gs_krylov *k);

/* Sets *norm to |A| of the run's A: the Frobenius norm, or of an operator a lower bound. The first
 * call after new values computes it, see run/least_squares.c. Not for steps. */
gsolve_status gs_norm_of_A(gs_krylov *k, double *norm);
/* Returns the |A'r| / (|A| |r|) at which the method ends column c. */
double gs_least_squares_limit(const gs_krylov *k, int32_t c);
/* For setup: allocates what gs_norm_of_A needs. A run then examines columns that did not converge:
 * whether they are least-squares solutions. */
gsolve_status gs_least_squares_reserve(gs_krylov *k);
/* For setup of a method that does not multiply by A': gs_least_squares_reserve, and A' is stored
 * now, so that a run allocates nothing. */
gsolve_status gs_least_squares_prepare(gs_krylov *k);

/* --- state of the run ------------------------------------------------------------------------ */

/* Returns whether this run has made no step yet. start uses it to tell the first round of a run. */
bool gs_is_first_start(const gs_krylov *k);
/* Returns the number of steps of column c in this round, for finish; 0: it did not take part. */
int gs_steps_of_column(const gs_krylov *k, int32_t c);
/* Returns the |r| at which column c has converged. It is in the units of the run's b, which can be
 * scaled. */
double gs_column_target(const gs_krylov *k, int32_t c);
/* Returns |b| of column c in the same units, or 1 if b is 0. */
double gs_column_norm(const gs_krylov *k, int32_t c);
/* Returns the index of the right-hand side in b and x that is in column c after columns moved. */
int32_t gs_rhs_of_column(const gs_krylov *k, int32_t c);
/* Returns |r| of column c as the host last read it. */
double gs_last_residual(const gs_krylov *k, int32_t c);
/* After a change of k->active: sets k->ended on the device to match it, and clears k->flag. */
gsolve_status gs_set_active(gs_krylov *k);
/* Sets *ended to a copy of k->ended on the host. It is valid until the next call of gs_fetch_ended
 * or gs_set_active. */
gsolve_status gs_fetch_ended(gs_krylov *k, const int **ended);
/* Adds this time to precond_seconds of the result, for a method that solves with its own factors.
 */
void gs_add_precond_seconds(gs_krylov *k, double seconds);
/* Runs `inner`, a solver inside the method, and adds its products, times and profile to those of k.
 */
gsolve_status gs_inner_run(gs_krylov *k, gsolve_solver *inner, gsolve_dense b, gsolve_dense x,
                           gsolve_result *result);

#endif
