/* steps.h: strong connections, and the steps of coarsening in which a thread works on one node, one
 * group of nodes or one point. What a step does stands once, in aggregate_rules.h, pairwise_rules.h
 * and classical_rules.h, for the CPU and a GPU. All arrays lie where ctx's kernels work. */
#ifndef GS_PRECOND_AMG_COARSENING_STEPS_H
#define GS_PRECOND_AMG_COARSENING_STEPS_H

#include "matrix/csr.h"

/* --- strong connections ----------------------------------------------------------------------- */

/* Node I has the unknowns I block to I block + block - 1. Its degree[I] strong neighbours, without
 * itself, stand in neighbour from position start[I block] of A's entries on. They are never more
 * than the entries of these rows. */
typedef struct gs_connections {
    int32_t nodes, block;
    int64_t entries;    /* of A */
    uint8_t *strong;    /* for each of A's entries: whether it lies within a node or connects strong
                           neighbours */
    int32_t *degree;    /* nodes + 1 */
    int32_t *neighbour; /* entries */
} gs_connections;

typedef struct gs_node_norms { /* Frobenius norms of the blocks of a node */
    double diagonal, largest;  /* largest: over the blocks beside the diagonal */
} gs_node_norms;

/* Flags of each of A's entries. */
#define GS_SAME   1u /* not on the diagonal, and between unknowns of one component */
#define GS_STRONG 2u /* strong: its row depends on its column; GS_SAME is set too */

/* The kind of an unknown. */
#define GS_ISOLATED \
    0u /* depends on no other: smoothing removes its error, and it is not interpolated */
#define GS_UNDECIDED      1u /* not decided yet */
#define GS_F              2u
#define GS_INTERMEDIATE_C 3u /* a C point of the first stage only */
#define GS_C              4u

typedef struct gs_points {
    const gsolve_csr *A;
    const uint8_t
        *component; /* nrows: interpolation is between equal components only; NULL: there is one */
    uint8_t *mark;  /* entries */
    uint8_t *kind;  /* nrows */
} gs_points;

typedef struct gs_strength_kernels {
    /* Finds the strong connections: |A_IJ|^2 > strength^2 |A_II| |A_JJ| in Frobenius norms of the
     * nodes' blocks, or the second rule of aggregate_rules.h. Squares are added row by row, so that
     * the decisions are the same on every device. */
    gsolve_status (*connect)(gsolve_context *ctx, const gsolve_csr *A, double strength,
                             const gs_connections *G);
    /* For classical coarsening: sets mark, and kind to isolated or undecided. Strong: -a_ij >=
     * strength max_k -a_ik > 0, with opposite signs if a_ii < 0. */
    gsolve_status (*depend)(gsolve_context *ctx, const gs_points *p, double strength);
    /* d[i] = a_ii, or 0 */
    gsolve_status (*diagonal)(gsolve_context *ctx, const gsolve_csr *A, double *d);
    /* For pairs. weight[k] for each of A's entries: -(a_ij + a_ji) / 2 times the sign of the
     * diagonal d, between the same unknowns of two nodes; 0 if this is negative or the diagonals
     * have different signs. */
    gsolve_status (*weigh)(gsolve_context *ctx, const gsolve_csr *A, int32_t block, const double *d,
                           float *weight);
    /* The two parts of connect: norm[I] = the norms of node I's blocks; the connections that follow
     * from the norms. NULL on a GPU. */
    void (*measure)(gsolve_context *ctx, const gsolve_csr *A, const gs_connections *G,
                    gs_node_norms *norm);
    void (*link)(gsolve_context *ctx, const gsolve_csr *A, double strength,
                 const gs_node_norms *norm, const gs_connections *G);
} gs_strength_kernels;

extern const gs_strength_kernels GS_HOST_TABLES(gs_strength);
extern const gs_strength_kernels gs_strength_cuda[GSOLVE_TYPE_COUNT];

/* --- steps of aggregation around roots, see aggregate_rules.h --------------------------------- */

