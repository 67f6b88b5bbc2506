// weigh_row.cuh: a row of P, made by a group of lanes in a hash table of its columns. The formula
// stands in weigh_body.h.
#ifndef GS_WEIGH_ROW_CUH
#define GS_WEIGH_ROW_CUH

#include "precond/amg/classical/cut.cuh"

extern "C" {
#include "precond/amg/classical/classical.h"
}

namespace
{

// --- what rows are made of ---------------------------------------------------------------------

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
    // the number of the C point that entry k depends on; negative: it does not
    __device__ int32_t strong_c(int64_t k) const
    {
        return mark[k] & GS_STRONG ? number[col[k]] : -1;
    }
};

template <class T, class O>
rows_of<T, O> rows_for(const gs_weighing *w, const O *start)
{
    const gsolve_csr *A = w->points.A;

    return rows_of<T, O>{start,     A->col,     (const T *)A->value, w->points.mark, w->points.kind,
                         w->number, w->point,   w->diagonal,         w->rows,        w->count,
                         w->most,   w->truncate};
}

// What becomes of the rows: a draft, or new values for P.
template <class T>
struct result {
    gs_places places; // of rows in the draft, or in P
    int32_t *column;  // NULL: P's stand there
    const int32_t *known;
    T *value;
    int32_t *length; // of the draft's rows
};

// --- one row -----------------------------------------------------------------------------------

struct table { // of a row's columns
    int32_t *key;
    double *weight;
    int32_t size; // a power of two, larger than the columns are many

    __device__ int32_t first(int32_t c) const
    {
        const uint32_t x = (uint32_t)c * 0x9e3779b1u;
        return (int32_t)((x ^ x >> 15) & (uint32_t)(size - 1));
    }
    __device__ void enter(int32_t c) const
    {
        for (int32_t s = first(c);; s = (s + 1) & (size - 1)) {
            const int32_t was = atomicCAS(&key[s], -1, c);
            if (was == -1 || was == c) return;
        }
    }
    __device__ int32_t place_of(int32_t c) const // negative: nowhere, as for a negative c
    {
        if (c < 0) return -1;
        for (int32_t s = first(c);; s = (s + 1) & (size - 1)) {
            if (key[s] == c) return s;
            if (key[s] == -1) return -1;
        }
    }
};

template <int L>
__device__ void clear(const gs_party<L> &g, const table &t)
{
    g.sync();
    for (int32_t s = g.lane; s < t.size; s += L) t.key[s] = -1, t.weight[s] = 0;
    g.sync();
}

template <int L, class T, class O>
__device__ void collect_near(const gs_party<L> &g, const rows_of<T, O> &w, const table &t,
                             int32_t i)
{
    for (int64_t k = (int64_t)w.start[i] + g.lane; k < (int64_t)w.start[i + 1]; k += L) {
        const int32_t c = w.strong_c(k);
        if (c >= 0) t.enter(c);
    }
}

template <int L, class T, class O>
__device__ void collect(const gs_party<L> &g, const rows_of<T, O> &w, const table &t, int32_t i)
{
    collect_near(g, w, t, i);
    for (int64_t k = (int64_t)w.start[i]; k < (int64_t)w.start[i + 1]; k++) {
        const int32_t j = w.col[k];
        if (w.mark[k] & GS_STRONG && w.number[j] < 0) collect_near(g, w, t, j);
    }
    g.sync();
}

// What of an entry of row k has its part of what is shared out.
struct part {
    double b;   // 0: none
    int32_t at; // in the table; negative: it is i's own
};

template <class T, class O>
__device__ part part_of(const rows_of<T, O> &w, const table &t, int32_t i, double diagonal,
                        int64_t f)
{
    const int32_t l = w.col[f];
    const double b = (double)w.a[f];

    if (!(w.mark[f] & GS_SAME) || gs_dependence(diagonal, b) <= 0) return part{0, -1};
    const int32_t at = l == i ? -1 : t.place_of(w.number[l]);
    return part{l == i || at >= 0 ? b : 0, at};
}

// What a row's weights are divided by, and the sum of what the lane has added to them.
struct tally {
    double d, mine;
};

