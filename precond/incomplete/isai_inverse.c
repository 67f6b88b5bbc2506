/* isai_inverse.c: pattern and values of the approximate inverse, see isai.h. The rows are
 * independent; a thread computes whole rows, and each row has its own fixed order of operations. */
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "core/interrupt.h"
#include "core/try.h"
#include "precond/diagonal.h"
#include "precond/incomplete/isai.h"

enum { CHUNK = 256 }; /* rows that a thread takes at a time */

/* The number of threads that pay off for n rows. */
static int workers_for(const gsolve_context *ctx, int32_t n)
{
    const int32_t chunks = n / CHUNK + 1;
    return chunks < gsolve_threads(ctx) ? chunks : gsolve_threads(ctx);
}

/* --- pattern ---------------------------------------------------------------------------------- */

typedef struct search {
    const gs_strict_triangle *L;
    int power;
    int32_t longest, capacity; /* capacity: the longest row of W */
    int32_t *list;             /* capacity per worker */
    bool *visited;             /* n per worker, all false between rows */
} search;

static int ascending(const void *x, const void *y)
{
    const int32_t a = *(const int32_t *)x, b = *(const int32_t *)y;
    return (a > b) - (a < b);
}

/* list = i, and all rows that at most `power` steps along entries of L lead to from i. Returns
 * their number. *shortened_row: there are more than longest, and the list is that of fewer
 * steps. */
static int32_t find_reachable(const search *s, int worker, int32_t i, bool *shortened_row)
{
    const gs_strict_triangle *L = s->L;
    int32_t *list = s->list + (int64_t)worker * s->capacity, count = 1, from = 0, to = 1;
    bool *visited = s->visited + (int64_t)worker * L->n;

    *shortened_row = false;
    list[0] = i;
    for (int step = 0; step < s->power && from < to && !*shortened_row; step++) {
        for (int32_t k = from; k < to && !*shortened_row; k++) {
            for (int64_t e = L->start[list[k]]; e < L->start[list[k] + 1]; e++) {
                const int32_t j = L->col[e];
                if (visited[j]) continue;
                *shortened_row = step > 0 && count >= s->longest;
                if (*shortened_row) break;
                visited[j] = true;
                list[count++] = j;
            }
        }
        if (!*shortened_row) from = to, to = count;
    }
    for (int32_t k = 1; k < count; k++) visited[list[k]] = false;
    return to;
}

/* The columns of row i of W, sorted. They end with i. One step gives a row of L, which is sorted
 * already. */
static void write_row(const search *s, int worker, int32_t i, int32_t *col)
{
    const int32_t *list = s->list + (int64_t)worker * s->capacity;
    bool shortened_row;
    const int32_t others = find_reachable(s, worker, i, &shortened_row) - 1;

    memcpy(col, list + 1, (size_t)others * sizeof *col);
    if (others > s->L->start[i + 1] - s->L->start[i]) {
        qsort(col, (size_t)others, sizeof *col, ascending);
    }
    col[others] = i;
}

static int32_t longest_row(const gs_strict_triangle *L)
{
    int64_t longest = 0;

    for (int32_t i = 0; i < L->n; i++) {
        const int64_t length = L->start[i + 1] - L->start[i];
        if (length > longest) longest = length;
    }
    return (int32_t)longest;
}

/* Computes the offsets of the rows of W. Returns the number of shortened rows. */
static int32_t count_rows(gsolve_context *ctx, const search *s, int workers, int64_t *start)
{
    int32_t shortened = 0;

    start[0] = 0;
#pragma omp parallel for schedule(dynamic, CHUNK) num_threads(workers) reduction(+ : shortened)
    for (int32_t i = 0; i < s->L->n; i++) {
        const int me = omp_get_thread_num();
        bool shortened_row = false;
        start[i + 1] = 0;
        if (gs_worker_must_stop(ctx, me)) continue;
        start[i + 1] = find_reachable(s, me, i, &shortened_row);
        shortened += shortened_row;
    }
    for (int32_t i = 0; i < s->L->n; i++) start[i + 1] += start[i];
    return shortened;
}

gsolve_status gs_isai_pattern(gsolve_csr *out, gsolve_context *ctx, gsolve_type type,
                              const gs_strict_triangle *L, int power, int32_t longest,
                              int32_t *shortened)
{
    const int32_t n = L->n, least = longest_row(L) + 1;
    const int workers = workers_for(ctx, n);
    search s = {.L = L, .power = power, .longest = longest};
    int64_t *start = NULL;
    gsolve_csr W;
    gsolve_status status;

    if (s.longest > n) s.longest = n;
    s.capacity = least > s.longest ? least : s.longest;
    ALLOC(ctx, GSOLVE_HOST, s.list, (size_t)workers * (size_t)s.capacity);
    ALLOC(ctx, GSOLVE_HOST, s.visited, (size_t)workers * (size_t)n);
    ALLOC(ctx, GSOLVE_HOST, start, (size_t)n + 1);
    memset(s.visited, 0, (size_t)workers * (size_t)n * sizeof *s.visited);
    *shortened = count_rows(ctx, &s, workers, start);
    TRY(gs_check_interrupt(ctx));
    TRY(gs_csr_new(&W, ctx, n, n, start[n], type));
    const gs_csr_arrays to = gs_csr_arrays_of(ctx, &W);
    for (int32_t i = 0; i <= n; i++) gs_set_start(&to, i, start[i]);
#pragma omp parallel for schedule(dynamic, CHUNK) num_threads(workers)
    for (int32_t i = 0; i < n; i++) {
        write_row(&s, omp_get_thread_num(), i, to.col + start[i]);
    }
    *out = W;
done:
    gsolve_free(ctx, GSOLVE_HOST, start);
    gsolve_free(ctx, GSOLVE_HOST, s.visited);
    gsolve_free(ctx, GSOLVE_HOST, s.list);
    return status;
}

