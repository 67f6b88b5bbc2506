/* blocks.c: matrices that a caller gives as dense blocks. Square blocks of 2 x 2 to 8 x 8 in the
 * formats bsr and auto are stored by bsr as they are: no rows of numbers are made, and no blocks
 * are searched. The handle keeps the pattern of the blocks. When a call first needs rows of
 * numbers, gs_matrix_need_csr in rows.c makes A->csr: it takes more memory than the blocks, 4 bytes
 * more for each number. All other blocks and formats get rows of numbers at once. */
#include <stdio.h>
#include <string.h>

#include "core/try.h"
#include "matrix/statistics.h"
#include "spmv/bsr/bsr.h"
#include "spmv/handle.h"
#include "vector/vector.h"

static const gs_bsr_kernels *kernels_at(const gsolve_context *ctx, const gsolve_csr *csr)
{
    return csr->location == GSOLVE_HOST ? GS_HOST_KERNELS(gs_bsr, ctx, csr->type)
                                        : GS_KERNELS(gs_bsr, ctx, csr->type);
}

/* --- checks ----------------------------------------------------------------------------------- */

static gsolve_status check_view(gsolve_context *ctx, const gsolve_blocked *B)
{
    if (B->height < 1 || B->height > GS_BSR_MOST || B->width < 1 || B->width > GS_BSR_MOST) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT,
                           "the blocks are %d x %d; a block must have 1 to %d rows and columns",
                           B->height, B->width, GS_BSR_MOST);
    }
    if (B->nrows < 0 || B->ncols < 0 || !B->start) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT,
                           "the matrix of blocks has a negative size (%d x %d blocks), or no row "
                           "offsets",
                           B->nrows, B->ncols);
    }
    if (!gs_reachable(ctx, B->location)) {
        return gsolve_fail(ctx, GSOLVE_UNSUPPORTED, "the blocks must be on the host");
    }
    if ((unsigned)B->type >= GSOLVE_TYPE_COUNT || (unsigned)B->offset > GSOLVE_O64) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT,
                           "the matrix of blocks has an unknown value type or offset type");
    }
    return gs_check_size_in_blocks(ctx, B->nrows, B->ncols, B->height, B->width);
}

static gs_square_blocks blocks_of(const gsolve_blocked *B)
{
    const gs_square_blocks blocks = {
        {B->nrows, B->ncols, B->start, B->col, B->value, B->offset, B->type, B->location},
        B->height,
        B->column_major};
    return blocks;
}

/* A check of rows has returned this status for rows of blocks: its sentence says so. */
static gsolve_status of_blocks(gsolve_context *ctx, gsolve_status status)
{
    char sentence[sizeof ctx->error];

    if (status != GSOLVE_BAD_MATRIX) return status;
    snprintf(sentence, sizeof sentence, "%s", ctx->error);
    return gsolve_fail(ctx, status,
                       "in the matrix of blocks, whose rows, columns and entries are blocks: %s",
                       sentence);
}

/* The check of rows reads one value for each entry. Zeros take the place of the values of blocks,
 * which check_values reads. *count = the number of blocks. */
static gsolve_status check_columns(gsolve_context *ctx, const gsolve_csr *csr, int64_t count)
{
    gsolve_csr pattern = *csr;
    gs_csr_findings found;
    float *zeros = NULL;
    gsolve_status status;

    ALLOC(ctx, csr->location, zeros, (size_t)count);
    if (csr->location == GSOLVE_HOST) {
        memset(zeros, 0, (size_t)count * sizeof *zeros);
    } else {
        TRY(GS_KERNELS(gs_vector, ctx, GSOLVE_F32)->zero(ctx->queue, count, zeros));
    }
    pattern.type = GSOLVE_F32;
    pattern.value = zeros;
    TRY(of_blocks(ctx, gs_csr_inspect(ctx, &pattern, &found, NULL)));
    if (!found.ascending) {
        status = gsolve_fail(ctx, GSOLVE_BAD_MATRIX,
                             "the block columns do not ascend strictly in every block row; sort "
                             "them, and add blocks of the same column");
    }
done:
    gsolve_free(ctx, csr->location, zeros);
    return status;
}

/* Fails if a number of these blocks is not finite. */
static gsolve_status check_values(gsolve_context *ctx, const gs_square_blocks *B, int64_t count)
{
    const int32_t b = B->size;
    int64_t at;
    int32_t I;
    gsolve_status status;

    TRY(kernels_at(ctx, &B->csr)->find_bad(ctx, count * b * b, B->csr.value, &at));
    if (at < 0) return GSOLVE_OK;
    TRY(gs_csr_row_of(ctx, &B->csr, at / (b * b), &I));
    status = gsolve_fail(ctx, GSOLVE_BAD_MATRIX,
                         "block %lld, in block row %d, has a number that is not finite in its row "
                         "%d and column %d (all counted from 0); values must be finite",
                         (long long)(at / (b * b)), I, (int)(B->column_major ? at % b : at / b % b),
                         (int)(B->column_major ? at / b % b : at % b));
done:
    return status;
}

