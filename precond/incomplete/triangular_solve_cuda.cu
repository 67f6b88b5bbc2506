// triangular_solve_cuda.cu: the triangular solve of one column on a GPU by cuSPARSE, with one
// analysis per pattern. triangular_solve_columns_cuda.cu solves for several columns.
#include "precond/incomplete/triangular_solve.cuh"
#include "vector/each.cuh"

extern "C" {
#include "core/try.h"
}

namespace
{

constexpr cusparseOperation_t plain = CUSPARSE_OPERATION_NON_TRANSPOSE;
constexpr cusparseSpSVAlg_t algorithm = CUSPARSE_SPSV_ALG_DEFAULT;

void destroy_vendor(gs_triangle *t, gsolve_context *ctx)
{
    gs_vendor_triangle *v = t->vendor;

    if (!v) return;
    if (v->solve) cusparseSpSV_destroyDescr(v->solve);
    if (v->T) cusparseDestroySpMat(v->T);
    gsolve_csr_free(&v->rows, ctx);
    gsolve_free(ctx, GSOLVE_DEVICE, v->scaled);
    gsolve_free(ctx, GSOLVE_DEVICE, v->solved);
    v->vectors.drop();
    gsolve_free(ctx, GSOLVE_DEVICE, v->buffer);
    gsolve_free(ctx, GSOLVE_DEVICE, v->order);
    gsolve_free(ctx, GSOLVE_DEVICE, v->ticket);
    gsolve_free(ctx, GSOLVE_HOST, v);
    t->vendor = nullptr;
}

// Copies T's rows to the device in the type of the solves; later calls copy the values only.
template <class T>
gsolve_status upload_rows(gs_vendor_triangle *v, gsolve_context *ctx, const gs_strict_triangle *S,
                          gsolve_type type)
{
    const int64_t entries = S->start[S->n];
    gsolve_csr on_host;
    gsolve_status status = gs_csr_new(&on_host, ctx, S->n, S->n, entries, type);

    if (status != GSOLVE_OK) return status;
    int32_t *start = (int32_t *)on_host.start, *col = (int32_t *)on_host.col;
    T *value = (T *)on_host.value;
    for (int32_t i = 0; i <= S->n; i++) start[i] = (int32_t)S->start[i];
    for (int64_t k = 0; k < entries; k++) {
        col[k] = S->col[k];
        value[k] = (T)S->value[k];
    }
    if (v->rows.start) {
        status = gsolve_copy(ctx, (void *)v->rows.value, GSOLVE_DEVICE, value, GSOLVE_HOST,
                             (size_t)entries * sizeof(T));
    } else {
        status = gs_csr_move(&v->rows, ctx, GSOLVE_DEVICE, &on_host);
    }
    gsolve_csr_free(&on_host, ctx);
    return status;
}

template <class T>
gsolve_status analyse_triangle(gs_vendor_triangle *v, gsolve_context *ctx, bool upper,
                               int64_t entries)
{
    const T one = 1;
    const cudaDataType type = gs_vendor_type<T>;
    cusparseFillMode_t fill = upper ? CUSPARSE_FILL_MODE_UPPER : CUSPARSE_FILL_MODE_LOWER;
    cusparseDiagType_t unit = CUSPARSE_DIAG_TYPE_UNIT;
    cusparseHandle_t handle;
    gs_vendor_vectors &o = v->vectors;
    size_t bytes = 0;
    gsolve_status status;

    TRY(gs_vendor_handle(ctx, &handle));
    TRY(gs_vendor(ctx,
                  cusparseCreateCsr(&v->T, v->rows.nrows, v->rows.ncols, entries,
                                    (void *)v->rows.start, (void *)v->rows.col,
                                    (void *)v->rows.value, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                                    CUSPARSE_INDEX_BASE_ZERO, type),
                  "a triangle"));
    TRY(gs_vendor(ctx,
                  cusparseSpMatSetAttribute(v->T, CUSPARSE_SPMAT_FILL_MODE, &fill, sizeof fill),
                  "a triangle"));
    TRY(gs_vendor(ctx,
                  cusparseSpMatSetAttribute(v->T, CUSPARSE_SPMAT_DIAG_TYPE, &unit, sizeof unit),
                  "a triangle"));
    TRY(gs_vendor(ctx, cusparseSpSV_createDescr(&v->solve), "a triangle"));
    TRY(o.make(ctx, v->rows.nrows, v->scaled, v->rows.nrows, v->solved, type));
    TRY(gs_vendor(ctx,
                  cusparseSpSV_bufferSize(handle, plain, &one, v->T, o.x, o.y, type, algorithm,
                                          v->solve, &bytes),
                  "the buffer of a triangle"));
    v->buffer = gsolve_alloc(ctx, GSOLVE_DEVICE, bytes, 1);
    TRY(v->buffer ? GSOLVE_OK : GSOLVE_NO_MEMORY);
    TRY(gs_vendor(ctx,
                  cusparseSpSV_analysis(handle, plain, &one, v->T, o.x, o.y, type, algorithm,
                                        v->solve, v->buffer),
                  "the analysis of a triangle"));
    TRY(gs_cuda(ctx->queue, cudaStreamSynchronize(ctx->queue->stream),
                "the analysis of a triangle"));
done:
    return status;
}

template <class T>
gsolve_status upload_triangle(gs_triangle *t, gsolve_context *ctx, const gs_strict_triangle *S)
{
    const int64_t entries = S->start[S->n];
    gs_vendor_triangle *v = t->vendor;
    const bool is_update = v; // the pattern and its analysis exist
    cusparseHandle_t handle;
    gsolve_status status;

    if (entries >= INT32_MAX) {
        return gsolve_fail(
            ctx, GSOLVE_UNSUPPORTED,
            "a triangular factor has 2^31 entries or more, which cuSPARSE cannot solve with");
    }
    if (is_update) {
        TRY(upload_rows<T>(v, ctx, S, t->rows.type));
        if (!v->solve) return GSOLVE_OK;
        TRY(gs_vendor_handle(ctx, &handle));
        return gs_vendor(ctx,
                         cusparseSpSV_updateMatrix(handle, v->solve, (void *)v->rows.value,
                                                   CUSPARSE_SPSV_UPDATE_GENERAL),
                         "new values of a triangle");
    }
    v = (gs_vendor_triangle *)gsolve_alloc(ctx, GSOLVE_HOST, 1, sizeof *v);
    if (!v) return GSOLVE_NO_MEMORY;
    *v = gs_vendor_triangle();
    t->vendor = v;
    TRY(upload_rows<T>(v, ctx, S, t->rows.type));
    v->scaled = gsolve_alloc(ctx, GSOLVE_DEVICE, (size_t)S->n, sizeof(T));
    v->solved = gsolve_alloc(ctx, GSOLVE_DEVICE, (size_t)S->n, sizeof(T));
    TRY(v->scaled && v->solved ? GSOLVE_OK : GSOLVE_NO_MEMORY);
    if (entries > 0) TRY(analyse_triangle<T>(v, ctx, t->upper, entries));
done:
    if (status != GSOLVE_OK && !is_update) destroy_vendor(t, ctx);
    return status;
}

// z = d * r if D, else z = r. A thread owns W neighbouring elements.
template <class T, bool D>
struct scale : gs_plain {
    const T *d, *r;
    T *z;
    template <int W>
    __device__ void at(int64_t i, double *)
    {
        auto R = gs_load<W>(r, i);
        if constexpr (D) {
            const auto M = gs_load<W>(d, i);
            for (int w = 0; w < W; w++) R.v[w] *= M.v[w];
        }
        gs_store<W>(z, i, R);
    }
};

// z = d * r, or z = r if d is NULL.
template <class T>
gsolve_status multiply(gs_queue *q, int64_t n, const void *d, const void *r, void *z)
{
    const bool aligned = gs_all_aligned(d, r, z);

    if (d) {
        return gs_each<T>(q, n, aligned, scale<T, true>{{}, (const T *)d, (const T *)r, (T *)z},
                          "a scaling");
    }
    return gs_each<T>(q, n, aligned, scale<T, false>{{}, nullptr, (const T *)r, (T *)z},
                      "a scaling");
}

template <class T>
gsolve_status solve(gs_queue *q, const gs_triangle *t, const void *d, const void *r, void *z)
{
    const gs_vendor_triangle *v = t->vendor;
    const int32_t n = v->rows.nrows;
    const T one = 1;
    gsolve_status status;

    if (!v->solve) return multiply<T>(q, n, d, r, z);
    TRY(multiply<T>(q, n, d, r, v->scaled));
    TRY(gs_vendor(q->ctx,
                  cusparseSpSV_solve(q->sparse, plain, &one, v->T, v->vectors.x, v->vectors.y,
                                     gs_vendor_type<T>, algorithm, v->solve),
                  "a triangular solve"));
    TRY(multiply<T>(q, n, nullptr, v->solved, z));
done:
    return status;
}

} // namespace

extern "C" const gs_triangle_kernels gs_triangle_cuda[GSOLVE_TYPE_COUNT] = {
    {upload_triangle<float>, destroy_vendor, solve<float>, gs_triangle_columns<float>, true},
    {upload_triangle<double>, destroy_vendor, solve<double>, gs_triangle_columns<double>, true}};
