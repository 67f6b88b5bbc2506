/* square_blocks.h: a matrix of square dense blocks, as a caller gives it. */
#ifndef GS_MATRIX_SQUARE_BLOCKS_H
#define GS_MATRIX_SQUARE_BLOCKS_H

#include "matrix/csr.h"

/* Block compressed sparse rows. An entry of csr is a block of size x size numbers, so csr counts
 * block rows and block columns, and csr.value has size^2 numbers for each entry. Block columns
 * ascend strictly in each block row. */
typedef struct gs_square_blocks {
    gsolve_csr csr;
    int32_t size;
    bool column_major; /* of the numbers in a block; else row-major */
} gs_square_blocks;

#endif
