/* bench_mixed.c: whole solves of a symmetric positive definite system on a device: cg in fp64
 * beside refine, which iterates in fp32, to the same true residual.
 *
 *     bench_mixed [--refine SPEC] [--precond SPEC] [--rtol R] MATRIX
 *
 * SPEC: refine,inner=cg and jacobi, if none is given; R: 1e-10. $GSOLVE_DEVICE names the device
 * (cuda). Set-up, in which refine copies A, is told apart from the solve. Both take turns in 21
 * rounds, from x = 0. Writes a record for each, refine's with cg as its peer; nothing if one of
 * them does not converge. */
#include "bench/on_device.h"

#define ROUNDS 21

typedef struct contestant {
    char spec[160];
    gsolve_solver *S;
    gsolve_result result;
    double setup, times[ROUNDS];
    double *x;
} contestant;

static gsolve_csr csr;
static gsolve_matrix *A;
static gsolve_precond *M;

static void set_up(contestant *c, const char *method, double rtol)
{
    snprintf(c->spec, sizeof c->spec, "%s,rtol=%g%s", method, rtol,
             strncmp(method, "cg", 2) == 0 ? ",maxit=100000,stall=0" : "");
    const double begin = bench_now();
    check(gsolve_solver_create(&c->S, ctx, c->spec, A, M));
    c->setup = bench_now() - begin;
    c->x = new_numbers(csr.nrows, false);
}

static double solve_once(contestant *c, gsolve_dense b, gsolve_dense x, const double *zeros,
                         double rtol)
{
    put_vector(x, zeros);
    c->result.size = sizeof c->result;
    check(gsolve_solver_run(c->S, b, x, &c->result));
    if (c->result.outcome != GSOLVE_CONVERGED || !(c->result.relative_residual <= rtol)) {
        fprintf(stderr, "bench_mixed: %s: %s\n", c->spec, gsolve_solver_explain(c->S));
        exit(1);
    }
    return c->result.seconds;
}

static void write_record(const char *matrix, const char *precond, contestant *c, double peer_ms,
                         double apart)
{
    gsolve_matrix_info info = GSOLVE_INIT(gsolve_matrix_info);
    const double ms = 1e3 * bench_median(c->times, ROUNDS);

    gsolve_matrix_describe(A, &info);
    printf("{\"bench\": \"bench_mixed\", \"matrix\": \"%s\", \"rows\": %d, \"entries\": %lld, "
           "\"what\": \"%s+%s\", \"type\": \"f64\", \"columns\": 1, \"device\": \"%s\", "
           "\"runs\": %d, \"median_ms\": %.5f, \"min_ms\": %.5f, \"max_ms\": %.5f, "
           "\"bytes\": null, \"floor_ms\": null, ",
           matrix, csr.nrows, (long long)info.entries, c->spec, precond, about.description, ROUNDS,
           ms, 1e3 * c->times[0], 1e3 * c->times[ROUNDS - 1]);
    if (peer_ms > 0) {
        printf(
            "\"peer\": \"cg in fp64\", \"peer_ms\": %.5f, \"ratio\": %.3f, \"difference\": %.2g, ",
            peer_ms, peer_ms / ms, apart);
    } else {
        printf("\"peer\": null, \"peer_ms\": null, \"ratio\": null, ");
    }
    printf("\"setup_ms\": %.3f, \"iterations\": %d, \"products\": %d, \"residual\": %.3g, "
           "\"note\": \"%s\"}\n",
           1e3 * c->setup, c->result.iterations, c->result.products, c->result.relative_residual,
           gsolve_solver_note(c->S));
}

int main(int argc, char **argv)
{
    const char *refine = "refine,inner=cg", *precond = "jacobi", *matrix = NULL;
    static contestant both[2];
    double rtol = 1e-10;

    for (int k = 1; k < argc; k++) {
        const char *value = k + 1 < argc ? argv[k + 1] : "";
        if (strcmp(argv[k], "--refine") == 0)
            refine = value, k++;
        else if (strcmp(argv[k], "--precond") == 0)
            precond = value, k++;
        else if (strcmp(argv[k], "--rtol") == 0)
            rtol = atof(value), k++;
        else
            matrix = argv[k];
    }
    if (!matrix || matrix[0] == '-') {
        fprintf(stderr, "usage: bench_mixed [--refine SPEC] [--precond SPEC] [--rtol R] MATRIX\n");
        return 1;
    }
    open_device();
    check(gsolve_read_matrix(&csr, ctx, matrix, NULL, NULL));
    check(gsolve_matrix_create(&A, ctx, "auto", &csr));
    check(gsolve_precond_create(&M, ctx, precond, &csr));
    double *zeros = new_numbers(csr.nrows, false);
    const gsolve_dense b = vector_on_device(GSOLVE_F64, csr.nrows, 1, true),
                       x = vector_on_device(GSOLVE_F64, csr.nrows, 1, false);
    set_up(&both[0], "cg", rtol);
    set_up(&both[1], refine, rtol);
    for (int round = -1; round < ROUNDS; round++) {
        for (int k = 0; k < 2; k++) {
            const double t = solve_once(&both[k], b, x, zeros, rtol);
            if (round >= 0) both[k].times[round] = t;
            if (round < 0) get_vector(x, both[k].x);
        }
    }
    const double apart = difference(both[1].x, both[0].x, csr.nrows);
    write_record(matrix, precond, &both[0], 0, 0);
    write_record(matrix, precond, &both[1], 1e3 * bench_median(both[0].times, ROUNDS), apart);
    for (int k = 0; k < 2; k++) {
        gsolve_solver_destroy(&both[k].S);
        free(both[k].x);
    }
    free(zeros);
    gsolve_free(ctx, location, b.value);
    gsolve_free(ctx, location, x.value);
    gsolve_precond_destroy(&M);
    gsolve_matrix_destroy(&A);
    gsolve_csr_free(&csr, ctx);
    gsolve_context_destroy(&ctx);
    return 0;
}
