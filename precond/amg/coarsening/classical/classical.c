/* classical.c: classical coarsening. The unknowns are split into C points, which are the unknowns
 * of the next level, and F points. Random measures choose the C points (PMIS: De Sterck, Yang and
 * Heys 2006). F points are interpolated from C points at a distance of one or two strong
 * connections (De Sterck, Falgout, Nolting and Yang 2008). Aggressive coarsening splits twice and
 * interpolates in two stages (Yang, On long-range interpolation operators for aggressive
 * coarsening, Numer. Linear Algebra Appl. 17, 2010). Systems of equations: each component is
 * coarsened and interpolated separately. */
#include "precond/amg/coarsening/classical/classical.h"

#include <stdio.h>
#include <string.h>

#include "core/staging.h"
#include "core/try.h"
#include "precond/amg/coarsening/coarsening.h"
#include "precond/amg/kernels.h"
#include "spgemm/spgemm.h"

#define MOST_COMPONENTS 64
#define USUAL_STRENGTH  0.25

typedef struct stage { /* one stage of interpolation */
    int32_t *number;   /* of C points */
    int32_t count;     /* of C points */
    int32_t *point;    /* the points of the rows; NULL: all points */
    int32_t rows;
} stage;

typedef struct classical_state {
    uint8_t *mark, *kind;
    stage first, second; /* second: from C to intermediate points; aggressive coarsening only */
    gsolve_csr P_first;  /* aggressive: P of the first stage */
    gs_product product;  /* P of the first stage times P of the second, before truncation */
    gsolve_csr P_second; /* P of the second stage */
    int32_t components;
    gs_interpolation interpolation;
    int most;
    double truncate;
} classical_state;

/* --- creation and destruction ----------------------------------------------------------------- */

static void free_stage(stage *s, gsolve_context *ctx)
{
    gsolve_free(ctx, GSOLVE_DEVICE, s->number);
    gsolve_free(ctx, GSOLVE_DEVICE, s->point);
}

static void destroy_state(classical_state *K, gsolve_context *ctx)
{
    if (!K) return;
    gsolve_free(ctx, GSOLVE_DEVICE, K->mark);
    gsolve_free(ctx, GSOLVE_DEVICE, K->kind);
    free_stage(&K->first, ctx);
    free_stage(&K->second, ctx);
    gs_product_drop(&K->product);
    gsolve_csr_free(&K->P_first, ctx);
    gsolve_csr_free(&K->P_second, ctx);
    gsolve_free(ctx, GSOLVE_HOST, K);
}

static void destroy(gs_transfer *T, gsolve_context *ctx)
{
    destroy_state(T->state, ctx);
    gs_transfer_clear(T, ctx);
}

/* The number of components: on the finest level the unknowns per node; below it the near-null
 * vectors, which mark the components. */
static int32_t components_of(const gs_level_view *fine)
{
    return fine->level == 0 || fine->block > 1 ? fine->block : fine->near_null.ncols;
}

static gsolve_status check_arguments(gsolve_context *ctx, const gs_level_view *fine)
{
    const int32_t n = fine->A->nrows, c = components_of(fine);

    if (c < 1 || c > MOST_COMPONENTS) {
        return gsolve_fail(
            ctx, GSOLVE_UNSUPPORTED,
            "classical coarsening of nodes with %d unknowns; there must be from 1 to %d", c,
            MOST_COMPONENTS);
    }
    if (n % fine->block == 0) return GSOLVE_OK;
    return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT,
                       "%d unknowns are not nodes of %d unknowns each; set block= to a divisor", n,
                       fine->block);
}

/* Allocates *K and the arrays whose sizes A determines. */
static gsolve_status begin(classical_state **out, gsolve_context *ctx, const gs_level_view *fine,
                           const gs_amg_options *options)
{
    int64_t entries = 0;
    classical_state *K = NULL;
    gsolve_status status;

    TRY(gs_csr_entries(ctx, fine->A, &entries));
    ALLOC(ctx, GSOLVE_HOST, K, 1);
    memset(K, 0, sizeof *K);
    K->components = components_of(fine);
    K->interpolation = (gs_interpolation)options->interpolation;
    K->most = options->most;
    K->truncate = options->truncate;
    ALLOC(ctx, GSOLVE_DEVICE, K->mark, entries);
    ALLOC(ctx, GSOLVE_DEVICE, K->kind, fine->A->nrows);
    *out = K;
    K = NULL;
done:
    destroy_state(K, ctx);
    return status;
}

