/* esc_segments.h: the expansion on the CPU, in segments. A segment holds the products of a row of
 * C, or, where these exceed the memory for one segment, those in a range of its columns. */
#ifndef GS_SPGEMM_ESC_ESC_SEGMENTS_H
#define GS_SPGEMM_ESC_ESC_SEGMENTS_H

#include "spgemm/esc/esc.h"

#define GS_ESC_FIRST (UINT32_C(1) << 31) /* marks in order the first term of an entry of C */

struct gs_esc_plan {
    int64_t *first;  /* nrows + 1: products of the rows before */
    uint32_t *order; /* the number of each product in its segment, sorted; NULL: not kept */
    int32_t *begin;  /* tiles + 1: the first row of each tile */
    int tiles, threads;
    int64_t capacity; /* the most products of a segment */
    int32_t runs;     /* the most entries of a row of A */
    void *sources;    /* threads x capacity x (GS_ESC_SOURCE + sizeof *order) bytes */
    char *sorting;    /* threads x gs_esc_sorting(plan) bytes; NULL after multiply */
};

#define GS_ESC_SOURCE 16 /* bytes: a value and a column, or pointers to two blocks */

/* A thread's work space: the sources of a segment's products, and its order if the plan has none.
 */
static inline void *gs_esc_own_sources(const gs_esc_plan *plan, int thread)
{
    return (char *)plan->sources + (size_t)thread * (size_t)plan->capacity * GS_ESC_SOURCE;
}

static inline uint32_t *gs_esc_own_order(const gs_esc_plan *plan, int thread)
{
    return (uint32_t *)gs_esc_own_sources(plan, plan->threads) + (int64_t)thread * plan->capacity;
}

typedef struct gs_esc_segment {
    int32_t from, to; /* columns */
    int64_t products;
} gs_esc_segment;

/* The entries of row j of B in a segment. */
typedef struct gs_esc_span {
    int64_t from, to;
} gs_esc_span;

static inline gs_esc_span gs_esc_span_of(const gsolve_csr *B, int32_t j,
                                         const gs_esc_segment *segment)
{
    gs_esc_span span = {gs_start(B, j), gs_start(B, j + 1)};
    const int32_t bound[2] = {segment->from, segment->to};
    int64_t at[2] = {span.from, span.to};

    if (bound[0] == 0 && bound[1] == B->ncols) return span;
    for (int k = 0; k < 2; k++) { /* the first entry in a column not below the bound */
        int64_t low = span.from, high = span.to;
        while (low < high) {
            const int64_t middle = low + (high - low) / 2;
            if (B->col[middle] < bound[k]) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        at[k] = low;
    }
    return (gs_esc_span){at[0], at[1]};
}

/* The next segment of row i after *segment, which begins as {0}; false: there is none. */
bool gs_esc_next_segment(const gs_esc_plan *plan, const gsolve_csr *A, const gsolve_csr *B,
                         int32_t i, gs_esc_segment *segment);

/* Sorts a segment of row i: sets order. Returns the number of entries of C in the segment. space:
 * gs_esc_sorting(plan) bytes. */
int64_t gs_esc_sort_segment(const gs_esc_plan *plan, const gsolve_csr *A, const gsolve_csr *B,
                            int32_t i, const gs_esc_segment *segment, char *space, uint32_t *order);

/* The bytes that a thread needs to sort a segment. */
size_t gs_esc_sorting(const gs_esc_plan *plan);

/* *plan = a plan, and *C = C with its offsets; columns and values are unset. memory: as in
 * gs_esc_kernels. keep: the plan keeps the order even if it exceeds the memory. */
gsolve_status gs_esc_plan_host(gs_esc_plan **plan, gs_blocked *C, gs_product_work *stats,
                               gsolve_context *ctx, const gs_blocked *A, const gs_blocked *B,
                               double memory, bool keep);
void gs_esc_drop_host(gs_esc_plan *plan, gsolve_context *ctx);

#endif
