/* node_rows.h: this rank's rows of a level with compact numbers, as the code of one rank reads
 * them. Nodes, not single unknowns, get compact numbers (dist/column_map.h), so the unknowns of a
 * node stay together: unknown c of the node with compact number I is row and column I block + c.
 * The matrix is square. The rows of ghost nodes have their diagonal alone, so that their nodes have
 * no connections, and arrays by node or by row have places for what other ranks know of them. */
#ifndef GS_PRECOND_AMG_DISTRIBUTED_NODE_ROWS_H
#define GS_PRECOND_AMG_DISTRIBUTED_NODE_ROWS_H

#include "dist/halo.h"
#include "dist/rows.h"

typedef struct gs_node_rows {
    int32_t block;          /* unknowns per node */
    gsolve_row_range nodes; /* that this rank owns */
    gs_ownership owner;     /* of nodes */
    gs_column_map map;      /* of nodes */
    gs_halo halo;           /* of nodes */
    int32_t all;            /* nodes, with ghosts: gs_column_count(&map) */
    int32_t first, count;   /* the own rows of A */
    gsolve_csr A;
    int64_t begin, entries; /* the entries of the own rows */
    char *in, *out;         /* messages of gs_node_rows_exchange */
    size_t width;           /* bytes per node for which they have space */
} gs_node_rows;

/* rows: of a square matrix, complete (gs_dist_complete), on the host, with ascending columns. Fails
 * with GSOLVE_BAD_ARGUMENT if the row ranges cut nodes of this many unknowns. Collective. On
 * failure, which is that of all ranks, *L is dropped. */
gsolve_status gs_node_rows_new(gs_node_rows *L, gsolve_context *ctx, const gsolve_dist_csr *rows,
                               int32_t block);
void gs_node_rows_drop(gs_node_rows *L, gsolve_context *ctx);

/* Fails if rows do not consist of whole nodes of this many unknowns. Local. */
gsolve_status gs_check_rank_nodes(gsolve_context *ctx, const gsolve_row_range *rows, int32_t block);

/* New values in the same pattern. Local. */
void gs_node_rows_update(gs_node_rows *L, const gsolve_context *ctx, const gsolve_dist_csr *rows);

/* Allocates the messages of nodes with `width` bytes, equal on all ranks. Collective. */
gsolve_status gs_node_rows_reserve(gs_node_rows *L, gsolve_context *ctx, size_t width);

/* The elements of ghost nodes in `array`, which has `width` bytes for each compact node, become
 * those of their owners. After gs_node_rows_reserve. Collective. */
gsolve_status gs_node_rows_exchange(gs_node_rows *L, gsolve_context *ctx, size_t width,
                                    void *array);

#endif
