/* rows.c: this rank's rows of a matrix that is distributed over ranks, and what all ranks together
 * find in them: the size of nodes, rigid body modes, symmetry. */
#include <math.h>
#include <string.h>

#include "core/staging.h"
#include "core/try.h"
#include "dist/rows.h"
#include "matrix/sample.h"
#include "precond/amg/coarsening/aggregation.h"
#include "precond/amg/distributed/distributed.h"
#include "precond/amg/rigid_modes.h"
#include "spmv/distributed/distributed.h"
#include "vector/vector.h"

#define INLINE static inline
#include "precond/random.h"

/* --- copies ----------------------------------------------------------------------------------- */

/* *rows = new arrays for these rows, with 64-bit offsets. */
static gsolve_status new_rows(gsolve_dist_csr *rows, gsolve_context *ctx, gsolve_row_range range,
                              int64_t entries, gsolve_type type)
{
    *rows = (gsolve_dist_csr){
        .rows = range, .cols = range, .offset = GSOLVE_O64, .type = type, .location = GSOLVE_HOST};
    rows->start = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)range.count + 1, sizeof(int64_t));
    rows->col = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)entries, sizeof(int64_t));
    rows->value = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)entries, gs_type_size(type));
    if (rows->start && rows->col && rows->value) return GSOLVE_OK;
    gsolve_dist_csr_free(rows, ctx);
    return GSOLVE_NO_MEMORY;
}

/* The arrays of rows for writing. */
static int64_t *start_of(const gsolve_dist_csr *rows)
{
    return (int64_t *)(uintptr_t)rows->start;
}

static int64_t *col_of(const gsolve_dist_csr *rows)
{
    return (int64_t *)(uintptr_t)rows->col;
}

static void *value_of(const gsolve_dist_csr *rows)
{
    return (void *)(uintptr_t)rows->value;
}

gsolve_status gs_rank_rows_of(gsolve_dist_csr *rows, gsolve_context *ctx, const gsolve_matrix *A)
{
    const gs_dist_matrix *D = A->dist;
    const int64_t entries = A->entries + gs_start(&D->boundary, D->boundary_rows);
    const size_t size = gs_type_size(A->csr.type);
    int64_t at = 0;
    gsolve_status status;

    memset(rows, 0, sizeof *rows);
    if (!D->square) {
        return gsolve_fail(ctx, GSOLVE_BAD_MATRIX,
                           "amg needs a square matrix, and on each rank equal ranges of rows and "
                           "of elements of x");
    }
    TRY(gs_matrix_need_rows(A));
    TRY(new_rows(rows, ctx, D->rows, entries, A->csr.type));
    for (int32_t i = 0, next = 0; i < D->rows.count; i++) {
        const gs_dist_row row = gs_dist_row_of(D, &A->rows, i, next);
        const int64_t length = row.end - row.begin;
        next += row.boundary;
        start_of(rows)[i] = at;
        for (int64_t k = 0; k < length; k++) {
            col_of(rows)[at + k] = gs_dist_global_column(D, row.from->col[row.begin + k]);
        }
        memcpy((char *)value_of(rows) + (size_t)at * size,
               (const char *)row.from->value + (size_t)row.begin * size, (size_t)length * size);
        at += length;
    }
    start_of(rows)[D->rows.count] = at;
done:
    return status;
}

gsolve_status gs_rank_rows_copy(gsolve_dist_csr *copy, gsolve_context *ctx,
                                const gsolve_dist_csr *rows, gsolve_type type)
{
    const int64_t entries = gs_dist_start(rows, rows->rows.count);
    gsolve_status status;

    TRY(new_rows(copy, ctx, rows->rows, entries, type));
    for (int32_t i = 0; i <= rows->rows.count; i++) start_of(copy)[i] = gs_dist_start(rows, i);
    if (entries == 0) return GSOLVE_OK;
    memcpy(col_of(copy), rows->col, (size_t)entries * sizeof *rows->col);
    status = gs_rank_rows_refill(copy, ctx, rows);
done:
    return status;
}

gsolve_status gs_rank_rows_refill(const gsolve_dist_csr *copy, gsolve_context *ctx,
                                  const gsolve_dist_csr *rows)
{
    return GS_KERNELS(gs_vector, ctx, copy->type)
        ->copy(ctx->queue, gs_dist_start(rows, rows->rows.count), rows->type, rows->value,
               value_of(copy));
}

