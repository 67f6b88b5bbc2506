/* interpolate_host.c: interpolation on the CPU, and the truncation of rows of P. A thread owns
 * whole rows. */
#include <math.h>
#include <omp.h>
#include <string.h>

#include "core/try.h"
#include "precond/amg/coarsening/classical/classical.h"

#define SMALL static inline
#include "precond/amg/coarsening/classical/classical_rules.h"

/* --- a row of P while it is computed ---------------------------------------------------------- */

/* Its columns in the order in which they were found, and the position of each. */
typedef struct row_accumulator {
    int32_t *slot; /* for each column of P: its position if it is in the row; else any number */
    int32_t *column;
    double *weight;
    int32_t count;
    double d;             /* the divisor d */
    int32_t parts, *part; /* parts of a distributed a_ik: their positions; negative: in d */
    double *b;
} row_accumulator;

/* The position of column c; negative: not in the row, or c is negative. */
static inline int32_t position_of(const row_accumulator *o, int32_t c)
{
    if (c < 0) return -1;
    const int32_t at = o->slot[c];
    return at < o->count && o->column[at] == c ? at : -1;
}

/* Inserts column c unless it is in the row. Returns its position. */
static inline int32_t insert(row_accumulator *o, int32_t c)
{
    const int32_t at = position_of(o, c);

    if (at >= 0) return at;
    o->slot[c] = o->count;
    o->column[o->count] = c;
    o->weight[o->count] = 0;
    return o->count++;
}

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

/* --- truncation of a row ---------------------------------------------------------------------- */

static void swap(int32_t *column, double *weight, int32_t a, int32_t b)
{
    const int32_t c = column[a];
    const double v = weight[a];

    column[a] = column[b], weight[a] = weight[b];
    column[b] = c, weight[b] = v;
}

/* Shell sort; most rows are short. */
static void sort_by_columns(int32_t n, int32_t *column, double *weight)
{
    int32_t gap = 1;

    while (gap < n / 3) gap = 3 * gap + 1;
    for (; gap > 0; gap /= 3) {
        for (int32_t e = gap; e < n; e++) {
            for (int32_t m = e; m >= gap && column[m - gap] > column[m]; m -= gap) {
                swap(column, weight, m, m - gap);
            }
        }
    }
}

/* Whether entry a is kept before entry b. */
static bool is_before(const int32_t *column, const double *weight, int32_t a, int32_t b)
{
    const double x = fabs(weight[a]), y = fabs(weight[b]);

    return x > y || (x == y && column[a] < column[b]);
}

/* Moves the `most` entries that are kept to the front. */
static void select_first(int32_t n, int32_t *column, double *weight, int32_t most)
{
    for (int32_t e = 1; e < n; e++) {
        int32_t at = e;
        if (e >= most) {
            if (!is_before(column, weight, e, most - 1)) continue;
            swap(column, weight, e, most - 1);
            at = most - 1;
        }
        for (; at > 0 && is_before(column, weight, at, at - 1); at--) {
            swap(column, weight, at, at - 1);
        }
    }
}

/* Truncates a row of n entries, each column once: keeps at most `most` entries (0: any number), of
 * equal ones the first columns, and none below truncate times the largest. Scales the rest to the
 * sum of all, and sorts it by columns. Returns the number of entries that are left. */
static int32_t truncate_row(int32_t n, int32_t *column, double *weight, int most, double truncate)
{
    double all = 0, kept = 0, largest = 0, scale;
    int32_t left = 0;

    for (int32_t e = 0; e < n; e++) {
        all += weight[e];
        largest = fmax(largest, fabs(weight[e]));
    }
    for (int32_t e = 0; e < n; e++) {
        if (fabs(weight[e]) >= truncate * largest) swap(column, weight, e, left++);
    }
    if (most > 0 && left > most) {
        select_first(left, column, weight, most);
        left = most;
    }
    sort_by_columns(left, column, weight);
    if (left == n) return n;
    for (int32_t e = 0; e < left; e++) kept += weight[e];
    scale = gs_sum_preserving_scale(all, kept);
    for (int32_t e = 0; e < left; e++) weight[e] *= scale;
    return left;
}

/* --- a buffer of rows ------------------------------------------------------------------------- */

