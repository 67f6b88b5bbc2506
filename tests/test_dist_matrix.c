/* test_dist_matrix.c [FORMAT]: distributed matrices on 1, 2, 3, 5 and 7 ranks, which are threads,
 * against one rank: products in every format, sums, residuals, statistics, updates and errors. */
#include "tests/dist_support.h"

static const char *only; /* a format */

typedef struct work { /* of all ranks of a run */
    const gsolve_csr *A;
    const char *format;
    division division;
} work;

/* --- a reference on one rank ------------------------------------------------------------------ */

/* Row i of alpha A x_c + beta y_c, or of A', computed entry by entry; *size = the sum of
 * magnitudes.
 */
static double expected(const gsolve_csr *A, bool transposed, int64_t i, int c, double alpha,
                       double beta, double *size)
{
    double sum = 0, magnitude = 0;

    for (int32_t r = 0; r < A->nrows; r++) {
        if (!transposed && r != i) continue;
        for (int64_t k = gs_start(A, r); k < gs_start(A, r + 1); k++) {
            if (transposed && A->col[k] != i) continue;
            const double term = gs_value(A, k) * number_of(transposed ? r : A->col[k], c);
            sum += term;
            magnitude += fabs(term);
        }
    }
    *size = fabs(alpha) * magnitude + fabs(beta) + 1;
    return alpha * sum + beta * number_of(i, c + 10);
}

/* Vectors of this rank: element i of column c is number_of(first + i, c + shift). */
static gsolve_dense vectors(gsolve_row_range range, int ncols, gsolve_type type,
                            gsolve_layout layout, int shift)
{
    const int64_t stride = layout == GSOLVE_ROW_MAJOR ? ncols + 1 : range.count + 3;
    gsolve_dense v = {range.count, ncols,       stride, calloc((size_t)(range.count + 4) * 8, 8),
                      type,        GSOLVE_HOST, layout};

    for (int32_t i = 0; i < range.count; i++) {
        for (int c = 0; c < ncols; c++) {
            const int64_t at = layout == GSOLVE_ROW_MAJOR ? i * stride + c : i + c * stride;
            gs_put_value(v.value, type, at, number_of(range.first + i, c + shift));
        }
    }
    return v;
}

static double at(gsolve_dense v, int32_t i, int c)
{
    const int64_t k = v.layout == GSOLVE_ROW_MAJOR ? i * v.stride + c : i + c * v.stride;

    return v.type == GSOLVE_F32 ? (double)((float *)v.value)[k] : ((double *)v.value)[k];
}

/* --- products --------------------------------------------------------------------------------- */

static int check_product(gsolve_context *ctx, gsolve_matrix *A, const work *w, bool transposed,
                         int ncols, gsolve_layout layout, int rank, int ranks)
{
    const double alpha = ncols == 1 ? 1 : -0.5, beta = ncols == 1 ? 0 : 2;
    const double epsilon = w->A->type == GSOLVE_F32 ? 1e-6 : 1e-14;
    gsolve_row_range rows, cols;
    int failures = 0;

    gsolve_matrix_row_range(A, &rows, &cols, NULL, NULL);
    gsolve_dense x = vectors(transposed ? rows : cols, ncols, w->A->type, layout, 0);
    gsolve_dense y = vectors(transposed ? cols : rows, ncols, w->A->type, layout, 10);
    const gsolve_status status = transposed ? gsolve_matrix_apply_transpose(A, alpha, x, beta, y)
                                            : gsolve_matrix_apply(A, alpha, x, beta, y);
    EXPECT(status == GSOLVE_OK, "%s", gsolve_error(ctx));
    for (int32_t i = 0; i < y.nrows && failures == 0; i++) {
        for (int c = 0; c < ncols; c++) {
            double size;
            const int64_t first = transposed ? cols.first : rows.first;
            const double e = expected(w->A, transposed, first + i, c, alpha, beta, &size);
            EXPECT(fabs(at(y, i, c) - e) <= epsilon * size, "%s: %s row %d column %d: %g, not %g",
                   w->format, transposed ? "A'" : "A", i, c, at(y, i, c), e);
        }
    }
    free(x.value);
    free(y.value);
    return failures;
}

