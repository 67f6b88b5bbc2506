/* Smoothers of multigrid: what a sweep is, that it removes what oscillates, that the sweep back is
 * its transpose, and that colours are the same everywhere. */
#include "tests/common.h"

#include <math.h>

#include "core/staging.h"
#include "matrix/csr.h"
#include "precond/amg/smoothers/gauss_seidel.h"
#include "precond/amg/smoothers/ilu.h"
#include "precond/amg/smoothers/relax.h"
#include "precond/amg/smoothers/smoother.h"

#define INLINE static inline
#include "precond/random.h"

static const gs_smoother *const all[] = {&gs_amg_l1_jacobi, &gs_amg_spai0, &gs_amg_chebyshev,
                                         &gs_amg_gs, &gs_amg_ilu};
static const char *const names[] = {"l1_jacobi", "spai0", "chebyshev", "gs", "ilu"};
enum { L1_JACOBI, SPAI0, CHEBYSHEV, SEIDEL, ILU, SMOOTHERS };

static const gs_amg_options usual = {.omega = 1.6, .degree = 2, .ratio = 8};

/* --- a level, and sweeps on it ---------------------------------------------------------------- */

typedef struct level {
    gsolve_context *ctx;
    gsolve_csr host, rows; /* in double precision; on the device, of the level's type */
    gsolve_matrix *A;
    gs_level_view view;
} level;

/* rows with offsets in 64 bits. */
static void widen(gsolve_context *ctx, gsolve_csr *rows)
{
    const size_t n = (size_t)rows->nrows + 1;
    int32_t *step_from_f64 = malloc(n * sizeof *step_from_f64);
    int64_t *wide = malloc(n * sizeof *wide), *there;

    OK(ctx, gsolve_copy(ctx, step_from_f64, GSOLVE_HOST, rows->start, rows->location,
                        n * sizeof *step_from_f64));
    for (size_t i = 0; i < n; i++) wide[i] = step_from_f64[i];
    there = gsolve_alloc(ctx, rows->location, n, sizeof *there);
    OK(ctx, gsolve_copy(ctx, there, rows->location, wide, GSOLVE_HOST, n * sizeof *wide));
    gsolve_free(ctx, rows->location, (void *)(uintptr_t)rows->start);
    rows->start = there;
    rows->offset = GSOLVE_O64;
    free(step_from_f64), free(wide);
}

static void open_level(level *l, gsolve_context *ctx, const gsolve_csr *csr, const char *format,
                       gsolve_type type)
{
    gsolve_csr typed;

    memset(l, 0, sizeof *l);
    l->ctx = ctx;
    OK(ctx, gsolve_csr_convert(&l->host, ctx, GSOLVE_F64, csr));
    OK(ctx, gsolve_csr_convert(&typed, ctx, type, csr));
    OK(ctx, gs_csr_move(&l->rows, ctx, gs_location(ctx), &typed));
    OK(ctx, gsolve_matrix_create(&l->A, ctx, format, &typed));
    gsolve_csr_free(&typed, ctx);
    l->view = (gs_level_view){.A = &l->rows, .matrix = l->A, .block = 1};
}

static void close_level(level *l)
{
    gsolve_matrix_destroy(&l->A);
    gsolve_csr_free(&l->rows, l->ctx);
    gsolve_csr_free(&l->host, l->ctx);
}

static gsolve_dense send(const level *l, const double *v)
{
    const int32_t n = l->rows.nrows;
    gsolve_dense d;
    float *step_from_f64 = malloc(((size_t)n + 1) * sizeof *step_from_f64);

    for (int32_t i = 0; i < n; i++) step_from_f64[i] = (float)v[i];
    OK(l->ctx, gs_dense_new(&d, l->ctx, gs_location(l->ctx), l->rows.type, n, 1));
    OK(l->ctx,
       gsolve_copy(l->ctx, d.value, d.location,
                   l->rows.type == GSOLVE_F32 ? (void *)step_from_f64 : (void *)(uintptr_t)v,
                   GSOLVE_HOST, (size_t)n * gs_type_size(l->rows.type)));
    free(step_from_f64);
    return d;
}

static void fetch(const level *l, gsolve_dense d, double *v)
{
    const int32_t n = l->rows.nrows;
    float *step_from_f64 = malloc(((size_t)n + 1) * sizeof *step_from_f64);
    const bool is_narrow = l->rows.type == GSOLVE_F32;

    OK(l->ctx, gsolve_copy(l->ctx, is_narrow ? (void *)step_from_f64 : (void *)v, GSOLVE_HOST,
                           d.value, d.location, (size_t)n * gs_type_size(l->rows.type)));
    for (int32_t i = 0; is_narrow && i < n; i++) v[i] = step_from_f64[i];
    free(step_from_f64);
}

/* x after a sweep; where zero, what it held before must not matter. */
static void sweep(const level *l, const gs_smoother *S, const void *self, const double *b,
                  double *x, bool zero, bool back)
{
    double *nothing = malloc(((size_t)l->rows.nrows + 1) * sizeof *nothing);
    gsolve_dense B = send(l, b), X, space;

    for (int32_t i = 0; i < l->rows.nrows; i++) nothing[i] = NAN;
    X = send(l, zero ? nothing : x);
    space = send(l, nothing);
    OK(l->ctx, S->sweep(self, l->ctx, &l->view, B, X, space, zero, back));
    fetch(l, X, x);
    gsolve_free(l->ctx, B.location, B.value);
    gsolve_free(l->ctx, X.location, X.value);
    gsolve_free(l->ctx, space.location, space.value);
    free(nothing);
}

static void smooth(const level *l, const gs_smoother *S, const gs_amg_options *o, const double *b,
                   double *x, bool zero, bool back)
{
    void *self = NULL;

    OK(l->ctx, S->build(&self, l->ctx, &l->view, o));
    assert_true(S->bytes(self, &l->view) > 0);
    sweep(l, S, self, b, x, zero, back);
    S->destroy(self, l->ctx);
}

static double norm(const double *x, int32_t n)
{
    double sum = 0;
    for (int32_t i = 0; i < n; i++) sum += x[i] * x[i];
    return sqrt(sum);
}

static void assert_close(const double *x, const double *want, int32_t n, double rounding,
                         const char *what)
{
    const double most = rounding * (1 + norm(want, n));

    for (int32_t i = 0; i < n; i++) {
        if (!(fabs(x[i] - want[i]) <= most)) {
            fail_msg("%s: element %d is %.17g and not %.17g", what, i, x[i], want[i]);
        }
    }
}

/* --- what a sweep is, in plain words ------------------------------------------------------------
 */

