/* peer_plain.h: CG, BiCGSTAB and GMRES(m) with Jacobi as one writes them by hand on cuSPARSE and
 * cuBLAS: a call for each operation, scalars and the stopping test on the host. In fp64, M from the
 * right but in CG. */
#ifndef PEER_PLAIN_H
#define PEER_PLAIN_H

#include "gsolve.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct peer_plain peer_plain;

typedef enum peer_method { PEER_CG, PEER_BICGSTAB, PEER_GMRES } peer_method;

/* The choices that a user has, of which the fastest is to be compared with. */
typedef struct peer_variant {
    int alg;        /* 1 or 2: CUSPARSE_SPMV_CSR_ALG1 or 2, analysed beforehand */
    bool nrm2;      /* norms by cublasDnrm2, else as the root of cublasDdot */
    bool classical; /* GMRES: classical Gram-Schmidt, once, by cublasDgemv; else modified */
} peer_variant;

/* A copy on the current device of csr (square, on the host, fp64, offsets of 32 bits, its diagonal
 * without zeros), with what method needs, m being the restart of GMRES. NULL: why tells the cause.
 */
peer_plain *peer_plain_open(const gsolve_csr *csr, peer_method method, int m, char why[256]);
void peer_plain_close(peer_plain *peer);

/* Solves A x = b (n numbers on the host each) from x = 0 until |r| <= rtol |b|, |r| as the
 * recurrence has it, or maxit iterations. seconds: without the transfers of b and x. False: why
 * tells the cause. */
bool peer_plain_solve(peer_plain *peer, peer_variant variant, double rtol, int maxit,
                      const double *b, double *x, int *iterations, double *seconds, char why[256]);

#ifdef __cplusplus
}
#endif
#endif
