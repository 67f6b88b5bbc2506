// arnoldi_cuda.cu: the kernels of block_gmres in block.h on a GPU; those on small matrices are in
// arnoldi_small.cuh, C = V'W in arnoldi_project.cuh.
#include "solver/block/arnoldi_project.cuh"

namespace
{

// --- Y = V C, W -= V C ------------------------------------------------------------------------

constexpr int piece = 128; // rows of C in shared memory

// In shared memory: the vectors of a piece, and the coefficients that the lanes of a warp multiply
// them by, for N tiles of columns.
template <class T, int N>
struct coefficients {
    const T *at[piece];
    double of[piece / 4][N][32];
};

// Copies rows first to first + piece of C to shared memory; 0 beyond the last vector.
template <class T, int N>
__device__ void load(coefficients<T, N> &s, const basis<T> &V, int first, const double *C,
                     int64_t ld)
{
    __syncthreads(); // the last ones are not needed any more
    for (int e = (int)threadIdx.x; e < piece * N * 8; e += gs_block_size) {
        const int lane = e % 32, tile_of = e / 32 % N, four = e / 32 / N;
        const int l = first + four * 4 + lane % 4, c = tile_of * 8 + lane / 4;
        s.of[four][tile_of][lane] = l < V.vectors && c < V.b ? C[l + c * ld] : 0;
    }
    for (int e = (int)threadIdx.x; e < piece; e += gs_block_size) {
        s.at[e] = V.vector(first + e < V.vectors ? first + e : 0);
    }
    __syncthreads();
}

// The rows that a warp has at once: 8 wide. Lane l loads rows [l / 4 wide, (l / 4 + 1) wide) of
// vector l % 4. It then holds rows [l % 4 2 wide, (l % 4 + 1) 2 wide) of column l / 4.
template <class T, int N>
struct row_block {
    double sum[N][gs_wide<T>][2]; // [column tile][row of a pack][pack]
};

// y += V C in the rows from i on, for `count` vectors of the piece in s. The loads of `ahead`
// groups of four vectors are in flight at once.
template <class T, int N>
__device__ void add(row_block<T, N> &y, const coefficients<T, N> &s, int count, int64_t i,
                    int64_t n)
{
    constexpr int wide = gs_wide<T>, ahead = 8;
    const int lane = (int)threadIdx.x % 32;
    const int64_t row = i + lane / 4 * wide;

    for (int four = 0; 4 * four < count; four += ahead) {
        gs_pack<T, wide> v[ahead];
#pragma unroll
        for (int e = 0; e < ahead; e++) {
            const int l = 4 * (four + e) + lane % 4;
            v[e] = load_rows<wide>(s.at[l], row, l < count ? n : 0);
        }
#pragma unroll
        for (int e = 0; e < ahead; e++) {
#pragma unroll
            for (int c = 0; c < N; c++) {
                const double by = s.of[four + e][c][lane];
#pragma unroll
                for (int r = 0; r < wide; r++) multiply_tiles(y.sum[c][r], by, (double)v[e].v[r]);
            }
        }
    }
}

// With SUBTRACT y = W - y, without it y = y rounded to T, in the rows from i on; W = y unless
// `stays`.
template <bool SUBTRACT, class T, int N>
__device__ void put(row_block<T, N> &y, columns<T> W, int b, bool stays, int64_t i, int64_t n)
{
    constexpr int wide = gs_wide<T>;
    const int lane = (int)threadIdx.x % 32;

#pragma unroll
    for (int c = 0; c < N; c++) {
        const int j = c * 8 + lane / 4;
        T *w = W.v + (j < b ? j : 0) * W.stride;
#pragma unroll
        for (int h = 0; h < 2; h++) {
            const int64_t at = i + (lane % 4 * 2 + h) * wide;
            gs_pack<T, wide> x = {};
            if (SUBTRACT) x = load_rows<wide>((const T *)w, at, j < b ? n : 0);
#pragma unroll
            for (int r = 0; r < wide; r++) {
                x.v[r] = SUBTRACT ? (T)((double)x.v[r] - y.sum[c][r][h]) : (T)y.sum[c][r][h];
                y.sum[c][r][h] = (double)x.v[r];
            }
            if (j >= b || stays) continue;
            if (at + wide <= n) {
                gs_store<wide>(w, at, x);
            } else {
                for (int r = 0; r < wide; r++) {
                    if (at + r < n) w[at + r] = x.v[r];
                }
            }
        }
    }
}

// square += the products of the columns of y. Tile 2 c has those of the tiles c / N and c % N. A
// row_block is distributed over the lanes like both factors of multiply_tiles, so that no lane
// needs numbers of another lane.
template <class T, int N>
__device__ void add_squares(double *square, const row_block<T, N> &y)
{
#pragma unroll
    for (int e = 0; e < gs_wide<T> * 2; e++) {
#pragma unroll
        for (int c = 0; c < N * N; c++) {
            multiply_tiles(square + 2 * c, y.sum[c / N][e / 2][e % 2], y.sum[c % N][e / 2][e % 2]);
        }
    }
}

template <class T>
struct combination {
    basis<T> V;
    const double *C;
    int64_t ld; // of C
    columns<T> W;
    double *G;
};

// SUBTRACT: W -= V C and G = W'W; else W = V C. A warp owns 8 gs_wide<T> rows at a time: its
// tensor-core tiles hold their elements of W, in double. A block of threads holds `piece` rows of C
// in shared memory. V is read once, W read and written once. With SUBTRACT a block writes its part
// of G to `partial`, and the block that finishes last adds the parts in a fixed order.
template <class T, int N, bool SUBTRACT>
__global__ void __launch_bounds__(gs_block_size, 2)
    combine_kernel(int64_t n, const combination<T> a, double *partial, unsigned *arrived,
                   gs_guard guard)
{
    const basis<T> &V = a.V;
    constexpr int rows = 8 * gs_wide<T>, count = N * N * 2;
    __shared__ coefficients<T, N> s;
    const int64_t step = (int64_t)gridDim.x * warps * rows;
    double square[count] = {};

    if (guard.has_ended()) return;
    for (int64_t from = (int64_t)blockIdx.x * warps * rows; from < n; from += step) {
        const int64_t i = from + threadIdx.x / 32 * rows;
        row_block<T, N> y = {};
        for (int first = 0; first < V.vectors; first += piece) {
            load(s, V, first, a.C, a.ld);
            add(y, s, V.vectors - first < piece ? V.vectors - first : piece, i, n);
        }
        put<SUBTRACT>(y, a.W, V.b, SUBTRACT && V.vectors == 0, i, n);
        if constexpr (SUBTRACT) add_squares(square, y);
    }
    if constexpr (SUBTRACT) {
        __shared__ double of_warp[warps][count * 32];
        part_sums(square, of_warp, (int)blockIdx.x, (int)gridDim.x, partial, arrived,
                  [&](int e, double total) {
                      const int at = e % 32, k = e / 32, c = k / 2;
                      const int i = c / N * 8 + at / 4, j = c % N * 8 + at % 4 * 2 + k % 2;
                      if (i < V.b && j < V.b) a.G[i + j * GS_BLOCK] = total;
                  });
    }
}

template <class T, int N, bool SUBTRACT>
gsolve_status combine(gs_queue *q, int64_t n, const gs_arnoldi_basis &V, const double *C,
                      int64_t ld, gs_block_columns W, double *G, void *space)
{
    constexpr auto kernel = combine_kernel<T, N, SUBTRACT>;
    const int most = gs_at_once<kernel>();
    const int few = N > 1 ? 1 : 2; // adding the parts of many blocks takes long
    const int grid = gs_grid(q, n * 4 / gs_wide<T>, SUBTRACT && most > few ? few : most);

    const combination<T> a = {vectors_of<T>(V), C, ld, of<T>(W), G};

    return gs_launch_pdl(q, "a combination of a basis", kernel, grid, gs_block_size, n, a,
                         space ? (double *)((char *)space + head) : nullptr, (unsigned *)space);
}

template <class T>
gsolve_status subtract(gs_queue *q, int64_t n, gs_arnoldi_basis V, const double *C, int64_t ld,
                       gs_block_columns W, double *G, void *space)
{
    return V.b <= 8 ? combine<T, 1, true>(q, n, V, C, ld, W, G, space)
                    : combine<T, 2, true>(q, n, V, C, ld, W, G, space);
}

template <class T>
gsolve_status times(gs_queue *q, int64_t n, gs_arnoldi_basis V, const double *C, int64_t ld,
                    gs_block_columns Y)
{
    return V.b <= 8 ? combine<T, 1, false>(q, n, V, C, ld, Y, nullptr, nullptr)
                    : combine<T, 2, false>(q, n, V, C, ld, Y, nullptr, nullptr);
}

size_t space(int64_t, int, int)
{
    return space_size;
}

// --- small matrices ---------------------------------------------------------------------------

gsolve_status first(gs_queue *q, const gs_arnoldi_small *a)
{
    return gs_launch_pdl(q, "the small factors of a block", first_kernel, 1, gs_block_size, *a);
}

gsolve_status second(gs_queue *q, const gs_arnoldi_small *a)
{
    return gs_launch_pdl(q, "the small factors of a block again", second_kernel, 1, gs_block_size,
                         *a);
}

gsolve_status solve(gs_queue *q, const gs_arnoldi_small *a)
{
    return gs_launch_pdl(q, "the small system of a cycle", solve_kernel, 1, gs_block_size, *a);
}

gsolve_status close(gs_queue *q, const gs_arnoldi_small *a)
{
    return gs_launch_pdl(q, "the end of a cycle", close_kernel, 1, GS_BLOCK, *a);
}

} // namespace

extern "C" const gs_arnoldi_kernels gs_arnoldi_cuda[GSOLVE_TYPE_COUNT] = {
    {space, project<float>, subtract<float>, times<float>, first, second, solve, close},
    {space, project<double>, subtract<double>, times<double>, first, second, solve, close}};
