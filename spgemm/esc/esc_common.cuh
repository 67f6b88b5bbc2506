// esc_common.cuh: shared by the kernels of esc: the matrices as kernels see them, how rows are
// processed by their number of products, and the expansion of A's entries in shared memory.
//
// A tile consists of complete rows with at most small_products products together; a warp sorts it.
// A block processes a row of up to medium_products products. The whole device processes longer
// rows, and those with very many entries of A, see esc_bands.cuh.
//
// If all rows of a chunk have very few products, squares replace tiles, see esc_squares_cuda.cu.
//
// The entries of A in a tile or row that have products are numbered. begins has a bit for each
// product; it is set for the first product of each entry of A. from[e] is the position in B of the
// first product of entry e, minus the number of that product. So product j belongs to entry e =
// (number of set bits up to j) - 1 of A, and to the element from[e] + j of B. Neighbouring threads
// read neighbouring elements of B.
#ifndef GS_SPGEMM_ESC_ESC_COMMON_CUH
#define GS_SPGEMM_ESC_ESC_COMMON_CUH

#include "spgemm/rows.cuh"

extern "C" {
#include "core/try.h"
#include "spgemm/esc/esc.h"
}

namespace gs_esc_parts
{

// The most products, and the most entries of A, of a small and of a medium row. All other rows are
// large: the whole device processes them.
constexpr int small_products = 256, medium_products = 4096;
constexpr int small_entries = 4096, medium_entries = 1024;
constexpr int bins = 4; // of medium rows: up to 512, 1024, 2048, 4096 products
constexpr int small_threads = 128, small_warps = small_threads / 32;
constexpr uint32_t large = UINT32_MAX;  // in row_products: a large row
constexpr uint16_t first_term = 0x8000; // in order: the first term of an entry of C
constexpr unsigned all_lanes = 0xffffffffu;

struct offsets { // offsets of 32 or 64 bits
    const void *at;
    bool wide;
    __device__ int64_t operator[](int64_t i) const
    {
        return wide ? __ldg((const int64_t *)at + i) : (int64_t)__ldg((const int32_t *)at + i);
    }
};

inline offsets offsets_of(const gsolve_csr *csr)
{
    return {csr->start, csr->offset == GSOLVE_O64};
}

// The rows of a chunk, which a warp processes tile by tile or square by square. Small matrices have
// small chunks, so that all multiprocessors have work.
constexpr int most_chunk = 64, least_chunk = 16, many_rows = 1 << 18;

struct pattern { // of A and B
    int32_t nrows, inner, ncols;
    int chunk;
    offsets a, b;
    const int32_t *acol, *bcol;
};

inline pattern pattern_of(const gs_blocked *A, const gs_blocked *B)
{
    return {A->csr.nrows,        B->csr.nrows,
            B->csr.ncols,        A->csr.nrows > many_rows ? most_chunk : least_chunk,
            offsets_of(&A->csr), offsets_of(&B->csr),
            A->csr.col,          B->csr.col};
}

struct medium_row {
    int64_t at; // the position of its first product in order
    int32_t row;
};

struct statistics {
    unsigned long long of_large, of_rest; // products of large rows, of all others
    unsigned medium[bins], large;         // rows
    int has_tiles, has_squares[2]; // whether there are chunks with tiles; squares of width 4, 8
    int64_t entries[2];            // of A and of B
};

// The results that the host reads. They follow chunk_begin on the device, so that one copy reads
// them with its last element.
struct summary {
    int64_t order; // the length of order
    statistics f;
};

struct band {            // a range of large rows, or a range of columns of one large row
    int32_t first, last; // the rows: positions in gs_esc_plan.rows
    int32_t from, to;    // the columns
    int64_t entries_A, products;
    int64_t entries, skipped; // entries of C; those of the same row in the bands before
    uint64_t *term;  // sorted: number of A's entry << 32 | position in its row of B; or NULL
    uint32_t *head;  // of each entry of C: the position of its first term
    int32_t *before; // rows + 1: entries of C in the rows before
};

struct tile_band {        // chunks whose order fits the memory together
    int64_t first, last;  // the chunks
    int64_t base, length; // of their part of order: its first position, its length
};

} // namespace gs_esc_parts

// The plan, which an update uses.
struct gs_esc_plan {
    uint32_t *row_products; // of each row: its products, or `large`
    int64_t *chunk_begin;   // chunks + 1: its first position in order, a multiple of 4
    uint8_t *width;         // of each chunk: the width of its squares; 0: it has tiles
    uint16_t *order;        // the numbers of a tile's or row's sorted products; or squares
    gs_esc_parts::medium_row *medium; // sorted by bins
    int medium_begin[gs_esc_parts::bins + 1];
    gs_esc_parts::tile_band *tiles; // on the host
    int64_t tile_bands, chunks;
    bool has_tiles, has_squares[2]; // as in statistics
    int32_t *rows;                  // the large rows, ascending
    int64_t *before;                // large_rows + 1: entries of A in the large rows before
    int32_t large_rows;
    gs_esc_parts::band *bands;      // on the host
    int64_t nbands, bands_capacity; // the number of bands; the size of the array
    double term_bytes;              // of the terms that bands keep
};

