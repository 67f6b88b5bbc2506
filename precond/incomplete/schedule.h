/* schedule.h: level scheduling for rows that depend on earlier rows: the order of the rows, and
 * their distribution to threads.
 *
 * Consecutive rows, each of which depends on the one before, form a tile; on a grid this is a line.
 * The rows of a tile lie close together in memory. A tile belongs to a level; the tiles of a level
 * depend on earlier levels only, and are distributed to the threads. Four tiles at a time are
 * interleaved row by row, so that a processor has four independent chains of operations. The sum of
 * a row does not change: the bits are those of the natural order. */
#ifndef GS_PRECOND_INCOMPLETE_SCHEDULE_H
#define GS_PRECOND_INCOMPLETE_SCHEDULE_H

#include "core/context.h"

typedef struct gs_schedule {
    int32_t *row;   /* the n rows in the order of computation; NULL: natural order */
    int32_t *begin; /* levels x threads + 1: where the share of each thread in each level begins */
    int32_t levels; /* 0: one thread computes all rows */
    int threads;
} gs_schedule;

/* Makes the schedule of n rows with the sorted columns col[start[i], start[i + 1]). Row i depends
 * on row j for each of its columns j. All columns are below i, or above i if upper; the natural
 * order is then descending. The natural order is kept if no schedule pays off. */
gsolve_status gs_schedule_create(gs_schedule *s, gsolve_context *ctx, bool upper, int32_t n,
                                 const int64_t *start, const int32_t *col);
void gs_schedule_destroy(gs_schedule *s, gsolve_context *ctx);

/* Calls range for ranges [from, to) of positions in the order of s, which cover the n rows, each
 * after the rows that it depends on. At most `workers` threads call. worker: below workers, the
 * number of the thread. A thread may get several shares of a level, one after the other. */
typedef void gs_row_range(void *data, int worker, int32_t from, int32_t to);
void gs_schedule_run(const gs_schedule *s, int workers, int32_t n, gs_row_range *range, void *data);

/* The workers of a task that needs work space for each. */
int gs_schedule_workers(const gs_schedule *s);

#endif
