/* initial_guess.h: guess=projection: runs begin at a combination of earlier solutions. */
#ifndef GS_SOLVER_RUN_INITIAL_GUESS_H
#define GS_SOLVER_RUN_INITIAL_GUESS_H

#include "solver/run/run.h"

typedef struct gs_guess {
    gsolve_dense U, W;     /* space for `keep` vectors each; the first `kept` are set */
    gsolve_dense pair;     /* two vectors: a correction u and w = A u */
    gsolve_dense begin, r; /* x when the run began; b - A x */
    double *h;             /* keep + 2 numbers on the device */
    int64_t ld;
    int kept;
    double use[GS_MOST_KEPT]; /* the part of each vector in the last solutions, see add_pair */
    double h_host[GS_MOST_KEPT];
    uint64_t A; /* the version of A that the vectors belong to */
} gs_guess;

/* Work space, if the options ask for it. */
gsolve_status gs_guess_reserve(gs_krylov *k);
/* A run begins: improves k->x. */
gsolve_status gs_guess_begin(gs_krylov *k);
/* A run has ended: keeps its corrections. */
gsolve_status gs_guess_end(gs_krylov *k);

#endif
