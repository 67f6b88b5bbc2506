/* block_smoother.c: a smoother that works row by row, gs or ilu, over ranks. Each rank smooths with
 * its diagonal block, the own columns of its own rows: x += M^-1 (b - A x), where the residual is
 * that of the whole matrix and M is the block's Gauss-Seidel or ILU. */
#include <string.h>

#include "core/staging.h"
#include "core/try.h"
#include "dist/comm.h"
#include "matrix/operator.h"
#include "precond/amg/smoothers/smoother.h"
#include "spmv/handle.h"
#include "vector/vector.h"

typedef struct block_smoother {
    const gs_smoother *inner;
    void *self;
    gsolve_matrix *block;
    gsolve_csr rows;    /* of block */
    gs_level_view view; /* of block, for the inner smoother */
    gsolve_dense r, e;  /* one column each */
} block_smoother;

enum { EXTRA_R = 3, EXTRA_E = 4 }; /* behind the extra vectors of the inner smoother */

static void destroy(void *self, gsolve_context *ctx)
{
    block_smoother *s = self;

    if (s->self) s->inner->destroy(s->self, ctx);
    gsolve_matrix_destroy(&s->block);
    gsolve_free(ctx, GSOLVE_HOST, s->r.value);
    gsolve_free(ctx, GSOLVE_HOST, s->e.value);
    gsolve_free(ctx, GSOLVE_HOST, s);
}

/* --- the block -------------------------------------------------------------------------------- */

/* The number of entries of the block. If `to` is not NULL, writes its rows; pattern: also offsets
 * and columns. */
static int64_t put_block(const gs_level_view *level, const gs_csr_arrays *to, bool pattern)
{
    const gsolve_csr *A = level->A;
    const size_t size = gs_type_size(A->type);
    int64_t at = 0;

    for (int32_t i = 0; i < level->rows; i++) {
        const int64_t end = gs_start(A, level->first + i + 1);
        if (to && pattern) gs_set_start(to, i, at);
        for (int64_t k = gs_start(A, level->first + i); k < end; k++) {
            const int32_t col = A->col[k] - level->first;
            if (col < 0 || col >= level->rows) continue;
            if (to && pattern) to->col[at] = col;
            if (to) {
                memcpy((char *)to->value + (size_t)at * size,
                       (const char *)A->value + (size_t)k * size, size);
            }
            at++;
        }
    }
    if (to && pattern) gs_set_start(to, level->rows, at);
    return at;
}

static gsolve_status make_block(block_smoother *s, gsolve_context *ctx, const gs_level_view *level)
{
    gsolve_csr csr = {0};
    gsolve_status status;

    TRY(gs_csr_new(&csr, ctx, level->rows, level->rows, put_block(level, NULL, false),
                   level->A->type));
    const gs_csr_arrays to = gs_csr_arrays_of(ctx, &csr);
    put_block(level, &to, true);
    TRY(gs_matrix_create_unchecked(&s->block, ctx, "csr", &csr));
    gsolve_matrix_device_csr(s->block, &s->rows);
done:
    gsolve_csr_free(&csr, ctx);
    return status;
}

/* --- creation and update ---------------------------------------------------------------------- */

/* *out may also be set on failure. Local. */
static gsolve_status create(block_smoother **out, gsolve_context *ctx, const gs_level_view *level,
                            const gs_amg_options *options)
{
    const gsolve_type type = level->A->type;
    block_smoother *s;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, s, 1);
    memset(s, 0, sizeof *s);
    *out = s;
    s->inner = options->smoother == GS_AMG_ILU ? &gs_amg_ilu : &gs_amg_gs;
    TRY(make_block(s, ctx, level));
    s->view = (gs_level_view){.A = &s->rows,
                              .matrix = s->block,
                              .block = level->block,
                              .near_null = level->near_null,
                              .level = level->level,
                              .nonsymmetric = level->nonsymmetric};
    TRY(gs_dense_new(&s->r, ctx, GSOLVE_HOST, type, level->rows, 1));
    TRY(gs_dense_new(&s->e, ctx, GSOLVE_HOST, type, level->rows, 1));
    TRY(s->inner->build(&s->self, ctx, &s->view, options));
done:
    return status;
}

static gsolve_status build(void **self, gsolve_context *ctx, const gs_level_view *level,
                           const gs_amg_options *options)
{
    block_smoother *s = NULL;
    gsolve_status status;

    TRY(gs_comm_check(gs_matrix_comm(level->matrix), create(&s, ctx, level, options)));
    *self = s;
    s = NULL;
done:
    if (s) destroy(s, ctx);
    return status;
}

static gsolve_status update_block(block_smoother *s, gsolve_context *ctx,
                                  const gs_level_view *level, const gs_amg_options *options)
{
    const gs_csr_arrays to = gs_csr_arrays_of(ctx, &s->rows);
    gsolve_status status;

    put_block(level, &to, false);
    TRY(gs_matrix_update_form(s->block));
    TRY(s->inner->update(s->self, ctx, &s->view, options));
done:
    return status;
}

static gsolve_status update(void *self, gsolve_context *ctx, const gs_level_view *level,
                            const gs_amg_options *options)
{
    return gs_comm_check(gs_matrix_comm(level->matrix), update_block(self, ctx, level, options));
}

/* --- sweeps ----------------------------------------------------------------------------------- */

static gsolve_status sweep(const void *self, gsolve_context *ctx, const gs_level_view *level,
                           gsolve_dense b, gsolve_dense x, gsolve_dense space, bool zero, bool back)
{
    const block_smoother *s = self;
    const gs_vector_kernels *vector = GS_KERNELS(gs_vector, ctx, b.type);
    const gs_ratio one = {.sign = 1};
    gs_level_view view = s->view;
    gsolve_dense r = b, e = b;
    gsolve_status status;

    view.transposed = level->transposed;
    if (zero) return s->inner->sweep(s->self, ctx, &view, b, x, space, true, back);
    r.value = b.ncols > 1 ? gs_extra_vector(space, EXTRA_R) : s->r.value;
    e.value = b.ncols > 1 ? gs_extra_vector(space, EXTRA_E) : s->e.value;
    TRY(gs_level_residual(level, ctx, b, x, r));
    TRY(s->inner->sweep(s->self, ctx, &view, r, e, space, true, back));
    TRY(vector->axpby(ctx->queue, (int64_t)b.nrows * b.ncols, one, e.value, one, x.value));
done:
    return status;
}

static size_t bytes(const void *self, const gs_level_view *level)
{
    const block_smoother *s = self;
    gsolve_matrix_info A = GSOLVE_INIT(gsolve_matrix_info);

    gsolve_matrix_describe(level->matrix, &A);
    return A.bytes + s->inner->bytes(s->self, &s->view);
}

const gs_smoother gs_amg_block_smoother = {
    .build = build,
    .update = update,
    .destroy = destroy,
    .sweep = sweep,
    .bytes = bytes,
    .extra_vectors = EXTRA_E,
};
