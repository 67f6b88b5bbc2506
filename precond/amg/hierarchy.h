/* hierarchy.h: the levels of multigrid, from the given matrix to the coarsest. */
#ifndef GS_PRECOND_AMG_HIERARCHY_H
#define GS_PRECOND_AMG_HIERARCHY_H

#include "dist/gather.h"
#include "precond/amg/coarsest/coarsest.h"
#include "precond/amg/level.h"

/* The levels of another hierarchy above the first level of this one. All zero: there are none. */
typedef struct gs_finer_levels {
    int levels;
    int64_t finest, above, sum; /* entries of the finest level, of the last one, of all of them */
    bool symmetric;             /* the finest matrix is, to rounding */
} gs_finer_levels;

/* The coarse levels of a hierarchy over ranks, which every rank holds as a whole. */
typedef struct gs_replicated {
    struct gs_hierarchy *h;
    gs_gather rows; /* of the first of these levels */
    gs_gather entries;
} gs_replicated;

/* The steps of a hierarchy over ranks that differ from those of one rank, for the last level l of
 * h. coarsen: *useless: the next level would hardly be smaller; else *entries = the entries of its
 * matrix, which l keeps until append makes the level. Collective. */
typedef struct gs_rank_steps {
    gsolve_status (*coarsen)(gs_level *l, gsolve_context *ctx, const gs_amg_options *options,
                             int64_t *entries, bool *useless);
    gsolve_status (*append)(struct gs_hierarchy *h, gsolve_context *ctx, int64_t entries);
} gs_rank_steps;

/* Over ranks (comm is not NULL) a level belongs to all ranks (distributed/rank_level.h). If coarse
 * is not NULL, the last level is the first one that every rank holds as a whole: then it has only
 * its vectors here, and `coarse` has the rest of the hierarchy. */
typedef struct gs_hierarchy {
    gs_amg_options options; /* all defaults resolved */
    const gs_coarsening *coarsening;
    const gs_smoother *smoother;
    gsolve_type type; /* of all levels' values */
    bool symmetric;   /* A is, to rounding */
    bool on_device;   /* kernels run on a device: the cost of their launches counts */
    bool updated;     /* an update has happened; the rows are kept for the next one */
    int levels;
    int harder; /* number of levels that were coarsened harder to keep the complexity low */
    gs_level level[GS_AMG_MAX_LEVELS];
    gs_coarsest coarsest;
    double *scalar; /* the K-cycle's scalars on the device, see cycle.c */
    void *batch;    /* vectors of all levels for several columns; NULL until they are needed */
    gs_finer_levels finer;
    struct gs_comm *comm;
    const gs_rank_steps *over_ranks; /* with comm */
    gs_replicated *coarse;
    bool has_batch; /* over ranks: all have their vectors for several columns */
} gs_hierarchy;

/* *h = the levels of the matrix csr, which is clean and lies where kernels read it. near_null: n x
 * k on the device, of type `type`; h takes ownership of it on success. block: unknowns per node. */
gsolve_status gs_hierarchy_build(gs_hierarchy **h, gsolve_context *ctx, const gsolve_csr *csr,
                                 gsolve_type type, gsolve_dense *near_null, int32_t block,
                                 const gs_amg_options *options);
/* The same for a coarser level of another hierarchy, whose options have no defaults resolved. */
gsolve_status gs_hierarchy_build_below(gs_hierarchy **h, gsolve_context *ctx, const gsolve_csr *csr,
                                       gsolve_type type, gsolve_dense *near_null, int32_t block,
                                       const gs_amg_options *options, const gs_finer_levels *finer);
/* The steps of gs_hierarchy_build. begin: *h = the finest level, without near-null vectors, which
 * the caller sets. symmetric: NULL, or whether A is. append adds a level below the last one, whose
 * transfer T is set; h takes ownership of C, the new level's matrix. complete makes the rest, when
 * all levels have their rows. */
gsolve_status gs_hierarchy_begin(gs_hierarchy **h, gsolve_context *ctx, const gsolve_csr *csr,
                                 gsolve_type type, int32_t block, const gs_amg_options *options,
                                 const bool *symmetric);
gsolve_status gs_hierarchy_append(gs_hierarchy *h, gsolve_context *ctx, gsolve_csr *C,
                                  int64_t entries);
gsolve_status gs_hierarchy_complete(gs_hierarchy *h, gsolve_context *ctx);
/* New values in the same pattern. */
gsolve_status gs_hierarchy_update(gs_hierarchy *h, gsolve_context *ctx, const gsolve_csr *csr);
/* Rebuilds the coarsest level's solve for a matrix with a null space of this dimension; 0: not
 * known. */
gsolve_status gs_hierarchy_set_null_space(gs_hierarchy *h, gsolve_context *ctx, int32_t dimension);
void gs_hierarchy_destroy(gs_hierarchy *h, gsolve_context *ctx); /* NULL: nothing */

/* Allocates the vectors of a cycle of several columns (cycle.h), unless they exist. Local: the
 * ranks of a hierarchy over ranks agree on its status. */
gsolve_status gs_hierarchy_reserve_batch(gs_hierarchy *h, gsolve_context *ctx);
/* Allocates what an application to this many columns needs. Collective. */
gsolve_status gs_replicated_reserve(gs_replicated *T, gsolve_context *ctx, int32_t columns);

/* Frees the finest level's rows if its products read sliced storage, which is a second copy of the
 * matrix: only an update needs the rows. restore rebuilds them. After the first update they are
 * kept for the next one. */
void gs_hierarchy_release_rows(gs_hierarchy *h);
gsolve_status gs_hierarchy_restore_rows(gs_hierarchy *h);

/* The number of all levels, and level k of them; NULL: there is none, or h is NULL. */
int gs_hierarchy_levels(const gs_hierarchy *h);
const gs_level *gs_hierarchy_level(const gs_hierarchy *h, int k);

/* Entries of all levels over those of the finest; rows of all levels over those of the finest. */
double gs_hierarchy_operator_complexity(const gs_hierarchy *h);
double gs_hierarchy_grid_complexity(const gs_hierarchy *h);

/* --- steps that one rank and several share -----------------------------------------------------
 */

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

/* After the last step of a build: *out = *h, with near_null, and *h = NULL; or, if it failed, only
 * takes near_null out of *h. */
void gs_hierarchy_hand_over(gs_hierarchy **out, gs_hierarchy **h, gsolve_dense *near_null,
                            gsolve_status status);

void gs_replicated_destroy(gs_replicated *T, gsolve_context *ctx); /* NULL: nothing */

#endif
