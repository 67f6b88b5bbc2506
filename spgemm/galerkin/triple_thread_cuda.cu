// triple_thread_cuda.cu: rows of few products and few columns, one thread for each row. Threads
// share no sums, and no thread is idle because rows of B are short.
#include "spgemm/galerkin/triple_kernels.cuh"

namespace gs_triple_rows
{
namespace
{

constexpr int block_threads = 128, blocks_per_sm = 9;  // of a block; of a multiprocessor
constexpr int max_columns = 32, max_entries_of_A = 64; // columns of a row; entries of A's row

// The columns of a row in the order in which they occurred. They are interleaved by the threads of
// the block, so that the threads of a warp access different banks.
struct row_columns {
    int32_t *key;
    int n;

    // Finds or appends column j and returns its place. The array must have space for it.
    __device__ __forceinline__ int find(int32_t j)
    {
        int at = n;

        for (int first = 0; first < n && at == n; first += 4) {
#pragma unroll
            for (int u = 0; u < 4; u++) {
                const int s = first + u;
                if (s < n && key[s * block_threads] == j) at = s;
            }
        }
        if (at == n) key[n++ * block_threads] = j;
        return at;
    }
};

// Calls each(column, a, b) for the products of the entries [k, to) of A, in order, until ended()
// holds. The values of A and B are not read where T is `nothing`.
template <class T, int AT_ONCE, class Each, class Ended>
__device__ __forceinline__ void for_each_product(const rows_of &A, const rows_of &B, int64_t k,
                                                 int64_t to, Each each, Ended ended)
{
    constexpr int elements = 4; // of each of AT_ONCE rows of B, loaded before the first is used
    constexpr bool valued = !std::is_same_v<T, nothing>;

    for (; k < to && !ended(); k += AT_ONCE) {
        int64_t from[AT_ONCE];
        int length[AT_ONCE];
        T a[AT_ONCE];
        int32_t col[AT_ONCE][elements];
        T b[AT_ONCE][elements];
#pragma unroll
        for (int u = 0; u < AT_ONCE; u++) {
            const int64_t j = k + u < to ? A.col[k + u] : -1;
            from[u] = j < 0 ? 0 : B.begin(j);
            length[u] = j < 0 ? 0 : (int)(B.begin(j + 1) - from[u]);
            if constexpr (valued) a[u] = j < 0 ? T(0) : A.number<T>(k + u);
        }
#pragma unroll
        for (int u = 0; u < AT_ONCE; u++) {
#pragma unroll
            for (int e = 0; e < elements; e++) {
                col[u][e] = e < length[u] ? B.col[from[u] + e] : 0;
                if constexpr (valued) b[u][e] = e < length[u] ? B.number<T>(from[u] + e) : T(0);
            }
        }
#pragma unroll
        for (int u = 0; u < AT_ONCE; u++) {
#pragma unroll
            for (int e = 0; e < elements; e++) {
                if (e < length[u]) each(col[u][e], a[u], b[u][e]);
            }
            for (int e = elements; e < length[u] && !ended(); e++) {
                T value{};
                if constexpr (valued) value = B.number<T>(from[u] + e);
                each(B.col[from[u] + e], a[u], value);
            }
        }
    }
}

// Whether a row of A B has few products on average. of_A, of_B: the entries of A and B.
__device__ bool is_light(int64_t of_A, int32_t rows_of_A, int64_t of_B, int32_t rows_of_B)
{
    constexpr double most = 32;
    return (double)of_A * (double)of_B <= most * (double)rows_of_A * (double)rows_of_B;
}

// count[i] = the columns of row i of A B, up to max_columns. A thread owns a row and its columns in
// shared memory. Reads the row of A and the rows of B that it refers to once.
__global__ void __launch_bounds__(block_threads, blocks_per_sm)
    count_by_thread(rows_of A, rows_of B, int32_t nrows, int32_t rows_of_B, int32_t *count,
                    row_statistics *f)
{
    __shared__ int32_t space[(max_columns + 1) * block_threads];
    const int64_t of_A = A.begin(nrows), of_B = B.begin(rows_of_B);
    const bool light = is_light(of_A, nrows, of_B, rows_of_B);
    unsigned long long entries = 0, products = 0;
    int longest = light ? 0 : too_long;

    for (int64_t i = (int64_t)blockIdx.x * block_threads + threadIdx.x; i < nrows;
         i += (int64_t)gridDim.x * block_threads) {
        if (!light) break;
        const int64_t from = A.begin(i), to = A.begin(i + 1);
        row_columns found = {space + threadIdx.x, 0};
        int visited = 0;
        const auto ended = [&] { return found.n > max_columns; };
        if (to - from > max_entries_of_A) {
            longest = too_long;
            continue;
        }
        for_each_product<nothing, 4>(
            A, B, from, to,
            [&](int32_t j, nothing, nothing) {
                if (!ended()) found.find(j);
                visited++;
            },
            ended);
        count[i] = found.n;
        entries += (unsigned)found.n;
        products += (unsigned)visited;
        longest = max(longest, ended() ? too_long : found.n);
    }
    if (threadIdx.x == 0 && blockIdx.x == 0) {
        count[nrows] = 0;
        f->of_B = (unsigned long long)of_B;
    }
    add_statistics(entries, products, longest, f);
}

// Columns and values of rows of up to `most` columns. A thread owns a row; its sums and columns are
// in shared memory. Reads A and B as count_by_thread does, with values; writes C once. Invariant:
// each sum receives its products in A's order.
template <class T>
__global__ void __launch_bounds__(block_threads)
    fill_by_thread(rows_of A, rows_of B, int32_t nrows, int most, rows_of C, int32_t *col, T *value)
{
    extern __shared__ __align__(16) char gs_triple_thread[];
    const int64_t i = (int64_t)blockIdx.x * block_threads + threadIdx.x;
    if (i >= nrows) return;
    const int64_t begin = C.begin(i);
    T *const sum = reinterpret_cast<T *>(gs_triple_thread) + threadIdx.x;
    row_columns found = {
        reinterpret_cast<int32_t *>(gs_triple_thread + most * (int)sizeof(T) * block_threads) +
            threadIdx.x,
        0};

    for_each_product<T, 2>(
        A, B, A.begin(i), A.begin(i + 1),
        [&](int32_t j, T a, T b) {
            const int before = found.n, at = found.find(j);
            T *const s = &sum[at * block_threads];
            *s = fma(a, b, at < before ? *s : T(0));
        },
        [] { return false; });
    for (int e = 0; e < found.n; e++) {
        const int32_t mine = found.key[e * block_threads];
        int smaller = 0;
        for (int k = 0; k < found.n; k++) smaller += found.key[k * block_threads] < mine;
        col[begin + smaller] = mine;
        value[begin + smaller] = sum[e * block_threads];
    }
}

template <class T>
gsolve_status fill(const gsolve_csr *M, int longest, gsolve_context *ctx, const gsolve_csr *A,
                   const gsolve_csr *B)
{
    const int64_t blocks = ((int64_t)A->nrows + block_threads - 1) / block_threads;

    return launch_with(ctx->queue, "the rows of A P", fill_by_thread<T>, blocks, block_threads,
                       longest * (int)(sizeof(T) + sizeof(int32_t)) * block_threads, rows_of(A),
                       rows_of(B), A->nrows, longest, rows_of(M),
                       (int32_t *)gs_owned_block(ctx, M->col), (T *)gs_owned_block(ctx, M->value));
}

} // namespace

gsolve_status count_by_threads(gsolve_context *ctx, const gsolve_csr *A, const gsolve_csr *B,
                               int32_t *count, row_statistics *f)
{
    return gs_launch(ctx->queue, "counting columns of A P", count_by_thread,
                     gs_grid(ctx->queue, A->nrows, blocks_per_sm), block_threads, rows_of(A),
                     rows_of(B), A->nrows, B->nrows, count, f);
}

gsolve_status fill_by_threads(const gsolve_csr *M, int longest, gsolve_context *ctx,
                              const gsolve_csr *A, const gsolve_csr *B)
{
    return (M->type == GSOLVE_F32 ? fill<float> : fill<double>)(M, longest, ctx, A, B);
}

} // namespace gs_triple_rows
