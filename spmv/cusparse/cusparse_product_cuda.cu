// cusparse_product_cuda.cu: the products of the format cusparse, with one column and with several.
#include "spmv/cusparse/vendor.cuh"

extern "C" {
#include "vector/vector.h"
}

namespace
{

// Copies n numbers from or to a padded vector of v.
gsolve_status copy_padded(gsolve_context *ctx, void *to, const void *from, int32_t n,
                          gsolve_type type)
{
    return gs_cuda(ctx->queue,
                   cudaMemcpyAsync(to, from, (size_t)n * gs_type_size(type),
                                   cudaMemcpyDeviceToDevice, ctx->queue->stream),
                   "copying a padded vector");
}

// y = beta y, for a matrix without entries.
gsolve_status scale(const gs_vendor_matrix *v, gsolve_context *ctx, double beta, void *y)
{
    gs_ratio factor = {};
    const gs_vector_kernels *vector = GS_KERNELS(gs_vector, ctx, v->csr.type);

    factor.sign = beta;
    return beta == 0 ? vector->zero(ctx->queue, v->csr.nrows, y)
                     : vector->scale(ctx->queue, v->csr.nrows, factor, y);
}

} // namespace

gsolve_status gs_vendor_apply(void *self, gsolve_context *ctx, double alpha, gsolve_dense x,
                              double beta, gsolve_dense y)
{
    const gs_vendor_matrix *v = (const gs_vendor_matrix *)self;
    const cudaDataType type = gs_vendor_type_of(v->csr.type);
    const gs_vendor_factors f(v->csr.type, alpha, beta);
    void *to = v->y ? v->y : y.value;
    gs_vendor_vectors o;
    gsolve_status status;

    if (!v->A) return scale(v, ctx, beta, y.value);
    if (v->x) TRY(copy_padded(ctx, v->x, x.value, x.nrows, x.type));
    if (v->y && beta != 0) TRY(copy_padded(ctx, v->y, y.value, y.nrows, y.type));
    TRY(o.make(ctx, gs_vendor_ncols(v), v->x ? v->x : x.value, gs_vendor_nrows(v), to, type));
    TRY(gs_vendor(ctx,
                  cusparseSpMV(ctx->queue->sparse, CUSPARSE_OPERATION_NON_TRANSPOSE, f.at(0), v->A,
                               o.x, f.at(1), o.y, type, gs_vendor_spmv(v), v->buffer),
                  "the product"));
    if (v->y) TRY(copy_padded(ctx, y.value, v->y, y.nrows, y.type));
done:
    return status;
}

// --- several columns --------------------------------------------------------------------------

namespace
{

// The algorithm of cuSPARSE for several columns. All except csr1 add in the same order in every
// run.
cusparseSpMMAlg_t spmm(const gs_vendor_matrix *v)
{
    return v->chosen.alg == GS_CSR1   ? CUSPARSE_SPMM_CSR_ALG1
           : v->chosen.alg == GS_CSR2 ? CUSPARSE_SPMM_CSR_ALG3
           : v->chosen.alg == GS_COO  ? CUSPARSE_SPMM_COO_ALG2
                                      : CUSPARSE_SPMM_BSR_ALG1;
}

// Descriptors of an x and a y with several columns.
struct dense_pair {
    cusparseDnMatDescr_t x = nullptr, y = nullptr;

