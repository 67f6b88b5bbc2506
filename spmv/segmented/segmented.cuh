// segmented.cuh: what the conversion to segments and the product with them share on a GPU.
#ifndef GS_SPMV_SEGMENTED_SEGMENTED_CUH
#define GS_SPMV_SEGMENTED_SEGMENTED_CUH

#include "core/cuda.cuh"

extern "C" {
#include "core/try.h"
#include "spmv/segmented/segmented.h"
}

namespace gs_segments
{

constexpr int most_segments = 256; // of a row; a longer row is summed by one block for each part
constexpr int most_parts = 256;    // of a long row
constexpr int least_part = 4096;   // entries; the last part of a row may have fewer

__host__ __device__ inline int32_t parts_of(int64_t entries)
{
    const int64_t parts = (entries + least_part - 1) / least_part;
    return (int32_t)(parts < most_parts ? parts : most_parts);
}

// Entries of each part but the last, which may have fewer or none.
__host__ __device__ inline int64_t part_size(int64_t entries, int32_t parts)
{
    return (entries + parts - 1) / parts;
}

inline int blocks_for(int64_t threads)
{
    return (int)((threads + gs_block_size - 1) / gs_block_size);
}

// The tables of segments, in one allocation.
struct segment_tables {
    void *from;
    uint16_t *size;
    int32_t *target;
};

inline gsolve_status alloc_tables(const gs_segmented *s, gsolve_context *ctx, segment_tables *t)
{
    const size_t n = (size_t)s->segments, offset = gs_offset_size(s->csr.offset);
    char *block =
        (char *)gsolve_alloc(ctx, GSOLVE_DEVICE, n, offset + sizeof *t->target + sizeof *t->size);

    if (!block) return GSOLVE_NO_MEMORY;
    t->from = block;
    t->target = (int32_t *)(block + n * offset);
    t->size = (uint16_t *)(block + n * (offset + sizeof *t->target));
    return GSOLVE_OK;
}

// The first entry and the number of entries of segments, for kernels.
template <class O>
struct segments_of {
    const O *from, *start;
    const uint16_t *size;
    int32_t count;

    explicit segments_of(const gs_segmented *s)
        : from((const O *)s->from), start((const O *)s->csr.start), size(s->size),
          count(s->segments)
    {
    }
    __device__ O begin(int32_t i) const { return from ? from[i] : start[i]; }
    __device__ int entries(int32_t i) const
    {
        return size ? (int)size[i] : (int)(start[i + 1] - start[i]);
    }
};

} // namespace gs_segments

#endif
