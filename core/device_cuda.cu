// device_cuda.cu: a CUDA GPU as a device: its stream, its memory, copies and CUDA graphs. Each
// function is the member of gs_device with that name, see device.h.
#include <cstdio>
#include <cstring>
#include <new>

#include <nvtx3/nvToolsExt.h>

#include "core/cusparse.cuh"
#include "core/driver.cuh"

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
    {"threads",
     "number of CPU threads for work on the host; 0: one for each processor that the process may "
     "use",
     GSOLVE_INT, offsetof(gs_device_options, threads), 0, 0, 4096, nullptr},
    GS_OPTION_MEMORY,
    {},
};

void free_host_buffers(gs_queue *q)
{
    for (int slot = 0; slot < GS_SLOTS; slot++) {
        if (q->post_event[slot]) cudaEventDestroy(q->post_event[slot]);
        if (q->post_buffer[slot]) cudaFreeHost(q->post_buffer[slot]);
    }
    for (int slot = 0; slot < GS_PAGES; slot++) {
        if (q->page_event[slot]) cudaEventDestroy(q->page_event[slot]);
        if (q->page[slot]) cudaFreeHost(q->page[slot]);
    }
}

// Frees the pool when the stream has finished. The memory goes back to the GPU then.
void close_cuda(gs_queue *q)
{
    gs_driver_enter(q);
    if (q->partial) cudaFreeAsync(q->partial, q->stream);
    if (q->stream || !q->own) cudaStreamSynchronize(q->stream);
    if (q->sparse) cusparseDestroy(q->sparse);
    free_host_buffers(q);
    if (q->pool) cudaMemPoolDestroy(q->pool);
    if (q->stream && q->own) cudaStreamDestroy(q->stream);
    gs_driver_leave(q);
    delete q;
}

// Creates a memory pool that keeps freed memory, so that later allocations need no call of the
// driver. The default pool of the GPU belongs to the whole process, so its settings stay. Each
// context has a pool: it needs no lock and no global variable, its unused bytes are known, and the
// memory is free again when the context is destroyed.
cudaError_t create_pool(gs_queue *q)
{
    cudaMemPoolProps about = {};
    uint64_t all = UINT64_MAX;

    about.allocType = cudaMemAllocationTypePinned;
    about.location.type = cudaMemLocationTypeDevice;
    about.location.id = q->index;
    const cudaError_t code = cudaMemPoolCreate(&q->pool, &about);
    return code == cudaSuccess
               ? cudaMemPoolSetAttribute(q->pool, cudaMemPoolAttrReleaseThreshold, &all)
               : code;
}

// The sums of blocks, and behind them the counter `arrived`.
cudaError_t create_partial(gs_queue *q)
{
    constexpr size_t count = (size_t)gs_most_sums * gs_most_partials;
    void *block = nullptr;
    cudaError_t code =
        cudaMallocFromPoolAsync(&block, sizeof(double) * (count + 1), q->pool, q->stream);

    if (code != cudaSuccess) return code;
    q->partial = static_cast<double *>(block);
    q->arrived = reinterpret_cast<unsigned *>(q->partial + count);
    return cudaMemsetAsync(q->arrived, 0, sizeof *q->arrived, q->stream);
}

cudaError_t create_resources(gs_queue *q)
{
    cudaError_t code = create_pool(q);

    if (code == cudaSuccess) code = cudaStreamCreateWithFlags(&q->stream, cudaStreamNonBlocking);
    if (code == cudaSuccess) code = create_partial(q);
    for (int slot = 0; slot < GS_SLOTS && code == cudaSuccess; slot++) {
        code = cudaEventCreateWithFlags(&q->post_event[slot], cudaEventDisableTiming);
    }
    for (int slot = 0; slot < GS_PAGES && code == cudaSuccess; slot++) {
        code = cudaEventCreateWithFlags(&q->page_event[slot], cudaEventDisableTiming);
    }
    return code;
}

// Name and memory of the GPU. cudaGetDeviceProperties has them too, but it reads all properties,
// and some of them are slow to read.
cudaError_t describe_gpu(gs_queue *q, char description[128])
{
    char name[81] = "an NVIDIA GPU";
    size_t bytes = 0;
    CUdevice device;

    if (q->driver->get_device(&device, q->index) == CUDA_SUCCESS) {
        q->driver->get_name(name, sizeof name, device);
        q->driver->total_memory(&bytes, device);
    }
    snprintf(description, 128, "%.80s, %.0f GB", name, 1e-9 * (double)bytes);
    return cudaDeviceGetAttribute(&q->processors, cudaDevAttrMultiProcessorCount, q->index);
}