namespace gs_esc_parts
{

// What the second pass needs besides the pattern: the values, and C.
struct numbers {
    const void *a, *b;
    void *c;
    offsets cstart;
    int32_t *ccol; // NULL: the columns are set already
    int r, s, t;
};

// --- counts: row_products, chunk_begin and *totals; then the lists of medium and large rows.
// list_long sets count[i] = 0 for large rows, to which bands add.

gsolve_status count_rows(gs_esc_plan *p, gsolve_context *ctx, const pattern &m, bool plain,
                         summary *totals);
gsolve_status list_long(gs_esc_plan *p, gsolve_context *ctx, const pattern &m,
                        const statistics &stats, int32_t *count);

// --- the passes: order, and count[i] = entries of row i of C; then C's columns and values --------
// now: the chunks whose order the plan holds at the moment.

gsolve_status sort_tiles(gs_queue *q, const gs_esc_plan *p, const pattern &m, const tile_band &now,
                         int32_t *count);
gsolve_status place_squares(gs_queue *q, const gs_esc_plan *p, const pattern &m,
                            const tile_band &now, int32_t *count);
gsolve_status sort_medium(gs_queue *q, const gs_esc_plan *p, const pattern &m, const tile_band &now,
                          int32_t *count);
gsolve_status plan_bands(gs_esc_plan *p, gsolve_context *ctx, const pattern &m, double memory,
                         bool keep, int32_t *count);
gsolve_status fill_tiles(gs_queue *q, const gs_esc_plan *p, const pattern &m, const tile_band &now,
                         const numbers &n, gsolve_type type);
gsolve_status fill_squares(gs_queue *q, const gs_esc_plan *p, const pattern &m,
                           const tile_band &now, const numbers &n, gsolve_type type);
gsolve_status fill_medium(gs_queue *q, const gs_esc_plan *p, const pattern &m, const tile_band &now,
                          const numbers &n, gsolve_type type);
gsolve_status fill_bands(const gs_esc_plan *p, gsolve_context *ctx, const pattern &m,
                         const numbers &n, gsolve_type type);
void drop_bands(gs_esc_plan *p, gsolve_context *ctx);

inline bool are_plain(const numbers &n)
{
    return n.r == 1 && n.s == 1 && n.t == 1;
}

// --- on the device ----------------------------------------------------------------------------

__device__ inline unsigned below(int lane) // a mask of the lanes before this one
{
    return (1u << lane) - 1;
}

__device__ inline unsigned up_to(int lane) // a mask of these and this lane
{
    return (2u << lane) - 1;
}

__device__ inline int scan(int x) // the inclusive prefix sum over a warp
{
    return gs_rows::running_sum(x, 32);
}

// Rounded operations, which the compiler cannot contract to an fma.
__device__ inline double times(double a, double b)
{
    return __dmul_rn(a, b);
}
__device__ inline float times(float a, float b)
{
    return __fmul_rn(a, b);
}
__device__ inline double plus(double a, double b)
{
    return __dadd_rn(a, b);
}
__device__ inline float plus(float a, float b)
{
    return __fadd_rn(a, b);
}

// The sum of n terms in the order of esc.h: add(sum, k) = sum + term k.
template <class T, class Add>
__device__ T sum_terms(int64_t n, Add add)
{
    T sum = 0;

    if (n <= GS_ESC_STRAIGHT) {
        for (int64_t k = 0; k < n; k++) sum = add(sum, k);
        return sum;
    }
    for (int l = 0; l < GS_ESC_LANES; l++) {
        T part = 0;
        for (int64_t k = l; k < n; k += GS_ESC_LANES) part = add(part, k);
        sum = plus(sum, part);
    }
    return sum;
}

// sum + the element (i, j) of a product of blocks. a: row i of the first block, s numbers; b:
// column j of the second block. S: s as a constant, so that all loads are issued at once; 0: s is
// not known to the compiler.
template <class T, int S>
__device__ T add_blocks(T sum, const T *a, const T *b, int s, int t)
{
    if constexpr (S == 0) {
        for (int q = 0; q < s; q++) sum = fma(__ldg(a + q), __ldg(b + q * t), sum);
    } else {
        T of_a[S], of_b[S];
#pragma unroll
        for (int q = 0; q < S; q++) {
            of_a[q] = __ldg(a + q);
            of_b[q] = __ldg(b + q * t);
        }
#pragma unroll
        for (int q = 0; q < S; q++) sum = fma(of_a[q], of_b[q], sum);
    }
    return sum;
}

// Adds one term of an element of C: a product of two numbers, or the element e of an r x t product
// of two blocks.
template <class T, bool BLOCKS, int S = 0>
__device__ T add_term(const numbers &n, T sum, int64_t a, int64_t b, int e)
{
    const T *A = (const T *)n.a, *B = (const T *)n.b;

    if constexpr (!BLOCKS) {
        return plus(sum, times(__ldg(A + a), __ldg(B + b)));
    } else {
        const int i = e / n.t, j = e % n.t;
        return add_blocks<T, S>(sum, A + (a * n.r + i) * n.s, B + b * n.s * n.t + j, n.s, n.t);
    }
}

} // namespace gs_esc_parts

#endif
