/* gmres.c: restarted GMRES (Saad and Schultz 1986) with M from the right, and flexible GMRES (Saad
 * 1993), which keeps the preconditioned vectors z_j and so allows M to vary. For any square A.
 *
 *   A Z_j = V_{j+1} H_j; |b - A(x + Z y)| = |beta e_1 - H y| is made least by Givens rotations of
 * H, whose last right-hand side is the residual; x += Z y only when a cycle ends (Z = M^-1 V).
 *
 * Orthogonal by classical Gram-Schmidt done twice: as good as Householder, and four passes over V.
 * Step j of a cycle moves, beside the product and M, 8 n (4 j + 10) bytes in fp64. */
#include <math.h>
#include <string.h>

#include "core/try.h"
#include "solver/krylov.h"

typedef struct gmres_options {
    gs_run_options run;
    int restart;
} gmres_options;

typedef struct gmres {
    int m, j;                  /* length of a cycle, steps made in this one */
    gsolve_dense V, Z;         /* m + 1 vectors a column; m if flexible, else one */
    int64_t ld;                /* elements from one vector of a basis to the next */
    double *H, *again;         /* a column: m columns of m + 1; one column of m + 1 */
    double *cosine, *sine, *g; /* a column: m, m, m + 1 */
    int *steps;                /* a column: steps it took part in this cycle */
    bool *saved;
    gs_scalar beta, ww;
} gmres;

static const gsolve_option options[] = {
    GS_RUN_OPTIONS(gmres_options, 10000, 2000),
    {"restart", "steps in a cycle, and vectors kept", GSOLVE_INT, offsetof(gmres_options, restart),
     30, 1, 1000, NULL},
    {0},
};

static gsolve_dense basis(const gmres *s, gsolve_dense V, int j)
{
    const size_t size = V.type == GSOLVE_F32 ? sizeof(float) : sizeof(double);

    V.value = (char *)V.value + (size_t)(j * s->ld) * size;
    return V;
}

/* count vectors for each column. */
static gsolve_status new_basis(gs_krylov *k, gmres *s, int count, gsolve_dense *V)
{
    const size_t size = k->csr.type == GSOLVE_F32 ? sizeof(float) : sizeof(double);
    const gsolve_dense shape = {k->csr.nrows, k->width,    count * s->ld,
                                NULL,         k->csr.type, GSOLVE_HOST};

    *V = shape;
    return gs_new_work(k, V->place, (size_t)(V->stride * k->width), size, &V->value);
}

static gsolve_status new_doubles(gs_krylov *k, int64_t count, double **work)
{
    return gs_new_work(k, GSOLVE_DEVICE, (size_t)(count * k->width), sizeof(double),
                       (void **)(void *)work);
}

static gsolve_status setup(gs_krylov *k)
{
    gmres *s = k->state;
    const int32_t n = k->csr.nrows;
    const int wished = ((const gmres_options *)k->options)->restart;
    const int m = s->m = wished < n ? wished : n > 0 ? n : 1;
    gsolve_status status;

    s->ld = ((int64_t)n + 15) / 16 * 16;
    TRY(new_basis(k, s, m + 1, &s->V));
    TRY(new_basis(k, s, k->method->flexible ? m : 1, &s->Z));
    TRY(new_doubles(k, (int64_t)(m + 1) * m, &s->H));
    TRY(new_doubles(k, m + 1, &s->again));
    TRY(new_doubles(k, m, &s->cosine));
    TRY(new_doubles(k, m, &s->sine));
    TRY(new_doubles(k, m + 1, &s->g));
    TRY(gs_new_scalar(k, &s->beta));
    TRY(gs_new_scalar(k, &s->ww));
    TRY(gs_new_work(k, GSOLVE_HOST, (size_t)k->width, sizeof(int), (void **)(void *)&s->steps));
    TRY(gs_new_work(k, GSOLVE_HOST, (size_t)k->width, sizeof(bool), (void **)(void *)&s->saved));
    memset(s->steps, 0, (size_t)k->width * sizeof *s->steps);
done:
    return status;
}

static gsolve_status start(gs_krylov *k)
{
    gmres *s = k->state;
    const gsolve_dense r = basis(s, s->V, 0);
    gsolve_status status;

    TRY(gs_residual(k, r)); /* v_0 = b - A x       */
    for (int32_t c = 0; c < k->ncols; c++) {
        if (!k->active[c]) continue;
        s->beta[c] = s->g[c * (s->m + 1)] = sqrt(k->rr[c]);
        s->steps[c] = 0;
    }
    s->j = 0;
done:
    return status;
}

/* --- the small least-squares problem of column c ---------------------------------------------- */

/* Applies the earlier rotations to column j of H, makes the one that clears h_{j+1,j}, and sets rr.
 */
static void rotate(gs_krylov *k, gmres *s, int32_t c)
{
    const int m = s->m, j = s->j;
    double *h = s->H + ((int64_t)c * m + j) * (m + 1), *g = s->g + c * (m + 1);
    double *cosine = s->cosine + c * m, *sine = s->sine + c * m;

    for (int i = 0; i < j; i++) {
        const double top = h[i], bottom = h[i + 1];
        h[i] = cosine[i] * top + sine[i] * bottom;
        h[i + 1] = cosine[i] * bottom - sine[i] * top;
    }
    const double length = hypot(h[j], h[j + 1]);
    cosine[j] = length > 0 ? h[j] / length : 1;
    sine[j] = length > 0 ? h[j + 1] / length : 0;
    h[j] = length;
    g[j + 1] = -sine[j] * g[j];
    g[j] = cosine[j] * g[j];
    k->rr[c] = g[j + 1] * g[j + 1];
}

