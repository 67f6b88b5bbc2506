/* chebyshev.c: z = p(D^-1 A) D^-1 r, where D is the diagonal of A and p is the polynomial of the
 * Chebyshev iteration for the part [lambda_max / ratio, lambda_max] of the spectrum of D^-1 A. It
 * uses products only and no recurrence between rows, which suits many threads. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/staging.h"
#include "core/try.h"
#include "precond/chebyshev/polynomial.h"
#include "precond/diagonal.h"
#include "precond/handle.h"
#include "vector/layout.h"

enum { BLOCK_COLUMNS = 8 }; /* columns per product */

typedef struct chebyshev_options {
    int degree, its;
    double ratio;
} chebyshev_options;

typedef struct chebyshev {
    chebyshev_options options;
    gs_polynomial polynomial;
    gsolve_matrix *A;
    void *d;            /* reciprocals of the diagonal */
    gsolve_dense p, q;  /* one column of work space each */
    double *square;     /* a number on the device */
    gsolve_dense block; /* r, z, p and q of BLOCK_COLUMNS columns; allocated by the first
                           application to several columns */
} chebyshev;

static const gsolve_option options[] = {
    {"degree", "degree of the polynomial, and number of matrix-vector products per application",
     GSOLVE_INT, offsetof(chebyshev_options, degree), 3, 1, 100, NULL},
    {"ratio",
     "the polynomial reduces errors in the part [lambda_max / ratio, lambda_max] of the spectrum",
     GSOLVE_REAL, offsetof(chebyshev_options, ratio), 30, 1.1, 1e6, NULL},
    {"its",
     "number of power iterations that estimate the largest eigenvalue lambda_max; 0: use a bound "
     "from the row sums",
     GSOLVE_INT, offsetof(chebyshev_options, its), 20, 0, 1000, NULL},
    {0},
};

/* max_i sum_j |a_ij / a_ii| */
static double largest_sum(gsolve_context *ctx, const gsolve_csr *csr)
{
    double largest = 0;

#pragma omp parallel for schedule(static) num_threads(gsolve_threads(ctx)) reduction(max : largest)
    for (int32_t i = 0; i < csr->nrows; i++) {
        double sum = 0;
        for (int64_t k = gs_start(csr, i); k < gs_start(csr, i + 1); k++) {
            sum += fabs(gs_value(csr, k));
        }
        largest = fmax(largest, sum / fabs(gs_value(csr, gs_diagonal_at(csr, i))));
    }
    return largest;
}

/* Estimates the spectrum. A and d have their values. */
static gsolve_status estimate(chebyshev *M, gsolve_context *ctx, const gsolve_csr *csr)
{
    double lambda_max = largest_sum(ctx, csr);
    gsolve_status status;

    if (!(lambda_max > 0 && isfinite(lambda_max))) lambda_max = 1;
    TRY(gs_estimate_lambda_max(&lambda_max, ctx, M->A, M->d, M->options.its, M->p, M->q,
                               M->square));
    M->polynomial = (gs_polynomial){lambda_max, M->options.ratio};
done:
    return status;
}

static void destroy(void *self, gsolve_context *ctx)
{
    chebyshev *M = self;

    gsolve_matrix_destroy(&M->A);
    gsolve_free(ctx, GSOLVE_DEVICE, M->d);
    gsolve_free(ctx, GSOLVE_DEVICE, M->p.value);
    gsolve_free(ctx, GSOLVE_DEVICE, M->q.value);
    gsolve_free(ctx, GSOLVE_DEVICE, M->square);
    gsolve_free(ctx, GSOLVE_DEVICE, M->block.value);
    gsolve_free(ctx, GSOLVE_HOST, M);
}

static gsolve_status build(void **self, gsolve_context *ctx, const gsolve_csr *csr,
                           const void *chosen)
{
    chebyshev *M = NULL;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, M, 1);
    memset(M, 0, sizeof *M);
    M->options = *(const chebyshev_options *)chosen;
    TRY(gs_dense_new(&M->p, ctx, gs_location(ctx), csr->type, csr->nrows, 1));
    TRY(gs_dense_new(&M->q, ctx, gs_location(ctx), csr->type, csr->nrows, 1));
    ALLOC(ctx, GSOLVE_DEVICE, M->square, 1);
    M->d = gsolve_alloc(ctx, GSOLVE_DEVICE, (size_t)csr->nrows, gs_type_size(csr->type));
    TRY(M->d ? gs_diagonal_reciprocals(ctx, "chebyshev", csr, false, M->d) : GSOLVE_NO_MEMORY);
    TRY(gsolve_matrix_create(&M->A, ctx, "csr", csr));
    TRY(estimate(M, ctx, csr));
    *self = M;
    M = NULL;
done:
    if (M) destroy(M, ctx);
    return status;
}

