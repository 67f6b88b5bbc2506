/* test_ranks_allocations.c: each collective function, while allocations of one rank are denied, see
 * rank_denials.h. */
#include <math.h>
#include <unistd.h>

#include "tests/rank_denials.h"

/* --- the functions ---------------------------------------------------------------------------- */

static gsolve_status set_transport(rank_state *s)
{
    gsolve_context *ctx = NULL;
    gsolve_status status = gsolve_context_create(&ctx, "cpu,threads=1");
    const int64_t left = s->ctx->allocations_left;

    if (status != GSOLVE_OK) return status;
    gsolve_context_limit_allocations(ctx, left);
    status = gsolve_context_set_transport(ctx, &thread_transport, s->self, s->rank, s->ranks);
    s->ctx->allocations_left = ctx->allocations_left;
    if (status != GSOLVE_OK) gsolve_fail(s->ctx, status, "%s", gsolve_error(ctx));
    gsolve_context_destroy(&ctx);
    return status;
}

static gsolve_status create_matrix(rank_state *s)
{
    gsolve_matrix *A = NULL;
    const gsolve_status status = gsolve_matrix_create_dist(&A, s->ctx, "sell", &s->csr);

    gsolve_matrix_destroy(&A);
    return status;
}

/* The rows in another order of the entries, which are sorted. */
static gsolve_status create_unsorted(rank_state *s)
{
    int64_t col[5 * ROWS];
    gsolve_dist_csr csr = s->csr;
    gsolve_matrix *A = NULL;
    gsolve_status status;

    for (int32_t i = 0; i < s->n; i++) {
        for (int64_t k = s->start[i]; k < s->start[i + 1]; k++) {
            col[k] = s->col[s->start[i] + s->start[i + 1] - 1 - k];
        }
    }
    csr.col = col;
    status = gsolve_matrix_create_dist(&A, s->ctx, "csr", &csr);
    if (status == GSOLVE_OK) status = gsolve_matrix_update_dist(A, &csr);
    gsolve_matrix_destroy(&A);
    return status;
}

static gsolve_status update_matrix(rank_state *s)
{
    return gsolve_matrix_update_dist(s->A, &s->csr);
}

static gsolve_status matrix_statistics(rank_state *s)
{
    gsolve_statistics t = GSOLVE_INIT(gsolve_statistics);
    gsolve_status status = gsolve_dist_csr_statistics(s->ctx, &s->csr, &t);

    if (status == GSOLVE_OK) status = gsolve_matrix_update_dist(s->A, &s->csr);
    return status == GSOLVE_OK ? gsolve_matrix_statistics(s->A, &t) : status;
}

static gsolve_status assemble(rank_state *s)
{
    gsolve_dist_csr csr = {0};
    gsolve_status status;

    for (int64_t k = 0; k < s->start[s->n]; k++) { /* rows of another rank */
        s->row[k] = (s->row[k] + ROWS / 2) % ROWS;
    }
    status = gsolve_dist_csr_assemble(&csr, s->ctx, s->csr.rows, s->start[s->n], s->row, s->col,
                                      s->value);
    gsolve_dist_csr_free(&csr, s->ctx);
    return status;
}

/* Products with more columns than before need larger buffers. */
static gsolve_status multiply(rank_state *s)
{
    gsolve_matrix *A = NULL;
    double wy[4], yy[4];
    gsolve_status status = gsolve_matrix_create_dist(&A, s->ctx, "csr", &s->csr);

    if (status == GSOLVE_OK) {
        status = gsolve_matrix_apply(A, 1, columns(s->b, s->n, 2), 0, columns(s->x, s->n, 2));
    }
    if (status == GSOLVE_OK) {
        status =
            gsolve_matrix_apply_transpose(A, 1, columns(s->b, s->n, 3), 0, columns(s->x, s->n, 3));
    }
    if (status == GSOLVE_OK) {
        status = gsolve_matrix_apply_dot(A, columns(s->b, s->n, 4), columns(s->x, s->n, 4),
                                         columns(s->b, s->n, 4), wy, yy);
    }
    gsolve_matrix_destroy(&A);
    return status;
}

static gsolve_status residual(rank_state *s)
{
    gsolve_matrix *A = NULL;
    double norms[4];
    gsolve_status status = gsolve_matrix_create_dist(&A, s->ctx, "csr", &s->csr);

    if (status == GSOLVE_OK) {
        status = gsolve_matrix_residual(A, columns(s->b, s->n, 4), columns(s->x, s->n, 4), norms);
    }
    gsolve_matrix_destroy(&A);
    return status;
}

