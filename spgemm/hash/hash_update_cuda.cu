// hash_update_cuda.cu: C's values once more. A plan holds for every product its place in its row of
// C, in one byte where the row has up to 256 entries, in two up to 65536, else in four; so that an
// update reads neither B's columns nor C's, and each product is one addition in shared memory.
#include <cub/device/device_scan.cuh>
#include <string.h>

#include "spgemm/hash/hash_job.cuh"

namespace gs_hash_rows
{
namespace
{

constexpr int32_t byte_row = 256, short_row = 65536; // most entries for places of one and two bytes
constexpr lengths limit = {{32, 64, byte_row, 2048, 8192, short_row}};
enum { byte_ways = 3, short_ways = 6, last_way = 7 }; // the last ways of up to so many bytes
constexpr int apart = 64; // bytes between the sums of rows, so that their banks differ

struct plan_on_device {
    int lanes, room; // as in a job
    int32_t nrows;
    facts seen;     // of the ways by length
    int32_t *rows;  // by ways
    int64_t *begin; // nrows + 1: the byte at which the places of a row begin
    uint8_t *place;
};

// --- the plan -----------------------------------------------------------------------------------

// bytes[row] of the places of a row, a multiple of four.
__global__ void __launch_bounds__(gs_block_size)
    weigh_places(int32_t nrows, rows_of A, rows_of B, rows_of C, int64_t *bytes)
{
    constexpr int sharers = 8;
    const int lane = (int)threadIdx.x % sharers;

    for (int64_t first = (int64_t)blockIdx.x * (gs_block_size / sharers); first <= nrows;
         first += (int64_t)gridDim.x * (gs_block_size / sharers)) {
        const int64_t row = first + threadIdx.x / sharers;
        const int64_t from = row < nrows ? A.begin(row) : 0,
                      to = row < nrows ? A.begin(row + 1) : 0;
        long long work = 0;
        for (int64_t k = from + lane; k < to; k += sharers) {
            const int64_t j = A.col[k];
            work += B.begin(j + 1) - B.begin(j);
        }
        for (int d = sharers / 2; d > 0; d /= 2) work += __shfl_xor_sync(all_lanes, work, d);
        if (lane || row > nrows) continue;
        const int64_t n = row < nrows ? C.begin(row + 1) - C.begin(row) : 0;
        bytes[row] = (work * (n <= byte_row ? 1 : n <= short_row ? 2 : 4) + 3) / 4 * 4;
    }
}

struct column_of_product {
    int32_t col;
    int64_t number;
};

// place[number of a product of its row] for the rows of ways of such places; `threads` of them a
// row: up to a warp, or a block. P: uint8_t, uint16_t, uint32_t.
template <class P>
__global__ void __launch_bounds__(1024)
    find_places(rows_of A, rows_of B, rows_of C, const int32_t *rows, int32_t nrows, int threads,
                const int64_t *begin, uint8_t *place)
{
    const int64_t nth = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) / threads;
    const int me = (int)threadIdx.x % threads, width = min(threads, 32);
    const int32_t row = nth < nrows ? rows[nth] : -1;
    const int64_t from = row < 0 ? 0 : A.begin(row), to = row < 0 ? 0 : A.begin((int64_t)row + 1);
    const int64_t first = row < 0 ? 0 : C.begin(row), end = row < 0 ? 0 : C.begin((int64_t)row + 1);
    P *const mine = reinterpret_cast<P *>(place + (row < 0 ? 0 : begin[row]));

