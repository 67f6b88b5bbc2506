/* common.c: see common.h; also the functions of scalar_kernels_body.h on the host. */
#include "solver/operations/common.h"

#include <math.h>

#include "core/try.h"
#include "dist/comm.h"

void gs_op_expect(gs_krylov *k, gs_class class, double bytes)
{
    gs_profile *profile = &k->run->profile;
    int columns = 0;

    for (int32_t c = 0; gs_profiling(profile) && c < k->ncols; c++) columns += k->active[c];
    if (gs_op_takes_all(k)) columns = k->wide;
    gs_expect_bytes(profile, class, k->skip && !gs_op_takes_all(k) ? 0 : columns * bytes);
}

bool gs_op_takes_column(gs_krylov *k, gs_queue *q, int32_t c)
{
    const int *skip = k->skip ? &k->skip[c] : &k->ended[c];

    if (gs_op_takes_all(k) ? c >= k->wide : !k->active[c]) return false;
    if (!k->ctx->device->guard) return !k->skip || !*skip; /* the host reads the device's memory */
    k->ctx->device->guard(q, skip);
    return true;
}

void gs_op_unguard(gs_krylov *k)
{
    if (k->ctx->device->guard) k->ctx->device->guard(k->ctx->queue, NULL);
}

double gs_op_begin_all(gs_krylov *k)
{
    const int *all_ended = k->run->columns.all_ended;

    gs_profile_open(&k->run->profile);
    if (k->wide == 1) {
        gs_op_takes_column(k, k->ctx->queue, 0);
    } else if (all_ended && !gs_op_takes_all(k)) {
        k->ctx->device->guard(k->ctx->queue, all_ended);
    }
    return gs_now();
}

void gs_end_block(gs_krylov *k)
{
    gs_op_unguard(k);
    gs_profile_close(&k->run->profile);
}

gs_queue *gs_op_begin_each(gs_krylov *k)
{
    const gs_columns *columns = &k->run->columns;
    const bool batched = columns->batch && k->wide > 1;

    gs_profile_open(&k->run->profile);
    if (batched) columns->kernels->begin(columns->batch, k->ctx->queue);
    return batched ? columns->batch : k->ctx->queue;
}

/* Launches the kernels that q has stored. */
static gsolve_status launch_batch(gs_krylov *k, gs_queue *q, gsolve_status status)
{
    if (q == k->ctx->queue || status != GSOLVE_OK) return status;
    return k->run->columns.kernels->end(q);
}

gsolve_status gs_op_end_each(gs_krylov *k, gs_queue *q, gsolve_status status)
{
    status = launch_batch(k, q, status);
    gs_end_block(k);
    return gs_comm_defer(k->comm, status);
}

/* The guard of column c where kernels have one. */
static const int *guard_of(const gs_krylov *k, int32_t c)
{
    const int *skip = k->skip ? &k->skip[c] : &k->ended[c];

    return k->ctx->device->guard ? skip : NULL;
}

/* On a GPU, where only kernels read k->skip: its flags, for the host to leave messages out; NULL:
 * there is no k->skip, or the host reads it anyway. A device that fails is not asked again: the
 * next sum reports it. */
static const int *skipped_columns(gs_krylov *k)
{
    int *mask = k->run->mask;
    gsolve_status status;

    if (!k->ctx->device->guard || !k->skip || gs_op_takes_all(k)) return NULL;
    status = gsolve_copy(k->ctx, mask, GSOLVE_HOST, k->skip, GSOLVE_DEVICE,
                         (size_t)k->ncols * sizeof *mask);
    for (int32_t c = 0; c < k->ncols && status != GSOLVE_OK; c++) mask[c] = 1;
    gs_comm_defer(k->comm, status);
    return mask;
}

/* Adds the sums of the columns that the operation takes. They travel together, as far as they fit.
 */
static gsolve_status add_over_ranks(gs_krylov *k, gs_queue *q, const gs_op_sums *sums)
{
    enum { MOST = 32 * GS_OP_SUMS };
    const int *skipped = skipped_columns(k);
    gs_numbers part[MOST];
    int parts = 0;
    gsolve_status status = GSOLVE_OK;

    for (int32_t c = 0; c < k->ncols; c++) {
        if (!gs_op_takes_column(k, q, c) || (skipped && skipped[c])) continue;
        for (int i = 0; i < GS_OP_SUMS && sums->sum[i].first; i++) {
            const gs_op_sum *s = &sums->sum[i];
            part[parts++] = (gs_numbers){s->first + c * s->stride, s->count, guard_of(k, c)};
        }
        if (parts <= MOST - GS_OP_SUMS) continue;
        gs_op_unguard(k); /* each part has its guard */
        TRY(gs_comm_sum(k->comm, part, parts));
        parts = 0;
    }
    gs_op_unguard(k);
    if (parts > 0) status = gs_comm_sum(k->comm, part, parts);
done:
    return status;
}

