// hash_update_cuda.cu: C's values once more, by the places of hash_plan.cuh.
//
// What binds is the traffic of each multiprocessor with its caches and shared memory, not that with
// the device's memory. So lanes of a group are as few as a row of B fills, several elements of it a
// lane are on their way at once (they have different places: no order among them), and a group is a
// warp at most: no barrier of a block for each row of B. Where a row of B lies, and its factor,
// lanes read from shared memory, all at once. A row whose sums do not fit a warp's share of shared
// memory is cut into pieces, each a warp's, which passes over the rows of B that have nothing in
// it.
#include "spgemm/hash/hash_renew.cuh"

namespace gs_hash_rows
{
namespace
{

// --- groups of lanes ----------------------------------------------------------------------------

// The products of a row, in A's order: R rows of B asked for at once, U elements of each by every
// lane.
template <class T, class P, int G, int R, int U>
__device__ __forceinline__ void add_rows(const rows_of &A, const rows_of &B, int64_t from,
                                         int64_t to, const P *place, asked_rows<T, G, R> *s, T *sum)
{
    const int lane = (int)threadIdx.x % G;
    const T *const b = static_cast<const T *>(B.value) + lane;

    if (lane < R - 1) s->row[G + lane] = {0, T(0)};
    if (lane < R - 1) s->size[G + lane] = {0, 0};
    place += lane;
    for (int64_t k0 = from; __any_sync(all_lanes, k0 < to); k0 += G) {
        const int64_t k = k0 + lane;
        int64_t begin = 0;
        int length = 0;
        T a{};
        if (k < to) {
            const int32_t j = A.col[k];
            begin = B.begin(j);
            length = (int)(B.begin((int64_t)j + 1) - begin);
            a = A.number<T>(k);
        }
        const int rows = __reduce_max_sync(all_lanes, k < to ? lane + 1 : 0);
        const int longest = __reduce_max_sync(all_lanes, length);
        const int upto = running_sum(length, G);
        s->row[lane] = {begin, a};
        s->size[lane] = {length, upto - length};
        __syncwarp();
        for (int r = 0; r < rows; r += R) {
            elements<T, P, U> x[R];
            int left[R];
            T of[R];
#pragma unroll
            for (int i = 0; i < R; i++) {
                const asked<T> row = s->row[r + i];
                const extent size = s->size[r + i];
                left[i] = size.length - lane;
                of[i] = row.a;
                x[i].load(b + row.from, place + size.at, left[i], G);
            }
#pragma unroll
            for (int i = 0; i < R; i++) {
                x[i].add(of[i], sum, left[i], G, 0);
                if (longest > U * G) {
                    const int most = __reduce_max_sync(all_lanes, left[i]);
                    const T *const more = b + s->row[r + i].from;
                    const P *const placed = place + s->size[r + i].at;
                    for (int e = U * G; e < most; e += U * G) {
                        x[i].load(more + e, placed + e, left[i] - e, G);
                        x[i].add(of[i], sum, left[i] - e, G, 0);
                    }
                }
                __syncwarp();
            }
        }
        place += __shfl_sync(all_lanes, upto, G - 1, G);
    }
}

// Bytes for a row: what its lanes ask for, and its sums; such that the rows of a warp begin in
// different banks.
template <class T, int G, int R>
__host__ __device__ constexpr int few_bytes(int most)
{
    return ((int)sizeof(asked_rows<T, G, R>) + most * (int)sizeof(T) + 127 - 80) / 128 * 128 + 80;
}

// Rows of up to `most` entries by G lanes each.
template <class T, class P, int G, int R, int U>
__global__ void __launch_bounds__(gs_block_size)
    renew_few(rows_of A, rows_of B, rows_of C, const int32_t *rows, int32_t nrows, int most,
              const int64_t *begin, const uint8_t *place, T *value)
{
    const int slot = (int)threadIdx.x / G, lane = (int)threadIdx.x % G;
    const int64_t nth = (int64_t)blockIdx.x * (blockDim.x / G) + slot;
    const int32_t row = nth < nrows ? rows[nth] : -1;
    const int64_t from = row < 0 ? 0 : A.begin(row), to = row < 0 ? 0 : A.begin((int64_t)row + 1);
    const int64_t first = row < 0 ? 0 : C.begin(row);
    const int n = row < 0 ? 0 : (int)(C.begin((int64_t)row + 1) - first);
    auto *space =
        reinterpret_cast<asked_rows<T, G, R> *>(row_space(slot, few_bytes<T, G, R>(most)));
    T *sum = reinterpret_cast<T *>(space + 1);

    for (int k = lane; k < n; k += G) sum[k] = 0;
    __syncwarp();
    add_rows<T, P, G, R, U>(A, B, from, to,
                            reinterpret_cast<const P *>(place + (row < 0 ? 0 : begin[row])), space,
                            sum);
    for (int k = lane; k < n; k += G) value[first + k] = sum[k];
}

// --- which kernel -------------------------------------------------------------------------------

// kernel on a way's rows, `threads` a block and `sharers` a row; bytes of shared memory for each.
template <class T, class... P>
gsolve_status short_rows(const operands &o, void (*kernel)(P...), int way, int threads, int sharers,
                         int most, int bytes)
{
    const int64_t rows = o.p->seen.rows[way], per_block = threads / sharers;

    if (rows == 0) return GSOLVE_OK;
    return launch_with(o.q, "new values of short rows", kernel, (rows + per_block - 1) / per_block,
                       threads, (int)per_block * bytes, o.A, o.B, o.C,
                       o.p->rows + listed_before(&o.p->seen, way), (int32_t)rows, most, o.p->begin,
                       o.p->place, (T *)o.value);
}

template <class T, class P, int G, int R, int U>
gsolve_status few(const operands &o, int way, int threads)
{
    const int most = row_limits.most[way - 1];

    return short_rows<T>(o, renew_few<T, P, G, R, U>, way, threads, G, most,
                         few_bytes<T, G, R>(most));
}

// Rows of up to byte_row entries, by the mean length of a row of B.
template <class T>
gsolve_status by_length_of_B(const operands &o, int way)
{
    const facts *w = &o.p->work;
    const unsigned long long mean = w->inputs > 0 ? w->products / (unsigned long long)w->inputs : 0;
    const int threads = way < byte_ways ? gs_block_size : gs_block_size / 2;

    return mean < 4 && way < 3 ? few<T, uint8_t, 4, 4, 1>(o, way, threads)
           : mean < 8          ? few<T, uint8_t, 8, 4, 1>(o, way, threads)
           : mean < 16         ? few<T, uint8_t, 8, 2, 2>(o, way, threads)
           : mean < 32         ? few<T, uint8_t, 8, 1, 4>(o, way, threads)
           : mean < 128        ? few<T, uint8_t, 8, 1, 8>(o, way, threads)
                               : few<T, uint8_t, 32, 2, 4>(o, way, threads);
}

template <class T>
gsolve_status renew(const operands &o)
{
    gsolve_status status;

    TRY(renew_long_rows<T>(o)); // the heaviest first
    TRY((few<T, uint16_t, 32, 2, 4>(o, 5, 64)));
    TRY((few<T, uint16_t, 32, 2, 4>(o, 4, 128)));
    for (int way = byte_ways; way > 0; way--) TRY(by_length_of_B<T>(o, way));
done:
    return status;
}

} // namespace

gsolve_status run_plan(const void *plan, gsolve_context *ctx, const gsolve_csr *A,
                       const gsolve_csr *B, gsolve_csr *C)
{
    const plan_on_device *p = static_cast<const plan_on_device *>(plan);
    const operands o = {p,          ctx->queue, rows_of(A),
                        rows_of(B), rows_of(C), (void *)(uintptr_t)C->value};

    return C->type == GSOLVE_F32 ? renew<float>(o) : renew<double>(o);
}

} // namespace gs_hash_rows
