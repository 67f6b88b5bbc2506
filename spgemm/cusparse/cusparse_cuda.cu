// cusparse_cuda.cu: products of sparse matrices by cuSPARSE, for comparison. A single product uses
// cusparseSpGEMM with its default algorithm, which is its fastest and needs several times C's
// memory. A product with updates uses cusparseSpGEMMreuse, which computes the pattern first.
// cuSPARSE does not promise ascending columns. If they do not ascend, they are sorted, and the
// order is kept for updates.
#include <string.h>

#include "core/cusparse.cuh"

extern "C" {
#include "core/try.h"
#include "matrix/statistics.h"
#include "spgemm/cusparse/cusparse.h"
}

namespace
{

constexpr cusparseOperation_t plain = CUSPARSE_OPERATION_NON_TRANSPOSE;
constexpr cusparseSpGEMMAlg_t alg = CUSPARSE_SPGEMM_DEFAULT;

struct vendor_product {
    cusparseHandle_t handle;
    cusparseSpMatDescr_t A, B, C; // C: as cuSPARSE computes it, before the columns are sorted
    cusparseSpGEMMDescr_t work;
    cudaDataType type;
    int64_t entries;    // of C
    int32_t *narrow[2]; // A's and B's offsets in 32 bits; NULL: their own have 32 bits
    void *buffer[2];    // buffers that cuSPARSE needs in updates
    int32_t *order;     // cuSPARSE's position of each entry of C; NULL: its columns ascend
    void *unsorted;     // the values in cuSPARSE's order; NULL: its columns ascend
    double one, zero;
    float one_f32, zero_f32;

