// arnoldi_small.cuh: the kernels of block_gmres in block.h on small matrices. Each is one block of
// threads; the matrices stay in global memory, their current blocks in shared memory.
// arnoldi_host.c has the same algorithms for one thread.
#include "core/pdl.cuh"
#include "solver/block/block.cuh"

extern "C" {
#include "solver/block/block.h"
}

namespace
{

constexpr int rows2 = 2 * side; // of two blocks

__device__ double *current(const gs_arnoldi_small &a)
{
    return a.steps > 0 ? a.H + (int64_t)(a.steps - 1) * a.b * a.ld : a.g;
}

// sum += A B, 8 x 4 by 4 x 8, by a warp: lane l has A[l / 4][l % 4], B[l % 4][l / 4] and the sums
// [l / 4][2 (l % 4)] and [l / 4][2 (l % 4) + 1].
__device__ void multiply_tiles(double *sum, double a, double b)
{
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
                 : "+d"(sum[0]), "+d"(sum[1])
                 : "d"(a), "d"(b));
}

// The sum over a warp, alike in all its threads.
__device__ double warp_sum(double value)
{
    for (int bit = 16; bit > 0; bit /= 2) value += __shfl_xor_sync(0xffffffffu, value, bit);
    return value;
}

// --- the least-squares problem ----------------------------------------------------------------

// Shared memory of rotate: Q, the reflections of earlier steps, is used before p.
struct rotation {
    double in[2][side][rows2];
    union {
        double Q[2][rows2 * rows2];
        double p[4 * side][rows2]; // H, of b columns, the product of the reflections, of 2 b, and
                                   // g, of b, in two blocks of rows
    };
};

// Applies the reflections of all steps before j to C. Then in[.][c] = rows j b to (j + 2) b of
// column c. Step k reads the copy k % 2 and writes the other, while the reflections of step k + 1
// are loaded. Returns the copy that holds the result.
__device__ int transform(const gs_arnoldi_small &a, double *C, int j, rotation &s)
{
    const int b = a.b, two = 2 * b, t = (int)threadIdx.x;

    for (int e = t; e < two * b; e += gs_block_size) {
        s.in[0][e / two][e % two] = C[e % two + e / two * a.ld];
    }
    for (int e = t; e < two * two && j > 0; e += gs_block_size) s.Q[0][e] = a.Q[e];
    __syncthreads();
    for (int k = 0; k < j; k++) {
        const double *Q = s.Q[k % 2], *next = a.Q + (int64_t)(k + 1) * two * two;
        double ahead[4];
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const int e = t + i * gs_block_size;
            ahead[i] = k + 1 < j && e < two * two ? next[e] : 0;
        }
        for (int e = t; e < two * b; e += gs_block_size) {
            const int r = e % two, c = e / two;
            double *column = C + c * a.ld + k * b;
            const double below = r >= b ? column[b + r] : 0; // the row that comes next
            double sum = 0;
            for (int m = 0; m < two; m++) sum += Q[r + m * two] * s.in[k % 2][c][m];
            if (r < b) {
                column[r] = sum;
            } else {
                s.in[1 - k % 2][c][r - b] = sum;
                s.in[1 - k % 2][c][r] = below;
            }
        }
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const int e = t + i * gs_block_size;
            if (e < two * two) s.Q[1 - k % 2][e] = ahead[i];
        }
        __syncthreads();
    }
    return j % 2;
}

// Applies the reflection that clears column k below row k to all columns. A warp owns a column, a
// lane one row of it.
__device__ void reflect(rotation &s, int b, int k)
{
    constexpr int ahead = 4;
    const int r = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
    const double x = r >= k && r < 2 * b ? s.p[k][r] : 0, top = s.p[k][k];
    const double size = sqrt(warp_sum(x * x)), alpha = top > 0 ? -size : size;
    const double v = r == k ? x - alpha : x, factor = 1 / (alpha * (alpha - top));

    __syncthreads(); // all threads have read column k
    if (!(size > 0)) return;
    for (int first = k + warp; first < 4 * b; first += ahead * warps) {
        double y[ahead], sum[ahead];
#pragma unroll
        for (int e = 0; e < ahead; e++) {
            const int c = first + e * warps;
            y[e] = c < 4 * b ? s.p[c][r] : 0;
            sum[e] = v * y[e];
        }
#pragma unroll
        for (int bit = 16; bit > 0; bit /= 2) {
#pragma unroll
            for (int e = 0; e < ahead; e++) {
                sum[e] += __shfl_xor_sync(0xffffffffu, sum[e], bit);
            }
        }
#pragma unroll
        for (int e = 0; e < ahead; e++) {
            const int c = first + e * warps;
            if (c >= 4 * b) continue;
            s.p[c][r] = c > k ? y[e] - sum[e] * factor * v : r == k ? alpha : r > k ? 0 : y[e];
        }
    }
}

