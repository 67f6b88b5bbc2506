/* idr.c: induced dimension reduction, IDR(s), with biorthogonal vectors (van Gijzen and Sonneveld
 * 2011, algorithm 913), for any square A; M from the right. It has short recurrences, needs no A',
 * and usually makes fewer products than bicgstab. With s = 1 it behaves like bicgstab.
 *
 * A cycle is s + 1 steps of one product each. G = A U are s directions, P the fixed shadow space,
 * M_ = P'G lower triangular, f = P'r. Step k < s, whose residual is orthogonal to P_0, .., P_k:
 *
 *   M_ c = f, v = r - G c, U_k = U c + omega M^-1 v, G_k = A U_k, both made orthogonal to P_i, i <
 * k, beta = f_k / M_kk, r -= beta G_k, x += beta U_k, f -= beta M_k        (sums over k, .., s - 1)
 *
 * and the last one: t = A M^-1 r, omega = t'r / t't, lengthened where t and r are nearly orthogonal
 * (Sleijpen and van der Vorst 1995), x += omega M^-1 r, r -= omega t.
 *
 * G_k is made orthogonal by all its dot products with P at once, since P'G is triangular; the new
 * column of P'G is then recomputed as dot products. A cycle moves, beside s + 1 products and M,
 * 3 s^2 + 21 s + 4 vectors, 8 n bytes each in fp64; the minimum is 2 s^2 + 14 s, with G and U
 * updated in one pass. */
#include "core/try.h"
#include "gsolve_io.h"
#include "solver/operations/operations.h"

typedef struct idr_options {
    gs_run_options run;
    int s;
} idr_options;

typedef struct idr {
    gsolve_dense r, v, z; /* v also t; z: the result of M */
    gsolve_dense P, G, U; /* s vectors; G and U for each column */
    int s;
    gs_scalar scalar[ID_SCALARS]; /* see scalar_kernels.h */
} idr;

static const gsolve_option options[] = {
    GS_RUN_OPTIONS(10000, 2000),
    {"s", "dimension of the shadow space", GSOLVE_INT, offsetof(idr_options, s), 4, 1, 16, NULL},
    {0},
};

/* Fills P with random numbers: its vectors are then nearly orthogonal, with cosines of about
 * 1 / sqrt(n). The numbers are multiples of 2^-24, so that both types hold the same ones. */
static gsolve_status make_shadow(gs_krylov *k)
{
    idr *s = k->state;
    const int32_t n = k->csr.nrows;
    const size_t size = gs_type_size(s->P.type);
    void *host = gsolve_alloc(k->ctx, GSOLVE_HOST, (size_t)n, size);
    gsolve_status status = host ? GSOLVE_OK : GSOLVE_NO_MEMORY;

    for (int i = 0; i < s->s && status == GSOLVE_OK; i++) {
#pragma omp parallel for schedule(static) num_threads(gsolve_threads(k->ctx))
        for (int32_t e = 0; e < n; e++) {
            const uint64_t row = (uint64_t)(k->first_row + e);
            const float value = (float)gsolve_random(913 + (uint64_t)i, row);
            if (s->P.type == GSOLVE_F32) ((float *)host)[e] = value;
            if (s->P.type == GSOLVE_F64) ((double *)host)[e] = (double)value;
        }
        status = gsolve_copy(k->ctx, gs_basis_at(s->P, i).value, GSOLVE_DEVICE, host, GSOLVE_HOST,
                             (size_t)n * size);
    }
    gsolve_free(k->ctx, GSOLVE_HOST, host);
    return status;
}

static gsolve_status setup(gs_krylov *k)
{
    idr *s = k->state;
    const int asked = ((const idr_options *)k->options)->s;
    const int m = s->s = gs_at_most_rows(k, asked);
    const int size[ID_SCALARS] = {m * m, m, m, m, 1, 1, 1, 1, 1};
    gsolve_status status;

    k->period = m + 1;
    TRY(gs_new_basis(k, k->csr.type, 1, m, &s->P));
    TRY(gs_new_basis(k, k->csr.type, k->width, m, &s->G));
    TRY(gs_new_basis(k, k->csr.type, k->width, m, &s->U));
    for (int i = 0; i < ID_SCALARS; i++) {
        TRY(gs_new_columns(k, (size_t)size[i], sizeof(double), (void **)(void *)&s->scalar[i]));
    }
    if (!gs_is_counting(k)) TRY(make_shadow(k));
done:
    return status;
}

static gs_scalar_arguments small_of(const gs_krylov *k, int j)
{
    const idr *s = k->state;
    gs_scalar_arguments a = gs_scalar_arguments_of(k);

    for (int i = 0; i < ID_SCALARS; i++) a.s[i] = s->scalar[i];
    a.m = s->s;
    a.j = j;
    return a;
}

