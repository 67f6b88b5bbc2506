/* ps_host.c: the kernels of ps on the CPU. */
#include "spmv/ps/ps.h"
#include "spmv/scattered.h"

#define PIECE 128 /* products at hand at a time */
#define FAR   512 /* entries before their use values and columns are asked for */

/* The first row that begins at or after an entry; the number of rows past the last entry. */
static int32_t row_at(const gsolve_csr *A, int64_t entry)
{
    int32_t low = 0, high = A->nrows;

    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (gs_start(A, middle) < entry) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

#define GS_BODY "spmv/ps/ps_body.h"
#include "core/each_type.h"

const gs_ps_kernels gs_ps_host[GSOLVE_TYPE_COUNT] = {{false, apply_f32}, {false, apply_f64}};
