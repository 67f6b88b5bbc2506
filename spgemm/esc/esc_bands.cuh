// esc_bands.cuh: rows of very many products, or of very many entries of A, which the whole device
// processes by the paper's method in global memory. A band consists of some of these rows, or of
// some columns of one row. All products of a band are sorted together by (row, column), so the load
// is balanced for one row as for many.
#ifndef GS_SPGEMM_ESC_ESC_BANDS_CUH
#define GS_SPGEMM_ESC_ESC_BANDS_CUH

#include "spgemm/esc/esc_common.cuh"

namespace gs_esc_bands
{

using namespace gs_esc_parts;

typedef unsigned long long count_t;

inline int blocks_for(int64_t threads)
{
    return (int)((threads + gs_block_size - 1) / gs_block_size);
}

struct band_view { // a band as the kernels see it
    band b;
    const int32_t *rows;
    const int64_t *before; // before[l]: entries of A in the large rows before the l-th
};

inline band_view band_view_of(const gs_esc_plan *p, const band &b)
{
    return {b, p->rows, p->before};
}

struct band_entry { // an entry of A in a band
    int32_t l;      // the number of its row in the band
    int64_t entry;  // its position in A
};

// Finds entry number x of a band by bisection in v.before.
__device__ inline band_entry find_entry(const pattern &m, const band_view &v, int64_t x)
{
    const int64_t k = v.before[v.b.first] + x;
    const int32_t low =
        gs_rows::last_of(v.b.first, v.b.last, [&](int32_t l) { return v.before[l] <= k; });

    return {low - v.b.first, m.a[v.rows[low]] + k - v.before[low]};
}

// The first entry of B in [low, high) in a column not below bound.
__device__ inline int64_t search_column(const int32_t *col, int64_t low, int64_t high,
                                        int32_t bound)
{
    return gs_rows::first_not(low, high, [&](int64_t k) { return __ldg(col + k) < bound; });
}

struct span { // positions in B
    int64_t from, to;
};

// The part of the row of B of A's entry a that lies in the columns [from, to).
__device__ inline span span_of(const pattern &m, int64_t a, int32_t from, int32_t to)
{
    const int32_t j = __ldg(m.acol + a);
    span s = {m.b[j], m.b[j + 1]};

    if (from > 0) s.from = search_column(m.bcol, s.from, s.to, from);
    if (to < m.ncols) s.to = search_column(m.bcol, s.from, s.to, to);
    return s;
}

// Sets term, head and before of a band. Unless count is NULL, adds the entries of C in each row of
// the band to count.
gsolve_status make_terms(const gs_esc_plan *p, gsolve_context *ctx, const pattern &m, band *b,
                         int32_t *count);
void drop_terms(band *b, gsolve_context *ctx);

} // namespace gs_esc_bands

#endif
