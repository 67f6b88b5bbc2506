/* peer_assembly.h: sums of triplets on a GPU by CUB, in fp64. */
#ifndef PEER_ASSEMBLY_H
#define PEER_ASSEMBLY_H

#include "gsolve.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct peer_assembly peer_assembly;

typedef enum peer_sum {
    PEER_SORT, /* each time a radix sort of keys (row, column) and values, then a reduction by key
                */
    PEER_KEPT, /* the sorted keys and the order are kept: a reduction by key of gathered values */
    PEER_SUMS
} peer_sum;

/* For triplets whose positions are on the host. stream: a cudaStream_t. NULL: why tells the cause.
 */
peer_assembly *peer_assembly_open(int64_t count, const int32_t *row, const int32_t *col,
                                  int32_t nrows, int32_t ncols, void *stream, char why[256]);
void peer_assembly_close(peer_assembly *peer);

/* sums[e] = the sum of entry e of the matrix by rows, queued; both arrays are on the device. False:
 * why tells the cause. */
bool peer_assembly_run(peer_assembly *peer, peer_sum how, const double *value, double *sums,
                       char why[256]);

#ifdef __cplusplus
}
#endif
#endif
