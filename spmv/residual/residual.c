/* residual.c: b - A x and |b - A x| / |b| from the rows of A, in double precision for all types,
 * one column after the other. It shares no code with the formats, so that it can check them.
 *
 * Doubled precision is that of the dot product of Ogita, Rump and Oishi (2005): the rounding error
 * of each product and of each sum is computed, too, and the errors are added apart. The result is
 * as accurate as if it were computed with 106 bits and then rounded.
 *
 * Squares of numbers below 1e-154 or above 1e154 leave the range of double. So the kernels also
 * count the terms that are not 0. If a sum is out of range, it is computed again from numbers
 * multiplied by a power of two, which changes no bit of the result. */
#include <float.h>
#include <math.h>

#include "core/staging.h"
#include "core/try.h"
#include "spmv/distributed/distributed.h"
#include "spmv/handle.h"
#include "spmv/operator/operator.h"
#include "vector/blocks.h"

const gs_residual_kernels gs_residual_host[GSOLVE_TYPE_COUNT];

static inline double element(const gsolve_dense *v, int64_t at)
{
    return v->type == GSOLVE_F32 ? (double)((const float *)v->value)[at]
                                 : ((const double *)v->value)[at];
}

static void store(const gsolve_dense *v, int64_t at, double value)
{
    if (v->type == GSOLVE_F32) {
        ((float *)v->value)[at] = (float)value;
    } else {
        ((double *)v->value)[at] = value;
    }
}

/* --- on the host ------------------------------------------------------------------------------ */

/* *r = b_i - row i of A times x, and *t = the sum of the magnitudes of its terms. */
static inline void sum_row(const gsolve_csr *A, int32_t i, double bi, const gsolve_dense *x,
                           double *r, double *t)
{
    const int64_t end = gs_start(A, i + 1);
    double ri = bi, ti = 0;

    for (int64_t k = gs_start(A, i); k < end; k++) {
        const double term = gs_value(A, k) * element(x, A->col[k]);
        ri -= term;
        ti += fabs(term);
    }
    *r = ri;
    *t = ti;
}

/* sum_row for boundary row `row` of a distributed matrix. */
static void sum_boundary_row(const gs_dist_matrix *D, int32_t row, double bi, const gsolve_dense *x,
                             double *r, double *t)
{
    const gsolve_dense ghost = {.value = D->halo.in.buffer, .type = x->type};
    const gsolve_csr *A = &D->boundary;

    *r = bi;
    *t = 0;
    for (int64_t k = gs_start(A, row); k < gs_start(A, row + 1); k++) {
        const int32_t col = A->col[k], n = D->cols.count;
        const double term = gs_value(A, k) * (col < n ? element(x, col) : element(&ghost, col - n));
        *r -= term;
        *t += fabs(term);
    }
}

/* *hi + *lo = *hi + *lo - a x, in doubled precision. */
static inline void subtract_product(double *hi, double *lo, double a, double x)
{
    const double term = a * x, sum = *hi - term, change = sum - *hi;

    *lo += (*hi - (sum - change)) - (term + change); /* the rounding error of the sum */
    *lo -= fma(a, x, -term);                         /* and that of the product */
    *hi = sum;
}

/* sum_row or sum_boundary_row in doubled precision: row `row` of A, whose columns from own on are
 * elements of ghost. */
static void sum_doubled(const gsolve_csr *A, int32_t row, int32_t own, const gsolve_dense *ghost,
                        double bi, const gsolve_dense *x, double *r, double *t)
{
    double lo = 0;

    *r = bi;
    *t = 0;
    for (int64_t k = gs_start(A, row); k < gs_start(A, row + 1); k++) {
        const int32_t col = A->col[k];
        const double xk = col < own ? element(x, col) : element(ghost, col - own);
        subtract_product(r, &lo, gs_value(A, k), xk);
        *t += fabs(gs_value(A, k) * xk);
    }
    *r += lo;
}

/* Rows `from` to `to` - 1: r = factor (b - A x), if r has values, and the sums over them. D: NULL,
 * or the boundary rows of a distributed A, after the halo exchange of x. */
