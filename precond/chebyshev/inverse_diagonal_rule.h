/* inverse_diagonal_rule.h: the diagonals of gs_inverse_diagonal, the same on the CPU and on a GPU.
 * INLINE: the storage class of these functions in the including file. */

/* What entry a adds to the sum of its row. */
INLINE double gs_row_sum_term(gs_inverse_diagonal kind, double a)
{
    return kind == GS_LEAST_SQUARES ? a * a : fabs(a);
}

/* The element of the diagonal from a_ii and the sum of the row. */
INLINE double gs_inverse_diagonal_of(gs_inverse_diagonal kind, double diagonal, double sum)
{
    if (kind == GS_POINT_JACOBI) return diagonal != 0 ? 1 / diagonal : 0;
    if (!(sum > 0)) return 0;
    return (kind == GS_LEAST_SQUARES ? diagonal : diagonal < 0 ? -1 : 1) / sum;
}
