/* esc_segments.c: expansion and sort of patterns on the CPU. The products with one row of B form a
 * run of ascending columns; neighbouring runs are merged until one remains. A key is the column
 * and, below it, the number of the product, so that equal columns keep their order. */
#include "spgemm/esc/esc_segments.h"

#include <omp.h>
#include <string.h>

#include "core/try.h"

#define TILE 16384 /* the approximate number of products in the rows of a tile */

/* --- segments --------------------------------------------------------------------------------- */

static int64_t products_of(const gsolve_csr *A, const gsolve_csr *B, int32_t i,
                           const gs_esc_segment *segment)
{
    int64_t products = 0;

    for (int64_t k = gs_start(A, i); k < gs_start(A, i + 1); k++) {
        const gs_esc_span span = gs_esc_span_of(B, A->col[k], segment);
        products += span.to - span.from;
    }
    return products;
}

/* Makes the segment as wide as its memory allows. A single column always fits: it has at most as
 * many products as A's row has entries. */
static void widen(const gs_esc_plan *plan, const gsolve_csr *A, const gsolve_csr *B, int32_t i,
                  gs_esc_segment *segment)
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

bool gs_esc_next_segment(const gs_esc_plan *plan, const gsolve_csr *A, const gsolve_csr *B,
                         int32_t i, gs_esc_segment *segment)
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

size_t gs_esc_sorting(const gs_esc_plan *plan)
{
    const size_t keys = (size_t)plan->capacity * sizeof(uint64_t);
    return (2 * keys + ((size_t)plan->runs + 1) * sizeof(uint32_t) + 63) / 64 * 64;
}

static merge_state merge_state_in(const gs_esc_plan *plan, char *space)
{
    uint64_t *key = (uint64_t *)(void *)space;
    return (merge_state){
        {key, key + plan->capacity}, (uint32_t *)(void *)(key + 2 * plan->capacity), 0};
}

/* Writes the keys of the segment's products, and the begins of their runs. */
static void expand(merge_state *m, const gsolve_csr *A, const gsolve_csr *B, int32_t i,
                   const gs_esc_segment *segment)
{
    uint64_t *key = m->key[0];
    uint32_t p = 0;

    for (int64_t k = gs_start(A, i); k < gs_start(A, i + 1); k++) {
        const gs_esc_span span = gs_esc_span_of(B, A->col[k], segment);
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

int64_t gs_esc_sort_segment(const gs_esc_plan *plan, const gsolve_csr *A, const gsolve_csr *B,
                            int32_t i, const gs_esc_segment *segment, char *space, uint32_t *order)
{
    merge_state m = merge_state_in(plan, space);
    const uint64_t *key;
    int64_t entries = 0, before = -1;

    expand(&m, A, B, i, segment);
    key = merge_all(&m);
    for (int64_t p = 0; p < segment->products; p++) {
        const int64_t column = (int64_t)(key[p] >> 32);
        const bool new = column != before;
        order[p] = (uint32_t)key[p] | (new ? GS_ESC_FIRST : 0);
        entries += new;
        before = column;
    }
    return entries;
}

/* --- the plan --------------------------------------------------------------------------------- */

void gs_esc_drop_host(gs_esc_plan *plan, gsolve_context *ctx)
{
    if (!plan) return;
    gsolve_free(ctx, GSOLVE_HOST, plan->first);
    gsolve_free(ctx, GSOLVE_HOST, plan->order);
    gsolve_free(ctx, GSOLVE_HOST, plan->begin);
    gsolve_free(ctx, GSOLVE_HOST, plan->sources);
    gsolve_free(ctx, GSOLVE_HOST, plan->sorting);
    gsolve_free(ctx, GSOLVE_HOST, plan);
}

/* Sets plan->first and plan->runs. Returns the products of the row of C that has most. */
static int64_t count_products(gs_esc_plan *plan, const gsolve_csr *A, const gsolve_csr *B)
{
    const gs_esc_segment all = {0, B->ncols, 0};
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
static int32_t first_row(const gs_esc_plan *plan, int32_t nrows, int t)
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
static gsolve_status plan_segments(gs_esc_plan *plan, gsolve_context *ctx, const gs_blocked *A,
                                   const gs_blocked *B, double memory, bool keep)
{
    const int32_t n = A->csr.nrows;
    const int64_t longest = count_products(plan, &A->csr, &B->csr), products = plan->first[n];
    const int64_t most = INT32_MAX / 2;
    const double bytes = gs_esc_memory(memory, A, gs_start(&A->csr, n), B,
                                       gs_start(&B->csr, B->csr.nrows), products);
    const double of_thread = bytes / plan->threads / (2 * sizeof(uint64_t) + GS_ESC_SOURCE + 4);
    gsolve_status status;

    plan->capacity = of_thread < (double)most ? (int64_t)of_thread : most;
    if (plan->capacity > longest) plan->capacity = longest;
    if (plan->capacity < plan->runs) plan->capacity = plan->runs;
    if (plan->capacity < 1) plan->capacity = 1;
    plan->tiles = (int)((products + TILE - 1) / TILE);
    ALLOC(ctx, GSOLVE_HOST, plan->begin, (size_t)plan->tiles + 1);
    for (int t = 0; t < plan->tiles; t++) plan->begin[t] = first_row(plan, n, t);
    plan->begin[plan->tiles] = n;
    plan->sorting = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)plan->threads, gs_esc_sorting(plan));
    if (!plan->sorting) return GSOLVE_NO_MEMORY;
    plan->sources = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)plan->threads * (size_t)plan->capacity,
                                 GS_ESC_SOURCE + sizeof *plan->order);
    if (!plan->sources) return GSOLVE_NO_MEMORY;
    if (keep || (double)products * sizeof *plan->order <= bytes) {
        ALLOC(ctx, GSOLVE_HOST, plan->order, products);
    }
