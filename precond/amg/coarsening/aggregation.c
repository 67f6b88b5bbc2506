/* aggregation.c: coarsening by aggregates of strongly connected nodes.
 * sa: smoothed aggregation (Vanek, Mandel and Brezina, Algebraic multigrid by smoothed aggregation
 * for second and fourth order elliptic problems, Computing 56, 1996).
 * ua: pairwise aggregation without smoothing (Notay, An aggregation-based algebraic multigrid
 * method, ETNA 37, 2010). */
#include "precond/amg/coarsening/aggregation.h"

#include <string.h>

#include "core/staging.h"
#include "core/try.h"
#include "precond/amg/coarsening/coarsening.h"
#include "precond/amg/kernels.h"

typedef struct sa_state {
    gs_aggregates G;
    void *Q;         /* owned memory of G.Q; NULL if G.Q is the only near-null vector itself */
    uint8_t *strong; /* for each of A's entries, until P has its pattern; NULL for ua */
    uint32_t *bits;  /* the flags of strong as bits, for updates */
    double damping;
} sa_state;

/* The threshold of strong connections. It is halved on each coarser level, where rows are longer.
 * It is lower for several near-null vectors, because an entry that is moved within its row
 * preserves only some of them. It is lower if A is not symmetric: upwind differences make the
 * entries across and against the flow small beside the diagonal, and aggregates along the flow
 * would have twice the entries for the same number of iterations. */
double gs_aggregation_strength(const gs_level_view *fine, const gs_amg_options *options)
{
    const double usual = fine->near_null.ncols > 1 || fine->nonsymmetric ? 0.02 : 0.08;
    double strength = options->strength >= 0 ? options->strength : usual;

    for (int level = 0; level < fine->level; level++) strength /= 2;
    return strength;
}

/* --- creation and destruction ----------------------------------------------------------------- */

static void free_members(sa_state *K, gsolve_context *ctx)
{
    gsolve_free(ctx, GSOLVE_DEVICE, K->G.start);
    gsolve_free(ctx, GSOLVE_DEVICE, K->G.member);
    K->G.start = K->G.member = NULL;
}

static void destroy_state(sa_state *K, gsolve_context *ctx)
{
    if (!K) return;
    free_members(K, ctx);
    gsolve_free(ctx, GSOLVE_DEVICE, K->G.of);
    gsolve_free(ctx, GSOLVE_DEVICE, K->Q);
    gsolve_free(ctx, GSOLVE_DEVICE, K->strong);
    gsolve_free(ctx, GSOLVE_DEVICE, K->bits);
    gsolve_free(ctx, GSOLVE_HOST, K);
}

static void destroy(gs_transfer *T, gsolve_context *ctx)
{
    destroy_state(T->state, ctx);
    gs_transfer_clear(T, ctx);
}

gsolve_status gs_check_aggregation(gsolve_context *ctx, int32_t block, int32_t near_null)
{
    if (block >= 1 && block <= GS_MAX_UNKNOWNS && near_null <= GS_MAX_UNKNOWNS) return GSOLVE_OK;
    return gsolve_fail(ctx, GSOLVE_UNSUPPORTED,
                       "aggregation of nodes with %d unknowns and %d near-null vectors; both must "
                       "be from 1 to %d",
                       block, near_null, GS_MAX_UNKNOWNS);
}

static gsolve_status check_arguments(gsolve_context *ctx, const gs_level_view *fine)
{
    gsolve_status status;

    TRY(gs_check_aggregation(ctx, fine->block, fine->near_null.ncols));
    TRY(gs_check_nodes(ctx, fine));
done:
    return status;
}

/* Allocates *K and the arrays whose sizes A determines. */
static gsolve_status begin(sa_state **out, gsolve_context *ctx, const gs_level_view *fine)
{
    sa_state *K = NULL;
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
    destroy_state(K, ctx);
    return status;
}

/* --- P and R ---------------------------------------------------------------------------------- */

/* Computes the tentative prolongator Q and the coarse near-null vectors. Neither depends on A's
 * values. */
static gsolve_status split_near_null(gs_transfer *T, sa_state *K, gsolve_context *ctx,
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
    free_members(K, ctx);
    return status;
}

/* Makes P's pattern: the aggregates of each node and, if smooth, of its strong neighbours. */
static gsolve_status make_pattern(gsolve_csr *P, int64_t *entries, const sa_state *K,
                                  gsolve_context *ctx, const gsolve_csr *A, const gs_connections *G,
                                  bool smooth)
{
    const gs_prolongator_kernels *kernels = GS_KERNELS(gs_prolongator, ctx, A->type);
    const int32_t k = K->G.k;
    int64_t *first = NULL, total = 0;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_DEVICE, first, (size_t)G->nodes + 1);
    TRY(kernels->columns(ctx, A, G, K->G.of, smooth));
    TRY(GS_KERNELS(gs_amg, ctx, A->type)->sum(ctx, G->nodes, G->degree, first, &total));
    *entries = total * G->block * k;
    TRY(gs_csr_new_at(P, ctx, gs_location(ctx), A->nrows, K->G.count * k, *entries, A->type));
    TRY(kernels->fill(ctx, A, G, first, k, P));
