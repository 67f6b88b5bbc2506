// counts.cuh: sums of counts before each.
#ifndef GS_PRECOND_AMG_COARSENING_CLASSICAL_COUNTS_CUH
#define GS_PRECOND_AMG_COARSENING_CLASSICAL_COUNTS_CUH

#include "core/scan.cuh"
#include "precond/lanes.cuh"

extern "C" {
#include "core/try.h"
}

// first[i] = count[0] + ... + count[i - 1] for i <= n, all on the device, count n + 1 of which the
// last does not matter; *total = first[n], on the host: waits.
inline gsolve_status gs_add_up(gsolve_context *ctx, int32_t n, const int32_t *count, int64_t *first,
                               int64_t *total)
{
    const int64_t all = (int64_t)n + 1;
    gs_queue *q = ctx->queue;
    char *space = nullptr;
    size_t bytes = 0;
    gsolve_status status;

    TRY(gs_cuda(q, gs_exclusive_sum(nullptr, bytes, count, first, all, q->stream),
                "adding up counts"));
    ALLOC_DEVICE(ctx, space, bytes);
    TRY(gs_cuda(q, gs_exclusive_sum(space, bytes, count, first, all, q->stream),
                "adding up counts"));
    TRY(gsolve_copy(ctx, total, GSOLVE_HOST, first + n, GSOLVE_DEVICE, sizeof *total));
done:
    gsolve_free(ctx, GSOLVE_DEVICE, space);
    return status;
}

#endif
