/* no_peer.c: the plain peer in a build without CUDA. */
#include <stdio.h>

#include "bench/peer_plain.h"

peer_plain *peer_plain_open(const gsolve_csr *csr, peer_method method, int m, char why[256])
{
    (void)csr, (void)method, (void)m;
    snprintf(why, 256, "this build has no CUDA, so there is no plain peer");
    return NULL;
}

void peer_plain_close(peer_plain *peer)
{
    (void)peer;
}

bool peer_plain_solve(peer_plain *peer, peer_variant variant, double rtol, int maxit,
                      const double *b, double *x, int *iterations, double *seconds, char why[256])
{
    (void)peer, (void)variant, (void)rtol, (void)maxit, (void)b, (void)x;
    *iterations = 0;
    *seconds = 0;
    snprintf(why, 256, "this build has no CUDA, so there is no plain peer");
    return false;
}
