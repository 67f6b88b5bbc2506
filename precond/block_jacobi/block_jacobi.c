/* block_jacobi.c: M = the dense blocks on the diagonal of A, which are inverted at set-up. A block
 * holds the unknowns of a node, and so their coupling, which jacobi ignores. */
#include "precond/block_jacobi/block_jacobi.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/staging.h"
#include "precond/diagonal.h"
#include "precond/handle.h"

typedef struct block_jacobi_options {
    int size;
} block_jacobi_options;

typedef struct block_jacobi {
    block_jacobi_options options;
    gs_block_jacobi_data data;
} block_jacobi;

static const gsolve_option options[] = {
    {"size", "unknowns per block; 0: detected from the pattern of the matrix", GSOLVE_INT,
     offsetof(block_jacobi_options, size), 0, 0, GS_BLOCK_JACOBI_MAX, NULL},
    {0},
};

/* B = the m x m diagonal block of A that begins at row first, column-major. */
static void read_block(const gsolve_csr *A, int32_t first, int32_t m, double *B)
{
    memset(B, 0, (size_t)(m * m) * sizeof *B);
    for (int32_t i = 0; i < m; i++) {
        for (int64_t k = gs_start(A, first + i); k < gs_start(A, first + i + 1); k++) {
            const int64_t j = (int64_t)A->col[k] - first;
            if (j >= 0 && j < m) B[j * m + i] = gs_value(A, k);
        }
    }
}

static void swap_rows(int32_t m, double *B, int32_t i, int32_t k)
{
    for (int32_t j = 0; j < m; j++) {
        const double t = B[j * m + i];
        B[j * m + i] = B[j * m + k];
        B[j * m + k] = t;
    }
}

/* Scales row i of B and of X by a power of two, so that the largest magnitude in B is between 1 and
 * 2. False: the row is zero. */
static bool scale_row(int32_t m, double *B, double *X, int32_t i)
{
    double most = 0;

    for (int32_t j = 0; j < m; j++) most = fmax(most, fabs(B[j * m + i]));
    if (most == 0) return false;
    for (int32_t j = 0; j < m; j++) {
        B[j * m + i] = ldexp(B[j * m + i], -ilogb(most));
        X[j * m + i] = ldexp(X[j * m + i], -ilogb(most));
    }
    return true;
}

/* X = B^-1 by Gauss-Jordan elimination with partial pivoting; destroys B. False: B is singular. */
static bool invert(int32_t m, double *B, double *X)
{
    for (int32_t e = 0; e < m * m; e++) X[e] = e / m == e % m;
    for (int32_t i = 0; i < m; i++) {
        if (!scale_row(m, B, X, i)) return false;
    }
    for (int32_t k = 0; k < m; k++) {
        int32_t p = k;
        for (int32_t i = k + 1; i < m; i++) p = fabs(B[k * m + i]) > fabs(B[k * m + p]) ? i : p;
        if (!(fabs(B[k * m + p]) > 1e-14)) return false;
        swap_rows(m, B, k, p);
        swap_rows(m, X, k, p);
        const double inverse = 1 / B[k * m + k];
        for (int32_t j = 0; j < m; j++) B[j * m + k] *= inverse, X[j * m + k] *= inverse;
        for (int32_t i = 0; i < m; i++) {
            const double factor = B[k * m + i];
            if (i == k || factor == 0) continue;
            for (int32_t j = 0; j < m; j++) {
                B[j * m + i] -= factor * B[j * m + k];
                X[j * m + i] -= factor * X[j * m + k];
            }
        }
    }
    return true;
}

/* Block b of inverse = X. False: a value is outside the range of the type. */
static bool store(const gs_block_jacobi_data *M, void *inverse, int32_t b, int32_t m,
                  const double *X)
{
    const int64_t at = (int64_t)b * M->size * M->size;
    bool held = true;

    for (int32_t j = 0; j < m; j++) {
        for (int32_t i = 0; i < m; i++) {
            const int64_t e = at + j * M->size + i;
            const double x = X[j * m + i];
            held = held && fabs(x) <= gs_largest_value(M->type);
            gs_put_value(inverse, M->type, e, x);
        }
    }
    return held;
}

static gsolve_status fail_singular(gsolve_context *ctx, const gs_block_jacobi_data *M, int32_t b)
{
    const int32_t first = b * M->size, m = M->n - first < M->size ? M->n - first : M->size;

    return gsolve_fail(
        ctx, GSOLVE_ZERO_PIVOT,
        "block_jacobi: the diagonal block of rows %lld to %lld (counted from 1) is singular; "
        "choose another size=",
        (long long)gs_row_number(ctx, first), (long long)gs_row_number(ctx, first + m - 1));
}

