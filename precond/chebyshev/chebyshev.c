/* chebyshev.c: z = p(D^-1 A) D^-1 r, p the polynomial of the Chebyshev iteration on the part
 * [most / ratio, most] of the spectrum of D^-1 A, D the diagonal of A (Saad, Iterative Methods,
 * section 12.3). most is estimated by power iterations from a fixed start. Products only: no
 * recurrence between rows, so that it suits many threads. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/try.h"
#include "core/vector.h"
#include "precond/diagonal.h"
#include "precond/jacobi/jacobi.h"
#include "precond/precond.h"

typedef struct chebyshev_options {
    int degree, its;
    double ratio;
} chebyshev_options;

typedef struct chebyshev {
    chebyshev_options options;
    double most;           /* estimate of the largest eigenvalue of D^-1 A */
    gsolve_matrix *A;
    void *d;               /* reciprocals of the diagonal */
    gsolve_dense r, p, s;  /* one column of work space each */
} chebyshev;

static const gsolve_option options[] = {
    {"degree", "products in an application, plus one", GSOLVE_INT,
     offsetof(chebyshev_options, degree), 4, 1, 100, NULL},
    {"ratio", "the polynomial is small on [most / ratio, most] of the spectrum", GSOLVE_REAL,
     offsetof(chebyshev_options, ratio), 30, 1.1, 1e6, NULL},
    {"its", "power iterations for the largest eigenvalue", GSOLVE_INT,
     offsetof(chebyshev_options, its), 20, 1, 1000, NULL},
    {0},
};

static gs_ratio number(double value)
{
    return (gs_ratio){value, NULL, NULL, NULL, 0, false};
}

/* most = 1.1 times the growth of |v| under D^-1 A, from a start in which every element counts. */
static gsolve_status estimate(chebyshev *M, gsolve_context *ctx)
{
    const gsolve_type type = M->r.type;
    const gs_vector_kernels *vector = GS_KERNELS(gs_vector, ctx, type);
    const gs_jacobi_kernels *jacobi = GS_KERNELS(gs_jacobi, ctx, type);
    const int32_t n = M->r.nrows;
    double square = 0, growth = 1;
    gsolve_status status = GSOLVE_OK;

    for (int32_t i = 0; i < n; i++) {
        const double v = 0.5 + (double)(((uint32_t)i + 1) * 2654435761u >> 8) / (1 << 24);
        const double start = i % 2 ? -v : v;
        if (type == GSOLVE_F32) {
            ((float *)M->p.value)[i] = (float)start;
        } else {
            ((double *)M->p.value)[i] = start;
        }
    }
    for (int it = 0; it < M->options.its && n > 0; it++) {
        TRY(vector->dot(ctx->queue, n, M->p.value, M->p.value, &square));
        if (!(square > 0)) break;
        TRY(vector->scale(ctx->queue, n, number(1 / sqrt(square)), M->p.value));
        TRY(gsolve_matrix_apply(M->A, 1, M->p, 0, M->r));
        TRY(jacobi->apply(ctx->queue, n, M->d, M->r.value, M->p.value, NULL));
        TRY(vector->dot(ctx->queue, n, M->p.value, M->p.value, &square));
        growth = sqrt(square);
    }
    M->most = growth > 0 && isfinite(growth) ? 1.1 * growth : 1;
done:
    return status;
}

static void destroy(void *self, gsolve_context *ctx)
{
    chebyshev *M = self;

    gsolve_matrix_destroy(&M->A);
    gsolve_free(ctx, GSOLVE_DEVICE, M->d);
    gsolve_free(ctx, GSOLVE_DEVICE, M->r.value);
    gsolve_free(ctx, GSOLVE_DEVICE, M->p.value);
    gsolve_free(ctx, GSOLVE_DEVICE, M->s.value);
    gsolve_free(ctx, GSOLVE_HOST, M);
}

static gsolve_status new_column(gsolve_context *ctx, const gsolve_csr *csr, gsolve_dense *v)
{
    const gsolve_dense shape = {csr->nrows, 1, csr->nrows, NULL, csr->type, GSOLVE_HOST};

    *v = shape;
    v->value = gsolve_alloc(ctx, GSOLVE_DEVICE, (size_t)csr->nrows, gs_type_size(csr->type));
    return v->value ? GSOLVE_OK : GSOLVE_NO_MEMORY;
}

