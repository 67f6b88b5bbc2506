/* blocked.c: matrices of dense blocks: conversions, products, and the public functions on them. */
#include "spgemm/blocked/blocked.h"

#include <string.h>

#include "core/try.h"
#include "matrix/statistics.h"

/* --- conversions and products ----------------------------------------------------------------- */

static const gs_blocked_kernels *kernels_for(const gsolve_context *ctx, const gsolve_csr *A)
{
    return A->location == GSOLVE_HOST ? GS_HOST_KERNELS(gs_blocked, ctx, A->type)
                                      : GS_KERNELS(gs_blocked, ctx, A->type);
}

void gs_blocked_free(gs_blocked *B, gsolve_context *ctx)
{
    if (!B) return;
    gsolve_csr_free(&B->csr, ctx);
    memset(B, 0, sizeof *B);
}

/* Moves the result B to this location. */
static gsolve_status move_to(gs_blocked *B, gsolve_context *ctx, gsolve_location location)
{
    gsolve_csr moved;
    gsolve_status status;

    if (B->csr.location == location || gs_location(ctx) == GSOLVE_HOST) return GSOLVE_OK;
    status = gs_csr_move_blocks(&moved, ctx, location, &B->csr, (int64_t)B->height * B->width);
    if (status != GSOLVE_OK) return status;
    gsolve_csr_free(&B->csr, ctx);
    B->csr = moved;
    return GSOLVE_OK;
}

/* If ctx computes on a device and *A is on the host, *A points to *moved, a copy on the device. */
static gsolve_status copy_to_device(const gs_blocked **A, gsolve_context *ctx, gs_blocked *moved)
{
    gsolve_status status;

    if (gs_location(ctx) == GSOLVE_HOST || (*A)->csr.location == GSOLVE_DEVICE) return GSOLVE_OK;
    *moved = **A;
    status = gs_csr_move_blocks(&moved->csr, ctx, GSOLVE_DEVICE, &(*A)->csr,
                                (int64_t)moved->height * moved->width);
    if (status == GSOLVE_OK) {
        *A = moved;
    } else {
        memset(moved, 0, sizeof *moved);
    }
    return status;
}

/* --- conversions ------------------------------------------------------------------------------ */

static gsolve_status check_blocks(gsolve_context *ctx, int32_t height, int32_t width)
{
    if (height >= 1 && height <= GS_MAX_BLOCK && width >= 1 && width <= GS_MAX_BLOCK) {
        return GSOLVE_OK;
    }
    return gsolve_fail(
        ctx, GSOLVE_BAD_ARGUMENT,
        "blocks of %d x %d are not supported; a block must have 1 to %d rows and columns", height,
        width, GS_MAX_BLOCK);
}

/* Sets B's offsets, of either size, to start[0..B->nrows]. */
static gsolve_status set_offsets(const gsolve_csr *B, gsolve_context *ctx, const int64_t *start)
{
    void *to = gs_owned_block(ctx, B->start);
    gsolve_csr wide = *B;

    if (B->offset == GSOLVE_O64) {
        return gsolve_copy(ctx, to, B->location, start, B->location,
                           ((size_t)B->nrows + 1) * sizeof *start);
    }
    wide.start = start;
    wide.offset = GSOLVE_O64;
    return gs_inspector(ctx, B)->narrow(ctx, &wide, to);
}

/* *out = A in blocks. A is clean: its columns ascend strictly in every row. */
static gsolve_status gather(gs_blocked *out, gsolve_context *ctx, int32_t height, int32_t width,
                            const gsolve_csr *A)
{
    const gs_blocked_kernels *kernels = kernels_for(ctx, A);
    gs_blocked B = {*A, height, width};
    int64_t *count = NULL, entries = 0;
    gsolve_status status;

    B.csr.start = B.csr.col = B.csr.value = NULL;
    B.csr.offset = GSOLVE_O32;
    B.csr.nrows = A->nrows / height;
    B.csr.ncols = A->ncols / width;
    ALLOC(ctx, A->location, count, (size_t)B.csr.nrows + 1);
    TRY(kernels->count(ctx, &B, A, count));
    TRY(kernels->number(ctx, B.csr.nrows, count, &entries));
    if (entries > INT32_MAX) B.csr.offset = GSOLVE_O64;
    TRY(gs_csr_new_arrays(&B.csr, ctx, entries, (int64_t)height * width));
    TRY(set_offsets(&B.csr, ctx, count));
    TRY(kernels->fill(ctx, &B, A));
    *out = B;
    memset(&B, 0, sizeof B);
done:
    gsolve_free(ctx, A->location, count);
    gs_blocked_free(&B, ctx);
    return status;
}

