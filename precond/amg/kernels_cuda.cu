// kernels_cuda.cu: the kernels of kernels.h on a GPU.
#include "core/pdl.cuh"
#include "precond/amg/prefix_sum.cuh"

extern "C" {
#include "precond/amg/kernels.h"
#include "precond/amg/options.h"
}

#define SMALL __device__ inline
#include "matrix/row_rule.h"

namespace
{

gsolve_status sum(gsolve_context *ctx, int32_t n, int32_t *count, int64_t *first, int64_t *total)
{
    gs_queue *q = ctx->queue;
    gsolve_status status;

    TRY(gs_cuda(q, cudaMemsetAsync(count + n, 0, sizeof *count, q->stream), "adding up counts"));
    TRY(gs_prefix_sum(ctx, n, count, first, total));
done:
    return status;
}

gsolve_status number(gsolve_context *ctx, int32_t n, int32_t *number, int32_t *total)
{
    return gs_prefix_sum(ctx, n, number, number, total);
}

// A thread reads one byte, and a warp packs 32 of them into one word.
__global__ void __launch_bounds__(gs_block_size)
    pack_bits(int64_t n, const uint8_t *flag, uint32_t *bits)
{
    const int64_t k = (int64_t)blockIdx.x * gs_block_size + threadIdx.x;
    const unsigned word = __ballot_sync(gs_all_lanes, k < n && flag[k]);

    if (k < n && k % 32 == 0) bits[k / 32] = word;
}

gsolve_status pack(gs_queue *q, int64_t n, const uint8_t *flag, uint32_t *bits)
{
    return gs_launch(q, "connections in bits", pack_bits, gs_subwarp_blocks(n, 1), gs_block_size, n,
                     flag, bits);
}

// A warp owns a row of R. Each lane looks up the entries of this row by binary search in short rows
// of P. Reads R's pattern once and about log2(length) column numbers of P for each entry.
template <class T, class O>
__global__ void __launch_bounds__(gs_block_size)
    take_values(int32_t nrows, const O *start, const int32_t *col, T *r, const O *pstart,
                const int32_t *pcol, const T *p)
{
    const gs_subwarp<32> g;
    const int32_t c = (int32_t)g.unit;

    if (g.unit >= nrows) return;
    for (int64_t k = (int64_t)start[c] + g.lane; k < (int64_t)start[c + 1]; k += 32) {
        const int32_t i = col[k];
        r[k] = p[gs_row_find(pcol, (int64_t)pstart[i], (int64_t)pstart[i + 1], c)];
    }
}

template <class T>
gsolve_status transpose_values(gs_queue *q, const gsolve_csr *P, const gsolve_csr *R, void *value)
{
    return gs_with_start(R, [&](auto start) { // P's offsets have the same type
        using O = std::remove_const_t<std::remove_pointer_t<decltype(start)>>;
        return gs_launch(q, "the transpose's values", take_values<T, O>,
                         gs_subwarp_blocks(R->nrows, 32), gs_block_size, R->nrows, start, R->col,
                         (T *)value, (const O *)P->start, P->col, (const T *)P->value);
    });
}

// A warp owns a row of M, and computes it for up to C columns in double precision. M is read once;
// b stays in the cache. A lane sums every 32nd element; the warp adds the lanes' sums in a fixed
// order. columns <= C. Thread 0 counts the application: the host cannot count those of a recorded
// graph.
template <int C, class T>
__global__ void __launch_bounds__(gs_block_size)
    multiply_dense(int32_t n, int32_t columns, const T *M, const T *b, T *x, int64_t *count,
                   gs_guard guard)
{
    const int64_t thread = (int64_t)blockIdx.x * gs_block_size + threadIdx.x;
    const int64_t step = (int64_t)gridDim.x * (gs_block_size / 32);

    if (guard.has_ended()) return;
    if (thread == 0) *count += columns;
    for (int64_t i = thread / 32; i < n; i += step) {
        const T *row = M + i * n;
        double sum[C] = {};
#pragma unroll 4
        for (int32_t j = (int32_t)(thread % 32); j < n; j += 32) {
            const double m = (double)row[j];
            const T *bj = b + (int64_t)j * columns;
#pragma unroll
            for (int c = 0; c < C; c++) {
                if (c < columns) sum[c] += m * (double)bj[c];
            }
        }
#pragma unroll
        for (int c = 0; c < C; c++) {
            for (int s = 16; s > 0; s /= 2) sum[c] += __shfl_xor_sync(0xffffffffu, sum[c], s);
            if (thread % 32 == 0 && c < columns) x[i * columns + c] = (T)sum[c];
        }
    }
}

template <class T>
gsolve_status dense(gs_queue *q, int32_t n, int32_t columns, const void *M, const void *b, void *x,
                    int64_t *count)
{
    const auto kernel = columns == 1 ? multiply_dense<1, T> : multiply_dense<GS_AMG_COLUMNS, T>;

    return gs_launch_pdl(q, "the coarsest level", kernel, gs_grid(q, (int64_t)n * 32),
                         gs_block_size, n, columns, (const T *)M, (const T *)b, (T *)x, count);
}

template <class T>
constexpr gs_amg_kernels table = {sum, number, transpose_values<T>, pack, dense<T>};

} // namespace

extern "C" const gs_amg_kernels gs_amg_cuda[GSOLVE_TYPE_COUNT] = {table<float>, table<double>};
