/* row_accumulator.h: a row of P while the CPU makes it: columns found so two_steps, each once, in
 * the order in which they were found, and where each stands. */
#ifndef GS_PRECOND_AMG_COARSENING_CLASSICAL_ROW_ACCUMULATOR_H
#define GS_PRECOND_AMG_COARSENING_CLASSICAL_ROW_ACCUMULATOR_H

#include <stdint.h>

typedef struct row_accumulator {
    int32_t *slot; /* one for each column of P: if it is in the row, where; else anything below */
    int32_t *column;
    double *weight;
    int32_t count;
    double d;             /* what is left to divide by */
    int32_t parts, *part; /* of what is shared out: where they belong, negative: in d */
    double *b;
} row_accumulator;

/* Where column c stands, negative: nowhere, as for a negative c. */
static inline int32_t position_of(const row_accumulator *o, int32_t c)
{
    if (c < 0) return -1;
    const int32_t at = o->slot[c];
    return at < o->count && o->column[at] == c ? at : -1;
}

/* Where column c stands from now on. */
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
