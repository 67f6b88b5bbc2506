/* setup.h: builds the hierarchy of an amg preconditioner: finds the block size and the near-null
 * vectors, and chooses the value type of the levels. */
#ifndef GS_PRECOND_AMG_SETUP_H
#define GS_PRECOND_AMG_SETUP_H

#include "gsolve_dist.h"
#include "precond/amg/hierarchy.h"

/* The matrix of a set-up. */
typedef struct gs_amg_matrix {
    const gsolve_csr *csr; /* where kernels read it; NULL: it is distributed over ranks */
    const gsolve_dist_csr
        *rows; /* this rank's rows, on the host, with ascending columns; or NULL */
} gs_amg_matrix;

typedef struct gs_amg_setup {
    gs_amg_options options;
    gs_hierarchy *h;    /* NULL before the set-up */
    gsolve_type type;   /* of the matrix and of the vectors */
    int64_t entries;    /* of the matrix, of all ranks */
    char type_note[80]; /* why the levels are not in single precision, or "" */
} gs_amg_setup;

/* Each of the functions below replaces S->h by new levels for A. If it fails, S is unchanged. Over
 * ranks they are collective, and vectors hold this rank's rows. */

/* With constant near-null vectors, one per unknown of a node. */
gsolve_status gs_amg_set_up_constants(gs_amg_setup *S, gsolve_context *ctx, gs_amg_matrix A);
/* With given near-null vectors v, on ctx's device. */
gsolve_status gs_amg_set_up_near_null(gs_amg_setup *S, gsolve_context *ctx, gs_amg_matrix A,
                                      gsolve_dense v);
/* With the rigid body modes of nodes at the coordinates xyz. */
gsolve_status gs_amg_set_up_coordinates(gs_amg_setup *S, gsolve_context *ctx, gs_amg_matrix A,
                                        gsolve_dense xyz);
/* With the block size and the near-null vectors of S->h. */
gsolve_status gs_amg_set_up_again(gs_amg_setup *S, gsolve_context *ctx, gs_amg_matrix A);

#endif
