/* batch.h: vector kernels for several columns at once.
 *
 * On a GPU, the vector kernels of all columns run in one launch: a queue of a special kind stores
 * the calls and launches them together. The bits of a column are those of a launch of its own. */
#ifndef GS_VECTOR_BATCH_H
#define GS_VECTOR_BATCH_H

#include "core/context.h"
#include "vector/vector.h"

typedef struct gs_columns_kernels {
    /* exchanges the contents of a and b; each has that many 32-bit words */
    gsolve_status (*swap)(gs_queue *q, int64_t words, void *a, void *b);
    /* The members below are NULL and 0 on the CPU, where a launch costs nothing. */
    /* *all = whether all columns have ended, see vector/convergence.h */
    gsolve_status (*all_ended)(gs_queue *q, int32_t count, const int *ended, int *all);
    /* bytes of a storing queue on the host and on the device; open makes one in this memory */
    size_t queue_size, space_size;
    gsolve_status (*open)(gs_queue *q, void *queue, void *space);
    /* begin: the storing queue `batch` launches on q's stream from now on. end: launches the stored
     * calls. */
    void (*begin)(gs_queue *batch, const gs_queue *q);
    gsolve_status (*end)(gs_queue *batch);
    /* The kernels that a storing queue accepts. Stored calls must not depend on each other. */
    const gs_vector_kernels *vector;
} gs_columns_kernels;

extern const gs_columns_kernels gs_columns_host, gs_columns_cuda;

static inline const gs_columns_kernels *gs_columns_kernels_of(const gsolve_context *ctx)
{
    return gs_on_gpu(ctx) ? &gs_columns_cuda : &gs_columns_host;
}

#endif
