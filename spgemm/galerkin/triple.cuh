// triple.cuh: a row of R (A P) by a warp. The warp reads the elements of the rows of A P that R's
// row refers to, 32 at a time across row ends, and adds them to the sums of their columns. Elements
// with equal columns among the 32 are added in the order of the lanes. Invariant: every sum
// receives its terms in the order of R's row.
#ifndef GS_SPGEMM_GALERKIN_TRIPLE_CUH
#define GS_SPGEMM_GALERKIN_TRIPLE_CUH

#include "spgemm/rows.cuh"

namespace gs_triple_rows
{

using namespace gs_rows;

__device__ inline int lane_of()
{
    return (int)threadIdx.x % 32;
}

template <class T>
struct element {
    bool is_one;
    int32_t col;
    T factor, value;
};

// --- the elements of rows -----------------------------------------------------------------------

// The elements of the rows of B that the 32 lanes refer to, concatenated.
template <class T>
struct elements {
    rows_of B;
    uint8_t *owner; // 32 bytes in shared memory: the lane of the row that begins at each element
    int64_t begin;  // the first position of this lane's row, minus `before`
    int before, length; // the elements of the rows before it; its own
    T factor;
    int total, at, current; // at: the next element; current: the lane whose row began last

    __device__ elements(const rows_of &rows, uint8_t *space)
        : B(rows), owner(space), total(0), at(0)
    {
    }

    // This lane refers to row j, or to none if j < 0. A row longer than `longest` is truncated; it
    // exceeds the limit of steps anyway.
    __device__ void set_row(int32_t j, T f)
    {
        constexpr int64_t longest = 1 << 22;

        factor = f;
        begin = 0;
        length = 0;
        if (j >= 0) {
            begin = B.begin(j);
            length = (int)min(B.begin((int64_t)j + 1) - begin, longest);
        }
        const int upto = running_sum(length, 32);
        before = upto - length;
        begin -= before;
        total = __shfl_sync(all_lanes, upto, 31);
        at = 0;
        current = 0;
    }

    // *x = this lane's element of the next 32. False: no element is left.
    __device__ bool next(element<T> *x)
    {
        if (at >= total) return false;
        const int lane = lane_of(), place = before - at;
        const bool begins = length > 0 && place >= 0 && place < 32;
        const unsigned begun = __reduce_or_sync(all_lanes, begins ? 1u << place : 0u);
        const unsigned upto = begun & (all_lanes >> (31 - lane));
        if (begins) owner[place] = (uint8_t)lane;
        __syncwarp();
        const int from = upto ? owner[31 - __clz((int)upto)] : current;
        if (begun) current = owner[31 - __clz((int)begun)];
        __syncwarp(); // before the next call overwrites owner
        const int64_t e = __shfl_sync(all_lanes, begin, from) + at + lane;
        x->factor = __shfl_sync(all_lanes, factor, from);
        x->is_one = at + lane < total;
        x->col = x->is_one ? B.col[e] : 0;
        x->value = x->is_one ? B.template number<T>(e) : T(0);
        at += 32;
        return true;
    }
};

// --- sums by columns ----------------------------------------------------------------------------

// A hash table of 2^bits places, and the list of its used places in the order in which the columns
// occurred.
template <class T>
struct sums {
    T *sum;
    int32_t *key;
    uint16_t *list;
    int bits, n;

    __host__ __device__ static constexpr int bytes(int bits)
    {
        return (int)(sizeof(T) + sizeof(int32_t) + sizeof(uint16_t)) << bits;
    }
    __device__ sums(char *space, int log2)
        : sum(reinterpret_cast<T *>(space)), key(reinterpret_cast<int32_t *>(sum + (1 << log2))),
          list(reinterpret_cast<uint16_t *>(key + (1 << log2))), bits(log2), n(0)
    {
        for (int k = lane_of(); k < 1 << bits; k += 32) key[k] = -1;
        __syncwarp();
    }

    // Adds factor times value for each lane with an element. The table must have space for 32 new
    // columns.
    __device__ void add(const element<T> &x)
    {
        const int lane = lane_of();
        const unsigned below = (1u << lane) - 1;
        bool fresh = false;
        const int place = x.is_one ? place_in(key, bits, x.col, &fresh) : -1 - lane;
        const unsigned same_place = __match_any_sync(all_lanes, place);
        const unsigned inserted = __ballot_sync(all_lanes, fresh);
        const bool leads = x.is_one && !(same_place & below),
                   first = leads && (same_place & inserted);
        const unsigned firsts = __ballot_sync(all_lanes, first);
        const int most = (int)__reduce_max_sync(all_lanes, (unsigned)__popc(same_place));
        T mine = leads && !first ? sum[place] : T(0);
        unsigned rest = same_place;

        for (int k = 0; k < most; k++) {
            const int next = (__ffs((int)rest) - 1) & 31;
            const T factor = __shfl_sync(all_lanes, x.factor, next);
            const T value = __shfl_sync(all_lanes, x.value, next);
            if (rest) mine = fma(factor, value, mine);
            rest &= rest - 1;
        }
        if (first) list[n + __popc(firsts & below)] = (uint16_t)place;
        if (leads) sum[place] = mine;
        n += __popc(firsts);
        __syncwarp();
    }
};

// --- a row --------------------------------------------------------------------------------------

struct operands {
    rows_of R, M; // M: A P
};

struct bounds {
    int entries, steps; // the limits: entries of C's row, batches of 32 elements
};

// c = row i of R M; *products += its products. False: the row exceeds the limits.
template <class T>
__device__ bool sum_row(const operands &o, int64_t i, uint8_t *owner, sums<T> *c, bounds most,
                        int64_t *products)
{
    const int64_t to = o.R.begin(i + 1);
    elements<T> m(o.M, owner);
    element<T> x, now;
    int steps = 0;

    for (int64_t first = o.R.begin(i); first < to; first += 32) {
        const bool has = first + lane_of() < to;
        m.set_row(has ? o.R.col[first + lane_of()] : -1,
                  has ? o.R.number<T>(first + lane_of()) : T(0));
        *products += m.total;
        for (bool more = m.next(&x); more;) {
            now = x;
            more = m.next(&x); // prefetched
            if (c->n > most.entries || steps++ >= most.steps) return false;
            c->add(now);
        }
    }
    return c->n <= most.entries;
}

// Sorts key[0..n) ascending, by a warp; the array must have the next power of two elements.
__device__ inline void sort(unsigned long long *key, int n)
{
    int padded = 1;

    while (padded < n) padded *= 2;
    for (int k = n + lane_of(); k < padded; k += 32) key[k] = ~0ull;
    __syncwarp();
    for (int run = 2; run <= padded; run *= 2) { // bitonic
        for (int distance = run / 2; distance > 0; distance /= 2) {
            for (int k = lane_of(); k < padded / 2; k += 32) {
                const int low = 2 * k - (k & (distance - 1)), high = low + distance;
                const unsigned long long x = key[low], y = key[high];
                if ((x > y) == ((low & run) == 0)) {
                    key[low] = y;
                    key[high] = x;
                }
            }
            __syncwarp();
        }
    }
}

} // namespace gs_triple_rows

#endif