/* --- values ----------------------------------------------------------------------------------- */

/* Computes row i of W from its last entry to its first. Each w_k in turn is final; then w_j -= w_k
 * l_kj for all j of S_i in row k of L, which makes (w (I + L))_j = 0. place: n zeros. w: space for
 * the row. False: a value is too large for the type. */
static bool fill_row(const gs_csr_arrays *to, const gs_strict_triangle *L, int32_t i, double scale,
                     int32_t *place, double *w)
{
    const gsolve_csr *W = &to->csr;
    const int64_t from = gs_start(W, i);
    const int32_t length = (int32_t)(gs_start(W, i + 1) - from), *S = W->col + from;
    const double most = gs_largest_value(W->type);
    bool fits = true;

    for (int32_t p = 0; p < length; p++) {
        place[S[p]] = p + 1;
        w[p] = 0;
    }
    w[length - 1] = scale;
    for (int32_t p = length - 1; p >= 0; p--) {
        for (int64_t e = L->start[S[p]]; e < L->start[S[p] + 1]; e++) {
            const int32_t at = place[L->col[e]];
            if (at) w[at - 1] -= w[p] * L->value[e];
        }
        fits = fits && fabs(w[p]) <= most;
        gs_put_value(to->value, W->type, from + p, w[p]);
    }
    for (int32_t p = 0; p < length; p++) place[S[p]] = 0;
    return fits;
}

gsolve_status gs_isai_fill(const gsolve_csr *W, gsolve_context *ctx, const gs_strict_triangle *L,
                           const double *scale, bool *fits)
{
    const int32_t n = L->n;
    const int workers = workers_for(ctx, n);
    const gs_csr_arrays to = gs_csr_arrays_of(ctx, W);
    int64_t capacity = 0;
    int32_t *place = NULL, overflows = 0;
    double *w = NULL;
    gsolve_status status;

    for (int32_t i = 0; i < n; i++) {
        const int64_t length = gs_start(W, i + 1) - gs_start(W, i);
        if (length > capacity) capacity = length;
    }
    ALLOC(ctx, GSOLVE_HOST, place, (size_t)workers * (size_t)n);
    ALLOC(ctx, GSOLVE_HOST, w, (size_t)workers * (size_t)capacity);
    memset(place, 0, (size_t)workers * (size_t)n * sizeof *place);
#pragma omp parallel for schedule(dynamic, CHUNK) num_threads(workers) reduction(+ : overflows)
    for (int32_t i = 0; i < n; i++) {
        const int me = omp_get_thread_num();
        if (gs_worker_must_stop(ctx, me)) continue;
        overflows +=
            !fill_row(&to, L, i, scale ? scale[i] : 1, place + (int64_t)me * n, w + me * capacity);
    }
    TRY(gs_check_interrupt(ctx));
    *fits = overflows == 0;
done:
    gsolve_free(ctx, GSOLVE_HOST, w);
    gsolve_free(ctx, GSOLVE_HOST, place);
    return status;
}

/* --- the inverted triangle -------------------------------------------------------------------- */

gsolve_status gs_isai_triangle(gsolve_csr *out, gsolve_context *ctx, gsolve_type type,
                               const gs_strict_triangle *L, const double *scale, bool *fits)
{
    const double most = gs_largest_value(type);
    int64_t at = 0;
    gsolve_csr T;
    gsolve_status status = gs_csr_new(&T, ctx, L->n, L->n, L->start[L->n] + L->n, type);

    if (status != GSOLVE_OK) return status;
    const gs_csr_arrays to = gs_csr_arrays_of(ctx, &T);
    *fits = true;
    gs_set_start(&to, 0, 0);
    for (int32_t i = 0; i < L->n; i++) {
        for (int64_t e = L->start[i]; e <= L->start[i + 1]; e++, at++) {
            const bool last = e == L->start[i + 1];
            const int32_t j = last ? i : L->col[e];
            const double value = (last ? 1 : L->value[e]) / (scale ? scale[j] : 1);
            to.col[at] = j;
            gs_put_value(to.value, type, at, value);
            *fits = *fits && fabs(value) <= most;
        }
        gs_set_start(&to, i + 1, at);
    }
    *out = T;
    return GSOLVE_OK;
}
