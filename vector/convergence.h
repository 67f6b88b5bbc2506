/* convergence.h: the convergence test. The kernel on the device that computes |r|^2 makes it. */
#ifndef GS_VECTOR_CONVERGENCE_H
#define GS_VECTOR_CONVERGENCE_H

#include <stdint.h>

#include "core/device.h"

#define GS_HISTORY 256 /* iterations whose residuals are stored for the host */

/* The state of a column's iteration, on the device. */
typedef struct gs_progress {
    double target, ceiling; /* converged if |r| <= target; diverged if |r| > ceiling */
    double begin, r, least; /* |r| at the start, now, and its minimum */
    int since_least, stall; /* iterations since the minimum; stagnated at stall; 0: no limit */
    int iteration, maxit;
    int outcome; /* -1 while the column iterates */
} gs_progress;

/* The arguments of the test of column c. The arrays begin at column 0. */
typedef struct gs_convergence_test {
    gs_progress *progress;
    double *history; /* GS_HISTORY x ncols */
    int *flag;       /* 0, or the outcome that a kernel found */
    int *ended;      /* GS_GOES_ON, GS_ENDS or GS_ENDED of each column */
    /* NULL, or for norm=preconditioned a number for each column: the test takes its product with
     * r'M^-1 r for |r|^2 */
    const double *factor;
    int32_t ncols, c;
} gs_convergence_test;

#endif
