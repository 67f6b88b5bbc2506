// hash_plan.cuh: for every product its place in its row of C, in one byte where the row has up to
// 256 entries, in two up to 65536, else in four; so that an update of values reads neither B's
// columns nor C's, and each product is one addition in shared memory. Long rows are cut into
// segments; of every row of B that one asks for, it is known where each segment begins.
#ifndef GS_SPGEMM_HASH_HASH_PLAN_CUH
#define GS_SPGEMM_HASH_HASH_PLAN_CUH

#include "spgemm/hash/hash_job.cuh"

namespace gs_hash_rows
{

constexpr int32_t one_byte_row = 256,
                  two_byte_row = 65536; // most entries for places of one and two bytes
constexpr lengths row_limits = {{32, 64, one_byte_row, 1024, 2048, 8192, two_byte_row}};
enum { one_byte_bins = 3, two_byte_bins = 7, last_bin = 8 }; // the last bins of up to so many bytes
enum { first_cut_bin = 6 };                                  // the first bin of rows that are cut
constexpr int segment_entries = 1024;                        // of C, which a warp makes

__host__ __device__ constexpr int64_t segments_of(int64_t entries)
{
    return (entries + segment_entries - 1) / segment_entries;
}

struct plan_on_device {
    int32_t nrows;
    statistics work;       // of A B: products, inputs
    int64_t most_products; // of a row
    statistics stats;      // of the bins by length
    int32_t *rows;         // by bins
    int64_t *begin; // nrows + 1: the byte at which the places of a row begin, a multiple of four;
                    // and one that making the plan takes
    uint8_t *place;
    int64_t *first_cut; // of the k-th row that is cut; of all of them
    int32_t *cut; // for each segment but the first, for each entry of A: where the segment begins
                  // in the row of B
};

} // namespace gs_hash_rows

#endif
