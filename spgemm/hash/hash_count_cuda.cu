// hash_count_cuda.cu: counts the entries of each row of C.
#include "spgemm/hash/hash_job.cuh"

namespace gs_hash_rows
{
namespace
{

// count[row] for rows of up to short_products products. G lanes own a row and its hash table in
// shared memory; a block has gs_block_size / G rows. Reads the row of A and the rows of B that it
// refers to once.
template <int G>
__global__ void __launch_bounds__(gs_block_size)
    count_short_row(rows_of A, rows_of B, const int32_t *rows, int32_t nrows, int32_t *count)
{
    constexpr int bits = 7, quads = (1 << bits) / 4;
    static_assert(1 << bits == 2 * short_products, "half full at most");
    __shared__ int4 space[gs_block_size / G][quads];
    const int slot = (int)threadIdx.x / G, lane = (int)threadIdx.x % G;
    const int64_t nth = (int64_t)blockIdx.x * (gs_block_size / G) + slot;
    const int32_t row = nth < nrows ? rows[nth] : -1;
    const int64_t from = row < 0 ? 0 : A.begin(row), to = row < 0 ? 0 : A.begin((int64_t)row + 1);
    int32_t *key = reinterpret_cast<int32_t *>(space[slot]);
    int mine = 0;

    for (int k = lane; k < quads; k += G) space[slot][k] = make_int4(-1, -1, -1, -1);
    __syncwarp();
    visit_products<nothing, false>(
        A, B, {from + lane, G, G, lane, G}, to, {0, 0},
        [&](int64_t e, int64_t) { return B.col[e]; },
        [&](bool is_one, nothing, int32_t j) {
            bool fresh = false;
            if (is_one) place_in(key, bits, j, &fresh);
            mine += fresh;
        },
        [] {});
    mine = over_lanes(mine, G, sum_of());
    if (lane == 0 && row >= 0) count[row] = mine;
}

// count[row] with a hash table of 2^bits places in shared memory. A GROUP (a warp or a block) owns
// a row; its subwarps of `lanes` lanes read the rows of B in turn. The table never fills: a row has
// fewer columns than places. Reads A and B as count_short_row does.
template <class GROUP>
__global__ void __launch_bounds__(GROUP::most_threads)
    count_by_table(rows_of A, rows_of B, const int32_t *rows, int32_t nrows, int lanes, int bits,
                   int32_t *count)
{
    const int64_t nth = GROUP::row();
    if (nth >= nrows) return; // all threads of the group
    const int32_t row = rows[nth];
    int32_t *key = reinterpret_cast<int32_t *>(row_space(GROUP::slot(), 4 << bits));
    int mine = 0, all;

    for (int k = GROUP::me(); k < 1 << bits; k += GROUP::size()) key[k] = -1;
    GROUP::sync();
    for_columns<GROUP>(A, B, A.begin(row), A.begin((int64_t)row + 1), lanes, {0, 0},
                       [&](int32_t j) {
                           bool fresh;
                           place_in(key, bits, j, &fresh);
                           mine += fresh;
                       });
    sum_before<GROUP>(mine, &all);
    if (GROUP::me() == 0) count[row] = all;
}

// count[row] with a bitmap in shared memory, words_per_pass words in each pass over the columns
// that the row spans. A GROUP owns a row. Each pass reads the row of A and those elements of B
// whose columns lie in its range; the count is the number of set bits.
template <class GROUP>
__global__ void __launch_bounds__(GROUP::most_threads)
    count_by_bitmap(rows_of A, rows_of B, const int32_t *rows, int32_t nrows, int lanes,
                    int words_per_pass, column_spans spans, int32_t *count)
{
    const int64_t nth = GROUP::row();
    if (nth >= nrows) return; // all threads of the group
    const int32_t row = rows[nth], least = spans.low[row], needed = spans.words[row];
    uint32_t *bit = reinterpret_cast<uint32_t *>(row_space(GROUP::slot(), 4 * words_per_pass));
    int mine = 0, all;

    for (int done = 0; done < needed; done += words_per_pass) {
        const int words_now = min(words_per_pass, needed - done);
        const int32_t base = least + 32 * done;
        for (int k = GROUP::me(); k < words_now; k += GROUP::size()) bit[k] = 0;
        GROUP::sync();
        for_columns<GROUP>(A, B, A.begin(row), A.begin((int64_t)row + 1), lanes,
                           {base, needed > words_per_pass ? 32 * words_now : 0}, [&](int32_t j) {
                               const uint32_t at = (uint32_t)(j - base);
                               atomicOr(&bit[at / 32], 1u << at % 32);
                           });
        GROUP::sync();
        for (int k = GROUP::me(); k < words_now; k += GROUP::size()) mine += __popc(bit[k]);
        GROUP::sync(); // before the next pass clears the bits
    }
    sum_before<GROUP>(mine, &all);
    if (GROUP::me() == 0) count[row] = all;
}

template <int G>
gsolve_status count_short_rows(job *j)
{
    return launch_bin(j, count_short, "counting columns", count_short_row<G>, gs_block_size / G,
                      gs_block_size, 0, j->count);
}

template <class GROUP>
gsolve_status launch_table(job *j, int bin, int threads, int bits)
{
    const int rows = GROUP::block ? 1 : threads / 32;

    return launch_bin(j, bin, "counting columns", count_by_table<GROUP>, rows, threads,
                      rows * 4 << bits, j->lanes, bits, j->count);
}

template <class GROUP>
gsolve_status launch_bitmap(job *j, int bin, int threads, int words)
{
    const int rows = GROUP::block ? 1 : threads / 32;

    return launch_bin(j, bin, "counting columns", count_by_bitmap<GROUP>, rows, threads,
                      rows * 4 * words, j->lanes, words, j->spans, j->count);
}

} // namespace

gsolve_status count_rows(job *j)
{
    gsolve_status status;

    TRY(launch_bitmap<by_block>(j, count_bitmap3, 1024, j->shared_bytes / 4)); // the heaviest first
    TRY(launch_table<by_block>(j, count_table3, 1024, 15));
    TRY(launch_bitmap<by_block>(j, count_bitmap2, 256, 8192));
    TRY(launch_table<by_block>(j, count_table2, 256, 13));
    TRY(launch_bitmap<by_warp>(j, count_bitmap1, 256, 1024));
    TRY(launch_table<by_warp>(j, count_table1, 128, 11));
    TRY(launch_bitmap<by_warp>(j, count_bitmap0, 256, 256));
    TRY(launch_table<by_warp>(j, count_table0, 256, 9));
    TRY(j->lanes == 4    ? count_short_rows<4>(j)
        : j->lanes == 8  ? count_short_rows<8>(j)
        : j->lanes == 16 ? count_short_rows<16>(j)
                         : count_short_rows<32>(j));
done:
    return status;
}

} // namespace gs_hash_rows
