// hash_job.cuh: the state of one product, and which kernel processes which row.
//
// Rows are binned twice. To count the columns of C, a row's bin follows from its number of products
// and from the range of columns that these span. To fill C, it follows from the row's number of
// entries.
//   short rows: a group of 4 to 32 lanes makes a row with a small hash table.
//   bitmap: for rows whose entries lie close together. One bit for each column of the range gives
//   the order of the columns without a sort. table: for rows whose entries lie far apart. A hash
//   table collects the columns, which are sorted at the end.
// Where the bitmap fits the shared memory and the sums do not (fill_far), the sums are accumulated
// in C. Where neither a table nor a bitmap fits, the kernel processes one range of columns after
// the other.
#ifndef GS_SPGEMM_HASH_HASH_JOB_CUH
#define GS_SPGEMM_HASH_HASH_JOB_CUH

#include "spgemm/hash/hash_rows.cuh"

namespace gs_hash_rows
{

constexpr int short_products = 64;  // of a row; its table has 2 short_products places
constexpr int warp_products = 8192; // of a row whose bitmap one warp processes, at most

enum count_bin { // rows without products are in no bin
    count_short = 1,
    count_table0, // tables of 2^9, 2^11, 2^13, 2^15 places
    count_table1,
    count_table2,
    count_table3,
    count_bitmap0, // bitmaps of 256 and 1024 words, a warp for each row
    count_bitmap1,
    count_bitmap2, // 8192 words, a block for each row
    count_bitmap3, // as many words as fit, one range of columns after the other
};

enum fill_bin {      // rows without entries are in no bin
    fill_short0 = 1, // up to 32 entries; up to 64
    fill_short1,
    fill_bitmap0, // 4 and 8 KB of shared memory, a warp for each row
    fill_bitmap1,
    fill_bitmap2, // 16, 32, 64 and 110 KB, a block for each row
    fill_bitmap3,
    fill_bitmap4,
    fill_bitmap5,
    fill_bitmap6, // as much as fits, one range of columns after the other
    fill_table0,  // up to 256 entries, a warp for each row; 1024, 4096, 8192
    fill_table1,
    fill_table2,
    fill_table3,
    fill_far, // a bitmap of up to far_bytes; the sums are accumulated in C's values
};
constexpr int far_entries = 65535; // of a row in fill_far at most

constexpr int bins = 16;

// The most entries of a row in fill_table0 + w; the bytes of shared memory for a row in
// fill_bitmap0 + w.
__host__ __device__ constexpr int table_entries(int w)
{
    return w < 3 ? 256 << 2 * w : 8192;
}

__host__ __device__ constexpr int bitmap_bytes(int w)
{
    return w < 5 ? 4096 << w : 110 << 10;
}

// The most bytes for the bitmap of a row in fill_far.
__host__ __device__ constexpr int far_bytes(int shared_bytes)
{
    return shared_bytes < bitmap_bytes(5) ? shared_bytes / 16 * 16 : bitmap_bytes(5);
}

struct statistics {
    unsigned long long products, entries; // of all rows; entries of C
    long long inputs;                     // entries of A
    unsigned rows[bins], listed[bins];    // rows of each bin; those that the list holds so far
    int longest;                          // entries of a row of C
};

// The columns that the products of a row span: the first column, and the number of 32-bit words for
// one bit per column from there to the last one. Set for rows of more than short_products products.
struct column_spans {
    int32_t *low, *words;
};

struct job {
    gsolve_context *ctx;
    rows_of A, B;
    int32_t nrows;
    int shared_bytes; // that a block may use
    int lanes;        // see lanes_for
    uint8_t *bin;
    column_spans spans;
    int32_t *count;                  // nrows + 1: entries of a row of C
    int32_t *rows;                   // sorted by bin; within a bin nearly ascending
    statistics *device_stats, stats; // on the device; on the host
};

// The bytes of a table for up to `entries` entries.
template <class T>
__host__ __device__ constexpr int table_bytes(int entries)
{
    return entries *
           (int)(2 * sizeof(int32_t) + 2 * sizeof(uint16_t) + sizeof(int32_t) + sizeof(T));
}

// The bytes for a bitmap, the number of set bits before each of its words, and the sums.
template <class T>
__host__ __device__ constexpr int64_t bitmap_space(int64_t words, int64_t entries)
{
    return words * (int64_t)(sizeof(uint32_t) + sizeof(uint16_t)) + entries * (int64_t)sizeof(T);
}

// The number of lanes that read a row of B: a power of two from 4 to 32, chosen by the mean length
// of the rows that A refers to.
inline int lanes_for(const statistics *stats)
{
    int lanes = 4;
    while (lanes < 32 && (unsigned long long)stats->inputs * (unsigned)lanes < stats->products) {
        lanes *= 2;
    }
    return lanes;
}

// The number of rows in the bins before `bin`.
inline int64_t listed_before(const statistics *stats, int bin)
{
    int64_t before = 0;
    for (int w = 1; w < bin; w++) before += stats->rows[w];
    return before;
}

// Launches kernel(A, B, rows, number of rows, more...) on the rows of a bin, rows_per_block of them
// in each block.
template <class... P, class... X>
gsolve_status launch_bin(job *j, int bin, const char *name, void (*kernel)(P...),
                         int rows_per_block, int threads, int bytes, X... more)
{
    const int64_t rows = j->stats.rows[bin];

    return launch_with(j->ctx->queue, name, kernel, (rows + rows_per_block - 1) / rows_per_block,
                       threads, bytes, j->A, j->B, j->rows + listed_before(&j->stats, bin),
                       (int32_t)rows, more...);
}

// hash_bin_cuda.cu: allocates and frees the work arrays; bins rows by their products and by their
// entries.
gsolve_status open_job(job *j);
void close_job(job *j);
gsolve_status bin_rows_to_count(job *j);
gsolve_status bin_rows_to_fill(job *j, gsolve_type type);

// Bins rows by the lengths of the rows of C: bin 1 holds rows up to the first limit, bin 2 those up
// to the second, and so on; the last bin holds longer rows. rows has nrows elements; *stats
// receives the number of rows of each bin.
constexpr int limits = 7;
struct lengths {
    int32_t most[limits];
};
gsolve_status bin_rows_by_length(gsolve_context *ctx, const gsolve_csr *C, lengths limit,
                                 int32_t *rows, statistics *stats);

// hash_count_cuda.cu: sets j->count from the bins.
gsolve_status count_rows(job *j);

// Set C's columns and values; its offsets are set. In hash_fill_short_cuda.cu,
// hash_fill_bitmap_cuda.cu and hash_fill_table_cuda.cu, each for its bins.
gsolve_status fill_short_rows(job *j, const gsolve_csr *C);
gsolve_status fill_bitmap_rows(job *j, const gsolve_csr *C);
gsolve_status fill_table_rows(job *j, const gsolve_csr *C);

// hash_plan_cuda.cu, hash_update_cuda.cu: the plan of gs_hash_kernels. make_plan reads only the
// statistics and lanes of the job.
gsolve_status make_plan(void **plan, gsolve_context *ctx, const gsolve_csr *A, const gsolve_csr *B,
                        const gsolve_csr *C, const job *j);
gsolve_status run_plan(const void *plan, gsolve_context *ctx, const gsolve_csr *A,
                       const gsolve_csr *B, gsolve_csr *C);
void drop_plan(void *plan, gsolve_context *ctx);

} // namespace gs_hash_rows

#endif