uint64_t gs_rank_rows_pattern(const gsolve_context *ctx, const gsolve_dist_csr *rows)
{
    const gsolve_csr shape = {
        .nrows = rows->rows.count, .start = rows->start, .offset = rows->offset};

    return gs_dist_pattern(ctx, &shape, rows->col);
}

/* --- nodes ------------------------------------------------------------------------------------ */

#define WRAP (60 * (INT32_MAX / 60)) /* a multiple of 2 to 6: columns stay aligned to blocks */

/* *sums = the sample of this rank's rows. */
static gsolve_status sample(gs_sample_sums *sums, gsolve_context *ctx, const gsolve_dist_csr *rows)
{
    const int64_t entries = gs_dist_start(rows, rows->rows.count);
    int32_t *col;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, col, entries);
    for (int64_t k = 0; k < entries; k++) col[k] = (int32_t)(rows->col[k] % WRAP);
    const gsolve_csr csr = {.nrows = rows->rows.count,
                            .ncols = INT32_MAX,
                            .start = rows->start,
                            .col = col,
                            .value = rows->value,
                            .offset = rows->offset,
                            .type = rows->type};
    TRY(GS_SCALAR_KERNELS(gs_sample, ctx, rows->type)->sum(ctx, &csr, true, sums));
done:
    gsolve_free(ctx, GSOLVE_HOST, col);
    return status;
}

/* A size is found if 95 % of the block rows of all ranks consist of dense blocks, and no rank's
 * rows cut a block. */
gsolve_status gs_find_block_over_ranks(gsolve_context *ctx, const gsolve_dist_csr *rows,
                                       int32_t *block)
{
    enum { SIZES = GS_SAMPLE_BLOCK + 1 };
    double number[3 * SIZES] = {0}; /* by size: tested and full block rows; ranks that cut one */
    gs_sample_sums sums = {0};
    gsolve_status status;

    TRY(gs_comm_check(ctx->comm, sample(&sums, ctx, rows)));
    for (int32_t b = 2; b < SIZES; b++) {
        number[3 * b] = sums.tested[b];
        number[3 * b + 1] = sums.full[b];
        number[3 * b + 2] = rows->rows.first % b != 0 || rows->rows.count % b != 0;
    }
    TRY(gs_comm_sum_on_host(ctx->comm, number, 3 * SIZES));
    for (*block = SIZES - 1; *block > 1; --*block) {
        const double *n = &number[3 * *block];
        if (n[0] > 0 && n[1] / n[0] >= 0.95 && n[2] == 0) break;
    }
done:
    return status;
}

/* The coordinates of the first node of all ranks. */
static gsolve_status find_origin(gsolve_context *ctx, gsolve_dense xyz, double *origin)
{
    const int ranks = gs_comm_ranks(ctx->comm), d = xyz.ncols;
    double own[4] = {xyz.nrows > 0}, *all;
    gsolve_status status = GSOLVE_OK;

    all = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)ranks, sizeof own);
    TRY(gs_comm_check(ctx->comm, all ? GSOLVE_OK : GSOLVE_NO_MEMORY));
    for (int c = 0; c < d && xyz.nrows > 0; c++) {
        own[1 + c] = xyz.type == GSOLVE_F32 ? (double)((const float *)xyz.value)[c * xyz.stride]
                                            : ((const double *)xyz.value)[c * xyz.stride];
    }
    TRY(gs_comm_allgather(ctx->comm, own, sizeof own, all));
    for (int r = ranks - 1; r >= 0; r--) {
        if (all[4 * r] > 0) memcpy(origin, all + 4 * r + 1, (size_t)d * sizeof *origin);
    }
done:
    gsolve_free(ctx, GSOLVE_HOST, all);
    return status;
}

/* *nodes = the origin and then the nodes of xyz, in its type. */
static gsolve_status put_origin_first(gsolve_dense *nodes, gsolve_context *ctx, gsolve_dense xyz,
                                      const double *origin)
{
    const size_t size = gs_type_size(xyz.type);
    gsolve_status status;

    TRY(gs_dense_new(nodes, ctx, GSOLVE_HOST, xyz.type, xyz.nrows + 1, xyz.ncols));
    for (int32_t c = 0; c < xyz.ncols; c++) {
        char *to = gs_column_of(*nodes, c).value;
        gs_put_value(to, xyz.type, 0, origin[c]);
        if (xyz.nrows > 0) {
            memcpy(to + size, gs_column_of(xyz, c).value, (size_t)xyz.nrows * size);
        }
    }
done:
    return status;
}

