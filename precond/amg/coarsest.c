/* coarsest.c: the exact solve on the coarsest level. The matrix comes to the host, where it is
 * factored by CXSparse in double precision (Davis 2006); on a device with memory of its own the
 * inverse is computed from it, sent there, and applied as a dense matrix.
 *
 * A singular matrix: those combinations N of the near-null vectors that it maps to 0 make the
 * solve Q F^-1 Q with Q = I - N N', where F is A with one diagonal entry for each vector of N
 * doubled. For b = Q b the solution of F x = b has x_j = 0 in those rows (N'F x = N'b = 0), so that
 * A x = b. A matrix that is singular otherwise is factored with its diagonal shifted. */
#include "precond/amg/coarsest.h"

#include <cs.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/try.h"
#include "precond/amg/kernels.h"

#define DENSE_ROWS  256  /* of an inverse that takes no longer than a level more */
#define FACTOR_ROWS 1000 /* of a factor on the CPU, likewise */
#define MOST_NULL   8    /* null vectors that are looked for */

/* The matrix on the host, in double, its rows as CXSparse's columns. */
typedef struct host_matrix {
    gsolve_csr csr;
    cs_di columns; /* a view of csr */
    bool symmetric, symmetric_pattern;
    double norm; /* the largest sum of a row's magnitudes */
} host_matrix;

struct gs_factors_of {
    bool cholesky;
    int32_t n, nulls;
    cs_dis *symbolic;
    cs_din *numeric;
    double *null;    /* n x nulls, orthonormal */
    double *b, *x;   /* work space, n numbers each */
    double *inverse; /* n x n, where it is wanted and safe to compute by elimination, else NULL */
    double shift;
};

/* --- the matrix on the host ------------------------------------------------------------------- */

/* Whether H's values are symmetric to the rounding of a type, and no diagonal entry is negative. */
static gsolve_status look_at_symmetry(host_matrix *H, gsolve_context *ctx, gsolve_type type)
{
    const double rounding = (type == GSOLVE_F32 ? 1e-5 : 1e-12) * H->norm;
    const gsolve_csr *A = &H->csr;
    gsolve_csr T = {0};
    gsolve_status status;

    TRY(gsolve_csr_transpose(&T, ctx, A));
    TRY(gs_look(ctx, A)->at_patterns(ctx, A, &T, &H->symmetric_pattern));
    H->symmetric = H->symmetric_pattern;
    for (int32_t i = 0; H->symmetric && i < A->nrows; i++) {
        for (int64_t k = gs_start(A, i); k < gs_start(A, i + 1); k++) {
            H->symmetric &= fabs(gs_value(A, k) - gs_value(&T, k)) <= rounding &&
                            (A->col[k] != i || gs_value(A, k) >= 0);
        }
    }
done:
    gsolve_csr_free(&T, ctx);
    return status;
}

static gsolve_status fetch(host_matrix *H, gsolve_context *ctx, const gsolve_csr *A)
{
    const gsolve_csr *here = A;
    gsolve_csr fetched = {0};
    gsolve_status status;

    TRY(gs_csr_to_host(&here, ctx, &fetched));
    TRY(gsolve_csr_convert(&H->csr, ctx, GSOLVE_F64, here));
    if (H->csr.offset != GSOLVE_O32) {
        status = gsolve_fail(ctx, GSOLVE_UNSUPPORTED,
                             "amg: the coarsest level has too many entries "
                             "to be factored; choose a smaller coarsest=");
        goto done;
    }
    H->columns = (cs_di){.nzmax = (int)gs_start(&H->csr, A->nrows),
                         .m = A->nrows,
                         .n = A->nrows,
                         .p = (int *)(uintptr_t)H->csr.start,
                         .i = (int *)(uintptr_t)H->csr.col,
                         .x = (double *)(uintptr_t)H->csr.value,
                         .nz = -1};
    H->norm = 0;
    for (int32_t i = 0; i < A->nrows; i++) {
        double sum = 0;
        for (int64_t k = gs_start(&H->csr, i); k < gs_start(&H->csr, i + 1); k++) {
            sum += fabs(gs_value(&H->csr, k));
        }
        H->norm = fmax(H->norm, sum);
    }
    TRY(look_at_symmetry(H, ctx, A->type));
done:
    gsolve_csr_free(&fetched, ctx);
    return status;
}