done:
    gsolve_free(ctx, GSOLVE_DEVICE, first);
    return status;
}

/* Computes P's values; its pattern exists. */
static gsolve_status evaluate(const gs_transfer *T, gsolve_context *ctx, const gs_level_view *fine)
{
    sa_state *K = T->state;

    if (!K->Q) K->G.Q = fine->near_null.value;
    return GS_KERNELS(gs_smoothed, ctx, fine->A->type)
        ->values(ctx, fine->A, K->bits, &K->G, K->damping, &T->P);
}

/* Replaces K->strong by its bits. */
static gsolve_status pack(sa_state *K, gsolve_context *ctx, gsolve_type type)
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

/* Without smoothing, P does not depend on A's values. */
static gsolve_status update(gs_transfer *T, gsolve_context *ctx, const gs_level_view *fine,
                            const gs_amg_options *options)
{
    const sa_state *K = T->state;
    gsolve_status status;

    (void)options;
    if (K->damping == 0) return GSOLVE_OK;
    TRY(evaluate(T, ctx, fine));
    TRY(gs_transfer_update(T, ctx));
done:
    return status;
}

static void free_connections(gs_connections *G, gsolve_context *ctx)
{
    gsolve_free(ctx, GSOLVE_DEVICE, G->degree);
    gsolve_free(ctx, GSOLVE_DEVICE, G->neighbour);
    G->degree = G->neighbour = NULL;
}

/* Makes *out from the aggregates in K. Frees the connections. */
static gsolve_status make_transfer(gs_transfer *out, sa_state *K, gsolve_context *ctx,
                                   const gs_level_view *fine, gs_connections *G)
{
    gs_transfer T = {.state = K};
    int64_t entries;
    gsolve_status status;

    TRY(make_pattern(&T.P, &entries, K, ctx, fine->A, G, K->damping > 0));
    free_connections(G, ctx);
    TRY(pack(K, ctx, fine->A->type));
    TRY(split_near_null(&T, K, ctx, fine));
    TRY(evaluate(&T, ctx, fine));
    TRY(gs_transfer_transpose(&T, ctx, entries));
    *out = T;
    memset(&T, 0, sizeof T);
done:
    T.state = NULL;
    destroy(&T, ctx);
    return status;
}

/* A method of aggregation: sets of and count of K->G, and in G the connections that P's pattern
 * needs. The arrays of both are allocated. */
typedef gsolve_status grouping(sa_state *K, gsolve_context *ctx, const gs_level_view *fine,
                               const gs_amg_options *options, gs_connections *G);

static gsolve_status build(gs_transfer *T, gsolve_context *ctx, const gs_level_view *fine,
                           const gs_amg_options *options, grouping *group)
{
    gs_connections G = {0};
    sa_state *K = NULL;
    gsolve_status status;

    TRY(check_arguments(ctx, fine));
    TRY(begin(&K, ctx, fine));
    G = (gs_connections){K->G.nodes, K->G.block, K->G.entries, NULL, NULL, NULL};
    ALLOC(ctx, GSOLVE_DEVICE, G.degree, (size_t)G.nodes + 1);
    ALLOC(ctx, GSOLVE_DEVICE, G.neighbour, G.entries);
    TRY(group(K, ctx, fine, options, &G));
    TRY(make_transfer(T, K, ctx, fine, &G));
    K = NULL;
done:
    free_connections(&G, ctx);
    destroy_state(K, ctx);
    return status;
}

/* --- files ------------------------------------------------------------------------------------ */

typedef struct saved_state {
    double damping;
    int32_t count, has_bits;
} saved_state;

static size_t words_of_bits(const sa_state *K)
{
    return (size_t)(K->G.entries / 32 + 1);
}

static gsolve_status save(const gs_transfer *T, gsolve_context *ctx, gs_saving *file)
{
    const sa_state *K = T->state;
    const saved_state s = {K->damping, K->G.count, K->bits != NULL};
    gsolve_status status;

    TRY(gs_save_array(file, &s, GSOLVE_HOST, sizeof s));
    TRY(gs_save_array(file, K->G.of, gs_location(ctx), (size_t)K->G.nodes * sizeof *K->G.of));
    if (K->bits) {
        TRY(gs_save_array(file, K->bits, gs_location(ctx), words_of_bits(K) * sizeof *K->bits));
    }
done:
    return status;
}

