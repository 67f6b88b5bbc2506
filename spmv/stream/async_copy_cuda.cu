// async_copy_cuda.cu: the lanes of async_copy.h as CUDA streams.
#include <new>

#include "core/cuda.cuh"

extern "C" {
#include "spmv/stream/async_copy.h"
}

struct gs_async_copy {
    gs_queue *q;
    cudaStream_t lane[2];
    cudaEvent_t event[GS_EVENTS];
};

namespace
{

cudaStream_t stream_of(const gs_async_copy *c, int lane)
{
    return lane == GS_LANE_QUEUE ? c->q->stream : c->lane[lane];
}

void close(gs_async_copy *c)
{
    if (!c) return;
    for (int lane = 0; lane < 2; lane++) {
        if (c->lane[lane]) cudaStreamSynchronize(c->lane[lane]);
    }
    cudaStreamSynchronize(c->q->stream);
    for (int m = 0; m < GS_EVENTS; m++) {
        if (c->event[m]) cudaEventDestroy(c->event[m]);
    }
    for (int lane = 0; lane < 2; lane++) {
        if (c->lane[lane]) cudaStreamDestroy(c->lane[lane]);
    }
    delete c;
}

gsolve_status open(gs_async_copy **copier, gsolve_context *ctx)
{
    gs_async_copy *c = new (std::nothrow) gs_async_copy();

    if (!c) return gsolve_fail(ctx, GSOLVE_NO_MEMORY, "no memory for the streams of copies");
    c->q = ctx->queue;
    cudaError_t code = cudaSuccess;
    for (int lane = 0; lane < 2 && code == cudaSuccess; lane++) {
        code = cudaStreamCreateWithFlags(&c->lane[lane], cudaStreamNonBlocking);
    }
    for (int m = 0; m < GS_EVENTS && code == cudaSuccess; m++) {
        code = cudaEventCreateWithFlags(&c->event[m], cudaEventDisableTiming);
    }
    if (code != cudaSuccess) {
        close(c);
        return gs_cuda(ctx->queue, code, "creating streams for copies");
    }
    *copier = c;
    return GSOLVE_OK;
}

bool is_locked(gs_async_copy *, const void *host)
{
    cudaPointerAttributes about;
    const cudaError_t code = cudaPointerGetAttributes(&about, host);

    if (code != cudaSuccess) cudaGetLastError(); // clears the error
    return code == cudaSuccess && about.type != cudaMemoryTypeUnregistered;
}

// A part of page `lane` of the queue, which the queue frees.
void *page(gs_async_copy *c, int lane, int k)
{
    char *all = (char *)c->q->ctx->device->page(c->q, lane, true);

    return all ? all + k * GS_ASYNC_COPY_PAGE : nullptr;
}

gsolve_status copy(gs_async_copy *c, int lane, void *device, void *host, const gs_lines *l)
{
    const bool in = lane == GS_LANE_IN;
    const cudaError_t code =
        l->pitch == l->width || l->count <= 1
            ? cudaMemcpyAsync(in ? device : host, in ? host : device, l->width * l->count,
                              cudaMemcpyDefault, stream_of(c, lane))
            : cudaMemcpy2DAsync(in ? device : host, in ? l->width : l->pitch, in ? host : device,
                                in ? l->pitch : l->width, l->width, l->count, cudaMemcpyDefault,
                                stream_of(c, lane));
    return gs_cuda(c->q, code, "an asynchronous copy");
}

gsolve_status mark(gs_async_copy *c, int lane, int event)
{
    return gs_cuda(c->q, cudaEventRecord(c->event[event], stream_of(c, lane)),
                   "recording an event of a copy");
}

gsolve_status after(gs_async_copy *c, int lane, int event)
{
    return gs_cuda(c->q, cudaStreamWaitEvent(stream_of(c, lane), c->event[event], 0),
                   "waiting for an event of a copy");
}

gsolve_status passed(gs_async_copy *c, int event, bool wait, bool *over)
{
    const cudaError_t code =
        wait ? cudaEventSynchronize(c->event[event]) : cudaEventQuery(c->event[event]);

    *over = code == cudaSuccess;
    if (code == cudaErrorNotReady) {
        cudaGetLastError();
        return GSOLVE_OK;
    }
    return gs_cuda(c->q, code, "an asynchronous copy");
}

} // namespace

extern "C" const gs_async_copy_kernels gs_async_copy_cuda[1] = {
    {open, close, is_locked, page, copy, mark, after, passed}};
