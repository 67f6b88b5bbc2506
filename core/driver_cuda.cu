// driver_cuda.cu: see driver.cuh.
#include "core/driver.cuh"

namespace
{

template <class F>
bool look_up(F &function, const char *name)
{
    constexpr unsigned version = 12000; // of CUDA, whose interface of the function is meant
    cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
    void *address = nullptr;
#if CUDART_VERSION >= 12050
    const cudaError_t code =
        cudaGetDriverEntryPointByVersion(name, &address, version, cudaEnableDefault, &found);
#else
    const cudaError_t code = cudaGetDriverEntryPoint(name, &address, cudaEnableDefault, &found);
    (void)version;
#endif
    function = reinterpret_cast<F>(address);
    return code == cudaSuccess && found == cudaDriverEntryPointSuccess && address;
}

struct looked_up {
    gs_driver driver = {};
    bool whole;

    looked_up()
    {
        whole = look_up(driver.get_device, "cuDeviceGet") &&
                look_up(driver.get_name, "cuDeviceGetName") &&
                look_up(driver.total_memory, "cuDeviceTotalMem") &&
                look_up(driver.retain, "cuDevicePrimaryCtxRetain") &&
                look_up(driver.get_current, "cuCtxGetCurrent") &&
                look_up(driver.set_current, "cuCtxSetCurrent");
    }
};

__global__ void do_nothing() {}

// Makes the error `code` pending, by a call that fails with it. CUDA has no function that sets it,
// so rare codes become cudaErrorInvalidValue.
void raise(cudaError_t code)
{
    size_t unused, total;
    cudaEvent_t event;
    void *block;

    switch (code) {
    case cudaErrorMemoryAllocation: cudaMalloc(&block, SIZE_MAX / 2); break;
    case cudaErrorInvalidConfiguration: do_nothing<<<1, 1 << 20>>>(); break;
    case cudaErrorInvalidDevice: cudaSetDevice(-1); break;
    case cudaErrorInvalidValue: break;
    default: cudaMemGetInfo(&unused, &total); // an error that broke the context is raised again
    }
    if (cudaPeekAtLastError() == cudaSuccess) cudaEventCreateWithFlags(&event, ~0u);
}

// The functions of the driver, or nullptr if there is no driver or it lacks one.
const gs_driver *driver_functions()
{
    static const looked_up all;
    return all.whole ? &all.driver : nullptr;
}

// The runtime starts the GPU. It keeps the primary context until the process ends, and so does this
// function: nobody releases what it retains, for the last release would end the work of the runtime
// on this GPU.
cudaError_t start(gs_queue *q)
{
    const cudaError_t code = cudaInitDevice(q->index, 0, 0);
    CUdevice device;

    if (code != cudaSuccess) return code;
    q->driver = driver_functions();
    if (!q->driver) return cudaErrorInsufficientDriver;
    if (q->driver->get_device(&device, q->index) == CUDA_SUCCESS &&
        q->driver->retain(&q->context, device) == CUDA_SUCCESS) {
        return cudaSuccess;
    }
    q->context = nullptr;
    return cudaErrorDeviceUninitialized;
}

} // namespace

cudaError_t gs_driver_open(gs_queue *q)
{
    const cudaError_t pending = cudaPeekAtLastError(), code = start(q);

    if (code != cudaSuccess && pending == cudaSuccess) cudaGetLastError(); // clears the error
    return code;
}

void gs_driver_enter(gs_queue *q)
{
    if (!q->context) return;
    q->callers = nullptr;
    q->driver->get_current(&q->callers);
    if (q->callers != q->context) q->driver->set_current(q->context);
    q->pending = cudaPeekAtLastError();
    if (q->pending != cudaSuccess) cudaGetLastError(); // clears the error until gs_driver_leave
}

void gs_driver_leave(gs_queue *q)
{
    if (!q->context) return;
    if (q->pending != cudaSuccess) {
        raise(q->pending);
    } else if (cudaPeekAtLastError() != cudaSuccess) {
        cudaGetLastError(); // of a call of the library
    }
    if (q->callers != q->context) q->driver->set_current(q->callers);
}
