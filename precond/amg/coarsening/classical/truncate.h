/* truncate.h: truncates a row of P on the CPU. */
#ifndef GS_PRECOND_AMG_COARSENING_CLASSICAL_TRUNCATE_H
#define GS_PRECOND_AMG_COARSENING_CLASSICAL_TRUNCATE_H

#include <stdint.h>

/* Truncates a row of n entries, each column once: keeps at most `most` entries (0: any number), of
 * equal ones the first columns, and none below truncate times the largest. Scales the rest to the
 * sum of all, and sorts it by columns. Returns the number of entries that are left. */
int32_t gs_truncate_row(int32_t n, int32_t *column, double *weight, int most, double truncate);

#endif
