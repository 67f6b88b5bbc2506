// residual_cuda.cu: b - A x and its norm from the rows of A on a GPU, in double precision. It
// shares no code with the formats, so that it can check them. A block has gs_block_size rows at a
// time: a warp sums a row, and the block sums a row of more than most_short entries. Each thread
// keeps its sums in double, and gs_grid_sum adds them in an order that depends on the grid alone.
// Memory moved: the rows, x and b once.
#include "core/cuda.cuh"

extern "C" {
#include "spmv/distributed/distributed.h"
}

namespace
{

constexpr int most_short = 4096;

// A column of either type.
struct column {
    const void *at;
    bool single;

    __device__ double operator[](int64_t i) const
    {
        return single ? (double)static_cast<const float *>(at)[i]
                      : static_cast<const double *>(at)[i];
    }
};

struct row_sums {
    double Ax, terms; // of a row: the sums of its terms and of their magnitudes
};

template <class T, class O>
struct system {
    static constexpr bool adds = false; // to the sums of another kernel
    const O *start;
    const int32_t *col;
    const T *value;
    column b, x;
    double factor;
    T *r; // or NULL
    int32_t nrows;

    // The parts of the sums of row i that thread `lane` of `lanes` threads computes.
    __device__ row_sums partial_sums(int32_t i, int lane, int lanes) const
    {
        row_sums sum = {0, 0};
        for (int64_t k = (int64_t)start[i] + lane; k < (int64_t)start[i + 1]; k += lanes) {
            const double term = (double)value[k] * x[col[k]];
            sum.Ax += term;
            sum.terms += fabs(term);
        }
        return sum;
    }
    __device__ bool is_long(int32_t i) const { return start[i + 1] - start[i] > most_short; }

    // Adds row i, whose sums are known, to those of gs_residual_sums.
    __device__ void count(int64_t i, row_sums row, double (&sum)[5]) const
    {
        const double bi = b[i], ri = bi - row.Ax, scaled = factor * ri;

        sum[0] += scaled * scaled;
        sum[1] += factor * bi * (factor * bi);
        sum[2] += factor * row.terms * (factor * row.terms);
        sum[3] += ri != 0;
        sum[4] += bi != 0;
        if (r) r[i] = (T)scaled;
    }
};

// Sums the long rows among those of this block, one after the other.
template <class System>
__device__ void long_rows(const System &s, int32_t base, double (&sum)[5])
{
    for (int32_t i = base; i < base + gs_block_size && i < s.nrows; i++) {
        if (!s.is_long(i)) continue;
        const row_sums mine = s.partial_sums(i, (int)threadIdx.x, gs_block_size);
        const row_sums row = {gs_block_sum(mine.Ax), gs_block_sum(mine.terms)};
        if (threadIdx.x == 0) s.count(i, row, sum);
    }
}

// The interior rows of a distributed matrix. Its boundary rows are empty there, and do not count.
template <class T, class O>
struct interior : system<T, O> {
    const int32_t *boundary_row; // ascending
    int32_t boundary_rows;

    __device__ bool is_boundary(int64_t i) const
    {
        int32_t low = 0, high = boundary_rows; // the first boundary row that is not below i
        while (low < high) {
            const int32_t middle = low + (high - low) / 2;
            if (boundary_row[middle] < i) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low < boundary_rows && boundary_row[low] == i;
    }
    __device__ void count(int64_t i, row_sums row, double (&sum)[5]) const
    {
        const bool empty = this->start[i] == this->start[i + 1];
        if (!empty || !is_boundary(i)) system<T, O>::count(i, row, sum);
    }
};

// The boundary rows. Their sums are added to those of the interior rows.
template <class T, class O>
struct boundary : system<T, O> {
    static constexpr bool adds = true;
    column ghost; // the elements of x of the other ranks
    const int32_t *row;
    int32_t own; // columns below are those of x

