/* test_ranks_formats.c: the format auto over ranks. One rank takes up another form of its rows, or
 * fails to, while the others keep csr: all ranks go on and solve the system. */
#include "tests/common.h"

#include <math.h>

#include "core/try.h"
#include "gsolve_dist.h"
#include "tests/thread_ranks.h"

enum { RANKS = 3, OWN = 21000, ROWS = RANKS * OWN, LONG = 400 };

/* --- a form of the test: rows summed from their ends, so that the bits differ ------------------
 */

typedef struct form {      /* what the format of a rank does */
    gsolve_status refusal; /* of its build */
    int builds, products;
} form;

typedef struct reversed {
    gsolve_csr csr;
    form *form;
} reversed;

static gsolve_status build(void **self, gsolve_context *ctx, const gsolve_csr *csr, int64_t entries,
                           const void *options, void *user)
{
    form *f = user;
    reversed *r;
    gsolve_status status;

    (void)entries, (void)options;
    f->builds++;
    if (f->refusal != GSOLVE_OK) return gsolve_fail(ctx, f->refusal, "there is no such form");
    ALLOC(ctx, GSOLVE_HOST, r, 1);
    *r = (reversed){*csr, f};
    *self = r;
done:
    return status;
}

static void destroy(void *self, gsolve_context *ctx)
{
    gsolve_free(ctx, GSOLVE_HOST, self);
}

static gsolve_status apply(void *self, gsolve_context *ctx, double alpha, gsolve_dense x,
                           double beta, gsolve_dense y)
{
    const reversed *r = self;
    const gsolve_csr *A = &r->csr;
    const double *from = x.value;
    double *to = y.value;

    (void)ctx;
    r->form->products++;
    for (int32_t i = 0; i < A->nrows; i++) {
        volatile double sum = 0;
        for (int64_t k = gs_start(A, i + 1) - 1; k >= gs_start(A, i); k--) {
            sum = sum + gs_value(A, k) * from[A->col[k]];
        }
        to[i] = alpha * sum + (beta == 0 ? 0 : beta * to[i]);
    }
    return GSOLVE_OK;
}

static bool estimate(const gsolve_pattern_sample *sample, gsolve_format_estimate *e, void *user)
{
    (void)sample, (void)user;
    *e = (gsolve_format_estimate){"reversed", 0.5, 4, 1e3};
    return true;
}

static gsolve_format format_of(form *f)
{
    return (gsolve_format){
        .size = sizeof(gsolve_format),
        .plugin = {"reversed", "rows summed from their ends", NULL, 0},
        .user = f,
        .build = build,
        .destroy = destroy,
        .apply = apply,
        .estimate = estimate,
    };
}

/* --- a system: each rank has a row with LONG entries, for which no other format has an estimate -
 */

typedef struct rows {
    int64_t start[OWN + 1], col[4 * OWN + LONG];
    double value[4 * OWN + LONG], b[OWN], x[OWN];
} rows;

static gsolve_dist_csr make_rows(rows *r, int rank)
{
    const int64_t first = (int64_t)rank * OWN;
    int64_t at = 0;

    for (int32_t i = 0; i < OWN; i++) {
        const int64_t row = first + i, middle = first + OWN / 2;
        const int reach = row == middle ? LONG / 2 : 1;
        r->start[i] = at;
        for (int64_t j = row - reach; j <= row + reach; j++) {
            if (j < 0 || j >= ROWS) continue;
            r->col[at] = j;
            r->value[at++] = j == row ? 2.2 : j == row - 1 || j == row + 1 ? -1 : 0.001;
        }
        if (llabs(row - middle) > 1 && llabs(row - middle) <= LONG / 2) { /* it is symmetric */
            r->col[at] = middle;
            r->value[at++] = 0.001;
        }
        r->b[i] = sin((double)row);
        r->x[i] = 0;
    }
    r->start[OWN] = at;
    return (gsolve_dist_csr){.rows = {first, ROWS, OWN},
                             .start = r->start,
                             .col = r->col,
                             .value = r->value,
                             .offset = GSOLVE_O64,
                             .type = GSOLVE_F64};
}

typedef struct scene {
    const char *method;
    gsolve_status refusal;
} scene;

static int solve(gsolve_context *ctx, int rank, int ranks, void *user)
{
    const scene *s = user;
    form f = {.refusal = s->refusal};
    const gsolve_format format = format_of(&f);
    rows *r = malloc(sizeof *r);
    const gsolve_dist_csr csr = make_rows(r, rank);
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    gsolve_matrix_info info = GSOLVE_INIT(gsolve_matrix_info);
    gsolve_matrix *A = NULL;
    gsolve_precond *M = NULL;
    gsolve_solver *S = NULL;
    double norm;
    int failures = 0;

    if (rank == 1) EXPECT_OK(ctx, gsolve_register_format(ctx, &format));
    EXPECT_OK(ctx, gsolve_matrix_create_dist(&A, ctx, "auto", &csr));
    EXPECT_OK(ctx, gsolve_precond_create_from(&M, ctx, "jacobi", A));
    EXPECT_OK(ctx, gsolve_solver_create(&S, ctx, s->method, A, M));
    for (int run = 0; run < 2; run++) {
        memset(r->x, 0, sizeof r->x);
        EXPECT_OK(
            ctx, gsolve_solver_run(S, gsolve_vector(r->b, OWN), gsolve_vector(r->x, OWN), &result));
        EXPECT(result.outcome == GSOLVE_CONVERGED, "%s: %s", s->method,
               gsolve_outcome_text(result.outcome));
    }
    EXPECT_OK(ctx,
              gsolve_matrix_residual(A, gsolve_vector(r->b, OWN), gsolve_vector(r->x, OWN), &norm));
    EXPECT(norm <= 1.01e-8, "%g", norm);
    gsolve_matrix_describe(A, &info);
    const bool switched = rank == 1 && s->refusal == GSOLVE_OK;
    EXPECT(strcmp(info.form, switched ? "reversed" : "csr") == 0, "%s", info.form);
    EXPECT(f.builds == (rank == 1), "%d builds", f.builds);
    EXPECT((f.products > 0) == switched, "%d products", f.products);
    gsolve_solver_destroy(&S);
    gsolve_precond_destroy(&M);
    gsolve_matrix_destroy(&A);
    free(r);
    return failures;
}

static void switches(void **state)
{
    static const char *const methods[] = {"cg", "gmres,restart=30,maxit=20000,stall=0", "bicgstab"};

    (void)state;
    for (int m = 0; m < 3; m++) {
        scene s = {methods[m], GSOLVE_OK};
        assert_int_equal(run_delayed_ranks(RANKS, 4, solve, &s), 0);
        s.refusal = GSOLVE_NO_MEMORY;
        assert_int_equal(run_delayed_ranks(RANKS, 4, solve, &s), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(switches)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
