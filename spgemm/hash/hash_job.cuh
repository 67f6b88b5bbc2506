// hash_job.cuh: a product on its bin: which rows are worked on by which kernel.
//
// Rows are classed twice: for counting their columns by what they read, products and the stretch of
// columns that these lie in; for filling them by the columns that they have. Few: groups of 4 to 32
// lanes a row. Many that lie close together: a bit for each column of the stretch, whence their
// order is known at once. Many that lie apart: a table of them, sorted at the end. Where the bits
// fit into a multiprocessor's memory and the sums do not, these are made in C; where neither table
// nor bits fit, stretch after stretch.
#ifndef GS_SPGEMM_HASH_HASH_JOB_CUH
#define GS_SPGEMM_HASH_HASH_JOB_CUH

#include "spgemm/hash/hash_rows.cuh"

namespace gs_hash_rows
{

constexpr int short_products = 64;  // that 2 short_products places of a table hold
constexpr int warp_products = 8192; // of a row for one warp, where it lies close together

enum count_bin { // a row without products is in none
    count_short = 1,
    count_table0, // tables of 2^9, 2^11, 2^13, 2^15 places
    count_table1,
    count_table2,
    count_table3,
    count_bitmap0, // 256 and 1024 words of bits, by a warp
    count_bitmap1,
    count_bitmap2, // 8192, by a block
    count_bitmap3, // as many as fit, stretch after stretch
};

enum fill_bin {      // a row without entries is in none
    fill_short0 = 1, // up to 32 entries, up to 64
    fill_short1,
    fill_bitmap0, // 4, 8 KB by a warp
    fill_bitmap1,
    fill_bitmap2, // 16, 32, 64, 110 KB by a block
    fill_bitmap3,
    fill_bitmap4,
    fill_bitmap5,
    fill_bitmap6, // as much as fits, stretch after stretch
    fill_table0,  // up to 256 entries, by a warp; 1024, 4096, 8192
    fill_table1,
    fill_table2,
    fill_table3,
    fill_far, // bits within far_bytes, sums where C's values are to lie
};
constexpr int far_entries = 65535; // of such a row at most

constexpr int bins = 16;

// Of the w-th bin by tables: entries of a row; by bits: bytes for one.
__host__ __device__ constexpr int table_entries(int w)
{
    return w < 3 ? 256 << 2 * w : 8192;
}

__host__ __device__ constexpr int bitmap_bytes(int w)
{
    return w < 5 ? 4096 << w : 110 << 10;
}

// Of a row of fill_far for its bits at most.
__host__ __device__ constexpr int far_bytes(int shared_bytes)
{
    return shared_bytes < bitmap_bytes(5) ? shared_bytes / 16 * 16 : bitmap_bytes(5);
}

struct statistics {
    unsigned long long products, entries; // of all rows; entries of C
    long long inputs;                     // entries of A
    unsigned rows[bins], listed[bins];    // of each bin; of these in the list so far
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
    int shared_bytes; // bytes of shared memory for a block
    int lanes;        // see lanes_for
    uint8_t *bin;
    column_spans spans;
    int32_t *count;                  // nrows + 1: entries of a row of C
    int32_t *rows;                   // by bins, one after the other; nearly ascending in each
    statistics *device_stats, stats; // on the device; on the host
};

// Bytes of a table that holds so many entries.
template <class T>
__host__ __device__ constexpr int table_bytes(int entries)
{
    return entries *
           (int)(2 * sizeof(int32_t) + 2 * sizeof(uint16_t) + sizeof(int32_t) + sizeof(T));
}

// Bytes for bits, the number of those before each word, and sums.
template <class T>
__host__ __device__ constexpr int64_t bitmap_space(int64_t words, int64_t entries)
{
    return words * (int64_t)(sizeof(uint32_t) + sizeof(uint16_t)) + entries * (int64_t)sizeof(T);
}

// For a row of B, by the mean length of those that A asks for: a power of two, 4 to 32.
inline int lanes_for(const statistics *stats)
{
    int lanes = 4;
    while (lanes < 32 && (unsigned long long)stats->inputs * (unsigned)lanes < stats->products) {
        lanes *= 2;
    }
    return lanes;
}

// Rows of the bins before this one.
inline int64_t listed_before(const statistics *stats, int bin)
{
    int64_t before = 0;
    for (int w = 1; w < bin; w++) before += stats->rows[w];
    return before;
}

// kernel(A, B, rows, their number, more...) on the rows of a bin, so many in a block.
template <class... P, class... X>
gsolve_status launch_bin(job *j, int bin, const char *name, void (*kernel)(P...),
                         int rows_per_block, int threads, int bytes, X... more)
{
    const int64_t rows = j->stats.rows[bin];

    if (rows == 0) return GSOLVE_OK;
    return launch_with(j->ctx->queue, name, kernel, (rows + rows_per_block - 1) / rows_per_block,
                       threads, bytes, j->A, j->B, j->rows + listed_before(&j->stats, bin),
                       (int32_t)rows, more...);
}

// hash_bin_cuda.cu: the work arrays made and freed; rows classed by what they read, and by what
// they have.
gsolve_status open_job(job *j);
void close_job(job *j);
gsolve_status bin_rows_to_count(job *j);
gsolve_status bin_rows_to_fill(job *j, gsolve_type type);

// By the lengths of the rows of C alone: bin 1 has those up to the first limit, bin 2 those up to
// the second, ..., the last those beyond all. rows: nrows elements; *stats: how many there are of
// each.
constexpr int limits = 7;
struct lengths {
    int32_t most[limits];
};
gsolve_status bin_rows_by_length(gsolve_context *ctx, const gsolve_csr *C, lengths limit,
                                 int32_t *rows, statistics *stats);

// hash_count_cuda.cu: j->count from the classes.
gsolve_status count_rows(job *j);

// C's columns and values from its offsets: hash_fill_short_cuda.cu, hash_fill_bitmap_cuda.cu,
// hash_fill_table_cuda.cu, each for its bins.
gsolve_status fill_short_rows(job *j, const gsolve_csr *C);
gsolve_status fill_bitmap_rows(job *j, const gsolve_csr *C);
gsolve_status fill_table_rows(job *j, const gsolve_csr *C);

// hash_plan_cuda.cu, hash_update_cuda.cu: what gs_hash_kernels wants. Of the job only what it saw
// is read.
gsolve_status make_plan(void **plan, gsolve_context *ctx, const gsolve_csr *A, const gsolve_csr *B,
                        const gsolve_csr *C, const job *j);
gsolve_status run_plan(const void *plan, gsolve_context *ctx, const gsolve_csr *A,
                       const gsolve_csr *B, gsolve_csr *C);
void drop_plan(void *plan, gsolve_context *ctx);

} // namespace gs_hash_rows

#endif
