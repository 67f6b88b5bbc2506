/* block_gmres.c: restarted block GMRES, M from the right: all right-hand sides search in the sum of
 * their Krylov spaces. For any square A. Block Arnoldi and block GMRES as in Saad, "Iterative
 * methods for sparse linear systems" (2nd ed. 2003), 6.12; for residuals that become linearly
 * dependent see Gutknecht, "Block Krylov space methods for linear systems with multiple right-hand
 * sides: an introduction" (2007).
 *
 *   B - A X = V_0 S; Z_j = M^-1 V_j, W = A Z_j, H_j = V'W, W -= V H_j, W = V_{j+1} H_{j+1,j};
 *   Householder reflections of H, two blocks of rows at a time, minimise |S - H y|; the last block
 * of rows of the right-hand sides has the residuals; X += M^-1 (V y) when a cycle ends.
 *
 * W is made orthonormal by a pivoted Cholesky factorisation of W'W, which reveals the rank: a
 * vector that depends on the others, up to rounding, is left out: a vector of V_{j+1} is 0 from
 * then on, and so are its row and column of H. If a pass leaves less than a tenth of a vector, or
 * has a small pivot, the pass is repeated with W orthonormal (block classical Gram-Schmidt with
 * reorthogonalisation; Barlow and Smoktunowicz 2013). Every cycle begins with V_0 from the true
 * residuals, which include what was left out, and rounding errors. Columns that have ended are not
 * in V_0: on the CPU they have moved behind the others by then; on a GPU those that have not are
 * left out like dependent vectors.
 *
 * With augment=1 the last block of every cycle but the first is D, the correction of X by the cycle
 * before (LGMRES; Baker, Jessup and Manteuffel 2005; for a block): W = A D, and X += D y too. If
 * cycles are short and undo one another this saves up to two thirds of them and costs no product.
 * Otherwise it may need a fifth more.
 *
 * Step j of a cycle moves, beside the product and M, 8 n b (2 j + 7) bytes in fp64 for b columns,
 * or 8 n b (4 j + 14) with the second pass, if the reads of W for V'W stay in a cache. gmres
 * moves as much for b columns, with 1/b of the sums. */
#include <string.h>

#include "core/try.h"
#include "dist/comm.h"
#include "solver/block/block.h"
#include "solver/operations/operations.h"

typedef struct block_gmres_options {
    gs_run_options run;
    int restart, block, augment;
} block_gmres_options;

typedef struct block_gmres {
    int m;          /* steps of a cycle */
    int most;       /* columns of a block */
    int64_t ld;     /* of the small matrices */
    gsolve_dense V; /* m vectors a column: block j of all columns behind block j - 1 */
    gsolve_dense W; /* the current block */
    gsolve_dense Z; /* M^-1 of a block */
    gsolve_dense D; /* if augmented: the correction of X by the last cycle */
    gs_scalar H, Q, g, again, G, t; /* see gs_arnoldi_small, for each block at its first column */
    int *once, *length, *no_update;
    void *space;
    bool augment; /* the last block of a cycle is D */
    int32_t wide; /* columns of this cycle */
    bool *active; /* a copy of k->active while x is updated */
} block_gmres;

static const gsolve_option options[] = {
    GS_RUN_OPTIONS(10000, 2000),
    {"restart", "iterations between restarts, and number of basis vectors per right-hand side",
     GSOLVE_INT, offsetof(block_gmres_options, restart), 30, 1, 300, NULL},
    {"block", "largest number of right-hand sides in a block", GSOLVE_INT,
     offsetof(block_gmres_options, block), 8, 1, GS_BLOCK, NULL},
    {"augment", "1: add the correction of the previous cycle to the search space, as LGMRES does",
     GSOLVE_INT, offsetof(block_gmres_options, augment), 0, 0, 1, NULL},
    {0},
};

static const gs_arnoldi_kernels *kernels(const gs_krylov *k)
{
    return GS_KERNELS(gs_arnoldi, k->ctx, k->csr.type);
}

static gsolve_status new_small(gs_krylov *k)
{
    block_gmres *s = k->state;
    const struct {
        gs_scalar *to;
        int64_t count; /* for each column */
    } small[] = {{&s->H, s->m * s->ld}, {&s->Q, (int64_t)4 * s->m * s->most},
                 {&s->g, s->ld},        {&s->again, s->ld},
                 {&s->G, GS_BLOCK},     {&s->t, GS_BLOCK}};
    int **flags[] = {&s->once, &s->length, &s->no_update};
    const size_t width = (size_t)k->width;
    gsolve_status status;

    for (int i = 0; i < 6; i++) {
        TRY(gs_new_work(k, GSOLVE_DEVICE, width * (size_t)small[i].count, sizeof(double),
                        (void **)(void *)small[i].to));
    }
    for (int i = 0; i < 3; i++) {
        TRY(gs_new_work(k, GSOLVE_DEVICE, width, sizeof(int), (void **)(void *)flags[i]));
    }
    TRY(gs_new_zeros(k, kernels(k)->space(k->csr.nrows, s->m * s->most, s->most), &s->space));
done:
    return status;
}