done:
    return status;
}

/* Sorts the rows of a tile. Sets their part of plan->order, if it is kept, and entries[i + 1] = the
 * entries of row i of C. */
static void sort_tile(const gs_esc_plan *plan, const gsolve_csr *A, const gsolve_csr *B, int tile,
                      int thread, int64_t *entries)
{
    char *space = plan->sorting + (size_t)thread * gs_esc_sorting(plan);

    for (int32_t i = plan->begin[tile]; i < plan->begin[tile + 1]; i++) {
        gs_esc_segment segment = {0};
        int64_t at = plan->first[i], count = 0;
        while (gs_esc_next_segment(plan, A, B, i, &segment)) {
            uint32_t *order = plan->order ? plan->order + at : gs_esc_own_order(plan, thread);
            count += gs_esc_sort_segment(plan, A, B, i, &segment, space, order);
            at += segment.products;
        }
        entries[i + 1] = count;
    }
}

static gsolve_status count_entries(const gs_esc_plan *plan, gs_blocked *C, gsolve_context *ctx,
                                   const gs_blocked *A, const gs_blocked *B)
{
    const int32_t n = A->csr.nrows;
    int64_t *entries = NULL;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, entries, (size_t)n + 1);
    memset(entries, 0, ((size_t)n + 1) * sizeof *entries);
#pragma omp parallel for schedule(dynamic) num_threads(plan->threads)
    for (int t = 0; t < plan->tiles; t++) {
        sort_tile(plan, &A->csr, &B->csr, t, omp_get_thread_num(), entries);
    }
    for (int32_t i = 0; i < n; i++) entries[i + 1] += entries[i];
    TRY(gs_esc_new(C, ctx, A, B, entries[n]));
    const gs_csr_arrays to = gs_csr_arrays_of(ctx, &C->csr);
    for (int32_t i = 0; i <= n; i++) gs_set_start(&to, i, entries[i]);
done:
    gsolve_free(ctx, GSOLVE_HOST, entries);
    return status;
}

gsolve_status gs_esc_plan_host(gs_esc_plan **out, gs_blocked *C, gs_product_work *stats,
                               gsolve_context *ctx, const gs_blocked *A, const gs_blocked *B,
                               double memory, bool keep)
{
    const int32_t n = A->csr.nrows;
    gs_esc_plan *plan = NULL;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, plan, 1);
    *plan = (gs_esc_plan){.threads = gsolve_threads(ctx)};
    ALLOC(ctx, GSOLVE_HOST, plan->first, (size_t)n + 1);
    TRY(plan_segments(plan, ctx, A, B, memory, keep));
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
    gs_esc_drop_host(plan, ctx);
    return status;
}
