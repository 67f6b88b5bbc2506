/* ranking.h: estimates the iterations and times of cg with its preconditioners, and puts them in
 * the order in which they are tried. */
#ifndef GS_SOLVER_CHOOSE_RANKING_H
#define GS_SOLVER_CHOOSE_RANKING_H

#include "matrix/cost_model.h"

extern const char *const gs_ranked_precond_name[GS_RANKED_COUNT];

typedef struct gs_cost_estimate {
    const char *kind;                   /* what the matrix looks like, in words */
    int dimensions;                     /* of the grid */
    double length;                      /* points per side of the grid */
    double iterations[GS_RANKED_COUNT]; /* of cg with each preconditioner, to 1e-8 */
    double ns[GS_RANKED_COUNT];         /* time of set-up and solve */
    double setup_ns[GS_RANKED_COUNT];   /* time of the set-up */
} gs_cost_estimate;

/* For a symmetric matrix with a positive diagonal, on a GPU or a CPU. False if the matrix does not
 * look like a discretised elliptic operator; then there is no estimate. */
bool gs_estimate_cost(const gsolve_statistics *statistics, bool on_gpu, gs_cost_estimate *estimate);

typedef struct gs_precond_ranking {
    int order[GS_RANKED_COUNT], count; /* what to try, in this order */
    char why[200];                     /* the reason for the first: one sentence */
} gs_precond_ranking;

/* Also for a symmetric matrix with a positive diagonal. */
gs_precond_ranking gs_rank_preconds(const gsolve_statistics *statistics, bool on_gpu);

/* For a matrix with a positive diagonal that is symmetric apart from fixed rows, on a GPU or a CPU:
 * whether bicgstab with amg is estimated to take less time than with ilu. Then *why, of that size,
 * is the reason. */
bool gs_prefers_amg(const gsolve_statistics *statistics, bool on_gpu, char *why, size_t size);

#endif