static gsolve_status create_preconds(rank_state *s)
{
    static const char *const specs[] = {"none", "jacobi", "chebyshev", "block_jacobi,size=2",
                                        "ilu",  "ic",     "isai",      "auto"};
    gsolve_status status = GSOLVE_OK;

    for (size_t k = 0; k < sizeof specs / sizeof *specs && status == GSOLVE_OK; k++) {
        gsolve_precond *M = NULL;
        status = gsolve_precond_create_from(&M, s->ctx, specs[k], s->A);
        gsolve_precond_destroy(&M);
    }
    return status;
}

static gsolve_status update_precond(rank_state *s)
{
    const gsolve_status status = gsolve_matrix_update_dist(s->A, &s->csr);

    return status == GSOLVE_OK ? gsolve_precond_update_from(s->M, s->A) : status;
}

static gsolve_status create_given(rank_state *s)
{
    gsolve_precond *M = NULL;
    const gsolve_status status = gsolve_precond_create_chebyshev(&M, s->ctx, "chebyshev", s->A,
                                                                 gsolve_vector(s->diagonal, s->n));

    gsolve_precond_destroy(&M);
    return status;
}

static gsolve_status update_given(rank_state *s)
{
    return gsolve_precond_update_chebyshev(s->given, gsolve_vector(s->diagonal, s->n));
}

static gsolve_status apply_precond(rank_state *s)
{
    return gsolve_precond_apply(s->given, columns(s->b, s->n, 4), columns(s->x, s->n, 4));
}

static gsolve_status create_solvers(rank_state *s)
{
    static const char *const specs[] = {"auto", "cg", "gmres,restart=4", "refine", "idr", "lsmr"};
    gsolve_status status = GSOLVE_OK;

    for (size_t k = 0; k < sizeof specs / sizeof *specs && status == GSOLVE_OK; k++) {
        gsolve_solver *S = NULL;
        status = gsolve_solver_create(&S, s->ctx, specs[k], s->A, NULL);
        gsolve_solver_destroy(&S);
    }
    return status;
}

/* More columns than before, in two layouts. */
static gsolve_status run(rank_state *s)
{
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    gsolve_solver *S = NULL;
    gsolve_dense b = columns(s->b, s->n, 3), x = columns(s->x, s->n, 3);
    gsolve_status status = gsolve_solver_create(&S, s->ctx, "cg", s->A, s->M);

    if (status == GSOLVE_OK) status = gsolve_solver_run(S, b, x, &result);
    b.layout = x.layout = GSOLVE_ROW_MAJOR;
    b.stride = x.stride = 4;
    b.ncols = x.ncols = 4;
    if (status == GSOLVE_OK) status = gsolve_solver_run(S, b, x, &result);
    gsolve_solver_destroy(&S);
    return status;
}

/* A profile, for which iterations allocate. */
static gsolve_status profile(rank_state *s)
{
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    gsolve_status status = gsolve_solver_profile(s->S, true);

    memset(s->x, 0, sizeof s->x);
    if (status == GSOLVE_OK) {
        status = gsolve_solver_run(s->S, columns(s->b, s->n, 1), columns(s->x, s->n, 1), &result);
    }
    return status;
}

/* Three iterations do not suffice. */
static gsolve_status diagnose(rank_state *s)
{
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    gsolve_diagnosis d = GSOLVE_INIT(gsolve_diagnosis);
    gsolve_status status = gsolve_matrix_update_dist(s->A, &s->csr); /* forgets its statistics */

    memset(s->x, 0, sizeof s->x);
    if (status == GSOLVE_OK) {
        status = gsolve_solver_run(s->S, columns(s->b, s->n, 1), columns(s->x, s->n, 1), &result);
    }
    if (status == GSOLVE_OK) status = gsolve_solver_diagnose(s->S, &d);
    if (status == GSOLVE_OK) gsolve_solver_explain(s->S);
    return status;
}

