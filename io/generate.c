/* generate.c: the list of generators, and a matrix from a function that tells its rows. */
#include "io/generators.h"

#include <limits.h>
#include <string.h>

#include "core/try.h"

static const gsolve_plugin *const generators[] = {
    &gs_poisson2d.plugin,    &gs_poisson3d.plugin, &gs_poisson3d27.plugin, &gs_anisotropic3d.plugin,
    &gs_jump3d.plugin,       &gs_convdiff3d.plugin, &gs_elasticity3d.plugin, &gs_tridiagonal.plugin,
    &gs_band.plugin,         &gs_rmat.plugin,      &gs_web.plugin,         &gs_circuit.plugin,
    &gs_random_generator.plugin, &gs_lp.plugin,    &gs_emptyrows.plugin,   &gs_neumann2d.plugin,
    NULL,
};

const gsolve_plugin *gsolve_generator_at(int index)
{
    return gs_plugin_at(NULL, generators, index);
}

gsolve_status gs_generate(gsolve_csr *csr, gsolve_context *ctx, const char *spec)
{
    const gsolve_plugin *plugin;
    void *options = NULL;
    gsolve_status status;

    TRY(gs_plugin_parse(ctx, NULL, generators, "generator", spec, &plugin, &options));
    TRY(((const gs_generator *)(const void *)plugin)->generate(csr, ctx, options));
done:
    gsolve_free(ctx, GSOLVE_HOST, options);
    return status;
}

/* The finaliser of SplitMix64 (Steele, Lea and Flood 2014) over a stream and a counter. */
double gsolve_random(uint64_t seed, uint64_t index)
{
    uint64_t z = seed * 0xd1342543de82ef95u + (index + 1) * 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return (double)(int64_t)(z >> 11) * 0x1p-52 - 1;
}

gsolve_status gs_check_dimensions(gsolve_context *ctx, double nrows, double ncols)
{
    if (nrows <= INT_MAX - 64 && ncols <= INT_MAX - 64) return GSOLVE_OK;
    return gsolve_fail(ctx, GSOLVE_BAD_SPEC,
                       "the matrix would be %.0f x %.0f; rows and columns must be below 2^31", nrows,
                       ncols);
}

/* --- row by row --------------------------------------------------------------------------------- */

enum { SLICE = 512 }; /* rows a thread takes at a time */

typedef struct buffers {
    int32_t *col;  /* most_row for each thread */
    double *value;
} buffers;

/* Without A: count[i + 1] = length of row i. With A: its rows, at count[i]. Rows pass through a buffer,
 * since a source may write more than it returns while it works. */
static void run_rows(gsolve_context *ctx, const gs_row_source *s, const buffers *b, int64_t *count,
                     const gsolve_csr *A)
{
    const int threads = gsolve_threads(ctx);

#pragma omp parallel for schedule(static, 1) num_threads(threads)
    for (int t = 0; t < threads; t++) {
        int32_t *col = b->col + t * s->most_row;
        double *value = b->value + t * s->most_row;
        for (int64_t first = (int64_t)t * SLICE; first < s->nrows; first += (int64_t)threads * SLICE) {
            for (int64_t i = first; i < first + SLICE && i < s->nrows; i++) {
                const int64_t length = s->row(s->model, (int32_t)i, col, value);
                if (!A) {
                    count[i + 1] = length;
                    continue;
                }
                memcpy((int32_t *)(uintptr_t)A->col + count[i], col, (size_t)length * sizeof *col);
                memcpy((double *)(uintptr_t)A->value + count[i], value,
                       (size_t)length * sizeof *value);
            }
        }
    }
}

static void set_offsets(gsolve_context *ctx, const gsolve_csr *A, const int64_t *count)
{
#pragma omp parallel for schedule(static) num_threads(gsolve_threads(ctx))
    for (int64_t i = 0; i <= A->nrows; i++) {
        if (A->offset == GSOLVE_O64) {
            ((int64_t *)(uintptr_t)A->start)[i] = count[i];
        } else {
            ((int32_t *)(uintptr_t)A->start)[i] = (int32_t)count[i];
        }
    }
}

gsolve_status gs_csr_by_rows(gsolve_csr *csr, gsolve_context *ctx, const gs_row_source *s)
{
    const size_t threads = (size_t)gsolve_threads(ctx), most = (size_t)s->most_row;
    buffers b = {0};
    int64_t *count = NULL;
    gsolve_csr A;
    gsolve_status status;

    TRY(gs_check_dimensions(ctx, (double)s->nrows, (double)s->ncols));
    ALLOC(ctx, GSOLVE_HOST, b.col, most * threads);
    ALLOC(ctx, GSOLVE_HOST, b.value, most * threads);
    ALLOC(ctx, GSOLVE_HOST, count, (size_t)s->nrows + 1);
    count[0] = 0;
    run_rows(ctx, s, &b, count, NULL);
    for (int64_t i = 0; i < s->nrows; i++) count[i + 1] += count[i];
    TRY(gs_csr_new(&A, ctx, (int32_t)s->nrows, (int32_t)s->ncols, count[s->nrows], GSOLVE_F64));
    set_offsets(ctx, &A, count);
    run_rows(ctx, s, &b, count, &A);
    *csr = A;
done:
    gsolve_free(ctx, GSOLVE_HOST, count);
    gsolve_free(ctx, GSOLVE_HOST, b.col);
    gsolve_free(ctx, GSOLVE_HOST, b.value);
    return status;
}
