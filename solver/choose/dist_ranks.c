/* dist_ranks.c: how many ranks a system is worth. An iteration divides its work among the ranks,
 * and adds messages, whose time does not fall with the size of the system. */
#include <stdio.h>

#include "core/context.h"
#include "core/dense.h"
#include "core/info.h"
#include "gsolve_dist.h"
#include "matrix/cost_model.h"

/* Times of messages in ns. MESSAGE: cg with jacobi on gen:poisson2d with 100, 400 and 1600 rows
 * took 5.7 to 7.7 us more per iteration on two processes of one host, which has two cores of an
 * Intel Xeon (Open MPI 4.1, November 2026), than half of the time on one; an iteration has three
 * messages. GATHER: the gather of a level of 2000 to 10000 rows by the same processes took 10 to 37
 * us. A sum of more than two ranks takes log2(ranks) rounds of messages. */
#define MESSAGE 2200
#define GATHER  20000

/* Half as many ranks are taken if they are estimated to take at most this times as long. */
#define MARGIN 1.2

/* Messages of an iteration, see test_ranks.c and docs/understand/ranks.md. */
typedef struct messages {
    const char *method;
    int sums, exchanges;
} messages;

static const messages *messages_of(const char *method)
{
    static const messages known[] = {{"cg", 2, 1},       {"pipecg", 1, 1}, {"minres", 3, 1},
                                     {"gmres", 2, 1},    {"fgmres", 2, 1}, {"block_cg", 2, 1},
                                     {"bicgstab", 3, 2}, {"cgs", 3, 2}};
    static const messages other = {"", 3, 2};

    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        if (gs_spec_is(method, known[k].method)) return &known[k];
    }
    return &other;
}

/* Multigrid: each level has about a tenth of the rows of the one above. A level with at most
 * REPLICATED rows is computed by all ranks, and those above exchange six times in a cycle. */
enum { REPLICATED = 10000, COARSER = 10, EXCHANGES = 6 };

typedef struct cycle_parts {
    int levels;    /* that are distributed */
    double shared; /* the part of the work that is divided among the ranks */
} cycle_parts;

static cycle_parts cycle_of(double rows)
{
    cycle_parts c = {0};
    double shared = 0, all = 0;

    for (double n = rows; n >= 1; n /= COARSER) {
        all += n;
        shared += n > REPLICATED ? n : 0;
        c.levels += n > REPLICATED;
    }
    c.shared = all > 0 ? shared / all : 0;
    return c;
}

/* ns of an iteration of cg with this preconditioner on one rank. */
static double work_of(const gsolve_statistics *t, int precond)
{
    const gs_iteration_costs *c = &gs_cost_table[GS_COST_CPU].plain[precond];

    return c->entry * (double)t->entries + c->row * t->nrows + c->step;
}

/* Rounds of messages of a sum. */
static int rounds_of(int ranks)
{
    int rounds = 0;

    while (1 << rounds < ranks) rounds++;
    return rounds;
}

/* ns of an iteration on this number of ranks. It has as many products, and applications of the
 * preconditioner, as exchanges; with amg an application is a cycle. */
static double time_of(const gsolve_statistics *t, const char *method, const char *precond,
                      int ranks)
{
    const messages *m = messages_of(method);
    const bool amg = gs_spec_is(precond, "amg"),
               plain = gs_spec_is(precond, "none") || gs_spec_is(precond, "jacobi");
    const double step = work_of(t, plain || amg ? GS_JACOBI : GS_IC);
    const double cycle = amg ? work_of(t, GS_AMG) - step : 0;
    const cycle_parts c = amg ? cycle_of(t->nrows) : (cycle_parts){0};
    const double exchanges = MESSAGE * (1 + (double)EXCHANGES * c.levels) + (amg ? GATHER : 0);

    if (ranks == 1) return m->exchanges * (step + cycle);
    return m->exchanges * (step / ranks + cycle * (c.shared / ranks + 1 - c.shared) + exchanges) +
           MESSAGE * m->sums * rounds_of(ranks);
}

int gsolve_dist_ranks(const gsolve_context *ctx, const gsolve_statistics *statistics,
                      const char *method, const char *precond, char *why, size_t size)
{
    gsolve_statistics t = GSOLVE_INIT(gsolve_statistics);
    int ranks;

    if (why && size > 0) *why = 0;
    if (!ctx || !method || !precond || !GS_INFO_FITS(gsolve_statistics, statistics)) return 1;
    gs_fill_info(&t, statistics, statistics->size, GS_LEAST_gsolve_statistics);
    ranks = ctx->comm ? ctx->ranks : 1;
    if (gs_on_gpu(ctx)) return ranks;
    while (ranks > 1 && time_of(&t, method, precond, (ranks + 1) / 2) <=
                            MARGIN * time_of(&t, method, precond, ranks)) {
        ranks = (ranks + 1) / 2;
    }
    if (!ctx->comm || ranks == ctx->ranks || !why) return ranks;
    snprintf(why, size,
             "the system is too small for %d: an iteration is estimated to take %.3g us on %d "
             "rank%s and %.3g us on %d",
             ctx->ranks, 1e-3 * time_of(&t, method, precond, ranks), ranks, ranks == 1 ? "" : "s",
             1e-3 * time_of(&t, method, precond, ctx->ranks), ctx->ranks);
    return ranks;
}
