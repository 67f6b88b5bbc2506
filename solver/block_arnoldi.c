/* block_arnoldi.c: see block_arnoldi.h, and block_gmres.c for the symbols. */
#include "solver/block_arnoldi.h"

#include "core/try.h"

static const gs_block_kernels *blocks(const gs_krylov *k)
{
    return GS_KERNELS(gs_block, k->ctx, k->csr.type);
}

static const gs_arnoldi_kernels *kernels(const gs_krylov *k)
{
    return GS_KERNELS(gs_arnoldi, k->ctx, k->csr.type);
}

static gsolve_status new_small(gs_krylov *k, gs_arnoldi *s)
{
    const struct {
        gs_scalar *to;
        int64_t count; /* for each column */
    } small[] = {{&s->H, s->m * s->ld}, {&s->Q, (int64_t)4 * s->m * s->most},
                 {&s->g, s->ld},        {&s->again, s->ld},
                 {&s->G, GS_BLOCK},     {&s->t, GS_BLOCK}};
    int **flags[] = {&s->once, &s->length, &s->nothing};
    const size_t width = (size_t)k->width;
    gsolve_status status;

    for (size_t i = 0; i < sizeof small / sizeof *small; i++) {
        TRY(gs_new_work(k, GSOLVE_DEVICE, width * (size_t)small[i].count, sizeof(double),
                        (void **)(void *)small[i].to));
    }
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        TRY(gs_new_work(k, GSOLVE_DEVICE, width, sizeof(int), (void **)(void *)flags[i]));
    }
done:
    return status;
}

gsolve_status gs_arnoldi_new(gs_krylov *k, gs_arnoldi *s, int m, int most)
{
    const int32_t n = k->csr.nrows;
    size_t space = kernels(k)->space(n, m * most, most);
    gsolve_status status;

    s->m = m;
    s->most = most;
    s->ld = (int64_t)(m + 1) * most;
    TRY(gs_new_basis(k, k->csr.type, 1, m * k->width, &s->V));
    TRY(gs_new_outer_vector(k, n, &s->W));
    TRY(new_small(k, s));
    if (space < blocks(k)->space_size) space = blocks(k)->space_size;
    TRY(gs_new_work(k, GSOLVE_DEVICE, 1, space, &s->space));
    if (s->space) {
        TRY(GS_KERNELS(gs_vector, k->ctx, GSOLVE_F64)
                ->zero(k->ctx->queue, (int64_t)(space / sizeof(double)), s->space));
    }
done:
    return status;
}

/* Runs the statements for every block: columns first to first + b. */
#define EACH_BLOCK(...)                                                  \
    for (int first = 0, wide_ = gs_block_width(k->wide, s->most);        \
         first < k->wide && status == GSOLVE_OK; first += wide_) {       \
        const int b = k->wide - first < wide_ ? k->wide - first : wide_; \
        __VA_ARGS__;                                                     \
    }

#define QUEUE     k->ctx->queue
#define OF(which) ((gs_block_columns){gs_column_of(which, first).value, (which).stride})

static gs_arnoldi_small small_of(const gs_krylov *k, const gs_arnoldi *s, int first, int b,
                                 int steps)
{
    const gs_arnoldi_small a = {
        .b = b,
        .steps = steps,
        .ld = s->ld,
        .H = s->H + first * s->m * s->ld,
        .Q = s->Q + (int64_t)first * 4 * s->m * s->most,
        .g = s->g + first * s->ld,
        .again = s->again + first * s->ld,
        .G = s->G + (int64_t)first * GS_BLOCK,
        .t = s->t + (int64_t)first * GS_BLOCK,
        .once = s->once + first,
        .length = s->length + first,
        .nothing = s->nothing + first,
        .rr = k->rr + first,
        .ended = k->ended + first,
        .noise = k->csr.type == GSOLVE_F32 ? 1e-6 : 1e-14,
    };
    return a;
}

/* The first count blocks of V in the columns from first on. */
static gs_arnoldi_basis basis(const gs_krylov *k, const gs_arnoldi *s, int first, int b, int count)
{
    const int64_t ld = gs_vector_stride(k->csr.nrows);
    const gs_arnoldi_basis V = {gs_basis_at(s->V, ld, first).value, ld, k->wide, count, b};

    return V;
}

gsolve_dense gs_arnoldi_block(const gs_krylov *k, const gs_arnoldi *s, int j)
{
    const int64_t ld = gs_vector_stride(k->csr.nrows);
    gsolve_dense v = gs_basis_at(s->V, ld, j * k->wide);

    v.stride = ld;
    v.ncols = k->wide;
    return v;
}

static double numbers(const gs_krylov *k, int vectors)
{
    return (double)vectors * k->csr.nrows * k->wide;
}

/* A function of small matrices after so many steps, on all blocks. */
static gsolve_status small(gs_krylov *k, const gs_arnoldi *s, int steps,
                           gsolve_status (*function)(gs_queue *q, const gs_arnoldi_small *a))
{
    gsolve_status status = GSOLVE_OK;

    gs_begin_block(k, GS_SCALARS, 0);
    EACH_BLOCK(const gs_arnoldi_small a = small_of(k, s, first, b, steps);
               status = function(QUEUE, &a));
    gs_end_block(k);
    return status;
}