/* --- null vectors ----------------------------------------------------------------------------- */

static double dot(int32_t n, const double *x, const double *y)
{
    double sum = 0;
    for (int32_t i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

/* x -= N (N'x) for the first count vectors of N. */
static void project(int32_t n, int32_t count, const double *null, double *x)
{
    for (int32_t c = 0; c < count; c++) {
        const double *w = null + (int64_t)c * n, along = dot(n, w, x);
        for (int32_t i = 0; i < n; i++) x[i] -= along * w[i];
    }
}

/* max |A w|_i or, turned, max |A'w|_i. */
static double image(const host_matrix *H, const double *w, double *space)
{
    const gsolve_csr *A = &H->csr;
    double most = 0;

    memset(space, 0, (size_t)A->nrows * sizeof *space);
    for (int32_t i = 0; i < A->nrows; i++) {
        double sum = 0;
        for (int64_t k = gs_start(A, i); k < gs_start(A, i + 1); k++) {
            sum += gs_value(A, k) * w[A->col[k]];
            space[A->col[k]] += gs_value(A, k) * w[i];
        }
        most = fmax(most, fabs(sum));
    }
    for (int32_t i = 0; i < A->nrows; i++) most = fmax(most, fabs(space[i]));
    return most;
}

/* F->null = the near-null vectors that A and A' map to 0 to rounding, orthonormal. */
static gsolve_status find_null(gs_factors_of *F, gsolve_context *ctx, const host_matrix *H,
                               gsolve_dense near_null)
{
    const double rounding = near_null.type == GSOLVE_F32 ? 1e-6 : 1e-12;
    const int32_t n = F->n, k = near_null.ncols < MOST_NULL ? near_null.ncols : MOST_NULL;
    const size_t size = gs_type_size(near_null.type);
    void *column = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)n, size);
    gsolve_status status = column ? GSOLVE_OK : GSOLVE_NO_MEMORY;

    TRY(status);
    ALLOC(ctx, GSOLVE_HOST, F->null, (size_t)n * (size_t)(k > 0 ? k : 1));
    for (int32_t c = 0; c < k; c++) {
        double *w = F->null + (int64_t)F->nulls * n, most = 0;
        TRY(gsolve_copy(ctx, column, GSOLVE_HOST, gs_column_of(near_null, c).value, near_null.place,
                        (size_t)n * size));
        for (int32_t i = 0; i < n; i++) {
            w[i] =
                near_null.type == GSOLVE_F32 ? (double)((float *)column)[i] : ((double *)column)[i];
        }
        const double before = sqrt(dot(n, w, w));
        project(n, F->nulls, F->null, w);
        const double length = sqrt(dot(n, w, w));
        if (!(length > 1e-8 * before)) continue;
        for (int32_t i = 0; i < n; i++) w[i] /= length, most = fmax(most, fabs(w[i]));
        if (image(H, w, F->b) <= rounding * H->norm * most) F->nulls++;
    }
done:
    gsolve_free(ctx, GSOLVE_HOST, column);
    return status;
}

static double *diagonal_of(const host_matrix *H, int32_t i)
{
    for (int k = H->columns.p[i]; k < H->columns.p[i + 1]; k++) {
        if (H->columns.i[k] == i) return &H->columns.x[k];
    }
    return NULL;
}

/* Doubles a diagonal entry for each null vector, in rows where those are independent: by
 * elimination with pivots on a copy of them. */
static gsolve_status pin(const gs_factors_of *F, gsolve_context *ctx, const host_matrix *H)
{
    const int32_t n = F->n;
    double *left = NULL;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, left, (size_t)n * (size_t)(F->nulls + 1));
    memcpy(left, F->null, (size_t)n * (size_t)F->nulls * sizeof *left);
    for (int32_t c = 0; c < F->nulls; c++) {
        const double *w = left + (int64_t)c * n;
        double *entry;
        int32_t row = 0;
        for (int32_t i = 1; i < n; i++) row = fabs(w[i]) > fabs(w[row]) ? i : row;
        entry = diagonal_of(H, row);
        if (entry) *entry *= 2;
        for (int32_t e = c + 1; e < F->nulls; e++) {
            double *other = left + (int64_t)e * n;
            const double factor = other[row] / w[row];
            for (int32_t i = 0; i < n; i++) other[i] -= factor * w[i];
        }
    }
