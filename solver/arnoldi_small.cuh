// arnoldi_small.cuh: the kernels of arnoldi.h on small matrices, each by one block of threads; what
// they compute is in arnoldi_host.c.
#include "solver/block.cuh"

extern "C" {
#include "solver/arnoldi.h"
}

namespace
{

constexpr int rows2 = 2 * side; // of two blocks

__device__ double *at_work(const gs_arnoldi_small &a)
{
    return a.steps > 0 ? a.H + (int64_t)(a.steps - 1) * a.b * a.ld : a.g;
}

// The sum over a warp, alike in all its threads.
__device__ double warp_sum(double value)
{
    for (int bit = 16; bit > 0; bit /= 2) value += __shfl_xor_sync(0xffffffffu, value, bit);
    return value;
}

// --- orthogonal blocks ------------------------------------------------------------------------

// was = the square of column c before the pass, by the 16 threads of the column; in all of them.
__device__ double square_before(const gs_arnoldi_small &a, const double *C, int i, int c)
{
    const int count = c < a.b ? a.steps * a.b : 0;
    double sum = 0;

    for (int r = i; r < count; r += side) sum += C[r + c * a.ld] * C[r + c * a.ld];
    for (int bit = side / 2; bit > 0; bit /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, bit);
    return sum + (c < a.b ? a.G[c + c * GS_BLOCK] : 0);
}

__global__ void __launch_bounds__(gs_block_size) first_kernel(gs_arnoldi_small a, const int *guard)
{
    __shared__ factor f;
    __shared__ double floor[side];
    __shared__ bool well[side];
    const int i = (int)threadIdx.x % side, j = (int)threadIdx.x / side, rows = a.steps * a.b;
    double *C = at_work(a);

    if (guard && *guard) return;
    const double was = square_before(a, C, i, j);
    if (i == 0) {
        const double left = j < a.b ? a.G[j + j * GS_BLOCK] : 0;
        const bool out = a.steps == 0 && j < a.b && a.ended[j];
        floor[j] = out ? (double)INFINITY : a.noise * a.noise * was;
        well[j] = !(left > floor[j]) || left >= GS_WELL * was;
    }
    __syncthreads();
    factorise(f, a.b, a.G, floor);
    if (i < a.b && j < a.b) {
        a.t[i + j * GS_BLOCK] = f.t[i][j];
        C[rows + i + j * a.ld] = f.L[j][i] * f.own[j];
    }
    if (a.steps == 0 && (int)threadIdx.x < a.b) a.nothing[threadIdx.x] = 1;
    if (threadIdx.x == 0) {
        bool once = f.least >= GS_WELL;
        for (int c = 0; c < a.b; c++) once = once && well[c];
        *a.once = once;
        if (a.steps == 0) *a.length = 0;
    }
}

__global__ void __launch_bounds__(gs_block_size) second_kernel(gs_arnoldi_small a, const int *guard)
{
    __shared__ factor f;
    __shared__ double S[side][side]; // [column][row]
    const int i = (int)threadIdx.x % side, j = (int)threadIdx.x / side;
    const int b = a.b, rows = a.steps * b;
    const bool in = i < b && j < b;
    double *C = at_work(a), below = 0;

    if (guard && *guard) return;
    factorise(f, b, a.G, nullptr);
    S[j][i] = in ? C[rows + i + j * a.ld] : 0;
    __syncthreads();
    for (int e = (int)threadIdx.x; e < rows * b; e += gs_block_size) {
        const int r = e % rows, c = e / rows;
        double sum = 0;
        for (int m = 0; m < b; m++) sum += a.again[r + m * a.ld] * S[c][m];
        C[r + c * a.ld] += sum;
    }
    for (int m = 0; m < b; m++) below += f.L[m][i] * f.own[m] * S[j][m];
    if (in) {
        a.t[i + j * GS_BLOCK] = f.t[i][j];
        C[rows + i + j * a.ld] = below;
    }
    if (threadIdx.x == 0) *a.once = 1;
}

// --- the least-squares problem ----------------------------------------------------------------

// in[c] = rows j b to (j + 2) b of column c of C, of which the first block is transformed by all
// steps before j. Reads [k % 2] of two copies in step k; returns which one holds the last.
__device__ int transform(const gs_arnoldi_small &a, double *C, int j, double (*in)[side][rows2])
{
    const int b = a.b, two = 2 * b, t = (int)threadIdx.x;

    for (int e = t; e < two * b; e += gs_block_size) {
        in[0][e / two][e % two] = C[e % two + e / two * a.ld];
    }
    __syncthreads();
    for (int k = 0; k < j; k++) {
        const double *Q = a.Q + (int64_t)k * two * two;
        for (int e = t; e < two * b; e += gs_block_size) {
            const int r = e % two, c = e / two;
            double *column = C + c * a.ld + k * b;
            const double below = r >= b ? column[b + r] : 0; // the row that comes next
            double sum = 0;
            for (int m = 0; m < two; m++) sum += Q[r + m * two] * in[k % 2][c][m];
            if (r < b) {
                column[r] = sum;
            } else {
                in[1 - k % 2][c][r - b] = sum;
                in[1 - k % 2][c][r] = below;
            }
        }
        __syncthreads();
    }
    return j % 2;
}

// H, of b columns, the product of the reflections, of 2 b, and g, of b, in two blocks of rows.
struct pair {
    double of[4 * side][rows2];
};

// The reflection that clears column k below row k, on all columns; a warp has a column, a thread a
// row of it.
__device__ void reflect(pair &p, int b, int k)
{
    const int r = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
    const double x = r >= k && r < 2 * b ? p.of[k][r] : 0, top = p.of[k][k];
    const double size = sqrt(warp_sum(x * x)), alpha = top > 0 ? -size : size;
    const double v = r == k ? x - alpha : x, factor = 1 / (alpha * (alpha - top));

    __syncthreads(); // everybody has read column k
    if (!(size > 0)) return;
    for (int c = k + warp; c < 4 * b; c += gs_block_size / 32) {
        const double y = p.of[c][r], sum = warp_sum(v * y) * factor;
        p.of[c][r] = c > k ? y - sum * v : r == k ? alpha : r > k ? 0 : y;
    }
}

__global__ void __launch_bounds__(gs_block_size) rotate_kernel(gs_arnoldi_small a, const int *guard)
{
    __shared__ pair p;
    __shared__ double in[2][side][rows2];
    const int b = a.b, two = 2 * b, j = a.steps - 1;
    const int r = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
    double *C = at_work(a), *Q = a.Q + (int64_t)j * two * two;

    if (guard && *guard) return;
    const int last = transform(a, C, j, in);
    for (int c = warp; c < 4 * b; c += gs_block_size / 32) {
        const double *g = a.g + (int64_t)(c - 3 * b) * a.ld + j * b;
        p.of[c][r] = r >= two    ? 0
                     : c < b     ? in[last][c][r]
                     : c < 3 * b ? r == c - b
                     : r < b     ? g[r]
                                 : 0;
    }
    __syncthreads();
    for (int k = 0; k < b; k++) {
        reflect(p, b, k);
        __syncthreads();
    }
    for (int c = warp; c < 4 * b; c += gs_block_size / 32) {
        const double y = p.of[c][r];
        if (c < b && r < b) C[j * b + r + c * a.ld] = y;
        if (c >= b && c < 3 * b && r < two) Q[r + (c - b) * two] = y;
        if (c < 3 * b) continue;
        if (r < two) a.g[j * b + r + (c - 3 * b) * a.ld] = y;
        const double rest = warp_sum(r >= b && r < two ? y * y : 0);
        if (r == 0 && !a.ended[c - 3 * b]) a.rr[c - 3 * b] = rest;
    }
    if (threadIdx.x == 0) *a.length = a.steps;
}

// Block k of y, whose rows of R are on the diagonal; a thread has a column.
__device__ void solve_diagonal(const gs_arnoldi_small &a, int k, double (&D)[side][side + 1],
                               double (&y)[side][side + 1])
{
    const int i = (int)threadIdx.x % side, j = (int)threadIdx.x / side, b = a.b;
    const bool in = i < b && j < b;

    D[j][i] = in ? a.H[k * b + i + (k * b + j) * a.ld] : 0;
    y[j][i] = in ? a.again[k * b + i + j * a.ld] : 0;
    __syncthreads();
    if ((int)threadIdx.x < b) {
        const int c = (int)threadIdx.x;
        for (int r = b - 1; r >= 0; r--) {
            double sum = y[c][r];
            for (int m = r + 1; m < b; m++) sum -= D[m][r] * y[c][m];
            y[c][r] = D[r][r] != 0 ? sum / D[r][r] : 0;
        }
    }
    __syncthreads();
    if (in) a.again[k * b + i + j * a.ld] = y[j][i];
}

__global__ void __launch_bounds__(gs_block_size) solve_kernel(gs_arnoldi_small a, const int *guard)
{
    __shared__ double D[side][side + 1], y[side][side + 1];
    const int b = a.b, t = (int)threadIdx.x;

    if (guard && *guard) return;
    const int length = *a.length, rows = length * b;
    for (int e = t; e < rows * b; e += gs_block_size) {
        a.again[e % rows + e / rows * a.ld] = a.g[e % rows + e / rows * a.ld];
    }
    __syncthreads();
    for (int k = length - 1; k >= 0; k--) {
        const int above = k * b;
        solve_diagonal(a, k, D, y);
        for (int e = t; e < above * b; e += gs_block_size) {
            const int r = e % above, c = e / above;
            double sum = 0;
            for (int m = 0; m < b; m++) sum += a.H[r + (above + m) * a.ld] * y[c][m];
            a.again[r + c * a.ld] -= sum;
        }
        __syncthreads();
    }
    if (t < b) a.nothing[t] = length == 0;
}

__global__ void close_kernel(gs_arnoldi_small a, const int *guard)
{
    if (guard && *guard) return;
    if (threadIdx.x == 0) *a.length = 0;
    if ((int)threadIdx.x < a.b) a.nothing[threadIdx.x] = 1;
}

} // namespace
