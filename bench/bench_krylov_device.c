/* bench_krylov_device.c: one iteration of a method with Jacobi on a device beside the plain peer of
 * peer_plain.h, in fp64.
 *
 *     bench_krylov_device MATRIX cg|bicgstab|gmres
 *
 * $GSOLVE_DEVICE names the device (cuda). An iteration is the difference of a run of 300 and one of
 * 90, divided by 210: whole cycles of GMRES(30), and no set-up, on both sides. In each of 21 rounds
 * ours and the peer take turns; the peer is the fastest of its variants in a round before them. A
 * record is written only if both solve the system to 1e-9, as the true residual has it, and agree
 * on x. Floor: the bytes of the products and of the vectors that the method must read and write,
 * each once where it can be once, at the bandwidth of a copy within the device in the same run. */
#include "bench/on_device.h"
#include "bench/peer_plain.h"

#define ROUNDS   21
#define FEW      90
#define MANY     300
#define RESTART  30
#define VARIANTS 8

static const struct method {
    const char *name, *spec;
    peer_method peer;
    int products, vectors; /* of an iteration: the least */
} methods[] = {
    {"cg", "cg", PEER_CG, 1, 9}, /* see the heads of cg.c and bicgstab.c */
    {"bicgstab", "bicgstab", PEER_BICGSTAB, 2, 18},
    /* the basis twice, 31 vectors on average; v and M read, z written, w read twice, written */
    {"gmres", "gmres,restart=30", PEER_GMRES, 1, RESTART + 7},
};

static const struct method *method;
static gsolve_csr csr;
static gsolve_matrix *A;
static gsolve_precond *M;
static double *b, *x, *zeros;
static gsolve_dense B, X;
static peer_plain *peer;

static void refuse(const char *what, double got)
{
    fprintf(stderr, "bench_krylov_device: %s: %g\n", what, got);
    exit(1);
}

/* --- ours ---------------------------------------------------------------------------------------
 */

static gsolve_solver *new_solver(double rtol, int maxit)
{
    gsolve_solver *S = NULL;
    char spec[128];

    snprintf(spec, sizeof spec, "%s,rtol=%g,stall=0,maxit=%d", method->spec, rtol, maxit);
    check(gsolve_solver_create(&S, ctx, spec, A, M));
    return S;
}

static gsolve_result run(gsolve_solver *S)
{
    gsolve_result result = GSOLVE_INIT(gsolve_result);

    put_vector(X, zeros);
    check(gsolve_solver_run(S, B, X, &result));
    return result;
}

static double own_iteration(gsolve_solver *const S[2])
{
    const gsolve_result few = run(S[0]), many = run(S[1]);

    if (few.iterations != FEW) refuse("ours ended too early, after iterations", few.iterations);
    if (many.iterations != MANY) refuse("ours ended too early, after iterations", many.iterations);
    return (many.seconds - few.seconds) / (MANY - FEW);
}

/* --- the peer -----------------------------------------------------------------------------------
 */

static double solve_by_peer(peer_variant variant, double rtol, int maxit, int *iterations)
{
    char why[256];
    double seconds;

    if (peer_plain_solve(peer, variant, rtol, maxit, b, x, iterations, &seconds, why))
        return seconds;
    fprintf(stderr, "bench_krylov_device: %s\n", why);
    exit(1);
}

static double peer_iteration(peer_variant variant)
{
    int few, many;
    const double t = solve_by_peer(variant, 0, FEW, &few),
                 u = solve_by_peer(variant, 0, MANY, &many);

    if (few != FEW || many != MANY) refuse("the peer ended too early, after iterations", many);
    return (u - t) / (MANY - FEW);
}

static peer_variant variant_at(int index)
{
    const peer_variant variant = {index % 2 + 1, index / 2 % 2 != 0, index / 4 != 0};
    return variant;
}

/* The fastest; each is run twice, for the first time may be slow. *textbook: seconds of the fastest
 * with modified Gram-Schmidt, which is how GMRES is written by hand first. */
static peer_variant fastest_variant(double *textbook)
{
    const int count = method->peer == PEER_GMRES ? VARIANTS : VARIANTS / 2;
    double best = 1e30;
    int chosen = 0;

    *textbook = 1e30;
    for (int index = 0; index < 2 * count; index++) {
        const peer_variant variant = variant_at(index / 2);
        const double t = peer_iteration(variant);
        if (index % 2 == 1 && !variant.classical && t < *textbook) *textbook = t;
        if (index % 2 == 0 || t >= best) continue;
        best = t;
        chosen = index / 2;
    }
    return variant_at(chosen);
}

/* --- both ---------------------------------------------------------------------------------------
 */

typedef struct verdict {
    double residual, peer_residual, apart;
    int iterations, peer_iterations;
} verdict;

static double residual_of(double *solution)
{
    double relative;
    check(gsolve_matrix_residual(A, gsolve_vector(b, csr.nrows), gsolve_vector(solution, csr.nrows),
                                 &relative));
    return relative;
}

/* Both solve to 1e-9; refuses if one does not, or if they differ. The peer trusts its recurrence.
 */
static verdict compare(peer_variant variant)
{
    gsolve_solver *S = new_solver(1e-9, 20000);
    double *own = new_numbers(csr.nrows, false);
    verdict v = {.iterations = run(S).iterations};

    gsolve_solver_destroy(&S);
    get_vector(X, own);
    v.residual = residual_of(own);
    if (!(v.residual <= 1.01e-9)) refuse("ours did not converge; residual", v.residual);
    if (peer) {
        solve_by_peer(variant, 1e-9, 20000, &v.peer_iterations);
        v.peer_residual = residual_of(x);
        v.apart = difference(x, own, csr.nrows);
        if (!(v.peer_residual <= 5e-9))
            refuse("the peer did not converge; residual", v.peer_residual);
        if (!(v.apart <= 1e-4)) refuse("ours and the peer's x differ by", v.apart);
    }
    free(own);
    return v;
}