/* inverse = the inverses of all blocks, computed on the host. */
static gsolve_status invert_all(const gs_block_jacobi_data *M, gsolve_context *ctx,
                                const gsolve_csr *csr, void *inverse)
{
    int32_t bad = INT32_MAX;

#pragma omp parallel for schedule(static) num_threads(gsolve_threads(ctx)) reduction(min : bad)
    for (int32_t b = 0; b < M->blocks; b++) {
        const int32_t first = b * M->size, m = M->n - first < M->size ? M->n - first : M->size;
        double B[GS_BLOCK_JACOBI_MAX * GS_BLOCK_JACOBI_MAX],
            X[GS_BLOCK_JACOBI_MAX * GS_BLOCK_JACOBI_MAX];
        read_block(csr, first, m, B);
        if (!(invert(m, B, X) && store(M, inverse, b, m, X)) && b < bad) bad = b;
    }
    return bad == INT32_MAX ? GSOLVE_OK : fail_singular(ctx, M, bad);
}

/* The inverses are computed beside those of an earlier set-up, which remain on failure. */
static gsolve_status set_inverse(gs_block_jacobi_data *M, gsolve_context *ctx,
                                 const gsolve_csr *csr)
{
    const size_t bytes =
        (size_t)M->blocks * (size_t)M->size * (size_t)M->size * gs_type_size(M->type);
    void *inverse = gsolve_alloc(ctx, GSOLVE_DEVICE, bytes, 1);
    void *draft = inverse ? gs_draft(ctx, inverse, bytes) : NULL;
    gsolve_status status = draft ? invert_all(M, ctx, csr, draft) : GSOLVE_NO_MEMORY;

    if (status == GSOLVE_OK) {
        status = gs_draft_put(ctx, inverse, draft, bytes);
    } else {
        gs_draft_drop(ctx, inverse, draft);
    }
    gsolve_free(ctx, GSOLVE_DEVICE, status == GSOLVE_OK ? M->inverse : inverse);
    if (status == GSOLVE_OK) M->inverse = inverse;
    return status;
}

static gsolve_status update(void *self, gsolve_context *ctx, const gsolve_csr *csr)
{
    block_jacobi *M = self;
    gs_block_jacobi_data *data = &M->data;

    if (!data->inverse) {
        data->type = csr->type;
        data->n = csr->nrows;
        data->size = M->options.size > 0 ? M->options.size : gs_csr_block_size(ctx, csr);
        data->blocks = (int32_t)(((int64_t)data->n + data->size - 1) / data->size);
    }
    return set_inverse(data, ctx, csr);
}

static gsolve_status build(void **self, gsolve_context *ctx, const gsolve_csr *csr,
                           const void *chosen, void *user)
{
    (void)user;
    return gs_precond_build(self, ctx, csr, chosen, &gs_block_jacobi, sizeof(block_jacobi));
}

static void destroy(void *self, gsolve_context *ctx)
{
    gsolve_free(ctx, GSOLVE_DEVICE, ((block_jacobi *)self)->data.inverse);
    gsolve_free(ctx, GSOLVE_HOST, self);
}

static gsolve_status apply(void *self, gsolve_context *ctx, gsolve_dense r, gsolve_dense z)
{
    const block_jacobi *M = self;
    return GS_KERNELS(gs_block_jacobi, ctx, r.type)->apply(ctx->queue, &M->data, false, r, z);
}

static gsolve_status apply_transpose(void *self, gsolve_context *ctx, gsolve_dense r,
                                     gsolve_dense z)
{
    const block_jacobi *M = self;
    return GS_KERNELS(gs_block_jacobi, ctx, r.type)->apply(ctx->queue, &M->data, true, r, z);
}

static void describe(const void *self, gsolve_precond_info *info)
{
    snprintf(info->note, sizeof info->note, "blocks of %d",
             ((const block_jacobi *)self)->data.size);
}

const gsolve_precond_kind gs_block_jacobi = {
    .plugin = {"block_jacobi", "inverses of the dense blocks on the diagonal", options,
               sizeof(block_jacobi_options)},
    .build = build,
    .destroy = destroy,
    .apply = apply,
    .apply_transpose = apply_transpose,
    .update = update,
    .describe = describe,
};
