// hash_update_long_cuda.cu: recomputes C's values in rows that are cut into segments, see
// hash_plan.cuh. A warp owns a segment, whose sums are in shared memory.
#include "spgemm/hash/hash_plan.cuh"

namespace gs_hash_rows
{
namespace
{

// The parts of rows of B that a warp adds next, in shared memory. All lanes read the same element;
// two such reads replace six shuffles.
template <class T>
struct alignas(16) row_part {
    int64_t from;
    T a;
};

struct extent {
    int length, at; // at: the number of the first product within the row
};

template <class T, int R>
struct staged_rows {
    static constexpr int most = 32 + R - 1;
    row_part<T> row[most];
    extent size[most];
};

// The part of a row of B that lies in the warp's segment, for this lane's entry of A: its first
// position in B, and the number of its first product in the row.
template <class T>
struct run_of_lane {
    int64_t begin;
    int length, at, all; // all: the products of the batch in all segments
    T a;

    // cut: the begin of the segment in each row of B; NULL: it is the first segment. next: the
    // begin of the next segment; NULL: this is the last segment.
    __device__ run_of_lane(const rows_of &A, const rows_of &B, int64_t from, int64_t k, int64_t to,
                           const int32_t *cut, const int32_t *next)
        : begin(0), length(0), a(0)
    {
        int row_length = 0, skip = 0;
        if (k < to) {
            const int64_t j = A.col[k];
            begin = B.begin(j);
            row_length = (int)(B.begin(j + 1) - begin);
            a = A.number<T>(k);
            skip = cut ? cut[k - from] : 0;
            length = (next ? next[k - from] : row_length) - skip;
            begin += skip;
        }
        const int upto = running_sum(row_length, 32);
        all = __shfl_sync(all_lanes, upto, 31);
        at = upto - row_length + skip;
    }
};

// Adds the parts of a batch: R of them are loaded at once, U elements of each by every lane; the
// rest of a longer part follows in steps of 4 x 32 elements.
template <class T, class P, int R, int U>
__device__ __forceinline__ void add_runs(const run_of_lane<T> &mine, const T *b, const P *place,
                                         unsigned segment, staged_rows<T, R> *s, T *sum)
{
    constexpr int more = 4;
    const int lane = (int)threadIdx.x % 32;
    const unsigned some = __ballot_sync(all_lanes, mine.length > 0);
    const int runs = __popc(some), nth = __popc(some & ((1u << lane) - 1));

    if (mine.length > 0) {
        s->row[nth] = {mine.begin, mine.a};
        s->size[nth] = {mine.length, mine.at};
    }
    __syncwarp();
    for (int r = 0; r < runs; r += R) {
        elements<T, P, U> x[R];
        int n[R];
        T a[R];
#pragma unroll
        for (int i = 0; i < R; i++) {
            const row_part<T> row = s->row[r + i];
            const extent size = s->size[r + i];
            n[i] = r + i < runs ? size.length : 0;
            a[i] = row.a;
            x[i].load(b + row.from + lane, place + size.at + lane, n[i] - lane, 32);
        }
#pragma unroll
        for (int i = 0; i < R; i++) {
            x[i].add(a[i], sum, n[i] - lane, 32, segment);
            if (n[i] > 32 * U) {
                const T *const value = b + s->row[r + i].from;
                const P *const to = place + s->size[r + i].at;
                for (int e = 32 * U + lane; e - lane < n[i]; e += 32 * more) {
                    elements<T, P, more> y;
                    y.load(value + e, to + e, n[i] - e, 32);
                    y.add(a[i], sum, n[i] - e, 32, segment);
                }
            }
            __syncwarp();
        }
    }
}

// The bytes of shared memory for a segment: the parts of rows of B, and the sums.
template <class T, int R>
constexpr int segment_bytes =
    (int)sizeof(staged_rows<T, R>) + segment_entries * (int)sizeof(T) + 16;

// Values of the rows of a bin. A warp owns a segment of a row; `most` warps are launched for each
// row, the number of segments of the longest one. For its segment, a warp reads the row of A, and
// of each row of B only the part between two cuts. Invariant: sums receive the products in A's
// order. Measured alternatives: 16 lanes for a segment took 50 % longer; segments of 2048 entries
// 10 % and of 4096 entries 40 % longer, as fewer warps are active; prefetching the next batch of A
// with 16 parts loaded at once took 60 to 70 % longer.
template <class T, class P, int R, int U>
__global__ void __launch_bounds__(128)
    update_segments(product_rows m, placed_rows list, int most, const int64_t *first_cut,
                    const int32_t *cut, T *value)
{
    const rows_of &A = m.A, &B = m.B, &C = m.C;
    const int64_t warp = by_warp::row(), nth = warp / most;
    const int p = (int)(warp % most), lane = by_warp::me();
    if (nth >= list.nrows) return; // all lanes of the warp
    const int64_t i = list.rows[nth], from = A.begin(i), to = A.begin(i + 1);
    const int64_t first = C.begin(i) + (int64_t)p * segment_entries;
    const int64_t left = C.begin(i + 1) - first;
    if (left <= 0) return;
    const int n = (int)min(left, (int64_t)segment_entries);
    const int32_t *const cuts = cut + first_cut[nth] + (p - 1) * (to - from);
    const int32_t *const next = left > n ? cuts + (to - from) : nullptr;
    const P *placed = reinterpret_cast<const P *>(list.place + list.begin[i]);
    auto *space =
        reinterpret_cast<staged_rows<T, R> *>(row_space(by_warp::slot(), segment_bytes<T, R>));
    T *sum = reinterpret_cast<T *>(space + 1);

    for (int k = lane; k < n; k += 32) sum[k] = 0;
    __syncwarp();
    for (int64_t k = from; k < to; k += 32) {
        const run_of_lane<T> mine(A, B, from, k + lane, to, p > 0 ? cuts : nullptr, next);
        add_runs<T, P, R, U>(mine, static_cast<const T *>(B.value), placed,
                             (unsigned)p * segment_entries, space, sum);
        placed += mine.all;
    }
    for (int k = lane; k < n; k += 32) value[first + k] = sum[k];
}

template <class T, class P, int R, int U>
gsolve_status launch_segments(const operands &o, int bin)
{
    constexpr int warps = 4; // of a block
    const plan_on_device *p = o.p;
    const int64_t rows = p->stats.rows[bin], before = listed_before(&p->stats, bin);
    const int limit = bin <= two_byte_bins ? row_limits.most[bin - 1] : INT32_MAX;
    const int64_t most = segments_of(limit < p->stats.longest ? limit : p->stats.longest);

    return launch_with(o.q, "new values of long rows", update_segments<T, P, R, U>,
                       (rows * most + warps - 1) / warps, 32 * warps, warps * segment_bytes<T, R>,
                       product_rows{o.A, o.B, o.C},
                       placed_rows{p->rows + before, (int32_t)rows, p->begin, p->place}, (int)most,
                       p->first_cut + (before - listed_before(&p->stats, first_cut_bin)), p->cut,
                       (T *)o.value);
}

} // namespace

template <class T>
gsolve_status update_long_rows(const operands &o)
{
    gsolve_status status;

    TRY((launch_segments<T, uint32_t, 4, 2>(o, last_bin)));
    TRY((launch_segments<T, uint16_t, 4, 2>(o, 7)));
    TRY((launch_segments<T, uint16_t, 2, 2>(o, 6)));
done:
    return status;
}

template gsolve_status update_long_rows<float>(const operands &);
template gsolve_status update_long_rows<double>(const operands &);

} // namespace gs_hash_rows
