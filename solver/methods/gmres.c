/* gmres.c: restarted GMRES (Saad and Schultz 1986) with M from the right, and flexible GMRES (Saad
 * 1993), which keeps the preconditioned vectors z_j and so allows M to vary. For any square A.
 *
 *   A Z_j = V_{j+1} H_j, where Z = M^-1 V. Givens rotations of H minimise |b - A(x + Z y)| =
 *   |beta e_1 - H y|; the last element of the rotated right-hand side is the residual. x is updated
 * only when a cycle ends: x += Z y.
 *
 * V is made orthogonal by classical Gram-Schmidt, which is repeated if the first pass left less
 * than a tenth of the vector: two passes over V, or four. With basis=f32 and A in f64, V is kept in
 * single precision and everything else, sums included, is computed in double (compressed basis
 * GMRES; Aliaga, Anzt, Gruetzmacher, Quintana-Orti and Tomas 2023): V then takes half the memory
 * and half the traffic, and a cycle reduces the residual by 1e-7 at best. Step j of a cycle moves,
 * beside the product and M, 8 n (2 j + 9) bytes in fp64, or 8 n (4 j + 12) with the second pass;
 * with basis=f32 the 2 j are of 4 n bytes. */
#include <string.h>

#include "core/try.h"
#include "solver/operations/operations.h"

typedef struct gmres_options {
    gs_run_options run;
    int restart, basis;
} gmres_options;

typedef struct gmres {
    int m;                        /* steps of a cycle */
    bool low;                     /* V is of a lower type than A */
    gsolve_dense V, Z;            /* m vectors a column; m if flexible, else one */
    gsolve_dense w;               /* the current vector, in A's type, before it is stored in V */
    gsolve_dense z_copy;          /* if flexible: see precond_result */
    gs_scalar scalar[GM_SCALARS]; /* see scalar_kernels.h */
    int *once;
} gmres;

static const gsolve_option options[] = {
    GS_RUN_OPTIONS(10000, 2000),
    {"restart", "iterations between restarts, and number of basis vectors", GSOLVE_INT,
     offsetof(gmres_options, restart), 30, 1, 1000, NULL},
    {"basis",
     "type of the stored basis vectors; f32: single precision; f64: the type of A, even if that is "
     "f32",
     GSOLVE_CHOICE, offsetof(gmres_options, basis), GSOLVE_F64, 0, 0, "f32|f64"},
    GS_SPECTRUM_OPTION("extreme singular values and the condition of A M^-1"),
    {0},
};

static gsolve_status setup(gs_krylov *k)
{
    gmres *s = k->state;
    const int32_t n = k->csr.nrows;
    const gmres_options *asked = k->options;
    const int m = s->m = gs_at_most_rows(k, asked->restart);
    const gsolve_type type = k->csr.type;
    const bool low = s->low = type == GSOLVE_F64 && asked->basis == GSOLVE_F32;
    const int64_t size[GM_SCALARS] = {(int64_t)(m + 1) * m, m + 1, m, m, m + 1, 1, 1};
    gsolve_status status;

    k->period = m;
    TRY(gs_new_basis(k, low ? GSOLVE_F32 : type, k->width, m, &s->V));
    TRY(gs_new_basis(k, type, k->width, k->method->flexible ? m : 1, &s->Z));
    TRY(gs_new_vector(k, n, &s->w));
    if (k->method->flexible) TRY(gs_new_vector(k, n, &s->z_copy));
    for (int i = 0; i < GM_SCALARS; i++) {
        TRY(gs_new_columns(k, (size_t)size[i], sizeof(double), (void **)(void *)&s->scalar[i]));
    }
    TRY(GS_NEW_PER_COLUMN(k, GSOLVE_DEVICE, s->once));
    TRY(gs_new_cycle_record(k, m));
done:
    return status;
}

static gs_scalar_arguments small_of(const gs_krylov *k, int j)
{
    const gmres *s = k->state;
    gs_scalar_arguments a = gs_scalar_arguments_of(k);

    for (int i = 0; i < GM_SCALARS; i++) a.s[i] = s->scalar[i];
    a.once = s->once;
    a.m = s->m;
    a.j = j;
    return a;
}

/* Where M writes its result. Products and preconditioners may overwrite columns that have ended,
 * whose bases are still needed: they work on all columns at once, and on a GPU the kernels of
 * vendors and plug-ins run even after the end that the host has not read yet. So products go to
 * w. Where Z is kept, M writes into z itself only if it would write the same numbers again;
 * otherwise it writes to z_copy, and gs_copy_vector copies the active columns. */
static gsolve_dense precond_result(const gs_krylov *k, gsolve_dense z)
{
    const gmres *s = k->state;
    const bool varies = k->M && gsolve_precond_is_variable(k->M);

    return k->method->flexible && (k->ncols > 1 || varies) ? s->z_copy : z;
}

static gsolve_status start(gs_krylov *k)
{
    gmres *s = k->state;
    const gs_scalar_arguments a = small_of(k, 0);
    gsolve_status status;

    TRY(gs_residual(k, s->w));              /* v_0 = b - A x       */
    TRY(GS_RUN_SCALAR(k, gmres_start, &a)); /* beta = g_0 = |v_0|  */
done:
    return status;
}

