/* gauss_seidel_host.c: the sweeps of gs on the CPU, see gauss_seidel.h. */
#include "precond/amg/smoothers/gauss_seidel.h"

#include <math.h>
#include <string.h>

#include "precond/amg/smoothers/smoother.h"
#include "vector/blocks.h"

static gs_blocks blocks_of(int64_t n)
{
    gs_blocks b = {n, (n + GS_GAUSS_SEIDEL_MAX_BLOCKS - 1) / GS_GAUSS_SEIDEL_MAX_BLOCKS, 0};

    if (b.size < GS_GAUSS_SEIDEL_MIN_ROWS) b.size = GS_GAUSS_SEIDEL_MIN_ROWS;
    b.count = (int)((n + b.size - 1) / b.size);
    return b;
}

#define GS_BODY "precond/amg/smoothers/gauss_seidel_body.h"
#include "core/each_type.h"

const gs_gauss_seidel_kernels GS_LEVEL(gs_gauss_seidel_host)[GSOLVE_TYPE_COUNT] = {
    {NULL, NULL, NULL, block_diagonal_f32, blocks_f32, transposed_blocks_f32},
    {NULL, NULL, NULL, block_diagonal_f64, blocks_f64, transposed_blocks_f64}};