static gsolve_status check_blocks(gsolve_context *ctx, const gs_square_blocks *B)
{
    gsolve_csr offsets = B->csr;
    gs_csr_findings found;
    gsolve_status status;

    offsets.col = NULL; /* the offsets are checked before the number of blocks is used */
    offsets.value = NULL;
    TRY(gs_inspector(ctx, &offsets)->check(&found, ctx, &offsets));
    if (found.bad_row >= 0) {
        return of_blocks(ctx, gs_csr_inspect(ctx, &offsets, &found, NULL));
    }
    if (found.entries > 0 && (!B->csr.col || !B->csr.value)) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT,
                           "the matrix has blocks, but no block columns or no values");
    }
    TRY(check_columns(ctx, &B->csr, found.entries));
    TRY(check_values(ctx, B, found.entries));
done:
    return status;
}

/* --- create ----------------------------------------------------------------------------------- */

/* *used = B where kernels of ctx read it: B itself, or a copy in *moved. */
static gsolve_status to_device(gs_square_blocks *used, gsolve_context *ctx,
                               const gs_square_blocks *B, gsolve_csr *moved)
{
    gsolve_status status = GSOLVE_OK;

    *used = *B;
    if (B->csr.location == gs_location(ctx)) return GSOLVE_OK;
    TRY(gs_csr_move_blocks(moved, ctx, gs_location(ctx), &B->csr, (int64_t)B->size * B->size));
    used->csr = *moved;
done:
    return status;
}

/* Builds A's form from B, which has been checked. */
static gsolve_status build(gsolve_matrix *A, const gs_square_blocks *B)
{
    gsolve_context *ctx = A->ctx;
    const double begin = gs_now();
    gs_square_blocks used;
    gsolve_csr moved = {0};
    int64_t count = 0;
    gsolve_status status;

    gs_range_push(ctx, "convert");
    TRY(to_device(&used, ctx, B, &moved));
    TRY(gs_csr_move_blocks(&A->blocks.csr, ctx, gs_location(ctx), &used.csr, 0)); /* no values */
    A->blocks.size = B->size;
    TRY(gs_csr_entries(ctx, &A->blocks.csr, &count));
    A->entries = count * B->size * B->size;
    A->csr = (gsolve_csr){.nrows = B->csr.nrows * B->size,
                          .ncols = B->csr.ncols * B->size,
                          .offset = A->entries > INT32_MAX ? GSOLVE_O64 : GSOLVE_O32,
                          .type = B->csr.type,
                          .location = gs_location(ctx)};
    if (gs_location(ctx) == GSOLVE_DEVICE) ALLOC(ctx, GSOLVE_DEVICE, A->sums, 1);
    TRY(gs_bsr_build_blocks(&A->self, ctx, &A->csr, &used, A->options));
    TRY(gs_memory_synchronize(ctx, gs_location(ctx), A->blocks.csr.start)); /* reads B, moved */
    A->build_seconds = gs_now() - begin;
done:
    gsolve_csr_free(&moved, ctx);
    gs_range_pop(ctx);
    return status;
}

/* The matrix in any format, from rows of numbers. */
static gsolve_status create_from_rows(gsolve_matrix **out, gsolve_context *ctx, const char *spec,
                                      const gsolve_blocked *B)
{
    gsolve_csr csr = {0};
    gsolve_matrix *A = NULL;
    gsolve_status status;

    TRY(of_blocks(ctx, gsolve_blocked_to_csr(&csr, ctx, B)));
    TRY(gsolve_matrix_create_owned(&A, ctx, spec, &csr));
    if (B->height == B->width) A->block_size = B->height;
    *out = A;
done:
    gsolve_csr_free(&csr, ctx);
    return status;
}

/* *A = a handle for B in the format bsr, or NULL if `spec` names another format or the blocks are
 * not square, or 1 x 1. Fails if `spec` names a size of blocks that is not B's. */
static gsolve_status new_in_blocks(gsolve_matrix **out, gsolve_context *ctx, const char *spec,
                                   const gsolve_blocked *B)
{
    gsolve_matrix *A = NULL;
    gsolve_status status;

    *out = NULL;
    TRY(gs_matrix_new_in_format(&A, ctx, spec)); /* which checks the spec */
    if (A->format == &gs_auto_format) {
        gsolve_matrix_destroy(&A);
        TRY(gs_matrix_new_in_format(&A, ctx, "bsr"));
        A->chosen = true;
    }
    if (A->format == &gs_bsr_format) {
        const int32_t asked = gs_bsr_size(A->options);
        if (asked != 0 && (asked != B->height || asked != B->width)) {
            status = gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT,
                                 "the blocks are %d x %d, but \"%.60s\" asks for blocks of %d x "
                                 "%d; leave out the option block",
                                 B->height, B->width, spec, asked, asked);
            goto done;
        }
        if (B->height == B->width && gs_bsr_take_size(A->options, B->height)) {
            *out = A;
            A = NULL;
        }
    }
done:
    gsolve_matrix_destroy(&A);
    return status;
}

