/* main.c: a program of a project that contains gsolve. */
#include <gsolve.h>
#include <stdio.h>

int main(void)
{
    const int start[] = {0, 2, 5, 7}, col[] = {0, 1, 0, 1, 2, 1, 2};
    const double value[] = {2, -1, -1, 2, -1, -1, 2};
    double b[] = {1, 0, 1}, x[] = {0, 0, 0};
    const gsolve_csr csr = gsolve_csr_view(3, start, col, value);
    gsolve_context *ctx = NULL;
    gsolve_result result = GSOLVE_INIT(gsolve_result);

    if (gsolve_context_create(&ctx, "cpu") ||
        gsolve_solve(ctx, &csr, gsolve_vector(b, 3), gsolve_vector(x, 3), &result)) {
        fprintf(stderr, "%s\n", gsolve_error(ctx));
        return 1;
    }
    printf("%s: x = %g %g %g\n", gsolve_outcome_text(result.outcome), x[0], x[1], x[2]);
    gsolve_context_destroy(&ctx);
    return result.outcome == GSOLVE_CONVERGED ? 0 : 1;
}
