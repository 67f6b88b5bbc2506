/* template_name.c: M = s I, where s is the largest sum of magnitudes in a row of A. */
#include <math.h>

#include "core/try.h"
#include "precond/handle.h"
#include "vector/vector.h"

typedef struct template_name_options {
    double scale;
} template_name_options;

typedef struct template_name {
    double scale;   /* the option */
    double inverse; /* 1 / s */
} template_name;

static const gsolve_option options[] = {
    {"scale", "factor of s", GSOLVE_REAL, offsetof(template_name_options, scale), 1, 1e-6, 1e6,
     NULL},
    {0},
};

static void destroy(void *self, gsolve_context *ctx)
{
    gsolve_free(ctx, GSOLVE_HOST, self);
}

static double magnitude(const gsolve_csr *csr, int64_t k)
{
    return csr->type == GSOLVE_F32 ? fabs((double)((const float *)csr->value)[k])
                                   : fabs(((const double *)csr->value)[k]);
}

/* Reads new values in the same pattern, from rows on the host. */
static gsolve_status update(void *self, gsolve_context *ctx, const gsolve_csr *csr)
{
    template_name *M = self;
    double most = 0;

    for (int32_t i = 0; i < csr->nrows; i++) {
        double sum = 0;
        for (int64_t k = gs_start(csr, i); k < gs_start(csr, i + 1); k++) sum += magnitude(csr, k);
        most = fmax(most, sum);
    }
    if (csr->nrows == 0) most = 1;
    if (most == 0)
        return gsolve_fail(ctx, GSOLVE_ZERO_PIVOT, "template_name: every entry of A is 0");
    M->inverse = 1 / (M->scale * most);
    return GSOLVE_OK;
}

static gsolve_status build(void **self, gsolve_context *ctx, const gsolve_csr *csr,
                           const void *chosen, void *user)
{
    template_name *M = NULL;
    gsolve_status status;

    (void)user;
    ALLOC(ctx, GSOLVE_HOST, M, 1);
    M->scale = ((const template_name_options *)chosen)->scale;
    TRY(update(M, ctx, csr));
    *self = M;
    M = NULL;
done:
    if (M) destroy(M, ctx);
    return status;
}

/* z = M^-1 r by the vector kernels, which exist for both devices. */
static gsolve_status apply(void *self, gsolve_context *ctx, gsolve_dense r, gsolve_dense z)
{
    const gs_vector_kernels *vector = GS_KERNELS(gs_vector, ctx, r.type);
    const gs_ratio inverse = {.sign = ((const template_name *)self)->inverse};
    gsolve_status status = GSOLVE_OK;

    for (int32_t c = 0; c < r.ncols; c++) {
        void *from = gs_column_of(r, c).value, *to = gs_column_of(z, c).value;
        TRY(vector->copy(ctx->queue, r.nrows, r.type, from, to));
        TRY(vector->scale(ctx->queue, r.nrows, inverse, to));
    }
done:
    return status;
}

const gsolve_precond_kind gs_template_name = {
    .plugin = {"template_name", "FILL-IN: division by the largest row sum", options,
               sizeof(template_name_options)},
    .build = build,
    .destroy = destroy,
    .apply = apply,
    .apply_transpose = apply,
    .update = update,
};
