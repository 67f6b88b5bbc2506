/* test_dist_products.c: rows of other ranks, the transpose, A B and R A P of distributed matrices
 * on 1, 2, 3, 5 and 7 ranks, which are threads, against one rank, to the last bit. */
#include "dist/fetch_rows.h"
#include "dist/transpose.h"
#include "spgemm/distributed/distributed.h"
#include "spgemm/spgemm.h"
#include "tests/dist_support.h"

typedef struct work { /* of all ranks of a run */
    const gsolve_csr *R, *A, *B;
    const gsolve_csr *expected, *after; /* the result; the result for other values */
    division rows, inner, cols;         /* of A; of its columns; of the columns of the result */
} work;

/* The matrices of the tests and the expected results are on the host. */
static gsolve_context *open_cpu(void)
{
    gsolve_context *ctx = NULL;

    if (gsolve_context_create(&ctx, "cpu,threads=2") != GSOLVE_OK)
        fail_msg("%s", gsolve_error(NULL));
    return ctx;
}

/* --- rows of one rank ------------------------------------------------------------------------- */

static piece take(const gsolve_csr *A, division rows, division cols, int rank, int ranks)
{
    return take_piece(A, divide(rows, A->nrows, rank, ranks), divide(cols, A->ncols, rank, ranks));
}

/* The rows of this rank have the bits of the whole matrix. */
static int check_rows(const gsolve_dist_csr *C, const gsolve_csr *whole, gsolve_row_range rows,
                      gsolve_row_range cols, int rank, int ranks)
{
    piece p = take_piece(whole, rows, cols);
    const int64_t entries = p.start[rows.count];
    int failures = 0;

    EXPECT(C->rows.first == rows.first && C->rows.count == rows.count &&
               C->rows.total == rows.total && C->cols.first == cols.first &&
               C->cols.count == cols.count && C->cols.total == cols.total,
           "rows from %lld, columns from %lld", (long long)C->rows.first, (long long)C->cols.first);
    EXPECT(C->offset == GSOLVE_O64 && C->type == whole->type && C->location == GSOLVE_HOST,
           "type %d", C->type);
    EXPECT(!memcmp(C->start, p.start, ((size_t)rows.count + 1) * sizeof *p.start), "offsets");
    if (failures == 0 && entries > 0) {
        EXPECT(!memcmp(C->col, p.col, (size_t)entries * sizeof *p.col), "columns");
        EXPECT(!memcmp(C->value, p.csr.value, (size_t)entries * gs_type_size(whole->type)),
               "values");
    }
    drop_piece(&p);
    return failures;
}

/* A with other values: changed(v) of its own. The caller frees the values. */
static gsolve_csr changed(const gsolve_csr *A)
{
    const int64_t entries = gs_start(A, A->nrows);
    gsolve_csr B = *A;
    void *value = malloc((size_t)(entries + 1) * sizeof(double));

    for (int64_t k = 0; k < entries; k++) {
        gs_put_value(value, A->type, k, 0.7 * gs_value(A, k) + number_of(k, 3));
    }
    B.value = value;
    return B;
}

static void drop_changed(gsolve_csr *A)
{
    free((void *)(uintptr_t)A->value);
}

/* --- matrices --------------------------------------------------------------------------------- */

/* Rows of 0 to 6 entries with columns near row * ncols / nrows and anywhere; row 3 is dense. */
static gsolve_csr random_matrix(gsolve_context *ctx, int32_t nrows, int32_t ncols, int seed)
{
    const int64_t most = (int64_t)nrows * 6 + ncols;
    int32_t *i = malloc((size_t)most * sizeof *i), *j = malloc((size_t)most * sizeof *j);
    double *v = malloc((size_t)most * sizeof *v);
    int64_t count = 0;
    gsolve_csr A;

    for (int32_t r = 0; r < nrows; r++) {
        const int length = (r * 5 + seed) % 7;
        for (int k = 0; k < length; k++) {
            const int64_t near = (int64_t)r * ncols / nrows + (k % 3);
            const int64_t far = r * 31 + k * 17 + seed;
            i[count] = r;
            j[count++] = (int32_t)((k < 4 ? near : far) % ncols);
        }
    }
    for (int32_t c = 0; c < ncols && nrows > 3; c++) {
        i[count] = 3;
        j[count++] = c;
    }
    for (int64_t k = 0; k < count; k++) v[k] = number_of(k, seed);
    OK(ctx, gs_csr_from_triplets(&A, ctx, nrows, ncols, count, i, j, v));
    free(i);
    free(j);
    free(v);
    return A;
}

