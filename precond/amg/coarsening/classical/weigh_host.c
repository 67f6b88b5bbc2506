/* weigh_host.c: interpolation on the CPU, each row by one thread. */
#include <math.h>
#include <omp.h>
#include <string.h>

#include "core/try.h"
#include "precond/amg/coarsening/classical/classical.h"
#include "precond/amg/coarsening/classical/cut.h"
#include "precond/amg/coarsening/classical/row_work.h"

#define SMALL static inline
#include "precond/amg/coarsening/classical/classical_rules.h"

/* --- candidates ------------------------------------------------------------------------------- */

/* Enters the strong C points of row i. */
static void collect_near(row_work *o, const gs_weighing *w, int32_t i)
{
    const gs_points *p = &w->points;
    const int64_t end = gs_start(p->A, i + 1);

    for (int64_t e = gs_start(p->A, i); e < end; e++) {
        if (!(p->mark[e] & GS_STRONG)) continue;
        const int32_t c = w->number[p->A->col[e]];
        if (c >= 0) enter(o, c);
    }
}

/* Enters those and the ones of its strong F points. */
static void collect(row_work *o, const gs_weighing *w, int32_t i)
{
    const gs_points *p = &w->points;
    const int64_t end = gs_start(p->A, i + 1);

    collect_near(o, w, i);
    for (int64_t e = gs_start(p->A, i); e < end; e++) {
        const int32_t j = p->A->col[e];
        if (p->mark[e] & GS_STRONG && w->number[j] < 0) collect_near(o, w, j);
    }
}

static int32_t count_near(const gs_weighing *w, int32_t i)
{
    const gs_points *p = &w->points;
    const int64_t end = gs_start(p->A, i + 1);
    int32_t count = 0;

    for (int64_t e = gs_start(p->A, i); e < end; e++) {
        count += p->mark[e] & GS_STRONG && w->number[p->A->col[e]] >= 0;
    }
    return count;
}

/* As many columns as collect finds at most; near[j]: strong C points of row j. */
static int32_t count_all(const gs_weighing *w, const int32_t *near, int32_t i)
{
    const gs_points *p = &w->points;
    const int64_t end = gs_start(p->A, i + 1);
    int64_t count = near[i];

    for (int64_t e = gs_start(p->A, i); e < end; e++) {
        const int32_t j = p->A->col[e];
        if (p->mark[e] & GS_STRONG && w->number[j] < 0) count += near[j];
    }
    return count < w->count ? (int32_t)count : w->count;
}

/* room[r] = as many entries as row r of P has at most before it is cut; *longest of them. */
static gsolve_status find_rooms(gsolve_context *ctx, const gs_weighing *w, int32_t *room,
                                int32_t *longest)
{
    const int32_t n = w->points.A->nrows;
    int32_t *near = NULL, most = 1;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, near, n);
#pragma omp parallel for schedule(static) num_threads(gsolve_threads(ctx))
    for (int32_t i = 0; i < n; i++) near[i] = count_near(w, i);
#pragma omp parallel for schedule(static) num_threads(gsolve_threads(ctx)) reduction(max : most)
    for (int32_t r = 0; r < w->rows; r++) {
        const int32_t i = w->point ? w->point[r] : r;
        const bool one = w->number[i] >= 0 || w->kind == GS_ONE_POINT;
        room[r] = one ? 1 : count_all(w, near, i);
        if (room[r] > most) most = room[r];
    }
    *longest = most;
done:
    gsolve_free(ctx, GSOLVE_HOST, near);
    return status;
}

/* Weights from what they are over d; where d has lost its sign they are made to add up to 1. */
static void divide(row_work *o, double diagonal)
{
    double sum = 0;

    if (!(o->d * diagonal > 0)) {
        for (int32_t e = 0; e < o->count; e++) sum += o->weight[e];
        o->d = -sum;
    }
    for (int32_t e = 0; e < o->count; e++) o->weight[e] = o->d != 0 ? -o->weight[e] / o->d : 0;
}

/* --- rooms ------------------------------------------------------------------------------------ */

