/* hierarchy.h: the levels of multigrid, from the given matrix to the coarsest. */
#ifndef GS_PRECOND_AMG_HIERARCHY_H
#define GS_PRECOND_AMG_HIERARCHY_H

#include "precond/amg/amg.h"
#include "precond/amg/block_galerkin.h"
#include "precond/amg/coarsest/coarsest.h"
#include "spgemm/spgemm.h"

#define GS_AMG_MOST_LEVELS    32
#define GS_AMG_MOST_NEAR_NULL 24

enum { GS_AMG_CYCLE_AUTO, GS_AMG_V, GS_AMG_W, GS_AMG_K }; /* gs_amg_options.cycle */
enum { GS_AMG_TYPE_AUTO, GS_AMG_F32, GS_AMG_SAME };       /* .type */
enum { GS_AMG_FORMAT_AUTO, GS_AMG_CSR, GS_AMG_SELL };     /* .format */
enum { GS_AMG_REUSE_AUTO, GS_AMG_KEEP, GS_AMG_REBUILD };  /* .reuse */

typedef struct gs_level {
    gsolve_matrix *A, *P, *R; /* P and R: to the next level, NULL on the coarsest */
    gsolve_csr rows;          /* where kernels read them; A's own, once there is A */
    int64_t entries;
    gs_fine fine;             /* of rows and A */
    gs_transfer T;            /* its P and R are views of what the matrices own */
    gs_galerkin galerkin;     /* what makes the next level's values, unless */
    gs_block_galerkin blocks; /* products of blocks do */
    void *smoother;           /* NULL where the level is solved exactly */
    gsolve_dense b, x, space; /* one column each; b and x of the finest only in another type */
    gsolve_dense v, c;        /* of a K-cycle */
    void *many;               /* b, x and spaces of GS_AMG_COLUMNS columns, a part of h->many */
} gs_level;

typedef struct gs_hierarchy {
    gs_amg_options options;
    const gs_coarsening *coarsening;
    const gs_smoother *smoother;
    gsolve_type type;   /* of its numbers */
    bool symmetric;     /* A is, to rounding */
    bool far;           /* what a kernel does is waited for: launches count */
    bool renewed;       /* values came again, and may once more */
    int levels, harder; /* harder: levels that were coarsened harder for the complexity's sake */
    gs_level level[GS_AMG_MOST_LEVELS];
    gs_coarsest coarsest;
    double *scalar; /* numbers on the device, see cycle.c */
    void *many;     /* NULL until several columns come */
} gs_hierarchy;

/* level.c: l's rows, of which it becomes owner; its matrix, to multiply with, from them; its
 * transfers as matrices, l->T keeping views of them. */
void gs_level_set_rows(gs_level *l, gsolve_csr *csr, int64_t entries);
gsolve_status gs_level_set_matrix(const gs_hierarchy *h, gs_level *l, gsolve_context *ctx);
gsolve_status gs_level_set_transfer(gs_level *l, gsolve_context *ctx);
/* What leads from l to the next level; and all of it. */
void gs_level_drop_transfer(const gs_hierarchy *h, gs_level *l, gsolve_context *ctx);
void gs_level_drop(const gs_hierarchy *h, gs_level *l, gsolve_context *ctx);

/* *h = the levels of the matrix in csr, which is clean and where kernels read it. near_null: n x k
 * on the device, of the hierarchy's type; it becomes h's. block: unknowns a node. */
gsolve_status gs_hierarchy_build(gs_hierarchy **h, gsolve_context *ctx, const gsolve_csr *csr,
                                 gsolve_type type, gsolve_dense *near_null, int32_t block,
                                 const gs_amg_options *options);

/* The finest level's rows are given up where its matrix is multiplied with by slices, which are a
 * second copy of it: only an update needs them. And they come back; from then on an update keeps
 * them for the next. */
void gs_hierarchy_give_up_rows(gs_hierarchy *h);
gsolve_status gs_hierarchy_need_rows(gs_hierarchy *h);

/* New values in the same pattern. */
gsolve_status gs_hierarchy_update(gs_hierarchy *h, gsolve_context *ctx, const gsolve_csr *csr);
void gs_hierarchy_destroy(gs_hierarchy *h, gsolve_context *ctx); /* NULL: nothing */

/* Entries of all levels, and rows, over those of the finest. */
double gs_hierarchy_complexity(const gs_hierarchy *h);
double gs_hierarchy_grids(const gs_hierarchy *h);

/* precision.c: *left = the share of r that some cycles of h leave, r = A w in csr's type with w the
 * first near-null vector; csr: what h was made of. More of them where it is more than enough. nan
 * or inf: h is of no use. */
gsolve_status gs_hierarchy_leaves(gs_hierarchy *h, gsolve_context *ctx, const gsolve_csr *csr,
                                  double enough, double *left);

/* cycle.c: z = M^-1 r in the hierarchy's type, one column, or several by rows, side by side, for
 * which there is room; transposed: M^-T r. wide: NULL, or where gs_cycle_widens what it begins and
 * ends with; r and z are space then. */
gsolve_status gs_cycle(const gs_hierarchy *h, gsolve_context *ctx, bool transposed,
                       const gs_ends *wide, gsolve_dense r, gsolve_dense z);
bool gs_cycle_widens(const gs_hierarchy *h);
size_t gs_cycle_bytes(const gs_hierarchy *h); /* that it moves, of one column */
/* Visits of the coarsest level by one cycle. */
int64_t gs_cycle_visits(const gs_hierarchy *h);

/* apply.c: the vectors that a cycle of one column needs; z = M^-1 r, or M^-T r, of any columns and
 * type, several of them together. What these need is made the first time. */
gsolve_status gs_cycle_reserve(gs_hierarchy *h, gsolve_context *ctx);
gsolve_status gs_hierarchy_apply(gs_hierarchy *h, gsolve_context *ctx, bool transposed,
                                 gsolve_dense r, gsolve_dense z);
/* z = M^-1 r, *rz = r'z, a number on the device, of one column. */
gsolve_status gs_hierarchy_apply_dot(gs_hierarchy *h, gsolve_context *ctx, gsolve_dense r,
                                     gsolve_dense z, double *rz);

/* Level k's vectors for a cycle of so many columns. */
typedef struct gs_level_vectors {
    gsolve_dense b, x, space;
} gs_level_vectors;

gs_level_vectors gs_level_vectors_of(const gs_hierarchy *h, int k, int32_t columns);

#endif
