// esc_rows_cuda.cu: rows of some hundred to some thousand products. A block owns a row.
#include <cub/block/block_exchange.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_scan.cuh>

#include "spgemm/esc/esc_common.cuh"

using namespace gs_esc_parts;

namespace
{

struct band_rows { // the rows of a tile band, and its first position in order
    int32_t first, last;
    int64_t base;
};

constexpr int words = medium_products / 32;
using scan_of_block = cub::BlockScan<unsigned, gs_block_size>;

// The entries of a row of A, see esc_common.cuh.
struct entries {
    int64_t from[medium_entries];
    uint32_t begins[words];
    uint16_t before[words];          // the number of set bits in the words before
    uint16_t number[medium_entries]; // the position of each entry in its row of A
};

// The number of the entry that product p belongs to.
__device__ int entry_of(const entries &s, int p)
{
    return s.before[p / 32] + __popc(s.begins[p / 32] & up_to(p % 32)) - 1;
}

// before[w] = the number of set bits in the words before w, for w < count. Returns the number in
// all words. All threads of the block call it.
__device__ unsigned count_before(const uint32_t *bits, int count, uint16_t *before,
                                 scan_of_block::TempStorage &space)
{
    const int w = (int)threadIdx.x;
    unsigned all, upto = w < count ? __popc(bits[w]) : 0;

    scan_of_block(space).ExclusiveSum(upto, upto, all);
    if (w < count) before[w] = (uint16_t)upto;
    __syncthreads();
    return all;
}

// Lists the entries of a row of A that have products. All threads of the block call it. One scan
// counts entries (high half of the word) and products (low half).
__device__ void list_entries(const pattern &m, int32_t row, int products, entries &s,
                             scan_of_block::TempStorage &space)
{
    const int64_t begin = m.a[row], end = m.a[row + 1];
    const int tid = (int)threadIdx.x;
    unsigned before = 0;

    if (tid < words) s.begins[tid] = 0;
    __syncthreads();
    for (int64_t at = begin; at < end; at += gs_block_size) {
        const int64_t a = at + tid;
        const int32_t k = a < end ? __ldg(m.acol + a) : -1;
        const int64_t from = k >= 0 ? m.b[k] : 0;
        const unsigned length = k >= 0 ? (unsigned)(m.b[k + 1] - from) : 0;
        unsigned own = length | (length > 0) << 16, all;
        scan_of_block(space).ExclusiveSum(own, own, all);
        own += before;
        before += all;
        const int e = (int)(own >> 16), p = (int)(own & 0xffff);
        if (length > 0) {
            s.from[e] = from - p;
            s.number[e] = (uint16_t)(a - begin);
            atomicOr(&s.begins[p / 32], 1u << p % 32);
        }
        __syncthreads();
    }
    count_before(s.begins, (products + 31) / 32, s.before, space);
}

// --- order ------------------------------------------------------------------------------------

template <int ITEMS>
struct sorting {
    using radix = cub::BlockRadixSort<uint32_t, gs_block_size, ITEMS, uint16_t>;
    using arrange = cub::BlockExchange<uint32_t, gs_block_size, ITEMS>;
    entries list;
    int32_t least, most;
    uint32_t last[gs_block_size]; // each thread's last key
    union {
        typename radix::TempStorage sort;
        typename arrange::TempStorage exchange;
        scan_of_block::TempStorage scan;
    };
};

// key[i] = the column of product threadIdx.x ITEMS + i, minus the least column of the row. Returns
// the number of bits of these keys. Keys beyond the products have all bits set. They stay last,
// because the sort is stable.
template <int ITEMS>
__device__ int expand_columns(const pattern &m, int products, sorting<ITEMS> &s,
                              uint32_t (&key)[ITEMS])
{
    int32_t least = INT32_MAX, most = 0;

    if (threadIdx.x == 0) {
        s.least = INT32_MAX;
        s.most = 0;
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        const int p = i * gs_block_size + (int)threadIdx.x;
        const int32_t col =
            p < products ? __ldg(m.bcol + s.list.from[entry_of(s.list, p)] + p) : -1;
        key[i] = (uint32_t)col;
        least = min(least, col < 0 ? INT32_MAX : col);
        most = max(most, col);
    }
    least = __reduce_min_sync(all_lanes, least);
    most = __reduce_max_sync(all_lanes, most);
    if (threadIdx.x % 32 == 0) {
        atomicMin(&s.least, least);
        atomicMax(&s.most, most);
    }
    __syncthreads();
    least = s.least;
    most = s.most;
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        key[i] = (int32_t)key[i] < 0 ? UINT32_MAX : key[i] - (uint32_t)least;
    }
    typename sorting<ITEMS>::arrange(s.exchange).StripedToBlocked(key);
    __syncthreads();
    return max(32 - __clz(most - least), 1);
}

