/* schedule.c: cuts rows into tiles, sorts these by levels, and distributes them to threads. */
#include "precond/incomplete/schedule.h"

#include <omp.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#include "core/try.h"

#define INTERLEAVED   4    /* tiles that are interleaved */
#define MIN_ROWS      1024 /* smaller matrices have no schedule */
#define MIN_SHARE     200  /* mean rows per thread and level for which a barrier pays off */
#define MIN_TILE      8    /* mean rows per tile for which memory accesses stay local */
#define FINE_THREADS  4    /* this many threads pay off even with shorter tiles */
#define SHORT_ROW     6 /* mean entries per row: shorter rows are bound by latency, not by memory */
#define MAX_WORKERS   8 /* each needs n elements of work space */
#define BARRIER_SPINS 4000 /* about two microseconds */

typedef struct rows { /* the dependences: row i depends on its columns */
    bool upper;
    int32_t n;
    const int64_t *start;
    const int32_t *col;
} rows;

typedef struct tiling {
    int32_t *first; /* count + 1: step at which each tile begins; the last: n */
    int32_t *tile;  /* n: the tile of each row */
    int32_t *depth; /* count: the level of each tile */
    int32_t count, levels;
} tiling;

/* The row of a step in the natural order: ascending, or descending if upper. */
static int32_t row_at(const rows *r, int32_t step)
{
    return r->upper ? r->n - 1 - step : step;
}

static bool depends_on_previous(const rows *r, int32_t step)
{
    const int32_t i = row_at(r, step);
    const int64_t from = r->start[i], to = r->start[i + 1];

    return from < to && (r->upper ? r->col[from] == i + 1 : r->col[to - 1] == i - 1);
}

/* Cuts the rows into tiles of at most cap rows; a longer run of dependent rows is cut into equal
 * parts. */
static void cut_tiles(tiling *t, const rows *r, int32_t cap)
{
    t->count = 0;
    for (int32_t begin = 0, end; begin < r->n; begin = end) {
        for (end = begin + 1; end < r->n && depends_on_previous(r, end);) end++;
        const int32_t length = end - begin, parts = (length - 1) / cap + 1;
        for (int32_t p = 0; p < parts; p++) {
            const int32_t from = begin + (int32_t)((int64_t)length * p / parts);
            const int32_t to = begin + (int32_t)((int64_t)length * (p + 1) / parts);
            for (int32_t step = from; step < to; step++) t->tile[row_at(r, step)] = t->count;
            t->first[t->count++] = from;
        }
    }
    t->first[t->count] = r->n;
}

/* The level of a tile is one more than the highest level that its rows depend on. */
static void find_depths(tiling *t, const rows *r)
{
    t->levels = 0;
    for (int32_t a = 0; a < t->count; a++) {
        int32_t depth = 0;
        for (int32_t step = t->first[a]; step < t->first[a + 1]; step++) {
            const int32_t i = row_at(r, step);
            for (int64_t k = r->start[i]; k < r->start[i + 1]; k++) {
                const int32_t b = t->tile[r->col[k]];
                if (b != a && t->depth[b] >= depth) depth = t->depth[b] + 1;
            }
        }
        t->depth[a] = depth;
        if (depth >= t->levels) t->levels = depth + 1;
    }
}

/* Whether a schedule for this many threads pays off. The limits were measured on grids. */
static bool pays_off(const tiling *t, const rows *r, int threads)
{
    const bool long_tiles = r->n / t->count >= MIN_TILE;

    if (t->count / t->levels < (INTERLEAVED - 1) * threads) return false;
    if (threads == 1) return long_tiles && r->start[r->n] <= (int64_t)SHORT_ROW * r->n;
    return (long_tiles || threads >= FINE_THREADS) && r->n / t->levels >= MIN_SHARE * threads;
}

/* Tries all threads before one, and long tiles before short ones. Returns the number of threads; 0:
 * no schedule pays off. */
static int choose_tiles(tiling *t, const rows *r, int threads)
{
    static const int32_t cap[] = {128, 32, 8, 1};

    for (int tried = threads; tried; tried = tried > 1 ? 1 : 0) {
        for (size_t k = 0; k < sizeof cap / sizeof *cap; k++) {
            cut_tiles(t, r, cap[k]);
            find_depths(t, r);
            if (pays_off(t, r, tried)) return tried;
            if (r->n / t->count < MIN_TILE && tried < FINE_THREADS) break;
        }
    }
    return 0;
}

/* Writes the rows of these tiles to row from position at on, interleaved. Returns the next
 * position. */
static int32_t interleave(const tiling *t, const rows *r, const int32_t *tiles, int32_t count,
                          int32_t *row, int32_t at)
{
    bool more = true;

    for (int32_t k = 0; more; k++) {
        more = false;
        for (int32_t a = 0; a < count; a++) {
            const int32_t step = t->first[tiles[a]] + k;
            if (step >= t->first[tiles[a] + 1]) continue;
            row[at++] = row_at(r, step);
            more = true;
        }
    }
    return at;
}

/* Distributes the tiles sorted[level[l], level[l + 1]) of each level l to the threads, in runs of
 * neighbours. */
