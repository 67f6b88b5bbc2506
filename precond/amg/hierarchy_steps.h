/* hierarchy_steps.h: the steps of hierarchy.c that a hierarchy over ranks shares with one of one
 * rank. */
#ifndef GS_PRECOND_AMG_HIERARCHY_STEPS_H
#define GS_PRECOND_AMG_HIERARCHY_STEPS_H

#include "precond/amg/hierarchy.h"

/* A level with more than this share of the finer level's rows is useless, and coarsening ends. */
#define GS_MAX_ROW_SHARE 0.85

/* Rows of a level, of all ranks. */
double gs_level_total_rows(const gs_level *l);

/* Entries of the finest level, which may be above the first level of h. */
int64_t gs_hierarchy_finest_entries(const gs_hierarchy *h);

/* Sets the options whose defaults depend on the matrix and the device, and h's smoother. */
void gs_hierarchy_resolve_defaults(gs_hierarchy *h, const gsolve_context *ctx);

/* Whether the last level is small enough for an exact solve. */
bool gs_hierarchy_is_small(const gs_hierarchy *h, const gsolve_context *ctx);

/* Rows of a last level that is still solved exactly when coarsening ended early. */
int32_t gs_hierarchy_max_exact_rows(const gs_hierarchy *h, const gsolve_context *ctx);

/* Adds a level below the last. *ended: coarsening has ended, and there is none. */
gsolve_status gs_hierarchy_add_level(gs_hierarchy *h, gsolve_context *ctx, bool *ended);

/* exact: the last level gets none. */
gsolve_status gs_hierarchy_add_smoothers(gs_hierarchy *h, gsolve_context *ctx, bool exact);

/* The vectors of a cycle of one column. Local. */
gsolve_status gs_hierarchy_allocate_vectors(gs_hierarchy *h, gsolve_context *ctx);

#endif
