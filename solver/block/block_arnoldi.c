/* block_arnoldi.c: see block_arnoldi.h, and block_gmres.c for the symbols. */
#include "solver/block/block_arnoldi.h"

#include "core/try.h"

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
    int **flags[] = {&s->once, &s->length, &s->no_update};
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
    gsolve_status status;

    s->m = m;
    s->most = most;
    s->ld = (int64_t)(m + 1) * most;
    TRY(gs_new_basis(k, k->csr.type, 1, m * k->width, &s->V));
    TRY(gs_new_outer_vector(k, n, &s->W));
    TRY(new_small(k, s));
    TRY(gs_new_zeros(k, kernels(k)->space(n, m * most, most), &s->space));
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
        .no_update = s->no_update + first,
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
    const gs_arnoldi_basis V = {gs_basis_at(s->V, first).value, ld, k->wide, count, b};

    return V;
}

gsolve_dense gs_arnoldi_block(const gs_krylov *k, const gs_arnoldi *s, int j)
{
    const int64_t ld = gs_vector_stride(k->csr.nrows);
    gsolve_dense v = gs_basis_at(s->V, j * k->wide);

    v.stride = ld;
    v.ncols = k->wide;
    return v;
}

static double numbers_of(const gs_krylov *k, int vectors)
{
    return (double)vectors * k->csr.nrows * k->wide;
}

/* Runs `function` on the small matrices of all blocks after `steps` steps. */
static gsolve_status run_on_small(gs_krylov *k, const gs_arnoldi *s, int steps,
                                  gsolve_status (*function)(gs_queue *q, const gs_arnoldi_small *a))
{
    gsolve_status status = GSOLVE_OK;

    gs_begin_block(k, GS_SCALARS, 0);
    EACH_BLOCK(const gs_arnoldi_small a = small_of(k, s, first, b, steps);
               status = function(QUEUE, &a));
    gs_end_block(k);
    return status;
}

/* --- orthogonal blocks ------------------------------------------------------------------------ */

/* Y = the part of X that is orthogonal to the first `steps` blocks of V, made orthonormal. */
typedef struct pass {
    int steps;
    bool again;
    gsolve_dense X, Y;
} pass;

/* The place of V'X of a block. */
static double *place_of_products(const gs_krylov *k, const gs_arnoldi *s, const pass *p, int first,
                                 int b)
{
    const gs_arnoldi_small a = small_of(k, s, first, b, p->steps);

    return p->again ? a.again : gs_arnoldi_current(&a);
}

static gsolve_status project(const gs_krylov *k, const gs_arnoldi *s, const pass *p, int first,
                             int b)
{
    if (p->steps == 0) return GSOLVE_OK;
    return kernels(k)->project(QUEUE, k->csr.nrows, basis(k, s, first, b, p->steps), OF(p->X),
                               place_of_products(k, s, p, first, b), s->ld, s->space);
}

static gsolve_status subtract(const gs_krylov *k, const gs_arnoldi *s, const pass *p, int first,
                              int b)
{
    return kernels(k)->subtract(QUEUE, k->csr.nrows, basis(k, s, first, b, p->steps),
                                place_of_products(k, s, p, first, b), s->ld, OF(p->X),
                                s->G + (int64_t)first * GS_BLOCK, s->space);
}

static gsolve_status orthonormalise(const gs_krylov *k, const gs_arnoldi *s, const pass *p,
                                    int first, int b)
{
    const gs_block_columns X = OF(p->X);
    const gs_arnoldi_basis block = {X.v, X.stride, b, 1, b};

    return kernels(k)->times(QUEUE, k->csr.nrows, block, s->t + (int64_t)first * GS_BLOCK, GS_BLOCK,
                             OF(p->Y));
}

/* Y = W t, where W t is orthonormal if one pass is enough. */
static gsolve_status first_pass(gs_krylov *k, const gs_arnoldi *s, const pass *p)
{
    const int vectors = p->steps;
    gsolve_status status = GSOLVE_OK;

    gs_begin_block(k, GS_DOTS, numbers_of(k, vectors + 1));
    EACH_BLOCK(status = project(k, s, p, first, b));
    gs_end_block(k);
    if (status != GSOLVE_OK) return status;
    gs_begin_block(k, GS_COMBINE, numbers_of(k, vectors + 2));
    EACH_BLOCK(status = subtract(k, s, p, first, b));
    gs_end_block(k);
    if (status == GSOLVE_OK) status = run_on_small(k, s, p->steps, kernels(k)->first);
    if (status != GSOLVE_OK) return status;
    gs_begin_block(k, GS_SCALE, numbers_of(k, 2));
    EACH_BLOCK(status = orthonormalise(k, s, p, first, b));
    gs_end_block(k);
    return status;
}

/* The second pass over a block. */
static gsolve_status pass_again(const gs_krylov *k, const gs_arnoldi *s, const pass *p, int first,
                                int b)
{
    const gs_arnoldi_small a = small_of(k, s, first, b, p->steps);
    gsolve_status status;

    TRY(project(k, s, p, first, b));
    TRY(subtract(k, s, p, first, b));
    TRY(kernels(k)->second(QUEUE, &a));
    TRY(orthonormalise(k, s, p, first, b));
done:
    return status;
}

static gsolve_status second_pass(gs_krylov *k, const gs_arnoldi *s, const pass *p)
{
    const gs_device *device = k->ctx->device;
    gsolve_status status = GSOLVE_OK;

    gs_begin_block(k, GS_OTHER, 0); /* the bytes are unknown */
    EACH_BLOCK(if (device->guard)
                   device->guard(QUEUE, s->once + first); /* else the host reads the flag */
               else if (s->once[first]) continue; status = pass_again(k, s, p, first, b));
    gs_end_block(k);
    return status;
}

gsolve_status gs_arnoldi_orthogonalise(gs_krylov *k, const gs_arnoldi *s, int steps)
{
    const gsolve_dense Y = steps < s->m ? gs_arnoldi_block(k, s, steps) : s->W;
    const pass once = {steps, false, s->W, Y}, again = {steps, true, Y, Y};
    const gsolve_status status = first_pass(k, s, &once);

    return status == GSOLVE_OK ? second_pass(k, s, &again) : status;
}

gsolve_status gs_arnoldi_solve(gs_krylov *k, const gs_arnoldi *s, int steps, int count)
{
    gsolve_status status = run_on_small(k, s, steps, kernels(k)->solve);

    if (status != GSOLVE_OK) return status;
    gs_begin_block(k, GS_COMBINE, numbers_of(k, count + 1));
    EACH_BLOCK(status = kernels(k)->times(QUEUE, k->csr.nrows, basis(k, s, first, b, count),
                                          s->again + first * s->ld, s->ld, OF(s->W)));
    gs_end_block(k);
    return status;
}

gsolve_status gs_arnoldi_last(gs_krylov *k, const gs_arnoldi *s, gsolve_dense D)
{
    gsolve_status status = GSOLVE_OK;

    gs_begin_block(k, GS_COMBINE, numbers_of(k, 2));
    EACH_BLOCK(
        const gs_block_columns X = OF(D); const gs_arnoldi_basis block = {X.v, X.stride, b, 1, b};
        status = kernels(k)->times(QUEUE, k->csr.nrows, block,
                                   s->again + first * s->ld + (int64_t)(s->m - 1) * b, s->ld, X));
    gs_end_block(k);
    return status;
}

gsolve_status gs_arnoldi_close(gs_krylov *k, const gs_arnoldi *s)
{
    return run_on_small(k, s, 0, kernels(k)->close);
}
