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
#include "solver/block/block_arnoldi.h"

typedef struct block_gmres_options {
    gs_run_options run;
    int restart, block, augment;
} block_gmres_options;

typedef struct block_gmres {
    gs_arnoldi space;
    gsolve_dense Z; /* M^-1 of a block */
    gsolve_dense D; /* if augmented: the correction of X by the last cycle */
    int augment;    /* 1: the last block of a cycle is D; else 0 */
    int32_t wide;   /* columns of this cycle */
    bool *active;   /* a copy of k->active while x is updated */
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

static gsolve_status setup(gs_krylov *k)
{
    block_gmres *s = k->state;
    const block_gmres_options *asked = k->options;
    const int32_t n = k->csr.nrows;
    const int m = asked->restart < n ? asked->restart : n > 0 ? n : 1;
    gsolve_status status;

    k->period = m;
    TRY(gs_arnoldi_new(k, &s->space, m, asked->block < k->width ? asked->block : k->width));
    TRY(gs_new_outer_vector(k, n, &s->Z));
    s->augment = m > 1 && asked->augment;
    if (s->augment) TRY(gs_new_vector(k, n, &s->D)); /* moves with its columns */
    TRY(GS_NEW_PER_COLUMN(k, GSOLVE_HOST, s->active));
done:
    return status;
}

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
    TRY(gs_residual(k, s->space.W));                /* W = B - A X */
    TRY(gs_arnoldi_orthogonalise(k, &s->space, 0)); /* W = V_0 S   */
done:
    return status;
}

/* Whether step j multiplies D: the last of every cycle but the first. */
static bool with_last(const block_gmres *s, int64_t j)
{
    return s->augment && j >= s->space.m && j % s->space.m == s->space.m - 1;
}

/* D = the correction by a cycle: Z, and D y if the cycle was made `with` D. */
static gsolve_status add_last(gs_krylov *k, gsolve_dense Z, bool with)
{
    const block_gmres *s = k->state;
    gsolve_status status;

    if (!with) return gs_copy_vector(k, Z, s->D);
    TRY(gs_arnoldi_last(k, &s->space, s->D));              /* D = D y    */
    TRY(gs_axpby(k, gs_number(1), Z, gs_number(1), s->D)); /* D += Z     */
done:
    return status;
}

/* x += M^-1 V y after `steps` steps of a cycle; with: the last block is D instead of V's. Also in
 * the columns of the cycle that have ended. A second call in the same cycle adds nothing. */
static gsolve_status add_solution(gs_krylov *k, int steps, bool with)
{
    const block_gmres *s = k->state;
    const gsolve_dense u = s->space.W, z = k->M ? s->Z : u;
    const size_t size = (size_t)k->ncols * sizeof *k->active;
    gsolve_status status;

    memcpy(s->active, k->active, size);
    for (int32_t c = 0; c < k->ncols; c++) k->active[c] = c < k->wide;
    TRY(gs_arnoldi_solve(k, &s->space, steps, steps - with)); /* u = V y         */
    if (k->M) TRY(gs_precondition(k, u, z));                  /* z = M^-1 u      */
    k->skip = s->space.no_update;
    if (s->augment) TRY(add_last(k, z, with));                                 /* D = z + D y     */
    TRY(gs_axpby(k, gs_number(1), s->augment ? s->D : z, gs_number(1), k->x)); /* x += z  */
    k->skip = NULL;
    TRY(gs_arnoldi_close(k, &s->space));
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

    TRY(gsolve_copy(k->ctx, &steps, GSOLVE_HOST, s->space.length, GSOLVE_DEVICE, sizeof steps));
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
    const gs_arnoldi *space = &s->space;
    const int j = (int)(iteration % space->m);
    const gsolve_dense v = gs_arnoldi_block(k, space, j);
    const bool last = with_last(s, iteration);
    gsolve_status status;

    if (j == 0 && iteration > 0) TRY(start(k));
    if (!last && k->M) TRY(gs_precondition(k, v, s->Z));
    TRY(gs_multiply(k, last ? s->D : k->M ? s->Z : v, space->W)); /* W = A M^-1 V_j */
    TRY(gs_arnoldi_orthogonalise(k, space, j + 1));               /* V_{j+1}, H_j */
    if (j == space->m - 1) TRY(add_solution(k, space->m, last));
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