static void convert(gsolve_context *ctx, gsolve_csr *A, gsolve_type type)
{
    gsolve_csr B;

    if (A->type == type) return;
    OK(ctx, gsolve_csr_convert(&B, ctx, type, A));
    gsolve_csr_free(A, ctx);
    *A = B;
}

/* --- rows of other ranks ---------------------------------------------------------------------- */

/* Whether rank `rank` fetches a row. */
static bool wants(int64_t row, int rank)
{
    return (row * 7 + rank) % 3 == 0;
}

static int64_t list_rows(const gs_ownership *owner, int rank, int64_t *row)
{
    int64_t count = 0;

    for (int64_t i = 0; i < owner->first[owner->ranks]; i++) {
        if (gs_owner(owner, i) != rank && wants(i, rank)) row[count++] = i;
    }
    return count;
}

static int check_fetched(const gs_row_fetch *F, const gsolve_csr *A, int64_t count,
                         const int64_t *row, int rank, int ranks)
{
    const gs_fetched_rows got = gs_row_fetch_rows(F);
    int failures = 0;

    EXPECT(got.count == count && got.start[0] == 0 && got.type == A->type, "%lld rows",
           (long long)got.count);
    for (int64_t k = 0; k < count; k++) {
        const int64_t from = gs_start(A, (int32_t)row[k]), at = got.start[k];
        const int64_t length = gs_start(A, (int32_t)row[k] + 1) - from;
        const size_t size = gs_type_size(A->type);
        bool same = got.start[k + 1] - at == length;
        for (int64_t e = 0; e < length && same; e++) same = got.col[at + e] == A->col[from + e];
        EXPECT(same, "pattern of row %lld", (long long)row[k]);
        EXPECT(!same || length == 0 ||
                   !memcmp((const char *)got.value + (size_t)at * size,
                           (const char *)A->value + (size_t)from * size, (size_t)length * size),
               "values of row %lld", (long long)row[k]);
    }
    return failures;
}

static int fetch(gsolve_context *ctx, int rank, int ranks, void *user)
{
    const work *w = user;
    piece p = take(w->A, w->rows, w->cols, rank, ranks);
    gsolve_csr other = changed(w->A);
    piece q = take(&other, w->rows, w->cols, rank, ranks);
    int64_t *row = malloc((size_t)(w->A->nrows + 1) * sizeof *row), count;
    gs_ownership owner = {0};
    gs_row_fetch *F = NULL;
    int failures = 0;

    EXPECT_OK(ctx, gs_ownership_new(&owner, ctx, &p.csr.rows, "rows"));
    count = list_rows(&owner, rank, row);
    EXPECT_OK(ctx, gs_row_fetch_new(&F, ctx, &owner, count, row, &p.csr));
    if (F) failures += check_fetched(F, w->A, count, row, rank, ranks);
    if (F) EXPECT_OK(ctx, gs_row_fetch_update(F, ctx, &q.csr));
    if (F) failures += check_fetched(F, &other, count, row, rank, ranks);
    gs_row_fetch_drop(&F, ctx);
    gs_ownership_drop(&owner, ctx);
    drop_piece(&p);
    drop_piece(&q);
    drop_changed(&other);
    free(row);
    return failures;
}

/* --- the transpose ---------------------------------------------------------------------------- */

