/* setup.c: the set-up of amg's hierarchy, see setup.h.
 *
 * type=auto: levels in single precision move half the bytes. They are built first, and a few cycles
 * show how much of an error they leave. If that is more than LITTLE, levels in double precision are
 * built as well, and the better ones stay. */
#include "precond/amg/setup.h"

#include <math.h>
#include <stdio.h>

#include "core/staging.h"
#include "core/try.h"
#include "dist/comm.h"
#include "matrix/sample.h"
#include "precond/amg/coarsening/aggregation.h"
#include "precond/amg/cycle.h"
#include "precond/amg/distributed/distributed.h"
#include "precond/amg/rigid_modes.h"
#include "spmv/handle.h"
#include "vector/vector.h"

/* --- near-null vectors ------------------------------------------------------------------------ */

/* The ranks among which A is distributed, or NULL. */
static gs_comm *comm_of(const gsolve_context *ctx, gs_amg_matrix A)
{
    return A.rows ? ctx->comm : NULL;
}

/* The rows of this rank. */
static int32_t rows_of(gs_amg_matrix A)
{
    return A.rows ? A.rows->rows.count : A.csr->nrows;
}

static gsolve_type type_of(gs_amg_matrix A)
{
    return A.rows ? A.rows->type : A.csr->type;
}

/* *block = the largest size b for which b divides n and 95 % of the sampled block rows consist of
 * dense b x b blocks, or 1. */
static gsolve_status find_block(gsolve_context *ctx, gs_amg_matrix A, int32_t *block)
{
    const gsolve_csr *csr = A.csr;
    gsolve_pattern_sample sample;
    gsolve_status status;

    if (A.rows) return gs_find_block_over_ranks(ctx, A.rows, block);
    TRY(gs_sample_pattern(ctx, csr, &sample, NULL));
    for (*block = 6; *block > 1; --*block) {
        if (sample.block[*block] >= 0.95 && csr->nrows % *block == 0) break;
    }
done:
    return status;
}

/* *B = one vector per unknown of a node: 1 at this unknown of every node, 0 elsewhere. */
static gsolve_status constant_vectors(gsolve_context *ctx, int32_t n, gsolve_type type,
                                      int32_t block, gsolve_dense *B)
{
    const gsolve_dense nodes = {.ncols = block}; /* translations do not depend on coordinates */
    gsolve_status status;

    TRY(gs_dense_new(B, ctx, gs_location(ctx), type, n, block));
    TRY(GS_KERNELS(gs_tentative, ctx, type)->modes(ctx, nodes, *B));
done:
    return status;
}

/* *B = v in another type, column-major without gaps. */
static gsolve_status copy_vectors(gsolve_context *ctx, gsolve_dense v, gsolve_type type,
                                  gsolve_dense *B)
{
    gsolve_status status;

    TRY(gs_dense_new(B, ctx, gs_location(ctx), type, v.nrows, v.ncols));
    for (int32_t c = 0; c < v.ncols; c++) {
        TRY(GS_KERNELS(gs_vector, ctx, type)
                ->copy(ctx->queue, v.nrows, v.type, gs_column_of(v, c).value,
                       gs_column_of(*B, c).value));
    }
done:
    return status;
}

/* --- precision of the levels ------------------------------------------------------------------ */

/* Single precision can spoil the modes of least energy. On a coarse level their energy is a small
 * difference of large sums. If rounding exceeds it, the coarse correction has the wrong size. So
 * the test applies cycles to r = A w in the matrix's own precision, where w is a near-null vector,
 * and measures how much of r they leave. */
#define MAX_CYCLES 6 /* a slowly converging cycle leaves much of r after the first */

enum { R, W, Z, VECTORS };

/* The matrix of the test: a form of csr, or a handle over ranks. */
typedef struct test_matrix {
    void *form;
    gsolve_matrix *handle;
    gs_comm *comm;
} test_matrix;

