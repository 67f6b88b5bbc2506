// async_copy_cuda.cu: lanes as streams of a GPU, see async_copy.h.
#include <new>

#include "core/cuda.cuh"

extern "C" {
#include "spmv/stream/async_copy.h"
}

struct gs_async_copy {
    gs_queue *q;
    cudaStream_t lane[2];
    cudaEvent_t moment[GS_MOMENTS];
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
    for (int m = 0; m < GS_MOMENTS; m++) {
        if (c->moment[m]) cudaEventDestroy(c->moment[m]);
    }
    for (int lane = 0; lane < 2; lane++) {
        if (c->lane[lane]) cudaStreamDestroy(c->lane[lane]);
    }
    delete c;
}

gsolve_status open(gs_async_copy **copier, gsolve_context *ctx)
{
    gs_async_copy *c = new (std::nothrow) gs_async_copy();

    if (!c) return gsolve_fail(ctx, GSOLVE_NO_MEMORY, "no memory for the lanes of copies");
    c->q = ctx->queue;
    cudaError_t code = cudaSetDevice(c->q->index);
    for (int lane = 0; lane < 2 && code == cudaSuccess; lane++) {
        code = cudaStreamCreateWithFlags(&c->lane[lane], cudaStreamNonBlocking);
    }
    for (int m = 0; m < GS_MOMENTS && code == cudaSuccess; m++) {
        code = cudaEventCreateWithFlags(&c->moment[m], cudaEventDisableTiming);
    }
    if (code != cudaSuccess) {
        close(c);
        return gs_cuda(ctx->queue, code, "lanes for copies");
    }
    *copier = c;
    return GSOLVE_OK;
}

bool travels(gs_async_copy *, const void *host)
{
    cudaPointerAttributes about;
    const cudaError_t code = cudaPointerGetAttributes(&about, host);

    if (code != cudaSuccess) cudaGetLastError(); // forgets it
    return code == cudaSuccess && about.type != cudaMemoryTypeUnregistered;
}

// Those of the queue are there already, or stay.
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
    return gs_cuda(c->q, code, "a copy beside the kernels");
}

gsolve_status mark(gs_async_copy *c, int lane, int moment)
{
    return gs_cuda(c->q, cudaEventRecord(c->moment[moment], stream_of(c, lane)), "marking a copy");
}

gsolve_status after(gs_async_copy *c, int lane, int moment)
{
    return gs_cuda(c->q, cudaStreamWaitEvent(stream_of(c, lane), c->moment[moment], 0),
                   "the order of copies");
}

gsolve_status passed(gs_async_copy *c, int moment, bool wait, bool *over)
{
    const cudaError_t code =
        wait ? cudaEventSynchronize(c->moment[moment]) : cudaEventQuery(c->moment[moment]);

    *over = code == cudaSuccess;
    if (code == cudaErrorNotReady) {
        cudaGetLastError();
        return GSOLVE_OK;
    }
    return gs_cuda(c->q, code, "a copy beside the kernels");
}

} // namespace

extern "C" const gs_async_copy_kernels gs_async_copy_cuda[1] = {
    {open, close, travels, page, copy, mark, after, passed}};
