/* test_dist_io.c: where distributed systems come from and go to, on several ranks: generators,
 * files, triplets for rows of other ranks; and gsolve_solve_dist. */
#include <unistd.h>

#include "dist/comm.h"
#include "tests/dist_support.h"

typedef struct source {
    const char *name;
    const gsolve_csr *A;
    char file[64], vector[64];
} source;

static int read_rows(gsolve_context *ctx, int rank, int ranks, void *user)
{
    const source *s = user;
    gsolve_dist_csr csr = {0};
    gsolve_matrix *M = NULL;
    gsolve_source found;
    int failures = 0;

    memset(&found, 'x', sizeof found);
    found.size = sizeof found;
    EXPECT(gsolve_read_matrix_dist(&csr, ctx, s->name, NULL, &found) == GSOLVE_OK, "%s",
           gsolve_error(ctx));
    if (strncmp(s->name, "gen:", 4) == 0) {
        EXPECT(strcmp(found.kind, "generator") == 0, "%.32s", found.kind);
        EXPECT(strcmp(found.field, "real") == 0 && !found.cache[0], "%.16s", found.field);
        EXPECT(found.stored == gs_start(s->A, s->A->nrows), "%lld", (long long)found.stored);
    }
    if (!failures) failures += compare_rows(s->A, &csr, 0, rank, ranks);
    EXPECT(gsolve_matrix_create_dist(&M, ctx, "csr", &csr) == GSOLVE_OK, "%s", gsolve_error(ctx));
    gsolve_matrix_destroy(&M);
    gsolve_dist_csr_free(&csr, ctx);
    EXPECT(gsolve_read_matrix_dist(&csr, ctx, "gen:nonsense", NULL, NULL) == GSOLVE_BAD_SPEC, "%s",
           gsolve_error(ctx));
    EXPECT(gsolve_read_matrix_dist(&csr, ctx, "/nowhere.mtx", NULL, NULL) == GSOLVE_BAD_FILE, "%s",
           gsolve_error(ctx));
    return failures;
}

static void generators(void **state)
{
    const gsolve_plugin *generator;
    gsolve_context *ctx = open_context(1);
    gsolve_csr A;
    (void)state;

    for (int g = 0; (generator = gsolve_generator_at(g)); g++) {
        char name[100];
        snprintf(name, sizeof name, "gen:%s%s", generator->name,
                 strstr(generator->name, "3d")          ? ",n=5"
                 : strcmp(generator->name, "rmat") == 0 ? ",scale=6"
                                                        : "");
        if (gsolve_read_matrix(&A, ctx, name, NULL, NULL) != GSOLVE_OK) {
            snprintf(name, sizeof name, "gen:%s", generator->name);
            OK(ctx, gsolve_read_matrix(&A, ctx, name, NULL, NULL));
        }
        if (A.nrows > 100000) continue;
        source s = {name, &A, "", ""};
        for (int k = 0; rank_count(k); k++) {
            assert_int_equal(run_ranks(rank_count(k), read_rows, &s), 0);
        }
        gsolve_csr_free(&A, ctx);
    }
    gsolve_context_destroy(&ctx);
}

