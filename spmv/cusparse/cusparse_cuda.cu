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
                    const void *chosen)
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

} // namespace

extern "C" const gsolve_format gs_cusparse_format = {
    {"cusparse", "matrix-vector product of NVIDIA cuSPARSE on a GPU, for comparison", options,
     sizeof(gs_vendor_options)},
    build,
    destroy,
    gs_vendor_apply,
    gs_vendor_apply_block,
    false,
    nullptr,
    nullptr,
    update,
    gs_vendor_memory,
    gs_vendor_info};
