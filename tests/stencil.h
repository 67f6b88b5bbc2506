/* stencil.h: a kernel of a caller, which knows nothing of the library: y = A x for the five-point
 * stencil on a square of side x side points. */
#ifndef TESTS_STENCIL_H
#define TESTS_STENCIL_H

#include <stdbool.h>

/* Enqueues the kernel on a stream (cudaStream_t). single: x and y are float, else double. Returns
 * false if the launch fails, and always in a build without CUDA. */
bool launch_stencil(void *stream, bool single, int side, double diagonal, const void *x, void *y);

#endif
