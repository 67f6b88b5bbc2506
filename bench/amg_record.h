/* amg_record.h: what bench_amg is asked for and finds, its records and its table. */
#ifndef AMG_RECORD_H
#define AMG_RECORD_H

#include "bench/amg_peers.h"
#include "bench/on_device.h"

enum { MOST_ROUNDS = 101, MOST_NAME = 256, MOST_PEERS = 8 };

typedef enum part {
    SETUP,
    SOLVE,
    TOTAL,
    AGAIN,
    FIRST_UPDATE,
    UPDATE,
    UPDATED,
    CYCLE,
    SETUP_CPU,
    CPU,
    PARTS
} part;

typedef struct peer_run { /* of one of the peer's preconditioners */
    char name[32];
    int runs, iterations;
    double setup[MOST_ROUNDS], total[MOST_ROUNDS], cpu[MOST_ROUNDS];
} peer_run;

static struct {
    const char *device, *precond, *solver, *format, *peer, *with;
    int rounds, threads;
    bool quiet;
} o = {.precond = "amg", .format = "auto", .with = "jacobi,icc,gamg,hypre", .rounds = 5};

static struct {
    const char *system;
    gsolve_csr rows; /* on the device */
    gsolve_matrix *A;
    gsolve_dense b, x, xyz; /* xyz: of the nodes, on the host, or none */
    double *ones, *zeros;
    const char *solver;
    char precond[MOST_NAME];
    double seconds[PARTS][MOST_ROUNDS];
    gsolve_result first, again, updated;
    gsolve_precond_info M;
    int levels;
    double complexity;
    size_t peak, update_peak;
    peer_run peer[MOST_PEERS];
    int peers;
} r;

/* --- records ---------------------------------------------------------------------------------- */

/* In ms; sorts them. */
static double median(part which)
{
    return 1e3 * bench_median(r.seconds[which], o.rounds);
}

/* What the recorded figures of a device, or of a processor, compare with. */
static double own(const double ms[PARTS])
{
    return ms[location == GSOLVE_DEVICE ? TOTAL : CPU];
}

static void print_anchor(const amg_peer *p, double total)
{
    if (!p) {
        printf("\"peer\": null, \"peer_ms\": null, \"ratio\": null, ");
        return;
    }
    printf("\"peer\": \"%s\", \"peer_ms\": %.1f, \"peer_setup_ms\": %.1f, "
           "\"peer_iterations\": %d, \"peer_note\": \"recorded elsewhere, November 2026\", "
           "\"ratio\": %.3f, ",
           p->peer, p->ms, p->setup_ms, p->iterations, p->ms / total);
    if (p->bytes > 0) printf("\"peer_bytes\": %.0f, ", p->bytes);
    if (p->update_ms > 0) {
        printf("\"update_peer\": \"AmgX 2.5\", \"update_peer_ms\": %.1f, ", p->update_ms);
    }
}

static void print_peers(void)
{
    printf("\"petsc\": [");
    for (int k = 0, shown = 0; k < r.peers; k++) {
        peer_run *p = &r.peer[k];
        if (p->runs == 0) continue;
        printf("%s{\"what\": \"%s\", \"median_ms\": %.3f, \"setup_ms\": %.3f, \"cpu_ms\": %.3f, "
               "\"iterations\": %d}",
               shown++ ? ", " : "", p->name, bench_median(p->total, p->runs),
               bench_median(p->setup, p->runs), bench_median(p->cpu, p->runs), p->iterations);
    }
    printf("], ");
}

static void print_record(const double ms[PARTS], const amg_peer *p)
{
    gsolve_matrix_info A = GSOLVE_INIT(gsolve_matrix_info);

    gsolve_matrix_describe(r.A, &A);
    printf("{\"bench\": \"bench_amg\", \"matrix\": \"%s\", \"rows\": %d, \"entries\": %lld, "
           "\"what\": \"%s+%s\", \"type\": \"f64\", \"columns\": 1, \"device\": \"%s\", "
           "\"threads\": %d, \"runs\": %d, \"median_ms\": %.3f, \"min_ms\": %.3f, "
           "\"max_ms\": %.3f, \"bytes\": null, \"floor_ms\": null, ",
           r.system, r.rows.nrows, (long long)A.entries, r.solver, r.precond, about.description,
           o.threads, o.rounds, ms[TOTAL], 1e3 * r.seconds[TOTAL][0],
           1e3 * r.seconds[TOTAL][o.rounds - 1]);
    print_anchor(p, own(ms));
    if (o.peer) print_peers();
    printf("\"setup_ms\": %.3f, \"solve_ms\": %.3f, \"again_ms\": %.3f, "
           "\"first_update_ms\": %.3f, \"update_ms\": %.3f, \"update_solve_ms\": %.3f, "
           "\"cycle_ms\": %.4f, \"setup_cpu_ms\": %.3f, \"cpu_ms\": %.3f, "
           "\"iterations\": %d, \"residual\": %.3g, \"outcome\": \"%s\", \"levels\": %d, "
           "\"complexity\": %.3f, \"cycle_bytes\": %zu, \"held_bytes\": %zu, "
           "\"peak_bytes\": %zu, \"update_peak_bytes\": %zu, \"note\": \"%s\"}\n",
           ms[SETUP], ms[SOLVE], ms[AGAIN], ms[FIRST_UPDATE], ms[UPDATE], ms[UPDATED], ms[CYCLE],
           ms[SETUP_CPU], ms[CPU], r.first.iterations, r.first.relative_residual,
           gsolve_outcome_text(r.first.outcome), r.levels, r.complexity, r.M.moved, r.M.bytes,
           r.peak, r.update_peak, r.M.note);
    fflush(stdout);
}

static void print_line(const double ms[PARTS], const amg_peer *p)
{
    static bool headed;

    if (!headed) {
        fprintf(stderr, "%-28s %4s %3s %5s %9s %9s %9s %9s %9s %9s %9s %9s %8s\n", "ms", "iter",
                "lev", "compl", "set-up", "solve", "total", "set-up'", "total'", "again", "update",
                "cycle", "peak MB");
    }
    headed = true;
    fprintf(stderr, "%-28.28s %4d %3d %5.2f %9.2f %9.2f %9.2f %9.2f %9.2f %9.2f %9.2f %9.3f %8.0f",
            strncmp(r.system, "gen:", 4) == 0 ? r.system + 4 : r.system, r.first.iterations,
            r.levels, r.complexity, ms[SETUP], ms[SOLVE], ms[TOTAL], ms[SETUP_CPU], ms[CPU],
            ms[AGAIN], ms[UPDATE], ms[CYCLE], 1e-6 * (double)r.peak);
    if (p) fprintf(stderr, "  %s %.1f (%d): %.2f", p->peer, p->ms, p->iterations, p->ms / own(ms));
    fprintf(stderr, "%s\n", r.first.outcome == GSOLVE_CONVERGED ? "" : "  NOT CONVERGED");
    for (int k = 0; k < r.peers; k++) {
        peer_run *q = &r.peer[k];
        if (q->runs == 0) {
            fprintf(stderr, "  %-26s fails\n", q->name);
            continue;
        }
        fprintf(stderr, "  %-26s %4d %19.2f %9.2f %9.2f %19.2f\n", q->name, q->iterations,
                bench_median(q->setup, q->runs),
                bench_median(q->total, q->runs) - bench_median(q->setup, q->runs),
                bench_median(q->total, q->runs), bench_median(q->cpu, q->runs));
    }
}

#endif