static double row_times(const gsolve_csr *A, int32_t i, const double *x)
{
    double sum = 0;
    for (int64_t k = gs_start(A, i); k < gs_start(A, i + 1); k++) {
        sum += gs_value(A, k) * x[A->col[k]];
    }
    return sum;
}

static double diagonal_of(const gsolve_csr *A, int32_t i)
{
    for (int64_t k = gs_start(A, i); k < gs_start(A, i + 1); k++) {
        if (A->col[k] == i) return gs_value(A, k);
    }
    return 0;
}

static double inverse_of(const gsolve_csr *A, int32_t i, bool squares)
{
    const double d = diagonal_of(A, i);
    double sum = 0;

    for (int64_t k = gs_start(A, i); k < gs_start(A, i + 1); k++) {
        sum += squares ? gs_value(A, k) * gs_value(A, k) : fabs(gs_value(A, k));
    }
    return sum == 0 ? 0 : (squares ? d : d < 0 ? -1 : 1) / sum;
}

/* 1, or what its power iterations from random say. */
static double expect_most(const gsolve_csr *A, int its)
{
    const int32_t n = A->nrows;
    double *p = malloc(((size_t)n + 1) * sizeof *p), *q = malloc(((size_t)n + 1) * sizeof *q);
    double length, growth = 0;

    for (int32_t i = 0; i < n; i++) p[i] = gs_random_uniform(1, i);
    length = norm(p, n);
    for (int it = 0; it < its && length > 0; it++) {
        for (int32_t i = 0; i < n; i++) q[i] = row_times(A, i, p) / length;
        for (int32_t i = 0; i < n; i++) p[i] = inverse_of(A, i, false) * q[i];
        growth = length = norm(p, n);
    }
    free(p), free(q);
    return growth > 0 && 1.1 * growth < 1 ? 1.1 * growth : 1;
}

/* degree steps of Chebyshev's method for D^-1 A on [most / ratio, most], by x_k+1 = x_k + p_k; or
 * of one with the same factor each time. */
static void expect_polynomial(const gsolve_csr *A, const gs_amg_options *o, int kind,
                              const double *b, double *x)
{
    const int32_t n = A->nrows;
    const double most = expect_most(A, kind == CHEBYSHEV ? o->its : 0);
    const double centre = most * (1 + 1 / o->ratio) / 2, radius = most * (1 - 1 / o->ratio) / 2;
    double *p = calloc((size_t)n + 1, sizeof *p), *r = malloc(((size_t)n + 1) * sizeof *r);
    double a = kind == L1_JACOBI ? o->omega : kind == SPAI0 ? 1 : 1 / centre, c = 0;

    for (int k = 0; k < (kind == SPAI0 ? 1 : o->degree); k++) {
        for (int32_t i = 0; i < n; i++) r[i] = b[i] - row_times(A, i, x);
        for (int32_t i = 0; i < n; i++) {
            p[i] = a * inverse_of(A, i, kind == SPAI0) * r[i] + c * p[i];
            x[i] += p[i];
        }
        if (kind != CHEBYSHEV) continue;
        const double beta = radius * radius * a * a / (k == 0 ? 2 : 4);
        const double next = 1 / (centre - beta / a);
        c = next * beta / a;
        a = next;
    }
    free(p), free(r);
}

/* The rows in one order, each with d_i. */
static void expect_seidel(const gsolve_csr *A, const int32_t *order, bool back, const double *b,
                          double *x)
{
    for (int32_t r = 0; r < A->nrows; r++) {
        const int32_t i = order[back ? A->nrows - 1 - r : r];
        const double d = diagonal_of(A, i);
        if (d != 0) x[i] += (b[i] - row_times(A, i, x)) / d;
    }
}

static void expect_blocks(const gsolve_csr *A, bool back, const double *b, double *x)
{
    const int32_t n = A->nrows;
    int32_t size = (n + GS_GAUSS_SEIDEL_MAX_BLOCKS - 1) / GS_GAUSS_SEIDEL_MAX_BLOCKS;
    double *old = malloc(((size_t)n + 1) * sizeof *old);

    if (size < GS_GAUSS_SEIDEL_MIN_ROWS) size = GS_GAUSS_SEIDEL_MIN_ROWS;
    memcpy(old, x, (size_t)n * sizeof *old);
    for (int32_t r = 0; r < n; r++) {
        const int32_t i = back ? n - 1 - r : r;
        double outside = 0, rest = b[i], d = diagonal_of(A, i);
        for (int64_t k = gs_start(A, i); k < gs_start(A, i + 1); k++) {
            const int32_t j = A->col[k];
            const bool inside = j / size == i / size;
            outside += inside ? 0 : fabs(gs_value(A, k));
            rest -= gs_value(A, k) * (inside ? x[j] : old[j]);
        }
        if (d == 0) continue;
        if (fabs(d) < 1.5 * outside) d += copysign(outside / 2, d);
        x[i] += rest / d;
    }
    free(old);
}

/* Whether ctx's device has exact factors for ilu; whether gs works by blocks of rows there. */
static bool has_factors(const gsolve_context *ctx)
{
    return !GS_SCALAR_KERNELS(gs_ilu, ctx, GSOLVE_F64)->sweep;
}

static bool has_blocks(const gsolve_context *ctx)
{
    return GS_KERNELS(gs_gauss_seidel, ctx, GSOLVE_F64)->blocks != NULL;
}

/* The rows by colours on l's device. */
static int32_t *rows_by_colour(const level *l)
{
    const int32_t n = l->rows.nrows;
    int32_t *order = malloc(((size_t)n + 1) * sizeof *order);
    gs_colours C;

    OK(l->ctx, gs_colours_create(&C, l->ctx, &l->rows, gsolve_csr_entries(&l->host)));
    OK(l->ctx, gsolve_copy(l->ctx, order, GSOLVE_HOST, C.row, gs_location(l->ctx),
                           (size_t)n * sizeof *order));
    gs_colours_destroy(&C, l->ctx);
    return order;
}

/* A without the rows and columns whose diagonal is missing or 0: there r = 0, and 1 in place of it.
 */
static gsolve_csr without(const gsolve_csr *A, double *r)
{
    const int32_t n = A->nrows;
    const int64_t entries = gsolve_csr_entries(A) + n;
    int32_t *start = malloc(((size_t)n + 1) * sizeof *start), at = 0;
    int32_t *col = malloc(((size_t)entries + 1) * sizeof *col);
    double *value = malloc(((size_t)entries + 1) * sizeof *value);

    start[0] = 0;
    for (int32_t i = 0; i < n; i++) {
        const bool spare = diagonal_of(A, i) == 0;
        if (spare) r[i] = 0, col[at] = i, value[at++] = 1;
        for (int64_t k = gs_start(A, i); k < gs_start(A, i + 1) && !spare; k++) {
            if (diagonal_of(A, A->col[k]) == 0) continue;
            col[at] = A->col[k];
            value[at++] = gs_value(A, k);
        }
        start[i + 1] = at;
    }
    return (gsolve_csr){
        .nrows = n, .ncols = n, .start = start, .col = col, .value = value, .type = GSOLVE_F64};
}

