/* metis.h: what the calls of METIS share. */
#ifndef GS_FACTOR_METIS_H
#define GS_FACTOR_METIS_H

#include <metis.h>

#include "factor/ordering.h"

/* METIS's defaults, numbers from 0, and a fixed seed of its random numbers. */
void gs_metis_options(idx_t options[METIS_NOPTIONS]);

/* *start, *neighbour = g in METIS's type, in new arrays, which the caller frees also on failure. */
gsolve_status gs_metis_graph(idx_t **start, idx_t **neighbour, gsolve_context *ctx,
                             const gs_adjacency *g);

/* The status for a result of METIS. A failure says that METIS could not `what` n rows, and what to
 * use instead. */
gsolve_status gs_metis_status(gsolve_context *ctx, int result, const char *what, idx_t n,
                              const char *instead);

#endif
