/* no_matlab.c: replaces matlab.c in a build without libmatio. */
#include "io/binary.h"
#include "io/matlab.h"

static gsolve_status refuse(const gs_input *in)
{
    return gs_binary_fail(
        in, NULL,
        "this build of gsolve does not read MATLAB files: install libmatio (Debian "
        "package libmatio-dev) and configure gsolve with -DGSOLVE_MATIO=ON, or in "
        "Python: scipy.sparse.save_npz(\"A.npz\", scipy.io.loadmat(FILE)[\"A\"])");
}

gsolve_status gs_matlab_matrix(gsolve_csr *csr, gs_input *in)
{
    (void)csr;
    return refuse(in);
}

gsolve_status gs_matlab_dense(gsolve_dense *v, gs_input *in)
{
    (void)v;
    return refuse(in);
}
