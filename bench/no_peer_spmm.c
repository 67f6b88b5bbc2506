/* no_peer_spmm.c: stands in for peer_spmm.cu where CUDA is not built. */
#include "bench/peer_spmm.h"

#include <stdio.h>

const char *peer_spmm_name(int algorithm)
{
    (void)algorithm;
    return "none";
}

peer_spmm *peer_spmm_open(int algorithm, const gsolve_csr *A, gsolve_dense X, gsolve_dense Y,
                          void *stream, char why[256])
{
    (void)algorithm, (void)A, (void)X, (void)Y, (void)stream;
    snprintf(why, 256, "this build has no CUDA");
    return NULL;
}

void peer_spmm_close(peer_spmm *peer)
{
    (void)peer;
}

bool peer_spmm_multiply(peer_spmm *peer, char why[256])
{
    (void)peer;
    snprintf(why, 256, "this build has no CUDA");
    return false;
}
