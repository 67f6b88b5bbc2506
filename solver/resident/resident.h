/* resident.h: steps of a method in one kernel, for systems so small that launching kernels
 * takes longer than the kernels run. The matrix stays in the shared memory of the multiprocessors
 * and the vectors in their registers. A step synchronises all blocks a few times instead of ending
 * a kernel. M is a diagonal or absent; A is given by its rows; a launch serves one right-hand side.
 */
#ifndef GS_SOLVER_RESIDENT_RESIDENT_H
#define GS_SOLVER_RESIDENT_RESIDENT_H

#include "gsolve_solver.h"
#include "matrix/csr.h"
#include "vector/convergence.h"

#define GS_RESIDENT_STEPS 64 /* of a launch, after which the host reads the progress */

typedef struct gs_resident gs_resident;

/* The arguments that the steps of every method need; vectors are of A's type, on the device. */
typedef struct gs_resident_run {
    const void *d;  /* M^-1, or NULL */
    double *rho[2]; /* of even and of odd steps, counted from the first of the launch */
    double *rr;
    gs_convergence_test convergence;
    int steps; /* of this launch, at most */
} gs_resident_run;

/* Vectors on the device, named as in cg.c and bicgstab.c; cg uses x, r and p. */
typedef struct gs_resident_vectors {
    void *x, *r, *p, *ph, *sh;
    const void *shadow;
} gs_resident_vectors;

/* Steps of a method; they end early where the column ends. */
typedef gsolve_status gs_resident_steps(gs_queue *q, const gs_resident *plan,
                                        const gs_resident_run *run, const gs_resident_vectors *v);

typedef struct gs_resident_kernels {
    /* Distributes A's rows over blocks; *plan = NULL where the system does not fit. */
    gsolve_status (*plan)(gs_resident **plan, gsolve_context *ctx, const gsolve_csr *A,
                          int64_t entries);
    void (*drop)(gs_resident *plan, gsolve_context *ctx);
    /* Copies A's current values into the plan. */
    gsolve_status (*fill)(gs_resident *plan, gsolve_context *ctx, const gsolve_csr *A);
    gs_resident_steps *cg, *bicgstab; /* of cg.c and of bicgstab.c */
} gs_resident_kernels;

extern const gs_resident_kernels gs_resident_cuda; /* empty without CUDA */

/* --- resident.c: which runs are resident ------------------------------------------------------ */

/* Sets the plan if the method, A and M allow it. */
gsolve_status gs_resident_new(gsolve_solver *k);
void gs_resident_drop(gsolve_solver *k);
/* A run begins: decides whether it is resident, and copies A's values into the plan if they have
 * changed. */
gsolve_status gs_resident_begin(gsolve_solver *k);
/* Launches steps j to j + count; the kernel itself tests convergence after each. */
gsolve_status gs_resident_launch_steps(gsolve_solver *k, int64_t j, int count);

/* For a method's resident_steps: runs up to `count` steps of column c. rho: of even steps, next: of
 * odd steps, counted from the first of the launch. */
gsolve_status gs_resident_run_column(gsolve_solver *k, gs_resident_steps *steps, int32_t c,
                                     double *rho, double *next, int count,
                                     const gs_resident_vectors *v);

#endif
