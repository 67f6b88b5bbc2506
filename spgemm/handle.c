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
    gsolve_product *P = handle;
    gsolve_product_destroy(&P);
}

static gsolve_status make_product(gsolve_product *P, const char *spec, const gsolve_csr *A,
                                  const gsolve_csr *B)
{
    gsolve_context *ctx = P->ctx;
    gs_blocked a, b;
    gsolve_status status;

    TRY(gs_operand_prepare(&P->A, ctx, "A", A));
    if (!P->square) TRY(gs_operand_prepare(&P->B, ctx, "B", B));
    TRY(gs_operands_check(ctx, "A B", A, B));
    TRY(gs_operand_own(&P->A, ctx, false));
    if (!P->square) TRY(gs_operand_own(&P->B, ctx, false));
    a = gs_plain_blocks(&P->A.used);
    b = gs_plain_blocks(P->square ? &P->A.used : &P->B.used);
    TRY(gs_product_make(&P->made, ctx, spec, &a, &b, true));
    P->entries = P->made.stats.entries;
    TRY(gs_memory_synchronize(ctx, P->made.C.csr.location, P->made.C.csr.start));
    gs_operand_free_values(&P->A, ctx);
    gs_operand_free_values(&P->B, ctx);
done:
    return status;
}

gsolve_status gsolve_product_create(gsolve_product **out, gsolve_context *ctx, const char *spec,
                                    const gsolve_csr *A, const gsolve_csr *B)
{
    gsolve_product *P = NULL;
    const double begin = gs_now();
    size_t held;
    gsolve_status status;

    if (!ctx) return GSOLVE_BAD_ARGUMENT;
    if (!out || !spec || !A || !B) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT, "gsolve_product_create: an argument is NULL");
    }
    held = ctx->bytes;
    ALLOC(ctx, GSOLVE_HOST, P, 1);
    memset(P, 0, sizeof *P);
    gs_own(ctx, P, destroy_product);
    P->ctx = ctx;
    ctx->handles++;
    P->square = same_arrays(A, B);
    P->view.location = A->location;
    TRY(make_product(P, spec, A, B));
    P->bytes = ctx->bytes - held;
    P->seconds = gs_now() - begin;
    *out = P;
    P = NULL;
done:
    gsolve_product_destroy(&P);
    return status;
}

void gsolve_product_destroy(gsolve_product **pP)
{
    gsolve_product *P = pP ? *pP : NULL;
    if (!P) return;

    gs_product_drop(&P->made);
    gsolve_csr_free(&P->view.copy, P->ctx);
    gs_operand_free(&P->A, P->ctx);
    gs_operand_free(&P->B, P->ctx);
    P->ctx->handles--;
    gsolve_free(P->ctx, GSOLVE_HOST, P);
    *pP = NULL;
}

gsolve_status gsolve_product_update(gsolve_product *P, const gsolve_csr *A, const gsolve_csr *B)
{
    const double begin = gs_now();
    gs_operand a = {0}, b = {0};
    gs_blocked x, y;
    gsolve_status status;

    if (!P) return GSOLVE_BAD_ARGUMENT;
    if (!A || !B) {
        return gsolve_fail(P->ctx, GSOLVE_BAD_ARGUMENT, "gsolve_product_update: a matrix is NULL");
    }
    TRY(gs_operand_update(&a, P->ctx, "A", &P->A, A));
    if (!P->square || !same_arrays(A, B))
        TRY(gs_operand_update(&b, P->ctx, "B", P->square ? &P->A : &P->B, B));
    x = gs_plain_blocks(&a.used);
    y = gs_plain_blocks(b.used.start ? &b.used : &a.used);
    P->view.stale = true;
    TRY(gs_product_update(&P->made, &x, &y));
    TRY(gs_memory_synchronize(P->ctx, P->made.C.csr.location, P->made.C.csr.start));
    P->update_seconds = gs_now() - begin;
done:
    gs_operand_free(&a, P->ctx);
    gs_operand_free(&b, P->ctx);
    return status;
}

gsolve_status gsolve_product_csr(gsolve_product *P, gsolve_csr *C)
{
    if (!P) return GSOLVE_BAD_ARGUMENT;
    if (!C) return gsolve_fail(P->ctx, GSOLVE_BAD_ARGUMENT, "gsolve_product_csr: C is NULL");
    return gs_view_result(&P->view, P->ctx, &P->made.C.csr, C);
}

void gsolve_product_describe(const gsolve_product *P, gsolve_product_info *info)
{
    gs_describe_product(&P->made, P->entries, info);
    info->bytes = P->bytes;
    info->seconds = P->seconds;
    info->update_seconds = P->update_seconds;
}