    walk<nothing, true>(
        A, B, {from + me % width, width, width, me, threads}, to, {0, 0}, 0,
        [&](int64_t e, int64_t number) {
            return column_of_product{B.col[e], number};
        },
        [&](bool is_one, nothing, column_of_product x) {
            if (is_one) mine[x.number] = (P)(first_from(C.col, first, end, x.col) - first);
        },
        [] {});
}

template <class P>
gsolve_status find(const plan_on_device *p, gsolve_context *ctx, const gsolve_csr *A,
                   const gsolve_csr *B, const gsolve_csr *C, int first_way, int last, int threads)
{
    const int64_t before = listed_before(&p->seen, first_way);
    const int64_t rows = listed_before(&p->seen, last + 1) - before;
    const int block = threads > gs_block_size ? threads : gs_block_size;
    const int64_t blocks = (rows * threads + block - 1) / block;

    if (rows == 0) return GSOLVE_OK;
    return launch_with(ctx->queue, "finding places", find_places<P>, blocks, block, 0, rows_of(A),
                       rows_of(B), rows_of(C), p->rows + before, (int32_t)rows, threads, p->begin,
                       p->place);
}

// p->begin and room for the places.
gsolve_status make_room(plan_on_device *p, gsolve_context *ctx, const gsolve_csr *A,
                        const gsolve_csr *B, const gsolve_csr *C)
{
    gs_queue *q = ctx->queue;
    const int32_t n = A->nrows;
    size_t bytes = 0;
    int64_t all = 0;
    char *space = nullptr;
    gsolve_status status;

    ALLOC_DEVICE(ctx, p->begin, (size_t)n + 1);
    TRY(gs_launch(q, "weighing places", weigh_places, gs_grid(q, 8 * ((int64_t)n + 1)),
                  gs_block_size, n, rows_of(A), rows_of(B), rows_of(C), p->begin));
    TRY(gs_cuda(q,
                cub::DeviceScan::ExclusiveSum(nullptr, bytes, p->begin, (int64_t)n + 1, q->stream),
                "numbering places"));
    ALLOC_DEVICE(ctx, space, bytes);
    TRY(gs_cuda(q, cub::DeviceScan::ExclusiveSum(space, bytes, p->begin, (int64_t)n + 1, q->stream),
                "numbering places"));
    TRY(gsolve_copy(ctx, &all, GSOLVE_HOST, p->begin + n, GSOLVE_DEVICE, sizeof all));
    ALLOC_DEVICE(ctx, p->place, all);
done:
    gsolve_free(ctx, GSOLVE_DEVICE, space);
    return status;
}

// --- the update ---------------------------------------------------------------------------------

template <class T, class P>
struct placed {
    T value;
    P place;
};

template <class T, class P, class Add, class Sync>
__device__ __forceinline__ void add_up(const rows_of &A, const rows_of &B, sharing s, int64_t to,
                                       const P *place, Add add, Sync sync)
{
    walk<T, true>(
        A, B, s, to, {0, 0}, 0,
        [&](int64_t e, int64_t number) {
            return placed<T, P>{B.number<T>(e), place[number]};
        },
        [&](bool is_one, T a, placed<T, P> x) {
            if (is_one) add(a, x.value, (int)x.place);
        },
        sync);
}

// Rows of up to `most` entries by G lanes each.
template <class T, int G>
__global__ void __launch_bounds__(gs_block_size)
    renew_few(rows_of A, rows_of B, rows_of C, const int32_t *rows, int32_t nrows, int most,
              const int64_t *begin, const uint8_t *place, T *value)
{
    const int slot = (int)threadIdx.x / G, lane = (int)threadIdx.x % G;
    const int64_t nth = (int64_t)blockIdx.x * (gs_block_size / G) + slot;
    const int32_t row = nth < nrows ? rows[nth] : -1;
    const int64_t from = row < 0 ? 0 : A.begin(row), to = row < 0 ? 0 : A.begin((int64_t)row + 1);
    const int64_t first = row < 0 ? 0 : C.begin(row);
    const int n = row < 0 ? 0 : (int)(C.begin((int64_t)row + 1) - first);
    T *sum = reinterpret_cast<T *>(row_space(slot, most * (int)sizeof(T) + apart));

    for (int k = lane; k < n; k += G) sum[k] = 0;
    __syncwarp();
    add_up<T>(
        A, B, {from + lane, G, G, lane, G}, to, place + (row < 0 ? 0 : begin[row]),
        [&](T a, T b, int at) { sum[at] = fma(a, b, sum[at]); }, [] { __syncwarp(); });
    for (int k = lane; k < n; k += G) value[first + k] = sum[k];
}

// Longer rows by a block for each piece of up to `most` entries.
template <class T, class P>
__global__ void __launch_bounds__(1024)
    renew_many(rows_of A, rows_of B, rows_of C, const int32_t *rows, int pieces, int most,
               const int64_t *begin, const uint8_t *place, T *value)
{
    const int32_t row = rows[blockIdx.x / (unsigned)pieces];
    const int piece = (int)(blockIdx.x % (unsigned)pieces) * most;
    const int64_t first = C.begin(row);
    const int n = min((int)(C.begin((int64_t)row + 1) - first) - piece, most);
    T *sum = reinterpret_cast<T *>(row_space(0, 0));

    if (n <= 0) return; // the whole block
    for (int k = (int)threadIdx.x; k < n; k += (int)blockDim.x) sum[k] = 0;
    __syncthreads();
    add_up<T>(
        A, B, in_order<by_block>(A.begin(row)), A.begin((int64_t)row + 1),
        reinterpret_cast<const P *>(place + begin[row]),
        [&](T a, T b, int at) {
            const unsigned here = (unsigned)(at - piece);
            if (here < (unsigned)n) sum[here] = fma(a, b, sum[here]);
        },
        [] { __syncthreads(); });
    for (int k = (int)threadIdx.x; k < n; k += (int)blockDim.x) value[first + piece + k] = sum[k];
}

struct operands {
    const plan_on_device *p;
    gs_queue *q;
    rows_of A, B, C;
    void *value;
};

template <class T, int G>
gsolve_status few(const operands &o, int way)
{
    const int64_t rows = o.p->seen.rows[way], per_block = gs_block_size / G;
    const int most = limit.most[way - 1], bytes = most * (int)sizeof(T) + apart;

    if (rows == 0) return GSOLVE_OK;
    return launch_with(o.q, "new values of short rows", renew_few<T, G>,
                       (rows + per_block - 1) / per_block, gs_block_size, (int)per_block * bytes,
                       o.A, o.B, o.C, o.p->rows + listed_before(&o.p->seen, way), (int32_t)rows,
                       most, o.p->begin, o.p->place, (T *)o.value);
}

template <class T, class P>
gsolve_status many(const operands &o, int way, int threads)
{
    const int64_t rows = o.p->seen.rows[way];
    const int fit = o.p->room / (int)sizeof(T);
    const int most = way < short_ways && limit.most[way - 1] <= fit ? limit.most[way - 1] : fit;
    const int longest = way <= short_ways && limit.most[way - 1] < o.p->seen.longest
                            ? limit.most[way - 1]
                            : o.p->seen.longest;
    const int pieces = (longest + most - 1) / most;

    if (rows == 0) return GSOLVE_OK;
    return launch_with(o.q, "new values of long rows", renew_many<T, P>, rows * pieces, threads,
                       most * (int)sizeof(T), o.A, o.B, o.C,
                       o.p->rows + listed_before(&o.p->seen, way), pieces, most, o.p->begin,
                       o.p->place, (T *)o.value);
}

template <class T>
gsolve_status renew(const operands &o)
{
    const int lanes = o.p->lanes;
    gsolve_status status;

    TRY((many<T, uint32_t>(o, last_way, 1024))); // the heaviest first
    TRY((many<T, uint16_t>(o, 6, 1024)));
    TRY((many<T, uint16_t>(o, 5, 512)));
    TRY((many<T, uint16_t>(o, 4, 128)));
    TRY((lanes <= 16 ? few<T, 16> : few<T, 32>)(o, 3));
    for (int way = 2; way > 0; way--) {
        TRY((lanes == 4    ? few<T, 4>
             : lanes == 8  ? few<T, 8>
             : lanes == 16 ? few<T, 16>
                           : few<T, 32>)(o, way));
    }
done:
    return status;
}

} // namespace