template <int L, class T, class O>
__device__ void share_out(const gs_party<L> &g, const rows_of<T, O> &w, const table &t, int32_t i,
                          int32_t k, double a_ik, tally &s)
{
    const int64_t begin = (int64_t)w.start[k] + g.lane, end = (int64_t)w.start[k + 1];
    const double diagonal = w.diagonal[k];
    const part none = {0, -1};
    const part first = begin < end ? part_of(w, t, i, diagonal, begin) : none;
    double D = first.b, own = 0;

    for (int64_t f = begin + L; f < end; f += L) D += part_of(w, t, i, diagonal, f).b;
    D = g.sum(D);
    if (D == 0) {
        s.d += a_ik;
        return;
    }
    const double share = a_ik / D;
    for (int64_t f = begin; f - g.lane < end; f += L) {
        const part p = f == begin ? first : f < end ? part_of(w, t, i, diagonal, f) : none;
        if (p.at >= 0) {
            t.weight[p.at] += share * p.b;
            s.mine += share * p.b;
        } else {
            own += share * p.b;
        }
        g.sync(); // another lane may be next at that place
    }
    s.d += g.sum(own);
}

template <int L, class T, class O>
__device__ void weigh_extended(const gs_party<L> &g, const rows_of<T, O> &w, const table &t,
                               int32_t i, tally &s)
{
    for (int64_t k = (int64_t)w.start[i]; k < (int64_t)w.start[i + 1]; k++) {
        const int32_t j = w.col[k];
        const double a = (double)w.a[k];
        if (!(w.mark[k] & GS_SAME) || w.kind[j] == GS_ALONE) continue;
        const int32_t at = t.place_of(w.number[j]);
        if (at >= 0) {
            if (g.lane == 0) t.weight[at] += a, s.mine += a;
            g.sync();
        } else if (w.mark[k] & GS_STRONG) {
            share_out(g, w, t, i, j, a, s);
        } else {
            s.d += a;
        }
    }
}

// The table's entries to the front of (column, weight); how many, in each lane.
template <int L>
__device__ int32_t gather(const gs_party<L> &g, const table &t, int32_t *column, double *weight)
{
    int32_t n = 0;

    for (int32_t from = 0; from < t.size; from += L) { // a multiple of L
        const int32_t s = from + g.lane, c = t.key[s];
        const unsigned those = g.ballot(c >= 0);
        if (c >= 0) {
            column[n + g.before(those)] = c;
            weight[n + g.before(those)] = t.weight[s];
        }
        n += __popc(those);
    }
    g.sync();
    return n;
}

// P's row r from all of its weights, of which there are n.
template <int L, class T>
__device__ void pick(const gs_party<L> &g, const table &t, const result<T> &to, int64_t r,
                     int32_t n, double all)
{
    const int64_t begin = to.places[r], end = to.places[r + 1];
    double picked = 0;

    for (int64_t e = begin + g.lane; e < end; e += L) {
        picked += (double)(T)t.weight[t.place_of(to.known[e])];
    }
    picked = g.sum(picked);
    const double scale = end - begin < n ? gs_scale_of(all, picked) : 1;
    for (int64_t e = begin + g.lane; e < end; e += L) {
        to.value[e] = (T)(scale * (double)(T)t.weight[t.place_of(to.known[e])]);
    }
}

// Row r, which is an F point's, by way of a table and lists that have room for it.
template <int L, class T, class O>
__device__ void make_row(const gs_party<L> &g, const rows_of<T, O> &w, const table &t,
                         int32_t *column, double *weight, const result<T> &to, int64_t r)
{
    const int32_t i = w.row(r);
    tally s = {w.diagonal[i], 0};

    clear(g, t);
    collect(g, w, t, i);
    weigh_extended(g, w, t, i, s);
    const double sum = g.sum(s.mine);
    if (!(s.d * w.diagonal[i] > 0)) s.d = -sum;
    const double all = s.d != 0 ? -sum / s.d : 0;
    g.sync();
    for (int32_t e = g.lane; e < t.size; e += L) t.weight[e] = s.d != 0 ? -t.weight[e] / s.d : 0;
    g.sync();
    const int32_t n = gather(g, t, column, weight);
    if (!to.column) {
        pick(g, t, to, r, n, all);
        return;
    }
    const int64_t at = to.places[r];
    const int32_t left =
        gs_cut(g, n, column, weight, all, w.most, w.truncate, t.key, to.column + at, to.value + at);
    if (g.lane == 0) to.length[r] = left;
}

// A row that needs no table: a C point's, an alone one's.
template <class T, class O>
__device__ void make_plain(const rows_of<T, O> &w, const result<T> &to, int64_t r)
{
    const int32_t c = w.number[w.row(r)];
    const int64_t at = to.places[r];

    if (to.column) to.length[r] = c >= 0;
    if (c < 0) return;
    if (to.column) to.column[at] = c;
    to.value[at] = 1;
}

} // namespace

#endif
