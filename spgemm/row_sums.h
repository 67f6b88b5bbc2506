/* row_sums.h: a row of a product on the CPU: the sums of its columns, in the order in which the
 * columns occur, and their sort. */
#ifndef GS_SPGEMM_ROW_SUMS_H
#define GS_SPGEMM_ROW_SUMS_H

#include <string.h>

#include "matrix/csr.h"

typedef struct gs_row_sums {
    uint32_t *slot; /* of each column: base + its position in list, or a number below base */
    uint32_t base, n;
    int32_t *list; /* the n columns of the row */
    void *sum;     /* their sums, of the matrices' type */
    uint64_t *bit; /* one for each column, and one for each 64 of these; 0 between rows */
} gs_row_sums;

/* Rows of up to this many entries are sorted by rank. list has this many elements more than the
 * longest row. */
#define GS_RANKED 64

/* The number of elements of gs_row_sums.bit. */
static inline size_t gs_row_bit_words(int32_t ncols)
{
    const size_t words = (size_t)ncols / 64 + 1;
    return words + words / 64 + 1;
}

/* Begins a row: afterwards all slots are below base. */
static inline void gs_row_begin(gs_row_sums *g, int32_t ncols)
{
    g->base += g->n;
    g->n = 0;
    if (g->base > UINT32_MAX - (uint32_t)ncols) { /* slots of this row could exceed 32 bits */
        memset(g->slot, 0, (size_t)ncols * sizeof *g->slot);
        g->base = 1;
    }
}

/* Allocates list and sum for rows of up to `longest` entries. */
gsolve_status gs_row_new_lists(gs_row_sums *g, gsolve_context *ctx, int32_t longest,
                               gsolve_type type);
void gs_row_drop_lists(gs_row_sums *g, gsolve_context *ctx); /* list, sum and bit */

typedef struct gs_row_kernels {
    /* *g = the sum of f[k] times row j[k] of B for from <= k < to. Returns the number of products.
     */
    int64_t (*gather)(gs_row_sums *g, const gsolve_csr *B, const int32_t *j, const void *f,
                      int64_t from, int64_t to);
    /* col, value = the row g with ascending columns, which are below ncols */
    void (*store)(const gs_row_sums *g, int32_t ncols, int32_t *col, void *value);
    /* col = the columns of the row g, ascending */
    void (*sort)(const gs_row_sums *g, int32_t ncols, int32_t *col);
    /* Recomputes C's values in row i as gather does; the contents of slot are undefined afterwards.
     */
    void (*refill)(const gs_csr_arrays *C, int32_t i, uint32_t *slot, const gsolve_csr *B,
                   const int32_t *j, const void *f, int64_t from, int64_t to);
} gs_row_kernels;

extern const gs_row_kernels GS_HOST_TABLES(gs_row);

#endif
