/* cost_model.h: which preconditioner of cg is to be tried first: the one that is likely to be the
 * fastest. */
#ifndef GS_SOLVER_CHOOSE_COST_MODEL_H
#define GS_SOLVER_CHOOSE_COST_MODEL_H

#include "gsolve.h"

enum { GS_JACOBI, GS_IC, GS_AMG, GS_RANKED_COUNT };

extern const char *const gs_ranked_precond_name[GS_RANKED_COUNT];

typedef struct gs_precond_ranking {
    int order[GS_RANKED_COUNT], count; /* what to try, the first first */
    char why[200];                     /* the first: one sentence */
} gs_precond_ranking;

/* For a symmetric matrix with a positive diagonal, on a GPU or a CPU. */
gs_precond_ranking gs_rank_preconds(const gsolve_statistics *traits, bool on_gpu);

#endif
