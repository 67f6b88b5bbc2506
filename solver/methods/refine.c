/* refine.c: iterative refinement (Wilkinson 1963; Moler 1967) around a Krylov method in single
 * precision, which moves half the bytes. A and M are copied to f32 once, and again when A's values
 * have changed. For any A that the inner method solves.
 *
 *   solve A d = r / 2^e in f32, where 2^e is about 2^20 times the |r| to reach
 *   x += 2^e d, r = b - A x in A's type
 *
 * An inner solve may fail to halve |r|: it stagnates, breaks down or leaves the range of f32. Then
 * its correction is undone, and an inner method in A's type solves the column's system down to the
 * target; a note says so. If that does not halve |r| either, its outcome is the column's outcome.
 *
 * A step is one correction. maxit and the result count it as one iteration. The result's products
 * include the inner ones, and the note gives the inner iterations. Beside the inner solve a step
 * moves, in fp64, a product and 132 n bytes: kept 16, r to f32 28, zero 4, d to f64 12, x 24, r 48.
 * The copies need half the memory of A and M. M is set up again from its spec and the copy of A. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/try.h"
#include "matrix/null_space.h"
#include "matrix/operator.h"
#include "solver/operations/operations.h"

#define LEVEL (-20) /* the scaled target is from 2^LEVEL to 2^(LEVEL + 1) */
#define MOST  40    /* the scaled residual is below 2^MOST */

/* The values of the option inner. */
#define INNER "auto|cg|bicgstab|gmres|fgmres|minres"

typedef struct refine_options {
    gs_run_options run;
    double rtol; /* of the inner method */
    int inner, maxit, type;
} refine_options;

typedef struct refine {
    gsolve_dense r, t, d, kept; /* t: the next b - Ax; kept: x before the step */
    gs_scalar scale;            /* 2^-e */
    gsolve_dense low_r, low_d;  /* in the inner type */
    gsolve_matrix *A;           /* copies in f32, or NULL */
    gsolve_precond *M;
    gsolve_solver *inner, *plain; /* on the copies; on k->A and k->M; or NULL */
    uint64_t version;             /* of A's values and null spaces that are copied */
    /* on the host, for each column */
    double *factor, *before, *after; /* scale; |r|^2 before and after the inner solve */
    bool *use,
        *fell_back; /* it is corrected in this step; single precision did not halve its |r| */
    gsolve_outcome *outcome; /* of the inner solve in A's type */
    int iterations;          /* inner ones of this run */
    bool warm;               /* inner has made a run since the last start */
} refine;

static const gsolve_option options[] = {
    GS_RUN_OPTIONS(200, 3),
    {"inner", "the inner method; auto: gsolve chooses it", GSOLVE_CHOICE,
     offsetof(refine_options, inner), 0, 0, 0, INNER},
    {"inner_rtol", "relative tolerance of the inner method", GSOLVE_REAL,
     offsetof(refine_options, rtol), 1e-2, 1e-12, 0.25, NULL},
    {"inner_maxit", "largest number of iterations of the inner method", GSOLVE_INT,
     offsetof(refine_options, maxit), 10000, 1, 2147483647, NULL},
    {"type", "type in which the inner method computes; f64: the type of A, even if that is f32",
     GSOLVE_CHOICE, offsetof(refine_options, type), GSOLVE_F32, 0, 0, "f32|f64"},
    {0},
};

/* --- the inner solvers: on copies of A and M in f32, and on A and M themselves -----------------
 */

/* Whether M is a function of the caller, which cannot be copied. */
static bool is_function(const gsolve_precond *M)
{
    gsolve_precond_info info = GSOLVE_INIT(gsolve_precond_info);

    if (M) gsolve_precond_describe(M, &info);
    return M && strcmp(info.kind, "function") == 0;
}

/* Whether the inner method works on copies in f32. There are none of a matrix that is distributed
 * over ranks. */
