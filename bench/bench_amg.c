/* bench_amg.c: whole solves with a preconditioner that is set up for them, beside recorded figures
 * of other libraries and, on the CPU, beside PETSc in the same run.
 *
 *     bench_amg [OPTIONS] [SYSTEM...]
 *
 *     --device SPEC      $GSOLVE_DEVICE, or cuda
 *     --threads N        of the CPU; ranks of the peer (1)
 *     --precond SPEC     (amg)
 *     --solver SPEC      (cg, bicgstab where the matrix is not symmetric)
 *     --format SPEC      of the matrix that the method multiplies with (auto)
 *     --rounds N         whose medians are told, after one that is not (5)
 *     --peer PROGRAM     peer_petsc, which takes turns with ours, by mpirun
 *     --with NAMES       what of it: jacobi, icc (ilu where A is not symmetric), gamg, hypre (all)
 *     --quiet            no records, the table alone
 *     SYSTEM             a name; all that amg_peers.h has for the device, where none is given
 *
 * b = 1, x0 = 0, rtol 1e-8. The matrix lies on the device, in its format, before anything is timed.
 * In each round everything else is made anew: set-up is that of the preconditioner, the solve makes
 * the solver, too, and is its first run (on a GPU its steps are recorded in it). again_ms: another
 * run of the same solver; first_update_ms and update_ms: new values, the structure kept, for the
 * first time, when multigrid notes what later ones go by, and once more; update_solve_ms: the
 * latter and a run; cycle_ms: one application of the preconditioner, by itself. median_ms is the
 * median of set-up and solve together, cpu_ms of the processor time of all threads for them (in the
 * table set-up' and total'), which on a machine with other work says more, and is what figures
 * recorded on a CPU are. Elasticity (gen:elasticity3d) is told where its nodes are, by
 * gsolve_precond_set_coordinates. peak_bytes: held at most by the context in the first set-up and
 * first solve, the matrix included; update_peak_bytes: in the end. A record a system, and a line of
 * a table on stderr. */
#include "bench/amg_record.h"
#include "bench/dump.h"

enum { CYCLES = 10 }; /* applications that are timed together */

/* --- the system ------------------------------------------------------------------------------- */

/* The places of the nodes that gen:elasticity3d,n=N has unknowns in: x = 1..N, y and z = 0..N, x
 * fastest. */
static gsolve_dense coordinates(int32_t unknowns)
{
    const int32_t n = (int32_t)strtol(strstr(r.system, "n=") + 2, NULL, 10), nodes = unknowns / 3;
    gsolve_dense xyz = {nodes, 3, nodes, NULL, GSOLVE_F64, GSOLVE_HOST, GSOLVE_COLUMN_MAJOR};
    double *at = new_numbers(3 * (int64_t)nodes, false);

    for (int32_t i = 0; i < nodes; i++) {
        at[i] = i % n + 1;
        at[i + nodes] = i / n % (n + 1);
        at[i + 2 * nodes] = i / n / (n + 1);
    }
    xyz.value = at;
    return xyz;
}

/* The rows, as peer_petsc reads them. */
static void dump(const char *path, const gsolve_csr *A)
{
    if (bench_dump(path, A)) return;
    fprintf(stderr, "bench_amg: cannot write %s\n", path);
    exit(1);
}

static void choose(gsolve_context *home, const gsolve_csr *csr)
{
    const bool elastic = strncmp(r.system, "gen:elasticity3d,n=", 19) == 0;
    gsolve_statistics traits = GSOLVE_INIT(gsolve_statistics);

    if (gsolve_csr_statistics(home, csr, &traits) != GSOLVE_OK) check(GSOLVE_BAD_MATRIX);
    r.solver = o.solver ? o.solver : traits.symmetric ? "cg" : "bicgstab";
    snprintf(r.precond, sizeof r.precond, "%s", o.precond);
    if (!elastic || strncmp(o.precond, "amg", 3) != 0) return;
    snprintf(r.precond, sizeof r.precond, "%s,near_null=given", o.precond);
    r.xyz = coordinates(csr->nrows);
}

static const char dumped[] = "/tmp/bench_amg.bin";

