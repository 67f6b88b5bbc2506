/* aggregation.h: the steps of coarsening by aggregation: aggregates, the tentative prolongator, the
 * smoothed prolongator. All arrays lie where ctx's kernels work. */
#ifndef GS_PRECOND_AMG_COARSENING_AGGREGATION_H
#define GS_PRECOND_AMG_COARSENING_AGGREGATION_H

#include "precond/amg/coarsening/steps.h"
#include "precond/amg/level_view.h"
#include "precond/amg/options.h"

#define GS_MAX_UNKNOWNS 64 /* limit of unknowns per node and of near-null vectors */
#define GS_MAX_SMOOTHED_NEIGHBOURS \
    1023 /* nodes with more strong neighbours keep their tentative rows */

/* The threshold of strong connections of sa on this level. */
double gs_aggregation_strength(const gs_level_view *fine, const gs_amg_options *options);

/* Fails if aggregation does not work with this many unknowns per node and near-null vectors. */
gsolve_status gs_check_aggregation(gsolve_context *ctx, int32_t block, int32_t near_null);

/* --- aggregates ------------------------------------------------------------------------------- */

typedef enum gs_aggregation {
    GS_AGGREGATION_AUTO, /* greedy on the CPU, else mis2 */
    GS_AGGREGATION_GREEDY,
    GS_AGGREGATION_MIS2
} gs_aggregation;

/* of[I] = the aggregate of node I; -1: no strong neighbour. *count: the number of aggregates, which
 * are numbered in the order of their roots. Roots are at least three strong connections apart, with
 * mis2 and gs_aggregates_grow four; less only if connections are not symmetric. A device that lacks
 * a method uses the other. */
gsolve_status gs_aggregate_nodes(gsolve_context *ctx, const gsolve_csr *A, const gs_connections *G,
                                 gs_aggregation kind, int32_t *of, int32_t *count);

/* Aggregates of at most 2^pairings nodes, pairings >= 1. In each pairing a group is merged with the
 * one to which it has the strongest negative connection. At the end single nodes join a group.
 * Connections are those of (A + A') / 2 between the same unknowns of two nodes; those below
 * strength times the strongest at either end do not count. of[I] = -1 for nodes without
 * connections. */
gsolve_status gs_aggregate_pairs(gsolve_context *ctx, const gsolve_csr *A, int32_t block,
                                 double strength, int pairings, int32_t *of, int32_t *count);

#define GS_FEW_NODES 8192 /* up to this number a device may decide all rounds at once */

typedef struct gs_aggregate_kernels {
    /* *grow: see gs_aggregates_grow */
    gsolve_status (*find_growth)(gsolve_context *ctx, int32_t nodes, const int32_t *degree,
                                 bool *grow);
    /* joined of s by the greedy method. Returns the number of aggregates. NULL on a GPU */
    int32_t (*choose_greedily)(const gs_root_search *s);
    /* Decides all nodes in this round. last: then *undecided = whether one stays undecided; else it
     * is not needed. */
    gsolve_status (*decide)(gs_queue *q, const gs_root_search *s, bool last, int32_t *undecided);
    /* Runs all rounds, for at most GS_FEW_NODES nodes; NULL on the CPU */
    gsolve_status (*decide_few)(gs_queue *q, const gs_root_search *s);
    /* member[start[g]] to member[start[g + 1] - 1] = the nodes of aggregate g, ascending */
    gsolve_status (*list)(gsolve_context *ctx, int32_t nodes, const int32_t *of, int32_t count,
                          int32_t *start, int32_t *member);
} gs_aggregate_kernels;

extern const gs_aggregate_kernels GS_HOST_TABLES(gs_aggregate);
extern const gs_aggregate_kernels gs_aggregate_cuda[GSOLVE_TYPE_COUNT];

/* --- the tentative prolongator ---------------------------------------------------------------- */

/* The aggregates, and the near-null vectors restricted to them. */
typedef struct gs_aggregates {
    int32_t nodes, block, count;
    int32_t k;               /* near-null vectors */
    int64_t entries;         /* of A */
    int32_t *of;             /* nodes */
    int32_t *start, *member; /* see list; only while Q is computed, and if k > 1 */
    void *Q; /* n x k, row-major, of A's type: the entries of the tentative prolongator */
} gs_aggregates;

typedef struct gs_tentative_kernels {
    /* B = the rigid body modes of nodes at the coordinates xyz, see gs_rigid_body_modes. Of its
     * columns the first xyz.ncols do not read xyz's values: they are 1 at one unknown of each node,
     * 0 elsewhere. */
    gsolve_status (*modes)(gsolve_context *ctx, gsolve_dense xyz, gsolve_dense B);
    /* Factors B = Q R on each aggregate, and writes R (k x k, upper triangular) to the aggregate's
     * rows of coarse. The columns of Q are orthonormal, or zero if a column of B depends on those
     * before. For k = 1, Q = B, which may be the same array, and R = 1: no norms are computed,
     * because the coarse level works with any scaling. */
    gsolve_status (*factor)(gsolve_context *ctx, int32_t n, const gs_aggregates *G, gsolve_dense B,
                            gsolve_dense coarse);
} gs_tentative_kernels;

extern const gs_tentative_kernels GS_HOST_TABLES(gs_tentative);
extern const gs_tentative_kernels gs_tentative_cuda[GSOLVE_TYPE_COUNT];

/* --- the prolongator -------------------------------------------------------------------------- */

typedef struct gs_prolongator_kernels {
    /* In place: replaces neighbour and degree by the aggregates of each node and, if smooth, of its
     * strong neighbours, sorted. */
    gsolve_status (*columns)(gsolve_context *ctx, const gsolve_csr *A, const gs_connections *G,
                             const int32_t *of, bool smooth);
    /* Writes P's offsets and columns: k columns for each aggregate in a row. */
    gsolve_status (*fill)(gsolve_context *ctx, const gsolve_csr *A, const gs_connections *G,
                          const int64_t *first, int32_t k, const gsolve_csr *P);
    /* Whether P has the columns that gs_smoothed_kernels.values writes; all arrays are on the host,
     * and their indices are in range. A: its pattern. strong may be NULL if damping is 0. On a
     * device: NULL. */
    bool (*fits)(const gsolve_context *ctx, const gsolve_csr *A, const uint32_t *strong,
                 const gs_aggregates *G, double damping, const gsolve_csr *P);
} gs_prolongator_kernels;

extern const gs_prolongator_kernels GS_HOST_TABLES(gs_prolongator);
extern const gs_prolongator_kernels gs_prolongator_cuda[GSOLVE_TYPE_COUNT];

typedef struct gs_smoothed_kernels {
    /* Computes P = (I - damping / rho D^-1 A_f) Q, or P = Q if damping is 0. A_f is A with its weak
     * entries moved to the row's own node. transfer_rules.h bounds rho D. strong: bits of A's
     * entries, see gs_amg_kernels.pack. */
    gsolve_status (*values)(gsolve_context *ctx, const gsolve_csr *A, const uint32_t *strong,
                            const gs_aggregates *G, double damping, const gsolve_csr *P);
} gs_smoothed_kernels;

extern const gs_smoothed_kernels GS_HOST_TABLES(gs_smoothed);
extern const gs_smoothed_kernels gs_smoothed_cuda[GSOLVE_TYPE_COUNT];

#endif
