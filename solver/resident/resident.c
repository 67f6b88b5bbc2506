/* resident.c: which runs are resident on the GPU, see resident.h; their steps. */
#include "solver/resident/resident.h"

#include <string.h>

#include "core/try.h"
#include "solver/operations/operations.h"
#include "solver/run/run.h"

/* A resident kernel computes one column; other kernels compute all columns in one launch. With more
 * columns the latter are faster: on an H200 2.3 times with eight columns of 64000
 * unknowns. */
#define MOST_COLUMNS 2

gsolve_status gs_resident_new(gs_krylov *k)
{
    gsolve_matrix_info info = GSOLVE_INIT(gsolve_matrix_info);
    gsolve_csr rows;

    gsolve_matrix_describe(k->A, &info);
    if (!gs_on_gpu(k->ctx) || k->comm || !k->method->resident_steps ||
        gs_run_options_of(k)->resident == GS_RESIDENT_OFF || k->run->norm_factor ||
        k->run->spectrum.record || /* the resident steps have neither option */
        (k->M && !gsolve_precond_diagonal(k->M)) ||
        (strcmp(info.format, "csr") != 0 && strcmp(info.format, "auto") != 0)) {
        /* a caller who names another format wants that format */
        return GSOLVE_OK;
    }
    gsolve_matrix_device_csr(k->A, &rows);
    return gs_resident_cuda.plan(&k->run->resident.plan, k->ctx, &rows, info.entries);
}

gsolve_status gs_resident_begin(gs_krylov *k)
{
    gsolve_matrix_info info = GSOLVE_INIT(gsolve_matrix_info);
    gsolve_csr rows;
    gsolve_status status = GSOLVE_OK;

    k->run->resident.on = k->run->resident.plan && k->ncols <= MOST_COLUMNS && !gs_projects(k);
    if (!k->run->resident.on) return GSOLVE_OK;
    gsolve_matrix_describe(k->A, &info);
    if (k->run->resident.A == info.version) return GSOLVE_OK;
    gsolve_matrix_device_csr(k->A, &rows);
    TRY(gs_resident_cuda.fill(k->run->resident.plan, k->ctx, &rows));
    k->run->resident.A = info.version;
done:
    return status;
}

void gs_resident_drop(gs_krylov *k)
{
    if (k->run->resident.plan) gs_resident_cuda.drop(k->run->resident.plan, k->ctx);
    k->run->resident.plan = NULL;
}

/* For the profile: a launch moves A and six vectors once; each product of a step writes and reads
 * the vector that A multiplies. */
static void expect_bytes(gs_krylov *k)
{
    const double vector = (double)gs_type_size(k->csr.type) * k->csr.nrows;
    gsolve_matrix_info A = GSOLVE_INIT(gsolve_matrix_info);

    if (!gs_profiling(&k->run->profile)) return;
    gsolve_matrix_describe(k->A, &A);
    gs_expect_bytes(&k->run->profile, GS_RESIDENT, (double)A.bytes + 6 * vector);
    k->run->profile.step_bytes = 2 * vector * k->method->products;
}

gsolve_status gs_resident_launch_steps(gs_krylov *k, int64_t j, int count)
{
    gs_counts *counts = &k->run->counts;
    const double begin = gs_now();
    const int64_t first = counts->begun + j + 1;
    gsolve_status status = GSOLVE_OK;

    k->run->profile.iteration = (int)first;
    for (int32_t c = 0; c < k->ncols; c++) {
        if (!k->active[c]) continue;
        expect_bytes(k);
        gs_profile_open(&k->run->profile);
        status = k->method->resident_steps(k, c, j, count);
        gs_profile_close(&k->run->profile);
        if (status != GSOLVE_OK) goto done;
    }
    for (int i = 0; i < count; i++) {
        counts->products += k->method->products;
        *gs_products_by(k, first + i) = counts->products;
    }
    counts->product_seconds += gs_now() - begin;
done:
    k->run->profile.iteration = 0;
    return status;
}

gsolve_status gs_resident_run_column(gsolve_solver *k, gs_resident_steps *steps, int32_t c,
                                     double *rho, double *next, int count,
                                     const gs_resident_vectors *v)
{
    const gs_resident_run run = {k->M ? gsolve_precond_diagonal(k->M) : NULL,
                                 {&rho[c], &next[c]},
                                 &k->rr[c],
                                 gs_convergence_test_of(k, c),
                                 count};

    return steps(k->ctx->queue, k->run->resident.plan, &run, v);
}
