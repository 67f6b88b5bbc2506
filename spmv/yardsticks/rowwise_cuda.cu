// rowwise_cuda.cu: the formats csr_scalar, csr_vector and ps on a GPU, for comparison. They read
// the rows of csr without a conversion and do not balance rows of different lengths. On the CPU
// they are csr, see csr.c.
//
// csr_scalar and csr_vector (Bell and Garland, Implementing sparse matrix-vector multiplication on
// throughput-oriented processors, 2009): one thread or one warp per row of any length. One product
// moves 12 bytes per entry (8 in single precision), 4 or 8 per row, and x and y once.
//
// ps, product and summation one after the other (P&S: Deng, Wang, Mu, as described by He et al. in
// the paper of segSpMV): a first launch writes value x for every entry to an array, and a second
// one adds the products of each row.
#include "spmv/product.cuh"

extern "C" {
#include "spmv/handle.h"
}

namespace
{

constexpr int piece_size = 2048; // products in shared memory at a time, as in the paper of segSpMV

struct form {
    gsolve_csr csr; // the handle's rows
    int64_t entries;
    void *product; // ps: one product per entry; else NULL
};

int blocks_for(int64_t threads)
{
    return (int)((threads + gs_block_size - 1) / gs_block_size);
}

// --- csr_scalar and csr_vector ----------------------------------------------------------------

// csr_scalar: a thread sums one row in its order. Neighbouring threads read entries a row apart, so
// loads are not coalesced.
template <class T, class O>
__global__ void __launch_bounds__(gs_block_size)
    thread_per_row(gs_row_operands<T> a, int32_t n, gs_guard guard)
{
    const O *start = (const O *)a.start;
    const int64_t i = (int64_t)blockIdx.x * gs_block_size + threadIdx.x;
    T sum = 0;

    if (guard.has_ended() || i >= n) return;
    for (O k = start[i]; k < start[i + 1]; k++) sum += a.value[k] * __ldg(&a.x[a.col[k]]);
    gs_finish(a, i, sum);
}

// csr_vector: a warp sums one row. Lane l adds entries l, l + 32, ..., coalesced, and a butterfly
// of shuffles adds the lanes.
template <class T, class O>
__global__ void __launch_bounds__(gs_block_size)
    warp_per_row(gs_row_operands<T> a, int32_t n, gs_guard guard)
{
    const O *start = (const O *)a.start;
    const int64_t i = ((int64_t)blockIdx.x * gs_block_size + threadIdx.x) / 32;
    const int lane = (int)threadIdx.x % 32;
    T sum = 0;

    if (guard.has_ended() || i >= n) return;
    for (int64_t k = (int64_t)start[i] + lane; k < start[i + 1]; k += 32) {
        sum += a.value[k] * __ldg(&a.x[a.col[k]]);
    }
    for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, d);
    if (lane == 0) gs_finish(a, i, sum);
}

// --- ps ---------------------------------------------------------------------------------------

// product[k] = value[k] x[col[k]] for k < n. A thread strides over the entries; accesses are
// coalesced except for the gathers of x.
template <class T>
__global__ void __launch_bounds__(gs_block_size)
    multiply_entries(gs_row_operands<T> a, int64_t n, T *product, gs_guard guard)
{
    const int64_t step = (int64_t)gridDim.x * gs_block_size;

    if (guard.has_ended()) return;
#pragma unroll 4
    for (int64_t k = (int64_t)blockIdx.x * gs_block_size + threadIdx.x; k < n; k += step) {
        product[k] = a.value[k] * __ldg(&a.x[a.col[k]]);
    }
}

// y_i = alpha (sum of row i's products) + beta y_i. A block owns gs_block_size neighbouring rows
// and a thread one row. The block copies the products of its rows piece by piece to shared memory,
// coalesced; each thread adds those of its row in their order.
template <class T, class O>
__global__ void __launch_bounds__(gs_block_size)
    add_products(gs_row_operands<T> a, int32_t n, const T *product, gs_guard guard)
{
    __shared__ T piece[piece_size];
    const O *start = (const O *)a.start;
    const int64_t first = (int64_t)blockIdx.x * gs_block_size, i = first + threadIdx.x;
    const int64_t last = min(first + gs_block_size, (int64_t)n);
    T sum = 0;

    if (guard.has_ended()) return;
    const int64_t end = start[last]; // of the block's rows
    const int64_t from = start[min(i, last)], to = start[min(i + 1, last)];
    for (int64_t at = start[first]; at < end; at += piece_size) {
        const int64_t stop = min(at + piece_size, end);
        for (int64_t k = at + threadIdx.x; k < stop; k += gs_block_size) piece[k - at] = product[k];
        __syncthreads();
        for (int64_t k = max(from, at); k < min(to, stop); k++) sum += piece[k - at];
        __syncthreads();
    }
    if (i < last) gs_finish(a, i, sum);
}

// --- the formats ------------------------------------------------------------------------------

