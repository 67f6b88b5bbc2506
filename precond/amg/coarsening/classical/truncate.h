/* truncate.h: rows of P made shorter on the CPU. */
#ifndef GS_PRECOND_AMG_COARSENING_CLASSICAL_TRUNCATE_H
#define GS_PRECOND_AMG_COARSENING_CLASSICAL_TRUNCATE_H

#include <stdint.h>

/* The n entries of a row, each column once, are truncate_rows to most (0: any) and those of
 * truncate times the largest, of equal ones the first columns; scaled to the sum they had; their
 * columns ascend then. Returns how many are left. */
int32_t gs_truncate_row(int32_t n, int32_t *column, double *weight, int most, double truncate);

#endif
