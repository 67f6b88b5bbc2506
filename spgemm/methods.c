/* methods.c: the list of methods that multiply two sparse matrices, and the method "auto", which
 * chooses another one by the device and by counts of products. */
#include "core/try.h"
#include "spgemm/spgemm.h"

/* A build without CUDA has the name as well. */
const gs_multiplier gs_hash_multiplier = {
    .plugin = {"hash",
               "on a GPU: C = A B row by row; a hash table holds the columns of one row of C; "
               "needs little memory besides C",
               NULL, 0},
    .most = 1,
    .cuda = gs_hash_cuda,
};

/* gs_choose_multiplier replaces its kernels; esc serves all that auto does. */
const gs_multiplier gs_auto_multiplier = {
    .plugin = {"auto",
               "on the CPU gustavson; on a GPU esc or hash, depending on the number of "
               "intermediate products per row and on their columns; for dense blocks esc",
               NULL, 0},
    .most = GS_MAX_BLOCK,
    .host = GS_LEVEL_LIST(gs_esc_host),
    .cuda = gs_esc_cuda,
};

const gsolve_plugin *const gs_multipliers[] = {
    &gs_gustavson_multiplier.plugin, &gs_esc_multiplier.plugin,  &gs_hash_multiplier.plugin,
    &gs_cusparse_multiplier.plugin,  &gs_auto_multiplier.plugin, NULL,
};

const gsolve_plugin *gsolve_multiplier_at(int index)
{
    return gs_plugin_at(NULL, gs_multipliers, index);
}

bool gs_multiplier_serves(const gs_multiplier *method, const gsolve_context *ctx,
                          const gs_blocked *A, const gs_blocked *B, const char **why)
{
    const bool gpu = gs_on_gpu(ctx);
    const int32_t most = method->most;

    if (gpu ? !method->cuda : !method->host[0]) {
        *why = gpu ? "it needs the device cpu; esc and hash work on a GPU"
                   : "it needs a GPU; gustavson and esc work on the CPU";
        return false;
    }
    *why = most == 1 ? "it does not support dense blocks; esc does"
                     : "it supports blocks of at most 8 x 8";
    return A->height <= most && A->width <= most && B->width <= most;
}

/* esc (expand, sort, compress) is faster than hash if rows of C have few products, or if the
 * columns of the products lie so far apart that hash cannot use bitmaps. It is slower for heavy
 * rows: the whole device processes these in bands, one band after the other. */
#define SHORT_WORK 96 /* mean products per row */
#define HEAVY      64 /* esc is chosen if heavy rows have at most 1 / HEAVY of all products */

static const char *choose_on_cuda(const gs_product_counts *work, int32_t nrows)
{
    const double mean = nrows > 0 ? (double)work->products / nrows : 0;
    const bool are_short = mean <= SHORT_WORK, are_spread = work->spread >= work->products / 2;

    return (are_short || are_spread) && work->heavy <= work->products / HEAVY ? "esc" : "hash";
}

gsolve_status gs_choose_multiplier(const char **name, gsolve_context *ctx, const gs_blocked *A,
                                   const gs_blocked *B)
{
    const bool plain = A->height == 1 && A->width == 1 && B->width == 1;
    gs_product_counts work;
    gsolve_status status = GSOLVE_OK;

    *name = plain ? "gustavson" : "esc";
    if (plain && gs_on_gpu(ctx)) {
        TRY(gs_work_cuda.count(&work, ctx, &A->csr, &B->csr));
        *name = choose_on_cuda(&work, A->csr.nrows);
    }
done:
    return status;
}
