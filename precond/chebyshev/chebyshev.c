/* chebyshev.c: z = p(D^-1 A) D^-1 r, where D is the diagonal of A and p is the polynomial of the
 * Chebyshev iteration for the part [lambda_max / ratio, lambda_max] of the spectrum of D^-1 A. It
 * uses products only and no recurrence between rows, which suits many threads. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/staging.h"
#include "core/try.h"
#include "dist/comm.h"
#include "matrix/operator.h"
#include "precond/chebyshev/polynomial.h"
#include "precond/diagonal.h"
#include "precond/handle.h"

typedef struct chebyshev_options {
    int degree, its;
    double ratio;
} chebyshev_options;

typedef struct chebyshev {
    chebyshev_options options;
    gs_polynomial polynomial;
    gsolve_matrix *copy;    /* of csr; NULL if A is the caller's */
    const gsolve_matrix *A; /* the copy, or the caller's */
    gs_comm *comm;          /* the ranks that share A's rows, or NULL */
    gs_reciprocals inverse; /* of the diagonal */
    gs_column_work work;    /* p and q, see iterate */
    double *square;         /* a number on the device */
} chebyshev;

static const gsolve_option options[] = {
    {"degree", "degree of the polynomial, and number of matrix-vector products per application",
     GSOLVE_INT, offsetof(chebyshev_options, degree), 3, 1, 100, NULL},
    {"ratio",
     "the polynomial reduces errors in the part [lambda_max / ratio, lambda_max] of the spectrum",
     GSOLVE_REAL, offsetof(chebyshev_options, ratio), 30, 1.1, 1e6, NULL},
    {"its",
     "number of power iterations that estimate the largest eigenvalue lambda_max; 0: use a bound "
     "from the row sums",
     GSOLVE_INT, offsetof(chebyshev_options, its), 20, 0, 1000, NULL},
    {0},
};

/* max_i sum_j |a_ij / a_ii| */
static double largest_sum(gsolve_context *ctx, const gsolve_csr *csr)
{
    double largest = 0;

#pragma omp parallel for schedule(static) num_threads(gsolve_threads(ctx)) reduction(max : largest)
    for (int32_t i = 0; i < csr->nrows; i++) {
        double sum = 0;
        for (int64_t k = gs_start(csr, i); k < gs_start(csr, i + 1); k++) {
            sum += fabs(gs_value(csr, k));
        }
        largest = fmax(largest, sum / fabs(gs_value(csr, gs_diagonal_at(csr, i))));
    }
    return largest;
}

/* Estimates the spectrum, of which `lambda_max` is a bound, or infinite if none is known. A and d
 * have their values. */
static gsolve_status estimate(chebyshev *M, gsolve_context *ctx, double lambda_max)
{
    const bool has_bound = isfinite(lambda_max);
    gsolve_status status;

    TRY(gs_estimate_lambda_max(&lambda_max, ctx, M->A, M->inverse.d, M->options.its, M->work.one[0],
                               M->work.one[1], M->square));
    if (!isfinite(lambda_max) && !has_bound) {
        return gsolve_fail(ctx, GSOLVE_BAD_MATRIX,
                           "chebyshev cannot estimate the largest eigenvalue of D^-1 A, because a "
                           "product with A is not finite; check the function of the operator");
    }
    if (!isfinite(lambda_max)) lambda_max = 1;
    M->polynomial = (gs_polynomial){lambda_max, M->options.ratio};
done:
    return status;
}

static void destroy(void *self, gsolve_context *ctx)
{
    chebyshev *M = self;

    gsolve_matrix_destroy(&M->copy);
    gs_reciprocals_free(&M->inverse, ctx);
    gsolve_free(ctx, GSOLVE_DEVICE, M->square);
    gs_column_work_destroy(&M->work, ctx);
    gsolve_free(ctx, GSOLVE_HOST, M);
}