/* The sums of a product are those of all ranks. */
static int check_sums(gsolve_context *ctx, gsolve_matrix *A, const work *w, int rank, int ranks)
{
    const double epsilon = w->A->type == GSOLVE_F32 ? 1e-5 : 1e-13;
    double wy[2] = {0}, yy[2] = {0};
    gsolve_row_range rows, cols;
    int failures = 0;

    gsolve_matrix_row_range(A, &rows, &cols, NULL, NULL);
    gsolve_dense x = vectors(cols, 2, w->A->type, GSOLVE_COLUMN_MAJOR, 0);
    gsolve_dense y = vectors(rows, 2, w->A->type, GSOLVE_COLUMN_MAJOR, 10);
    gsolve_dense v = vectors(rows, 2, w->A->type, GSOLVE_COLUMN_MAJOR, 20);
    EXPECT(gsolve_matrix_apply_dot(A, x, y, v, wy, yy) == GSOLVE_OK, "%s", gsolve_error(ctx));
    for (int c = 0; c < 2; c++) {
        double sum = 0, squares = 0, size, all = 1;
        for (int64_t i = 0; i < rows.total; i++) {
            const double e = expected(w->A, false, i, c, 1, 0, &size);
            sum += e * number_of(i, c + 20);
            squares += e * e;
            all += size * size;
        }
        EXPECT(fabs(wy[c] - sum) <= epsilon * all, "%s: w'y %g, not %g", w->format, wy[c], sum);
        EXPECT(fabs(yy[c] - squares) <= epsilon * all, "%s: y'y %g, not %g", w->format, yy[c],
               squares);
    }
    free(x.value);
    free(y.value);
    free(v.value);
    return failures;
}

static piece own_piece(const work *w, int rank, int ranks)
{
    return take_piece(w->A, divide(w->division, w->A->nrows, rank, ranks),
                      divide(w->division, w->A->ncols, rank, ranks));
}

static int multiply(gsolve_context *ctx, int rank, int ranks, void *user)
{
    const work *w = user;
    piece p = own_piece(w, rank, ranks);
    gsolve_matrix *A = NULL;
    const gsolve_status status = gsolve_matrix_create_dist(&A, ctx, w->format, &p.csr);
    int failures = 0;

    EXPECT(status == GSOLVE_OK || status == GSOLVE_UNSUPPORTED, "%s: %s", w->format,
           gsolve_error(ctx));
    for (int t = 0; A && t < 2; t++) {
        failures += check_product(ctx, A, w, t, 1, GSOLVE_COLUMN_MAJOR, rank, ranks);
        failures += check_product(ctx, A, w, t, 3, GSOLVE_COLUMN_MAJOR, rank, ranks);
        failures += check_product(ctx, A, w, t, 2, GSOLVE_ROW_MAJOR, rank, ranks);
    }
    if (A) failures += check_sums(ctx, A, w, rank, ranks);
    gsolve_matrix_destroy(&A);
    drop_piece(&p);
    return failures;
}

static void run_all(const gsolve_csr *A, const char *format, rank_body *body)
{
    for (int d = 0; d < DIVISIONS; d++) {
        for (int k = 0; rank_count(k); k++) {
            work w = {A, format, (division)d};
            if (!is_selected((division)d, rank_count(k))) continue;
            assert_int_equal(run_ranks(rank_count(k), body, &w), 0);
        }
    }
}

