/* explain_evidence.c: what the rows of a matrix show about a failure. Each function reads all
 * entries once or twice; none is called unless a run has failed. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "matrix/csr.h"
#include "matrix/structural_rank.h"
#include "solver/choose/explain.h"

#define SMALL static inline
#include "matrix/row_rule.h"

static double largest_entry(const gsolve_csr *A)
{
    double most = 0;

    for (int64_t e = 0; e < gs_start(A, A->nrows); e++) most = fmax(most, fabs(gs_value(A, e)));
    return most > 0 ? most : 1;
}

static double entry_at(const gsolve_csr *A, int32_t i, int32_t j)
{
    const int64_t e = gs_row_find(A->col, gs_start(A, i), gs_start(A, i + 1), j);
    return e < 0 ? 0 : gs_value(A, e);
}

double gs_asymmetry(const gsolve_csr *A, int32_t at[2])
{
    const double unit = largest_entry(A);
    double squares = 0, differences = 0, most = -1;

    for (int32_t i = 0; i < A->nrows; i++) {
        for (int64_t e = gs_start(A, i); e < gs_start(A, i + 1); e++) {
            const double a = gs_value(A, e) / unit, mirror = entry_at(A, A->col[e], i) / unit;
            squares += a * a;
            differences += (mirror == 0 ? 2 : 1) * (a - mirror) * (a - mirror);
            if (!(fabs(a - mirror) > most)) continue;
            most = fabs(a - mirror);
            at[0] = i;
            at[1] = A->col[e];
        }
    }
    return squares > 0 ? sqrt(differences / squares) : 0;
}

bool gs_estimate_iterations(const gs_facts *f, double more[2])
{
    if (!(f->residual > f->rtol && f->residual < 0.1 * f->begin && f->rtol > 0)) return false;
    more[0] = 0.5 * f->iterations * log(f->rtol / f->residual) / log(f->residual / f->begin);
    more[1] = 4 * more[0];
    return more[1] < 1e6;
}

/* The root of i in the forest `up`, whose paths are halved. */
static int32_t root_of(int32_t *up, int32_t i)
{
    while (up[i] != i) i = up[i] = up[up[i]];
    return i;
}

int32_t gs_connected_parts(gsolve_context *ctx, const gsolve_csr *A)
{
    int32_t *up = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)A->nrows, sizeof *up);
    int32_t parts = A->nrows;

    if (!up) return 0;
    for (int32_t i = 0; i < A->nrows; i++) up[i] = i;
    for (int32_t i = 0; i < A->nrows; i++) {
        for (int64_t e = gs_start(A, i); e < gs_start(A, i + 1); e++) {
            const int32_t a = root_of(up, i), b = root_of(up, A->col[e]);
            if (gs_value(A, e) == 0 || a == b) continue;
            up[a > b ? a : b] = a > b ? b : a;
            parts--;
        }
    }
    gsolve_free(ctx, GSOLVE_HOST, up);
    return parts;
}

/* --- equal rows ------------------------------------------------------------------------------- */

typedef struct row_hash {
    uint64_t hash;
    int32_t row;
} row_hash;

static int by_hash(const void *a, const void *b)
{
    const row_hash *p = a, *q = b;

    if (p->hash != q->hash) return p->hash < q->hash ? -1 : 1;
    return (p->row > q->row) - (p->row < q->row);
}

static bool rows_agree(const gsolve_csr *A, int32_t i, int32_t j)
{
    const int64_t p = gs_start(A, i), q = gs_start(A, j), count = gs_start(A, i + 1) - p;

    if (count == 0 || gs_start(A, j + 1) - q != count) return false;
    for (int64_t e = 0; e < count; e++) {
        if (A->col[p + e] != A->col[q + e] || gs_value(A, p + e) != gs_value(A, q + e)) {
            return false;
        }
    }
    return true;
}

