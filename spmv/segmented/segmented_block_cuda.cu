// segmented_block_cuda.cu: the product with many columns by segments on a GPU, see
// subwarp_rows.cuh. A subwarp sums one segment from the rows, whatever the option sum. Its threads
// read neighbouring columns of x.
#include "spmv/multi_rhs/subwarp_rows.cuh"
#include "spmv/segmented/segmented.cuh"

using namespace gs_segments;

namespace
{

template <class T, class O>
struct segment_form {
    static constexpr int rows = 1, threads = 128, pieces = 2;
    static constexpr int blocks(int) { return 5; }
    segments_of<O> s;
    const int32_t *target, *col;
    const T *value;
    int64_t units;

    template <int W, int P>
    gsolve_status launch(gs_queue *q, const gs_subwarp_rows::dense_rows<T> &d) const
    {
        return gs_subwarp_rows::launch_rows<W, P>(q, *this, d);
    }

    template <int DEEP> // entries that are loaded at once
    struct chunk {
        int32_t c[DEEP];
        T v[DEEP];
    };

    template <int DEEP>
    __device__ __forceinline__ chunk<DEEP> read(int64_t from, int k, int entries) const
    {
        chunk<DEEP> e;

#pragma unroll
        for (int u = 0; u < DEEP; u++) {
            const bool there = k + u < entries;
            e.c[u] = there ? __ldg(&col[from + k + u]) : -1;
            e.v[u] = there ? __ldg(&value[from + k + u]) : T(0);
        }
        return e;
    }

    // Sums a segment. The next entries are loaded while the present ones are multiplied.
    template <int W, int P>
    __device__ __forceinline__ void sum_up(int64_t unit, const T *const (&x)[P], int64_t stride,
                                           T (&sum)[1][P][W]) const
    {
        constexpr int deep = 4 / P;
        const int64_t from = (int64_t)s.begin((int32_t)unit);
        const int entries = s.entries((int32_t)unit);
        chunk<deep> now = read<deep>(from, 0, entries);

        for (int k = deep; k < entries + deep; k += deep) {
            const chunk<deep> next = read<deep>(from, k, entries);
            T piece[deep][P][W];
#pragma unroll
            for (int u = 0; u < deep; u++) {
#pragma unroll
                for (int p = 0; p < P; p++) {
                    if (now.c[u] >= 0)
                        gs_subwarp_rows::read_piece<W>(x[p] + now.c[u] * stride, piece[u][p]);
                }
            }
#pragma unroll
            for (int u = 0; u < deep; u++) {
                if (now.c[u] < 0) continue;
#pragma unroll
                for (int p = 0; p < P; p++) {
#pragma unroll
                    for (int w = 0; w < W; w++) sum[0][p][w] += now.v[u] * piece[u][p][w];
                }
            }
            now = next;
        }
    }

    __device__ int32_t row(int64_t unit, int) const
    {
        return target ? target[unit] : (int32_t)unit;
    }
};

// The cut rows, for add_all_parts.
struct cut_rows {
    int64_t count;
    const int32_t *row_of, *begin;
    static constexpr int step = 1;
    __device__ int32_t row(int64_t m) const { return row_of[m]; }
    __device__ int32_t first(int64_t m) const { return begin[m]; }
    __device__ int32_t parts(int64_t m) const { return begin[m + 1] - begin[m]; }
};

template <class T, class O>
gsolve_status sum_segments(gs_queue *q, const gs_segmented *s,
                           const gs_subwarp_rows::dense_rows<T> &d)
{
    const segment_form<T, O> form = {segments_of<O>(s), s->target, s->csr.col,
                                     (const T *)s->csr.value, s->segments};

    return gs_subwarp_rows::sum_units(q, form, d, 32);
}

template <class T>
gsolve_status multiply(gs_queue *q, const gs_segmented *s, const gs_subwarp_rows::dense_rows<T> &d)
{
    const cut_rows cut = {s->many, s->row, s->begin};
    gsolve_status status;

    TRY((s->csr.offset == GSOLVE_O64 ? sum_segments<T, int64_t>(q, s, d)
                                     : sum_segments<T, int32_t>(q, s, d)));
    TRY(gs_subwarp_rows::add_all_parts(q, cut, d));
    // last, since it overwrites the partial sums that the cut rows have read by then
    TRY(gs_subwarp_rows::sum_long_rows(q, s->part, s->parts, &s->csr, d));
done:
    return status;
}

} // namespace

gsolve_status gs_segmented_multiply_rows(gsolve_context *ctx, const void *self, double alpha,
                                         gsolve_dense x, double beta, gsolve_dense y, void *sums)
{
    const gs_segmented *s = (const gs_segmented *)self;

    return x.type == GSOLVE_F32
               ? multiply(ctx->queue, s, gs_subwarp_rows::rows_of<float>(alpha, x, beta, y, sums))
               : multiply(ctx->queue, s, gs_subwarp_rows::rows_of<double>(alpha, x, beta, y, sums));
}