// The status for a GPU that cannot be opened. GSOLVE_NO_DEVICE is only for a GPU that does not
// exist: the memory of a GPU may also be full, or the GPU may fail.
gsolve_status status_of(cudaError_t code)
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
    gs_queue *q = new (std::nothrow) gs_queue();

    if (!q) return GSOLVE_NO_MEMORY;
    q->ctx = ctx;
    q->own = true;
    q->index = o->index;
    q->threads = o->threads ? o->threads : gs_processors();
    cudaError_t code = gs_driver_open(q);
    gs_driver_enter(q);
    if (code == cudaSuccess) code = create_resources(q);
    if (code == cudaSuccess) code = describe_gpu(q, description);
    gs_driver_leave(q);
    if (code != cudaSuccess) {
        snprintf(error, 256, "CUDA device %d cannot be used: %s", o->index,
                 cudaGetErrorString(code));
        close_cuda(q);
        return status_of(code);
    }
    *queue = q;
    return GSOLVE_OK;
}

void *alloc_cuda(gs_queue *q, size_t bytes)
{
    void *block = nullptr;

    if (cudaMallocFromPoolAsync(&block, bytes, q->pool, q->stream) == cudaSuccess) return block;
    cudaGetLastError();
    return nullptr;
}

void free_cuda(gs_queue *q, void *block)
{
    cudaFreeAsync(block, q->stream);
}

// Whether the block is in the device's memory and the host cannot access it.
bool is_on_device(const void *block)
{
    cudaPointerAttributes about;
    const cudaError_t code = cudaPointerGetAttributes(&about, block);

    if (code != cudaSuccess) cudaGetLastError();
    return code == cudaSuccess && about.type == cudaMemoryTypeDevice;
}

// A copy within the device runs after earlier work of the stream, like a kernel. Any other copy is
// complete on return.
gsolve_status copy_cuda(gs_queue *q, void *to, const void *from, size_t bytes)
{
    const bool within = is_on_device(to) && is_on_device(from);
    cudaError_t code = cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, q->stream);

    if (code == cudaSuccess && !within) code = cudaStreamSynchronize(q->stream);
    return gs_cuda(q, code, "a memory copy");
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

    if (bytes > q->post_bytes[slot]) {
        cudaFreeHost(q->post_buffer[slot]);
        q->post_bytes[slot] = 0;
        code = cudaMallocHost(&q->post_buffer[slot], bytes);
        if (code == cudaSuccess) q->post_bytes[slot] = bytes;
    }
    if (code == cudaSuccess) {
        code =
            cudaMemcpyAsync(q->post_buffer[slot], from, bytes, cudaMemcpyDeviceToHost, q->stream);
    }
    if (code == cudaSuccess) code = cudaEventRecord(q->post_event[slot], q->stream);
    return gs_cuda(q, code, "copying the progress of the solver");
}

gsolve_status wait_cuda(gs_queue *q, int slot, const void **page)
{
    *page = q->post_buffer[slot];
    return gs_cuda(q, cudaEventSynchronize(q->post_event[slot]),
                   "waiting for a step of the solver");
}

gsolve_status record_cuda(gs_queue *q)
{
    return gs_cuda(q, cudaStreamBeginCapture(q->stream, cudaStreamCaptureModeThreadLocal),
                   "recording a CUDA graph");
}

gsolve_status recorded_cuda(gs_queue *q, gs_graph **out)
{
    cudaGraph_t graph = nullptr;
    gs_graph *created = new (std::nothrow) gs_graph();
    cudaError_t code = cudaStreamEndCapture(q->stream, &graph);

    if (code == cudaSuccess && !created) code = cudaErrorMemoryAllocation;
    if (code == cudaSuccess) code = cudaGraphInstantiate(&created->exec, graph, 0);
    if (graph) cudaGraphDestroy(graph);
    if (code != cudaSuccess) {
        delete created;
        return gs_cuda(q, code, "recording a CUDA graph");
    }
    *out = created;
    return GSOLVE_OK;
}

