// esc_bands_fill_cuda.cu: computes the values of bands.
#include "spgemm/esc/esc_bands.cuh"

using namespace gs_esc_bands;

namespace
{

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

template <class T>
gsolve_status fill_bands(const gs_esc_plan *p, gsolve_context *ctx, const pattern &m,
                         const numbers &n)
{
    const auto kernel = are_plain(n) ? fill_band<T, false> : fill_band<T, true>;
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

template gsolve_status fill_bands<float>(const gs_esc_plan *, gsolve_context *, const pattern &,
                                         const numbers &);
template gsolve_status fill_bands<double>(const gs_esc_plan *, gsolve_context *, const pattern &,
                                          const numbers &);

} // namespace gs_esc_parts