/* Two columns from a file, and back to another file. */
static int move_vectors(gsolve_context *ctx, int rank, int ranks, void *user)
{
    const source *s = user;
    const gsolve_row_range rows = divide(FIRST_EMPTY, s->A->nrows, rank, ranks);
    gsolve_dense v = {0};
    int failures = 0;

    EXPECT(gsolve_read_dense_dist(&v, ctx, s->vector, rows, NULL) == GSOLVE_OK, "%s",
           gsolve_error(ctx));
    if (failures) return failures;
    EXPECT(v.nrows == rows.count && v.ncols == 2, "%d x %d", v.nrows, v.ncols);
    for (int c = 0; c < 2; c++) {
        for (int32_t i = 0; i < v.nrows; i++) {
            const double e = number_of(rows.first + i, c);
            EXPECT(((double *)v.value)[i + c * v.stride] == e, "row %d", i);
        }
    }
    EXPECT(gsolve_write_dense_dist(ctx, s->file, rows, &v, NULL) == GSOLVE_OK, "%s",
           gsolve_error(ctx));
    gsolve_dense_free(&v, ctx);
    EXPECT(gsolve_read_dense_dist(&v, ctx, s->file, rows, NULL) == GSOLVE_OK, "%s",
           gsolve_error(ctx));
    for (int32_t i = 0; i < v.nrows; i++) {
        EXPECT(((double *)v.value)[i + v.stride] == number_of(rows.first + i, 1), "row %d", i);
    }
    gsolve_dense_free(&v, ctx);
    gsolve_row_range more = {rows.first, rows.total + 1, rows.count + (rank == ranks - 1)};
    EXPECT(gsolve_read_dense_dist(&v, ctx, s->file, more, NULL) == GSOLVE_BAD_FILE, "%s",
           gsolve_error(ctx));
    EXPECT(strstr(gsolve_error(ctx), "has 90 rows; the system has 91"), "%s", gsolve_error(ctx));
    more.count = rank == ranks - 1 ? -1 : rows.count;
    EXPECT(gsolve_read_dense_dist(&v, ctx, s->file, more, NULL) == GSOLVE_BAD_ARGUMENT, "%s",
           gsolve_error(ctx));
    EXPECT(gsolve_read_dense_dist(&v, ctx, rank < ranks - 1 ? s->file : s->vector, rows, NULL) ==
               (ranks > 1 ? GSOLVE_BAD_ARGUMENT : GSOLVE_OK),
           "%s", gsolve_error(ctx));
    if (ranks > 1) {
        EXPECT(strstr(gsolve_error(ctx), "the names of the file"), "%s", gsolve_error(ctx));
    }
    gsolve_dense_free(&v, ctx);
    return failures;
}

static void files(void **state)
{
    gsolve_context *ctx = open_context(1);
    source s = {NULL, NULL, "", ""};
    char matrix[64];
    double value[2 * 90];
    gsolve_dense v = {90, 2, 90, value, GSOLVE_F64, GSOLVE_HOST, GSOLVE_COLUMN_MAJOR};
    gsolve_csr A;
    (void)state;

    snprintf(matrix, sizeof matrix, "dist_%d.mtx", (int)getpid());
    snprintf(s.vector, sizeof s.vector, "dist_%d_b.mtx", (int)getpid());
    snprintf(s.file, sizeof s.file, "dist_%d_x.mtx", (int)getpid());
#ifdef GSOLVE_TEST_MPI
    MPI_Bcast(matrix, sizeof matrix, MPI_CHAR, 0, MPI_COMM_WORLD);
    MPI_Bcast(s.vector, sizeof s.vector, MPI_CHAR, 0, MPI_COMM_WORLD);
    MPI_Bcast(s.file, sizeof s.file, MPI_CHAR, 0, MPI_COMM_WORLD);
#endif
    OK(ctx, gsolve_read_matrix(&A, ctx, "gen:circuit,n=90", NULL, NULL));
    for (int k = 0; k < 2 * 90; k++) value[k] = number_of(k % 90, k / 90);
    OK(ctx, gsolve_write_matrix(ctx, matrix, &A, GSOLVE_GENERAL, NULL));
    OK(ctx, gsolve_write_dense(ctx, s.vector, &v, NULL));
    s.A = &A;
    s.name = matrix;
    for (int k = RANKS_ARE_PROCESSES; rank_count(k); k++) {
        assert_int_equal(run_ranks(rank_count(k), read_rows, &s), 0);
        assert_int_equal(run_ranks(rank_count(k), move_vectors, &s), 0);
    }
    unlink(matrix);
    unlink(s.vector);
    unlink(s.file);
    gsolve_context_destroy(&ctx);
}

/* --- triplets --------------------------------------------------------------------------------- */

/* Each rank gives the entries of every `ranks`-th row, in two parts of which one is 1, and skips
 * some; all rows belong to other ranks then. */
