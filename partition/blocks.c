/* blocks.c: pieces of consecutive rows. */
#include "core/try.h"
#include "dist/comm.h"
#include "partition/partition.h"

gsolve_status gs_divide_blocks(int32_t *part, gsolve_context *ctx, const gsolve_csr *shape)
{
    const int ranks = gs_comm_ranks(ctx->comm);
    int64_t sum = 0, before, total;
    gsolve_status status;

    for (int32_t i = 0; i < shape->nrows; i++) sum += gs_row_weight(shape, i);
    TRY(gs_comm_place(ctx->comm, sum, &before, &total));
    for (int32_t i = 0; i < shape->nrows; i++) {
        const int64_t weight = gs_row_weight(shape, i);
        /* the piece in which the middle of the row lies */
        const double middle = (double)(2 * before + weight) / (double)(2 * total);
        const int piece = (int)(middle * ranks);
        part[i] = piece < ranks ? piece : ranks - 1;
        before += weight;
    }
done:
    return status;
}
