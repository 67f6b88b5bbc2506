// hash_fill_table_cuda.cu: rows of C of more than 64 entries that lie far apart. A hash table
// collects the columns and their sums; the columns are sorted at the end, each with the index of
// its sum.
#include "spgemm/hash/hash_job.cuh"

namespace gs_hash_rows
{
namespace
{

// Columns and values of a row with a hash table of 2^bits places for up to 2^(bits - 1) entries. A
// GROUP (a warp or a block) owns a row. Reads the row of A and the rows of B that it refers to
// once, writes the row of C once. Invariant: the products come in A's order, with a barrier after
// each row of B, so the bits do not depend on the places in the table.
template <class T, class GROUP>
__global__ void __launch_bounds__(GROUP::most_threads)
    fill_by_table(rows_of A, rows_of B, const int32_t *rows, int32_t nrows, int bits,
                  rows_to_fill<T> out)
{
    const int64_t nth = GROUP::row();
    if (nth >= nrows) return; // all threads of the group
    __shared__ int of_slot[GROUP::most_threads / 32];
    const int32_t row = rows[nth];
    const int most = 1 << (bits - 1);
    const int64_t begin = out.C.begin(row);
    const int n = (int)(out.C.begin((int64_t)row + 1) - begin);
    char *space = row_space(GROUP::slot(), table_bytes<T>(most));
    T *sum = reinterpret_cast<T *>(space);
    int32_t *key = reinterpret_cast<int32_t *>(sum + most), *column = key + 2 * most;
    uint16_t *number = reinterpret_cast<uint16_t *>(column + most);
    unsigned long long *sorted = reinterpret_cast<unsigned long long *>(key);
    int *found = &of_slot[GROUP::slot()];

    for (int k = GROUP::me(); k < 2 * most; k += GROUP::size()) key[k] = -1;
    if (GROUP::me() == 0) *found = 0;
    GROUP::sync();
    for_products<T, GROUP>(A, B, in_order<GROUP>(A.begin(row)), A.begin((int64_t)row + 1), {0, 0},
                           [&](bool is_one, int32_t j, T a, T b) {
                               if (!is_one) return;
                               bool fresh;
                               const int place = place_in(key, bits, j, &fresh);
                               if (fresh) {
                                   const int at = atomicAdd(found, 1);
                                   number[place] = (uint16_t)at;
                                   column[at] = j;
                                   sum[at] = fma(a, b, T(0));
                               } else {
                                   T *s = &sum[number[place]];
                                   *s = fma(a, b, *s);
                               }
                           });
    for (int k = GROUP::me(); k < n;
         k += GROUP::size()) { // overwrites the table, which is no longer needed
        sorted[k] = (unsigned long long)column[k] << 16 | (unsigned)k;
    }
    sort<GROUP>(sorted, n);
    for (int k = GROUP::me(); k < n; k += GROUP::size()) {
        out.col[begin + k] = (int32_t)(sorted[k] >> 16);
        out.value[begin + k] = sum[sorted[k] & 0xffff];
    }
}

template <class T, class GROUP>
gsolve_status launch_table(job *j, int nth, int threads, int bits, const gsolve_csr *C)
{
    const int rows = GROUP::block ? 1 : threads / 32;

    return launch_bin(j, fill_table0 + nth, "filling rows by tables", fill_by_table<T, GROUP>, rows,
                      threads, rows * table_bytes<T>(table_entries(nth)), bits,
                      rows_to_fill<T>(j->ctx, C));
}

template <class T>
gsolve_status fill(job *j, const gsolve_csr *C)
{
    gsolve_status status;

    TRY((launch_table<T, by_block>(j, 3, 1024, 14, C))); // the heaviest first
    TRY((launch_table<T, by_block>(j, 2, 512, 13, C)));
    TRY((launch_table<T, by_block>(j, 1, 128, 11, C)));
    TRY((launch_table<T, by_warp>(j, 0, 128, 9, C)));
done:
    return status;
}

} // namespace

gsolve_status fill_table_rows(job *j, const gsolve_csr *C)
{
    return C->type == GSOLVE_F32 ? fill<float>(j, C) : fill<double>(j, C);
}

} // namespace gs_hash_rows