/* x += what the preconditioner ilu makes of the residual. */
static void expect_factors(const level *l, const double *b, double *x)
{
    const int32_t n = l->rows.nrows;
    double *r = malloc(((size_t)n + 1) * sizeof *r), *z = malloc(((size_t)n + 1) * sizeof *z);
    gsolve_precond *M = NULL;
    gsolve_csr A;

    for (int32_t i = 0; i < n; i++) r[i] = b[i] - row_times(&l->host, i, x);
    A = without(&l->host, r);
    OK(l->ctx, gsolve_precond_create(&M, l->ctx, "ilu", &A));
    OK(l->ctx, gsolve_precond_apply(M, gsolve_vector(r, n), gsolve_vector(z, n)));
    for (int32_t i = 0; i < n; i++) x[i] += z[i];
    gsolve_precond_destroy(&M);
    free((void *)(uintptr_t)A.start), free((void *)(uintptr_t)A.col);
    free((void *)(uintptr_t)A.value), free(r), free(z);
}

/* s[k] of entry k of row i in the next sweep. */
static double expect_entry(const gsolve_csr *A, int32_t i, int64_t k, const double *s,
                           const double *d)
{
    const int32_t j = A->col[k];
    double sum = gs_value(A, k);

    for (int64_t e = gs_start(A, i); e < gs_start(A, i + 1); e++) {
        const int32_t m = A->col[e];
        if (m >= i || m >= j) continue;
        for (int64_t f = gs_start(A, m); f < gs_start(A, m + 1); f++) {
            if (A->col[f] == j) sum -= s[e] * d[m] * s[f];
        }
    }
    return sum;
}

/* One sweep over all entries. */
static void expect_sweep(const gsolve_csr *A, const double *s, const double *d, double *next,
                         double *inverse)
{
    for (int32_t i = 0; i < A->nrows; i++) {
        for (int64_t k = gs_start(A, i); k < gs_start(A, i + 1); k++) {
            const double a = gs_value(A, k);
            next[k] = expect_entry(A, i, k, s, d);
            if (A->col[k] != i || a == 0) continue;
            inverse[i] = 1 / (next[k] / a >= 0.1 ? next[k] : 0.1 * a);
        }
    }
}

/* y = r - T y, T one side of the factors. */
static void expect_step(const gsolve_csr *A, const double *s, const double *d, bool upper,
                        const double *r, double *y)
{
    const int32_t n = A->nrows;
    double *z = malloc(((size_t)n + 1) * sizeof *z);

    for (int32_t i = 0; i < n; i++) {
        z[i] = r[i];
        for (int64_t k = gs_start(A, i); k < gs_start(A, i + 1); k++) {
            const int32_t j = A->col[k];
            if (upper ? j > i : j < i) z[i] -= s[k] * d[upper ? i : j] * y[j];
        }
    }
    memcpy(y, z, (size_t)n * sizeof *y);
    free(z);
}

/* s, d: the factors after all sweeps. */
static void expect_nearly(const gsolve_csr *A, double *s, double *d)
{
    const size_t n = (size_t)A->nrows, entries = (size_t)gsolve_csr_entries(A);
    double *next = malloc((entries + 1) * sizeof *next), *last = malloc((n + 1) * sizeof *last);

    for (size_t k = 0; k < entries; k++) s[k] = gs_value(A, (int64_t)k);
    for (int32_t i = 0; i < A->nrows; i++) {
        const double a = diagonal_of(A, i);
        d[i] = a != 0 ? 1 / a : 0;
    }
    for (int sweep = 0; sweep < GS_ILU_SWEEPS; sweep++) {
        memcpy(last, d, n * sizeof *d);
        expect_sweep(A, s, last, next, d);
        memcpy(s, next, entries * sizeof *s);
    }
    free(next), free(last);
}

/* r becomes about scale M^-1 r by those, in so many steps. */
static void expect_solve(const gsolve_csr *A, const double *s, const double *d, int steps,
                         double scale, double *r)
{
    const int32_t n = A->nrows;
    double *y = malloc(((size_t)n + 1) * sizeof *y);

    memcpy(y, r, (size_t)n * sizeof *y);
    for (int k = 0; k < steps; k++) expect_step(A, s, d, false, r, y);
    for (int32_t i = 0; i < n; i++) r[i] = y[i] *= scale * d[i];
    for (int k = 0; k < steps; k++) expect_step(A, s, d, true, r, y);
    memcpy(r, y, (size_t)n * sizeof *y);
    free(y);
}

/* By which M^-1 is made smaller where M^-1 A has large eigenvalues. */
static double expect_scale(const gsolve_csr *A, const double *s, const double *d,
                           const gs_amg_options *o)
{
    const int32_t n = A->nrows;
    double *p = malloc(((size_t)n + 1) * sizeof *p), *q = malloc(((size_t)n + 1) * sizeof *q);
    double growth = 0;

    for (int32_t i = 0; i < n; i++) p[i] = gs_random_uniform(1, i);
    for (int it = 0; it < o->its; it++) {
        const double length = norm(p, n);
        for (int32_t i = 0; i < n; i++) q[i] = row_times(A, i, p) / length;
        expect_solve(A, s, d, o->degree, 1, q);
        memcpy(p, q, (size_t)n * sizeof *p);
        growth = norm(p, n);
    }
    free(p), free(q);
    return growth > 1.5 ? 1.5 / growth : 1;
}

/* x += what that makes of the residual. */
static void expect_steps(const gsolve_csr *A, const gs_amg_options *o, const double *b, double *x)
{
    const int32_t n = A->nrows;
    const size_t size = ((size_t)n + 1) * sizeof(double);
    double *s = malloc(((size_t)gsolve_csr_entries(A) + 1) * sizeof *s);
    double *d = malloc(size), *r = malloc(size);

    expect_nearly(A, s, d);
    for (int32_t i = 0; i < n; i++) r[i] = b[i] - row_times(A, i, x);
    expect_solve(A, s, d, o->degree, expect_scale(A, s, d, o), r);
    for (int32_t i = 0; i < n; i++) x[i] += r[i];
    free(s), free(d), free(r);
}

