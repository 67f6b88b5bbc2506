/* chebyshev.c: z = p(D^-1 A) D^-1 r, p the polynomial of the Chebyshev iteration on the part
 * [most / ratio, most] of the spectrum of D^-1 A, D the diagonal of A (Saad, Iterative Methods,
 * section 12.3). most is estimated by power iterations from a fixed start. Products only: no
 * recurrence between rows, so that it suits many threads. */
#include "precond/chebyshev/chebyshev.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/stage.h"
#include "core/try.h"
#include "core/vector.h"
#include "precond/diagonal.h"
#include "precond/precond.h"

enum { STRIP = 8 }; /* columns that are multiplied together */

typedef struct chebyshev_options {
    int degree, its;
    double ratio;
} chebyshev_options;

typedef struct chebyshev {
    chebyshev_options options;
    double most; /* estimate of the largest eigenvalue of D^-1 A */
    gsolve_matrix *A;
    void *d;            /* reciprocals of the diagonal */
    gsolve_dense p, q;  /* one column of work space each */
    gsolve_dense strip; /* 2 STRIP of it, made when several columns are first applied to */
    double *square;     /* a number on the device */
    void *values;       /* on a device with memory of its own: a column on the host */
} chebyshev;

static const gsolve_option options[] = {
    {"degree", "of the polynomial: products in an application", GSOLVE_INT,
     offsetof(chebyshev_options, degree), 3, 1, 100, NULL},
    {"ratio", "the polynomial is small on [most / ratio, most] of the spectrum", GSOLVE_REAL,
     offsetof(chebyshev_options, ratio), 30, 1.1, 1e6, NULL},
    {"its", "power iterations for the largest eigenvalue", GSOLVE_INT,
     offsetof(chebyshev_options, its), 20, 1, 1000, NULL},
    {0},
};

/* v = a vector in which every element counts, of size near 1 and alternating sign. */
static gsolve_status start(const chebyshev *M, gsolve_context *ctx, gsolve_dense v)
{
    void *values = M->values ? M->values : v.value;

    for (int32_t i = 0; i < v.nrows; i++) {
        const double size = 0.5 + (double)(((uint32_t)i + 1) * 2654435761u >> 8) / (1 << 24);
        const double value = i % 2 ? -size : size;
        if (v.type == GSOLVE_F32) {
            ((float *)values)[i] = (float)value;
        } else {
            ((double *)values)[i] = value;
        }
    }
    if (!M->values) return GSOLVE_OK;
    return gsolve_copy(ctx, v.value, v.place, values, GSOLVE_HOST,
                       (size_t)v.nrows * gs_type_size(v.type));
}

/* *square = |v|^2; space: for one number on the device. */
static gsolve_status norm(gsolve_context *ctx, gsolve_dense v, double *space, double *square)
{
    gsolve_status status;

    TRY(GS_KERNELS(gs_vector, ctx, v.type)->dot(ctx->queue, v.nrows, v.value, v.value, space));
    TRY(gsolve_copy(ctx, square, GSOLVE_HOST, space, GSOLVE_DEVICE, sizeof *square));
done:
    return status;
}

/* most = 1.1 times the growth of |p| under D^-1 A in the last of the power iterations. */
static gsolve_status estimate(chebyshev *M, gsolve_context *ctx)
{
    const gsolve_dense p = M->p, q = M->q;
    const gs_chebyshev_kernels *kernels = GS_KERNELS(gs_chebyshev, ctx, p.type);
    double square = 0, growth = 0;
    gsolve_status status = GSOLVE_OK;

    TRY(start(M, ctx, p));
    for (int it = 0; it < M->options.its; it++) {
        TRY(norm(ctx, p, M->square, &square));
        if (!(square > 0)) break;
        TRY(gsolve_matrix_apply(M->A, 1 / sqrt(square), p, 0, q));
        TRY(kernels->step(ctx->queue, p.nrows, 1, 0, M->d, q.value, NULL, p.value, p.value));
        TRY(norm(ctx, p, M->square, &square));
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
    gsolve_free(ctx, GSOLVE_DEVICE, M->p.value);
    gsolve_free(ctx, GSOLVE_DEVICE, M->q.value);
    gsolve_free(ctx, GSOLVE_DEVICE, M->strip.value);
    gsolve_free(ctx, GSOLVE_DEVICE, M->square);
    gsolve_free(ctx, GSOLVE_HOST, M->values);
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
    TRY(gs_dense_new(&M->p, ctx, gs_place(ctx), csr->type, csr->nrows, 1));
    TRY(gs_dense_new(&M->q, ctx, gs_place(ctx), csr->type, csr->nrows, 1));
    ALLOC(ctx, GSOLVE_DEVICE, M->square, 1);
    if (gs_place(ctx) == GSOLVE_DEVICE) {
        M->values = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)csr->nrows, gs_type_size(csr->type));
        TRY(M->values ? GSOLVE_OK : GSOLVE_NO_MEMORY);
    }
    M->d = gsolve_alloc(ctx, GSOLVE_DEVICE, (size_t)csr->nrows, gs_type_size(csr->type));
    TRY(M->d ? gs_diagonal_reciprocals(ctx, "chebyshev", csr, false, M->d) : GSOLVE_NO_MEMORY);
    TRY(gsolve_matrix_create(&M->A, ctx, "csr", csr));
    TRY(estimate(M, ctx));
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
    TRY(estimate(M, ctx));
