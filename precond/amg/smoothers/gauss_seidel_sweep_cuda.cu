// gauss_seidel_sweep_cuda.cu: sweeps of multicolour Gauss-Seidel on a GPU, for one column and for
// several. A launch updates the rows of one colour; L threads own a row. A sweep reads the matrix,
// b and d once, and reads and writes x. Rows of one colour are not neighbours, so that the order
// within a launch does not change the bits.
#include "core/pdl.cuh"
#include "precond/amg/smoothers/gauss_seidel.cuh"
#include "precond/amg/smoothers/row_lanes.cuh"
#include "precond/batched.cuh"
#include "vector/each.cuh"

extern "C" {
#include "core/try.h"
}

namespace
{

constexpr int max_one_block_entries =
    65536; // entries times columns up to which one thread block sweeps all colours
constexpr int one_block_threads = 1024;

// x = d * b in the rows of one colour, 0 elsewhere. A thread owns W neighbouring elements.
template <class T>
struct begin_one : gs_plain {
    gs_row_of_element row;
    const int32_t *colour;
    int32_t which;
    const T *d, *b;
    T *x;
    template <int W>
    __device__ void at(int64_t k, double *)
    {
        const auto B = gs_load<W>(b, k);
        gs_pack<T, W> X;
        for (int w = 0; w < W; w++) {
            const int64_t i = row(k + w);
            X.v[w] = colour[i] == which ? d[i] * B.v[w] : T(0);
        }
        gs_store<W>(x, k, X);
    }
};

template <class T>
gsolve_status begin(gs_queue *q, int64_t n, int32_t columns, const int32_t *colour, int32_t which,
                    const void *d, const void *b, void *x)
{
    const gs_row_of_element row(n, columns);
    const begin_one<T> op = {{}, row, colour, which, (const T *)d, (const T *)b, (T *)x};
    return gs_each<T>(q, n * columns, gs_all_aligned(op.b, op.x), op, "Gauss-Seidel");
}

template <class T>
struct vectors {
    const T *d, *b;
    T *x;
};

// Updates the listed rows unit, unit + groups, ... below count. All threads of a warp run through
// the same rounds, because the sums involve the whole warp.
template <int L, class T, class O>
__device__ void sweep_rows(const gs_rows<T, O> &A, const int32_t *row, int32_t count, int lane,
                           int64_t unit, int64_t groups, vectors<T> v)
{
    constexpr int at_once = gs_rows_per_subwarp<T>;

    for (int64_t base = 0; base < count; base += groups * at_once) {
        int64_t i[at_once];
        T sum[at_once];
#pragma unroll
        for (int r = 0; r < at_once; r++) {
            const int64_t at = base + r * groups + unit;
            i[r] = at < count ? row[at] : -1;
        }
        gs_row_sums<L>(A, lane, i, v.x, sum);
#pragma unroll
        for (int r = 0; r < at_once; r++) {
            for (int s = L / 2; s > 0; s /= 2) {
                sum[r] += __shfl_xor_sync(gs_all_lanes, sum[r], s);
            }
            if (i[r] >= 0 && lane == 0) v.x[i[r]] += v.d[i[r]] * (v.b[i[r]] - sum[r]);
        }
    }
}

// sweep_rows for several columns; each lane owns one column.
template <int L, class T, class O>
__device__ void sweep_rows(const gs_rows<T, O> &A, const int32_t *row, int32_t count,
                           const gs_column_lane<L, 1> &m, int64_t unit, int64_t groups,
                           vectors<T> v)
{
    constexpr int at_once = 2;

    for (int64_t base = 0; base < count; base += groups * at_once) {
        int64_t i[at_once];
        gs_pack<T, 1> sum[at_once];
#pragma unroll
        for (int r = 0; r < at_once; r++) {
            const int64_t at = base + r * groups + unit;
            i[r] = at < count ? row[at] : -1;
        }
        gs_row_sums(A, m, i, v.x, sum);
#pragma unroll
        for (int r = 0; r < at_once; r++) {
            if (i[r] < 0 || m.share > 0 || m.idle) continue;
            const int64_t k = m.at(i[r]);
            v.x[k] += v.d[i[r]] * (v.b[k] - sum[r].v[0]);
        }
    }
}

// The state of a lane for sweep_rows: its number, or for several columns its column and share of
// the entries.
template <int L, bool BATCHED>
__device__ auto lane_state(const gs_column_group &group, int lane)
{
    if constexpr (BATCHED) {
        return gs_column_lane<L, 1>(group, lane);
    } else {
        return lane;
    }
}

// L threads own a row of the colour at a time; see sweep_rows.
template <int L, bool BATCHED, class T, class O>
__global__ void __launch_bounds__(gs_block_size)
    sweep_colour(gs_rows<T, O> A, const int32_t *row, int32_t count, gs_column_group group,
                 vectors<T> v, gs_guard guard)
{
    const gs_subwarp<L> g;

    if (guard.has_ended()) return;
    sweep_rows<L>(A, row, count, lane_state<L, BATCHED>(group, g.lane), g.unit,
                  (int64_t)gridDim.x * (gs_block_size / L), v);
}

struct colour_order { // the colours from, from + step, ... within 0 to count - 1
    int32_t count, from, step;
};

// One thread block sweeps all colours, with a barrier between them. For few entries this is faster
// than a launch per colour.
template <int L, bool BATCHED, class T, class O>
__global__ void __launch_bounds__(one_block_threads)
    sweep_all_colours(gs_rows<T, O> A, const int32_t *row, const int32_t *first, colour_order o,
                      gs_column_group group, vectors<T> v, gs_guard guard)
{
    const auto part = lane_state<L, BATCHED>(group, (int)threadIdx.x % L);

    if (guard.has_ended()) return;
    for (int32_t c = o.from; c >= 0 && c < o.count; c += o.step) {
        const int32_t at = first[c];
        sweep_rows<L>(A, row + at, first[c + 1] - at, part, (int64_t)threadIdx.x / L,
                      one_block_threads / L, v);
        __syncthreads();
    }
}

template <int L, bool BATCHED, class T, class O>
gsolve_status run_colours(gs_queue *q, const gs_rows<T, O> &A, const gs_colours *C, colour_order o,
                          int32_t columns, const vectors<T> &v)
{
    constexpr int at_once = BATCHED ? 2 : gs_rows_per_subwarp<T>;
    const gs_column_group group = gs_column_group_from<1>(columns, 0);
    gsolve_status status = GSOLVE_OK;

    if (C->entries * columns <= max_one_block_entries) {
        return gs_launch_pdl(q, "Gauss-Seidel", sweep_all_colours<L, BATCHED, T, O>, 1,
                             one_block_threads, A, C->row, C->first, o, group, v);
    }
    for (int32_t c = o.from; c >= 0 && c < o.count; c += o.step) {
        const int32_t rows = C->begin[c + 1] - C->begin[c];
        const int64_t groups = ((int64_t)rows + at_once - 1) / at_once;
        TRY(gs_launch_pdl(q, "Gauss-Seidel", sweep_colour<L, BATCHED, T, O>,
                          gs_subwarp_blocks(groups, L), gs_block_size, A, C->row + C->begin[c],
                          rows, group, v));
    }
done:
    return status;
}

template <class T>
gsolve_status colours(gs_queue *q, const gsolve_csr *A, const gs_colours *C, int32_t columns,
                      int32_t from, bool back, gs_sweep_vectors w)
{
    const vectors<T> v = {(const T *)w.d, (const T *)w.b, (T *)w.x};
    const colour_order o = {C->count, from, back ? -1 : 1};

    if (A->nrows == 0) return GSOLVE_OK;
    return gs_with_start(A, [&](auto start) {
        using O = std::remove_const_t<std::remove_pointer_t<decltype(start)>>;
        const gs_rows<T, O> rows = {start, A->col, (const T *)A->value};
        const double mean = (double)C->entries / A->nrows;
        if (columns == 1) {
            return gs_with_subwarp(mean / 2, [&](auto lanes) {
                return run_colours<decltype(lanes)::value, false>(q, rows, C, o, columns, v);
            });
        }
        const int subwarp = gs_column_group_from<1>(columns, 0).subwarp;
        return gs_with_subwarp((mean > 4 ? mean / 4 : 1) * subwarp, [&](auto lanes) {
            return run_colours<decltype(lanes)::value, true>(q, rows, C, o, columns, v);
        });
    });
}

} // namespace

extern "C" const gs_gauss_seidel_kernels gs_gauss_seidel_cuda[GSOLVE_TYPE_COUNT] = {
    {gs_gauss_seidel_colour, begin<float>, colours<float>, nullptr, nullptr, nullptr},
    {gs_gauss_seidel_colour, begin<double>, colours<double>, nullptr, nullptr, nullptr}};