/* Vectors that are wrong on the last rank fail on all. */
static int refuse_vectors(gsolve_context *ctx, int rank, int ranks, void *user)
{
    const work *w = user;
    const bool bad = rank == ranks - 1;
    piece p = own_piece(w, rank, ranks);
    gsolve_row_range rows, cols;
    gsolve_matrix *A = NULL;
    double wy[2], yy[2];
    int failures = 0;

    EXPECT_OK(ctx, gsolve_matrix_create_dist(&A, ctx, w->format, &p.csr));
    if (failures) return failures;
    gsolve_matrix_row_range(A, &rows, &cols, NULL, NULL);
    gsolve_dense x = vectors(cols, 2, w->A->type, GSOLVE_COLUMN_MAJOR, 0);
    gsolve_dense y = vectors(rows, 2, w->A->type, GSOLVE_COLUMN_MAJOR, 10);
    for (int k = 0; k < 4; k++) {
        gsolve_dense u = x, v = y;
        if (bad && k == 0) v.nrows++;
        if (bad && k == 1) u.layout = (gsolve_layout)7;
        if (bad && k == 2) u.ncols = -1;
        if (bad && k == 3) u.ncols = v.ncols = 1;
        if (k == 3 && ranks == 1) break;
        EXPECT(gsolve_matrix_apply(A, 1, u, 0, v) == GSOLVE_BAD_ARGUMENT, "%d", k);
        EXPECT(gsolve_matrix_apply_transpose(A, 1, v, 0, u) == GSOLVE_BAD_ARGUMENT, "%d", k);
        EXPECT(gsolve_matrix_apply_dot(A, u, v, v, wy, yy) == GSOLVE_BAD_ARGUMENT, "%d", k);
    }
    EXPECT(gsolve_matrix_apply_dot(A, x, y, y, bad ? NULL : wy, yy) == GSOLVE_BAD_ARGUMENT, "%s",
           gsolve_error(ctx));
    EXPECT_OK(ctx, gsolve_matrix_apply(A, 1, x, 0, y));
    free(x.value);
    free(y.value);
    gsolve_matrix_destroy(&A);
    drop_piece(&p);
    return failures;
}

/* A matrix whose row 3 and column 5 are dense, and which is rectangular if cols differs. */
static gsolve_csr arrow(gsolve_context *ctx, int32_t rows, int32_t cols)
{
    const int64_t most = (int64_t)rows * 4 + rows + cols;
    int32_t *i = malloc((size_t)most * sizeof *i), *j = malloc((size_t)most * sizeof *j);
    double *v = malloc((size_t)most * sizeof *v);
    int64_t count = 0;
    gsolve_csr A;

    for (int32_t r = 0; r < rows; r++) {
        for (int k = 0; k < 4; k++) {
            i[count] = r;
            j[count++] = (int32_t)((r + k * k * 7) % cols);
        }
        i[count] = r;
        j[count++] = 5;
    }
    for (int32_t c = 0; c < cols; c++, count++) i[count] = 3, j[count] = c;
    for (int64_t k = 0; k < count; k++) v[k] = number_of(k, 50);
    OK(ctx, gs_csr_from_triplets(&A, ctx, rows, cols, count, i, j, v));
    free(i);
    free(j);
    free(v);
    return A;
}

static void products(void **state)
{
    gsolve_context *ctx = open_context(1);
    const gsolve_plugin *format;
    gsolve_csr A[4];
    (void)state;

    OK(ctx, gsolve_read_matrix(&A[0], ctx, "gen:poisson2d,nx=7,ny=9", NULL, NULL));
    OK(ctx, gsolve_read_matrix(&A[1], ctx, "gen:elasticity3d,n=3", NULL, NULL));
    A[2] = arrow(ctx, 61, 61);
    A[3] = arrow(ctx, 40, 67);
    for (int f = 0; (format = gsolve_format_at(ctx, f)); f++) {
        if (only && strcmp(only, format->name) != 0) continue;
        for (int m = 0; m < 4; m++) run_all(&A[m], format->name, multiply);
    }
    run_all(&A[0], "csr", refuse_vectors);
    gsolve_context_destroy(&ctx);
}

