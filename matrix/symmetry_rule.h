/* symmetry_rule.h: compares an entry of a matrix with its mirror image, for the CPU and the GPU.
 * See statistics_rule.h for the bits. SMALL: the qualifiers of a function on this device. */
#ifndef GS_MATRIX_SYMMETRY_RULE_H
#define GS_MATRIX_SYMMETRY_RULE_H

#include <math.h>

#include "matrix/csr.h"
#include "matrix/row_rule.h"

#define GS_SHORT_SEARCH 16 /* entries of a row that are searched one by one */

/* gs_start and gs_value, on this device. */
SMALL int64_t gs_offset_at(const gsolve_csr *A, int32_t row)
{
    return A->offset == GSOLVE_O64 ? ((const int64_t *)A->start)[row]
                                   : (int64_t)((const int32_t *)A->start)[row];
}

SMALL double gs_value_at(const gsolve_csr *A, int64_t k)
{
    return A->type == GSOLVE_F32 ? (double)((const float *)A->value)[k]
                                 : ((const double *)A->value)[k];
}

SMALL double gs_diagonal_value(const gsolve_csr *A, int32_t i)
{
    const int64_t k = gs_row_find(A->col, gs_offset_at(A, i), gs_offset_at(A, i + 1), i);

    return k < 0 ? 0 : gs_value_at(A, k);
}

/* Whether the difference of a_ij and a_ji, whose larger magnitude is `most`, is a rounding
 * error in this type, where aii and ajj are the diagonal entries. */
SMALL bool gs_is_rounding(gsolve_type type, double difference, double most, double aii, double ajj)
{
    const double tolerance = type == GSOLVE_F32 ? 1e-6 : 1e-12;

    return fabs(difference) <= tolerance * (most + 1e-2 * sqrt(fabs(aii)) * sqrt(fabs(ajj)));
}

/* Whether the difference of entries k = (i, j) and mirror = (j, i) is a rounding error. */
SMALL bool gs_differ_by_rounding(const gsolve_csr *A, double difference, int32_t i, int64_t k,
                                 int64_t mirror)
{
    const double tolerance = A->type == GSOLVE_F32 ? 1e-6 : 1e-12;
    const double most = fmax(fabs(gs_value_at(A, k)), fabs(gs_value_at(A, mirror)));

    if (fabs(difference) <= tolerance * most) return true;
    return gs_is_rounding(A->type, difference, most, gs_diagonal_value(A, i),
                          gs_diagonal_value(A, A->col[k]));
}

/* The entry of [from, to) in column i, or -1. Short rows are counted, without branches that the
 * processor cannot predict. */
SMALL int64_t gs_find_entry(const int32_t *col, int64_t from, int64_t to, int32_t i)
{
    const int64_t end = to;

    while (to - from > GS_SHORT_SEARCH) {
        const int64_t middle = from + (to - from) / 2;
        const bool after = col[middle] <= i;
        from = after ? middle : from;
        to = after ? to : middle;
    }
    int64_t at = from;
    for (int64_t k = from; k < to; k++) at += col[k] < i;
    return at < end && col[at] == i ? at : -1;
}

/* The entry (j, i), the mirror image of entry k = (i, j) of the row from `begin` on; -1: there is
 * none. In a stencil with rows of equal lengths it is as far from the end of its row as k is from
 * the begin. */
SMALL int64_t gs_mirror_of(const gsolve_csr *A, int32_t i, int64_t begin, int64_t k)
{
    const int32_t j = A->col[k];
    const int64_t from = gs_offset_at(A, j), to = gs_offset_at(A, j + 1);
    const int64_t guess = to - 1 - (k - begin);

    if (guess >= from && A->col[guess] == i) return guess;
    return gs_find_entry(A->col, from, to, i);
}

/* Whether entry k, which is above the diagonal, of row i, which begins at `begin`, has a mirror
 * image. *symmetric and *skew become false if the values are not. */
SMALL bool gs_match_entry(bool *symmetric, bool *skew, const gsolve_csr *A, int32_t i,
                          int64_t begin, int64_t k)
{
    const int64_t mirror = gs_mirror_of(A, i, begin, k);

    if (mirror < 0) return false;
    const double a = gs_value_at(A, k), b = gs_value_at(A, mirror);
    *symmetric = *symmetric && gs_differ_by_rounding(A, a - b, i, k, mirror);
    *skew = *skew && gs_differ_by_rounding(A, a + b, i, k, mirror);
    return true;
}

/* --- without fixed rows ----------------------------------------------------------------------- */

/* Whether the only nonzero entry of row i is on the diagonal. */
SMALL bool gs_row_is_fixed(const gsolve_csr *A, int32_t i)
{
    const int64_t end = gs_offset_at(A, i + 1);
    bool diagonal = false;

    for (int64_t k = gs_offset_at(A, i); k < end; k++) {
        if (gs_value_at(A, k) == 0) continue;
        if (A->col[k] != i) return false;
        diagonal = true;
    }
    return diagonal;
}

/* Adds 1 to *balance if entry k of row i is nonzero and above the diagonal, and subtracts 1 if it
 * is below it; an entry in a fixed column does not count. False if the entry is above the diagonal
 * and differs from its mirror image. */
SMALL bool gs_rest_match(int64_t *balance, const gsolve_csr *A, const char *fixed, int32_t i,
                         int64_t begin, int64_t k)
{
    const int32_t j = A->col[k];
    const double a = gs_value_at(A, k);

    if (j == i || a == 0 || fixed[j]) return true;
    *balance += j > i ? 1 : -1;
    if (j < i) return true;
    const int64_t mirror = gs_mirror_of(A, i, begin, k);
    return mirror >= 0 && gs_value_at(A, mirror) != 0 &&
           gs_differ_by_rounding(A, a - gs_value_at(A, mirror), i, k, mirror);
}

#endif
