/* cost_model.h: the order in which preconditioners of cg are tried, by their estimated times. */
#ifndef GS_SOLVER_CHOOSE_COST_MODEL_H
#define GS_SOLVER_CHOOSE_COST_MODEL_H

#include "gsolve.h"

enum { GS_JACOBI, GS_IC, GS_AMG, GS_RANKED_COUNT };

extern const char *const gs_ranked_precond_name[GS_RANKED_COUNT];

typedef struct gs_precond_ranking {
    int order[GS_RANKED_COUNT], count; /* what to try, in this order */
    char why[200];                     /* the reason for the first: one sentence */
} gs_precond_ranking;

/* For a symmetric matrix with a positive diagonal, on a GPU or a CPU. */
gs_precond_ranking gs_rank_preconds(const gsolve_statistics *statistics, bool on_gpu);

#endif