typedef struct gs_root_search {
    int32_t nodes, block;
    const void *start;                 /* offsets of A */
    bool wide;                         /* 64-bit offsets */
    const int32_t *degree, *neighbour; /* see gs_connections */
    int64_t first;                     /* the number of node 0 in the whole matrix, for priorities;
                                          not 0 if ranks share the nodes, and then it may be
                                          negative */
    int bits;                          /* see gs_bits_of_priorities */
    uint32_t round;
    uint32_t *state, *min1;
    uint32_t *min2;  /* NULL if roots may be three connections apart; else they are four apart */
    int32_t *number; /* nodes + 1: the aggregate of each root */
    int32_t *joined; /* the aggregate whose root took a node, or -1 */
    int32_t *of;     /* the aggregate of a node, or -1 */
} gs_root_search;

typedef enum gs_root_step {
    GS_BEGIN_ROOTS, /* the state and the minima before the first round */
    GS_FIND_MIN1,   /* the smallest state of a node and its neighbours */
    GS_FIND_MIN2,   /* the smallest min1 of a node and its neighbours */
    GS_MARK_ROOTS,  /* number = 1 for roots, else 0; nodes + 1 items */
    GS_JOIN_ROOTS,  /* joined = the aggregate of a root, or of a root among the neighbours */
    GS_JOIN_OTHERS, /* of = joined; other nodes join the aggregate of most of their neighbours */
    GS_ROOT_STEPS
} gs_root_step;

/* --- steps of aggregation by pairs, see pairwise_rules.h -------------------------------------- */

typedef struct gs_pairing { /* the groups in one pairing */
    const void *start;      /* offsets of A */
    bool wide;              /* 64-bit offsets */
    const int32_t *col;
    const float *weight; /* of A's entries, see weigh */
    int32_t block;
    int32_t groups, capacity; /* capacity: the largest number of nodes in a group */
    int32_t *member;          /* groups x capacity; -1: no more nodes */
    int32_t *merged;          /* member of the merged groups, with twice the capacity */
    int32_t *of;              /* the group of each node; -1: excluded */
    double *strongest;        /* the strongest connection of each group */
    int32_t *choice, *mate;
    int32_t *number; /* groups + 1: the new numbers of the groups */
    double strength; /* a connection must have this share of the strongest one at both ends */
} gs_pairing;

typedef enum gs_pairing_step {
    GS_SINGLE_NODES,  /* each node is a group */
    GS_BEGIN_PAIRING, /* the following: the function of this name */
    GS_CHOOSE_MATE,
    GS_CONFIRM_MATE,
    GS_MARK_LEADERS, /* number = 1 if the group gives the number of a merged one; groups + 1 items
                      */
    GS_MERGE_GROUPS,
    GS_CHOOSE_HOST,
    GS_MARK_HOSTS, /* number = 1 if the group joins no other; groups + 1 items */
    GS_RENUMBER_NODES,
    GS_PAIRING_STEPS
} gs_pairing_step;

/* --- steps of classical coarsening, see classical_rules.h ------------------------------------- */

typedef struct gs_point_arrays {
    int32_t n, block;
    gsolve_dense near_null;
    uint8_t *component, *kind;
    uint8_t least;          /* kind of the points that are numbered, at least */
    int32_t *number;        /* n + 1: the number of each of them, else -1 */
    int32_t *point;         /* point[number[i]] = i */
    gsolve_dense indicator; /* row r belongs to C point r */
} gs_point_arrays;

typedef enum gs_point_step {
    GS_FIND_COMPONENT, /* with several unknowns per node component[i] = i % block; else the first
                          column of near_null that is not 0 in row i */
    GS_RESET_C,        /* C points become undecided */
    GS_MARK_POINTS,    /* number = 1 for the points that are numbered, else 0; n + 1 items */
    GS_NUMBER_POINTS,  /* number = -1 for the other points */
    GS_LIST_POINTS,
    GS_INDICATE, /* indicator: 1 in the column of the C point's component, else 0 */
    GS_POINT_STEPS
} gs_point_step;

/* --- kernels of the steps --------------------------------------------------------------------- */

typedef struct gs_step_kernels {
    /* Do this step for the items 0 to n - 1, each by one thread. */
    gsolve_status (*root)(gs_queue *q, gs_root_step step, int64_t n, const gs_root_search *s);
    gsolve_status (*pair)(gs_queue *q, gs_pairing_step step, int64_t n, const gs_pairing *p);
    gsolve_status (*point)(gs_queue *q, gs_point_step step, int64_t n, const gs_point_arrays *p);
} gs_step_kernels;

extern const gs_step_kernels GS_HOST_TABLES(gs_step), gs_step_cuda[GSOLVE_TYPE_COUNT];

#endif