static int transpose(gsolve_context *ctx, int rank, int ranks, void *user)
{
    const work *w = user;
    piece p = take(w->A, w->rows, w->cols, rank, ranks);
    gsolve_csr other = changed(w->A);
    piece q = take(&other, w->rows, w->cols, rank, ranks);
    const gsolve_row_range rows = p.csr.cols, cols = p.csr.rows;
    gs_dist_transpose *T = NULL;
    gsolve_dist_csr C = {0};
    int failures = 0;

    EXPECT_OK(ctx, gs_dist_transpose_new(&T, ctx, &p.csr));
    if (!T) goto done;
    failures += check_rows(gs_dist_transpose_csr(T), w->expected, rows, cols, rank, ranks);
    EXPECT_OK(ctx, gs_dist_transpose_update(T, ctx, &q.csr));
    failures += check_rows(gs_dist_transpose_csr(T), w->after, rows, cols, rank, ranks);
    EXPECT_OK(ctx, gsolve_dist_csr_transpose(&C, ctx, &p.csr));
    failures += check_rows(&C, w->expected, rows, cols, rank, ranks);
done:
    gs_dist_transpose_drop(&T, ctx);
    gsolve_dist_csr_free(&C, ctx);
    drop_piece(&p);
    drop_piece(&q);
    drop_changed(&other);
    return failures;
}

/* --- A B -------------------------------------------------------------------------------------- */

/* Products work on CPUs only, and are refused elsewhere. */
static int check_status(const gsolve_context *ctx, gsolve_status status, int rank, int ranks)
{
    const bool there = gs_location(ctx) != GSOLVE_HOST;
    int failures = 0;

    EXPECT(status == (there ? GSOLVE_UNSUPPORTED : GSOLVE_OK), "%s", gsolve_error(ctx));
    if (there) EXPECT(strstr(gsolve_error(ctx), "on CPUs only"), "%s", gsolve_error(ctx));
    return failures;
}

/* The rows with their entries in the reverse order, and with offsets of 32 bits. */
static void reverse(piece *p, int32_t *start, char *value)
{
    const size_t size = gs_type_size(p->csr.type);

    for (int32_t i = 0; i < p->csr.rows.count; i++) {
        const int64_t from = p->start[i], to = p->start[i + 1];
        for (int64_t k = from; k < to; k++) {
            memcpy(value + (size_t)k * size,
                   (const char *)p->csr.value + (size_t)(from + to - 1 - k) * size, size);
        }
        for (int64_t a = from, b = to - 1; a < b; a++, b--) {
            const int64_t col = p->col[a];
            p->col[a] = p->col[b];
            p->col[b] = col;
        }
    }
    for (int32_t i = 0; i <= p->csr.rows.count; i++) start[i] = (int32_t)p->start[i];
    p->csr.start = start;
    p->csr.offset = GSOLVE_O32;
    p->csr.value = value;
}

/* The public function, which sorts; A has its entries in the reverse order. */
static int multiply_unsorted(gsolve_context *ctx, const work *w, piece *a, const piece *b, int rank,
                             int ranks)
{
    const int64_t entries = a->start[a->csr.rows.count];
    int32_t *start = malloc(((size_t)a->csr.rows.count + 1) * sizeof *start);
    char *value = malloc((size_t)(entries + 1) * sizeof(double));
    gsolve_dist_csr C = {0};
    int failures = 0;

    reverse(a, start, value);
    EXPECT_OK(ctx, gsolve_dist_csr_multiply(&C, ctx, &a->csr, &b->csr));
    failures += check_rows(&C, w->expected, a->csr.rows, b->csr.cols, rank, ranks);
    gsolve_dist_csr_free(&C, ctx);
    free(start);
    free(value);
    return failures;
}

