// hash_plan.cuh: for every product its place in its row of C, in one byte where the row has up to
// 256 entries, in two up to 65536, else in four; so that an update of values reads neither B's
// columns nor C's, and each product is one addition in shared memory.
#ifndef GS_HASH_PLAN_CUH
#define GS_HASH_PLAN_CUH

#include "spgemm/hash/hash_job.cuh"

namespace gs_hash_rows
{

constexpr int32_t byte_row = 256, short_row = 65536; // most entries for places of one and two bytes
constexpr lengths row_limits = {{32, 64, byte_row, 1024, 2048, 8192, short_row}};
enum { byte_ways = 3, short_ways = 7, last_way = 8 }; // the last ways of up to so many bytes

struct plan_on_device {
    int32_t nrows;
    facts work;     // of A B: products, inputs
    facts seen;     // of the ways by length
    int32_t *rows;  // by ways
    int64_t *begin; // nrows + 1: the byte at which the places of a row begin, a multiple of four
    uint8_t *place;
};

} // namespace gs_hash_rows

#endif