/* Work space for rows of csr's shape and type. */
static gsolve_status create_work(chebyshev *M, gsolve_context *ctx, const gsolve_csr *csr)
{
    gsolve_status status;

    M->work.vectors = 2;
    M->work.comm = M->comm;
    TRY(gs_column_work_create(&M->work, ctx, csr));
    ALLOC(ctx, GSOLVE_DEVICE, M->square, 1);
done:
    return status;
}

/* What an update computes without other ranks. */
static gsolve_status update_rank(chebyshev *M, gsolve_context *ctx, const gsolve_csr *csr)
{
    gsolve_status status;

    TRY(gs_diagonal_reciprocals(ctx, "chebyshev", csr, false, &M->inverse));
    if (M->comm) {
        if (!M->square) TRY(create_work(M, ctx, csr));
    } else if (M->copy) {
        TRY(gsolve_matrix_update(M->copy, csr));
    } else {
        TRY(create_work(M, ctx, csr));
        TRY(gsolve_matrix_create(&M->copy, ctx, "csr", csr));
        M->A = M->copy;
    }
done:
    return status;
}

static gsolve_status update(void *self, gsolve_context *ctx, const gsolve_csr *csr)
{
    chebyshev *M = self;
    double bound;
    gsolve_status status;

    TRY(gs_comm_check(M->comm, update_rank(M, ctx, csr)));
    bound = M->comm ? gs_largest_sum_over_ranks(M->A, gs_reciprocals_on_host(&M->inverse))
                    : largest_sum(ctx, csr);
    TRY(gs_comm_largest(M->comm, &bound, 1));
    TRY(estimate(M, ctx, bound > 0 && isfinite(bound) ? bound : 1));
done:
    return status;
}

static gsolve_status build(void **self, gsolve_context *ctx, const gsolve_csr *csr,
                           const void *chosen, void *user)
{
    (void)user;
    return gs_precond_build(self, ctx, csr, chosen, &gs_chebyshev, sizeof(chebyshev));
}

/* A is distributed over ranks: M keeps A, since a product needs all ranks. update does the rest. */
static gsolve_status build_over_ranks(void **self, gsolve_context *ctx, const gsolve_matrix *A,
                                      const void *chosen)
{
    chebyshev *M;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, M, 1);
    *M = (chebyshev){
        .options = *(const chebyshev_options *)chosen, .A = A, .comm = gs_matrix_comm(A)};
    *self = M;
done:
    return status;
}

const gs_precond_extension gs_chebyshev_extension = {.build_over_ranks = build_over_ranks};

/* The iteration from x = 0. Several columns are row-major; the work vectors p and q are like r. z
 * is the direction after the first step, and no direction is stored after the last. *transposed:
 * with A' instead of A, because (p(D^-1 A) D^-1)' = p(D^-1 A') D^-1. */
static gsolve_status iterate(const void *self, gsolve_context *ctx, const void *transposed,
                             gsolve_dense r, gsolve_dense z, const gsolve_dense *work)
{
    const chebyshev *M = self;
    const bool turns = *(const bool *)transposed;
    const gsolve_dense p = work[0], q = work[1];
    const gs_polynomial_kernels *kernels = GS_KERNELS(gs_polynomial, ctx, r.type);
    gs_polynomial_step s = gs_polynomial_first(M->polynomial);
    gs_step_vectors v = {.d = M->inverse.d, .b = r.value, .x = z.value};
    gsolve_status status;

    TRY(gs_comm_defer(M->comm, kernels->step(ctx->queue, r.nrows, r.ncols, s.a, s.c, v)));
    v.Ax = q.value;
    for (int k = 0; k < M->options.degree; k++) {
        v.old = k == 0 ? z.value : p.value;
        v.p = k + 1 < M->options.degree ? p.value : NULL;
        s = gs_polynomial_next(M->polynomial, s);
        status = (turns ? gsolve_matrix_apply_transpose : gsolve_matrix_apply)(M->A, 1, z, 0, q);
        TRY(gs_comm_defer(M->comm, status)); /* the other ranks go on */
        status = kernels->step(ctx->queue, r.nrows, r.ncols, s.a, s.c, v);
        TRY(gs_comm_defer(M->comm, status));
    }
done:
    return status;
}

