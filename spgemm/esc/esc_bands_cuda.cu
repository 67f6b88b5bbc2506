// esc_bands_cuda.cu: rows of so many products, or of so many entries of A, that the whole device
// deals with them: the paper's method as it stands, in global memory, some rows at a time, or some
// columns of one row. The sort is of all of a band by (row, column): as balanced for one row as for
// many.
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>
#include <thrust/iterator/counting_iterator.h>

#include "spgemm/esc/esc_parts.cuh"

using namespace gs_esc_parts;

namespace
{

typedef unsigned long long count_t;

constexpr int64_t least_room = medium_room; // products of a band
constexpr int share = 256;                  // products of a warp in the expansion
constexpr int64_t long_sum = 1024;          // terms that a warp adds up together
constexpr double of_product = 36;           // bytes: keys and terms twice, and some more

inline int blocks_for(int64_t threads)
{
    return (int)((threads + gs_block_size - 1) / gs_block_size);
}

int bits_of(int64_t most)
{
    int bits = 0;
    while (most >> bits) bits++;
    return bits;
}

// --- entries of A -----------------------------------------------------------------------------

struct listed { // what the kernels see of a band
    band b;
    const int32_t *rows;
    const int64_t *before; // entries of A in rows before, of all rows of the device's
};

struct place {
    int32_t l;     // of the band's rows
    int64_t entry; // of A
};

// Entry x of a band.
__device__ place place_of(const pattern &m, const listed &v, int64_t x)
{
    const int64_t k = v.before[v.b.first] + x;
    int32_t low = v.b.first, high = v.b.last; // before[low] <= k < before[high]

    while (high - low > 1) {
        const int32_t middle = low + (high - low) / 2;
        if (v.before[middle] <= k) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return {low - v.b.first, m.a[v.rows[low]] + k - v.before[low]};
}

// The first entry of B in [low, high) in a column not below bound.
__device__ int64_t search_column(const int32_t *col, int64_t low, int64_t high, int32_t bound)
{
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (__ldg(col + middle) < bound) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

struct span { // entries of B
    int64_t from, to;
};

__device__ span span_of(const pattern &m, int64_t a, int32_t from, int32_t to)
{
    const int32_t j = __ldg(m.acol + a);
    span s = {m.b[j], m.b[j + 1]};

    if (from > 0) s.from = search_column(m.bcol, s.from, s.to, from);
    if (to < m.ncols) s.to = search_column(m.bcol, s.from, s.to, to);
    return s;
}

// products[l], entries[l]: of each row of the list.
__global__ void __launch_bounds__(gs_block_size)
    measure_rows(pattern m, const int32_t *rows, int64_t *products, int64_t *entries)
{
    const int64_t from = m.a[rows[blockIdx.x]], to = m.a[rows[blockIdx.x] + 1];
    count_t sum = 0;

    for (int64_t k = from + threadIdx.x; k < to; k += gs_block_size) {
        const int32_t j = __ldg(m.acol + k);
        sum += (count_t)(m.b[j + 1] - m.b[j]);
    }
    sum = gs_block_sum(sum);
    if (threadIdx.x == 0) {
        products[blockIdx.x] = (int64_t)sum;
        entries[blockIdx.x] = to - from;
    }
}

// *products += those of a row in a range of columns.
__global__ void __launch_bounds__(gs_block_size)
    measure_columns(pattern m, int32_t row, const int32_t *rows, int32_t from, int32_t to,
                    count_t *products)
{
    const int64_t begin = m.a[rows[row]], end = m.a[rows[row] + 1];
    count_t sum = 0;

    for (int64_t k = begin + (int64_t)blockIdx.x * gs_block_size + threadIdx.x; k < end;
         k += (int64_t)gridDim.x * gs_block_size) {
        const span s = span_of(m, k, from, to);
        sum += (count_t)(s.to - s.from);
    }
    sum = gs_block_sum(sum);
    if (threadIdx.x == 0 && sum) atomicAdd(products, sum);
}

// --- the expansion ----------------------------------------------------------------------------

// work[x] = products of entry x, 0 for x = entries; row[x] = its row in the band.
__global__ void __launch_bounds__(gs_block_size)
    measure_entries(pattern m, listed v, int32_t *work, int32_t *row)
{
    const int64_t x = (int64_t)blockIdx.x * gs_block_size + threadIdx.x;

    if (x > v.b.lists) return;
    if (x == v.b.lists) {
        work[x] = 0;
        return;
    }
    const place at = place_of(m, v, x);
    const span s = span_of(m, at.entry, v.b.from, v.b.to);
    work[x] = (int32_t)(s.to - s.from);
    row[x] = at.l;
}

// The entry that product p belongs to, of low <= x < high with work[low] <= p < work[high]: by
// interpolation, every other step by halving, lest a bad spread make it long.
__device__ int64_t search_work(const int32_t *work, int64_t low, int64_t high, int32_t p)
{
    int64_t below = work[low], above = work[high];

    for (bool halve = false; high - low > 1; halve = !halve) {
        const int64_t guess =
            halve ? low + (high - low) / 2 : low + (p - below) * (high - low) / (above - below);
        const int64_t x = min(max(guess, low + 1), high - 1);
        const int32_t there = __ldg(work + x);
        if (there <= p) {
            low = x;
            below = there;
        } else {
            high = x;
            above = there;
        }
    }
    return low;
}

// An equal share of the products to every warp. A term is the entry of A and the place in its row
// of B.
template <class K>
__global__ void __launch_bounds__(gs_block_size)
    expand(pattern m, listed v, const int32_t *work, const int32_t *row, int col_bits, K *key,
           uint64_t *term)
{
    const int64_t warp = ((int64_t)blockIdx.x * gs_block_size + threadIdx.x) / 32;
    const int64_t begin = warp * share, end = min(begin + share, v.b.products);

    if (begin >= end) return;
    const int64_t low = search_work(work, 0, v.b.lists, (int32_t)begin);
    const int64_t high = search_work(work, low, v.b.lists, (int32_t)end - 1) + 1;
    for (int64_t p = begin + threadIdx.x % 32; p < end; p += 32) {
        const int64_t x = search_work(work, low, high, (int32_t)p);
        const int64_t a = place_of(m, v, x).entry, own = m.b[__ldg(m.acol + a)];
        const int64_t b = span_of(m, a, v.b.from, v.b.to).from + p - work[x];
        key[p] = (K)row[x] << col_bits | (K)(uint32_t)(__ldg(m.bcol + b) - v.b.from);
        term[p] = (uint64_t)x << 32 | (uint64_t)(b - own);
    }
}

template <class K>
struct is_head {
    const K *key;
    __device__ bool operator()(uint32_t k) const { return k == 0 || key[k] != key[k - 1]; }
};

// The first of n ascending numbers that is not below x.
__device__ int32_t search_head(const uint32_t *head, int64_t n, uint32_t x)
{
    int64_t low = 0, high = n;

    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (head[middle] < x) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return (int32_t)low;
}

// before of each row and of all, from where the rows' products begin; count += entries of C, unless
// it is NULL.
__global__ void __launch_bounds__(gs_block_size)
    count_heads(listed v, const int32_t *work, int32_t *count)
{
    const int32_t l = (int32_t)(blockIdx.x * gs_block_size + threadIdx.x);
    const int32_t rows = v.b.last - v.b.first;

    if (l > rows) return;
    const int64_t own = v.before[v.b.first + l] - v.before[v.b.first];
    const int32_t at = search_head(v.b.head, v.b.entries, (uint32_t)work[own]);
    v.b.before[l] = at;
    if (!count || l == rows) return;
    const int64_t next = v.before[v.b.first + l + 1] - v.before[v.b.first];
    count[v.rows[v.b.first + l]] += search_head(v.b.head, v.b.entries, (uint32_t)work[next]) - at;
}

struct expansion {
    int32_t *work, *row;
    void *key[2];
    uint64_t *term[2];
    uint32_t *head;
    int64_t *heads;
};

listed listed_of(const gs_esc_plan *p, const band &b)
{
    return {b, p->rows, p->before};
}

// The sorted terms into e.term[0], and the heads into e.head, of which there are b->entries.
template <class K>
gsolve_status expand_and_sort(expansion *e, const gs_esc_plan *p, gsolve_context *ctx,
                              const pattern &m, band *b)
{
    gs_queue *q = ctx->queue;
    const int col_bits = bits_of(b->to - b->from - 1);
    const int bits = col_bits + bits_of(b->last - b->first - 1);
    cub::DoubleBuffer<K> key((K *)e->key[0], (K *)e->key[1]);
    cub::DoubleBuffer<uint64_t> term(e->term[0], e->term[1]);
    const int64_t warps = (b->products + share - 1) / share;
    gsolve_status status;

    TRY(gs_launch(q, "expanding rows", expand<K>, blocks_for(32 * warps), gs_block_size, m,
                  listed_of(p, *b), e->work, e->row, col_bits, (K *)e->key[0], e->term[0]));
    TRY(with_space(ctx, "sorting products", [&](void *space, size_t &bytes) {
        return cub::DeviceRadixSort::SortPairs(space, bytes, key, term, b->products, 0,
                                               bits > 0 ? bits : 1, q->stream);
    }));
    e->term[0] = term.Current();
    e->term[1] = term.Alternate();
    e->head = (uint32_t *)key.Alternate();
    TRY(with_space(ctx, "compressing products", [&](void *space, size_t &bytes) {
        return cub::DeviceSelect::If(space, bytes, thrust::counting_iterator<uint32_t>(0), e->head,
                                     e->heads, b->products, is_head<K>{key.Current()}, q->stream);
    }));
    TRY(gsolve_copy(ctx, &b->entries, GSOLVE_HOST, e->heads, GSOLVE_DEVICE, sizeof b->entries));
done:
    return status;
}

void drop_terms(band *b, gsolve_context *ctx)
{
    gsolve_free(ctx, GSOLVE_DEVICE, b->term);
    gsolve_free(ctx, GSOLVE_DEVICE, b->head);
    gsolve_free(ctx, GSOLVE_DEVICE, b->before);
    b->term = nullptr;
    b->head = nullptr;
    b->before = nullptr;
}

gsolve_status new_expansion(expansion *e, gsolve_context *ctx, const band &b, size_t key)
{
    gsolve_status status;

    ALLOC_DEVICE(ctx, e->work, b.lists + 1);
    ALLOC_DEVICE(ctx, e->row, b.lists + 1);
    for (int k = 0; k < 2; k++) {
        e->key[k] = gsolve_alloc(ctx, GSOLVE_DEVICE, (size_t)b.products, key);
        TRY(e->key[k] ? GSOLVE_OK : GSOLVE_NO_MEMORY);
        ALLOC_DEVICE(ctx, e->term[k], b.products);
    }
    ALLOC_DEVICE(ctx, e->heads, 1);
done:
    return status;
}

// A band's term, head and before.
gsolve_status make_terms(const gs_esc_plan *p, gsolve_context *ctx, const pattern &m, band *b,
                         int32_t *count)
{
    gs_queue *q = ctx->queue;
    const int bits = bits_of(b->to - b->from - 1) + bits_of(b->last - b->first - 1);
    const int32_t rows = b->last - b->first;
    expansion e = {};
    gsolve_status status;

    TRY(new_expansion(&e, ctx, *b, bits <= 32 ? sizeof(uint32_t) : sizeof(uint64_t)));
    TRY(gs_launch(q, "measuring rows", measure_entries, blocks_for(b->lists + 1), gs_block_size, m,
                  listed_of(p, *b), e.work, e.row));
    TRY(with_space(ctx, "measuring rows", [&](void *space, size_t &bytes) {
        return cub::DeviceScan::ExclusiveSum(space, bytes, e.work, e.work, b->lists + 1, q->stream);
    }));
    TRY(bits <= 32 ? expand_and_sort<uint32_t>(&e, p, ctx, m, b)
                   : expand_and_sort<unsigned long long>(&e, p, ctx, m, b));
    ALLOC_DEVICE(ctx, b->head, b->entries);
    ALLOC_DEVICE(ctx, b->before, (size_t)rows + 1);
    TRY(gsolve_copy(ctx, b->head, GSOLVE_DEVICE, e.head, GSOLVE_DEVICE,
                    (size_t)b->entries * sizeof *b->head));
    TRY(gs_launch(q, "counting a band", count_heads, blocks_for((int64_t)rows + 1), gs_block_size,
                  listed_of(p, *b), e.work, count));
    b->term = e.term[0];
    e.term[0] = nullptr;
done:
    for (void *one : {(void *)e.work, (void *)e.row, e.key[0], e.key[1], (void *)e.term[0],
                      (void *)e.term[1], (void *)e.heads}) {
        gsolve_free(ctx, GSOLVE_DEVICE, one);
    }
    if (status != GSOLVE_OK) drop_terms(b, ctx);
    return status;
}

// --- bands ------------------------------------------------------------------------------------

struct planning {
    gs_esc_plan *p;
    gsolve_context *ctx;
    pattern m;
    int64_t most; // products of a band
    double room;  // bytes for terms that stay
    bool keep;
    int32_t *count;
};

gsolve_status append_band(const planning &w, band b)
{
    gs_esc_plan *p = w.p;
    const double bytes = (double)b.products * sizeof *b.term;
    gsolve_status status;

    if (b.products == 0) return GSOLVE_OK;
    if (p->nbands == p->bands_room) {
        const int64_t more = 2 * p->bands_room + 8;
        band *bands = (band *)gsolve_alloc(w.ctx, GSOLVE_HOST, (size_t)more, sizeof *bands);
        if (!bands) return GSOLVE_NO_MEMORY;
        for (int64_t k = 0; k < p->nbands; k++) bands[k] = p->bands[k];
        gsolve_free(w.ctx, GSOLVE_HOST, p->bands);
        p->bands = bands;
        p->bands_room = more;
    }
    TRY(make_terms(p, w.ctx, w.m, &b, w.count));
    if (w.keep || p->kept + bytes <= w.room) {
        p->kept += bytes;
    } else {
        drop_terms(&b, w.ctx);
    }
    p->bands[p->nbands++] = b;
done:
    return status;
}

gsolve_status count_columns(const planning &w, int32_t l, int32_t from, int32_t to, int64_t entries,
                            int64_t *products)
{
    gs_queue *q = w.ctx->queue;
    count_t *sum = nullptr;
    gsolve_status status;

    ALLOC_DEVICE(w.ctx, sum, 1);
    TRY(gs_cuda(q, cudaMemsetAsync(sum, 0, sizeof *sum, q->stream), "measuring columns"));
    TRY(gs_launch(q, "measuring columns", measure_columns, gs_grid(q, entries), gs_block_size, w.m,
                  l, w.p->rows, from, to, sum));
    TRY(gsolve_copy(w.ctx, products, GSOLVE_HOST, sum, GSOLVE_DEVICE, sizeof *products));
done:
    gsolve_free(w.ctx, GSOLVE_DEVICE, sum);
    return status;
}

// A row that is too long for a band, by ranges of columns: of a width that is halved where the
// range has too many products and doubled where it has few. One column has no more products than
// the row of A has entries.
gsolve_status cut_columns(const planning &w, int32_t l, int64_t products, int64_t entries)
{
    const int64_t n = w.m.ncols;
    int64_t width = (int64_t)((double)n * (double)w.most / (double)products), skipped = 0;
    gsolve_status status = GSOLVE_OK;

    for (int64_t from = 0; from < n;) {
        band b = {l, l + 1, (int32_t)from, 0, entries, 0, 0, skipped, nullptr, nullptr, nullptr};
        if (width < 1) width = 1;
        if (width > n - from) width = n - from;
        b.to = (int32_t)(from + width);
        TRY(count_columns(w, l, b.from, b.to, entries, &b.products));
        if (b.products > w.most && width > 1) {
            width /= 2;
            continue;
        }
        const int64_t before = w.p->nbands;
        TRY(append_band(w, b));
        if (w.p->nbands > before) skipped += w.p->bands[before].entries;
        from = b.to;
        if (b.products < w.most / 2) width *= 2;
    }
done:
    return status;
}

// As many rows as there is room for; products, before: on the host.
gsolve_status cut_rows(const planning &w, const int64_t *products, const int64_t *before)
{
    const int32_t n = w.p->larges;
    gsolve_status status = GSOLVE_OK;

    for (int32_t l = 0, end; l < n; l = end) {
        int64_t sum = products[l];
        end = l + 1;
        if (sum > w.most) {
            TRY(cut_columns(w, l, sum, before[l + 1] - before[l]));
            continue;
        }
        while (end < n && sum + products[end] <= w.most) sum += products[end++];
        TRY(append_band(w, {l, end, 0, w.m.ncols, before[end] - before[l], sum, 0, 0, nullptr,
                            nullptr, nullptr}));
    }
done:
    return status;
}

} // namespace

namespace gs_esc_parts
{

void drop_bands(gs_esc_plan *p, gsolve_context *ctx)
{
    for (int64_t k = 0; k < p->nbands; k++) drop_terms(&p->bands[k], ctx);
    gsolve_free(ctx, GSOLVE_HOST, p->bands);
}

gsolve_status plan_bands(gs_esc_plan *p, gsolve_context *ctx, const pattern &m, double room,
                         bool keep, int32_t *count)
{
    const size_t n = (size_t)p->larges;
    const double products = room / 2 / of_product;
    int64_t *there = nullptr, *here = nullptr, sum = 0;
    planning w = {p, ctx, m, INT32_MAX / 2, room / 2, keep, count};
    gsolve_status status;

    ALLOC_DEVICE(ctx, p->before, n + 1);
    ALLOC_DEVICE(ctx, there, 2 * n);
    here = (int64_t *)gsolve_alloc(ctx, GSOLVE_HOST, 2 * n + 1, sizeof *here);
    TRY(here ? GSOLVE_OK : GSOLVE_NO_MEMORY);
    TRY(gs_launch(ctx->queue, "measuring rows", measure_rows, (int)n, gs_block_size, m, p->rows,
                  there, there + n));
    TRY(gsolve_copy(ctx, here, GSOLVE_HOST, there, GSOLVE_DEVICE, 2 * n * sizeof *here));
    if (products < (double)w.most) w.most = (int64_t)products;
    if (w.most < least_room) w.most = least_room;
    for (size_t l = n; l <= 2 * n; l++) { // lengths become the entries before
        const int64_t length = l < 2 * n ? here[l] : 0;
        if (length > w.most) w.most = length;
        here[l] = sum;
        sum += length;
    }
    TRY(gsolve_copy(ctx, p->before, GSOLVE_DEVICE, here + n, GSOLVE_HOST, (n + 1) * sizeof *here));
    TRY(cut_rows(w, here, here + n));
done:
    gsolve_free(ctx, GSOLVE_HOST, here);
    gsolve_free(ctx, GSOLVE_DEVICE, there);
    return status;
}

} // namespace gs_esc_parts

// --- values -----------------------------------------------------------------------------------

namespace
{

template <class T, bool BLOCKS>
struct entry_of_C {
    const pattern &m;
    const listed &v;
    const numbers &n;
    int64_t first, terms, lists, to; // of terms; entry of A less its number in the band; of C
    int element;

    __device__ int64_t b_of(int64_t k, int64_t *a) const
    {
        const uint64_t term = __ldg(v.b.term + first + k);
        *a = lists + (int64_t)(term >> 32);
        return m.b[__ldg(m.acol + *a)] + (int64_t)(uint32_t)term;
    }
    __device__ T operator()(T sum, int64_t k) const
    {
        int64_t a;
        const int64_t b = b_of(k, &a);
        return add_term<T, BLOCKS>(n, sum, a, b, element);
    }
};

template <class T, bool BLOCKS>
__device__ entry_of_C<T, BLOCKS> entry_at(const pattern &m, const listed &v, const numbers &n,
                                          int64_t o)
{
    const int64_t e = BLOCKS ? o / (n.r * n.t) : o;
    const int element = BLOCKS ? (int)(o % (n.r * n.t)) : 0;
    int32_t low = 0, high = v.b.last - v.b.first; // before[low] <= e < before[high]

    while (high - low > 1) {
        const int32_t middle = low + (high - low) / 2;
        if (__ldg(v.b.before + middle) <= e) {
            low = middle;
        } else {
            high = middle;
        }
    }
    const int32_t l = v.b.first + low, row = v.rows[l];
    const int64_t first = __ldg(v.b.head + e);
    const int64_t end = e + 1 < v.b.entries ? __ldg(v.b.head + e + 1) : v.b.products;
    return {m,
            v,
            n,
            first,
            end - first,
            m.a[row] - (v.before[l] - v.before[v.b.first]),
            n.cstart[row] + v.b.skipped + e - v.b.before[low],
            element};
}

// A long sum by a warp, in the order of sum_terms.
template <class T, class Add>
__device__ T sum_together(int64_t n, const Add &add)
{
    T part = 0, sum = 0;

    for (int64_t k = threadIdx.x % 32; k < n; k += GS_ESC_LANES) part = add(part, k);
    for (int l = 0; l < GS_ESC_LANES; l++) sum = plus(sum, __shfl_sync(all_lanes, part, l));
    return sum;
}

// Each thread a number of C.
template <class T, bool BLOCKS>
__global__ void __launch_bounds__(gs_block_size) fill_band(pattern m, listed v, numbers n)
{
    static_assert(GS_ESC_LANES == 32, "a warp sums the parts of a long sum");
    const int size = BLOCKS ? n.r * n.t : 1;
    const int64_t all = v.b.entries * size, step = (int64_t)gridDim.x * gs_block_size;
    const int lane = (int)threadIdx.x % 32;

    for (int64_t at = (int64_t)blockIdx.x * gs_block_size + threadIdx.x - lane; at < all;
         at += step) {
        const int64_t o = min(at + lane, all - 1);
        const auto own = entry_at<T, BLOCKS>(m, v, n, o);
        const bool mine = at + lane < all, wait = mine && own.terms > long_sum;
        T sum = 0;
        if (mine && !wait) sum = sum_terms<T>(own.terms, own);
        for (unsigned left = __ballot_sync(all_lanes, wait); left; left &= left - 1) {
            const int whose = __ffs((int)left) - 1;
            const auto other = entry_at<T, BLOCKS>(m, v, n, at + whose);
            const T together = sum_together<T>(other.terms, other);
            if (lane == whose) sum = together;
        }
        if (!mine) continue;
        ((T *)n.c)[own.to * size + own.element] = sum;
        if (n.ccol && own.element == 0) {
            int64_t a;
            n.ccol[own.to] = __ldg(m.bcol + own.b_of(0, &a));
        }
    }
}

} // namespace

namespace gs_esc_parts
{

template <class T>
gsolve_status fill_bands(const gs_esc_plan *p, gsolve_context *ctx, const pattern &m,
                         const numbers &n)
{
    const auto kernel = are_plain(n) ? fill_band<T, false> : fill_band<T, true>;
    gsolve_status status = GSOLVE_OK;

    for (int64_t k = 0; k < p->nbands && status == GSOLVE_OK; k++) {
        band *b = &p->bands[k];
        const bool again = !b->term;
        if (again) status = make_terms(p, ctx, m, b, nullptr);
        if (status != GSOLVE_OK) break;
        status = gs_launch(ctx->queue, "the values of bands", kernel,
                           gs_grid(ctx->queue, b->entries * n.r * n.t), gs_block_size, m,
                           listed_of(p, *b), n);
        if (again) drop_terms(b, ctx);
    }
    return status;
}

template gsolve_status fill_bands<float>(const gs_esc_plan *, gsolve_context *, const pattern &,
                                         const numbers &);
template gsolve_status fill_bands<double>(const gs_esc_plan *, gsolve_context *, const pattern &,
                                          const numbers &);

} // namespace gs_esc_parts
