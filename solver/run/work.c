/* work.c: the work space of a solver: allocated, or only counted for gsolve_solver_memory. */
#include "solver/run/run.h"

gsolve_status gs_new_work(gs_krylov *k, gsolve_location location, size_t count, size_t size,
                          void **work)
{
    gs_work *w = &k->run->work;
    void *block;

    if (w->counting) {
        const bool on_device = location == GSOLVE_DEVICE || gs_location(k->ctx) == GSOLVE_HOST;
        w->counted += on_device ? count * size : 0;
        *work = NULL;
        return GSOLVE_OK;
    }
    if (w->blocks == GS_MAX_WORK) {
        return gsolve_fail(k->ctx, GSOLVE_UNSUPPORTED, "a method cannot own more than %d blocks",
                           GS_MAX_WORK);
    }
    block = gsolve_alloc(k->ctx, location, count, size);
    if (!block) return GSOLVE_NO_MEMORY;
    w->block[w->blocks++] = block;
    *work = block;
    return GSOLVE_OK;
}

void gs_work_release(gs_krylov *k)
{
    gs_work *w = &k->run->work;

    while (w->blocks > 0) gsolve_free(k->ctx, GSOLVE_HOST, w->block[--w->blocks]);
    w->nmoving = 0;
}

bool gs_is_counting(const gs_krylov *k)
{
    return k->run->work.counting;
}

gsolve_status gs_new_zeros(gs_krylov *k, size_t bytes, void **work)
{
    const gsolve_status status = gs_new_work(k, GSOLVE_DEVICE, 1, bytes, work);

    if (status != GSOLVE_OK || !*work) return status;
    return GS_KERNELS(gs_vector, k->ctx, GSOLVE_F64)
        ->zero(k->ctx->queue, (int64_t)(bytes / sizeof(double)), *work);
}

void gs_work_move_along(gs_krylov *k, void *first, size_t bytes)
{
    gs_work *w = &k->run->work;

    w->moving[w->nmoving++] = (gs_moving){first, (int64_t)(bytes / sizeof(uint32_t))};
}

gsolve_status gs_new_columns(gs_krylov *k, size_t count, size_t size, void **work)
{
    const gsolve_status status =
        gs_new_work(k, GSOLVE_DEVICE, count * (size_t)k->width, size, work);

    if (status == GSOLVE_OK && *work) gs_work_move_along(k, *work, count * size);
    return status;
}

int gs_at_most_rows(const gs_krylov *k, int asked)
{
    const int64_t rows = k->comm ? k->total_rows : k->csr.nrows;

    return asked < rows ? asked : rows > 0 ? (int)rows : 1;
}

int64_t gs_vector_stride(int32_t nrows)
{
    return ((int64_t)nrows + 15) / 16 * 16; /* each column begins on a cache line */
}

gsolve_status gs_new_vector_of(gs_krylov *k, gsolve_type type, int32_t nrows, bool moves,
                               gsolve_dense *v)
{
    const int64_t stride = gs_vector_stride(nrows);
    const int moving = k->run->work.nmoving;
    gsolve_status status;

    *v = (gsolve_dense){
        nrows, k->width, stride, NULL, type, gs_location(k->ctx), GSOLVE_COLUMN_MAJOR};
    status = gs_new_columns(k, (size_t)stride, gs_type_size(type), &v->value);
    if (!moves) k->run->work.nmoving = moving;
    return status;
}

gsolve_status gs_new_vector(gs_krylov *k, int32_t nrows, gsolve_dense *v)
{
    return gs_new_vector_of(k, k->csr.type, nrows, true, v);
}

gsolve_status gs_new_outer_vector(gs_krylov *k, int32_t nrows, gsolve_dense *v)
{
    return gs_new_vector_of(k, k->csr.type, nrows, false, v);
}

gsolve_status gs_new_basis(gs_krylov *k, gsolve_type type, int32_t width, int count,
                           gsolve_dense *V)
{
    const size_t size = gs_type_size(type);
    const int64_t stride = width > 1 ? count * gs_vector_stride(k->csr.nrows) : 0;
    const gsolve_dense shape = {k->csr.nrows,       width, stride, NULL, type, gs_location(k->ctx),
                                GSOLVE_COLUMN_MAJOR};

    *V = shape;
    if (stride) return gs_new_columns(k, (size_t)stride, size, &V->value);
    return gs_new_work(k, V->location, (size_t)(count * gs_vector_stride(k->csr.nrows) * width),
                       size, &V->value);
}

gsolve_dense gs_basis_at(gsolve_dense V, int j)
{
    V.value = (char *)V.value + (size_t)(j * gs_vector_stride(V.nrows)) * gs_type_size(V.type);
    return V;
}

gsolve_status gs_new_scalar(gs_krylov *k, gs_scalar *s)
{
    void *block = NULL;
    const gsolve_status status = gs_new_columns(k, 1, sizeof(double), &block);

    *s = block;
    return status;
}