static void expect(const level *l, const gs_amg_options *o, int kind, bool back, const double *b,
                   double *x)
{
    if (kind == ILU && has_factors(l->ctx)) {
        expect_factors(l, b, x);
    } else if (kind == ILU) {
        expect_steps(&l->host, o, b, x);
    } else if (kind != SEIDEL) {
        expect_polynomial(&l->host, o, kind, b, x);
    } else if (has_blocks(l->ctx)) {
        expect_blocks(&l->host, back, b, x);
    } else {
        int32_t *order = rows_by_colour(l);
        expect_seidel(&l->host, order, back, b, x);
        free(order);
    }
}

static void check_sweeps(const level *l, const gs_amg_options *o, const char *name)
{
    const int32_t n = l->rows.nrows;
    const double rounding = l->rows.type == GSOLVE_F32 ? 1e-5 : 1e-13;
    double *b = random_vector(n, 3), *x = malloc(((size_t)n + 1) * sizeof *x), *want;

    for (int kind = 0; kind < SMOOTHERS; kind++) {
        for (int how = 0; how < 4; how++) {
            const bool zero = how % 2, back = how / 2;
            want = zero ? calloc((size_t)n + 1, sizeof *want) : random_vector(n, 5);
            memcpy(x, want, (size_t)n * sizeof *x);
            expect(l, o, kind, back, b, want);
            smooth(l, all[kind], o, b, x, zero, back);
            assert_close(x, want, n, rounding, name);
            free(want);
        }
    }
    free(b), free(x);
}

/* Also where a sweep is no good at all: entries of both signs, empty rows, no diagonal. */
static void test_sweeps(void **state)
{
    static const char *const format[] = {"csr", "sell"};
    gsolve_context *ctx = open_context(1);

    (void)state;
    for (int m = 0; m < NASTY * 4; m++) {
        gsolve_csr csr = read_matrix(ctx, nasty[m / 4]);
        level l;
        if (csr.nrows == csr.ncols) {
            open_level(&l, ctx, &csr, format[m % 2], m / 2 % 2 ? GSOLVE_F32 : GSOLVE_F64);
            check_sweeps(&l, &usual, nasty[m / 4]);
            close_level(&l);
        }
        gsolve_csr_free(&csr, ctx);
    }
    close_context(ctx);
}

/* Degrees even and odd; with power iterations; several blocks; a small and a large matrix; wide
 * offsets; unknowns that share nodes. */
static void test_more_sweeps(void **state)
{
    static const char *const matrix[] = {"gen:poisson3d,n=22", "gen:jump3d,n=24",
                                         "gen:elasticity3d,n=5", "gen:convdiff3d,n=23"};
    gsolve_context *ctx = open_context(1);

    (void)state;
    for (size_t m = 0; m < 4; m++) {
        gsolve_csr csr = read_matrix(ctx, matrix[m]);
        gs_amg_options o = usual;
        level l;
        open_level(&l, ctx, &csr, m % 2 ? "sell" : "csr", GSOLVE_F64);
        if (m >= 2) widen(ctx, &l.rows);
        o.its = m % 3 == 2 ? 7 : 0;
        for (o.degree = 1; o.degree <= 4; o.degree++) {
            if (m % 2 == 0 || o.degree == 3) check_sweeps(&l, &o, matrix[m]);
        }
        close_level(&l);
        gsolve_csr_free(&csr, ctx);
    }
    close_context(ctx);
}

/* --- what it does ------------------------------------------------------------------------------
 */

/* Of an error in mode (p, p) of a grid of n x n points the share that a sweep leaves. */
static double leaves(const level *l, const gs_smoother *S, int n, int p)
{
    const double pi = 3.14159265358979323846;
    double *b = calloc((size_t)(n * n), sizeof *b), *x = malloc((size_t)(n * n) * sizeof *x);

    for (int i = 0; i < n * n; i++) {
        x[i] = sin(pi * p * (i % n + 1) / (n + 1)) * sin(pi * p * (i / n + 1) / (n + 1));
    }
    const double before = norm(x, n * n);
    smooth(l, S, &usual, b, x, false, false);
    const double after = norm(x, n * n);
    free(b), free(x);
    return after / before;
}

static void test_modes(void **state)
{
    static const double rough[] = {0.65, 0.65, 0.44, 0.8, 0.45}; /* at most; gs in any order */
    gsolve_context *ctx = open_context(1);
    gsolve_csr csr = read_matrix(ctx, "gen:poisson2d,n=31");
    level l;

    (void)state;
    open_level(&l, ctx, &csr, "csr", GSOLVE_F64);
    for (int kind = 0; kind < SMOOTHERS; kind++) {
        for (int p = 24; p <= 31; p++) {
            const double left = leaves(&l, all[kind], 31, p);
            if (left > rough[kind]) {
                fail_msg("%s leaves %g of mode %d", names[kind], left, p);
            }
        }
        const double smooth_mode = leaves(&l, all[kind], 31, 1);
        if (smooth_mode > 1 || smooth_mode < 0.9) {
            fail_msg("%s leaves %g of mode 1", names[kind], smooth_mode);
        }
    }
    close_level(&l);
    gsolve_csr_free(&csr, ctx);
    close_context(ctx);
}

/* y'S x = x'S' y: a sweep from 0 is S, one back is S'. */
static void test_transposed_sweep(void **state)
{
    static const char *const matrix[] = {"gen:poisson3d,n=17", "gen:jump3d,n=18",
                                         "gen:elasticity3d,n=6", "gen:poisson3d27,n=9"};
    gsolve_context *ctx = open_context(1);

    (void)state;
    for (size_t m = 0; m < sizeof matrix / sizeof *matrix; m++) {
        gsolve_csr csr = read_matrix(ctx, matrix[m]);
        const int32_t n = csr.nrows;
        double *x = random_vector(n, 1), *y = random_vector(n, 2);
        double *Sx = malloc((size_t)n * sizeof *Sx), *Sy = malloc((size_t)n * sizeof *Sy);
        level l;
        open_level(&l, ctx, &csr, "csr", GSOLVE_F64);
        for (int kind = 0; kind < SMOOTHERS; kind++) {
            double one = 0, two = 0;
            smooth(&l, all[kind], &usual, x, Sx, true, false);
            smooth(&l, all[kind], &usual, y, Sy, true, true);
            for (int32_t i = 0; i < n; i++) one += y[i] * Sx[i], two += x[i] * Sy[i];
            assert_true(fabs(one - two) <= 1e-13 * norm(Sx, n) * norm(y, n));
        }
        close_level(&l);
        free(x), free(y), free(Sx), free(Sy);
        gsolve_csr_free(&csr, ctx);
    }
    close_context(ctx);
}