gsolve_status gs_blocked_from_csr(gs_blocked *out, gsolve_context *ctx, int32_t height,
                                  int32_t width, const gsolve_csr *A)
{
    gsolve_csr fetched = {0}, ordered = {0};
    gs_blocked B = {0};
    const gsolve_csr *used = A;
    gs_csr_findings found;
    gsolve_status status;

    TRY(check_blocks(ctx, height, width));
    TRY(gs_csr_inspect(ctx, A, &found, NULL));
    if (A->nrows % height || A->ncols % width) {
        return gsolve_fail(ctx, GSOLVE_BAD_MATRIX,
                           "a matrix of %d x %d cannot be divided into blocks of %d x %d", A->nrows,
                           A->ncols, height, width);
    }
    if (!found.ascending) {
        TRY(gs_csr_to_host(&used, ctx, &fetched));
        TRY(gs_csr_clean(&ordered, ctx, used, false, NULL));
        used = &ordered;
    }
    TRY(gather(&B, ctx, height, width, used));
    TRY(move_to(&B, ctx, A->location));
    *out = B;
    memset(&B, 0, sizeof B);
done:
    gs_blocked_free(&B, ctx);
    gsolve_csr_free(&ordered, ctx);
    gsolve_csr_free(&fetched, ctx);
    return status;
}

static gsolve_status check_blocked(gsolve_context *ctx, const gs_blocked *B, const char *name)
{
    gs_csr_findings found;
    gsolve_status status;

    TRY(check_blocks(ctx, B->height, B->width));
    TRY(gs_csr_inspect(ctx, &B->csr, &found, NULL));
    if (!found.ascending) {
        status = gsolve_fail(
            ctx, GSOLVE_BAD_MATRIX,
            "the block columns of %s do not ascend strictly in every row; sort them", name);
    }
done:
    return status;
}

gsolve_status gs_blocked_to_csr(gsolve_csr *out, gsolve_context *ctx, const gs_blocked *B,
                                bool column_major)
{
    gsolve_csr A = {0};
    int64_t entries = 0;
    gsolve_status status;

    TRY(check_blocked(ctx, B, "the matrix"));
    TRY(gs_check_size_in_blocks(ctx, B->csr.nrows, B->csr.ncols, B->height, B->width));
    TRY(gs_csr_entries(ctx, &B->csr, &entries));
    A = B->csr;
    A.nrows *= B->height;
    A.ncols *= B->width;
    A.offset = entries * B->height * B->width > INT32_MAX ? GSOLVE_O64 : GSOLVE_O32;
    TRY(gs_csr_new_arrays(&A, ctx, entries * B->height * B->width, 1));
    TRY(kernels_for(ctx, &A)->spread(ctx, &A, B, column_major));
    *out = A;
    memset(&A, 0, sizeof A);
done:
    gsolve_csr_free(&A, ctx);
    return status;
}

/* --- products --------------------------------------------------------------------------------- */

static gsolve_status check_shapes(gsolve_context *ctx, const gs_blocked *A, const gs_blocked *B)
{
    if (A->csr.type != B->csr.type || A->csr.location != B->csr.location) {
        return gsolve_fail(
            ctx, GSOLVE_BAD_ARGUMENT,
            "the two matrices have different types or locations; convert or move one");
    }
    if (A->csr.ncols != B->csr.nrows || A->width != B->height) {
        return gsolve_fail(ctx, GSOLVE_BAD_MATRIX,
                           "A has %d block columns of width %d and B has %d block rows of height "
                           "%d; they must be equal",
                           A->csr.ncols, A->width, B->csr.nrows, B->height);
    }
    return GSOLVE_OK;
}

