/* interpolate_host.c: interpolation on the CPU. A thread owns whole rows. */
#include <math.h>
#include <omp.h>
#include <string.h>

#include "core/try.h"
#include "precond/amg/coarsening/classical/classical.h"
#include "precond/amg/coarsening/classical/row_accumulator.h"
#include "precond/amg/coarsening/classical/truncate.h"

#define SMALL static inline
#include "precond/amg/coarsening/classical/classical_rules.h"

/* --- candidates ------------------------------------------------------------------------------- */

/* Inserts the strong C points of row i. */
static void insert_strong_points(row_accumulator *o, const gs_interpolation_rows *w, int32_t i)
{
    const gs_points *p = &w->points;
    const int64_t end = gs_start(p->A, i + 1);

    for (int64_t e = gs_start(p->A, i); e < end; e++) {
        if (!(p->mark[e] & GS_STRONG)) continue;
        const int32_t c = w->number[p->A->col[e]];
        if (c >= 0) insert(o, c);
    }
}

/* Inserts the strong C points of row i and of its strong F points. */
static void collect(row_accumulator *o, const gs_interpolation_rows *w, int32_t i)
{
    const gs_points *p = &w->points;
    const int64_t end = gs_start(p->A, i + 1);

    insert_strong_points(o, w, i);
    for (int64_t e = gs_start(p->A, i); e < end; e++) {
        const int32_t j = p->A->col[e];
        if (p->mark[e] & GS_STRONG && w->number[j] < 0) insert_strong_points(o, w, j);
    }
}

static int32_t count_strong_points(const gs_interpolation_rows *w, int32_t i)
{
    const gs_points *p = &w->points;
    const int64_t end = gs_start(p->A, i + 1);
    int32_t count = 0;

    for (int64_t e = gs_start(p->A, i); e < end; e++) {
        count += p->mark[e] & GS_STRONG && w->number[p->A->col[e]] >= 0;
    }
    return count;
}

/* An upper bound of the columns that collect finds. strong_points[j]: the strong C points of row j.
 */
static int32_t count_all(const gs_interpolation_rows *w, const int32_t *strong_points, int32_t i)
{
    const gs_points *p = &w->points;
    const int64_t end = gs_start(p->A, i + 1);
    int64_t count = strong_points[i];

    for (int64_t e = gs_start(p->A, i); e < end; e++) {
        const int32_t j = p->A->col[e];
        if (p->mark[e] & GS_STRONG && w->number[j] < 0) count += strong_points[j];
    }
    return count < w->count ? (int32_t)count : w->count;
}

/* capacity[r] = an upper bound of the entries of row r before truncation; *longest: the largest. */
static gsolve_status find_capacities(gsolve_context *ctx, const gs_interpolation_rows *w,
                                     int32_t *capacity, int32_t *longest)
{
    const int32_t n = w->points.A->nrows;
    int32_t *strong_points = NULL, most = 1;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, strong_points, n);
#pragma omp parallel for schedule(static) num_threads(gsolve_threads(ctx))
    for (int32_t i = 0; i < n; i++) strong_points[i] = count_strong_points(w, i);
#pragma omp parallel for schedule(static) num_threads(gsolve_threads(ctx)) reduction(max : most)
    for (int32_t r = 0; r < w->rows; r++) {
        const int32_t i = w->point ? w->point[r] : r;
        const bool one = w->number[i] >= 0 || w->kind == GS_ONE_POINT;
        capacity[r] = one ? 1 : count_all(w, strong_points, i);
        if (capacity[r] > most) most = capacity[r];
    }
    *longest = most;
done:
    gsolve_free(ctx, GSOLVE_HOST, strong_points);
    return status;
}

/* Divides the weights by d. If d has lost the diagonal's sign, they are scaled to sum 1 instead. */
static void divide(row_accumulator *o, double diagonal)
{
    double sum = 0;

    if (!(o->d * diagonal > 0)) {
        for (int32_t e = 0; e < o->count; e++) sum += o->weight[e];
        o->d = -sum;
    }
    for (int32_t e = 0; e < o->count; e++) o->weight[e] = o->d != 0 ? -o->weight[e] / o->d : 0;
}

