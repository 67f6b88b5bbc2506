// hash_update_cuda.cu: recomputes C's values with the places of hash_plan.cuh.
//
// The bottleneck is the traffic of each multiprocessor with its caches and shared memory, not that
// with the device's memory. So a group has only as many lanes as a row of B fills. A lane loads
// several elements of a row of B at once; these have different places, so their order does not
// matter. A group is at most a warp, which avoids a barrier of the block after each row of B. A row
// whose sums do not fit a warp's share of shared memory is cut into segments, one for each warp;
// the warp skips rows of B without elements in its segment.
#include "spgemm/hash/hash_plan.cuh"

namespace gs_hash_rows
{
namespace
{

constexpr int padding =
    64; // bytes between the sums of two rows, so that they begin in different banks

// --- groups of lanes ----------------------------------------------------------------------------

// Adds the products of a row in A's order. R rows of B are loaded at once, U elements of each by
// every lane.
template <class T, class P, int R, int U>
__device__ __forceinline__ void add_rows(const rows_of &A, const rows_of &B, sharing s, int64_t to,
                                         const P *place, T *sum)
{
    const int lane = (int)threadIdx.x % s.width;
    const T *const b = static_cast<const T *>(B.value) + s.me;

    for (int64_t k = s.first; __any_sync(all_lanes, k < to); k += s.step) {
        int64_t run = 0; // first position of the row of B << 16 | its length, which is at most that
                         // of the row of C
        int length = 0;
        T a{};
        if (k < to) {
            const int64_t j = A.col[k], begin = B.begin(j);
            length = (int)(B.begin(j + 1) - begin);
            run = begin << 16 | length;
            a = A.number<T>(k);
        }
        const int rows = __reduce_max_sync(all_lanes, k < to ? lane + 1 : 0);
        const int longest = __reduce_max_sync(all_lanes, length);
        for (int r = 0; r < rows; r += R) {
            const T *from[R];
            const P *placed[R];
            int n[R];
            elements<T, P, U> x[R];
#pragma unroll
            for (int i = 0; i < R; i++) {
                const int64_t other = __shfl_sync(all_lanes, run, r + i, s.width);
                from[i] = b + (other >> 16);
                n[i] = (int)(other & 0xffff);
                placed[i] = place + s.me;
                place += n[i];
                x[i].load(from[i], placed[i], n[i] - s.me, s.size);
            }
#pragma unroll
            for (int i = 0; i < R; i++) {
                const T of_a = __shfl_sync(all_lanes, a, r + i, s.width);
                x[i].add(of_a, sum, n[i] - s.me, s.size, 0);
                if (longest > U * s.size) {
                    const int most = __reduce_max_sync(all_lanes, n[i]);
                    for (int e = U * s.size; e < most; e += U * s.size) {
                        const int left = n[i] - s.me - e;
                        x[i].load(from[i] + e, placed[i] + e, left, s.size);
                        x[i].add(of_a, sum, left, s.size, 0);
                    }
                }
                __syncwarp();
            }
        }
    }
}

// Values of rows of up to `most` entries. G lanes own a row, whose sums are in shared memory; a
// block has blockDim.x / G rows. Reads for each product a place and a value of B, for each entry of
// A its column, value and two offsets of B; writes C's values once. Invariant: sums receive the
// products in A's order.
template <class T, class P, int G, int R, int U>
__global__ void __launch_bounds__(gs_block_size)
    update_short(product_rows m, placed_rows list, int most, T *value)
{
    const rows_of &A = m.A, &B = m.B, &C = m.C;
    const int slot = (int)threadIdx.x / G, lane = (int)threadIdx.x % G;
    const int64_t nth = (int64_t)blockIdx.x * (blockDim.x / G) + slot;
    const int32_t row = list.row(nth);
    const int64_t from = row < 0 ? 0 : A.begin(row), to = row < 0 ? 0 : A.begin((int64_t)row + 1);
    const int64_t first = row < 0 ? 0 : C.begin(row);
    const int n = row < 0 ? 0 : (int)(C.begin((int64_t)row + 1) - first);
    T *sum = reinterpret_cast<T *>(row_space(slot, most * (int)sizeof(T) + padding));

    for (int k = lane; k < n; k += G) sum[k] = 0;
    __syncwarp();
    add_rows<T, P, R, U>(A, B, {from + lane, G, G, lane, G}, to,
                         reinterpret_cast<const P *>(list.place + (row < 0 ? 0 : list.begin[row])),
                         sum);
    for (int k = lane; k < n; k += G) value[first + k] = sum[k];
}

// --- a thread for each row ----------------------------------------------------------------------

// The places of a row's products; one load fetches four.
struct row_of_places {
    const uint32_t *word;
    uint32_t four;
    int left;