static void single_precision(void **state)
{
    gsolve_context *ctx = open_context(1);
    gsolve_csr A, B;
    (void)state;

    A = arrow(ctx, 61, 61);
    OK(ctx, gsolve_csr_convert(&B, ctx, GSOLVE_F32, &A));
    run_all(&B, "csr", multiply);
    run_all(&B, "sell", multiply);
    gsolve_context_destroy(&ctx);
}

/* --- residuals and statistics ----------------------------------------------------------------- */

static int inspect(gsolve_context *ctx, int rank, int ranks, void *user)
{
    const work *w = user;
    piece p = own_piece(w, rank, ranks);
    gsolve_statistics all = GSOLVE_INIT(gsolve_statistics), one = GSOLVE_INIT(gsolve_statistics);
    gsolve_matrix_info info = GSOLVE_INIT(gsolve_matrix_info);
    gsolve_matrix *A = NULL, *whole = NULL;
    double ours[2], theirs[2];
    int failures = 0;

    EXPECT(gsolve_matrix_create_dist(&A, ctx, "csr", &p.csr) == GSOLVE_OK, "%s", gsolve_error(ctx));
    EXPECT(gsolve_matrix_create(&whole, ctx, "csr", w->A) == GSOLVE_OK, "%s", gsolve_error(ctx));
    if (failures) return failures;
    gsolve_matrix_describe(A, &info);
    EXPECT(info.total_rows == w->A->nrows && info.total_entries == gs_start(w->A, w->A->nrows),
           "%lld rows", (long long)info.total_rows);
    const gsolve_row_range rows = {0, w->A->nrows, w->A->nrows},
                           cols = {0, w->A->ncols, w->A->ncols};
    gsolve_dense b = vectors(p.csr.rows, 2, GSOLVE_F64, GSOLVE_COLUMN_MAJOR, 1);
    gsolve_dense x = vectors(p.csr.cols, 2, GSOLVE_F64, GSOLVE_COLUMN_MAJOR, 0);
    gsolve_dense bs = vectors(rows, 2, GSOLVE_F64, GSOLVE_COLUMN_MAJOR, 1);
    gsolve_dense xs = vectors(cols, 2, GSOLVE_F64, GSOLVE_COLUMN_MAJOR, 0);
    EXPECT(gsolve_matrix_residual(A, b, x, ours) == GSOLVE_OK, "%s", gsolve_error(ctx));
    EXPECT(gsolve_matrix_residual(whole, bs, xs, theirs) == GSOLVE_OK, "%s", gsolve_error(ctx));
    for (int c = 0; c < 2; c++) {
        EXPECT(fabs(ours[c] - theirs[c]) <= 1e-13 * theirs[c], "residual %g, not %g", ours[c],
               theirs[c]);
    }
    EXPECT(gsolve_matrix_statistics(A, &all) == GSOLVE_OK, "%s", gsolve_error(ctx));
    EXPECT(gsolve_matrix_statistics(whole, &one) == GSOLVE_OK, "%s", gsolve_error(ctx));
#define SAME(member) \
    EXPECT(all.member == one.member, "%g and %g", (double)all.member, (double)one.member)
#define NEAR(member)                                                                           \
    EXPECT(all.member == one.member || fabs(all.member / one.member - 1) < 1e-12, "%g and %g", \
           all.member, one.member)
    SAME(nrows);
    SAME(ncols);
    SAME(entries);
    SAME(symmetric_pattern);
    SAME(symmetric);
    SAME(skew);
    SAME(empty_rows);
    SAME(first_empty_row);
    SAME(empty_cols);
    SAME(zero_diagonals);
    SAME(first_zero_diagonal);
    SAME(negative_diagonals);
    SAME(shortest_row);
    SAME(longest_row);
    SAME(bandwidth);
    SAME(dominant_rows);
    SAME(zero_sum_rows);
    SAME(positive_off);
    for (int k = 0; k < 32; k++) SAME(length[k]);
    NEAR(mean_row);
    NEAR(deviation_row);
    NEAR(dominance);
    NEAR(spread);
    NEAR(mean_dominance);
    NEAR(scaling);
    NEAR(least);
    NEAR(largest);
    gsolve_matrix_destroy(&A);
    gsolve_matrix_destroy(&whole);
    drop_piece(&p);
    free(b.value), free(x.value), free(bs.value), free(xs.value);
    return failures;
}

