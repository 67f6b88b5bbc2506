/* gauss_seidel.c: the smoother gs, see gauss_seidel.h. A sweep back updates the colours, or the
 * rows of a block, in the opposite order. It is the transpose of a sweep if A is symmetric. */
#include "precond/amg/smoothers/gauss_seidel.h"

#include <math.h>
#include <string.h>

#include "core/try.h"
#include "precond/amg/coarsening/aggregation.h"
#include "precond/amg/smoothers/smoother.h"
#include "precond/chebyshev/polynomial.h"
#include "vector/vector.h"

typedef struct gauss_seidel_data {
    void *d;     /* see gauss_seidel.h */
    bool blocks; /* the CPU's blocks of rows; else colours */
    gs_colours C;
} gauss_seidel_data;

/* --- colours ---------------------------------------------------------------------------------- */

void gs_colours_destroy(gs_colours *C, gsolve_context *ctx)
{
    gsolve_free(ctx, GSOLVE_DEVICE, C->colour);
    gsolve_free(ctx, GSOLVE_DEVICE, C->row);
    gsolve_free(ctx, GSOLVE_DEVICE, C->first);
    gsolve_free(ctx, GSOLVE_HOST, C->begin);
    memset(C, 0, sizeof *C);
}

/* Sets C->colour and C->count. If the pattern is not symmetric, A' is needed too. */
static gsolve_status colour(gs_colours *C, gsolve_context *ctx, const gsolve_csr *A)
{
    const gs_gauss_seidel_kernels *kernels = GS_KERNELS(gs_gauss_seidel, ctx, A->type);
    gsolve_csr B = {0};
    void *order = NULL;
    gsolve_status status;

    TRY(kernels->colour(ctx, A, NULL, C->colour, &C->count));
    if (C->count >= 0) goto done;
    TRY(gs_transpose_make(&B, &order, ctx, A, C->entries));
    TRY(kernels->colour(ctx, A, &B, C->colour, &C->count));
done:
    gsolve_csr_free(&B, ctx);
    gsolve_free(ctx, GSOLVE_DEVICE, order);
    return status;
}

gsolve_status gs_colours_create(gs_colours *C, gsolve_context *ctx, const gsolve_csr *A,
                                int64_t entries)
{
    const int32_t n = A->nrows;
    gsolve_status status;

    memset(C, 0, sizeof *C);
    C->entries = entries;
    ALLOC(ctx, GSOLVE_DEVICE, C->colour, n);
    ALLOC(ctx, GSOLVE_DEVICE, C->row, n);
    if (n > 0) TRY(colour(C, ctx, A));
    ALLOC(ctx, GSOLVE_DEVICE, C->first, (int64_t)C->count + 1);
    ALLOC(ctx, GSOLVE_HOST, C->begin, (int64_t)C->count + 1);
    C->begin[0] = 0;
    if (n == 0) goto done;
    TRY(GS_KERNELS(gs_aggregate, ctx, A->type)
            ->list(ctx, n, C->colour, C->count, C->first, C->row));
    TRY(gsolve_copy(ctx, C->begin, GSOLVE_HOST, C->first, gs_location(ctx),
                    ((size_t)C->count + 1) * sizeof *C->begin));
done:
    if (status != GSOLVE_OK) gs_colours_destroy(C, ctx);
    return status;
}

/* --- the smoother ----------------------------------------------------------------------------- */

static void destroy(void *self, gsolve_context *ctx)
{
    gauss_seidel_data *s = self;

    gsolve_free(ctx, GSOLVE_DEVICE, s->d);
    gs_colours_destroy(&s->C, ctx);
    gsolve_free(ctx, GSOLVE_HOST, s);
}

static gsolve_status update(void *self, gsolve_context *ctx, const gs_level_view *level,
                            const gs_amg_options *options)
{
    const gsolve_csr *A = level->A;
    gauss_seidel_data *s = self;

    (void)options;
    if (s->blocks) {
        return GS_KERNELS(gs_gauss_seidel, ctx, A->type)->block_diagonal(ctx->queue, A, s->d);
    }
    return GS_KERNELS(gs_polynomial, ctx, A->type)
        ->reciprocals(ctx->queue, A, GS_POINT_JACOBI, s->d);
}

