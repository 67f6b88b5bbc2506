/* esc_host.c: expansion, sort and compression on the CPU, in segments. A segment holds the products
 * of a row of C, or, where these exceed the memory for one segment, those in a range of its
 * columns. The products with one row of B form a run of ascending columns; neighbouring runs are
 * merged until one remains. A key is the column and, below it, the number of the product, so that
 * equal columns keep their order. */
#include "spgemm/esc/esc.h"

#include <omp.h>
#include <string.h>

#include "core/try.h"
#define SMALL static inline
#include "matrix/row_rule.h"
#undef SMALL

#define FIRST_TERM (UINT32_C(1) << 31) /* marks in order the first term of an entry of C */

typedef struct esc_plan {
    int64_t *first;  /* nrows + 1: products of the rows before */
    uint32_t *order; /* the number of each product in its segment, sorted; NULL: not kept */
    int32_t *begin;  /* tiles + 1: the first row of each tile */
    int tiles, threads;
    int64_t capacity; /* the most products of a segment */
    int32_t runs;     /* the most entries of a row of A */
    void *sources;    /* threads x capacity x (SOURCE_BYTES + sizeof *order) bytes */
    char *sorting;    /* threads x sorting_bytes(plan) bytes; NULL after multiply */
} esc_plan;

#define SOURCE_BYTES 16 /* bytes: a value and a column, or pointers to two blocks */

/* A thread's work space: the sources of a segment's products, and its order if the plan has none.
 */
static void *own_sources(const esc_plan *plan, int thread)
{
    return (char *)plan->sources + (size_t)thread * (size_t)plan->capacity * SOURCE_BYTES;
}

static uint32_t *own_order(const esc_plan *plan, int thread)
{
    return (uint32_t *)own_sources(plan, plan->threads) + (int64_t)thread * plan->capacity;
}

typedef struct column_range {
    int32_t from, to; /* columns */
    int64_t products;
} column_range;

/* The entries of row j of B in a segment. */
typedef struct entry_range {
    int64_t from, to;
} entry_range;

static entry_range span_of(const gsolve_csr *B, int32_t j, const column_range *segment)
{
    entry_range span = {gs_start(B, j), gs_start(B, j + 1)};

    if (segment->from > 0) span.from = gs_row_first(B->col, span.from, span.to, segment->from);
    if (segment->to < B->ncols) span.to = gs_row_first(B->col, span.from, span.to, segment->to);
    return span;
}

#define TILE 16384 /* the approximate number of products in the rows of a tile */

/* --- segments --------------------------------------------------------------------------------- */

static int64_t products_of(const gsolve_csr *A, const gsolve_csr *B, int32_t i,
                           const column_range *segment)
{
    int64_t products = 0;

    for (int64_t k = gs_start(A, i); k < gs_start(A, i + 1); k++) {
        const entry_range span = span_of(B, A->col[k], segment);
        products += span.to - span.from;
    }
    return products;
}

/* Makes the segment as wide as its memory allows. A single column always fits: it has at most as
 * many products as A's row has entries. */
static void widen(const esc_plan *plan, const gsolve_csr *A, const gsolve_csr *B, int32_t i,
                  column_range *segment)
{
    int32_t fits = segment->from + 1, most = B->ncols;

    while (fits < most) {
        const int32_t middle = fits + (most - fits + 1) / 2;
        segment->to = middle;
        if (products_of(A, B, i, segment) <= plan->capacity) {
            fits = middle;
        } else {
            most = middle - 1;
        }
    }
    segment->to = fits;
    segment->products = products_of(A, B, i, segment);
}

/* The next segment of row i after *segment, which begins as {0}; false: there is none. */
static bool next_segment(const esc_plan *plan, const gsolve_csr *A, const gsolve_csr *B, int32_t i,
                         column_range *segment)
{
    const int64_t all = plan->first[i + 1] - plan->first[i];

    if (all == 0 || segment->to == B->ncols) return false;
    segment->from = segment->to;
    if (all <= plan->capacity) {
        segment->to = B->ncols;
        segment->products = all;
    } else {
        widen(plan, A, B, i, segment);
    }
    return true;
}

/* --- the sort of a segment -------------------------------------------------------------------- */

typedef struct merge_state {
    uint64_t *key[2]; /* plan->capacity elements each */
    uint32_t *run;    /* runs + 1: the begin of each run, and the end of the last */
    int64_t runs;
} merge_state;

/* The bytes that a thread needs to sort a segment. */
static size_t sorting_bytes(const esc_plan *plan)
{
    const size_t keys = (size_t)plan->capacity * sizeof(uint64_t);
    return (2 * keys + ((size_t)plan->runs + 1) * sizeof(uint32_t) + 63) / 64 * 64;
}

static merge_state merge_state_in(const esc_plan *plan, char *space)
{
    uint64_t *key = (uint64_t *)(void *)space;
    return (merge_state){
        {key, key + plan->capacity}, (uint32_t *)(void *)(key + 2 * plan->capacity), 0};
}

