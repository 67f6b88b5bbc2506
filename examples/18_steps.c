/* 18_steps.c: implicit time steps of the heat equation u_t = div (k grad u) + 1 on a square, whose
 * step grows and whose conductivity k falls along one direction. The first systems are easy, the
 * last ones are hard. The automatic solver is created once. It keeps everything for new values,
 * falls back when its choice needs more than 150 iterations, and builds the levels of amg again
 * when its iterations show that this pays. */
#include <gsolve.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 200, CELLS = N * N, STEPS = 18 };

/* The rows of I + dt (-kx u_xx - ky u_yy) / h^2 with u = 0 at the boundary. */
static void assemble(int32_t *start, int32_t *col, double *value, double dt, double kx, double ky)
{
    const double cx = dt * kx * N * N, cy = dt * ky * N * N;
    const int32_t step[] = {-N, -1, 0, 1, N};
    const double entry[] = {-cy, -cx, 1 + 2 * cx + 2 * cy, -cx, -cy};
    int32_t at = 0;

    for (int32_t i = 0; i < CELLS; i++) {
        for (int k = 0; k < 5; k++) {
            const int32_t j = i + step[k];
            if (j < 0 || j >= CELLS || (abs(step[k]) == 1 && j / N != i / N)) continue;
            col[at] = j;
            value[at++] = entry[k];
        }
        start[i + 1] = at;
    }
}

int main(void)
{
    int32_t *start = calloc(CELLS + 1, sizeof *start), *col = calloc(5 * CELLS, sizeof *col);
    double *value = calloc(5 * CELLS, sizeof *value);
    double *u = calloc(CELLS, sizeof *u), *b = calloc(CELLS, sizeof *b);
    const gsolve_csr csr = gsolve_csr_view(CELLS, start, col, value); /* it sees new values */
    gsolve_auto_info info = GSOLVE_INIT(gsolve_auto_info);
    gsolve_context *ctx = NULL;
    gsolve_auto *S = NULL;
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    int64_t rebuilds = 0;
    int step = 0;

    if (gsolve_context_create(&ctx, "auto")) goto failed;
    for (; step < STEPS; step++) {
        const double dt = 1e-6 * pow(2.5, step), ky = pow(0.7, step);

        assemble(start, col, value, dt, 1, ky);
        if (step == 0 ? gsolve_auto_create(&S, ctx, "rtol=1e-8,maxit=150", &csr)
                      : gsolve_auto_update(S, &csr))
            goto failed;
        for (int i = 0; i < CELLS; i++) b[i] = u[i] + dt;
        if (gsolve_auto_run(S, gsolve_vector(b, CELLS), gsolve_vector(u, CELLS), &result))
            goto failed;
        gsolve_auto_describe(S, &info);
        printf("step %2d: %s, %3d iterations with %s\n", step, gsolve_outcome_text(result.outcome),
               result.iterations, info.precond);
        if (info.attempts > 1 || info.rebuilds > rebuilds)
            printf("    %s\n", gsolve_auto_explain(S));
        rebuilds = info.rebuilds;
        if (result.outcome != GSOLVE_CONVERGED) break;
    }
    printf("%d rebuild(s), %.3f s for set-ups, %.3f s for iterations\n", (int)rebuilds,
           info.total_setup_seconds, info.total_solve_seconds);
    gsolve_context_destroy(&ctx); /* destroys S, too */
    free(start);
    free(col);
    free(value);
    free(u);
    free(b);
    return step == STEPS && rebuilds > 0 ? 0 : 2;
failed:
    fprintf(stderr, "%s\n", gsolve_error(ctx));
    return 1;
}
