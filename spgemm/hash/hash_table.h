/* hash_table.h: the hash table of one thread on the CPU: the columns of one row of C. */
#ifndef GS_SPGEMM_HASH_HASH_TABLE_H
#define GS_SPGEMM_HASH_HASH_TABLE_H

#include "spgemm/hash/hash.h"

typedef struct gs_hash_table {
    int bits;       /* 2^bits places, at least twice as many as a row has columns */
    int32_t *key;   /* the column at a place, or -1 */
    int32_t *index; /* index[place]: the columns of the row that were inserted before */
    int32_t *col;   /* the columns in the order of insertion; each array has 2^bits elements */
    uint64_t *sort; /* 2 x 2^bits: work space */
    int32_t found;  /* columns in the table */
} gs_hash_table;

/* A table for each thread. This is also the plan of an update. */
typedef struct gs_hash_tables {
    int count;
    gs_hash_table *table;
} gs_hash_tables;

/* The place of column j, or the free place at which it would be inserted. */
static inline int32_t gs_hash_place(const gs_hash_table *t, int32_t j)
{
    const int32_t last = (int32_t)((1u << t->bits) - 1);
    int32_t place = (int32_t)((uint32_t)j * 2654435769u >> (32 - t->bits));

    while (t->key[place] >= 0 && t->key[place] != j) place = (place + 1) & last;
    return place;
}

/* The index of column j among the columns of the row. Inserts j if it is new. */
static inline int32_t gs_hash_index(gs_hash_table *t, int32_t j)
{
    const int32_t place = gs_hash_place(t, j);

    if (t->key[place] < 0) {
        t->key[place] = j;
        t->index[place] = t->found;
        t->col[t->found++] = j;
    }
    return t->index[place];
}

/* Removes all columns. */
static inline void gs_hash_empty(gs_hash_table *t)
{
    /* backwards: a search then meets the same columns as when this column was inserted */
    while (t->found > 0) t->key[gs_hash_place(t, t->col[--t->found])] = -1;
}

/* sort[k] = column << 32 | index, ascending. */
void gs_hash_sort(gs_hash_table *t);

/* *out = tables for rows of A B with at most `longest` products and `ncols` columns. */
gsolve_status gs_hash_tables_new(gs_hash_tables **out, gsolve_context *ctx, int64_t longest,
                                 int32_t ncols);
void gs_hash_tables_free(void *tables, gsolve_context *ctx);

#endif