static int assemble(gsolve_context *ctx, int rank, int ranks, void *user)
{
    const source *s = user;
    const gsolve_row_range rows = divide(FIRST_EMPTY, s->A->nrows, rank, ranks);
    const size_t most = 2 * (size_t)gs_start(s->A, s->A->nrows) + 1;
    int64_t *i = malloc(most * sizeof *i), *j = malloc(most * sizeof *j), count = 0;
    double *v = malloc(most * sizeof *v);
    gsolve_dist_csr csr = {0};
    int failures = 0;

    i[count] = -1, j[count] = 3, v[count++] = NAN; /* skipped */
    for (int32_t r = s->A->nrows - 1; r >= 0; r--) {
        for (int64_t k = gs_start(s->A, r); r % ranks == rank && k < gs_start(s->A, r + 1); k++) {
            i[count] = r, j[count] = s->A->col[k], v[count++] = gs_value(s->A, k) - 1;
        }
        for (int64_t k = gs_start(s->A, r); (r + 1) % ranks == rank && k < gs_start(s->A, r + 1);
             k++) {
            i[count] = r, j[count] = s->A->col[k], v[count++] = 1;
        }
    }
    EXPECT(gsolve_dist_csr_assemble(&csr, ctx, rows, count, i, j, v) == GSOLVE_OK, "%s",
           gsolve_error(ctx));
    if (!failures) failures += compare_rows(s->A, &csr, 1e-15, rank, ranks);
    gsolve_dist_csr_free(&csr, ctx);
    if (rank == ranks - 1) j[0] = s->A->ncols, i[0] = 0, v[0] = 1;
    EXPECT(gsolve_dist_csr_assemble(&csr, ctx, rows, count, i, j, v) == GSOLVE_BAD_MATRIX, "%s",
           gsolve_error(ctx));
    EXPECT(strstr(gsolve_error(ctx), "triplet 0"), "%s", gsolve_error(ctx));
    free(i), free(j), free(v);
    return failures;
}

static void triplets(void **state)
{
    gsolve_context *ctx = open_context(1);
    gsolve_csr A;
    (void)state;

    OK(ctx, gsolve_read_matrix(&A, ctx, "gen:poisson2d,nx=7,ny=9", NULL, NULL));
    source s = {NULL, &A, "", ""};
    for (int k = 0; rank_count(k); k++) {
        assert_int_equal(run_ranks(rank_count(k), assemble, &s), 0);
    }
    gsolve_context_destroy(&ctx);
}

/* --- one call --------------------------------------------------------------------------------- */

static int solve(gsolve_context *ctx, int rank, int ranks, void *user)
{
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    gsolve_statistics statistics = GSOLVE_INIT(gsolve_statistics);
    gsolve_dist_csr csr = {0};
    int failures = 0;

    EXPECT(gsolve_read_matrix_dist(&csr, ctx, user, NULL, NULL) == GSOLVE_OK, "%s",
           gsolve_error(ctx));
    if (failures) return failures;
    double *b = malloc((size_t)(csr.rows.count + 1) * sizeof *b);
    double *x = calloc((size_t)csr.rows.count + 1, sizeof *x);
    for (int32_t i = 0; i < csr.rows.count; i++) b[i] = number_of(csr.rows.first + i, 0);
    EXPECT(gsolve_dist_csr_statistics(ctx, &csr, &statistics) == GSOLVE_OK, "%s",
           gsolve_error(ctx));
    EXPECT(statistics.nrows == csr.rows.total, "%d rows", statistics.nrows);
    EXPECT(gsolve_solve_dist(ctx, &csr, gsolve_vector(b, csr.rows.count),
                             gsolve_vector(x, csr.rows.count), &result) == GSOLVE_OK,
           "%s", gsolve_error(ctx));
    EXPECT(result.outcome == GSOLVE_CONVERGED && result.relative_residual <= 1e-8, "%g: %s",
           result.relative_residual, (const char *)user);
    gsolve_dist_csr_free(&csr, ctx);
    free(b), free(x);
    return failures;
}

static void one_call(void **state)
{
    static const char *const names[] = {"gen:poisson3d,n=8", "gen:convdiff3d,n=8",
                                        "gen:elasticity3d,n=4", "gen:circuit,n=300",
                                        "gen:random,n=200"};
    (void)state;

    for (size_t m = 0; m < sizeof names / sizeof *names; m++) {
        for (int k = 0; rank_count(k); k++) {
            if (!is_selected(FIRST_EMPTY, rank_count(k))) continue;
            assert_int_equal(run_ranks(rank_count(k), solve, (void *)(uintptr_t)names[m]), 0);
        }
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(generators), cmocka_unit_test(files),
                                       cmocka_unit_test(triplets), cmocka_unit_test(one_call)};

    const struct CMUnitTest on_device[] = {cmocka_unit_test(triplets), cmocka_unit_test(one_call)};

    begin_ranks(&argc, &argv);
    need_device();
    if (test_device_is("cuda")) { /* the others use the host only */
        return end_ranks(cmocka_run_group_tests(on_device, NULL, NULL));
    }
    return end_ranks(cmocka_run_group_tests(tests, NULL, NULL));
}