/* --- C points --------------------------------------------------------------------------------- */

/* *component = the component of each unknown; NULL if there is only one. */
static gsolve_status find_components(uint8_t **component, const classical_state *K,
                                     gsolve_context *ctx, const gs_level_view *fine)
{
    const int32_t n = fine->A->nrows;
    gsolve_status status = GSOLVE_OK;

    if (K->components == 1) return GSOLVE_OK;
    ALLOC(ctx, GSOLVE_DEVICE, *component, n);
    TRY(GS_KERNELS(gs_classical_dependence, ctx, fine->A->type)
            ->components(ctx, n, fine->block, &fine->near_null, *component));
done:
    return status;
}

/* Numbers the C points of a stage: the points of at least this kind. */
static gsolve_status number(stage *s, const classical_state *K, gsolve_context *ctx,
                            const gsolve_csr *A, uint8_t least)
{
    gsolve_status status;

    ALLOC(ctx, GSOLVE_DEVICE, s->number, A->nrows);
    TRY(GS_KERNELS(gs_classical_split, ctx, A->type)
            ->number(ctx, A->nrows, K->kind, least, s->number, &s->count));
done:
    return status;
}

static gsolve_status choose(classical_state *K, gsolve_context *ctx, const gs_points *p,
                            double strength, bool aggressive)
{
    const gsolve_csr *A = p->A;
    const gs_classical_split_kernels *kernels = GS_KERNELS(gs_classical_split, ctx, A->type);
    stage *first = &K->first, *second = &K->second;
    gsolve_status status;

    TRY(GS_KERNELS(gs_classical_dependence, ctx, A->type)->connect(ctx, p, strength));
    TRY(kernels->split(ctx, p));
    if (aggressive) TRY(kernels->split_second(ctx, p));
    TRY(number(first, K, ctx, A, GS_INTERMEDIATE_C));
    first->rows = A->nrows;
    if (!aggressive) return GSOLVE_OK;
    TRY(number(second, K, ctx, A, GS_C));
    ALLOC(ctx, GSOLVE_DEVICE, second->point, first->count);
    TRY(kernels->list(ctx, A->nrows, first->number, second->point));
    second->rows = first->count;
done:
    return status;
}

/* --- P ---------------------------------------------------------------------------------------- */

static gs_interpolation_rows interpolation_args(const classical_state *K, const gsolve_csr *A,
                                                const stage *s, const double *diagonal)
{
    return (gs_interpolation_rows){
        .points = {A, NULL, K->mark, K->kind},
        .diagonal = diagonal,
        .number = s->number,
        .count = s->count,
        .rows = s->rows,
        .point = s->point,
        .kind = K->interpolation,
        .most = K->most,
        .truncate = K->truncate,
    };
}

static bool is_aggressive(const classical_state *K)
{
    return K->second.number != NULL;
}

static gsolve_status interpolate_in_stages(gsolve_csr *P, classical_state *K, gsolve_context *ctx,
                                           const gsolve_csr *A, const double *diagonal)
{
    const gs_classical_interpolate_kernels *kernels =
        GS_KERNELS(gs_classical_interpolate, ctx, A->type);
    const gs_interpolation_rows first = interpolation_args(K, A, &K->first, diagonal);
    const gs_interpolation_rows second = interpolation_args(K, A, &K->second, diagonal);
    gs_blocked P_first, P_second;
    gsolve_status status;

    TRY(kernels->interpolate(&K->P_first, ctx, &first));
    TRY(kernels->interpolate(&K->P_second, ctx, &second));
    P_first = gs_plain_blocks(&K->P_first);
    P_second = gs_plain_blocks(&K->P_second);
    TRY(gs_product_make(&K->product, ctx, "auto", &P_first, &P_second, true));
    TRY(GS_KERNELS(gs_classical_truncate, ctx, A->type)
            ->truncate_rows(P, ctx, &K->product.C.csr, K->most, K->truncate));
done:
    return status;
}

static gsolve_status update_in_stages(gsolve_csr *P, classical_state *K, gsolve_context *ctx,
                                      const gsolve_csr *A, const double *diagonal)
{
    const gs_classical_interpolate_kernels *kernels =
        GS_KERNELS(gs_classical_interpolate, ctx, A->type);
    const gs_interpolation_rows first = interpolation_args(K, A, &K->first, diagonal);
    const gs_interpolation_rows second = interpolation_args(K, A, &K->second, diagonal);
    const gs_blocked P_first = gs_plain_blocks(&K->P_first),
                     P_second = gs_plain_blocks(&K->P_second);
    gsolve_status status;

    TRY(kernels->update(&K->P_first, ctx, &first));
    TRY(kernels->update(&K->P_second, ctx, &second));
    TRY(gs_product_update(&K->product, &P_first, &P_second));
    TRY(GS_KERNELS(gs_classical_truncate, ctx, A->type)->update(P, ctx, &K->product.C.csr));
done:
    return status;
}

