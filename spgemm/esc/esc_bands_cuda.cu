// esc_bands_cuda.cu: divides the large rows into bands, and computes the values of bands.
#include "spgemm/esc/esc_bands.cuh"

using namespace gs_esc_bands;

namespace
{

constexpr int64_t min_band_products = medium_products; // the limit of products is at least this
constexpr double bytes_per_product = 36; // in a band: two keys, two terms, and smaller arrays

// products[l] and entries[l] = the products of large row l, and its entries of A. A block owns a
// row. Reads the row of A, and two offsets of B for each entry.
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

// *products += the products of large row number `row` in the columns [from, to). A thread owns
// every step-th entry of the row of A, and bisects its row of B for both bounds. Sums of integers:
// their order does not matter.
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

struct planning {
    gs_esc_plan *p;
    gsolve_context *ctx;
    pattern m;
    int64_t most;  // limit of the products of a band
    double memory; // limit of the bytes of kept terms
    bool keep;
    int32_t *count;
};

// Adds b, with its terms, to the plan. Frees the terms if they exceed the memory; the second pass
// then computes them again.
gsolve_status append_band(const planning &w, band b)
{
    gs_esc_plan *p = w.p;
    const double bytes = (double)b.products * sizeof *b.term;
    gsolve_status status;

    if (b.products == 0) return GSOLVE_OK;
    if (p->nbands == p->bands_capacity) {
        const int64_t more = 2 * p->bands_capacity + 8;
        band *bands = (band *)gsolve_alloc(w.ctx, GSOLVE_HOST, (size_t)more, sizeof *bands);
        if (!bands) return GSOLVE_NO_MEMORY;
        for (int64_t k = 0; k < p->nbands; k++) bands[k] = p->bands[k];
        gsolve_free(w.ctx, GSOLVE_HOST, p->bands);
        p->bands = bands;
        p->bands_capacity = more;
    }
    TRY(make_terms(p, w.ctx, w.m, &b, w.count));
    if (w.keep || p->term_bytes + bytes <= w.memory) {
        p->term_bytes += bytes;
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

// Splits a row that is too long for a band into ranges of columns. The width is halved if a range
// has too many products, and doubled if it has few. A range of one column always fits: it has no
// more products than the row of A has entries.
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

// Divides the large rows into bands of as many rows as fit. products and before are on the host.
gsolve_status cut_rows(const planning &w, const int64_t *products, const int64_t *before)
{
    const int32_t n = w.p->large_rows;
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

// --- values -----------------------------------------------------------------------------------

constexpr int64_t long_sum = 1024; // a warp computes sums of more terms

template <class T, bool BLOCKS>
struct entry_of_C {
    const pattern &m;
    const band_view &v;
    const numbers &n;
    int64_t first, terms; // the position of its first term, and their number
    int64_t a_offset;     // an entry's position in A minus its number in the band
    int64_t to;           // its position in C
    int element;          // of the block; 0 without blocks

    // The positions in A and B of the factors of term k.
    __device__ int64_t b_of(int64_t k, int64_t *a) const
    {
        const uint64_t term = __ldg(v.b.term + first + k);
        *a = a_offset + (int64_t)(term >> 32);
        return m.b[__ldg(m.acol + *a)] + (int64_t)(uint32_t)term;
    }
    __device__ T operator()(T sum, int64_t k) const
    {
        int64_t a;
        const int64_t b = b_of(k, &a);
        return add_term<T, BLOCKS>(n, sum, a, b, element);
    }
};

// The entry of C that element o of the band belongs to, found by bisection in v.b.before.
template <class T, bool BLOCKS>
__device__ entry_of_C<T, BLOCKS> entry_at(const pattern &m, const band_view &v, const numbers &n,
                                          int64_t o)
{
    const int64_t e = BLOCKS ? o / (n.r * n.t) : o;
    const int element = BLOCKS ? (int)(o % (n.r * n.t)) : 0;
    const int32_t low = gs_rows::last_of(0, v.b.last - v.b.first,
                                         [&](int32_t k) { return __ldg(v.b.before + k) <= e; });
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

// A warp computes a long sum, in the order of sum_terms.
template <class T, class Add>
__device__ T warp_sum(int64_t n, const Add &add)
{
    T part = 0, sum = 0;

    for (int64_t k = threadIdx.x % 32; k < n; k += GS_ESC_LANES) part = add(part, k);
    for (int l = 0; l < GS_ESC_LANES; l++) sum = plus(sum, __shfl_sync(all_lanes, part, l));
    return sum;
}

// Values, and columns unless n.ccol is NULL, of the entries of C in a band. A thread owns an
// element of C; its warp computes a long sum together. Reads for each product its term (8 bytes),
// and an entry of A and of B wherever these lie; writes C once. Invariant: sums as in sum_terms.
template <class T, bool BLOCKS>
__global__ void __launch_bounds__(gs_block_size) fill_band(pattern m, band_view v, numbers n)
{
    static_assert(GS_ESC_LANES == 32, "a warp sums the parts of a long sum");
    const int size = BLOCKS ? n.r * n.t : 1;
    const int64_t all = v.b.entries * size, step = (int64_t)gridDim.x * gs_block_size;
    const int lane = (int)threadIdx.x % 32;

    for (int64_t at = (int64_t)blockIdx.x * gs_block_size + threadIdx.x - lane; at < all;
         at += step) {
        const int64_t o = min(at + lane, all - 1);
        const auto own = entry_at<T, BLOCKS>(m, v, n, o);
        const bool mine = at + lane < all, is_long = mine && own.terms > long_sum;
        T sum = 0;
        if (mine && !is_long) sum = sum_terms<T>(own.terms, own);
        for (unsigned left = __ballot_sync(all_lanes, is_long); left; left &= left - 1) {
            const int owner = __ffs((int)left) - 1;
            const auto other = entry_at<T, BLOCKS>(m, v, n, at + owner);
            const T of_warp = warp_sum<T>(other.terms, other);
            if (lane == owner) sum = of_warp;
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

void drop_bands(gs_esc_plan *p, gsolve_context *ctx)
{
    for (int64_t k = 0; k < p->nbands; k++) drop_terms(&p->bands[k], ctx);
    gsolve_free(ctx, GSOLVE_HOST, p->bands);
}

gsolve_status plan_bands(gs_esc_plan *p, gsolve_context *ctx, const pattern &m, double memory,
                         bool keep, int32_t *count)
{
    const size_t n = (size_t)p->large_rows;
    const double products = memory / 2 / bytes_per_product;
    int64_t *on_device = nullptr, *on_host = nullptr, sum = 0;
    planning w = {p, ctx, m, INT32_MAX / 2, memory / 2, keep, count};
    gsolve_status status;

    ALLOC_DEVICE(ctx, p->before, n + 1);
    ALLOC_DEVICE(ctx, on_device, 2 * n);
    on_host = (int64_t *)gsolve_alloc(ctx, GSOLVE_HOST, 2 * n + 1, sizeof *on_host);
    TRY(on_host ? GSOLVE_OK : GSOLVE_NO_MEMORY);
    TRY(gs_launch(ctx->queue, "measuring rows", measure_rows, (int)n, gs_block_size, m, p->rows,
                  on_device, on_device + n));
    TRY(gsolve_copy(ctx, on_host, GSOLVE_HOST, on_device, GSOLVE_DEVICE, 2 * n * sizeof *on_host));
    if (products < (double)w.most) w.most = (int64_t)products;
    if (w.most < min_band_products) w.most = min_band_products;
    for (size_t l = n; l <= 2 * n; l++) { // replaces lengths by their prefix sums
        const int64_t length = l < 2 * n ? on_host[l] : 0;
        if (length > w.most) w.most = length;
        on_host[l] = sum;
        sum += length;
    }
    TRY(gsolve_copy(ctx, p->before, GSOLVE_DEVICE, on_host + n, GSOLVE_HOST,
                    (n + 1) * sizeof *on_host));
    TRY(cut_rows(w, on_host, on_host + n));
done:
    gsolve_free(ctx, GSOLVE_HOST, on_host);
    gsolve_free(ctx, GSOLVE_DEVICE, on_device);
    return status;
}

gsolve_status fill_bands(const gs_esc_plan *p, gsolve_context *ctx, const pattern &m,
                         const numbers &n, gsolve_type type)
{
    const auto kernel = type == GSOLVE_F32
                            ? (are_plain(n) ? fill_band<float, false> : fill_band<float, true>)
                            : (are_plain(n) ? fill_band<double, false> : fill_band<double, true>);
    gsolve_status status = GSOLVE_OK;

    for (int64_t k = 0; k < p->nbands && status == GSOLVE_OK; k++) {
        band *b = &p->bands[k];
        const bool missing = !b->term;
        if (missing) status = make_terms(p, ctx, m, b, nullptr);
        if (status != GSOLVE_OK) break;
        status = gs_launch(ctx->queue, "the values of bands", kernel,
                           gs_grid(ctx->queue, b->entries * n.r * n.t), gs_block_size, m,
                           band_view_of(p, *b), n);
        if (missing) drop_terms(b, ctx);
    }
    return status;
}

} // namespace gs_esc_parts
