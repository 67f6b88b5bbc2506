/* batch.h: what is done with several columns of vectors at once.
 *
 * On a GPU the vector kernels of as many columns as there are run in one launch: a queue of its own
 * kind keeps what it is asked for and runs it together. A column has the same bits as in a launch
 * of its own. */
#ifndef GS_VECTOR_BATCH_H
#define GS_VECTOR_BATCH_H

#include "core/context.h"
#include "vector/vector.h"

typedef struct gs_columns_kernels {
    /* a and b, of so many words of 4 bytes, trade places */
    gsolve_status (*swap)(gs_queue *q, int64_t words, void *a, void *b);
    /* The rest is NULL and 0 where a launch costs nothing. */
    /* *all = whether every one of the columns has ended, see vector/convergence.h */
    gsolve_status (*all_ended)(gs_queue *q, int32_t count, const int *ended, int *all);
    /* sizes of a queue that keeps: on the host, on the device; makes one of q's device in them */
    size_t queue_size, space_size;
    gsolve_status (*open)(gs_queue *q, void *queue, void *space);
    /* From here on kept works on q's stream; runs what was asked of it and has not run. */
    void (*begin)(gs_queue *kept, const gs_queue *q);
    gsolve_status (*end)(gs_queue *kept);
    /* What may be asked of it: kernels that do not depend on one another. */
    const gs_vector_kernels *vector;
} gs_columns_kernels;

extern const gs_columns_kernels gs_columns_host, gs_columns_cuda;

static inline const gs_columns_kernels *gs_columns_kernels_of(const gsolve_context *ctx)
{
    return gs_on_gpu(ctx) ? &gs_columns_cuda : &gs_columns_host;
}

#endif