gsolve_status make_plan(void **out, gsolve_context *ctx, const gsolve_csr *A, const gsolve_csr *B,
                        const gsolve_csr *C, int lanes)
{
    gs_queue *q = ctx->queue;
    plan_on_device *p = static_cast<plan_on_device *>(gsolve_alloc(ctx, GSOLVE_HOST, 1, sizeof *p));
    gsolve_status status = p ? GSOLVE_OK : GSOLVE_NO_MEMORY;

    if (!p) return status;
    memset(p, 0, sizeof *p);
    p->lanes = lanes;
    p->nrows = A->nrows;
    TRY(gs_cuda(q,
                cudaDeviceGetAttribute(&p->room, cudaDevAttrMaxSharedMemoryPerBlockOptin, q->index),
                "the size of shared memory"));
    ALLOC_DEVICE(ctx, p->rows, (size_t)A->nrows);
    TRY(class_by_length(ctx, C, limit, p->rows, &p->seen));
    TRY(make_room(p, ctx, A, B, C));
    TRY(find<uint32_t>(p, ctx, A, B, C, short_ways + 1, last_way, 1024));
    TRY(find<uint16_t>(p, ctx, A, B, C, byte_ways + 1, short_ways, 1024));
    TRY(find<uint8_t>(p, ctx, A, B, C, 1, byte_ways, lanes));
    *out = p;
    p = nullptr;
done:
    drop_plan(p, ctx);
    return status;
}

gsolve_status run_plan(const void *plan, gsolve_context *ctx, const gsolve_csr *A,
                       const gsolve_csr *B, gsolve_csr *C)
{
    const plan_on_device *p = static_cast<const plan_on_device *>(plan);
    const operands o = {p,          ctx->queue, rows_of(A),
                        rows_of(B), rows_of(C), (void *)(uintptr_t)C->value};

    return C->type == GSOLVE_F32 ? renew<float>(o) : renew<double>(o);
}

void drop_plan(void *plan, gsolve_context *ctx)
{
    plan_on_device *p = static_cast<plan_on_device *>(plan);

    if (!p) return;
    gsolve_free(ctx, GSOLVE_DEVICE, p->rows);
    gsolve_free(ctx, GSOLVE_DEVICE, p->begin);
    gsolve_free(ctx, GSOLVE_DEVICE, p->place);
    gsolve_free(ctx, GSOLVE_HOST, p);
}

} // namespace gs_hash_rows