done:
    gsolve_free(ctx, GSOLVE_HOST, left);
    return status;
}

/* --- factors ---------------------------------------------------------------------------------- */

static void drop_factors(gs_factors_of *F, gsolve_context *ctx)
{
    if (!F) return;
    cs_di_nfree(F->numeric);
    cs_di_sfree(F->symbolic);
    gsolve_free(ctx, GSOLVE_HOST, F->null);
    gsolve_free(ctx, GSOLVE_HOST, F->b);
    gsolve_free(ctx, GSOLVE_HOST, F->x);
    gsolve_free(ctx, GSOLVE_HOST, F->inverse);
    gsolve_free(ctx, GSOLVE_HOST, F);
}

/* Least over largest magnitude of the pivots. */
static double spread(const gs_factors_of *F)
{
    const cs_di *last = F->cholesky ? F->numeric->L : F->numeric->U;
    double least = DBL_MAX, most = 0;

    for (int32_t j = 0; j < F->n; j++) {
        const double pivot = fabs(F->cholesky ? last->x[last->p[j]] : last->x[last->p[j + 1] - 1]);
        least = fmin(least, pivot), most = fmax(most, pivot);
    }
    if (F->n == 0) return 1;
    return F->cholesky ? least / most * (least / most) : least / most;
}

static bool factor_once(gs_factors_of *F, const host_matrix *H)
{
    const double least = 1e-14;

    F->cholesky = H->symmetric;
    F->symbolic = F->cholesky ? cs_di_schol(1, &H->columns) : NULL;
    F->numeric = F->symbolic ? cs_di_chol(&H->columns, F->symbolic) : NULL;
    if (F->numeric && spread(F) > least) return true;
    cs_di_nfree(F->numeric);
    cs_di_sfree(F->symbolic);
    F->cholesky = false;
    F->symbolic = cs_di_sqr(H->symmetric_pattern ? 1 : 2, &H->columns, 0);
    F->numeric =
        F->symbolic ? cs_di_lu(&H->columns, F->symbolic, H->symmetric_pattern ? 0.01 : 1) : NULL;
    if (F->numeric && spread(F) > least) return true;
    cs_di_nfree(F->numeric);
    cs_di_sfree(F->symbolic);
    F->numeric = NULL;
    F->symbolic = NULL;
    return false;
}

/* Factors H, its diagonal shifted as far as that takes. */
static gsolve_status factor(gs_factors_of *F, gsolve_context *ctx, const host_matrix *H)
{
    double shift = 0;

    while (!factor_once(F, H)) {
        const double more = shift > 0 ? 9 * shift : 1e-12;
        shift += more;
        if (shift > 1e-3) {
            return gsolve_fail(ctx, GSOLVE_ZERO_PIVOT,
                               "amg: the coarsest level (%d rows) is singular and cannot be "
                               "factored, even with its diagonal shifted by %.3g of its norm",
                               F->n, shift);
        }
        for (int32_t i = 0; i < F->n; i++) {
            double *entry = diagonal_of(H, i);
            if (entry) *entry += copysign(more * H->norm, *entry);
        }
    }
    F->shift = shift;
    return GSOLVE_OK;
}

/* a (n x n by rows) = its inverse, by Gauss-Jordan elimination in place. Without pivots, which a
 * positive definite matrix does not need: n^3 multiplications in long rows, where solves with the
 * factors would take several times as long. */
static void eliminate(int64_t n, double *a)
{
    for (int64_t k = 0; k < n; k++) {
        double *restrict pivot = a + k * n;
        const double p = 1 / pivot[k];
        for (int64_t j = 0; j < n; j++) pivot[j] *= p;
        pivot[k] = p;
        for (int64_t i = 0; i < n; i++) {
            double *restrict row = a + i * n;
            const double factor = row[k];
            if (i == k || factor == 0) continue;
            row[k] = 0;
#pragma omp simd
            for (int64_t j = 0; j < n; j++) row[j] -= factor * pivot[j];
        }
    }
}

