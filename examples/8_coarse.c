/* 8_coarse.c: a two-grid method for -(k u')' = 1 on a line. P is linear interpolation from every
 * second point. The coarse matrix P'A P is built once; when k changes, only its values are
 * recomputed. */
#include <gsolve.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 2047, M = N / 2, CYCLES = 12 }; /* points; coarse point j is point 2 j + 1 */

static int32_t start[N + 1], col[3 * N], p_start[N + 1], p_col[2 * N];
static double value[3 * N], p_value[2 * N], b[N], x[N], r[N], coarse_r[M], coarse_x[M];
static gsolve_context *ctx;

static void check(gsolve_status status)
{
    if (status == GSOLVE_OK) return;
    fprintf(stderr, "%s\n", gsolve_error(ctx));
    exit(1);
}

static double k(double at, double contrast)
{
    return 1 + (contrast - 1) * at;
}

static void assemble(double contrast)
{
    int32_t at = 0;

    for (int32_t i = 0; i < N; i++) {
        const double left = k((i + 0.5) / (N + 1), contrast),
                     right = k((i + 1.5) / (N + 1), contrast);
        if (i > 0) col[at] = i - 1, value[at++] = -left;
        col[at] = i, value[at++] = left + right;
        if (i + 1 < N) col[at] = i + 1, value[at++] = -right;
        start[i + 1] = at;
    }
}

static void interpolate(void)
{
    int32_t at = 0;

    for (int32_t i = 0; i < N; i++) { /* even points lie between coarse ones */
        if (i % 2) p_col[at] = i / 2, p_value[at++] = 1;
        if (i % 2 == 0 && i > 0) p_col[at] = i / 2 - 1, p_value[at++] = 0.5;
        if (i % 2 == 0 && i / 2 < M) p_col[at] = i / 2, p_value[at++] = 0.5;
        p_start[i + 1] = at;
    }
}

/* r = b - A x, and x += D^-1 r / 1.5 */
static void smooth(const gsolve_matrix *A)
{
    for (int i = 0; i < N; i++) r[i] = b[i];
    check(gsolve_matrix_apply(A, -1, gsolve_vector(x, N), 1, gsolve_vector(r, N)));
    for (int i = 0; i < N; i++) x[i] += r[i] / value[start[i] + (i > 0)] / 1.5;
}

int main(void)
{
    const gsolve_csr csr = gsolve_csr_view(N, start, col, value);
    const gsolve_csr rows_of_p = {N,       M,          p_start,    p_col,
                                  p_value, GSOLVE_O32, GSOLVE_F64, GSOLVE_HOST};
    gsolve_matrix *A, *P, *Ac = NULL;
    gsolve_precond *Mc = NULL;
    gsolve_solver *Sc = NULL;
    gsolve_galerkin *G = NULL;
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    gsolve_csr coarse;
    double relative = 1;

    assemble(1);
    interpolate();
    check(gsolve_context_create(&ctx, "cpu"));
    check(gsolve_matrix_create(&A, ctx, "csr", &csr));
    check(gsolve_matrix_create(&P, ctx, "csr", &rows_of_p));
    check(gsolve_galerkin_create(&G, ctx, "auto", NULL, &csr, &rows_of_p)); /* R = P' */
    check(gsolve_galerkin_csr(G, &coarse));
    check(gsolve_matrix_create(&Ac, ctx, "csr", &coarse));
    check(gsolve_precond_create(&Mc, ctx, "ic", &coarse));
    check(gsolve_solver_create(&Sc, ctx, "cg,rtol=1e-10", Ac, Mc));
    for (double contrast = 1; contrast <= 10; contrast *= 10) {
        assemble(contrast); /* new values, same pattern */
        check(gsolve_matrix_update(A, &csr));
        check(gsolve_galerkin_update(G, NULL, &csr, NULL));
        check(gsolve_galerkin_csr(G, &coarse));
        check(gsolve_matrix_update(Ac, &coarse));
        check(gsolve_precond_update(Mc, &coarse));
        for (int i = 0; i < N; i++) b[i] = 1.0 / (N + 1) / (N + 1), x[i] = 0;
        for (int cycle = 0; cycle < CYCLES; cycle++) {
            smooth(A);
            for (int i = 0; i < N; i++) r[i] = b[i];
            for (int j = 0; j < M; j++) coarse_x[j] = 0;
            check(gsolve_matrix_apply(A, -1, gsolve_vector(x, N), 1, gsolve_vector(r, N)));
            check(gsolve_matrix_apply_transpose(P, 1, gsolve_vector(r, N), 0,
                                                gsolve_vector(coarse_r, M)));
            check(gsolve_solver_run(Sc, gsolve_vector(coarse_r, M), gsolve_vector(coarse_x, M),
                                    &result));
            check(gsolve_matrix_apply(P, 1, gsolve_vector(coarse_x, M), 1, gsolve_vector(x, N)));
            smooth(A);
        }
        check(gsolve_matrix_residual(A, gsolve_vector(b, N), gsolve_vector(x, N), &relative));
        printf("contrast %2.0f: residual %.1e after %d cycles\n", contrast, relative, CYCLES);
        if (!(relative < 1e-6)) return 2;
    }
    gsolve_galerkin_destroy(&G);
    gsolve_context_destroy(&ctx); /* also destroys the other handles */
    return 0;
}
