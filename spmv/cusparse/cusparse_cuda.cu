// cusparse_cuda.cu: the vendor's products, with the analysis step done once when the format is
// built: the yardstick for the formats of this library.
#include "core/cusparse.cuh"

extern "C" {
#include "core/csr.h"
#include "core/try.h"
#include "core/vector.h"
#include "spmv/matrix.h"
}

namespace
{

enum { CSR1, CSR2, COO };

struct cusparse_options {
    int alg;
};

struct vendor {
    int alg;
    gsolve_type type;
    int64_t entries;
    int32_t nrows, ncols;
    int32_t *row; // of each entry, for COO
    cusparseSpMatDescr_t A;
    void *buffer;
};

const gsolve_option options[] = {
    {"alg", "csr1, csr2: compressed rows by either algorithm; coo: coordinates", GSOLVE_CHOICE,
     offsetof(cusparse_options, alg), CSR2, 0, 0, "csr1|csr2|coo"},
    {},
};

cudaDataType type_of(gsolve_type type)
{
    return type == GSOLVE_F32 ? CUDA_R_32F : CUDA_R_64F;
}

cusparseSpMVAlg_t algorithm(const vendor *v)
{
    return v->alg == CSR1   ? CUSPARSE_SPMV_CSR_ALG1
           : v->alg == CSR2 ? CUSPARSE_SPMV_CSR_ALG2
                            : CUSPARSE_SPMV_COO_ALG2;
}

__global__ void name_rows(int32_t nrows, const int32_t *start, int32_t *row)
{
    const int32_t i = (int32_t)(blockIdx.x * blockDim.x + threadIdx.x) / 32;

    if (i >= nrows) return;
    for (int32_t k = start[i] + (int32_t)threadIdx.x % 32; k < start[i + 1]; k += 32) row[k] = i;
}

struct factors { // alpha and beta in the type of the values
    double wide[2];
    float narrow[2];
    bool single;
    factors(gsolve_type type, double alpha, double beta)
        : wide{alpha, beta}, narrow{(float)alpha, (float)beta}, single(type == GSOLVE_F32)
    {
    }
    const void *at(int k) const
    {
        return single ? (const void *)&narrow[k] : (const void *)&wide[k];
    }
};

gsolve_status describe_rows(vendor *v, gsolve_context *ctx, const gsolve_csr *csr)
{
    void *start = const_cast<void *>(csr->start), *value = const_cast<void *>(csr->value);
    int32_t *col = const_cast<int32_t *>(csr->col);
    gsolve_status status;

    if (v->alg != COO) {
        return gs_vendor(ctx,
                         cusparseCreateCsr(&v->A, v->nrows, v->ncols, v->entries, start, col, value,
                                           CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                                           CUSPARSE_INDEX_BASE_ZERO, type_of(v->type)),
                         "describing the matrix");
    }
    ALLOC_DEVICE(ctx, v->row, v->entries);
    if (v->nrows > 0) {
        const int blocks = (int)(((int64_t)v->nrows * 32 + gs_block_size - 1) / gs_block_size);
        name_rows<<<blocks, gs_block_size, 0, ctx->queue->stream>>>(
            v->nrows, (const int32_t *)csr->start, v->row);
        TRY(gs_launched(ctx->queue, "name_rows"));
    }
    TRY(gs_vendor(ctx,
                  cusparseCreateCoo(&v->A, v->nrows, v->ncols, v->entries, v->row, col, value,
                                    CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, type_of(v->type)),
                  "describing the matrix"));
done:
    return status;
}

// The analysis wants operands; those of the products come later.
gsolve_status analyse(vendor *v, gsolve_context *ctx)
{
    const size_t size = gs_type_size(v->type);
    const factors f(v->type, 1, 0);
    cusparseHandle_t handle;
    void *x = gsolve_alloc(ctx, GSOLVE_DEVICE, (size_t)v->ncols, size);
    void *y = gsolve_alloc(ctx, GSOLVE_DEVICE, (size_t)v->nrows, size);
    gs_vendor_vectors o;
    size_t bytes = 0;
    gsolve_status status = x && y ? GSOLVE_OK : GSOLVE_NO_MEMORY;

    if (status != GSOLVE_OK) goto done;
    TRY(gs_vendor_handle(ctx, &handle));
    TRY(o.make(ctx, v->ncols, x, v->nrows, y, type_of(v->type)));
    TRY(gs_vendor(ctx,
                  cusparseSpMV_bufferSize(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, f.at(0), v->A,
                                          o.x, f.at(1), o.y, type_of(v->type), algorithm(v),
                                          &bytes),
                  "the size of the buffer"));
    v->buffer = gsolve_alloc(ctx, GSOLVE_DEVICE, bytes, 1);
    TRY(v->buffer ? GSOLVE_OK : GSOLVE_NO_MEMORY);
    TRY(gs_vendor(ctx,
                  cusparseSpMV_preprocess(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, f.at(0), v->A,
                                          o.x, f.at(1), o.y, type_of(v->type), algorithm(v),
                                          v->buffer),
                  "the analysis"));
    TRY(gs_cuda(ctx->queue, cudaStreamSynchronize(ctx->queue->stream), "the analysis of cuSPARSE"));
done:
    gsolve_free(ctx, GSOLVE_DEVICE, x);
    gsolve_free(ctx, GSOLVE_DEVICE, y);
    return status;
}

void destroy(void *self, gsolve_context *ctx)
{
    vendor *v = (vendor *)self;

    if (v->A) cusparseDestroySpMat(v->A);
    gsolve_free(ctx, GSOLVE_DEVICE, v->row);
    gsolve_free(ctx, GSOLVE_DEVICE, v->buffer);
    gsolve_free(ctx, GSOLVE_HOST, v);
}

gsolve_status build(void **self, gsolve_context *ctx, const gsolve_csr *csr, const void *chosen)
{
    vendor *v = nullptr;
    gsolve_status status;

    if (csr->offset != GSOLVE_O32) {
        return gsolve_fail(ctx, GSOLVE_UNSUPPORTED,
                           "the format cusparse takes fewer than 2^31 entries");
    }
    v = (vendor *)gsolve_alloc(ctx, GSOLVE_HOST, 1, sizeof *v);
    if (!v) return GSOLVE_NO_MEMORY;
    *v = vendor();
    v->alg = ((const cusparse_options *)chosen)->alg;
    v->type = csr->type;
    v->nrows = csr->nrows;
    v->ncols = csr->ncols;
    TRY(gs_csr_entries(ctx, csr, &v->entries));
    if (v->nrows > 0 && v->ncols > 0 && v->entries > 0) { // else there is nothing to multiply
        TRY(describe_rows(v, ctx, csr));
        TRY(analyse(v, ctx));
    }
    *self = v;
    v = nullptr;
done:
    if (v) destroy(v, ctx);
    return status;
}

gsolve_status apply(const void *self, gsolve_context *ctx, double alpha, gsolve_dense x,
                    double beta, gsolve_dense y)
{
    const vendor *v = (const vendor *)self;
    const factors f(v->type, alpha, beta);
    gs_vendor_vectors o;
    gsolve_status status;

    if (!v->A) {
        gs_ratio scale = {};
        scale.sign = beta;
        const gs_vector_kernels *vector = GS_KERNELS(gs_vector, ctx, v->type);
        return beta == 0 ? vector->zero(ctx->queue, v->nrows, y.value)
                         : vector->scale(ctx->queue, v->nrows, scale, y.value);
    }
    TRY(o.make(ctx, v->ncols, x.value, v->nrows, y.value, type_of(v->type)));
    TRY(gs_vendor(ctx,
                  cusparseSpMV(ctx->queue->sparse, CUSPARSE_OPERATION_NON_TRANSPOSE, f.at(0), v->A,
                               o.x, f.at(1), o.y, type_of(v->type), algorithm(v), v->buffer),
                  "the product"));
done:
    return status;
}

} // namespace

extern "C" const gsolve_format gs_cusparse_format = {
    {"cusparse", "the vendor's product on a GPU, analysed once: a yardstick", options,
     sizeof(cusparse_options)},
    build,
    destroy,
    apply};