/* Sweeps with A' are those that are made for A', but for what d is made of. */
static void check_turned(const level *l, const level *turned, int kind)
{
    const int32_t n = l->rows.nrows;
    double *b = random_vector(n, 1);
    void *self = NULL;

    OK(l->ctx, all[kind]->build(&self, l->ctx, &l->view, &usual));
    for (int how = 0; how < 4; how++) {
        double *x = random_vector(n, 2), *want = random_vector(n, 2);
        sweep(l, all[kind], self, b, x, how % 2, how / 2);
        if (kind >= SEIDEL) {
            smooth(turned, all[kind], &usual, b, want, how % 2, how / 2);
        } else {
            sweep(turned, all[kind], self, b, want, how % 2, how / 2);
        }
        assert_close(x, want, n, 1e-13, names[kind]);
        free(x), free(want);
    }
    all[kind]->destroy(self, l->ctx);
    free(b);
}

static void check_refused(const level *l)
{
    double *b = random_vector(l->rows.nrows, 1);
    gsolve_dense B = send(l, b);
    void *self = NULL;

    OK(l->ctx, gs_amg_gs.build(&self, l->ctx, &l->view, &usual));
    assert_int_equal(gs_amg_gs.sweep(self, l->ctx, &l->view, B, B, B, false, false),
                     GSOLVE_UNSUPPORTED);
    assert_non_null(strstr(gsolve_error(l->ctx), "cannot be applied transposed"));
    gsolve_free(l->ctx, B.location, B.value);
    gs_amg_gs.destroy(self, l->ctx);
    free(b);
}

/* One block, so that the diagonals of gs are the same; colours say that they do not. */
static void test_of_the_transpose(void **state)
{
    gsolve_context *ctx = open_context(1);
    gsolve_csr csr = read_matrix(ctx, "gen:convdiff3d,n=9"), T;
    level l, turned;

    (void)state;
    OK(ctx, gsolve_csr_transpose(&T, ctx, &csr));
    open_level(&l, ctx, &csr, "csr", GSOLVE_F64);
    open_level(&turned, ctx, &T, "csr", GSOLVE_F64);
    l.view.transposed = l.view.nonsymmetric = true;
    for (int kind = 0; kind < SMOOTHERS; kind++) {
        if (kind != SEIDEL) check_turned(&l, &turned, kind);
    }
    if (has_blocks(ctx)) {
        check_turned(&l, &turned, SEIDEL);
    } else {
        check_refused(&l);
    }
    close_level(&l), close_level(&turned);
    gsolve_csr_free(&csr, ctx), gsolve_csr_free(&T, ctx);
    close_context(ctx);
}

/* In several blocks the sweep with A' up is the transpose of that with A down, and so on. */
static void test_turned_blocks(void **state)
{
    gsolve_context *ctx = open_context(1);
    gsolve_csr csr = read_matrix(ctx, "gen:convdiff3d,n=23");
    const int32_t n = csr.nrows;
    double *x = random_vector(n, 1), *y = random_vector(n, 2);
    double *Sx = malloc((size_t)n * sizeof *Sx), *Sy = malloc((size_t)n * sizeof *Sy);
    level l;

    (void)state;
    open_level(&l, ctx, &csr, "csr", GSOLVE_F64);
    for (int back = 0; back < 2 && has_blocks(ctx); back++) {
        double one = 0, two = 0;
        l.view.transposed = false;
        smooth(&l, &gs_amg_gs, &usual, x, Sx, true, back);
        l.view.transposed = true;
        smooth(&l, &gs_amg_gs, &usual, y, Sy, true, !back);
        for (int32_t i = 0; i < n; i++) one += y[i] * Sx[i], two += x[i] * Sy[i];
        assert_true(fabs(one - two) <= 1e-13 * norm(Sx, n) * norm(y, n));
    }
    close_level(&l);
    free(x), free(y), free(Sx), free(Sy);
    gsolve_csr_free(&csr, ctx);
    close_context(ctx);
}

/* --- the same every time -----------------------------------------------------------------------
 */

static void test_same_bits(void **state)
{
    double *first[SMOOTHERS] = {NULL};

    (void)state;
    for (int time = 0; time < 6; time++) {
        gsolve_context *ctx = open_context(1 + time % 2);
        gsolve_csr csr = read_matrix(ctx, "gen:jump3d,n=26");
        const int32_t n = csr.nrows;
        double *b = random_vector(n, 4);
        level l;
        open_level(&l, ctx, &csr, "csr", GSOLVE_F64);
        for (int kind = 0; kind < SMOOTHERS; kind++) {
            double *x = random_vector(n, 6);
            smooth(&l, all[kind], &usual, b, x, false, false);
            smooth(&l, all[kind], &usual, b, x, false, true);
            if (first[kind]) assert_memory_equal(x, first[kind], (size_t)n * sizeof *x);
            free(first[kind]);
            first[kind] = x;
        }
        close_level(&l);
        free(b);
        gsolve_csr_free(&csr, ctx);
        close_context(ctx);
    }
    for (int kind = 0; kind < SMOOTHERS; kind++) free(first[kind]);
}

static void test_update(void **state)
{
    gsolve_context *ctx = open_context(1);
    gsolve_csr csr = read_matrix(ctx, "gen:jump3d,n=12");
    const int32_t n = csr.nrows;
    double *b = random_vector(n, 1), *value = (double *)(uintptr_t)csr.value;
    level before, after;

    (void)state;
    open_level(&before, ctx, &csr, "csr", GSOLVE_F64);
    for (int64_t k = 0; k < gsolve_csr_entries(&csr); k++) value[k] *= 1 + 0.5 * (double)(k % 7);
    open_level(&after, ctx, &csr, "csr", GSOLVE_F64);
    for (int kind = 0; kind < SMOOTHERS; kind++) {
        double *x = random_vector(n, 2), *want = random_vector(n, 2);
        void *self = NULL;
        OK(ctx, all[kind]->build(&self, ctx, &before.view, &usual));
        OK(ctx, all[kind]->update(self, ctx, &after.view, &usual));
        sweep(&after, all[kind], self, b, x, false, false);
        smooth(&after, all[kind], &usual, b, want, false, false);
        assert_memory_equal(x, want, (size_t)n * sizeof *x);
        all[kind]->destroy(self, ctx);
        free(x), free(want);
    }
    free(b);
    close_level(&before), close_level(&after);
    gsolve_csr_free(&csr, ctx);
    close_context(ctx);
}

/* --- colours -----------------------------------------------------------------------------------
 */

