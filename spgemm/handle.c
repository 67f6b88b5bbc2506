/* handle.c: the public functions on products of matrices: gsolve_csr_multiply, and the handles of a
 * product A B and of a product R A P. */
#include <string.h>

#include "core/info.h"
#include "core/try.h"
#include "spgemm/operand.h"
#include "spgemm/spgemm.h"

gsolve_status gsolve_csr_multiply(gsolve_csr *out, gsolve_context *ctx, const char *spec,
                                  const gsolve_csr *A, const gsolve_csr *B)
{
    gs_operand a = {0}, b = {0};
    gsolve_csr C = {0};
    gsolve_status status;

    if (!ctx) return GSOLVE_BAD_ARGUMENT;
    GS_ENTER(ctx);
    if (!out || !spec || !A || !B) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT, "gsolve_csr_multiply: an argument is NULL");
    }
    gs_range_push(ctx, "product of matrices");
    TRY(gs_operand_prepare(&a, ctx, "A", A));
    if (B != A) TRY(gs_operand_prepare(&b, ctx, "B", B));
    TRY(gs_operands_check(ctx, "A B", A, B));
    TRY(gs_csr_multiply(&C, ctx, spec, &a.used, B == A ? &a.used : &b.used));
    if (C.location != A->location) {
        TRY(gs_csr_move(out, ctx, A->location, &C));
    } else {
        *out = C;
        memset(&C, 0, sizeof C);
    }
done:
    gs_range_pop(ctx);
    gsolve_csr_free(&C, ctx);
    gs_operand_free(&a, ctx);
    gs_operand_free(&b, ctx);
    return status;
}

/* --- the result of a handle ------------------------------------------------------------------- */

typedef struct result_view {
    gsolve_location location; /* where the caller sees C */
    gsolve_csr copy; /* a copy at that location if C is elsewhere; the first request makes it */
    bool stale;      /* copy holds old values */
} result_view;

/* *view = C at s->location; copies C or its values if necessary. */
static gsolve_status view_result(result_view *s, gsolve_context *ctx, const gsolve_csr *C,
                                 gsolve_csr *view)
{
    int64_t entries;
    gsolve_status status = GSOLVE_OK;

    if (C->location == s->location) {
        *view = *C;
        return GSOLVE_OK;
    }
    if (!s->copy.start) {
        TRY(gs_csr_move(&s->copy, ctx, s->location, C));
    } else if (s->stale) {
        TRY(gs_csr_entries(ctx, &s->copy, &entries));
        TRY(gsolve_copy(ctx, gs_owned_block(ctx, s->copy.value), s->location, C->value, C->location,
                        (size_t)entries * gs_type_size(C->type)));
    }
    s->stale = false;
    *view = s->copy;
done:
    return status;
}

/* Describes P in *info; info's other members are set to 0. */
static void describe(const gs_product *P, int64_t entries, gsolve_product_info *info)
{
    memset(info, 0, sizeof *info);
    info->method = P->stats.by;
    info->nrows = P->C.csr.nrows;
    info->ncols = P->C.csr.ncols;
    info->products = P->stats.products;
    info->entries = entries;
    info->compression = entries > 0 ? (double)info->products / (double)entries : 0;
    info->bands = P->stats.bands;
    info->peak = P->stats.peak;
}

/* --- A B -------------------------------------------------------------------------------------- */

struct gsolve_product {
    gsolve_context *ctx;
    gs_operand A, B; /* B: all zero if it is A */
    bool square;     /* A and B were the same arrays */
    gs_product made;
    result_view view;
    gsolve_product_info info;
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
    describe(&product->made, product->made.stats.entries, &product->info);
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
    GS_ENTER(ctx);
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
    product->info.bytes = ctx->bytes - held;
    product->info.seconds = gs_now() - begin;
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
    GS_ENTER(product->ctx);

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
    GS_ENTER(product->ctx);
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
    product->info.update_seconds = gs_now() - begin;
done:
    gs_operand_free(&a, product->ctx);
    gs_operand_free(&b, product->ctx);
    return status;
}

