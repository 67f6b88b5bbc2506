/* aggregation.h: the steps of coarsening by aggregates: strong connections, aggregates, the
 * tentative prolongator, the smoothed one. All arrays lie where ctx's kernels work. */
#ifndef GS_PRECOND_AMG_COARSENING_AGGREGATION_H
#define GS_PRECOND_AMG_COARSENING_AGGREGATION_H

#include "matrix/csr.h"

#define GS_MAX_UNKNOWNS 64 /* of a node */
#define GS_LONGEST_SMOOTHED                                              \
    1023 /* strong neighbours: nodes with more keep their tentative rows \
          */

/* --- strong connections between nodes --------------------------------------------------------- */

/* Node I holds the unknowns I block to I block + block - 1. Its degree[I] strong neighbours, itself
 * not among them, stand in neighbour from A's entry start[I block] on: there are never more than
 * entries of these rows. */
typedef struct gs_connections {
    int32_t nodes, block;
    int64_t entries;    /* of A */
    uint8_t *strong;    /* of each of A's entries: within a node, or to a strong neighbour */
    int32_t *degree;    /* nodes, and room for one more */
    int32_t *neighbour; /* as many as entries */
} gs_connections;

typedef struct gs_strength_kernels {
    /* Strong: |A_IJ|^2 > strength^2 |A_II| |A_JJ| in Frobenius norms of the nodes' blocks, or as
     * strength_rule.h says. Squares are summed row by row: the same decisions on every device. */
    gsolve_status (*connect)(gsolve_context *ctx, const gsolve_csr *A, double strength,
                             const gs_connections *G);
} gs_strength_kernels;

extern const gs_strength_kernels gs_strength_host[GSOLVE_TYPE_COUNT];
extern const gs_strength_kernels gs_strength_cuda[GSOLVE_TYPE_COUNT];

/* --- aggregates ------------------------------------------------------------------------------- */

typedef enum gs_aggregation {
    GS_AGGREGATION_AUTO, /* greedy on the CPU, else mis2 */
    GS_AGGREGATION_GREEDY,
    GS_AGGREGATION_MIS2
} gs_aggregation;

typedef struct gs_aggregate_kernels {
    /* of[I] = the aggregate of node I, -1 where it has no strong neighbour; *count aggregates,
     * numbered by their roots. No path of two strong connections leads from root to root (but
     * where they go one way only), nor by mis2 one of three where gs_stars_grow. Kinds that a
     * device lacks are served by the other. */
    gsolve_status (*aggregate)(gsolve_context *ctx, const gsolve_csr *A, const gs_connections *G,
                               gs_aggregation kind, int32_t *of, int32_t *count);
    /* member[start[g]] to member[start[g + 1] - 1]: the nodes of aggregate g, ascending */
    gsolve_status (*list)(gsolve_context *ctx, int32_t nodes, const int32_t *of, int32_t count,
                          int32_t *start, int32_t *member);
} gs_aggregate_kernels;

extern const gs_aggregate_kernels gs_aggregate_host[GSOLVE_TYPE_COUNT];
extern const gs_aggregate_kernels gs_aggregate_cuda[GSOLVE_TYPE_COUNT];

/* --- aggregates by pairs ---------------------------------------------------------------------- */

typedef struct gs_pairwise_kernels {
    /* of, count: aggregates of 2^pairings nodes or fewer, pairings >= 1, by pairing each with the
     * one it is most strongly and negatively connected to, and so on with the pairs; who remains
     * alone joins one of them. Connections as in (A + A') / 2, between equal unknowns of nodes;
     * those below strength times the strongest at either end do not count. Nodes without any get no
     * aggregate: -1. */
    gsolve_status (*aggregate)(gsolve_context *ctx, const gsolve_csr *A, int32_t block,
                               double strength, int pairings, int32_t *of, int32_t *count);
} gs_pairwise_kernels;

extern const gs_pairwise_kernels gs_pairwise_host[GSOLVE_TYPE_COUNT];
extern const gs_pairwise_kernels gs_pairwise_cuda[GSOLVE_TYPE_COUNT];

/* --- the tentative prolongator ---------------------------------------------------------------- */

/* Aggregates' nodes, and what becomes of the near-null vectors on them. */
typedef struct gs_aggregates {
    int32_t nodes, block, count;
    int32_t k;               /* near-null vectors */
    int64_t entries;         /* of A */
    int32_t *of;             /* nodes */
    int32_t *start, *member; /* see list; while Q is made, where k is not 1 */
    void *Q;                 /* n x k by rows, of A's type: the tentative prolongator's entries */
} gs_aggregates;

typedef struct gs_tentative_kernels {
    /* B = Q R on each aggregate, R (k x k, upper) into the rows of coarse that are the aggregate's.
     * Q's columns are orthonormal, or zero where B's depend on those before; but for k = 1
     * Q = B, which may be one array, and R = 1, which saves the norms: the coarse level is as
     * good with any scaling. */
    gsolve_status (*factor)(gsolve_context *ctx, int32_t n, const gs_aggregates *G, gsolve_dense B,
                            gsolve_dense coarse);
} gs_tentative_kernels;

extern const gs_tentative_kernels gs_tentative_host[GSOLVE_TYPE_COUNT];
extern const gs_tentative_kernels gs_tentative_cuda[GSOLVE_TYPE_COUNT];

/* --- the prolongator -------------------------------------------------------------------------- */

typedef struct gs_prolongator_kernels {
    /* In place: neighbour and degree become the aggregates of each node and its strong neighbours,
     * ascending; smooth false: its own only. */
    gsolve_status (*columns)(gsolve_context *ctx, const gsolve_csr *A, const gs_connections *G,
                             const int32_t *of, bool smooth);
    /* first[I] = the sum of degree before I, for I <= nodes; *total = first[nodes] */
    gsolve_status (*sum)(gsolve_context *ctx, const gs_connections *G, int64_t *first,
                         int64_t *total);
    /* P's offsets and columns, k for each aggregate in a row */
    gsolve_status (*fill)(gsolve_context *ctx, const gsolve_csr *A, const gs_connections *G,
                          const int64_t *first, int32_t k, const gsolve_csr *P);
    /* P's values: (I - damping / rho D^-1 A_f) Q, where A_f has A's weak entries moved to the row's
     * own node, and rho D is bounded as smoothed_rule.h says; damping 0: Q. strong: bits of A's
     * entries, see gs_amg_kernels.pack. */
    gsolve_status (*values)(gsolve_context *ctx, const gsolve_csr *A, const uint32_t *strong,
                            const gs_aggregates *G, double damping, const gsolve_csr *P);
} gs_prolongator_kernels;

extern const gs_prolongator_kernels gs_prolongator_host[GSOLVE_TYPE_COUNT];
extern const gs_prolongator_kernels gs_prolongator_cuda[GSOLVE_TYPE_COUNT];

#endif