enum method { SCALAR, VECTOR, PS };

template <method M, class T, class O>
gsolve_status launch(gs_queue *q, const form *f, const gs_row_operands<T> &a)
{
    const int32_t n = f->csr.nrows;
    gsolve_status status = GSOLVE_OK;

    if (n == 0) return status;
    if constexpr (M == SCALAR) {
        TRY(gs_launch_pdl(q, "the product with one thread per row", thread_per_row<T, O>,
                          blocks_for(n), gs_block_size, a, n));
    } else if constexpr (M == VECTOR) {
        TRY(gs_launch_pdl(q, "the product with one warp per row", warp_per_row<T, O>,
                          blocks_for((int64_t)n * 32), gs_block_size, a, n));
    } else {
        if (f->entries > 0) {
            TRY(gs_launch_pdl(q, "the products of entries", multiply_entries<T>,
                              gs_grid(q, f->entries), gs_block_size, a, f->entries,
                              (T *)f->product));
        }
        TRY(gs_launch_pdl(q, "the sums of rows", add_products<T, O>, blocks_for(n), gs_block_size,
                          a, n, (const T *)f->product));
    }
done:
    return status;
}

template <method M, class T>
gsolve_status multiply(gs_queue *q, const form *f, double alpha, const void *x, double beta,
                       void *y)
{
    const gs_row_operands<T> a = gs_row_operands_of<T>(&f->csr, alpha, x, beta, y, nullptr);

    return f->csr.offset == GSOLVE_O64 ? launch<M, T, int64_t>(q, f, a)
                                       : launch<M, T, int32_t>(q, f, a);
}

template <method M>
gsolve_status apply(void *self, gsolve_context *ctx, double alpha, gsolve_dense x, double beta,
                    gsolve_dense y)
{
    const form *f = (const form *)self;
    const auto product = x.type == GSOLVE_F32 ? multiply<M, float> : multiply<M, double>;

    return product(ctx->queue, f, alpha, x.value, beta, y.value);
}

void destroy(void *self, gsolve_context *ctx)
{
    gsolve_free(ctx, GSOLVE_DEVICE, ((form *)self)->product);
    gsolve_free(ctx, GSOLVE_HOST, self);
}

gsolve_status build(void **self, gsolve_context *ctx, const gsolve_csr *csr, int64_t entries,
                    const void *, void *)
{
    form *f = (form *)gsolve_alloc(ctx, GSOLVE_HOST, 1, sizeof *f);

    if (!f) return GSOLVE_NO_MEMORY;
    *f = {*csr, entries, nullptr};
    *self = f;
    return GSOLVE_OK;
}

gsolve_status build_ps(void **self, gsolve_context *ctx, const gsolve_csr *csr, int64_t entries,
                       const void *options, void *)
{
    void *product = gsolve_alloc(ctx, GSOLVE_DEVICE, (size_t)entries, gs_type_size(csr->type));
    gsolve_status status;

    TRY(product ? GSOLVE_OK : GSOLVE_NO_MEMORY);
    TRY(build(self, ctx, csr, entries, options, nullptr));
    ((form *)*self)->product = product;
    product = nullptr;
done:
    gsolve_free(ctx, GSOLVE_DEVICE, product);
    return status;
}

size_t estimate_memory(const gsolve_csr *, const void *, void *)
{
    return sizeof(form);
}

size_t estimate_memory_ps(const gsolve_csr *csr, const void *, void *)
{
    return (size_t)gs_start(csr, csr->nrows) * gs_type_size(csr->type);
}

void describe_ps(const void *self, gsolve_matrix_info *info)
{
    const form *f = (const form *)self;
    const size_t value = gs_type_size(f->csr.type);

    info->stored = f->entries;
    info->bytes = (size_t)gs_csr_bytes(&f->csr, f->entries);
    info->bytes += ((size_t)f->csr.ncols + (size_t)f->csr.nrows + 2 * (size_t)f->entries) * value;
}

template <method M>
constexpr gsolve_format format_of(const char *name, const char *summary)
{
    constexpr bool ps = M == PS;

    return {0,
            {name, summary, nullptr, 0},
            nullptr,
            ps ? build_ps : build,
            destroy,
            apply<M>,
            nullptr,
            false,
            nullptr,
            nullptr,
            gs_update_nothing,
            ps ? estimate_memory_ps : estimate_memory,
            ps ? describe_ps : nullptr};
}

} // namespace

extern "C" const gsolve_format gs_csr_scalar_format =
    format_of<SCALAR>("csr_scalar", "compressed sparse rows, one thread per row; for comparison");
extern "C" const gsolve_format gs_csr_vector_format =
    format_of<VECTOR>("csr_vector", "compressed sparse rows, one warp per row; for comparison");
extern "C" const gsolve_format gs_ps_format = format_of<PS>(
    "ps", "first the products of all entries, then the row sums (product-sum); for comparison");