gsolve_status gsolve_product_csr(gsolve_product *product, gsolve_csr *C)
{
    if (!product) return GSOLVE_BAD_ARGUMENT;
    GS_ENTER(product->ctx);
    if (!C) return gsolve_fail(product->ctx, GSOLVE_BAD_ARGUMENT, "gsolve_product_csr: C is NULL");
    return view_result(&product->view, product->ctx, &product->made.C.csr, C);
}

void gsolve_product_describe(const gsolve_product *product, gsolve_product_info *info)
{
    GS_FILL_INFO(gsolve_product_info, info, &product->info);
}

/* --- R A P ------------------------------------------------------------------------------------ */

struct gsolve_galerkin {
    gsolve_context *ctx;
    gs_operand R, A, P; /* A: the pattern only */
    void *order;        /* if R is P': the position of each entry of R in P; else NULL */
    gs_galerkin made;
    result_view view;
    gsolve_product_info info;
};

static void destroy_galerkin(void *handle)
{
    gsolve_galerkin *G = handle;
    gsolve_galerkin_destroy(&G);
}

/* G->R = P', and G->order, by which an update recomputes its values. */
static gsolve_status transpose(gsolve_galerkin *G)
{
    gsolve_status status;

    TRY(gs_transpose_make(&G->R.own, &G->order, G->ctx, &G->P.used, G->P.entries));
    G->R.entries = G->P.entries;
    G->R.used = G->R.own;
done:
    return status;
}

/* Prepares the three operands, which G then owns. A keeps its pattern only. */
static gsolve_status prepare_operands(gsolve_galerkin *G, const gsolve_csr *R, const gsolve_csr *A,
                                      const gsolve_csr *P)
{
    gsolve_context *ctx = G->ctx;
    gsolve_status status;

    TRY(gs_operand_prepare(&G->A, ctx, "A", A));
    TRY(gs_operand_prepare(&G->P, ctx, "P", P));
    if (R) TRY(gs_operand_prepare(&G->R, ctx, "R", R));
    if (A->nrows != A->ncols) {
        status = gsolve_fail(ctx, GSOLVE_BAD_MATRIX,
                             "R A P needs a square A; this one has %d rows and %d columns",
                             A->nrows, A->ncols);
        goto done;
    }
    TRY(gs_operands_check(ctx, "A P", A, P));
    if (R) TRY(gs_operands_check(ctx, "R A", R, A));
    TRY(gs_operand_own(&G->A, ctx, false));
    TRY(gs_operand_own(&G->P, ctx, true));
    if (R) {
        TRY(gs_operand_own(&G->R, ctx, true));
    } else {
        TRY(transpose(G));
    }
done:
    return status;
}

/* Describes both products as one in *info. */
static void describe_galerkin(const gs_galerkin *G, int64_t entries, gsolve_product_info *info)
{
    gsolve_product_info first = GSOLVE_INIT(gsolve_product_info);

    describe(&G->AP, 0, &first);
    describe(&G->RAP, entries, info);
    info->products += first.products;
    info->compression = entries > 0 ? (double)info->products / (double)entries : 0;
    info->peak = first.peak > info->peak ? first.peak : info->peak;
    info->bands = first.bands > info->bands ? first.bands : info->bands;
}

gsolve_status gsolve_galerkin_create(gsolve_galerkin **out, gsolve_context *ctx, const char *spec,
                                     const gsolve_csr *R, const gsolve_csr *A, const gsolve_csr *P)
{
    const double begin = gs_now();
    gsolve_galerkin *G = NULL;
    int64_t entries;
    size_t held;
    gsolve_status status;

    if (!ctx) return GSOLVE_BAD_ARGUMENT;
    GS_ENTER(ctx);
    if (!out || !spec || !A || !P) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT, "gsolve_galerkin_create: an argument is NULL");
    }
    held = ctx->bytes;
    ALLOC(ctx, GSOLVE_HOST, G, 1);
    memset(G, 0, sizeof *G);
    gs_own(ctx, G, destroy_galerkin);
    G->ctx = ctx;
    ctx->handles++;
    G->view.location = A->location;
    TRY(prepare_operands(G, R, A, P));
    TRY(gs_galerkin_make(&G->made, ctx, spec, &G->R.used, &G->A.used, &G->P.used, true));
    TRY(gs_csr_entries(ctx, &G->made.RAP.C.csr, &entries)); /* waits until all work is done */
    describe_galerkin(&G->made, entries, &G->info);
    gs_operand_free_values(&G->A, ctx);
    G->info.bytes = ctx->bytes - held;
    G->info.seconds = gs_now() - begin;
    *out = G;
    G = NULL;