static gsolve_status new_test_matrix(test_matrix *T, gsolve_context *ctx, gs_amg_matrix A)
{
    int64_t entries;
    gsolve_status status;

    T->comm = comm_of(ctx, A);
    if (A.rows) return gsolve_matrix_create_dist(&T->handle, ctx, "csr", A.rows);
    TRY(gs_csr_entries(ctx, A.csr, &entries));
    TRY(gs_csr_format.build(&T->form, ctx, A.csr, entries, NULL, NULL));
done:
    return status;
}

static gsolve_status multiply(const test_matrix *T, gsolve_context *ctx, double alpha,
                              gsolve_dense x, double beta, gsolve_dense y)
{
    return T->handle ? gsolve_matrix_apply(T->handle, alpha, x, beta, y)
                     : gs_csr_format.apply(T->form, ctx, alpha, x, beta, y);
}

/* *sum = |r|^2 */
static gsolve_status square_norm(const test_matrix *T, gsolve_context *ctx, gsolve_dense r,
                                 double *sum)
{
    gsolve_status status;

    TRY(GS_KERNELS(gs_vector, ctx, r.type)->dot(ctx->queue, r.nrows, r.value, r.value, sum));
    TRY(gs_comm_sum_of(T->comm, sum, 1));
done:
    return status;
}

/* r = A w, sum[0] = |r|^2 */
static gsolve_status begin(const gs_hierarchy *h, gsolve_context *ctx, const test_matrix *T,
                           const gsolve_dense *v, double *sum)
{
    const gsolve_dense w = h->level[0].view.near_null;
    gsolve_status status;

    TRY(GS_KERNELS(gs_vector, ctx, v[R].type)
            ->copy(ctx->queue, v[R].nrows, w.type, w.value, v[W].value));
    TRY(multiply(T, ctx, 1, v[W], 0, v[R]));
    TRY(square_norm(T, ctx, v[R], &sum[0]));
done:
    return status;
}

/* r -= A z with z from one cycle, sum[1] = |r|^2 */
static gsolve_status apply_cycle(gs_hierarchy *h, gsolve_context *ctx, const test_matrix *T,
                                 const gsolve_dense *v, double *sum)
{
    gsolve_status status;

    TRY(gs_hierarchy_apply(h, ctx, false, v[R], v[Z]));
    TRY(multiply(T, ctx, -1, v[Z], 1, v[R]));
    TRY(square_norm(T, ctx, v[R], &sum[1]));
done:
    return status;
}

static gsolve_status new_test_vectors(gsolve_dense *v, double **sum, gsolve_context *ctx,
                                      gs_amg_matrix A)
{
    gsolve_status status = GSOLVE_OK;

    for (int k = 0; k < VECTORS; k++) {
        TRY(gs_dense_new(&v[k], ctx, gs_location(ctx), type_of(A), rows_of(A), 1));
    }
    ALLOC(ctx, GSOLVE_DEVICE, *sum, 2);
done:
    return status;
}

/* *left = |r| after some cycles of h over |r| before, where r = A w in A's type and w is the first
 * near-null vector. A: the matrix that h was built from. Stops as soon as *left <= enough. A *left
 * that is nan or inf means that h is useless. */
static gsolve_status measure_reduction(gs_hierarchy *h, gsolve_context *ctx, gs_amg_matrix A,
                                       double enough, double *left)
{
    gsolve_dense v[VECTORS] = {{0}};
    double *sum = NULL, norm2[2];
    test_matrix T = {0};
    gsolve_status status;

    TRY(gs_comm_check(comm_of(ctx, A), new_test_vectors(v, &sum, ctx, A)));
    TRY(new_test_matrix(&T, ctx, A));
    TRY(begin(h, ctx, &T, v, sum));
    for (int k = 0; k < MAX_CYCLES && (k == 0 || *left > enough); k++) {
        TRY(apply_cycle(h, ctx, &T, v, sum));
        TRY(gsolve_copy(ctx, norm2, GSOLVE_HOST, sum, gs_location(ctx), sizeof norm2));
        *left = norm2[0] > 0 ? sqrt(norm2[1] / norm2[0]) : 0;
    }
done:
    if (T.form) gs_csr_format.destroy(T.form, ctx);
    gsolve_matrix_destroy(&T.handle);
    for (int k = 0; k < VECTORS; k++) gsolve_free(ctx, GSOLVE_DEVICE, v[k].value);
    gsolve_free(ctx, GSOLVE_DEVICE, sum);
    return status;
}

