// transpose_cuda.cu: A' on a GPU: sorts the entries by column. The radix sort is stable, so the
// rows ascend within each column. The order is stored, so that new values only need one gather.
#include "core/cuda.cuh"
#include "core/sort.cuh"
#include "matrix/rows.cuh"

extern "C" {
#include "core/try.h"
#include "matrix/csr.h"
}

#define SMALL static __device__ inline
#include "matrix/row_rule.h"

namespace
{

// order[k] = k
template <class P>
__global__ void fill_identity(int64_t n, P *order)
{
    const int64_t step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t k = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; k < n; k += step) {
        order[k] = (P)k;
    }
}

// start[j] = the first of n ascending columns that is j or more, for j <= ncols. A thread bisects
// for one j.
template <class O>
__global__ void find_starts(int32_t ncols, int64_t n, const int32_t *col, O *start)
{
    const int64_t j = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (j <= ncols) start[j] = (O)gs_row_first(col, 0, n, j);
}

// to[k] = from[order[k]]. A thread strides over k; writes are coalesced, reads are gathers.
template <class T, class P>
__global__ void gather(int64_t n, const P *order, const T *from, T *to)
{
    const int64_t step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t k = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; k < n; k += step) {
        to[k] = from[order[k]];
    }
}

template <class T, class P>
gsolve_status gather_all(gs_queue *q, int64_t n, const void *order, const T *from, T *to)
{
    return gs_launch(q, "gathering the transpose", gather<T, P>, gs_grid(q, n), gs_block_size, n,
                     (const P *)order, from, to);
}

int bits_of(int32_t n)
{
    int bits = 1;

    while (bits < 31 && n >> bits) bits++;
    return bits;
}

// order[k] = the entry that is the k-th by columns. T->start follows from the sorted columns.
template <class P>
gsolve_status sort_entries(const gsolve_csr *T, P *order, gsolve_context *ctx, const gsolve_csr *A,
                           int64_t n)
{
    gs_queue *q = ctx->queue;
    void *start = gs_owned_block(ctx, T->start);
    const int bits = bits_of(A->ncols), blocks = (int)((int64_t)A->ncols / gs_block_size + 1);
    int32_t *sorted = nullptr;
    P *place = nullptr;
    void *space = nullptr;
    size_t bytes = 0;
    gsolve_status status;

    ALLOC_DEVICE(ctx, sorted, n);
    ALLOC_DEVICE(ctx, place, n);
    TRY(gs_launch(q, "numbering the entries", fill_identity<P>, gs_grid(q, n), gs_block_size, n,
                  place));
    gs_sort_pairs(nullptr, bytes, {A->col, sorted}, {place, order}, n, bits, q->stream);
    space = gsolve_alloc(ctx, GSOLVE_DEVICE, bytes, 1);
    TRY(space ? GSOLVE_OK : GSOLVE_NO_MEMORY);
    TRY(gs_cuda(q,
                gs_sort_pairs(space, bytes, {A->col, sorted}, {place, order}, n, bits, q->stream),
                "sorting by columns"));
    TRY(T->offset == GSOLVE_O64
            ? gs_launch(q, "finding the starts of columns", find_starts<int64_t>, blocks,
                        gs_block_size, A->ncols, n, sorted, (int64_t *)start)
            : gs_launch(q, "finding the starts of columns", find_starts<int32_t>, blocks,
                        gs_block_size, A->ncols, n, sorted, (int32_t *)start));
done:
    gsolve_free(ctx, GSOLVE_DEVICE, space);
    gsolve_free(ctx, GSOLVE_DEVICE, sorted);
    gsolve_free(ctx, GSOLVE_DEVICE, place);
    return status;
}

// T->col = the rows of A's entries, in the order of T.
template <class P>
gsolve_status gather_rows(const gsolve_csr *T, const void *order, gsolve_context *ctx,
                          const gsolve_csr *A, int64_t n)
{
    int32_t *row = nullptr;
    gsolve_status status;

    ALLOC_DEVICE(ctx, row, n);
    TRY(gs_find_entry_rows(ctx->queue, A, n, row));
    TRY((
        gather_all<int32_t, P>(ctx->queue, n, order, row, (int32_t *)gs_owned_block(ctx, T->col))));
done:
    gsolve_free(ctx, GSOLVE_DEVICE, row);
    return status;
}

// Copies the n values of A to B = A'.
template <class T>
gsolve_status gather_values(const gsolve_csr *B, const void *order, gsolve_context *ctx,
                            const gsolve_csr *A, int64_t n)
{
    const T *from = (const T *)A->value;
    T *to = (T *)gs_owned_block(ctx, B->value);

    if (n == 0) return GSOLVE_OK;
    return n > INT32_MAX ? gather_all<T, int64_t>(ctx->queue, n, order, from, to)
                         : gather_all<T, int32_t>(ctx->queue, n, order, from, to);
}

template <class T>
gsolve_status refill(const gsolve_csr *B, const void *order, gsolve_context *ctx,
                     const gsolve_csr *A)
{
    int64_t n = 0;
    gsolve_status status;

    TRY(gs_csr_entries(ctx, A, &n));
    TRY(gather_values<T>(B, order, ctx, A, n));
done:
    return status;
}

template <class P>
gsolve_status make_pattern(const gsolve_csr *T, void **order, gsolve_context *ctx,
                           const gsolve_csr *A, int64_t n)
{
    P *place = nullptr;
    gsolve_status status;

    ALLOC_DEVICE(ctx, place, n);
    *order = place;
    if (n == 0) {
        const size_t bytes = ((size_t)T->nrows + 1) * gs_offset_size(T->offset);
        return gs_cuda(ctx->queue,
                       cudaMemsetAsync(gs_owned_block(ctx, T->start), 0, bytes, ctx->queue->stream),
                       "clearing an empty transpose");
    }
    TRY(sort_entries(T, place, ctx, A, n));
    TRY(gather_rows<P>(T, place, ctx, A, n));
done:
    return status;
}

template <class T>
gsolve_status make(gsolve_csr *out, void **order, gsolve_context *ctx, const gsolve_csr *A,
                   int64_t n)
{
    gsolve_csr B = {};
    void *place = nullptr;
    gsolve_status status;

    TRY(gs_csr_new_at(&B, ctx, GSOLVE_DEVICE, A->ncols, A->nrows, n, A->type));
    TRY(n > INT32_MAX ? make_pattern<int64_t>(&B, &place, ctx, A, n)
                      : make_pattern<int32_t>(&B, &place, ctx, A, n));
    TRY(gather_values<T>(&B, place, ctx, A, n));
    *out = B;
    *order = place;
    B = gsolve_csr();
    place = nullptr;
done:
    gsolve_csr_free(&B, ctx);
    gsolve_free(ctx, GSOLVE_DEVICE, place);
    return status;
}

} // namespace

extern "C" const gs_transpose_kernels gs_transpose_cuda[GSOLVE_TYPE_COUNT] = {
    {make<float>, refill<float>},
    {make<double>, refill<double>},
};
