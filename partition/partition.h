/* partition.h: which rank is to own each row of a distributed matrix. */
#ifndef GS_PARTITION_PARTITION_H
#define GS_PARTITION_PARTITION_H

#include "factor/ordering.h"
#include "matrix/csr.h"

/* A library that partitions graphs. */
typedef struct gs_partitioner {
    const char *name;
    /* NULL: this build has none, and `lacks` says what is missing. part[i] = a number from 0 to
     * parts - 1, so that few edges of g join different parts, and the sums of `weight`, which are
     * positive and together below 2^31, are about equal. g has an edge, and parts <= g->n. Equal
     * arguments give equal parts. */
    gsolve_status (*divide)(int32_t *part, gsolve_context *ctx, const gs_adjacency *g,
                            const int32_t *weight, int parts);
    const char *lacks;
} gs_partitioner;

extern const gs_partitioner gs_metis_partitioner, gs_scotch_partitioner;

/* For a spec: the partitioner, or NULL for "blocks" and "auto". GSOLVE_BAD_SPEC, or
 * GSOLVE_UNSUPPORTED if this build does not have it. Local. */
gsolve_status gs_partitioner_named(const gs_partitioner **found, gsolve_context *ctx,
                                   const char *spec);
/* The one that "auto" takes, or NULL. */
const gs_partitioner *gs_partitioner_built(void);

/* part[i] = the new owner of local row i. csr is complete and checked, shape has its offsets. Both
 * are collective. */

/* blocks.c: pieces of consecutive rows with about equal numbers of entries. */
gsolve_status gs_divide_blocks(int32_t *part, gsolve_context *ctx, const gsolve_csr *shape);

/* graph.c: a partition of the graph of A + A', which rank 0 gathers. */
gsolve_status gs_divide_graph(int32_t *part, gsolve_context *ctx, const gs_partitioner *by,
                              const gsolve_dist_csr *csr, const gsolve_csr *shape);

/* The weight of a row: its product takes as long as its entries, and no row is free. */
static inline int64_t gs_row_weight(const gsolve_csr *shape, int32_t i)
{
    const int64_t entries = gs_start(shape, i + 1) - gs_start(shape, i);

    return entries > 0 ? entries : 1;
}

#endif
