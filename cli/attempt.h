/* attempt.h: one method with one preconditioner on a system, from set-up to result. */
#ifndef GS_CLI_ATTEMPT_H
#define GS_CLI_ATTEMPT_H

#include "cli/levels.h"
#include "cli/live_progress.h"
#include "cli/profile.h"
#include "cli/signals.h"
#include "cli/system.h"

typedef struct cli_attempt {
    char solver[512], precond[512], why[320]; /* specs, and the reason; "" if the user chose */
    char method[64], kind[64], note[160]; /* method; preconditioner and its note, after set-up */
    cli_levels levels;                    /* of the preconditioner */
    bool setup_read, setup_written;       /* with --setup: see gsolve_attempt */
    char setup_note[600];
    bool free_method; /* the method may be replaced by one that the preconditioner needs */
    bool ran;         /* false: the set-up failed, explanation says why */
    gsolve_status status;
    gsolve_result result;
    gsolve_result *column; /* of each column if there are several, else NULL */
    int32_t ncols;
    char method_note[1024];     /* the note of the method, such as what auto chose */
    char explanation[2000];     /* of a failed attempt: the cause */
    gsolve_diagnosis diagnosis; /* of a failed attempt */
    double precond_seconds, setup_seconds, solve_seconds; /* setup: of the method alone */
    double *history; /* residual of each iteration, from 0 on */
    int length, capacity;
    gsolve_spectrum spectrum; /* steps is 0 without spectrum=on */
    cli_profile profile;
} cli_attempt;

/* The largest number of choices. */
enum { CLI_MOST_ATTEMPTS = 16 };

/* *choice = choice k of auto, among the methods that work over ranks if the rows are distributed.
 * False: there is no such choice. */
bool cli_choose(const cli *c, const gsolve_statistics *statistics, int k, gsolve_choice *choice);

/* The preconditioner for lsqr and lsmr. */
const char *cli_least_squares_precond(const cli *c);

/* a = the choices for a matrix with these statistics, as far as the arguments leave a choice, with
 * their tolerances. Returns their number. */
int cli_list_choices(const cli *c, const gsolve_statistics *statistics,
                     cli_attempt a[CLI_MOST_ATTEMPTS]);

/* to = spec with only the last of several values of a key, which is the one that counts. */
void cli_effective_spec(const char spec[512], char to[512]);

/* Checks the specs in the arguments, before the matrix is read. Returns 0 or CLI_ERROR. */
int cli_check_specs(cli *c);

/* The relative tolerance of solver specs: |b - Ax| <= rtol |b|. */
double cli_rtol(const cli *c);

/* A solve that tries one choice after another until one converges. */
typedef struct cli_trial {
    cli_attempt *attempt; /* the choices */
    int count;
    const gsolve_matrix *A;
    gsolve_dense b, x;
    /* Called before attempt k; and, with `ended`, after it if another one may follow. May be NULL.
     */
    void (*report)(const cli *c, int k, bool ended, void *user);
    void *user;
    int tried, best; /* set by cli_try: how many were tried; the one whose solution is in x */
    gsolve_diagnosis diagnosis; /* set by cli_try if no attempt solved the system */
    char transform[64];         /* set by cli_try: what --scale and --order did */
} cli_trial;

/* Whether --scale rows is given, which makes the system that methods see unsymmetric. */
bool cli_scales_rows(const cli *c);

/* Whether --scale auto is given alone, which leaves a matrix that is not square as it is. */
bool cli_scales_if_square(const cli *c);

/* options = those of the automatic solver for --scale and --order. */
void cli_name_transform(const cli *c, char *options, size_t size);

/* Solves. Returns 0, or CLI_ERROR after it has reported an error. */
int cli_try(cli *c, cli_trial *t);

/* a->history[iteration] = residual. Without memory it stays as it is. */
void cli_keep_residual(cli_attempt *a, int iteration, double residual);

/* a->kind, a->note and a->levels = those of M. */
void cli_describe_precond(cli_attempt *a, const gsolve_precond *M);

/* Whether Ctrl-C or the time limit has stopped the run. */
bool cli_is_stopped(const cli_attempt *a);

/* If a later attempt was stopped than the one with the best result, that outcome says so. result:
 * of all attempts. */
void cli_note_stop(const cli_trial *t, const gsolve_result *result);

void cli_free_attempt(cli_attempt *a);

#endif
