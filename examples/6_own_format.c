/* 6_own_format.c: a storage format of your own, here storage by diagonals (DIA). After it is
 * registered, specs can name it like a built-in format, and every method can use it. What its
 * functions need from the program they get by the pointer `user`, so there are no globals. */
#include <gsolve_io.h>
#include <gsolve_plugin.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct dia {
    int32_t n, ndiagonals;
    int32_t *offset; /* column - row of each diagonal, ascending */
    double *value;   /* n for each diagonal, in the order of A's rows */
} dia;

/* What the program tells the format, and what it learns from it. */
typedef struct limits {
    int32_t most_diagonals;
    int built;
} limits;

static void destroy(void *self, gsolve_context *ctx)
{
    dia *D = self;
    gsolve_free(ctx, GSOLVE_HOST, D->offset);
    gsolve_free(ctx, GSOLVE_HOST, D->value);
    gsolve_free(ctx, GSOLVE_HOST, D);
}

/* csr is checked and sorted; a format may refuse what it cannot hold. */
static gsolve_status build(void **self, gsolve_context *ctx, const gsolve_csr *csr, int64_t entries,
                           const void *options, void *user)
{
    const int32_t n = csr->nrows, *start = csr->start;
    const double *a = csr->value;
    limits *limit = user;

    (void)options, (void)entries;
    if (csr->type != GSOLVE_F64 || csr->offset != GSOLVE_O32 || csr->ncols != n) {
        return gsolve_fail(ctx, GSOLVE_UNSUPPORTED, "own_dia takes square matrices of doubles");
    }
    dia *D = gsolve_alloc(ctx, GSOLVE_HOST, 1, sizeof *D);
    char *used = calloc(2 * (size_t)n + 1, 1);
    if (!D || !used) goto no_memory;
    *D = (dia){n, 0, NULL, NULL};
    for (int32_t i = 0; i < n; i++) {
        for (int32_t k = start[i]; k < start[i + 1]; k++) used[csr->col[k] - i + n] = 1;
    }
    for (int32_t d = 0; d <= 2 * n; d++) D->ndiagonals += used[d];
    if (D->ndiagonals > limit->most_diagonals) {
        gsolve_fail(ctx, GSOLVE_UNSUPPORTED, "own_dia: %d diagonals, and at most %d are allowed",
                    D->ndiagonals, limit->most_diagonals);
        free(used);
        destroy(D, ctx);
        return GSOLVE_UNSUPPORTED;
    }
    D->offset = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)D->ndiagonals, sizeof *D->offset);
    D->value = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)D->ndiagonals * (size_t)n, sizeof *D->value);
    if (!D->offset || !D->value) goto no_memory;
    for (int32_t d = 0, at = 0; d <= 2 * n; d++) {
        if (used[d]) D->offset[at++] = d - n;
    }
    for (int32_t d = 0; d < D->ndiagonals; d++) {
        for (int32_t i = 0; i < n; i++) {
            double v = 0;
            for (int32_t k = start[i]; k < start[i + 1]; k++) {
                if (csr->col[k] - i == D->offset[d]) v = a[k];
            }
            D->value[(size_t)d * (size_t)n + (size_t)i] = v;
        }
    }
    free(used);
    limit->built++;
    *self = D;
    return GSOLVE_OK;
no_memory:
    free(used);
    if (D) destroy(D, ctx);
    return GSOLVE_NO_MEMORY;
}

/* y = alpha A x + beta y */
static gsolve_status apply(void *self, gsolve_context *ctx, double alpha, gsolve_dense x,
                           double beta, gsolve_dense y)
{
    const dia *D = self;
    const double *px = x.value;
    double *py = y.value;

    (void)ctx;
    for (int32_t i = 0; i < D->n; i++) {
        double sum = 0;
        for (int32_t d = 0; d < D->ndiagonals; d++) {
            const int32_t j = i + D->offset[d];
            const double a = D->value[(size_t)d * (size_t)D->n + (size_t)i];
            /* a place without an entry is 0: it must not multiply an infinite x */
            if (j >= 0 && j < D->n && a != 0) sum += a * px[j];
        }
        py[i] = alpha * sum + (beta == 0 ? 0 : beta * py[i]);
    }
    return GSOLVE_OK;
}

static void describe(const void *self, gsolve_matrix_info *info)
{
    const dia *D = self;
    info->stored = (int64_t)D->ndiagonals * D->n;
    info->bytes = (size_t)info->stored * sizeof(double) + 2 * (size_t)D->n * sizeof(double);
}

int main(void)
{
    limits limit = {.most_diagonals = 20};
    const gsolve_format format_dia = {
        .size = sizeof format_dia,
        .plugin = {"own_dia", "storage by diagonals", NULL, 0},
        .user = &limit,
        .build = build,
        .destroy = destroy,
        .apply = apply,
        .describe = describe,
    };
    gsolve_context *ctx = NULL;
    gsolve_matrix *A = NULL;
    gsolve_solver *S = NULL;
    gsolve_matrix_info info = GSOLVE_INIT(gsolve_matrix_info);
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    gsolve_csr csr = {0};
    gsolve_status status = gsolve_context_create(&ctx, "cpu");

    if (status == GSOLVE_OK) status = gsolve_register_format(ctx, &format_dia);
    if (status == GSOLVE_OK)
        status = gsolve_read_matrix(&csr, ctx, "gen:convdiff3d,n=15", NULL, NULL);
    if (status == GSOLVE_OK) status = gsolve_matrix_create(&A, ctx, "own_dia", &csr);
    if (status == GSOLVE_OK) status = gsolve_solver_create(&S, ctx, "bicg", A, NULL);
    if (status != GSOLVE_OK) {
        fprintf(stderr, "%s\n", gsolve_error(ctx));
        return 1;
    }
    double *b = malloc((size_t)csr.nrows * sizeof *b), *x = calloc((size_t)csr.nrows, sizeof *x);
    for (int i = 0; i < csr.nrows; i++) b[i] = 1;
    status =
        gsolve_solver_run(S, gsolve_vector(b, csr.nrows), gsolve_vector(x, csr.nrows), &result);
    gsolve_matrix_describe(A, &info);
    printf("%s: %lld entries stored as %lld; bicg %s in %d iterations\n", info.format,
           (long long)info.entries, (long long)info.stored, gsolve_outcome_text(result.outcome),
           result.iterations);
    free(b);
    free(x);
    gsolve_solver_destroy(&S);
    gsolve_matrix_destroy(&A);
    gsolve_csr_free(&csr, ctx);
    gsolve_context_destroy(&ctx);
    /* bicg also multiplies with A', which the library has built in this format, too */
    return status == GSOLVE_OK && result.outcome == GSOLVE_CONVERGED && limit.built == 2 ? 0 : 1;
}
