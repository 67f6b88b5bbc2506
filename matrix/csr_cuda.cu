// csr_cuda.cu: what can be asked of compressed rows, on the GPU where they lie.
#include "core/cuda.cuh"

extern "C" {
#include "core/try.h"
#include "matrix/statistics.h"
}

namespace
{

typedef unsigned long long count_t;
constexpr count_t none = ~(count_t)0;

// What a look found. Least and sum of whole numbers: the same in any order.
struct findings {
    count_t row;       // that is not right, or none
    count_t entry;     // that is not right, or none
    count_t entries;   // of the matrix
    count_t descents;  // entries whose column does not exceed that of the entry before
    count_t forgiven;  // those of them that begin a row
    count_t different; // rows or entries
};

// --- findings: on the device before a look, on the host after it ------------------------------

gsolve_status begin(gsolve_context *ctx, findings **f)
{
    gs_queue *q = ctx->queue;
    gsolve_status status;

    ALLOC_DEVICE(ctx, *f, 1);
    TRY(gs_cuda(q, cudaMemsetAsync(*f, 0, sizeof **f, q->stream), "findings"));
    TRY(gs_cuda(q, cudaMemsetAsync(&(*f)->row, 0xff, 2 * sizeof none, q->stream), "findings"));
done:
    return status;
}

gsolve_status end(gsolve_context *ctx, const findings *f, findings *seen)
{
    return gsolve_copy(ctx, seen, GSOLVE_HOST, f, GSOLVE_DEVICE, sizeof *seen);
}

// --- kernels ----------------------------------------------------------------------------------

// The place of a thread and the number of all.
struct stride {
    int64_t first, step;
    __device__ stride()
        : first((int64_t)blockIdx.x * gs_block_size + threadIdx.x),
          step((int64_t)gridDim.x * gs_block_size)
    {
    }
};

// *to += mine of all threads of the block.
__device__ void add(count_t mine, count_t *to)
{
    const count_t total = gs_block_sum(mine);
    if (threadIdx.x == 0 && total > 0) atomicAdd(to, total);
}

template <class O>
__global__ void __launch_bounds__(gs_block_size)
    inspect_offsets(int32_t nrows, const O *start, findings *f)
{
    const stride s;
    count_t bad = s.first == 0 && start[0] != 0 ? 0 : none;

    for (int64_t i = s.first; i < nrows && bad == none; i += s.step) {
        if (start[i + 1] < start[i]) bad = (count_t)i;
    }
    if (bad != none) atomicMin(&f->row, bad);
}

// The last of a matrix's offsets, of either width.
struct end_of {
    const void *at;
    bool wide;

    end_of(const gsolve_csr *csr)
        : at(static_cast<const char *>(csr->start) +
             (size_t)csr->nrows * gs_offset_size(csr->offset)),
          wide(csr->offset == GSOLVE_O64)
    {
    }
    __device__ int64_t operator()() const
    {
        return wide ? *static_cast<const int64_t *>(at)
                    : (int64_t) * static_cast<const int32_t *>(at);
    }
};

// Four entries, by loads of 16 bytes.
template <class T>
struct four {
    gs_pack<int32_t, 4> col;
    gs_pack<T, gs_wide<T>> value[4 / gs_wide<T>];

