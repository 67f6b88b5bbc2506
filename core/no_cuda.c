/* no_cuda.c: stands in for this folder's .cu files where CUDA is not built. */
#include "core/columns.h"
#include "core/csr_seen.h"
#include "core/flip.h"
#include "core/transpose.h"
#include "core/vector.h"

const gs_device gs_device_cuda; /* without a name it is not there */
const gs_vector_kernels gs_vector_cuda[GSOLVE_TYPE_COUNT];
const gs_flip_kernels gs_flip_cuda[GSOLVE_TYPE_COUNT];
const gs_columns_kernels gs_columns_cuda;
const gs_look_kernels gs_look_cuda[GSOLVE_TYPE_COUNT];
const gs_see_kernels gs_see_cuda[GSOLVE_TYPE_COUNT];
const gs_transpose_kernels gs_transpose_cuda[GSOLVE_TYPE_COUNT];