static void residual_of_rows(const gsolve_csr *A, const gs_dist_matrix *D, int64_t from, int64_t to,
                             const gsolve_dense *b, const gsolve_dense *x, double factor,
                             bool doubled, const gsolve_dense *r, gs_residual_sums *sums)
{
    const gsolve_dense ghost = {.value = D ? D->halo.in.buffer : NULL, .type = x->type};
    int32_t next = D ? gs_dist_boundary_before(D, (int32_t)from) : 0;
    gs_residual_sums s = {0};

    for (int64_t i = from; i < to; i++) {
        const double bi = element(b, i);
        const bool boundary = D && next < D->boundary_rows && D->boundary_row[next] == i;
        double ri, ti;
        if (doubled && boundary) {
            sum_doubled(&D->boundary, next++, D->cols.count, &ghost, bi, x, &ri, &ti);
        } else if (doubled) {
            sum_doubled(A, (int32_t)i, x->nrows, &ghost, bi, x, &ri, &ti);
        } else if (boundary) {
            sum_boundary_row(D, next++, bi, x, &ri, &ti);
        } else {
            sum_row(A, (int32_t)i, bi, x, &ri, &ti);
        }
        s.r_nonzero += ri != 0;
        s.b_nonzero += bi != 0;
        ri *= factor;
        s.rr += ri * ri;
        s.bb += bi * factor * (bi * factor);
        s.tt += ti * factor * (ti * factor);
        if (r->value) store(r, i, ri);
    }
    *sums = s;
}

static void residual_on_host(const gsolve_matrix *A, gsolve_dense b, gsolve_dense x, double factor,
                             bool doubled, gsolve_dense r, gs_residual_sums *sums)
{
    const gs_blocks blocks = gs_blocks_of(A->csr.nrows);
    const int threads = blocks.count > GS_SERIAL_BLOCKS ? gsolve_threads(A->ctx) : 1;
    gs_residual_sums part[GS_MAX_BLOCKS];

#pragma omp parallel for schedule(static) num_threads(threads)
    for (int k = 0; k < blocks.count; k++) {
        residual_of_rows(&A->rows, A->dist, gs_block_begin(&blocks, k), gs_block_end(&blocks, k),
                         &b, &x, factor, doubled, &r, &part[k]);
    }
    *sums = (gs_residual_sums){0};
    for (int k = 0; k < blocks.count; k++) {
        sums->rr += part[k].rr;
        sums->bb += part[k].bb;
        sums->tt += part[k].tt;
        sums->r_nonzero += part[k].r_nonzero;
        sums->b_nonzero += part[k].b_nonzero;
    }
}

enum { SUMS = sizeof(gs_residual_sums) / sizeof(double) };

/* --- A, b and x anywhere ---------------------------------------------------------------------- */

typedef struct system {
    const gsolve_matrix *A;
    gs_stage b, x; /* one column each, where the residual is computed */
    bool on_device, doubled;
} system_at;

static void close_system(system_at *s)
{
    gs_stage_drop(&s->b, s->A->ctx);
    gs_stage_drop(&s->x, s->A->ctx);
}

/* *s = v where the residual is computed, with v's values if read; a copy on the host takes
 * `memory`. */
static gsolve_status stage_vector(gs_stage *s, const system_at *system, gsolve_dense v, bool read,
                                  double *memory)
{
    gsolve_context *ctx = system->A->ctx;

    return system->on_device ? gs_stage_in(s, ctx, GSOLVE_DEVICE, v, read)
                             : gs_stage_in_at(s, ctx, GSOLVE_HOST, v, read, memory);
}

/* Memory on the host for copies of b, x and r. It is kept, so that a second run of a solver
 * allocates nothing. */
static gsolve_status prepare_host(gsolve_matrix *A)
{
    gsolve_status status;

    TRY(gs_matrix_need_rows(A));
    if (A->copies || gs_location(A->ctx) == GSOLVE_HOST) return GSOLVE_OK;
    ALLOC(A->ctx, GSOLVE_HOST, A->copies, 2 * (size_t)A->csr.nrows + (size_t)A->csr.ncols);
done:
    return status;
}