    __device__ four(const int32_t *cols, const T *values, int64_t k) : col(gs_load<4>(cols, k))
    {
#pragma unroll
        for (int u = 0; u < 4 / gs_wide<T>; u++) {
            value[u] = gs_load<gs_wide<T>>(values, k + u * gs_wide<T>);
        }
    }
    __device__ bool finite(int u) const
    {
        return isfinite(value[u / gs_wide<T>].v[u % gs_wide<T>]);
    }
};

// Nothing is read where the offsets are not right.
template <class T>
__global__ void __launch_bounds__(gs_block_size)
    inspect_entries(end_of end, bool packed, int32_t ncols, const int32_t *col, const T *value,
                    findings *f)
{
    const stride s;
    const int64_t entries = f->row == none ? end() : 0, packs = packed ? entries / 4 : 0;
    count_t bad = none, descents = 0;

    if (s.first == 0) f->entries = (count_t)entries;
    for (int64_t p = s.first; p < packs; p += s.step) {
        const four<T> x(col, value, 4 * p);
        int32_t before = p > 0 ? col[4 * p - 1] : -1;
#pragma unroll
        for (int u = 0; u < 4; u++) {
            const int32_t j = x.col.v[u];
            const bool good = j >= 0 && j < ncols && x.finite(u);
            if (!good && bad == none) bad = (count_t)(4 * p + u);
            descents += j <= before;
            before = j;
        }
    }
    for (int64_t k = 4 * packs + s.first; k < entries; k += s.step) {
        const int32_t j = col[k];
        const bool good = j >= 0 && j < ncols && isfinite(value[k]);
        if (!good && bad == none) bad = (count_t)k;
        if (k > 0) descents += j <= col[k - 1];
    }
    if (bad != none) atomicMin(&f->entry, bad);
    add(descents, &f->descents);
}

template <class O>
__global__ void __launch_bounds__(gs_block_size)
    inspect_begins(int32_t nrows, const O *start, const int32_t *col, findings *f)
{
    const stride s;
    const int64_t rows = f->row == none ? nrows : 0;
    count_t forgiven = 0;

    for (int64_t i = s.first; i < rows; i += s.step) {
        const int64_t from = (int64_t)start[i];
        if (from > 0 && from < (int64_t)start[i + 1]) forgiven += col[from] <= col[from - 1];
    }
    add(forgiven, &f->forgiven);
}

template <class A, class B>
__global__ void __launch_bounds__(gs_block_size)
    compare(int64_t n, const A *a, const B *b, findings *f)
{
    const stride s;
    count_t different = 0;

    for (int64_t k = s.first; k < n; k += s.step) different += (int64_t)a[k] != (int64_t)b[k];
    add(different, &f->different);
}

// The columns and values of b, which may have another number of entries than a, and then none are
// read. The first 4 packs entries by loads of 16 bytes.
template <class T>
__global__ void __launch_bounds__(gs_block_size)
    compare_entries(int64_t entries, int64_t packs, end_of end, const int32_t *a, const int32_t *b,
                    const T *value, findings *f)
{
    const stride s;
    const int64_t found = end();
    count_t different = found != entries;

    if (found == entries) {
        for (int64_t k = s.first; k < packs; k += s.step) {
            const gs_pack<int32_t, 4> x = gs_load<4>(a, 4 * k);
            const four<T> y(b, value, 4 * k);
#pragma unroll
            for (int u = 0; u < 4; u++) different += x.v[u] != y.col.v[u] || !y.finite(u);
        }
        for (int64_t k = 4 * packs + s.first; k < entries; k += s.step) {
            different += a[k] != b[k] || !isfinite(value[k]);
        }
    }
    add(different, &f->different);
}

__global__ void __launch_bounds__(gs_block_size)
    make_narrow(int64_t n, const int64_t *wide, int32_t *start)
{
    const stride s;

    for (int64_t i = s.first; i < n; i += s.step) start[i] = (int32_t)wide[i];
}

// --- the table --------------------------------------------------------------------------------

gsolve_status ask_offsets(gs_queue *q, const gsolve_csr *csr, findings *f)
{
    const int grid = gs_grid(q, csr->nrows);

    return csr->offset == GSOLVE_O64
               ? gs_launch(q, "a look at the offsets", inspect_offsets<int64_t>, grid,
                           gs_block_size, csr->nrows, (const int64_t *)csr->start, f)
               : gs_launch(q, "a look at the offsets", inspect_offsets<int32_t>, grid,
                           gs_block_size, csr->nrows, (const int32_t *)csr->start, f);
}

template <class T>
gsolve_status ask_entries(gs_queue *q, const gsolve_csr *csr, findings *f)
{
    const int grid = gs_grid(q, csr->nrows);
    gsolve_status status;

    TRY(gs_launch(q, "a look at the entries", inspect_entries<T>, gs_grid(q, INT32_MAX),
                  gs_block_size, end_of(csr), gs_aligned(csr->col) && gs_aligned(csr->value),
                  csr->ncols, csr->col, (const T *)csr->value, f));
    TRY(csr->offset == GSOLVE_O64
            ? gs_launch(q, "a look at the rows", inspect_begins<int64_t>, grid, gs_block_size,
                        csr->nrows, (const int64_t *)csr->start, csr->col, f)
            : gs_launch(q, "a look at the rows", inspect_begins<int32_t>, grid, gs_block_size,
                        csr->nrows, (const int32_t *)csr->start, csr->col, f));
done:
    return status;
}

gsolve_status check_offsets(gsolve_context *ctx, const gsolve_csr *csr, int32_t *row)
{
    findings *f = nullptr, seen;
    gsolve_status status;

    TRY(begin(ctx, &f));
    TRY(ask_offsets(ctx->queue, csr, f));
    TRY(end(ctx, f, &seen));
    *row = seen.row == none ? -1 : (int32_t)seen.row;
done:
    gsolve_free(ctx, GSOLVE_DEVICE, f);
    return status;
}

template <class T>
gsolve_status check_entries(gsolve_context *ctx, const gsolve_csr *csr, int64_t *entry,
                            bool *ascending)
{
    findings *f = nullptr, seen;
    gsolve_status status;

    TRY(begin(ctx, &f));
    TRY(ask_entries<T>(ctx->queue, csr, f));
    TRY(end(ctx, f, &seen));
    *entry = seen.entry == none ? -1 : (int64_t)seen.entry;
    *ascending = seen.descents == seen.forgiven;
done:
    gsolve_free(ctx, GSOLVE_DEVICE, f);
    return status;
}

template <class T>
gsolve_status look(gs_csr_findings *all, gsolve_context *ctx, const gsolve_csr *csr)
{
    findings *f = nullptr, seen;
    gsolve_status status;

    TRY(begin(ctx, &f));
    TRY(ask_offsets(ctx->queue, csr, f));
    TRY(ask_entries<T>(ctx->queue, csr, f));
    TRY(end(ctx, f, &seen));
    all->bad_row = seen.row == none ? -1 : (int32_t)seen.row;
    all->entries = (int64_t)seen.entries;
    all->bad_entry = seen.entry == none ? -1 : (int64_t)seen.entry;
    all->ascending = seen.descents == seen.forgiven;
done:
    gsolve_free(ctx, GSOLVE_DEVICE, f);
    return status;
}

template <class A, class B>
gsolve_status compare_all(gs_queue *q, int64_t n, const void *a, const void *b, findings *f)
{
    return gs_launch(q, "comparing patterns", compare<A, B>, gs_grid(q, n), gs_block_size, n,
                     (const A *)a, (const B *)b, f);
}

// The offsets of a and b, of which each may be wide.
gsolve_status compare_offsets(gs_queue *q, const gsolve_csr *a, const gsolve_csr *b, findings *f)
{
    const bool wide = a->offset == GSOLVE_O64;
    const int64_t n = (int64_t)a->nrows + 1;

    if (b->offset == GSOLVE_O64) {
        return wide ? compare_all<int64_t, int64_t>(q, n, a->start, b->start, f)
                    : compare_all<int32_t, int64_t>(q, n, a->start, b->start, f);
    }
    return wide ? compare_all<int64_t, int32_t>(q, n, a->start, b->start, f)
                : compare_all<int32_t, int32_t>(q, n, a->start, b->start, f);
}

gsolve_status compare_patterns(gsolve_context *ctx, const gsolve_csr *A, const gsolve_csr *B,
                               bool *same)
{
    findings *f = nullptr, seen;
    int64_t entries = 0;
    gsolve_status status;

    TRY(gs_csr_entries(ctx, A, &entries));
    TRY(begin(ctx, &f));
    TRY(compare_offsets(ctx->queue, A, B, f));
    TRY((compare_all<int32_t, int32_t>(ctx->queue, entries, A->col, B->col, f)));
    TRY(end(ctx, f, &seen));
    *same = seen.different == 0;
done:
    gsolve_free(ctx, GSOLVE_DEVICE, f);
    return status;
}

template <class T>
gsolve_status at_values(gsolve_context *ctx, const gsolve_csr *A, int64_t entries,
                        const gsolve_csr *B, bool *same)
{
    gs_queue *q = ctx->queue;
    const bool packed = gs_aligned(A->col) && gs_aligned(B->col) && gs_aligned(B->value);
    const int64_t packs = packed ? entries / 4 : 0;
    findings *f = nullptr, seen;
    gsolve_status status;

    TRY(begin(ctx, &f));
    TRY(compare_offsets(q, A, B, f));
    TRY(gs_launch(q, "comparing entries", compare_entries<T>, gs_grid(q, packed ? packs : entries),
                  gs_block_size, entries, packs, end_of(B), A->col, B->col, (const T *)B->value,
                  f));
    TRY(end(ctx, f, &seen));
    *same = seen.different == 0;
done:
    gsolve_free(ctx, GSOLVE_DEVICE, f);
    return status;
}

gsolve_status narrow(gsolve_context *ctx, const gsolve_csr *csr, int32_t *start)
{
    const int64_t n = (int64_t)csr->nrows + 1;

    return gs_launch(ctx->queue, "narrowing the offsets", make_narrow, gs_grid(ctx->queue, n),
                     gs_block_size, n, (const int64_t *)csr->start, start);
}

template <class T>
constexpr gs_inspect_kernels table = {check_offsets, check_entries<T>, compare_patterns,
                                      at_values<T>, narrow};

} // namespace

extern "C" const gs_check_rows_kernels gs_check_rows_cuda[GSOLVE_TYPE_COUNT] = {{look<float>},
                                                                                {look<double>}};
extern "C" const gs_inspect_kernels gs_inspect_cuda[GSOLVE_TYPE_COUNT] = {table<float>,
                                                                          table<double>};
