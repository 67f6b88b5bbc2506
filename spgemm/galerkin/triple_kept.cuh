// triple_kept.cuh: for new values of R A P, what each product is added to: one with A, to which sum
// of its row of R A; one with P, to which entry of C's row. A sum that was spread before the row of
// R A was complete (triple.cuh) is one of its own, so that all are added in the order in which they
// were when C was made, with neither a table nor a look at the columns of A, P and C.
#ifndef GS_TRIPLE_KEPT_CUH
#define GS_TRIPLE_KEPT_CUH

#include "spgemm/galerkin/triple.cuh"

extern "C" {
#include "spgemm/galerkin/triple.h"
}

namespace gs_triple_rows
{

constexpr int classes = 5; // of rows by their sums

struct row_size {
    int32_t outer, inner, columns; // as those of effort
};

// A product with P: of the k-th sum of R A, to C's entry c.
struct alignas(8) term {
    int32_t at; // in P
    uint16_t k, c;
};

// What is kept of a row of n entries: terms; where those of each entry begin, if the terms are
// sorted by entries; sums to which the products with A go.
struct kept_row {
    term *inner;
    int32_t *start;
    uint16_t *outer;
};

__device__ inline int64_t kept_bytes(const row_size &z, int64_t n)
{
    return (z.inner * (int64_t)sizeof(term) + 4 * (n + 1) + 2 * (int64_t)z.outer + 7) / 8 * 8;
}

struct places_of_rows {
    const row_size *size;
    const int64_t *begin; // of a row in `all`
    char *all;

    __device__ kept_row row(int64_t i, int64_t n) const
    {
        term *inner = reinterpret_cast<term *>(all + begin[i]);
        int32_t *start = reinterpret_cast<int32_t *>(inner + size[i].inner);
        return {inner, start, reinterpret_cast<uint16_t *>(start + n + 1)};
    }
};

// Bytes for the numbers of the sums by their places.
__host__ __device__ constexpr int index_bytes(int ra_bits, int c_bits)
{
    return ((1 << ra_bits) + (1 << c_bits)) * (int)sizeof(uint16_t);
}

// Notes what a row's products are added to, see silent.
template <class T>
struct recorder {
    uint16_t *of_ra, *of_c; // number of the sum at a place
    kept_row to;
    int before; // sums of R A that were spread

    // c has all its columns, ra none.
    __device__ recorder(const kept_row &row, const sums<T> &ra, const sums<T> &c, char *space)
        : of_ra(reinterpret_cast<uint16_t *>(space)), of_c(of_ra + (1 << ra.bits)), to(row),
          before(0)
    {
        for (int k = lane_of(); k < c.n; k += 32) of_c[c.list[k]] = (uint16_t)k;
        __syncwarp();
    }
    __device__ void outer(const sums<T> &ra, int first, int place)
    {
        const int k = first + lane_of();
        if (k < ra.n) of_ra[ra.list[k]] = (uint16_t)k;
        __syncwarp();
        if (place >= 0) to.outer[lane_of()] = (uint16_t)(before + of_ra[place]);
        to.outer += __popc(__ballot_sync(all_lanes, place >= 0));
    }
    __device__ void inner(const element<T> &x, int first, int place)
    {
        if (place >= 0) {
            to.inner[lane_of()] = {(int32_t)x.at, (uint16_t)(before + first + x.asked),
                                   of_c[place]};
        }
        to.inner += __popc(__ballot_sync(all_lanes, place >= 0));
    }
    __device__ void spread(const sums<T> &ra) { before += ra.n; }
};

// What a product keeps for its updates. The first of them makes all but `size`.
struct kept_rows {
    int32_t nrows;
    row_size *size;
    int64_t *begin;
    char *all; // bytes
    int64_t bytes;
    int32_t *rows; // nrows of each class, from class 0's on
    int32_t count[classes];
    double mean; // entries of a row of A
};

gsolve_status keep_sizes(kept_rows **out, gsolve_context *ctx, int32_t nrows);
void drop_kept(void *kept, gsolve_context *ctx);

// New values of C by the kept places, or else by the tables of old.
template <class T>
gsolve_status renew(const gs_triple *plan, void *kept, gsolve_context *ctx, const gsolve_csr *R,
                    const gsolve_csr *A, const gsolve_csr *P, gsolve_csr *C);

} // namespace gs_triple_rows

#endif