static bool copies(const gs_krylov *k)
{
    if ((k->A && gs_matrix_is_operator(k->A)) || is_function(k->M) || k->comm) return false;
    return k->csr.type == GSOLVE_F64 && ((const refine_options *)k->options)->type == GSOLVE_F32;
}

/* *inner = the inner method on A and M, unless it exists. last: if it fails, no other follows. */
static gsolve_status new_inner(gs_krylov *k, const gsolve_matrix *A, const gsolve_precond *M,
                               bool last, gsolve_solver **inner)
{
    const refine_options *o = k->options;
    const char *name = INNER;
    char spec[128];
    gsolve_status status = GSOLVE_OK;

    if (*inner) return GSOLVE_OK;

    for (int i = 0; i < o->inner; i++) name = strchr(name, '|') + 1;
    snprintf(spec, sizeof spec, "%.*s,rtol=%.17g,maxit=%d%s", (int)strcspn(name, "|"), name,
             o->rtol, o->maxit, last ? "" : ",stall=500");
    TRY(gsolve_solver_create(inner, k->ctx, spec, A, M));
    (*inner)->inner = !last;
done:
    return status;
}

static void drop_copies(refine *s)
{
    gsolve_solver_destroy(&s->inner);
    gsolve_precond_destroy(&s->M);
    gsolve_matrix_destroy(&s->A);
}

/* Makes or updates the copies of A and M in f32, and the solver on them. */
static gsolve_status copy_system(gs_krylov *k)
{
    refine *s = k->state;
    gsolve_matrix_info info = GSOLVE_INIT(gsolve_matrix_info);
    gsolve_precond_info kind = GSOLVE_INIT(gsolve_precond_info);
    gsolve_csr csr = {0};
    gsolve_status status;

    gsolve_matrix_describe(k->A, &info);
    TRY(gs_need_rows(k));
    TRY(gs_csr_copy(&csr, k->ctx, GSOLVE_F32, &k->csr));
    if (s->A) {
        TRY(gsolve_matrix_update(s->A, &csr));
    } else {
        TRY(gsolve_matrix_create_owned(&s->A, k->ctx, info.format, &csr));
    }
    gs_matrix_borrow_null_spaces(s->A, k->A); /* which M asks for */
    if (k->M) gsolve_precond_describe(k->M, &kind);
    if (s->M) {
        TRY(gsolve_precond_update_from(s->M, s->A));
    } else if (k->M) {
        TRY(gsolve_precond_create_from(&s->M, k->ctx, kind.spec, s->A));
    }
    TRY(new_inner(k, s->A, s->M, false, &s->inner));
done:
    gsolve_csr_free(&csr, k->ctx);
    return status;
}

/* Sets up s->inner for A's present values; s->plain where f32 cannot hold or factor them. */
static gsolve_status prepare(gs_krylov *k)
{
    refine *s = k->state;
    gsolve_matrix_info info = GSOLVE_INIT(gsolve_matrix_info);
    gsolve_status status = GSOLVE_OK;

    gsolve_matrix_describe(k->A, &info);
    info.version += gs_matrix_null_spaces(k->A)->version; /* both only grow */
    if (info.version == s->version) return GSOLVE_OK;
    if (copies(k)) {
        status = copy_system(k);
        if (status != GSOLVE_OK) drop_copies(s);
        if (status == GSOLVE_NO_MEMORY || status == GSOLVE_INTERRUPTED) return status;
    } else {
        TRY(new_inner(k, k->A, k->M, false, &s->inner));
    }
    if (!s->inner) TRY(new_inner(k, k->A, k->M, true, &s->plain));
    s->version = info.version;
    status = GSOLVE_OK;
done:
    return status;
}

/* x = A^-1 b by `inner` (s->inner or s->plain), whose work counts as that of k. */
static gsolve_status run_inner(gs_krylov *k, gsolve_solver *inner, gsolve_dense b, gsolve_dense x,
                               gsolve_outcome *outcome)
{
    refine *s = k->state;
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    gsolve_status status;

    TRY(gs_inner_run(k, inner, b, x, &result));
    *outcome = result.outcome;
    s->iterations += result.iterations;
done:
    return status;
}

