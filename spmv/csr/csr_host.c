/* csr_host.c: the kernels of csr on the CPU. */
#include <omp.h>

#include "matrix/irregular.h"
#include "spmv/csr/csr.h"
#include "vector/blocks.h"

/* Returns the first entry of a part of a long row; *n = number of entries of the part. */
static int64_t long_part(const gs_csr_plan *plan, int64_t part, int64_t *n)
{
    int32_t l = 0;

    for (int32_t end = plan->nlong;
         l + 1 < end;) { /* find the last long row whose first part is at most `part` */
        const int32_t middle = l + (end - l) / 2;
        if (plan->first_part[middle] <= part) {
            l = middle;
        } else {
            end = middle;
        }
    }
    const int64_t from =
        gs_start(&plan->csr, plan->long_row[l]) + (part - plan->first_part[l]) * GS_CSR_PART;
    const int64_t left = gs_start(&plan->csr, plan->long_row[l] + 1) - from;
    *n = left < GS_CSR_PART ? left : GS_CSR_PART;
    return from;
}

#define GS_BODY "spmv/csr/csr_body.h"
#include "core/each_type.h"

const gs_csr_kernels gs_csr_host[GSOLVE_TYPE_COUNT] = {
    {gs_csr_plan_host, gs_csr_drop_host, apply_f32, apply_block_f32},
    {gs_csr_plan_host, gs_csr_drop_host, apply_f64, apply_block_f64},
};
