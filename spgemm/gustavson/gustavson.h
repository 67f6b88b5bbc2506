/* gustavson.h: row by row on the CPU: F.G. Gustavson, Two fast algorithms for sparse matrices
 * (1978). A row of C is found in three steps: which columns (each told once, by a stamp), in which
 * order, and the sums, each at its column's place in the row. */
#ifndef GS_GUSTAVSON_H
#define GS_GUSTAVSON_H

#include "spgemm/spgemm.h"

/* What one thread works with; B has n columns. */
typedef struct gs_bench {
    uint32_t *stamp; /* n: of the row that met the column last */
    int32_t *slot;   /* n: the place of a column in the row of C that is summed */
    uint64_t *bit;   /* one for each column, and one for each 64 of these; 0 between rows */
    int32_t *list;   /* the columns of a row, as they are met */
} gs_bench;

/* The list has room for a row's columns and this many more. */
#define GS_LIST_MORE 64

/* The number of columns of row i of A B; list, unless NULL, gets them. stamp: not 0, and of no row
 * before. */
int32_t gs_gustavson_columns(const gsolve_csr *A, const gsolve_csr *B, int32_t i, uint32_t stamp,
                             uint32_t *seen, int32_t *list);

/* sorted[0..n) = bench->list[0..n) in ascending order. */
void gs_gustavson_sort(int32_t n, const gs_bench *bench, int32_t ncols, int32_t *sorted);

/* Words of a bench's bits. */
static inline size_t gs_bench_words(int32_t ncols)
{
    const size_t words = (size_t)ncols / 64 + 1;
    return words + words / 64 + 1;
}

typedef struct gs_gustavson_kernels {
    /* C's values in row i */
    void (*sum_row)(const gsolve_csr *A, const gsolve_csr *B, const gsolve_csr *C, int32_t i,
                    int32_t *slot);
} gs_gustavson_kernels;

extern const gs_gustavson_kernels gs_gustavson_host[GSOLVE_TYPE_COUNT];

#endif
