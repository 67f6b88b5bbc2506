/* precision.h: a test whether a hierarchy in single precision works as well as one in double. */
#ifndef GS_PRECOND_AMG_PRECISION_H
#define GS_PRECOND_AMG_PRECISION_H

#include "precond/amg/hierarchy.h"

/* *left = |r| after some cycles of h over |r| before, where r = A w in csr's type and w is the
 * first near-null vector. csr: the matrix that h was built from. Stops as soon as *left <= enough.
 * A *left that is nan or inf means that h is useless. */
gsolve_status gs_hierarchy_measure_reduction(gs_hierarchy *h, gsolve_context *ctx,
                                             const gsolve_csr *csr, double enough, double *left);

#endif
