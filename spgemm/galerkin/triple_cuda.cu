// triple_cuda.cu: R A P on a GPU. A P is computed first. Then a few lanes compute each short row of
// R (A P) and store it, sorted, in a buffer with a fixed number of elements for each row. A row
// that does not fit is recomputed by a warp with a larger table. Finally the sizes of all rows are
// known, and the rows are packed into C. So no pass counts C's entries beforehand, and the host
// waits only twice, unless rows are long.
#include "spgemm/galerkin/triple.cuh"
#include "spgemm/galerkin/triple_kernels.cuh"

using namespace gs_triple_rows;

namespace
{

constexpr int min_blocks = 4;   // that a multiprocessor runs; limits the registers
constexpr int max_steps = 4096; // batches of 32 elements of a row: some milliseconds

// --- rows by warps ------------------------------------------------------------------------------

// The shared memory of a warp: the table of 2^bits places, the sort keys, and the owners.
template <class T>
__host__ __device__ constexpr int warp_bytes(int bits)
{
    return sums<T>::bytes(bits + 1) + (8 << bits) + 32;
}

__device__ inline int64_t warp_of_grid()
{
    return ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) / 32;
}

// Stores row i of C at the k-th position of the part; returns its number of entries, or -1 if it
// has too many entries, -2 if it needs too many steps.
template <class T>
__device__ int make_row(const operands &o, int64_t i, int64_t k, int bits, const part &to,
                        int64_t *products)
{
    extern __shared__ __align__(16) char gs_triple_space[];
    char *space = gs_triple_space + (int)threadIdx.x / 32 * warp_bytes<T>(bits);
    sums<T> c(space, bits + 1);
    unsigned long long *sorted =
        reinterpret_cast<unsigned long long *>(space + sums<T>::bytes(bits + 1));
    uint8_t *owner = reinterpret_cast<uint8_t *>(sorted + (1 << bits));
    const bounds most = {1 << bits, max_steps};

    if (!sum_row(o, i, owner, &c, most, products)) return c.n > most.entries ? -1 : -2;
    for (int e = lane_of(); e < c.n; e += 32) {
        sorted[e] = (unsigned long long)c.key[c.list[e]] << 16 | c.list[e];
    }
    sort(sorted, c.n);
    for (int e = lane_of(); e < c.n; e += 32) {
        to.col[(k << bits) + e] = (int32_t)(sorted[e] >> 16);
        static_cast<T *>(to.value)[(k << bits) + e] = c.sum[sorted[e] & 0xffff];
    }
    return c.n;
}

// Computes the rows of a part. A warp owns a row, with a hash table of 2^(bits + 1) places in
// shared memory. Reads the row of R, and the rows of A P that it refers to, once; writes the
// columns and sums of the row once. Rows with too many entries are appended to `left`. Invariant:
// sums as in sum_row.
template <class T>
__global__ void __launch_bounds__(gs_block_size, min_blocks)
    make_rows(operands o, part to, int bits, int32_t *count, int32_t *left, statistics *f)
{
    __shared__ unsigned long long entries, products;
    const int64_t k = warp_of_grid();

    if (threadIdx.x == 0) entries = products = 0;
    __syncthreads();
    if (k < to.nrows) {
        const int32_t i = to.rows[k];
        int64_t mine = 0;
        const int n = make_row<T>(o, i, k, bits, to, &mine);
        if (lane_of() == 0) {
            count[i] = max(n, 0);
            if (n == -1) left[atomicAdd(&f->left, 1u)] = i;
            if (n == -2) atomicAdd(&f->rejected, 1u);
            if (n > 0) atomicAdd(&entries, (unsigned long long)n);
            if (n > 0) atomicAdd(&products, (unsigned long long)mine);
        }
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd(&f->entries, entries);
        atomicAdd(&f->products, products);
    }
}

// Copies the rows of the part with up to `most` entries to their positions in C. Longer rows are in
// a later part. A warp owns a row. Reads and writes each entry once.
template <class T>
__global__ void __launch_bounds__(gs_block_size)
    pack_rows(part from, int bits, int most, rows_of C, int32_t *col, T *value)
{
    const int64_t k = warp_of_grid();
    if (k >= from.nrows) return; // all lanes of the warp
    const int64_t i = from.rows ? from.rows[k] : k, begin = C.begin(i);
    const int n = (int)(C.begin(i + 1) - begin);

    if (n > most) return;
    for (int e = lane_of(); e < n; e += 32) {
        col[begin + e] = from.col[(k << bits) + e];
        value[begin + e] = static_cast<const T *>(from.value)[(k << bits) + e];
    }
}

// --- on the host --------------------------------------------------------------------------------

struct job {
    gsolve_context *ctx;
    const gsolve_csr *R, *M; // M: A P
    int32_t nrows;
    part of[parts + 1]; // the last: rows that fit no part
    int used;           // parts
    int32_t *count;
    statistics *device_stats, stats;
};

void close_job(job *j)
{
    for (const part &p : j->of) {
        gsolve_free(j->ctx, GSOLVE_DEVICE, p.rows);
        gsolve_free(j->ctx, GSOLVE_DEVICE, p.col);
        gsolve_free(j->ctx, GSOLVE_DEVICE, p.value);
    }
    gsolve_free(j->ctx, GSOLVE_DEVICE, j->count);
    gsolve_free(j->ctx, GSOLVE_DEVICE, j->device_stats);
}