static gsolve_status build(void **self, gsolve_context *ctx, const gsolve_csr *csr,
                           const void *chosen)
{
    chebyshev *M = NULL;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, M, 1);
    memset(M, 0, sizeof *M);
    M->options = *(const chebyshev_options *)chosen;
    TRY(gsolve_matrix_create(&M->A, ctx, "csr", csr));
    TRY(new_column(ctx, csr, &M->r));
    TRY(new_column(ctx, csr, &M->p));
    TRY(new_column(ctx, csr, &M->s));
    M->d = gsolve_alloc(ctx, GSOLVE_DEVICE, (size_t)csr->nrows, gs_type_size(csr->type));
    status = M->d ? gs_diagonal_reciprocals(ctx, "chebyshev", csr, false, M->d) : GSOLVE_NO_MEMORY;
    if (status == GSOLVE_OK) TRY(estimate(M, ctx));
    if (status == GSOLVE_OK) {
        *self = M;
        M = NULL;
    }
done:
    if (M) destroy(M, ctx);
    return status;
}

static gsolve_status update(void *self, gsolve_context *ctx, const gsolve_csr *csr)
{
    chebyshev *M = self;
    gsolve_status status;

    TRY(gsolve_matrix_update(M->A, csr));
    TRY(gs_diagonal_reciprocals(ctx, "chebyshev", csr, false, M->d));
    TRY(estimate(M, ctx));
done:
    return status;
}

/* One column; the transposed one has A' for A, since D^-1 p(A' D^-1) = p(D^-1 A') D^-1. */
static gsolve_status iterate(const chebyshev *M, gsolve_context *ctx, bool transposed,
                             gsolve_dense r, gsolve_dense z)
{
    const gs_vector_kernels *vector = GS_KERNELS(gs_vector, ctx, r.type);
    const gs_jacobi_kernels *jacobi = GS_KERNELS(gs_jacobi, ctx, r.type);
    const double least = M->most / M->options.ratio, centre = (M->most + least) / 2;
    const double radius = (M->most - least) / 2, sigma = centre / radius;
    const int32_t n = r.nrows;
    double rho = 1 / sigma;
    gsolve_status status;

    TRY(jacobi->apply(ctx->queue, n, M->d, r.value, M->p.value, NULL));
    TRY(vector->scale(ctx->queue, n, number(1 / centre), M->p.value));    /* p = D^-1 r / centre */
    TRY(vector->copy(ctx->queue, n, r.type, M->p.value, z.value));        /* z = p               */
    for (int k = 1; k < M->options.degree; k++) {
        const double next = 1 / (2 * sigma - rho);
        TRY(vector->copy(ctx->queue, n, r.type, r.value, M->r.value));
        TRY((transposed ? gsolve_matrix_apply_transpose : gsolve_matrix_apply)(M->A, -1, z, 1,
                                                                               M->r));
        TRY(jacobi->apply(ctx->queue, n, M->d, M->r.value, M->s.value, NULL)); /* D^-1 (r - A z) */
        TRY(vector->axpby(ctx->queue, n, number(2 * next / radius), M->s.value,
                          number(next * rho), M->p.value));
        TRY(vector->axpby(ctx->queue, n, number(1), M->p.value, number(1), z.value));
        rho = next;
    }
done:
    return status;
}

static gsolve_status by_columns(const chebyshev *M, gsolve_context *ctx, bool transposed,
                                gsolve_dense r, gsolve_dense z)
{
    const size_t size = gs_type_size(r.type);
    gsolve_status status = GSOLVE_OK;

    for (int32_t c = 0; c < r.ncols && status == GSOLVE_OK; c++) {
        gsolve_dense rc = r, zc = z;
        rc.ncols = zc.ncols = 1;
        rc.value = (char *)r.value + (size_t)(c * r.stride) * size;
        zc.value = (char *)z.value + (size_t)(c * z.stride) * size;
        status = iterate(M, ctx, transposed, rc, zc);
    }
    return status;
}

static gsolve_status apply(const void *self, gsolve_context *ctx, gsolve_dense r, gsolve_dense z)
{
    return by_columns(self, ctx, false, r, z);
}

static gsolve_status apply_transpose(const void *self, gsolve_context *ctx, gsolve_dense r,
                                     gsolve_dense z)
{
    return by_columns(self, ctx, true, r, z);
}

static void describe(const void *self, gsolve_precond_info *info)
{
    const chebyshev *M = self;
    snprintf(info->note, sizeof info->note, "spectrum of D^-1 A up to %.3g", M->most);
}

const gsolve_precond_kind gs_chebyshev = {
    .plugin = {"chebyshev", "polynomial in the matrix, made of products only", options,
               sizeof(chebyshev_options)},
    .build = build,
    .destroy = destroy,
    .apply = apply,
    .apply_transpose = apply_transpose,
    .update = update,
    .describe = describe,
};
