/* options.c: the table of amg's options. It parses a spec and prints the help. */
#include "precond/amg/options.h"

#include <stddef.h>

#define MEMBER(name) offsetof(gs_amg_options, name)

const gsolve_option gs_amg_option_table[] = {
    {"coarsening",
     "sa: smoothed aggregation; ua: pairwise aggregation without smoothing, for cycle=k; "
     "classical: some unknowns (C points) form the coarse level, the others (F points) are "
     "interpolated from them",
     GSOLVE_CHOICE, MEMBER(coarsening), 0, 0, 0, "sa|ua|classical"},
    {"strength",
     "threshold of strong connections. sa: |a_ij| > strength sqrt(a_ii a_jj), halved on each "
     "coarser level. ua: fraction of the strongest connection in the row. classical: -a_ij >= "
     "strength times the largest -a_ik in the row. negative: 0.08 for sa (0.02 if A is not "
     "symmetric or has several near-null vectors), 0.25 for ua and classical",
     GSOLVE_REAL, MEMBER(strength), -1, -1, 1, NULL},
    {"aggregation",
     "sa: how the roots of aggregates are chosen; greedy: one after the other; mis2: in parallel, "
     "as an independent set of nodes more than two connections apart; auto: greedy on the CPU, "
     "mis2 on a GPU",
     GSOLVE_CHOICE, MEMBER(aggregation), 0, 0, 0, "auto|greedy|mis2"},
    {"block", "unknowns per node; 0: detected from the pattern", GSOLVE_INT, MEMBER(block), 0, 0,
     64, NULL},
    {"pairings", "ua: an aggregate has at most 2^pairings nodes", GSOLVE_INT, MEMBER(pairings), 3,
     1, 10, NULL},
    {"damping",
     "sa: the prolongator P is smoothed by one step of damped Jacobi with the factor damping / "
     "(spectral radius of D^-1 A), where D is the diagonal of A; 0: no smoothing; negative: 4/3, "
     "or 2/3 if A is not symmetric",
     GSOLVE_REAL, MEMBER(damping), -1, -1, 2, NULL},
    {"interpolation",
     "classical: how an F point is interpolated; extended_i: from C points at a distance of one or "
     "two "
     "strong connections; one_point: from the most strongly connected C point",
     GSOLVE_CHOICE, MEMBER(interpolation), GS_EXTENDED_I, 0, 0, "extended_i|one_point"},
    {"aggressive", "classical: number of levels, from the finest on, with aggressive coarsening",
     GSOLVE_INT, MEMBER(aggressive), 0, 0, GS_AMG_MAX_LEVELS, NULL},
    {"most", "classical: largest number of entries per row of the prolongator P; 0: no limit",
     GSOLVE_INT, MEMBER(most), 4, 0, 1000, NULL},
    {"truncate",
     "classical: drop entries of P below this fraction of the largest entry in their row",
     GSOLVE_REAL, MEMBER(truncate), 0, 0, 1, NULL},
    {"smoother",
     "smoother on each level (gs: Gauss-Seidel; spai0: diagonal approximate inverse); auto: "
     "chebyshev if A is symmetric, else gs on the CPU and l1_jacobi on a GPU",
     GSOLVE_CHOICE, MEMBER(smoother), 0, 0, 0, "auto|l1_jacobi|chebyshev|spai0|gs|ilu"},
    {"pre", "smoothing sweeps before the coarse level", GSOLVE_INT, MEMBER(pre), 1, 0, 100, NULL},
    {"post", "smoothing sweeps after the coarse level; cg needs post = pre", GSOLVE_INT,
     MEMBER(post), 1, 0, 100, NULL},
    {"omega", "l1_jacobi: relaxation factor; 0: 1.6, or 1.7 if A is not symmetric", GSOLVE_REAL,
     MEMBER(omega), 0, 0, 1.99, NULL},
    {"degree",
     "chebyshev: degree of the polynomial (0: 2). l1_jacobi: steps per sweep (0: 1, or 2 if A is "
     "not symmetric). ilu on a GPU: Jacobi steps per triangular solve (0: 2)",
     GSOLVE_INT, MEMBER(degree), 0, 0, 100, NULL},
    {"ratio",
     "chebyshev: reduces errors in the part [lambda_max / ratio, lambda_max] of the spectrum",
     GSOLVE_REAL, MEMBER(ratio), 8, 1.1, 1e6, NULL},
    {"its",
     "number of power iterations that estimate the largest eigenvalue. For chebyshev, 0 or "
     "negative means none: a bound from the row sums is used. For ilu on a GPU, the eigenvalue is "
     "that of M^-1 A, and M^-1 is scaled down if it is large; 0: not scaled; negative: 8",
     GSOLVE_INT, MEMBER(its), -1, -1, 1000, NULL},
    {"cycle",
     "v: V-cycle; w: W-cycle; k: K-cycle: each coarse level is solved by two iterations of a "
     "flexible Krylov method, and the solver must be flexible, such as fgmres; auto: V-cycle, "
     "except that a coarse level is visited twice if it has at most a quarter of the entries of "
     "the finer level (and on a GPU at least 1000000 entries)",
     GSOLVE_CHOICE, MEMBER(cycle), GS_AMG_CYCLE_AUTO, 0, 0, "auto|v|w|k"},
    {"levels", "largest number of levels", GSOLVE_INT, MEMBER(levels), 25, 1, GS_AMG_MAX_LEVELS,
     NULL},
    {"coarsest",
     "a level with at most this number of rows is the coarsest; 0: on a GPU 512; on the CPU 2000, "
     "or 600 if A is not symmetric or the level has more than 20000 entries",
     GSOLVE_INT, MEMBER(coarsest), 0, 0, 100000, NULL},
    {"replicate",
     "over several ranks, every rank holds and computes the levels with at most this number of "
     "rows "
     "as a whole; rows of larger levels are distributed",
     GSOLVE_INT, MEMBER(replicate), 10000, 0, INT32_MAX, NULL},
    {"type",
     "value type of the levels; same: that of A; auto: f32 if A has more than 100000 entries and "
     "cycles in f32 pass a convergence test during the set-up, else that of A",
     GSOLVE_CHOICE, MEMBER(type), GS_AMG_TYPE_AUTO, 0, 0, "auto|f32|same"},
    {"format",
     "format of the matrices of the levels; auto: the one that is estimated to be the fastest for "
     "one solve, and csr for levels whose rows are distributed over several ranks",
     GSOLVE_CHOICE, MEMBER(format), GS_AMG_FORMAT_AUTO, 0, 0, "auto|csr|sell"},
    {"reuse",
     "what gsolve_precond_update keeps of the levels; keep: their structure; rebuild: nothing; "
     "auto: their structure, until solves need clearly more cycles than after the last full set-up",
     GSOLVE_CHOICE, MEMBER(reuse), GS_AMG_REUSE_AUTO, 0, 0, "auto|keep|rebuild"},
    {"near_null",
     "near-null vectors: constants, or given later by gsolve_precond_set_near_null or "
     "gsolve_precond_set_coordinates",
     GSOLVE_CHOICE, MEMBER(near_null), GS_AMG_CONSTANTS, 0, 0, "constants|given"},
    {"complexity",
     "limit of the operator complexity (entries of all levels divided by the entries of the finest "
     "level); a level that would exceed it is coarsened more aggressively",
     GSOLVE_REAL, MEMBER(complexity), 3, 1, 1000, NULL},
    {0},
};
