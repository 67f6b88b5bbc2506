/* norm.c: the operations of norm=preconditioned and spectrum=on, see operations.h.
 *
 * sqrt(r'M^-1 r) is the norm that minres minimises (Elman, Silvester and Wathen 2014, section 4.1).
 * cg and pipelined cg have r'M^-1 r in every step; PETSc calls its root the natural norm. So the
 * test costs one number for each column in a step, and an application of M to b in each round. */
#include "core/try.h"
#include "solver/operations/common.h"

bool gs_has_preconditioned_norm(const gs_krylov *k)
{
    return k->run->norm_factor != NULL;
}

gsolve_status gs_square_norm(gs_krylov *k, gs_scalar s, int power)
{
    gs_scalar_arguments a = gs_scalar_arguments_of(k);

    if (!gs_has_preconditioned_norm(k)) return GSOLVE_OK;
    a.s[0] = s;
    a.m = power;
    return GS_RUN_SCALAR(k, norm_square, &a);
}

gsolve_status gs_op_test_norm(gs_krylov *k, gs_scalar rz)
{
    gs_scalar_arguments a = gs_scalar_arguments_of(k);
    gsolve_status status;

    if (!gs_has_preconditioned_norm(k)) return GSOLVE_OK;
    a.j = 1;
    TRY(gs_square_norm(k, rz, 1));
    TRY(GS_RUN_SCALAR(k, test, &a));
done:
    return status;
}

bool gs_records_spectrum(const gs_krylov *k)
{
    return k->run->spectrum.record != NULL;
}

gsolve_status gs_start_lanczos(gs_krylov *k)
{
    const gs_scalar_arguments a = gs_scalar_arguments_of(k);

    return GS_RECORD(k, lanczos_start, &a);
}

gsolve_status gs_record_cg(gs_krylov *k, gs_scalar rho, gs_scalar pq)
{
    gs_scalar_arguments a = gs_scalar_arguments_of(k);

    a.s[0] = rho;
    a.s[1] = pq;
    return GS_RECORD(k, cg_lanczos, &a);
}
