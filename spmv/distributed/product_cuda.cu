// product_cuda.cu: products with the boundary rows of a rank on a GPU. A group of LANES threads
// sums a row, each thread every LANES-th of its entries, and then the sums of neighbouring threads;
// so the order is fixed. The entries of the rows are read once for each column of x.
#include "spmv/product.cuh"

extern "C" {
#include "spmv/distributed/distributed.h"
}

namespace
{

// Rows, and the numbers of the elements of y that they compute.
template <class T, class O>
struct rows_of {
    const O *start;
    const int32_t *col;
    const T *value;
    const int32_t *row;
    int32_t count;
};

// A vector: the own elements i < n, and behind them those of other ranks, row-major.
template <class T>
struct vector_of {
    T *own;
    int64_t row_step, column_step;
    T *others;
    int32_t n, ncols, others_step;

    vector_of(const gsolve_dense *v, void *ghost, int32_t own_elements)
        : own((T *)v->value), others((T *)ghost), n(own_elements), ncols(v->ncols),
          others_step(v->ncols)
    {
        const bool row_major = v->layout == GSOLVE_ROW_MAJOR;
        row_step = row_major ? v->stride : 1;
        column_step = row_major ? 1 : v->stride;
    }
    __device__ bool is_own(int32_t i) const { return i < n; }
    __device__ T *at(int32_t i, int32_t c) const
    {
        return is_own(i) ? &own[i * row_step + c * column_step]
                         : &others[(int64_t)(i - n) * others_step + c];
    }
};

// What becomes of the sums: y = alpha sum, plus y in own elements if `adds`.
template <class T>
struct result_of {
    vector_of<T> y;
    T alpha;
    bool adds;
    const T *w;     // of one column, with SUMS
    double *out[2]; // w'y and y'y of the other rows, to which those of these rows are added
};

template <int LANES, int SUMS, class T, class O>
__global__ void __launch_bounds__(gs_block_size)
    boundary_kernel(rows_of<T, O> A, vector_of<T> x, result_of<T> to, double *partial,
                    unsigned *arrived, gs_guard guard)
{
    constexpr int groups = gs_block_size / LANES;
    const int lane = (int)threadIdx.x % LANES;
    double terms[SUMS ? SUMS : 1] = {};

    if (guard.has_ended()) return;
    // base and c are those of the whole block, so all lanes of a warp meet in the shuffles
    for (int64_t base = (int64_t)blockIdx.x * groups; base < A.count;
         base += (int64_t)gridDim.x * groups) {
        const int64_t b = base + threadIdx.x / LANES;
        const bool here = b < A.count;
        const int64_t begin = here ? (int64_t)A.start[b] : 0,
                      end = here ? (int64_t)A.start[b + 1] : 0;
        for (int32_t c = 0; c < x.ncols; c++) {
            T sum = 0;
            for (int64_t k = begin + lane; k < end; k += LANES) {
                sum += A.value[k] * *x.at(A.col[k], c);
            }
#pragma unroll
            for (int d = LANES / 2; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, d);
            if (!here || lane > 0) continue;
            const int32_t i = A.row[b];
            T *y = to.y.at(i, c), value = to.alpha * sum;
            if (to.adds && to.y.is_own(i)) value += *y;
            *y = value;
            if constexpr (SUMS > 0) gs_add_terms<SUMS>(terms, to.w[i], value);
        }
    }
    if constexpr (SUMS > 0) {
        gs_grid_sum(terms, partial, arrived, [&](int s, double total) { *to.out[s] += total; });
    }
}

template <int LANES, int SUMS, class T, class O>
gsolve_status launch(gs_queue *q, const rows_of<T, O> &A, const vector_of<T> &x,
                     const result_of<T> &to)
{
    return gs_launch_pdl(q, "the product with the boundary rows",
                         boundary_kernel<LANES, SUMS, T, O>, gs_grid(q, (int64_t)A.count * LANES),
                         gs_block_size, A, x, to, q->partial, q->arrived);
}

template <int SUMS, class T, class O>
gsolve_status run(gs_queue *q, const gsolve_csr *csr, const int32_t *row, double mean,
                  const vector_of<T> &x, const result_of<T> &to)
{
    const rows_of<T, O> A = {(const O *)csr->start, csr->col, (const T *)csr->value, row,
                             csr->nrows};

    if (mean <= 12) return launch<4, SUMS>(q, A, x, to);
    return launch<32, SUMS>(q, A, x, to);
}

// mean: entries of a row.
template <int SUMS, class T>
gsolve_status run_rows(gs_queue *q, const gsolve_csr *csr, const int32_t *row, double mean,
                       const vector_of<T> &x, const result_of<T> &to)
{
    return csr->offset == GSOLVE_O64 ? run<SUMS, T, int64_t>(q, csr, row, mean, x, to)
                                     : run<SUMS, T, int32_t>(q, csr, row, mean, x, to);
}

double mean_length(const gs_dist_matrix *D, int32_t rows)
{
    return (double)gs_start(&D->boundary, D->boundary_rows) / (rows > 0 ? rows : 1);
}

// One column, with its sums.
template <class T>
gsolve_status multiply_column(gs_queue *q, const gs_dist_matrix *D, const vector_of<T> &x,
                              const gsolve_dense &y, const gs_dist_dots *dots, int32_t c)
{
    const gsolve_dense yc = gs_column_of(y, c);
    const T *w = (const T *)gs_column_of(dots->w, c).value;
    const result_of<T> to = {vector_of<T>(&yc, nullptr, INT32_MAX),
                             1,
                             false,
                             w,
                             {&dots->wy[c], dots->yy ? &dots->yy[c] : nullptr}};
    const double mean = mean_length(D, D->boundary_rows);

    return dots->yy ? run_rows<2>(q, &D->boundary_there, D->boundary_row_there, mean, x, to)
                    : run_rows<1>(q, &D->boundary_there, D->boundary_row_there, mean, x, to);
}

template <class T>
gsolve_status multiply(gs_queue *q, const gs_dist_matrix *D, double alpha, const gsolve_dense *x,
                       double beta, const gsolve_dense *y, const gs_dist_dots *dots)
{
    gsolve_status status = GSOLVE_OK;

    if (!dots) {
        const result_of<T> to = {
            vector_of<T>(y, nullptr, INT32_MAX), (T)alpha, beta != 0, nullptr, {nullptr, nullptr}};
        return run_rows<0>(q, &D->boundary_there, D->boundary_row_there,
                           mean_length(D, D->boundary_rows),
                           vector_of<T>(x, D->halo.ghost, D->cols.count), to);
    }
    for (int32_t c = 0; c < x->ncols && status == GSOLVE_OK; c++) {
        const gsolve_dense xc = gs_column_of(*x, c);
        vector_of<T> operand(&xc, (T *)D->halo.ghost + c, D->cols.count);
        operand.others_step = x->ncols;
        status = multiply_column(q, D, operand, *y, dots, c);
    }
    return status;
}

template <class T>
gsolve_status transposed(gs_queue *q, const gs_dist_matrix *D, double alpha, const gsolve_dense *x,
                         const gsolve_dense *y)
{
    const result_of<T> to = {vector_of<T>(y, D->halo.in.buffer, D->cols.count),
                             (T)alpha,
                             true,
                             nullptr,
                             {nullptr, nullptr}};

    return run_rows<0>(q, &D->back, D->back_row, mean_length(D, D->back.nrows),
                       vector_of<T>(x, nullptr, INT32_MAX), to);
}

} // namespace

extern "C" const gs_boundary_kernels gs_boundary_cuda[GSOLVE_TYPE_COUNT] = {
    {multiply<float>, transposed<float>}, {multiply<double>, transposed<double>}};
