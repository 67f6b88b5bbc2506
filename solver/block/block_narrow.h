/* block_narrow.h: the small matrices after columns left a block; see block_cg.c for the symbols. */
#ifndef GS_SOLVER_BLOCK_BLOCK_NARROW_H
#define GS_SOLVER_BLOCK_BLOCK_NARROW_H

/* The first `keep` of b columns stay. All matrices are column-major, their columns GS_BLOCK apart.
 * Given G = S'A S and the first keep columns of sigma, computes U and T, b x b, and new values of
 * those columns of sigma, so that R = (w U) sigma with the first keep rows of sigma. The last
 * columns of S T are D with D'A D = I. Its first keep columns are those of S U, made conjugate to
 * D. */
void gs_block_narrow(int b, int keep, const double *G, double *sigma, double *U, double *T);

#endif
