/* resident_kernels.h: steps of a method in one kernel, for systems so small that launching kernels
 * takes longer than what they do: the matrix stays in the shared memory of the multiprocessors and
 * the vectors in their registers, and a step waits for all blocks a few times instead of ending a
 * kernel. M a diagonal or absent, A's rows in the format csr; one right-hand side after the other.
 */
#ifndef GS_SOLVER_RESIDENT_RESIDENT_KERNELS_H
#define GS_SOLVER_RESIDENT_RESIDENT_KERNELS_H

#include "matrix/csr.h"
#include "vector/convergence.h"

#define GS_RESIDENT_STEPS 64 /* between two looks of the host */

typedef struct gs_resident gs_resident;

/* What the methods have in common; vectors of A's type and rows, on the device. */
typedef struct gs_resident_run {
    const void *d;  /* M^-1, or NULL */
    double *rho[2]; /* of the step and of the one after it, and so on in turn */
    double *rr;
    gs_convergence_test convergence;
    int steps; /* most of them */
} gs_resident_run;

typedef struct gs_resident_kernels {
    /* Shares A's rows out; *plan = NULL where the system does not fit. */
    gsolve_status (*plan)(gs_resident **plan, gsolve_context *ctx, const gsolve_csr *A,
                          int64_t entries);
    void (*drop)(gs_resident *plan, gsolve_context *ctx);
    /* Takes A's values over. */
    gsolve_status (*fill)(gs_resident *plan, gsolve_context *ctx, const gsolve_csr *A);
    /* Steps of cg.c and of bicgstab.c, with their names; ends early where the column ends. */
    gsolve_status (*cg)(gs_queue *q, const gs_resident *plan, const gs_resident_run *run, void *x,
                        void *r, void *p);
    gsolve_status (*bicgstab)(gs_queue *q, const gs_resident *plan, const gs_resident_run *run,
                              void *x, void *r, const void *shadow, void *p, void *ph, void *sh);
} gs_resident_kernels;

extern const gs_resident_kernels gs_resident_cuda; /* empty without CUDA */

#endif