gsolve_status replay_cuda(gs_queue *q, gs_graph *graph)
{
    return gs_cuda(q, cudaGraphLaunch(graph->exec, q->stream), "launching a CUDA graph");
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

// Fails if the stream cannot be used. Recording an event of this device in it succeeds only if the
// stream belongs to this device.
gsolve_status check_stream(gs_queue *q, cudaStream_t stream)
{
    cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    cudaError_t code = cudaStreamIsCapturing(stream, &capture);

    if (code == cudaSuccess && capture != cudaStreamCaptureStatusNone) {
        return gsolve_fail(
            q->ctx, GSOLVE_BAD_ARGUMENT,
            "the stream is being captured; end the capture before gsolve uses the stream");
    }
    if (code == cudaSuccess) code = cudaEventRecord(q->post_event[0], stream);
    if (code == cudaSuccess) return GSOLVE_OK;
    cudaGetLastError(); // clears the error
    return gsolve_fail(q->ctx, GSOLVE_BAD_ARGUMENT,
                       "the stream cannot be used; it must belong to CUDA device %d: %s", q->index,
                       cudaGetErrorString(code));
}

// Waits for the old stream. Blocks that were allocated in its order can then be used and freed in
// the order of the new stream.
gsolve_status use_stream_cuda(gs_queue *q, void *given)
{
    const cudaStream_t stream = static_cast<cudaStream_t>(given), old = q->stream;
    gsolve_status status = check_stream(q, stream);

    if (status != GSOLVE_OK || stream == old) return status;
    status = gs_cuda(q, cudaStreamSynchronize(old), "waiting for the previous stream");
    if (status == GSOLVE_OK && q->sparse) {
        status = gs_vendor(q->ctx, cusparseSetStream(q->sparse, stream), "changing the stream");
    }
    if (status != GSOLVE_OK) return status;
    if (q->own) cudaStreamDestroy(old);
    q->stream = stream;
    q->own = false;
    return GSOLVE_OK;
}

// --- free memory, and pages --------------------------------------------------------------------

// *unused = bytes that are free on the device, or that the memory pool holds but does not use.
gsolve_status memory_cuda(gs_queue *q, size_t *unused, size_t *total)
{
    uint64_t reserved = 0, used = 0;
    cudaError_t code = cudaMemGetInfo(unused, total);

    if (code == cudaSuccess) {
        code = cudaMemPoolGetAttribute(q->pool, cudaMemPoolAttrReservedMemCurrent, &reserved);
    }
    if (code == cudaSuccess) {
        code = cudaMemPoolGetAttribute(q->pool, cudaMemPoolAttrUsedMemCurrent, &used);
    }
    *unused += (size_t)(reserved - used);
    return gs_cuda(q, code, "reading the free memory");
}

gsolve_status trim_cuda(gs_queue *q)
{
    cudaError_t code = cudaStreamSynchronize(q->stream);

    if (code == cudaSuccess) code = cudaMemPoolTrimTo(q->pool, 0);
    return gs_cuda(q, code, "freeing memory that is kept for reuse");
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
    if (!q->page[slot] && make && cudaMallocHost(&q->page[slot], GS_PAGE) != cudaSuccess) {
        cudaGetLastError();
        q->page[slot] = nullptr;
    }
    return q->page[slot];
}

gsolve_status send_cuda(gs_queue *q, int slot, void *to, const void *from, size_t bytes)
{
    cudaError_t code = cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, q->stream);

    if (code == cudaSuccess) code = cudaEventRecord(q->page_event[slot], q->stream);
    return gs_cuda(q, code, "starting a memory copy");
}

gsolve_status sent_cuda(gs_queue *q, int slot)
{
    return gs_cuda(q, cudaEventSynchronize(q->page_event[slot]), "waiting for a memory copy");
}

// --- events and ranges -------------------------------------------------------------------------

gsolve_status mark_cuda(gs_queue *q, gs_moment **moment)
{
    cudaError_t code = cudaSuccess;

    if (!*moment) {
        gs_moment *created = new (std::nothrow) gs_moment();
        code = created ? cudaEventCreate(&created->event) : cudaErrorMemoryAllocation;
        if (code == cudaSuccess) {
            *moment = created;
        } else {
            delete created;
        }
    }
    if (code == cudaSuccess) code = cudaEventRecord((*moment)->event, q->stream);
    return gs_cuda(q, code, "recording an event");
}

gsolve_status between_cuda(gs_queue *q, gs_moment *from, gs_moment *to, double *seconds)
{
    float ms = 0;
    cudaError_t code = cudaEventSynchronize(to->event);

    if (code == cudaSuccess) code = cudaEventElapsedTime(&ms, from->event, to->event);
    *seconds = 1e-3 * ms;
    return gs_cuda(q, code, "measuring the time between two events");
}

void unmark_cuda(gs_moment *moment)
{
    cudaEventDestroy(moment->event);
    delete moment;
}

gsolve_status reach_cuda(gs_queue *q, gs_moment *moment)
{
    return gs_cuda(q, cudaEventSynchronize(moment->event), "waiting for the device");
}

// --- page-locked memory that kernels access ----------------------------------------------------

void *host_alloc_cuda(gs_queue *, size_t bytes)
{
    void *block = nullptr;

    if (cudaHostAlloc(&block, bytes, cudaHostAllocDefault) == cudaSuccess) return block;
    cudaGetLastError();
    return nullptr;
}

void host_free_cuda(gs_queue *q, void *block)
{
    cudaStreamSynchronize(q->stream);
    cudaFreeHost(block);
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
    pop_cuda,
    gs_driver_enter,
    gs_driver_leave,
    trim_cuda,
    host_alloc_cuda,
    host_free_cuda,
    reach_cuda};
