/* minres.c: minimal residuals (Paige and Saunders 1975), for A symmetric, definite or not, and M
 * symmetric positive definite. Notation of Elman, Silvester and Wathen, algorithm 6.1: Lanczos
 * vectors v (not normalised, gamma their M^-1 norms), z = M^-1 v / gamma, directions w, rotations c
 * and s. The residual itself is carried along, since the method's own norm is that of M^-1:
 *
 *   r = s^2 r + c eta v_next / gamma_next
 *
 * A step moves, beside the product and M, 19 vectors; the least is 15. */
#include <math.h>

#include "core/try.h"
#include "solver/krylov.h"

typedef struct minres_options {
    gs_run_options run;
} minres_options;

enum { GAMMA_OLD, GAMMA, DELTA, ETA, C0, C1, S0, S1, A1, A2, A3, XW, RV, RR, SQUARE, SCALARS };

typedef struct minres {
    gsolve_dense r, z, znext, q, v, vold, w, wold;
    gs_scalar is[SCALARS]; /* see update_scalars */
} minres;

static const gsolve_option options[] = {GS_RUN_OPTIONS(minres_options, 10000, 2000), {0}};

static gsolve_status setup(gs_krylov *k)
{
    minres *s = k->state;
    gsolve_dense *vector[] = {&s->r, &s->z, &s->znext, &s->q, &s->v, &s->vold, &s->w, &s->wold};
    gsolve_status status = GSOLVE_OK;

    for (int i = 0; i < 8; i++) TRY(gs_new_vector(k, k->csr.nrows, vector[i]));
    for (int i = 0; i < SCALARS; i++) TRY(gs_new_scalar(k, &s->is[i]));
done:
    return status;
}

/* gamma from its square, which an M that is not positive definite makes negative. */
static double root(gs_krylov *k, int32_t c, double square)
{
    if (square < 0 && !k->flag[c]) k->flag[c] = GSOLVE_INDEFINITE;
    return square > 0 ? sqrt(square) : 0;
}

static gsolve_status start(gs_krylov *k)
{
    minres *s = k->state;
    gsolve_status status;

    TRY(gs_residual(k, s->r)); /* r = b - A x          */
    TRY(gs_copy_vector(k, s->r, s->v));
    TRY(gs_precondition_dot(k, s->v, s->znext, s->is[GAMMA])); /* gamma^2 = v'M^-1 v   */
    TRY(gs_zero(k, s->vold));
    TRY(gs_zero(k, s->w));
    TRY(gs_zero(k, s->wold));
    for (int32_t c = 0; c < k->ncols; c++) {
        if (!k->active[c]) continue;
        s->is[GAMMA][c] = s->is[ETA][c] = root(k, c, s->is[GAMMA][c]);
        s->is[GAMMA_OLD][c] = s->is[C0][c] = s->is[C1][c] = 1;
        s->is[S0][c] = s->is[S1][c] = 0;
    }
done:
    return status;
}

/* The rotation that follows from delta and the next gamma, and what it means for w, x and r. */
static void rotate(gs_krylov *k, minres *s, int32_t c, double next)
{
    const double gamma = s->is[GAMMA][c], delta = s->is[DELTA][c];
    const double c0 = s->is[C0][c], c1 = s->is[C1][c], s0 = s->is[S0][c], s1 = s->is[S1][c];
    const double a0 = c1 * delta - c0 * s1 * gamma, a1 = hypot(a0, next);
    const double cosine = a1 > 0 ? a0 / a1 : 1, sine = a1 > 0 ? next / a1 : 0;

    if (!(a1 > 0) && !k->flag[c]) k->flag[c] = GSOLVE_BREAKDOWN;
    s->is[A1][c] = a1;
    s->is[A2][c] = s1 * delta + c0 * c1 * gamma;
    s->is[A3][c] = s0 * gamma;
    s->is[XW][c] = cosine * s->is[ETA][c];
    s->is[ETA][c] = -sine * s->is[ETA][c];
    s->is[RR][c] = sine * sine;
    s->is[RV][c] = next > 0 ? cosine * s->is[ETA][c] / next : 0;
    s->is[C0][c] = c1;
    s->is[C1][c] = cosine;
    s->is[S0][c] = s1;
    s->is[S1][c] = sine;
    s->is[GAMMA_OLD][c] = gamma;
    s->is[GAMMA][c] = next;
}

static void swap(gsolve_dense *a, gsolve_dense *b)
{
    const gsolve_dense t = *a;
    *a = *b;
    *b = t;
}

static gsolve_status step(gs_krylov *k)
{
    minres *s = k->state;
    gs_scalar *is = s->is;
    const gs_coefficient one = gs_number(1);
    gsolve_status status;

    TRY(gs_axpby(k, gs_quotient(1, NULL, is[GAMMA]), s->znext, gs_number(0), s->z));
    TRY(gs_multiply_dot(k, s->z, s->q, is[DELTA]));                 /* q = A z, delta = z'q */
    TRY(gs_axpbypcz(k, gs_quotient(-1, is[DELTA], is[GAMMA]), s->v, /* v_next = q - ...     */
                    one, s->q, gs_quotient(-1, is[GAMMA], is[GAMMA_OLD]), s->vold));
    TRY(gs_precondition_dot(k, s->vold, s->znext, is[SQUARE])); /* M^-1 v_next          */
    for (int32_t c = 0; c < k->ncols; c++) {
        if (k->active[c]) rotate(k, s, c, root(k, c, is[SQUARE][c]));
    }
    TRY(gs_axpbypcz(k, gs_quotient(1, NULL, is[A1]), s->z, gs_quotient(-1, is[A2], is[A1]), s->w,
                    gs_quotient(-1, is[A3], is[A1]), s->wold));         /* w_next = (z - ...)/a1 */
    TRY(gs_axpby(k, gs_quotient(1, is[XW], NULL), s->wold, one, k->x)); /* x += c eta w_next  */
    TRY(gs_axpby(k, gs_quotient(1, is[RV], NULL), s->vold, gs_quotient(1, is[RR], NULL), s->r));
    TRY(gs_dot(k, s->r, s->r, k->rr));
    swap(&s->v, &s->vold);
    swap(&s->w, &s->wold);
done:
    return status;
}

const gs_method gs_minres = {
    .plugin = {"minres", "minimal residuals; A symmetric, M positive definite", options,
               sizeof(minres_options)},
    .state_size = sizeof(minres),
    .setup = setup,
    .start = start,
    .step = step,
};