static double *copy_of_x(const gsolve_matrix *A)
{
    return A->copies ? A->copies + A->csr.nrows : NULL;
}

static double *copy_of_r(const gsolve_matrix *A)
{
    return A->copies ? copy_of_x(A) + A->csr.ncols : NULL;
}

/* Stages b and x: on the device if it has a kernel, unless b, x and the rows lie on the host. The
 * kernel has no doubled precision. */
static gsolve_status stage(system_at *s, const gsolve_matrix *A, gsolve_dense b, gsolve_dense x,
                           bool doubled)
{
    gsolve_status status;
    bool here;

    *s = (system_at){.A = A, .doubled = doubled};
    TRY(gs_matrix_need_csr(A));
    here = b.location == GSOLVE_HOST && x.location == GSOLVE_HOST && A->rows.start && !A->dist;
    s->on_device =
        !doubled && !here && GS_SCALAR_KERNELS(gs_residual, A->ctx, A->csr.type)->residual != NULL;
    if (!s->on_device) TRY(prepare_host(A->lazy));
    TRY(stage_vector(&s->b, s, b, true, A->copies));
    TRY(stage_vector(&s->x, s, x, true, copy_of_x(A)));
    if (!s->on_device && A->dist) TRY(gs_halo_wait(A->ctx)); /* the host writes to its buffers */
done:
    return status;
}

/* Joins the sums of `residual` on a rank that cannot compute it, for the reason `failed`. */
static gsolve_status fail_residual(const gsolve_matrix *A, gsolve_status failed)
{
    return gs_comm_fail_sum(A->comm, SUMS, failed);
}

/* Stages b and x, and gets the elements of x for ghost columns. */
static gsolve_status open_system(system_at *s, const gsolve_matrix *A, gsolve_dense b,
                                 gsolve_dense x, bool doubled)
{
    gsolve_status status = stage(s, A, b, x, doubled);

    if (!A->dist) return status;
    if (status != GSOLVE_OK) return fail_residual(A, gs_dist_join(A, false, x, status));
    TRY(gs_dist_begin(A, s->x.used));
    TRY(gs_halo_end(&A->dist->halo, A->ctx));
done:
    return status;
}

/* Launches the kernels. */
static gsolve_status launch(const system_at *s, double factor, void *r)
{
    const gsolve_matrix *A = s->A;
    const gs_residual_kernels *kernels = GS_SCALAR_KERNELS(gs_residual, A->ctx, A->csr.type);

    return A->dist ? kernels->over_ranks(A->ctx->queue, &A->csr, A->dist, s->b.used, s->x.used,
                                         factor, r, A->sums)
                   : kernels->residual(A->ctx->queue, &A->csr, s->b.used, s->x.used, factor, r,
                                       A->sums);
}

static gsolve_status residual(const system_at *s, double factor, gsolve_dense r,
                              gs_residual_sums *sums)
{
    const gsolve_matrix *A = s->A;
    gsolve_status status = GSOLVE_OK;

    if (s->on_device) {
        TRY(launch(s, factor, r.value));
        TRY(gsolve_copy(A->ctx, sums, GSOLVE_HOST, A->sums, GSOLVE_DEVICE, sizeof *sums));
    } else {
        residual_on_host(A, s->b.used, s->x.used, factor, s->doubled, r, sums);
    }
done:
    if (!A->comm) return status;
    status = gs_comm_defer(A->comm, status);
    return status == GSOLVE_OK ? gs_comm_sum_on_host(A->comm, &sums->rr, SUMS) : status;
}

gsolve_status gs_matrix_prepare_residual(const gsolve_matrix *A)
{
    return gs_matrix_need_csr(A);
}

/* --- norms ------------------------------------------------------------------------------------ */

/* Whether no term of a sum of squares was lost to underflow or overflow. */
static bool in_range(double sum, double nonzero)
{
    return nonzero == 0 || (isfinite(sum) && sum > 1e-280);
}

