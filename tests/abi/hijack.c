/* hijack.c: an application that has functions with the names of all internal functions of the
 * library, which hijack.sh writes. Each of them ends the program. The library must call its own. */
#include <math.h>
#include <stdio.h>

#include "gsolve_io.h"

#define TRY(call)                                                  \
    do {                                                           \
        if ((call) != GSOLVE_OK) {                                 \
            fprintf(stderr, "%s: %s\n", #call, gsolve_error(ctx)); \
            return 1;                                              \
        }                                                          \
    } while (0)

enum { N = 900 };

int main(void)
{
    static const char *const precond[] = {"ic", "amg", "chebyshev"};
    static double b[N], x[N];
    gsolve_context *ctx = NULL;
    gsolve_csr csr = {0}, square = {0};
    gsolve_matrix *A = NULL;
    gsolve_result result = GSOLVE_INIT(gsolve_result);

    for (int i = 0; i < N; i++) b[i] = 1;
    TRY(gsolve_context_create(&ctx, "cpu,threads=2"));
    TRY(gsolve_read_matrix(&csr, ctx, "gen:poisson2d,n=30", NULL, NULL));
    TRY(gsolve_csr_multiply(&square, ctx, "auto", &csr, &csr));
    TRY(gsolve_matrix_create(&A, ctx, "sell", &csr));
    for (int k = 0; k < 3; k++) {
        gsolve_precond *M = NULL;
        gsolve_solver *S = NULL;
        TRY(gsolve_precond_create(&M, ctx, precond[k], &csr));
        TRY(gsolve_solver_create(&S, ctx, "cg", A, M));
        for (int i = 0; i < N; i++) x[i] = 0;
        TRY(gsolve_solver_run(S, gsolve_vector(b, N), gsolve_vector(x, N), &result));
        if (result.outcome != GSOLVE_CONVERGED || !(result.seconds >= 0)) return 1;
        gsolve_solver_destroy(&S);
        gsolve_precond_destroy(&M);
    }
    TRY(gsolve_solve(ctx, &csr, gsolve_vector(b, N), gsolve_vector(x, N), &result));
    gsolve_matrix_destroy(&A);
    gsolve_csr_free(&square, ctx);
    gsolve_csr_free(&csr, ctx);
    gsolve_context_destroy(&ctx);
    return result.outcome == GSOLVE_CONVERGED ? 0 : 1;
}
