/* block_cg.c: block conjugate gradients: all right-hand sides search in the sum of their Krylov
 * spaces (O'Leary 1980). For A and M symmetric positive definite.
 *
 * The residuals of several columns become linearly dependent, and the original method loses all
 * accuracy when they nearly are. So they are stored as R = w sigma with w'M^-1 w = I and sigma b x
 * b (Dubrulle 2001, "Retooling the method of block conjugate gradients"; with M: Tichy, Meurant and
 * Simonova 2025, "Block CG algorithms revisited"):
 *
 *   Q = A S, xi = (S'Q)^-1, X += S xi sigma, W = w - Q xi, Z = M^-1 W,
 *   W = w zeta, S = M^-1 w + S zeta', sigma = zeta sigma
 *
 * zeta comes from a pivoted Cholesky factorisation of W'Z, which reveals the rank. Where a column
 * of W depends on the others, up to rounding, the rank decreases, and a column of w and S is 0 from
 * then on. |r_c|^2 = sigma_c' W'W sigma_c, so that R itself is not needed.
 *
 * Columns that have ended leave the block (narrow), when a quarter of them has ended. Fewer columns
 * reduce the residuals less in a step, so that there are more steps, but fewer products in all. The
 * residuals of the columns that stay are (w U) sigma' with U orthonormal. They are orthogonal to w
 * u for every u orthogonal to U. So their steps along S u would be 0 if S u were conjugate to the
 * directions that stay. S T has those directions in its first columns. Behind them it has D, the
 * rest of the other directions, with D'A D = I. As long as all later directions are conjugate to D
 * too,
 *
 *   S = M^-1 w + S zeta' - D (A D)'M^-1 w,
 *
 * residuals stay orthogonal to the space that was searched, and the recurrence is as short as
 * before. Without the last term the number of steps doubles, or the method does not converge. D is
 * stored behind S, and A D behind w, so that this term needs no pass of its own.
 *
 * More columns than fit a block form several blocks of about the same width, which are independent
 * of each other. Then no column leaves its block.
 *
 * A step moves, beside the product, 8 n 13 b bytes in fp64 for b columns if M is a diagonal: S, Q
 * for xi, S, Q, X, W read and X, W written, W for zeta, S, W read and S, W written; cg moves 12.
 * On a GPU one block of threads works on the small matrices, twice a step. */
#include "core/try.h"
#include "dist/comm.h"
#include "solver/block/block.h"
#include "solver/operations/operations.h"

typedef struct block_cg_options {
    gs_run_options run;
    int block, leave;
} block_cg_options;

enum { LEAVE_AUTO, LEAVE_OFF, LEAVE_ON };
#define LEAVE_ROWS (1 << 19) /* below it fewer columns do not shorten a step on a GPU */

enum { G, WW, XI, ALPHA, BY, ZETA, SIGMA, SMALLS }; /* small matrices */

typedef struct block_cg {
    gsolve_dense W, Z, S, Q;
    gs_scalar small[SMALLS]; /* column c of each at c GS_BLOCK */
    void *space;
    int all; /* columns of the only block, including those that have left it; or 0 */
} block_cg;

static const gsolve_option options[] = {
    GS_RUN_OPTIONS(10000, 2000),
    {"block", "largest number of right-hand sides in a block", GSOLVE_INT,
     offsetof(block_cg_options, block), 8, 1, GS_BLOCK, NULL},
    {"leave",
     "on: if one block holds all right-hand sides of the solve, those that have converged leave "
     "it; "
     "off: they stay; auto: on, except for small systems on a GPU",
     GSOLVE_CHOICE, offsetof(block_cg_options, leave), LEAVE_AUTO, 0, 0, "auto|off|on"},
    {0},
};

static const gs_block_kernels *kernels(const gs_krylov *k)
{
    return GS_KERNELS(gs_block, k->ctx, k->csr.type);
}