static int multiply(gsolve_context *ctx, int rank, int ranks, void *user)
{
    const work *w = user;
    gsolve_csr A = changed(w->A), B = changed(w->B);
    piece a = take(w->A, w->rows, w->inner, rank, ranks);
    piece b = take(w->B, w->inner, w->cols, rank, ranks);
    piece c = take(&A, w->rows, w->inner, rank, ranks);
    piece d = take(&B, w->inner, w->cols, rank, ranks);
    gs_dist_product *P = NULL;
    gsolve_status status;
    int failures = 0;

    status = gs_dist_product_new(&P, ctx, &a.csr, &b.csr);
    failures += check_status(ctx, status, rank, ranks);
    if (P) {
        const gsolve_dist_csr *C = gs_dist_product_csr(P);
        failures += check_rows(C, w->expected, a.csr.rows, b.csr.cols, rank, ranks);
        EXPECT_OK(ctx, gs_dist_product_update(P, ctx, &c.csr, &d.csr));
        failures += check_rows(C, w->after, a.csr.rows, b.csr.cols, rank, ranks);
        failures += multiply_unsorted(ctx, w, &a, &b, rank, ranks);
    }
    gs_dist_product_drop(&P, ctx);
    drop_piece(&a);
    drop_piece(&b);
    drop_piece(&c);
    drop_piece(&d);
    drop_changed(&A);
    drop_changed(&B);
    return failures;
}

/* --- R A P ------------------------------------------------------------------------------------ */

static int galerkin(gsolve_context *ctx, int rank, int ranks, void *user)
{
    const work *w = user;
    gsolve_csr R = changed(w->R), A = changed(w->A), B = changed(w->B);
    piece r = take(w->R, w->rows, w->inner, rank, ranks);
    piece a = take(w->A, w->inner, w->inner, rank, ranks);
    piece p = take(w->B, w->inner, w->cols, rank, ranks);
    piece s = take(&R, w->rows, w->inner, rank, ranks);
    piece b = take(&A, w->inner, w->inner, rank, ranks);
    piece q = take(&B, w->inner, w->cols, rank, ranks);
    gs_dist_galerkin *G = NULL;
    gsolve_status status;
    int failures = 0;

    status = gs_dist_galerkin_new(&G, ctx, &r.csr, &a.csr, &p.csr);
    failures += check_status(ctx, status, rank, ranks);
    if (G) {
        const gsolve_dist_csr *C = gs_dist_galerkin_csr(G);
        failures += check_rows(C, w->expected, r.csr.rows, p.csr.cols, rank, ranks);
        EXPECT_OK(ctx, gs_dist_galerkin_update(G, ctx, &s.csr, &b.csr, &q.csr));
        failures += check_rows(C, w->after, r.csr.rows, p.csr.cols, rank, ranks);
    }
    gs_dist_galerkin_drop(&G, ctx);
    drop_piece(&r), drop_piece(&a), drop_piece(&p);
    drop_piece(&s), drop_piece(&b), drop_piece(&q);
    drop_changed(&R), drop_changed(&A), drop_changed(&B);
    return failures;
}

/* --- all divisions ---------------------------------------------------------------------------- */

/* The matrices are divided in three ways; those of `square` in one. */
static void run_all(work *w, bool square, rank_body *body)
{
    for (int d = 0; d < DIVISIONS; d++) {
        w->rows = (division)d;
        w->inner = square ? w->rows : (division)((d + 1) % DIVISIONS);
        w->cols = square ? w->rows : (division)((d + 3) % DIVISIONS);
        for (int k = 0; rank_count(k); k++) {
            if (!is_selected(w->rows, rank_count(k))) continue;
            assert_int_equal(run_ranks(rank_count(k), body, w), 0);
        }
    }
}

static void rows_of_other_ranks(void **state)
{
    gsolve_context *ctx = open_cpu();
    gsolve_csr A = random_matrix(ctx, 41, 67, 2), B = random_matrix(ctx, 2, 9, 4);
    work w = {.A = &A};
    (void)state;

    run_all(&w, false, fetch);
    convert(ctx, &A, GSOLVE_F32);
    run_all(&w, true, fetch);
    w.A = &B;
    run_all(&w, false, fetch);
    gsolve_context_destroy(&ctx);
}

