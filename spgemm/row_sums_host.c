/* row_sums_host.c: the sums of the columns of a row, and their sort; instances of row_sums_body.h.
 */
#include "spgemm/row_sums.h"

#include <stdlib.h>
#include <string.h>

/* --- the order -------------------------------------------------------------------------------- */

typedef int32_t lanes __attribute__((vector_size(32))); /* 8 of them */

/* Ranks n <= 8 vectors elements. The elements behind them are read, but their ranks are not used.
 * Each caller passes a constant for vectors, 1 to 8. */
__attribute__((always_inline)) static inline void rank_in(int vectors, int32_t n,
                                                          const int32_t *restrict list,
                                                          int32_t *restrict to)
{
    lanes key[GS_RANKED / 8], rank[GS_RANKED / 8] = {{0}};

    __builtin_memcpy(key, list, (size_t)vectors * sizeof *key);
    for (int32_t s = 0; s < n; s++) {
        const lanes one = (lanes){0} + list[s];
#pragma GCC unroll 8
        for (int v = 0; v < vectors; v++) rank[v] -= key[v] > one; /* true is -1 */
    }
    __builtin_memcpy(to, rank, (size_t)vectors * sizeof *rank);
}

/* rank[k] = how many of list[0..n) are smaller than list[k]; n <= GS_RANKED. */
static void rank_columns(int32_t n, const int32_t *list, int32_t *rank)
{
    if (n <= 8) {
        rank_in(1, n, list, rank);
    } else if (n <= 16) {
        rank_in(2, n, list, rank);
    } else if (n <= 32) {
        rank_in(4, n, list, rank);
    } else {
        rank_in(8, n, list, rank);
    }
}

static int compare(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* Sets a bit for each column in bit, and a bit for each used word of bit in top. Then reads the
 * bits in order and clears them. */
static void sort_by_bits(int32_t n, const int32_t *list, uint64_t *restrict bit,
                         uint64_t *restrict top, int32_t first, int32_t last,
                         int32_t *restrict sorted)
{
    for (int32_t s = 0; s < n; s++) {
        bit[list[s] >> 6] |= (uint64_t)1 << (list[s] & 63);
        top[list[s] >> 12] |= (uint64_t)1 << (list[s] >> 6 & 63);
    }
    for (int32_t w = first >> 12; w <= last >> 12; w++) {
        for (uint64_t words = top[w]; words; words &= words - 1) {
            const int32_t at = w * 64 + __builtin_ctzll(words);
            for (uint64_t bits = bit[at]; bits; bits &= bits - 1) {
                *sorted++ = at * 64 + __builtin_ctzll(bits);
            }
            bit[at] = 0;
        }
        top[w] = 0;
    }
}

/* sorted[0..g->n) = the columns of g in ascending order, n > 0. */
static void sort_columns(const gs_row_sums *g, int32_t ncols, int32_t *sorted)
{
    const int32_t *list = g->list, n = (int32_t)g->n;
    int32_t first = INT32_MAX, last = 0;

    for (int32_t s = 0; s < n; s++) {
        first = list[s] < first ? list[s] : first;
        last = list[s] > last ? list[s] : last;
    }
    if ((last >> 12) - (first >> 12) < 16 * (int64_t)n) {
        sort_by_bits(n, list, g->bit, g->bit + ncols / 64 + 1, first, last, sorted);
    } else { /* a search for the bits would take longer */
        memcpy(sorted, list, (size_t)n * sizeof *list);
        qsort(sorted, (size_t)n, sizeof *sorted, compare);
    }
}

static void sort(const gs_row_sums *g, int32_t ncols, int32_t *restrict sorted)
{
    int32_t rank[GS_RANKED];

    if (g->n > GS_RANKED) {
        sort_columns(g, ncols, sorted);
        return;
    }
    rank_columns((int32_t)g->n, g->list, rank);
    for (uint32_t t = 0; t < g->n; t++) sorted[rank[t]] = g->list[t];
}

/* --- the sums --------------------------------------------------------------------------------- */

#define GS_BODY "spgemm/row_sums_body.h"
#include "core/each_type.h"

const gs_row_kernels GS_LEVEL(gs_row_host)[GSOLVE_TYPE_COUNT] = {
    {gather_f32, store_f32, sort, refill_f32}, {gather_f64, store_f64, sort, refill_f64}};
