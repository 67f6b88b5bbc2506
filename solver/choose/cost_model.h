/* cost_model.h: which preconditioner of cg is to be tried first: the one that is likely to be the
 * fastest. */
#ifndef GS_SOLVER_CHOOSE_COST_MODEL_H
#define GS_SOLVER_CHOOSE_COST_MODEL_H

#include "gsolve.h"

enum { GS_JACOBI, GS_IC, GS_AMG, GS_LIKELY_COUNT };

extern const char *const gs_likely_name[GS_LIKELY_COUNT];

typedef struct gs_likely {
    int order[GS_LIKELY_COUNT], count; /* what to try, the first first */
    char why[200];                     /* the first: one sentence */
} gs_likely;

/* For a symmetric matrix with a positive diagonal, on a GPU or a CPU. */
gs_likely gs_likely_of(const gsolve_traits *traits, bool on_gpu);

#endif
