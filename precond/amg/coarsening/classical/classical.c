/* classical.c: classical coarsening. The unknowns are split into C points, which are the unknowns
 * of the next level, and F points. Random measures choose the C points (PMIS: De Sterck, Yang and
 * Heys 2006). F points are interpolated from C points at a distance of one or two strong
 * connections (De Sterck, Falgout, Nolting and Yang 2008). Aggressive coarsening splits twice and
 * interpolates in two stages (Yang, On long-range interpolation operators for aggressive
 * coarsening, Numer. Linear Algebra Appl. 17, 2010). Systems of equations: each component is
 * coarsened and interpolated separately. */
#include "precond/amg/coarsening/classical/classical.h"

#include <string.h>

#include "core/staging.h"
#include "core/try.h"
#include "precond/amg/coarsening/coarsening.h"
#include "precond/amg/kernels.h"
#include "spgemm/spgemm.h"

#define MOST_COMPONENTS 64
#define USUAL_STRENGTH  0.25

typedef struct classical_state {
    gs_interpolation_rows first; /* the rows of P; aggressive: those of the first stage */
    gs_interpolation_rows
        second;          /* aggressive: from C to intermediate points; else number is NULL */
    gsolve_csr P_first;  /* aggressive: P of the first stage */
    gs_product product;  /* P of the first stage times P of the second, before truncation */
    gsolve_csr P_second; /* P of the second stage */
    int32_t components;
} classical_state;

/* --- creation and destruction ----------------------------------------------------------------- */

static void destroy_state(classical_state *K, gsolve_context *ctx)
{
    if (!K) return;
    gsolve_free(ctx, GSOLVE_DEVICE, K->first.points.mark);
    gsolve_free(ctx, GSOLVE_DEVICE, K->first.points.kind);
    gsolve_free(ctx, GSOLVE_DEVICE, K->first.number);
    gsolve_free(ctx, GSOLVE_DEVICE, K->second.number);
    gsolve_free(ctx, GSOLVE_DEVICE, K->second.point);
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
    const int32_t c = components_of(fine);

    if (c < 1 || c > MOST_COMPONENTS) {
        return gsolve_fail(
            ctx, GSOLVE_UNSUPPORTED,
            "classical coarsening of nodes with %d unknowns; there must be from 1 to %d", c,
            MOST_COMPONENTS);
    }
    return gs_check_nodes(ctx, fine);
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
    K->first = (gs_interpolation_rows){.points.A = fine->A,
                                       .rows = fine->A->nrows,
                                       .kind = (gs_interpolation)options->interpolation,
                                       .most = options->most,
                                       .truncate = options->truncate};
    ALLOC(ctx, GSOLVE_DEVICE, K->first.points.mark, entries);
    ALLOC(ctx, GSOLVE_DEVICE, K->first.points.kind, fine->A->nrows);
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
    gs_point_arrays p = {.n = n, .block = fine->block, .near_null = fine->near_null};
    gsolve_status status = GSOLVE_OK;

    if (K->components == 1) return GSOLVE_OK;
    ALLOC(ctx, GSOLVE_DEVICE, *component, n);
    p.component = *component;
    TRY(GS_KERNELS(gs_step, ctx, fine->A->type)->point(ctx->queue, GS_FIND_COMPONENT, n, &p));
done:
    return status;
}

/* Numbers the C points of w: the points of at least this kind. */
static gsolve_status number(gs_interpolation_rows *w, gsolve_context *ctx, uint8_t least)
{
    const gsolve_csr *A = w->points.A;
    const gs_step_kernels *each = GS_KERNELS(gs_step, ctx, A->type);
    const int32_t n = A->nrows;
    gs_point_arrays p = {.n = n, .kind = w->points.kind, .least = least};
    gsolve_status status;

    ALLOC(ctx, GSOLVE_DEVICE, w->number, (size_t)n + 1);
    p.number = w->number;
    TRY(each->point(ctx->queue, GS_MARK_POINTS, (int64_t)n + 1, &p));
    TRY(GS_KERNELS(gs_amg, ctx, A->type)->number(ctx, n, w->number, &w->count));
    TRY(each->point(ctx->queue, GS_NUMBER_POINTS, n, &p));
done:
    return status;
}

