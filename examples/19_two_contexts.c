/* 19_two_contexts.c: two threads solve at the same time, each in a context of its own, with a limit
 * of the memory, an allocator of the program and a log. */
#include <gsolve_io.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct job { /* belongs to one thread, so it needs no lock */
    const char *matrix;
    gsolve_status status;
    gsolve_result result;
    size_t bytes, peak; /* counted by the allocator */
    char lines[20][160];
    int count; /* of the lines */
} job;

static void *allocate(size_t bytes, void *user)
{
    job *j = user;
    void *block = malloc(bytes);

    if (!block) return NULL;
    j->bytes += bytes;
    if (j->bytes > j->peak) j->peak = j->bytes;
    return block;
}

static void release(void *block, size_t bytes, void *user)
{
    job *j = user;

    free(block);
    j->bytes -= bytes;
}

static void keep_line(const char *line, void *user)
{
    job *j = user;

    if (j->count < 20) snprintf(j->lines[j->count++], sizeof j->lines[0], "%s", line);
}

static void *run(void *user)
{
    job *j = user;
    gsolve_context_options options = GSOLVE_INIT(gsolve_context_options);
    gsolve_context *ctx = NULL;
    gsolve_csr csr = {0};
    double *b = NULL, *x = NULL;

    j->result = (gsolve_result)GSOLVE_INIT(gsolve_result);
    options.user = j;
    options.allocate_host = allocate;
    options.release_host = release;
    j->status = gsolve_context_create_with(&ctx, "cpu,threads=1,memory=1e8", &options);
    if (j->status != GSOLVE_OK) return NULL;
    gsolve_context_set_log(ctx, keep_line, j);
    j->status = gsolve_read_matrix(&csr, ctx, j->matrix, NULL, NULL);
    if (j->status == GSOLVE_OK) {
        b = malloc((size_t)csr.nrows * sizeof *b);
        x = calloc((size_t)csr.nrows, sizeof *x);
        for (int i = 0; i < csr.nrows; i++) b[i] = 1;
        j->status = gsolve_solve(ctx, &csr, gsolve_vector(b, csr.nrows),
                                 gsolve_vector(x, csr.nrows), &j->result);
    }
    if (j->status != GSOLVE_OK) keep_line(gsolve_error(ctx), j);
    free(b);
    free(x);
    gsolve_csr_free(&csr, ctx);
    gsolve_context_destroy(&ctx);
    return NULL;
}

int main(void)
{
    static job jobs[2] = {{.matrix = "gen:poisson2d,n=150"}, {.matrix = "gen:convdiff3d,n=20"}};
    pthread_t thread[2];
    int failed = 0;

    for (int k = 0; k < 2; k++) failed += pthread_create(&thread[k], NULL, run, &jobs[k]) != 0;
    for (int k = 0; k < 2 && !failed; k++) failed += pthread_join(thread[k], NULL) != 0;
    for (int k = 0; k < 2 && !failed; k++) {
        const job *j = &jobs[k];
        printf("%s: %s after %d iterations, at most %.1f MB\n", j->matrix,
               gsolve_outcome_text(j->result.outcome), j->result.iterations,
               1e-6 * (double)j->peak);
        for (int l = 0; l < j->count; l++) printf("  %s\n", j->lines[l]);
        failed += j->status != GSOLVE_OK || j->result.outcome != GSOLVE_CONVERGED || j->bytes != 0;
    }
    return failed ? 1 : 0;
}
