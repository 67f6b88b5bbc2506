// invert_cuda.cu: the inverse of a dense matrix on a GPU, see invert.h. Block Gauss-Jordan
// elimination: one launch for each panel of 32 columns. With D the inverse of the panel's diagonal
// block and p its index, the launch computes
//
//     A_pp = D,  A_pj = D A_pj,  A_ip = -A_ip D,  A_ij -= A_ip D A_pj
//
// from one matrix into another. A thread block owns one tile of 32 x 32 elements, and a thread owns
// per_thread elements of one column of it. Each thread block inverts A_pp for itself, which takes
// no longer than waiting for another one. A launch reads and writes the matrix once, and reads the
// panel's row and column once per tile.
#include "precond/subwarp.cuh"

extern "C" {
#include "core/try.h"
#include "precond/amg/coarsest/invert.h"
#include "vector/layout.h"
#include "vector/vector.h"
}

namespace
{

constexpr int tile_side = 32; // rows and columns of a tile
constexpr int thread_rows =
    gs_block_size / tile_side; // rows of a tile that the block covers at once
constexpr int per_thread =
    tile_side / thread_rows; // elements of a tile that a thread owns, in one column

using tile = double[tile_side][tile_side + 1];

// --- dense copy and measures ---------------------------------------------------------------------

// *most = max(*most, x). The bits of non-negative doubles are ordered like the numbers.
__device__ void atomic_max(double *most, double x)
{
    atomicMax(reinterpret_cast<unsigned long long *>(most),
              (unsigned long long)__double_as_longlong(x));
}

struct near_null {
    const void *value;
    int64_t stride;
    int count;
};

// Writes A's entries into the dense matrix a, which is zero. A warp owns a row of A. It also
// computes the row's sum of magnitudes, and its products with the near-null vectors. Reads A once.
template <class T, class O>
__global__ void __launch_bounds__(gs_block_size)
    spread_rows(int32_t n, const O *start, const int32_t *col, const T *value, near_null w,
                double *a, gs_inverted *found)
{
    const gs_subwarp<32> g;
    const int64_t i = g.unit;
    const T *v = (const T *)w.value;
    double sum = 0, image[GS_MAX_NULL] = {};

    if (i >= n) return; // all lanes of the warp
    for (int64_t k = (int64_t)start[i] + g.lane; k < (int64_t)start[i + 1]; k += 32) {
        const double x = (double)value[k];
        a[i * n + col[k]] = x;
        sum += fabs(x);
#pragma unroll
        for (int c = 0; c < GS_MAX_NULL; c++) {
            if (c < w.count) image[c] += x * (double)v[col[k] + c * w.stride];
        }
    }
    sum = g.sum(sum);
    if (g.lane == 0) atomic_max(&found->norm, sum);
#pragma unroll
    for (int c = 0; c < GS_MAX_NULL; c++) {
        if (c >= w.count) break; // true in all lanes or in none
        const double all = g.sum(image[c]);
        if (g.lane > 0) continue;
        atomic_max(&found->image[c], fabs(all));
        atomic_max(&found->largest[c], fabs((double)v[i + c * w.stride]));
    }
}

// found->asymmetry = max |a_ij - a_ji|. A thread owns every step-th element. A NaN does not change
// the maximum; the pivots show it.
__global__ void __launch_bounds__(gs_block_size)
    find_asymmetry(int64_t n, const double *a, gs_inverted *found)
{
    const gs_subwarp<32> g;
    const int64_t step = (int64_t)gridDim.x * gs_block_size;
    double most = 0;

    for (int64_t k = (int64_t)blockIdx.x * gs_block_size + threadIdx.x; k < n * n; k += step) {
        const int64_t i = k / n, j = k % n;
        if (j < i) most = fmax(most, fabs(a[k] - a[j * n + i]));
    }
    most = g.largest(most);
    if (g.lane == 0) atomic_max(&found->asymmetry, most);
}

// --- elimination of a panel ----------------------------------------------------------------------

// t = tile (I, J) of a, extended by the unit matrix beyond row and column n.
__device__ void load(tile &t, const double *a, int64_t n, int I, int J)
{
    const int x = (int)threadIdx.x % tile_side, y = (int)threadIdx.x / tile_side;

#pragma unroll
    for (int r = y; r < tile_side; r += thread_rows) {
        const int64_t i = (int64_t)I * tile_side + r, j = (int64_t)J * tile_side + x;
        t[r][x] = i < n && j < n ? a[i * n + j] : i == j ? 1.0 : 0.0;
    }
}

__device__ void store(double *a, int64_t n, int I, int J, const double (&own)[per_thread])
{
    const int x = (int)threadIdx.x % tile_side, y = (int)threadIdx.x / tile_side;

#pragma unroll
    for (int e = 0; e < per_thread; e++) {
        const int64_t i = (int64_t)I * tile_side + y + e * thread_rows,
                      j = (int64_t)J * tile_side + x;
        if (i < n && j < n) a[i * n + j] = own[e];
    }
}

// own = this thread's elements of the product L R.
__device__ void multiply(const tile &L, const tile &R, double (&own)[per_thread])
{
    const int x = (int)threadIdx.x % tile_side, y = (int)threadIdx.x / tile_side;

#pragma unroll
    for (int e = 0; e < per_thread; e++) own[e] = 0;
#pragma unroll 8
    for (int k = 0; k < tile_side; k++) {
        const double r = R[k][x];
#pragma unroll
        for (int e = 0; e < per_thread; e++) own[e] += L[y + e * thread_rows][k] * r;
    }
}

// t = its inverse, by Gauss-Jordan elimination. The first `rows` pivots belong to the matrix, the
// others to its extension.
__device__ void invert_tile(tile &t, int rows, gs_inverted *found)
{
    const int x = (int)threadIdx.x % tile_side, y = (int)threadIdx.x / tile_side;
    double least = INFINITY, most = 0;

    for (int k = 0; k < tile_side; k++) {
        const double given = t[k][k], p = 1 / given;
        const double pivot = (x == k ? 1 : t[k][x]) * p;
        double own[per_thread];
        if (k < rows) {
            least = given > 0 ? fmin(least, given) : 0;
            most = given > 0 ? fmax(most, given) : INFINITY;
        }
#pragma unroll
        for (int e = 0; e < per_thread; e++) {
            const int i = y + e * thread_rows;
            own[e] = i == k ? pivot : (x == k ? 0 : t[i][x]) - t[i][k] * pivot;
        }
        __syncthreads();
#pragma unroll
        for (int e = 0; e < per_thread; e++) t[y + e * thread_rows][x] = own[e];
        __syncthreads();
    }
    if (!found || threadIdx.x > 0) return;
    found->least_pivot = fmin(found->least_pivot, least);
    found->most_pivot = fmax(found->most_pivot, most);
}

// to = a after the elimination of panel p. Thread block (J, I) owns tile (I, J).
__global__ void __launch_bounds__(gs_block_size)
    eliminate_panel(int64_t n, int p, const double *a, double *to, gs_inverted *found)
{
    __shared__ tile D, left, right;
    const int I = (int)blockIdx.y, J = (int)blockIdx.x;
    const int x = (int)threadIdx.x % tile_side, y = (int)threadIdx.x / tile_side;
    const int rows = (int)min((int64_t)tile_side, n - (int64_t)p * tile_side);
    double own[per_thread];

    load(D, a, n, p, p);
    if (I != p) load(left, a, n, I, p);
    if (J != p) load(right, a, n, p, J);
    __syncthreads();
    invert_tile(D, rows, I == p && J == p ? found : nullptr);
    if (I == p && J == p) {
#pragma unroll
        for (int e = 0; e < per_thread; e++) own[e] = D[y + e * thread_rows][x];
        store(to, n, I, J, own);
        return;
    }
    if (I == p) {
        multiply(D, right, own);
        store(to, n, I, J, own);
        return;
    }
    multiply(left, D, own);
    if (J != p) {
        __syncthreads(); // all threads have read left
#pragma unroll
        for (int e = 0; e < per_thread; e++) left[y + e * thread_rows][x] = own[e];
        __syncthreads();
        multiply(left, right, own);
    }
#pragma unroll
    for (int e = 0; e < per_thread; e++) {
        const int64_t i = (int64_t)I * tile_side + y + e * thread_rows,
                      j = (int64_t)J * tile_side + x;
        const double before = J != p && i < n && j < n ? a[i * n + j] : 0;
        own[e] = before - own[e];
    }
    store(to, n, I, J, own);
}

// --- nonsymmetric matrices -----------------------------------------------------------------------

// found->residual = max |A x - I|_ij. A warp owns a row i; a lane owns every 32nd column j of x.
// Reads row i of A, and a row of x for each entry, through the cache.
template <class T, class O>
__global__ void __launch_bounds__(gs_block_size)
    check_rows(int32_t n, const O *start, const int32_t *col, const T *value, const double *x,
               gs_inverted *found)
{
    const gs_subwarp<32> g;
    const int64_t i = g.unit;
    double most = 0;

    if (i >= n) return; // all lanes of the warp
    for (int64_t j = g.lane; j < n; j += 32) {
        double sum = i == j ? -1 : 0;
        for (int64_t k = (int64_t)start[i]; k < (int64_t)start[i + 1]; k++) {
            sum += (double)value[k] * x[col[k] * (int64_t)n + j];
        }
        most = fmax(most, fabs(sum));
    }
    most = g.largest(most);
    if (g.lane == 0) atomic_max(&found->residual, most);
}

// --- host functions ------------------------------------------------------------------------------

// *a = the inverse of *a; *b is work space of the same size.
gsolve_status eliminate(gs_queue *q, int64_t n, double **a, double **b, gs_inverted *found)
{
    const int blocks = (int)((n + tile_side - 1) / tile_side);

    for (int p = 0; p < blocks; p++) {
        double *from = *a;
        eliminate_panel<<<dim3((unsigned)blocks, (unsigned)blocks), gs_block_size, 0, q->stream>>>(
            n, p, from, *b, found);
        const gsolve_status status = gs_cuda(q, cudaGetLastError(), "the coarsest level's inverse");
        if (status != GSOLVE_OK) return status;
        *a = *b;
        *b = from;
    }
    return GSOLVE_OK;
}

template <class T>
gsolve_status spread(gs_queue *q, const gsolve_csr *A, gsolve_dense v, double *a,
                     gs_inverted *found)
{
    const int64_t n = A->nrows;
    const near_null w = {v.value, v.stride, v.ncols < GS_MAX_NULL ? v.ncols : GS_MAX_NULL};
    gsolve_status status;

    TRY(gs_cuda(q, cudaMemsetAsync(a, 0, (size_t)(n * n) * sizeof *a, q->stream), "an inverse"));
    TRY(gs_with_start(A, [&](auto start) {
        using O = std::remove_const_t<std::remove_pointer_t<decltype(start)>>;
        return gs_launch(q, "the coarsest level", spread_rows<T, O>, gs_subwarp_blocks(n, 32),
                         gs_block_size, A->nrows, start, A->col, (const T *)A->value, w, a, found);
    }));
    TRY(gs_launch(q, "the coarsest level's symmetry", find_asymmetry, gs_grid(q, n * n),
                  gs_block_size, n, a, found));
done:
    return status;
}

template <class T>
gsolve_status check_and_transpose(gsolve_context *ctx, const gsolve_csr *A, const double *a,
                                  void *transposed, gs_inverted *found)
{
    const int32_t n = A->nrows;
    gs_queue *q = ctx->queue;
    gsolve_status status;

    TRY(gs_with_start(A, [&](auto start) {
        using O = std::remove_const_t<std::remove_pointer_t<decltype(start)>>;
        return gs_launch(q, "the coarsest level's inverse", check_rows<T, O>,
                         gs_subwarp_blocks(n, 32), gs_block_size, A->nrows, start, A->col,
                         (const T *)A->value, a, found);
    }));
    TRY(GS_KERNELS(gs_layout, ctx, A->type)->transpose(q, n, n, GSOLVE_F64, a, n, transposed, n));
done:
    return status;
}

template <class T>
gsolve_status invert(void *inverse, void *transposed, gs_inverted *found, gsolve_context *ctx,
                     const gsolve_csr *A, gsolve_dense near_null)
{
    const int64_t n = A->nrows;
    gs_inverted none = {};
    gs_queue *q = ctx->queue;
    gs_inverted *device_found = nullptr;
    double *a = nullptr, *b = nullptr;
    gsolve_status status;

    none.least_pivot = INFINITY;
    ALLOC_DEVICE(ctx, device_found, 1);
    ALLOC_DEVICE(ctx, a, n * n);
    ALLOC_DEVICE(ctx, b, n * n);
    TRY(gs_cuda(
        q, cudaMemcpyAsync(device_found, &none, sizeof none, cudaMemcpyHostToDevice, q->stream),
        "an inverse"));
    TRY(spread<T>(q, A, near_null, a, device_found));
    TRY(eliminate(q, n, &a, &b, device_found));
    if (transposed) TRY(check_and_transpose<T>(ctx, A, a, transposed, device_found));
    TRY(GS_KERNELS(gs_vector, ctx, A->type)->copy(q, n * n, GSOLVE_F64, a, inverse));
    TRY(gsolve_copy(ctx, found, GSOLVE_HOST, device_found, GSOLVE_DEVICE, sizeof *found));
done:
    gsolve_free(ctx, GSOLVE_DEVICE, device_found);
    gsolve_free(ctx, GSOLVE_DEVICE, a);
    gsolve_free(ctx, GSOLVE_DEVICE, b);
    return status;
}

} // namespace

extern "C" const gs_invert_kernels gs_invert_cuda[GSOLVE_TYPE_COUNT] = {{invert<float>},
                                                                        {invert<double>}};
