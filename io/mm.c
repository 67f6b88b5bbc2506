/* mm.c: Matrix Market files as sparse or dense matrices. */
#include "io/mm.h"

#include <stdio.h>
#include <string.h>

#include "core/try.h"

static void describe(const gs_mm_head *head, gsolve_source *source)
{
    static const char *const fields[] = {"real", "integer", "pattern"};

    snprintf(source->kind, sizeof source->kind, "Matrix Market");
    snprintf(source->field, sizeof source->field, "%s", fields[head->field]);
    source->symmetry = head->symmetry;
    source->stored = head->entries;
}

/* What the mirrored entry is multiplied by; 0: there is none. */
static double mirror(gsolve_symmetry symmetry)
{
    return symmetry == GSOLVE_GENERAL ? 0 : symmetry == GSOLVE_SKEW ? -1 : 1;
}

/* Appends the mirrors of the entries off the diagonal, in whichever triangle they are stored (the
 * lower by the standard, but files with the upper one are about); returns how many entries there are then. */
static int64_t expand(const gs_mm_head *head, gs_mm_entries *e)
{
    const double factor = mirror(head->symmetry);
    int64_t count = head->entries;

    for (int64_t k = 0; k < head->entries && factor != 0; k++) {
        if (e->i[k] == e->j[k]) continue;
        e->i[count] = e->j[k];
        e->j[count] = e->i[k];
        if (e->v) e->v[count] = factor * e->v[k];
        count++;
    }
    return count;
}

/* The places of an array's values: down the columns, of the lower triangle where it has a symmetry. */
static gsolve_status place_array(const gs_mm_head *head, gsolve_context *ctx, gs_mm_entries *e,
                                 int64_t room)
{
    const int64_t skip = head->symmetry == GSOLVE_SKEW;
    int64_t k = 0;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, e->i, room);
    ALLOC(ctx, GSOLVE_HOST, e->j, room);
    for (int64_t j = 0; j < head->ncols; j++) {
        const int64_t first = head->symmetry == GSOLVE_GENERAL ? 0 : j + skip;
        for (int64_t i = first; i < head->nrows; i++, k++) {
            e->i[k] = (int32_t)i;
            e->j[k] = (int32_t)j;
        }
    }
done:
    return status;
}

/* Head, and all entries with their mirrors. */
static gsolve_status read_all(gs_mm_head *head, gs_mm_entries *e, int64_t *count,
                              gsolve_context *ctx, const gs_text *text,
                              const gsolve_read_options *options)
{
    gs_mm_entries all = {0};
    gsolve_status status;

    TRY(gs_mm_read_head(head, ctx, text));
    const int64_t room =
        head->symmetry == GSOLVE_GENERAL ? head->entries + 1 : 2 * head->entries + 1;
    TRY(gs_mm_read_entries(&all, ctx, text, head, room, options));
    if (head->array) TRY(place_array(head, ctx, &all, room));
    *count = expand(head, &all);
    *e = all;
    memset(&all, 0, sizeof all);
done:
    gs_mm_free_entries(&all, ctx);
    return status;
}

gsolve_status gs_mm_matrix(gsolve_csr *csr, gsolve_context *ctx, const gs_text *text,
                           const gsolve_read_options *options, gsolve_source *source)
{
    gs_mm_head head = {0};
    gs_mm_entries e = {0};
    int64_t count = 0;
    gsolve_status status;

    TRY(read_all(&head, &e, &count, ctx, text, options));
    TRY(gs_csr_adopt_triplets(csr, ctx, (int32_t)head.nrows, (int32_t)head.ncols, count, &e.i, &e.j,
                              &e.v));
    describe(&head, source);
    source->duplicates = count - gs_start(csr, csr->nrows);
done:
    gs_mm_free_entries(&e, ctx);
    return status;
}

gsolve_status gs_dense_new(gsolve_dense *v, gsolve_context *ctx, int32_t nrows, int32_t ncols)
{
    const gsolve_dense new = {nrows, ncols, nrows,
                              gsolve_alloc(ctx, GSOLVE_HOST, (size_t)nrows * (size_t)ncols,
                                           sizeof(double)),
                              GSOLVE_F64, GSOLVE_HOST};

    if (!new.value) return GSOLVE_NO_MEMORY;
    memset(new.value, 0, (size_t)nrows * (size_t)ncols * sizeof(double));
    *v = new;
    return GSOLVE_OK;
}

gsolve_status gs_mm_dense(gsolve_dense *v, gsolve_context *ctx, const gs_text *text,
                          const gsolve_read_options *options, gsolve_source *source)
{
    gs_mm_head head = {0};
    gs_mm_entries e = {0};
    int64_t count = 0;
    gsolve_dense new;
    gsolve_status status;

    TRY(read_all(&head, &e, &count, ctx, text, options));
    TRY(gs_dense_new(&new, ctx, (int32_t)head.nrows, (int32_t)head.ncols));
    for (int64_t k = 0; k < count; k++) {
        ((double *)new.value)[e.i[k] + e.j[k] * new.stride] += e.v ? e.v[k] : 1;
    }
    *v = new;
    describe(&head, source);
done:
    gs_mm_free_entries(&e, ctx);
    return status;
}
