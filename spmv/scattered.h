/* scattered.h: whether products on the CPU should ask for elements of x ahead of their use. */
#ifndef GS_SPMV_SCATTERED_H
#define GS_SPMV_SCATTERED_H

#include "core/csr.h"

#define GS_AHEAD 32 /* entries before their use elements of a scattered x are asked for */

/* Whether x exceeds 1 MiB and, in a sample of rows, most entries are more than 4096 columns away
 * from the entry at the same place of the row before. The rows lie where the CPU reads them. */
bool gs_is_scattered(const gsolve_csr *A);

#endif
