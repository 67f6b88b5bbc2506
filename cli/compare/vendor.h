/* vendor.h: cg and bicgstab written on calls of cuSPARSE and cuBLAS, for the row `vendor` of gsolve
 * compare: what these libraries alone give. */
#ifndef GS_CLI_COMPARE_VENDOR_H
#define GS_CLI_COMPARE_VENDOR_H

#include "gsolve.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum cmp_vendor_method { CMP_VENDOR_CG, CMP_VENDOR_BICGSTAB } cmp_vendor_method;

typedef struct cmp_vendor {
    int device;          /* index of the GPU */
    const gsolve_csr *A; /* square, on the host, GSOLVE_F64 and GSOLVE_O32 */
    const double *b;     /* nrows elements on the host */
    cmp_vendor_method method;
    bool jacobi; /* else without a preconditioner; no diagonal element may be 0 then */
    double rtol; /* until |r| <= rtol |b| */
    int maxit;
    gsolve_monitor *follow; /* called in every iteration from 0 on; false stops */
    void *user;
    /* set by cmp_vendor_solve: */
    double *x; /* nrows elements on the host, allocated by the caller */
    double setup_seconds, solve_seconds;
    double bytes; /* of the GPU's memory */
    int iterations;
    bool converged;   /* by the residual of the recurrence */
    const char *stop; /* else the outcome: "iteration limit", "stopped" or "breakdown" */
} cmp_vendor;

/* Solves from x = 0. The copies of A and b to the GPU and the creation of the libraries' handles
 * are in neither time; the inverse diagonal, the buffer of the product and its preprocessing, and
 * the allocation of vectors are set-up. False: the run failed, and why says how. */
bool cmp_vendor_solve(cmp_vendor *t, char why[256]);

#ifdef __cplusplus
}
#endif

#endif