/* g[0..steps) = y, the solution of R y = g; a vanishing pivot (singular A) gives 0. */
static void solve_triangle(gmres *s, int32_t c)
{
    const int m = s->m;
    const double *H = s->H + (int64_t)c * m * (m + 1);
    double *y = s->g + c * (m + 1);

    for (int i = s->steps[c] - 1; i >= 0; i--) {
        for (int j = i + 1; j < s->steps[c]; j++) y[i] -= H[j * (m + 1) + i] * y[j];
        y[i] = H[i * (m + 1) + i] != 0 ? y[i] / H[i * (m + 1) + i] : 0;
    }
}

/* --- a cycle ------------------------------------------------------------------------------------
 */

/* x += Z y for the active columns, which all took part in count steps. */
static gsolve_status add_solution(gs_krylov *k, int count)
{
    gmres *s = k->state;
    const gsolve_dense u = basis(s, s->V, s->m); /* the last vector of V is free by now */
    gsolve_status status;

    if (k->method->flexible) {
        return gs_combine(k, count, s->Z, s->ld, s->g, s->m + 1, 1, k->x, NULL);
    }
    TRY(gs_zero(k, u));
    TRY(gs_combine(k, count, s->V, s->ld, s->g, s->m + 1, 1, u, NULL)); /* u = V y             */
    TRY(gs_precondition(k, u, s->Z));
    TRY(gs_axpby(k, gs_number(1), s->Z, gs_number(1), k->x)); /* x += M^-1 u         */
done:
    return status;
}

/* Forms x in all columns that have steps, ended or not: their bases are about to be reused. */
static gsolve_status finish(gs_krylov *k)
{
    gmres *s = k->state;
    gsolve_status status = GSOLVE_OK;

    memcpy(s->saved, k->active, (size_t)k->ncols * sizeof *s->saved);
    for (int count = 1; count <= s->m; count++) {
        bool any = false;
        for (int32_t c = 0; c < k->ncols; c++) {
            k->active[c] = s->steps[c] == count;
            if (k->active[c]) solve_triangle(s, c);
            any = any || k->active[c];
        }
        if (any) TRY(add_solution(k, count));
    }
done:
    memset(s->steps, 0, (size_t)k->ncols * sizeof *s->steps);
    memcpy(k->active, s->saved, (size_t)k->ncols * sizeof *s->saved);
    return status;
}

/* w less its part in the span of the first j + 1 vectors, twice; h, ww = |w|^2. */
static gsolve_status orthogonalise(gs_krylov *k, gsolve_dense w)
{
    gmres *s = k->state;
    const int m = s->m, j = s->j, stride = m * (m + 1);
    double *h = s->H + j * (m + 1);
    gsolve_status status;

    TRY(gs_dots(k, j + 1, s->V, s->ld, w, h, stride));              /* h = V'w             */
    TRY(gs_combine(k, j + 1, s->V, s->ld, h, stride, -1, w, NULL)); /* w -= V h            */
    TRY(gs_dots(k, j + 1, s->V, s->ld, w, s->again, m + 1));
    TRY(gs_combine(k, j + 1, s->V, s->ld, s->again, m + 1, -1, w, s->ww));
    for (int32_t c = 0; c < k->ncols; c++) {
        if (!k->active[c]) continue;
        for (int i = 0; i <= j; i++) h[c * stride + i] += s->again[c * (m + 1) + i];
        s->beta[c] = h[c * stride + j + 1] = sqrt(s->ww[c]);
    }
done:
    return status;
}

static gsolve_status step(gs_krylov *k)
{
    gmres *s = k->state;
    gsolve_status status = GSOLVE_OK;

    if (s->j == s->m) {
        TRY(finish(k));
        TRY(start(k));
    }
    const gsolve_dense v = basis(s, s->V, s->j), w = basis(s, s->V, s->j + 1);
    const gsolve_dense z = k->method->flexible ? basis(s, s->Z, s->j) : s->Z;
    TRY(gs_scale(k, gs_quotient(1, NULL, s->beta), v)); /* v_j of length 1     */
    TRY(gs_precondition(k, v, z));                      /* z = M^-1 v_j        */
    TRY(gs_multiply(k, z, w));                          /* w = A z             */
    TRY(orthogonalise(k, w));
    for (int32_t c = 0; c < k->ncols; c++) {
        if (!k->active[c]) continue;
        rotate(k, s, c);
        s->steps[c] = s->j + 1;
    }
    s->j++;
done:
    return status;
}

const gs_method gs_gmres = {
    .plugin = {"gmres", "restarted GMRES, M from the right; any A", options, sizeof(gmres_options)},
    .state_size = sizeof(gmres),
    .setup = setup,
    .start = start,
    .step = step,
    .finish = finish,
};

const gs_method gs_fgmres = {
    .plugin = {"fgmres", "flexible GMRES; any A, M may vary", options, sizeof(gmres_options)},
    .state_size = sizeof(gmres),
    .flexible = true,
    .setup = setup,
    .start = start,
    .step = step,
    .finish = finish,
};