/* A norm: root 2^-exponent. */
typedef struct scaled {
    double root;
    int exponent;
} scaled;

static double value_of(scaled s)
{
    return ldexp(s.root, -s.exponent);
}

/* The exponents of the factors that are tried in this order: for sums below and above the range. */
static const int exponents[] = {0, -540, 450, 900};
enum { ATTEMPTS = sizeof exponents / sizeof *exponents };

/* Rounding errors of A x are at most about norms->rounding |b|. If they may be larger than this
 * part of b, a smaller sum that was computed shows nothing, even if it is 0. */
#define MOST_ROUNDING 0x1p-10

/* The same for norms that are reported and decide nothing. */
#define MOST_REPORTED 0x1p-40

/* Rounding errors of the doubled precision may be as large only if |A| |x| is more than 4e28 |b|.
 * Then their bound takes the place of the sum. */
static void raise_to_rounding(gs_norms *norms)
{
    const double rounding = 0x1p-53 * norms->rounding;

    if (rounding <= MOST_ROUNDING || rounding <= norms->relative) return;
    norms->relative = rounding;
    norms->r = rounding * norms->b;
}

bool gs_norms_are_uncertain(const gs_norms *norms, const gs_tolerance *tolerance)
{
    const double most = tolerance ? MOST_ROUNDING : MOST_REPORTED, error = norms->rounding;
    double limit;

    if (norms->doubled || !(error > 0) || !isfinite(norms->relative)) return false;
    if (error > most && norms->relative < error) return true;
    if (!tolerance) return false;
    limit = fmax(tolerance->relative, tolerance->absolute / norms->b);
    if (norms->relative <= limit) return norms->relative + error > limit;
    return limit > 0 && norms->relative - error <= limit;
}

static gsolve_status compute_norms(const gsolve_matrix *A, gsolve_dense b, gsolve_dense x,
                                   bool doubled, gs_norms *norms)
{
    const gsolve_dense none = {0};
    scaled r = {0}, norm = {0}, terms = {0};
    bool r_done = false, b_done = false, terms_done = false;
    gs_residual_sums sums;
    system_at s;
    gsolve_status status;

    TRY(open_system(&s, A, b, x, doubled));
    for (int i = 0; i < ATTEMPTS && !(r_done && b_done && terms_done); i++) {
        TRY(residual(&s, ldexp(1, exponents[i]), none, &sums));
        if (!r_done) r = (scaled){sqrt(sums.rr), exponents[i]};
        if (!b_done) norm = (scaled){sqrt(sums.bb), exponents[i]};
        if (!terms_done) terms = (scaled){sqrt(sums.tt), exponents[i]};
        r_done = r_done || in_range(sums.rr, sums.r_nonzero);
        b_done = b_done || in_range(sums.bb, sums.b_nonzero);
        terms_done = terms_done || isfinite(sums.tt); /* a bound of rounding may underflow */
    }
    norms->r = r_done ? value_of(r) : INFINITY;
    norms->b = b_done ? value_of(norm) : INFINITY;
    norms->relative = !r_done         ? INFINITY
                      : norm.root > 0 ? ldexp(r.root / norm.root, norm.exponent - r.exponent)
                                      : norms->r;
    norms->rounding = 0;
    if (norm.root > 0) {
        norms->rounding =
            DBL_EPSILON * ldexp(terms.root / norm.root, norm.exponent - terms.exponent);
    }
    norms->doubled = doubled;
    if (doubled) raise_to_rounding(norms);
done:
    close_system(&s);
    return status;
}

gsolve_status gs_matrix_norms(const gsolve_matrix *A, gsolve_dense b, gsolve_dense x,
                              const gs_tolerance *tolerance, gs_norms *norms)
{
    gsolve_status status;

    if (A->is_operator) return gs_operator_norms(A, b, x, norms);
    TRY(compute_norms(A, b, x, false, norms));
    if (gs_norms_are_uncertain(norms, tolerance)) TRY(compute_norms(A, b, x, true, norms));
done:
    return status;
}

