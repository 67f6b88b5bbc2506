/* auto_transform.h: what auto_transform.c and auto_passes.c share: the transformed system of an
 * automatic solver with scale or order. */
#ifndef GS_SOLVER_CHOOSE_AUTO_TRANSFORM_H
#define GS_SOLVER_CHOOSE_AUTO_TRANSFORM_H

#include "core/staging.h"
#include "solver/choose/auto_solver.h"

typedef struct gs_pass_column { /* of the caller's system */
    gs_norms norms;
    double first; /* |b - A x| of the initial guess */
    int exponent; /* the pass solves for 2^-exponent (b - A x) */
    int iterations, products;
    bool open;              /* the next pass solves for a correction of it */
    gsolve_outcome outcome; /* if not open */
} gs_pass_column;

struct gs_auto_transform {
    gs_transform t;
    gsolve_matrix *B;
    uint64_t version;            /* of A, whose values B holds */
    int32_t width;               /* columns of the vectors below */
    gs_pass_column *column;      /* on the host */
    gsolve_dense r, rhs, y;      /* of B's type, where kernels read */
    gsolve_dense before, change; /* of x's type: x before a pass; what it adds */

    /* of the present run: */
    gsolve_auto *S;
    gsolve_dense b, x;    /* the caller's, column-major, where kernels read */
    gs_run_options asked; /* the options of the method, which passes change */
    int passes;
    gsolve_result total;
    double worst; /* the largest |b - A x| / |b| at the begin of the pass */
};

/* auto_passes.c: frees the vectors and the columns. */
void gs_auto_free_vectors(gs_auto_transform *t, gsolve_context *ctx);

#endif
