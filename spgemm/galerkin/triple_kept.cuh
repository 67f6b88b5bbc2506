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

// Classes of rows by their sums, those of R A and those of C; as many of a row fit in a byte each
// up to class `byte_class`.
constexpr int classes = 5, byte_class = 0;

__host__ __device__ constexpr int most_sums(int k)
{
    return k < classes - 1 ? 256 << k : 8192;
}

__host__ __device__ constexpr int class_of(int64_t sums) // `classes`: too many for any
{
    int k = 0;
    while (k < classes && sums > most_sums(k)) k++;
    return k;
}

// Whether the rows of a class have a warp each: few rows leave it lanes enough, and of long ones
// there is no room for more. Else they have 8 lanes.
__host__ __device__ constexpr bool by_warps(int k, int32_t nrows)
{
    return k >= 3 || nrows < 16384;
}

struct row_size {
    int32_t outer, inner, columns; // as those of effort
};

// A product with P: of the k-th sum of R A, to C's entry c.
struct alignas(8) term {
    int32_t at; // in P
    uint16_t k, c;
};

// What is kept of a row of n entries. By 8 lanes: the columns of the sums of R A, and where
// products go, as they come, in a byte or two each. By a warp: where those with A go, in two;
// those with P as terms, in the end sorted by C's entries, and where those of each begin.
struct kept_row {
    bool by_warp, in_bytes;
    int32_t *column, *start;
    term *terms;
    char *outer, *inner;
};

struct places_of_rows {
    int32_t nrows;
    const row_size *size;
    const int64_t *begin; // of a row in `all`
    char *all;

    __device__ kept_row row(int64_t i, int64_t n) const
    {
        const row_size z = size[i];
        const int k = class_of(z.columns + n);
        kept_row r = {by_warps(k, nrows), k <= byte_class && !by_warps(k, nrows)};

        if (r.by_warp) {
            r.terms = reinterpret_cast<term *>(all + begin[i]);
            r.start = reinterpret_cast<int32_t *>(r.terms + z.inner);
            r.outer = reinterpret_cast<char *>(r.start + n + 1);
        } else {
            r.column = reinterpret_cast<int32_t *>(all + begin[i]);
            r.outer = reinterpret_cast<char *>(r.column + z.columns);
            r.inner = r.outer + (int64_t)z.outer * (r.in_bytes ? 1 : 2);
        }
        return r;
    }
};

// Bytes of it, a multiple of those of a term.
__device__ inline int64_t kept_bytes(const row_size &z, int64_t n, int32_t nrows)
{
    const int k = class_of(z.columns + n);
    const int64_t products = (int64_t)z.outer + z.inner;
    const int64_t bytes =
        by_warps(k, nrows) ? z.inner * (int64_t)sizeof(term) + 4 * (n + 1) + 2 * (int64_t)z.outer
                           : 4 * (int64_t)z.columns + (k <= byte_class ? products : 2 * products);
    return (bytes + 7) / 8 * 8;
}

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
    int before, outers, inners; // sums of R A that were spread; products so far

    // c has all its columns, ra none.
    __device__ recorder(const kept_row &row, const sums<T> &ra, const sums<T> &c, char *space)
        : of_ra(reinterpret_cast<uint16_t *>(space)), of_c(of_ra + (1 << ra.bits)), to(row),
          before(0), outers(0), inners(0)
    {
        for (int k = lane_of(); k < c.n; k += 32) of_c[c.list[k]] = (uint16_t)k;
        __syncwarp();
    }
    __device__ void put(char *places, int at, int sum)
    {
        if (to.in_bytes) {
            reinterpret_cast<uint8_t *>(places)[at] = (uint8_t)sum;
        } else {
            reinterpret_cast<uint16_t *>(places)[at] = (uint16_t)sum;
        }
    }
    __device__ void outer(const sums<T> &ra, int first, int place)
    {
        const int k = first + lane_of();
        if (k < ra.n) of_ra[ra.list[k]] = (uint16_t)k;
        __syncwarp();
        if (place >= 0) put(to.outer, outers + lane_of(), before + of_ra[place]);
        outers += __popc(__ballot_sync(all_lanes, place >= 0));
    }
    __device__ void inner(const element<T> &x, int first, int place)
    {
        const int at = inners + lane_of();
        if (place >= 0 && to.by_warp) {
            to.terms[at] = {(int32_t)x.at, (uint16_t)(before + first + x.asked), of_c[place]};
        }
        if (place >= 0 && !to.by_warp) put(to.inner, at, of_c[place]);
        inners += __popc(__ballot_sync(all_lanes, place >= 0));
    }
    __device__ void spread(const sums<T> &ra)
    {
        for (int k = lane_of(); k < ra.n && !to.by_warp; k += 32) {
            to.column[before + k] = ra.key[ra.list[k]];
        }
        before += ra.n;
    }
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

// triple_add_cuda.cu: new values of C by what is kept of each row.
template <class T>
gsolve_status add_kept_rows(const kept_rows *kept, gsolve_context *ctx, const operands &o,
                            const gsolve_csr *C);

// triple_kept_cuda.cu: the same, or by the tables of old where nothing is.
template <class T>
gsolve_status renew(const gs_triple *plan, void *kept, gsolve_context *ctx, const gsolve_csr *R,
                    const gsolve_csr *A, const gsolve_csr *P, gsolve_csr *C);

} // namespace gs_triple_rows

#endif