static gsolve_status setup(gs_krylov *k)
{
    block_gmres *s = k->state;
    const block_gmres_options *asked = k->options;
    const int32_t n = k->csr.nrows;
    gsolve_status status;

    k->period = s->m = gs_at_most_rows(k, asked->restart);
    s->most = asked->block < k->width ? asked->block : k->width;
    s->ld = (int64_t)(s->m + 1) * s->most;
    s->augment = s->m > 1 && asked->augment;
    TRY(gs_new_basis(k, k->csr.type, 1, s->m * k->width, &s->V));
    TRY(gs_new_outer_vector(k, n, &s->W));
    TRY(new_small(k));
    TRY(gs_new_outer_vector(k, n, &s->Z));
    if (s->augment) TRY(gs_new_vector(k, n, &s->D)); /* moves with its columns */
    TRY(GS_NEW_PER_COLUMN(k, GSOLVE_HOST, s->active));
done:
    return status;
}

/* --- the operations, on all blocks ------------------------------------------------------------ */

static gs_arnoldi_small small_of(const gs_krylov *k, int first, int b, int steps)
{
    const block_gmres *s = k->state;
    const gs_arnoldi_small a = {
        .b = b,
        .steps = steps,
        .ld = s->ld,
        .H = s->H + first * s->m * s->ld,
        .Q = s->Q + (int64_t)first * 4 * s->m * s->most,
        .g = s->g + first * s->ld,
        .again = s->again + first * s->ld,
        .G = s->G + (int64_t)first * GS_BLOCK,
        .t = s->t + (int64_t)first * GS_BLOCK,
        .once = s->once + first,
        .length = s->length + first,
        .no_update = s->no_update + first,
        .rr = k->rr + first,
        .ended = k->ended + first,
        .noise = k->csr.type == GSOLVE_F32 ? 1e-6 : 1e-14,
    };
    return a;
}

/* The first count blocks of V in the columns from first on. */
static gs_arnoldi_basis basis(const gs_krylov *k, int first, int b, int count)
{
    const block_gmres *s = k->state;

    return (gs_arnoldi_basis){gs_basis_at(s->V, first).value, gs_vector_stride(k->csr.nrows),
                              k->wide, count, b};
}

/* Block j of V, of all columns. */
static gsolve_dense block_of_V(const gs_krylov *k, int j)
{
    gsolve_dense v = gs_basis_at(((const block_gmres *)k->state)->V, j * k->wide);

    v.stride = gs_vector_stride(k->csr.nrows);
    v.ncols = k->wide;
    return v;
}

/* Runs the statements for every block, with its small matrices a after `steps` steps. They move
 * `vectors` vectors of each column. */
#define EACH_BLOCK(class, vectors, steps, ...)                             \
    GS_EACH_BLOCK(((const block_gmres *)k->state)->most, class, vectors,   \
                  const gs_arnoldi_small a = small_of(k, first, b, steps); \
                  __VA_ARGS__)

/* Runs `function` on the small matrices of all blocks after `steps` steps. */
static gsolve_status run_on_small(gs_krylov *k, int steps,
                                  gsolve_status (*function)(gs_queue *q, const gs_arnoldi_small *a))
{
    EACH_BLOCK(GS_SCALARS, 0, steps, status = function(QUEUE, &a));
}

/* Y = the part of X that is orthogonal to the first `steps` blocks of V, made orthonormal. */
typedef struct pass {
    int steps;
    bool again;
    gsolve_dense X, Y;
} pass;

/* V'X of a block, in the place of its products. */
static double *products_of(const gs_arnoldi_small *a, const pass *p)
{
    return p->again ? a->again : gs_arnoldi_current(a);
}

/* Adds the first `rows` rows of b columns of C, ld apart, over all ranks. */
static gsolve_status add_matrix(const gs_krylov *k, int b, double *C, int64_t ld, int rows)
{
    gs_numbers part[GS_BLOCK];

    for (int j = 0; j < b; j++) part[j] = (gs_numbers){C + j * ld, rows, NULL};
    return gs_comm_sum(k->comm, part, b);
}

static gsolve_status project_block(const gs_krylov *k, const pass *p, int first,
                                   const gs_arnoldi_small *a)
{
    const block_gmres *s = k->state;
    double *C = products_of(a, p);
    gsolve_status status;

    if (p->steps == 0) return GSOLVE_OK;
    TRY(kernels(k)->project(QUEUE, k->csr.nrows, basis(k, first, a->b, p->steps), OF(p->X), C,
                            s->ld, s->space));
    TRY(add_matrix(k, a->b, C, s->ld, p->steps * a->b));
done:
    return status;
}

