/* no_cuda.c: replaces this folder's .cu files in a build without CUDA. */
#include "matrix/assembly.h"
#include "matrix/block_counts.h"
#include "matrix/csr.h"
#include "matrix/sample.h"
#include "matrix/statistics.h"

const gs_inspect_kernels gs_inspect_cuda[GSOLVE_TYPE_COUNT];
const gs_statistics_kernels gs_statistics_cuda[GSOLVE_TYPE_COUNT];
const gs_transpose_kernels gs_transpose_cuda[GSOLVE_TYPE_COUNT];
const gs_sample_kernels gs_sample_cuda[GSOLVE_TYPE_COUNT];
const gs_assembly_kernels gs_assembly_cuda[GSOLVE_TYPE_COUNT];
const gs_block_count_kernels gs_block_count_cuda[GSOLVE_TYPE_COUNT];
