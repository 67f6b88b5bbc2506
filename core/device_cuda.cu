// device_cuda.cu: a CUDA GPU as a device: its stream, its memory, copies, recorded graphs.
#include <cstdio>
#include <cstring>
#include <new>
#include <thread>

#include <nvtx3/nvToolsExt.h>

#include "core/cusparse.cuh"

struct gs_graph {
    cudaGraphExec_t exec;
};

struct gs_moment {
    cudaEvent_t event;
};

namespace
{

const gsolve_option options[] = {
    {"index", "number of the GPU, from 0", GSOLVE_INT, offsetof(gs_device_options, index), 0, 0,
     1023, nullptr},
    {"threads", "number of CPU threads for work on the host; 0: as many as the host has",
     GSOLVE_INT, offsetof(gs_device_options, threads), 0, 0, 4096, nullptr},
    {},
};

void close_cuda(gs_queue *q)
{
    cudaSetDevice(q->index);
    if (q->stream || !q->own) cudaStreamSynchronize(q->stream);
    if (q->sparse) cusparseDestroy(q->sparse);
    for (int slot = 0; slot < GS_SLOTS; slot++) {
        if (q->posted[slot]) cudaEventDestroy(q->posted[slot]);
        cudaFreeHost(q->page[slot]);
    }
    for (int slot = 0; slot < GS_PAGES; slot++) {
        if (q->arrival[slot]) cudaEventDestroy(q->arrival[slot]);
        cudaFreeHost(q->carried[slot]);
    }
    if (q->partial) cudaFree(q->partial);
    if (q->arrived) cudaFree(q->arrived);
    if (q->stream && q->own) cudaStreamDestroy(q->stream);
    delete q;
}

cudaError_t keep_pool(int index)
{
    cudaMemPool_t pool;
    uint64_t all = UINT64_MAX;
    const cudaError_t code = cudaDeviceGetDefaultMemPool(&pool, index);

    return code == cudaSuccess
               ? cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all)
               : code;
}

cudaError_t open_parts(gs_queue *q)
{
    const size_t partials = sizeof(double) * gs_most_sums * gs_most_partials;
    cudaError_t code = keep_pool(q->index);

    if (code == cudaSuccess) code = cudaStreamCreateWithFlags(&q->stream, cudaStreamNonBlocking);
    if (code == cudaSuccess) code = cudaMalloc((void **)&q->partial, partials);
    if (code == cudaSuccess) code = cudaMalloc((void **)&q->arrived, sizeof *q->arrived);
    if (code == cudaSuccess) code = cudaMemset(q->arrived, 0, sizeof *q->arrived);
    for (int slot = 0; slot < GS_SLOTS && code == cudaSuccess; slot++) {
        code = cudaEventCreateWithFlags(&q->posted[slot], cudaEventDisableTiming);
    }
    for (int slot = 0; slot < GS_PAGES && code == cudaSuccess; slot++) {
        code = cudaEventCreateWithFlags(&q->arrival[slot], cudaEventDisableTiming);
    }
    return code;
}

// Why a GPU cannot be used. Only one that is not there is no device; one may be full, or fail.
gsolve_status why_not(cudaError_t code)
{
    switch (code) {
    case cudaErrorNoDevice:
    case cudaErrorInvalidDevice:
    case cudaErrorInsufficientDriver: return GSOLVE_NO_DEVICE;
    case cudaErrorMemoryAllocation: return GSOLVE_NO_MEMORY;
    default: return GSOLVE_DEVICE_FAILED;
    }
}

gsolve_status open_cuda(gs_queue **queue, gsolve_context *ctx, const void *chosen, char error[256],
                        char description[128])
{
    const gs_device_options *o = static_cast<const gs_device_options *>(chosen);
    cudaDeviceProp about;
    gs_queue *q = new (std::nothrow) gs_queue();

    if (!q) return GSOLVE_NO_MEMORY;
    q->ctx = ctx;
    q->own = true;
    q->index = o->index;
    q->threads = o->threads ? o->threads : (int)std::thread::hardware_concurrency();
    cudaError_t code = cudaSetDevice(o->index);
    if (code == cudaSuccess) code = cudaGetDeviceProperties(&about, o->index);
    if (code == cudaSuccess) code = open_parts(q);
    if (code != cudaSuccess) {
        cudaGetLastError();
        snprintf(error, 256, "CUDA device %d cannot be used: %s", o->index,
                 cudaGetErrorString(code));
        close_cuda(q);
        return why_not(code);
    }
    q->processors = about.multiProcessorCount;
    snprintf(description, 128, "%.80s, %.0f GB", about.name, 1e-9 * (double)about.totalGlobalMem);
    *queue = q;
    return GSOLVE_OK;
}