static gsolve_status start(gs_krylov *k)
{
    idr *s = k->state;
    const gs_scalar_arguments a = small_of(k, 0);
    gsolve_status status;

    TRY(gs_residual(k, s->r)); /* r = b - A x               */
    for (int i = 0; i < s->s; i++) {
        TRY(gs_zero(k, gs_basis_at(s->G, i)));
        TRY(gs_zero(k, gs_basis_at(s->U, i)));
    }
    TRY(GS_RUN_SCALAR(k, idr_start, &a)); /* M_ = I, omega = 1         */
done:
    return status;
}

/* U_k and G_k = A U_k, before they are made orthogonal. */
static gsolve_status new_direction(gs_krylov *k, int i)
{
    idr *s = k->state;
    const int m = s->s;
    const gsolve_dense G = gs_basis_at(s->G, i), U = gs_basis_at(s->U, i);
    const gs_scalar *scalar = s->scalar;
    const double *c = scalar[ID_C] + i;
    const gs_scalar_arguments a = small_of(k, i);
    gsolve_status status;

    TRY(GS_RUN_SCALAR(k, idr_solve, &a)); /* M_ c = f                  */
    TRY(gs_copy_vector(k, s->r, s->v));
    TRY(gs_combine(k, m - i, gs_basis_at(s->G, i), c, m, -1, s->v, NULL)); /* v = r - G c */
    TRY(gs_precondition(k, s->v, s->z)); /* z = M^-1 v                */
    TRY(gs_axpby(k, gs_quotient(1, scalar[ID_OMEGA], NULL), s->z,
                 gs_quotient(1, scalar[ID_CK], NULL), U));
    if (i + 1 < m) { /* U_k = U c + omega z       */
        TRY(gs_combine(k, m - i - 1, gs_basis_at(s->U, i + 1), c + 1, m, 1, U, NULL));
    }
    TRY(gs_multiply(k, U, G)); /* G_k = A U_k               */
done:
    return status;
}

/* Subtracts multiples of earlier directions from G_k and U_k, so that G_k is orthogonal to P_i,
 * i < k. */
static gsolve_status orthogonalise(gs_krylov *k, int i)
{
    idr *s = k->state;
    const gsolve_dense G = gs_basis_at(s->G, i), U = gs_basis_at(s->U, i);
    double *h = s->scalar[ID_H];
    const gs_scalar_arguments a = small_of(k, i);
    gsolve_status status = GSOLVE_OK;

    if (i == 0) return GSOLVE_OK;
    TRY(gs_dots(k, i, s->P, G, h, s->s));   /* h = P'G_k                 */
    TRY(GS_RUN_SCALAR(k, idr_forward, &a)); /* h = M_^-1 h               */
    TRY(gs_combine(k, i, s->G, h, s->s, -1, G, NULL));
    TRY(gs_combine(k, i, s->U, h, s->s, -1, U, NULL));
done:
    return status;
}

static gsolve_status reduce_dimension(gs_krylov *k)
{
    idr *s = k->state;
    const gs_scalar omega = s->scalar[ID_OMEGA];
    const gs_scalar_arguments a = small_of(k, 0);
    gsolve_status status;

    TRY(gs_precondition(k, s->r, s->z));
    TRY(gs_multiply(k, s->z, s->v)); /* t = A M^-1 r              */
    TRY(gs_dot2(k, s->v, s->r, s->scalar[ID_TS], s->scalar[ID_TT]));
    TRY(GS_RUN_SCALAR(k, idr_omega, &a));
    TRY(gs_axpby(k, gs_quotient(1, omega, NULL), s->z, gs_number(1), k->x));
    TRY(gs_axpy_norm(k, gs_quotient(-1, omega, NULL), s->v, s->r, k->rr));
done:
    return status;
}

static gsolve_status step(gs_krylov *k, int64_t j)
{
    idr *s = k->state;
    const int m = s->s, i = (int)(j % (m + 1));
    const gs_scalar *scalar = s->scalar;
    const gs_scalar_arguments a = small_of(k, i);
    gsolve_dense G, U;
    gsolve_status status;

    if (i == m) return reduce_dimension(k);
    G = gs_basis_at(s->G, i), U = gs_basis_at(s->U, i);
    if (i == 0) TRY(gs_dots(k, m, s->P, s->r, scalar[ID_F], m)); /* f = P'r */
    TRY(new_direction(k, i));
    TRY(orthogonalise(k, i));
    TRY(gs_dots(k, m - i, gs_basis_at(s->P, i), G, scalar[ID_M] + (m + 1) * i, m * m));
    TRY(GS_RUN_SCALAR(k, idr_beta, &a)); /* beta = f_k / M_kk  */
    TRY(gs_axpy_norm(k, gs_quotient(-1, scalar[ID_BETA], NULL), G, s->r,
                     k->rr)); /* r -= beta G_k    */
    TRY(gs_axpby(k, gs_quotient(1, scalar[ID_BETA], NULL), U, gs_number(1),
                 k->x)); /* x += beta U_k  */
done:
    return status;
}

const gs_method gs_idr = {
    .plugin = {"idr", "induced dimension reduction, IDR(s); any square A", options,
               sizeof(idr_options)},
    .state_size = sizeof(idr),
    .vectors = 3,
    .setup = setup,
    .start = start,
    .step = step,
};