static void residuals_and_statistics(void **state)
{
    static const char *const names[] = {"gen:poisson2d,nx=7,ny=9", "gen:convdiff3d,n=5",
                                        "gen:emptyrows,n=90", "gen:circuit,n=120"};
    gsolve_context *ctx = open_context(1);
    gsolve_csr A;
    (void)state;

    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        OK(ctx, gsolve_read_matrix(&A, ctx, names[k], NULL, NULL));
        run_all(&A, "csr", inspect);
        gsolve_csr_free(&A, ctx);
    }
    A = arrow(ctx, 40, 67);
    run_all(&A, "csr", inspect);
    gsolve_context_destroy(&ctx);
}

/* --- updates ---------------------------------------------------------------------------------- */

/* Rows in descending order of the columns, with each entry as two halves; then twice the values. */
static int update(gsolve_context *ctx, int rank, int ranks, void *user)
{
    const work *w = user;
    piece p = own_piece(w, rank, ranks);
    const int64_t n = p.start[p.csr.rows.count];
    int64_t *col = malloc((size_t)(2 * n + 1) * sizeof *col);
    double *value = malloc((size_t)(2 * n + 1) * sizeof *value);
    gsolve_matrix *A = NULL;
    gsolve_csr doubled = *w->A;
    int failures = 0;

    for (int32_t i = 0; i < p.csr.rows.count; i++) {
        for (int64_t k = p.start[i]; k < p.start[i + 1]; k++) {
            const int64_t to = 2 * (p.start[i] + p.start[i + 1] - 1 - k);
            col[to] = col[to + 1] = p.col[k];
            value[to] = value[to + 1] = ((const double *)p.csr.value)[k] / 2;
        }
    }
    for (int32_t i = 0; i <= p.csr.rows.count; i++) p.start[i] *= 2;
    p.csr.col = col;
    p.csr.value = value;
    EXPECT(gsolve_matrix_create_dist(&A, ctx, w->format, &p.csr) == GSOLVE_OK, "%s",
           gsolve_error(ctx));
    if (failures) return failures;
    failures += check_product(ctx, A, w, false, 1, GSOLVE_COLUMN_MAJOR, rank, ranks);
    failures += check_product(ctx, A, w, true, 1, GSOLVE_COLUMN_MAJOR, rank, ranks);
    double *twice = malloc((size_t)gs_start(w->A, w->A->nrows) * sizeof *twice);
    for (int64_t k = 0; k < gs_start(w->A, w->A->nrows); k++) twice[k] = 2 * gs_value(w->A, k);
    for (int64_t k = 0; k < 2 * n; k++) value[k] *= 2;
    doubled.value = twice;
    const work next = {&doubled, w->format, w->division};
    EXPECT(gsolve_matrix_update_dist(A, &p.csr) == GSOLVE_OK, "%s", gsolve_error(ctx));
    failures += check_product(ctx, A, &next, false, 1, GSOLVE_COLUMN_MAJOR, rank, ranks);
    failures += check_product(ctx, A, &next, true, 1, GSOLVE_COLUMN_MAJOR, rank, ranks);
    if (n > 0) col[0] = (col[0] + 1) % w->A->ncols; /* another pattern */
    EXPECT(gsolve_matrix_update_dist(A, &p.csr) == GSOLVE_BAD_MATRIX, "%s", gsolve_error(ctx));
    EXPECT(strstr(gsolve_error(ctx), "another pattern"), "%s", gsolve_error(ctx));
    failures += check_product(ctx, A, &next, false, 1, GSOLVE_COLUMN_MAJOR, rank, ranks);
    gsolve_matrix_destroy(&A);
    drop_piece(&p);
    free(col), free(value), free(twice);
    return failures;
}

