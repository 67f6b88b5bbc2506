/* grouped.c: which rows of R have the same columns, and which columns of A and P come in runs. */
#include "spgemm/galerkin/grouped.h"

/* Whether the rows i, ..., i + rows - 1 have the same columns. */
static bool is_group(const gsolve_csr *R, int32_t i, int32_t rows)
{
    const int64_t begin = gs_start(R, i), length = gs_start(R, i + 1) - begin;

    for (int32_t m = 1; m < rows; m++) {
        const int64_t own = gs_start(R, i + m);
        if (gs_start(R, i + m + 1) - own != length) return false;
        if (memcmp(R->col + begin, R->col + own, (size_t)length * sizeof *R->col)) return false;
    }
    return true;
}

/* The most rows that all groups of R can have. */
static int32_t find_rows(const gsolve_csr *R)
{
    for (int32_t rows = GS_MAX_GROUP; rows > 1; rows--) {
        bool fits = R->nrows % rows == 0;
        for (int32_t i = 0; i < R->nrows && fits; i += rows) fits = is_group(R, i, rows);
        if (fits) return rows;
    }
    return 1;
}

static bool has_runs(const gsolve_csr *A, int32_t width)
{
    for (int32_t i = 0; i < A->nrows; i++) {
        const int64_t begin = gs_start(A, i), end = gs_start(A, i + 1);
        if ((end - begin) % width) return false;
        for (int64_t k = begin; k < end; k += width) {
            if (A->col[k] % width || A->col[k + width - 1] != A->col[k] + width - 1) return false;
        }
    }
    return true;
}

/* The most columns that all runs of A can have. */
static int32_t find_run(const gsolve_csr *A)
{
    int32_t width = GS_MAX_GROUP;

    while (width > 1 && !has_runs(A, width)) width--;
    return width;
}

/* A bound of the columns of R A in any group. */
static int32_t bound_columns(const gsolve_csr *R, const gsolve_csr *A, int32_t rows, int threads)
{
    int64_t most = 0;

#pragma omp parallel for schedule(static) num_threads(threads) reduction(max : most)
    for (int32_t i = 0; i < R->nrows; i += rows) {
        int64_t columns = 0;
        for (int64_t k = gs_start(R, i); k < gs_start(R, i + 1); k++) {
            columns += gs_start(A, R->col[k] + 1) - gs_start(A, R->col[k]);
        }
        most = columns > most ? columns : most;
    }
    return most < A->ncols ? (int32_t)most : A->ncols;
}

gs_grouping gs_find_grouping(const gsolve_csr *R, const gsolve_csr *A, const gsolve_csr *P,
                             int threads)
{
    gs_grouping G = {1, 1, 1, 0};

    if (R->nrows == 0) return G;
    G.rows = find_rows(R);
    G.longest = bound_columns(R, A, G.rows, threads);
    if (G.rows == 1) return G;
    G.run_a = find_run(A);
    G.run_p = find_run(P);
    return G;
}
