/* gustavson.h: row by row on the CPU: F.G. Gustavson, Two fast algorithms for sparse matrices
 * (1978). A first pass counts the columns of each row; a stamp marks the columns that have been
 * counted. A second pass collects the columns and sums of a row in the order in which they occur,
 * and sorts them. An update knows the sorted columns and adds each product at its column's
 * position. */
#ifndef GS_SPGEMM_GUSTAVSON_GUSTAVSON_H
#define GS_SPGEMM_GUSTAVSON_GUSTAVSON_H

#include "spgemm/spgemm.h"

/* The work arrays of one thread; B has n columns. */
typedef struct gs_gustavson_work {
    uint32_t *stamp; /* n: the last row that contained each column */
    uint32_t *slot;  /* n: the position of each column in the current row of C */
    uint64_t *bit;   /* one for each column, and one for each 64 of these; 0 between rows */
    int32_t *list;   /* the columns of a row in the order in which they occur */
    void *sum;       /* their sums, of C's type */
} gs_gustavson_work;

/* Rows of up to this many entries are sorted by rank. list and sum have this many elements more
 * than the longest row. */
#define GS_RANKED 64

/* The number of columns of row i of A B. stamp: not 0, and different from that of every earlier
 * row. */
int32_t gs_gustavson_count(const gsolve_csr *A, const gsolve_csr *B, int32_t i, uint32_t stamp,
                           uint32_t *stamps);

/* rank[k] = how many of list[0..n) are smaller than list[k]; n <= GS_RANKED. */
void gs_gustavson_rank(int32_t n, const int32_t *list, int32_t *rank);

/* sorted[0..n) = work->list[0..n) in ascending order. */
void gs_gustavson_sort(int32_t n, const gs_gustavson_work *work, int32_t ncols, int32_t *sorted);

/* The number of elements of gs_gustavson_work.bit. */
static inline size_t gs_gustavson_bit_words(int32_t ncols)
{
    const size_t words = (size_t)ncols / 64 + 1;
    return words + words / 64 + 1;
}

typedef struct gs_gustavson_kernels {
    /* Computes C's row i, whose offsets are set; returns its number of entries. All slots are below
     * base. */
    uint32_t (*make_row)(const gsolve_csr *A, const gsolve_csr *B, const gs_csr_arrays *C,
                         int32_t i, uint32_t base, const gs_gustavson_work *work);
    /* Recomputes C's values in row i; the contents of slot are undefined afterwards */
    void (*sum_row)(const gsolve_csr *A, const gsolve_csr *B, const gs_csr_arrays *C, int32_t i,
                    uint32_t *slot);
} gs_gustavson_kernels;

extern const gs_gustavson_kernels gs_gustavson_host[GSOLVE_TYPE_COUNT];

#endif
