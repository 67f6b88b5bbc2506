/* no_cuda.c: replaces this folder's .cu files in a build without CUDA. */
#include "core/context.h"

const gs_device gs_device_cuda; /* no name: the build has no such device */
