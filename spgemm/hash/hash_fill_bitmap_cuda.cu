// hash_fill_bitmap_cuda.cu: rows of C with many entries that lie close together. A first pass over
// the products sets a bit for every column. The number of set bits before a column is its position
// in the row. A second pass adds each product to the sum at that position. Where bitmap and sums do
// not fit the shared memory, the sums are accumulated in C (FAR). Where the bitmap alone does not
// fit, both passes are repeated for one range of columns after the other.
#include "spgemm/hash/hash_job.cuh"

namespace gs_hash_rows
{
namespace
{

// A group's part of shared memory: the sums, the bitmap, and the number of set bits before each
// word.
template <class T>
struct row_bitmap {
    T *sum;
    uint32_t *bit;
    uint16_t *before;

    __device__ row_bitmap(char *space, int sums, int words)
        : sum(reinterpret_cast<T *>(space)), bit(reinterpret_cast<uint32_t *>(sum + sums)),
          before(reinterpret_cast<uint16_t *>(bit + words))
    {
    }
    __device__ row_bitmap(T *sums, char *space, int words)
        : sum(sums), bit(reinterpret_cast<uint32_t *>(space)),
          before(reinterpret_cast<uint16_t *>(bit + words))
    {
    }
    __device__ int number(uint32_t at) const
    {
        return before[at / 32] + __popc(bit[at / 32] & ((1u << at % 32) - 1));
    }
};

// The words of a range of columns if the complete bitmap does not fit, for a row of n entries. In
// the worst case every bit of the range has a sum.
template <class T>
__device__ int words_at_once(int n, int bytes)
{
    constexpr int full = (int)bitmap_space<T>(1, 32), empty = (int)bitmap_space<T>(1, 0);
    const int worst = bytes / full;
    const int64_t rest = bytes - (int64_t)n * (int64_t)sizeof(T);
    return rest / empty > worst ? (int)(rest / empty) : worst;
}

// Writes the columns whose bits are set to to[0..), ascending, and returns their number. list: work
// space, or `to` itself. Each thread owns an odd number of consecutive words, so that the threads
// of a warp access different banks.
template <class T, class GROUP>
__device__ int number_columns(const row_bitmap<T> &s, int words, int32_t base, int32_t *list,
                              int32_t *to)
{
    const int share = ((words + GROUP::size() - 1) / GROUP::size()) | 1;
    const int first = min(words, GROUP::me() * share), end = min(words, first + share);
    int mine = 0, all;

    for (int w = first; w < end; w++) mine += __popc(s.bit[w]);
    int at = sum_before<GROUP>(mine, &all);
    for (int w = first; w < end; w++) {
        s.before[w] = (uint16_t)at;
        for (uint32_t left = s.bit[w]; left; left &= left - 1) {
            list[at++] = base + 32 * w + __ffs((int)left) - 1;
        }
    }
    GROUP::sync();
    if (list == to) return all;
    for (int k = GROUP::me(); k < all; k += GROUP::size()) to[k] = list[k];
    GROUP::sync();
    return all;
}

// Columns and values of a row, which a GROUP (a warp or a block) owns. FAR: the bitmap fits, and
// the sums are accumulated in C's values. Each pass reads the row of A once and the elements of B
// in the range twice (columns, then columns and values); C is written once, without FAR. Invariant:
// the sums receive the products in A's order, with a barrier after each row of B, so the bits do
// not depend on the bin.
template <class T, class GROUP, bool FAR>
__global__ void __launch_bounds__(GROUP::most_threads)
    fill_by_bitmap(rows_of A, rows_of B, const int32_t *rows, int32_t nrows, int lanes, int bytes,
                   column_spans spans, rows_to_fill<T> out)
{
    const int64_t nth = GROUP::row();
    if (nth >= nrows) return; // all threads of the group
    const int32_t row = rows[nth], least = spans.low[row], needed = spans.words[row];
    const int64_t from = A.begin(row), to = A.begin((int64_t)row + 1);
    int32_t *const col = out.col;
    T *const value = out.value;
    int64_t at = out.C.begin(row);
    const int n = (int)(out.C.begin((int64_t)row + 1) - at);
    const bool fits = FAR || bitmap_space<T>(needed, n) <= bytes;
    const int words_per_pass = fits ? needed : words_at_once<T>(n, bytes);
    const int sums = (int)min((int64_t)n, (int64_t)32 * words_per_pass);
    char *const space = row_space(GROUP::slot(), bytes);
    const row_bitmap<T> s = FAR ? row_bitmap<T>(value + at, space, words_per_pass)
                                : row_bitmap<T>(space, sums, words_per_pass);
    int32_t *const list = FAR ? col + at : reinterpret_cast<int32_t *>(s.sum);

    for (int done = 0; done < needed; done += words_per_pass) {
        const int words_now = min(words_per_pass, needed - done);
        const int32_t base = least + 32 * done;
        const column_range part = {base, fits ? 0 : 32 * words_now};
        for (int k = GROUP::me(); k < words_now; k += GROUP::size()) s.bit[k] = 0;
        GROUP::sync();
        for_columns<GROUP>(A, B, from, to, lanes, part, [&](int32_t j) {
            const uint32_t c = (uint32_t)(j - base);
            atomicOr(&s.bit[c / 32], 1u << c % 32);
        });
        GROUP::sync();
        const int found = number_columns<T, GROUP>(s, words_now, base, list, col + at);
        if (found == 0) continue;
        for (int k = GROUP::me(); k < found; k += GROUP::size()) s.sum[k] = 0;
        GROUP::sync();
        for_products<T, GROUP>(A, B, in_order<GROUP>(from), to, part,
                               [&](bool is_one, int32_t j, T a, T b) {
                                   if (!is_one) return;
                                   T *sum = &s.sum[s.number((uint32_t)(j - base))];
                                   *sum = fma(a, b, *sum);
                               });
        if constexpr (!FAR) {
            for (int k = GROUP::me(); k < found; k += GROUP::size()) value[at + k] = s.sum[k];
            at += found;
            GROUP::sync(); // before the next range overwrites the sums
        }
    }
}

template <class T, class GROUP, bool FAR = false>
gsolve_status launch_bitmap(job *j, int bin, int threads, int bytes, const gsolve_csr *C)
{
    const int rows = GROUP::block ? 1 : threads / 32;

    return launch_bin(j, bin, "filling rows by bits", fill_by_bitmap<T, GROUP, FAR>, rows, threads,
                      rows * bytes, j->lanes, bytes, j->spans, rows_to_fill<T>(j->ctx, C));
}

template <class T>
gsolve_status fill(job *j, const gsolve_csr *C)
{
    gsolve_status status;

    TRY((launch_bitmap<T, by_block, true>(j, fill_far, 1024, far_bytes(j->shared_bytes), C)));
    TRY((launch_bitmap<T, by_block>(j, fill_bitmap6, 1024, j->shared_bytes / 16 * 16,
                                    C))); // the heaviest first
    TRY((launch_bitmap<T, by_block>(j, fill_bitmap5, 1024, bitmap_bytes(5), C)));
    TRY((launch_bitmap<T, by_block>(j, fill_bitmap4, 512, bitmap_bytes(4), C)));
    TRY((launch_bitmap<T, by_block>(j, fill_bitmap3, 256, bitmap_bytes(3), C)));
    TRY((launch_bitmap<T, by_block>(j, fill_bitmap2, 128, bitmap_bytes(2), C)));
    TRY((launch_bitmap<T, by_warp>(j, fill_bitmap1, 128, bitmap_bytes(1), C)));
    TRY((launch_bitmap<T, by_warp>(j, fill_bitmap0, 256, bitmap_bytes(0), C)));
done:
    return status;
}

} // namespace

gsolve_status fill_bitmap_rows(job *j, const gsolve_csr *C)
{
    return C->type == GSOLVE_F32 ? fill<float>(j, C) : fill<double>(j, C);
}

} // namespace gs_hash_rows
