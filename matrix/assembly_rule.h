/* assembly_rule.h: which triplets an assembly accepts, for the CPU and the GPU. SMALL: the
 * qualifiers of a function on this device. */
#ifndef GS_MATRIX_ASSEMBLY_RULE_H
#define GS_MATRIX_ASSEMBLY_RULE_H

#include <stdint.h>

enum gs_triplet_kind { GS_TRIPLET_VALID, GS_TRIPLET_SKIPPED, GS_TRIPLET_BAD };

/* i and j: the row and the column of the triplet as the caller counts them. lower, upper: the
 * triangle below or above the diagonal is accepted. */
SMALL enum gs_triplet_kind gs_triplet_kind_of(int64_t i, int64_t j, int base, int64_t nrows,
                                              int64_t ncols, bool lower, bool upper)
{
    if (i < 0 || j < 0) return GS_TRIPLET_SKIPPED;
    if (i < base || j < base || i - base >= nrows || j - base >= ncols) return GS_TRIPLET_BAD;
    return (j < i && !lower) || (j > i && !upper) ? GS_TRIPLET_BAD : GS_TRIPLET_VALID;
}

#endif
