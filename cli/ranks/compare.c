/* compare.c: gsolve compare over several ranks: the backend of the comparison. Systems are those of
 * one process, with rows that are distributed; r->A is the matrix in the format csr. */
#include <stdlib.h>

#include "cli/compare/compare.h"
#include "cli/json.h"
#include "cli/options.h"
#include "cli/ranks/ranks.h"
#include "cli/streams.h"

/* --- errors ----------------------------------------------------------------------------------- */

/* c->error = the sentence of r, on all ranks. */
static int fail(const cmp *m)
{
    return cli_fail(m->c, "%s", m->run->error);
}

static gsolve_status agree_status(const cmp *m, gsolve_status status)
{
    gsolve_context *const ctx = m->c->ctx;
    char sentence[sizeof m->c->error];

    snprintf(sentence, sizeof sentence, "%s", status == GSOLVE_OK ? "" : gsolve_error(ctx));
    return gsolve_context_agree(ctx, status, sentence, NULL);
}

/* Before there is a context, only the transport knows the other ranks. */
static int agree(cmp *m, int code)
{
    ranks_run *r = m->run;
    const char *sentence;

    if (!r->ctx) {
        if (code) ranks_fail(r, "%s", m->c->error);
        return ranks_agree(r, code) ? fail(m) : 0;
    }
    r->status =
        gsolve_context_agree(r->ctx, code ? GSOLVE_BAD_ARGUMENT : GSOLVE_OK, m->c->error, NULL);
    if (r->status == GSOLVE_OK) return 0;
    sentence = gsolve_error(r->ctx);
    if (strncmp(sentence, "rank 0: ", 8) == 0) sentence += 8;
    return cli_fail(m->c, "%s", sentence);
}

/* --- the system ------------------------------------------------------------------------------- */

/* c->ctx = a context of all ranks; the first one is that of the systems. */
static int open_context(cmp *m)
{
    ranks_run *r = m->run;
    gsolve_context *const shared = r->ctx;
    const int code = ranks_open_context(r);

    m->c->ctx = r->ctx;
    if (shared) r->ctx = shared;
    m->ranks = r->ranks;
    m->started = r->started;
    return code ? fail(m) : 0;
}

static int read_b(cmp *m, cli_system *s)
{
    cli *c = m->c;
    ranks_run *r = m->run;
    const int asked = c->args.columns_count;

    if (ranks_check(r, gsolve_read_dense_dist(&s->b, r->ctx, c->args.rhs, r->given, NULL))) {
        return fail(m);
    }
    if (asked < 1 || s->b.ncols == asked) return 0;
    return cli_fail(c, "the right-hand side b, %s, has %s, but must have %d",
                    cli_input_words(c->args.rhs), cli_count(s->b.ncols, "column").text, asked);
}

/* b and x in the rows as they were read. */
static int make_vectors(cmp *m, cli_system *s)
{
    const cli_rows rows = cli_rows_of_rank(&m->run->csr);
    double zero;
    int code = 0;

    if (cli_rhs_is_file(m->c)) code = read_b(m, s);
    if (!code) code = agree(m, cli_make_vectors(m->c, s, &rows));
    zero = s->zero_b || rows.rows.count == 0 ? 0 : 1;
    if (!code) s->zero_b = cmp_largest(m, zero) == 0 && s->nrows > 0;
    return code;
}

static void say_system(const cmp *m, const cli_system *s)
{
    const ranks_run *r = m->run;
    gsolve_context_info ctx = GSOLVE_INIT(gsolve_context_info);
    char started[32] = "";

    gsolve_context_describe(r->ctx, &ctx);
    if (r->ranks < r->started) snprintf(started, sizeof started, " of %d", r->started);
    cli_say_read(m->c, s);
    cli_item(m->c, "", "%s", cli_symmetry_words(&s->statistics));
    cli_item(m->c, "ranks", "%d%s by %s, %s each", r->ranks, started, ctx.transport,
             cli_count(ctx.threads, "thread").text);
    if (!r->R) return;
    cli_item(m->c, "partition", "%s: %lld ghosts, %.1f %% of the rows",
             gsolve_redistribution_name(r->R), (long long)r->division.ghosts,
             100.0 * (double)r->division.ghosts / (double)(s->nrows > 0 ? s->nrows : 1));
}

