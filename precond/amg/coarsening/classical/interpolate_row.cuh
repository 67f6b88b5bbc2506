// interpolate_row.cuh: computes a row of P by L threads with a hash table of its columns, or finds
// the one point of a row. The formula stands in interpolate_body.h.
#ifndef GS_PRECOND_AMG_COARSENING_CLASSICAL_INTERPOLATE_ROW_CUH
#define GS_PRECOND_AMG_COARSENING_CLASSICAL_INTERPOLATE_ROW_CUH

#include "precond/amg/coarsening/classical/truncate.cuh"

extern "C" {
#include "precond/amg/coarsening/classical/classical.h"
}

namespace
{

// --- input and output ----------------------------------------------------------------------------

template <class T, class O>
struct rows_of {
    const O *start;
    const int32_t *col;
    const T *a;
    const uint8_t *mark, *kind;
    const int32_t *number, *point;
    const double *diagonal;
    int32_t rows, count;
    int most;
    double truncate;

    __device__ int32_t row(int64_t r) const { return point ? point[r] : (int32_t)r; }
    // the column of the C point that entry k depends on; negative: none
    __device__ int32_t strong_c(int64_t k) const
    {
        return mark[k] & GS_STRONG ? number[col[k]] : -1;
    }
};

template <class T, class O>
rows_of<T, O> rows_for(const gs_interpolation_rows *w, const O *start)
{
    const gsolve_csr *A = w->points.A;

    return rows_of<T, O>{start,     A->col,     (const T *)A->value, w->points.mark, w->points.kind,
                         w->number, w->point,   w->diagonal,         w->rows,        w->count,
                         w->most,   w->truncate};
}

// Where the rows go: to a buffer, or as new values to P.
template <class T>
struct result {
    gs_row_positions places; // positions of the rows in the buffer, or in P
    int32_t *column;         // columns in the buffer; NULL: the row of P has its columns in known
    const int32_t *known;
    T *value;
    int32_t *length; // lengths of the rows in the buffer
};

// --- one row -------------------------------------------------------------------------------------

struct table { // hash table of a row's columns and weights, with linear probing
    int32_t *key;
    double *weight;
    int32_t size; // a power of two, larger than the number of columns

