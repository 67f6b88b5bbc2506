/* block_narrow.h: what a block becomes when some of its columns leave it; see block_cg.c for the
 * symbols. */
#ifndef GS_SOLVER_BLOCK_BLOCK_NARROW_H
#define GS_SOLVER_BLOCK_BLOCK_NARROW_H

/* Of b columns the first keep stay. All matrices are by columns that are GS_BLOCK apart. From G =
 * S'A S and the first keep columns of sigma: U and T, b x b, and new values of these columns, so
 * that R = (w U) sigma with the first keep rows of the new sigma; S T has in its first keep columns
 * those of S U less what is not conjugate to the others, which are D: D'A D = I. */
void gs_block_narrow(int b, int keep, const double *G, double *sigma, double *U, double *T);

#endif
