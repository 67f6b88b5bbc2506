/* no_cuda.c: stands in for this folder's .cu files where CUDA is not built. */
#include "solver/block.h"
#include "solver/resident.h"
#include "solver/small.h"

const gs_small_kernels gs_small_cuda;
const gs_resident_kernels gs_resident_cuda;
const gs_block_kernels gs_block_cuda[GSOLVE_TYPE_COUNT];