/* r->csr = the rows of the matrix, as they were read. */
static int read_rows(cmp *m, const char *name, cli_system *s)
{
    const double begin = cli_now();
    const gsolve_read_options options = {.cache = m->c->args.cache};
    ranks_run *r = m->run;

    s->name = cli_input_words(name);
    s->source.size = sizeof s->source;
    s->statistics.size = sizeof s->statistics;
    r->args.matrix = name;
    if (ranks_check(r, gsolve_read_matrix_dist(&r->csr, r->ctx, name, &options, &s->source))) {
        return fail(m);
    }
    s->read_seconds = cli_now() - begin;
    r->given = r->csr.rows;
    s->nrows = r->csr.rows.total;
    s->ncols = r->csr.cols.total > 0 ? r->csr.cols.total : s->nrows;
    return 0;
}

static int read_system(cmp *m, const char *name, cli_system *s)
{
    ranks_run *r = m->run;
    gsolve_matrix_info info = GSOLVE_INIT(gsolve_matrix_info);

    if (cli_check_rhs(m->c) || read_rows(m, name, s) || make_vectors(m, s)) return CLI_ERROR;
    if (ranks_partition(r) || ranks_move(r, &s->b, false) || ranks_move(r, &s->x, false) ||
        ranks_check(r, gsolve_matrix_create_dist(&r->A, r->ctx, "csr", &r->csr)) ||
        ranks_check(r, gsolve_matrix_statistics(r->A, &s->statistics))) {
        return fail(m);
    }
    gsolve_matrix_describe(r->A, &info);
    s->entries = info.total_entries;
    say_system(m, s);
    return 0;
}

static void close_system(cmp *m, cli_system *s)
{
    ranks_run *r = m->run;

    gsolve_matrix_destroy(&r->A);
    gsolve_redistribution_destroy(&r->R);
    gsolve_dist_csr_free(&r->csr, r->ctx);
    cli_close_system(m->c, s);
}

static cli_rows rows_of(const cmp *m, const cli_system *s)
{
    (void)s;
    return cli_rows_of_rank(&m->run->csr);
}

/* --- handles ---------------------------------------------------------------------------------- */

/* The library copies the rows in the same call. */
static gsolve_status build(const cmp *m, const cli_system *s, const char *format, gsolve_matrix **A,
                           double *begin)
{
    (void)s;
    if (begin) *begin = cli_now();
    return gsolve_matrix_create_dist(A, m->c->ctx, format, &m->run->csr);
}

static gsolve_status precond(const cmp *m, const cli_system *s, const char *spec,
                             const gsolve_matrix *A, gsolve_precond **M)
{
    (void)s;
    return gsolve_precond_create_from(M, m->c->ctx, spec, A ? A : m->run->A);
}

static gsolve_status residual(const cmp *m, const cli_system *s, gsolve_dense x, gsolve_dense r)
{
    const ranks_run *run = m->run;
    gsolve_status status;

    for (int32_t c = 0; c < r.ncols; c++) {
        memcpy((double *)r.value + (int64_t)c * r.stride,
               (const double *)s->b.value + (int64_t)c * s->b.stride,
               (size_t)r.nrows * sizeof(double));
    }
    status = gsolve_matrix_apply(run->A, -1, x, 1, r);
    if (status == GSOLVE_OK || run->ctx == m->c->ctx) return status;
    return gsolve_fail(m->c->ctx, status, "%s", gsolve_error(run->ctx));
}

/* --- all ranks -------------------------------------------------------------------------------- */

/* Whether all ranks come here within the time limit of the transport: MPI's own waiting has none.
 */
static bool meet(const cmp *m)
{
    ranks_run *r = m->run;

    if (m->lost != GSOLVE_OK || r->status == GSOLVE_RANK_FAILED) return false;
    r->status = gsolve_context_agree(r->ctx, GSOLVE_OK, NULL, NULL);
    return r->status == GSOLVE_OK;
}

static void wait(const cmp *m)
{
    meet(m);
}