/* Zero row sums: the constants are the null space, by name or as a vector. */
static gsolve_status null_space(rank_state *s)
{
    double *values = malloc(sizeof s->value), *diagonal;
    gsolve_dist_csr csr = s->csr;
    const gsolve_null_space constants = {.constants = true},
                            vector = {.vectors = gsolve_vector(s->b, s->n)};
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    gsolve_matrix *A = NULL;
    gsolve_solver *S = NULL;
    gsolve_status status;

    for (int32_t i = 0; i < s->n; i++) {
        diagonal = values;
        for (int64_t k = s->start[i]; k < s->start[i + 1]; k++) {
            values[k] = -1;
            if (s->col[k] == s->csr.rows.first + i) diagonal = values + k;
        }
        *diagonal = (double)(s->start[i + 1] - s->start[i] - 1);
        s->b[i] = 2;
    }
    csr.value = values;
    status = gsolve_matrix_create_dist(&A, s->ctx, "csr", &csr);
    if (status == GSOLVE_OK) status = gsolve_matrix_set_null_space(A, &constants, NULL);
    if (status == GSOLVE_OK) status = gsolve_matrix_set_null_space(A, &vector, &constants);
    if (status == GSOLVE_OK) status = gsolve_solver_create(&S, s->ctx, "cg", A, NULL);
    memset(s->x, 0, sizeof s->x);
    if (status == GSOLVE_OK) {
        status = gsolve_solver_run(S, columns(s->b, s->n, 2), columns(s->x, s->n, 2), &result);
    }
    gsolve_solver_destroy(&S);
    gsolve_matrix_destroy(&A);
    free(values);
    return status;
}

static gsolve_status solve(rank_state *s)
{
    gsolve_result result = GSOLVE_INIT(gsolve_result);

    return gsolve_solve_dist(s->ctx, &s->csr, columns(s->b, s->n, 2), columns(s->x, s->n, 2),
                             &result);
}

static gsolve_status run_auto(rank_state *s)
{
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    gsolve_diagnosis d = GSOLVE_INIT(gsolve_diagnosis);
    gsolve_status status;

    memset(s->x, 0, sizeof s->x);
    status = gsolve_auto_run(s->automatic, columns(s->b, s->n, 2), columns(s->x, s->n, 2), &result);
    if (status == GSOLVE_OK) status = gsolve_auto_diagnose(s->automatic, &d);
    if (status == GSOLVE_OK) status = gsolve_auto_check(s->ctx, s->A, "cg", "none", &d);
    return status;
}

static gsolve_status generate(rank_state *s)
{
    gsolve_dist_csr csr = {0};
    gsolve_status status = gsolve_read_matrix_dist(&csr, s->ctx, "gen:poisson2d,n=6", NULL, NULL);

    gsolve_dist_csr_free(&csr, s->ctx);
    if (status == GSOLVE_OK) {
        status = gsolve_read_matrix_dist(&csr, s->ctx, "gen:rmat,scale=5", NULL, NULL);
    }
    gsolve_dist_csr_free(&csr, s->ctx);
    return status;
}

static gsolve_status read_files(rank_state *s)
{
    gsolve_dist_csr csr = {0};
    gsolve_dense v = {0};
    gsolve_status status = gsolve_read_matrix_dist(&csr, s->ctx, s->matrix, NULL, NULL);

    gsolve_dist_csr_free(&csr, s->ctx);
    if (status == GSOLVE_OK) {
        status = gsolve_read_dense_dist(&v, s->ctx, s->vector, s->csr.rows, NULL);
    }
    gsolve_dense_free(&v, s->ctx);
    return status;
}

/* Entries that are mirrored, and duplicates, so that rows move twice. */
static gsolve_status read_symmetric(rank_state *s)
{
    gsolve_dist_csr csr = {0};
    gsolve_dense v = {0};
    gsolve_status status = gsolve_read_matrix_dist(&csr, s->ctx, s->symmetric, NULL, NULL);

    gsolve_dist_csr_free(&csr, s->ctx);
    if (status == GSOLVE_OK) {
        status = gsolve_read_dense_dist(&v, s->ctx, s->symmetric,
                                        gsolve_row_range_even(9, s->rank, s->ranks), NULL);
    }
    gsolve_dense_free(&v, s->ctx);
    return status;
}

static gsolve_status read_cache(rank_state *s)
{
    const gsolve_read_options options = {.cache = true, .cache_read_only = true};
    gsolve_dist_csr csr = {0};
    gsolve_status status = gsolve_read_matrix_dist(&csr, s->ctx, s->matrix, &options, NULL);

    gsolve_dist_csr_free(&csr, s->ctx);
    return status;
}

/* A cache that cannot be written is no error. */
static gsolve_status write_cache(rank_state *s)
{
    const gsolve_read_options options = {.cache = true};
    gsolve_dist_csr csr = {0};
    char cache[80];
    gsolve_status status;

    snprintf(cache, sizeof cache, "%s.gscache", s->symmetric);
    if (s->rank == 0) unlink(cache);
    status = gsolve_read_matrix_dist(&csr, s->ctx, s->symmetric, &options, NULL);
    gsolve_dist_csr_free(&csr, s->ctx);
    return status;
}