static int by_priority(const void *a, const void *b)
{
    const uint64_t x = gs_colour_priority(*(const int32_t *)a);
    const uint64_t y = gs_colour_priority(*(const int32_t *)b);
    return x < y ? 1 : x > y ? -1 : 0;
}

/* used[c] = i where a neighbour of i has colour c. */
static void mark(const gsolve_csr *A, int32_t i, const int32_t *colour, int32_t *used)
{
    for (int64_t k = gs_start(A, i); k < gs_start(A, i + 1); k++) {
        if (A->col[k] != i && colour[A->col[k]] >= 0) used[colour[A->col[k]]] = i;
    }
}

/* Row after row by priority, each the least colour that is left. */
static int32_t *expect_colours(gsolve_context *ctx, const gsolve_csr *A)
{
    const int32_t n = A->nrows;
    const size_t size = ((size_t)n + 1) * sizeof(int32_t);
    int32_t *order = malloc(size), *colour = malloc(size), *used = malloc(size);
    gsolve_csr T;

    OK(ctx, gsolve_csr_transpose(&T, ctx, A));
    for (int32_t i = 0; i < n; i++) order[i] = i, colour[i] = used[i] = -1;
    qsort(order, (size_t)n, sizeof *order, by_priority);
    for (int32_t r = 0; r < n; r++) {
        int32_t c = 0;
        mark(A, order[r], colour, used);
        mark(&T, order[r], colour, used);
        while (used[c] == order[r]) c++;
        colour[order[r]] = c;
    }
    gsolve_csr_free(&T, ctx);
    free(order), free(used);
    return colour;
}

static void check_lists(const gs_colours *C, const int32_t *colour, const int32_t *row,
                        const int32_t *first, int32_t n)
{
    assert_int_equal(C->begin[0], 0);
    assert_int_equal(C->begin[C->count], n);
    for (int32_t c = 0; c < C->count; c++) {
        assert_int_equal(C->begin[c], first[c]);
        assert_true(C->begin[c] < C->begin[c + 1]);
        for (int32_t r = C->begin[c]; r < C->begin[c + 1]; r++) {
            assert_int_equal(colour[row[r]], c);
            if (r > C->begin[c]) assert_true(row[r - 1] < row[r]);
        }
    }
}

static void check_colours(gsolve_context *ctx, const char *name)
{
    gsolve_csr A = read_matrix(ctx, name), there;
    const int32_t n = A.nrows;
    const size_t size = ((size_t)n + 1) * sizeof(int32_t);
    int32_t *colour = malloc(size), *row = malloc(size), *first = malloc(size);
    gs_colours C;

    if (n == A.ncols && n > 0) {
        int32_t *want = expect_colours(ctx, &A);
        OK(ctx, gs_csr_move(&there, ctx, gs_location(ctx), &A));
        OK(ctx, gs_colours_create(&C, ctx, &there, gsolve_csr_entries(&A)));
        OK(ctx, gsolve_copy(ctx, colour, GSOLVE_HOST, C.colour, gs_location(ctx), (size_t)n * 4));
        OK(ctx, gsolve_copy(ctx, row, GSOLVE_HOST, C.row, gs_location(ctx), (size_t)n * 4));
        OK(ctx, gsolve_copy(ctx, first, GSOLVE_HOST, C.first, gs_location(ctx),
                            ((size_t)C.count + 1) * 4));
        assert_memory_equal(colour, want, (size_t)n * sizeof *colour);
        check_lists(&C, colour, row, first, n);
        gs_colours_destroy(&C, ctx);
        gsolve_csr_free(&there, ctx);
        free(want);
    }
    free(colour), free(row), free(first);
    gsolve_csr_free(&A, ctx);
}

/* Also of rows that are in others' but do not have them, and of more than 64 colours. */
static void test_colours(void **state)
{
    static const char *const more[] = {"gen:poisson3d,n=33",
                                       "gen:convdiff3d,n=20",
                                       "gen:rmat,scale=10",
                                       "gen:web,n=3000,longest=900",
                                       "gen:random,n=200,cols=200,row=90",
                                       "gen:elasticity3d,n=7"};
    gsolve_context *ctx = open_context(1);

    (void)state;
    if (has_blocks(ctx)) {
        close_context(ctx);
        skip();
    }
    for (int m = 0; m < NASTY; m++) check_colours(ctx, nasty[m]);
    for (size_t m = 0; m < sizeof more / sizeof *more; m++) check_colours(ctx, more[m]);
    close_context(ctx);
}

/* --- passes over rows --------------------------------------------------------------------------
 */

static void check_passes(const level *l, double rounding, const char *name)
{
    const gs_relax_kernels *kernels = GS_KERNELS(gs_relax, l->ctx, l->rows.type);
    gs_queue *q = l->ctx->queue;
    const int32_t n = l->rows.nrows;
    double *v[4], *want = malloc(((size_t)n + 1) * sizeof *want), mean = 1;
    double *x = malloc(((size_t)n + 1) * sizeof *x);
    gsolve_dense V[4];

    if (n > 0) mean = (double)gsolve_csr_entries(&l->host) / n;
    for (int k = 0; k < 4; k++) v[k] = random_vector(n, (uint64_t)k);
    for (int k = 0; k < 4; k++) V[k] = send(l, v[k]);
    OK(l->ctx, kernels->relax(q, &l->rows, mean, 1, V[1].value,
                              &(gs_step){.b = V[0].value, .y = V[2].value}));
    fetch(l, V[2], x);
    for (int32_t i = 0; i < n; i++) want[i] = v[0][i] - row_times(&l->host, i, v[1]);
    assert_close(x, want, n, rounding, name);
    for (int how = 0; how < 3; how++) { /* a step without memory, from 0, from what y holds */
        const double c = how > 0 ? 0.25 : 0;
        OK(l->ctx, kernels->relax(q, &l->rows, mean, 1, V[1].value,
                                  &(gs_step){.a = 0.5,
                                             .c = c,
                                             .d = V[3].value,
                                             .b = V[0].value,
                                             .old = how == 2 ? V[2].value : NULL,
                                             .y = V[2].value}));
        for (int32_t i = 0; i < n; i++) {
            const double r = v[0][i] - row_times(&l->host, i, v[1]);
            want[i] = v[1][i] + 0.5 * v[3][i] * r + c * (v[1][i] - (how == 2 ? x[i] : 0));
        }
        fetch(l, V[2], x);
        assert_close(x, want, n, rounding, name);
    }
    for (int k = 0; k < 4; k++) free(v[k]), gsolve_free(l->ctx, V[k].location, V[k].value);
    free(want), free(x);
}

