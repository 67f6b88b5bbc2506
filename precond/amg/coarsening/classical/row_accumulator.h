/* row_accumulator.h: a row of P while the CPU computes it: its columns in the order in which they
 * were found, and the position of each. */
#ifndef GS_PRECOND_AMG_COARSENING_CLASSICAL_ROW_ACCUMULATOR_H
#define GS_PRECOND_AMG_COARSENING_CLASSICAL_ROW_ACCUMULATOR_H

#include <stdint.h>

typedef struct row_accumulator {
    int32_t *slot; /* for each column of P: its position if it is in the row; else any number */
    int32_t *column;
    double *weight;
    int32_t count;
    double d;             /* the divisor d */
    int32_t parts, *part; /* parts of a distributed a_ik: their positions; negative: in d */
    double *b;
} row_accumulator;

/* The position of column c; negative: not in the row, or c is negative. */
static inline int32_t position_of(const row_accumulator *o, int32_t c)
{
    if (c < 0) return -1;
    const int32_t at = o->slot[c];
    return at < o->count && o->column[at] == c ? at : -1;
}

/* Inserts column c unless it is in the row. Returns its position. */
static inline int32_t insert(row_accumulator *o, int32_t c)
{
    const int32_t at = position_of(o, c);

    if (at >= 0) return at;
    o->slot[c] = o->count;
    o->column[o->count] = c;
    o->weight[o->count] = 0;
    return o->count++;
}

#endif