static gsolve_status multiply(gs_blocked *out, gsolve_context *ctx, const char *spec,
                              const gs_blocked *A, const gs_blocked *B)
{
    gs_blocked moved[2] = {{{0}, 0, 0}, {{0}, 0, 0}};
    gs_product P = {0};
    gsolve_location location;
    const gs_blocked *right;
    gsolve_status status;

    TRY(check_blocked(ctx, A, "A"));
    TRY(check_blocked(ctx, B, "B"));
    TRY(check_shapes(ctx, A, B));
    location = A->csr.location;
    right = A == B ? NULL : B;
    TRY(copy_to_device(&A, ctx, &moved[0]));
    if (right) TRY(copy_to_device(&right, ctx, &moved[1]));
    TRY(gs_product_make(&P, ctx, spec, A, right ? right : A, false));
    for (int k = 0; k < 2; k++) gs_blocked_free(&moved[k], ctx);
    TRY(move_to(&P.C, ctx, location));
    *out = P.C;
    memset(&P.C, 0, sizeof P.C);
done:
    gs_product_drop(&P);
    for (int k = 0; k < 2; k++) gs_blocked_free(&moved[k], ctx);
    return status;
}

/* --- the public functions --------------------------------------------------------------------- */

static gs_blocked from_public(const gsolve_blocked *B)
{
    const gs_blocked own = {
        {B->nrows, B->ncols, B->start, B->col, B->value, B->offset, B->type, B->location},
        B->height,
        B->width};
    return own;
}

static gsolve_blocked to_public(const gs_blocked *B)
{
    const gsolve_csr *csr = &B->csr;
    const gsolve_blocked given = {csr->nrows, csr->ncols,  csr->start, csr->col,
                                  csr->value, csr->offset, csr->type,  csr->location,
                                  B->height,  B->width,    false};
    return given;
}

void gsolve_blocked_free(gsolve_blocked *B, gsolve_context *ctx)
{
    gs_blocked own;

    if (!B) return;
    own = from_public(B);
    gs_blocked_free(&own, ctx);
    memset(B, 0, sizeof *B);
}

gsolve_status gsolve_blocked_from_csr(gsolve_blocked *out, gsolve_context *ctx, int32_t height,
                                      int32_t width, const gsolve_csr *A)
{
    gs_blocked B;
    gsolve_status status;

    if (!ctx) return GSOLVE_BAD_ARGUMENT;
    GS_ENTER(ctx);
    if (!out || !A) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT,
                           "gsolve_blocked_from_csr: an argument is NULL");
    }
    TRY(gs_blocked_from_csr(&B, ctx, height, width, A));
    *out = to_public(&B);
done:
    return status;
}

gsolve_status gsolve_blocked_to_csr(gsolve_csr *out, gsolve_context *ctx, const gsolve_blocked *B)
{
    gs_blocked own;

    if (!ctx) return GSOLVE_BAD_ARGUMENT;
    GS_ENTER(ctx);
    if (!out || !B) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT, "gsolve_blocked_to_csr: an argument is NULL");
    }
    own = from_public(B);
    return gs_blocked_to_csr(out, ctx, &own, B->column_major);
}

gsolve_status gsolve_blocked_multiply(gsolve_blocked *out, gsolve_context *ctx, const char *spec,
                                      const gsolve_blocked *A, const gsolve_blocked *B)
{
    gs_blocked left, right, C = {{0}, 0, 0};
    gsolve_status status;

    if (!ctx) return GSOLVE_BAD_ARGUMENT;
    GS_ENTER(ctx);
    if (!out || !spec || !A || !B) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT,
                           "gsolve_blocked_multiply: an argument is NULL");
    }
    if (A->column_major || B->column_major) {
        return gsolve_fail(ctx, GSOLVE_UNSUPPORTED,
                           "gsolve_blocked_multiply: the blocks of %s are column-major; transpose "
                           "them to row-major",
                           A->column_major ? "A" : "B");
    }
    left = from_public(A);
    right = from_public(B);
    TRY(multiply(&C, ctx, spec, &left, A == B ? &left : &right));
    *out = to_public(&C);
done:
    return status;
}
