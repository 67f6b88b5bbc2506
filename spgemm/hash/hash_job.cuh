// hash_job.cuh: a product on its way: which rows are worked on by which kernel.
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

constexpr int few_products = 64;    // that 2 few_products places of a table hold
constexpr int warp_products = 8192; // of a row for one warp, where it lies close together

enum way_to_count { // a row without products is in none
    count_few = 1,
    count_table0, // tables of 2^9, 2^11, 2^13, 2^15 places
    count_table1,
    count_table2,
    count_table3,
    count_bits0, // 256 and 1024 words of bits, by a warp
    count_bits1,
    count_bits2, // 8192, by a block
    count_bits3, // as many as fit, stretch after stretch
};

enum way_to_fill { // a row without entries is in none
    fill_few0 = 1, // up to 32 entries, up to 64
    fill_few1,
    fill_bits0, // 4, 8 KB by a warp
    fill_bits1,
    fill_bits2, // 16, 32, 64, 110 KB by a block
    fill_bits3,
    fill_bits4,
    fill_bits5,
    fill_bits6,  // as much as fits, stretch after stretch
    fill_table0, // up to 256 entries, by a warp; 1024, 4096, 8192
    fill_table1,
    fill_table2,
    fill_table3,
    fill_far, // bits within far_bytes, sums where C's values are to lie
};
constexpr int far_entries = 65535; // of such a row at most

constexpr int ways = 16;

// Of the w-th way by tables: entries of a row; by bits: bytes for one.
__host__ __device__ constexpr int table_entries(int w)
{
    return w < 3 ? 256 << 2 * w : 8192;
}

__host__ __device__ constexpr int bits_bytes(int w)
{
    return w < 5 ? 4096 << w : 110 << 10;
}

// Of a row of fill_far for its bits at most.
__host__ __device__ constexpr int far_bytes(int room)
{
    return room < bits_bytes(5) ? room / 16 * 16 : bits_bytes(5);
}

struct facts {
    unsigned long long products, entries; // of all rows; entries of C
    long long inputs;                     // entries of A
    unsigned rows[ways], listed[ways];    // of each way; of these in the list so far
    int longest;                          // entries of a row of C
};

struct job {
    gsolve_context *ctx;
    rows_of A, B;
    int32_t nrows;
    int room;  // bytes of shared memory for a block
    int lanes; // see lanes_for
    uint8_t *way;
    int32_t *low, *words; // of rows of more than few_products products: the first column, and how
                          // many words of bits there are from it to the last one
    int32_t *count;       // nrows + 1: entries of a row of C
    int32_t *rows;        // by ways, one after the other; nearly ascending in each
    facts *found, seen;   // on the device; on the host
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
__host__ __device__ constexpr int64_t bits_space(int64_t words, int64_t entries)
{
    return words * (int64_t)(sizeof(uint32_t) + sizeof(uint16_t)) + entries * (int64_t)sizeof(T);
}

// For a row of B, by the mean length of those that A asks for: a power of two, 4 to 32.
inline int lanes_for(const facts *seen)
{
    int lanes = 4;
    while (lanes < 32 && (unsigned long long)seen->inputs * (unsigned)lanes < seen->products) {
        lanes *= 2;
    }
    return lanes;
}

// Rows of the ways before this one.
inline int64_t listed_before(const facts *seen, int way)
{
    int64_t before = 0;
    for (int w = 1; w < way; w++) before += seen->rows[w];
    return before;
}

// kernel(A, B, rows, their number, more...) on the rows of a way, so many in a block.
template <class... P, class... X>
gsolve_status launch_way(job *j, int way, const char *name, void (*kernel)(P...),
                         int rows_per_block, int threads, int bytes, X... more)
{
    const int64_t rows = j->seen.rows[way];

    if (rows == 0) return GSOLVE_OK;
    return launch_with(j->ctx->queue, name, kernel, (rows + rows_per_block - 1) / rows_per_block,
                       threads, bytes, j->A, j->B, j->rows + listed_before(&j->seen, way),
                       (int32_t)rows, more...);
}

// hash_weigh_cuda.cu: the work arrays made and freed; rows classed by what they read, and by what
// they have.
gsolve_status open_job(job *j);
void close_job(job *j);
gsolve_status class_to_count(job *j);
gsolve_status class_to_fill(job *j, gsolve_type type);

// By the lengths of the rows of C alone: way 1 has those up to the first limit, way 2 those up to
// the second, ..., the last those beyond all. rows: nrows elements; *seen: how many there are of
// each.
constexpr int limits = 7;
struct lengths {
    int32_t most[limits];
};
gsolve_status class_by_length(gsolve_context *ctx, const gsolve_csr *C, lengths limit,
                              int32_t *rows, facts *seen);

// hash_count_cuda.cu: j->count from the classes.
gsolve_status count_rows(job *j);

// C's columns and values from its offsets: hash_few_cuda.cu, hash_bits_cuda.cu, hash_table_cuda.cu,
// each for its ways.
gsolve_status fill_few_rows(job *j, const gsolve_csr *C);
gsolve_status fill_bits_rows(job *j, const gsolve_csr *C);
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