static gsolve_status apply(void *self, gsolve_context *ctx, gsolve_dense r, gsolve_dense z)
{
    return gs_apply_in_blocks(&((chebyshev *)self)->work, ctx, iterate, self, &(bool){false}, r, z);
}

static gsolve_status apply_transpose(void *self, gsolve_context *ctx, gsolve_dense r,
                                     gsolve_dense z)
{
    return gs_apply_in_blocks(&((chebyshev *)self)->work, ctx, iterate, self, &(bool){true}, r, z);
}

static void describe(const void *self, gsolve_precond_info *info)
{
    const chebyshev *M = self;
    const size_t vector = (size_t)info->n * gs_type_size(info->type);
    gsolve_matrix_info A = GSOLVE_INIT(gsolve_matrix_info);

    gsolve_matrix_describe(M->A, &A);
    info->moved =
        4 * vector + (size_t)M->options.degree * (A.bytes + 7 * vector); /* what iterate moves */
    snprintf(info->note, sizeof info->note, "largest eigenvalue of D^-1 A about %.3g",
             M->polynomial.lambda_max);
}

const gsolve_precond_kind gs_chebyshev = {
    .plugin = {"chebyshev",
               "Chebyshev polynomial of the matrix; applied by matrix-vector products; A symmetric "
               "positive "
               "definite (not checked)",
               options, sizeof(chebyshev_options)},
    .build = build,
    .destroy = destroy,
    .apply = apply,
    .apply_transpose = apply_transpose,
    .update = update,
    .describe = describe,
};

/* --- a matrix of the caller, such as an operator, and its diagonal -----------------------------
 */

/* An operator computes products of columns that are contiguous: one column after the other. */
static gsolve_status apply_columns(const void *self, gsolve_context *ctx, bool transposed,
                                   gsolve_dense r, gsolve_dense z)
{
    const chebyshev *M = self;
    gsolve_status status = GSOLVE_OK;

    for (int32_t c = 0; c < r.ncols && status == GSOLVE_OK; c++) {
        status = iterate(M, ctx, &transposed, gs_column_of(r, c), gs_column_of(z, c), M->work.one);
    }
    return status;
}

static gsolve_status apply_given(void *self, gsolve_context *ctx, gsolve_dense r, gsolve_dense z)
{
    return apply_columns(self, ctx, false, r, z);
}

static gsolve_status apply_given_transpose(void *self, gsolve_context *ctx, gsolve_dense r,
                                           gsolve_dense z)
{
    return apply_columns(self, ctx, true, r, z);
}

static bool is_recordable(const void *self)
{
    return gs_matrix_is_recordable(((const chebyshev *)self)->A);
}

/* The version of M follows its matrix, whose kernels a solver may have recorded with M's. */
static void describe_given(const void *self, gsolve_precond_info *info)
{
    gsolve_matrix_info A = GSOLVE_INIT(gsolve_matrix_info);

    describe(self, info);
    gsolve_matrix_describe(((const chebyshev *)self)->A, &A);
    info->version += A.version - 1 + (uint64_t)A.changes;
}

/* The handle has its self before it has this kind, so there is no build. */
static const gsolve_precond_kind given_kind = {
    .plugin = {"chebyshev", "Chebyshev polynomial of a given matrix", NULL, 0},
    .destroy = destroy,
    .apply = apply_given,
    .apply_transpose = apply_given_transpose,
    .describe = describe_given,
};

static const gs_precond_extension given_extension = {
    .update_call = "gsolve_precond_update_chebyshev",
    .is_recordable = is_recordable,
};

