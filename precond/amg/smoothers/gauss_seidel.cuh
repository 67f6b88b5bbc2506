// gauss_seidel.cuh: the interface between the two GPU files of Gauss-Seidel, colouring and sweeps.
#ifndef GS_PRECOND_AMG_SMOOTHERS_GAUSS_SEIDEL_CUH
#define GS_PRECOND_AMG_SMOOTHERS_GAUSS_SEIDEL_CUH

extern "C" {
#include "precond/amg/smoothers/gauss_seidel.h"
}

// See gs_gauss_seidel_kernels.colour.
gsolve_status gs_gauss_seidel_colour(gsolve_context *ctx, const gsolve_csr *A, const gsolve_csr *B,
                                     int32_t *colour, int32_t *count);

#endif
