/* blocked.c: matrices of dense blocks within the library: conversions and products. */
#include "spgemm/blocked/blocked.h"

#include <string.h>

#include "core/try.h"
#include "matrix/statistics.h"
#include "spgemm/spgemm.h"

static const gs_blocked_kernels *kernels_for(const gsolve_context *ctx, const gsolve_csr *A)
{
    return A->location == GSOLVE_HOST ? &gs_blocked_host[A->type]
                                      : GS_KERNELS(gs_blocked, ctx, A->type);
}

void gs_blocked_free(gs_blocked *B, gsolve_context *ctx)
{
    if (!B) return;
    gsolve_csr_free(&B->csr, ctx);
    memset(B, 0, sizeof *B);
}

/* Allocates csr's arrays, with `numbers` values for each entry. Its other members are set. */
static gsolve_status new_arrays(gsolve_csr *csr, gsolve_context *ctx, int64_t entries,
                                int64_t numbers)
{
    csr->start =
        gsolve_alloc(ctx, csr->location, (size_t)csr->nrows + 1, gs_offset_size(csr->offset));
    if (!csr->start) return GSOLVE_NO_MEMORY;
    csr->col = gsolve_alloc(ctx, csr->location, (size_t)entries, sizeof *csr->col);
    if (!csr->col) return GSOLVE_NO_MEMORY;
    csr->value = gsolve_alloc(ctx, csr->location, (size_t)entries * (size_t)numbers,
                              gs_type_size(csr->type));
    return csr->value ? GSOLVE_OK : GSOLVE_NO_MEMORY;
}

/* --- copies between host and device ----------------------------------------------------------- */

static gsolve_status copy_to(gsolve_context *ctx, const void *to, gsolve_location to_location,
                             const void *from, gsolve_location from_location, size_t bytes)
{
    return gsolve_copy(ctx, gs_owned_block(ctx, to), to_location, from, from_location, bytes);
}

static gsolve_status move(gs_blocked *out, gsolve_context *ctx, gsolve_location location,
                          const gs_blocked *A)
{
    gs_blocked B = *A;
    const gsolve_csr *from = &A->csr;
    const int64_t numbers = (int64_t)A->height * A->width;
    int64_t entries = 0;
    gsolve_status status;

    B.csr.start = B.csr.col = NULL;
    B.csr.value = NULL;
    B.csr.location = location;
    TRY(gs_csr_entries(ctx, from, &entries));
    TRY(new_arrays(&B.csr, ctx, entries, numbers));
    TRY(copy_to(ctx, B.csr.start, location, from->start, from->location,
                ((size_t)from->nrows + 1) * gs_offset_size(from->offset)));
    TRY(copy_to(ctx, B.csr.col, location, from->col, from->location,
                (size_t)entries * sizeof *from->col));
    TRY(copy_to(ctx, B.csr.value, location, from->value, from->location,
                (size_t)(entries * numbers) * gs_type_size(from->type)));
    *out = B;
    memset(&B, 0, sizeof B);
done:
    gs_blocked_free(&B, ctx);
    return status;
}

/* Moves the result B to this location. */
static gsolve_status move_to(gs_blocked *B, gsolve_context *ctx, gsolve_location location)
{
    gs_blocked moved;
    gsolve_status status;

    if (B->csr.location == location || gs_location(ctx) == GSOLVE_HOST) return GSOLVE_OK;
    status = move(&moved, ctx, location, B);
    if (status != GSOLVE_OK) return status;
    gs_blocked_free(B, ctx);
    *B = moved;
    return GSOLVE_OK;
}

/* If ctx computes on a device and *A is on the host, *A points to *moved, a copy on the device. */
static gsolve_status copy_to_device(const gs_blocked **A, gsolve_context *ctx, gs_blocked *moved)
{
    gsolve_status status;

    if (gs_location(ctx) == GSOLVE_HOST || (*A)->csr.location == GSOLVE_DEVICE) return GSOLVE_OK;
    status = move(moved, ctx, GSOLVE_DEVICE, *A);
    if (status == GSOLVE_OK) *A = moved;
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

/* *out = A in blocks. A is clean: its columns ascend strictly in every row. */
static gsolve_status gather(gs_blocked *out, gsolve_context *ctx, int32_t height, int32_t width,
                            const gsolve_csr *A)
{
    const gs_blocked_kernels *kernels = kernels_for(ctx, A);
    gs_blocked B = {*A, height, width};
    int64_t *count = NULL, entries = 0;
    gsolve_status status;

    B.csr.start = B.csr.col = NULL;
    B.csr.value = NULL;
    B.csr.offset = GSOLVE_O32;
    B.csr.nrows = A->nrows / height;
    B.csr.ncols = A->ncols / width;
    ALLOC(ctx, A->location, count, (size_t)B.csr.nrows + 1);
    TRY(kernels->count(ctx, &B, A, count));
    TRY(kernels->total(ctx, B.csr.nrows, count, &entries));
    if (entries > INT32_MAX) B.csr.offset = GSOLVE_O64;
    TRY(new_arrays(&B.csr, ctx, entries, (int64_t)height * width));
    TRY(kernels->offsets(ctx, &B.csr, count));
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
    TRY(gs_csr_inspect(ctx, A, &found, NULL, NULL));
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
    TRY(gs_csr_inspect(ctx, &B->csr, &found, NULL, NULL));
    if (!found.ascending) {
        status = gsolve_fail(
            ctx, GSOLVE_BAD_MATRIX,
            "the block columns of %s do not ascend strictly in every row; sort them", name);
    }
done:
    return status;
}

gsolve_status gs_blocked_to_csr(gsolve_csr *out, gsolve_context *ctx, const gs_blocked *B)
{
    gsolve_csr A = {0};
    int64_t entries = 0;
    gsolve_status status;

    TRY(check_blocked(ctx, B, "the matrix"));
    if ((int64_t)B->csr.nrows * B->height > INT32_MAX ||
        (int64_t)B->csr.ncols * B->width > INT32_MAX) {
        return gsolve_fail(ctx, GSOLVE_UNSUPPORTED,
                           "a matrix of %d x %d blocks of %d x %d has 2^31 or more rows or columns",
                           B->csr.nrows, B->csr.ncols, B->height, B->width);
    }
    TRY(gs_csr_entries(ctx, &B->csr, &entries));
    A = B->csr;
    A.start = A.col = NULL;
    A.value = NULL;
    A.nrows *= B->height;
    A.ncols *= B->width;
    A.offset = entries * B->height * B->width > INT32_MAX ? GSOLVE_O64 : GSOLVE_O32;
    TRY(new_arrays(&A, ctx, entries * B->height * B->width, 1));
    TRY(kernels_for(ctx, &A)->spread(ctx, &A, B));
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

gsolve_status gs_blocked_multiply(gs_blocked *out, gsolve_context *ctx, const char *spec,
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