/* Reads the aggregates and the bits into K. *of, *bits = copies on the host. */
static gsolve_status load_state(sa_state *K, gsolve_context *ctx, gs_loading *file, int32_t **of,
                                uint32_t **bits)
{
    const size_t nodes = (size_t)K->G.nodes;
    saved_state s;
    void *words = NULL;
    gsolve_status status;

    TRY(gs_load_array(file, &s, sizeof s));
    if (s.count < 1 || s.count > K->G.nodes || !(s.damping >= 0 && s.damping <= 2) ||
        (s.damping > 0 && !s.has_bits)) {
        return gs_load_damaged(file, "the aggregates of a level are malformed");
    }
    K->damping = s.damping;
    K->G.count = s.count;
    TRY(gs_load_int32(file, of, nodes, -1, s.count - 1));
    TRY(gsolve_copy(ctx, K->G.of, gs_location(ctx), *of, GSOLVE_HOST, nodes * sizeof **of));
    if (!s.has_bits) return GSOLVE_OK;
    TRY(gs_load_new(file, &words, words_of_bits(K), sizeof **bits));
    *bits = words;
    ALLOC(ctx, GSOLVE_DEVICE, K->bits, words_of_bits(K));
    TRY(gsolve_copy(ctx, K->bits, gs_location(ctx), *bits, GSOLVE_HOST,
                    words_of_bits(K) * sizeof **bits));
done:
    return status;
}

static gsolve_status load(gs_transfer *out, gsolve_context *ctx, const gs_level_view *fine,
                          const gs_amg_options *options, const gsolve_csr *A, gsolve_csr *P,
                          gs_loading *file)
{
    const int64_t entries = gs_start(P, P->nrows);
    gs_transfer T = {0};
    sa_state *K = NULL;
    gs_aggregates on_host;
    int32_t *of = NULL;
    uint32_t *bits = NULL;
    gsolve_status status;

    (void)options;
    TRY(check_arguments(ctx, fine));
    TRY(begin(&K, ctx, fine));
    TRY(load_state(K, ctx, file, &of, &bits));
    on_host = K->G;
    on_host.of = of;
    if (!GS_HOST_KERNELS(gs_prolongator, ctx, A->type)
             ->fits(ctx, A, bits, &on_host, K->damping, P)) {
        status = gs_load_damaged(file, "a prolongator does not fit its aggregates");
        goto done;
    }
    TRY(gs_place_csr(ctx, P));
    TRY(split_near_null(&T, K, ctx, fine));
    T.P = *P;
    memset(P, 0, sizeof *P);
    TRY(gs_transfer_transpose(&T, ctx, entries));
    T.state = K;
    K = NULL;
    *out = T;
    memset(&T, 0, sizeof T);
done:
    gsolve_free(ctx, GSOLVE_HOST, of);
    gsolve_free(ctx, GSOLVE_HOST, bits);
    gs_transfer_clear(&T, ctx);
    destroy_state(K, ctx);
    return status;
}

/* --- sa: smoothed aggregation ----------------------------------------------------------------- */

static gsolve_status group_strong(sa_state *K, gsolve_context *ctx, const gs_level_view *fine,
                                  const gs_amg_options *options, gs_connections *G)
{
    const gsolve_csr *A = fine->A;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_DEVICE, K->strong, K->G.entries);
    G->strong = K->strong;
    K->damping = options->damping;
    TRY(GS_KERNELS(gs_strength, ctx, A->type)
            ->connect(ctx, A, gs_aggregation_strength(fine, options), G));
    TRY(gs_aggregate_nodes(ctx, A, G, (gs_aggregation)options->aggregation, K->G.of, &K->G.count));
done:
    return status;
}

static gsolve_status build_sa(gs_transfer *T, gsolve_context *ctx, const gs_level_view *fine,
                              const gs_amg_options *options)
{
    return build(T, ctx, fine, options, group_strong);
}

const gs_coarsening gs_amg_sa = {build_sa, update, destroy, save, load};

/* --- ua: pairwise aggregation ----------------------------------------------------------------- */

static gsolve_status group_pairs(sa_state *K, gsolve_context *ctx, const gs_level_view *fine,
                                 const gs_amg_options *options, gs_connections *G)
{
    const double strength = options->strength >= 0 ? options->strength : 0.25;

    return gs_aggregate_pairs(ctx, fine->A, G->block, strength, options->pairings, K->G.of,
                              &K->G.count);
}

static gsolve_status build_ua(gs_transfer *T, gsolve_context *ctx, const gs_level_view *fine,
                              const gs_amg_options *options)
{
    return build(T, ctx, fine, options, group_pairs);
}

const gs_coarsening gs_amg_ua = {build_ua, update, destroy, save, load};