gsolve_status gs_op_end_sums(gs_krylov *k, gs_queue *q, gsolve_status status,
                             const gs_op_sums *sums)
{
    if (!k->comm) return gs_op_end_each(k, q, status);
    status = gs_comm_defer(k->comm, launch_batch(k, q, status));
    if (status == GSOLVE_OK) status = add_over_ranks(k, q, sums);
    gs_end_block(k);
    return status;
}

gsolve_status gs_op_test_ranks(gs_krylov *k)
{
    gs_scalar_arguments a;

    if (!k->comm) return GSOLVE_OK;
    a = gs_scalar_arguments_of(k);
    a.j = 1;
    return GS_RUN_SCALAR(k, test, &a);
}

const gs_vector_kernels *gs_op_kernels(const gs_krylov *k, const gs_queue *q, gsolve_type type)
{
    if (q == k->ctx->queue) return GS_KERNELS(gs_vector, k->ctx, type);
    return &k->run->columns.kernels->vector[type];
}

gs_ratio gs_op_ratio(gs_krylov *k, gs_coefficient a, int32_t c)
{
    const double **array[] = {&a.num, &a.den, &a.num2, &a.den2};

    for (int i = 0; i < 4; i++) {
        if (*array[i]) *array[i] += c;
    }
    a.flag = &k->flag[c];
    return a;
}

void gs_begin_block(gs_krylov *k, gs_class class, double numbers)
{
    gs_expect_bytes(&k->run->profile, class, numbers * (double)gs_type_size(k->csr.type));
    gs_op_begin_all(k);
}

/* --- the functions of scalar_kernels_body.h on the host: one column that has not ended after
 * another */

#define SMALL static
#include "vector/convergence_body.h"
#include "vector/norm_body.h"

/* after these two, whose functions it calls */
#include "solver/operations/scalar_kernels_body.h"

#include "solver/operations/normal_kernels_body.h"

#define EACH_COLUMN(name)                                                          \
    static gsolve_status name##_columns(gs_queue *q, const gs_scalar_arguments *a) \
    {                                                                              \
        (void)q;                                                                   \
        for (int c = 0; c < a->ncols; c++) {                                       \
            if (!a->convergence.ended[c]) name(a, c);                              \
        }                                                                          \
        return GSOLVE_OK;                                                          \
    }
GS_SCALAR_LIST(EACH_COLUMN)

#define MEMBER(name) .name = name##_columns,
const gs_scalar_kernels gs_scalar_host = {GS_SCALAR_LIST(MEMBER)};

const gs_scalar_kernels *gs_scalar_kernels_of(const gs_krylov *k)
{
    return gs_on_gpu(k->ctx) ? &gs_scalar_cuda : &gs_scalar_host;
}

gsolve_status gs_run_scalar_kernel(gs_krylov *k, gs_scalar_function *function,
                                   const gs_scalar_arguments *a)
{
    gs_profile *profile = &k->run->profile;
    const bool test = function == gs_scalar_kernels_of(k)->test;
    gsolve_status status;

    gs_expect_bytes(profile, test ? GS_TEST : GS_SCALARS, 0);
    gs_profile_open(profile);
    status = function(k->ctx->queue, a);
    gs_profile_close(profile);
    return status;
}

/* --- the convergence test ----------------------------------------------------------------------
 */

/* The smallest target of a correction, whose residual is about 1 at first. Below it, a recurrence
 * in this type only reduces its own rounding errors; the next correction continues from there. */
#define LEAST_SINGLE 0x1p-18
#define LEAST_DOUBLE 0x1p-40

double gs_column_target(const gs_krylov *k, int32_t c)
{
    const gs_column *column = &k->run->column[c];
    const gs_run_options *run = gs_run_options_of(k);
    const double target = column->tighten * fmax(run->rtol * ldexp(column->norm, -column->scale),
                                                 ldexp(run->atol, -column->scale));
    const double least = k->csr.type == GSOLVE_F32 ? LEAST_SINGLE : LEAST_DOUBLE;

    return k->run->correcting && target > 0 ? fmax(target, least) : target;
}

double gs_column_norm(const gs_krylov *k, int32_t c)
{
    const gs_column *column = &k->run->column[c];
    const double norm = ldexp(column->norm, -column->scale);

    return norm > 0 ? fmin(norm, 1e300) : 1;
}

gs_convergence_test gs_convergence_test_of(const gs_krylov *k, int32_t c)
{
    const gs_convergence_test test = {k->run->progress,
                                      (double *)(void *)(k->run->progress + k->width),
                                      k->flag,
                                      k->ended,
                                      k->run->norm_factor,
                                      k->ncols,
                                      c};
    return test;
}

gs_scalar_arguments gs_scalar_arguments_of(const gs_krylov *k)
{
    const gs_scalar *scalar =
        (const gs_scalar *)((const gsolve_dense *)k->state + k->method->vectors);
    gs_scalar_arguments a = {
        .rr = k->rr,
        .convergence = gs_convergence_test_of(k, 0),
        .ncols = k->ncols,
        .factor = k->run->norm_factor,
        .record = k->run->spectrum.record,
        .record_size = k->run->spectrum.size,
    };

    for (int i = 0; i < k->method->scalars; i++) a.s[i] = scalar[i];
    return a;
}
