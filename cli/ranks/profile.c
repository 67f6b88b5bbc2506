/* profile.c: the profile of --profile over several ranks: that of each rank, put together. */
#include <stdlib.h>

#include "cli/ranks/ranks.h"

typedef struct ranked { /* as MPI_DOUBLE_INT */
    double value;
    int rank;
} ranked;

enum { ALL = CLI_MOST_CLASSES, COUNT }; /* the lines, and all of them together */

/* The mean of a number of each rank, and the sum. */
static double mean_of(const ranks_run *r, double number)
{
    MPI_Allreduce(MPI_IN_PLACE, &number, 1, MPI_DOUBLE, MPI_SUM, r->comm);
    return number / r->ranks;
}

static double sum_of(const ranks_run *r, double number)
{
    return mean_of(r, number) * r->ranks;
}

/* The seconds of the lines become means over the ranks, with the least and the most. All ranks have
 * the same lines, since they call the same operations. */
static void spread_seconds(const ranks_run *r, cli_profile *p)
{
    ranked own[COUNT] = {0}, least[COUNT], most[COUNT];

    for (int i = 0; i < p->lines; i++) own[i].value = p->line[i].seconds;
    own[ALL].value = p->timed.class_seconds;
    for (int i = 0; i < COUNT; i++) own[i].rank = r->rank;
    MPI_Allreduce(own, least, COUNT, MPI_DOUBLE_INT, MPI_MINLOC, r->comm);
    MPI_Allreduce(own, most, COUNT, MPI_DOUBLE_INT, MPI_MAXLOC, r->comm);
    for (int i = 0; i < COUNT; i++) {
        cli_spread *s = i == ALL ? &p->all : &p->spread[i];
        *s = (cli_spread){least[i].value, most[i].value, least[i].rank, most[i].rank};
    }
    for (int i = 0; i < CLI_MOST_CLASSES; i++) {
        p->line[i].seconds = mean_of(r, own[i].value);
        p->line[i].bytes = sum_of(r, i < p->lines ? p->line[i].bytes : 0);
    }
}

static void put_together(const ranks_run *r, cli_profile *p)
{
    int same = p->same_bits;

    p->ranks = r->ranks;
    spread_seconds(r, p);
    MPI_Allreduce(MPI_IN_PLACE, &same, 1, MPI_INT, MPI_MIN, r->comm);
    p->same_bits = same;
    p->run.iteration_seconds = mean_of(r, p->run.iteration_seconds);
    p->timed.iteration_bytes = sum_of(r, p->timed.iteration_bytes);
    p->timed.class_seconds = mean_of(r, p->timed.class_seconds);
    p->copy_speed = sum_of(r, p->copy_speed);
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