/* --- the type of the levels ------------------------------------------------------------------- */

/* Refuses a matrix whose levels cannot fit into the free memory. A lower bound of their bytes: the
 * finest level, the coarser ones by experience, the vectors. */
static gsolve_status check_memory(gsolve_context *ctx, gs_amg_matrix A, gsolve_type type)
{
    const double value = (double)gs_type_size(type);
    int64_t entries = 0;
    gsolve_status status;

    if (!ctx->device->memory || A.rows) return GSOLVE_OK;
    TRY(gs_csr_entries(ctx, A.csr, &entries));
    TRY(gs_memory_need(ctx, 1.8 * ((double)entries * (4 + value) + A.csr->nrows * (4 + 4 * value)),
                       "the levels of amg"));
done:
    return status;
}

#define LARGE_ENTRIES 100000 /* below this, reading fewer bytes saves no time */
#define LITTLE        0.25 /* of the error that may remain after the cycles of measure_reduction */
#define AS_GOOD       1.1  /* single precision may leave this much more than double */

/* Whether set_up_best chooses the type of the levels. */
static bool is_type_open(const gs_amg_setup *S)
{
    return !S->h && S->options.type == GS_AMG_TYPE_AUTO && S->type == GSOLVE_F64 &&
           S->entries > LARGE_ENTRIES;
}

/* The type of the levels, if it is not open. */
static gsolve_type level_type(const gs_amg_setup *S)
{
    if (S->h) return S->h->type;
    return S->options.type == GS_AMG_F32 ? GSOLVE_F32 : S->type;
}

static gsolve_status build_levels(gs_hierarchy **h, gsolve_context *ctx, gs_amg_matrix A,
                                  gsolve_type type, gsolve_dense *near_null, int32_t block,
                                  const gs_amg_options *options)
{
    if (A.csr) return gs_hierarchy_build(h, ctx, A.csr, type, near_null, block, options);
    return gs_hierarchy_build_over_ranks(h, ctx, A.rows, type, near_null, block, options);
}

/* S->h = levels of near_null's type, which take ownership of near_null. */
static gsolve_status set_up_in_type(gs_amg_setup *S, gsolve_context *ctx, gs_amg_matrix A,
                                    gsolve_dense *near_null, int32_t block)
{
    gs_hierarchy *h = NULL;
    gsolve_status status;

    TRY(check_memory(ctx, A, near_null->type));
    TRY(build_levels(&h, ctx, A, near_null->type, near_null, block, &S->options));
    gs_hierarchy_destroy(S->h, ctx);
    S->h = h;
done:
    return status;
}

/* *h = levels of this type, and *left = what their cycles leave of an error. */
static gsolve_status try_type(const gs_amg_setup *S, gsolve_context *ctx, gs_amg_matrix A,
                              gsolve_type type, gsolve_dense near_null, int32_t block,
                              gs_hierarchy **h, double *left)
{
    gsolve_dense B = {0};
    gsolve_status status;

    TRY(check_memory(ctx, A, type));
    TRY(gs_comm_check(comm_of(ctx, A), copy_vectors(ctx, near_null, type, &B)));
    TRY(build_levels(h, ctx, A, type, &B, block, &S->options));
    TRY(measure_reduction(*h, ctx, A, LITTLE, left));
done:
    gsolve_free(ctx, GSOLVE_DEVICE, B.value);
    return status;
}

/* S->h = levels of the best type: single precision if its cycles leave little of the error, or not
 * much more than those in double precision. */
