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
#include "spgemm/spgemm.h"
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

void destroy(void *plan, gsolve_context *ctx)
{
    vendor_product *p = static_cast<vendor_product *>(plan);

    if (!p) return;
    for (cusparseSpMatDescr_t matrix : {p->A, p->B, p->C}) {
        if (matrix) cusparseDestroySpMat(matrix);
    }
    if (p->work) cusparseSpGEMM_destroyDescr(p->work);
    for (void *one : {(void *)p->narrow[0], (void *)p->narrow[1], p->buffer[0], p->buffer[1],
                      (void *)p->order, p->unsorted}) {
        gsolve_free(ctx, GSOLVE_DEVICE, one);
    }
    gsolve_free(ctx, GSOLVE_HOST, p);
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

// Calls call(bytes, buffer), a step of cuSPARSE, twice: for the size of its buffer, which is then
// allocated, and with it.
template <class Call>
gsolve_status with_buffer(gsolve_context *ctx, const char *what, void **buffer, Call call)
{
    size_t bytes = 0;
    gsolve_status status;

    TRY(gs_vendor(ctx, call(&bytes, nullptr), what));
    TRY(allocate(ctx, buffer, bytes));
    TRY(gs_vendor(ctx, call(&bytes, *buffer), what));
done:
    return status;
}

// Computes pattern and values once, without updates.
gsolve_status make_once(vendor_product *p, gsolve_context *ctx, gsolve_csr *C)
{
    const void *a = p->alpha(), *b = p->beta();
    void *first = nullptr, *second = nullptr;
    gsolve_status status;

    TRY(with_buffer(ctx, "estimating", &first, [&](size_t *bytes, void *buffer) {
        return cusparseSpGEMM_workEstimation(p->handle, plain, plain, a, p->A, p->B, b, p->C,
                                             p->type, alg, p->work, bytes, buffer);
    }));
    TRY(with_buffer(ctx, "the product", &second, [&](size_t *bytes, void *buffer) {
        return cusparseSpGEMM_compute(p->handle, plain, plain, a, p->A, p->B, b, p->C, p->type, alg,
                                      p->work, bytes, buffer);
    }));
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
    size_t bytes[3] = {0};
    void *space[3] = {nullptr};
    const auto find_pattern = [&](void *buffer) {
        return gs_vendor(ctx,
                         cusparseSpGEMMreuse_nnz(p->handle, plain, plain, p->A, p->B, p->C, alg,
                                                 p->work, &bytes[0], space[1], &bytes[1], space[2],
                                                 &bytes[2], buffer),
                         "the pattern");
    };
    gsolve_status status;

    TRY(with_buffer(ctx, "estimating", &space[0], [&](size_t *size, void *buffer) {
        return cusparseSpGEMMreuse_workEstimation(p->handle, plain, plain, p->A, p->B, p->C, alg,
                                                  p->work, size, buffer);
    }));
    TRY(find_pattern(nullptr));
    TRY(allocate(ctx, &space[1], bytes[0]));
    TRY(allocate(ctx, &space[2], bytes[1]));
    TRY(allocate(ctx, &p->buffer[0], bytes[2]));
    TRY(find_pattern(p->buffer[0]));
    for (int k = 0; k < 2; k++) {
        gsolve_free(ctx, GSOLVE_DEVICE, space[k]);
        space[k] = nullptr;
    }
    TRY(make_entries(p, ctx, C));
    TRY(with_buffer(ctx, "the pattern", &p->buffer[1], [&](size_t *size, void *buffer) {
        return cusparseSpGEMMreuse_copy(p->handle, plain, plain, p->A, p->B, p->C, alg, p->work,
                                        size, buffer);
    }));
    TRY(recompute(p, ctx));
done:
    for (int k = 0; k < 3; k++) gsolve_free(ctx, GSOLVE_DEVICE, space[k]);
    return status;
}

// --- columns in order ---------------------------------------------------------------------------

// key[k] = column << 32 | k. A thread owns every step-th entry.
__global__ void __launch_bounds__(gs_block_size)
    make_keys(int64_t n, const int32_t *col, unsigned long long *key)
{
    const int64_t step = (int64_t)gridDim.x * gs_block_size;

    for (int64_t k = (int64_t)blockIdx.x * gs_block_size + threadIdx.x; k < n; k += step) {
        key[k] = (unsigned long long)col[k] << 32 | (unsigned)k;
    }
}

// Sorts the keys of each row ascending. A block owns a row. In this bitonic network the lower
// position of each pair receives the smaller key, so that pairs beyond the row's end can be
// skipped. Reads and writes a row of n keys log2(n)^2 / 2 times.
__global__ void __launch_bounds__(gs_block_size)
    sort_rows(int32_t nrows, const int32_t *start, unsigned long long *all)
{
    for (int32_t row = (int32_t)blockIdx.x; row < nrows; row += (int32_t)gridDim.x) {
        unsigned long long *key = all + start[row];
        const int64_t n = start[row + 1] - start[row];
        for (int64_t run = 2; run < 2 * n; run *= 2) {
            for (int64_t distance = run / 2; distance > 0; distance /= 2) {
                for (int64_t k = threadIdx.x;; k += gs_block_size) {
                    const int64_t within = k & (distance - 1), low = 2 * k - within;
                    const int64_t high =
                        distance == run / 2 ? low + run - 1 - 2 * within : low + distance;
                    if (low >= n) break;
                    if (high >= n || key[low] <= key[high]) continue;
                    const unsigned long long x = key[low];
                    key[low] = key[high];
                    key[high] = x;
                }
                __syncthreads();
            }
        }
    }
}

// Splits the sorted keys into columns and their former positions. A thread owns every step-th
// entry.
__global__ void __launch_bounds__(gs_block_size)
    split_keys(int64_t n, const unsigned long long *key, int32_t *col, int32_t *order)
{
    const int64_t step = (int64_t)gridDim.x * gs_block_size;

    for (int64_t k = (int64_t)blockIdx.x * gs_block_size + threadIdx.x; k < n; k += step) {
        col[k] = (int32_t)(key[k] >> 32);
        order[k] = (int32_t)(key[k] & 0xffffffffu);
    }
}

// Sorts the columns of each row of C. p->order[k] = the former position of the entry k.
gsolve_status sort_columns(vendor_product *p, gsolve_context *ctx, gsolve_csr *C)
{
    gs_queue *q = ctx->queue;
    const int64_t entries = p->entries;
    const int grid = gs_grid(q, entries);
    int32_t *col = (int32_t *)gs_owned_block(ctx, C->col);
    unsigned long long *key = nullptr;
    gsolve_status status;

    ALLOC_DEVICE(ctx, p->order, entries);
    ALLOC_DEVICE(ctx, key, entries);
    TRY(gs_launch(q, "sorting columns", make_keys, grid, gs_block_size, entries, col, key));
    TRY(gs_launch(q, "sorting columns", sort_rows, gs_grid(q, (int64_t)C->nrows * gs_block_size),
                  gs_block_size, C->nrows, (const int32_t *)C->start, key));
    TRY(gs_launch(q, "sorting columns", split_keys, grid, gs_block_size, entries, key, col,
                  p->order));
done:
    gsolve_free(ctx, GSOLVE_DEVICE, key);
    return status;
}

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

// --- the method ---------------------------------------------------------------------------------

gsolve_status prepare(vendor_product **out, gsolve_context *ctx, const gsolve_csr *A,
                      const gsolve_csr *B, gsolve_csr *C, int64_t a, int64_t b)
{
    vendor_product *p = static_cast<vendor_product *>(gsolve_alloc(ctx, GSOLVE_HOST, 1, sizeof *p));
    gs_queue *q = ctx->queue;
    const size_t offsets = (size_t)A->nrows + 1;
    int32_t *start = nullptr;
    gsolve_status status;

    if (!p) return GSOLVE_NO_MEMORY;
    memset(p, 0, sizeof *p);
    p->type = A->type == GSOLVE_F32 ? CUDA_R_32F : CUDA_R_64F;
    p->one = p->one_f32 = 1;
    if (a == 0 || b == 0) { // C has no entries, and cuSPARSE is not called
        TRY(gs_csr_new_at(C, ctx, GSOLVE_DEVICE, C->nrows, C->ncols, 0, C->type));
        start = (int32_t *)gs_owned_block(ctx, C->start);
    } else {
        ALLOC_DEVICE(ctx, start, offsets);
        C->start = start;
        TRY(gs_vendor_handle(ctx, &p->handle));
        TRY(describe_operand(ctx, &p->A, &p->narrow[0], A, a, p->type));
        TRY(describe_operand(ctx, &p->B, &p->narrow[1], B, b, p->type));
        TRY(describe(ctx, &p->C, C, C->start, 0, p->type));
        TRY(gs_vendor(ctx, cusparseSpGEMM_createDescr(&p->work), "a product"));
    }
    TRY(gs_cuda(q, cudaMemsetAsync(start, 0, offsets * sizeof *start, q->stream), "the offsets"));
    *out = p;
    p = nullptr;
done:
    destroy(p, ctx);
    return status;
}

gsolve_status make(vendor_product *p, gsolve_context *ctx, gsolve_csr *C, bool keep)
{
    gsolve_status status;

    if (!p->work) return GSOLVE_OK;
    TRY((keep ? make_with_plan : make_once)(p, ctx, C));
    if (p->entries > 0 && !gs_rows_ascend(ctx, C)) {
        TRY(sort_columns(p, ctx, C));
        TRY(separate_values(p, ctx, C));
        TRY(gather_values(p, ctx, C));
    }
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
    TRY(gs_work_cuda.count(&work, ctx, &A->csr, &B->csr));
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
    destroy(p, ctx);
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

const gs_product_kernels kernels[GSOLVE_TYPE_COUNT] = {{multiply, update, destroy},
                                                       {multiply, update, destroy}};

} // namespace

extern "C" const gs_multiplier gs_cusparse_multiplier = {
    {"cusparse",
     "product of NVIDIA cuSPARSE on a GPU, for comparison; the last bits may differ from call to "
     "call",
     nullptr, 0},
    1,
    {}, /* not on the CPU */
    kernels,
};
