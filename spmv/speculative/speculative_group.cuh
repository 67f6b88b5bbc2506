// speculative_group.cuh: the parts of rows that cross the bunches of a group, and those that cross
// groups.
#ifndef GS_SPMV_SPECULATIVE_SPECULATIVE_GROUP_CUH
#define GS_SPMV_SPECULATIVE_SPECULATIVE_GROUP_CUH

#include "spmv/speculative/speculative_walk.cuh"

namespace gs_bunches
{

// Called by one thread: writes the rows that cross bunches of the group. Returns the group's parts
// of rows that reach beyond it.
template <int SUMS, class T, int N>
__device__ ends<T> join(const product<T> &a, int warps, const ends<T> *bunch, double (&terms)[N])
{
    ends<T> e = {0, 0, bunch[0].row, false};
    T sum = 0;

#pragma unroll 1
    for (int w = 0; w < warps; w++) {
        const ends<T> b = bunch[w];
        sum += b.head;
        if (!b.closed) continue;
        if (e.closed) {
            finish<SUMS>(a, b.row, sum, terms);
        } else {
            e.head = sum;
        }
        e.closed = true;
        sum = b.tail;
    }
    if (e.closed) {
        e.tail = sum;
    } else {
        e.head = sum;
    }
    return e;
}

// Called by a warp: writes row c.row, the sum of its tail and heads in their order.
template <int SUMS, class T>
__device__ void finish_crossing_row(const product<T> &a, const gs_speculative &p, const crossing &c)
{
    const int lane = (int)threadIdx.x % lanes;
    const T *head = (const T *)p.head, *tail = (const T *)p.tail;
    double terms[2] = {};
    T sum = lane == 0 ? __ldcg(&tail[c.from]) : T(0);

    for (int g = c.from + 1 + lane; g <= c.to; g += lanes) sum += __ldcg(&head[g]);
    sum = warp_sum(sum);
    if (lane != 0) return;
    finish<SUMS>(a, c.row, sum, terms);
    for (int s = 0; s < SUMS; s++) p.terms[s * p.groups + c.from] = terms[s];
    p.arrived[c.from] = 0;
}

// Called by a warp when all bunches of the group are done. cross: the rows that cross the group's
// begin and its end. Writes the rows of several groups whose last part this group has finished.
template <int SUMS, class T, int N>
__device__ void synchronize(const product<T> &a, const gs_speculative &p, const crossing *cross,
                            const ends<T> *bunch, double (&terms)[N])
{
    const int g = (int)blockIdx.x, lane = (int)threadIdx.x % lanes;
    const crossing c = cross[lane == 1];
    const bool shared[2] = {cross[0].to >= g, cross[1].to > g && cross[1].row != cross[0].row};
    bool last = false;

    if (lane == 0) {
        const ends<T> e = join<SUMS>(a, p.warps, bunch, terms);
        ((T *)p.head)[g] = e.head;
        ((T *)p.tail)[g] = e.tail;
        for (int s = 0; s < SUMS; s++) p.terms[s * p.groups + g] = 0;
        if (e.closed && !shared[1]) finish<SUMS>(a, cross[1].row, e.tail, terms);
    }
    if (!shared[0] && !shared[1]) return;
    __syncwarp();
    __threadfence();
    if (lane < 2 && (lane == 0 ? shared[0] : shared[1])) {
        last = atomicAdd(&p.arrived[c.from], 1u) == (unsigned)(c.to - c.from);
    }
    const unsigned finished = __ballot_sync(all_lanes, last);
    if (finished == 0) return;
    __threadfence();
#pragma unroll 1
    for (int k = 0; k < 2; k++) {
        if (finished >> k & 1) finish_crossing_row<SUMS>(a, p, cross[k]);
    }
}

// Adds the terms of all groups and of the rows that cross groups. The group that finishes last does
// so, in an order that depends on the groups alone.
template <int SUMS, class T>
__device__ void add_up(const product<T> &a, const gs_speculative &p, double (&terms)[SUMS],
                       double *partial, unsigned *arrived)
{
    __shared__ bool last;
    const double block_sum = gs_block_sums(terms);

    if (threadIdx.x < SUMS) partial[threadIdx.x * gs_most_partials + blockIdx.x] = block_sum;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) last = atomicAdd(arrived, 1u) == (unsigned)p.groups - 1;
    __syncthreads();
    if (!last) return;
    __threadfence();
#pragma unroll
    for (int s = 0; s < SUMS; s++) {
        terms[s] = 0;
        for (int g = (int)threadIdx.x; g < p.groups; g += gs_block_size) {
            terms[s] += __ldcg(&partial[s * gs_most_partials + g]);
            terms[s] += __ldcg(&p.terms[s * p.groups + g]);
        }
    }
    const double total = gs_block_sums(terms);
    if (threadIdx.x < SUMS) *(threadIdx.x == 0 ? a.out[0] : a.out[1]) = total;
    if (threadIdx.x == 0) *arrived = 0;
}

// A block writes the empty rows of a piece of the speculator array.
template <class O, class T>
__device__ void write_empty_rows(const product<T> &a, const piece &rows)
{
    const O *start = (const O *)a.start;
    double none[1];

    for (int32_t i = rows.from + (int32_t)threadIdx.x; i < rows.to; i += (int32_t)blockDim.x) {
        if (start[i] == start[i + 1]) finish<0>(a, i, T(0), none);
    }
}

} // namespace gs_bunches

#endif
