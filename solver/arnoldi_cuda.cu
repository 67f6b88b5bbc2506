// arnoldi_cuda.cu: the kernels of arnoldi.h on a GPU; those on small matrices are in
// arnoldi_small.cuh.
#include "solver/arnoldi_small.cuh"

namespace
{

template <class T>
struct basis {
    const T *v;
    int64_t stride;
    int apart, b, vectors;
    __device__ int64_t at(int l) const // where vector l begins
    {
        return ((int64_t)(l / b) * apart + l % b) * stride;
    }
};

template <class T>
basis<T> vectors_of(const gs_arnoldi_basis &V)
{
    return {(const T *)V.v, V.stride, V.apart, V.b, V.count * V.b};
}

// --- C = V'W ----------------------------------------------------------------------------------

// A tile of 8 vectors of V, from first on, and 8 of W for each blockIdx.y.
template <class T>
__global__ void __launch_bounds__(gs_block_size)
    project_kernel(int64_t n, int first, const basis<T> V, columns<const T> W, double *C,
                   int64_t ld, double *partial, unsigned *arrived, const int *ended)
{
    const int tiles = (V.b + tile - 1) / tile, at = (int)blockIdx.y;
    const int left = first + at / tiles * tile, other = at % tiles * tile;
    const int64_t step = (int64_t)gridDim.x * gs_block_size;
    const T *vector[tile];
    double sum[tile * tile] = {};

    if (ended && *ended) return;
#pragma unroll
    for (int j = 0; j < tile; j++) {
        vector[j] = V.v + V.at(left + j < V.vectors ? left + j : left);
    }
    for (int64_t i = (int64_t)blockIdx.x * gs_block_size + threadIdx.x; i < n; i += step) {
        T u[tile], w[tile];
#pragma unroll
        for (int j = 0; j < tile; j++) {
            u[j] = left + j < V.vectors ? vector[j][i] : T(0);
            w[j] = other + j < V.b ? W(i, other + j) : T(0);
        }
#pragma unroll
        for (int j = 0; j < tile; j++) {
#pragma unroll
            for (int l = 0; l < tile; l++) sum[l + j * tile] += (double)u[l] * (double)w[j];
        }
    }
    grid_sums(sum, partial + (int64_t)at * tile * tile * gridDim.x, arrived + at,
              [&](int e, double total) {
                  const int i = left + e % tile, j = other + e / tile;
                  if (i < V.vectors && j < V.b) C[i + j * ld] = total;
              });
}

constexpr int most_counters = (int)(head / sizeof(unsigned));

template <class T>
gsolve_status project(gs_queue *q, int64_t n, gs_arnoldi_basis V, gs_block_columns W, double *C,
                      int64_t ld, void *space)
{
    const basis<T> all = vectors_of<T>(V);
    const int tiles = (V.b + tile - 1) / tile, most = most_counters / tiles; // tiles of a launch
    gsolve_status status = GSOLVE_OK;

    for (int first = 0; first < all.vectors && status == GSOLVE_OK; first += most * tile) {
        const int left = (all.vectors - first + tile - 1) / tile;
        const int count = (left < most ? left : most) * tiles;
        const int room = most_tiles * most_blocks / count, rows = rows_grid(q, n, 2);
        const dim3 grid((unsigned)(rows < room ? rows : room), (unsigned)count);
        project_kernel<T><<<grid, gs_block_size, 0, q->stream>>>(
            n, first, all, of<const T>(W), C, ld, (double *)((char *)space + head),
            (unsigned *)space, q->guard);
        status = gs_cuda(q, cudaGetLastError(), "products with a basis");
    }
    return status;
}

// --- W -= V C ---------------------------------------------------------------------------------

constexpr int piece = 32, ahead = 8; // vectors whose numbers are in shared memory; loads under way

template <class T, int B>
struct coefficients {
    int64_t at[piece];
    T of[piece][B];
};

template <class T, int B>
__device__ void load(coefficients<T, B> &s, const basis<T> &V, int first, const double *C,
                     int64_t ld)
{
    __syncthreads(); // the last ones are not needed any more
    for (int e = (int)threadIdx.x; e < piece * B; e += gs_block_size) {
        const int l = first + e % piece, c = e / piece;
        s.of[e % piece][c] = l < V.vectors && c < V.b ? (T)C[l + c * ld] : T(0);
    }
    if ((int)threadIdx.x < piece) {
        const int l = first + (int)threadIdx.x;
        s.at[threadIdx.x] = V.at(l < V.vectors ? l : 0);
    }
    __syncthreads();
}

template <class T, int B>
__global__ void __launch_bounds__(gs_block_size)
    combine_kernel(int64_t n, const basis<T> V, const double *C, int64_t ld, bool fresh,
                   columns<T> W, const int *ended)
{
    __shared__ coefficients<T, B> s;
    const int64_t step = (int64_t)gridDim.x * gs_block_size;

    if (ended && *ended) return;
    for (int64_t from = (int64_t)blockIdx.x * gs_block_size; from < n; from += step) {
        const int64_t i = from + threadIdx.x;
        T sum[B] = {};
        for (int first = 0; first < V.vectors; first += piece) {
            load(s, V, first, C, ld);
            const int count = V.vectors - first < piece ? V.vectors - first : piece;
            for (int l = 0; l < count && i < n; l += ahead) {
                T v[ahead];
#pragma unroll
                for (int e = 0; e < ahead; e++) v[e] = l + e < count ? V.v[s.at[l + e] + i] : T(0);
#pragma unroll
                for (int e = 0; e < ahead; e++) {
#pragma unroll
                    for (int c = 0; c < B; c++) sum[c] += v[e] * s.of[l + e][c];
                }
            }
        }
#pragma unroll
        for (int c = 0; c < B; c++) {
            if (c < V.b && i < n) W(i, c) = fresh ? sum[c] : W(i, c) - sum[c];
        }
    }
}

template <class T, int B>
gsolve_status combine_of(gs_queue *q, int64_t n, const gs_arnoldi_basis &V, const double *C,
                         int64_t ld, bool fresh, gs_block_columns W)
{
    constexpr auto kernel = combine_kernel<T, B>;

    return gs_launch(q, "a combination of a basis", kernel, gs_grid(q, n, gs_at_once<kernel>()),
                     gs_block_size, n, vectors_of<T>(V), C, ld, fresh, of<T>(W), q->guard);
}

template <class T>
gsolve_status combine(gs_queue *q, int64_t n, gs_arnoldi_basis V, const double *C, int64_t ld,
                      bool fresh, gs_block_columns W)
{
    return V.b <= 1   ? combine_of<T, 1>(q, n, V, C, ld, fresh, W)
           : V.b <= 4 ? combine_of<T, 4>(q, n, V, C, ld, fresh, W)
           : V.b <= 8 ? combine_of<T, 8>(q, n, V, C, ld, fresh, W)
                      : combine_of<T, 16>(q, n, V, C, ld, fresh, W);
}

size_t space(int64_t, int, int)
{
    return space_size;
}

// --- small matrices ---------------------------------------------------------------------------

gsolve_status first(gs_queue *q, const gs_arnoldi_small *a)
{
    return gs_launch(q, "the small factors of a block", first_kernel, 1, gs_block_size, *a,
                     q->guard);
}

gsolve_status second(gs_queue *q, const gs_arnoldi_small *a)
{
    return gs_launch(q, "the small factors of a block again", second_kernel, 1, gs_block_size, *a,
                     q->guard);
}

gsolve_status rotate(gs_queue *q, const gs_arnoldi_small *a)
{
    return gs_launch(q, "the reflections of a block", rotate_kernel, 1, gs_block_size, *a,
                     q->guard);
}

gsolve_status solve(gs_queue *q, const gs_arnoldi_small *a)
{
    return gs_launch(q, "the small system of a cycle", solve_kernel, 1, gs_block_size, *a,
                     q->guard);
}

gsolve_status close(gs_queue *q, const gs_arnoldi_small *a)
{
    return gs_launch(q, "the end of a cycle", close_kernel, 1, GS_BLOCK, *a, q->guard);
}

} // namespace

extern "C" const gs_arnoldi_kernels gs_arnoldi_cuda[GSOLVE_TYPE_COUNT] = {
    {space, project<float>, combine<float>, first, second, rotate, solve, close},
    {space, project<double>, combine<double>, first, second, rotate, solve, close}};