/* Rows of P that are not yet one behind the other. */
typedef struct draft {
    int64_t *first;  /* rows + 1 */
    int32_t *length; /* rows: at first the room they need, then what they have */
    int32_t longest; /* of those rooms */
    int32_t *column;
    void *value;
} draft;

static void drop_draft(draft *D, gsolve_context *ctx)
{
    gsolve_free(ctx, GSOLVE_HOST, D->first);
    gsolve_free(ctx, GSOLVE_HOST, D->length);
    gsolve_free(ctx, GSOLVE_HOST, D->column);
    gsolve_free(ctx, GSOLVE_HOST, D->value);
}

/* What is left of D after a failure is for drop_draft. */
static gsolve_status new_draft(draft *D, gsolve_context *ctx, const gs_weighing *w, size_t size)
{
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, D->first, (size_t)w->rows + 1);
    ALLOC(ctx, GSOLVE_HOST, D->length, w->rows);
    TRY(find_rooms(ctx, w, D->length, &D->longest));
    D->first[0] = 0;
    for (int32_t r = 0; r < w->rows; r++) {
        const bool cut = w->most > 0 && D->length[r] > w->most;
        D->first[r + 1] = D->first[r] + (cut ? w->most : D->length[r]);
    }
    ALLOC(ctx, GSOLVE_HOST, D->column, D->first[w->rows]);
    D->value = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)D->first[w->rows], size);
    TRY(D->value ? GSOLVE_OK : GSOLVE_NO_MEMORY);
done:
    return status;
}

static void set_starts(const gs_csr_arrays *P, int32_t rows, const int32_t *length)
{
    int64_t at = 0;

    gs_set_start(P, 0, 0);
    for (int32_t r = 0; r < rows; r++) gs_set_start(P, r + 1, at += length[r]);
}

/* --- threads' own work ------------------------------------------------------------------------ */

typedef struct work {
    int threads;
    int64_t slots, longest; /* of each thread */
    int32_t *slot, *column, *part;
    double *weight, *b;
} work;

static void drop_work(work *W, gsolve_context *ctx)
{
    gsolve_free(ctx, GSOLVE_HOST, W->slot);
    gsolve_free(ctx, GSOLVE_HOST, W->column);
    gsolve_free(ctx, GSOLVE_HOST, W->weight);
    gsolve_free(ctx, GSOLVE_HOST, W->part);
    gsolve_free(ctx, GSOLVE_HOST, W->b);
}

/* Rows of so many entries at most. What is left of W after a failure is for drop_work. */
static gsolve_status new_work(work *W, gsolve_context *ctx, const gs_weighing *w, int32_t longest)
{
    gsolve_status status;

    memset(W, 0, sizeof *W);
    W->threads = gsolve_threads(ctx);
    W->slots = w->count;
    W->longest = (int64_t)longest + 1; /* parts are those columns and the row's own */
    ALLOC(ctx, GSOLVE_HOST, W->slot, W->threads * W->slots);
    ALLOC(ctx, GSOLVE_HOST, W->column, W->threads * W->longest);
    ALLOC(ctx, GSOLVE_HOST, W->weight, W->threads * W->longest);
    ALLOC(ctx, GSOLVE_HOST, W->part, W->threads * W->longest);
    ALLOC(ctx, GSOLVE_HOST, W->b, W->threads * W->longest);
    memset(W->slot, 0, (size_t)(W->threads * W->slots) * sizeof *W->slot);
done:
    return status;
}

static row_work own_work(const work *W)
{
    const int64_t t = omp_get_thread_num(), at = t * W->longest;
    row_work o = {.slot = W->slot + t * W->slots,
                  .column = W->column + at,
                  .weight = W->weight + at,
                  .part = W->part + at,
                  .b = W->b + at};
    return o;
}

#define GS_BODY "precond/amg/coarsening/classical/weigh_body.h"
#include "core/each_type.h"

const gs_classical_weigh_kernels gs_classical_weigh_host[GSOLVE_TYPE_COUNT] = {
    {weigh_f32, renew_f32}, {weigh_f64, renew_f64}};
