/* batch_host.c: the kernels of batch.h on the CPU: columns are processed one after the other. */
#include "vector/batch.h"

#include <string.h>

static gsolve_status swap(gs_queue *q, int64_t words, void *a, void *b)
{
    enum { PIECE = 1024 };
    uint32_t piece[PIECE], *x = a, *y = b;

    (void)q;
    for (int64_t i = 0; i < words; i += PIECE) {
        const size_t bytes = (size_t)(words - i < PIECE ? words - i : PIECE) * sizeof *x;
        memcpy(piece, x + i, bytes);
        memcpy(x + i, y + i, bytes);
        memcpy(y + i, piece, bytes);
    }
    return GSOLVE_OK;
}

const gs_columns_kernels gs_columns_host = {.swap = swap};