/* Columns by rows, of which column c is c + 1 times v. */
static gsolve_dense send_columns(const level *l, const double *v, int32_t columns)
{
    const int32_t n = l->rows.nrows;
    const size_t count = (size_t)n * (size_t)columns, size = gs_type_size(l->rows.type);
    double *wide = malloc((count + 1) * sizeof *wide);
    float *step_from_f64 = malloc((count + 1) * sizeof *step_from_f64);
    gsolve_dense d;

    for (size_t k = 0; k < count; k++) {
        wide[k] = (double)(k % (size_t)columns + 1) * v[k / (size_t)columns];
        step_from_f64[k] = (float)wide[k];
    }
    OK(l->ctx, gs_dense_new(&d, l->ctx, gs_location(l->ctx), l->rows.type, n, columns));
    OK(l->ctx, gsolve_copy(l->ctx, d.value, d.location,
                           l->rows.type == GSOLVE_F32 ? (void *)step_from_f64 : (void *)wide,
                           GSOLVE_HOST, count * size));
    free(wide), free(step_from_f64);
    return d;
}

/* Column c of columns by rows over c + 1. */
static void fetch_column(const level *l, gsolve_dense d, int32_t c, double *v)
{
    const int32_t n = l->rows.nrows;
    const size_t bytes = (size_t)n * (size_t)d.ncols * gs_type_size(d.type);
    void *block = malloc(bytes + 1);

    OK(l->ctx, gsolve_copy(l->ctx, block, GSOLVE_HOST, d.value, d.location, bytes));
    for (int32_t i = 0; i < n; i++) {
        const int64_t k = (int64_t)i * d.ncols + c;
        v[i] =
            (d.type == GSOLVE_F32 ? (double)((float *)block)[k] : ((double *)block)[k]) / (c + 1);
    }
    free(block);
}

/* Several columns, each a multiple of the first, have multiples of what that has. */
static void check_passes_of(const level *l, int32_t columns, double rounding, const char *name)
{
    const gs_relax_kernels *kernels = GS_KERNELS(gs_relax, l->ctx, l->rows.type);
    gs_queue *q = l->ctx->queue;
    const int32_t n = l->rows.nrows;
    const double mean = n > 0 ? (double)gsolve_csr_entries(&l->host) / n : 1;
    double *v[4], *r = malloc(((size_t)n + 1) * sizeof *r), *want = malloc(((size_t)n + 1) * 8);
    gsolve_dense V[3], D;

    for (int k = 0; k < 4; k++) v[k] = random_vector(n, (uint64_t)k);
    for (int k = 0; k < 3; k++) V[k] = send_columns(l, v[k], columns);
    D = send(l, v[3]);
    OK(l->ctx, kernels->relax(q, &l->rows, mean, columns, V[1].value,
                              &(gs_step){.a = 0.5,
                                         .c = 0.25,
                                         .d = D.value,
                                         .b = V[0].value,
                                         .old = V[2].value,
                                         .y = V[2].value}));
    for (int32_t i = 0; i < n; i++) {
        r[i] = v[0][i] - row_times(&l->host, i, v[1]);
        want[i] = v[1][i] + 0.5 * v[3][i] * r[i] + 0.25 * (v[1][i] - v[2][i]);
    }
    for (int32_t c = 0; c < columns; c++) {
        fetch_column(l, V[2], c, v[3]);
        assert_close(v[3], want, n, rounding, name);
    }
    OK(l->ctx, kernels->relax(q, &l->rows, mean, columns, V[1].value,
                              &(gs_step){.b = V[0].value, .y = V[2].value}));
    for (int32_t c = 0; c < columns; c++) {
        fetch_column(l, V[2], c, v[3]);
        assert_close(v[3], r, n, rounding, name);
    }
    for (int k = 0; k < 3; k++) gsolve_free(l->ctx, V[k].location, V[k].value);
    gsolve_free(l->ctx, D.location, D.value);
    for (int k = 0; k < 4; k++) free(v[k]);
    free(r), free(want);
}

static void test_passes(void **state)
{
    static const int32_t columns[] = {2, 3, 4, 8, 11};
    gsolve_context *ctx = open_context(1);

    (void)state;
    for (int m = 0; m < NASTY * 3; m++) {
        gsolve_csr csr = read_matrix(ctx, nasty[m / 3]);
        level l;
        if (csr.nrows == csr.ncols) {
            open_level(&l, ctx, &csr, "csr", m % 3 == 1 ? GSOLVE_F32 : GSOLVE_F64);
            if (m % 3 == 2) widen(ctx, &l.rows);
            check_passes(&l, m % 3 == 1 ? 1e-5 : 1e-14, nasty[m / 3]);
            for (size_t k = 0; k < sizeof columns / sizeof *columns; k++) {
                check_passes_of(&l, columns[k], m % 3 == 1 ? 1e-5 : 1e-14, nasty[m / 3]);
            }
            close_level(&l);
        }
        gsolve_csr_free(&csr, ctx);
    }
    close_context(ctx);
}

/* --- in multigrid ------------------------------------------------------------------------------
 */

static int iterations_of(gsolve_context *ctx, const char *matrix, const char *smoother)
{
    gsolve_csr csr = read_matrix(ctx, matrix);
    const int32_t n = csr.nrows;
    double *b = random_vector(n, 8), *x = calloc((size_t)n, sizeof *x);
    char spec[96];
    gsolve_matrix *A = NULL;
    gsolve_precond *M = NULL;
    gsolve_solver *S = NULL;
    gsolve_result result = GSOLVE_INIT(gsolve_result);

    snprintf(spec, sizeof spec, "amg,coarsest=50,smoother=%s", smoother);
    OK(ctx, gsolve_matrix_create(&A, ctx, "csr", &csr));
    OK(ctx, gsolve_precond_create(&M, ctx, spec, &csr));
    OK(ctx, gsolve_solver_create(&S, ctx, "cg", A, M));
    OK(ctx, gsolve_solver_run(S, gsolve_vector(b, n), gsolve_vector(x, n), &result));
    assert_int_equal(result.outcome, GSOLVE_CONVERGED);
    gsolve_solver_destroy(&S);
    gsolve_precond_destroy(&M);
    gsolve_matrix_destroy(&A);
    gsolve_csr_free(&csr, ctx);
    free(b), free(x);
    return result.iterations;
}

