/* no_cuda.c: stands in for this folder's .cu files where CUDA is not built. */
#include "solver/block/block.h"
#include "solver/operations/scalar_kernels.h"
#include "solver/resident/resident.h"

const gs_scalar_kernels gs_scalar_cuda;
const gs_resident_kernels gs_resident_cuda;
const gs_arnoldi_kernels gs_arnoldi_cuda[GSOLVE_TYPE_COUNT];
const gs_block_kernels gs_block_cuda[GSOLVE_TYPE_COUNT];
