/* convergence.h: the stopping test, which is made on the device where |r|^2 becomes known. */
#ifndef GS_VECTOR_CONVERGENCE_H
#define GS_VECTOR_CONVERGENCE_H

#include <stdint.h>

#include "core/device.h"

#define GS_HISTORY 256 /* iterations whose residuals are kept until the host has seen them */

/* How far a column has come, on the device. */
typedef struct gs_progress {
    double target, ceiling; /* |r| to reach; |r| beyond which it has diverged */
    double begin, r, least; /* |r| at the start, now; the least so far */
    int since_least, stall; /* iterations since then; most of them, or 0 */
    int iteration, maxit;
    int outcome; /* once it has ended */
} gs_progress;

/* What column c is judged by; the arrays begin at column 0. */
typedef struct gs_convergence_test {
    gs_progress *progress;
    double *history; /* GS_HISTORY x ncols */
    int *flag;       /* what a kernel found: 0 or an outcome */
    int *ended;      /* of the enum above */
    int32_t ncols, c;
} gs_convergence_test;

#endif
