/* speculative_host.c: the product of speculative on the CPU. A tile is a task. Its rows are those
 * that begin in it. What it holds of the row that is open at its begin goes to head, what it holds
 * of the row that is open at its end to tail. The pieces depend on the matrix alone, and so do the
 * bits. */
#include "spmv/speculative/speculative.h"

/* The end of tile t, an entry. */
static int64_t end_of(const gs_tiles *s, int32_t t)
{
    const int64_t end = ((int64_t)t + 1) * GS_SPECULATIVE_TILE;
    return end < s->entries ? end : s->entries;
}

#define GS_BODY "spmv/speculative/speculative_body.h"
#include "core/each_type.h"

const gs_speculative_kernels GS_LEVEL(gs_speculative_host)[GSOLVE_TYPE_COUNT] = {{apply_f32},
                                                                                 {apply_f64}};
