/* direct.h: what direct.c and direct_factor.c share. */
#ifndef GS_SOLVER_METHODS_DIRECT_H
#define GS_SOLVER_METHODS_DIRECT_H

#include "factor/factor.h"
#include "factor/transform.h"
#include "solver/operations/operations.h"

typedef struct gs_direct_options {
    gs_run_options run;
    int factor;  /* a gs_factor_kind */
    int library; /* a gs_factor_choice */
    double limit, work;
    gs_transform_options transform; /* order=amd: the library orders as it sees fit */
} gs_direct_options;

/* All but r and dx stays as it is when a run has more columns than all earlier ones. */
typedef struct gs_direct_state {
    gs_factorisation *factors; /* of A, or of P R A C P' */
    bool transformed;
    gs_transform transform; /* if transformed: P, R and C */
    double *in, *out;       /* if transformed: P R b; y with x = C P' y */
    uint64_t version;       /* of A's values that are factored */
    double *b, *x;          /* a column on the host, in double */
    float *values;          /* the column in single precision, if A has it */
    gsolve_dense r, dx;
} gs_direct_state;

/* Factors A's current values, by the factorisation and the library that the options name; auto: as
 * A allows. */
gsolve_status gs_direct_factor(gs_krylov *k);
/* Reads the factors from k->file. Fails with GSOLVE_BAD_SPEC if the options ask for others, and
 * with GSOLVE_UNSUPPORTED if they scale or order A. */
gsolve_status gs_direct_load(gs_krylov *k);
/* Fails: the factors of a scaled or reordered matrix are not saved. */
gsolve_status gs_direct_refuse_transform(const gs_krylov *k);

#endif
