/* no_cuda.c: stands in for this folder's .cu files where CUDA is not built. */
#include "core/context.h"

const gs_device gs_device_cuda; /* without a name it is not there */
