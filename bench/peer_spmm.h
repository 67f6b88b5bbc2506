/* peer_spmm.h: Y = A X by cuSPARSE, each of its algorithms by itself, analysed beforehand. */
#ifndef PEER_SPMM_H
#define PEER_SPMM_H

#include "gsolve.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct peer_spmm peer_spmm;

#define PEER_SPMM_ALGORITHMS 4

/* "csr1", "csr2", "csr3", "coo4" */
const char *peer_spmm_name(int algorithm);

/* For these operands, which lie on the device, of one type and layout; A's offsets are of 32 bits.
 * stream: a cudaStream_t. NULL: why tells the cause. */
peer_spmm *peer_spmm_open(int algorithm, const gsolve_csr *A, gsolve_dense X, gsolve_dense Y,
                          void *stream, char why[256]);
void peer_spmm_close(peer_spmm *peer);

/* Y = A X, queued. False: why tells the cause. */
bool peer_spmm_multiply(peer_spmm *peer, char why[256]);

#ifdef __cplusplus
}
#endif
#endif
