// subwarp_rows.cuh: products with several columns on a GPU, x row-major, for formats with a form of
// their own. A subwarp of 1, 2, 4, ... 32 neighbouring threads owns one unit: a row, a segment or a
// block row. All its threads read the same entries. Each thread owns P pieces of W neighbouring
// columns and reads each piece of x with one load; the same piece of all threads is contiguous in
// memory. With P = 2 a thread uses each entry for twice as many columns, and a warp has twice as
// many units.
//
// A form says which entries a unit has:
//     static constexpr int rows       results per unit
//     static constexpr int pieces     P where there are enough columns
//     template <int W, int P> launch(q, d)    launch_rows, or a kernel of its own
//     int64_t units                   number of units
// and, for launch_rows:
//     static constexpr int threads    per block
//     static constexpr int blocks(int p)    minimum per multiprocessor with P = p
//     template <int W, int P> void sum_up(unit, x, stride, sums)    x: one pointer per piece
//     int32_t row(unit, r)            row of y, or ~index in partial, or no_row
#ifndef GS_SPMV_MULTI_RHS_SUBWARP_ROWS_CUH
#define GS_SPMV_MULTI_RHS_SUBWARP_ROWS_CUH

#include "spmv/multi_rhs/subwarps.cuh"

extern "C" {
#include "core/try.h"
#include "spmv/multi_rhs/subwarp_rows.h"
}

