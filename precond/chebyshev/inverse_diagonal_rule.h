/* inverse_diagonal_rule.h: the diagonals of kernels.h, on the CPU and on a GPU: INLINE says where.
 */

/* What an entry of the row adds to its sum. */
INLINE double gs_row_sum_term(gs_inverse_diagonal kind, double a)
{
    return kind == GS_LEAST_SQUARES ? a * a : fabs(a);
}

/* D_ii of a_ii and that sum. */
INLINE double gs_inverse_diagonal_of(gs_inverse_diagonal kind, double diagonal, double sum)
{
    if (kind == GS_POINT_JACOBI) return diagonal != 0 ? 1 / diagonal : 0;
    if (!(sum > 0)) return 0;
    return (kind == GS_LEAST_SQUARES ? diagonal : diagonal < 0 ? -1 : 1) / sum;
}