static void test_in_multigrid(void **state)
{
    static const struct {
        const char *matrix;
        int most[SMOOTHERS];
    } problem[] = {{"gen:poisson3d,n=24", {24, 22, 16, 20, 14}},
                   {"gen:anisotropic3d,n=24", {20, 20, 15, 16, 14}},
                   {"gen:jump3d,n=24,cells=4", {35, 35, 25, 30, 25}}};
    gsolve_context *ctx = open_context(1);

    (void)state;
    for (size_t p = 0; p < sizeof problem / sizeof *problem; p++) {
        for (int kind = 0; kind < SMOOTHERS; kind++) {
            const int taken = iterations_of(ctx, problem[p].matrix, names[kind]);
            if (taken > problem[p].most[kind]) {
                fail_msg("%s with %s: %d iterations", problem[p].matrix, names[kind], taken);
            }
        }
    }
    close_context(ctx);
}

/* Where few steps with the factors make so much of some vectors that M^-1 has to be smaller. */
static void test_strong_couplings(void **state)
{
    gsolve_context *ctx = open_context(1);
    const int taken = iterations_of(ctx, "gen:elasticity3d,n=10", "ilu");

    (void)state;
    if (taken > 25) fail_msg("%d iterations", taken);
    close_context(ctx);
}

/* y'M x = x'M'y for a cycle, of more sweeps before than after. */
static void check_cycle(gsolve_context *ctx, const char *matrix, const char *smoother)
{
    gsolve_csr csr = read_matrix(ctx, matrix);
    const int32_t n = csr.nrows;
    double *x = random_vector(n, 1), *y = random_vector(n, 2), one = 0, two = 0;
    double *Mx = malloc((size_t)n * sizeof *Mx), *My = malloc((size_t)n * sizeof *My);
    gsolve_precond *M = NULL;
    char spec[96];

    snprintf(spec, sizeof spec, "amg,coarsest=60,pre=2,post=1,smoother=%s", smoother);
    OK(ctx, gsolve_precond_create(&M, ctx, spec, &csr));
    OK(ctx, gsolve_precond_apply(M, gsolve_vector(x, n), gsolve_vector(Mx, n)));
    OK(ctx, gsolve_precond_apply_transpose(M, gsolve_vector(y, n), gsolve_vector(My, n)));
    for (int32_t i = 0; i < n; i++) one += y[i] * Mx[i], two += x[i] * My[i];
    assert_true(fabs(one - two) <= 1e-12 * norm(Mx, n) * norm(y, n));
    gsolve_precond_destroy(&M);
    gsolve_csr_free(&csr, ctx);
    free(x), free(y), free(Mx), free(My);
}

static void test_transposed_cycle(void **state)
{
    gsolve_context *ctx = open_context(1);

    (void)state;
    check_cycle(ctx, "gen:poisson2d,n=50", "gs");
    if (has_blocks(ctx)) check_cycle(ctx, "gen:convdiff3d,n=14", "gs");
    check_cycle(ctx, "gen:poisson2d,n=50", "ilu");
    check_cycle(ctx, "gen:convdiff3d,n=14", "ilu");
    close_context(ctx);
}

/* z = M^-1 r with levels in single precision of one format, and r'z with it. */
static double *apply_narrow(gsolve_context *ctx, const gsolve_csr *csr, const char *format,
                            const char *smoother, const double *r)
{
    const int32_t n = csr->nrows;
    double *z = malloc((size_t)n * sizeof *z), *again = malloc((size_t)n * sizeof *again);
    double rz, sum = 0, size = 0;
    gsolve_precond *M = NULL;
    char spec[96];

    snprintf(spec, sizeof spec, "amg,coarsest=60,type=f32,format=%s,%s", format, smoother);
    OK(ctx, gsolve_precond_create(&M, ctx, spec, csr));
    OK(ctx, gsolve_precond_apply(M, gsolve_vector((double *)(uintptr_t)r, n), gsolve_vector(z, n)));
    OK(ctx, gsolve_precond_apply_dot(M, gsolve_vector((double *)(uintptr_t)r, n),
                                     gsolve_vector(again, n), &rz));
    assert_memory_equal(z, again, (size_t)n * sizeof *z);
    for (int32_t i = 0; i < n; i++) sum += r[i] * z[i], size += fabs(r[i] * z[i]);
    assert_true(fabs(rz - sum) <= 1e-13 * size);
    gsolve_precond_destroy(&M);
    free(again);
    return z;
}

/* By slices a cycle in single precision begins and ends in double by itself: it is the same as
 * where vectors are converted around it. */
static void test_ends(void **state)
{
    static const char *const matrix[] = {"gen:poisson3d,n=21", "gen:jump3d,n=17",
                                         "gen:convdiff3d,n=19"};
    static const char *const smoother[] = {
        "smoother=chebyshev", "smoother=l1_jacobi", "smoother=l1_jacobi,degree=3,post=2",
        "smoother=spai0,pre=2,post=2", "smoother=chebyshev,degree=3,pre=0"};
    gsolve_context *ctx = open_context(1);

    (void)state;
    for (size_t m = 0; m < 3; m++) {
        gsolve_csr csr = read_matrix(ctx, matrix[m]);
        const int32_t n = csr.nrows;
        double *r = random_vector(n, 4);
        for (size_t k = 0; k < sizeof smoother / sizeof *smoother; k++) {
            double *z = apply_narrow(ctx, &csr, "sell", smoother[k], r);
            double *want = apply_narrow(ctx, &csr, "csr", smoother[k], r);
            assert_close(z, want, n, 1e-4, smoother[k]);
            free(z), free(want);
        }
        gsolve_csr_free(&csr, ctx);
        free(r);
    }
    close_context(ctx);
}

static void test_no_memory(void **state)
{
    gsolve_context *ctx = open_context(1);
    static const char *const matrix[] = {"gen:poisson2d,n=12", "gen:web,n=400,longest=200"};

    (void)state;
    for (int m = 0; m < 2; m++) {
        gsolve_csr csr = read_matrix(ctx, matrix[m]);
        level l;
        open_level(&l, ctx, &csr, "csr", GSOLVE_F64);
        for (int kind = 0; kind < SMOOTHERS; kind++) {
            void *self = NULL;
            ALLOCATION_SWEEP(ctx, all[kind]->build(&self, ctx, &l.view, &usual));
            all[kind]->destroy(self, ctx);
        }
        close_level(&l);
        gsolve_csr_free(&csr, ctx);
    }
    close_context(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sweeps),
        cmocka_unit_test(test_more_sweeps),
        cmocka_unit_test(test_modes),
        cmocka_unit_test(test_transposed_sweep),
        cmocka_unit_test(test_of_the_transpose),
        cmocka_unit_test(test_turned_blocks),
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_update),
        cmocka_unit_test(test_colours),
        cmocka_unit_test(test_passes),
        cmocka_unit_test(test_in_multigrid),
        cmocka_unit_test(test_strong_couplings),
        cmocka_unit_test(test_transposed_cycle),
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_no_memory),
    };

    need_device();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
