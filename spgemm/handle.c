/* handle.c: gsolve_product, the handle of a product A B. */
#include <string.h>

#include "core/try.h"
#include "spgemm/operand.h"
#include "spgemm/result_view.h"

struct gsolve_product {
    gsolve_context *ctx;
    gs_operand A, B; /* B: all zero if it is A */
    bool square;     /* A and B were the same arrays */
    gs_product made;
    gs_result_view view;
    size_t bytes;
    int64_t entries;
    double seconds, update_seconds;
};

/* Whether two matrices have the same arrays. */
static bool same_arrays(const gsolve_csr *A, const gsolve_csr *B)
{
    return A->start == B->start && A->col == B->col && A->value == B->value &&
           A->nrows == B->nrows && A->ncols == B->ncols && A->offset == B->offset &&
           A->type == B->type && A->location == B->location;
}

static void destroy_product(void *handle)
{
    gsolve_product *product = handle;
    gsolve_product_destroy(&product);
}

static gsolve_status make_product(gsolve_product *product, const char *spec, const gsolve_csr *A,
                                  const gsolve_csr *B)
{
    gsolve_context *ctx = product->ctx;
    gs_blocked a, b;
    gsolve_status status;

    TRY(gs_operand_prepare(&product->A, ctx, "A", A));
    if (!product->square) TRY(gs_operand_prepare(&product->B, ctx, "B", B));
    TRY(gs_operands_check(ctx, "A B", A, B));
    TRY(gs_operand_own(&product->A, ctx, false));
    if (!product->square) TRY(gs_operand_own(&product->B, ctx, false));
    a = gs_plain_blocks(&product->A.used);
    b = gs_plain_blocks(product->square ? &product->A.used : &product->B.used);
    TRY(gs_product_make(&product->made, ctx, spec, &a, &b, true));
    product->entries = product->made.stats.entries;
    TRY(gs_memory_synchronize(ctx, product->made.C.csr.location, product->made.C.csr.start));
    gs_operand_free_values(&product->A, ctx);
    gs_operand_free_values(&product->B, ctx);
done:
    return status;
}

gsolve_status gsolve_product_create(gsolve_product **out, gsolve_context *ctx, const char *spec,
                                    const gsolve_csr *A, const gsolve_csr *B)
{
    gsolve_product *product = NULL;
    const double begin = gs_now();
    size_t held;
    gsolve_status status;

    if (!ctx) return GSOLVE_BAD_ARGUMENT;
    if (!out || !spec || !A || !B) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT, "gsolve_product_create: an argument is NULL");
    }
    held = ctx->bytes;
    ALLOC(ctx, GSOLVE_HOST, product, 1);
    memset(product, 0, sizeof *product);
    gs_own(ctx, product, destroy_product);
    product->ctx = ctx;
    ctx->handles++;
    product->square = same_arrays(A, B);
    product->view.location = A->location;
    TRY(make_product(product, spec, A, B));
    product->bytes = ctx->bytes - held;
    product->seconds = gs_now() - begin;
    *out = product;
    product = NULL;
done:
    gsolve_product_destroy(&product);
    return status;
}

void gsolve_product_destroy(gsolve_product **handle)
{
    gsolve_product *product = handle ? *handle : NULL;
    if (!product) return;

    gs_product_drop(&product->made);
    gsolve_csr_free(&product->view.copy, product->ctx);
    gs_operand_free(&product->A, product->ctx);
    gs_operand_free(&product->B, product->ctx);
    product->ctx->handles--;
    gsolve_free(product->ctx, GSOLVE_HOST, product);
    *handle = NULL;
}

gsolve_status gsolve_product_update(gsolve_product *product, const gsolve_csr *A,
                                    const gsolve_csr *B)
{
    const double begin = gs_now();
    gs_operand a = {0}, b = {0};
    gs_blocked x, y;
    gsolve_status status;

    if (!product) return GSOLVE_BAD_ARGUMENT;
    if (!A || !B) {
        return gsolve_fail(product->ctx, GSOLVE_BAD_ARGUMENT,
                           "gsolve_product_update: a matrix is NULL");
    }
    TRY(gs_operand_update(&a, product->ctx, "A", &product->A, A));
    if (!product->square || !same_arrays(A, B))
        TRY(gs_operand_update(&b, product->ctx, "B", product->square ? &product->A : &product->B,
                              B));
    x = gs_plain_blocks(&a.used);
    y = gs_plain_blocks(b.used.start ? &b.used : &a.used);
    product->view.stale = true;
    TRY(gs_product_update(&product->made, &x, &y));
    TRY(gs_memory_synchronize(product->ctx, product->made.C.csr.location,
                              product->made.C.csr.start));
    product->update_seconds = gs_now() - begin;
done:
    gs_operand_free(&a, product->ctx);
    gs_operand_free(&b, product->ctx);
    return status;
}

gsolve_status gsolve_product_csr(gsolve_product *product, gsolve_csr *C)
{
    if (!product) return GSOLVE_BAD_ARGUMENT;
    if (!C) return gsolve_fail(product->ctx, GSOLVE_BAD_ARGUMENT, "gsolve_product_csr: C is NULL");
    return gs_view_result(&product->view, product->ctx, &product->made.C.csr, C);
}

void gsolve_product_describe(const gsolve_product *product, gsolve_product_info *info)
{
    gs_describe_product(&product->made, product->entries, info);
    info->bytes = product->bytes;
    info->seconds = product->seconds;
    info->update_seconds = product->update_seconds;
}
