/* isai_inverse.c: pattern and values of the approximate inverse, see isai.h. The rows are
 * independent of one another: they are shared out to the threads, and each has its own order of
 * operations. */
#include <float.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "core/try.h"
#include "precond/incomplete/isai.h"

enum { CHUNK = 256 }; /* rows that a thread takes at a time */

/* Threads worth having for n rows. */
static int workers_for(const gsolve_context *ctx, int32_t n)
{
    const int32_t chunks = n / CHUNK + 1;
    return chunks < gsolve_threads(ctx) ? chunks : gsolve_threads(ctx);
}

static double most_of(gsolve_type type)
{
    return type == GSOLVE_F32 ? FLT_MAX : DBL_MAX;
}

static void put(const gs_csr_arrays *to, int64_t k, double value)
{
    if (to->csr.type == GSOLVE_F32) {
        ((float *)to->value)[k] = (float)value;
    } else {
        ((double *)to->value)[k] = value;
    }
}

/* --- the pattern ------------------------------------------------------------------------------ */

typedef struct search {
    const gs_strict *L;
    int power;
    int32_t longest, room; /* room: for the columns of any row */
    int32_t *list;         /* room a worker */
    bool *seen;            /* n a worker, all false between rows */
} search;

static int ascending(const void *x, const void *y)
{
    const int32_t a = *(const int32_t *)x, b = *(const int32_t *)y;
    return (a > b) - (a < b);
}

/* list = i and the rows that depend on lead to from it in power steps, i first; returns their
 * number. *cut: more than longest, and only those of fewer steps. */
static int32_t reach(const search *s, int worker, int32_t i, bool *cut)
{
    const gs_strict *L = s->L;
    int32_t *list = s->list + (int64_t)worker * s->room, count = 1, from = 0, to = 1;
    bool *seen = s->seen + (int64_t)worker * L->n;

    *cut = false;
    list[0] = i;
    for (int step = 0; step < s->power && from < to && !*cut; step++) {
        for (int32_t k = from; k < to && !*cut; k++) {
            for (int64_t e = L->start[list[k]]; e < L->start[list[k] + 1]; e++) {
                const int32_t j = L->col[e];
                if (seen[j]) continue;
                *cut = step > 0 && count >= s->longest;
                if (*cut) break;
                seen[j] = true;
                list[count++] = j;
            }
        }
        if (!*cut) from = to, to = count;
    }
    for (int32_t k = 1; k < count; k++) seen[list[k]] = false;
    return to;
}

/* The columns of row i of W: those before i, sorted unless they are a row of L as it is, and i. */
static void write_row(const search *s, int worker, int32_t i, int32_t *col)
{
    const int32_t *list = s->list + (int64_t)worker * s->room;
    bool cut;
    const int32_t others = reach(s, worker, i, &cut) - 1;

    memcpy(col, list + 1, (size_t)others * sizeof *col);
    if (others > s->L->start[i + 1] - s->L->start[i]) {
        qsort(col, (size_t)others, sizeof *col, ascending);
    }
    col[others] = i;
}

static int32_t longest_row(const gs_strict *L)
{
    int64_t longest = 0;

    for (int32_t i = 0; i < L->n; i++) {
        const int64_t length = L->start[i + 1] - L->start[i];
        if (length > longest) longest = length;
    }
    return (int32_t)longest;
}

/* Offsets of the rows of W. */
static int32_t count_rows(const search *s, int workers, int64_t *start)
{
    int32_t shortened = 0;

    start[0] = 0;
#pragma omp parallel for schedule(dynamic, CHUNK) num_threads(workers) reduction(+ : shortened)
    for (int32_t i = 0; i < s->L->n; i++) {
        bool cut;
        start[i + 1] = reach(s, omp_get_thread_num(), i, &cut);
        shortened += cut;
    }
    for (int32_t i = 0; i < s->L->n; i++) start[i + 1] += start[i];
    return shortened;
}