static gsolve_status setup(gs_krylov *k)
{
    block_cg *s = k->state;
    gsolve_dense *vector[] = {&s->W, &s->Z, &s->S, &s->Q};
    gsolve_status status;

    k->period = 1;
    for (int i = 0; i < 4; i++) TRY(gs_new_outer_vector(k, k->csr.nrows, vector[i]));
    TRY(gs_new_columns(k, GS_BLOCK, sizeof(double), (void **)(void *)&s->small[SIGMA]));
    for (int i = 0; i < SIGMA; i++) {
        TRY(gs_new_work(k, GSOLVE_DEVICE, (size_t)GS_BLOCK * (size_t)k->width, sizeof(double),
                        (void **)(void *)&s->small[i]));
    }
    TRY(gs_new_zeros(k, GS_KERNELS(gs_block, k->ctx, GSOLVE_F64)->space_size, &s->space));
done:
    return status;
}

static gs_block_small small_of(const gs_krylov *k, int first, int b)
{
    const block_cg *s = k->state;
    const int64_t at = (int64_t)first * GS_BLOCK;
    const gs_block_small a = {
        .G = s->small[G] + at,
        .WW = s->small[WW] + at,
        .xi = s->small[XI] + at,
        .alpha = s->small[ALPHA] + at,
        .t = s->small[BY] + at,
        .zeta = s->small[ZETA] + at,
        .sigma = s->small[SIGMA] + at,
        .rr = k->rr + first,
        .convergence = gs_convergence_test_of(k, first),
        .b = b,
        .all = s->all > b ? s->all : b,
    };
    return a;
}

/* --- the operations, on all blocks ------------------------------------------------------------ */

/* Runs the call for every block, with its small matrices a. */
#define EACH_BLOCK(class, vectors, call)                                         \
    GS_EACH_BLOCK(((const block_cg_options *)k->options)->block, class, vectors, \
                  const gs_block_small a = small_of(k, first, b);                \
                  status = (call))

/* Adds `rows` rows of b columns of G, and b rows of WW, unless that is NULL, over all ranks. */
static gsolve_status add_matrices(gs_krylov *k, int b, double *of_G, int rows, double *of_WW)
{
    gs_numbers part[2 * GS_BLOCK];
    int parts = 0;

    for (int j = 0; j < b; j++) {
        part[parts++] = (gs_numbers){of_G + (int64_t)j * GS_BLOCK, rows, NULL};
        if (of_WW) part[parts++] = (gs_numbers){of_WW + (int64_t)j * GS_BLOCK, b, NULL};
    }
    return gs_comm_sum(k->comm, part, parts);
}

static gsolve_status gram_of_block(gs_krylov *k, const gs_block_small *a, gs_block_columns U,
                                   gs_block_columns V)
{
    const block_cg *s = k->state;
    gsolve_status status;

    TRY(kernels(k)->gram(QUEUE, s->S.nrows, a->b, U, V, a->G, s->space));
    TRY(add_matrices(k, a->b, a->G, a->b, NULL));
done:
    return status;
}

/* G = S'Q. */
static gsolve_status gram(gs_krylov *k)
{
    const block_cg *s = k->state;

    EACH_BLOCK(GS_DOTS, 2, gram_of_block(k, &a, OF(s->S), OF(s->Q)));
}

/* xi = G^-1, alpha = xi sigma. */
static gsolve_status solve(gs_krylov *k)
{
    EACH_BLOCK(GS_SCALARS, 0, kernels(k)->solve(QUEUE, &a));
}

/* The x of the columns of a block. */
static gs_block_places solutions(const gs_krylov *k, int first, int b)
{
    gs_block_places places = {.v = k->x.value};

    for (int j = 0; j < b; j++) places.at[j] = gs_rhs_of_column(k, first + j) * k->x.stride;
    return places;
}

/* X += S alpha, W = w - Q xi. */
static gsolve_status update(gs_krylov *k)
{
    const block_cg *s = k->state;

    EACH_BLOCK(GS_SOLUTION_STEP, 6,
               kernels(k)->step(QUEUE, s->S.nrows, &a, OF(s->S), OF(s->Q), solutions(k, first, b),
                                OF(s->W), k->ended + first));
}