/* Reads the system, in a context of its own: ctx's counts of bytes are those of the device. */
static void begin_system(const char *system)
{
    gsolve_context *home = NULL;
    gsolve_csr csr, there;

    memset(&r, 0, sizeof r);
    r.system = system;
    open_device();
    if (gsolve_context_create(&home, "cpu") || gsolve_read_matrix(&csr, home, system, NULL, NULL)) {
        fprintf(stderr, "%s: %s\n", system, gsolve_error(home));
        exit(1);
    }
    choose(home, &csr);
    if (o.peer) dump(dumped, &csr);
    there = rows_on_device(&csr);
    check(gsolve_matrix_create(&r.A, ctx, o.format, &there));
    if (location == GSOLVE_DEVICE) gsolve_csr_free(&there, ctx);
    gsolve_csr_free(&csr, home);
    gsolve_context_destroy(&home);
    gsolve_matrix_device_csr(r.A, &r.rows);
    r.b = vector_on_device(r.rows.type, r.rows.nrows, 1, false);
    r.x = vector_on_device(r.rows.type, r.rows.nrows, 1, false);
    r.zeros = new_numbers(r.rows.nrows, false);
    r.ones = new_numbers(r.rows.nrows, false);
    for (int32_t i = 0; i < r.rows.nrows; i++) r.ones[i] = 1;
    put_vector(r.b, r.ones);
}

static void end_system(void)
{
    gsolve_matrix_destroy(&r.A);
    gsolve_free(ctx, location, r.b.value);
    gsolve_free(ctx, location, r.x.value);
    free(r.xyz.value);
    free(r.ones);
    free(r.zeros);
    gsolve_context_destroy(&ctx);
}

/* --- ours ------------------------------------------------------------------------------------- */

static double cpu_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Now, when the device has done all it was given. */
static double done(void)
{
    double here;

    check(gsolve_copy(ctx, &here, GSOLVE_HOST, r.x.value, location, sizeof(float)));
    return bench_now();
}

static void set_up(gsolve_precond **M)
{
    check(gsolve_precond_create(M, ctx, r.precond, &r.rows));
    if (r.xyz.value) check(gsolve_precond_set_coordinates(*M, r.xyz));
}

static void look_at(const gsolve_precond *M)
{
    gsolve_level_info level = GSOLVE_INIT(gsolve_level_info);
    double entries = 0, finest = 0;

    r.M.size = sizeof r.M;
    gsolve_precond_describe(M, &r.M);
    for (r.levels = 0; gsolve_precond_level(M, r.levels, &level); r.levels++) {
        entries += (double)level.entries;
        if (r.levels == 0) finest = entries;
    }
    r.complexity = finest > 0 ? entries / finest : 1;
}

/* Seconds of one application, of several in a row. */
static double cycle(const gsolve_precond *M)
{
    double begin;

    check(gsolve_precond_apply(M, r.b, r.x));
    begin = done();
    for (int k = 0; k < CYCLES; k++) check(gsolve_precond_apply(M, r.b, r.x));
    return (done() - begin) / CYCLES;
}

static double run(gsolve_solver *S, gsolve_result *result)
{
    double begin;

    put_vector(r.x, r.zeros);
    result->size = sizeof *result;
    begin = done();
    check(gsolve_solver_run(S, r.b, r.x, result));
    return done() - begin;
}

static size_t peak_so_far(void)
{
    gsolve_context_info now = GSOLVE_INIT(gsolve_context_info);

    gsolve_context_describe(ctx, &now);
    return now.peak;
}

static void round_of_ours(int at)
{
    gsolve_precond *M = NULL;
    gsolve_solver *S = NULL;
    const double begin = done(), cpu = cpu_now();
    double now;

    set_up(&M);
    r.seconds[SETUP][at] = done() - begin;
    r.seconds[SETUP_CPU][at] = cpu_now() - cpu;
    now = bench_now();
    check(gsolve_solver_create(&S, ctx, r.solver, r.A, M));
    r.seconds[SOLVE][at] = bench_now() - now;
    r.seconds[SOLVE][at] += run(S, &r.first);
    r.seconds[TOTAL][at] = r.seconds[SETUP][at] + r.seconds[SOLVE][at];
    r.seconds[CPU][at] = cpu_now() - cpu;
    if (r.peak == 0) r.peak = peak_so_far();
    r.seconds[AGAIN][at] = run(S, &r.again);
    r.seconds[CYCLE][at] = cycle(M);
    for (part update = FIRST_UPDATE; update <= UPDATE; update++) {
        now = done();
        check(gsolve_precond_update(M, &r.rows));
        r.seconds[update][at] = done() - now;
    }
    r.update_peak = peak_so_far();
    r.seconds[UPDATED][at] = r.seconds[UPDATE][at] + run(S, &r.updated);
    look_at(M);
    gsolve_solver_destroy(&S);
    gsolve_precond_destroy(&M);
}