static gsolve_status set_up_best(gs_amg_setup *S, gsolve_context *ctx, gs_amg_matrix A,
                                 gsolve_dense *near_null, int32_t block)
{
    double narrow = INFINITY, wide = INFINITY;
    gs_hierarchy *f32 = NULL, *f64 = NULL;
    gsolve_status status;

    if (!is_type_open(S)) return set_up_in_type(S, ctx, A, near_null, block);
    status = try_type(S, ctx, A, GSOLVE_F32, *near_null, block, &f32, &narrow);
    if (status != GSOLVE_OK && status != GSOLVE_BAD_MATRIX && status != GSOLVE_ZERO_PIVOT) {
        goto done; /* those two: the range or the precision of f32 did not suffice */
    }
    status = GSOLVE_OK;
    if (!(narrow <= LITTLE)) {
        TRY(try_type(S, ctx, A, S->type, *near_null, block, &f64, &wide));
    }
    if (f64 && !(narrow <= wide * AS_GOOD)) {
        gs_hierarchy_destroy(f32, ctx);
        f32 = f64;
        f64 = NULL;
        snprintf(S->type_note, sizeof S->type_note,
                 ", f32 levels would leave %.2g of an error, f64 levels %.2g", narrow, wide);
    }
    gs_hierarchy_destroy(S->h, ctx);
    S->h = f32;
    f32 = NULL;
done:
    gs_hierarchy_destroy(f32, ctx);
    gs_hierarchy_destroy(f64, ctx);
    return status;
}

/* --- set-up with near-null vectors ------------------------------------------------------------ */

/* S->h = the best levels for the near-null vectors B, which it frees or keeps. block: unknowns per
 * node; 0: found in the pattern. made: whether B could be made; if not, it is returned. */
static gsolve_status set_up_with(gs_amg_setup *S, gsolve_context *ctx, gs_amg_matrix A,
                                 gsolve_status made, gsolve_dense B, int32_t block)
{
    gsolve_status status;

    TRY(gs_comm_check(comm_of(ctx, A), made));
    if (block == 0) TRY(find_block(ctx, A, &block));
    TRY(set_up_best(S, ctx, A, &B, block));
done:
    gsolve_free(ctx, GSOLVE_DEVICE, B.value);
    return status;
}

gsolve_status gs_amg_set_up_constants(gs_amg_setup *S, gsolve_context *ctx, gs_amg_matrix A)
{
    const gsolve_type type = is_type_open(S) ? GSOLVE_F32 : level_type(S);
    int32_t block = S->options.block;
    gsolve_dense B = {0};
    gsolve_status status = GSOLVE_OK;

    if (block == 0) status = find_block(ctx, A, &block);
    if (status == GSOLVE_OK) status = constant_vectors(ctx, rows_of(A), type, block, &B);
    return set_up_with(S, ctx, A, status, B, block);
}

gsolve_status gs_amg_set_up_again(gs_amg_setup *S, gsolve_context *ctx, gs_amg_matrix A)
{
    const gs_level_view *finest = &S->h->level[0].view;
    const int32_t block = finest->block;
    gsolve_dense B = {0};
    const gsolve_status status = copy_vectors(ctx, finest->near_null, level_type(S), &B);

    return set_up_with(S, ctx, A, status, B, block);
}

gsolve_status gs_amg_set_up_near_null(gs_amg_setup *S, gsolve_context *ctx, gs_amg_matrix A,
                                      gsolve_dense v)
{
    gsolve_dense B = {0};
    gsolve_status status;

    TRY(gs_comm_same(comm_of(ctx, A), (uint64_t)v.ncols, "the numbers of near-null vectors"));
    status = copy_vectors(ctx, v, level_type(S), &B);
    status = set_up_with(S, ctx, A, status, B, S->options.block);
done:
    return status;
}

gsolve_status gs_amg_set_up_coordinates(gs_amg_setup *S, gsolve_context *ctx, gs_amg_matrix A,
                                        gsolve_dense xyz)
{
    const gsolve_type type = level_type(S);
    gsolve_dense B = {0};
    const gsolve_status status =
        A.rows ? gs_modes_over_ranks(&B, ctx, type, xyz) : gs_rigid_body_modes(&B, ctx, type, xyz);

    return set_up_with(S, ctx, A, status, B, xyz.ncols);
}
