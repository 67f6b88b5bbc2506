/* schedule.h: the order in which rows are taken of which each depends on earlier ones, and their
 * shares among the threads.
 *
 * Consecutive rows of which each depends on the one before make a tile (on a grid: a line), whose
 * rows lie close together in memory. The tiles are put in levels: those of a level depend on
 * earlier levels only and are dealt out to the threads. Four tiles at a time are interleaved row by
 * row, so that a processor has four chains of dependent operations to work on and not one. A row's
 * own sum is not touched by any of this: the bits are those of the rows taken one by one. */
#ifndef GS_PRECOND_INCOMPLETE_SCHEDULE_H
#define GS_PRECOND_INCOMPLETE_SCHEDULE_H

#include "core/context.h"

typedef struct gs_schedule {
    int32_t *row;   /* n rows in the order in which they are taken; NULL: their own order */
    int32_t *begin; /* levels x threads + 1: where each thread's share of each level begins */
    int32_t levels; /* 0: one thread takes all rows */
    int threads;
} gs_schedule;

/* For n rows with the columns col[start[i], start[i + 1]), ascending; row i depends on row j for
 * each of its columns j, all below i (upper: all above i, and the rows are taken from the last to
 * the first). Rows in their own order where the matrix offers nothing better. */
gsolve_status gs_schedule_create(gs_schedule *s, gsolve_context *ctx, bool upper, int32_t n,
                                 const int64_t *start, const int32_t *col);
void gs_schedule_destroy(gs_schedule *s, gsolve_context *ctx);

/* Calls step for each of n rows, not upper, when those that it depends on are done; worker: below
 * gs_schedule_workers, one at a time each. False: a step returned false. */
typedef bool gs_row_step(void *data, int worker, int32_t row);
bool gs_schedule_walk(const gs_schedule *s, int32_t n, gs_row_step *step, void *data);
int gs_schedule_workers(const gs_schedule *s);

#endif