bool gs_has_equal_rows(gsolve_context *ctx, const gsolve_csr *A, int32_t at[2])
{
    row_hash *rows = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)A->nrows, sizeof *rows);
    bool found = false;

    if (!rows) return false;
    for (int32_t i = 0; i < A->nrows; i++) {
        rows[i] = (row_hash){14695981039346656037u, i};
        for (int64_t e = gs_start(A, i); e < gs_start(A, i + 1); e++) {
            const double value = gs_value(A, e);
            uint64_t bits;
            memcpy(&bits, &value, sizeof bits);
            rows[i].hash = (rows[i].hash ^ (bits + (uint64_t)A->col[e])) * 1099511628211u;
            rows[i].hash ^= rows[i].hash >> 29;
        }
    }
    qsort(rows, (size_t)A->nrows, sizeof *rows, by_hash);
    for (int32_t i = 0; i + 1 < A->nrows && !found; i++) {
        found = rows[i].hash == rows[i + 1].hash && rows_agree(A, rows[i].row, rows[i + 1].row);
        at[0] = rows[i].row;
        at[1] = rows[i + 1].row;
    }
    gsolve_free(ctx, GSOLVE_HOST, rows);
    return found;
}

/* --- rows and columns ------------------------------------------------------------------------- */

int32_t gs_first_negative_diagonal(const gsolve_csr *A, double *value)
{
    for (int32_t i = 0; i < A->nrows; i++) {
        *value = entry_at(A, i, i);
        if (*value < 0) return i;
    }
    return -1;
}

int32_t gs_first_empty_column(gsolve_context *ctx, const gsolve_csr *A)
{
    char *used = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)A->ncols, 1);
    int32_t j = 0;

    if (!used) return -1;
    memset(used, 0, (size_t)A->ncols);
    for (int64_t e = 0; e < gs_start(A, A->nrows); e++) used[A->col[e]] = 1;
    while (j < A->ncols && used[j]) j++;
    gsolve_free(ctx, GSOLVE_HOST, used);
    return j;
}

void gs_find_extreme_rows(const gsolve_csr *A, int32_t at[2])
{
    double largest = -1, least = INFINITY;

    for (int32_t i = 0; i < A->nrows; i++) {
        double most = 0;
        for (int64_t e = gs_start(A, i); e < gs_start(A, i + 1); e++) {
            most = fmax(most, fabs(gs_value(A, e)));
        }
        if (most > largest) at[0] = i;
        if (most > 0 && most < least) at[1] = i;
        largest = fmax(largest, most);
        if (most > 0) least = fmin(least, most);
    }
}

bool gs_may_permute_rows(gsolve_context *ctx, const gsolve_csr *A)
{
    void *block = gsolve_alloc(ctx, GSOLVE_HOST, 1, gs_structural_rank_bytes(A->nrows));
    const bool may = block && !gs_is_structurally_deficient(A, block);

    gsolve_free(ctx, GSOLVE_HOST, block);
    return may;
}

double gs_least_squares_measure(gsolve_context *ctx, const gsolve_csr *A, gsolve_dense r)
{
    const double unit = largest_entry(A);
    double *g = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)A->ncols, sizeof *g);
    double frobenius = 0, rr = 0, gg = 0;

    if (!g) return -1;
    for (int32_t j = 0; j < A->ncols; j++) g[j] = 0;
    for (int32_t i = 0; i < A->nrows; i++) {
        const double ri = gs_report_element(r, i);
        rr += ri * ri;
        for (int64_t e = gs_start(A, i); e < gs_start(A, i + 1); e++) {
            const double a = gs_value(A, e) / unit;
            g[A->col[e]] += a * ri;
            frobenius += a * a;
        }
    }
    for (int32_t j = 0; j < A->ncols; j++) gg += g[j] * g[j];
    gsolve_free(ctx, GSOLVE_HOST, g);
    return rr > 0 && frobenius > 0 ? sqrt(gg / (rr * frobenius)) : 0;
}
