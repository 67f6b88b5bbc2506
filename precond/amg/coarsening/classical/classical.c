/* classical.c: coarsening by a splitting of the unknowns: those of the next level are some of this
 * one's, chosen by drawn measures (De Sterck, Yang and Heys, 2006), and the others are interpolated
 * from those at a distance of one or two strong connections (De Sterck, Falgout, Nolting and Yang,
 * 2008). Aggressively: split twice, and interpolated in two stages (Yang, On long-range
 * interpolation operators for aggressive coarsening, Numer. Linear Algebra Appl. 17, 2010).
 * Systems: unknown by unknown, nothing being interpolated between components. */
#include "precond/amg/coarsening/classical/classical.h"

#include <stdio.h>
#include <string.h>

#include "core/staging.h"
#include "core/try.h"
#include "matrix/transpose.h"
#include "precond/amg/coarsening/coarsening.h"
#include "precond/amg/kernels.h"
#include "spgemm/spgemm.h"

#define MOST_COMPONENTS 64
#define USUAL_STRENGTH  0.25

typedef struct stage { /* of interpolation */
    int32_t *number;   /* of C points */
    int32_t count;     /* of C points */
    int32_t *point;    /* rows that are not all points; else NULL */
    int32_t rows;
} stage;

typedef struct kept {
    uint8_t *mark, *kind;
    stage first, second; /* second: from the C points to the middle ones, aggressively only */
    gsolve_csr near;     /* P of the first stage, then */
    gs_product product;  /* near by the second stage's, before it is cut */
    gsolve_csr far;      /* P of the second */
    int32_t components;
    gs_interpolation interpolation;
    int most;
    double truncate;
} kept;

/* --- making and freeing ----------------------------------------------------------------------- */

static void drop_stage(stage *s, gsolve_context *ctx)
{
    gsolve_free(ctx, GSOLVE_DEVICE, s->number);
    gsolve_free(ctx, GSOLVE_DEVICE, s->point);
}

static void drop(kept *K, gsolve_context *ctx)
{
    if (!K) return;
    gsolve_free(ctx, GSOLVE_DEVICE, K->mark);
    gsolve_free(ctx, GSOLVE_DEVICE, K->kind);
    drop_stage(&K->first, ctx);
    drop_stage(&K->second, ctx);
    gs_product_drop(&K->product);
    gsolve_csr_free(&K->near, ctx);
    gsolve_csr_free(&K->far, ctx);
    gsolve_free(ctx, GSOLVE_HOST, K);
}

static void destroy(gs_transfer *T, gsolve_context *ctx)
{
    drop(T->state, ctx);
    gs_transfer_clear(T, ctx);
}

/* Unknowns that interpolation keeps apart: of a node's; below the finest level, as many as the
 * near-null vectors that tell them apart. */
static int32_t components_of(const gs_level_view *fine)
{
    return fine->level == 0 || fine->block > 1 ? fine->block : fine->near_null.ncols;
}

static gsolve_status refuse(gsolve_context *ctx, const gs_level_view *fine)
{
    const int32_t n = fine->A->nrows, c = components_of(fine);

    if (c < 1 || c > MOST_COMPONENTS) {
        return gsolve_fail(ctx, GSOLVE_UNSUPPORTED,
                           "classical coarsening of nodes of %d unknowns; there may be 1 to %d", c,
                           MOST_COMPONENTS);
    }
    if (n % fine->block == 0) return GSOLVE_OK;
    return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT, "%d unknowns are not nodes of %d unknowns each", n,
                       fine->block);
}

/* *K, with the arrays whose sizes A tells. */
static gsolve_status begin(kept **out, gsolve_context *ctx, const gs_level_view *fine,
                           const gs_amg_options *options)
{
    int64_t entries = 0;
    kept *K = NULL;
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
    drop(K, ctx);
    return status;
}

/* --- C points --------------------------------------------------------------------------------- */

/* *component: of each unknown; stays NULL where there is one. */
static gsolve_status tell_components(uint8_t **component, const kept *K, gsolve_context *ctx,
                                     const gs_level_view *fine)
{
    const int32_t n = fine->A->nrows;
    gsolve_status status = GSOLVE_OK;

    if (K->components == 1) return GSOLVE_OK;
    ALLOC(ctx, GSOLVE_DEVICE, *component, n);
    TRY(GS_KERNELS(gs_classical_connect, ctx, fine->A->type)
            ->components(ctx, n, fine->block, &fine->near_null, *component));
done:
    return status;
}

/* The C points of a stage: those of kind least or above. */
static gsolve_status number(stage *s, const kept *K, gsolve_context *ctx, const gsolve_csr *A,
                            uint8_t least)
{
    gsolve_status status;

    ALLOC(ctx, GSOLVE_DEVICE, s->number, A->nrows);
    TRY(GS_KERNELS(gs_classical_split, ctx, A->type)
            ->number(ctx, A->nrows, K->kind, least, s->number, &s->count));
done:
    return status;
}

