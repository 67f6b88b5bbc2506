// smoothed.cuh: the interface between the two GPU files of the smoothed prolongator, pattern and
// values.
#ifndef GS_PRECOND_AMG_TRANSFER_SMOOTHED_CUH
#define GS_PRECOND_AMG_TRANSFER_SMOOTHED_CUH

extern "C" {
#include "precond/amg/coarsening/aggregation.h"
}

// See gs_prolongator_kernels.values.
template <class T>
gsolve_status gs_smoothed_values(gsolve_context *ctx, const gsolve_csr *A, const uint32_t *strong,
                                 const gs_aggregates *G, double damping, const gsolve_csr *P);

#endif