gsolve_status gs_split_again(gsolve_context *ctx, const gs_points *p)
{
    const gs_point_arrays all = {.n = p->A->nrows, .kind = p->kind};
    gsolve_status status;

    TRY(GS_KERNELS(gs_step, ctx, p->A->type)->point(ctx->queue, GS_RESET_C, all.n, &all));
    TRY(GS_KERNELS(gs_classical_split, ctx, p->A->type)->split(ctx, p, true));
done:
    return status;
}

/* Numbers the points of both stages; kind is set. */
static gsolve_status number_points(classical_state *K, gsolve_context *ctx, bool aggressive)
{
    gs_interpolation_rows *first = &K->first, *second = &K->second;
    const gsolve_csr *A = first->points.A;
    gs_point_arrays list = {.n = A->nrows};
    gsolve_status status;

    *second = *first;
    TRY(number(first, ctx, GS_INTERMEDIATE_C));
    if (!aggressive) return GSOLVE_OK;
    TRY(number(second, ctx, GS_C));
    ALLOC(ctx, GSOLVE_DEVICE, second->point, first->count);
    second->rows = first->count;
    list.number = first->number;
    list.point = second->point;
    TRY(GS_KERNELS(gs_step, ctx, A->type)->point(ctx->queue, GS_LIST_POINTS, list.n, &list));
done:
    return status;
}

static gsolve_status choose(classical_state *K, gsolve_context *ctx, const gs_points *p,
                            double strength, bool aggressive)
{
    gsolve_status status;

    TRY(GS_KERNELS(gs_strength, ctx, p->A->type)->depend(ctx, p, strength));
    TRY(GS_KERNELS(gs_classical_split, ctx, p->A->type)->split(ctx, p, false));
    if (aggressive) TRY(gs_split_again(ctx, p));
    TRY(number_points(K, ctx, aggressive));
done:
    return status;
}

/* --- P ---------------------------------------------------------------------------------------- */

static bool is_aggressive(const classical_state *K)
{
    return K->second.number != NULL;
}

static gsolve_status interpolate_in_stages(gsolve_csr *P, classical_state *K, gsolve_context *ctx,
                                           bool create)
{
    const gs_interpolation_rows *first = &K->first;
    const gs_classical_interpolate_kernels *kernels =
        GS_KERNELS(gs_classical_interpolate, ctx, first->points.A->type);
    gs_blocked P_first, P_second;
    gsolve_status status;

    TRY(kernels->interpolate(&K->P_first, ctx, first, create));
    TRY(kernels->interpolate(&K->P_second, ctx, &K->second, create));
    P_first = gs_plain_blocks(&K->P_first);
    P_second = gs_plain_blocks(&K->P_second);
    if (create) {
        TRY(gs_product_make(&K->product, ctx, "auto", &P_first, &P_second, true));
        TRY(kernels->truncate_rows(P, ctx, &K->product.C.csr, first->most, first->truncate));
    } else {
        TRY(gs_product_update(&K->product, &P_first, &P_second));
        TRY(kernels->update_truncated(P, ctx, &K->product.C.csr));
    }
done:
    return status;
}

/* Computes P; only its values unless create. */
static gsolve_status interpolate_all(gsolve_csr *P, classical_state *K, gsolve_context *ctx,
                                     const gsolve_csr *A, bool create)
{
    double *diagonal = NULL;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_DEVICE, diagonal, A->nrows);
    TRY(GS_KERNELS(gs_strength, ctx, A->type)->diagonal(ctx, A, diagonal));
    K->first.points.A = K->second.points.A = A;
    K->first.diagonal = K->second.diagonal = diagonal;
    TRY(is_aggressive(K) ? interpolate_in_stages(P, K, ctx, create)
                         : GS_KERNELS(gs_classical_interpolate, ctx, A->type)
                               ->interpolate(P, ctx, &K->first, create));
done:
    K->first.diagonal = K->second.diagonal = NULL;
    gsolve_free(ctx, GSOLVE_DEVICE, diagonal);
    return status;
}