done:
    return status;
}

/* A step in each column; q without values: the first. */
static gsolve_status step(const chebyshev *M, gsolve_context *ctx, double a, double b,
                          gsolve_dense r, gsolve_dense q, gsolve_dense p, gsolve_dense z)
{
    const gs_chebyshev_kernels *kernels = GS_KERNELS(gs_chebyshev, ctx, r.type);
    gsolve_status status = GSOLVE_OK;

    for (int32_t c = 0; c < r.ncols && status == GSOLVE_OK; c++) {
        status = kernels->step(ctx->queue, r.nrows, a, b, M->d, gs_column_of(r, c).value,
                               q.value ? gs_column_of(q, c).value : NULL, gs_column_of(p, c).value,
                               gs_column_of(z, c).value);
    }
    return status;
}

/* p and q have as many columns as r; the transposed one has A' for A, since (p(D^-1 A) D^-1)' =
 * p(D^-1 A') D^-1. */
static gsolve_status iterate(const chebyshev *M, gsolve_context *ctx, bool transposed,
                             gsolve_dense r, gsolve_dense p, gsolve_dense q, gsolve_dense z)
{
    const gsolve_dense none = {0};
    const double least = M->most / M->options.ratio, centre = (M->most + least) / 2;
    const double radius = (M->most - least) / 2, sigma = centre / radius;
    double rho = 1 / sigma;
    gsolve_status status;

    TRY(step(M, ctx, 1 / centre, 0, r, none, p, z));
    for (int k = 0; k < M->options.degree; k++) {
        const double next = 1 / (2 * sigma - rho), a = 2 * next / radius, b = next * rho;
        TRY((transposed ? gsolve_matrix_apply_transpose : gsolve_matrix_apply)(M->A, 1, z, 0, q));
        TRY(step(M, ctx, a, b, r, q, p, z));
        rho = next;
    }
done:
    return status;
}

/* STRIP columns at a time, whose products share the passes over A. The constness of the handle is
 * about what M stands for, and not about what is made on the way. */
static gsolve_status by_strips(chebyshev *M, gsolve_context *ctx, bool transposed, gsolve_dense r,
                               gsolve_dense z)
{
    gsolve_status status = GSOLVE_OK;

    if (r.ncols == 1) return iterate(M, ctx, transposed, r, M->p, M->q, z);
    if (r.ncols > 1 && !M->strip.value) {
        TRY(gs_dense_new(&M->strip, ctx, gs_place(ctx), r.type, r.nrows, 2 * STRIP));
    }
    for (int32_t c = 0; c < r.ncols; c += STRIP) {
        gsolve_dense some = gs_column_of(r, c), out = gs_column_of(z, c);
        gsolve_dense p = gs_column_of(M->strip, 0), q = gs_column_of(M->strip, STRIP);
        some.ncols = out.ncols = p.ncols = q.ncols = r.ncols - c < STRIP ? r.ncols - c : STRIP;
        TRY(iterate(M, ctx, transposed, some, p, q, out));
    }
done:
    return status;
}

static gsolve_status apply(const void *self, gsolve_context *ctx, gsolve_dense r, gsolve_dense z)
{
    return by_strips((chebyshev *)(uintptr_t)self, ctx, false, r, z);
}

static gsolve_status apply_transpose(const void *self, gsolve_context *ctx, gsolve_dense r,
                                     gsolve_dense z)
{
    return by_strips((chebyshev *)(uintptr_t)self, ctx, true, r, z);
}

static void describe(const void *self, gsolve_precond_info *info)
{
    const chebyshev *M = self;
    const size_t vector = (size_t)M->p.nrows * gs_type_size(M->p.type);
    gsolve_matrix_info A;

    gsolve_matrix_describe(M->A, &A);
    info->moved = 4 * vector + (size_t)M->options.degree * (A.bytes + 7 * vector); /* as iterate */
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