static void distribute(gs_schedule *s, const tiling *t, const rows *r, const int32_t *level,
                       const int32_t *sorted)
{
    int32_t at = 0;

    for (int32_t l = 0; l < t->levels; l++) {
        const int64_t width = level[l + 1] - level[l];
        for (int c = 0; c < s->threads; c++) {
            const int32_t from = level[l] + (int32_t)(width * c / s->threads);
            const int32_t to = level[l] + (int32_t)(width * (c + 1) / s->threads);
            s->begin[l * s->threads + c] = at;
            for (int32_t a = from; a < to; a += INTERLEAVED) {
                at = interleave(t, r, sorted + a, to - a < INTERLEAVED ? to - a : INTERLEAVED,
                                s->row, at);
            }
        }
    }
    s->begin[t->levels * s->threads] = at;
}

static gsolve_status fill(gs_schedule *s, gsolve_context *ctx, const tiling *t, const rows *r)
{
    int32_t *level = NULL, *sorted = NULL;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, level, (size_t)t->levels + 2);
    ALLOC(ctx, GSOLVE_HOST, sorted, t->count);
    ALLOC(ctx, GSOLVE_HOST, s->row, r->n);
    ALLOC(ctx, GSOLVE_HOST, s->begin, (size_t)t->levels * (size_t)s->threads + 1);
    s->levels = t->levels;
    memset(level, 0, ((size_t)t->levels + 2) * sizeof *level);
    for (int32_t a = 0; a < t->count; a++) level[t->depth[a] + 2]++;
    for (int32_t l = 2; l <= t->levels; l++) level[l] += level[l - 1];
    for (int32_t a = 0; a < t->count; a++) sorted[level[t->depth[a] + 1]++] = a;
    distribute(s, t, r, level, sorted);
done:
    gsolve_free(ctx, GSOLVE_HOST, level);
    gsolve_free(ctx, GSOLVE_HOST, sorted);
    return status;
}

gsolve_status gs_schedule_create(gs_schedule *out, gsolve_context *ctx, bool upper, int32_t n,
                                 const int64_t *start, const int32_t *col)
{
    const rows r = {upper, n, start, col};
    gs_schedule s = {.threads = 1};
    tiling t = {0};
    gsolve_status status = GSOLVE_OK;

    if (n >= MIN_ROWS) {
        ALLOC(ctx, GSOLVE_HOST, t.first, (size_t)n + 1);
        ALLOC(ctx, GSOLVE_HOST, t.tile, n);
        ALLOC(ctx, GSOLVE_HOST, t.depth, n);
        s.threads = choose_tiles(&t, &r, gsolve_threads(ctx));
        if (s.threads > 0) TRY(fill(&s, ctx, &t, &r));
    }
    *out = s;
    memset(&s, 0, sizeof s);
done:
    gs_schedule_destroy(&s, ctx);
    gsolve_free(ctx, GSOLVE_HOST, t.first);
    gsolve_free(ctx, GSOLVE_HOST, t.tile);
    gsolve_free(ctx, GSOLVE_HOST, t.depth);
    return status;
}

void gs_schedule_destroy(gs_schedule *s, gsolve_context *ctx)
{
    gsolve_free(ctx, GSOLVE_HOST, s->row);
    gsolve_free(ctx, GSOLVE_HOST, s->begin);
    memset(s, 0, sizeof *s);
}

/* --- running a schedule ----------------------------------------------------------------------- */

int gs_schedule_workers(const gs_schedule *s)
{
    return s->threads < 1 ? 1 : s->threads < MAX_WORKERS ? s->threads : MAX_WORKERS;
}

/* A barrier for the threads of a parallel region that meet every few microseconds. A thread spins
 * for BARRIER_SPINS rounds, then yields its processor in each round: on a busy machine the last
 * thread may need that processor. OpenMP's barrier costs a time slice of 4 ms then. */
typedef struct spin_barrier { /* initialise to zero */
    atomic_int arrived, round;
} spin_barrier;

/* Returns when `threads` threads have called it. */
static void wait_for_all(spin_barrier *b, int threads)
{
    const int round = atomic_load_explicit(&b->round, memory_order_acquire);

    if (atomic_fetch_add_explicit(&b->arrived, 1, memory_order_acq_rel) == threads - 1) {
        atomic_store_explicit(&b->arrived, 0, memory_order_relaxed);
        atomic_store_explicit(&b->round, round + 1, memory_order_release);
        return;
    }
    for (int spins = 0; atomic_load_explicit(&b->round, memory_order_acquire) == round; spins++) {
        if (spins >= BARRIER_SPINS) sched_yield();
    }
}

void gs_schedule_run(const gs_schedule *s, int workers, int32_t n, gs_row_range *range, void *data)
{
    spin_barrier barrier = {0};

    if (s->threads <= 1) {
        range(data, 0, 0, n);
        return;
    }
#pragma omp parallel num_threads(gs_usable_threads(workers))
    for (int32_t level = 0; level < s->levels; level++) {
        const int me = omp_get_thread_num(), threads = omp_get_num_threads();
        for (int share = me; share < s->threads; share += threads) {
            const int32_t *begin = &s->begin[(int64_t)level * s->threads + share];
            range(data, me, begin[0], begin[1]);
        }
        wait_for_all(&barrier, threads);
    }
}