/* Rows of P in a buffer, before they are packed. */
typedef struct row_buffer {
    int64_t *first;  /* rows + 1 */
    int32_t *length; /* rows: first the capacity, then the length */
    int32_t *column;
    double *weight;
} row_buffer;

static void free_row_buffer(row_buffer *D, gsolve_context *ctx)
{
    gsolve_free(ctx, GSOLVE_HOST, D->first);
    gsolve_free(ctx, GSOLVE_HOST, D->length);
    gsolve_free(ctx, GSOLVE_HOST, D->column);
    gsolve_free(ctx, GSOLVE_HOST, D->weight);
}

/* Allocates space for rows of these capacities (D->length), cut to `most` unless that is 0. On
 * failure, free_row_buffer frees what was allocated. */
static gsolve_status new_row_buffer(row_buffer *D, gsolve_context *ctx, int32_t rows, int most)
{
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, D->first, (size_t)rows + 1);
    D->first[0] = 0;
    for (int32_t r = 0; r < rows; r++) {
        const bool cut = most > 0 && D->length[r] > most;
        D->first[r + 1] = D->first[r] + (cut ? most : D->length[r]);
    }
    ALLOC(ctx, GSOLVE_HOST, D->column, D->first[rows]);
    ALLOC(ctx, GSOLVE_HOST, D->weight, D->first[rows]);
done:
    return status;
}

/* *P, owned = the rows of the buffer. */
static gsolve_status pack_rows(gsolve_csr *P, gsolve_context *ctx, const row_buffer *D,
                               int32_t rows, int32_t ncols, gsolve_type type)
{
    int64_t entries = 0;
    gsolve_csr Q = {0};
    gsolve_status status;

    for (int32_t r = 0; r < rows; r++) entries += D->length[r];
    TRY(gs_csr_new_at(&Q, ctx, gs_location(ctx), rows, ncols, entries, type));
    const gs_csr_arrays to = gs_csr_arrays_of(ctx, &Q);
    gs_set_start(&to, 0, 0);
    for (int32_t r = 0; r < rows; r++) gs_set_start(&to, r + 1, gs_start(&Q, r) + D->length[r]);
#pragma omp parallel for schedule(static) num_threads(gsolve_threads(ctx))
    for (int32_t r = 0; r < rows; r++) {
        int64_t at = gs_start(&Q, r);
        for (int64_t e = D->first[r]; e < D->first[r] + D->length[r]; e++, at++) {
            to.col[at] = D->column[e];
            if (type == GSOLVE_F32) {
                ((float *)to.value)[at] = (float)D->weight[e];
            } else {
                ((double *)to.value)[at] = D->weight[e];
            }
        }
    }
    *P = Q;
done:
    return status;
}

static gsolve_status truncate_rows(gsolve_csr *Q, gsolve_context *ctx, const gsolve_csr *P,
                                   int most, double truncate)
{
    row_buffer D = {0};
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, D.length, P->nrows);
    for (int32_t r = 0; r < P->nrows; r++) {
        D.length[r] = (int32_t)(gs_start(P, r + 1) - gs_start(P, r));
    }
    TRY(new_row_buffer(&D, ctx, P->nrows, 0));
#pragma omp parallel for schedule(static) num_threads(gsolve_threads(ctx))
    for (int32_t r = 0; r < P->nrows; r++) {
        int32_t *column = D.column + D.first[r];
        double *weight = D.weight + D.first[r];
        for (int32_t e = 0; e < D.length[r]; e++) {
            column[e] = P->col[D.first[r] + e];
            weight[e] = gs_value(P, D.first[r] + e);
        }
        D.length[r] = truncate_row(D.length[r], column, weight, most, truncate);
    }
    TRY(pack_rows(Q, ctx, &D, P->nrows, P->ncols, P->type));
done:
    free_row_buffer(&D, ctx);
    return status;
}

/* --- work space of each thread ---------------------------------------------------------------- */

typedef struct thread_work {
    int threads;
    int64_t slots, longest; /* of each thread */
    int32_t *slot, *column; /* column: also part, after the columns of all threads */
    double *weight;         /* also b */
} thread_work;