static gsolve_status subtract_block(const gs_krylov *k, const pass *p, int first,
                                    const gs_arnoldi_small *a)
{
    const block_gmres *s = k->state;
    gsolve_status status;

    TRY(kernels(k)->subtract(QUEUE, k->csr.nrows, basis(k, first, a->b, p->steps),
                             products_of(a, p), s->ld, OF(p->X), a->G, s->space));
    TRY(add_matrix(k, a->b, a->G, GS_BLOCK, a->b));
done:
    return status;
}

/* Y = X C for one block. */
static gsolve_status multiply_block(const gs_krylov *k, gs_block_columns X, const double *C,
                                    int64_t ld, int b, gs_block_columns Y)
{
    return kernels(k)->times(QUEUE, k->csr.nrows, (gs_arnoldi_basis){X.v, X.stride, b, 1, b}, C, ld,
                             Y);
}

/* X'V, to the place of the products. */
static gsolve_status project(gs_krylov *k, const pass *p)
{
    EACH_BLOCK(GS_DOTS, p->steps + 1, p->steps, status = project_block(k, p, first, &a));
}

/* X -= V V'X, G = X'X. */
static gsolve_status subtract(gs_krylov *k, const pass *p)
{
    EACH_BLOCK(GS_COMBINE, p->steps + 2, p->steps, status = subtract_block(k, p, first, &a));
}

/* Y = X t. */
static gsolve_status orthonormalise(gs_krylov *k, const pass *p)
{
    EACH_BLOCK(GS_SCALE, 2, p->steps,
               status = multiply_block(k, OF(p->X), a.t, GS_BLOCK, b, OF(p->Y)));
}

/* The second pass over a block. */
static gsolve_status pass_again(const gs_krylov *k, const pass *p, int first,
                                const gs_arnoldi_small *a)
{
    gsolve_status status;

    TRY(project_block(k, p, first, a));
    TRY(subtract_block(k, p, first, a));
    TRY(kernels(k)->second(QUEUE, a));
    TRY(multiply_block(k, OF(p->X), a->t, GS_BLOCK, a->b, OF(p->Y)));
done:
    return status;
}

/* Whether a block needs no second pass, as far as the host knows: on the CPU, and over several
 * ranks, which then send no messages. If the device fails, the next sum reports it. */
static bool is_done(const gs_krylov *k, const gs_arnoldi_small *a)
{
    int once = 1;

    if (!k->ctx->device->guard) return *a->once;
    if (!k->comm) return false;
    gs_comm_defer(k->comm,
                  gsolve_copy(k->ctx, &once, GSOLVE_HOST, a->once, GSOLVE_DEVICE, sizeof once));
    return once;
}

/* The second pass over all blocks that need it. The bytes are unknown. */
static gsolve_status second_pass(gs_krylov *k, const pass *p)
{
    const gs_device *device = k->ctx->device;

    EACH_BLOCK(GS_OTHER, 0, p->steps, if (is_done(k, &a)) continue;
               if (device->guard)
                   device->guard(QUEUE, a.once); /* else the host has read the flag */
               status = pass_again(k, p, first, &a));
}

/* Makes W orthogonal to the first `steps` blocks of V and orthonormal, and stores it as block
 * `steps` of V, or in W itself after the last step. Sets k->rr to the residuals after `steps`
 * steps. steps is 0: a cycle begins with the active columns of W, whose residuals are known. */
static gsolve_status orthogonalise(gs_krylov *k, int steps)
{
    const block_gmres *s = k->state;
    const gsolve_dense Y = steps < s->m ? block_of_V(k, steps) : s->W;
    const pass once = {steps, false, s->W, Y}, again = {steps, true, Y, Y};
    gsolve_status status;

    TRY(project(k, &once));
    TRY(subtract(k, &once));
    TRY(run_on_small(k, steps, kernels(k)->first));
    TRY(orthonormalise(k, &once)); /* Y = W t, orthonormal if one pass is enough */
    TRY(second_pass(k, &again));
done:
    return status;
}

/* W = V y with the first `count` blocks of V, in the columns that have a correction. */
static gsolve_status combine(gs_krylov *k, int steps, int count)
{
    const block_gmres *s = k->state;

    EACH_BLOCK(GS_COMBINE, count + 1, steps,
               status = kernels(k)->times(QUEUE, k->csr.nrows, basis(k, first, b, count), a.again,
                                          s->ld, OF(s->W)));
}