/* --- the coarsening --------------------------------------------------------------------------- */

/* The near-null vectors of the next level: the indicator of each component. */
static gsolve_status set_near_null(gs_transfer *T, const classical_state *K, gsolve_context *ctx,
                                   const gs_points *p)
{
    const gs_interpolation_rows *last = is_aggressive(K) ? &K->second : &K->first;
    const gsolve_csr *A = p->A;
    gs_point_arrays points = {
        .n = A->nrows, .component = (uint8_t *)p->component, .number = last->number};
    gsolve_status status;

    T->block = 1;
    TRY(gs_dense_new(&T->near_null, ctx, gs_location(ctx), A->type, last->count, K->components));
    points.indicator = T->near_null;
    TRY(GS_KERNELS(gs_step, ctx, A->type)->point(ctx->queue, GS_INDICATE, points.n, &points));
done:
    return status;
}

static gsolve_status build(gs_transfer *out, gsolve_context *ctx, const gs_level_view *fine,
                           const gs_amg_options *options)
{
    const double strength = options->strength >= 0 ? options->strength : USUAL_STRENGTH;
    gs_points p;
    uint8_t *component = NULL;
    gs_transfer T = {0};
    classical_state *K = NULL;
    int64_t entries;
    gsolve_status status;

    TRY(check_arguments(ctx, fine));
    TRY(begin(&K, ctx, fine, options));
    TRY(find_components(&component, K, ctx, fine));
    p = K->first.points;
    p.component = component;
    TRY(choose(K, ctx, &p, strength, fine->level < options->aggressive));
    TRY(interpolate_all(&T.P, K, ctx, fine->A, true));
    TRY(set_near_null(&T, K, ctx, &p));
    TRY(gs_csr_entries(ctx, &T.P, &entries));
    TRY(gs_transfer_transpose(&T, ctx, entries));
    T.state = K;
    *out = T;
    K = NULL;
    memset(&T, 0, sizeof T);
done:
    gsolve_free(ctx, GSOLVE_DEVICE, component);
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
    TRY(gs_transfer_update(T, ctx));
done:
    return status;
}

/* --- files ------------------------------------------------------------------------------------ */

typedef struct saved_state {
    int64_t first, second; /* entries of P_first and P_second; 0 unless aggressive */
    int32_t aggressive, interpolation;
} saved_state;

static gsolve_status save(const gs_transfer *T, gsolve_context *ctx, gs_saving *file)
{
    const classical_state *K = T->state;
    const gs_points *p = &K->first.points;
    saved_state s = {0, 0, is_aggressive(K), K->first.kind};
    int64_t entries = 0;
    gsolve_status status;

    if (s.aggressive) TRY(gs_csr_entries(ctx, &K->P_first, &s.first));
    if (s.aggressive) TRY(gs_csr_entries(ctx, &K->P_second, &s.second));
    TRY(gs_csr_entries(ctx, p->A, &entries));
    TRY(gs_save_array(file, &s, GSOLVE_HOST, sizeof s));
    TRY(gs_save_array(file, p->mark, gs_location(ctx), (size_t)entries));
    TRY(gs_save_array(file, p->kind, gs_location(ctx), (size_t)K->first.rows));
    if (s.aggressive) TRY(gs_save_csr(file, &K->P_first, s.first));
    if (s.aggressive) TRY(gs_save_csr(file, &K->P_second, s.second));
done:
    return status;
}

/* Fails unless P, on the host, can be updated by w. Then moves it to the device. */
static gsolve_status place_prolongator(gsolve_csr *P, gsolve_context *ctx,
                                       const gs_interpolation_rows *w, const gs_points *on_host,
                                       const gs_loading *file)
{
    bool fits = false;
    gsolve_status status;

    TRY(GS_HOST_KERNELS(gs_classical_interpolate, ctx, P->type)->fits(ctx, w, on_host, P, &fits));
    if (!fits) return gs_load_damaged(file, "a prolongator does not fit its points");
    TRY(gs_place_csr(ctx, P));
done:
    return status;
}

