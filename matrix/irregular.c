/* irregular.c: compares neighbouring rows of a sample, see irregular.h. */
#include "matrix/irregular.h"

bool gs_is_irregular(const gsolve_csr *A)
{
    const int32_t step = A->nrows / 1024 + 1;
    int64_t far = 0, count = 0;

    if ((size_t)A->ncols * gs_type_size(A->type) <= 1 << 20) return false;
    for (int32_t i = 1; i < A->nrows; i += step) {
        const int64_t before = gs_start(A, i - 1), at = gs_start(A, i), end = gs_start(A, i + 1);
        for (int64_t k = 0; k < end - at && k < at - before; k++) {
            const int64_t apart = (int64_t)A->col[at + k] - (int64_t)A->col[before + k];
            far += apart > 4096 || apart < -4096;
            count++;
        }
    }
    return far > count / 2;
}

#define SHORT \
    32 /* mean entries per row below which the end of a row costs as much as its entries */

gs_rows gs_rows_of(const gsolve_csr *A)
{
    const int32_t step = A->nrows / 1024 + 1;
    int32_t unlike = 0, count = 0;

    for (int32_t i = 1; i < A->nrows; i += step) {
        const int64_t at = gs_start(A, i);
        unlike += gs_start(A, i + 1) - at != at - gs_start(A, i - 1);
        count++;
    }
    if (gs_is_irregular(A)) return GS_ROWS_IRREGULAR;
    if (gs_start(A, A->nrows) >= SHORT * (int64_t)A->nrows) return GS_ROWS_EVEN;
    return unlike > count / 8 ? GS_ROWS_UNEVEN : GS_ROWS_EVEN;
}
