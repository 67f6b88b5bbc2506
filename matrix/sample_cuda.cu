// sample_cuda.cu: pattern statistics on a GPU, see sample.h. One kernel computes them: some blocks
// read the sample and the others read the row lengths. Both run at the same time, because the work
// is short and limited by the latency of memory.
#include "core/cuda.cuh"

extern "C" {
#include "core/try.h"
#include "matrix/sample.h"
}

namespace
{

constexpr unsigned all = 0xffffffffu;
constexpr int at_once = 8; // entries of a row that are read at once
static_assert(GS_SAMPLE_DEEP % at_once == 0, "no entry beyond GS_SAMPLE_DEEP is read");
static_assert(GS_SAMPLE_ROWS == 32, "a row for each lane of a warp");

template <class O>
__device__ int64_t row_length(const O *start, int32_t n, int64_t i)
{
    return i < n ? (int64_t)start[i + 1] - (int64_t)start[i] : 0;
}

__device__ int64_t warp_sum(int64_t x)
{
    for (int d = 16; d > 0; d /= 2) x += __shfl_xor_sync(all, x, d);
    return x;
}

template <class O>
__device__ int32_t middle_column(const O *start, const int32_t *col, int64_t i)
{
    return col[(int64_t)start[i] + ((int64_t)start[i + 1] - (int64_t)start[i]) / 2];
}

// Returns the entries of row i, which has more than GS_SAMPLE_LONG, if it is irregular, else 0.
template <class O>
__device__ int64_t irregular_entries(const O *start, const int32_t *col, int64_t i, int64_t length)
{
    if (i == 0 || start[i - 1] == start[i]) return 0;
    const int64_t reach = (int64_t)col[start[i + 1] - 1] - col[start[i]];
    const int64_t apart = (int64_t)middle_column(start, col, i) - middle_column(start, col, i - 1);
    if (reach <= GS_SAMPLE_REACH || reach <= GS_SAMPLE_APART * length) return 0;
    return apart > GS_SAMPLE_SAME || apart < -GS_SAMPLE_SAME ? length : 0;
}

// The sample has one row per thread; the rows are n / threads apart. Returns 1 if the thread's row
// begins more than GS_SAMPLE_NEAR columns from where the row before begins, else 0. Returns -1 if
// there is no such row or one of the two rows is empty. Reads 3 offsets and 2 columns.
template <class O>
__device__ int begins_far(int32_t n, const O *start, const int32_t *col, int64_t thread,
                          int64_t threads)
{
    const int64_t i = thread * max(n / threads, (int64_t)1);

    if (i == 0 || i >= n || start[i - 1] == start[i] || start[i] == start[i + 1]) return -1;
    const int64_t apart = (int64_t)col[start[i]] - (int64_t)col[start[i - 1]];
    return apart > GS_SAMPLE_NEAR || apart < -GS_SAMPLE_NEAR;
}

// Computes statistics of all row lengths. A thread owns the rows first, first + threads, ...; a
// warp owns 32 neighbouring rows at a time. A block adds the sums of its warps in shared memory and
// then adds them to sums. Row lengths are below 2^31, because the columns of a row are different.
template <class O>
__device__ void inspect_lengths(int32_t n, const O *start, const int32_t *col, int64_t first,
                                int64_t threads, gs_sample_sums *sums)
{
    const int64_t rows = ((int64_t)n + 31) / 32 * 32;
    const int begins = begins_far(n, start, col, first, threads);
    unsigned near = begins == 0, far = begins == 1, longest = 0, empty = 0;
    int64_t filled8 = 0, filled32 = 0, irregular = 0;
    __shared__ gs_sample_sums block;

    if (threadIdx.x == 0) block = gs_sample_sums();
    __syncthreads();
    for (int64_t i = first; i < rows; i += threads) { // all lanes of a warp iterate equally often
        const unsigned length = (unsigned)row_length(start, n, i);
        unsigned most = length;
        for (int d = 1; d < 8; d *= 2) most = max(most, __shfl_xor_sync(all, most, d));
        const unsigned of8 = most;
        for (int d = 8; d < 32; d *= 2) most = max(most, __shfl_xor_sync(all, most, d));
        filled8 += i < n ? of8 : 0;
        filled32 += i < n ? most : 0;
        empty += i < n && length == 0;
        longest = max(longest, most);
        if (length > GS_SAMPLE_LONG) irregular += irregular_entries(start, col, i, length);
    }
    filled8 = warp_sum(filled8);
    filled32 = warp_sum(filled32);
    irregular = warp_sum(irregular);
    empty = __reduce_add_sync(all, empty);
    longest = __reduce_max_sync(all, longest);
    near = __reduce_add_sync(all, near);
    far = __reduce_add_sync(all, far);
    if (threadIdx.x % 32 == 0) {
        atomicAdd(&block.filled8, (unsigned long long)filled8);
        atomicAdd(&block.filled32, (unsigned long long)filled32);
        atomicAdd(&block.irregular, (unsigned long long)irregular);
        atomicMax(&block.rows.longest, longest);
        atomicAdd(&block.rows.empty, empty);
        atomicAdd(&block.rows.near, near);
        atomicAdd(&block.rows.far, far);
    }
    __syncthreads();
    if (threadIdx.x > 0) return;
    if (first == 0) sums->entries = (unsigned long long)start[n];
    atomicAdd(&sums->filled8, block.filled8);
    atomicAdd(&sums->filled32, block.filled32);
    if (block.irregular > 0) atomicAdd(&sums->irregular, block.irregular);
    atomicMax(&sums->rows.longest, block.rows.longest);
    if (block.rows.empty > 0) atomicAdd(&sums->rows.empty, block.rows.empty);
    if (block.rows.near > 0) atomicAdd(&sums->rows.near, block.rows.near);
    if (block.rows.far > 0) atomicAdd(&sums->rows.far, block.rows.far);
}

// Computes statistics of the columns of the group of 32 rows that begins at row first. A warp owns
// the group and a lane one row; a lane reads at_once entries of its row at a time.
template <class O>
__device__ void inspect_group(int32_t n, const O *start, const int32_t *col, int64_t first,
                              gs_sample_sums *sums)
{
    const int lane = (int)threadIdx.x % 32;
    const int64_t i = first + lane, length = row_length(start, n, i);
    const int32_t *mine = length > 0 ? col + start[i] : col;
    const int longest = (int)__reduce_max_sync(all, (unsigned)min(length, (int64_t)GS_SAMPLE_DEEP));
    bool narrow = true;
    unsigned far = 0, pairs = 0;

    for (int k = 0; k < longest; k += at_once) {
        int32_t column[at_once];
#pragma unroll
        for (int u = 0; u < at_once; u++) column[u] = k + u < length ? __ldg(&mine[k + u]) : -1;
#pragma unroll
        for (int u = 0; u < at_once; u++) {
            const int32_t c = column[u], before = __shfl_up_sync(all, c, 1);
            const int32_t low = __reduce_min_sync(all, c < 0 ? INT32_MAX : c);
            const int32_t high = __reduce_max_sync(all, c);
            const bool pair = lane > 0 && c >= 0 && before >= 0;
            pairs += pair;
            far += pair && (c - before > GS_SAMPLE_FAR || before - c > GS_SAMPLE_FAR);
            narrow = narrow && (high < 0 || high - low <= GS_SAMPLE_SPAN);
        }
    }
    far = __reduce_add_sync(all, far);
    pairs = __reduce_add_sync(all, pairs);
    if (lane > 0 || longest == 0) return;
    atomicAdd(&sums->pairs, (unsigned long long)pairs);
    atomicAdd(&sums->far, (unsigned long long)far);
    atomicAdd(&sums->groups, 1u);
    if (narrow) atomicAdd(&sums->narrow, 1u);
}

// Tests whether the B rows of the block row that contains row sample consist of dense, aligned B x
// B blocks. A warp owns the block row: lanes 0 to B - 1 read a row length each, then lane l tests
// the entries l, l + 32, ... of all B rows.
template <int B, class O>
__device__ void inspect_block(int32_t n, const O *start, const int32_t *col, int64_t sample,
                              gs_sample_sums *sums)
{
    const int64_t first = sample / B * B;
    const int lane = (int)threadIdx.x % 32;
    const O from = lane < B && first + lane < n ? start[first + lane] : 0;
    const int64_t own = lane < B ? row_length(start, n, first + lane) : 0;
    const int64_t length = __shfl_sync(all, own, 0);
    bool full = length % B == 0 && (lane >= B || own == length);

    if (first + B > n || length == 0) return; // equal in all lanes
    full = __all_sync(all, full);
    for (int k = lane; full && k < GS_SAMPLE_DEEP; k += 32) {
        int32_t there[B], corner = 0;
#pragma unroll
        for (int r = 0; r < B; r++) {
            const O row = __shfl_sync(all, from, r);
            there[r] = k < length ? col[row + k] : -1;
            if (r == 0) corner = k < length ? col[row + k - k % B] : -1;
        }
        full = k >= length || corner % B == 0;
#pragma unroll
        for (int r = 0; r < B; r++) full = full && (k >= length || there[r] == corner + k % B);
        full = __all_sync(all, full);
    }
    if (lane > 0) return;
    atomicAdd(&sums->tested[B], 1u);
    if (full) atomicAdd(&sums->full[B], 1u);
}

constexpr int roles = GS_SAMPLE_BLOCK; // warps per group: 1 for its columns, 1 for each block size
constexpr int sample_blocks = GS_SAMPLE_GROUPS * 32 / gs_block_size * roles;
static_assert(GS_SAMPLE_BLOCK == 6, "inspect_sample has one case per block size");

// Computes one warp's part of the sample: the columns of a group, or its blocks of one size.
template <class O>
__device__ void inspect_sample(int32_t n, const O *start, const int32_t *col, int32_t step,
                               int64_t warp, gs_sample_sums *sums)
{
    const int64_t first = warp / roles * step * GS_SAMPLE_ROWS;

    if (first >= n) return; // for all lanes of a warp
    switch (warp % roles) {
    case 0: inspect_group(n, start, col, first, sums); break;
    case 1: inspect_block<2>(n, start, col, first, sums); break;
    case 2: inspect_block<3>(n, start, col, first, sums); break;
    case 3: inspect_block<4>(n, start, col, first, sums); break;
    case 4: inspect_block<5>(n, start, col, first, sums); break;
    case 5: inspect_block<6>(n, start, col, first, sums); break;
    }
}

// The first `samplers` blocks read the sample, one warp per group and test. The threads of the
// other blocks read the row lengths, each in strides of their number. All sums are integers that
// are added atomically, so the result does not depend on the order. It reads all offsets once and
// at most GS_SAMPLE_DEEP columns of each sampled row, and the ends and middles of long rows.
template <class O>
__global__ void __launch_bounds__(gs_block_size)
    inspect_all(int32_t n, const O *start, const int32_t *col, int samplers, int32_t step,
                gs_sample_sums *sums)
{
    const int64_t thread = (int64_t)blockIdx.x * gs_block_size + threadIdx.x;
    const int64_t before = (int64_t)samplers * gs_block_size;

    if (thread < before) {
        inspect_sample(n, start, col, step, thread / 32, sums);
    } else {
        inspect_lengths(n, start, col, thread - before, (int64_t)gridDim.x * gs_block_size - before,
                        sums);
    }
}

template <class O>
gsolve_status launch(gs_queue *q, const gsolve_csr *A, bool columns, gs_sample_sums *sums)
{
    const int samplers = columns ? sample_blocks : 0;

    return gs_launch(q, "computing pattern statistics", inspect_all<O>,
                     samplers + gs_grid(q, A->nrows), gs_block_size, A->nrows, (const O *)A->start,
                     A->col, samplers, gs_sample_step(A->nrows), sums);
}

gsolve_status sum(gsolve_context *ctx, const gsolve_csr *A, bool columns, gs_sample_sums *sums)
{
    gs_queue *q = ctx->queue;
    gs_sample_sums *space = nullptr;
    gsolve_status status;

    ALLOC_DEVICE(ctx, space, 1);
    TRY(gs_cuda(q, cudaMemsetAsync(space, 0, sizeof *space, q->stream),
                "computing pattern statistics"));
    if (A->nrows > 0) {
        TRY(A->offset == GSOLVE_O64 ? launch<int64_t>(q, A, columns, space)
                                    : launch<int32_t>(q, A, columns, space));
    }
    TRY(gsolve_copy(ctx, sums, GSOLVE_HOST, space, GSOLVE_DEVICE, sizeof *sums));
done:
    gsolve_free(ctx, GSOLVE_DEVICE, space);
    return status;
}

} // namespace

extern "C" const gs_sample_kernels gs_sample_cuda[GSOLVE_TYPE_COUNT] = {{sum}, {sum}};