/* Reads both stages, and multiplies them. */
static gsolve_status load_stages(classical_state *K, gsolve_context *ctx, const saved_state *s,
                                 const gs_points *on_host, gs_loading *file)
{
    const gsolve_type type = on_host->A->type;
    gs_interpolation_rows *first = &K->first, *second = &K->second;
    gs_blocked P_first, P_second;
    gsolve_status status;

    TRY(gs_load_csr(file, &K->P_first, first->rows, first->count, s->first, type));
    TRY(place_prolongator(&K->P_first, ctx, first, on_host, file));
    TRY(gs_load_csr(file, &K->P_second, second->rows, second->count, s->second, type));
    TRY(place_prolongator(&K->P_second, ctx, second, on_host, file));
    P_first = gs_plain_blocks(&K->P_first);
    P_second = gs_plain_blocks(&K->P_second);
    TRY(gs_product_make(&K->product, ctx, "auto", &P_first, &P_second, true));
done:
    return status;
}

/* Reads the state. on_host: its A is set; gets mark and kind, which the caller frees. */
static gsolve_status load_state(classical_state *K, gsolve_context *ctx, saved_state *s,
                                gs_points *on_host, gs_loading *file)
{
    const size_t entries = (size_t)gs_start(on_host->A, on_host->A->nrows);
    const size_t n = (size_t)on_host->A->nrows;
    gsolve_status status;

    TRY(gs_load_array(file, s, sizeof *s));
    TRY(gs_load_uint8(file, &on_host->mark, entries, GS_SAME | GS_STRONG));
    TRY(gs_load_uint8(file, &on_host->kind, n, GS_C));
    K->first.kind = s->interpolation ? GS_ONE_POINT : GS_EXTENDED_I;
    TRY(gsolve_copy(ctx, K->first.points.mark, gs_location(ctx), on_host->mark, GSOLVE_HOST,
                    entries));
    TRY(gsolve_copy(ctx, K->first.points.kind, gs_location(ctx), on_host->kind, GSOLVE_HOST, n));
    TRY(number_points(K, ctx, s->aggressive));
    if (s->aggressive) TRY(load_stages(K, ctx, s, on_host, file));
done:
    return status;
}

/* Whether P, on the host, is the prolongator of K, or a truncated one. */
static gsolve_status place_last(gsolve_csr *P, classical_state *K, gsolve_context *ctx,
                                const gs_points *on_host, const gs_loading *file)
{
    if (!is_aggressive(K)) return place_prolongator(P, ctx, &K->first, on_host, file);
    if (P->ncols != K->second.count) {
        return gs_load_damaged(file, "a prolongator does not fit its points");
    }
    return gs_place_csr(ctx, P);
}

static gsolve_status load(gs_transfer *out, gsolve_context *ctx, const gs_level_view *fine,
                          const gs_amg_options *options, const gsolve_csr *A, gsolve_csr *P,
                          gs_loading *file)
{
    const int64_t entries = gs_start(P, P->nrows);
    gs_points p, on_host = {.A = A};
    uint8_t *component = NULL;
    gs_transfer T = {0};
    classical_state *K = NULL;
    saved_state s;
    gsolve_status status;

    TRY(check_arguments(ctx, fine));
    TRY(begin(&K, ctx, fine, options));
    TRY(load_state(K, ctx, &s, &on_host, file));
    TRY(place_last(P, K, ctx, &on_host, file));
    TRY(find_components(&component, K, ctx, fine));
    p = K->first.points;
    p.component = component;
    TRY(set_near_null(&T, K, ctx, &p));
    T.P = *P;
    memset(P, 0, sizeof *P);
    TRY(gs_transfer_transpose(&T, ctx, entries));
    T.state = K;
    *out = T;
    K = NULL;
    memset(&T, 0, sizeof T);
done:
    gsolve_free(ctx, GSOLVE_HOST, on_host.mark);
    gsolve_free(ctx, GSOLVE_HOST, on_host.kind);
    gsolve_free(ctx, GSOLVE_DEVICE, component);
    gs_transfer_clear(&T, ctx);
    destroy_state(K, ctx);
    return status;
}

const gs_coarsening gs_amg_classical = {build, update, destroy, save, load};
