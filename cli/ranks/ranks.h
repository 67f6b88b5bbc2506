/* ranks.h: the command gsolve-mpi: a solve whose rows are distributed over MPI processes. Its
 * options are some of those of gsolve solve, with the same meaning. */
#ifndef GS_CLI_RANKS_RANKS_H
#define GS_CLI_RANKS_RANKS_H

#include <stdio.h>
#include <string.h>

#include "cli/options.h"
#include "cli/page/page.h"
#include "cli/profile.h"
#include "gsolve_mpi.h"

typedef struct ranks_arguments {
    const char *matrix, *rhs, *guess, *solution, *solver, *precond, *format, *device, *json, *html;
    const char *rtol, *maxit, *threads, *seed, *null_space, *left_null_space, *partition, *ranks;
    bool profile, quiet, help, version;
    bool info; /* the command info */
} ranks_arguments;

typedef struct ranks_seconds {
    double read, move, partition, build, setup, solve, write, total;
} ranks_seconds;

typedef struct ranks_run { /* of one rank */
    ranks_arguments args;
    cli c; /* for what checks and writes files */
    gsolve_context *ctx;
    MPI_Comm comm;
    int rank, ranks;       /* in comm */
    int started;           /* all ranks: those from number `ranks` on are idle */
    bool may_reduce;       /* the number of ranks may be chosen when A is known */
    bool idle;             /* this rank waits for the end */
    gsolve_context *whole; /* of all ranks, in which A was read, if its size has made some idle */
    char fewer[300];       /* then the reason */
    char error[1200];
    /* the system and its solution */
    gsolve_dist_csr csr;
    gsolve_source source;
    gsolve_redistribution *R;      /* of --partition, or NULL */
    gsolve_row_range given;        /* the rows before it, in which vectors are read and written */
    gsolve_division_info division; /* with --partition, and for info */
    gsolve_matrix *A;
    gsolve_statistics statistics;
    gsolve_dense b, x;
    double error_of_x; /* |x - 1| / |1| where 1 is a solution, else NAN */
    /* the choice that was tried last, or that solved the system */
    char method[512], precond[512], note[1024];
    gsolve_result result;
    gsolve_diagnosis diagnosis; /* if that run failed */
    cli_profile profile;
    gsolve_status status; /* of the library's last call that failed */
    int attempts;
    ranks_seconds seconds;
    cJSON *curves, *parts; /* for the page: of the attempts; of the ranks */
    cli_spy spy;
} ranks_run;

/* Each returns 0, or 1 after r->error is set, on all ranks alike. */

/* common.c: fails; checks a call of the library, whose sentence it takes; fails on all ranks if one
 * has failed (then code is not 0); *v = ncols columns of zeros; opens r->ctx in r->comm. */
int ranks_fail(ranks_run *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
int ranks_check(ranks_run *r, gsolve_status status);
int ranks_agree(ranks_run *r, int code);
int ranks_new_vector(ranks_run *r, gsolve_dense *v, int32_t rows, int32_t ncols);
int ranks_open_context(ranks_run *r);

/* Sets the specs of attempt k, where what the arguments leave open is chosen. False: there is no
 * such attempt. */
bool ranks_choose(ranks_run *r, int k);

/* options.c: reads the command line. */
int ranks_parse(ranks_run *r, int argc, char **argv);
void ranks_help(FILE *to);

static inline bool ranks_is_open(const char *spec)
{
    return !spec || strcmp(spec, "auto") == 0;
}

/* solve.c: reads and solves; writes the solution. For info: only reads. */
int ranks_solve(ranks_run *r);

/* fewer.c: the option --ranks. split makes ranks idle if it is a number; reduce does where A, which
 * has been read, is too small for all of them. */
int ranks_split(ranks_run *r);
int ranks_reduce(ranks_run *r);

/* partition.c: redistributes r->csr. Moves *v, which is replaced, from the given rows to those of
 * r->csr or back. Prints what info finds. */
int ranks_partition(ranks_run *r);
int ranks_move(ranks_run *r, gsolve_dense *v, bool back);
void ranks_print_info(const ranks_run *r, FILE *to);

/* profile.c: solves again with S, which has found r->x from `guess`, for r->profile. */
int ranks_profile(ranks_run *r, gsolve_solver *S, gsolve_dense guess);

/* compare.c: gsolve compare. Returns the exit code. */
int ranks_compare(ranks_run *r, int argc, char **argv);

/* parts.c: this rank's rows as a list for the page, with those of the other ranks; NULL: out of
 * memory. Adds up the pattern of all ranks. */
cJSON *ranks_list_parts(const ranks_run *r);
void ranks_sum_pattern(const ranks_run *r, cli_spy *spy);

/* report.c: what rank 0 prints and writes. */
void ranks_report(const ranks_run *r, FILE *to);
cJSON *ranks_json(const ranks_run *r);

/* files.c: r->c = the arguments as those of one process, for the checks and the writers that it has,
 * too; and checks of their files. Rank 0 alone writes the file of --json, which gets the result or
 * the error. */
void ranks_set_arguments(ranks_run *r, int argc, char **argv);
int ranks_check_files(ranks_run *r);
int ranks_write_json(ranks_run *r);

/* The page of --html: adds the curve of the present attempt; gathers what the ranks know; rank 0
 * alone writes the file. */
void ranks_add_curve(ranks_run *r, const cli_attempt *a);
int ranks_prepare_page(ranks_run *r);
int ranks_write_page(ranks_run *r);

#endif
