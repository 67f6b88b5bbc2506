// bsr_block_cuda.cu: the product of blocks with many columns on a GPU, see bsr_slices.cuh and
// subwarp_rows.cuh. A subwarp has a slot. It reads the b rows of x that a block needs once for all
// b rows of the block. Each row is summed in the order of the product with one column, so each
// column has the same bits as alone.
#include "spmv/bsr/bsr_slices.cuh"
#include "spmv/multi_rhs/subwarp_rows.cuh"

using namespace gs_bsr_parts;
using namespace gs_subwarp_rows;

namespace
{

template <class T, int B>
struct block_rows {
    static constexpr int rows = B, threads = 128, pieces = 2;
    static constexpr int blocks(int p) // as many as the registers allow
    {
        return p == 1 ? (B > 6 ? 2 : B > 3 ? 4 : 8) : B > 6 ? 1 : B > 4 ? 2 : B > 3 ? 3 : 5;
    }
    const slice *slice_of;
    const int32_t *row_of;
    const uint16_t *blocks_of;
    const uint32_t *index;
    const T *value;
    int32_t nrows, ncols;
    int64_t units; // slots

    template <int W, int P>
    gsolve_status launch(gs_queue *q, const dense_rows<T> &d) const
    {
        return launch_rows<W, P>(q, *this, d);
    }

    // First value of row r of slot t, relative to the values of the slice.
    __device__ static int32_t begin_of(int t, int r, int width)
    {
        const int row_in_slice = t * B + r;
        return row_in_slice / 32 * width * (B * 32) + row_in_slice % 32;
    }

    // Adds block column J, whose values begin at `from`. COMPLETE: all its columns exist.
    template <bool COMPLETE, int W, int P>
    __device__ __forceinline__ void add(const T *from, const int32_t (&begin)[B], int32_t J,
                                        const T *const (&x)[P], int64_t stride,
                                        T (&sum)[B][P][W]) const
    {
        const int left = COMPLETE ? B : ncols - J * B;
        T piece[B][P][W] = {}, v[B][B];

#pragma unroll
        for (int c = 0; c < B; c++) {
#pragma unroll
            for (int p = 0; p < P; p++) {
                if (c < left) read_piece<W>(x[p] + ((int64_t)J * B + c) * stride, piece[c][p]);
            }
        }
#pragma unroll
        for (int r = 0; r < B; r++) {
#pragma unroll
            for (int c = 0; c < B; c++) v[r][c] = __ldg(&from[begin[r] + c * 32]);
        }
#pragma unroll
        for (int r = 0; r < B; r++) {
#pragma unroll
            for (int c = 0; c < B; c++) {
                if (c >= left) continue;
#pragma unroll
                for (int p = 0; p < P; p++) {
#pragma unroll
                    for (int w = 0; w < W; w++) sum[r][p][w] += v[r][c] * piece[c][p][w];
                }
            }
        }
    }

    // Sums a slot. The column of the next block is loaded while a block is multiplied.
    template <int W, int P>
    __device__ __forceinline__ void sum_up(int64_t unit, const T *const (&x)[P], int64_t stride,
                                           T (&sum)[B][P][W]) const
    {
        const int t = (int)(unit % slots);
        const slice s = slice_of[unit / slots];
        const int32_t I = row_of[unit];
        const int count = blocks_of[unit] & (is_part - 1);
        const T *from = value + s.first * (B * B * 32);
        int32_t begin[B];

#pragma unroll
        for (int r = 0; r < B; r++) begin[r] = begin_of(t, r, s.width);
        int32_t next = count > 0 ? column_of(s, index, 0, t, I) : 0;
        for (int k = 0; k < count; k++, from += B * 32) {
            const int32_t J = next;
            if (k + 1 < count) next = column_of(s, index, k + 1, t, I);
            if ((J + 1) * B <= ncols) {
                add<true>(from, begin, J, x, stride, sum);
            } else {
                add<false>(from, begin, J, x, stride, sum);
            }
        }
    }

    __device__ int32_t row(int64_t unit, int r) const
    {
        const int32_t I = row_of[unit];

        if (I < 0) return no_row;
        if (blocks_of[unit] & is_part) return ~(I * B + r);
        const int64_t i = (int64_t)I * B + r;
        return i < nrows ? (int32_t)i : no_row;
    }
};

// The rows of block rows in parts, for add_all_parts.
struct cut_rows {
    int64_t count; // longs x b
    int32_t b, nrows;
    const int32_t *long_row, *part_of;
    int32_t step;
    __device__ int32_t row(int64_t m) const
    {
        const int64_t i = (int64_t)long_row[m / b] * b + m % b;
        return i < nrows ? (int32_t)i : -1;
    }
    __device__ int32_t first(int64_t m) const
    {
        return part_of[long_row[m / b]] * b + (int32_t)(m % b);
    }
    __device__ int32_t parts(int64_t m) const
    {
        const int32_t I = long_row[m / b];
        return part_of[I + 1] - part_of[I];
    }
};

template <class T, int B>
gsolve_status sum_slots(gs_queue *q, const gs_bsr *m, const dense_rows<T> &d)
{
    const gs_bsr_slices *p = m->slices;
    const block_rows<T, B> form = {
        p->slice_of,   p->row,       p->blocks,    p->index,
        (T *)p->value, m->csr.nrows, m->csr.ncols, (int64_t)p->count * slots};

    return sum_units(q, form, d, 32);
}

template <class T>
gsolve_status sum_any_slots(gs_queue *q, const gs_bsr *m, const dense_rows<T> &d)
{
    switch (m->b) {
    case 2: return sum_slots<T, 2>(q, m, d);
    case 3: return sum_slots<T, 3>(q, m, d);
    case 4: return sum_slots<T, 4>(q, m, d);
    case 5: return sum_slots<T, 5>(q, m, d);
    case 6: return sum_slots<T, 6>(q, m, d);
    case 7: return sum_slots<T, 7>(q, m, d);
    default: return sum_slots<T, 8>(q, m, d);
    }
}

} // namespace

template <class T>
gsolve_status gs_bsr_rows_cuda(gsolve_context *ctx, const void *self, double alpha, gsolve_dense x,
                               double beta, gsolve_dense y, void *sums)
{
    const gs_bsr *m = (const gs_bsr *)self;
    const gs_bsr_slices *p = m->slices;
    const dense_rows<T> d = gs_subwarp_rows::rows_of<T>(alpha, x, beta, y, sums);
    const cut_rows cut = {
        (int64_t)p->longs * m->b, m->b, m->csr.nrows, p->long_row, p->part_of, m->b};
    gsolve_status status;

    if (p->count > 0) TRY(sum_any_slots(ctx->queue, m, d));
    TRY(add_all_parts(ctx->queue, cut, d));
done:
    return status;
}

template gsolve_status gs_bsr_rows_cuda<float>(gsolve_context *, const void *, double, gsolve_dense,
                                               double, gsolve_dense, void *);
template gsolve_status gs_bsr_rows_cuda<double>(gsolve_context *, const void *, double,
                                                gsolve_dense, double, gsolve_dense, void *);

int64_t gs_bsr_sums_cuda(const gs_bsr *m)
{
    return m->slices->longs > 0 ? (int64_t)m->slices->numbers * m->b : 0;
}
