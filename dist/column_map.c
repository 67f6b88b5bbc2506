/* column_map.c: see column_map.h. */
#include "dist/column_map.h"

#include <stdlib.h>

#include "core/try.h"

static int compare_columns(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

/* Writes the columns that are not owned to ghost, unless that is NULL, and returns their number. A
 * column that repeats the one before it counts once. */
static int64_t collect(const gs_column_map *map, int64_t count, const int64_t *col, int64_t *ghost)
{
    int64_t found = 0, last = -1;

    for (int64_t k = 0; k < count; k++) {
        if (gs_column_is_own(map, col[k]) || col[k] == last) continue;
        last = col[k];
        if (ghost) ghost[found] = last;
        found++;
    }
    return found;
}

/* Sorts the columns and removes duplicates. Returns the number that is left. */
static int64_t sort_unique(int64_t count, int64_t *col)
{
    int64_t left = 0;

    qsort(col, (size_t)count, sizeof *col, compare_columns);
    for (int64_t k = 0; k < count; k++) {
        if (left == 0 || col[k] != col[left - 1]) col[left++] = col[k];
    }
    return left;
}

gsolve_status gs_column_map_new(gs_column_map *map, gsolve_context *ctx, gsolve_row_range own,
                                int64_t count, const int64_t *col)
{
    int64_t found, *all = NULL;
    gsolve_status status;

    *map = (gs_column_map){.own = own};
    found = collect(map, count, col, NULL);
    ALLOC(ctx, GSOLVE_HOST, all, found);
    collect(map, count, col, all);
    found = sort_unique(found, all);
    if (found + own.count > INT32_MAX) {
        status = gsolve_fail(ctx, GSOLVE_UNSUPPORTED,
                             "the rows of this rank use %lld columns; use more ranks, so that each "
                             "uses fewer than 2^31",
                             (long long)(found + own.count));
        goto done;
    }
    ALLOC(ctx, GSOLVE_HOST, map->ghost, found);
    for (int64_t k = 0; k < found; k++) {
        map->ghost[k] = all[k];
        map->below += all[k] < own.first;
    }
    map->ghosts = (int32_t)found;
done:
    gsolve_free(ctx, GSOLVE_HOST, all);
    return status;
}

void gs_column_map_drop(gs_column_map *map, gsolve_context *ctx)
{
    gsolve_free(ctx, GSOLVE_HOST, map->ghost);
    map->ghost = NULL;
}

int32_t gs_column_compact(const gs_column_map *map, int64_t col)
{
    int32_t low = 0, high = map->ghosts; /* the first ghost that is not below col */

    if (gs_column_is_own(map, col)) return (int32_t)(col - map->own.first) + map->below;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (map->ghost[middle] < col) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < map->below ? low : low + map->own.count;
}

void gs_column_compact_all(const gs_column_map *map, const gsolve_context *ctx, int64_t count,
                           const int64_t *col, int32_t *compact)
{
#pragma omp parallel for schedule(static) num_threads(gsolve_threads(ctx)) if (count > 10000)
    for (int64_t k = 0; k < count; k++) compact[k] = gs_column_compact(map, col[k]);
}
