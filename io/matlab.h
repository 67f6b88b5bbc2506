/* matlab.h: MATLAB's .mat files, by libmatio. */
#ifndef GS_IO_MATLAB_H
#define GS_IO_MATLAB_H

#include "io/input.h"

/* Whether the file is a .mat file of version 5 or 7.3; version 4 has no magic number. In read.c. */
bool gs_matlab_is(const gs_input *in);

/* The only sparse matrix of the file, else the only full one. Fails in a build without libmatio. */
gsolve_status gs_matlab_matrix(gsolve_csr *csr, gs_input *in);

/* The only full matrix of the file. Fails in a build without libmatio. */
gsolve_status gs_matlab_dense(gsolve_dense *v, gs_input *in);

#endif