static gsolve_status eliminate_all(gs_factors_of *F, gsolve_context *ctx, const host_matrix *H)
{
    const int64_t n = F->n;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, F->inverse, (size_t)n * (size_t)n);
    memset(F->inverse, 0, (size_t)n * (size_t)n * sizeof *F->inverse);
    for (int32_t i = 0; i < F->n; i++) {
        for (int k = H->columns.p[i]; k < H->columns.p[i + 1]; k++) {
            F->inverse[i * n + H->columns.i[k]] = H->columns.x[k];
        }
    }
    eliminate(n, F->inverse);
done:
    return status;
}

static gsolve_status make_factors(gs_factors_of **out, gsolve_context *ctx, const gs_fine *level)
{
    const int32_t n = level->A->nrows;
    host_matrix H = {0};
    gs_factors_of *F = NULL;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, F, 1);
    memset(F, 0, sizeof *F);
    F->n = n;
    ALLOC(ctx, GSOLVE_HOST, F->b, n);
    ALLOC(ctx, GSOLVE_HOST, F->x, n);
    if (n > 0) TRY(fetch(&H, ctx, level->A));
    if (n > 0) TRY(find_null(F, ctx, &H, level->near_null));
    if (n > 0) TRY(pin(F, ctx, &H));
    if (n > 0) TRY(factor(F, ctx, &H));
    if (gs_place(ctx) == GSOLVE_DEVICE && F->cholesky && F->nulls == 0) {
        TRY(eliminate_all(F, ctx, &H));
    }
    *out = F;
    F = NULL;
done:
    gsolve_csr_free(&H.csr, ctx);
    drop_factors(F, ctx);
    return status;
}

/* F->x = A^-1 F->b, or A^-T F->b. The columns that were factored are A's rows. */
static void solve(gs_factors_of *F, bool transposed)
{
    const cs_dis *S = F->symbolic;
    const cs_din *N = F->numeric;
    double *b = F->b, *x = F->x;
    const int32_t n = F->n;

    project(n, F->nulls, F->null, b);
    if (F->cholesky) {
        cs_di_ipvec(S->pinv, b, x, n);
        cs_di_lsolve(N->L, x);
        cs_di_ltsolve(N->L, x);
        cs_di_pvec(S->pinv, x, b, n);
    } else if (transposed) {
        cs_di_ipvec(N->pinv, b, x, n);
        cs_di_lsolve(N->L, x);
        cs_di_usolve(N->U, x);
        cs_di_ipvec(S->q, x, b, n);
    } else {
        cs_di_pvec(S->q, b, x, n);
        cs_di_utsolve(N->U, x);
        cs_di_ltsolve(N->L, x);
        cs_di_pvec(N->pinv, x, b, n);
    }
    project(n, F->nulls, F->null, b);
    memcpy(x, b, (size_t)n * sizeof *x);
}

/* --- the inverse ------------------------------------------------------------------------------ */

/* rows (n x n) = A^-1 or A^-T, row by row, in c's type: row i is A^-T e_i. */
static void invert(const gs_coarsest *c, gs_factors_of *F, bool transposed, void *rows)
{
    const int64_t n = c->n;

    for (int64_t i = 0; i < n; i++) {
        const double *row = F->inverse ? F->inverse + i * n : F->x;
        if (!F->inverse) {
            memset(F->b, 0, (size_t)n * sizeof *F->b);
            F->b[i] = 1;
            solve(F, !transposed);
        }
        for (int64_t j = 0; j < n; j++) {
            if (c->type == GSOLVE_F32) {
                ((float *)rows)[i * n + j] = (float)row[j];
            } else {
                ((double *)rows)[i * n + j] = row[j];
            }
        }
    }
}

static gsolve_status send(void **to, gsolve_context *ctx, const gs_coarsest *c, gs_factors_of *F,
                          bool transposed)
{
    const size_t bytes = (size_t)c->n * (size_t)c->n * gs_type_size(c->type);
    void *rows = gsolve_alloc(ctx, GSOLVE_HOST, bytes, 1);
    gsolve_status status = GSOLVE_NO_MEMORY;

    if (!rows) goto done;
    invert(c, F, transposed, rows);
    *to = gsolve_alloc(ctx, GSOLVE_DEVICE, bytes, 1);
    status =
        *to ? gsolve_copy(ctx, *to, gs_place(ctx), rows, GSOLVE_HOST, bytes) : GSOLVE_NO_MEMORY;
done:
    gsolve_free(ctx, GSOLVE_HOST, rows);
    return status;
}