gsolve_status gs_matrix_residual_vector(const gsolve_matrix *A, gsolve_dense b, gsolve_dense x,
                                        int exponent, bool doubled, gsolve_dense r)
{
    gs_residual_sums sums;
    gs_stage out = {0};
    system_at s;
    gsolve_status status;

    if (A->is_operator) return gs_operator_residual_vector(A, b, x, exponent, r);
    TRY(open_system(&s, A, b, x, doubled));
    status = stage_vector(&out, &s, r, false, copy_of_r(A));
    TRY(status == GSOLVE_OK ? GSOLVE_OK : fail_residual(A, status));
    TRY(residual(&s, ldexp(1, exponent), out.used, &sums));
    TRY(gs_stage_out(&out, A->ctx));
done:
    gs_stage_drop(&out, A->ctx);
    close_system(&s);
    return status;
}

/* *columns = v, or its columns in block `which` of A's work space if v is row-major. */
static gsolve_status to_columns(const gsolve_matrix *A, int which, gsolve_dense v,
                                gsolve_dense *columns)
{
    gsolve_context *ctx = A->ctx;
    gs_stage stage = {0};
    gsolve_status status = GSOLVE_OK;

    *columns = v;
    if (v.layout == GSOLVE_COLUMN_MAJOR) return GSOLVE_OK;
    TRY(gs_stage_in(&stage, ctx, gs_location(ctx), v, true));
    TRY(gs_block_convert(&A->lazy->space, which, ctx, GSOLVE_COLUMN_MAJOR, stage.used, true,
                         columns));
done:
    gs_stage_drop(&stage, ctx);
    return status;
}

static gsolve_status check_arguments(const gsolve_matrix *A, gsolve_dense b, gsolve_dense x,
                                     const double *relative_residual)
{
    if (b.nrows != A->csr.nrows || x.nrows != A->csr.ncols || b.ncols != x.ncols) {
        return gsolve_fail(
            A->ctx, GSOLVE_BAD_ARGUMENT,
            "a matrix of %d x %d needs x with %d rows and b with %d, but x is %d x %d "
            "and b is %d x %d",
            A->csr.nrows, A->csr.ncols, A->csr.ncols, A->csr.nrows, x.nrows, x.ncols, b.nrows,
            b.ncols);
    }
    if ((unsigned)b.layout > GSOLVE_ROW_MAJOR || (unsigned)x.layout > GSOLVE_ROW_MAJOR) {
        return gsolve_fail(
            A->ctx, GSOLVE_BAD_ARGUMENT,
            "b has layout %d and x layout %d; a layout is 0 (column-major) or 1 (row-major)",
            (int)b.layout, (int)x.layout);
    }
    if (relative_residual) return GSOLVE_OK;
    return gsolve_fail(A->ctx, GSOLVE_BAD_ARGUMENT,
                       "gsolve_matrix_residual: relative_residual is NULL; pass an array with one "
                       "number for each column");
}

gsolve_status gsolve_matrix_residual(const gsolve_matrix *A, gsolve_dense b, gsolve_dense x,
                                     double *relative_residual)
{
    gsolve_status status;

    if (!A) return GSOLVE_BAD_ARGUMENT;
    GS_ENTER(A->ctx);
    status = check_arguments(A, b, x, relative_residual);
    if (status == GSOLVE_OK) status = to_columns(A, 0, b, &b);
    if (status == GSOLVE_OK) status = to_columns(A, 1, x, &x);
    TRY(gs_comm_defer(A->comm, status));
    TRY(gs_comm_same(A->comm, (uint64_t)b.ncols * GSOLVE_TYPE_COUNT + (uint64_t)x.type,
                     "the number of columns, or the type of x,"));
    for (int32_t c = 0; c < b.ncols; c++) {
        gs_norms norms;
        TRY(gs_matrix_norms(A, gs_column_of(b, c), gs_column_of(x, c), NULL, &norms));
        relative_residual[c] = norms.relative;
    }
done:
    return status;
}
