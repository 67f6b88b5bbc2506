/* column_map.h: compact numbers of the columns that the rows of a rank use. Column numbers of a
 * distributed matrix have 64 bits. The compact numbers 0, 1, 2, ... are in the order of the
 * columns:
 *
 *     [ghost columns below the own ones | the own columns, all of them | ghost columns above]
 *
 * A ghost column is one that these rows use and another rank owns. */
#ifndef GS_DIST_COLUMN_MAP_H
#define GS_DIST_COLUMN_MAP_H

#include "core/context.h"

typedef struct gs_column_map {
    gsolve_row_range own;
    int64_t *ghost;        /* the ghost columns, ascending */
    int32_t ghosts, below; /* below: of them, those before the own columns */
} gs_column_map;

/* *map = the map of `count` columns, which are in range, in any order. GSOLVE_UNSUPPORTED: there
 * are 2^31 or more. Local. */
gsolve_status gs_column_map_new(gs_column_map *map, gsolve_context *ctx, gsolve_row_range own,
                                int64_t count, const int64_t *col);
void gs_column_map_drop(gs_column_map *map, gsolve_context *ctx);

static inline bool gs_column_is_own(const gs_column_map *map, int64_t col)
{
    return col >= map->own.first && col < map->own.first + map->own.count;
}

/* The compact number of a column of the map. */
int32_t gs_column_compact(const gs_column_map *map, int64_t col);

/* compact[k] = that of col[k], for k < count. */
void gs_column_compact_all(const gs_column_map *map, const gsolve_context *ctx, int64_t count,
                           const int64_t *col, int32_t *compact);

/* The reverse: the column with this compact number. */
static inline int64_t gs_column_global(const gs_column_map *map, int32_t compact)
{
    if (compact < map->below) return map->ghost[compact];
    compact -= map->below;
    return compact < map->own.count ? map->own.first + compact
                                    : map->ghost[map->below + compact - map->own.count];
}

/* The number of columns of the map. */
static inline int32_t gs_column_count(const gs_column_map *map)
{
    return map->own.count + map->ghosts;
}

#endif
