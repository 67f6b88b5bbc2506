/* kernels_host.c: the kernels on the CPU. */
#include "precond/amg/kernels.h"

/* The entry of row i in column c, which is there. */
static int64_t entry_of(const gsolve_csr *A, int32_t i, int32_t c)
{
    int64_t low = gs_start(A, i), high = gs_start(A, i + 1) - 1;

    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (A->col[middle] < c) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

#define GS_BODY "precond/amg/kernels_body.h"
#include "core/each_type.h"

const gs_amg_kernels gs_amg_host[GSOLVE_TYPE_COUNT] = {
    {constant_f32, transpose_values_f32, dense_f32},
    {constant_f64, transpose_values_f64, dense_f64}};