static void check_transpose(gsolve_context *ctx, gsolve_csr *A, bool square)
{
    gsolve_csr T, U, other = changed(A);
    work w = {.A = A, .expected = &T, .after = &U};

    OK(ctx, gs_csr_transpose(&T, ctx, A));
    OK(ctx, gs_csr_transpose(&U, ctx, &other));
    run_all(&w, square, transpose);
    drop_changed(&other);
}

static void transposes(void **state)
{
    gsolve_context *ctx = open_cpu();
    gsolve_csr A = random_matrix(ctx, 41, 67, 2), B = random_matrix(ctx, 61, 61, 3),
               C = random_matrix(ctx, 5, 1, 1);
    (void)state;

    check_transpose(ctx, &A, false);
    check_transpose(ctx, &B, true);
    check_transpose(ctx, &C, false);
    convert(ctx, &A, GSOLVE_F32);
    check_transpose(ctx, &A, false);
    gsolve_context_destroy(&ctx);
}

static void check_product(gsolve_context *ctx, const gsolve_csr *A, const gsolve_csr *B,
                          bool square)
{
    gsolve_csr a = changed(A), b = changed(B), C, D;
    work w = {.A = A, .B = B, .expected = &C, .after = &D};

    OK(ctx, gs_csr_multiply(&C, ctx, "auto", A, B));
    OK(ctx, gs_csr_multiply(&D, ctx, "auto", &a, &b));
    run_all(&w, square, multiply);
    drop_changed(&a);
    drop_changed(&b);
}

static void products(void **state)
{
    gsolve_context *ctx = open_cpu();
    gsolve_csr A = random_matrix(ctx, 41, 67, 2), B = random_matrix(ctx, 67, 30, 5),
               C = random_matrix(ctx, 61, 61, 3);
    (void)state;

    check_product(ctx, &A, &B, false);
    check_product(ctx, &C, &C, true);
    convert(ctx, &A, GSOLVE_F32);
    convert(ctx, &B, GSOLVE_F32);
    check_product(ctx, &A, &B, false);
    gsolve_context_destroy(&ctx);
}

/* gen:poisson2d and gen:elasticity3d: ranks have few neighbours. */
static void products_of_stencils(void **state)
{
    gsolve_context *ctx = open_cpu();
    gsolve_csr A;
    (void)state;

    OK(ctx, gsolve_read_matrix(&A, ctx, "gen:poisson2d,nx=7,ny=13", NULL, NULL));
    check_product(ctx, &A, &A, true);
    gsolve_csr_free(&A, ctx);
    OK(ctx, gsolve_read_matrix(&A, ctx, "gen:elasticity3d,n=3", NULL, NULL));
    check_product(ctx, &A, &A, true);
    gsolve_context_destroy(&ctx);
}

/* R: NULL for P'. */
static void check_galerkin(gsolve_context *ctx, const gsolve_csr *given, const gsolve_csr *A,
                           const gsolve_csr *P)
{
    gsolve_csr R, r, a = changed(A), p = changed(P);
    gs_galerkin G, H;
    work w = {.R = &R, .A = A, .B = P, .expected = &G.RAP.C.csr, .after = &H.RAP.C.csr};

    if (given) {
        R = *given;
    } else {
        OK(ctx, gs_csr_transpose(&R, ctx, P));
    }
    r = changed(&R);
    OK(ctx, gs_galerkin_make(&G, ctx, "auto", &R, A, P, false));
    OK(ctx, gs_galerkin_make(&H, ctx, "auto", &r, &a, &p, false));
    run_all(&w, false, galerkin);
    run_all(&w, true, galerkin);
    gs_galerkin_drop(&G);
    gs_galerkin_drop(&H);
    if (!given) gsolve_csr_free(&R, ctx);
    drop_changed(&r);
    drop_changed(&a);
    drop_changed(&p);
}

