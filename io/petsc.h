/* petsc.h: PETSc's binary files. */
#ifndef GS_IO_PETSC_H
#define GS_IO_PETSC_H

#include "io/binary.h"

bool gs_petsc_is(const char *begin, const char *end);

/* The first matrix of the file. */
gsolve_status gs_petsc_matrix(gsolve_csr *csr, gs_input *in);

/* The first vector of the file, which may follow a matrix; or a dense matrix. */
gsolve_status gs_petsc_dense(gsolve_dense *v, gs_input *in);

#endif