static gsolve_status make_inverse(gs_coarsest *c, gsolve_context *ctx)
{
    const int64_t zero = 0;
    gsolve_status status;

    TRY(send(&c->inverse, ctx, c, c->factors, false));
    if (!c->factors->cholesky) TRY(send(&c->transposed, ctx, c, c->factors, true));
    ALLOC(ctx, GSOLVE_DEVICE, c->count, 1);
    TRY(gsolve_copy(ctx, c->count, gs_place(ctx), &zero, GSOLVE_HOST, sizeof zero));
done:
    drop_factors(c->factors, ctx);
    c->factors = NULL;
    return status;
}

/* --- both ------------------------------------------------------------------------------------- */

int32_t gs_coarsest_most(const gsolve_context *ctx, const gs_amg_options *options)
{
    if (options->coarsest > 0) return options->coarsest;
    return gs_place(ctx) == GSOLVE_DEVICE ? DENSE_ROWS : FACTOR_ROWS;
}

static void tell(gs_coarsest *c)
{
    const gs_factors_of *F = c->factors;

    if (F->nulls > 0) {
        snprintf(c->note, sizeof c->note, "singular: %d null vector%s", F->nulls,
                 F->nulls > 1 ? "s" : "");
    } else if (F->shift > 0) {
        snprintf(c->note, sizeof c->note, "coarsest level shifted by %.1g", F->shift);
    }
}

gsolve_status gs_coarsest_build(gs_coarsest *out, gsolve_context *ctx, const gs_fine *level)
{
    gs_coarsest c = {.n = level->A->nrows, .type = level->A->type};
    gsolve_status status;

    TRY(make_factors(&c.factors, ctx, level));
    tell(&c);
    if (gs_place(ctx) == GSOLVE_DEVICE && c.n > 0) TRY(make_inverse(&c, ctx));
    gs_coarsest_drop(out, ctx);
    *out = c;
    memset(&c, 0, sizeof c);
done:
    gs_coarsest_drop(&c, ctx);
    return status;
}

void gs_coarsest_drop(gs_coarsest *c, gsolve_context *ctx)
{
    drop_factors(c->factors, ctx);
    gsolve_free(ctx, GSOLVE_DEVICE, c->inverse);
    gsolve_free(ctx, GSOLVE_DEVICE, c->transposed);
    gsolve_free(ctx, GSOLVE_DEVICE, c->count);
    memset(c, 0, sizeof *c);
}

gsolve_status gs_coarsest_solve(const gs_coarsest *c, gsolve_context *ctx, bool transposed,
                                gsolve_dense b, gsolve_dense x)
{
    gs_factors_of *F = c->factors;

    if (c->n == 0) return GSOLVE_OK;
    if (c->inverse) {
        return GS_KERNELS(gs_amg, ctx, c->type)
            ->dense(ctx->queue, c->n, transposed && c->transposed ? c->transposed : c->inverse,
                    b.value, x.value, c->count);
    }
    for (int32_t i = 0; i < c->n; i++) {
        F->b[i] = c->type == GSOLVE_F32 ? (double)((float *)b.value)[i] : ((double *)b.value)[i];
    }
    solve(F, transposed);
    for (int32_t i = 0; i < c->n; i++) {
        if (c->type == GSOLVE_F32) {
            ((float *)x.value)[i] = (float)F->x[i];
        } else {
            ((double *)x.value)[i] = F->x[i];
        }
    }
    return GSOLVE_OK;
}

size_t gs_coarsest_bytes(const gs_coarsest *c)
{
    const size_t vectors = 2 * (size_t)c->n * gs_type_size(c->type);
    const gs_factors_of *F = c->factors;

    if (c->n == 0) return 0;
    if (!F) return vectors + (size_t)c->n * (size_t)c->n * gs_type_size(c->type);
    return vectors + 12 * (size_t)(F->numeric->L->nzmax +
                                   (F->cholesky ? F->numeric->L->nzmax : F->numeric->U->nzmax));
}
