/* profile.c: the profile of --profile over several ranks: that of each rank, put together. */
#include <stdlib.h>

#include "cli/ranks/ranks.h"

typedef struct ranked { /* as MPI_DOUBLE_INT */
    double value;
    int rank;
} ranked;

enum { ALL = CLI_MOST_CLASSES, COUNT }; /* the lines, and all of them together */

/* The seconds of the lines become means over the ranks, with the least and the most. All ranks have
 * the same lines, since they call the same operations. */
static void spread_seconds(const ranks_run *r, cli_profile *p)
{
    ranked own[COUNT] = {0}, least[COUNT], most[COUNT];

    for (int i = 0; i < p->lines; i++) own[i].value = p->line[i].of.seconds;
    own[ALL].value = p->timed.class_seconds;
    for (int i = 0; i < COUNT; i++) own[i].rank = r->rank;
    MPI_Allreduce(own, least, COUNT, MPI_DOUBLE_INT, MPI_MINLOC, r->comm);
    MPI_Allreduce(own, most, COUNT, MPI_DOUBLE_INT, MPI_MAXLOC, r->comm);
    for (int i = 0; i < COUNT; i++) {
        cli_spread *s = i == ALL ? &p->all : &p->line[i].spread;
        *s = (cli_spread){least[i].value, most[i].value, least[i].rank, most[i].rank};
    }
}

/* Times become means over the ranks; bytes and the speed of a copy become sums. */
static void add_up(const ranks_run *r, cli_profile *p)
{
    enum { TIMES = 2, NUMBERS = 4 };
    double *const total[NUMBERS] = {&p->run.iteration_seconds, &p->timed.class_seconds,
                                    &p->timed.iteration_bytes, &p->copy_speed};
    double sum[NUMBERS + 2 * CLI_MOST_CLASSES] = {0};
    double *seconds = sum + NUMBERS, *bytes = seconds + CLI_MOST_CLASSES;

    for (int i = 0; i < NUMBERS; i++) sum[i] = *total[i];
    for (int i = 0; i < p->lines; i++) {
        seconds[i] = p->line[i].of.seconds;
        bytes[i] = p->line[i].of.bytes;
    }
    MPI_Allreduce(MPI_IN_PLACE, sum, sizeof sum / sizeof *sum, MPI_DOUBLE, MPI_SUM, r->comm);
    for (int i = 0; i < NUMBERS; i++) *total[i] = i < TIMES ? sum[i] / r->ranks : sum[i];
    for (int i = 0; i < p->lines; i++) {
        p->line[i].of.seconds = seconds[i] / r->ranks;
        p->line[i].of.bytes = bytes[i];
    }
}

static void put_together(const ranks_run *r, cli_profile *p)
{
    int same = p->same_bits;

    p->ranks = r->ranks;
    spread_seconds(r, p);
    add_up(r, p);
    MPI_Allreduce(MPI_IN_PLACE, &same, 1, MPI_INT, MPI_MIN, r->comm);
    p->same_bits = same;
}

/* The copy is measured by each rank alone: it may fail on one. */
int ranks_profile(ranks_run *r, gsolve_solver *S, gsolve_dense guess)
{
    cli c = {.ctx = r->ctx};
    const gsolve_status status = cli_profile_make(&c, &r->profile, S, r->b, guess, r->x);

    if (status == GSOLVE_RANK_FAILED) return ranks_check(r, status);
    if (ranks_agree(r, ranks_check(r, status))) return 1;
    put_together(r, &r->profile);
    cli_profile_sort(&r->profile);
    return 0;
}