    gsolve_status make(gsolve_context *ctx, gsolve_dense px, gsolve_dense py)
    {
        const cudaDataType type = gs_vendor_type_of(px.type);
        gsolve_status status = gs_vendor(ctx,
                                         cusparseCreateDnMat(&x, px.nrows, px.ncols, px.stride,
                                                             px.value, type, CUSPARSE_ORDER_COL),
                                         "x");
        if (status == GSOLVE_OK) {
            status = gs_vendor(ctx,
                               cusparseCreateDnMat(&y, py.nrows, py.ncols, py.stride, py.value,
                                                   type, CUSPARSE_ORDER_COL),
                               "y");
        }
        return status;
    }
    ~dense_pair()
    {
        if (x) cusparseDestroyDnMat(x);
        if (y) cusparseDestroyDnMat(y);
    }
};

void drop_plan(gs_vendor_plan *p, gsolve_context *ctx)
{
    if (p->A) cusparseDestroySpMat(p->A);
    gsolve_free(ctx, GSOLVE_DEVICE, p->buffer);
    p->A = nullptr;
    p->buffer = nullptr;
}

// Fills in p's descriptor and buffer, analysed. The plan has a descriptor of its own, since the
// analysis of one product does not serve another. GSOLVE_UNSUPPORTED: cuSPARSE has no such product.
gsolve_status analyse(gs_vendor_plan *p, const gs_vendor_matrix *v, gsolve_context *ctx,
                      const dense_pair &o)
{
    const cusparseOperation_t plain = CUSPARSE_OPERATION_NON_TRANSPOSE;
    const cudaDataType type = gs_vendor_type_of(v->csr.type);
    const gs_vendor_factors f(v->csr.type, 1, 0);
    size_t bytes = 0;
    gsolve_status status;

    TRY(gs_vendor_describe(v, ctx, &p->A));
    TRY(gs_vendor(ctx,
                  cusparseSpMM_bufferSize(ctx->queue->sparse, plain, plain, f.at(0), p->A, o.x,
                                          f.at(1), o.y, type, spmm(v), &bytes),
                  "computing the size of the buffer for several columns"));
    p->buffer = gsolve_alloc(ctx, GSOLVE_DEVICE, bytes, 1);
    TRY(p->buffer ? GSOLVE_OK : GSOLVE_NO_MEMORY);
    TRY(gs_vendor(ctx,
                  cusparseSpMM_preprocess(ctx->queue->sparse, plain, plain, f.at(0), p->A, o.x,
                                          f.at(1), o.y, type, spmm(v), p->buffer),
                  "analysing the matrix for several columns"));
done:
    if (status != GSOLVE_OK) drop_plan(p, ctx);
    return status;
}

bool is_recording(gs_queue *q)
{
    cudaStreamCaptureStatus now = cudaStreamCaptureStatusNone;
    return cudaStreamIsCapturing(q->stream, &now) != cudaSuccess ||
           now != cudaStreamCaptureStatusNone;
}

// *plan = the plan for these columns and strides. The first call creates it; it stays until the
// matrix is destroyed, since a recorded CUDA graph may read its buffer. NULL: no plan is possible,
// and the columns are multiplied one by one.
gsolve_status need_plan(gs_vendor_plan **plan, gs_vendor_matrix *v, gsolve_context *ctx,
                        gsolve_dense x, gsolve_dense y, const dense_pair &o)
{
    gs_vendor_plan p = {x.ncols, x.stride, y.stride, nullptr, nullptr};
    gsolve_status status;

    *plan = nullptr;
    for (int k = 0; k < v->plans; k++) {
        gs_vendor_plan *old = &v->plan[k];
        if (old->columns != p.columns || old->xstride != p.xstride || old->ystride != p.ystride) {
            continue;
        }
        if (old->A) *plan = old;
        return GSOLVE_OK;
    }
    if (v->plans == gs_vendor_most_plans || is_recording(ctx->queue)) return GSOLVE_OK;
    status = analyse(&p, v, ctx, o);
    if (status != GSOLVE_OK && status != GSOLVE_UNSUPPORTED) return status;
    v->plan[v->plans] = p;
    if (p.A) *plan = &v->plan[v->plans];
    v->plans++;
    return GSOLVE_OK;
}

gsolve_status one_by_one(void *self, gsolve_context *ctx, double alpha, gsolve_dense x, double beta,
                         gsolve_dense y)
{
    gsolve_status status = GSOLVE_OK;

    for (int32_t j = 0; j < x.ncols && status == GSOLVE_OK; j++) {
        status = gs_vendor_apply(self, ctx, alpha, gs_column_of(x, j), beta, gs_column_of(y, j));
    }
    return status;
}

} // namespace

// cuSPARSE has no product of several columns for slices, and padded vectors exist for one column
// only: in these cases the columns are multiplied one by one.
gsolve_status gs_vendor_apply_block(void *self, gsolve_context *ctx, double alpha, gsolve_dense x,
                                    double beta, gsolve_dense y)
{
    gs_vendor_matrix *v = (gs_vendor_matrix *)self;
    const gs_vendor_factors f(v->csr.type, alpha, beta);
    gs_vendor_plan *plan;
    dense_pair o;
    gsolve_status status;

    if (!v->A || v->chosen.alg == GS_SELL || v->x || v->y) {
        return one_by_one(self, ctx, alpha, x, beta, y);
    }
    TRY(o.make(ctx, x, y));
    TRY(need_plan(&plan, v, ctx, x, y, o));
    if (!plan) return one_by_one(self, ctx, alpha, x, beta, y);
    TRY(gs_vendor(ctx,
                  cusparseSpMM(ctx->queue->sparse, CUSPARSE_OPERATION_NON_TRANSPOSE,
                               CUSPARSE_OPERATION_NON_TRANSPOSE, f.at(0), plan->A, o.x, f.at(1),
                               o.y, gs_vendor_type_of(v->csr.type), spmm(v), plan->buffer),
                  "the product of several columns"));
done:
    return status;
}
