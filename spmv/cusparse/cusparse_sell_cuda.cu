// cusparse_sell_cuda.cu: converts csr to sliced ELL for cuSPARSE. All slices have the same number
// of rows, and the rows of a slice are padded to its longest row. The entries of a slice are stored
// column by column. Padding has column -1.
#include <cstdio>

#include "core/scan.cuh"
#include "matrix/rows.cuh"
#include "spmv/cusparse/vendor.cuh"

namespace
{

constexpr int entries_per_warp = 64 * 32; // entries of a slice per warp

// width[s] = stored entries of slice s, for s < slices; width[slices] = 0. A warp owns a slice;
// lane l reads the lengths of rows l, l + 32, ...
template <class O>
__global__ void measure_slices(int32_t nrows, const O *start, int32_t slices, int slice,
                               int64_t *width)
{
    const int64_t s = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) / 32;
    const int lane = (int)threadIdx.x % 32;
    int64_t longest = 0;

    if (s > slices) return;
    for (int r = lane; s < slices && r < slice; r += 32) {
        const int64_t i = s * slice + r;
        if (i < nrows) longest = max(longest, (int64_t)start[i + 1] - (int64_t)start[i]);
    }
    for (int d = 16; d > 0; d /= 2) {
        longest = max(longest, __shfl_xor_sync(0xffffffffu, longest, d));
    }
    if (lane == 0) width[s] = longest * slice;
}

// to[i] = from[i] for i < n.
__global__ void narrow(int64_t n, const int64_t *from, int32_t *to)
{
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = (int32_t)from[i];
}

// What the kernel that fills slices reads. P: the type of their offsets.
template <class T, class P>
struct slices_of {
    const P *first;
    int32_t *col; // NULL: keep
    T *value;
    int32_t count;
    int slice, parts; // parts: warps per slice
};

// Writes the values of all slices, and the columns unless s.col is NULL. s.parts warps own a slice
// and stride over its stored entries, so writes are contiguous; reads go to the rows. Padding is
// value 0 and column -1.
template <class T, class O, class P>
__global__ void __launch_bounds__(gs_block_size)
    fill_slices(slices_of<T, P> s, int32_t nrows, const O *start, const int32_t *col,
                const T *value)
{
    const int64_t warp = ((int64_t)blockIdx.x * gs_block_size + threadIdx.x) / 32;
    const int64_t at = warp / s.parts;
    const int step = 32 * s.parts, over = step % s.slice;

    if (at >= s.count) return;
    const int first = (int)(warp % s.parts) * 32 + (int)threadIdx.x % 32;
    const int64_t end = s.first[at + 1];
    int64_t k = first / s.slice; // the entry's number in row r of the slice
    int r = first % s.slice;

    for (int64_t e = s.first[at] + first; e < end; e += step) {
        const int64_t i = at * s.slice + r;
        const int64_t from = i < nrows ? start[i] + k : 0;
        const bool real = i < nrows && from < (int64_t)start[i + 1];
        if (s.col) s.col[e] = real ? col[from] : -1;
        s.value[e] = real ? value[from] : T(0);
        k += step / s.slice;
        r += over;
        if (r >= s.slice) {
            r -= s.slice;
            k++;
        }
    }
}

template <class T, class O, class P>
gsolve_status fill(gs_vendor_matrix *v, gsolve_context *ctx, bool columns)
{
    const gsolve_csr *A = &v->csr;
    const int64_t mean = v->stored / v->rows, wanted = mean / entries_per_warp + 1;
    const int parts = (int)(wanted < 256 ? wanted : 256);
    const slices_of<T, P> s = {(const P *)v->start, columns ? v->col : nullptr,
                               (T *)v->value,       v->rows,
                               v->chosen.slice,     parts};

    return gs_launch(ctx->queue, "filling slices", fill_slices<T, O, P>,
                     gs_warp_blocks((int64_t)v->rows * parts), gs_block_size, s, A->nrows,
                     (const O *)A->start, A->col, (const T *)A->value);
}

template <class T>
gsolve_status fill_typed(gs_vendor_matrix *v, gsolve_context *ctx, bool columns)
{
    if (v->csr.offset == GSOLVE_O64) return fill<T, int64_t, int64_t>(v, ctx, columns);
    return v->wide ? fill<T, int32_t, int64_t>(v, ctx, columns)
                   : fill<T, int32_t, int32_t>(v, ctx, columns);
}

gsolve_status fill_any(gs_vendor_matrix *v, gsolve_context *ctx, bool columns)
{
    return v->csr.type == GSOLVE_F32 ? fill_typed<float>(v, ctx, columns)
                                     : fill_typed<double>(v, ctx, columns);
}

template <class O>
gsolve_status measure(const gs_vendor_matrix *v, gsolve_context *ctx, int64_t *width)
{
    return gs_launch(ctx->queue, "measuring slices", measure_slices<O>,
                     gs_warp_blocks((int64_t)v->rows + 1), gs_block_size, v->csr.nrows,
                     (const O *)v->csr.start, v->rows, v->chosen.slice, width);
}

// Converts the 64-bit offsets to v->start; keeps them in 64 bits where needed.
gsolve_status keep_offsets(gs_vendor_matrix *v, gsolve_context *ctx, int64_t **offset)
{
    const int64_t n = (int64_t)v->rows + 1;
    const int blocks = (int)((n + gs_block_size - 1) / gs_block_size);
    int32_t *start = nullptr;
    gsolve_status status = GSOLVE_OK;

    v->wide = v->csr.offset == GSOLVE_O64 || v->stored > INT32_MAX;
    if (v->wide) {
        v->start = *offset;
        *offset = nullptr;
        return GSOLVE_OK;
    }
    ALLOC_DEVICE(ctx, start, n);
    v->start = start;
    TRY(gs_launch(ctx->queue, "converting the offsets of slices", narrow, blocks, gs_block_size, n,
                  *offset, start));
done:
    return status;
}

} // namespace

gsolve_status gs_vendor_slice(gs_vendor_matrix *v, gsolve_context *ctx)
{
    const size_t size = gs_type_size(v->csr.type);
    int64_t *offset = nullptr;
    char form[48];
    gsolve_status status;

    v->rows = (int32_t)(((int64_t)v->csr.nrows + v->chosen.slice - 1) / v->chosen.slice);
    ALLOC_DEVICE(ctx, offset, (size_t)v->rows + 1);
    TRY(v->csr.offset == GSOLVE_O64 ? measure<int64_t>(v, ctx, offset)
                                    : measure<int32_t>(v, ctx, offset));
    TRY(gs_scan(ctx, "offsets of slices", offset, offset, (int64_t)v->rows + 1, &v->stored));
    snprintf(form, sizeof form, "cusparse in slices of %d rows", v->chosen.slice);
    TRY(gs_memory_need(ctx, (double)v->stored * (double)(size + sizeof *v->col), form));
    TRY(keep_offsets(v, ctx, &offset));
    ALLOC_DEVICE(ctx, v->col, v->stored);
    v->value = gsolve_alloc(ctx, GSOLVE_DEVICE, (size_t)v->stored, size);
    TRY(v->value ? GSOLVE_OK : GSOLVE_NO_MEMORY);
    TRY(fill_any(v, ctx, true));
done:
    gsolve_free(ctx, GSOLVE_DEVICE, offset);
    return status;
}

gsolve_status gs_vendor_refill_slices(gs_vendor_matrix *v, gsolve_context *ctx)
{
    return fill_any(v, ctx, false);
}
