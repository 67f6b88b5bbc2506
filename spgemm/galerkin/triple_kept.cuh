// triple_kept.cuh: for new values of R A P, the place of each product: of one with A among the sums
// of its row of R A, of one with P among those of C's row. A sum that was spread before the row of
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

// Bytes for a row: the columns of its sums of R A, then the places of both kinds of products.
__device__ inline int64_t kept_bytes(const row_size &z)
{
    return ((int64_t)z.columns * 4 + ((int64_t)z.outer + z.inner) * 2 + 3) / 4 * 4;
}

struct places_of_rows {
    const row_size *size;
    const int64_t *begin; // of a row in `all`
    char *all;

    __device__ int32_t *columns(int64_t i) const
    {
        return reinterpret_cast<int32_t *>(all + begin[i]);
    }
};

// Bytes for the numbers of the sums by their places.
__host__ __device__ constexpr int index_bytes(int ra_bits, int c_bits)
{
    return ((1 << ra_bits) + (1 << c_bits)) * (int)sizeof(uint16_t);
}

// Notes the places of a row's products, see silent.
template <class T>
struct recorder {
    uint16_t *of_ra, *of_c; // number of the sum at a place
    int32_t *column;
    uint16_t *to_ra, *to_c;
    int before; // sums of R A that were spread

    // c has all its columns, ra none.
    __device__ recorder(const places_of_rows &kept, int64_t i, const sums<T> &ra, const sums<T> &c,
                        char *space)
        : of_ra(reinterpret_cast<uint16_t *>(space)), of_c(of_ra + (1 << ra.bits)),
          column(kept.columns(i)),
          to_ra(reinterpret_cast<uint16_t *>(column + kept.size[i].columns)),
          to_c(to_ra + kept.size[i].outer), before(0)
    {
        for (int k = lane_of(); k < c.n; k += 32) of_c[c.list[k]] = (uint16_t)k;
        __syncwarp();
    }
    __device__ void outer(const sums<T> &ra, int first, int place)
    {
        const int k = first + lane_of();
        if (k < ra.n) of_ra[ra.list[k]] = (uint16_t)k;
        __syncwarp();
        if (place >= 0) to_ra[lane_of()] = (uint16_t)(before + of_ra[place]);
        to_ra += __popc(__ballot_sync(all_lanes, place >= 0));
    }
    __device__ void inner(int place)
    {
        if (place >= 0) to_c[lane_of()] = of_c[place];
        to_c += __popc(__ballot_sync(all_lanes, place >= 0));
    }
    __device__ void spread(const sums<T> &ra)
    {
        for (int k = lane_of(); k < ra.n; k += 32) column[before + k] = ra.key[ra.list[k]];
        before += ra.n;
    }
};

// What a product keeps for its updates. The first of them makes all but `size`.
struct kept_rows {
    int32_t nrows;
    row_size *size;
    int64_t *begin;
    char *all;
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
