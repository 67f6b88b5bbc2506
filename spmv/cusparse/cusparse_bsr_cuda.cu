// cusparse_bsr_cuda.cu: converts csr to compressed rows of dense blocks, row-major within a block,
// for cuSPARSE. The distinct block numbers of all entries, sorted, are the blocks. The block of
// an entry is found by bisection, at the build and at every update, so that no map is stored.
#include <cstdio>

#include "core/scan.cuh"
#include "core/sort.cuh"
#include "matrix/rows.cuh"
#include "spmv/cusparse/vendor.cuh"

#define SMALL __device__ inline
#include "matrix/row_rule.h"

extern "C" {
#include "matrix/block_counts.h"
}

namespace
{

// --- the pattern ------------------------------------------------------------------------------

// key[k] = the number of the block that contains entry k; blocks are numbered block row by block
// row. A warp owns a row; reads and writes are coalesced.
template <class O>
__global__ void make_keys(int32_t nrows, const O *start, const int32_t *col, int block,
                          int64_t cols, uint64_t *key)
{
    const int64_t i = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) / 32;

    if (i >= nrows) return;
    for (int64_t k = start[i] + threadIdx.x % 32; k < start[i + 1]; k += 32) {
        key[k] = (uint64_t)(i / block * cols + col[k] / block);
    }
}

// col[k] = the block column of block k.
__global__ void set_columns(int32_t blocks, const uint64_t *key, int64_t cols, int32_t *col)
{
    const int64_t k = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (k < blocks) col[k] = (int32_t)(key[k] % (uint64_t)cols);
}

// start[I] = the first block at or after block row I, for I <= rows. A thread bisects for one I.
__global__ void find_starts(int32_t rows, int32_t blocks, const uint64_t *key, int64_t cols,
                            int32_t *start)
{
    const int64_t I = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    int32_t low = 0, high = blocks;

    if (I > rows) return;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (key[middle] < (uint64_t)(I * cols)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    start[I] = low;
}

int blocks_for(int64_t threads)
{
    return (int)((threads + gs_block_size - 1) / gs_block_size);
}

template <class O>
gsolve_status make_all_keys(const gs_vendor_matrix *v, gsolve_context *ctx, uint64_t *key)
{
    const gsolve_csr *A = &v->csr;

    return gs_launch(ctx->queue, "finding blocks", make_keys<O>, gs_warp_blocks(A->nrows),
                     gs_block_size, A->nrows, (const O *)A->start, A->col, v->chosen.block,
                     (int64_t)v->cols, key);
}

// Copies the keys that differ from the key before to `to`, another array. *count, on the host =
// their number.
gsolve_status select_different(gsolve_context *ctx, const uint64_t *from, uint64_t *to, int n,
                               int32_t *found, int32_t *count)
{
    gsolve_status status;

    TRY(gs_with_space(ctx, "finding blocks", [&](void *space, size_t &bytes) {
        return gs_select_unique(space, bytes, from, to, found, n, ctx->queue->stream);
    }));
    TRY(gsolve_copy(ctx, count, GSOLVE_HOST, found, GSOLVE_DEVICE, sizeof *count));
done:
    return status;
}

int bits_of(uint64_t n)
{
    int bits = 1;

    while (bits < 64 && n >> bits) bits++;
    return bits;
}

// Finds v's blocks, start and col. Neighbouring entries of a row mostly share a block, so equal
// keys that are neighbours are dropped before the sort.
gsolve_status find_blocks(gs_vendor_matrix *v, gsolve_context *ctx)
{
    const int entries = (int)v->entries;
    const int bits = bits_of((uint64_t)v->rows * (uint64_t)v->cols);
    uint64_t *key = nullptr, *other = nullptr;
    int32_t *found = nullptr, *start = nullptr, count = 0;
    gsolve_status status;

    ALLOC_DEVICE(ctx, key, entries);
    ALLOC_DEVICE(ctx, other, entries);
    ALLOC_DEVICE(ctx, found, 1);
    TRY(v->csr.offset == GSOLVE_O64 ? make_all_keys<int64_t>(v, ctx, key)
                                    : make_all_keys<int32_t>(v, ctx, key));
    TRY(select_different(ctx, key, other, entries, found, &count));
    TRY(gs_with_space(ctx, "sorting blocks", [&](void *space, size_t &bytes) {
        return gs_sort_keys(space, bytes, {other, key}, count, bits, ctx->queue->stream);
    }));
    TRY(select_different(ctx, key, other, count, found, &count));
    v->blocks = count;
    ALLOC_DEVICE(ctx, v->col, count);
    ALLOC_DEVICE(ctx, start, (size_t)v->rows + 1);
    v->start = start;
    TRY(gs_launch(ctx->queue, "setting the columns of blocks", set_columns, blocks_for(count),
                  gs_block_size, count, other, (int64_t)v->cols, v->col));
    TRY(gs_launch(ctx->queue, "finding the starts of block rows", find_starts,
                  blocks_for((int64_t)v->rows + 1), gs_block_size, v->rows, count, other,
                  (int64_t)v->cols, start));
done:
    gsolve_free(ctx, GSOLVE_DEVICE, key);
    gsolve_free(ctx, GSOLVE_DEVICE, other);
    gsolve_free(ctx, GSOLVE_DEVICE, found);
    return status;
}

// --- values -----------------------------------------------------------------------------------

// Writes each value to its block, which exists. A warp owns a row; each lane bisects the block
// columns of the block row for its entry. Writes are not coalesced.
template <class T, class O>
__global__ void fill_blocks(int32_t nrows, const O *start, const int32_t *col, const T *value,
                            int block, const int32_t *first, const int32_t *at, T *out)
{
    const int64_t i = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) / 32;

    if (i >= nrows) return;
    const int32_t begin = first[i / block], end = first[i / block + 1];
    for (int64_t k = start[i] + threadIdx.x % 32; k < start[i + 1]; k += 32) {
        const int32_t j = col[k], J = j / block;
        const int64_t low = gs_row_first(at, begin, end, J);
        out[(low * block + i % block) * block + j % block] = value[k];
    }
}

