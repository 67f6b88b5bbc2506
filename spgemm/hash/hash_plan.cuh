// hash_plan.cuh: the plan of an update. It holds the place of every product in its row of C: in one
// byte where the row has up to 256 entries, in two bytes up to 65536 entries, else in four. So an
// update reads neither B's columns nor C's, and each product is one addition in shared memory. Long
// rows are cut into segments of segment_entries entries of C; for every row of B that such a row
// refers to, the plan holds where each segment begins.
#ifndef GS_SPGEMM_HASH_HASH_PLAN_CUH
#define GS_SPGEMM_HASH_HASH_PLAN_CUH

#include "spgemm/hash/hash_job.cuh"

namespace gs_hash_rows
{

constexpr int32_t one_byte_row = 256,
                  two_byte_row =
                      65536; // the most entries of a row whose places have one byte, two bytes
constexpr lengths row_limits = {{32, 64, one_byte_row, 1024, 2048, 8192, two_byte_row}};
enum {
    one_byte_bins = 3,
    two_byte_bins = 7,
    last_bin = 8
}; // the last bin with places of one byte, of two bytes, of all
enum { first_cut_bin = 6 };           // the first bin of rows that are cut
constexpr int segment_entries = 1024; // of C in a segment, which a warp makes

__host__ __device__ constexpr int64_t segments_of(int64_t entries)
{
    return (entries + segment_entries - 1) / segment_entries;
}

struct plan_on_device {
    int32_t nrows;
    statistics work;       // of A B: products, inputs
    int64_t most_products; // of a row
    statistics stats;      // rows of the bins by length
    int32_t *rows;         // by bins
    int64_t *begin; // nrows + 1: the byte at which the places of each row begin, a multiple of
                    // four; make_plan uses one more element
    uint8_t *place;
    int64_t
        *first_cut; // the first cut of the k-th cut row; behind the last row, the number of cuts
    int32_t *cut; // for each segment but the first and each entry of A: where the segment begins in
                  // the row of B
};

// --- for the kernels that recompute C's values
// ----------------------------------------------------

// U elements of a row of B that a lane loads at once, `size` elements apart, with their places.
template <class T, class P, int U>
struct elements {
    T value[U];
    P place[U];

    __device__ __forceinline__ void load(const T *b, const P *p, int left, int size)
    {
#pragma unroll
        for (int u = 0; u < U; u++) {
            value[u] = u * size < left ? b[u * size] : T(0);
            place[u] = u * size < left ? p[u * size] : P(0);
        }
    }
    // Adds a times the elements to their sums. sum[0] belongs to the place `segment`.
    __device__ __forceinline__ void add(T a, T *sum, int left, int size, unsigned segment)
    {
        T s[U];
#pragma unroll
        for (int u = 0; u < U; u++) s[u] = u * size < left ? sum[place[u] - segment] : T(0);
#pragma unroll
        for (int u = 0; u < U; u++) {
            if (u * size < left) sum[place[u] - segment] = fma(a, value[u], s[u]);
        }
    }
};

struct operands {
    const plan_on_device *p;
    gs_queue *q;
    rows_of A, B, C;
    void *value;
};

// The matrices as the kernels see them.
struct product_rows {
    rows_of A, B, C;
};

// The rows of a bin, and the places of the products of each row.
struct placed_rows {
    const int32_t *rows; // NULL: all rows
    int32_t nrows;
    const int64_t *begin;
    const uint8_t *place;

    // The row of this number; -1: there is none.
    __device__ int32_t row(int64_t nth) const
    {
        return nth >= nrows ? -1 : rows ? rows[nth] : (int32_t)nth;
    }
};

// hash_update_long_cuda.cu: rows of the bins from first_cut_bin on.
template <class T>
gsolve_status update_long_rows(const operands &o);

} // namespace gs_hash_rows

#endif
