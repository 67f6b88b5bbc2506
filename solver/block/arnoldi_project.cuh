// arnoldi_project.cuh: C = V'W for arnoldi_cuda.cu, and the functions that its kernels share.
// Tensor cores multiply 8 vectors by 8 others; they add in fp64 and in a fixed order. W has few
// columns, so that the speed of the kernel is that of reading V from memory.
#include "solver/block/arnoldi_small.cuh"

namespace
{

template <class T>
struct basis {
    const T *v;
    int64_t stride;
    int apart, b, vectors;
    __device__ const T *vector(int l) const
    {
        return v + ((int64_t)(l / b) * apart + l % b) * stride;
    }
};

template <class T>
basis<T> vectors_of(const gs_arnoldi_basis &V)
{
    return {(const T *)V.v, V.stride, V.apart, V.b, V.count * V.b};
}

// The W elements from p[i] on; 0 in rows from n on.
template <int W, class T>
__device__ gs_pack<T, W> load_rows(const T *p, int64_t i, int64_t n)
{
    gs_pack<T, W> x;

    if (i + W <= n) return gs_load<W>(p, i);
#pragma unroll
    for (int e = 0; e < W; e++) x.v[e] = i + e < n ? p[i + e] : T(0);
    return x;
}

// --- C = V'W ----------------------------------------------------------------------------------

constexpr int warp_tiles = 4; // tiles of 8 vectors that a warp multiplies at once

template <class T>
struct projection {
    int first, groups; // the first vector; groups of blocks
    basis<T> V;
    columns<const T> W;
    double *C;
    int64_t ld; // of C
};

// A group of blocks owns `warp_tiles` tiles of 8 vectors of V, with all N tiles of columns of W.
// The blocks of a group divide the rows; blocks with consecutive numbers have the same rows and
// different groups, so that W comes from memory once. A warp owns `rows` rows at a time and keeps
// warp_tiles x N tiles of sums in registers. V is read once.
template <class T, int N>
__global__ void __launch_bounds__(gs_block_size, 2)
    project_kernel(int64_t n, const projection<T> a, double *partial, unsigned *arrived,
                   gs_guard guard)
{
    const basis<T> &V = a.V;
    const int groups = a.groups;
    constexpr int wide = gs_wide<T>, ahead = N > 1 ? 2 : 4, rows = 4 * wide * ahead;
    constexpr int count = warp_tiles * N * 2;
    __shared__ double of_warp[warps][count * 32];
    const int group = (int)blockIdx.x % groups, part = (int)blockIdx.x / groups;
    const int parts = (int)gridDim.x / groups, lane = (int)threadIdx.x % 32;
    const int left = a.first + group * warp_tiles * 8;
    const T *v[warp_tiles], *w[N];
    double sum[count] = {};

    if (guard.has_ended()) return;
#pragma unroll
    for (int g = 0; g < warp_tiles; g++) {
        const int l = left + 8 * g + lane / 4;
        v[g] = V.vector(l < V.vectors ? l : left) + lane % 4 * wide;
    }
#pragma unroll
    for (int c = 0; c < N; c++) {
        const int j = 8 * c + lane / 4;
        w[c] = a.W.v + (j < V.b ? j : 0) * a.W.stride + lane % 4 * wide;
    }
    const int64_t step = (int64_t)parts * warps * rows;
    for (int64_t i = ((int64_t)part * warps + threadIdx.x / 32) * rows; i < n; i += step) {
        const int64_t rest = n - lane % 4 * wide;
        gs_pack<T, wide> x[ahead][N], u[ahead][warp_tiles];
#pragma unroll
        for (int s = 0; s < ahead; s++) {
            const int64_t at = i + s * 4 * wide;
#pragma unroll
            for (int c = 0; c < N; c++) x[s][c] = load_rows<wide>(w[c], at, rest);
#pragma unroll
            for (int g = 0; g < warp_tiles; g++) u[s][g] = load_rows<wide>(v[g], at, rest);
        }
#pragma unroll
        for (int e = 0; e < ahead * wide; e++) {
#pragma unroll
            for (int gc = 0; gc < warp_tiles * N; gc++) {
                multiply_tiles(sum + 2 * gc, (double)u[e / wide][gc / N].v[e % wide],
                               (double)x[e / wide][gc % N].v[e % wide]);
            }
        }
    }
    part_sums(sum, of_warp, part, parts, partial + (int64_t)group * parts * count * 32,
              arrived + group, [&](int e, double total) {
                  const int s = e / 32, at = e % 32, gc = s / 2;
                  const int l = left + gc / N * 8 + at / 4, c = gc % N * 8 + at % 4 * 2 + s % 2;
                  if (l < V.vectors && c < V.b) a.C[l + c * a.ld] = total;
              });
}

constexpr int most_counters = (int)(head / sizeof(unsigned));
constexpr size_t numbers = (space_size - head) / sizeof(double); // for partial sums

template <class T, int N>
gsolve_status project_of(gs_queue *q, int64_t n, const gs_arnoldi_basis &V, gs_block_columns W,
                         double *C, int64_t ld, void *space)
{
    constexpr int rows = 16 * gs_wide<T> * warps;        // of a block, about
    constexpr int once = most_counters * warp_tiles * 8; // vectors of a launch
    const basis<T> all = vectors_of<T>(V);
    gsolve_status status = GSOLVE_OK;

    for (int first = 0; first < all.vectors && status == GSOLVE_OK; first += once) {
        const int tiles = ((all.vectors - first < once ? all.vectors - first : once) + 7) / 8;
        const int groups = (tiles + warp_tiles - 1) / warp_tiles;
        const int64_t most = (n + rows - 1) / rows;
        const int fit = (int)(numbers / (size_t)(groups * warp_tiles * N * 64));
        int parts = (2 * q->processors + groups - 1) / groups;
        if (parts > q->processors)
            parts = q->processors; // adding the parts of many blocks takes long
        if (parts > most) parts = (int)most;
        if (parts > fit) parts = fit;
        if (parts < 1) parts = 1;
        status = gs_launch_pdl(q, "products with a basis", project_kernel<T, N>, groups * parts,
                               gs_block_size, n,
                               projection<T>{first, groups, all, of<const T>(W), C, ld},
                               (double *)((char *)space + head), (unsigned *)space);
    }
    return status;
}

template <class T>
gsolve_status project(gs_queue *q, int64_t n, gs_arnoldi_basis V, gs_block_columns W, double *C,
                      int64_t ld, void *space)
{
    return V.b <= 8 ? project_of<T, 1>(q, n, V, W, C, ld, space)
                    : project_of<T, 2>(q, n, V, W, C, ld, space);
}

} // namespace