    const void *alpha() const { return type == CUDA_R_32F ? (const void *)&one_f32 : &one; }
    const void *beta() const { return type == CUDA_R_32F ? (const void *)&zero_f32 : &zero; }
};

void drop(vendor_product *p, gsolve_context *ctx)
{
    if (!p) return;
    if (p->A) cusparseDestroySpMat(p->A);
    if (p->B) cusparseDestroySpMat(p->B);
    if (p->C) cusparseDestroySpMat(p->C);
    if (p->work) cusparseSpGEMM_destroyDescr(p->work);
    gsolve_free(ctx, GSOLVE_DEVICE, p->narrow[0]);
    gsolve_free(ctx, GSOLVE_DEVICE, p->narrow[1]);
    gsolve_free(ctx, GSOLVE_DEVICE, p->buffer[0]);
    gsolve_free(ctx, GSOLVE_DEVICE, p->buffer[1]);
    gsolve_free(ctx, GSOLVE_DEVICE, p->order);
    gsolve_free(ctx, GSOLVE_DEVICE, p->unsorted);
    gsolve_free(ctx, GSOLVE_HOST, p);
}

void destroy(void *plan, gsolve_context *ctx)
{
    drop(static_cast<vendor_product *>(plan), ctx);
}

bool serves(const gsolve_context *ctx, const gs_blocked *A, const gs_blocked *B, const char **why)
{
    if (!gs_on_gpu(ctx)) {
        *why = "cusparse needs the device cuda";
    } else if (A->height != 1 || A->width != 1 || B->width != 1) {
        *why = "cusparse does not support dense blocks; esc does";
    } else {
        return true;
    }
    return false;
}

// cusparseSpMatSetValues, by which an update sets new values, needs a descriptor that is not const,
// and cusparseCreateCsr takes no const pointers. cuSPARSE does not write to A and B.
gsolve_status describe(gsolve_context *ctx, cusparseSpMatDescr_t *out, const gsolve_csr *csr,
                       const void *start, int64_t entries, cudaDataType type)
{
    return gs_vendor(ctx,
                     cusparseCreateCsr(out, csr->nrows, csr->ncols, entries,
                                       (void *)(uintptr_t)start, (void *)(uintptr_t)csr->col,
                                       (void *)(uintptr_t)csr->value, CUSPARSE_INDEX_32I,
                                       CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, type),
                     "a matrix");
}

// *out = a descriptor of A or B. cuSPARSE multiplies with 32-bit offsets only; *narrow: a copy of
// 64-bit offsets in 32 bits, else unchanged.
gsolve_status describe_operand(gsolve_context *ctx, cusparseSpMatDescr_t *out, int32_t **narrow,
                               const gsolve_csr *csr, int64_t entries, cudaDataType type)
{
    gsolve_status status;

    if (entries > INT32_MAX) {
        return gsolve_fail(
            ctx, GSOLVE_UNSUPPORTED,
            "a matrix has %lld entries; cusparse supports fewer than 2^31; use hash or esc",
            (long long)entries);
    }
    if (csr->offset == GSOLVE_O64) {
        ALLOC_DEVICE(ctx, *narrow, (size_t)csr->nrows + 1);
        TRY(gs_inspect_cuda[csr->type].narrow(ctx, csr, *narrow));
    }
    TRY(describe(ctx, out, csr, *narrow ? *narrow : csr->start, entries, type));
done:
    return status;
}

// *space = a buffer of `bytes` bytes on the device.
gsolve_status allocate(gsolve_context *ctx, void **space, size_t bytes)
{
    *space = gsolve_alloc(ctx, GSOLVE_DEVICE, bytes, 1);
    return *space ? GSOLVE_OK : GSOLVE_NO_MEMORY;
}

// Allocates C's columns and values after cuSPARSE has counted them.
gsolve_status make_entries(vendor_product *p, gsolve_context *ctx, gsolve_csr *C)
{
    int64_t rows, cols;
    int32_t *col = nullptr;
    gsolve_status status;

    TRY(gs_vendor(ctx, cusparseSpMatGetSize(p->C, &rows, &cols, &p->entries), "the size"));
    ALLOC_DEVICE(ctx, col, p->entries);
    C->col = col;
    C->value = gsolve_alloc(ctx, GSOLVE_DEVICE, (size_t)p->entries, gs_type_size(C->type));
    TRY(C->value ? GSOLVE_OK : GSOLVE_NO_MEMORY);
    TRY(gs_vendor(ctx,
                  cusparseCsrSetPointers(p->C, gs_owned_block(ctx, C->start), col,
                                         gs_owned_block(ctx, C->value)),
                  "the result"));
done:
    return status;
}

// Computes pattern and values once, without updates.
gsolve_status make_once(vendor_product *p, gsolve_context *ctx, gsolve_csr *C)
{
    const void *a = p->alpha(), *b = p->beta();
    size_t bytes = 0;
    void *first = nullptr, *second = nullptr;
    gsolve_status status;

    TRY(gs_vendor(ctx,
                  cusparseSpGEMM_workEstimation(p->handle, plain, plain, a, p->A, p->B, b, p->C,
                                                p->type, alg, p->work, &bytes, nullptr),
                  "estimating"));
    TRY(allocate(ctx, &first, bytes));
    TRY(gs_vendor(ctx,
                  cusparseSpGEMM_workEstimation(p->handle, plain, plain, a, p->A, p->B, b, p->C,
                                                p->type, alg, p->work, &bytes, first),
                  "estimating"));
    TRY(gs_vendor(ctx,
                  cusparseSpGEMM_compute(p->handle, plain, plain, a, p->A, p->B, b, p->C, p->type,
                                         alg, p->work, &bytes, nullptr),
                  "the product"));
    TRY(allocate(ctx, &second, bytes));
    TRY(gs_vendor(ctx,
                  cusparseSpGEMM_compute(p->handle, plain, plain, a, p->A, p->B, b, p->C, p->type,
                                         alg, p->work, &bytes, second),
                  "the product"));
    TRY(make_entries(p, ctx, C));
    TRY(gs_vendor(
        ctx,
        cusparseSpGEMM_copy(p->handle, plain, plain, a, p->A, p->B, b, p->C, p->type, alg, p->work),
        "the product"));
done:
    gsolve_free(ctx, GSOLVE_DEVICE, first);
    gsolve_free(ctx, GSOLVE_DEVICE, second);
    return status;
}

gsolve_status recompute(const vendor_product *p, gsolve_context *ctx)
{
    return gs_vendor(ctx,
                     cusparseSpGEMMreuse_compute(p->handle, plain, plain, p->alpha(), p->A, p->B,
                                                 p->beta(), p->C, p->type, alg, p->work),
                     "new values");
}

// Computes the pattern first, then the values. Keeps what an update needs.
gsolve_status make_with_plan(vendor_product *p, gsolve_context *ctx, gsolve_csr *C)
{
    size_t bytes[5] = {0};
    void *space[3] = {nullptr};
    gsolve_status status;

    TRY(gs_vendor(ctx,
                  cusparseSpGEMMreuse_workEstimation(p->handle, plain, plain, p->A, p->B, p->C, alg,
                                                     p->work, &bytes[0], nullptr),
                  "estimating"));
    TRY(allocate(ctx, &space[0], bytes[0]));
    TRY(gs_vendor(ctx,
                  cusparseSpGEMMreuse_workEstimation(p->handle, plain, plain, p->A, p->B, p->C, alg,
                                                     p->work, &bytes[0], space[0]),
                  "estimating"));
    TRY(gs_vendor(ctx,
                  cusparseSpGEMMreuse_nnz(p->handle, plain, plain, p->A, p->B, p->C, alg, p->work,
                                          &bytes[1], nullptr, &bytes[2], nullptr, &bytes[3],
                                          nullptr),
                  "the pattern"));
    TRY(allocate(ctx, &space[1], bytes[1]));
    TRY(allocate(ctx, &space[2], bytes[2]));
    TRY(allocate(ctx, &p->buffer[0], bytes[3]));
    TRY(gs_vendor(ctx,
                  cusparseSpGEMMreuse_nnz(p->handle, plain, plain, p->A, p->B, p->C, alg, p->work,
                                          &bytes[1], space[1], &bytes[2], space[2], &bytes[3],
                                          p->buffer[0]),
                  "the pattern"));
    for (int k = 0; k < 2; k++) {
        gsolve_free(ctx, GSOLVE_DEVICE, space[k]);
        space[k] = nullptr;
    }
    TRY(make_entries(p, ctx, C));
    TRY(gs_vendor(ctx,
                  cusparseSpGEMMreuse_copy(p->handle, plain, plain, p->A, p->B, p->C, alg, p->work,
                                           &bytes[4], nullptr),
                  "the pattern"));
    TRY(allocate(ctx, &p->buffer[1], bytes[4]));
    TRY(gs_vendor(ctx,
                  cusparseSpGEMMreuse_copy(p->handle, plain, plain, p->A, p->B, p->C, alg, p->work,
                                           &bytes[4], p->buffer[1]),
                  "the pattern"));
    TRY(recompute(p, ctx));
done:
    for (int k = 0; k < 3; k++) gsolve_free(ctx, GSOLVE_DEVICE, space[k]);
    return status;
}

// --- columns in order ---------------------------------------------------------------------------

// to[k] = from[order[k]]. A thread owns every step-th element.
template <class T>
__global__ void __launch_bounds__(gs_block_size)
    gather(int64_t n, const int32_t *order, const T *from, T *to)
{
    const int64_t step = (int64_t)gridDim.x * gs_block_size;

    for (int64_t k = (int64_t)blockIdx.x * gs_block_size + threadIdx.x; k < n; k += step) {
        to[k] = from[order[k]];
    }
}

gsolve_status gather_values(const vendor_product *p, gsolve_context *ctx, const gsolve_csr *C)
{
    gs_queue *q = ctx->queue;
    void *value = gs_owned_block(ctx, C->value);
    const int grid = gs_grid(q, p->entries);

    return C->type == GSOLVE_F32
               ? gs_launch(q, "values in order", gather<float>, grid, gs_block_size, p->entries,
                           p->order, (const float *)p->unsorted, (float *)value)
               : gs_launch(q, "values in order", gather<double>, grid, gs_block_size, p->entries,
                           p->order, (const double *)p->unsorted, (double *)value);
}

// cuSPARSE writes its values to p->unsorted from now on. Copies the present values of C to it.
gsolve_status separate_values(vendor_product *p, gsolve_context *ctx, const gsolve_csr *C)
{
    const size_t bytes = (size_t)p->entries * gs_type_size(C->type);
    gsolve_status status;

    TRY(allocate(ctx, &p->unsorted, bytes));
    TRY(gsolve_copy(ctx, p->unsorted, GSOLVE_DEVICE, C->value, GSOLVE_DEVICE, bytes));
    TRY(gs_vendor(ctx, cusparseSpMatSetValues(p->C, p->unsorted), "the result"));
done:
    return status;
}

gsolve_status sort_columns(vendor_product *p, gsolve_context *ctx, gsolve_csr *C)
{
    gsolve_status status;

    ALLOC_DEVICE(ctx, p->order, p->entries);
    TRY(gs_cusparse_sort_columns(ctx, C, p->entries, p->order));
    TRY(separate_values(p, ctx, C));
    TRY(gather_values(p, ctx, C));
done:
    return status;
}

// --- the method ---------------------------------------------------------------------------------

gsolve_status prepare(vendor_product **out, gsolve_context *ctx, const gsolve_csr *A,
                      const gsolve_csr *B, gsolve_csr *C, int64_t a, int64_t b)
{
    vendor_product *p = static_cast<vendor_product *>(gsolve_alloc(ctx, GSOLVE_HOST, 1, sizeof *p));
    int32_t *start = nullptr;
    gsolve_status status;

    if (!p) return GSOLVE_NO_MEMORY;
    memset(p, 0, sizeof *p);
    p->type = A->type == GSOLVE_F32 ? CUDA_R_32F : CUDA_R_64F;
    p->one = p->one_f32 = 1;
    ALLOC_DEVICE(ctx, start, (size_t)A->nrows + 1);
    C->start = start;
    TRY(gs_cuda(
        ctx->queue,
        cudaMemsetAsync(start, 0, ((size_t)A->nrows + 1) * sizeof *start, ctx->queue->stream),
        "the offsets"));
    if (a > 0 && b > 0) { // else C has no entries, and cuSPARSE is not called
        TRY(gs_vendor_handle(ctx, &p->handle));
        TRY(describe_operand(ctx, &p->A, &p->narrow[0], A, a, p->type));
        TRY(describe_operand(ctx, &p->B, &p->narrow[1], B, b, p->type));
        TRY(describe(ctx, &p->C, C, C->start, 0, p->type));
        TRY(gs_vendor(ctx, cusparseSpGEMM_createDescr(&p->work), "a product"));
    }
    *out = p;
    p = nullptr;
done:
    drop(p, ctx);
    return status;
}

// Columns and values of a C without entries.
gsolve_status make_none(gsolve_context *ctx, gsolve_csr *C)
{
    int32_t *col = nullptr;
    gsolve_status status;

    ALLOC_DEVICE(ctx, col, 0);
    C->col = col;
    C->value = gsolve_alloc(ctx, GSOLVE_DEVICE, 0, gs_type_size(C->type));
    TRY(C->value ? GSOLVE_OK : GSOLVE_NO_MEMORY);
done:
    return status;
}

gsolve_status make(vendor_product *p, gsolve_context *ctx, gsolve_csr *C, bool keep)
{
    gsolve_status status;

    if (!p->work) return make_none(ctx, C);
    TRY((keep ? make_with_plan : make_once)(p, ctx, C));
    if (p->entries > 0 && !gs_rows_ascend(ctx, C)) TRY(sort_columns(p, ctx, C));
done:
    return status;
}

gsolve_status multiply(gs_blocked *out, void **plan, gs_product_work *stats, gsolve_context *ctx,
                       const gs_blocked *A, const gs_blocked *B, const void *)
{
    vendor_product *p = nullptr;
    gs_product_counts work = {};
    gsolve_csr C = {};
    int64_t a = 0, b = 0;
    gsolve_status status;

    C.nrows = A->csr.nrows;
    C.ncols = B->csr.ncols;
    C.type = A->csr.type;
    C.location = GSOLVE_DEVICE;
    TRY(gs_csr_entries(ctx, &A->csr, &a));
    TRY(gs_csr_entries(ctx, &B->csr, &b));
    TRY(prepare(&p, ctx, &A->csr, &B->csr, &C, a, b));
    TRY(make(p, ctx, &C, plan));
    TRY(gs_work_cuda[C.type].count(&work, ctx, &A->csr, &B->csr));
    stats->products = work.products;
    stats->bands = 1;
    *out = {C, 1, 1};
    C = {};
    if (plan) {
        *plan = p;
        p = nullptr;
    }
done:
    C.location = GSOLVE_DEVICE;
    gsolve_csr_free(&C, ctx);
    drop(p, ctx);
    return status;
}

gsolve_status set_values(gsolve_context *ctx, cusparseSpMatDescr_t matrix, const void *value)
{
    return gs_vendor(ctx, cusparseSpMatSetValues(matrix, (void *)(uintptr_t)value), "the values");
}

gsolve_status update(const void *plan, gsolve_context *ctx, const gs_blocked *A,
                     const gs_blocked *B, gs_blocked *C)
{
    const vendor_product *p = static_cast<const vendor_product *>(plan);
    gsolve_status status = GSOLVE_OK;

    if (!p->work) return status;
    TRY(set_values(ctx, p->A, A->csr.value));
    TRY(set_values(ctx, p->B, B->csr.value));
    TRY(set_values(ctx, p->C, p->order ? p->unsorted : C->csr.value));
    TRY(recompute(p, ctx));
    if (p->order) TRY(gather_values(p, ctx, &C->csr));
done:
    return status;
}

} // namespace

extern "C" const gs_multiplier gs_cusparse_multiplier = {
    {"cusparse",
     "product of NVIDIA cuSPARSE on a GPU, for comparison; the last bits may differ from call to "
     "call",
     nullptr, 0},
    serves,
    multiply,
    update,
    destroy,
};
