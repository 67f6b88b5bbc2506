/* direct.h: what direct.c and direct_factor.c share. */
#ifndef GS_SOLVER_METHODS_DIRECT_H
#define GS_SOLVER_METHODS_DIRECT_H

#include <cs.h>

#include "factor/lu.h"
#include "factor/transform.h"
#include "solver/operations/operations.h"

enum { GS_FACTOR_AUTO, GS_CHOLESKY, GS_LU, GS_QR };

typedef struct gs_direct_options {
    gs_run_options run;
    int factor;
    double limit, work;
    gs_transform_options transform; /* order=amd: by the factorisation itself */
} gs_direct_options;

typedef struct gs_direct_state {
    int kind;         /* GS_CHOLESKY, GS_LU or GS_QR */
    uint64_t version; /* of A's values that are factored */
    gsolve_csr rows;  /* A's rows in double; A's columns for QR of a tall A; with a transform those
                         of  P R A C P' */
    bool owned;       /* rows is a copy of this state's own */
    bool transformed;
    gs_transform transform; /* if transformed: P, R and C */
    cs_dis *symbolic;
    cs_din *numeric;
    bool diagonal;              /* LU: pivots are sought on the diagonal first */
    gs_direct_cost bound, most; /* LU: an upper bound of its cost; the cost that is allowed */
    double *work;
    int64_t work_size;
    gsolve_dense r, dx;
} gs_direct_state;

/* Factors A's current values, by the factorisation that the options name; auto: as A allows. */
gsolve_status gs_direct_factor(gs_krylov *k);
/* Releases the factors. */
void gs_direct_drop_factor(gs_direct_state *s);

#endif