/* --- a cycle ---------------------------------------------------------------------------------- */

/* x += Z y for the active columns, after `count` steps of a cycle. */
static gsolve_status add_solution(gs_krylov *k, int count)
{
    gmres *s = k->state;
    const gsolve_dense u = s->w; /* free by now */
    const gs_scalar_arguments a = small_of(k, count);
    double *y = s->scalar[GM_G];
    gsolve_status status;

    TRY(GS_RECORD(k, gmres_keep, &a));
    TRY(GS_RUN_SCALAR(k, gmres_solve, &a));
    if (k->method->flexible) {
        return gs_combine(k, count, s->Z, y, s->m + 1, 1, k->x, NULL);
    }
    TRY(gs_zero(k, u));
    TRY(gs_combine(k, count, s->V, y, s->m + 1, 1, u, NULL)); /* u = V y */
    TRY(gs_precondition(k, u, s->Z));
    TRY(gs_axpby(k, gs_number(1), s->Z, gs_number(1), k->x)); /* x += M^-1 u         */
done:
    return status;
}

/* Adds to x what the last cycle of each column found; the cycle may have fewer than m steps. */
static gsolve_status finish(gs_krylov *k)
{
    gmres *s = k->state;
    gsolve_status status = GSOLVE_OK;

    for (int count = 1; count <= s->m; count++) {
        bool any = false;
        for (int32_t c = 0; c < k->ncols; c++) {
            const int steps = gs_steps_of_column(k, c);
            k->active[c] = steps > 0 && (steps - 1) % s->m + 1 == count;
            any = any || k->active[c];
        }
        if (!any) continue;
        TRY(gs_set_active(k));
        TRY(add_solution(k, count));
    }
done:
    memset(k->active, 0, (size_t)k->ncols * sizeof *k->active);
    return status;
}

/* Makes w orthogonal to the first j + 1 vectors of V, with a second pass where one is not enough.
 * Sets h and ww = |w|^2. */
static gsolve_status orthogonalise(gs_krylov *k, int j, gsolve_dense w)
{
    gmres *s = k->state;
    const int m = s->m, stride = m * (m + 1);
    double *h = s->scalar[GM_H] + (int64_t)j * (m + 1), *second = s->scalar[GM_SECOND];
    const gs_scalar_arguments a = small_of(k, j);
    gsolve_status status;

    TRY(gs_dots(k, j + 1, s->V, w, h, stride));                          /* h = V'w    */
    TRY(gs_combine(k, j + 1, s->V, h, stride, -1, w, s->scalar[GM_WW])); /* w -= V h   */
    TRY(GS_RUN_SCALAR(k, gmres_test, &a));
    k->skip = s->once;
    TRY(gs_dots(k, j + 1, s->V, w, second, m + 1));
    TRY(gs_combine(k, j + 1, s->V, second, m + 1, -1, w, s->scalar[GM_WW]));
done:
    k->skip = NULL;
    return status;
}

/* v_j = w / |w|, stored in V; *v = v_j in A's type. */
static gsolve_status store_vector(gs_krylov *k, int j, gsolve_dense *v)
{
    gmres *s = k->state;
    const gs_coefficient unit = gs_quotient(1, NULL, s->scalar[GM_BETA]);
    const gsolve_dense kept = gs_basis_at(s->V, j);
    gsolve_status status;

    *v = s->low ? s->w : kept;
    if (!s->low) return gs_axpby(k, unit, s->w, gs_number(0), kept);
    TRY(gs_scale(k, unit, s->w));
    TRY(gs_copy_vector(k, s->w, kept));
done:
    return status;
}

static gsolve_status step(gs_krylov *k, int64_t iteration)
{
    gmres *s = k->state;
    const int j = (int)(iteration % s->m);
    const gsolve_dense z = k->method->flexible ? gs_basis_at(s->Z, j) : s->Z,
                       z0 = precond_result(k, z);
    const gs_scalar_arguments a = small_of(k, j);
    gsolve_dense v;
    gsolve_status status;

    if (j == 0 && iteration > 0) {
        TRY(add_solution(k, s->m));
        TRY(start(k));
    }
    TRY(store_vector(k, j, &v));
    TRY(gs_precondition(k, v, z0)); /* z = M^-1 v_j        */
    if (z0.value != z.value) TRY(gs_copy_vector(k, z0, z));
    TRY(gs_multiply(k, z, s->w)); /* w = A z             */
    TRY(orthogonalise(k, j, s->w));
    TRY(GS_RUN_SCALAR(k, gmres_rotate, &a));
done:
    return status;
}

const gs_method gs_gmres = {
    .plugin = {"gmres", "restarted GMRES, right-preconditioned; any square A", options,
               sizeof(gmres_options)},
    .state_size = sizeof(gmres),
    .products = 1,
    .setup = setup,
    .start = start,
    .step = step,
    .finish = finish,
    .late_solution = true,
};

const gs_method gs_fgmres = {
    .plugin = {"fgmres",
               "flexible GMRES; any square A; the preconditioner M may change between iterations",
               options, sizeof(gmres_options)},
    .state_size = sizeof(gmres),
    .products = 1,
    .flexible = true,
    .setup = setup,
    .start = start,
    .step = step,
    .finish = finish,
    .late_solution = true,
};
