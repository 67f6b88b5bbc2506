// driver.cuh: the caller's thread around the calls of the library. CUDA keeps a current context for
// each thread, and the runtime keeps the last error. Both belong to the caller. While a public call
// runs, the primary context of the queue's GPU is current and no error is pending.
//
// The runtime has cudaGetDevice and cudaSetDevice, but they do not suffice: cudaSetDevice starts
// the GPU that it makes current again, although the caller may never use it, and replaces a context
// that the caller created with the driver. The functions of the driver are looked up at run time,
// so that the library loads on a machine without a driver.
#ifndef GS_CORE_DRIVER_CUH
#define GS_CORE_DRIVER_CUH

#include <cuda.h>

#include "core/cuda.cuh"

struct gs_driver {
    decltype(&cuDeviceGet) get_device;
    decltype(&cuDeviceGetName) get_name;
    decltype(&cuDeviceTotalMem) total_memory;
    decltype(&cuDevicePrimaryCtxRetain) retain;
    decltype(&cuCtxGetCurrent) get_current;
    decltype(&cuCtxSetCurrent) set_current;
};

// Starts the GPU of q->index and sets q->driver and q->context. The calling thread keeps its
// current context.
cudaError_t gs_driver_open(gs_queue *q);

// See enter and leave of gs_device. A queue whose gs_driver_open failed is left alone.
void gs_driver_enter(gs_queue *q);
void gs_driver_leave(gs_queue *q);

#endif