// Applies all reflections to the columns of H of this step and to g; sets rr.
__device__ void rotate(const gs_arnoldi_small &a, rotation &s)
{
    const int b = a.b, two = 2 * b, j = a.steps - 1;
    const int r = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
    double *C = current(a), *Q = a.Q + (int64_t)j * two * two;

    const int last = transform(a, C, j, s);

    for (int c = warp; c < 4 * b; c += gs_block_size / 32) {
        const double *g = a.g + (int64_t)(c - 3 * b) * a.ld + j * b;
        s.p[c][r] = r >= two    ? 0
                    : c < b     ? s.in[last][c][r]
                    : c < 3 * b ? r == c - b
                    : r < b     ? g[r]
                                : 0;
    }
    __syncthreads();
    for (int k = 0; k < b; k++) {
        reflect(s, b, k);
        __syncthreads();
    }
    for (int c = warp; c < 4 * b; c += gs_block_size / 32) {
        const double y = s.p[c][r];
        if (c < b && r < b) C[j * b + r + c * a.ld] = y;
        if (c >= b && c < 3 * b && r < two) Q[r + (c - b) * two] = y;
        if (c < 3 * b) continue;
        if (r < two) a.g[j * b + r + (c - 3 * b) * a.ld] = y;
        const double rest = warp_sum(r >= b && r < two ? y * y : 0);
        if (r == 0 && !a.ended[c - 3 * b]) a.rr[c - 3 * b] = rest;
    }
    if (threadIdx.x == 0) *a.length = a.steps;
}

// --- orthogonal blocks ------------------------------------------------------------------------

// The squared norm of column c before the pass, in all 16 threads of the column.
__device__ double square_before(const gs_arnoldi_small &a, const double *C, int i, int c)
{
    const int count = c < a.b ? a.steps * a.b : 0;
    double sum = 0;

    for (int r = i; r < count; r += side) sum += C[r + c * a.ld] * C[r + c * a.ld];
    for (int bit = side / 2; bit > 0; bit /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, bit);
    return sum + (c < a.b ? a.G[c + c * GS_BLOCK] : 0);
}

// gs_arnoldi_kernels.first: one block of side x side threads; thread (i, j) owns element (i, j).
__global__ void __launch_bounds__(gs_block_size) first_kernel(gs_arnoldi_small a, gs_guard guard)
{
    __shared__ factor f;
    __shared__ rotation work;
    __shared__ double floor[side];
    __shared__ bool well[side], once;
    const int i = (int)threadIdx.x % side, j = (int)threadIdx.x / side, rows = a.steps * a.b;
    double *C = current(a);

    if (guard.has_ended()) { // the second pass is skipped, too
        if (threadIdx.x == 0) *a.once = 1;
        return;
    }
    const double was = square_before(a, C, i, j);
    if (i == 0) {
        const double left = j < a.b ? a.G[j + j * GS_BLOCK] : 0;
        const bool out = a.steps == 0 && j < a.b && a.ended[j];
        floor[j] = out ? (double)INFINITY : a.noise * a.noise * was;
        well[j] = !(left > floor[j]) || left >= GS_ONE_PASS_ENOUGH * was;
    }
    __syncthreads();
    factorise(f, a.b, a.G, floor);
    if (i < a.b && j < a.b) {
        a.t[i + j * GS_BLOCK] = f.t[i][j];
        C[rows + i + j * a.ld] = f.L[j][i] * f.own[j];
    }
    if (a.steps == 0 && (int)threadIdx.x < a.b) a.no_update[threadIdx.x] = 1;
    if (threadIdx.x == 0) {
        once = f.least >= GS_ONE_PASS_ENOUGH;
        for (int c = 0; c < a.b; c++) once = once && well[c];
        *a.once = once;
        if (a.steps == 0) *a.length = 0;
    }
    __syncthreads();
    if (once && a.steps > 0) rotate(a, work);
}

// gs_arnoldi_kernels.second: one block of side x side threads; thread (i, j) owns element (i, j).
__global__ void __launch_bounds__(gs_block_size) second_kernel(gs_arnoldi_small a, gs_guard guard)
{
    __shared__ factor f;
    __shared__ rotation work;
    __shared__ double S[side][side]; // [column][row]
    const int i = (int)threadIdx.x % side, j = (int)threadIdx.x / side;
    const int b = a.b, rows = a.steps * b;
    const bool in = i < b && j < b;
    double *C = current(a), below = 0;

    if (guard.has_ended()) return;
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
    __syncthreads();
    if (a.steps > 0) rotate(a, work);
}

// Solves for block k of y with the diagonal block of R; a thread owns a column.
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

// gs_arnoldi_kernels.solve: one block of side x side threads substitutes from the last block of
// rows to the first. solve_diagonal solves a diagonal block; then each thread updates elements of
// the rows above it. Reads R once.
__global__ void __launch_bounds__(gs_block_size) solve_kernel(gs_arnoldi_small a, gs_guard guard)
{
    __shared__ double D[side][side + 1], y[side][side + 1];
    const int b = a.b, t = (int)threadIdx.x;

    if (guard.has_ended()) return;
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
    if (t < b) a.no_update[t] = length == 0;
}

// gs_arnoldi_kernels.close: thread c owns column c.
__global__ void close_kernel(gs_arnoldi_small a, gs_guard guard)
{
    if (guard.has_ended()) return;
    if (threadIdx.x == 0) *a.length = 0;
    if ((int)threadIdx.x < a.b) a.no_update[threadIdx.x] = 1;
}

} // namespace