// Sorts the products of a row by columns, with CUB's block radix sort. A block owns a row of up to
// ITEMS gs_block_size products. Reads the row of A, two offsets of B for each entry, and B's
// columns once; writes 2 bytes of order for each product, and count[row] = the entries of C.
// Invariant: equal columns keep the order of A's row.
template <int ITEMS>
__global__ void __launch_bounds__(gs_block_size)
    sort_rows(pattern m, const medium_row *rows, band_rows band, const uint32_t *row_products,
              uint16_t *order, int32_t *count)
{
    __shared__ sorting<ITEMS> s;
    const medium_row now = rows[blockIdx.x];
    uint32_t key[ITEMS];
    uint16_t number[ITEMS];
    unsigned heads = 0;

    if (now.row < band.first || now.row >= band.last) return;
    const int products = (int)row_products[now.row];
    list_entries(m, now.row, products, s.list, s.scan);
    const int bits = expand_columns<ITEMS>(m, products, s, key);
#pragma unroll
    for (int i = 0; i < ITEMS; i++) number[i] = (uint16_t)(threadIdx.x * ITEMS + i);
    typename sorting<ITEMS>::radix(s.sort).Sort(key, number, 0, bits);
    s.last[threadIdx.x] = key[ITEMS - 1];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        const int p = (int)threadIdx.x * ITEMS + i;
        const bool first_of_all = p == 0;
        const uint32_t before = i > 0 ? key[max(i - 1, 0)] : s.last[max((int)threadIdx.x - 1, 0)];
        const bool head = p < products && (first_of_all || key[i] != before);
        heads += head;
        if (p < products)
            order[now.at - band.base + p] = (uint16_t)(number[i] | (head ? first_term : 0));
    }
    heads = gs_block_sum(heads);
    if (threadIdx.x == 0) count[now.row] = (int32_t)heads;
}

// --- values -----------------------------------------------------------------------------------

struct filling {
    entries list;
    uint16_t order[medium_products], head[medium_products];
    uint32_t heads[words]; // a bit for each product: the first term of an entry of C
    uint16_t heads_before[words];
    scan_of_block::TempStorage scan;
};

// s.order = the order of the first pass without marks; s.head[e] = the first term of entry e of C.
// Returns the number of entries of C in the row. All threads of the block call it.
__device__ int read_order(const uint16_t *order, int products, filling &s)
{
    const int count = (products + 31) / 32, tid = (int)threadIdx.x;

    for (int p = tid; p < 32 * count; p += gs_block_size) { // all lanes of a warp take part
        const uint16_t word = p < products ? order[p] : 0;
        const unsigned marks = __ballot_sync(all_lanes, word & first_term);
        s.order[p] = (uint16_t)(word & ~first_term);
        if (p % 32 == 0) s.heads[p / 32] = marks;
    }
    __syncthreads();
    const unsigned all = count_before(s.heads, count, s.heads_before, s.scan);
    for (int p = tid; p < products; p += gs_block_size) {
        const unsigned marks = s.heads[p / 32];
        if (marks >> p % 32 & 1) {
            s.head[s.heads_before[p / 32] + __popc(marks & below(p % 32))] = (uint16_t)p;
        }
    }
    __syncthreads();
    return (int)all;
}