static gsolve_status squares_of_block(gs_krylov *k, const gs_block_small *a, gs_block_columns W,
                                      gs_block_columns Z, const void *d)
{
    const block_cg *s = k->state;
    gsolve_status status;

    TRY(kernels(k)->squares(QUEUE, s->W.nrows, a, W, Z, d, s->space));
    TRY(add_matrices(k, a->b, a->G, a->all, a->WW));
done:
    return status;
}

/* G = W'Z, WW = W'W. */
static gsolve_status squares(gs_krylov *k, gsolve_dense Z, const void *d)
{
    const block_cg *s = k->state;

    EACH_BLOCK(GS_DOTS, Z.value ? 2 : 1,
               squares_of_block(k, &a, OF(s->W), Z.value ? OF(Z) : (gs_block_columns){0}, d));
}

/* G = zeta'zeta, |r|, sigma = zeta sigma. */
static gsolve_status factorise(gs_krylov *k, bool start)
{
    EACH_BLOCK(GS_SCALARS, 0, kernels(k)->orthogonal(QUEUE, &a, start));
}

/* w = W t, S = Z t + S zeta'; at the start S = Z t. */
static gsolve_status new_directions(gs_krylov *k, gsolve_dense Z, const void *d, bool start)
{
    const block_cg *s = k->state;

    EACH_BLOCK(GS_DIRECTION_UPDATE, (Z.value ? 4 : 3) + !start,
               kernels(k)->combine(QUEUE, s->S.nrows,
                                   &(gs_block_factors){a.t, start ? NULL : a.zeta, b, a.all},
                                   Z.value ? OF(Z) : (gs_block_columns){0}, d, OF(s->S), OF(s->W)));
}

/* --- the method ------------------------------------------------------------------------------- */

/* Columns that have ended add no directions to the block. */
static gsolve_status clear_inactive(gs_krylov *k)
{
    const block_cg *s = k->state;
    gsolve_status status = GSOLVE_OK;

    for (int32_t c = 0; c < k->wide; c++) {
        if (k->active[c]) continue;
        TRY(k->vector->zero(k->ctx->queue, s->W.nrows, gs_column_of(s->W, c).value));
    }
done:
    return status;
}

/* If M is a diagonal or absent Z is not stored. */
static gsolve_status orthogonalise(gs_krylov *k, bool start)
{
    block_cg *s = k->state;
    bool simple;
    const void *d = gs_diagonal(k, &simple);
    const gsolve_dense Z = simple ? (gsolve_dense){0} : s->Z;
    gsolve_status status;

    if (!simple) TRY(gs_precondition(k, s->W, s->Z)); /* Z = M^-1 W               */
    TRY(squares(k, Z, d));                            /* G = W'Z, WW = W'W        */
    TRY(factorise(k, start));                         /* G = zeta'zeta, |r|       */
    TRY(new_directions(k, Z, d, start));              /* w = W t, S = Z t + S zeta' */
done:
    return status;
}

static gsolve_status start(gs_krylov *k)
{
    block_cg *s = k->state;
    gsolve_status status;

    s->all = 0;
    TRY(clear_inactive(k));
    TRY(gs_residual(k, s->W)); /* W = B - A X              */
    TRY(orthogonalise(k, true));
done:
    return status;
}

static gsolve_status step(gs_krylov *k, int64_t j)
{
    block_cg *s = k->state;
    gsolve_status status;

    (void)j;
    TRY(gs_multiply(k, s->S, s->Q)); /* Q = A S                  */
    TRY(gram(k));                    /* G = S'Q                  */
    TRY(solve(k));                   /* xi = G^-1, alpha = xi sigma */
    TRY(update(k));                  /* X += S alpha, W = w - Q xi */
    TRY(orthogonalise(k, false));
done:
    return status;
}

/* --- columns leave ---------------------------------------------------------------------------- */

/* Columns leave if there is one block, a quarter of its columns has ended, and the residual of
 * another column is at least ten times its target. */