void *alloc_cuda(gs_queue *q, size_t bytes)
{
    void *block = nullptr;

    cudaSetDevice(q->index);
    if (cudaMallocAsync(&block, bytes, q->stream) == cudaSuccess) return block;
    cudaGetLastError();
    return nullptr;
}

void free_cuda(gs_queue *q, void *block)
{
    cudaFreeAsync(block, q->stream);
}

// Whether only the device can reach it.
bool is_there(const void *block)
{
    cudaPointerAttributes about;
    const cudaError_t code = cudaPointerGetAttributes(&about, block);

    if (code != cudaSuccess) cudaGetLastError();
    return code == cudaSuccess && about.type == cudaMemoryTypeDevice;
}

// Within the device in its turn, as kernels are; else done when it returns.
gsolve_status copy_cuda(gs_queue *q, void *to, const void *from, size_t bytes)
{
    const bool within = is_there(to) && is_there(from);
    cudaError_t code = cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, q->stream);

    if (code == cudaSuccess && !within) code = cudaStreamSynchronize(q->stream);
    return gs_cuda(q, code, "a copy");
}

void *stream_cuda(gs_queue *q)
{
    return q->stream;
}

int threads_cuda(const gs_queue *q)
{
    return q->threads;
}

gsolve_status post_cuda(gs_queue *q, int slot, const void *from, size_t bytes)
{
    cudaError_t code = cudaSuccess;

    if (bytes > q->page_bytes[slot]) {
        cudaFreeHost(q->page[slot]);
        q->page_bytes[slot] = 0;
        code = cudaMallocHost(&q->page[slot], bytes);
        if (code == cudaSuccess) q->page_bytes[slot] = bytes;
    }
    if (code == cudaSuccess) {
        code = cudaMemcpyAsync(q->page[slot], from, bytes, cudaMemcpyDeviceToHost, q->stream);
    }
    if (code == cudaSuccess) code = cudaEventRecord(q->posted[slot], q->stream);
    return gs_cuda(q, code, "reading the progress");
}

gsolve_status wait_cuda(gs_queue *q, int slot, const void **page)
{
    *page = q->page[slot];
    return gs_cuda(q, cudaEventSynchronize(q->posted[slot]), "the steps of the solver");
}

gsolve_status record_cuda(gs_queue *q)
{
    return gs_cuda(q, cudaStreamBeginCapture(q->stream, cudaStreamCaptureModeThreadLocal),
                   "recording a graph");
}

gsolve_status recorded_cuda(gs_queue *q, gs_graph **out)
{
    cudaGraph_t graph = nullptr;
    gs_graph *made = new (std::nothrow) gs_graph();
    cudaError_t code = cudaStreamEndCapture(q->stream, &graph);

    if (code == cudaSuccess && !made) code = cudaErrorMemoryAllocation;
    if (code == cudaSuccess) code = cudaGraphInstantiate(&made->exec, graph, 0);
    if (graph) cudaGraphDestroy(graph);
    if (code != cudaSuccess) {
        delete made;
        return gs_cuda(q, code, "recording a graph");
    }
    *out = made;
    return GSOLVE_OK;
}

gsolve_status replay_cuda(gs_queue *q, gs_graph *graph)
{
    return gs_cuda(q, cudaGraphLaunch(graph->exec, q->stream), "replaying a graph");
}

void forget_cuda(gs_graph *graph)
{
    cudaGraphExecDestroy(graph->exec);
    delete graph;
}

void guard_cuda(gs_queue *q, const int *ended)
{
    q->guard = ended;
}

// --- the caller's stream ----------------------------------------------------------------------

// Whether the stream can be used. That it is of this device shows when an event of the device is
// recorded there.
gsolve_status try_stream(gs_queue *q, cudaStream_t stream)
{
    cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    cudaError_t code = cudaSetDevice(q->index);

    if (code == cudaSuccess) code = cudaStreamIsCapturing(stream, &capture);
    if (code == cudaSuccess && capture != cudaStreamCaptureStatusNone) {
        return gsolve_fail(q->ctx, GSOLVE_BAD_ARGUMENT,
                           "the stream is being captured; end that before it is used here");
    }
    if (code == cudaSuccess) code = cudaEventRecord(q->posted[0], stream);
    if (code == cudaSuccess) return GSOLVE_OK;
    cudaGetLastError(); // forgets it
    return gsolve_fail(q->ctx, GSOLVE_BAD_ARGUMENT,
                       "the stream cannot be used on CUDA device %d, to which it must belong: %s",
                       q->index, cudaGetErrorString(code));
}