static void drop(gs_krylov *k)
{
    refine *s = k->state;

    drop_copies(s);
    gsolve_solver_destroy(&s->plain);
}

/* --- set-up ----------------------------------------------------------------------------------- */

/* The inner matrix and the inner solver have work space of their own, which is not counted here. */
static gsolve_status setup(gs_krylov *k)
{
    const gsolve_type low = copies(k) ? GSOLVE_F32 : k->csr.type;
    refine *s = k->state;
    gsolve_status status;

    k->period = 0; /* on the host */
    TRY(gs_new_vector_of(k, low, k->csr.nrows, true, &s->low_r));
    TRY(gs_new_vector_of(k, low, k->csr.nrows, true, &s->low_d));
    TRY(GS_NEW_PER_COLUMN(k, GSOLVE_HOST, s->factor));
    TRY(GS_NEW_PER_COLUMN(k, GSOLVE_HOST, s->before));
    TRY(GS_NEW_PER_COLUMN(k, GSOLVE_HOST, s->after));
    TRY(GS_NEW_PER_COLUMN(k, GSOLVE_HOST, s->use));
    TRY(GS_NEW_PER_COLUMN(k, GSOLVE_HOST, s->fell_back));
    TRY(GS_NEW_PER_COLUMN(k, GSOLVE_HOST, s->outcome));
    if (gs_is_counting(k)) return GSOLVE_UNSUPPORTED; /* the copies of A and M */
    TRY(prepare(k));
done:
    return status;
}

static gsolve_status start(gs_krylov *k)
{
    refine *s = k->state;
    gsolve_status status;

    TRY(prepare(k));
    if (s->A) gs_matrix_borrow_null_spaces(s->A, k->A); /* they may have changed */
    s->warm = false;
    if (gs_is_first_start(k)) {
        s->iterations = 0;
        for (int32_t c = 0; c < k->ncols; c++) s->fell_back[c] = !s->inner;
    }
    TRY(gs_residual(k, s->r)); /* r = b - A x              */
done:
    return status;
}

/* --- corrections ------------------------------------------------------------------------------ */

static gsolve_status to_host(gs_krylov *k, double *to, const double *from)
{
    return gsolve_copy(k->ctx, to, GSOLVE_HOST, from, GSOLVE_DEVICE, (size_t)k->ncols * sizeof *to);
}

/* Whether every column of the next inner solve can continue with the directions of the last one. */
static bool can_continue(const gs_krylov *k)
{
    const refine *s = k->state;

    for (int32_t c = 0; c < k->ncols; c++) {
        gsolve_result result = GSOLVE_INIT(gsolve_result);
        gsolve_solver_column(s->inner, c, &result);
        if (s->use[c] && !s->fell_back[c] && result.outcome != GSOLVE_CONVERGED &&
            result.outcome != GSOLVE_ITERATION_LIMIT) {
            return false;
        }
    }
    return true;
}

/* The e of column c: 2^LEVEL 2^e is about the |r| to reach, but e is so large that |r| / 2^e is at
 * most 2^MOST, which stays in the range of single precision. */
static int exponent_of(const gs_krylov *k, int32_t c)
{
    const refine *s = k->state;
    int aim, now;

    frexp(0.7 * fmax(gs_column_target(k, c), 1e-16 * gs_column_norm(k, c)), &aim);
    frexp(s->use[c] ? sqrt(s->before[c]) : 0, &now);
    aim -= LEVEL + 1;
    return now - MOST > aim ? now - MOST : aim;
}

/* The inner solve of all columns at once, and x += 2^e d. Columns that are not corrected have the
 * right-hand side 0. With this scaling one absolute tolerance is the target of all columns, so that
 * the last solve does not reduce |r| further than necessary. */