static bool may_move(const gs_krylov *k, int64_t j)
{
    const block_cg_options *asked = k->options;
    const int64_t rows = k->total_rows / gs_comm_ranks(k->comm); /* equal on all ranks */
    const bool few = k->ctx->device->record && rows < LEAVE_ROWS;
    int32_t ended = 0;
    bool far = false;

    (void)j;
    if (k->wide > asked->block || asked->leave == LEAVE_OFF) return false;
    if (asked->leave == LEAVE_AUTO && few) return false;
    for (int32_t c = 0; c < k->wide; c++) {
        ended += !k->active[c];
        far = far || (k->active[c] && gs_last_residual(k, c) > 10 * gs_column_target(k, c));
    }
    return far && 4 * ended >= k->wide;
}

/* W = w U, S = S T, Q = Q T in b columns. The columns of Q behind the first `keep` go to W. */
static gsolve_status split_block(gs_krylov *k, int b, int keep)
{
    const block_cg *s = k->state;
    const int first = 0;
    const gs_block_factors by_U = {s->small[XI], NULL, b, b}, by_T = {s->small[BY], NULL, b, b};
    const size_t size = gs_type_size(k->csr.type), gone = (size_t)((b - keep) * s->W.stride);
    const int64_t n = s->W.nrows;
    gsolve_status status;

    gs_begin_block(k, GS_OTHER, 0);
    TRY(kernels(k)->combine(QUEUE, n, &by_U, (gs_block_columns){0}, NULL, OF(s->W), OF(s->W)));
    TRY(kernels(k)->combine(QUEUE, n, &by_T, OF(s->Q), NULL, OF(s->Q), OF(s->S)));
    TRY(gsolve_copy(k->ctx, gs_column_of(s->W, keep).value, gs_location(k->ctx),
                    gs_column_of(s->Q, keep).value, gs_location(k->ctx), gone * size));
done:
    gs_end_block(k);
    return status;
}

/* The columns behind the first k->wide leave the block; their directions D stay behind S. */
static gsolve_status narrow(gs_krylov *k, int32_t before)
{
    enum { SIZE = GS_BLOCK * GS_BLOCK };
    block_cg *s = k->state;
    const int32_t keep = k->wide;
    const size_t bytes = (size_t)before * GS_BLOCK * sizeof(double);
    double of_G[SIZE], sigma[SIZE], U[SIZE], T[SIZE];
    gsolve_status status;

    k->wide = before;
    TRY(gs_multiply(k, s->S, s->Q)); /* Q = A S                  */
    TRY(gram(k));                    /* G = S'Q                  */
    TRY(gsolve_copy(k->ctx, of_G, GSOLVE_HOST, s->small[G], GSOLVE_DEVICE, bytes));
    TRY(gsolve_copy(k->ctx, sigma, GSOLVE_HOST, s->small[SIGMA], GSOLVE_DEVICE, bytes));
    gs_block_narrow(before, keep, of_G, sigma, U, T);
    TRY(gsolve_copy(k->ctx, s->small[XI], GSOLVE_DEVICE, U, GSOLVE_HOST, bytes));
    TRY(gsolve_copy(k->ctx, s->small[BY], GSOLVE_DEVICE, T, GSOLVE_HOST, bytes));
    TRY(gsolve_copy(k->ctx, s->small[SIGMA], GSOLVE_DEVICE, sigma, GSOLVE_HOST, bytes));
    TRY(split_block(k, before, keep));
    s->all = s->all > before ? s->all : before;
done:
    k->wide = keep;
    return status;
}

const gs_method gs_block_cg = {
    .plugin = {"block_cg", "block conjugate gradients; A symmetric positive definite", options,
               sizeof(block_cg_options)},
    .state_size = sizeof(block_cg),
    .products = 1,
    .tests_convergence = true,
    .couples_columns = true,
    .symmetric = true,
    .definite = true,
    .setup = setup,
    .start = start,
    .step = step,
    .may_move = may_move,
    .narrow = narrow,
};
