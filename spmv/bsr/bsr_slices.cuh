// bsr_slices.cuh: the blocks as the kernels on a GPU see them.
//
// A slot is a block row, or a part of one of more than longest blocks; slots are sorted by their
// number of blocks within windows of block rows, and 32 of them make a slice, filled up to its
// longest. The 32 b rows of a slice are those of b warps, a row to a thread. A warp's values lie in
// one stretch: of block k of its rows, column c, those of its 32 threads, so that every read is of
// consecutive numbers. A thread's row is row r of slot t, 32 p + lane = t b + r for warp p.
//
// The block columns of a slice are stored in one of three ways, by what they allow: one number for
// all slots of a place k, the distance from the block row (SHARED); 16 bits for each slot, counted
// from the slice's least (NEAR); 32 bits (FAR).
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
constexpr int longest = 128;          // blocks of a slot
constexpr int window = 1024;          // block rows that slots are sorted within
constexpr uint16_t is_part = 1 << 15; // set in the count of a part of a block row

enum { SHARED, NEAR, FAR };

struct slice {
    int64_t first; // blocks of a slot before it
    int64_t index; // where its block columns begin, in words of 32 bits
    int32_t width; // blocks of its longest slot
    int32_t kind;  // of its block columns
    int32_t base;  // NEAR: the least of them
    int32_t unused;
};

} // namespace gs_bsr_parts

struct gs_bsr_slices {
    int32_t count;                 // of slices
    gs_bsr_parts::slice *slice_of; // count
    int32_t *row;                  // slots x count: block row, or number of the part, or -1
    uint16_t *blocks;              // slots x count: how many, and is_part
    uint32_t *index;               // block columns
    void *value;                   // slots x b^2 for each block of a slot
    // block rows in parts; NULL where there are none
    int32_t longs;
    int32_t *long_row; // longs
    int32_t *part_of;  // block rows + 1: number of the first slot of each
    void *sum;         // b for each number: the sums of the parts
    int32_t numbers;   // of parts and of block rows that are not cut
};

namespace gs_bsr_parts
{

// Block column of place k of slot t, which belongs to block row I.
__device__ inline int32_t column_of(const slice &s, const uint32_t *index, int k, int t, int32_t I)
{
    const uint32_t *at = index + s.index;

    if (s.kind == SHARED) return I + (int32_t)__ldg(&at[k]);
    if (s.kind == NEAR) return s.base + (int32_t)__ldg(&((const uint16_t *)at)[k * slots + t]);
    return (int32_t)__ldg(&at[k * slots + t]);
}

// Words of 32 bits for the block columns of a slice of a width.
__host__ __device__ inline int64_t words_of(int kind, int64_t width)
{
    return kind == SHARED ? width : kind == NEAR ? width * slots / 2 : width * slots;
}

// The block row of number j, where some are in parts.
__device__ inline int32_t row_of_part(const int32_t *part_of, int32_t rows, int32_t j)
{
    int32_t low = 0, high = rows - 1; // the last of which the first number is at most j

    while (low < high) {
        const int32_t middle = low + (high - low + 1) / 2;
        if (part_of[middle] <= j) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

inline int blocks_for(int64_t threads)
{
    return (int)((threads + gs_block_size - 1) / gs_block_size);
}

// A part of a block row, or all of it, before it is sorted into a slice.
struct piece {
    int64_t from; // its first block
    int32_t row;
    uint16_t blocks, cut; // cut: is_part, or 0
};

// The block columns of m's block rows: those of block row I are col[first[I]] to col[first[I + 1]],
// ascending. What it allocates is the caller's, also on failure.
struct pattern {
    int64_t *first; // block rows + 1
    int32_t *col;
};

} // namespace gs_bsr_parts

gsolve_status gs_bsr_find_pattern(gs_bsr_parts::pattern *p, gs_bsr *m, gsolve_context *ctx);

// gs_bsr_kernels' store, drop and refill.
gsolve_status gs_bsr_store_slices(gs_bsr *m, gsolve_context *ctx);
void gs_bsr_drop_slices(gs_bsr *m, gsolve_context *ctx);
gsolve_status gs_bsr_refill_slices(gs_bsr *m, gsolve_context *ctx);

// And multiply and sums, in bsr_block_cuda.cu.
template <class T>
gsolve_status gs_bsr_rows_cuda(gsolve_context *ctx, const void *self, double alpha, gsolve_dense x,
                               double beta, gsolve_dense y, void *sums);
int64_t gs_bsr_sums_cuda(const gs_bsr *m);

#endif