static gsolve_status correct(gs_krylov *k)
{
    refine *s = k->state;
    const int32_t n = k->csr.nrows;
    const gsolve_type type = s->low_r.type;
    const gs_vector_kernels *low = GS_KERNELS(gs_vector, k->ctx, type);
    gs_queue *q = k->ctx->queue;
    gsolve_dense b = s->low_r, x = s->low_d;
    gsolve_outcome outcome;
    gsolve_status status;

    for (int32_t c = 0; c < k->ncols; c++) s->factor[c] = ldexp(1, -exponent_of(k, c));
    ((gs_run_options *)s->inner->options)->atol = ldexp(1, LEVEL);
    TRY(gsolve_copy(k->ctx, s->scale, GSOLVE_DEVICE, s->factor, GSOLVE_HOST,
                    (size_t)k->ncols * sizeof *s->factor));
    TRY(gs_axpby(k, gs_quotient(1, s->scale, NULL), s->r, gs_number(0), s->d)); /* d = r / 2^e  */
    for (int32_t c = 0; c < k->ncols; c++) {
        void *to = gs_column_of(b, c).value;
        const bool corrected = s->use[c] && !s->fell_back[c];
        TRY(corrected ? low->copy(q, n, k->csr.type, gs_column_of(s->d, c).value, to)
                      : low->zero(q, n, to));
        TRY(low->zero(q, n, gs_column_of(x, c).value));
    }
    b.ncols = x.ncols = k->ncols;
    s->inner->continues = s->warm && can_continue(k);
    TRY(run_inner(k, s->inner, b, x, &outcome)); /* d = A^-1 r / 2^e         */
    s->warm = true;
    for (int32_t c = 0; c < k->ncols; c++) {
        TRY(k->vector->copy(q, n, type, gs_column_of(x, c).value, gs_column_of(s->d, c).value));
    }
    TRY(gs_axpby(k, gs_quotient(1, NULL, s->scale), s->d, gs_number(1), k->x)); /* x += 2^e d   */
done:
    return status;
}

/* Solves column c by the inner method in A's type, from the x in kept down to its target. */
static gsolve_status correct_plain(gs_krylov *k, int32_t c)
{
    refine *s = k->state;
    const int32_t n = k->csr.nrows;
    const gs_ratio one = {.sign = 1};
    const gsolve_dense r = gs_column_of(s->r, c), d = gs_column_of(s->d, c);
    void *x = gs_column_of(k->x, c).value;
    gs_queue *q = k->ctx->queue;
    gs_run_options *run;
    gsolve_status status;

    TRY(new_inner(k, k->A, k->M, true, &s->plain));
    run = s->plain->options;
    run->rtol = fmin(fmax(0.5 * gs_column_target(k, c) / sqrt(s->before[c]), 1e-15), 0.25);
    TRY(k->vector->zero(q, n, d.value));
    TRY(run_inner(k, s->plain, r, d, &s->outcome[c]));
    TRY(k->vector->copy(q, n, k->csr.type, gs_column_of(s->kept, c).value, x));
    TRY(k->vector->axpby(q, n, one, d.value, one, x)); /* x += A^-1 r              */
done:
    return status;
}

/* Ends column c, whose |r| was not halved; if the x before the step was better, restores it. */
static gsolve_status end_column(gs_krylov *k, int32_t c)
{
    refine *s = k->state;
    const gsolve_outcome outcome = s->outcome[c];
    const bool own =
        outcome == GSOLVE_INDEFINITE || outcome == GSOLVE_BREAKDOWN || outcome == GSOLVE_DIVERGED;
    const int flag = own ? (int)outcome : GSOLVE_STAGNATED;
    gsolve_status status;

    TRY(gsolve_copy(k->ctx, &k->flag[c], GSOLVE_DEVICE, &flag, GSOLVE_HOST, sizeof flag));
    if (s->after[c] < s->before[c]) return GSOLVE_OK;
    TRY(k->vector->copy(k->ctx->queue, k->csr.nrows, k->csr.type, gs_column_of(s->kept, c).value,
                        gs_column_of(k->x, c).value));
    TRY(gsolve_copy(k->ctx, &k->rr[c], GSOLVE_DEVICE, &s->before[c], GSOLVE_HOST,
                    sizeof *s->before));
done:
    return status;
}

