/* resident.c: which solvers run resident on the device, see resident.h. */
#include "solver/resident/resident.h"

#include <string.h>

#include "core/try.h"
#include "solver/method.h"

/* One column after the other runs on the chip; side by side each shares the launches with the
 * others, and more of them are faster so (on an H200 eight of 64000 unknowns by 2.3 times). */
#define MOST_COLUMNS 2

gsolve_status gs_resident_new(gs_krylov *k)
{
    gsolve_matrix_info info;
    gsolve_csr rows;

    gsolve_matrix_describe(k->A, &info);
    if (!gs_on_gpu(k->ctx) || !k->method->resident_steps ||
        gs_run(k)->resident == GS_RESIDENT_OFF || (k->M && !gsolve_precond_diagonal(k->M)) ||
        (strcmp(info.format, "csr") != 0 && strcmp(info.format, "auto") != 0)) {
        /* another format was chosen to be used */
        return GSOLVE_OK;
    }
    gsolve_matrix_device_csr(k->A, &rows);
    return gs_resident_cuda.plan(&k->resident, k->ctx, &rows, info.entries);
}

gsolve_status gs_resident_begin(gs_krylov *k)
{
    gsolve_matrix_info info;
    gsolve_csr rows;
    gsolve_status status = GSOLVE_OK;

    k->on_chip = k->resident && k->ncols <= MOST_COLUMNS;
    if (!k->on_chip) return GSOLVE_OK;
    gsolve_matrix_describe(k->A, &info);
    if (k->resident_A == info.version) return GSOLVE_OK;
    gsolve_matrix_device_csr(k->A, &rows);
    TRY(gs_resident_cuda.fill(k->resident, k->ctx, &rows));
    k->resident_A = info.version;
done:
    return status;
}

void gs_resident_drop(gs_krylov *k)
{
    if (k->resident) gs_resident_cuda.drop(k->resident, k->ctx);
    k->resident = NULL;
}

void gs_resident_expect_bytes(gs_krylov *k)
{
    const double vector = (double)gs_type_size(k->csr.type) * k->csr.nrows;
    gsolve_matrix_info A = {0};

    if (!gs_profiling(&k->profile)) return;
    gsolve_matrix_describe(k->A, &A);
    gs_expect_bytes(&k->profile, GS_RESIDENT, (double)A.bytes + 6 * vector);
    k->profile.step_bytes = 2 * vector * k->method->products;
}

gs_resident_run gs_resident_run_of(const gs_krylov *k, int32_t c, gs_scalar rho, gs_scalar next,
                                   int steps)
{
    const gs_resident_run run = {k->M ? gsolve_precond_diagonal(k->M) : NULL,
                                 {&rho[c], &next[c]},
                                 &k->rr[c],
                                 gs_convergence_test_of(k, c),
                                 steps};
    return run;
}