    __device__ explicit row_of_places(const uint8_t *place)
        : word(reinterpret_cast<const uint32_t *>(place)), four(0), left(0)
    {
    }
    __device__ __forceinline__ int next()
    {
        if (left == 0) {
            four = *word++;
            left = 4;
        }
        const int place = (int)(four & 0xff);
        four >>= 8;
        left--;
        return place;
    }
};

// The sums of a row that one thread owns, in registers, for up to N columns. Each product is
// compared with all N, which is faster than a read and a write of shared memory.
template <class T, int N>
struct sums_in_registers {
    T sum[N];

    __device__ explicit sums_in_registers(int) : sum() {}
    __device__ __forceinline__ void add(int place, T a, T b)
    {
#pragma unroll
        for (int c = 0; c < N; c++) {
            if (place == c) sum[c] = fma(a, b, sum[c]);
        }
    }
    __device__ __forceinline__ void store(T *to, int n) const
    {
#pragma unroll
        for (int c = 0; c < N; c++) {
            if (c < n) to[c] = sum[c];
        }
    }
};

// The sums in shared memory, interleaved by the threads of the block, so that the threads of a warp
// access different banks.
template <class T>
struct sums_in_shared {
    T *sum;

    __device__ explicit sums_in_shared(int n)
        : sum(reinterpret_cast<T *>(row_space(0, 0)) + threadIdx.x)
    {
        for (int c = 0; c < n; c++) sum[c * blockDim.x] = 0;
    }
    __device__ __forceinline__ void add(int place, T a, T b)
    {
        T *const s = &sum[place * blockDim.x];
        *s = fma(a, b, *s);
    }
    __device__ __forceinline__ void store(T *to, int n) const
    {
        for (int c = 0; c < n; c++) to[c] = sum[c * blockDim.x];
    }
};

// Up to `most` elements of a row of B that a thread loads at once.
template <class T>
struct thread_elements {
    static constexpr int most = 4;
    T value[most];

