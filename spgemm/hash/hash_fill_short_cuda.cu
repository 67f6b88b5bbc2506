// hash_fill_short_cuda.cu: rows of C of up to 64 entries, several rows in a warp. The columns are
// sorted by counting for each how many are smaller.
#include "spgemm/hash/hash_job.cuh"

namespace gs_hash_rows
{
namespace
{

template <class T, int MOST>
struct __align__(16) short_space
{
    T sum[MOST];
    int32_t col[MOST];
    int32_t key[2 * MOST];
    uint8_t nth[2 * MOST]; // the position in col and sum of the column at a place of the table
    int32_t padding[8];    // so that the rows of a warp begin in different banks
};

// Puts the n columns of a row, which G lanes share, and their sums in ascending order. A lane has
// the elements lane, lane + G, ...; each goes to the position that the number of smaller columns
// gives. All lanes of a warp call it.
template <int G, class T, int MOST>
__device__ __forceinline__ void sort_row(short_space<T, MOST> *s, int lane, int n)
{
    constexpr int entries = MOST / G;
    int32_t mine[entries];
    T sum[entries];
    int smaller[entries];
    const int most = __reduce_max_sync(all_lanes, n);
#pragma unroll
    for (int e = 0; e < entries; e++) {
        mine[e] = s->col[lane + e * G];
        sum[e] = s->sum[lane + e * G];
        smaller[e] = 0;
    }
    for (int k = 0; k < most; k += 4) {
        const int4 x = *reinterpret_cast<const int4 *>(&s->col[k]);
#pragma unroll
        for (int e = 0; e < entries; e++) {
            smaller[e] += (x.x < mine[e]) + (x.y < mine[e]) + (x.z < mine[e]) + (x.w < mine[e]);
        }
    }
    __syncwarp();
#pragma unroll
    for (int e = 0; e < entries; e++) {
        if (lane + e * G >= n) continue;
        s->col[smaller[e]] = mine[e];
        s->sum[smaller[e]] = sum[e];
    }
    __syncwarp();
}

// Columns and values of rows of up to MOST entries. G lanes own a row and a short_space in shared
// memory; a block has gs_block_size / G rows. Reads the row of A and the rows of B that it refers
// to once, writes the row of C once. Invariant: the lanes add the products of one entry of A, which
// have different columns, before those of the next one.
template <class T, int G, int MOST>
__global__ void __launch_bounds__(gs_block_size)
    fill_short(rows_of A, rows_of B, const int32_t *rows, int32_t nrows, rows_to_fill<T> out)
{
    constexpr int bits = MOST == 32 ? 6 : 7;
    static_assert(1 << bits == 2 * MOST, "half full at most");
    __shared__ short_space<T, MOST> space[gs_block_size / G];
    const int slot = (int)threadIdx.x / G, lane = (int)threadIdx.x % G;
    const unsigned group = (G == 32 ? all_lanes : (1u << G % 32) - 1)
                           << ((int)threadIdx.x % 32 - lane);
    const unsigned below = (1u << threadIdx.x % 32) - 1;
    const int64_t which = (int64_t)blockIdx.x * (gs_block_size / G) + slot;
    const int32_t row = which < nrows ? rows[which] : -1;
    const int64_t from = row < 0 ? 0 : A.begin(row), to = row < 0 ? 0 : A.begin((int64_t)row + 1);
    short_space<T, MOST> *s = &space[slot];
    int n = 0;

    for (int k = lane; k < 2 * MOST / 4; k += G) {
        reinterpret_cast<int4 *>(s->key)[k] = make_int4(-1, -1, -1, -1);
    }
    for (int k = lane; k < MOST / 4; k += G) { // unused elements are larger than any column
        reinterpret_cast<int4 *>(s->col)[k] = make_int4(INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX);
    }
    __syncwarp();
    for_products<T, by_warp>(
        A, B, {from + lane, G, G, lane, G}, to, {0, 0}, [&](bool is_one, int32_t j, T a, T b) {
            bool fresh = false;
            const int place = is_one ? place_in(s->key, bits, j, &fresh) : 0;
            const unsigned inserted = __ballot_sync(all_lanes, fresh) & group;
            if (is_one) {
                const int at = fresh ? n + __popc(inserted & below) : s->nth[place];
                s->sum[at] = fma(a, b, fresh ? T(0) : s->sum[at]);
                if (fresh) {
                    s->col[at] = j;
                    s->nth[place] = (uint8_t)at;
                }
            }
            n += __popc(inserted);
        });
    sort_row<G>(s, lane, n);
    const int64_t begin = row < 0 ? 0 : out.C.begin(row);
    for (int k = lane; k < n; k += G) {
        out.col[begin + k] = s->col[k];
        out.value[begin + k] = s->sum[k];
    }
}

template <class T, int G, int MOST>
gsolve_status by_groups(job *j, int bin, const gsolve_csr *C)
{
    return launch_bin(j, bin, "filling short rows", fill_short<T, G, MOST>, gs_block_size / G,
                      gs_block_size, 0, rows_to_fill<T>(j->ctx, C));
}

template <class T>
gsolve_status fill(job *j, const gsolve_csr *C)
{
    gsolve_status status;

    TRY((j->lanes <= 8    ? by_groups<T, 8, 64>
         : j->lanes == 16 ? by_groups<T, 16, 64>
                          : by_groups<T, 32, 64>)(j, fill_short1, C));
    TRY((j->lanes == 4    ? by_groups<T, 4, 32>
         : j->lanes == 8  ? by_groups<T, 8, 32>
         : j->lanes == 16 ? by_groups<T, 16, 32>
                          : by_groups<T, 32, 32>)(j, fill_short0, C));
done:
    return status;
}

} // namespace

gsolve_status fill_short_rows(job *j, const gsolve_csr *C)
{
    return C->type == GSOLVE_F32 ? fill<float>(j, C) : fill<double>(j, C);
}

} // namespace gs_hash_rows
