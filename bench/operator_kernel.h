/* operator_kernel.h: the kernel of bench_operator, as a caller would write it: y = A x for the
 * seven-point stencil on n x n x n points, in fp64. */
#ifndef OPERATOR_KERNEL_H
#define OPERATOR_KERNEL_H

#include <stdbool.h>

/* Enqueues the kernel on a stream (cudaStream_t). Returns false if the launch fails, and always in
 * a build without CUDA. */
bool launch_stencil(void *stream, int n, const double *x, double *y);

#endif