    __device__ row_sums partial_sums(int32_t i, int lane, int lanes) const
    {
        row_sums sum = {0, 0};
        for (int64_t k = (int64_t)this->start[i] + lane; k < (int64_t)this->start[i + 1];
             k += lanes) {
            const int32_t j = this->col[k];
            const double term = (double)this->value[k] * (j < own ? this->x[j] : ghost[j - own]);
            sum.Ax += term;
            sum.terms += fabs(term);
        }
        return sum;
    }
    __device__ void count(int64_t i, row_sums of_row, double (&sum)[5]) const
    {
        system<T, O>::count(row[i], of_row, sum);
    }
};

// r = factor (b - A x) unless s.r is NULL, and the five sums of gs_residual_sums. Warp w of a block
// sums the rows w, w + warps, ... of the block's gs_block_size rows; then the block sums the long
// ones. After the sum of a row, one thread adds its terms, so every row is counted once.
template <class System>
__global__ void __launch_bounds__(gs_block_size)
    residual_of(System s, double *partial, unsigned *arrived, gs_residual_sums *out)
{
    const int lane = (int)threadIdx.x % 32;
    double sum[5] = {};

    for (int64_t base = (int64_t)blockIdx.x * gs_block_size; base < s.nrows;
         base += (int64_t)gridDim.x * gs_block_size) {
        for (int r = (int)threadIdx.x / 32; r < gs_block_size; r += gs_block_size / 32) {
            const int64_t i = base + r;
            if (i >= s.nrows || s.is_long((int32_t)i)) continue;
            row_sums row = s.partial_sums((int32_t)i, lane, 32);
            for (int d = 16; d > 0; d /= 2) {
                row.Ax += __shfl_xor_sync(0xffffffffu, row.Ax, d);
                row.terms += __shfl_xor_sync(0xffffffffu, row.terms, d);
            }
            if (lane == 0) s.count(i, row, sum);
        }
        const int64_t mine = base + threadIdx.x;
        if (__syncthreads_or(mine < s.nrows && s.is_long((int32_t)mine))) {
            long_rows(s, (int32_t)base, sum);
        }
    }
    gs_grid_sum(sum, partial, arrived, [&](int k, double total) {
        double *to = reinterpret_cast<double *>(out) + k;
        *to = System::adds ? *to + total : total;
    });
}

column column_of(gsolve_dense v)
{
    return {v.value, v.type == GSOLVE_F32};
}

// r: of the same type as A
template <class T, class O>
system<T, O> system_of(const gsolve_csr *A, gsolve_dense b, gsolve_dense x, double factor, void *r)
{
    return {(const O *)A->start,
            A->col,
            (const T *)A->value,
            column_of(b),
            column_of(x),
            factor,
            (T *)r,
            A->nrows};
}

template <class System>
gsolve_status run(gs_queue *q, const System &s, gs_residual_sums *out)
{
    return gs_launch(q, "the residual", residual_of<System>, gs_grid(q, s.nrows), gs_block_size, s,
                     q->partial, q->arrived, out);
}

template <class T>
gsolve_status residual(gs_queue *q, const gsolve_csr *A, gsolve_dense b, gsolve_dense x,
                       double factor, void *r, gs_residual_sums *out)
{
    return A->offset == GSOLVE_O64 ? run(q, system_of<T, int64_t>(A, b, x, factor, r), out)
                                   : run(q, system_of<T, int32_t>(A, b, x, factor, r), out);
}

template <class T, class O>
gsolve_status run_interior(gs_queue *q, const gs_dist_matrix *D, const system<T, O> &s,
                           gs_residual_sums *out)
{
    return run(q, interior<T, O>{s, D->boundary_row_there, D->boundary_rows}, out);
}

template <class T, class O>
gsolve_status run_boundary(gs_queue *q, const gs_dist_matrix *D, gsolve_dense x,
                           const system<T, O> &s, gs_residual_sums *out)
{
    return run(q,
               boundary<T, O>{
                   s, {D->halo.ghost, x.type == GSOLVE_F32}, D->boundary_row_there, D->cols.count},
               out);
}

template <class T>
gsolve_status over_ranks(gs_queue *q, const gsolve_csr *A, const gs_dist_matrix *D, gsolve_dense b,
                         gsolve_dense x, double factor, void *r, gs_residual_sums *out)
{
    const gsolve_csr *B = &D->boundary_there;
    gsolve_status status = A->offset == GSOLVE_O64
                               ? run_interior(q, D, system_of<T, int64_t>(A, b, x, factor, r), out)
                               : run_interior(q, D, system_of<T, int32_t>(A, b, x, factor, r), out);

    if (status != GSOLVE_OK || D->boundary_rows == 0) return status;
    return B->offset == GSOLVE_O64
               ? run_boundary(q, D, x, system_of<T, int64_t>(B, b, x, factor, r), out)
               : run_boundary(q, D, x, system_of<T, int32_t>(B, b, x, factor, r), out);
}

} // namespace

extern "C" const gs_residual_kernels gs_residual_cuda[GSOLVE_TYPE_COUNT] = {
    {residual<float>, over_ranks<float>}, {residual<double>, over_ranks<double>}};
