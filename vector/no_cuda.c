/* no_cuda.c: replaces this folder's .cu files in a build without CUDA. */
#include "vector/batch.h"
#include "vector/layout.h"
#include "vector/vector.h"

const gs_vector_kernels gs_vector_cuda[GSOLVE_TYPE_COUNT];
const gs_layout_kernels gs_layout_cuda[GSOLVE_TYPE_COUNT];
const gs_columns_kernels gs_columns_cuda;
