// triangular_solve.cuh: the data of a triangle on a GPU.
#ifndef GS_PRECOND_INCOMPLETE_TRIANGULAR_SOLVE_CUH
#define GS_PRECOND_INCOMPLETE_TRIANGULAR_SOLVE_CUH

#include "core/cusparse.cuh"

extern "C" {
#include "precond/incomplete/triangular_solve.h"
}

struct gs_vendor_triangle {
    gsolve_csr rows; // the rows of the strict triangle, on the device
    void *scaled,
        *solved; // n each: right-hand side and solution; cuSPARSE works on the vectors of its
                 // analysis only
    void *buffer;
    cusparseSpMatDescr_t T;
    cusparseSpSVDescr_t solve;
    gs_vendor_vectors vectors;
    int32_t *order;   // the rows sorted by levels; NULL until several columns are solved
    unsigned *ticket; // a counter on the device; NULL until several columns are solved
};

// See gs_triangle_kernels.solve_columns.
template <class T>
gsolve_status gs_triangle_columns(gs_queue *q, const gs_triangle *t, const void *d, int32_t columns,
                                  int32_t stride, const void *r, void *z);

#endif