namespace gs_subwarp_rows
{

using namespace gs_subwarps;

constexpr int32_t no_row = INT32_MIN; // the unit has no result r

template <class T>
using dense_rows = block_operands<T>;

template <class T>
dense_rows<T> rows_of(double alpha, gsolve_dense x, double beta, gsolve_dense y, void *sums)
{
    return operands_of<T>(alpha, x, beta, y, sums);
}

// log2 of the threads of a subwarp for that many pieces.
inline int shift_for(int pieces)
{
    int shift = 0;

    while (1 << shift < pieces) shift++;
    return shift;
}

// Reads N neighbouring elements, aligned to N elements, that no other thread reads.
template <int N, class E>
__device__ __forceinline__ void read_once(const E *from, E (&to)[N])
{
    if constexpr (N * sizeof(E) == 32) {
        const uint4 got[2] = {__ldcs((const uint4 *)from), __ldcs((const uint4 *)from + 1)};
        memcpy(to, got, sizeof got);
    } else if constexpr (N * sizeof(E) == 16) {
        const uint4 got = __ldcs((const uint4 *)from);
        memcpy(to, &got, sizeof got);
    } else if constexpr (N * sizeof(E) == 8) {
        const uint2 got = __ldcs((const uint2 *)from);
        memcpy(to, &got, sizeof got);
    } else if constexpr (N * sizeof(E) == 4) {
        const unsigned got = __ldcs((const unsigned *)from);
        memcpy(to, &got, sizeof got);
    } else {
        static_assert(N == 1, "elements of two bytes come in pairs");
        to[0] = __ldcs(from);
    }
}

template <int W, class T>
__device__ void finish(const dense_rows<T> &d, int32_t i, int first, const T (&sum)[W])
{
    finish_columns(d, first, i, sum);
}

// A subwarp has one unit and reads the unit's entries and rows of x. Blocks that run at the same
// time have neighbouring units, so they share rows of x in the L2 cache.
template <class T, int W, int P, class Form>
__global__ void __launch_bounds__(Form::threads, Form::blocks(P))
    multiply_rows(Form form, dense_rows<T> d, gs_guard guard)
{
    const int own = ((int)threadIdx.x & ((1 << d.shift) - 1)) * W, far = W << d.shift;
    const int64_t unit = ((int64_t)blockIdx.x * Form::threads + threadIdx.x) >> d.shift;
    const T *x[P];
    T sum[Form::rows][P][W] = {};

    if (guard.has_ended()) return;
    if (unit >= form.units) return;
#pragma unroll
    for (int p = 0; p < P; p++) x[p] = d.x + (own + p * far < d.columns ? own + p * far : 0);
    form.template sum_up<W, P>(unit, x, d.xstride, sum);
#pragma unroll
    for (int r = 0; r < Form::rows; r++) {
        const int32_t to = form.row(unit, r);
#pragma unroll
        for (int p = 0; p < P; p++) {
            const int first = own + p * far;
            if (to == no_row || first >= d.columns) continue;
            if (to >= 0) {
                finish<W>(d, to, first, sum[r][p]);
            } else {
                T *partial = d.partial + (int64_t)~to * d.pitch + first;
#pragma unroll
                for (int w = 0; w < W; w++) partial[w] = sum[r][p][w];
            }
        }
    }
}

// --- sums of parts ----------------------------------------------------------------------------

// y = alpha (sum of parts) + beta y for rows in parts. Item m is row(m), or -1 for none; its
// parts(m) parts are first(m), first(m) + step, ... A thread adds the parts of one column of a row,
// in their order. Neighbouring threads have neighbouring columns, so reads are coalesced.
template <class T, class Items>
__global__ void __launch_bounds__(gs_block_size)
    add_parts(Items items, dense_rows<T> d, gs_guard guard)
{
    const int64_t at = (int64_t)blockIdx.x * gs_block_size + threadIdx.x;
    const int64_t m = at / d.columns;
    const int c = (int)(at % d.columns);

    if (guard.has_ended() || m >= items.count) return;
    const int32_t i = items.row(m), parts = i >= 0 ? items.parts(m) : 0;
    const T *partial = d.partial + (int64_t)items.first(m) * d.pitch + c;
    T sum[1] = {};
#pragma unroll 8
    for (int32_t k = 0; k < parts; k++) sum[0] += partial[(int64_t)k * items.step * d.pitch];
    if (i >= 0) finish<1>(d, i, c, sum);
}

template <class T, class Items>
gsolve_status add_all_parts(gs_queue *q, const Items &items, const dense_rows<T> &d)
{
    const int64_t threads = items.count * d.columns;

    if (threads == 0) return GSOLVE_OK;
    return gs_launch_pdl(q, "adding parts of rows", add_parts<T, Items>,
                         (int)((threads + gs_block_size - 1) / gs_block_size), gs_block_size, items,
                         d);
}

// A block sums one part of a long row, read from csr. A subwarp has one thread per column; subwarp
// s of n adds entries s, s + n, ... A tree in shared memory adds the subwarps' sums. The result
// goes to partial[block].
template <class T, class Part>
__global__ void __launch_bounds__(gs_block_size)
    sum_long_parts(const Part *part_of, const int32_t *all_col, const T *all_value, dense_rows<T> d,
                   gs_guard guard)
{
    constexpr int at_once = 4;
    __shared__ T space[gs_block_size];
    const int width = 1 << d.shift, subwarps = gs_block_size >> d.shift;
    const int subwarp = (int)threadIdx.x >> d.shift, own = (int)threadIdx.x & (width - 1);
    const bool on = own < d.columns;
    const T *x = d.x + (on ? own : 0);
    T sum = 0;

    if (guard.has_ended()) return;
    const Part part = part_of[blockIdx.x];
    const int32_t *col = all_col + part.from;
    const T *value = all_value + part.from;
    for (int64_t k = subwarp; k < part.entries; k += at_once * subwarps) {
        int32_t c[at_once];
        T v[at_once];
#pragma unroll
        for (int u = 0; u < at_once; u++) {
            const bool in = k + u * subwarps < part.entries;
            c[u] = in ? __ldcs(&col[k + u * subwarps]) : -1;
            v[u] = in ? __ldcs(&value[k + u * subwarps]) : T(0);
        }
#pragma unroll
        for (int u = 0; u < at_once; u++) {
            if (c[u] >= 0) sum += v[u] * __ldg(&x[c[u] * d.xstride]);
        }
    }
    space[threadIdx.x] = sum;
    for (int half = subwarps / 2; half > 0; half /= 2) {
        __syncthreads();
        if (subwarp < half) space[threadIdx.x] += space[threadIdx.x + half * width];
    }
    if (subwarp == 0 && on) d.partial[(int64_t)blockIdx.x * d.pitch + own] = space[threadIdx.x];
}

// The long rows, from the descriptions of their parts on the device.
template <class Part>
struct long_rows {
    const Part *part;
    int64_t count;
    static constexpr int step = 1;
    __device__ int32_t row(int64_t m) const { return part[m].first == m ? part[m].row : -1; }
    __device__ int32_t first(int64_t m) const { return (int32_t)m; }
    __device__ int32_t parts(int64_t m) const { return part[m].parts; }
};

// Sums the parts of the long rows, then the long rows from their parts.
template <class T, class Part>
gsolve_status sum_long_rows(gs_queue *q, const Part *part, int32_t parts, const gsolve_csr *csr,
                            dense_rows<T> d)
{
    const long_rows<Part> rows = {part, parts};
    gsolve_status status = GSOLVE_OK;

    if (parts == 0) return status;
    d.shift = shift_for(d.columns);
    TRY(gs_launch_pdl(q, "adding up parts of long rows", sum_long_parts<T, Part>, parts,
                      gs_block_size, part, csr->col, (const T *)csr->value, d));
    TRY(add_all_parts(q, rows, d));
done:
    return status;
}

// --- launches ---------------------------------------------------------------------------------

template <int W, int P, class T, class Form>
gsolve_status launch_rows(gs_queue *q, const Form &form, const dense_rows<T> &d)
{
    const int64_t grid = ((form.units << d.shift) + Form::threads - 1) / Form::threads;

    return launch_columns(q, "the product of several columns", multiply_rows<T, W, P, Form>, grid,
                          Form::threads, d.columns, form, d);
}

// One pass over at most as many columns as the widest subwarp has.
template <int W, class T, class Form>
gsolve_status sum_columns(gs_queue *q, const Form &form, dense_rows<T> &d)
{
    const int pieces = (d.columns + W - 1) / W;

    if (form.units == 0) return GSOLVE_OK;
    if (Form::pieces > 1 && pieces > 2) {
        d.shift = shift_for((pieces + Form::pieces - 1) / Form::pieces);
        return form.template launch<W, Form::pieces>(q, d);
    }
    d.shift = shift_for(pieces);
    return form.template launch<W, 1>(q, d);
}

// Computes all units for all columns. The widest subwarp has `most_threads` threads.
template <class T, class Form>
gsolve_status sum_units(gs_queue *q, const Form &form, const dense_rows<T> &all, int most_threads)
{
    constexpr int W = gs_wide<T>;
    gsolve_status status = GSOLVE_OK;

    const bool wide = takes_packs(all);
    const int most = most_threads * (wide ? W : 1);

    for (int first = 0; first < all.columns && status == GSOLVE_OK; first += most) {
        dense_rows<T> d = some_columns(all, first, most);
        status = wide ? sum_columns<W>(q, form, d) : sum_columns<1>(q, form, d);
    }
    return status;
}

} // namespace gs_subwarp_rows

#endif
