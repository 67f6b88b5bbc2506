/* vector_cuda.c: there are no vector kernels on CUDA in this version. */
#include "core/vector.h"

const gs_vector_kernels gs_vector_cuda[GSOLVE_TYPE_COUNT];
