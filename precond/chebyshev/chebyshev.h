/* chebyshev.h: the vector part of a step of the Chebyshev iteration, in one pass. */
#ifndef GS_CHEBYSHEV_H
#define GS_CHEBYSHEV_H

#include "core/csr.h"

typedef struct gs_chebyshev_kernels {
    /* p = a d * (r - Az) + b p, z += p; Az NULL: p = z = a d * r, where z may be p. One column of n
     * elements. */
    gsolve_status (*step)(gs_queue *q, int64_t n, double a, double b, const void *d, const void *r,
                          const void *Az, void *p, void *z);
} gs_chebyshev_kernels;

extern const gs_chebyshev_kernels gs_chebyshev_host[GSOLVE_TYPE_COUNT];
extern const gs_chebyshev_kernels gs_chebyshev_cuda[GSOLVE_TYPE_COUNT];

#endif