/* D = D y with the last block of y, after a cycle of m steps. */
static gsolve_status multiply_last(gs_krylov *k)
{
    const block_gmres *s = k->state;

    EACH_BLOCK(GS_COMBINE, 2, s->m,
               status = multiply_block(k, OF(s->D), a.again + (int64_t)(s->m - 1) * b, s->ld, b,
                                       OF(s->D)));
}

/* --- the method ------------------------------------------------------------------------------- */

/* Columns may move where a cycle begins; the first cycle is already set up by start. */
static bool may_move(const gs_krylov *k, int64_t j)
{
    return j > 0 && j % k->period == 0;
}

static gsolve_status start(gs_krylov *k)
{
    block_gmres *s = k->state;
    gsolve_status status;

    s->wide = k->wide;
    TRY(gs_residual(k, s->W)); /* W = B - A X */
    TRY(orthogonalise(k, 0));  /* W = V_0 S   */
done:
    return status;
}

/* Whether step j multiplies D: the last of every cycle but the first. */
static bool with_last(const block_gmres *s, int64_t j)
{
    return s->augment && j >= s->m && j % s->m == s->m - 1;
}

/* D = the correction by a cycle: Z, and D y if the cycle was made `with` D. */
static gsolve_status add_last(gs_krylov *k, gsolve_dense Z, bool with)
{
    const block_gmres *s = k->state;
    gsolve_status status;

    if (!with) return gs_copy_vector(k, Z, s->D);
    TRY(multiply_last(k));                                 /* D = D y    */
    TRY(gs_axpby(k, gs_number(1), Z, gs_number(1), s->D)); /* D += Z     */
done:
    return status;
}

/* x += M^-1 V y after `steps` steps of a cycle; with: the last block is D instead of V's. Also in
 * the columns of the cycle that have ended. A second call in the same cycle adds nothing. */
static gsolve_status add_solution(gs_krylov *k, int steps, bool with)
{
    const block_gmres *s = k->state;
    const gsolve_dense u = s->W, z = gs_has_precond(k) ? s->Z : u;
    const size_t size = (size_t)k->ncols * sizeof *k->active;
    gsolve_status status;

    memcpy(s->active, k->active, size);
    for (int32_t c = 0; c < k->ncols; c++) k->active[c] = c < k->wide;
    TRY(run_on_small(k, steps, kernels(k)->solve));       /* y               */
    TRY(combine(k, steps, steps - with));                 /* u = V y         */
    if (gs_has_precond(k)) TRY(gs_precondition(k, u, z)); /* z = M^-1 u      */
    k->skip = s->no_update;
    if (s->augment) TRY(add_last(k, z, with));                                 /* D = z + D y     */
    TRY(gs_axpby(k, gs_number(1), s->augment ? s->D : z, gs_number(1), k->x)); /* x += z  */
    k->skip = NULL;
    TRY(run_on_small(k, 0, kernels(k)->close)); /* no column has a correction any more */
done:
    k->skip = NULL;
    memcpy(k->active, s->active, size);
    return status;
}

/* Updates x if all columns ended within a cycle, before its last step. */
static gsolve_status finish(gs_krylov *k)
{
    const block_gmres *s = k->state;
    int steps = 0;
    gsolve_status status;

    TRY(gsolve_copy(k->ctx, &steps, GSOLVE_HOST, s->length, GSOLVE_DEVICE, sizeof steps));
    if (steps == 0) return GSOLVE_OK;
    k->wide = s->wide;
    for (int32_t c = 0; c < k->ncols; c++) k->active[c] = c < k->wide;
    TRY(gs_set_active(k));
    TRY(add_solution(k, steps, false));
done:
    k->wide = k->ncols;
    memset(k->active, 0, (size_t)k->ncols * sizeof *k->active);
    return status;
}

static gsolve_status step(gs_krylov *k, int64_t iteration)
{
    const block_gmres *s = k->state;
    const int j = (int)(iteration % s->m);
    const gsolve_dense v = block_of_V(k, j);
    const bool last = with_last(s, iteration), preconditions = gs_has_precond(k);
    gsolve_status status;

    if (j == 0 && iteration > 0) TRY(start(k));
    if (!last && preconditions) TRY(gs_precondition(k, v, s->Z));
    TRY(gs_multiply(k, last ? s->D : preconditions ? s->Z : v, s->W)); /* W = A M^-1 V_j */
    TRY(orthogonalise(k, j + 1));                                      /* V_{j+1}, H_j */
    if (j == s->m - 1) TRY(add_solution(k, s->m, last));
done:
    return status;
}

const gs_method gs_block_gmres = {
    .plugin = {"block_gmres", "restarted block GMRES, right-preconditioned; any square A", options,
               sizeof(block_gmres_options)},
    .state_size = sizeof(block_gmres),
    .couples_columns = true,
    .setup = setup,
    .start = start,
    .step = step,
    .may_move = may_move,
    .finish = finish,
    .late_solution = true,
};