static gsolve_status check_diagonal(gsolve_context *ctx, gsolve_dense diagonal, int32_t n)
{
    if (!diagonal.value) return GSOLVE_OK;
    if (diagonal.layout != GSOLVE_COLUMN_MAJOR)
        return gs_need_columns(ctx, diagonal, "the diagonal");
    if (diagonal.nrows == n && diagonal.ncols == 1 && (unsigned)diagonal.type < GSOLVE_TYPE_COUNT &&
        gs_reachable(ctx, diagonal.location)) {
        return GSOLVE_OK;
    }
    return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT,
                       "the diagonal is %d x %d; it must be one column of %d elements, of type "
                       "GSOLVE_F32 or GSOLVE_F64, on the host or on the device of the context",
                       diagonal.nrows, diagonal.ncols, n);
}

/* Element i of the diagonal, which is on the host; 1 if it has no values. */
static double diagonal_at(gsolve_dense diagonal, int32_t i)
{
    if (!diagonal.value) return 1;
    return diagonal.type == GSOLVE_F32 ? (double)((const float *)diagonal.value)[i]
                                       : ((const double *)diagonal.value)[i];
}

/* M->inverse.d = a new array with the reciprocals of the diagonal, which is on the host. */
static gsolve_status store_reciprocals(chebyshev *M, gsolve_context *ctx, gsolve_type type,
                                       int32_t n, gsolve_dense diagonal)
{
    const double most = gs_largest_value(type);
    const size_t bytes = (size_t)n * gs_type_size(type);
    void *draft;

    for (int32_t i = 0; i < n; i++) {
        const double d = diagonal_at(diagonal, i);
        if (d > 0 && isfinite(d) && 1 / d <= most) continue;
        return gsolve_fail(ctx, GSOLVE_ZERO_PIVOT,
                           "chebyshev divides by the diagonal, but element %lld of it (counted "
                           "from 1) is %g; all must be positive, finite and not too small to "
                           "divide by",
                           (long long)gs_row_number(ctx, i), d);
    }
    M->inverse.d = gsolve_alloc(ctx, GSOLVE_DEVICE, bytes, 1);
    draft = M->inverse.d ? gs_draft(ctx, M->inverse.d, bytes) : NULL;
    if (!draft) return GSOLVE_NO_MEMORY;
    for (int32_t i = 0; i < n; i++) gs_put_value(draft, type, i, 1 / diagonal_at(diagonal, i));
    return gs_draft_put(ctx, M->inverse.d, draft, bytes);
}

/* A new diagonal and a new estimate; after a failure M is unchanged. */
static gsolve_status replace_diagonal(gsolve_precond *P, gsolve_dense diagonal)
{
    chebyshev *M = P->self;
    const chebyshev before = *M;
    gsolve_status status;

    M->inverse.d = NULL;
    P->ctx->first_row = P->first_row;
    status = store_reciprocals(M, P->ctx, P->type, P->n, diagonal);
    P->ctx->first_row = 0;
    TRY(gs_comm_check(M->comm, status));
    TRY(estimate(M, P->ctx, INFINITY));
done:
    gsolve_free(P->ctx, GSOLVE_DEVICE, status == GSOLVE_OK ? before.inverse.d : M->inverse.d);
    if (status != GSOLVE_OK) M->inverse.d = before.inverse.d;
    if (status != GSOLVE_OK) M->polynomial = before.polynomial;
    return status;
}

gsolve_status gsolve_precond_update_chebyshev(gsolve_precond *P, gsolve_dense diagonal)
{
    const double begin = gs_now();
    gs_stage on_host = {0};
    gsolve_status status;

    if (!P) return GSOLVE_BAD_ARGUMENT;
    GS_ENTER(P->ctx);
    if (P->kind != &given_kind) {
        return gsolve_fail(P->ctx, GSOLVE_UNSUPPORTED,
                           "gsolve_precond_update_chebyshev needs a preconditioner of "
                           "gsolve_precond_create_chebyshev, and this one is '%s'",
                           P->spec);
    }
    status = check_diagonal(P->ctx, diagonal, P->n);
    if (status == GSOLVE_OK && diagonal.value) {
        status = gs_stage_in(&on_host, P->ctx, GSOLVE_HOST, diagonal, true);
    }
    TRY(gs_comm_check(((const chebyshev *)P->self)->comm, status));
    TRY(replace_diagonal(P, on_host.used));
    P->setup_seconds = gs_now() - begin;
    P->version++;
done:
    gs_stage_drop(&on_host, P->ctx);
    return status;
}

