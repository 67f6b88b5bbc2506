/* aggregation.c: coarsening by aggregates of strongly connected nodes.
 * sa: smoothed aggregation (Vanek, Mandel, Brezina, Algebraic multigrid by smoothed aggregation for
 * second and fourth order elliptic problems, Computing 56, 1996).
 * ua: aggregates by pairs, prolongation as it is (Notay, An aggregation-based algebraic multigrid
 * method, ETNA 37, 2010). */
#include "precond/amg/coarsening/aggregation.h"

#include <stdio.h>
#include <string.h>

#include "core/staging.h"
#include "core/try.h"
#include "matrix/transpose.h"
#include "precond/amg/coarsening/coarsening.h"
#include "precond/amg/kernels.h"

typedef struct kept {
    gs_aggregates G;
    void *Q;         /* G's; NULL where that is the one near-null vector itself */
    uint8_t *strong; /* of A's entries, until P has its pattern; none for ua */
    uint32_t *bits;  /* the same from then on */
    double damping;
} kept;

/* The threshold of strong connections: lower on coarser levels, where rows are longer; for several
 * near-null vectors, of which an entry that is moved within its row keeps some only; and where A is
 * not symmetric: differences taken upwind make entries across the flow and against it small beside
 * the diagonal, and aggregates along the flow have twice the entries for no fewer iterations. */
static double strength_of(const gs_level_view *fine, const gs_amg_options *options)
{
    const double usual = fine->near_null.ncols > 1 || fine->nonsymmetric ? 0.02 : 0.08;
    double strength = options->strength >= 0 ? options->strength : usual;

    for (int level = 0; level < fine->level; level++) strength /= 2;
    return strength;
}

/* --- making and freeing ----------------------------------------------------------------------- */

static void drop_members(kept *K, gsolve_context *ctx)
{
    gsolve_free(ctx, GSOLVE_DEVICE, K->G.start);
    gsolve_free(ctx, GSOLVE_DEVICE, K->G.member);
    K->G.start = K->G.member = NULL;
}

static void drop(kept *K, gsolve_context *ctx)
{
    if (!K) return;
    drop_members(K, ctx);
    gsolve_free(ctx, GSOLVE_DEVICE, K->G.of);
    gsolve_free(ctx, GSOLVE_DEVICE, K->Q);
    gsolve_free(ctx, GSOLVE_DEVICE, K->strong);
    gsolve_free(ctx, GSOLVE_DEVICE, K->bits);
    gsolve_free(ctx, GSOLVE_HOST, K);
}

static void destroy(gs_transfer *T, gsolve_context *ctx)
{
    drop(T->state, ctx);
    gs_transfer_clear(T, ctx);
}

static gsolve_status refuse(gsolve_context *ctx, const gs_level_view *fine)
{
    const int32_t n = fine->A->nrows, block = fine->block;

    if (block < 1 || block > GS_MAX_UNKNOWNS || fine->near_null.ncols > GS_MAX_UNKNOWNS) {
        return gsolve_fail(ctx, GSOLVE_UNSUPPORTED,
                           "aggregates of nodes of %d unknowns with %d near-null vectors; each may "
                           "be 1 to %d",
                           block, fine->near_null.ncols, GS_MAX_UNKNOWNS);
    }
    if (n % block == 0) return GSOLVE_OK;
    return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT, "%d unknowns are not nodes of %d unknowns each", n,
                       block);
}

/* *K, with the arrays whose sizes A tells. */
static gsolve_status begin(kept **out, gsolve_context *ctx, const gs_level_view *fine)
{
    kept *K = NULL;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, K, 1);
    memset(K, 0, sizeof *K);
    TRY(gs_csr_entries(ctx, fine->A, &K->G.entries));
    K->G.block = fine->block;
    K->G.nodes = fine->A->nrows / fine->block;
    K->G.k = fine->near_null.ncols;
    ALLOC(ctx, GSOLVE_DEVICE, K->G.of, K->G.nodes);
    K->G.Q = fine->near_null.value;
    if (K->G.k > 1 || fine->near_null.type != fine->A->type) {
        K->Q = gsolve_alloc(ctx, GSOLVE_DEVICE, (size_t)fine->A->nrows * (size_t)K->G.k,
                            gs_type_size(fine->A->type));
        TRY(K->Q ? GSOLVE_OK : GSOLVE_NO_MEMORY);
        K->G.Q = K->Q;
    }
    *out = K;
    K = NULL;
