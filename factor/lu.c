/* lu.c: left-looking LU (Gilbert and Peierls 1988), column by column, with CXSparse's sparse
 * triangular solve. It computes what cs_lu computes, and counts the cost meanwhile: if pivots may
 * leave the diagonal, no analysis knows the cost beforehand. */
#include "factor/lu.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "core/try.h"
#include "factor/factor.h"

typedef struct lu {
    gsolve_context *ctx;
    const cs_di *A;
    cs_di *L, *U;
    int *pinv;    /* pinv[i] = the column whose pivot is in row i, or -1 */
    int *reached; /* 2 n: work space; the rows that are not 0 in the column */
    double *x;    /* n: the column */
    int lnz, unz; /* entries so far */
    double operations;
} lu;

/* Makes space in T for one more column of up to n entries. */
static gsolve_status reserve_column(gsolve_context *ctx, cs_di *T, int entries)
{
    const int64_t need = (int64_t)entries + T->n, twice = 2 * (int64_t)T->nzmax + T->n;

    if (need <= T->nzmax) return GSOLVE_OK;
    if (need > INT_MAX) {
        return gsolve_fail(
            ctx, GSOLVE_UNSUPPORTED,
            "a factor of LU would have more than %d entries; use an iterative method", INT_MAX);
    }
    if (cs_di_sprealloc(T, twice < INT_MAX ? (int)twice : INT_MAX)) return GSOLVE_OK;
    return gsolve_fail(ctx, GSOLVE_NO_MEMORY, "out of memory while factoring the matrix");
}

/* Appends the rows of the column that have pivots to U. The rows reached[top ... n) are not 0.
 * Returns the row with the largest magnitude among the others, or -1; *largest: this magnitude. */
static int split_column(lu *f, int top, double *largest)
{
    int pivot = -1;

    *largest = -1;
    for (int p = top; p < f->A->n; p++) {
        const int i = f->reached[p], j = f->pinv[i];
        if (j >= 0) {
            f->U->i[f->unz] = j;
            f->U->x[f->unz++] = f->x[i];
            f->operations += 2. * (f->L->p[j + 1] - f->L->p[j] - 1);
        } else if (fabs(f->x[i]) > *largest) {
            *largest = fabs(f->x[i]);
            pivot = i;
        }
    }
    return pivot;
}

/* Makes `row` the pivot of column k: appends it to U, and the other rows without pivots, divided by
 * it, to L. */
static void divide_column(lu *f, int k, int top, int row)
{
    const double pivot = f->x[row];

    f->U->i[f->unz] = k;
    f->U->x[f->unz++] = pivot;
    f->pinv[row] = k;
    f->L->i[f->lnz] = row;
    f->L->x[f->lnz++] = 1;
    for (int p = top; p < f->A->n; p++) {
        const int i = f->reached[p];
        if (f->pinv[i] < 0) {
            f->L->i[f->lnz] = i;
            f->L->x[f->lnz++] = f->x[i] / pivot;
        }
        f->x[i] = 0;
    }
    f->operations += f->lnz - f->L->p[k] - 1;
    f->L->p[k + 1] = f->lnz;
    f->U->p[k + 1] = f->unz;
}

/* Fails: this column, a row of the matrix whose transpose is factored, has no pivot. The caller has
 * numbered the rows of an ordered matrix, whose numbers would tell the user nothing. */
static gsolve_status no_pivot(const lu *f, int column, bool ordered)
{
    if (ordered) {
        return gsolve_fail(f->ctx, GSOLVE_ZERO_PIVOT,
                           "the matrix is singular: LU found no pivot in a row");
    }
    return gsolve_fail(f->ctx, GSOLVE_ZERO_PIVOT,
                       "the matrix is singular: LU found no pivot in row %d (counted from 1)",
                       column + 1);
}

