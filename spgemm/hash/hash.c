/* hash.c: the method hash, see hash.h. */
#include "spgemm/hash/hash.h"

static bool serves(const gsolve_context *ctx, const gs_blocked *A, const gs_blocked *B,
                   const char **why)
{
    if (!gs_on_gpu(ctx)) {
        *why = "hash needs a GPU; gustavson and esc work on the CPU";
        return false;
    }
    if (A->height == 1 && A->width == 1 && B->width == 1) return true;
    *why = "hash does not support dense blocks; esc does";
    return false;
}

static gsolve_status multiply(gs_blocked *C, void **plan, gs_product_work *stats,
                              gsolve_context *ctx, const gs_blocked *A, const gs_blocked *B,
                              const void *options)
{
    (void)options;
    C->height = C->width = 1;
    return gs_hash_cuda[A->csr.type].multiply(&C->csr, plan, stats, ctx, &A->csr, &B->csr);
}

static gsolve_status update(const void *plan, gsolve_context *ctx, const gs_blocked *A,
                            const gs_blocked *B, gs_blocked *C)
{
    return gs_hash_cuda[A->csr.type].update(plan, ctx, &A->csr, &B->csr, &C->csr);
}

/* The kernels of any value type can free a plan. */
static void destroy(void *plan, gsolve_context *ctx)
{
    if (plan) gs_hash_cuda[GSOLVE_F64].destroy(plan, ctx);
}

const gs_multiplier gs_hash_multiplier = {
    .plugin =
        {"hash",
         "on a GPU: C = A B row by row; a hash table holds the columns of one row of C; needs "
         "little memory besides C",
         NULL, 0},
    .serves = serves,
    .multiply = multiply,
    .update = update,
    .destroy = destroy,
};
