/* chebyshev.c: z = p(D^-1 A) D^-1 r, where D is the diagonal of A and p is the polynomial of the
 * Chebyshev iteration for the part [lambda_max / ratio, lambda_max] of the spectrum of D^-1 A. It
 * uses products only and no recurrence between rows, which suits many threads. */
#include <math.h>
#include <stdio.h>

#include "core/try.h"
#include "precond/chebyshev/polynomial.h"
#include "precond/diagonal.h"
#include "precond/handle.h"

typedef struct chebyshev_options {
    int degree, its;
    double ratio;
} chebyshev_options;

typedef struct chebyshev {
    chebyshev_options options;
    gs_polynomial polynomial;
    gsolve_matrix *A;
    void *d;             /* reciprocals of the diagonal */
    gs_column_work work; /* p and q, see iterate */
    double *square;      /* a number on the device */
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
    TRY(gs_estimate_lambda_max(&lambda_max, ctx, M->A, M->d, M->options.its, M->work.one[0],
                               M->work.one[1], M->square));
    M->polynomial = (gs_polynomial){lambda_max, M->options.ratio};
done:
    return status;
}

static void destroy(void *self, gsolve_context *ctx)
{
    chebyshev *M = self;

    gsolve_matrix_destroy(&M->A);
    gsolve_free(ctx, GSOLVE_DEVICE, M->d);
    gsolve_free(ctx, GSOLVE_DEVICE, M->square);
    gs_column_work_destroy(&M->work, ctx);
    gsolve_free(ctx, GSOLVE_HOST, M);
}

static gsolve_status update(void *self, gsolve_context *ctx, const gsolve_csr *csr)
{
    chebyshev *M = self;
    gsolve_status status;

    TRY(gs_diagonal_reciprocals(ctx, "chebyshev", csr, false, &M->d));
    if (M->A) {
        TRY(gsolve_matrix_update(M->A, csr));
    } else {
        M->work.vectors = 2;
        TRY(gs_column_work_create(&M->work, ctx, csr));
        ALLOC(ctx, GSOLVE_DEVICE, M->square, 1);
        TRY(gsolve_matrix_create(&M->A, ctx, "csr", csr));
    }
    TRY(estimate(M, ctx, csr));
done:
    return status;
}

static gsolve_status build(void **self, gsolve_context *ctx, const gsolve_csr *csr,
                           const void *chosen)
{
    return gs_precond_build(self, ctx, csr, chosen, &gs_chebyshev, sizeof(chebyshev));
}

/* The iteration from x = 0. Several columns are row-major; the work vectors p and q are like r. z
 * is the direction after the first step, and no direction is stored after the last. *transposed:
 * with A' instead of A, because (p(D^-1 A) D^-1)' = p(D^-1 A') D^-1. */
static gsolve_status iterate(const void *self, gsolve_context *ctx, const void *transposed,
                             gsolve_dense r, gsolve_dense z, const gsolve_dense *work)
{
    const chebyshev *M = self;
    const bool turns = *(const bool *)transposed;
    const gsolve_dense p = work[0], q = work[1];
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
        TRY((turns ? gsolve_matrix_apply_transpose : gsolve_matrix_apply)(M->A, 1, z, 0, q));
        TRY(kernels->step(ctx->queue, r.nrows, r.ncols, s.a, s.c, v));
    }
done:
    return status;
}

static gsolve_status apply(void *self, gsolve_context *ctx, gsolve_dense r, gsolve_dense z)
{
    return gs_apply_in_blocks(&((chebyshev *)self)->work, ctx, iterate, self, &(bool){false}, r, z);
}

static gsolve_status apply_transpose(void *self, gsolve_context *ctx, gsolve_dense r,
                                     gsolve_dense z)
{
    return gs_apply_in_blocks(&((chebyshev *)self)->work, ctx, iterate, self, &(bool){true}, r, z);
}

static void describe(const void *self, gsolve_precond_info *info)
{
    const chebyshev *M = self;
    const size_t vector = (size_t)info->n * gs_type_size(info->type);
    gsolve_matrix_info A = GSOLVE_INIT(gsolve_matrix_info);

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
