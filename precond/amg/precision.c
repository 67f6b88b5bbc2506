/* precision.c: a test whether levels in single precision are accurate enough.
 *
 * Single precision can spoil the modes of least energy. On a coarse level their energy is a small
 * difference of large sums. If rounding exceeds it, the coarse correction has the wrong size. So
 * the test applies cycles to r = A w in the matrix's own precision, where w is a near-null vector,
 * and measures how much of r they leave. */
#include "precond/amg/cycle.h"

#include <math.h>
#include <string.h>

#include "core/staging.h"
#include "core/try.h"
#include "spmv/handle.h"
#include "vector/vector.h"

#define MAX_CYCLES 6 /* a slowly converging cycle leaves much of r after the first */

enum { R, W, Z, VECTORS };

/* r = A w, sum[0] = |r|^2 */
static gsolve_status begin(const gs_hierarchy *h, gsolve_context *ctx, void *A,
                           const gsolve_dense *v, double *sum)
{
    const gs_vector_kernels *vector = GS_KERNELS(gs_vector, ctx, v[R].type);
    const gsolve_dense w = h->level[0].view.near_null;
    const int64_t n = v[R].nrows;
    gsolve_status status;

    TRY(vector->copy(ctx->queue, n, w.type, w.value, v[W].value));
    TRY(gs_csr_format.apply(A, ctx, 1, v[W], 0, v[R]));
    TRY(vector->dot(ctx->queue, n, v[R].value, v[R].value, &sum[0]));
done:
    return status;
}

/* r -= A z with z from one cycle, sum[1] = |r|^2 */
static gsolve_status apply_cycle(gs_hierarchy *h, gsolve_context *ctx, void *A,
                                 const gsolve_dense *v, double *sum)
{
    const gs_vector_kernels *vector = GS_KERNELS(gs_vector, ctx, v[R].type);
    gsolve_status status;

    TRY(gs_hierarchy_apply(h, ctx, false, v[R], v[Z]));
    TRY(gs_csr_format.apply(A, ctx, -1, v[Z], 1, v[R]));
    TRY(vector->dot(ctx->queue, v[R].nrows, v[R].value, v[R].value, &sum[1]));
done:
    return status;
}

gsolve_status gs_hierarchy_measure_reduction(gs_hierarchy *h, gsolve_context *ctx,
                                             const gsolve_csr *csr, double enough, double *left)
{
    gsolve_dense v[VECTORS] = {{0}};
    double *sum = NULL, norm2[2];
    int64_t entries;
    void *A = NULL;
    gsolve_status status;

    for (int k = 0; k < VECTORS; k++) {
        TRY(gs_dense_new(&v[k], ctx, gs_location(ctx), csr->type, csr->nrows, 1));
    }
    ALLOC(ctx, GSOLVE_DEVICE, sum, 2);
    TRY(gs_csr_entries(ctx, csr, &entries));
    TRY(gs_csr_format.build(&A, ctx, csr, entries, NULL));
    TRY(begin(h, ctx, A, v, sum));
    for (int k = 0; k < MAX_CYCLES && (k == 0 || *left > enough); k++) {
        TRY(apply_cycle(h, ctx, A, v, sum));
        TRY(gsolve_copy(ctx, norm2, GSOLVE_HOST, sum, gs_location(ctx), sizeof norm2));
        *left = norm2[0] > 0 ? sqrt(norm2[1] / norm2[0]) : 0;
    }
done:
    if (A) gs_csr_format.destroy(A, ctx);
    for (int k = 0; k < VECTORS; k++) gsolve_free(ctx, GSOLVE_DEVICE, v[k].value);
    gsolve_free(ctx, GSOLVE_DEVICE, sum);
    return status;
}