/* Rows i to i + 3 have the columns 3 (i / 4) to 3 (i / 4) + 2, as the aggregates of three near-null
 * vectors. */
static gsolve_csr aggregates(gsolve_context *ctx, int32_t nrows)
{
    const int32_t ncols = 3 * ((nrows + 3) / 4);
    int32_t *i = malloc((size_t)nrows * 3 * sizeof *i), *j = malloc((size_t)nrows * 3 * sizeof *j);
    double *v = malloc((size_t)nrows * 3 * sizeof *v);
    gsolve_csr P;

    for (int32_t k = 0; k < 3 * nrows; k++) {
        i[k] = k / 3;
        j[k] = 3 * (i[k] / 4) + k % 3;
        v[k] = number_of(k, 8);
    }
    OK(ctx, gs_csr_from_triplets(&P, ctx, nrows, ncols, (int64_t)nrows * 3, i, j, v));
    free(i);
    free(j);
    free(v);
    return P;
}

static void galerkin_products(void **state)
{
    gsolve_context *ctx = open_cpu();
    gsolve_csr A, B, C = random_matrix(ctx, 67, 67, 1), P, Q, R = random_matrix(ctx, 23, 67, 6);
    (void)state;

    OK(ctx, gsolve_read_matrix(&A, ctx, "gen:elasticity3d,n=3", NULL, NULL));
    OK(ctx, gsolve_read_matrix(&B, ctx, "gen:poisson3d,n=5", NULL, NULL));
    P = aggregates(ctx, A.nrows);
    Q = random_matrix(ctx, B.nrows, 31, 3);
    check_galerkin(ctx, NULL, &A, &P);
    check_galerkin(ctx, NULL, &B, &Q);
    gsolve_csr_free(&Q, ctx);
    Q = random_matrix(ctx, 67, 12, 3);
    check_galerkin(ctx, &R, &C, &Q);
    convert(ctx, &A, GSOLVE_F32);
    convert(ctx, &P, GSOLVE_F32);
    check_galerkin(ctx, NULL, &A, &P);
    gsolve_context_destroy(&ctx);
}

/* --- errors ----------------------------------------------------------------------------------- */

typedef struct denied {      /* what one rank does with few allocations */
    piece r, a, p, reversed; /* reversed: a in the reverse order */
    int32_t *start;          /* its arrays */
    char *value;
    gs_ownership owner;
    int64_t *row, count;
    gs_dist_galerkin *update;
} denied;

typedef gsolve_status denied_call(gsolve_context *ctx, denied *d);

static gsolve_status denied_fetch(gsolve_context *ctx, denied *d)
{
    gs_row_fetch *F = NULL;
    const gsolve_status status = gs_row_fetch_new(&F, ctx, &d->owner, d->count, d->row, &d->a.csr);

    gs_row_fetch_drop(&F, ctx);
    return status;
}

static gsolve_status denied_transpose(gsolve_context *ctx, denied *d)
{
    gsolve_dist_csr C = {0};
    const gsolve_status status = gsolve_dist_csr_transpose(&C, ctx, &d->a.csr);

    gsolve_dist_csr_free(&C, ctx);
    return status;
}

static gsolve_status denied_product(gsolve_context *ctx, denied *d)
{
    gsolve_dist_csr C = {0};
    const gsolve_status status = gsolve_dist_csr_multiply(&C, ctx, &d->reversed.csr, &d->p.csr);

    gsolve_dist_csr_free(&C, ctx);
    return status;
}

static gsolve_status denied_galerkin(gsolve_context *ctx, denied *d)
{
    gs_dist_galerkin *G = NULL;
    const gsolve_status status = gs_dist_galerkin_new(&G, ctx, &d->r.csr, &d->a.csr, &d->p.csr);

    gs_dist_galerkin_drop(&G, ctx);
    return status;
}