/* --- records ------------------------------------------------------------------------------------
 */

static void write_times(const char *matrix, const char *what, const char *device, double *times)
{
    gsolve_matrix_info info = GSOLVE_INIT(gsolve_matrix_info);
    const double ms = 1e3 * bench_median(times, ROUNDS);

    gsolve_matrix_describe(A, &info);
    printf(
        "{\"bench\": \"bench_krylov_device\", \"matrix\": \"%s\", \"rows\": %d, \"entries\": %lld, "
        "\"what\": \"%s\", \"type\": \"f64\", \"columns\": 1, \"device\": \"%s\", \"runs\": %d, "
        "\"median_ms\": %.5f, \"min_ms\": %.5f, \"max_ms\": %.5f, ",
        matrix, csr.nrows, (long long)info.entries, what, device, ROUNDS, ms, 1e3 * times[0],
        1e3 * times[ROUNDS - 1]);
}

static void write_record(const char *matrix, double bandwidth, double *times, double *peer_times,
                         peer_variant variant, double textbook, const verdict *v)
{
    gsolve_matrix_info info = GSOLVE_INIT(gsolve_matrix_info);
    char what[64];

    gsolve_matrix_describe(A, &info);
    const double bytes =
        (double)method->products * (double)info.bytes + 8.0 * method->vectors * csr.nrows;
    snprintf(what, sizeof what, "%s+jacobi", method->name);
    write_times(matrix, what, about.description, times);
    printf("\"bytes\": %.0f, \"copy_gbs\": %.1f, \"floor_ms\": %.5f, \"iterations\": %d, "
           "\"residual\": %.3g, ",
           bytes, 1e-9 * bandwidth, 1e3 * bytes / bandwidth, v->iterations, v->residual);
    if (!peer) {
        printf("\"peer\": null, \"peer_ms\": null, \"ratio\": null}\n");
        return;
    }
    const double own = bench_median(times, ROUNDS), theirs = bench_median(peer_times, ROUNDS);
    printf("\"peer\": \"cuSPARSE alg %d + cuBLAS, norm by %s%s\", \"peer_ms\": %.5f, "
           "\"peer_min_ms\": %.5f, \"peer_max_ms\": %.5f, \"peer_iterations\": %d, "
           "\"peer_residual\": %.3g, \"peer_textbook_ms\": %.5f, \"difference\": %.2g, "
           "\"ratio\": %.3f}\n",
           variant.alg, variant.nrm2 ? "nrm2" : "dot",
           method->peer != PEER_GMRES ? ""
           : variant.classical        ? ", classical Gram-Schmidt once"
                                      : ", modified Gram-Schmidt",
           1e3 * theirs, 1e3 * peer_times[0], 1e3 * peer_times[ROUNDS - 1], v->peer_iterations,
           v->peer_residual, 1e3 * textbook, v->apart, theirs / own);
}

static void open_all(const char *matrix)
{
    char why[256];

    check(gsolve_read_matrix(&csr, ctx, matrix, NULL, NULL));
    check(gsolve_matrix_create(&A, ctx, "auto", &csr));
    check(gsolve_precond_create(&M, ctx, "jacobi", &csr));
    b = new_numbers(csr.nrows, true);
    x = new_numbers(csr.nrows, false);
    zeros = new_numbers(csr.nrows, false);
    B = vector_on_device(GSOLVE_F64, csr.nrows, 1, true);
    X = vector_on_device(GSOLVE_F64, csr.nrows, 1, false);
    peer = peer_plain_open(&csr, method->peer, RESTART, why);
    if (!peer) fprintf(stderr, "bench_krylov_device: %s\n", why);
}

static void close_all(void)
{
    peer_plain_close(peer);
    gsolve_free(ctx, location, B.value);
    gsolve_free(ctx, location, X.value);
    free(b);
    free(x);
    free(zeros);
    gsolve_precond_destroy(&M);
    gsolve_matrix_destroy(&A);
    gsolve_csr_free(&csr, ctx);
    gsolve_context_destroy(&ctx);
}

int main(int argc, char **argv)
{
    double times[ROUNDS], peer_times[ROUNDS] = {0};
    gsolve_solver *S[2];

    for (int k = 0; argc == 3 && k < 3; k++) {
        if (strcmp(argv[2], methods[k].name) == 0) method = &methods[k];
    }
    if (!method) {
        return fprintf(stderr, "usage: bench_krylov_device MATRIX cg|bicgstab|gmres\n"), 1;
    }
    open_device();
    const double bandwidth = copy_bandwidth();
    open_all(argv[1]);
    double textbook = 0;
    const peer_variant variant = peer ? fastest_variant(&textbook) : variant_at(0);
    const verdict v = compare(variant);
    S[0] = new_solver(0, FEW);
    S[1] = new_solver(0, MANY);
    own_iteration(S);
    for (int round = 0; round < ROUNDS; round++) {
        times[round] = own_iteration(S);
        if (peer) peer_times[round] = peer_iteration(variant);
    }
    write_record(argv[1], bandwidth, times, peer_times, variant, textbook, &v);
    gsolve_solver_destroy(&S[0]);
    gsolve_solver_destroy(&S[1]);
    close_all();
    return 0;
}