/* V_j = W = W t. W t stays in W, which the next product overwrites. */
gsolve_status gs_arnoldi_keep(gs_krylov *k, const gs_arnoldi *s, int j)
{
    const gsolve_dense v = gs_arnoldi_block(k, s, j);
    gsolve_status status = GSOLVE_OK;

    gs_begin_block(k, GS_SCALE, numbers(k, 3));
    EACH_BLOCK(status = blocks(k)->turn(QUEUE, v.nrows, b, (gs_block_columns){0}, NULL,
                                        s->t + (int64_t)first * GS_BLOCK, NULL, OF(v), OF(s->W)));
    gs_end_block(k);
    return status;
}

/* The first pass over W, of which nothing is in the first steps blocks of V then; S and t. */
static gsolve_status first_pass(gs_krylov *k, const gs_arnoldi *s, int steps)
{
    const int64_t n = k->csr.nrows;
    gsolve_status status = GSOLVE_OK;

    if (steps > 0) {
        gs_begin_block(k, GS_DOTS, numbers(k, steps + 1));
        EACH_BLOCK(const gs_arnoldi_small a = small_of(k, s, first, b, steps);
                   status = kernels(k)->project(QUEUE, n, basis(k, s, first, b, steps), OF(s->W),
                                                a.H + (steps - 1) * b * s->ld, s->ld, s->space));
        gs_end_block(k);
        if (status != GSOLVE_OK) return status;
        gs_begin_block(k, GS_COMBINE, numbers(k, steps + 2));
        EACH_BLOCK(const gs_arnoldi_small a = small_of(k, s, first, b, steps);
                   status =
                       kernels(k)->combine(QUEUE, n, basis(k, s, first, b, steps),
                                           a.H + (steps - 1) * b * s->ld, s->ld, false, OF(s->W)));
        gs_end_block(k);
        if (status != GSOLVE_OK) return status;
    }
    gs_begin_block(k, GS_DOTS, numbers(k, 1));
    EACH_BLOCK(status = blocks(k)->gram(QUEUE, n, b, OF(s->W), OF(s->W),
                                        s->G + (int64_t)first * GS_BLOCK, s->space));
    gs_end_block(k);
    return status == GSOLVE_OK ? small(k, s, steps, kernels(k)->first) : status;
}

/* The second pass over a block, where once is not enough. */
static gsolve_status pass_again(gs_krylov *k, const gs_arnoldi *s, int first, int b, int steps)
{
    const gs_arnoldi_small a = small_of(k, s, first, b, steps);
    const gs_arnoldi_basis V = basis(k, s, first, b, steps);
    const int64_t n = k->csr.nrows;
    gsolve_status status;

    TRY(blocks(k)->turn(QUEUE, n, b, (gs_block_columns){0}, NULL, a.t, NULL, OF(s->W), OF(s->W)));
    if (steps > 0) {
        TRY(kernels(k)->project(QUEUE, n, V, OF(s->W), a.again, s->ld, s->space));
        TRY(kernels(k)->combine(QUEUE, n, V, a.again, s->ld, false, OF(s->W)));
    }
    TRY(blocks(k)->gram(QUEUE, n, b, OF(s->W), OF(s->W), a.G, s->space));
    TRY(kernels(k)->second(QUEUE, &a));
done:
    return status;
}

static gsolve_status second_pass(gs_krylov *k, const gs_arnoldi *s, int steps)
{
    const gs_device *device = k->ctx->device;
    gsolve_status status = GSOLVE_OK;

    gs_begin_block(k, GS_OTHER, 0); /* who knows what it moves */
    EACH_BLOCK(if (device->guard) device->guard(QUEUE, s->once + first); /* of its own memory */
               else if (s->once[first]) continue; status = pass_again(k, s, first, b, steps));
    gs_end_block(k);
    return status;
}

gsolve_status gs_arnoldi_orthogonalise(gs_krylov *k, const gs_arnoldi *s, int steps)
{
    const gsolve_status status = first_pass(k, s, steps);

    return status == GSOLVE_OK ? second_pass(k, s, steps) : status;
}

gsolve_status gs_arnoldi_rotate(gs_krylov *k, const gs_arnoldi *s, int steps)
{
    return small(k, s, steps, kernels(k)->rotate);
}

gsolve_status gs_arnoldi_solve(gs_krylov *k, const gs_arnoldi *s, int steps)
{
    gsolve_status status = small(k, s, steps, kernels(k)->solve);

    gs_begin_block(k, GS_COMBINE, numbers(k, steps + 1));
    EACH_BLOCK(status = kernels(k)->combine(QUEUE, k->csr.nrows, basis(k, s, first, b, steps),
                                            s->again + first * s->ld, s->ld, true, OF(s->W)));
    gs_end_block(k);
    return status;
}

gsolve_status gs_arnoldi_close(gs_krylov *k, const gs_arnoldi *s)
{
    return small(k, s, 0, kernels(k)->close);
}
