// cusparse_cuda.cu: the format cusparse: the products of cuSPARSE, to compare the formats of this
// library with. cuSPARSE analyses the matrix once, when the format is built.
//
// Compressed rows and coordinates use the columns and values of the handle. Sliced ELL
// (cusparse_sell_cuda.cu) and blocks (cusparse_bsr_cuda.cu) are copies, which update fills again.
// All algorithms except alg=csr1 add in an order that does not change from run to run. The
// transposed product uses A' in the same form: that is faster than cuSPARSE's own transposed
// product from about the 30th product on, and its bits do not change.
#include "matrix/rows.cuh"
#include "spmv/cusparse/vendor.cuh"

extern "C" {
#include "spmv/handle.h"
}

gsolve_status gs_vendor_describe(const gs_vendor_matrix *v, gsolve_context *ctx,
                                 cusparseSpMatDescr_t *A)
{
    const gsolve_csr *csr = &v->csr;
    const cudaDataType type = gs_vendor_type_of(csr->type);
    const cusparseIndexType_t index = CUSPARSE_INDEX_32I;
    const bool wide = v->chosen.alg == GS_SELL ? v->wide : csr->offset == GSOLVE_O64;
    const cusparseIndexType_t offset = wide ? CUSPARSE_INDEX_64I : index;
    const cusparseIndexBase_t base = CUSPARSE_INDEX_BASE_ZERO;
    void *start = gs_owned_block(ctx, csr->start), *value = gs_owned_block(ctx, csr->value);
    int32_t *col = (int32_t *)gs_owned_block(ctx, csr->col);
    cusparseStatus_t code;

    switch (v->chosen.alg) {
    case GS_COO:
        code = cusparseCreateCoo(A, csr->nrows, csr->ncols, v->entries, v->row, col, value, index,
                                 base, type);
        break;
    case GS_SELL:
        code = cusparseCreateSlicedEll(A, csr->nrows, csr->ncols, v->entries, v->stored,
                                       v->chosen.slice, v->start, v->col, v->value, offset, index,
                                       base, type);
        break;
    case GS_BSR:
        code = cusparseCreateBsr(A, v->rows, v->cols, v->blocks, v->chosen.block, v->chosen.block,
                                 v->start, v->col, v->value, index, index, base, type,
                                 CUSPARSE_ORDER_ROW);
        break;
    default:
        code = cusparseCreateCsr(A, csr->nrows, csr->ncols, v->entries, start, col, value, offset,
                                 index, base, type);
    }
    return gs_vendor(ctx, code, "describing the matrix");
}