    __device__ int32_t first(int32_t c) const
    {
        const uint32_t x = (uint32_t)c * 0x9e3779b1u;
        return (int32_t)((x ^ x >> 15) & (uint32_t)(size - 1));
    }
    __device__ void insert(int32_t c) const
    {
        for (int32_t s = first(c);; s = (s + 1) & (size - 1)) {
            const int32_t was = atomicCAS(&key[s], -1, c);
            if (was == -1 || was == c) return;
        }
    }
    __device__ int32_t position_of(int32_t c) const // negative: not found; so for a negative c
    {
        if (c < 0) return -1;
        for (int32_t s = first(c);; s = (s + 1) & (size - 1)) {
            if (key[s] == c) return s;
            if (key[s] == -1) return -1;
        }
    }
};

template <int L>
__device__ void clear(const gs_independent_subwarp<L> &g, const table &t)
{
    g.sync();
    for (int32_t s = g.lane; s < t.size; s += L) t.key[s] = -1, t.weight[s] = 0;
    g.sync();
}

// Inserts the C points that entries [begin, end) depend on.
template <int L, class T, class O>
__device__ void insert_strong(const gs_independent_subwarp<L> &g, const rows_of<T, O> &w,
                              const table &t, O begin, O end)
{
    for (int64_t k = (int64_t)begin + g.lane; k < (int64_t)end; k += L) {
        const int32_t c = w.strong_c(k);
        if (c >= 0) t.insert(c);
    }
}

// Inserts the strong C points of row i and of its strong F points. The lanes load the bounds of L
// of these rows at once, and read one row after the other together.
template <int L, class T, class O>
__device__ void collect(const gs_independent_subwarp<L> &g, const rows_of<T, O> &w, const table &t,
                        int32_t i)
{
    const O begin = w.start[i], end = w.start[i + 1];

    insert_strong(g, w, t, begin, end);
    for (int64_t first = begin; first < (int64_t)end; first += L) {
        const int64_t k = first + g.lane;
        const int32_t j = k < (int64_t)end && w.mark[k] & GS_STRONG ? w.col[k] : -1;
        const bool is_f = j >= 0 && w.number[j] < 0;
        const O from = is_f ? w.start[j] : 0, to = is_f ? w.start[j + 1] : 0;
        for (unsigned f_lanes = g.ballot(is_f); f_lanes; f_lanes &= f_lanes - 1) {
            const int lane = (__ffs((int)f_lanes) - 1) % L;
            insert_strong(g, w, t, g.from(from, lane), g.from(to, lane));
        }
    }
    g.sync();
}

// The part of an entry of row k when a_ik is distributed.
struct part {
    double b;   // 0: the entry gets nothing
    int32_t at; // position in the table; negative: it belongs to d
};

template <class T, class O>
__device__ part part_of(const rows_of<T, O> &w, const table &t, int32_t i, double diagonal,
                        int64_t f)
{
    const int32_t l = w.col[f];
    const double b = (double)w.a[f];

    if (!(w.mark[f] & GS_SAME) || gs_dependence(diagonal, b) <= 0) return part{0, -1};
    const int32_t at = l == i ? -1 : t.position_of(w.number[l]);
    return part{l == i || at >= 0 ? b : 0, at};
}

// An F point k whose a_ik is distributed.
template <class O>
struct f_neighbour {
    O begin, end; // bounds of its row
    double a_ik, diagonal;
};

// The sums that this lane has added to the weights and to d.
struct row_totals {
    double to_weights, to_d;
};

template <int L, class T, class O>
__device__ void distribute(const gs_independent_subwarp<L> &g, const rows_of<T, O> &w,
                           const table &t, int32_t i, const f_neighbour<O> &k, row_totals &s)
{
    const int64_t begin = (int64_t)k.begin + g.lane, end = (int64_t)k.end;
    const part none = {0, -1};
    const part first = begin < end ? part_of(w, t, i, k.diagonal, begin) : none;
    double D = first.b;

    for (int64_t f = begin + L; f < end; f += L) D += part_of(w, t, i, k.diagonal, f).b;
    D = g.sum(D);
    if (D == 0) {
        if (g.lane == 0) s.to_d += k.a_ik;
        return;
    }
    const double share = k.a_ik / D;
    for (int64_t f = begin; f - g.lane < end; f += L) {
        const part p = f == begin ? first : f < end ? part_of(w, t, i, k.diagonal, f) : none;
        if (p.at >= 0) {
            t.weight[p.at] += share * p.b;
            s.to_weights += share * p.b;
        } else {
            s.to_d += share * p.b;
        }
        g.sync(); // another lane may use the same slot next
    }
}

// Adds L of row i's entries at a time, one per lane; then distributes the strong F points among
// them, one after the other.
template <int L, class T, class O>
__device__ row_totals interpolate_extended(const gs_independent_subwarp<L> &g,
                                           const rows_of<T, O> &w, const table &t, int32_t i)
{
    const int64_t end = (int64_t)w.start[i + 1];
    row_totals s = {0, 0};

    for (int64_t first = (int64_t)w.start[i]; first < end; first += L) {
        const int64_t e = first + g.lane;
        const uint8_t mark = e < end ? w.mark[e] : 0;
        const int32_t j = mark & GS_SAME && w.kind[w.col[e]] != GS_ISOLATED ? w.col[e] : -1;
        const int32_t at = j >= 0 ? t.position_of(w.number[j]) : -1;
        const bool shares = j >= 0 && at < 0 && mark & GS_STRONG;
        f_neighbour<O> own = {0, 0, j >= 0 ? (double)w.a[e] : 0, 0};
        if (at >= 0) { // no two lanes have the same slot
            t.weight[at] += own.a_ik;
            s.to_weights += own.a_ik;
        } else if (!shares) {
            s.to_d += own.a_ik;
        } else {
            own.begin = w.start[j], own.end = w.start[j + 1], own.diagonal = w.diagonal[j];
        }
        g.sync();
        for (unsigned sharing = g.ballot(shares); sharing; sharing &= sharing - 1) {
            const int lane = (__ffs((int)sharing) - 1) % L;
            const f_neighbour<O> k = {g.from(own.begin, lane), g.from(own.end, lane),
                                      g.from(own.a_ik, lane), g.from(own.diagonal, lane)};
            distribute(g, w, t, i, k, s);
        }
    }
    return s;
}

// Copies the used slots of the table to (column, weight). Returns their number to each lane.
template <int L>
__device__ int32_t gather(const gs_independent_subwarp<L> &g, const table &t, int32_t *column,
                          double *weight)
{
    int32_t n = 0;

    for (int32_t from = 0; from < t.size; from += L) { // size is a multiple of L
        const int32_t s = from + g.lane, c = t.key[s];
        const unsigned used = g.ballot(c >= 0);
        if (c >= 0) {
            column[n + g.before(used)] = c;
            weight[n + g.before(used)] = t.weight[s];
        }
        n += __popc(used);
    }
    g.sync();
    return n;
}

// Selects the entries of P's row r from all n weights, and scales them to the sum `all`.
template <int L, class T>
__device__ void select_entries(const gs_independent_subwarp<L> &g, const table &t,
                               const result<T> &to, int64_t r, int32_t n, double all)
{
    const int64_t begin = to.places[r], end = to.places[r + 1];
    double picked = 0;

    for (int64_t e = begin + g.lane; e < end; e += L) {
        picked += (double)(T)t.weight[t.position_of(to.known[e])];
    }
    picked = g.sum(picked);
    const double scale = end - begin < n ? gs_sum_preserving_scale(all, picked) : 1;
    for (int64_t e = begin + g.lane; e < end; e += L) {
        to.value[e] = (T)(scale * (double)(T)t.weight[t.position_of(to.known[e])]);
    }
}

// Computes row r of an F point. The table and the lists have space for it.
template <int L, class T, class O>
__device__ void compute_row(const gs_independent_subwarp<L> &g, const rows_of<T, O> &w,
                            const table &t, int32_t *column, double *weight, const result<T> &to,
                            int64_t r)
{
    const int32_t i = w.row(r);
    const double diagonal = w.diagonal[i];

    clear(g, t);
    collect(g, w, t, i);
    const row_totals s = interpolate_extended(g, w, t, i);
    const double sum = g.sum(s.to_weights), rest = diagonal + g.sum(s.to_d);
    const double d = rest * diagonal > 0 ? rest : -sum, all = d != 0 ? -sum / d : 0;
    g.sync();
    for (int32_t e = g.lane; e < t.size; e += L) t.weight[e] = d != 0 ? -t.weight[e] / d : 0;
    g.sync();
    const int32_t n = gather(g, t, column, weight);
    if (!to.column) {
        select_entries(g, t, to, r, n, all);
        return;
    }
    const int64_t at = to.places[r];
    const int32_t left =
        gs_truncate(g, gs_row_entries<double>{n, column, weight, all},
                    gs_truncation{w.most, w.truncate}, t.key, to.column + at, to.value + at);
    if (g.lane == 0) to.length[r] = left;
}

// Writes the row of a C point or of an isolated point, which needs no table.
template <class T, class O>
__device__ void copy_plain_row(const rows_of<T, O> &w, const result<T> &to, int64_t r)
{
    const int32_t c = w.number[w.row(r)];
    const int64_t at = to.places[r];

    if (to.column) to.length[r] = c >= 0;
    if (c < 0) return;
    if (to.column) to.column[at] = c;
    to.value[at] = 1;
}

// --- interpolation from one point ----------------------------------------------------------------

// The C point that row i depends on most, the first of equal ones; negative: none. THROUGH: by way
// of another strong point.
template <bool THROUGH, class T, class O>
__device__ int32_t strongest(const rows_of<T, O> &w, int32_t i)
{
    int32_t best = -1;
    double most = 0;

    for (int64_t k = (int64_t)w.start[i]; k < (int64_t)w.start[i + 1]; k++) {
        const double v = fabs((double)w.a[k]);
        int32_t c;
        if (!(w.mark[k] & GS_STRONG) || v <= most) continue;
        if constexpr (THROUGH) {
            c = strongest<false>(w, w.col[k]);
        } else {
            c = w.number[w.col[k]];
        }
        if (c >= 0) best = c, most = v;
    }
    return best;
}

} // namespace

#endif
