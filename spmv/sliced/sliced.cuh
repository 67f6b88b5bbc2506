// sliced.cuh: what conversion and product of the engine on a GPU share.
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

__device__ inline int share_of(const gs_sliced &s, int32_t at)
{
    return s.share ? s.share[at] : s.most_share;
}

// The places of a slice's rows.
struct places {
    int32_t first, end;
};

__device__ inline places places_of(const gs_sliced &s, int32_t at, int share)
{
    if (s.place) return {s.place[at], s.place[at + 1]};
    const int64_t rows = s.lanes >> share, first = at * rows;
    return {(int32_t)first, (int32_t)min(first + rows, (int64_t)s.csr.nrows)};
}

// The row at a place, or -1: none, or a long one.
__device__ inline int32_t row_at(const gs_sliced &s, const places &p, int32_t r)
{
    const int32_t place = p.first + r;

    if (place >= p.end) return -1;
    return s.order ? s.order[place] : place;
}

// Columns of a lane, the sub-th of the 1 << share of a row, that are not padding.
__device__ inline int32_t columns_of(int32_t length, int sub, int share)
{
    return length <= sub ? 0 : ((length - sub - 1) >> share) + 1;
}

template <class O>
struct rows_of { // as they are stored
    const O *start;
    int32_t most, keep;

    explicit rows_of(const gs_sliced *s)
        : start((const O *)s->csr.start), most(s->most), keep(s->keep)
    {
    }
    __device__ int64_t whole(int32_t i) const { return (int64_t)start[i + 1] - (int64_t)start[i]; }
    __device__ int32_t length(int32_t i) const
    {
        const int64_t n = i < 0 ? 0 : whole(i);
        return n > most ? 0 : (int32_t)min(n, (int64_t)keep);
    }
};

typedef unsigned long long count_t;

struct warps { // that of a thread, and the number of all
    int64_t first, step;
    __device__ warps()
        : first(((int64_t)blockIdx.x * gs_block_size + threadIdx.x) / 32),
          step((int64_t)gridDim.x * gs_block_size / 32)
    {
    }
};

// *to += mine of all threads of the block.
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

// All of a form but its columns and values, see sliced_build_cuda.cu; and the rest of the family
// that is the same for all types.
gsolve_status gs_sliced_shape_cuda(gs_sliced *s, gsolve_context *ctx, int32_t spans,
                                   const gs_sliced_span *span, bool lengths);
gsolve_status gs_sliced_long_rows_cuda(gs_sliced *s, gsolve_context *ctx); // sliced_long_cuda.cu
gsolve_status gs_sliced_inspect_cuda(gsolve_context *ctx, const gsolve_csr *csr, int32_t lanes,
                                     int32_t most, gs_sliced_facts *facts);
gsolve_status gs_sliced_sort_cuda(gsolve_context *ctx, const gsolve_csr *csr, int32_t window,
                                  int32_t most, int32_t **order);

// sliced_similar_cuda.cu: whether most entries of a sample are one column past that at the same
// place of the row before, or, of short rows, past any. Neighbours then read x side by side.
struct gs_kinship {              // of entries of a row and of the next one
    unsigned both, next;         // at the same place; one column further
    unsigned rows, entries, kin; // of the rows; that have one a column further anywhere
};
// *count, on the device, += those of the sample; not waited for.
gsolve_status gs_sliced_count_similar_cuda(gs_queue *q, const gsolve_csr *csr, gs_kinship *count);
bool gs_sliced_is_aligned(const gs_kinship *count);

// sliced_fill_cuda.cu: columns and values.
template <class T>
gsolve_status gs_sliced_make_cuda(gs_sliced *s, gsolve_context *ctx, int32_t spans,
                                  const gs_sliced_span *span, bool lengths);
template <class T>
gsolve_status gs_sliced_refill_cuda(gs_sliced *s, gsolve_context *ctx);

#endif