/* Computes P; only its values unless create. */
static gsolve_status interpolate_all(gsolve_csr *P, classical_state *K, gsolve_context *ctx,
                                     const gsolve_csr *A, bool create)
{
    const gs_classical_interpolate_kernels *kernels =
        GS_KERNELS(gs_classical_interpolate, ctx, A->type);
    double *diagonal = NULL;
    gs_interpolation_rows w;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_DEVICE, diagonal, A->nrows);
    TRY(GS_KERNELS(gs_classical_dependence, ctx, A->type)->diagonal(ctx, A, diagonal));
    w = interpolation_args(K, A, &K->first, diagonal);
    if (is_aggressive(K)) {
        TRY((create ? interpolate_in_stages : update_in_stages)(P, K, ctx, A, diagonal));
    } else {
        TRY(create ? kernels->interpolate(P, ctx, &w) : kernels->update(P, ctx, &w));
    }
done:
    gsolve_free(ctx, GSOLVE_DEVICE, diagonal);
    return status;
}

/* --- the coarsening --------------------------------------------------------------------------- */

/* The near-null vectors of the next level: the indicator of each component. */
static gsolve_status set_near_null(gs_transfer *T, const classical_state *K, gsolve_context *ctx,
                                   const gs_points *p)
{
    const stage *last = is_aggressive(K) ? &K->second : &K->first;
    const gsolve_csr *A = p->A;
    gsolve_status status;

    T->block = 1;
    TRY(gs_dense_new(&T->near_null, ctx, gs_location(ctx), A->type, last->count, K->components));
    TRY(GS_KERNELS(gs_classical_dependence, ctx, A->type)
            ->indicate(ctx, A->nrows, p->component, last->number, T->near_null));
    snprintf(T->note, sizeof T->note, "%d C points of %d", last->count, A->nrows);
done:
    return status;
}

static gsolve_status build(gs_transfer *out, gsolve_context *ctx, const gs_level_view *fine,
                           const gs_amg_options *options)
{
    const double strength = options->strength >= 0 ? options->strength : USUAL_STRENGTH;
    gs_points p = {.A = fine->A};
    uint8_t *component = NULL;
    void *order = NULL; /* the order of P's entries in R; an update finds the entries without it */
    gs_transfer T = {0};
    classical_state *K = NULL;
    int64_t entries;
    gsolve_status status;

    TRY(check_arguments(ctx, fine));
    TRY(begin(&K, ctx, fine, options));
    TRY(find_components(&component, K, ctx, fine));
    p.component = component;
    p.mark = K->mark;
    p.kind = K->kind;
    TRY(choose(K, ctx, &p, strength, fine->level < options->aggressive));
    TRY(interpolate_all(&T.P, K, ctx, fine->A, true));
    TRY(set_near_null(&T, K, ctx, &p));
    TRY(gs_csr_entries(ctx, &T.P, &entries));
    TRY(gs_transpose_make(&T.R, &order, ctx, &T.P, entries));
    T.state = K;
    *out = T;
    K = NULL;
    memset(&T, 0, sizeof T);
done:
    gsolve_free(ctx, GSOLVE_DEVICE, component);
    gsolve_free(ctx, GSOLVE_DEVICE, order);
    destroy(&T, ctx);
    destroy_state(K, ctx);
    return status;
}

static gsolve_status update(gs_transfer *T, gsolve_context *ctx, const gs_level_view *fine,
                            const gs_amg_options *options)
{
    classical_state *K = T->state;
    gsolve_status status;

    (void)options;
    TRY(interpolate_all(&T->P, K, ctx, fine->A, false));
    TRY(GS_KERNELS(gs_amg, ctx, T->P.type)
            ->transpose_values(ctx->queue, &T->P, &T->R, gs_owned_block(ctx, T->R.value)));
done:
    return status;
}

const gs_coarsening gs_amg_classical = {
    .plugin = {"classical", "C points, from which the other unknowns are interpolated", NULL, 0},
    .build = build,
    .update = update,
    .destroy = destroy,
};