// Blocks were made in the order of the old stream and may be used and freed in that of the new one,
// since nothing is left to do in the old.
gsolve_status use_stream_cuda(gs_queue *q, void *given)
{
    const cudaStream_t stream = static_cast<cudaStream_t>(given), old = q->stream;
    gsolve_status status = try_stream(q, stream);

    if (status != GSOLVE_OK || stream == old) return status;
    status = gs_cuda(q, cudaStreamSynchronize(old), "what was given to the stream before");
    if (status == GSOLVE_OK && q->sparse) {
        status = gs_vendor(q->ctx, cusparseSetStream(q->sparse, stream), "another stream");
    }
    if (status != GSOLVE_OK) return status;
    if (q->own) cudaStreamDestroy(old);
    q->stream = stream;
    q->own = false;
    return GSOLVE_OK;
}

// --- memory that is left, and pages ------------------------------------------------------------

// Free in the device or held by the pool but not in use; and all.
gsolve_status memory_cuda(gs_queue *q, size_t *unused, size_t *total)
{
    uint64_t reserved = 0, used = 0;
    cudaMemPool_t pool;
    cudaError_t code = cudaSetDevice(q->index);

    if (code == cudaSuccess) code = cudaMemGetInfo(unused, total);
    if (code == cudaSuccess) code = cudaDeviceGetDefaultMemPool(&pool, q->index);
    if (code == cudaSuccess) {
        code = cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &reserved);
    }
    if (code == cudaSuccess) {
        code = cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used);
    }
    *unused += (size_t)(reserved - used);
    return gs_cuda(q, code, "the free memory");
}

bool is_page_cuda(gs_queue *, const void *host)
{
    cudaPointerAttributes about;
    const cudaError_t code = cudaPointerGetAttributes(&about, host);

    if (code != cudaSuccess) cudaGetLastError();
    return code == cudaSuccess && about.type != cudaMemoryTypeUnregistered;
}

void *page_cuda(gs_queue *q, int slot, bool make)
{
    if (!q->carried[slot] && make && cudaMallocHost(&q->carried[slot], GS_PAGE) != cudaSuccess) {
        cudaGetLastError();
        q->carried[slot] = nullptr;
    }
    return q->carried[slot];
}

gsolve_status send_cuda(gs_queue *q, int slot, void *to, const void *from, size_t bytes)
{
    cudaError_t code = cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, q->stream);

    if (code == cudaSuccess) code = cudaEventRecord(q->arrival[slot], q->stream);
    return gs_cuda(q, code, "a copy");
}

gsolve_status sent_cuda(gs_queue *q, int slot)
{
    return gs_cuda(q, cudaEventSynchronize(q->arrival[slot]), "a copy");
}

// --- moments and ranges ------------------------------------------------------------------------

gsolve_status mark_cuda(gs_queue *q, gs_moment **moment)
{
    cudaError_t code = cudaSuccess;

    if (!*moment) {
        gs_moment *made = new (std::nothrow) gs_moment();
        code = made ? cudaSetDevice(q->index) : cudaErrorMemoryAllocation;
        if (code == cudaSuccess) code = cudaEventCreate(&made->event);
        if (code == cudaSuccess) {
            *moment = made;
        } else {
            delete made;
        }
    }
    if (code == cudaSuccess) code = cudaEventRecord((*moment)->event, q->stream);
    return gs_cuda(q, code, "marking a moment");
}

gsolve_status between_cuda(gs_queue *q, gs_moment *from, gs_moment *to, double *seconds)
{
    float ms = 0;
    cudaError_t code = cudaEventSynchronize(to->event);

    if (code == cudaSuccess) code = cudaEventElapsedTime(&ms, from->event, to->event);
    *seconds = 1e-3 * ms;
    return gs_cuda(q, code, "the time between two moments");
}

void unmark_cuda(gs_moment *moment)
{
    cudaEventDestroy(moment->event);
    delete moment;
}

void push_cuda(const char *name)
{
    nvtxRangePushA(name);
}

void pop_cuda()
{
    nvtxRangePop();
}

} // namespace

extern "C" const gs_device gs_device_cuda = {
    {"cuda", "an NVIDIA GPU", options, sizeof(gs_device_options)},
    open_cuda,
    close_cuda,
    alloc_cuda,
    free_cuda,
    copy_cuda,
    stream_cuda,
    threads_cuda,
    post_cuda,
    wait_cuda,
    record_cuda,
    recorded_cuda,
    replay_cuda,
    forget_cuda,
    guard_cuda,
    use_stream_cuda,
    memory_cuda,
    is_page_cuda,
    page_cuda,
    send_cuda,
    sent_cuda,
    mark_cuda,
    between_cuda,
    unmark_cuda,
    push_cuda,
    pop_cuda};