static gsolve_status denied_update(gsolve_context *ctx, denied *d)
{
    return gs_dist_galerkin_update(d->update, ctx, &d->r.csr, &d->a.csr, &d->p.csr);
}

/* One rank gets 0, 1, 2, ... allocations, until the call succeeds. All ranks fail with it. */
static int deny(gsolve_context *ctx, denied_call *call, denied *d, int bad, int rank, int ranks)
{
    gsolve_status status = GSOLVE_NO_MEMORY;
    int64_t granted = 0;
    char begin[20] = "";
    int failures = 0;

    if (ranks > 1) snprintf(begin, sizeof begin, "rank %d: ", bad);
    for (; status == GSOLVE_NO_MEMORY && granted < 300; granted++) {
        gsolve_context_limit_allocations(ctx, rank == bad ? granted : -1);
        status = call(ctx, d);
        if (status != GSOLVE_OK) {
            EXPECT(status == GSOLVE_NO_MEMORY && strstr(gsolve_error(ctx), begin), "%d: %s", status,
                   gsolve_error(ctx));
        }
    }
    gsolve_context_limit_allocations(ctx, -1);
    EXPECT(status == GSOLVE_OK && granted > 3, "after %lld allocations", (long long)granted);
    return failures;
}

static int deny_all(gsolve_context *ctx, int rank, int ranks, void *user)
{
    static denied_call *const calls[] = {denied_fetch, denied_transpose, denied_product,
                                         denied_galerkin, denied_update};
    const work *w = user;
    denied d = {.r = take(w->R, w->rows, w->rows, rank, ranks),
                .a = take(w->A, w->rows, w->rows, rank, ranks),
                .p = take(w->B, w->rows, w->rows, rank, ranks),
                .reversed = take(w->A, w->rows, w->rows, rank, ranks),
                .start = malloc(((size_t)w->A->nrows + 1) * sizeof(int32_t)),
                .value = malloc((size_t)gs_start(w->A, w->A->nrows) * sizeof(double)),
                .row = malloc((size_t)w->A->nrows * sizeof(int64_t))};
    int failures = 0;

    reverse(&d.reversed, d.start, d.value);
    EXPECT_OK(ctx, gs_ownership_new(&d.owner, ctx, &d.a.csr.rows, "rows"));
    d.count = list_rows(&d.owner, rank, d.row);
    if (gs_location(ctx) == GSOLVE_HOST) {
        EXPECT_OK(ctx, gs_dist_galerkin_new(&d.update, ctx, &d.r.csr, &d.a.csr, &d.p.csr));
    }
    for (int k = 0; k < (d.update ? 5 : 2); k++) {
        failures += deny(ctx, calls[k], &d, ranks - 1, rank, ranks);
        failures += deny(ctx, calls[k], &d, ranks / 2, rank, ranks);
    }
    gs_dist_galerkin_drop(&d.update, ctx);
    gs_ownership_drop(&d.owner, ctx);
    drop_piece(&d.r), drop_piece(&d.a), drop_piece(&d.p), drop_piece(&d.reversed);
    free(d.row), free(d.start), free(d.value);
    return failures;
}

static void denied_allocations(void **state)
{
    gsolve_context *ctx = open_cpu();
    gsolve_csr R = random_matrix(ctx, 23, 67, 6), A = random_matrix(ctx, 67, 67, 1),
               P = random_matrix(ctx, 67, 30, 3);
    (void)state;

    for (int k = 0; rank_count(k); k++) {
        work w = {.R = &R, .A = &A, .B = &P, .rows = EVEN};
        assert_int_equal(run_ranks(rank_count(k), deny_all, &w), 0);
    }
    gsolve_context_destroy(&ctx);
}

/* All ranks refuse A B with this status and a sentence with these words. */
#define REFUSED(code, words, A, B)                                                          \
    do {                                                                                    \
        const gsolve_status status_ = gsolve_dist_csr_multiply(&C, ctx, A, B);              \
        EXPECT(status_ == (code) && strstr(gsolve_error(ctx), words) && !C.start, "%d: %s", \
               status_, gsolve_error(ctx));                                                 \
    } while (0)

