/* no_cuda.c: stands in for this folder's .cu files where CUDA is not built. */
#include "matrix/block_counts.h"
#include "matrix/sample.h"
#include "matrix/statistics.h"
#include "matrix/transpose.h"

const gs_look_kernels gs_look_cuda[GSOLVE_TYPE_COUNT];
const gs_see_kernels gs_see_cuda[GSOLVE_TYPE_COUNT];
const gs_transpose_kernels gs_transpose_cuda[GSOLVE_TYPE_COUNT];
const gs_glance_kernels gs_glance_cuda[GSOLVE_TYPE_COUNT];
const gs_tally_kernels gs_tally_cuda[GSOLVE_TYPE_COUNT];