/* --- a buffer of rows ------------------------------------------------------------------------- */

/* Rows of P in a buffer, before they are packed. */
typedef struct row_buffer {
    int64_t *first;  /* rows + 1 */
    int32_t *length; /* rows: first the capacity, then the length */
    int32_t longest; /* the largest capacity */
    int32_t *column;
    void *value;
} row_buffer;

static void free_row_buffer(row_buffer *D, gsolve_context *ctx)
{
    gsolve_free(ctx, GSOLVE_HOST, D->first);
    gsolve_free(ctx, GSOLVE_HOST, D->length);
    gsolve_free(ctx, GSOLVE_HOST, D->column);
    gsolve_free(ctx, GSOLVE_HOST, D->value);
}

/* On failure, free_row_buffer frees what was allocated. */
static gsolve_status new_row_buffer(row_buffer *D, gsolve_context *ctx,
                                    const gs_interpolation_rows *w, size_t size)
{
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, D->first, (size_t)w->rows + 1);
    ALLOC(ctx, GSOLVE_HOST, D->length, w->rows);
    TRY(find_capacities(ctx, w, D->length, &D->longest));
    D->first[0] = 0;
    for (int32_t r = 0; r < w->rows; r++) {
        const bool truncate_rows = w->most > 0 && D->length[r] > w->most;
        D->first[r + 1] = D->first[r] + (truncate_rows ? w->most : D->length[r]);
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

/* --- work space of each thread ---------------------------------------------------------------- */

typedef struct thread_work {
    int threads;
    int64_t slots, longest; /* of each thread */
    int32_t *slot, *column, *part;
    double *weight, *b;
} thread_work;

static void free_thread_work(thread_work *W, gsolve_context *ctx)
{
    gsolve_free(ctx, GSOLVE_HOST, W->slot);
    gsolve_free(ctx, GSOLVE_HOST, W->column);
    gsolve_free(ctx, GSOLVE_HOST, W->weight);
    gsolve_free(ctx, GSOLVE_HOST, W->part);
    gsolve_free(ctx, GSOLVE_HOST, W->b);
}

/* For rows of at most this many entries. On failure, free_thread_work frees what was allocated. */
static gsolve_status new_thread_work(thread_work *W, gsolve_context *ctx,
                                     const gs_interpolation_rows *w, int32_t longest)
{
    gsolve_status status;

    memset(W, 0, sizeof *W);
    W->threads = gsolve_threads(ctx);
    W->slots = w->count;
    W->longest = (int64_t)longest + 1; /* the parts are these columns and the row's own point */
    ALLOC(ctx, GSOLVE_HOST, W->slot, W->threads * W->slots);
    ALLOC(ctx, GSOLVE_HOST, W->column, W->threads * W->longest);
    ALLOC(ctx, GSOLVE_HOST, W->weight, W->threads * W->longest);
    ALLOC(ctx, GSOLVE_HOST, W->part, W->threads * W->longest);
    ALLOC(ctx, GSOLVE_HOST, W->b, W->threads * W->longest);
    memset(W->slot, 0, (size_t)(W->threads * W->slots) * sizeof *W->slot);
done:
    return status;
}

static row_accumulator work_of_thread(const thread_work *W)
{
    const int64_t t = omp_get_thread_num(), at = t * W->longest;
    row_accumulator o = {.slot = W->slot + t * W->slots,
                         .column = W->column + at,
                         .weight = W->weight + at,
                         .part = W->part + at,
                         .b = W->b + at};
    return o;
}

#define GS_BODY "precond/amg/coarsening/classical/interpolate_body.h"
#include "core/each_type.h"

const gs_classical_interpolate_kernels gs_classical_interpolate_host[GSOLVE_TYPE_COUNT] = {
    {interpolate_f32, update_f32}, {interpolate_f64, update_f64}};
