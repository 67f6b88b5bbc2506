/* no_cuda.c: stands in for this folder's .cu files where CUDA is not built. */
#include "spgemm/spgemm.h"

const gs_work_kernels gs_work_cuda[GSOLVE_TYPE_COUNT];
