// sliced.cuh: what conversion to slices and product with slices share on a GPU.
#ifndef GS_SPMV_SLICED_SLICED_CUH
#define GS_SPMV_SLICED_SLICED_CUH

#include "core/cuda.cuh"

extern "C" {
#include "core/try.h"
#include "spmv/sliced/sliced.h"
}

namespace gs_by_slices
{

constexpr unsigned all_lanes = 0xffffffffu;

__device__ inline int row_shift_of(const gs_sliced &s, int32_t at)
{
    return s.row_shift ? s.row_shift[at] : s.most_row_shift;
}

// The positions of the rows of a slice.
struct positions {
    int32_t first, end;
};

__device__ inline positions positions_of(const gs_sliced &s, int32_t at, int row_shift)
{
    if (s.position) return {s.position[at], s.position[at + 1]};
    const int64_t rows = s.lanes >> row_shift, first = at * rows;
    return {(int32_t)first, (int32_t)min(first + rows, (int64_t)s.csr.nrows)};
}

// The r-th row of a slice; -1 if it does not exist or is long.
__device__ inline int32_t row_at(const gs_sliced &s, const positions &p, int32_t r)
{
    const int32_t position = p.first + r;

    if (position >= p.end) return -1;
    return s.order ? s.order[position] : position;
}

// Columns without padding in lane `sub` of the 1 << row_shift lanes of a row.
__device__ inline int32_t columns_of(int32_t length, int sub, int row_shift)
{
    return length <= sub ? 0 : ((length - sub - 1) >> row_shift) + 1;
}

// Entries of row i, 0 if it is long.
template <class O>
__device__ int32_t short_length(const O *start, int64_t i, int32_t most)
{
    const int64_t length = (int64_t)start[i + 1] - (int64_t)start[i];
    return length > most ? 0 : (int32_t)length;
}

template <class O>
struct rows_of { // the rows of csr, as far as they are stored
    const O *start;
    int32_t most, keep;

    explicit rows_of(const gs_sliced *s)
        : start((const O *)s->csr.start), most(s->most), keep(s->keep)
    {
    }
    __device__ int64_t full_length(int32_t i) const
    {
        return (int64_t)start[i + 1] - (int64_t)start[i];
    }
    __device__ int32_t length(int32_t i) const
    {
        const int64_t n = i < 0 ? 0 : full_length(i);
        return n > most ? 0 : (int32_t)min(n, (int64_t)keep);
    }
};

// Calls launch(start) with the offsets of A in their type.
template <class Launch>
gsolve_status with_offsets(const gsolve_csr *A, Launch launch)
{
    return A->offset == GSOLVE_O64 ? launch((const int64_t *)A->start)
                                   : launch((const int32_t *)A->start);
}

// Calls launch(rows) with the rows of s by the type of their offsets.
template <class Launch>
gsolve_status with_rows(const gs_sliced *s, Launch launch)
{
    return s->csr.offset == GSOLVE_O64 ? launch(rows_of<int64_t>(s)) : launch(rows_of<int32_t>(s));
}

// Calls launch(v), where v has the type in which the values of s, a matrix of type T, are stored.
template <class T, class Launch>
gsolve_status with_values(const gs_sliced *s, Launch launch)
{
    if constexpr (sizeof(T) > sizeof(float)) {
        if (s->single) return launch(float());
    }
    return launch(T());
}

typedef unsigned long long count_t;

struct warp_stride { // the number of this thread's warp, and the number of all warps
    int64_t first, step;
    __device__ warp_stride()
        : first(((int64_t)blockIdx.x * gs_block_size + threadIdx.x) / 32),
          step((int64_t)gridDim.x * gs_block_size / 32)
    {
    }
};

// *to += the sum of `mine` over the threads of the block.
__device__ inline void add(count_t mine, count_t *to)
{
    const count_t total = gs_block_sum(mine);
    if (threadIdx.x == 0 && total > 0) atomicAdd(to, total);
}

inline int blocks_for(int64_t threads)
{
    return (int)((threads + gs_block_size - 1) / gs_block_size);
}

} // namespace gs_by_slices

// The structure of a form except columns and values: sliced_build_cuda.cu. Then the other members
// of gs_sliced_kernels that are the same for all types.
gsolve_status gs_sliced_shape_cuda(gs_sliced *s, gsolve_context *ctx, int32_t spans,
                                   const gs_sliced_span *span, bool lengths);
gsolve_status gs_sliced_long_rows_cuda(gs_sliced *s, gsolve_context *ctx); // sliced_long_cuda.cu
gsolve_status gs_sliced_inspect_cuda(gsolve_context *ctx, const gsolve_csr *csr, int32_t lanes,
                                     int32_t most, gs_sliced_facts *facts);
// sliced_sort_cuda.cu
gsolve_status gs_sliced_count_cuda(gsolve_context *ctx, const gsolve_csr *csr, int32_t *rows);
gsolve_status gs_sliced_sort_cuda(gsolve_context *ctx, const gsolve_csr *csr,
                                  const gs_sliced_classes *by, int32_t **order, int32_t *first);

// sliced_similar_cuda.cu: whether neighbouring rows read neighbouring elements of x. Entry k of a
// row is similar if its column is one more than that of entry k of the row before; in short rows,
// if its column is one more than that of any entry of the row before.
struct gs_row_similarity {  // counts for sampled pairs of neighbouring rows
    unsigned both, next;    // entries k that both rows have; those of them one column further
    unsigned rows, entries; // pairs of rows; entries
    unsigned similar;       // entries one column further than any entry of the row before
};
// *count, on the device, += the counts of the sample. Does not wait.
gsolve_status gs_sliced_count_similar_cuda(gs_queue *q, const gsolve_csr *csr,
                                           gs_row_similarity *count);
bool gs_sliced_is_aligned(const gs_row_similarity *count);

// sliced_fill_cuda.cu: columns and values.
gsolve_status gs_sliced_fits_single_cuda(const gs_sliced *s, gsolve_context *ctx, bool *single);
template <class T>
gsolve_status gs_sliced_fill_cuda(gs_sliced *s, gsolve_context *ctx, bool columns);
template <class T>
gsolve_status gs_sliced_restore_cuda(gs_queue *q, const gs_sliced *s, int32_t *col, void *value);

// sliced_rows_cuda.cu
template <class T>
gsolve_status gs_sliced_step_cuda(gs_queue *q, const gs_sliced *s, const void *x,
                                  const gs_step *step);

#endif
