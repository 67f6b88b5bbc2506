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

struct listed { // a band as the kernels see it
    band b;
    const int32_t *rows;
    const int64_t *before; // entries of A in rows before, of all rows of the device's
};

inline listed listed_of(const gs_esc_plan *p, const band &b)
{
    return {b, p->rows, p->before};
}

struct place {
    int32_t l;     // of the band's rows
    int64_t entry; // of A
};

// The row and the entry of A of the entry x of a band.
__device__ inline place place_of(const pattern &m, const listed &v, int64_t x)
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
__device__ inline int64_t search_column(const int32_t *col, int64_t low, int64_t high,
                                        int32_t bound)
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

__device__ inline span span_of(const pattern &m, int64_t a, int32_t from, int32_t to)
{
    const int32_t j = __ldg(m.acol + a);
    span s = {m.b[j], m.b[j + 1]};

    if (from > 0) s.from = search_column(m.bcol, s.from, s.to, from);
    if (to < m.ncols) s.to = search_column(m.bcol, s.from, s.to, to);
    return s;
}

// Sets term, head and before of a band; count += entries of C, unless count is NULL.
gsolve_status make_terms(const gs_esc_plan *p, gsolve_context *ctx, const pattern &m, band *b,
                         int32_t *count);
void drop_terms(band *b, gsolve_context *ctx);

} // namespace gs_esc_bands

#endif
