/* options.c: the table of amg's options. It parses a spec and prints the help. */
#include "precond/amg/options.h"

#include <stddef.h>

#define MEMBER(name) offsetof(gs_amg_options, name)

const gsolve_option gs_amg_option_table[] = {
    {"coarsening",
     "how levels are coarsened: by smoothed aggregates, by unsmoothed ones of pairs, "
     "which want cycle=k, or to some of the unknowns, from which the others are interpolated",
     GSOLVE_CHOICE, MEMBER(coarsening), 0, 0, 0, "sa|ua|classical"},
    {"strength",
     "sa: |a_ij| > strength sqrt(a_ii a_jj) is a strong connection; ua, classical: that "
     "share of the row's strongest; negative: as suits",
     GSOLVE_REAL, MEMBER(strength), -1, -1, 1, NULL},
    {"aggregation", "sa: how roots of aggregates are chosen; auto: greedy on the CPU, else mis2",
     GSOLVE_CHOICE, MEMBER(aggregation), 0, 0, 0, "auto|greedy|mis2"},
    {"block", "unknowns a node; 0: found in the pattern", GSOLVE_INT, MEMBER(block), 0, 0, 64,
     NULL},
    {"pairings", "ua: aggregates of at most 2 to this power", GSOLVE_INT, MEMBER(pairings), 3, 1,
     10, NULL},
    {"damping",
     "sa: of the step that smooths P, over the spectral radius; 0: none; negative: as suits",
     GSOLVE_REAL, MEMBER(damping), -1, -1, 2, NULL},
    {"interpolation", "classical: from all points at a distance of one or two, or from one",
     GSOLVE_CHOICE, MEMBER(interpolation), GS_EXTENDED_I, 0, 0, "extended_i|one_point"},
    {"aggressive", "classical: first levels that are coarsened twice at once", GSOLVE_INT,
     MEMBER(aggressive), 0, 0, GS_AMG_MAX_LEVELS, NULL},
    {"most", "classical: entries of a row of P; 0: any", GSOLVE_INT, MEMBER(most), 4, 0, 1000,
     NULL},
    {"truncate", "classical: entries of P below that share of the row's largest are dropped",
     GSOLVE_REAL, MEMBER(truncate), 0, 0, 1, NULL},
    {"smoother",
     "what smooths the error on each level; auto: chebyshev, where A is not symmetric "
     "gs on the CPU and l1_jacobi on a GPU",
     GSOLVE_CHOICE, MEMBER(smoother), 0, 0, 0, "auto|l1_jacobi|chebyshev|spai0|gs|ilu"},
    {"pre", "sweeps before the coarse level", GSOLVE_INT, MEMBER(pre), 1, 0, 100, NULL},
    {"post", "sweeps after it; cg needs as many as before", GSOLVE_INT, MEMBER(post), 1, 0, 100,
     NULL},
    {"omega", "of l1_jacobi: times the division; below 0.01: as suits", GSOLVE_REAL, MEMBER(omega),
     0, 0, 1.99, NULL},
    {"degree",
     "steps of a sweep: of chebyshev and l1_jacobi products, of ilu on a GPU those of a triangle's "
     "solve; 0: as suits",
     GSOLVE_INT, MEMBER(degree), 0, 0, 100, NULL},
    {"ratio", "of chebyshev: it is small on [most / ratio, most] of the spectrum", GSOLVE_REAL,
     MEMBER(ratio), 8, 1.1, 1e6, NULL},
    {"its",
     "power iterations for the largest eigenvalue, of chebyshev (0: bounded by sums of rows) and "
     "of "
     "ilu on a GPU (0: not looked at); negative: as suits",
     GSOLVE_INT, MEMBER(its), -1, -1, 1000, NULL},
    {"cycle",
     "each level visits the next once, twice, or by two steps of a method of its own; "
     "auto: twice where that is cheap",
     GSOLVE_CHOICE, MEMBER(cycle), GS_AMG_CYCLE_AUTO, 0, 0, "auto|v|w|k"},
    {"levels", "at most", GSOLVE_INT, MEMBER(levels), 25, 1, GS_AMG_MAX_LEVELS, NULL},
    {"coarsest", "rows at which coarsening ends; 0: as suits the device", GSOLVE_INT,
     MEMBER(coarsest), 0, 0, 100000, NULL},
    {"type", "of the levels' numbers; auto: single precision where it converges as fast",
     GSOLVE_CHOICE, MEMBER(type), GS_AMG_TYPE_AUTO, 0, 0, "auto|f32|same"},
    {"format", "of the levels' matrices; auto: what pays for the products of a solve",
     GSOLVE_CHOICE, MEMBER(format), GS_AMG_FORMAT_AUTO, 0, 0, "auto|csr|sell"},
    {"reuse", "what an update keeps of the levels' structure; auto: all, until solves take longer",
     GSOLVE_CHOICE, MEMBER(reuse), GS_AMG_REUSE_AUTO, 0, 0, "auto|keep|rebuild"},
    {"near_null", "what smoothing hardly changes: constants, or vectors still to be given",
     GSOLVE_CHOICE, MEMBER(near_null), GS_AMG_CONSTANTS, 0, 0, "constants|given"},
    {"complexity",
     "entries of all levels over those of the finest, beyond which it is coarsened "
     "harder",
     GSOLVE_REAL, MEMBER(complexity), 3, 1, 1000, NULL},
    {0},
};