static void largest(const cmp *m, double *number, int count)
{
    if (!meet(m)) return;
    MPI_Allreduce(MPI_IN_PLACE, number, count, MPI_DOUBLE, MPI_MAX, m->run->comm);
}

static void share(const cmp *m, char *bytes, int count)
{
    if (meet(m)) MPI_Bcast(bytes, count, MPI_CHAR, 0, m->run->comm);
}

/* Rank 0 adds, so that all have the same bits. */
static void sum(const cmp *m, long double *number, int count)
{
    const ranks_run *r = m->run;

    if (!meet(m)) return;
    MPI_Reduce(r->rank == 0 ? MPI_IN_PLACE : number, number, count, MPI_LONG_DOUBLE, MPI_SUM, 0,
               r->comm);
    MPI_Bcast(number, count, MPI_LONG_DOUBLE, 0, r->comm);
}

static void add_parts(const cmp *m, cJSON *page)
{
    cJSON *list = ranks_list_parts(m->run);

    if (list) cJSON_AddItemToObject(page, "ranks", list);
}

static const cmp_backend several_ranks = {
    .agree = agree,
    .agree_status = agree_status,
    .open = open_context,
    .read = read_system,
    .close = close_system,
    .rows = rows_of,
    .build = build,
    .precond = precond,
    .residual = residual,
    .wait = wait,
    .largest = largest,
    .sum = sum,
    .share = share,
    .add_parts = add_parts,
};

/* --- the command ------------------------------------------------------------------------------ */

/* Refuses what works on one rank only. */
static int check_arguments(cli *c)
{
    const char *device = c->args.device;

    if (device && !cli_spec_is(device, "cpu")) {
        return cli_fail(c, "gsolve compare over several ranks works on CPUs; leave --device %s out",
                        device);
    }
    if (c->args.type == GSOLVE_F32) {
        return cli_fail(c, "--type f32 works on one rank; start gsolve compare without mpirun, or "
                           "leave --type f32 out");
    }
    if (c->args.ranks && strcmp(c->args.ranks, "auto") == 0) {
        return cli_fail(c, "--ranks auto needs one method, and a comparison has several; give all "
                           "or a number");
    }
    return cli_check_threads(c, device ? device : "cpu");
}

static int compare(ranks_run *r, cli *c)
{
    const bool first = r->rank == 0;
    char threads[16];
    int code;

    snprintf(threads, sizeof threads, "%d", c->args.threads);
    r->args = (ranks_arguments){.device = c->args.device,
                                .threads = c->args.threads < 0 ? NULL : threads,
                                .partition = c->args.partition,
                                .ranks = c->args.ranks};
    if (ranks_split(r)) return cli_fail(c, "%s", r->error);
    r->may_reduce = false;
    if (r->idle) return 0;
    if (first && !c->args.quiet && !cli_uses_stdout(c)) c->text = stdout;
    code = cmp_run(c, &several_ranks, r, first);
    if (code == CLI_ERROR && r->ctx) { /* the error may be that a rank is gone */
        r->status = gsolve_context_agree(r->ctx, GSOLVE_OK, NULL, NULL);
    }
    r->args.threads = NULL;
    return code;
}

int ranks_compare(ranks_run *r, int argc, char **argv)
{
    cli c = {.command = cli_find_command("compare"),
             .args = cli_no_arguments,
             .word = argv,
             .count = argc,
             .begin = cli_now(),
             .silent = true, /* main.c prints the sentence */
             .ranks = r->started};
    int code = cli_parse(&c, argc - 1, argv + 1);

    if (!code && (c.args.help || c.args.version)) {
        if (r->rank == 0 && c.args.help) cli_command_help(stdout, c.command);
        if (r->rank == 0 && !c.args.help) printf("gsolve-mpi %s\n", gsolve_version());
    } else {
        if (!code) code = check_arguments(&c);
        if (code) ranks_fail(r, "%s", c.error);
        code = ranks_agree(r, code);
        if (code) {
            cli_fail(&c, "%s", r->error);
        } else {
            code = compare(r, &c);
        }
    }
    if (code == CLI_ERROR) ranks_fail(r, "%s", c.error);
    if (code == CLI_ERROR && r->rank == 0 && c.args.json) cli_json_error(&c);
    free(c.config);
    return code;
}