gsolve_status gs_isai_pattern(gsolve_csr *out, gsolve_context *ctx, gsolve_type type,
                              const gs_strict *L, int power, int32_t longest, int32_t *shortened)
{
    const int32_t n = L->n, least = longest_row(L) + 1;
    const int workers = workers_for(ctx, n);
    search s = {.L = L, .power = power, .longest = longest};
    int64_t *start = NULL;
    gsolve_csr W;
    gsolve_status status;

    if (s.longest > n) s.longest = n;
    s.room = least > s.longest ? least : s.longest;
    ALLOC(ctx, GSOLVE_HOST, s.list, (size_t)workers * (size_t)s.room);
    ALLOC(ctx, GSOLVE_HOST, s.seen, (size_t)workers * (size_t)n);
    ALLOC(ctx, GSOLVE_HOST, start, (size_t)n + 1);
    memset(s.seen, 0, (size_t)workers * (size_t)n * sizeof *s.seen);
    *shortened = count_rows(&s, workers, start);
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
    gsolve_free(ctx, GSOLVE_HOST, s.seen);
    gsolve_free(ctx, GSOLVE_HOST, s.list);
    return status;
}

/* --- the values ------------------------------------------------------------------------------- */

/* Row i of W from its last entry to its first: each w_k in turn is final, and for all j of S_i in
 * row k of L, w_j -= w_k l_kj, which leaves (w (I + L))_j = 0. place: n zeros; w: as long as the
 * row. False: an entry is too large for the type. */
static bool fill_row(const gs_csr_arrays *to, const gs_strict *L, int32_t i, double scale,
                     int32_t *place, double *w)
{
    const gsolve_csr *W = &to->csr;
    const int64_t from = gs_start(W, i);
    const int32_t length = (int32_t)(gs_start(W, i + 1) - from), *S = W->col + from;
    const double most = most_of(W->type);
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
        put(to, from + p, w[p]);
    }
    for (int32_t p = 0; p < length; p++) place[S[p]] = 0;
    return fits;
}

gsolve_status gs_isai_fill(const gsolve_csr *W, gsolve_context *ctx, const gs_strict *L,
                           const double *scale, bool *fits)
{
    const int32_t n = L->n;
    const int workers = workers_for(ctx, n);
    const gs_csr_arrays to = gs_csr_arrays_of(ctx, W);
    int64_t room = 0;
    int32_t *place = NULL, misfits = 0;
    double *w = NULL;
    gsolve_status status;

    for (int32_t i = 0; i < n; i++) {
        const int64_t length = gs_start(W, i + 1) - gs_start(W, i);
        if (length > room) room = length;
    }
    ALLOC(ctx, GSOLVE_HOST, place, (size_t)workers * (size_t)n);
    ALLOC(ctx, GSOLVE_HOST, w, (size_t)workers * (size_t)room);
    memset(place, 0, (size_t)workers * (size_t)n * sizeof *place);
#pragma omp parallel for schedule(dynamic, CHUNK) num_threads(workers) reduction(+ : misfits)
    for (int32_t i = 0; i < n; i++) {
        const int me = omp_get_thread_num();
        misfits += !fill_row(&to, L, i, scale ? scale[i] : 1, place + (int64_t)me * n, w + me * room);
    }
    *fits = misfits == 0;
done:
    gsolve_free(ctx, GSOLVE_HOST, w);
    gsolve_free(ctx, GSOLVE_HOST, place);
    return status;
}

/* --- what is inverted ------------------------------------------------------------------------- */

gsolve_status gs_isai_triangle(gsolve_csr *out, gsolve_context *ctx, gsolve_type type,
                               const gs_strict *L, const double *scale, bool *fits)
{
    const double most = most_of(type);
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
            put(&to, at, value);
            *fits = *fits && fabs(value) <= most;
        }
        gs_set_start(&to, i + 1, at);
    }
    *out = T;
    return GSOLVE_OK;
}