done:
    gsolve_galerkin_destroy(&G);
    return status;
}

void gsolve_galerkin_destroy(gsolve_galerkin **pG)
{
    gsolve_galerkin *G = pG ? *pG : NULL;
    if (!G) return;
    GS_ENTER(G->ctx);

    gs_galerkin_drop(&G->made);
    gsolve_csr_free(&G->view.copy, G->ctx);
    gs_operand_free(&G->R, G->ctx);
    gs_operand_free(&G->A, G->ctx);
    gs_operand_free(&G->P, G->ctx);
    gsolve_free(G->ctx, GSOLVE_DEVICE, G->order);
    G->ctx->handles--;
    gsolve_free(G->ctx, GSOLVE_HOST, G);
    *pG = NULL;
}

/* Copies new values of R or P into the operand that G owns. */
static gsolve_status put_values(gsolve_context *ctx, const gs_operand *kept,
                                const gs_operand *fresh)
{
    if (!fresh->used.start) return GSOLVE_OK;
    return gsolve_copy(ctx, gs_owned_block(ctx, kept->own.value), kept->own.location,
                       fresh->used.value, fresh->used.location,
                       (size_t)kept->entries * gs_type_size(kept->own.type));
}

gsolve_status gsolve_galerkin_update(gsolve_galerkin *G, const gsolve_csr *R, const gsolve_csr *A,
                                     const gsolve_csr *P)
{
    const double begin = gs_now();
    gs_operand r = {0}, a = {0}, p = {0};
    size_t held;
    gsolve_status status;

    if (!G) return GSOLVE_BAD_ARGUMENT;
    GS_ENTER(G->ctx);
    held = G->ctx->bytes;
    if (!A || (R && G->order)) {
        return gsolve_fail(G->ctx, GSOLVE_BAD_ARGUMENT, "gsolve_galerkin_update: %s",
                           A ? "R is the transpose of P; pass NULL for R" : "A is NULL");
    }
    TRY(gs_operand_update(&a, G->ctx, "A", &G->A, A));
    if (P) TRY(gs_operand_update(&p, G->ctx, "P", &G->P, P));
    if (R) TRY(gs_operand_update(&r, G->ctx, "R", &G->R, R));
    G->view.stale = true;
    TRY(put_values(G->ctx, &G->P, &p));
    TRY(put_values(G->ctx, &G->R, &r));
    if (P && G->order) TRY(gs_transpose_refill(&G->R.own, G->order, G->ctx, &G->P.own));
    TRY(gs_galerkin_update(&G->made, &G->R.used, &a.used, &G->P.used));
    TRY(gs_memory_synchronize(G->ctx, G->made.RAP.C.csr.location, G->made.RAP.C.csr.start));
    G->info.update_seconds = gs_now() - begin;
done:
    gs_operand_free(&r, G->ctx);
    gs_operand_free(&a, G->ctx);
    gs_operand_free(&p, G->ctx);
    G->info.bytes += G->ctx->bytes - held; /* the first update may allocate memory for later ones */
    return status;
}

gsolve_status gsolve_galerkin_csr(gsolve_galerkin *G, gsolve_csr *C)
{
    if (!G) return GSOLVE_BAD_ARGUMENT;
    GS_ENTER(G->ctx);
    if (!C) {
        return gsolve_fail(G->ctx, GSOLVE_BAD_ARGUMENT, "gsolve_galerkin_csr: C is NULL");
    }
    return view_result(&G->view, G->ctx, &G->made.RAP.C.csr, C);
}

void gsolve_galerkin_describe(const gsolve_galerkin *G, gsolve_product_info *info)
{
    GS_FILL_INFO(gsolve_product_info, info, &G->info);
}
