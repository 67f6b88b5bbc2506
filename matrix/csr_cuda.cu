// csr_cuda.cu: checks and comparisons of compressed rows on a GPU, see csr.h and statistics.h.
//
// Each kernel strides over rows or entries, one per thread, or four adjacent entries with loads of
// 16 bytes if the arrays are aligned. All loads are coalesced. Each thread keeps its counts in
// registers; a block adds them, and thread 0 adds the sum to the findings with an atomic. The
// findings are minima and sums of integers, so they do not depend on the order of the blocks. The
// host reads them once, after the last kernel.
#include "core/cuda.cuh"

extern "C" {
#include "core/try.h"
#include "matrix/statistics.h"
}

namespace
{

typedef unsigned long long count_t;
constexpr count_t none = ~(count_t)0;

struct findings {
    count_t row;       // the first bad row, or none
    count_t entry;     // the first bad entry, or none
    count_t entries;   // number of entries of the matrix
    count_t descents;  // entries whose column does not exceed that of the entry before
    count_t at_begins; // descents at the first entry of a row, which are no error
    count_t different; // elements that differ in a comparison
};

// --- findings ---------------------------------------------------------------------------------

// *f = findings on the device: no bad row or entry, all counts 0.

gsolve_status begin(gsolve_context *ctx, findings **f)
{
    gs_queue *q = ctx->queue;
    gsolve_status status;

    ALLOC_DEVICE(ctx, *f, 1);
    TRY(gs_cuda(q, cudaMemsetAsync(*f, 0, sizeof **f, q->stream), "checking the matrix"));
    TRY(gs_cuda(q, cudaMemsetAsync(&(*f)->row, 0xff, 2 * sizeof none, q->stream),
                "checking the matrix"));
done:
    return status;
}

// Copies the findings to the host, after all kernels.
gsolve_status end(gsolve_context *ctx, const findings *f, findings *found)
{
    return gsolve_copy(ctx, found, GSOLVE_HOST, f, GSOLVE_DEVICE, sizeof *found);
}

// --- kernels ----------------------------------------------------------------------------------

// The number of this thread in the grid, and the number of all threads.
struct stride {
    int64_t first, step;
    __device__ stride()
        : first((int64_t)blockIdx.x * gs_block_size + threadIdx.x),
          step((int64_t)gridDim.x * gs_block_size)
    {
    }
};

// *to += the sum of mine over the threads of the block, which all call this.
__device__ void add(count_t mine, count_t *to)
{
    const count_t total = gs_block_sum(mine);
    if (threadIdx.x == 0 && total > 0) atomicAdd(to, total);
}

// f->row = the first row that ends before it begins, or 0 if the first offset is not 0. A thread
// compares the two offsets of each of its rows.
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

// The number of entries: the last offset, which has 32 or 64 bits.
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

// Four adjacent entries, read with loads of 16 bytes.
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

// f->entry = the first entry whose column is out of range or whose value is not finite; f->descents
// = the number of entries whose column does not exceed that of the entry before, across rows.
// packed: the arrays are aligned, and a thread reads four entries at a time. If inspect_offsets
// found a bad row, no entry is read, since the number of entries may be wrong; nor if an array is
// missing.
template <class T>
__global__ void __launch_bounds__(gs_block_size)
    inspect_entries(end_of end, bool packed, int32_t ncols, const int32_t *col, const T *value,
                    findings *f)
{
    const stride s;
    const int64_t all = f->row == none ? end() : 0, entries = col && value ? all : 0;
    const int64_t packs = packed ? entries / 4 : 0;
    count_t bad = none, descents = 0;

    if (s.first == 0) f->entries = (count_t)all;
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

// f->at_begins = the descents at the first entry of a row. A thread reads the last column of the
// row before and the first column of each of its rows.
template <class O>
__global__ void __launch_bounds__(gs_block_size)
    inspect_begins(int32_t nrows, const O *start, const int32_t *col, findings *f)
{
    const stride s;
    const int64_t rows = f->row == none && col ? nrows : 0;
    count_t at_begins = 0;

    for (int64_t i = s.first; i < rows; i += s.step) {
        const int64_t from = (int64_t)start[i];
        if (from > 0 && from < (int64_t)start[i + 1]) at_begins += col[from] <= col[from - 1];
    }
    add(at_begins, &f->at_begins);
}

// f->different += the number of k < n with a[k] != b[k]. The types may differ.
template <class A, class B>
__global__ void __launch_bounds__(gs_block_size)
    compare_arrays(int64_t n, const A *a, const B *b, findings *f)
{
    const stride s;
    count_t different = 0;

    for (int64_t k = s.first; k < n; k += s.step) different += (int64_t)a[k] != (int64_t)b[k];
    add(different, &f->different);
}

// f->different += the number of entries whose columns a[k] and b[k] differ or whose value[k] is not
// finite. value belongs to b; NULL: only columns are compared, and packs is 0. If b has not
// `entries` entries, no entry is read and 1 is added by each thread. The first 4 packs entries are
// read with loads of 16 bytes.
template <class T>
__global__ void __launch_bounds__(gs_block_size)
    compare_entries(int64_t entries, int64_t packs, end_of end, const int32_t *a, const int32_t *b,
                    const T *value, findings *f)
{
    const stride s;
    const int64_t existing = end();
    count_t different = existing != entries;

    if (existing == entries) {
        for (int64_t k = s.first; k < packs; k += s.step) {
            const gs_pack<int32_t, 4> x = gs_load<4>(a, 4 * k);
            const four<T> y(b, value, 4 * k);
#pragma unroll
            for (int u = 0; u < 4; u++) different += x.v[u] != y.col.v[u] || !y.finite(u);
        }
        for (int64_t k = 4 * packs + s.first; k < entries; k += s.step) {
            different += a[k] != b[k] || (value && !isfinite(value[k]));
        }
    }
    add(different, &f->different);
}

// start[i] = wide[i] for i < n.
__global__ void __launch_bounds__(gs_block_size)
    make_narrow(int64_t n, const int64_t *wide, int32_t *start)
{
    const stride s;

    for (int64_t i = s.first; i < n; i += s.step) start[i] = (int32_t)wide[i];
}

// --- launches and the tables ------------------------------------------------------------------

gsolve_status launch_offset_check(gs_queue *q, const gsolve_csr *csr, findings *f)
{
    const int grid = gs_grid(q, csr->nrows);

    return csr->offset == GSOLVE_O64
               ? gs_launch(q, "checking the row offsets", inspect_offsets<int64_t>, grid,
                           gs_block_size, csr->nrows, (const int64_t *)csr->start, f)
               : gs_launch(q, "checking the row offsets", inspect_offsets<int32_t>, grid,
                           gs_block_size, csr->nrows, (const int32_t *)csr->start, f);
}

template <class T>
gsolve_status launch_entry_check(gs_queue *q, const gsolve_csr *csr, findings *f)
{
    const int grid = gs_grid(q, csr->nrows);
    gsolve_status status;

    TRY(gs_launch(q, "checking the entries", inspect_entries<T>, gs_grid(q, INT32_MAX),
                  gs_block_size, end_of(csr), gs_aligned(csr->col) && gs_aligned(csr->value),
                  csr->ncols, csr->col, (const T *)csr->value, f));
    TRY(csr->offset == GSOLVE_O64
            ? gs_launch(q, "checking the order of columns", inspect_begins<int64_t>, grid,
                        gs_block_size, csr->nrows, (const int64_t *)csr->start, csr->col, f)
            : gs_launch(q, "checking the order of columns", inspect_begins<int32_t>, grid,
                        gs_block_size, csr->nrows, (const int32_t *)csr->start, csr->col, f));
done:
    return status;
}

template <class T>
gsolve_status check(gs_csr_findings *all, gsolve_context *ctx, const gsolve_csr *csr)
{
    findings *f = nullptr, found;
    gsolve_status status;

    TRY(begin(ctx, &f));
    TRY(launch_offset_check(ctx->queue, csr, f));
    TRY(launch_entry_check<T>(ctx->queue, csr, f));
    TRY(end(ctx, f, &found));
    all->bad_row = found.row == none ? -1 : (int32_t)found.row;
    all->entries = (int64_t)found.entries;
    all->bad_entry = found.entry == none ? -1 : (int64_t)found.entry;
    all->ascending = found.descents == found.at_begins;
done:
    gsolve_free(ctx, GSOLVE_DEVICE, f);
    return status;
}

template <class A, class B>
gsolve_status compare_all(gs_queue *q, int64_t n, const void *a, const void *b, findings *f)
{
    return gs_launch(q, "comparing patterns", compare_arrays<A, B>, gs_grid(q, n), gs_block_size, n,
                     (const A *)a, (const B *)b, f);
}

// Compares the offsets of a and b, each of 32 or 64 bits.
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

template <class T>
gsolve_status compare(gsolve_context *ctx, const gsolve_csr *A, int64_t entries,
                      const gsolve_csr *B, bool values, bool *same)
{
    gs_queue *q = ctx->queue;
    const bool packed = gs_aligned(A->col) && gs_aligned(B->col) && gs_aligned(B->value);
    const int64_t packs = packed && values ? entries / 4 : 0;
    findings *f = nullptr, found;
    gsolve_status status;

    TRY(begin(ctx, &f));
    TRY(compare_offsets(q, A, B, f));
    TRY(gs_launch(q, "comparing entries", compare_entries<T>, gs_grid(q, packs ? packs : entries),
                  gs_block_size, entries, packs, end_of(B), A->col, B->col,
                  values ? (const T *)B->value : nullptr, f));
    TRY(end(ctx, f, &found));
    *same = found.different == 0;
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
constexpr gs_inspect_kernels table = {check<T>, compare<T>, narrow};

} // namespace

extern "C" const gs_inspect_kernels gs_inspect_cuda[GSOLVE_TYPE_COUNT] = {table<float>,
                                                                          table<double>};