static gsolve_status write_file(rank_state *s)
{
    const gsolve_dense v = columns(s->b, s->n, 2);

    return gsolve_write_dense_dist(s->ctx, s->vector, s->csr.rows, &v, NULL);
}

static const function functions[] = {
    {"set_transport", set_transport},
    {"create_matrix", create_matrix},
    {"create_unsorted", create_unsorted},
    {"update_matrix", update_matrix},
    {"statistics", matrix_statistics},
    {"assemble", assemble},
    {"multiply", multiply},
    {"residual", residual},
    {"create_preconds", create_preconds},
    {"update_precond", update_precond},
    {"create_given", create_given},
    {"update_given", update_given},
    {"apply_precond", apply_precond},
    {"create_solvers", create_solvers},
    {"run", run},
    {"null_space", null_space},
    {"profile", profile},
    {"diagnose", diagnose},
    {"solve", solve},
    {"run_auto", run_auto},
    {"generate", generate},
    {"read_files", read_files},
    {"read_symmetric", read_symmetric},
    {"read_cache", read_cache},
    {"write_cache", write_cache},
    {"write_file", write_file},
};

/* --- the test --------------------------------------------------------------------------------- */

static gsolve_status prepare(rank_state *s)
{
    static const char *const methods[] = {"cg,maxit=2", "gmres,maxit=2"};
    static const char *const preconds[] = {"ic", "jacobi"};
    gsolve_context *ctx = s->ctx;
    gsolve_status status = gsolve_matrix_create_dist(&s->A, ctx, "csr", &s->csr);

    if (status == GSOLVE_OK) status = gsolve_precond_create_from(&s->M, ctx, "chebyshev", s->A);
    if (status == GSOLVE_OK) {
        status = gsolve_precond_create_chebyshev(&s->given, ctx, "chebyshev", s->A,
                                                 gsolve_vector(s->diagonal, s->n));
    }
    if (status == GSOLVE_OK) status = gsolve_solver_create(&s->S, ctx, "cg,maxit=3", s->A, NULL);
    if (status == GSOLVE_OK) {
        status = gsolve_auto_create_from(&s->automatic, ctx, "scale=none,order=none", s->A);
    }
    return status == GSOLVE_OK ? gsolve_auto_set_choices(s->automatic, 2, methods, preconds)
                               : status;
}

static void drop(rank_state *s)
{
    gsolve_auto_destroy(&s->automatic);
    gsolve_solver_destroy(&s->S);
    gsolve_precond_destroy(&s->given);
    gsolve_precond_destroy(&s->M);
    gsolve_matrix_destroy(&s->A);
}

static void write_symmetric(const char *path)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    fprintf(file, "%%%%MatrixMarket matrix coordinate real symmetric\n9 9 8\n9 1 1\n9 1 2\n9 1 3\n"
                  "9 1 4\n8 8 5\n2 1 6\n1 1 7\n2 1 8\n");
    assert_int_equal(fclose(file), 0);
}

static void allocations(void **state)
{
    gsolve_context *ctx = open_context(1);
    const gsolve_read_options cached = {.cache = true};
    char matrix[64], cache[80], vector[64], symmetric[64];
    double b[2 * ROWS] = {1, 2, 3};
    const gsolve_dense v = columns(b, ROWS, 2);
    gsolve_csr A;
    (void)state;

    snprintf(matrix, sizeof matrix, "allocations_%d.mtx", (int)getpid());
    snprintf(vector, sizeof vector, "allocations_%d_b.mtx", (int)getpid());
    OK(ctx, gsolve_read_matrix(&A, ctx, "gen:poisson2d,n=9", NULL, NULL));
    OK(ctx, gsolve_write_matrix(ctx, matrix, &A, GSOLVE_GENERAL, NULL));
    OK(ctx, gsolve_write_dense(ctx, vector, &v, NULL));
    OK(ctx, gsolve_read_matrix(&A, ctx, matrix, &cached, NULL));
    snprintf(cache, sizeof cache, "%s.gscache", matrix);
    snprintf(symmetric, sizeof symmetric, "allocations_%d_s.mtx", (int)getpid());
    write_symmetric(symmetric);
    const plan p = {.prepare = prepare,
                    .drop = drop,
                    .matrix = matrix,
                    .vector = vector,
                    .symmetric = symmetric};
    for (size_t f = 0; f < sizeof functions / sizeof *functions; f++) {
        deny_all(&functions[f], &p);
    }
    unlink(matrix);
    unlink(cache);
    snprintf(cache, sizeof cache, "%s.gscache", symmetric);
    unlink(cache);
    unlink(symmetric);
    unlink(vector);
    gsolve_context_destroy(&ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(allocations)};

    need_device();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
