/* gustavson_host.c: counts and sorts the columns of a row of C = A B; instances of
 * gustavson_body.h. */
#include "spgemm/gustavson/gustavson.h"

#include <stdlib.h>

#define GS_BODY "spgemm/gustavson/gustavson_body.h"
#include "core/each_type.h"

const gs_gustavson_kernels gs_gustavson_host[GSOLVE_TYPE_COUNT] = {{make_row_f32, sum_row_f32},
                                                                   {make_row_f64, sum_row_f64}};

int32_t gs_gustavson_count(const gsolve_csr *A, const gsolve_csr *B, int32_t i, uint32_t stamp,
                           uint32_t *restrict stamps)
{
    const int64_t a_end = gs_start(A, i + 1);
    int32_t n = 0;

    for (int64_t k = gs_start(A, i); k < a_end; k++) {
        const int64_t end = gs_start(B, A->col[k] + 1);
        for (int64_t q = gs_start(B, A->col[k]); q < end; q++) {
            n += stamps[B->col[q]] != stamp;
            stamps[B->col[q]] = stamp;
        }
    }
    return n;
}

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

void gs_gustavson_rank(int32_t n, const int32_t *list, int32_t *rank)
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

void gs_gustavson_sort(int32_t n, const gs_gustavson_work *work, int32_t ncols, int32_t *sorted)
{
    const int32_t *list = work->list;
    int32_t first = INT32_MAX, last = 0;

    for (int32_t s = 0; s < n; s++) {
        first = list[s] < first ? list[s] : first;
        last = list[s] > last ? list[s] : last;
    }
    if ((last >> 12) - (first >> 12) < 16 * (int64_t)n) {
        sort_by_bits(n, list, work->bit, work->bit + ncols / 64 + 1, first, last, sorted);
    } else { /* a search for the bits would take longer */
        __builtin_memcpy(sorted, list, (size_t)n * sizeof *list);
        qsort(sorted, (size_t)n, sizeof *sorted, compare);
    }
}