// Values, and columns unless n.ccol is NULL, of medium rows. `shares` blocks own a row and process
// its elements of C in turn; each expands the complete row in shared memory. S as in add_blocks.
// Reads the order, A's row, and for each product the elements of A and B; writes C once. Invariant:
// sums as in sum_terms.
template <class T, bool BLOCKS, int S>
__global__ void __launch_bounds__(gs_block_size)
    fill_rows(pattern m, const medium_row *rows, int shares, band_rows band,
              const uint32_t *row_products, const uint16_t *order, numbers n)
{
    __shared__ filling s;
    const medium_row now = rows[blockIdx.x / shares];
    const int share = (int)(blockIdx.x % shares);
    const int size = BLOCKS ? n.r * n.t : 1;

    if (now.row < band.first || now.row >= band.last) return;
    const int products = (int)row_products[now.row];
    list_entries(m, now.row, products, s.list, s.scan);
    const int heads = read_order(order + (now.at - band.base), products, s);
    const int64_t begin = m.a[now.row], to = n.cstart[now.row];
    for (int o = share * gs_block_size + (int)threadIdx.x; o < heads * size;
         o += shares * gs_block_size) {
        const int e = BLOCKS ? o / size : o, element = BLOCKS ? o % size : 0;
        const int from = s.head[e], end = e + 1 < heads ? s.head[e + 1] : products;
        const T sum = sum_terms<T>(end - from, [&](T part, int64_t k) {
            const int p = s.order[from + k], number = entry_of(s.list, p);
            return add_term<T, BLOCKS, S>(n, part, begin + s.list.number[number],
                                          s.list.from[number] + p, element);
        });
        ((T *)n.c)[to * size + o] = sum;
        if (n.ccol && element == 0) {
            const int p = s.order[from];
            n.ccol[to + e] = __ldg(m.bcol + s.list.from[entry_of(s.list, p)] + p);
        }
    }
}

// The kernel that computes the values.
template <class T>
auto kernel_for(const numbers &n)
{
    return are_plain(n) ? fill_rows<T, false, 0>
           : n.s == 3   ? fill_rows<T, true, 3>
           : n.s == 6   ? fill_rows<T, true, 6>
                        : fill_rows<T, true, 0>;
}

// The number of blocks for each row: more than one if one per row would not fill the device.
int shares_of(int rows)
{
    constexpr int enough = 1024, most = 8;
    const int shares = enough / rows;

    return shares < 1 ? 1 : shares > most ? most : shares;
}

band_rows rows_of(const pattern &m, const tile_band &now)
{
    const int64_t last = now.last * m.chunk;
    return {(int32_t)(now.first * m.chunk), (int32_t)(last < m.nrows ? last : m.nrows), now.base};
}

} // namespace

namespace gs_esc_parts
{

gsolve_status sort_medium(gs_queue *q, const gs_esc_plan *p, const pattern &m, const tile_band &now,
                          int32_t *count)
{
    const auto kernel = {sort_rows<2>, sort_rows<4>, sort_rows<8>, sort_rows<16>};
    const band_rows rows = rows_of(m, now);
    gsolve_status status = GSOLVE_OK;

    for (int bin = 0; bin < bins && status == GSOLVE_OK; bin++) {
        const int from = p->medium_begin[bin], n = p->medium_begin[bin + 1] - from;
        if (n == 0) continue;
        status =
            gs_launch(q, "sorting long rows of a product", kernel.begin()[bin], n, gs_block_size, m,
                      p->medium + from, rows, p->row_products, p->order, count);
    }
    return status;
}

gsolve_status fill_medium(gs_queue *q, const gs_esc_plan *p, const pattern &m, const tile_band &now,
                          const numbers &n, gsolve_type type)
{
    const int count = p->medium_begin[bins];

    if (count == 0) return GSOLVE_OK;
    const int shares = are_plain(n) ? 1 : shares_of(count);
    return gs_launch(q, "the values of long rows",
                     type == GSOLVE_F32 ? kernel_for<float>(n) : kernel_for<double>(n),
                     count * shares, gs_block_size, m, p->medium, shares, rows_of(m, now),
                     p->row_products, p->order, n);
}

} // namespace gs_esc_parts
