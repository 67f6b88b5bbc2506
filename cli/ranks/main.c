/* main.c: gsolve-mpi, which gsolve executes if it is started with several ranks. Rank 0 prints. The
 * exit codes are those of gsolve: 0 converged, 1 an error, 2 not converged. */
#include <math.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#include "cli/launcher.h"
#include "cli/ranks/ranks.h"
#include "cli/signals.h"

/* A launcher of another MPI starts processes that do not know each other: each is rank 0 of 1.
 * gsolve_context_create_mpi refuses that, and one of them says so. */
static void find_rank(ranks_run *r)
{
    int rank, ranks;

    MPI_Comm_rank(MPI_COMM_WORLD, &r->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &r->ranks);
    cli_find_ranks(&rank, &ranks);
    if (r->ranks == 1 && ranks > 1) r->rank = rank;
    r->started = r->ranks;
}

/* *code = that of rank 0. An idle rank leaves its processor to the others meanwhile: MPI's own
 * waiting may not. */
static void take_code(const ranks_run *r, int *code)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    MPI_Request request;
    int done = 0;

    MPI_Ibcast(code, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
    while (!done) {
        if (r->idle) nanosleep(&pause, NULL);
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    }
}

static void print_error(const ranks_run *r, int code)
{
    if (code == 1 && (r->rank == 0 || r->status == GSOLVE_RANK_FAILED)) {
        fprintf(stderr, "gsolve: %s\n", r->error);
    }
}

static int run(ranks_run *r, int argc, char **argv)
{
    const bool first = r->rank == 0;
    int code;

    if (argc > 1 && strcmp(argv[1], "compare") == 0) {
        code = ranks_compare(r, argc, argv);
        print_error(r, code);
        return code;
    }
    code = ranks_parse(r, argc, argv);
    ranks_set_arguments(r, argc, argv);
    if (!code && r->args.help) {
        if (first) ranks_help(stdout);
        return 0;
    }
    if (!code && r->args.version) {
        if (first) printf("gsolve-mpi %s\n", gsolve_version());
        return 0;
    }
    code = code || ranks_check_files(r) || ranks_split(r) || ranks_solve(r);
    if (r->idle) return code;
    if (first && !code && r->args.html) code = ranks_write_page(r);
    if (first && r->args.json) code = ranks_write_json(r) || code;
    print_error(r, code);
    if (code) return 1;
    if (first && !r->args.quiet) {
        FILE *const to = cli_uses_stdout(&r->c) ? stderr : stdout;
        (r->args.info ? ranks_print_info : ranks_report)(r, to);
    }
    if (r->args.info) return 0;
    return gsolve_outcome_is_success(r->result.outcome) ? 0 : 2;
}

static ranks_run r = {.error_of_x = NAN,
                      .statistics = GSOLVE_INIT(gsolve_statistics),
                      .division = GSOLVE_INIT(gsolve_division_info),
                      .source = GSOLVE_INIT(gsolve_source),
                      .result = GSOLVE_INIT(gsolve_result)};

int main(int argc, char **argv)
{
    static const int caught[] = {SIGHUP, SIGINT, SIGTERM};
    gsolve_context *ctx;
    int provided, code;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    cli_remove_files_of(&r.ctx);
    for (size_t k = 0; k < sizeof caught / sizeof *caught; k++) {
        if (signal(caught[k], cli_end_by_signal) == SIG_IGN) signal(caught[k], SIG_IGN);
    }
    r.comm = MPI_COMM_WORLD;
    find_rank(&r);
    code = run(&r, argc, argv);
    if (r.status == GSOLVE_RANK_FAILED) MPI_Abort(MPI_COMM_WORLD, code); /* the rest would wait */
    ctx = r.ctx;
    r.ctx = NULL; /* for a signal */
    gsolve_context_destroy(&ctx);
    fflush(stdout);
    take_code(&r, &code);
    gsolve_context_destroy(&r.whole);
    if (r.comm != MPI_COMM_WORLD && r.comm != MPI_COMM_NULL) MPI_Comm_free(&r.comm);
    MPI_Finalize();
    return code;
}