/* Writes the keys of the segment's products, and the begins of their runs. */
static void expand(merge_state *m, const gsolve_csr *A, const gsolve_csr *B, int32_t i,
                   const column_range *segment)
{
    uint64_t *key = m->key[0];
    uint32_t p = 0;

    for (int64_t k = gs_start(A, i); k < gs_start(A, i + 1); k++) {
        const entry_range span = span_of(B, A->col[k], segment);
        if (span.from < span.to) m->run[m->runs++] = p;
        for (int64_t b = span.from; b < span.to; b++, p++) {
            key[p] = (uint64_t)(uint32_t)B->col[b] << 32 | p;
        }
    }
    m->run[m->runs] = p;
}

/* to[from..end) = the runs key[from..middle) and key[middle..end), merged. */
static void merge(const uint64_t *key, int64_t from, int64_t middle, int64_t end, uint64_t *to)
{
    int64_t a = from, b = middle, at = from;

    while (a < middle && b < end) {
        const uint64_t x = key[a], y = key[b];
        const bool left = x < y;
        to[at++] = left ? x : y;
        a += left;
        b += !left;
    }
    for (; a < middle; a++) to[at++] = key[a];
    for (; b < end; b++) to[at++] = key[b];
}

/* Merges neighbouring runs until one remains; returns its keys. */
static const uint64_t *merge_all(merge_state *m)
{
    int side = 0;

    for (; m->runs > 1; side = !side) {
        const uint32_t end = m->run[m->runs];
        int64_t left = 0;
        for (int64_t r = 0; r < m->runs; r += 2, left++) {
            const int64_t from = m->run[r], middle = m->run[r + 1];
            const int64_t to = r + 1 < m->runs ? m->run[r + 2] : middle;
            merge(m->key[side], from, middle, to, m->key[!side]);
            m->run[left] = (uint32_t)from;
        }
        m->run[left] = end;
        m->runs = left;
    }
    return m->key[side];
}

/* Sorts a segment of row i: sets order. Returns the number of entries of C in the segment. space:
 * sorting_bytes(plan) bytes. */
static int64_t sort_segment(const esc_plan *plan, const gsolve_csr *A, const gsolve_csr *B,
                            int32_t i, const column_range *segment, char *space, uint32_t *order)
{
    merge_state m = merge_state_in(plan, space);
    const uint64_t *key;
    int64_t entries = 0, before = -1;

    expand(&m, A, B, i, segment);
    key = merge_all(&m);
    for (int64_t p = 0; p < segment->products; p++) {
        const int64_t column = (int64_t)(key[p] >> 32);
        const bool new = column != before;
        order[p] = (uint32_t)key[p] | (new ? FIRST_TERM : 0);
        entries += new;
        before = column;
    }
    return entries;
}

/* --- the plan --------------------------------------------------------------------------------- */

static void destroy(void *all, gsolve_context *ctx)
{
    esc_plan *plan = all;

    if (!plan) return;
    gsolve_free(ctx, GSOLVE_HOST, plan->first);
    gsolve_free(ctx, GSOLVE_HOST, plan->order);
    gsolve_free(ctx, GSOLVE_HOST, plan->begin);
    gsolve_free(ctx, GSOLVE_HOST, plan->sources);
    gsolve_free(ctx, GSOLVE_HOST, plan->sorting);
    gsolve_free(ctx, GSOLVE_HOST, plan);
}

/* Sets plan->first and plan->runs. Returns the products of the row of C that has most. */
static int64_t count_products(esc_plan *plan, const gsolve_csr *A, const gsolve_csr *B)
{
    const column_range all = {0, B->ncols, 0};
    int64_t longest = 0;
    int32_t runs = 0;

#pragma omp parallel for schedule(static) num_threads(plan->threads) reduction(max : runs)
    for (int32_t i = 0; i < A->nrows; i++) {
        const int32_t length = (int32_t)(gs_start(A, i + 1) - gs_start(A, i));
        plan->first[i + 1] = products_of(A, B, i, &all);
        if (length > runs) runs = length;
    }
    plan->first[0] = 0;
    for (int32_t i = 0; i < A->nrows; i++) {
        if (plan->first[i + 1] > longest) longest = plan->first[i + 1];
        plan->first[i + 1] += plan->first[i];
    }
    plan->runs = runs;
    return longest;
}