    __device__ __forceinline__ void load(const T *b, int left)
    {
#pragma unroll
        for (int u = 0; u < most; u++) value[u] = u < left ? b[u] : T(0);
    }
    template <class S>
    __device__ __forceinline__ void add(T a, S *sums, int left, row_of_places *places)
    {
#pragma unroll
        for (int u = 0; u < most; u++) {
            if (u < left) sums->add(places->next(), a, value[u]);
        }
    }
};

// Values of rows of few entries and products. A thread owns a row; S holds its sums. Reads and
// writes as update_short does, but a warp reads from 32 rows at once. Invariant: sums receive the
// products in A's order.
template <class T, class S>
__global__ void __launch_bounds__(128)
    update_by_thread(product_rows m, placed_rows list, int, T *value)
{
    const rows_of &A = m.A, &B = m.B, &C = m.C;
    constexpr int each = thread_elements<T>::most, at_once = 2; // rows of B
    const int64_t nth = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (nth >= list.nrows) return;
    const int64_t i = list.row(nth), to = A.begin(i + 1), first = C.begin(i);
    const int n = (int)(C.begin(i + 1) - first);
    const T *const b = static_cast<const T *>(B.value);
    row_of_places places(list.place + list.begin[i]);
    S sums(n);

    for (int64_t k = A.begin(i); k < to; k += at_once) {
        const T *from[at_once];
        int length[at_once];
        T a[at_once];
        thread_elements<T> x[at_once];
#pragma unroll
        for (int u = 0; u < at_once; u++) {
            const int64_t j = k + u < to ? A.col[k + u] : -1, begins = j < 0 ? 0 : B.begin(j);
            from[u] = b + begins;
            length[u] = j < 0 ? 0 : (int)(B.begin(j + 1) - begins);
            a[u] = j < 0 ? T(0) : A.number<T>(k + u);
        }
#pragma unroll
        for (int u = 0; u < at_once; u++) x[u].load(from[u], length[u]);
#pragma unroll
        for (int u = 0; u < at_once; u++) {
            x[u].add(a[u], &sums, length[u], &places);
            for (int e = each; e < length[u]; e += each) {
                x[u].load(from[u] + e, length[u] - e);
                x[u].add(a[u], &sums, length[u] - e, &places);
            }
        }
    }
    sums.store(value + first, n);
}

// --- which kernel -------------------------------------------------------------------------------

// Launches kernel on the rows of a bin: `threads` threads a block, `lanes_per_row` threads and
// `bytes` bytes of shared memory a row.
template <class T, class... P>
gsolve_status launch_update(const operands &o, void (*kernel)(P...), int bin, int threads,
                            int lanes_per_row, int most, int bytes)
{
    const int64_t rows = o.p->stats.rows[bin], per_block = threads / lanes_per_row;
    const int32_t *list =
        rows == o.p->nrows ? nullptr : o.p->rows + listed_before(&o.p->stats, bin);

    return launch_with(o.q, "new values of short rows", kernel, (rows + per_block - 1) / per_block,
                       threads, (int)per_block * bytes, product_rows{o.A, o.B, o.C},
                       placed_rows{list, (int32_t)rows, o.p->begin, o.p->place}, most,
                       (T *)o.value);
}

// The most entries of a row in a bin.
int longest_row_of(const operands &o, int bin)
{
    const int limit = row_limits.most[bin - 1], longest = o.p->stats.longest;
    return longest < limit ? longest : limit;
}

template <class T, class P, int G, int R, int U>
gsolve_status launch_short(const operands &o, int bin, int threads)
{
    const int most = longest_row_of(o, bin);

    return launch_update<T>(o, update_short<T, P, G, R, U>, bin, threads, G, most,
                            most * (int)sizeof(T) + padding);
}

// One thread for each row, for rows of few products.
template <class T>
gsolve_status launch_by_thread(const operands &o, int bin)
{
    const int most = longest_row_of(o, bin);
    const auto by = [&](auto *kernel, int bytes) {
        return launch_update<T>(o, kernel, bin, 128, 1, most, most * bytes);
    };

    return most <= 8 ? by(update_by_thread<T, sums_in_registers<T, 8>>, 0)
                     : by(update_by_thread<T, sums_in_shared<T>>, (int)sizeof(T));
}

// Whether the rows have few products on average and no row has very many.
bool is_light(const plan_on_device *p)
{
    constexpr int mean = 32, most = 1024;
    return p->work.products <= mean * (unsigned long long)p->nrows && p->most_products <= most;
}

// The mean length of the rows of B that A refers to.
unsigned long long mean_length_of_B(const plan_on_device *p)
{
    return p->work.inputs > 0 ? p->work.products / (unsigned long long)p->work.inputs : 0;
}

// Rows of up to one_byte_row entries. (With rows of B of 40 entries, 8 lanes that load 8 or 5
// elements each took 10 to 20 % longer than 16 lanes.)
template <class T>
gsolve_status update_one_byte_rows(const operands &o, int bin)
{
    const unsigned long long mean = mean_length_of_B(o.p);
    const int threads = bin < one_byte_bins ? gs_block_size : gs_block_size / 2;

    if (bin == 1 && is_light(o.p)) return launch_by_thread<T>(o, bin);
    return mean < 4 && bin < 3 ? launch_short<T, uint8_t, 4, 4, 1>(o, bin, threads)
           : mean < 8          ? launch_short<T, uint8_t, 8, 4, 1>(o, bin, threads)
           : mean < 16         ? launch_short<T, uint8_t, 8, 2, 2>(o, bin, threads)
           : mean < 32         ? launch_short<T, uint8_t, 8, 1, 4>(o, bin, threads)
           : mean < 128        ? launch_short<T, uint8_t, 16, 1, 4>(o, bin, threads)
                               : launch_short<T, uint8_t, 32, 2, 4>(o, bin, threads);
}

template <class T>
gsolve_status update_values(const operands &o)
{
    gsolve_status status;

    TRY(update_long_rows<T>(o)); // the heaviest first
    TRY((launch_short<T, uint16_t, 32, 2, 4>(o, 5, 64)));
    TRY((mean_length_of_B(o.p) <= 64 ? launch_short<T, uint16_t, 32, 2, 2>
                                     : launch_short<T, uint16_t, 32, 2, 4>)(o, 4, 128));
    for (int bin = one_byte_bins; bin > 0; bin--) TRY(update_one_byte_rows<T>(o, bin));
done:
    return status;
}

} // namespace

gsolve_status run_plan(const void *plan, gsolve_context *ctx, const gsolve_csr *A,
                       const gsolve_csr *B, gsolve_csr *C)
{
    const plan_on_device *p = static_cast<const plan_on_device *>(plan);
    const operands o = {p,          ctx->queue, rows_of(A),
                        rows_of(B), rows_of(C), gs_owned_block(ctx, C->value)};

    return C->type == GSOLVE_F32 ? update_values<float>(o) : update_values<double>(o);
}

} // namespace gs_hash_rows
