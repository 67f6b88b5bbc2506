/* level.h: one level of multigrid: its matrix, the transfer to the next level, its smoother and its
 * vectors. */
#ifndef GS_PRECOND_AMG_LEVEL_H
#define GS_PRECOND_AMG_LEVEL_H

#include "precond/amg/block_galerkin.h"
#include "precond/amg/coarsening/coarsening.h"
#include "precond/amg/smoothers/smoother.h"
#include "spgemm/spgemm.h"

typedef struct gs_level {
    gsolve_matrix *A, *P, *R; /* P and R: to the next level, NULL on the coarsest */
    gsolve_csr rows;          /* A's rows, where kernels read them; owned by A once A exists */
    int64_t entries;
    gs_level_view view;          /* of rows and A */
    gs_transfer T;               /* its P and R are views of what the matrices P and R own */
    gs_galerkin galerkin;        /* R A P, the next level's matrix; unused if blocks.fine > 0 */
    gs_block_galerkin blocks;    /* R A P by products of dense blocks */
    bool loaded;                 /* from a file: neither galerkin nor blocks has a plan yet */
    struct gs_rank_level *ranks; /* NULL: this rank has all rows. Else rows is only their shape */
    /* Frees the transfer of `ranks` to the next level, or all; set with it. */
    void (*drop_ranks)(struct gs_rank_level *ranks, gsolve_context *ctx, bool all);
    void *smoother;           /* NULL if the level is solved exactly */
    gsolve_dense b, x, space; /* one column each */
    gsolve_dense v, c;        /* of a K-cycle, one column each */
    void *batch;              /* b, x, space and extra vectors for GS_AMG_COLUMNS columns */
} gs_level;

/* *copy = csr in another value type, in the same memory; *entries of them. */
gsolve_status gs_level_copy_rows(gsolve_csr *copy, int64_t *entries, gsolve_context *ctx,
                                 const gsolve_csr *csr, gsolve_type type);
/* l takes ownership of csr. */
void gs_level_set_rows(gs_level *l, gsolve_csr *csr, int64_t entries);
/* l->A = l's rows in a format: GS_AMG_FORMAT_AUTO, GS_AMG_CSR or GS_AMG_SELL. */
gsolve_status gs_level_set_matrix(gs_level *l, gsolve_context *ctx, int format);
/* l->P and l->R = the matrices in l->T, which becomes a view of them. */
gsolve_status gs_level_set_transfer(gs_level *l, gsolve_context *ctx);
/* Allocates the vectors of one column; k_cycle: v and c too. */
gsolve_status gs_level_allocate(gs_level *l, gsolve_context *ctx, bool k_cycle);

/* For the first update of a level that was loaded: computes R A P, which must have the pattern of
 * C, the next level's matrix, and keeps the plan. */
gsolve_status gs_level_plan_product(gs_level *l, gsolve_context *ctx, const gsolve_csr *C);

/* Frees the transfer to the next level; frees all of l. */
void gs_level_clear_transfer(gs_level *l, gsolve_context *ctx, const gs_coarsening *coarsening);
void gs_level_clear(gs_level *l, gsolve_context *ctx, const gs_coarsening *coarsening,
                    const gs_smoother *smoother);

#endif
