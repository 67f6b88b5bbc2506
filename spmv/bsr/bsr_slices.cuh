// bsr_slices.cuh: the stored form of blocks on a GPU.
//
// A slot is a block row, or a part of a block row with more than `longest` blocks. Slots are sorted
// by their number of blocks within windows of block rows, and 32 of them form a slice, padded to
// its longest slot. The 32 b rows of a slice belong to b warps, one row per thread: warp p and its
// lane have row r of slot t, where 32 p + lane = t b + r. The values of a warp are contiguous: for
// block k and column c, those of its 32 threads, so that every load is coalesced.
//
// The block columns of a slice are stored in one of three forms: one number per k for all slots,
// the distance from the block row (SHARED); 16 bits per slot, relative to the slice's least column
// (NEAR); 32 bits per slot (FAR).
#ifndef GS_SPMV_BSR_BSR_SLICES_CUH
#define GS_SPMV_BSR_BSR_SLICES_CUH

#include "core/cuda.cuh"

extern "C" {
#include "core/try.h"
#include "spmv/bsr/bsr.h"
}

namespace gs_bsr_parts
{

constexpr int slots = 32;             // of a slice
constexpr int longest = 128;          // blocks of a slot, at most
constexpr int window = 1024;          // block rows within which slots are sorted
constexpr uint16_t is_part = 1 << 15; // set in the count of a part of a block row

enum { SHARED, NEAR, FAR };

struct slice {
    int64_t first; // blocks per slot in the slices before it
    int64_t index; // first 32-bit word of its block columns
    int32_t width; // blocks of its longest slot
    int32_t kind;  // how its block columns are stored
    int32_t base;  // NEAR: the least block column
    int32_t unused;
};

} // namespace gs_bsr_parts

struct gs_bsr_slices {
    int32_t count;                 // slices
    gs_bsr_parts::slice *slice_of; // count elements
    int32_t *row;     // slots x count: block row, or number of the part, or -1 for an unused slot
    uint16_t *blocks; // slots x count: number of blocks, and is_part
    uint32_t *index;  // block columns
    void *value;      // slots x b^2 for each block of a slot
    // block rows in parts; NULL if no block row is in parts
    int32_t longs;
    int32_t *long_row; // longs elements
    int32_t *part_of;  // block rows + 1: number of the first slot of each block row
    void *sum;         // b sums for each number: those of the parts
    int32_t numbers;   // parts, and block rows that are not cut
};

namespace gs_bsr_parts
{

// Block column k of slot t, which belongs to block row I.
__device__ inline int32_t column_of(const slice &s, const uint32_t *index, int k, int t, int32_t I)
{
    const uint32_t *at = index + s.index;

    if (s.kind == SHARED) return I + (int32_t)__ldg(&at[k]);
    if (s.kind == NEAR) return s.base + (int32_t)__ldg(&((const uint16_t *)at)[k * slots + t]);
    return (int32_t)__ldg(&at[k * slots + t]);
}

// 32-bit words for the block columns of a slice of that width.
__host__ __device__ inline int64_t words_of(int kind, int64_t width)
{
    return kind == SHARED ? width : kind == NEAR ? width * slots / 2 : width * slots;
}

inline int blocks_for(int64_t threads)
{
    return (int)((threads + gs_block_size - 1) / gs_block_size);
}

// A block row or a part of one, before it is sorted into a slice.
struct piece {
    int64_t from; // its first block
    int32_t row;
    uint16_t blocks, cut; // cut: is_part, or 0
};

// The block columns of m's block rows: col[first[I]] to col[first[I + 1] - 1], ascending. The
// caller owns what is allocated, also on failure.
struct pattern {
    int64_t *first; // block rows + 1 elements
    int32_t *col;
};

} // namespace gs_bsr_parts

gsolve_status gs_bsr_find_pattern(gs_bsr_parts::pattern *p, gs_bsr *m, gsolve_context *ctx);

// bsr_blocks_cuda.cu: the pattern and the values of given blocks; spread and find_bad of
// gs_bsr_kernels.
gsolve_status gs_bsr_take_pattern(gs_bsr_parts::pattern *p, gs_bsr *m, gsolve_context *ctx,
                                  const gs_square_blocks *given);
template <class T>
gsolve_status gs_bsr_put_blocks(const gs_bsr *m, gsolve_context *ctx,
                                const gs_square_blocks *given);
template <class T>
gsolve_status gs_bsr_spread_slices(const gs_bsr *m, gsolve_context *ctx,
                                   const gs_square_blocks *blocks, const gsolve_csr *csr);
template <class T>
gsolve_status gs_bsr_find_bad(gsolve_context *ctx, int64_t n, const void *value, int64_t *at);

// store, drop and refill of gs_bsr_kernels.
gsolve_status gs_bsr_store_slices(gs_bsr *m, gsolve_context *ctx, const gs_square_blocks *given);
void gs_bsr_drop_slices(gs_bsr *m, gsolve_context *ctx);
gsolve_status gs_bsr_refill_slices(gs_bsr *m, gsolve_context *ctx, const gs_square_blocks *given);

// bsr_block_cuda.cu: multiply and sums of gs_bsr_kernels.
template <class T>
gsolve_status gs_bsr_rows_cuda(gsolve_context *ctx, const void *self, double alpha, gsolve_dense x,
                               double beta, gsolve_dense y, void *sums);
int64_t gs_bsr_sums_cuda(const gs_bsr *m);

#endif