// Launches make_rows with as many warps per block as fit the shared memory.
template <class T>
gsolve_status make_long_rows(job *j, int bits, const part *p, int32_t *left)
{
    constexpr int max_block_bytes = 96 << 10; // bytes of a block
    const int bytes = warp_bytes<T>(bits);
    const operands o = {j->R, j->M};
    int warps = gs_block_size / 32;

    while (warps > 1 && warps * bytes > max_block_bytes) warps /= 2;
    return launch_with(j->ctx->queue, "long rows of R A P", make_rows<T>,
                       ((int64_t)p->nrows + warps - 1) / warps, 32 * warps, warps * bytes, o, *p,
                       bits, j->count, left, j->device_stats);
}

// Computes the rows of part k; rows that do not fit move to part k + 1.
template <class T>
gsolve_status make_part(job *j, int k)
{
    gsolve_context *ctx = j->ctx;
    const int bits = part_bits[k];
    part *p = &j->of[k];
    gsolve_status status;

    p->value = gsolve_alloc(ctx, GSOLVE_DEVICE, (size_t)p->nrows << bits, sizeof(T));
    TRY(p->value ? GSOLVE_OK : GSOLVE_NO_MEMORY);
    ALLOC_DEVICE(ctx, p->col, (size_t)p->nrows << bits);
    ALLOC_DEVICE(ctx, p[1].rows, (size_t)p->nrows);
    TRY(k == 0 ? make_short_rows<T>(ctx, j->R, j->M, p, j->count, p[1].rows, j->device_stats)
               : make_long_rows<T>(j, bits, p, p[1].rows));
    TRY(gsolve_copy(ctx, &j->stats, GSOLVE_HOST, j->device_stats, GSOLVE_DEVICE, sizeof j->stats));
    p[1].nrows = (int32_t)j->stats.left;
    j->used = k + 1;
done:
    return status;
}

template <class T>
gsolve_status make_parts(job *j, bool *fits)
{
    gsolve_context *ctx = j->ctx;
    gsolve_status status;

    ALLOC_DEVICE(ctx, j->device_stats, 1);
    ALLOC_DEVICE(ctx, j->count, (size_t)j->nrows + 1);
    TRY(gs_cuda(ctx->queue,
                cudaMemsetAsync(j->device_stats, 0, sizeof *j->device_stats, ctx->queue->stream),
                "R A P"));
    j->of[0].nrows = j->nrows;
    for (int k = 0; k < parts && j->of[k].nrows > 0 && j->stats.rejected == 0; k++) {
        if (k > 0) {
            TRY(gs_cuda(ctx->queue,
                        cudaMemsetAsync(&j->device_stats->left, 0, sizeof j->device_stats->left,
                                        ctx->queue->stream),
                        "R A P"));
        }
        TRY(make_part<T>(j, k));
    }
    *fits = j->stats.left == 0 && j->stats.rejected == 0;
done:
    return status;
}

template <class T>
gsolve_status pack(job *j, const gsolve_csr *C)
{
    gsolve_status status;

    TRY(number_rows(j->ctx, j->count, C));
    for (int k = 0; k < j->used; k++) {
        TRY(launch_with(
            j->ctx->queue, "packing rows", pack_rows<T>,
            ((int64_t)j->of[k].nrows * 32 + gs_block_size - 1) / gs_block_size, gs_block_size, 0,
            j->of[k], part_bits[k], k ? 1 << part_bits[k] : most_entries(part_bits[k]), rows_of(C),
            (int32_t *)gs_owned_block(j->ctx, C->col), (T *)gs_owned_block(j->ctx, C->value)));
    }
done:
    return status;
}

template <class T>
gsolve_status multiply(gsolve_csr *out, void **plan, gs_product_work *stats, bool *fits,
                       gsolve_context *ctx, const gsolve_csr *R, const gsolve_csr *A,
                       const gsolve_csr *P)
{
    gsolve_csr C = {}, M = {};
    job j = {ctx, R, &M, R->nrows};
    gsolve_status status = GSOLVE_OK;

    *fits = R->nrows > 0;
    if (!*fits) return GSOLVE_OK;
    TRY(multiply_short<T>(&M, &stats->products, ctx, A, P));
    TRY(make_parts<T>(&j, fits));
    if (!*fits) goto done;
    gsolve_csr_free(&M, ctx);
    TRY(gs_csr_new_at(&C, ctx, GSOLVE_DEVICE, R->nrows, P->ncols, (int64_t)j.stats.entries,
                      R->type));
    TRY(pack<T>(&j, &C));
    if (plan) TRY(create_plan(plan, ctx, (int64_t)j.stats.products));
    stats->products += (int64_t)j.stats.products;
    stats->bands = 1;
    *out = C;
    C = {};
done:
    close_job(&j);
    C.location = M.location = GSOLVE_DEVICE;
    gsolve_csr_free(&C, ctx);
    gsolve_csr_free(&M, ctx);
    return status;
}

} // namespace

extern "C" const gs_triple_kernels gs_triple_cuda[GSOLVE_TYPE_COUNT] = {
    {multiply<float>, update_values<float>, destroy_plan},
    {multiply<double>, update_values<double>, destroy_plan}};
