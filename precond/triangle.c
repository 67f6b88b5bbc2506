/* triangle.c: triangles stored in the order in which they are solved. */
#include "precond/triangle.h"

#include <string.h>

#include "core/try.h"

#define LEAST_LEVEL 8192 /* mean rows a level that are worth a barrier between threads */

void gs_triangle_destroy(gs_triangle *t, gsolve_context *ctx)
{
    gsolve_free(ctx, GSOLVE_HOST, t->start);
    gsolve_free(ctx, GSOLVE_HOST, t->col);
    gsolve_free(ctx, GSOLVE_HOST, t->value);
    gsolve_free(ctx, GSOLVE_HOST, t->d);
    gsolve_free(ctx, GSOLVE_HOST, t->level);
    gsolve_free(ctx, GSOLVE_HOST, t->row);
    gsolve_free(ctx, GSOLVE_HOST, t->from);
    memset(t, 0, sizeof *t);
}

/* --- levels ------------------------------------------------------------------------------------- */

/* depth[i] = one more than the depth of the rows it depends on; returns the number of levels. */
static int32_t find_depths(bool upper, int32_t n, const int64_t *start, const int32_t *col,
                           int32_t *depth)
{
    int32_t levels = 0;

    for (int32_t s = 0; s < n; s++) {
        const int32_t i = upper ? n - 1 - s : s;
        int32_t d = 0;
        for (int64_t k = start[i]; k < start[i + 1]; k++) {
            if (depth[col[k]] + 1 > d) d = depth[col[k]] + 1;
        }
        depth[i] = d;
        if (d + 1 > levels) levels = d + 1;
    }
    return levels;
}

/* t->level and t->row, if the levels are wide enough for the threads there are. */
static gsolve_status plan_levels(gs_triangle *t, gsolve_context *ctx, const int64_t *start,
                                 const int32_t *col)
{
    int32_t *depth = NULL;
    gsolve_status status = GSOLVE_OK;

    if (gsolve_threads(ctx) == 1 || t->n < 4 * LEAST_LEVEL) return GSOLVE_OK;
    ALLOC(ctx, GSOLVE_HOST, depth, t->n);
    const int32_t levels = find_depths(t->upper, t->n, start, col, depth);
    if (t->n / levels < LEAST_LEVEL) goto done;

    ALLOC(ctx, GSOLVE_HOST, t->level, (size_t)levels + 2);
    ALLOC(ctx, GSOLVE_HOST, t->row, t->n);
    t->levels = levels;
    memset(t->level, 0, ((size_t)levels + 2) * sizeof *t->level);
    for (int32_t i = 0; i < t->n; i++) t->level[depth[i] + 2]++;
    for (int32_t l = 2; l <= levels; l++) t->level[l] += t->level[l - 1];
    for (int32_t s = 0; s < t->n; s++) {
        const int32_t i = t->upper ? t->n - 1 - s : s;
        t->row[t->level[depth[i] + 1]++] = i;
    }
done:
    gsolve_free(ctx, GSOLVE_HOST, depth);
    return status;
}

/* --- storage ------------------------------------------------------------------------------------ */

static int32_t row_at(const gs_triangle *t, int32_t place)
{
    return t->row ? t->row[place] : t->upper ? t->n - 1 - place : place;
}

/* start, col and from; upper rows turned round, so that the neighbour solved last is used last. */
static void store_pattern(gs_triangle *t, gsolve_context *ctx, const int64_t *start,
                          const int32_t *col)
{
    t->start[0] = 0;
    for (int32_t place = 0; place < t->n; place++) {
        const int32_t i = row_at(t, place);
        t->start[place + 1] = t->start[place] + start[i + 1] - start[i];
    }
#pragma omp parallel for schedule(static) num_threads(gsolve_threads(ctx))
    for (int32_t place = 0; place < t->n; place++) {
        const int32_t i = row_at(t, place);
        const int64_t length = start[i + 1] - start[i];
        for (int64_t k = 0; k < length; k++) {
            const int64_t from = t->upper ? start[i + 1] - 1 - k : start[i] + k;
            t->col[t->start[place] + k] = col[from];
            t->from[t->start[place] + k] = from;
        }
    }
}

static void put(const gs_triangle *t, void *array, int64_t at, double value)
{
    if (t->type == GSOLVE_F32) {
        ((float *)array)[at] = (float)value;
    } else {
        ((double *)array)[at] = value;
    }
}

void gs_triangle_update(gs_triangle *t, gsolve_context *ctx, const double *value,
                        const double *pivot)
{
#pragma omp parallel for schedule(static) num_threads(gsolve_threads(ctx))
    for (int32_t place = 0; place < t->n; place++) {
        const double d = pivot ? 1 / pivot[row_at(t, place)] : 1;
        for (int64_t k = t->start[place]; k < t->start[place + 1]; k++) {
            put(t, t->value, k, value[t->from[k]] * d);
        }
        if (pivot) put(t, t->d, place, d);
    }
}

gsolve_status gs_triangle_create(gs_triangle *out, gsolve_context *ctx, gsolve_type type, bool upper,
                                 int32_t n, const int64_t *start, const int32_t *col,
                                 const double *value, const double *pivot)
{
    gs_triangle t = {.type = type, .n = n, .upper = upper};
    const int64_t entries = start[n];
    gsolve_status status;

    if (!GS_KERNELS(gs_triangle, ctx, type)->solve) {
        return gsolve_fail(ctx, GSOLVE_UNSUPPORTED,
                           "triangular solves have no kernels for this device");
    }
    TRY(plan_levels(&t, ctx, start, col));
    ALLOC(ctx, GSOLVE_HOST, t.start, (size_t)n + 1);
    ALLOC(ctx, GSOLVE_HOST, t.col, entries);
    ALLOC(ctx, GSOLVE_HOST, t.from, entries);
    t.value = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)entries, gs_type_size(type));
    status = t.value ? GSOLVE_OK : GSOLVE_NO_MEMORY;
    if (status == GSOLVE_OK && pivot) {
        t.d = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)n, gs_type_size(type));
        status = t.d ? GSOLVE_OK : GSOLVE_NO_MEMORY;
    }
    if (status != GSOLVE_OK) goto done;
    store_pattern(&t, ctx, start, col);
    gs_triangle_update(&t, ctx, value, pivot);
    *out = t;
    memset(&t, 0, sizeof t);
done:
    gs_triangle_destroy(&t, ctx);
    return status;
}

gsolve_status gs_triangle_solve(const gs_triangle *t, gsolve_context *ctx, gsolve_dense r,
                                gsolve_dense z)
{
    const gs_triangle_kernels *kernels = GS_KERNELS(gs_triangle, ctx, t->type);
    const size_t size = gs_type_size(t->type);
    gsolve_status status = GSOLVE_OK;

    for (int32_t c = 0; c < r.ncols && status == GSOLVE_OK; c++) {
        status = kernels->solve(ctx->queue, t, (char *)r.value + (size_t)(c * r.stride) * size,
                                (char *)z.value + (size_t)(c * z.stride) * size);
    }
    return status;
}
