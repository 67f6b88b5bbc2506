/* solvers.h: gsolve compare --solvers: the time of combinations of a method, a preconditioner and a
 * format to the same true residual.
 *
 * In the first round each combination runs in a context of its own, whose peak of memory is that of
 * the combination. The later rounds give the times; each has all combinations that are not far
 * behind, every second round in the opposite order. */
#ifndef GS_CLI_COMPARE_SOLVERS_H
#define GS_CLI_COMPARE_SOLVERS_H

#include "cli/compare/compare.h"

enum { CMS_MOST_SPECS = 32, CMS_MOST_ROWS = 96, CMS_NAME = 512, CMS_FAR = 10 };
#define CMS_LEAST_LIMIT 0.5 /* seconds: no solve is stopped before */

typedef struct cms_row { /* a combination on a matrix */
    char name[CMS_NAME];
    char method[CMP_SPEC], precond[512], format[CMP_SPEC];
    char solver[512];               /* method with the tolerances of all combinations */
    char first_form[64], form[64];  /* what the format stored before and after the first run */
    char aliases[CMS_NAME];         /* formats that are the same here: "csr, ps" */
    bool vendor;                    /* calls of cuSPARSE and cuBLAS instead of gsolve */
    bool automatic;                 /* what auto would take first */
    bool ran, solved;               /* solved: converged, and the true residual confirms it */
    char outcome[64], reason[400];  /* reason: why it is not solved, or "" */
    cmp_series total, setup, solve; /* of the counted rounds */
    int iterations;
    double residual, memory; /* memory: bytes, the peak */
    double *history;         /* residuals of the first round, from iteration 0 on */
    int length, capacity;
} cms_row;

typedef struct cms_matrix {
    cli_system system;
    double rtol, atol; /* of all combinations: |b - Ax| <= max(rtol |b|, atol) */
    cms_row *row; /* sorted after the rounds: the fastest first, then those that did not solve */
    int rows, rounds;
    double noise; /* relative; NAN: unknown */
    char verdict[600];
} cms_matrix;

typedef struct cms {
    cmp *m; /* device, date and formats */
    char solver[CMS_MOST_SPECS][CMP_SPEC], precond[CMS_MOST_SPECS][CMP_SPEC];
    int solvers, preconds;
    cms_matrix *matrix;
    int matrices;
    char verdict[600];
} cms;

/* --- combinations (combinations.c, rounds.c) -------------------------------------------------- */

/* The lists of --solvers and --preconds, checked. Returns 0 or CLI_ERROR. */
int cms_read_lists(cms *s);

/* a->row = the combinations for the matrix. Returns 0 or CLI_ERROR. */
int cms_combine(cms *s, cms_matrix *a);

/* Merges combinations that differ only in formats that stored the matrix in the same form. */
void cms_merge_aliases(cms_matrix *a);

/* --- measurement (rounds.c, run.c, run_vendor.c) ---------------------------------------------- */

int cms_measure(cms *s, cms_matrix *a);

typedef struct cms_times { /* of one run, in seconds */
    double setup, solve;
} cms_times;

/* Sets up and runs r from x = 0. A solve is stopped after CMS_FAR times
 * `fastest` seconds, but not before CMS_LEAST_LIMIT; INFINITY: no limit. first: also sets what r
 * keeps of the first round. False: the run did not solve the system, and r->outcome and r->reason
 * say why. */
bool cms_run(const cms *s, const cms_matrix *a, cms_row *r, bool first, double fastest,
             cms_times *times);

/* The row `vendor`: whether there is one, what it runs, and one run of it, which calls
 * follow(iteration, residual, user). */
bool cms_vendor_runs(const cms *s, const cms_matrix *a);
void cms_set_vendor(const cms_matrix *a, cms_row *r);
bool cms_run_vendor(const cms *s, const cms_matrix *a, cms_row *r, gsolve_monitor *follow,
                    void *user, cms_times *times);

/* (residual.c) *residual = the largest |b_c - A x_c| / |b_c| of the columns c, recomputed in double
 * precision. x: on the host, its columns without gaps. */
gsolve_status cms_true_residual(const cmp *m, const cli_system *s, gsolve_dense x,
                                double *residual);

/* --- figures (interval.c, verdict.c) ---------------------------------------------------------- */

/* A confidence interval for the median from two order statistics of the sample. */
typedef struct cms_interval {
    double median, low, high; /* low and high: NAN of a single value */
    double confidence;        /* that [low, high] contains the median */
} cms_interval;
cms_interval cms_interval_of(const cmp_series *s);

/* The seconds to the solution; NAN: not solved. */
double cms_seconds(const cms_row *r);

/* Sorts a's rows and sets its noise and its verdict. */
void cms_decide(cms_matrix *a);

/* The time of the combination `name` on matrix a over that of the fastest; INFINITY: not solved. */
double cms_ratio(const cms_matrix *a, const char *name);

/* --- performance profile (performance_profile.c) ---------------------------------------------- */

/* Dolan and More, Benchmarking optimization software with performance profiles, Mathematical
 * Programming 91 (2002): share(tau) of a combination is the share of the matrices that it solves in
 * at most tau times the time of the fastest combination. */
typedef struct cms_profile {
    const char **name; /* of the curves, which are in the order of their area */
    int curves;
    double *ratio; /* where a curve rises, ascending from 1 */
    int ratios;
    double *share; /* of curve c at ratio k: share[c * ratios + k] */
} cms_profile;

/* Returns 0 or CLI_ERROR. */
int cms_profile_make(const cms *s, cms_profile *p);
void cms_profile_free(cms_profile *p);
double cms_profile_at(const cms_profile *p, int curve, double ratio);

/* s->verdict = that of all matrices. */
void cms_decide_all(cms *s, const cms_profile *p);

/* --- output (solver_table.c, solver_export.c) ------------------------------------------------- */

void cms_say_matrix(const cms *s, const cms_matrix *a, const char *head);
void cms_say_profile(const cms *s, const cms_profile *p);
cJSON *cms_json(const cms *s, const cms_profile *p);
void cms_csv(FILE *file, const cms *s);

#endif
