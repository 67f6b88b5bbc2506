/* options.h: the options of amg, as a spec sets them. */
#ifndef GS_PRECOND_AMG_OPTIONS_H
#define GS_PRECOND_AMG_OPTIONS_H

#include "core/context.h"

#define GS_AMG_MAX_LEVELS    32
#define GS_AMG_MAX_NEAR_NULL 24

enum { GS_AMG_COLUMNS = 8 }; /* the most right-hand sides of one cycle */

typedef enum gs_interpolation { GS_EXTENDED_I, GS_ONE_POINT } gs_interpolation;

enum { GS_AMG_CYCLE_AUTO, GS_AMG_V, GS_AMG_W, GS_AMG_K }; /* gs_amg_options.cycle */
enum {                                                    /* .smoother */
       GS_AMG_SMOOTHER_AUTO,
       GS_AMG_L1_JACOBI,
       GS_AMG_CHEBYSHEV,
       GS_AMG_SPAI0,
       GS_AMG_GS,
       GS_AMG_ILU
};
enum { GS_AMG_TYPE_AUTO, GS_AMG_F32, GS_AMG_SAME };      /* .type */
enum { GS_AMG_FORMAT_AUTO, GS_AMG_CSR, GS_AMG_SELL };    /* .format */
enum { GS_AMG_REUSE_AUTO, GS_AMG_KEEP, GS_AMG_REBUILD }; /* .reuse */
enum { GS_AMG_CONSTANTS, GS_AMG_GIVEN };                 /* .near_null */

/* Each member is named like its key in a spec. The table in options.c says more. A choice holds the
 * index of its word. */
typedef struct gs_amg_options {
    int coarsening; /* sa, ua, classical */
    double
        strength; /* threshold of strong connections. sa: |a_ij| > strength sqrt(a_ii a_jj), with
                     norms of blocks for nodes; ua: share of the row's strongest connection;
                     classical: -a_ij >= strength max_k -a_ik. Negative: the coarsening's default */
    int block;    /* unknowns per node; 0: found in the pattern */
    /* sa */
    int aggregation; /* a gs_aggregation: auto, greedy, mis2 */
    double damping;  /* the step that smooths P is damping / rho(D^-1 A); 0: P is not smoothed;
                        negative: gs_hierarchy_build sets it */
    /* ua */
    int pairings; /* aggregates have at most 2^pairings nodes */
    /* classical */
    int interpolation; /* a gs_interpolation */
    int aggressive;    /* number of finest levels that are coarsened aggressively */
    int most;          /* entries per row of P; 0: no limit */
    double truncate;   /* P drops entries below this share of the row's largest */
    /* smoothing */
    int smoother, pre, post, degree, its;
    double ratio, omega;
    /* cycle */
    int cycle, levels, coarsest, replicate;
    int type, format, reuse, near_null;
    double complexity;
    int null_space; /* not a key: the dimension of the null space of a matrix that has one
                       (gsolve_matrix_set_null_space), or 0 */
} gs_amg_options;

extern const gsolve_option gs_amg_option_table[];

#endif
