// triangular_solve.cuh: what a triangle has on a GPU.
#ifndef GS_PRECOND_INCOMPLETE_TRIANGULAR_SOLVE_CUH
#define GS_PRECOND_INCOMPLETE_TRIANGULAR_SOLVE_CUH

#include "core/cusparse.cuh"

extern "C" {
#include "precond/incomplete/triangular_solve.h"
}

struct gs_vendor_triangle {
    gsolve_csr rows; // strict triangle by its rows, on the device
    void *scaled,
        *solved; // n: right-hand side and solution; cuSPARSE keeps to those of the analysis
    void *buffer;
    cusparseSpMatDescr_t T;
    cusparseSpSVDescr_t solve;
    gs_vendor_vectors vectors;
    int32_t *order;   // the rows level by level; NULL until several columns come
    unsigned *ticket; // a number, likewise
};

// gs_triangle_kernels.solve_columns
template <class T>
gsolve_status gs_triangle_columns(gs_queue *q, const gs_triangle *t, const void *d, int32_t columns,
                                  int32_t stride, const void *r, void *z);

#endif
