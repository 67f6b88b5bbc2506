/* counts.h: the sizes of messages. Each rank knows how many elements it sends to each other one,
 * and learns how many it receives. */
#ifndef GS_DIST_COUNTS_H
#define GS_DIST_COUNTS_H

#include "dist/comm.h"

/* number[r], for each rank r: on entry for rank r, on return from rank r. Collective; memory for
 * O(ranks) numbers and O(log(ranks)) exchanges. comm NULL: nothing changes. */
gsolve_status gs_comm_exchange_counts(gs_comm *comm, int64_t *number);

#endif