/* The modes of the nodes after the first one. */
static gsolve_status modes_of(gsolve_dense *B, gsolve_context *ctx, gsolve_type type,
                              gsolve_dense xyz, const double *origin)
{
    const size_t size = gs_type_size(type);
    gsolve_dense nodes = {0}, all = {0};
    gsolve_status status;

    TRY(put_origin_first(&nodes, ctx, xyz, origin));
    TRY(gs_rigid_body_modes(&all, ctx, type, nodes));
    TRY(gs_dense_new(B, ctx, GSOLVE_HOST, type, xyz.nrows * xyz.ncols, all.ncols));
    for (int32_t c = 0; c < all.ncols && B->nrows > 0; c++) {
        memcpy(gs_column_of(*B, c).value,
               (const char *)gs_column_of(all, c).value + (size_t)xyz.ncols * size,
               (size_t)B->nrows * size);
    }
done:
    gsolve_free(ctx, GSOLVE_HOST, nodes.value);
    gsolve_free(ctx, GSOLVE_HOST, all.value);
    return status;
}

gsolve_status gs_modes_over_ranks(gsolve_dense *B, gsolve_context *ctx, gsolve_type type,
                                  gsolve_dense xyz)
{
    double origin[3] = {0};
    gsolve_status status;

    TRY(gs_comm_same(ctx->comm, (uint64_t)xyz.ncols, "the numbers of coordinates"));
    TRY(find_origin(ctx, xyz, origin));
    TRY(gs_comm_check(ctx->comm, modes_of(B, ctx, type, xyz, origin)));
done:
    return status;
}

/* --- symmetry --------------------------------------------------------------------------------- */

static void set_random(gsolve_dense v, uint64_t seed, int64_t first)
{
    for (int32_t i = 0; i < v.nrows; i++) {
        gs_put_value(v.value, v.type, i, gs_random_uniform(seed, first + i));
    }
}

/* sum = x'Ay and, unless yy is NULL, |Ay|^2; of this rank */
static gsolve_status product(gsolve_context *ctx, const gsolve_matrix *A, gsolve_dense x,
                             gsolve_dense y, gsolve_dense Ay, double *sum, double *yy)
{
    const gs_vector_kernels *vector = GS_KERNELS(gs_vector, ctx, x.type);
    gsolve_status status;

    TRY(gsolve_matrix_apply(A, 1, y, 0, Ay));
    TRY(vector->dot(ctx->queue, x.nrows, x.value, Ay.value, sum));
    if (yy) TRY(vector->dot(ctx->queue, x.nrows, Ay.value, Ay.value, yy));
done:
    return status;
}

/* As gs_amg_is_symmetric, with the random vectors of one rank. */
gsolve_status gs_is_symmetric_over_ranks(bool *symmetric, gsolve_context *ctx,
                                         const gsolve_matrix *A)
{
    const gsolve_type type = A->csr.type;
    const double rounding = type == GSOLVE_F32 ? 1e-5 : 1e-10;
    gsolve_dense x = {0}, y = {0}, Ax = {0};
    double sum[3];
    gsolve_status status;

    status = gs_dense_new(&x, ctx, GSOLVE_HOST, type, A->csr.nrows, 1);
    if (status == GSOLVE_OK) status = gs_dense_new(&y, ctx, GSOLVE_HOST, type, A->csr.nrows, 1);
    if (status == GSOLVE_OK) status = gs_dense_new(&Ax, ctx, GSOLVE_HOST, type, A->csr.nrows, 1);
    TRY(gs_comm_check(ctx->comm, status));
    set_random(x, 1, A->dist->rows.first);
    set_random(y, 2, A->dist->rows.first);
    TRY(product(ctx, A, y, x, Ax, &sum[0], &sum[2]));
    TRY(product(ctx, A, x, y, Ax, &sum[1], NULL));
    TRY(gs_comm_sum_on_host(ctx->comm, sum, 3));
    *symmetric = fabs(sum[0] - sum[1]) <= rounding * sqrt(sum[2]);
done:
    gsolve_free(ctx, GSOLVE_HOST, x.value);
    gsolve_free(ctx, GSOLVE_HOST, y.value);
    gsolve_free(ctx, GSOLVE_HOST, Ax.value);
    return status;
}
