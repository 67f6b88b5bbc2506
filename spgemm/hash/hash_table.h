/* hash_table.h: what one thread of the CPU works with: a table of the columns of one row of C. */
#ifndef GS_SPGEMM_HASH_HASH_TABLE_H
#define GS_SPGEMM_HASH_HASH_TABLE_H

#include "spgemm/hash/hash.h"

typedef struct gs_hash_table {
    int bits;       /* 2^bits places, at least twice as many as a row has columns */
    int32_t *key;   /* the column at a place, or -1 */
    int32_t *order; /* of the column at a place: the how-manieth of the row */
    int32_t *col;   /* the columns in that order; all three of 2^bits elements */
    uint64_t *sort; /* 2 x 2^bits: work space */
    int32_t found;  /* columns in the table */
} gs_hash_table;

/* Of one table for each thread: a plan, of which update needs the tables alone. */
typedef struct gs_hash_tables {
    int count;
    gs_hash_table *table;
} gs_hash_tables;

/* The place of column j, or the free one where it belongs. */
static inline int32_t gs_hash_place(const gs_hash_table *t, int32_t j)
{
    const int32_t last = (int32_t)((1u << t->bits) - 1);
    int32_t place = (int32_t)((uint32_t)j * 2654435769u >> (32 - t->bits));

    while (t->key[place] >= 0 && t->key[place] != j) place = (place + 1) & last;
    return place;
}

/* The how-manieth column of the row j is; found grows if it is a new one. */
static inline int32_t gs_hash_order(gs_hash_table *t, int32_t j)
{
    const int32_t place = gs_hash_place(t, j);

    if (t->key[place] < 0) {
        t->key[place] = j;
        t->order[place] = t->found;
        t->col[t->found++] = j;
    }
    return t->order[place];
}

/* As empty as at first, the columns being those in col. */
static inline void gs_hash_empty(gs_hash_table *t)
{
    /* backwards: what is still there is found as it was when the column came */
    while (t->found > 0) t->key[gs_hash_place(t, t->col[--t->found])] = -1;
}

/* sort[k] = column << 32 | order of the k-th column. */
void gs_hash_sort(gs_hash_table *t);

/* Tables for rows of A B of at most so many products. */
gsolve_status gs_hash_tables_new(gs_hash_tables **out, gsolve_context *ctx, int64_t longest,
                                 int32_t ncols);
void gs_hash_tables_free(void *tables, gsolve_context *ctx);

#endif
