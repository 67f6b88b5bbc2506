/* segmented_host.c: the kernel table of segmented on the CPU. */
#include <string.h>

#include "matrix/irregular.h"
#include "spmv/segmented/segmented.h"
#include "vector/blocks.h"
#include "vector/vector.h"

/* Blocks of segments with about 16384 entries each, as many as possible. */
static gs_blocks blocks_of(const gs_segmented *s)
{
    const int64_t wished = s->entries / 16384 + s->segments / 8192 + 1;
    const int64_t count = wished < GS_MAX_BLOCKS ? wished : GS_MAX_BLOCKS;
    gs_blocks b = {s->segments, (s->segments / count / 64 + 1) * 64, 0};

    b.count = (int)((b.n + b.size - 1) / b.size);
    return b;
}

#define GS_BODY "spmv/segmented/segmented_body.h"
#include "core/each_type.h"

/* Vectors with one lane per segment gain on short rows only; loops do not gain there. */
#define TABLE(SUFFIX)                               \
    {.lanes = LANES_##SUFFIX,                       \
     .threads_until = 16,                           \
     .one_loop = true,                              \
     .measure_rows = gs_segmented_measure_rows,     \
     .cut = gs_segmented_cut,                       \
     .sort = gs_segmented_sort,                     \
     .measure_groups = gs_segmented_measure_groups, \
     .fill = fill_##SUFFIX,                         \
     .prepare = gs_segmented_prepare,               \
     .drop = gs_segmented_drop,                     \
     .apply = apply_##SUFFIX,                       \
     .multiply = multiply_##SUFFIX}

const gs_segmented_kernels gs_segmented_host[GSOLVE_TYPE_COUNT] = {TABLE(f32), TABLE(f64)};