gsolve_status gsolve_matrix_create_blocks(gsolve_matrix **out, gsolve_context *ctx,
                                          const char *spec, const gsolve_blocked *B)
{
    gsolve_matrix *A = NULL;
    gs_square_blocks blocks;
    gsolve_status status;

    if (!ctx) return GSOLVE_BAD_ARGUMENT;
    GS_ENTER(ctx);
    if (!out || !spec || !B) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT,
                           "gsolve_matrix_create_blocks: an argument is NULL");
    }
    TRY(check_view(ctx, B));
    TRY(new_in_blocks(&A, ctx, spec, B));
    if (!A) return create_from_rows(out, ctx, spec, B);
    blocks = blocks_of(B);
    TRY(check_blocks(ctx, &blocks));
    TRY(build(A, &blocks));
    A->block_size = B->height;
    *out = A;
    A = NULL;
done:
    gsolve_matrix_destroy(&A);
    return status;
}

int32_t gs_matrix_block_size(const gsolve_matrix *A)
{
    return A->block_size;
}

/* --- new values ------------------------------------------------------------------------------- */

static gsolve_status refuse_pattern(gsolve_matrix *A, const gs_square_blocks *B)
{
    return gsolve_fail(A->ctx, GSOLVE_BAD_MATRIX,
                       "the new matrix (%d x %d blocks of %d x %d) has another pattern or type "
                       "than the matrix to update; create a new handle for it",
                       B->csr.nrows, B->csr.ncols, B->size, B->size);
}

/* *same: whether B has the shape, the type and the number of blocks of A. */
static gsolve_status has_shape(const gsolve_matrix *A, const gs_square_blocks *B, bool *same)
{
    const gsolve_csr *own = &A->blocks.csr, *csr = &B->csr;
    int64_t mine, given;
    gsolve_status status = GSOLVE_OK;

    *same = false;
    if (B->size != A->blocks.size || csr->nrows != own->nrows || csr->ncols != own->ncols ||
        csr->type != own->type) {
        return GSOLVE_OK;
    }
    TRY(gs_csr_entries(A->ctx, own, &mine));
    TRY(gs_csr_entries(A->ctx, csr, &given));
    *same = mine == given && (mine == 0 || (csr->col && csr->value));
done:
    return status;
}

/* The rows of numbers, if they exist, after the form has got new values. */
static gsolve_status update_rows(gsolve_matrix *A)
{
    gsolve_status status = GSOLVE_OK;

    if (!A->csr.start) return GSOLVE_OK;
    TRY(gs_bsr_spread(A->self, A->ctx, &A->blocks, &A->csr));
    if (A->rows.start && A->rows.value != A->csr.value) {
        TRY(gsolve_copy(A->ctx, gs_owned_block(A->ctx, A->rows.value), A->rows.location,
                        A->csr.value, A->csr.location,
                        (size_t)A->entries * gs_type_size(A->csr.type)));
    }
done:
    return status;
}

/* Replaces the values of A, which is stored in blocks, by those of B. */
static gsolve_status update_blocks(gsolve_matrix *A, const gs_square_blocks *B)
{
    const gsolve_csr *own = &A->blocks.csr;
    const int64_t count = A->entries / (A->blocks.size * A->blocks.size);
    gs_square_blocks used;
    gsolve_csr moved = {0};
    bool same;
    gsolve_status status;

    TRY(has_shape(A, B, &same));
    if (!same) return refuse_pattern(A, B);
    TRY(to_device(&used, A->ctx, B, &moved));
    TRY(gs_inspector(A->ctx, own)->compare(A->ctx, own, count, &used.csr, false, &same));
    if (!same) {
        status = refuse_pattern(A, B);
        goto done;
    }
    TRY(check_values(A->ctx, &used, count));
    TRY(gs_bsr_update_blocks(A->self, A->ctx, &used));
    TRY(update_rows(A));
    TRY(gs_memory_synchronize(A->ctx, used.csr.location, used.csr.value)); /* B may change now */
    A->version++;
    A->statistics.known = false;
    A->form_is_stale = false;
    A->transposed_is_stale = true;
done:
    gsolve_csr_free(&moved, A->ctx);
    return status;
}

gsolve_status gsolve_matrix_update_blocks(gsolve_matrix *A, const gsolve_blocked *B)
{
    gs_square_blocks blocks;
    gsolve_csr csr = {0};
    gsolve_status status;

    if (!A) return GSOLVE_BAD_ARGUMENT;
    GS_ENTER(A->ctx);
    if (!B) {
        return gsolve_fail(A->ctx, GSOLVE_BAD_ARGUMENT, "gsolve_matrix_update_blocks: B is NULL");
    }
    TRY(check_view(A->ctx, B));
    if (A->blocks.size > 0 && B->height == B->width) {
        blocks = blocks_of(B);
        return update_blocks(A, &blocks);
    }
    TRY(gsolve_blocked_to_csr(&csr, A->ctx, B));
    TRY(gsolve_matrix_update(A, &csr));
done:
    gsolve_csr_free(&csr, A->ctx);
    return status;
}