/* Parses the spec, and checks what does not depend on A. */
static gsolve_status parse(gsolve_context *ctx, const char *spec, void **chosen)
{
    static const gsolve_plugin *const only[] = {&gs_chebyshev.plugin, NULL};
    const gsolve_plugin *plugin;
    gsolve_status status;

    TRY(gs_plugin_parse(ctx, NULL, only, "preconditioner for products and a diagonal", spec,
                        &plugin, chosen));
    if (((const chebyshev_options *)*chosen)->its == 0) {
        status = gsolve_fail(ctx, GSOLVE_BAD_SPEC,
                             "chebyshev: its=0 takes a bound from the rows of A, which are not "
                             "known here; set its to 1 or more");
    }
done:
    return status;
}

/* *out = a preconditioner that has no diagonal yet. */
static gsolve_status create_given(gsolve_precond **out, gsolve_context *ctx, const char *spec,
                                  const gsolve_matrix *A)
{
    gsolve_precond *P = NULL;
    gsolve_matrix_info info = GSOLVE_INIT(gsolve_matrix_info);
    chebyshev *M;
    gsolve_status status;

    gsolve_matrix_describe(A, &info);
    if (info.nrows != info.ncols) {
        return gsolve_fail(ctx, GSOLVE_BAD_MATRIX,
                           "the preconditioner chebyshev needs a square matrix and this one is %d "
                           "x %d",
                           info.nrows, info.ncols);
    }
    const gsolve_csr shape = {.nrows = info.nrows, .ncols = info.ncols, .type = info.type};
    gsolve_row_range rows;
    gsolve_matrix_row_range(A, &rows, NULL, NULL, NULL);
    TRY(gs_precond_new(&P, ctx, spec));
    P->comm = gs_matrix_comm(A);
    P->first_row = rows.first;
    P->kind = &given_kind;
    P->extension = &given_extension;
    P->n = info.nrows;
    P->type = info.type;
    TRY(parse(ctx, spec, &P->options));
    ALLOC(ctx, GSOLVE_HOST, M, 1);
    *M = (chebyshev){.options = *(const chebyshev_options *)P->options, .A = A, .comm = P->comm};
    P->self = M;
    TRY(create_work(M, ctx, &shape));
    *out = P;
    P = NULL;
done:
    gsolve_precond_destroy(&P);
    return status;
}

gsolve_status gsolve_precond_create_chebyshev(gsolve_precond **out, gsolve_context *ctx,
                                              const char *spec, const gsolve_matrix *A,
                                              gsolve_dense diagonal)
{
    const size_t held = ctx ? ctx->bytes : 0;
    gsolve_precond *P = NULL;
    gsolve_status status;

    if (!ctx) return GSOLVE_BAD_ARGUMENT;
    GS_ENTER(ctx);
    if (!out || !spec || !A) {
        status = gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT,
                             "gsolve_precond_create_chebyshev: an argument is NULL");
        return A ? gs_comm_check(gs_matrix_comm(A), status) : status;
    }
    TRY(gs_comm_same(gs_matrix_comm(A), gs_hash(ctx, spec, strlen(spec), 0),
                     "the specs of the preconditioner"));
    TRY(gs_comm_check(gs_matrix_comm(A), create_given(&P, ctx, spec, A)));
    TRY(gsolve_precond_update_chebyshev(P, diagonal));
    P->bytes = ctx->bytes - held;
    *out = P;
    P = NULL;
done:
    gsolve_precond_destroy(&P);
    return status;
}
