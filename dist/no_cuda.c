/* no_cuda.c: replaces the sources for a GPU in a build without CUDA. */
#include "dist/comm.h"
#include "dist/halo.h"

const gs_numbers_kernels gs_numbers_cuda;
const gs_halo_kernels gs_halo_cuda[GSOLVE_TYPE_COUNT];