static void updates(void **state)
{
    gsolve_context *ctx = open_context(1);
    gsolve_csr A = arrow(ctx, 61, 61), B = arrow(ctx, 40, 67);
    (void)state;

    run_all(&A, "csr", update);
    run_all(&A, "sell", update);
    run_all(&B, "bce", update);
    gsolve_context_destroy(&ctx);
}

/* --- errors ----------------------------------------------------------------------------------- */

/* One rank is wrong; all get its status and its sentence. */
static int refuse(gsolve_context *ctx, int rank, int ranks, void *user)
{
    const work *w = user;
    piece p = own_piece(w, rank, ranks);
    const bool bad = rank == ranks - 1;
    gsolve_matrix *A = NULL;
    gsolve_dist_csr csr = p.csr;
    int failures = 0;

    if (bad) p.col[2] = w->A->ncols;
    EXPECT(gsolve_matrix_create_dist(&A, ctx, "csr", &csr) == GSOLVE_BAD_MATRIX, "%s",
           gsolve_error(ctx));
    EXPECT(strstr(gsolve_error(ctx), "columns are from 0 to 60"), "%s", gsolve_error(ctx));
    if (bad) p.col[2] = 0;
    if (bad) csr.rows.first++;
    EXPECT(gsolve_matrix_create_dist(&A, ctx, "csr", &csr) == GSOLVE_BAD_ARGUMENT, "%s",
           gsolve_error(ctx));
    EXPECT(strstr(gsolve_error(ctx), "it must begin at"), "%s", gsolve_error(ctx));
    if (bad) csr = p.csr, csr.start = NULL;
    EXPECT(gsolve_matrix_create_dist(&A, ctx, "csr", &csr) == GSOLVE_BAD_ARGUMENT, "%s",
           gsolve_error(ctx));
    csr = p.csr;
    if (ranks > 1) {
        EXPECT(gsolve_matrix_create_dist(&A, ctx, bad ? "sell" : "csr", &csr) ==
                   GSOLVE_BAD_ARGUMENT,
               "%s", gsolve_error(ctx));
    }
    EXPECT(gsolve_matrix_create_dist(&A, ctx, "nonsense", &csr) == GSOLVE_BAD_SPEC, "%s",
           gsolve_error(ctx));
    EXPECT(!A, "a handle");
    for (int64_t granted = 0; !A && granted < 200; granted++) { /* allocations of the last rank */
        gsolve_context_limit_allocations(ctx, bad ? granted : -1);
        const gsolve_status status = gsolve_matrix_create_dist(&A, ctx, "csr", &csr);
        EXPECT(status == GSOLVE_OK || status == GSOLVE_NO_MEMORY, "%s", gsolve_error(ctx));
    }
    gsolve_context_limit_allocations(ctx, -1);
    EXPECT(A, "never created");
    gsolve_matrix_destroy(&A);
    drop_piece(&p);
    return failures;
}

static void errors(void **state)
{
    gsolve_context *ctx = open_context(1);
    gsolve_csr A = arrow(ctx, 61, 61);
    (void)state;

    for (int k = 0; rank_count(k); k++) {
        work w = {&A, "csr", EVEN};
        assert_int_equal(run_ranks(rank_count(k), refuse, &w), 0);
    }
    gsolve_context_destroy(&ctx);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products),
        cmocka_unit_test(single_precision),
        cmocka_unit_test(residuals_and_statistics),
        cmocka_unit_test(updates),
        cmocka_unit_test(errors),
    };

    begin_ranks(&argc, &argv);
    need_device();
    only = argc > 1 ? argv[1] : NULL;
    return end_ranks(cmocka_run_group_tests(tests, NULL, NULL));
}