static bool halved(const refine *s, int32_t c)
{
    return s->after[c] <= 0.25 * s->before[c];
}

/* Corrects in A's type the columns whose |r| single precision did not halve, in this step or in an
 * earlier one. */
static gsolve_status correct_fallback(gs_krylov *k)
{
    refine *s = k->state;
    bool any = false;
    gsolve_status status = GSOLVE_OK;

    for (int32_t c = 0; c < k->ncols; c++) {
        if (!s->use[c] || (!s->fell_back[c] && halved(s, c))) continue;
        s->fell_back[c] = any = true;
        TRY(correct_plain(k, c));
    }
    if (!any) return GSOLVE_OK;
    TRY(gs_residual(k, s->t));
    TRY(to_host(k, s->after, k->rr));
    for (int32_t c = 0; c < k->ncols; c++) {
        if (s->use[c] && !halved(s, c)) TRY(end_column(k, c));
    }
done:
    return status;
}

static gsolve_status step(gs_krylov *k, int64_t j)
{
    refine *s = k->state;
    const int *ended;
    bool any = false;
    gsolve_status status;

    (void)j;
    TRY(to_host(k, s->before, k->rr));
    TRY(gs_fetch_ended(k, &ended));
    for (int32_t c = 0; c < k->ncols; c++) {
        s->use[c] = k->active[c] && !ended[c];
        any = any || (s->use[c] && !s->fell_back[c]);
    }
    TRY(gs_copy_vector(k, k->x, s->kept));
    if (any) {
        TRY(correct(k));
        TRY(gs_residual(k, s->t)); /* t = b - A x              */
        TRY(to_host(k, s->after, k->rr));
    }
    TRY(correct_fallback(k));
    TRY(gs_copy_vector(k, s->t, s->r));
done:
    return status;
}

/* The note: inner iterations and precisions. */
static gsolve_status finish(gs_krylov *k)
{
    const refine *s = k->state;
    const bool low = s->low_r.type == GSOLVE_F32;
    const char *name = gsolve_solver_name(s->inner ? s->inner : s->plain);
    const char *many = s->iterations == 1 ? "" : "s";
    int fell_back = 0;

    for (int32_t c = 0; c < k->ncols; c++) fell_back += s->fell_back[c];
    if (!s->inner) {
        snprintf(
            k->note, sizeof k->note,
            "A or its preconditioner has values beyond single precision: %d inner iteration%s of "
            "%s in double precision.",
            s->iterations, many, name);
    } else if (fell_back > 0) {
        snprintf(
            k->note, sizeof k->note,
            "%d inner iteration%s of %s; in %s precision they did not halve the residual, so %d "
            "of %d columns continued in %s precision.",
            s->iterations, many, name, low ? "single" : "double", fell_back, k->ncols,
            k->csr.type == GSOLVE_F32 ? "single" : "double");
    } else {
        snprintf(k->note, sizeof k->note, "%d inner iteration%s of %s in %s precision.",
                 s->iterations, many, name, low ? "single" : "double");
    }
    return GSOLVE_OK;
}

const gs_method gs_refine = {
    .plugin = {"refine",
               "iterative refinement: an inner method in single precision, residuals and "
               "corrections in the type of A; an iteration is one correction",
               options, sizeof(refine_options)},
    .state_size = sizeof(refine),
    .vectors = 4,
    .scalars = 1,
    .flexible = true, /* the inner method decides */
    .setup = setup,
    .start = start,
    .step = step,
    .finish = finish,
    .destroy = drop,
};
