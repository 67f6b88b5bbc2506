/* smoothers.c: l1_jacobi and chebyshev. Both divide by D = diag(sum_j |a_ij|), which is no smaller
 * than A where A is symmetric (x'Ax <= x'Dx), so that the spectrum of D^-1 A lies in (0, 1] without
 * an estimate; and both are polynomials in D^-1 A times D^-1, so that the sweep back is the sweep.
 */
#include <string.h>

#include "core/stage.h"
#include "core/try.h"
#include "precond/amg/amg.h"
#include "precond/amg/kernels.h"

typedef struct relaxation {
    void *d;         /* the reciprocals of D */
    gsolve_dense p;  /* chebyshev's direction */
    int degree;      /* of the polynomial; 1: jacobi */
    double a, ratio; /* jacobi's factor; chebyshev is small on [1 / ratio, 1] */
} relaxation;

static void destroy(void *self, gsolve_context *ctx)
{
    relaxation *s = self;

    gsolve_free(ctx, GSOLVE_DEVICE, s->d);
    gsolve_free(ctx, GSOLVE_DEVICE, s->p.value);
    gsolve_free(ctx, GSOLVE_HOST, s);
}

static gsolve_status update(void *self, gsolve_context *ctx, const gs_fine *level,
                            const gs_amg_options *options)
{
    (void)options;
    return GS_KERNELS(gs_amg, ctx, level->A->type)
        ->reciprocals(ctx->queue, level->A, ((relaxation *)self)->d);
}

static gsolve_status build(void **self, gsolve_context *ctx, const gs_fine *level,
                           const gs_amg_options *options, int degree)
{
    const gsolve_csr *A = level->A;
    relaxation *s = NULL;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, s, 1);
    memset(s, 0, sizeof *s);
    s->degree = degree;
    s->a = options->omega;
    s->ratio = options->ratio;
    s->d = gsolve_alloc(ctx, GSOLVE_DEVICE, (size_t)A->nrows, gs_type_size(A->type));
    TRY(s->d ? GSOLVE_OK : GSOLVE_NO_MEMORY);
    if (degree > 1) TRY(gs_dense_new(&s->p, ctx, gs_place(ctx), A->type, A->nrows, 1));
    TRY(update(s, ctx, level, options));
    *self = s;
    s = NULL;
done:
    if (s) destroy(s, ctx);
    return status;
}

static gsolve_status build_jacobi(void **self, gsolve_context *ctx, const gs_fine *level,
                                  const gs_amg_options *options)
{
    return build(self, ctx, level, options, 1);
}

static gsolve_status build_chebyshev(void **self, gsolve_context *ctx, const gs_fine *level,
                                     const gs_amg_options *options)
{
    return build(self, ctx, level, options, options->degree);
}

static gsolve_status sweep_jacobi(const void *self, gsolve_context *ctx, const gs_fine *level,
                                  gsolve_dense b, gsolve_dense x, gsolve_dense space, bool zero,
                                  bool back)
{
    const relaxation *s = self;
    gsolve_status status;

    (void)back;
    if (!zero) TRY(gs_fine_multiply(level, 1, x, 0, space));
    TRY(GS_KERNELS(gs_amg, ctx, b.type)
            ->step(ctx->queue, b.nrows, s->a, 0, s->d, b.value, zero ? NULL : space.value, NULL,
                   x.value));
done:
    return status;
}

/* Saad, Iterative Methods for Sparse Linear Systems, section 12.3. */
static gsolve_status sweep_chebyshev(const void *self, gsolve_context *ctx, const gs_fine *level,
                                     gsolve_dense b, gsolve_dense x, gsolve_dense space, bool zero,
                                     bool back)
{
    const relaxation *s = self;
    const gs_amg_kernels *kernels = GS_KERNELS(gs_amg, ctx, b.type);
    const double centre = (1 + 1 / s->ratio) / 2, radius = (1 - 1 / s->ratio) / 2;
    const double sigma = centre / radius;
    double rho = 1 / sigma, a = 1 / centre, c = 0;
    gsolve_status status = GSOLVE_OK;

    (void)back;
    for (int k = 0; k < s->degree; k++) {
        const void *Ax = zero && k == 0 ? NULL : space.value;
        const double next = 1 / (2 * sigma - rho);
        if (Ax) TRY(gs_fine_multiply(level, 1, x, 0, space));
        TRY(kernels->step(ctx->queue, b.nrows, a, c, s->d, b.value, Ax, s->p.value, x.value));
        a = 2 * next / radius;
        c = next * rho;
        rho = next;
    }
done:
    return status;
}

/* A product, b, d, and x twice, p too where there is one. */
static size_t bytes(const void *self, const gs_fine *level)
{
    const relaxation *s = self;
    const size_t vector = (size_t)level->A->nrows * gs_type_size(level->A->type);
    gsolve_matrix_info A;

    gsolve_matrix_describe(level->matrix, &A);
    return (size_t)s->degree * (A.bytes + (s->p.value ? 7 : 5) * vector);
}

const gs_smoother gs_amg_l1_jacobi = {
    .plugin = {"l1_jacobi", "division by the sums of the rows' magnitudes", NULL, 0},
    .build = build_jacobi,
    .update = update,
    .destroy = destroy,
    .sweep = sweep_jacobi,
    .bytes = bytes,
};

const gs_smoother gs_amg_chebyshev = {
    .plugin = {"chebyshev", "polynomial in the matrix divided by those sums", NULL, 0},
    .build = build_chebyshev,
    .update = update,
    .destroy = destroy,
    .sweep = sweep_chebyshev,
    .bytes = bytes,
};
