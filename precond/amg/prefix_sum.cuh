// prefix_sum.cuh: exclusive prefix sums of counts on a GPU.
#ifndef GS_PRECOND_AMG_PREFIX_SUM_CUH
#define GS_PRECOND_AMG_PREFIX_SUM_CUH

#include "core/scan.cuh"
#include "precond/subwarp.cuh"

extern "C" {
#include "core/try.h"
}

// first[i] = count[0] + ... + count[i - 1] for i <= n, on the device. count has n + 1 elements, of
// which the last is not used. *total = first[n], on the host. first may be count if O is int32_t.
// Synchronises.
template <class O>
gsolve_status gs_prefix_sum(gsolve_context *ctx, int32_t n, const int32_t *count, O *first,
                            O *total)
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
