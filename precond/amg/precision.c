/* precision.c: whether single precision is enough for the levels.
 *
 * What it could spoil are the modes of least energy: on a coarse level their energy is a difference
 * of sums much larger, and where rounding exceeds it, what the coarse level adds to x is of the
 * wrong size. So cycles are made on the error that is a near-null vector w, r = A w in the matrix's
 * own precision, and what they leave of r is measured. */
#include <math.h>
#include <string.h>

#include "core/staging.h"
#include "core/try.h"
#include "precond/amg/hierarchy.h"
#include "spmv/handle.h"
#include "vector/vector.h"

#define CYCLES 6 /* at most: those of a slow kind leave much after the first */

enum { R, W, Z, VECTORS };

/* r = A w, sum[0] = |r|^2 */
static gsolve_status begin(const gs_hierarchy *h, gsolve_context *ctx, void *A,
                           const gsolve_dense *v, double *sum)
{
    const gs_vector_kernels *vector = GS_KERNELS(gs_vector, ctx, v[R].type);
    const gsolve_dense w = h->level[0].fine.near_null;
    const int64_t n = v[R].nrows;
    gsolve_status status;

    TRY(vector->copy(ctx->queue, n, w.type, w.value, v[W].value));
    TRY(gs_csr_format.apply(A, ctx, 1, v[W], 0, v[R]));
    TRY(vector->dot(ctx->queue, n, v[R].value, v[R].value, &sum[0]));
done:
    return status;
}

/* r after one more cycle, sum[1] = |r|^2 */
static gsolve_status one_cycle(gs_hierarchy *h, gsolve_context *ctx, void *A, const gsolve_dense *v,
                               double *sum)
{
    const gs_vector_kernels *vector = GS_KERNELS(gs_vector, ctx, v[R].type);
    gsolve_status status;

    TRY(gs_hierarchy_apply(h, ctx, false, v[R], v[Z]));
    TRY(gs_csr_format.apply(A, ctx, -1, v[Z], 1, v[R]));
    TRY(vector->dot(ctx->queue, v[R].nrows, v[R].value, v[R].value, &sum[1]));
done:
    return status;
}

gsolve_status gs_hierarchy_leaves(gs_hierarchy *h, gsolve_context *ctx, const gsolve_csr *csr,
                                  double enough, double *left)
{
    gsolve_dense v[VECTORS] = {{0}};
    double *sum = NULL, seen[2];
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
    for (int k = 0; k < CYCLES && (k == 0 || *left > enough); k++) {
        TRY(one_cycle(h, ctx, A, v, sum));
        TRY(gsolve_copy(ctx, seen, GSOLVE_HOST, sum, gs_location(ctx), sizeof seen));
        *left = seen[0] > 0 ? sqrt(seen[1] / seen[0]) : 0;
    }
done:
    if (A) gs_csr_format.destroy(A, ctx);
    for (int k = 0; k < VECTORS; k++) gsolve_free(ctx, GSOLVE_DEVICE, v[k].value);
    gsolve_free(ctx, GSOLVE_DEVICE, sum);
    return status;
}