done:
    drop(K, ctx);
    return status;
}

/* --- P and R ---------------------------------------------------------------------------------- */

/* The tentative prolongator Q and the coarse level's near-null vectors, which no values change. */
static gsolve_status split_near_null(gs_transfer *T, kept *K, gsolve_context *ctx,
                                     const gs_level_view *fine)
{
    const gsolve_type type = fine->A->type;
    gs_aggregates *G = &K->G;
    gsolve_status status;

    TRY(gs_dense_new(&T->near_null, ctx, gs_location(ctx), fine->near_null.type, G->count * G->k,
                     G->k));
    T->block = G->k;
    if (G->k > 1) {
        ALLOC(ctx, GSOLVE_DEVICE, G->start, (size_t)G->count + 1);
        ALLOC(ctx, GSOLVE_DEVICE, G->member, G->nodes);
        TRY(GS_KERNELS(gs_aggregate, ctx, type)
                ->list(ctx, G->nodes, G->of, G->count, G->start, G->member));
    }
    TRY(GS_KERNELS(gs_tentative, ctx, type)
            ->factor(ctx, fine->A->nrows, G, fine->near_null, T->near_null));
done:
    drop_members(K, ctx);
    return status;
}

/* P's pattern: the aggregates that K names for each node, among G's connections if smooth. */
static gsolve_status shape(gsolve_csr *P, int64_t *entries, const kept *K, gsolve_context *ctx,
                           const gsolve_csr *A, const gs_connections *G, bool smooth)
{
    const gs_prolongator_kernels *kernels = GS_KERNELS(gs_prolongator, ctx, A->type);
    const int32_t k = K->G.k;
    int64_t *first = NULL, total = 0;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_DEVICE, first, (size_t)G->nodes + 1);
    TRY(kernels->columns(ctx, A, G, K->G.of, smooth));
    TRY(kernels->sum(ctx, G, first, &total));
    *entries = total * G->block * k;
    TRY(gs_csr_new_at(P, ctx, gs_location(ctx), A->nrows, K->G.count * k, *entries, A->type));
    TRY(kernels->fill(ctx, A, G, first, k, P));
done:
    gsolve_free(ctx, GSOLVE_DEVICE, first);
    return status;
}

/* P's values; its pattern is there. */
static gsolve_status evaluate(const gs_transfer *T, gsolve_context *ctx, const gs_level_view *fine)
{
    kept *K = T->state;

    if (!K->Q) K->G.Q = fine->near_null.value;
    return GS_KERNELS(gs_prolongator, ctx, fine->A->type)
        ->values(ctx, fine->A, K->bits, &K->G, K->damping, &T->P);
}

/* K->strong is given up for its bits. */
static gsolve_status pack(kept *K, gsolve_context *ctx, gsolve_type type)
{
    gsolve_status status = GSOLVE_OK;

    if (!K->strong) return GSOLVE_OK;
    ALLOC(ctx, GSOLVE_DEVICE, K->bits, (size_t)(K->G.entries / 32 + 1));
    TRY(GS_KERNELS(gs_amg, ctx, type)->pack(ctx->queue, K->G.entries, K->strong, K->bits));
    gsolve_free(ctx, GSOLVE_DEVICE, K->strong);
    K->strong = NULL;
done:
    return status;
}

/* A P that is not smoothed is that of any values. */
static gsolve_status update(gs_transfer *T, gsolve_context *ctx, const gs_level_view *fine,
                            const gs_amg_options *options)
{
    const kept *K = T->state;
    gsolve_status status;

    (void)options;
    if (K->damping == 0) return GSOLVE_OK;
    TRY(evaluate(T, ctx, fine));
    TRY(GS_KERNELS(gs_amg, ctx, T->P.type)->transpose_values(ctx->queue, &T->P, &T->R,
                               gs_owned_block(ctx, T->R.value)));
done:
    return status;
}

static void drop_connections(gs_connections *G, gsolve_context *ctx)
{
    gsolve_free(ctx, GSOLVE_DEVICE, G->degree);
    gsolve_free(ctx, GSOLVE_DEVICE, G->neighbour);
    G->degree = G->neighbour = NULL;
}