/* One rank is wrong, or all are; all get the same status and sentence. */
static int refuse(gsolve_context *ctx, int rank, int ranks, void *user)
{
    const work *w = user;
    piece a = take(w->A, EVEN, EVEN, rank, ranks), b = take(w->B, EVEN, EVEN, rank, ranks);
    const bool bad = rank == ranks - 1;
    gsolve_dist_csr C = {0}, other = b.csr;
    int failures = 0;

    if (gs_location(ctx) != GSOLVE_HOST) goto done; /* the products above are refused there */
    REFUSED(GSOLVE_BAD_MATRIX, "has 30 columns and the second 67 rows", &b.csr, &a.csr);
    REFUSED(GSOLVE_BAD_ARGUMENT, "A: ", bad ? NULL : &a.csr, &b.csr);
    if (bad) other.location = GSOLVE_DEVICE;
    REFUSED(GSOLVE_UNSUPPORTED, "must be on the host", &a.csr, &other);
    other = b.csr;
    if (bad) b.col[1] = -1;
    REFUSED(GSOLVE_BAD_MATRIX, "B: row ", &a.csr, &b.csr);
    if (bad) b.col[1] = 0;
    if (bad) other.rows.first++;
    REFUSED(GSOLVE_BAD_ARGUMENT, "it must begin at", &a.csr, &other);
    other = b.csr;
    other.type = GSOLVE_F32; /* its values are read as such; the first half of the bytes is there */
    other.value = w->expected->value;
    REFUSED(GSOLVE_BAD_ARGUMENT, "single and the other double", &a.csr, &other);
    if (ranks > 1) {
        other.type = bad ? GSOLVE_F32 : GSOLVE_F64;
        other.value = bad ? w->expected->value : b.csr.value;
        REFUSED(GSOLVE_BAD_ARGUMENT, "value type", &a.csr, &other);
        piece c = take(w->B, LAST_ALL, EVEN, rank, ranks);
        REFUSED(GSOLVE_BAD_ARGUMENT, "divide them in the same way", &a.csr, &c.csr);
        drop_piece(&c);
    }
    EXPECT(gsolve_dist_csr_multiply(bad ? NULL : &C, ctx, &a.csr, &b.csr) == GSOLVE_BAD_ARGUMENT,
           "%s", gsolve_error(ctx));
    EXPECT(gsolve_dist_csr_transpose(bad ? NULL : &C, ctx, &a.csr) == GSOLVE_BAD_ARGUMENT, "%s",
           gsolve_error(ctx));
    EXPECT(gsolve_dist_csr_transpose(&C, ctx, bad ? NULL : &a.csr) == GSOLVE_BAD_ARGUMENT, "%s",
           gsolve_error(ctx));
done:
    drop_piece(&a);
    drop_piece(&b);
    return failures;
}

static void errors(void **state)
{
    gsolve_context *ctx = open_cpu();
    gsolve_csr A = random_matrix(ctx, 67, 67, 1), B = random_matrix(ctx, 67, 30, 3), single;
    (void)state;

    OK(ctx, gsolve_csr_convert(&single, ctx, GSOLVE_F32, &B));
    for (int k = 0; rank_count(k); k++) {
        work w = {.A = &A, .B = &B, .expected = &single};
        assert_int_equal(run_ranks(rank_count(k), refuse, &w), 0);
    }
    gsolve_context_destroy(&ctx);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_other_ranks),
        cmocka_unit_test(transposes),
        cmocka_unit_test(products),
        cmocka_unit_test(products_of_stencils),
        cmocka_unit_test(galerkin_products),
        cmocka_unit_test(denied_allocations),
        cmocka_unit_test(errors),
    };

    begin_ranks(&argc, &argv);
    need_device();
    return end_ranks(cmocka_run_group_tests(tests, NULL, NULL));
}