namespace
{

const gsolve_option options[] = {
    {"alg",
     "csr1, csr2: compressed sparse rows with algorithm 1 or 2 of cuSPARSE (with csr1, two runs "
     "may differ in the last bits); coo: coordinate format; sell: sliced ELLPACK; bsr: dense "
     "blocks",
     GSOLVE_CHOICE, offsetof(gs_vendor_options, alg), GS_CSR2, 0, 0, "csr1|csr2|coo|sell|bsr"},
    {"slice", "alg=sell: rows per slice", GSOLVE_INT, offsetof(gs_vendor_options, slice), 32, 2,
     256, nullptr},
    {"block",
     "alg=bsr: rows and columns per block, 2 to 32; 0: the size from 2 to 8 that needs the least "
     "memory, estimated from a sample of the rows",
     GSOLVE_INT, offsetof(gs_vendor_options, block), 0, 0, 32, nullptr},
    {},
};

gsolve_status store_entry_rows(gs_vendor_matrix *v, gsolve_context *ctx)
{
    gsolve_status status;

    if (v->entries > INT32_MAX) {
        return gsolve_fail(
            ctx, GSOLVE_UNSUPPORTED,
            "cusparse,alg=coo supports fewer than 2^31 entries, not %lld; alg=csr2 and "
            "alg=sell support more",
            (long long)v->entries);
    }
    ALLOC_DEVICE(ctx, v->row, v->entries);
    TRY(gs_find_entry_rows(ctx->queue, &v->csr, v->entries, v->row));
done:
    return status;
}

gsolve_status store(gs_vendor_matrix *v, gsolve_context *ctx)
{
    v->stored = v->entries;
    switch (v->chosen.alg) {
    case GS_COO: return store_entry_rows(v, ctx);
    case GS_SELL: return gs_vendor_slice(v, ctx);
    case GS_BSR: return gs_vendor_gather(v, ctx);
    default: return GSOLVE_OK;
    }
}

// The analysis needs vectors x and y, whose contents do not matter. Products set their own.
gsolve_status analyse(gs_vendor_matrix *v, gsolve_context *ctx)
{
    const cudaDataType type = gs_vendor_type_of(v->csr.type);
    const cusparseOperation_t plain = CUSPARSE_OPERATION_NON_TRANSPOSE;
    const int32_t nrows = gs_vendor_nrows(v), ncols = gs_vendor_ncols(v);
    const size_t size = gs_type_size(v->csr.type);
    const gs_vendor_factors f(v->csr.type, 1, 0);
    cusparseHandle_t handle;
    void *x = gsolve_alloc(ctx, GSOLVE_DEVICE, (size_t)ncols, size);
    void *y = gsolve_alloc(ctx, GSOLVE_DEVICE, (size_t)nrows, size);
    gs_vendor_vectors o;
    size_t bytes = 0;
    gsolve_status status = x && y ? GSOLVE_OK : GSOLVE_NO_MEMORY;

    if (status != GSOLVE_OK) goto done;
    TRY(gs_vendor_handle(ctx, &handle));
    TRY(o.make(ctx, ncols, x, nrows, y, type));
    TRY(gs_vendor(ctx,
                  cusparseSpMV_bufferSize(handle, plain, f.at(0), v->A, o.x, f.at(1), o.y, type,
                                          gs_vendor_spmv(v), &bytes),
                  "computing the size of the buffer"));
    v->buffer = gsolve_alloc(ctx, GSOLVE_DEVICE, bytes, 1);
    TRY(v->buffer ? GSOLVE_OK : GSOLVE_NO_MEMORY);
    TRY(gs_vendor(ctx,
                  cusparseSpMV_preprocess(handle, plain, f.at(0), v->A, o.x, f.at(1), o.y, type,
                                          gs_vendor_spmv(v), v->buffer),
                  "analysing the matrix"));
    TRY(gs_cuda(ctx->queue, cudaStreamSynchronize(ctx->queue->stream),
                "analysing the matrix with cuSPARSE"));
done:
    gsolve_free(ctx, GSOLVE_DEVICE, x);
    gsolve_free(ctx, GSOLVE_DEVICE, y);
    return status;
}

void destroy(void *self, gsolve_context *ctx)
{
    gs_vendor_matrix *v = (gs_vendor_matrix *)self;

    if (v->A) cusparseDestroySpMat(v->A);
    for (int p = 0; p < v->plans; p++) {
        if (v->plan[p].A) cusparseDestroySpMat(v->plan[p].A);
        gsolve_free(ctx, GSOLVE_DEVICE, v->plan[p].buffer);
    }
    gsolve_free(ctx, GSOLVE_DEVICE, v->buffer);
    gsolve_free(ctx, GSOLVE_DEVICE, v->row);
    gsolve_free(ctx, GSOLVE_DEVICE, v->start);
    gsolve_free(ctx, GSOLVE_DEVICE, v->col);
    gsolve_free(ctx, GSOLVE_DEVICE, v->value);
    gsolve_free(ctx, GSOLVE_DEVICE, v->x);
    gsolve_free(ctx, GSOLVE_DEVICE, v->y);
    gsolve_free(ctx, GSOLVE_HOST, v);
}

gsolve_status build(void **self, gsolve_context *ctx, const gsolve_csr *csr, int64_t entries,
                    const void *chosen, void *)
{
    gs_vendor_matrix *v = nullptr;
    gsolve_status status;

    v = (gs_vendor_matrix *)gsolve_alloc(ctx, GSOLVE_HOST, 1, sizeof *v);
    if (!v) return GSOLVE_NO_MEMORY;
    *v = gs_vendor_matrix();
    v->chosen = *(const gs_vendor_options *)chosen;
    v->csr = *csr;
    if (v->chosen.block == 1) {
        status =
            gsolve_fail(ctx, GSOLVE_BAD_SPEC, "cusparse,block=1: block must be from 2 to 32, or 0");
        goto done;
    }
    v->entries = entries;
    if (csr->nrows > 0 && csr->ncols > 0 && v->entries > 0) {
        TRY(store(v, ctx));
        TRY(gs_vendor_describe(v, ctx, &v->A));
        TRY(analyse(v, ctx));
    }
    *self = v;
    v = nullptr;
done:
    if (v) destroy(v, ctx);
    return status;
}

// csr and coo read the values of csr. sell and bsr copy them again.
gsolve_status update(void *self, gsolve_context *ctx, const gsolve_csr *csr)
{
    gs_vendor_matrix *v = (gs_vendor_matrix *)self;

    v->csr = *csr;
    if (!v->A) return GSOLVE_OK;
    if (v->chosen.alg == GS_SELL) return gs_vendor_refill_slices(v, ctx);
    if (v->chosen.alg == GS_BSR) return gs_vendor_refill_blocks(v, ctx);
    return GSOLVE_OK;
}

// --- sizes ------------------------------------------------------------------------------------

// The sum of the longest row over all groups of `size` rows.
int64_t longest_in_groups(const gsolve_csr *csr, int size)
{
    int64_t sum = 0;

    for (int32_t i = 0; i < csr->nrows; i += size) {
        int64_t longest = 0;
        for (int32_t r = i; r < csr->nrows && r - i < size; r++) {
            const int64_t length = gs_start(csr, r + 1) - gs_start(csr, r);
            if (length > longest) longest = length;
        }
        sum += longest;
    }
    return sum;
}

// Blocks are estimated as if the rows of a block row had the same columns, beginning at a block
// boundary.
size_t estimate_memory(const gsolve_csr *csr, const void *chosen, void *)
{
    const gs_vendor_options *o = (const gs_vendor_options *)chosen;
    const size_t size = gs_type_size(csr->type), block = (size_t)(o->block > 0 ? o->block : 2);

    switch (o->alg) {
    case GS_COO: return (size_t)gs_start(csr, csr->nrows) * sizeof(int32_t);
    case GS_SELL:
        return (size_t)longest_in_groups(csr, o->slice) * (size_t)o->slice *
                   (size + sizeof(int32_t)) +
               ((size_t)csr->nrows / (size_t)o->slice + 2) * sizeof(int64_t);
    case GS_BSR:
        return ((size_t)longest_in_groups(csr, (int)block) / block + 1) *
                   (block * block * size + sizeof(int32_t)) +
               ((size_t)csr->nrows / block + 2) * sizeof(int32_t);
    default: return 0;
    }
}

void describe(const void *self, gsolve_matrix_info *info)
{
    const gs_vendor_matrix *v = (const gs_vendor_matrix *)self;
    const size_t size = gs_type_size(v->csr.type), index = sizeof(int32_t);
    const size_t vectors = ((size_t)v->csr.nrows + (size_t)v->csr.ncols) * size;

    if (!v->A) return;
    info->stored = v->stored;
    if (v->chosen.alg == GS_COO) {
        info->bytes = (size_t)v->stored * (size + 2 * index) + vectors;
    } else if (v->chosen.alg == GS_SELL) {
        info->bytes = (size_t)v->stored * (size + index) +
                      ((size_t)v->rows + 1) * (v->wide ? sizeof(int64_t) : index) + vectors;
    } else if (v->chosen.alg == GS_BSR) {
        info->bytes = (size_t)v->stored * size + (size_t)v->blocks * index +
                      ((size_t)v->rows + 1) * index + vectors;
        if (v->x) info->bytes += 2 * (size_t)v->csr.ncols * size; // for its copy
        if (v->y) info->bytes += 2 * (size_t)v->csr.nrows * size;
    }
}

} // namespace

extern "C" const gsolve_format gs_cusparse_format = {
    0,
    {"cusparse", "matrix-vector product of NVIDIA cuSPARSE on a GPU, for comparison", options,
     sizeof(gs_vendor_options)},
    nullptr,
    build,
    destroy,
    gs_vendor_apply,
    gs_vendor_apply_block,
    false,
    nullptr,
    nullptr,
    update,
    estimate_memory,
    describe};