/* All that follows the aggregates; connections are given up. */
static gsolve_status finish(gs_transfer *out, kept *K, gsolve_context *ctx,
                            const gs_level_view *fine, gs_connections *G)
{
    gs_transfer T = {.state = K};
    void *order = NULL; /* of P's entries in R: an update finds them without */
    int64_t entries;
    gsolve_status status;

    TRY(shape(&T.P, &entries, K, ctx, fine->A, G, K->damping > 0));
    drop_connections(G, ctx);
    TRY(pack(K, ctx, fine->A->type));
    TRY(split_near_null(&T, K, ctx, fine));
    TRY(evaluate(&T, ctx, fine));
    TRY(gs_transpose_make(&T.R, &order, ctx, &T.P, entries));
    snprintf(T.note, sizeof T.note, "%d aggregates", K->G.count);
    *out = T;
    memset(&T, 0, sizeof T);
done:
    gsolve_free(ctx, GSOLVE_DEVICE, order);
    T.state = NULL;
    destroy(&T, ctx);
    return status;
}

/* Aggregates: of[] and count of K->G; and of G, whose arrays are there, what P's pattern goes by.
 */
typedef gsolve_status grouping(kept *K, gsolve_context *ctx, const gs_level_view *fine,
                               const gs_amg_options *options, gs_connections *G);

static gsolve_status build(gs_transfer *T, gsolve_context *ctx, const gs_level_view *fine,
                           const gs_amg_options *options, grouping *group)
{
    gs_connections G = {0};
    kept *K = NULL;
    gsolve_status status;

    TRY(refuse(ctx, fine));
    TRY(begin(&K, ctx, fine));
    G = (gs_connections){K->G.nodes, K->G.block, K->G.entries, NULL, NULL, NULL};
    ALLOC(ctx, GSOLVE_DEVICE, G.degree, (size_t)G.nodes + 1);
    ALLOC(ctx, GSOLVE_DEVICE, G.neighbour, G.entries);
    TRY(group(K, ctx, fine, options, &G));
    TRY(finish(T, K, ctx, fine, &G));
    K = NULL;
done:
    drop_connections(&G, ctx);
    drop(K, ctx);
    return status;
}

/* --- sa --------------------------------------------------------------------------------------- */

static gsolve_status group_strong(kept *K, gsolve_context *ctx, const gs_level_view *fine,
                                  const gs_amg_options *options, gs_connections *G)
{
    const gsolve_csr *A = fine->A;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_DEVICE, K->strong, K->G.entries);
    G->strong = K->strong;
    K->damping = options->damping;
    TRY(GS_KERNELS(gs_strength, ctx, A->type)->connect(ctx, A, strength_of(fine, options), G));
    TRY(GS_KERNELS(gs_aggregate, ctx, A->type)
            ->aggregate(ctx, A, G, (gs_aggregation)options->aggregation, K->G.of, &K->G.count));
done:
    return status;
}

static gsolve_status build_sa(gs_transfer *T, gsolve_context *ctx, const gs_level_view *fine,
                              const gs_amg_options *options)
{
    return build(T, ctx, fine, options, group_strong);
}

const gs_coarsening gs_amg_sa = {
    .plugin = {"sa", "smoothed aggregates of strongly connected nodes", NULL, 0},
    .build = build_sa,
    .update = update,
    .destroy = destroy,
};

/* --- ua --------------------------------------------------------------------------------------- */

static gsolve_status group_pairs(kept *K, gsolve_context *ctx, const gs_level_view *fine,
                                 const gs_amg_options *options, gs_connections *G)
{
    const double strength = options->strength >= 0 ? options->strength : 0.25;

    return GS_KERNELS(gs_pairwise, ctx, fine->A->type)
        ->aggregate(ctx, fine->A, G->block, strength, options->pairings, K->G.of, &K->G.count);
}

static gsolve_status build_ua(gs_transfer *T, gsolve_context *ctx, const gs_level_view *fine,
                              const gs_amg_options *options)
{
    return build(T, ctx, fine, options, group_pairs);
}

const gs_coarsening gs_amg_ua = {
    .plugin = {"ua", "aggregates by pairs of pairs, not smoothed", NULL, 0},
    .build = build_ua,
    .update = update,
    .destroy = destroy,
};
