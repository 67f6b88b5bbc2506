/* generate.c: the list of generators, and compressed rows from a source that generates single rows.
 * The first pass counts the entries of groups of rows; the second pass writes the groups to their
 * places. */
#include "io/generators.h"

#include "core/try.h"

static const gsolve_plugin *const generators[] = {
    &gs_poisson2d.plugin,
    &gs_poisson3d.plugin,
    &gs_poisson3d27.plugin,
    &gs_anisotropic3d.plugin,
    &gs_jump3d.plugin,
    &gs_convdiff3d.plugin,
    &gs_elasticity3d.plugin,
    &gs_tridiagonal.plugin,
    &gs_band.plugin,
    &gs_rmat.plugin,
    &gs_web.plugin,
    &gs_circuit.plugin,
    &gs_random_rows.plugin,
    &gs_lp.plugin,
    &gs_emptyrows.plugin,
    &gs_neumann2d.plugin,
    &gs_shuffled3d.plugin,
    &gs_lengths.plugin,
    NULL,
};

const gsolve_plugin *gsolve_generator_at(int index)
{
    return gs_plugin_at(NULL, generators, index);
}

gsolve_status gs_generate(gsolve_csr *csr, gsolve_context *ctx, const char *spec,
                          gs_row_slice *slice)
{
    const gsolve_plugin *plugin;
    void *options = NULL;
    gsolve_status status;

    TRY(gs_plugin_parse(ctx, NULL, generators, "generator", spec, &plugin, &options));
    TRY(((const gs_generator *)(const void *)plugin)->generate(csr, ctx, options, slice));
done:
    gsolve_free(ctx, GSOLVE_HOST, options);
    return status;
}

gsolve_source gs_source_of_generator(int64_t entries)
{
    return (gsolve_source){.kind = "generator", .field = "real", .stored = entries};
}

double gsolve_random(uint64_t seed, uint64_t index)
{
    return gs_random(seed, index);
}

gsolve_status gs_check_rows(gsolve_context *ctx, const char *name, double rows)
{
    if (rows <= GS_MOST_ROWS) return GSOLVE_OK;
    return gsolve_fail(ctx, GSOLVE_BAD_SPEC,
                       "%s: the matrix would have %.0f rows; the largest possible number is %d",
                       name, rows, GS_MOST_ROWS);
}

/* --- rows ------------------------------------------------------------------------------------- */

enum { GROUP = 1024 }; /* rows */

typedef struct row_part { /* of the rows of a source */
    const gs_row_source *source;
    int64_t first, count;
} row_part;

static int64_t minimum(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* begin[g + 1] = entries of group g. */
static void count_groups(gsolve_context *ctx, const row_part *p, int64_t groups, int64_t *begin)
{
    const gs_row_source *s = p->source;

#pragma omp parallel for schedule(dynamic, 16) num_threads(gsolve_threads(ctx))
    for (int64_t g = 0; g < groups; g++) {
        const int64_t end = minimum((g + 1) * GROUP, p->count);
        int64_t sum = 0;
        for (int64_t i = g * GROUP; i < end; i++) {
            sum += s->count(s->model, (int32_t)(p->first + i));
        }
        begin[g + 1] = sum;
    }
}

/* Writes the rows of a group, whose first entry is number `at`, and their offsets. */
static void fill_group(const row_part *p, int64_t group, int64_t at, const gs_csr_arrays *A)
{
    const gs_row_source *s = p->source;
    const int64_t end = minimum((group + 1) * GROUP, p->count);
    int32_t *start32 = A->csr.offset == GSOLVE_O32 ? A->start : NULL;
    int64_t *start64 = A->csr.offset == GSOLVE_O64 ? A->start : NULL;
    int32_t *col = A->col;
    double *value = A->value;

    for (int64_t i = group * GROUP; i < end; i++) {
        at += s->fill(s->model, (int32_t)(p->first + i), col + at, value + at);
        if (start32) start32[i + 1] = (int32_t)at;
        if (start64) start64[i + 1] = at;
    }
}

/* The first group of a part, if `parts` parts of about equally many entries are formed. */
static int64_t first_group(int64_t groups, const int64_t *begin, int part, int parts)
{
    const int64_t entry = begin[groups] / parts * part;
    int64_t low = 0, high = groups;

    if (part == parts) return groups;
    while (low < high) { /* the least group with begin >= entry */
        const int64_t middle = low + (high - low) / 2;
        if (begin[middle] < entry) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return part == 0 ? 0 : low;
}

/* The part of the source that the slice asks for. */
static row_part part_of(const gs_row_source *s, gs_row_slice *slice)
{
    if (!slice) return (row_part){s, 0, s->nrows};
    slice->rows = gsolve_row_range_even(s->nrows, slice->rank, slice->ranks);
    slice->cols = gsolve_row_range_even(s->ncols, slice->rank, slice->ranks);
    return (row_part){s, slice->rows.first, slice->rows.count};
}

gsolve_status gs_csr_by_rows(gsolve_csr *csr, gsolve_context *ctx, const gs_row_source *s,
                             gs_row_slice *slice)
{
    const row_part p = part_of(s, slice);
    const int64_t groups = (p.count + GROUP - 1) / GROUP;
    const int threads = gsolve_threads(ctx);
    int64_t *begin = NULL;
    gsolve_csr A;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, begin, groups + 1);
    begin[0] = 0;
    count_groups(ctx, &p, groups, begin);
    for (int64_t g = 0; g < groups; g++) begin[g + 1] += begin[g];
    TRY(gs_csr_new(&A, ctx, (int32_t)p.count, (int32_t)s->ncols, begin[groups], GSOLVE_F64));
    const gs_csr_arrays to = gs_csr_arrays_of(ctx, &A);
    gs_set_start(&to, 0, 0);
#pragma omp parallel for schedule(static, 1) num_threads(threads)
    for (int t = 0; t < threads; t++) {
        const int64_t end = first_group(groups, begin, t + 1, threads);
        for (int64_t g = first_group(groups, begin, t, threads); g < end; g++) {
            fill_group(&p, g, begin[g], &to);
        }
    }
    *csr = A;
done:
    gsolve_free(ctx, GSOLVE_HOST, begin);
    return status;
}