/* --- the peer --------------------------------------------------------------------------------- */

/* Runs of each of the peer's preconditioners, which prints the times in ms and the iterations. */
static void round_of_peer(int at)
{
    char names[MOST_NAME], *rest = names, *name, line[2 * MOST_NAME];

    snprintf(names, sizeof names, "%s", o.with);
    for (r.peers = 0; r.peers < MOST_PEERS && (name = strsep(&rest, ",")); r.peers++) {
        peer_run *p = &r.peer[r.peers];
        FILE *pipe;
        if (strcmp(name, "icc") == 0 && strcmp(r.solver, "cg") != 0) name = "ilu";
        snprintf(p->name, sizeof p->name, "%s", name);
        snprintf(line, sizeof line,
                 "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMP_NUM_THREADS=1 "
                 "mpirun --oversubscribe -n %d %s %s %s 1 %s 2>/dev/null",
                 o.threads, o.peer, dumped, name, r.solver);
        pipe = popen(line, "r");
        if (pipe && fscanf(pipe, "%lf %lf %lf %d", &p->setup[at], &p->total[at], &p->cpu[at],
                           &p->iterations) == 4) {
            p->runs = at + 1;
        }
        if (pipe) pclose(pipe);
    }
}

/* --- one system ------------------------------------------------------------------------------- */

static bool measure(const char *system)
{
    double ms[PARTS];
    const amg_peer *p;

    begin_system(system);
    for (int round = -1; round < o.rounds; round++) { /* the first meets cold memory */
        round_of_ours(round < 0 ? 0 : round);
        if (o.peer && round >= 0) round_of_peer(round);
    }
    for (int which = 0; which < PARTS; which++) ms[which] = median((part)which);
    p = amg_peer_of(system, location == GSOLVE_DEVICE, o.threads);
    if (!o.quiet) print_record(ms, p);
    print_line(ms, p);
    end_system();
    if (o.peer) remove(dumped);
    return r.first.outcome == GSOLVE_CONVERGED;
}

/* --- what is asked for ------------------------------------------------------------------------ */

static bool parse_option(const char *key, const char *value)
{
    const struct {
        const char *key, **to;
    } text[] = {{"--device", &o.device}, {"--precond", &o.precond}, {"--solver", &o.solver},
                {"--format", &o.format}, {"--peer", &o.peer},       {"--with", &o.with}};

    for (size_t k = 0; k < sizeof text / sizeof *text; k++) {
        if (strcmp(key, text[k].key) == 0) return *text[k].to = value, true;
    }
    if (strcmp(key, "--rounds") == 0) return (o.rounds = atoi(value)) > 0 && o.rounds < MOST_ROUNDS;
    if (strcmp(key, "--threads") == 0) return (o.threads = atoi(value)) > 0;
    return false;
}

/* The device, for open_device. */
static void name_device(void)
{
    char spec[MOST_NAME];
    const char *device = o.device ? o.device : getenv("GSOLVE_DEVICE");

    if (!device) device = "cuda";
    if (o.threads == 0) o.threads = 1;
    snprintf(spec, sizeof spec, "%s", device);
    if (strcmp(device, "cpu") == 0) snprintf(spec, sizeof spec, "cpu,threads=%d", o.threads);
    sscanf(spec, "cpu,threads=%d", &o.threads);
    setenv("GSOLVE_DEVICE", spec, 1);
}

int main(int argc, char **argv)
{
    bool all = true;
    int at = 1;

    for (; at < argc && argv[at][0] == '-'; at++) {
        if (strcmp(argv[at], "--quiet") == 0) {
            o.quiet = true;
        } else if (at + 1 < argc && parse_option(argv[at], argv[at + 1])) {
            at++;
        } else {
            return fprintf(stderr, "usage: bench_amg [--device SPEC] [--threads N] [--precond SPEC]"
                                   " [--solver SPEC] [--format SPEC] [--rounds N] [--peer PROGRAM]"
                                   " [--with NAMES] [--quiet] [SYSTEM...]\n"),
                   1;
        }
    }
    name_device();
    if (at < argc) {
        for (; at < argc; at++) all = measure(argv[at]) && all;
    } else {
        const bool device = strncmp(getenv("GSOLVE_DEVICE"), "cpu", 3) != 0;
        for (int k = 0; amg_system_at(device, k); k++) {
            all = measure(amg_system_at(device, k)) && all;
        }
    }
    return !all;
}
