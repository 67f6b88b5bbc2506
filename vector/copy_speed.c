/* copy_speed.c: measures the copy bandwidth of a device. */
#include <math.h>

#include "core/dense.h"
#include "core/try.h"
#include "vector/vector.h"

#define MOST_BYTES  ((size_t)256 << 20) /* of each of the two arrays: larger than all caches */
#define LEAST_BYTES ((size_t)1 << 20)
#define COPIES      4

/* Allocates two blocks of *bytes each, as large as memory allows. */
static gsolve_status two_blocks(gsolve_context *ctx, size_t *bytes, void *block[2])
{
    for (*bytes = MOST_BYTES; *bytes >= LEAST_BYTES; *bytes /= 2) {
        block[0] = gsolve_alloc(ctx, GSOLVE_DEVICE, *bytes, 1);
        block[1] = block[0] ? gsolve_alloc(ctx, GSOLVE_DEVICE, *bytes, 1) : NULL;
        if (block[1]) return GSOLVE_OK;
        gsolve_free(ctx, GSOLVE_DEVICE, block[0]);
        block[0] = NULL;
    }
    return GSOLVE_NO_MEMORY;
}

/* *seconds = the time of one copy by the vector kernel copy. */
static gsolve_status time_kernel(gsolve_context *ctx, gs_moment *at[2], size_t bytes, void *from,
                                 void *to, double *seconds)
{
    const gs_device *device = ctx->device;
    const gs_vector_kernels *vector = GS_KERNELS(gs_vector, ctx, GSOLVE_F64);
    const double begin = gs_now();
    gsolve_status status;

    if (device->mark) TRY(device->mark(ctx->queue, &at[0]));
    TRY(vector->copy(ctx->queue, (int64_t)(bytes / sizeof(double)), GSOLVE_F64, from, to));
    if (device->mark) TRY(device->mark(ctx->queue, &at[1]));
    *seconds = gs_now() - begin;
    if (device->mark) TRY(device->between(ctx->queue, at[0], at[1], seconds));
done:
    return status;
}

/* *seconds = the time of one copy by gsolve_copy. */
static gsolve_status time_copy(gsolve_context *ctx, size_t bytes, void *from, void *to,
                               double *seconds)
{
    const double begin = gs_now();
    gsolve_status status;

    TRY(gsolve_copy(ctx, to, gs_location(ctx), from, gs_location(ctx), bytes));
    TRY(gs_memory_synchronize(ctx, gs_location(ctx), to));
    *seconds = gs_now() - begin;
done:
    return status;
}

gsolve_status gsolve_context_copy_speed(gsolve_context *ctx, double *bytes_per_second)
{
    gs_moment *at[2] = {NULL, NULL};
    void *block[2] = {NULL, NULL};
    double best = INFINITY, seconds;
    size_t bytes;
    gsolve_status status;

    if (!ctx) return GSOLVE_BAD_ARGUMENT;
    GS_ENTER(ctx);
    if (!bytes_per_second) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT,
                           "gsolve_context_copy_speed: the pointer to the result is NULL");
    }
    TRY(two_blocks(ctx, &bytes, block));
    TRY(GS_KERNELS(gs_vector, ctx, GSOLVE_F64)
            ->zero(ctx->queue, (int64_t)(bytes / sizeof(double)), block[0]));
    for (int run = 0; run < COPIES; run++) {
        TRY(time_kernel(ctx, at, bytes, block[0], block[1], &seconds));
        if (run > 0 && seconds < best) best = seconds; /* the first run also maps the pages */
        TRY(time_copy(ctx, bytes, block[0], block[1], &seconds));
        if (run > 0 && seconds < best) best = seconds;
    }
    *bytes_per_second = 2.0 * (double)bytes / best;
done:
    for (int i = 0; i < 2; i++) {
        if (at[i]) ctx->device->unmark(at[i]);
        gsolve_free(ctx, GSOLVE_DEVICE, block[i]);
    }
    return status;
}
