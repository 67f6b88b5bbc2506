/* direct_factors.c: factors a square sparse matrix on the host, by CXSparse in double precision.
 * The matrices are small, so that other libraries are no faster.
 *
 * Singular matrix: let N be an orthonormal basis of those near-null vectors that A and A' map to 0.
 * Let Q = I - N N', and let F be A with one diagonal entry doubled for each vector of N. The solve
 * is Q F^-1 Q. For b = Q b the solution of F x = b has x_j = 0 in the rows j of these entries,
 * because N'F x = N'b = 0. So A x = b. If F is still singular, its diagonal is shifted.
 *
 * If the dimension of the null space is known and N is smaller, inverse iteration with the factors
 * of the shifted A finds the null spaces of A and of A', N and L. The solve is then (I - N N') F^-1
 * (I - L L'). */
#include "factor/direct_factors.h"

#include "matrix/statistics.h"

#include <math.h>
#include <string.h>

#include "core/try.h"
#include "factor/factor.h"
#include "factor/lu.h"
#include "gsolve_io.h"

/* The matrix on the host, in double precision. Its rows are CXSparse's columns. */
typedef struct host_matrix {
    gsolve_csr csr;
    cs_di columns; /* a view of csr */
    bool symmetric, symmetric_pattern;
    double norm; /* the infinity norm: the largest sum of magnitudes in a row */
} host_matrix;

/* --- the matrix on the host ------------------------------------------------------------------- */

/* Sets H->symmetric_pattern, and H->symmetric: the values are symmetric to the rounding of this
 * type, and no diagonal entry is negative. */