/* The first row of tile t: the first row with at least TILE t products before it. */
static int32_t first_row(const esc_plan *plan, int32_t nrows, int t)
{
    int32_t low = 0, high = nrows;

    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (plan->first[middle] < (int64_t)t * TILE) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Sets the tiles and the capacity of a segment. Allocates the work space, and plan->order if it is
 * kept. */
static gsolve_status plan_segments(esc_plan *plan, gsolve_context *ctx, const gs_blocked *A,
                                   const gs_blocked *B, const gs_esc_options *options, bool keep)
{
    const int32_t n = A->csr.nrows;
    const int64_t longest = count_products(plan, &A->csr, &B->csr), products = plan->first[n];
    const int64_t most = INT32_MAX / 2;
    const double bytes = gs_esc_memory(options, A, gs_start(&A->csr, n), B,
                                       gs_start(&B->csr, B->csr.nrows), products);
    const double of_thread = bytes / plan->threads / (2 * sizeof(uint64_t) + SOURCE_BYTES + 4);
    gsolve_status status;

    plan->capacity = of_thread < (double)most ? (int64_t)of_thread : most;
    if (plan->capacity > longest) plan->capacity = longest;
    if (plan->capacity < plan->runs) plan->capacity = plan->runs;
    if (plan->capacity < 1) plan->capacity = 1;
    plan->tiles = (int)((products + TILE - 1) / TILE);
    ALLOC(ctx, GSOLVE_HOST, plan->begin, (size_t)plan->tiles + 1);
    for (int t = 0; t < plan->tiles; t++) plan->begin[t] = first_row(plan, n, t);
    plan->begin[plan->tiles] = n;
    plan->sorting = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)plan->threads, sorting_bytes(plan));
    if (!plan->sorting) return GSOLVE_NO_MEMORY;
    plan->sources = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)plan->threads * (size_t)plan->capacity,
                                 SOURCE_BYTES + sizeof *plan->order);
    if (!plan->sources) return GSOLVE_NO_MEMORY;
    if (keep || (double)products * sizeof *plan->order <= bytes) {
        ALLOC(ctx, GSOLVE_HOST, plan->order, products);
    }
done:
    return status;
}

/* Sorts the rows of a tile. Sets their part of plan->order, if it is kept, and entries[i + 1] = the
 * entries of row i of C. */
static void sort_tile(const esc_plan *plan, const gsolve_csr *A, const gsolve_csr *B, int tile,
                      int thread, int64_t *entries)
{
    char *space = plan->sorting + (size_t)thread * sorting_bytes(plan);

    for (int32_t i = plan->begin[tile]; i < plan->begin[tile + 1]; i++) {
        column_range segment = {0};
        int64_t at = plan->first[i], count = 0;
        while (next_segment(plan, A, B, i, &segment)) {
            uint32_t *order = plan->order ? plan->order + at : own_order(plan, thread);
            count += sort_segment(plan, A, B, i, &segment, space, order);
            at += segment.products;
        }
        entries[i + 1] = count;
    }
}

static gsolve_status count_entries(const esc_plan *plan, gs_blocked *C, gsolve_context *ctx,
                                   const gs_blocked *A, const gs_blocked *B)
{
    const int32_t n = A->csr.nrows;
    gs_blocked made = {A->csr, A->height, B->width};
    int64_t *entries = NULL;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, entries, (size_t)n + 1);
    memset(entries, 0, ((size_t)n + 1) * sizeof *entries);
#pragma omp parallel for schedule(dynamic) num_threads(plan->threads)
    for (int t = 0; t < plan->tiles; t++) {
        sort_tile(plan, &A->csr, &B->csr, t, omp_get_thread_num(), entries);
    }
    for (int32_t i = 0; i < n; i++) entries[i + 1] += entries[i];
    made.csr.ncols = B->csr.ncols;
    made.csr.offset = entries[n] > INT32_MAX ? GSOLVE_O64 : GSOLVE_O32;
    TRY(gs_csr_new_arrays(&made.csr, ctx, entries[n], (int64_t)made.height * made.width));
    const gs_csr_arrays to = gs_csr_arrays_of(ctx, &made.csr);
    for (int32_t i = 0; i <= n; i++) gs_set_start(&to, i, entries[i]);
    *C = made;
done:
    gsolve_free(ctx, GSOLVE_HOST, entries);
    return status;
}

/* *plan = a plan, and *C = C with its offsets; columns and values are unset. keep: the plan keeps
 * the order even if it exceeds the memory. */
static gsolve_status make_plan(esc_plan **out, gs_blocked *C, gs_product_work *stats,
                               gsolve_context *ctx, const gs_blocked *A, const gs_blocked *B,
                               const gs_esc_options *options, bool keep)
{
    const int32_t n = A->csr.nrows;
    esc_plan *plan = NULL;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, plan, 1);
    *plan = (esc_plan){.threads = gsolve_threads(ctx)};
    ALLOC(ctx, GSOLVE_HOST, plan->first, (size_t)n + 1);
    TRY(plan_segments(plan, ctx, A, B, options, keep));
    TRY(count_entries(plan, C, ctx, A, B));
    stats->products = plan->first[n];
    stats->bands = 1;
    if (!plan->order) {
        const double bands = (double)stats->products / ((double)plan->capacity * plan->threads);
        stats->bands = bands < INT32_MAX ? (int)bands + 1 : INT32_MAX;
    }
    *out = plan;
    plan = NULL;
done:
    destroy(plan, ctx);
    return status;
}

/* --- the values ------------------------------------------------------------------------------- */

#define GS_BODY "spgemm/esc/esc_body.h"
#include "core/each_type.h"

const gs_product_kernels GS_LEVEL(gs_esc_host)[GSOLVE_TYPE_COUNT] = {
    {multiply_f32, update_f32, destroy}, {multiply_f64, update_f64, destroy}};
