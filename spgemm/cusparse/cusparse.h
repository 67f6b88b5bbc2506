/* cusparse.h: products of sparse matrices by cuSPARSE; in a build without CUDA the method has no
 * name. */
#ifndef GS_SPGEMM_CUSPARSE_CUSPARSE_H
#define GS_SPGEMM_CUSPARSE_CUSPARSE_H

#include "spgemm/spgemm.h"

extern const gs_multiplier gs_cusparse_multiplier;

/* Sorts the columns of each row of C, which is on the device with offsets of 32 bits. order[k] =
 * the former position of the entry k. In cusparse_sort_cuda.cu. */
gsolve_status gs_cusparse_sort_columns(gsolve_context *ctx, gsolve_csr *C, int64_t entries,
                                       int32_t *order);

#endif
