/* no_cuda.c: stands in for device_cuda.cu where CUDA is not built. */
#include "core/device.h"

const gs_device gs_device_cuda;