static gsolve_status factor_column(lu *f, int k, int column, bool ordered, double tolerance)
{
    double largest;
    int top, row;
    gsolve_status status;

    TRY(reserve_column(f->ctx, f->L, f->lnz));
    TRY(reserve_column(f->ctx, f->U, f->unz));
    top = cs_di_spsolve(f->L, f->A, column, f->reached, f->x, f->pinv, 1);
    row = split_column(f, top, &largest);
    if (row < 0 || !(largest > 0)) return no_pivot(f, column, ordered);
    if (f->pinv[column] < 0 && fabs(f->x[column]) >= largest * tolerance) row = column;
    divide_column(f, k, top, row);
done:
    return status;
}

static gsolve_status factor_columns(lu *f, const cs_dis *S, double tolerance, gs_direct_cost limit)
{
    gsolve_status status = GSOLVE_OK;

    for (int k = 0; k < f->A->n; k++) {
        const gs_direct_cost spent = {(double)f->lnz + f->unz, f->operations};
        if (!gs_cost_fits(spent, limit)) {
            return gsolve_fail(
                f->ctx, GSOLVE_UNSUPPORTED,
                "the LU factors needed %s entries and %s operations for %d of %d columns; the "
                "limits are %s and %s; raise direct,limit= and work=, or use an iterative method",
                gs_count_in_words(spent.entries).text, gs_count_in_words(spent.operations).text, k,
                f->A->n, gs_count_in_words(limit.entries).text,
                gs_count_in_words(limit.operations).text);
        }
        TRY(factor_column(f, k, S->q ? S->q[k] : k, !S->q, tolerance));
    }
done:
    return status;
}

/* Numbers the rows of L in the order of the pivots. Frees the space of L and U that is not used. */
static void finish(lu *f)
{
    for (int p = 0; p < f->lnz; p++) f->L->i[p] = f->pinv[f->L->i[p]];
    cs_di_sprealloc(f->L, 0);
    cs_di_sprealloc(f->U, 0);
}

static cs_di *new_factor(const cs_di *A, double entries)
{
    cs_di *T = cs_di_spalloc(A->n, A->n, entries < INT_MAX ? (int)entries : INT_MAX, 1, 0);

    if (T) memset(T->p, 0, ((size_t)A->n + 1) * sizeof *T->p); /* cs_di_spsolve reads those of L */
    return T;
}

static gsolve_status open_factors(lu *f, cs_din **N, const cs_dis *S)
{
    const int n = f->A->n;
    gsolve_status status;

    ALLOC(f->ctx, GSOLVE_HOST, f->reached, 2 * (size_t)n);
    ALLOC(f->ctx, GSOLVE_HOST, f->x, n);
    memset(f->x, 0, (size_t)n * sizeof *f->x);
    *N = cs_di_calloc(1, sizeof **N);
    if (*N) {
        (*N)->L = f->L = new_factor(f->A, S->lnz);
        (*N)->U = f->U = new_factor(f->A, S->unz);
        (*N)->pinv = f->pinv = cs_di_malloc(n, sizeof *f->pinv);
    }
    if (!*N || !f->L || !f->U || !f->pinv) {
        return gsolve_fail(f->ctx, GSOLVE_NO_MEMORY, "out of memory while factoring the matrix");
    }
    for (int i = 0; i < n; i++) f->pinv[i] = -1;
done:
    return status;
}

gsolve_status gs_lu(cs_din **out, gsolve_context *ctx, const cs_di *A, const cs_dis *S,
                    double tolerance, gs_direct_cost limit)
{
    lu f = {.ctx = ctx, .A = A};
    cs_din *N = NULL;
    gsolve_status status;

    TRY(open_factors(&f, &N, S));
    TRY(factor_columns(&f, S, tolerance, limit));
    finish(&f);
    *out = N;
    N = NULL;
done:
    cs_di_nfree(N);
    gsolve_free(ctx, GSOLVE_HOST, f.reached);
    gsolve_free(ctx, GSOLVE_HOST, f.x);
    return status;
}

cs_di gs_columns_view(const gsolve_context *ctx, const gsolve_csr *A)
{
    const cs_di view = {.nzmax = ((const int32_t *)A->start)[A->nrows],
                        .m = A->ncols,
                        .n = A->nrows,
                        .p = gs_owned_block(ctx, A->start),
                        .i = gs_owned_block(ctx, A->col),
                        .x = gs_owned_block(ctx, A->value),
                        .nz = -1};
    return view;
}