static void free_thread_work(thread_work *W, gsolve_context *ctx)
{
    gsolve_free(ctx, GSOLVE_HOST, W->slot);
    gsolve_free(ctx, GSOLVE_HOST, W->column);
    gsolve_free(ctx, GSOLVE_HOST, W->weight);
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
    ALLOC(ctx, GSOLVE_HOST, W->column, 2 * W->threads * W->longest);
    ALLOC(ctx, GSOLVE_HOST, W->weight, 2 * W->threads * W->longest);
    memset(W->slot, 0, (size_t)(W->threads * W->slots) * sizeof *W->slot);
done:
    return status;
}

static row_accumulator work_of_thread(const thread_work *W)
{
    const int64_t t = omp_get_thread_num(), at = t * W->longest,
                  other = W->threads * W->longest + at;

    return (row_accumulator){.slot = W->slot + t * W->slots,
                             .column = W->column + at,
                             .weight = W->weight + at,
                             .part = W->column + other,
                             .b = W->weight + other};
}

/* --- rows from a file ------------------------------------------------------------------------- */

/* Whether row r of P has only columns that o finds. */
static bool row_fits(row_accumulator *o, const gs_interpolation_rows *w, const gsolve_csr *P,
                     int32_t r)
{
    const int32_t i = w->point ? w->point[r] : r;

    o->count = 0;
    if (w->number[i] >= 0) {
        insert(o, w->number[i]);
    } else {
        collect(o, w, i);
    }
    for (int64_t e = gs_start(P, r); e < gs_start(P, r + 1); e++) {
        if (position_of(o, P->col[e]) < 0) return false;
    }
    return true;
}

/* *copy = w with all arrays on the host; the caller frees number and point. */
static gsolve_status copy_rows_to_host(gs_interpolation_rows *copy, gsolve_context *ctx,
                                       const gs_interpolation_rows *w, const gs_points *on_host)
{
    const gsolve_location from = gs_location(ctx);
    const size_t n = (size_t)on_host->A->nrows, rows = (size_t)w->rows;
    gsolve_status status;

    *copy = *w;
    copy->points = *on_host;
    copy->point = NULL;
    ALLOC(ctx, GSOLVE_HOST, copy->number, n + 1);
    TRY(gsolve_copy(ctx, copy->number, GSOLVE_HOST, w->number, from, n * sizeof *w->number));
    if (!w->point) return GSOLVE_OK;
    ALLOC(ctx, GSOLVE_HOST, copy->point, rows);
    TRY(gsolve_copy(ctx, copy->point, GSOLVE_HOST, w->point, from, rows * sizeof *w->point));
done:
    return status;
}

static gsolve_status interpolation_fits(gsolve_context *ctx, const gs_interpolation_rows *w,
                                        const gs_points *on_host, const gsolve_csr *P, bool *out)
{
    gs_interpolation_rows copy = {.number = NULL};
    thread_work W = {0};
    int32_t *capacity = NULL, longest = 0;
    bool fits = P->nrows == w->rows && P->ncols == w->count;
    gsolve_status status = GSOLVE_OK;

    *out = fits;
    if (!fits || w->kind == GS_ONE_POINT) return GSOLVE_OK; /* of one point: values do not change */
    TRY(copy_rows_to_host(&copy, ctx, w, on_host));
    ALLOC(ctx, GSOLVE_HOST, capacity, w->rows);
    TRY(find_capacities(ctx, &copy, capacity, &longest));
    TRY(new_thread_work(&W, ctx, &copy, longest));
#pragma omp parallel num_threads(W.threads) reduction(&& : fits)
    {
        row_accumulator o = work_of_thread(&W);
#pragma omp for schedule(static)
        for (int32_t r = 0; r < w->rows; r++) fits = fits && row_fits(&o, &copy, P, r);
    }
    *out = fits;
done:
    gsolve_free(ctx, GSOLVE_HOST, copy.number);
    gsolve_free(ctx, GSOLVE_HOST, copy.point);
    free_thread_work(&W, ctx);
    gsolve_free(ctx, GSOLVE_HOST, capacity);
    return status;
}

#define GS_BODY "precond/amg/coarsening/classical/interpolate_body.h"
#include "core/each_type.h"

const gs_classical_interpolate_kernels GS_LEVEL(gs_classical_interpolate_host)[GSOLVE_TYPE_COUNT] =
    {{interpolate_f32, truncate_rows, update_truncated_f32, interpolation_fits},
     {interpolate_f64, truncate_rows, update_truncated_f64, interpolation_fits}};
