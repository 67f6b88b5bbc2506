/* no_triangle.c: there are no triangular solves on CUDA in this version. */
#include "precond/triangle.h"

const gs_triangle_kernels gs_triangle_cuda[GSOLVE_TYPE_COUNT];
