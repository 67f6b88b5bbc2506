/* no_peer_assembly.c: stands in for peer_assembly.cu where CUDA is not built. */
#include "bench/peer_assembly.h"

#include <stdio.h>

peer_assembly *peer_assembly_open(int64_t count, const int32_t *row, const int32_t *col,
                                  int32_t nrows, int32_t ncols, void *stream, char why[256])
{
    (void)count, (void)row, (void)col, (void)nrows, (void)ncols, (void)stream;
    snprintf(why, 256, "this build has no CUDA");
    return NULL;
}

void peer_assembly_close(peer_assembly *peer)
{
    (void)peer;
}

bool peer_assembly_run(peer_assembly *peer, peer_sum how, const double *value, double *sums,
                       char why[256])
{
    (void)peer, (void)how, (void)value, (void)sums;
    snprintf(why, 256, "this build has no CUDA");
    return false;
}