template <class T, class O>
gsolve_status fill(gs_vendor_matrix *v, gsolve_context *ctx)
{
    const gsolve_csr *A = &v->csr;

    return gs_launch(ctx->queue, "filling blocks", fill_blocks<T, O>, gs_warp_blocks(A->nrows),
                     gs_block_size, A->nrows, (const O *)A->start, A->col, (const T *)A->value,
                     v->chosen.block, (const int32_t *)v->start, v->col, (T *)v->value);
}

template <class T>
gsolve_status fill_typed(gs_vendor_matrix *v, gsolve_context *ctx)
{
    return v->csr.offset == GSOLVE_O64 ? fill<T, int64_t>(v, ctx) : fill<T, int32_t>(v, ctx);
}

// If the matrix ends with a part of a block: *x = a vector of zeros for complete blocks. n:
// elements of the caller's vector; padded: elements in complete blocks.
gsolve_status make_operand(void **x, const gs_vendor_matrix *v, gsolve_context *ctx, int32_t n,
                           int32_t padded)
{
    const size_t size = gs_type_size(v->csr.type);

    if (n == padded) return GSOLVE_OK;
    *x = gsolve_alloc(ctx, GSOLVE_DEVICE, (size_t)padded, size);
    if (!*x) return GSOLVE_NO_MEMORY;
    return gs_cuda(ctx->queue, cudaMemsetAsync(*x, 0, (size_t)padded * size, ctx->queue->stream),
                   "clearing the padded vectors");
}

// Chooses v's block size from 2 to 8: the one with the fewest bytes per entry.
gsolve_status find_size(gs_vendor_matrix *v, gsolve_context *ctx)
{
    gs_block_count found[GS_BLOCK_COUNT_MOST - GS_BLOCK_COUNT_LEAST + 1];
    double bytes;
    gsolve_status status;

    TRY(gs_block_count_cuda[v->csr.type].count(found, ctx, &v->csr));
    v->chosen.block =
        gs_best_block_size(found, v->csr.type, GS_BLOCK_COUNT_LEAST, GS_BLOCK_COUNT_MOST, &bytes);
done:
    return status;
}

gsolve_status refuse_size(gsolve_context *ctx, const char *what, int64_t count)
{
    return gsolve_fail(
        ctx, GSOLVE_UNSUPPORTED,
        "cusparse,alg=bsr supports fewer than 2^31 %s, not %lld; alg=csr2 and alg=sell "
        "support more",
        what, (long long)count);
}

} // namespace

gsolve_status gs_vendor_gather(gs_vendor_matrix *v, gsolve_context *ctx)
{
    const gsolve_csr *A = &v->csr;
    const size_t size = gs_type_size(A->type);
    char form[48];
    gsolve_status status;

    if (v->entries > INT32_MAX) return refuse_size(ctx, "entries", v->entries);
    if (v->chosen.block == 0) TRY(find_size(v, ctx));
    v->rows = (int32_t)(((int64_t)A->nrows + v->chosen.block - 1) / v->chosen.block);
    v->cols = (int32_t)(((int64_t)A->ncols + v->chosen.block - 1) / v->chosen.block);
    if ((int64_t)v->rows * v->chosen.block > INT32_MAX ||
        (int64_t)v->cols * v->chosen.block > INT32_MAX) {
        return refuse_size(ctx, "rows and columns", (int64_t)INT32_MAX + 1);
    }
    TRY(find_blocks(v, ctx));
    v->stored = v->blocks * v->chosen.block * v->chosen.block;
    if (v->stored > INT32_MAX) return refuse_size(ctx, "stored values", v->stored);
    snprintf(form, sizeof form, "cusparse in blocks of %d x %d", v->chosen.block, v->chosen.block);
    TRY(gs_memory_need(ctx, (double)v->stored * (double)size, form));
    v->value = gsolve_alloc(ctx, GSOLVE_DEVICE, (size_t)v->stored, size);
    TRY(v->value ? GSOLVE_OK : GSOLVE_NO_MEMORY);
    TRY(gs_cuda(ctx->queue,
                cudaMemsetAsync(v->value, 0, (size_t)v->stored * size, ctx->queue->stream),
                "filling blocks"));
    TRY(gs_vendor_refill_blocks(v, ctx));
    TRY(make_operand(&v->x, v, ctx, A->ncols, gs_vendor_ncols(v)));
    TRY(make_operand(&v->y, v, ctx, A->nrows, gs_vendor_nrows(v)));
done:
    return status;
}

gsolve_status gs_vendor_refill_blocks(gs_vendor_matrix *v, gsolve_context *ctx)
{
    return v->csr.type == GSOLVE_F32 ? fill_typed<float>(v, ctx) : fill_typed<double>(v, ctx);
}
