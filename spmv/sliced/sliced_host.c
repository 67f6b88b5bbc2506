/* sliced_host.c: the kernel table of slices on the CPU. */
#include "spmv/sliced/sliced_host.h"

#include <omp.h>

#include <string.h>

#include "core/try.h"
#include "matrix/irregular.h"
#include "vector/blocks.h"
#include "vector/vector.h"

static gs_row_parts long_rows_of(const gs_sliced *s)
{
    return (gs_row_parts){&s->csr, s->nlong, s->parts, s->part, s->sum};
}

#define GS_BODY "spmv/sliced/sliced_body.h"
#include "core/each_type.h"

#define TABLE(type)              \
    {gs_sliced_inspect_host,     \
     gs_sliced_count_host,       \
     gs_sliced_sort_host,        \
     gs_sliced_shape_host,       \
     gs_sliced_fits_single_host, \
     fill_##type,                \
     apply_##type,               \
     apply_block_##type,         \
     NULL,                       \
     NULL}
const gs_sliced_kernels GS_LEVEL(gs_sliced_host)[GSOLVE_TYPE_COUNT] = {TABLE(f32), TABLE(f64)};