static gsolve_status choose(kept *K, gsolve_context *ctx, const gs_points *p, double strength,
                            bool aggressive)
{
    const gsolve_csr *A = p->A;
    const gs_classical_split_kernels *kernels = GS_KERNELS(gs_classical_split, ctx, A->type);
    stage *first = &K->first, *second = &K->second;
    gsolve_status status;

    TRY(GS_KERNELS(gs_classical_connect, ctx, A->type)->connect(ctx, p, strength));
    TRY(kernels->split(ctx, p));
    if (aggressive) TRY(kernels->thin(ctx, p));
    TRY(number(first, K, ctx, A, GS_MIDDLE));
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

static gs_weighing weighing(const kept *K, const gsolve_csr *A, const stage *s,
                            const double *diagonal)
{
    return (gs_weighing){
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

static bool is_aggressive(const kept *K)
{
    return K->second.number != NULL;
}

static gsolve_status make_in_stages(gsolve_csr *P, kept *K, gsolve_context *ctx,
                                    const gsolve_csr *A, const double *diagonal)
{
    const gs_classical_weigh_kernels *kernels = GS_KERNELS(gs_classical_weigh, ctx, A->type);
    const gs_weighing first = weighing(K, A, &K->first, diagonal);
    const gs_weighing second = weighing(K, A, &K->second, diagonal);
    gs_blocked near, far;
    gsolve_status status;

    TRY(kernels->weigh(&K->near, ctx, &first));
    TRY(kernels->weigh(&K->far, ctx, &second));
    near = gs_plain_blocks(&K->near);
    far = gs_plain_blocks(&K->far);
    TRY(gs_product_make(&K->product, ctx, "auto", &near, &far, true));
    TRY(GS_KERNELS(gs_classical_cut, ctx, A->type)
            ->cut(P, ctx, &K->product.C.csr, K->most, K->truncate));
done:
    return status;
}

static gsolve_status renew_in_stages(gsolve_csr *P, kept *K, gsolve_context *ctx,
                                     const gsolve_csr *A, const double *diagonal)
{
    const gs_classical_weigh_kernels *kernels = GS_KERNELS(gs_classical_weigh, ctx, A->type);
    const gs_weighing first = weighing(K, A, &K->first, diagonal);
    const gs_weighing second = weighing(K, A, &K->second, diagonal);
    const gs_blocked near = gs_plain_blocks(&K->near), far = gs_plain_blocks(&K->far);
    gsolve_status status;

    TRY(kernels->renew(&K->near, ctx, &first));
    TRY(kernels->renew(&K->far, ctx, &second));
    TRY(gs_product_renew(&K->product, &near, &far));
    TRY(GS_KERNELS(gs_classical_cut, ctx, A->type)->renew(P, ctx, &K->product.C.csr));
done:
    return status;
}

/* P, or anew false: its values. */
static gsolve_status interpolate(gsolve_csr *P, kept *K, gsolve_context *ctx, const gsolve_csr *A,
                                 bool anew)
{
    const gs_classical_weigh_kernels *kernels = GS_KERNELS(gs_classical_weigh, ctx, A->type);
    double *diagonal = NULL;
    gs_weighing w;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_DEVICE, diagonal, A->nrows);
    TRY(GS_KERNELS(gs_classical_connect, ctx, A->type)->diagonal(ctx, A, diagonal));
    w = weighing(K, A, &K->first, diagonal);
    if (is_aggressive(K)) {
        TRY((anew ? make_in_stages : renew_in_stages)(P, K, ctx, A, diagonal));
    } else {
        TRY(anew ? kernels->weigh(P, ctx, &w) : kernels->renew(P, ctx, &w));
    }
done:
    gsolve_free(ctx, GSOLVE_DEVICE, diagonal);
    return status;
}

/* --- the coarsening --------------------------------------------------------------------------- */

/* The next level's near-null vectors: 1 for each component, which tells them apart there. */
static gsolve_status name_components(gs_transfer *T, const kept *K, gsolve_context *ctx,
                                     const gs_points *p)
{
    const stage *last = is_aggressive(K) ? &K->second : &K->first;
    const gsolve_csr *A = p->A;
    gsolve_status status;

    T->block = 1;
    TRY(gs_dense_new(&T->near_null, ctx, gs_location(ctx), A->type, last->count, K->components));
    TRY(GS_KERNELS(gs_classical_connect, ctx, A->type)
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
    void *order = NULL; /* of P's entries in R: an update finds them without */
    gs_transfer T = {0};
    kept *K = NULL;
    int64_t entries;
    gsolve_status status;

    TRY(refuse(ctx, fine));
    TRY(begin(&K, ctx, fine, options));
    TRY(tell_components(&component, K, ctx, fine));
    p.component = component;
    p.mark = K->mark;
    p.kind = K->kind;
    TRY(choose(K, ctx, &p, strength, fine->level < options->aggressive));
    TRY(interpolate(&T.P, K, ctx, fine->A, true));
    TRY(name_components(&T, K, ctx, &p));
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
    drop(K, ctx);
    return status;
}

static gsolve_status update(gs_transfer *T, gsolve_context *ctx, const gs_level_view *fine,
                            const gs_amg_options *options)
{
    kept *K = T->state;
    gsolve_status status;

    (void)options;
    TRY(interpolate(&T->P, K, ctx, fine->A, false));
    TRY(GS_KERNELS(gs_amg, ctx, T->P.type)->transpose_values(ctx->queue, &T->P, &T->R,
                               gs_owned_block(ctx, T->R.value)));
done:
    return status;
}

const gs_coarsening gs_amg_classical = {
    .plugin = {"classical", "some of the unknowns, from which the others are interpolated", NULL,
               0},
    .build = build,
    .update = update,
    .destroy = destroy,
};