static gsolve_status inspect_symmetry(host_matrix *H, gsolve_context *ctx, gsolve_type type)
{
    const double rounding = (type == GSOLVE_F32 ? 1e-5 : 1e-12) * H->norm;
    const gsolve_csr *A = &H->csr;
    gsolve_csr T = {0};
    gsolve_status status;

    TRY(gs_csr_transpose(&T, ctx, A));
    TRY(gs_inspector(ctx, A)->compare(ctx, A, gs_start(A, A->nrows), &T, false,
                                      &H->symmetric_pattern));
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

static gsolve_status fetch_matrix(host_matrix *H, gsolve_context *ctx, const char *who,
                                  const gsolve_csr *A)
{
    const gsolve_csr *on_host = A;
    gsolve_csr fetched = {0};
    gsolve_status status;

    TRY(gs_csr_to_host(&on_host, ctx, &fetched));
    TRY(gsolve_csr_convert(&H->csr, ctx, GSOLVE_F64, on_host));
    if (H->csr.offset != GSOLVE_O32) {
        status = gsolve_fail(ctx, GSOLVE_UNSUPPORTED,
                             "%s has 2^31 entries or more, which the direct factorisation does "
                             "not support; make it smaller",
                             who);
        goto done;
    }
    H->columns = gs_columns_view(ctx, &H->csr);
    H->norm = 0;
    for (int32_t i = 0; i < A->nrows; i++) {
        double sum = 0;
        for (int64_t k = gs_start(&H->csr, i); k < gs_start(&H->csr, i + 1); k++) {
            sum += fabs(gs_value(&H->csr, k));
        }
        H->norm = fmax(H->norm, sum);
    }
    TRY(inspect_symmetry(H, ctx, A->type));
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

/* x -= N (N'x). N: the first count columns of null. */
static void project_out(int32_t n, int32_t count, const double *null, double *x)
{
    for (int32_t c = 0; c < count; c++) {
        const double *w = null + (int64_t)c * n, along = dot(n, w, x);
        for (int32_t i = 0; i < n; i++) x[i] -= along * w[i];
    }
}

/* The larger of max_i |A w|_i and max_i |A'w|_i. space: n numbers. */
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

/* F->null = an orthonormal basis of the near-null vectors that A and A' map to 0, up to rounding.
 */
static gsolve_status find_null(gs_direct_factors *F, gsolve_context *ctx, const host_matrix *H,
                               gsolve_dense near_null, int32_t nulls)
{
    const double rounding = near_null.type == GSOLVE_F32 ? 1e-6 : 1e-12;
    const int32_t n = F->n, k = near_null.ncols;
    const size_t size = gs_type_size(near_null.type);
    void *column = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)n, size);
    gsolve_status status = column ? GSOLVE_OK : GSOLVE_NO_MEMORY;

    TRY(status);
    ALLOC(ctx, GSOLVE_HOST, F->null, (size_t)n * (k > nulls ? (size_t)k : (size_t)nulls + 1));
    F->left = F->null;
    for (int32_t c = 0; c < k; c++) {
        double *w = F->null + (int64_t)F->nulls * n, most = 0;
        TRY(gsolve_copy(ctx, column, GSOLVE_HOST, gs_column_of(near_null, c).value,
                        near_null.location, (size_t)n * size));
        for (int32_t i = 0; i < n; i++) {
            w[i] =
                near_null.type == GSOLVE_F32 ? (double)((float *)column)[i] : ((double *)column)[i];
        }
        const double before = sqrt(dot(n, w, w));
        project_out(n, F->nulls, F->null, w);
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

/* Doubles one diagonal entry for each null vector. Elimination with pivoting in a copy of the
 * vectors finds rows in which they are linearly independent. */
static gsolve_status double_pivots(const gs_direct_factors *F, gsolve_context *ctx,
                                   const host_matrix *H)
{
    const int32_t n = F->n;
    double *remainder = NULL;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, remainder, (size_t)n * ((size_t)F->nulls + 1));
    memcpy(remainder, F->null, (size_t)n * (size_t)F->nulls * sizeof *remainder);
    for (int32_t c = 0; c < F->nulls; c++) {
        const double *w = remainder + (int64_t)c * n;
        double *entry;
        int32_t row = 0;
        for (int32_t i = 1; i < n; i++) row = fabs(w[i]) > fabs(w[row]) ? i : row;
        entry = diagonal_of(H, row);
        if (entry) *entry *= 2;
        for (int32_t e = c + 1; e < F->nulls; e++) {
            double *other = remainder + (int64_t)e * n;
            const double factor = other[row] / w[row];
            for (int32_t i = 0; i < n; i++) other[i] -= factor * w[i];
        }
    }
done:
    gsolve_free(ctx, GSOLVE_HOST, remainder);
    return status;
}

/* --- factors ---------------------------------------------------------------------------------- */

void gs_direct_factors_destroy(gs_direct_factors *F, gsolve_context *ctx)
{
    if (!F) return;
    gs_factorisation_destroy(F->factors, ctx);
    if (F->left != F->null) gsolve_free(ctx, GSOLVE_HOST, F->left);
    gsolve_free(ctx, GSOLVE_HOST, F->null);
    gsolve_free(ctx, GSOLVE_HOST, F->b);
    gsolve_free(ctx, GSOLVE_HOST, F->x);
    gsolve_free(ctx, GSOLVE_HOST, F);
}

/* *regular: whether H has factors of this kind with pivots that are large enough. */
static gsolve_status factor_as(gs_direct_factors *F, gsolve_context *ctx, const host_matrix *H,
                               gs_factor_kind kind, bool *regular)
{
    const gs_factor_request request = {
        .kind = kind, .diagonal = H->symmetric_pattern, .limit = GS_NO_LIMIT};
    const gsolve_status status =
        gs_factorisation_create(&F->factors, ctx, &gs_cxsparse, &request, &H->csr);

    *regular = status == GSOLVE_OK && F->factors->pivot_ratio > 1e-14;
    if (!*regular) {
        gs_factorisation_destroy(F->factors, ctx);
        F->factors = NULL;
    }
    return status == GSOLVE_ZERO_PIVOT ? GSOLVE_OK : status;
}

/* Factors H by Cholesky if it is symmetric. If that fails, or else, by LU. */
static gsolve_status factor_once(gs_direct_factors *F, gsolve_context *ctx, const host_matrix *H,
                                 bool *regular)
{
    gsolve_status status = GSOLVE_OK;

    *regular = false;
    if (H->symmetric) TRY(factor_as(F, ctx, H, GS_CHOLESKY, regular));
    if (!*regular) TRY(factor_as(F, ctx, H, GS_LU, regular));
done:
    return status;
}

/* Factors H, with the smallest shift of its diagonal that works. */
static gsolve_status factor(gs_direct_factors *F, gsolve_context *ctx, const char *who,
                            const host_matrix *H)
{
    bool regular = false;
    gsolve_status status;

    TRY(factor_once(F, ctx, H, &regular));
    while (!regular) {
        const double more = F->shift > 0 ? 9 * F->shift : 1e-12;
        F->shift += more;
        if (F->shift > 1e-3) {
            return gsolve_fail(ctx, GSOLVE_ZERO_PIVOT,
                               "%s (%d rows) is singular and cannot be factored, even with its "
                               "diagonal shifted by %.3g times its norm",
                               who, F->n, F->shift);
        }
        for (int32_t i = 0; i < F->n; i++) {
            double *entry = diagonal_of(H, i);
            if (entry) *entry += copysign(more * H->norm, *entry);
        }
        TRY(factor_once(F, ctx, H, &regular));
    }
done:
    return status;
}

/* --- null spaces of a known dimension --------------------------------------------------------- */

#define INVERSE_STEPS 3 /* each reduces other components by the condition number, 1e7 or more */

/* Computes a vector that A, or A' if transposed, maps nearly to 0, orthogonal to the first `count`
 * columns of basis, with norm 1, and stores it behind them. Returns its largest image. */
static double inverse_iteration(gs_direct_factors *F, const host_matrix *H, bool transposed,
                                int32_t count, double *basis)
{
    double *v = basis + (int64_t)count * F->n, most = 0;
    const gsolve_csr *A = &H->csr;

    for (int32_t i = 0; i < F->n; i++) v[i] = gsolve_random(97 + (uint64_t)count, (uint64_t)i);
    for (int step = 0; step < INVERSE_STEPS; step++) {
        memcpy(F->b, v, (size_t)F->n * sizeof *v);
        (void)gs_factorisation_solve(F->factors, transposed, F->b,
                                     F->b); /* CXSparse does not fail */
        project_out(F->n, count, basis, F->b);
        const double length = sqrt(dot(F->n, F->b, F->b));
        for (int32_t i = 0; i < F->n; i++) v[i] = F->b[i] / length;
    }
    memset(F->b, 0, (size_t)F->n * sizeof *F->b);
    for (int32_t i = 0; i < F->n; i++) {
        for (int64_t e = gs_start(A, i); e < gs_start(A, i + 1); e++) {
            F->b[transposed ? A->col[e] : i] += gs_value(A, e) * v[transposed ? i : A->col[e]];
        }
    }
    for (int32_t i = 0; i < F->n; i++) most = fmax(most, fabs(F->b[i]));
    return isfinite(v[0]) ? most : INFINITY;
}

/* Finds the null spaces of A and A', whose dimension is `nulls`, with the factors F of A. type: of
 * the values that A was made from. */
static gsolve_status find_both_spaces(gs_direct_factors *F, gsolve_context *ctx,
                                      const host_matrix *H, gsolve_type type, int32_t nulls)
{
    const double most = (type == GSOLVE_F32 ? 1e-5 : 1e-9) * H->norm;
    gsolve_status status = GSOLVE_OK;

    ALLOC(ctx, GSOLVE_HOST, F->left, (size_t)F->n * (size_t)nulls);
    while (F->nulls < nulls && F->nulls < F->n) {
        if (!(inverse_iteration(F, H, false, F->nulls, F->null) <= most)) break;
        if (!(inverse_iteration(F, H, true, F->nulls, F->left) <= most)) break;
        F->nulls++;
    }
done:
    return status;
}

gsolve_status gs_direct_factors_create(gs_direct_factors **out, gsolve_context *ctx,
                                       const char *who, const gsolve_csr *A, gsolve_dense near_null,
                                       int32_t nulls)
{
    const int32_t n = A->nrows;
    host_matrix H = {0};
    gs_direct_factors *F = NULL;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, F, 1);
    memset(F, 0, sizeof *F);
    F->n = n;
    ALLOC(ctx, GSOLVE_HOST, F->b, n);
    ALLOC(ctx, GSOLVE_HOST, F->x, n);
    if (n > 0) TRY(fetch_matrix(&H, ctx, who, A));
    if (n > 0) TRY(find_null(F, ctx, &H, near_null, nulls));
    if (F->nulls < nulls) F->nulls = 0; /* find_both_spaces finds all of them */
    if (n > 0) TRY(double_pivots(F, ctx, &H));
    if (n > 0) TRY(factor(F, ctx, who, &H));
    if (n > 0 && F->nulls < nulls) TRY(find_both_spaces(F, ctx, &H, A->type, nulls));
    *out = F;
    F = NULL;
done:
    gsolve_csr_free(&H.csr, ctx);
    gs_direct_factors_destroy(F, ctx);
    return status;
}

void gs_direct_factors_solve(gs_direct_factors *F, bool transposed)
{
    project_out(F->n, F->nulls, transposed ? F->null : F->left, F->b);
    (void)gs_factorisation_solve(F->factors, transposed, F->b, F->x); /* CXSparse does not fail */
    project_out(F->n, F->nulls, transposed ? F->left : F->null, F->x);
}
