/* 7_own_precond.c: a preconditioner of your own, here symmetric successive over-relaxation with the
 * option omega; omega = 1 is symmetric Gauss-Seidel, M = (D + L) D^-1 (D + U). It counts its
 * applications where the pointer `user` says, so there are no globals. */
#include <gsolve_io.h>
#include <gsolve_plugin.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct ssor_options {
    double omega;
} ssor_options;

typedef struct ssor {
    int32_t n, *start, *col;
    double *value, *d, omega;
    int *applications; /* a number of the program */
} ssor;

/* The table of options, by which the spec "ssor,omega=1.5" is parsed. */
static const gsolve_option options[] = {
    {"omega", "over-relaxation", GSOLVE_REAL, offsetof(ssor_options, omega), 1, 0.01, 1.99, NULL},
    {0},
};

static void destroy(void *self, gsolve_context *ctx)
{
    ssor *M = self;
    gsolve_free(ctx, GSOLVE_HOST, M->start);
    gsolve_free(ctx, GSOLVE_HOST, M->col);
    gsolve_free(ctx, GSOLVE_HOST, M->value);
    gsolve_free(ctx, GSOLVE_HOST, M->d);
    gsolve_free(ctx, GSOLVE_HOST, M);
}

/* A preconditioner must copy everything of csr that it keeps. */
static gsolve_status build(void **self, gsolve_context *ctx, const gsolve_csr *csr,
                           const void *chosen, void *user)
{
    const size_t n = (size_t)csr->nrows, entries = (size_t)gsolve_csr_entries(csr);

    if (csr->type != GSOLVE_F64 || csr->offset != GSOLVE_O32) {
        return gsolve_fail(ctx, GSOLVE_UNSUPPORTED, "ssor takes matrices of doubles");
    }
    ssor *M = gsolve_alloc(ctx, GSOLVE_HOST, 1, sizeof *M);
    if (!M) return GSOLVE_NO_MEMORY;
    *M = (ssor){
        .n = csr->nrows, .omega = ((const ssor_options *)chosen)->omega, .applications = user};
    M->start = gsolve_alloc(ctx, GSOLVE_HOST, n + 1, sizeof *M->start);
    M->col = gsolve_alloc(ctx, GSOLVE_HOST, entries, sizeof *M->col);
    M->value = gsolve_alloc(ctx, GSOLVE_HOST, entries, sizeof *M->value);
    M->d = gsolve_alloc(ctx, GSOLVE_HOST, n, sizeof *M->d);
    if (!M->start || !M->col || !M->value || !M->d) {
        destroy(M, ctx);
        return GSOLVE_NO_MEMORY;
    }
    memcpy(M->start, csr->start, (n + 1) * sizeof *M->start);
    memcpy(M->col, csr->col, entries * sizeof *M->col);
    memcpy(M->value, csr->value, entries * sizeof *M->value);
    for (int32_t i = 0; i < M->n; i++) {
        M->d[i] = 0;
        for (int32_t k = M->start[i]; k < M->start[i + 1]; k++) {
            if (M->col[k] == i) M->d[i] = M->value[k];
        }
        if (M->d[i] == 0) {
            destroy(M, ctx);
            return gsolve_fail(ctx, GSOLVE_ZERO_PIVOT, "ssor: the diagonal of row %d is zero",
                               i + 1);
        }
    }
    *self = M;
    return GSOLVE_OK;
}

static gsolve_status apply(void *self, gsolve_context *ctx, gsolve_dense r, gsolve_dense z)
{
    const ssor *M = self;

    (void)ctx;
    ++*M->applications;
    for (int32_t c = 0; c < r.ncols; c++) {
        const double *b = (const double *)r.value + c * r.stride;
        double *x = (double *)z.value + c * z.stride;
        for (int32_t i = 0; i < M->n; i++) { /* (D / omega + L) x = b */
            double sum = b[i];
            for (int32_t k = M->start[i]; k < M->start[i + 1] && M->col[k] < i; k++) {
                sum -= M->value[k] * x[M->col[k]];
            }
            x[i] = sum * M->omega / M->d[i];
        }
        for (int32_t i = M->n - 1; i >= 0; i--) { /* (D / omega + U) x = D x / omega */
            double sum = x[i] * M->d[i] / M->omega;
            for (int32_t k = M->start[i + 1] - 1; k >= M->start[i] && M->col[k] > i; k--) {
                sum -= M->value[k] * x[M->col[k]];
            }
            x[i] = sum * M->omega / M->d[i];
        }
    }
    return GSOLVE_OK;
}

int main(void)
{
    int applications = 0;
    const gsolve_precond_kind kind_ssor = {
        .size = sizeof kind_ssor,
        .plugin = {"ssor", "symmetric successive over-relaxation", options, sizeof(ssor_options)},
        .user = &applications,
        .build = build,
        .destroy = destroy,
        .apply = apply,
    };
    static const char *const specs[] = {"jacobi", "ssor", "ssor,omega=1.8"};
    int iterations[3] = {0};
    gsolve_context *ctx = NULL;
    gsolve_matrix *A = NULL;
    gsolve_csr csr = {0};
    gsolve_status status = gsolve_context_create(&ctx, "cpu");

    if (status == GSOLVE_OK) status = gsolve_register_precond(ctx, &kind_ssor);
    if (status == GSOLVE_OK)
        status = gsolve_read_matrix(&csr, ctx, "gen:poisson2d,n=100", NULL, NULL);
    if (status == GSOLVE_OK) status = gsolve_matrix_create(&A, ctx, "auto", &csr);
    for (int k = 0; k < 3 && status == GSOLVE_OK; k++) {
        gsolve_precond *M = NULL;
        gsolve_solver *S = NULL;
        gsolve_result result = GSOLVE_INIT(gsolve_result);
        double *b = malloc((size_t)csr.nrows * sizeof *b),
               *x = calloc((size_t)csr.nrows, sizeof *x);
        for (int i = 0; i < csr.nrows; i++) b[i] = 1;
        status = gsolve_precond_create(&M, ctx, specs[k], &csr);
        if (status == GSOLVE_OK) status = gsolve_solver_create(&S, ctx, "cg", A, M);
        if (status == GSOLVE_OK) {
            status = gsolve_solver_run(S, gsolve_vector(b, csr.nrows), gsolve_vector(x, csr.nrows),
                                       &result);
        }
        iterations[k] = result.outcome == GSOLVE_CONVERGED ? result.iterations : 1000000;
        printf("cg + %-15s %d iterations\n", specs[k], result.iterations);
        gsolve_solver_destroy(&S);
        gsolve_precond_destroy(&M);
        free(b);
        free(x);
    }
    if (status != GSOLVE_OK) fprintf(stderr, "%s\n", gsolve_error(ctx));
    printf("ssor was applied %d times\n", applications);
    gsolve_matrix_destroy(&A);
    gsolve_csr_free(&csr, ctx);
    gsolve_context_destroy(&ctx);
    return status == GSOLVE_OK && iterations[1] < iterations[0] && iterations[2] < iterations[1]
               ? 0
               : 1;
}
