/* segmented_host.c: the product of segmented on the CPU. A thread has complete rows. It sums a row
 * segment after segment, from the rows of csr where they lie. */
#include "matrix/irregular.h"
#include "spmv/segmented/segmented.h"

#define ROWS 256 /* that a thread takes at a time */

#define GS_BODY "spmv/segmented/segmented_body.h"
#include "core/each_type.h"

const gs_segmented_kernels GS_LEVEL(gs_segmented_host)[GSOLVE_TYPE_COUNT] = {{apply_f32},
                                                                             {apply_f64}};
