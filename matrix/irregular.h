/* irregular.h: whether products on the CPU should prefetch elements of x. */
#ifndef GS_MATRIX_IRREGULAR_H
#define GS_MATRIX_IRREGULAR_H

#include "matrix/csr.h"

#define GS_AHEAD 32 /* prefetch distance in entries */

/* Whether x exceeds 1 MiB and, in a sample of rows, most entries are more than 4096 columns away
 * from the entry at the same place of the row before. The rows lie where the CPU reads them. */
bool gs_is_irregular(const gsolve_csr *A);

/* How the rows of a matrix are summed. */
typedef enum gs_rows {
    GS_ROWS_EVEN,     /* equal lengths, or long rows: the CPU predicts the ends of rows */
    GS_ROWS_UNEVEN,   /* short rows; over an eighth of a sample differ in length from the row before
                       */
    GS_ROWS_IRREGULAR /* see gs_is_irregular */
} gs_rows;

gs_rows gs_rows_of(const gsolve_csr *A);

/* The prefetch distance at which entries up to end can be summed four at a time without a read
 * past the last entry; 0 if no distance allows that. */
static inline int64_t gs_ahead(int64_t end, int64_t entries)
{
    return end + GS_AHEAD + 4 <= entries ? GS_AHEAD : 0;
}

#endif
