/* seidel_host.c: Gauss-Seidel on the CPU: by blocks of rows; and by colours, which is what devices
 * with memory of their own do. */
#include "precond/amg/smoothers/seidel.h"

#include <math.h>
#include <string.h>

#include "precond/amg/options.h"
#include "precond/diagonal.h"
#include "vector/blocks.h"

#define INLINE static inline
#include "precond/mix.h"

#include "precond/amg/smoothers/seidel_rule.h"

/* --- colours ---------------------------------------------------------------------------------- */

static bool is_mutual(const gsolve_csr *A)
{
    for (int32_t i = 0; i < A->nrows; i++) {
        for (int64_t k = gs_start(A, i); k < gs_start(A, i + 1); k++) {
            if (gs_entry_at(A, A->col[k], i) < 0) return false;
        }
    }
    return true;
}

/* *used: in bit c whether a neighbour of i in row i of A has colour base + c. False: one that comes
 * before i has none yet. */
static bool inspect_neighbours(const gsolve_csr *A, int32_t i, const int32_t *colour, int32_t base,
                               uint64_t *used)
{
    for (int64_t k = gs_start(A, i); k < gs_start(A, i + 1); k++) {
        const int32_t j = A->col[k];
        if (j == i) continue;
        if (colour[j] < 0 && gs_colour_priority(j) > gs_colour_priority(i)) return false;
        if (colour[j] >= base && colour[j] < base + 64) *used |= (uint64_t)1 << (colour[j] - base);
    }
    return true;
}

/* The colour of i, or -1 if it has to wait. */
static int32_t colour_row(const gsolve_csr *A, const gsolve_csr *B, int32_t i,
                          const int32_t *colour)
{
    for (int32_t base = 0;; base += 64) {
        uint64_t used = 0;
        if (!inspect_neighbours(A, i, colour, base, &used)) return -1;
        if (B && !inspect_neighbours(B, i, colour, base, &used)) return -1;
        for (int32_t c = 0; c < 64; c++) {
            if (!(used >> c & 1)) return base + c;
        }
    }
}

static gsolve_status colour(gsolve_context *ctx, const gsolve_csr *A, const gsolve_csr *B,
                            int32_t *colour, int32_t *count)
{
    const int32_t n = A->nrows;
    int32_t left = n;

    (void)ctx;
    *count = -1;
    if (!B && !is_mutual(A)) return GSOLVE_OK;
    for (int32_t i = 0; i < n; i++) colour[i] = -1;
    while (left > 0) {
        for (int32_t i = 0; i < n; i++) {
            if (colour[i] >= 0) continue;
            colour[i] = colour_row(A, B, i, colour);
            left -= colour[i] >= 0;
        }
    }
    for (int32_t i = 0; i < n; i++) *count = colour[i] >= *count ? colour[i] + 1 : *count;
    return GSOLVE_OK;
}

/* --- blocks of rows --------------------------------------------------------------------------- */

static gs_blocks blocks_of(int64_t n)
{
    gs_blocks b = {n, (n + GS_SEIDEL_BLOCKS - 1) / GS_SEIDEL_BLOCKS, 0};

    if (b.size < GS_SEIDEL_LEAST) b.size = GS_SEIDEL_LEAST;
    b.count = (int)((n + b.size - 1) / b.size);
    return b;
}

#define GS_BODY "precond/amg/smoothers/seidel_body.h"
#include "core/each_type.h"

const gs_seidel_kernels gs_seidel_host[GSOLVE_TYPE_COUNT] = {
    {colour, begin_f32, colours_f32, block_diagonal_f32, blocks_f32, turned_blocks_f32},
    {colour, begin_f64, colours_f64, block_diagonal_f64, blocks_f64, turned_blocks_f64}};