static gsolve_status update(void *self, gsolve_context *ctx, const gsolve_csr *csr)
{
    chebyshev *M = self;
    gsolve_status status;

    TRY(gs_diagonal_reciprocals(ctx, "chebyshev", csr, false, M->d));
    TRY(gsolve_matrix_update(M->A, csr));
    TRY(estimate(M, ctx, csr));
done:
    return status;
}

/* The iteration from x = 0. Several columns are row-major; p and q are like r. z is the direction
 * after the first step, and no direction is stored after the last. transposed: with A' instead of
 * A, because (p(D^-1 A) D^-1)' = p(D^-1 A') D^-1. */
static gsolve_status iterate(const chebyshev *M, gsolve_context *ctx, bool transposed,
                             gsolve_dense r, gsolve_dense p, gsolve_dense q, gsolve_dense z)
{
    const gs_polynomial_kernels *kernels = GS_KERNELS(gs_polynomial, ctx, r.type);
    gs_polynomial_step s = gs_polynomial_first(M->polynomial);
    gs_step_vectors v = {.d = M->d, .b = r.value, .x = z.value};
    gsolve_status status;

    TRY(kernels->step(ctx->queue, r.nrows, r.ncols, s.a, s.c, v));
    v.Ax = q.value;
    for (int k = 0; k < M->options.degree; k++) {
        v.old = k == 0 ? z.value : p.value;
        v.p = k + 1 < M->options.degree ? p.value : NULL;
        s = gs_polynomial_next(M->polynomial, s);
        TRY((transposed ? gsolve_matrix_apply_transpose : gsolve_matrix_apply)(M->A, 1, z, 0, q));
        TRY(kernels->step(ctx->queue, r.nrows, r.ncols, s.a, s.c, v));
    }
done:
    return status;
}

/* Up to BLOCK_COLUMNS columns in row-major order, which share the passes over A. */
static gsolve_status iterate_several(const chebyshev *M, gsolve_context *ctx, bool transposed,
                                     gsolve_dense r, gsolve_dense z)
{
    gsolve_dense v[4]; /* r, z, p, q */
    gsolve_status status;

    for (int k = 0; k < 4; k++) {
        v[k] = gs_column_of(M->block, k * BLOCK_COLUMNS);
        v[k].ncols = r.ncols;
        v[k].stride = r.ncols;
        v[k].layout = GSOLVE_ROW_MAJOR;
    }
    TRY(gs_change_layout(ctx, r, v[0]));
    TRY(iterate(M, ctx, transposed, v[0], v[2], v[3], v[1]));
    TRY(gs_change_layout(ctx, v[1], z));
done:
    return status;
}

/* self is const, but the work space for several columns is allocated by the first call that needs
 * it. */
static gsolve_status apply_in_blocks(chebyshev *M, gsolve_context *ctx, bool transposed,
                                     gsolve_dense r, gsolve_dense z)
{
    gsolve_status status = GSOLVE_OK;

    if (r.ncols > 1 && !M->block.value) {
        TRY(gs_dense_new(&M->block, ctx, gs_location(ctx), r.type, r.nrows, 4 * BLOCK_COLUMNS));
    }
    for (int32_t c = 0; c < r.ncols; c += BLOCK_COLUMNS) {
        gsolve_dense in = gs_column_of(r, c), out = gs_column_of(z, c);
        in.ncols = out.ncols = r.ncols - c < BLOCK_COLUMNS ? r.ncols - c : BLOCK_COLUMNS;
        if (in.ncols == 1) {
            TRY(iterate(M, ctx, transposed, in, M->p, M->q, out));
        } else {
            TRY(iterate_several(M, ctx, transposed, in, out));
        }
    }
done:
    return status;
}

static gsolve_status apply(void *self, gsolve_context *ctx, gsolve_dense r, gsolve_dense z)
{
    return apply_in_blocks(self, ctx, false, r, z);
}

static gsolve_status apply_transpose(void *self, gsolve_context *ctx, gsolve_dense r,
                                     gsolve_dense z)
{
    return apply_in_blocks(self, ctx, true, r, z);
}

static void describe(const void *self, gsolve_precond_info *info)
{
    const chebyshev *M = self;
    const size_t vector = (size_t)M->p.nrows * gs_type_size(M->p.type);
    gsolve_matrix_info A;

    gsolve_matrix_describe(M->A, &A);
    info->moved =
        4 * vector + (size_t)M->options.degree * (A.bytes + 7 * vector); /* what iterate moves */
    snprintf(info->note, sizeof info->note, "largest eigenvalue of D^-1 A about %.3g",
             M->polynomial.lambda_max);
}

const gsolve_precond_kind gs_chebyshev = {
    .plugin = {"chebyshev",
               "Chebyshev polynomial of the matrix; applied by matrix-vector products; A symmetric "
               "positive "
               "definite (not checked)",
               options, sizeof(chebyshev_options)},
    .build = build,
    .destroy = destroy,
    .apply = apply,
    .apply_transpose = apply_transpose,
    .update = update,
    .describe = describe,
};
