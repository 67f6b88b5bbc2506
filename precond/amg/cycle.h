/* cycle.h: one multigrid cycle over the levels of a hierarchy, and its application to vectors of
 * any type and any number of columns (apply.c). */
#ifndef GS_PRECOND_AMG_CYCLE_H
#define GS_PRECOND_AMG_CYCLE_H

#include "precond/amg/hierarchy.h"

/* z = M^-1 r in the hierarchy's type, or M^-T r if transposed: one column, or several in row-major
 * order, for which h->batch is allocated. f64: NULL, or if gs_cycle_fuses_f64 the vectors that the
 * cycle reads and writes in double precision; r and z are work space then. */
gsolve_status gs_cycle(const gs_hierarchy *h, gsolve_context *ctx, bool transposed,
                       const gs_f64_vectors *f64, gsolve_dense r, gsolve_dense z);
/* Whether a cycle in single precision can read r and write z in double precision. */
bool gs_cycle_fuses_f64(const gs_hierarchy *h);
size_t gs_cycle_bytes(const gs_hierarchy *h);   /* that a cycle of one column moves */
int64_t gs_cycle_visits(const gs_hierarchy *h); /* of the coarsest level in one cycle */

/* The vectors of level k for a cycle of this many columns. */
typedef struct gs_level_vectors {
    gsolve_dense b, x, space;
} gs_level_vectors;

gs_level_vectors gs_level_vectors_of(const gs_hierarchy *h, int k, int32_t columns);

/* z = M^-1 r, or M^-T r. Several columns share a cycle. The first call with several columns
 * allocates their vectors. */
gsolve_status gs_hierarchy_apply(gs_hierarchy *h, gsolve_context *ctx, bool transposed,
                                 gsolve_dense r, gsolve_dense z);
/* z = M^-1 r and *rz = r'z, a number on the device; one column. */
gsolve_status gs_hierarchy_apply_dot(gs_hierarchy *h, gsolve_context *ctx, gsolve_dense r,
                                     gsolve_dense z, double *rz);

#endif
