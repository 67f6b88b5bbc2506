/* options.c: the table of amg's options. It parses a spec and prints the help. */
#include "precond/amg/options.h"

#include <stddef.h>

#define MEMBER(name) offsetof(gs_amg_options, name)

const gsolve_option gs_amg_option_table[] = {
    {"coarsening",
     "sa: smoothed aggregation; ua: pairwise aggregation without smoothing, for cycle=k; "
     "classical: C points, from which the other unknowns are interpolated",
     GSOLVE_CHOICE, MEMBER(coarsening), 0, 0, 0, "sa|ua|classical"},
    {"strength",
     "threshold of strong connections; sa: |a_ij| > strength sqrt(a_ii a_jj); ua, "
     "classical: share of the strongest in the row; negative: default of the coarsening",
     GSOLVE_REAL, MEMBER(strength), -1, -1, 1, NULL},
    {"aggregation",
     "sa: how the roots of aggregates are chosen; auto: greedy on the CPU, mis2 on a GPU",
     GSOLVE_CHOICE, MEMBER(aggregation), 0, 0, 0, "auto|greedy|mis2"},
    {"block", "unknowns per node; 0: found in the pattern", GSOLVE_INT, MEMBER(block), 0, 0, 64,
     NULL},
    {"pairings", "ua: an aggregate has at most 2^pairings nodes", GSOLVE_INT, MEMBER(pairings), 3,
     1, 10, NULL},
    {"damping",
     "sa: damping of the prolongator's smoothing step, over the spectral radius; 0: no "
     "smoothing; negative: 4/3, or 2/3 if A is not symmetric",
     GSOLVE_REAL, MEMBER(damping), -1, -1, 2, NULL},
    {"interpolation",
     "classical: extended_i: from C points at distance one or two; one_point: from the "
     "strongest one",
     GSOLVE_CHOICE, MEMBER(interpolation), GS_EXTENDED_I, 0, 0, "extended_i|one_point"},
    {"aggressive", "classical: number of finest levels with aggressive coarsening", GSOLVE_INT,
     MEMBER(aggressive), 0, 0, GS_AMG_MAX_LEVELS, NULL},
    {"most", "classical: largest number of entries per row of P; 0: no limit", GSOLVE_INT,
     MEMBER(most), 4, 0, 1000, NULL},
    {"truncate", "classical: drop entries of P below this share of the largest in their row",
     GSOLVE_REAL, MEMBER(truncate), 0, 0, 1, NULL},
    {"smoother",
     "smoother on each level; auto: chebyshev, or if A is not symmetric gs on the CPU and "
     "l1_jacobi on a GPU",
     GSOLVE_CHOICE, MEMBER(smoother), 0, 0, 0, "auto|l1_jacobi|chebyshev|spai0|gs|ilu"},
    {"pre", "smoothing sweeps before the coarse level", GSOLVE_INT, MEMBER(pre), 1, 0, 100, NULL},
    {"post", "smoothing sweeps after the coarse level; cg needs pre = post", GSOLVE_INT,
     MEMBER(post), 1, 0, 100, NULL},
    {"omega", "l1_jacobi: relaxation factor; below 0.01: 1.6, or 1.7 if A is not symmetric",
     GSOLVE_REAL, MEMBER(omega), 0, 0, 1.99, NULL},
    {"degree",
     "steps per sweep of chebyshev and l1_jacobi; Jacobi steps per triangular solve of ilu "
     "on a GPU; 0: 1 for l1_jacobi on a symmetric A, else 2",
     GSOLVE_INT, MEMBER(degree), 0, 0, 100, NULL},
    {"ratio", "chebyshev: smooths the part [lambda_max / ratio, lambda_max] of the spectrum",
     GSOLVE_REAL, MEMBER(ratio), 8, 1.1, 1e6, NULL},
    {"its",
     "power iterations for the largest eigenvalue; chebyshev: 0 or negative: bound by row "
     "sums; ilu on a GPU: 0: no estimate, negative: 8",
     GSOLVE_INT, MEMBER(its), -1, -1, 1000, NULL},
    {"cycle",
     "V-cycle, W-cycle, or K-cycle (two Krylov steps per level; needs a flexible method); "
     "auto: visits a level twice if that is cheap",
     GSOLVE_CHOICE, MEMBER(cycle), GS_AMG_CYCLE_AUTO, 0, 0, "auto|v|w|k"},
    {"levels", "largest number of levels", GSOLVE_INT, MEMBER(levels), 25, 1, GS_AMG_MAX_LEVELS,
     NULL},
    {"coarsest", "rows at which coarsening ends; 0: default of the device", GSOLVE_INT,
     MEMBER(coarsest), 0, 0, 100000, NULL},
    {"type",
     "value type of the levels; auto: single precision if it converges as fast; same: that "
     "of A",
     GSOLVE_CHOICE, MEMBER(type), GS_AMG_TYPE_AUTO, 0, 0, "auto|f32|same"},
    {"format", "format of the levels' matrices; auto: the fastest for the products of one solve",
     GSOLVE_CHOICE, MEMBER(format), GS_AMG_FORMAT_AUTO, 0, 0, "auto|csr|sell"},
    {"reuse",
     "what an update keeps of the levels; keep: their structure; rebuild: nothing; auto: "
     "the structure, until solves take more cycles",
     GSOLVE_CHOICE, MEMBER(reuse), GS_AMG_REUSE_AUTO, 0, 0, "auto|keep|rebuild"},
    {"near_null",
     "near-null vectors: constants, or given later by gsolve_precond_set_near_null or "
     "gsolve_precond_set_coordinates",
     GSOLVE_CHOICE, MEMBER(near_null), GS_AMG_CONSTANTS, 0, 0, "constants|given"},
    {"complexity",
     "limit of the operator complexity (entries of all levels over those of the finest); "
     "coarsening is stronger beyond it",
     GSOLVE_REAL, MEMBER(complexity), 3, 1, 1000, NULL},
    {0},
};