static gsolve_status build(void **self, gsolve_context *ctx, const gs_level_view *level,
                           const gs_amg_options *options)
{
    const gsolve_csr *A = level->A;
    gsolve_matrix_info info = GSOLVE_INIT(gsolve_matrix_info);
    gauss_seidel_data *s = NULL;
    gsolve_status status;

    gsolve_matrix_describe(level->matrix, &info);
    ALLOC(ctx, GSOLVE_HOST, s, 1);
    memset(s, 0, sizeof *s);
    s->blocks = GS_KERNELS(gs_gauss_seidel, ctx, A->type)->blocks;
    s->d = gsolve_alloc(ctx, GSOLVE_DEVICE, (size_t)A->nrows, gs_type_size(A->type));
    TRY(s->d ? GSOLVE_OK : GSOLVE_NO_MEMORY);
    if (!s->blocks) TRY(gs_colours_create(&s->C, ctx, A, info.entries));
    TRY(update(s, ctx, level, options));
    *self = s;
    s = NULL;
done:
    if (s) destroy(s, ctx);
    return status;
}

static gsolve_status sweep_colours(const gauss_seidel_data *s, gsolve_context *ctx,
                                   const gs_level_view *level, gsolve_dense b, gsolve_dense x,
                                   bool zero, bool back)
{
    const gs_gauss_seidel_kernels *kernels = GS_KERNELS(gs_gauss_seidel, ctx, b.type);
    const gs_colours *C = &s->C;
    const gs_sweep_vectors v = {.d = s->d, .b = b.value, .x = x.value};
    const int32_t first = back ? C->count - 1 : 0, second = back ? C->count - 2 : 1;
    gsolve_status status;

    if (level->transposed) {
        return gsolve_fail(
            ctx, GSOLVE_UNSUPPORTED,
            "amg,smoother=gs on a GPU cannot be applied transposed if A is not symmetric; "
            "choose smoother=l1_jacobi or smoother=spai0");
    }
    if (!zero) {
        return kernels->colours(ctx->queue, level->A, C, b.ncols, first, back, v);
    }
    TRY(kernels->begin(ctx->queue, b.nrows, b.ncols, C->colour, first, s->d, b.value, x.value));
    TRY(kernels->colours(ctx->queue, level->A, C, b.ncols, second, back, v));
done:
    return status;
}

static gsolve_status sweep_transposed(const gauss_seidel_data *s, gsolve_context *ctx,
                                      const gs_level_view *level, gsolve_dense b, gsolve_dense x,
                                      gsolve_dense r, bool zero, bool back)
{
    gsolve_status status;

    TRY(GS_KERNELS(gs_vector, ctx, b.type)
            ->copy(ctx->queue, (int64_t)b.nrows * b.ncols, b.type, b.value, r.value));
    if (!zero) TRY(gs_level_multiply(level, -1, x, 1, r));
    TRY(GS_KERNELS(gs_gauss_seidel, ctx, b.type)
            ->transposed_blocks(ctx->queue, level->A, b.ncols, zero, back,
                                (gs_sweep_vectors){.d = s->d, .x = x.value, .work = r.value}));
done:
    return status;
}

static gsolve_status sweep(const void *self, gsolve_context *ctx, const gs_level_view *level,
                           gsolve_dense b, gsolve_dense x, gsolve_dense space, bool zero, bool back)
{
    const gauss_seidel_data *s = self;

    if (!s->blocks) return sweep_colours(s, ctx, level, b, x, zero, back);
    if (level->transposed) return sweep_transposed(s, ctx, level, b, x, space, zero, back);
    return GS_KERNELS(gs_gauss_seidel, ctx, b.type)
        ->blocks(ctx->queue, level->A, b.ncols, zero, back,
                 (gs_sweep_vectors){s->d, b.value, x.value, space.value});
}

/* Moves A's rows, b and d once, and x twice. */
static size_t bytes(const void *self, const gs_level_view *level)
{
    const size_t vector = (size_t)level->A->nrows * gs_type_size(level->A->type);
    gsolve_matrix_info A = GSOLVE_INIT(gsolve_matrix_info);

    (void)self;
    gsolve_matrix_describe(level->matrix, &A);
    return (size_t)gs_csr_bytes(level->A, A.entries) + 4 * vector;
}

const gs_smoother gs_amg_gs = {
    .build = build,
    .update = update,
    .destroy = destroy,
    .sweep = sweep,
    .bytes = bytes,
    .reads_rows = true,
};
