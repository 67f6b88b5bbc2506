/* test_save.c [PART PARTS]: preconditioners and factors in files: what is loaded has the bits of
 * what was saved, also after updates; a file for another matrix, or with changed bytes, is refused
 * with a sentence and never read beyond its arrays. */
#include <fcntl.h>
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/parts.h"

#include "matrix/setup_file.h"
#include "solver/methods/direct.h"

enum { COLUMNS = 3 };

/* --- the file --------------------------------------------------------------------------------- */

static char folder[256], path[300];

static void make_folder(void)
{
    const char *tmp = getenv("TMPDIR");

    snprintf(folder, sizeof folder, "%.200s/gsolve-save-XXXXXX", tmp ? tmp : "/tmp");
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/levels", folder);
}

static void remove_folder(void)
{
    unlink(path);
    if (rmdir(folder) != 0) fail_msg("%s is not empty", folder);
}

typedef struct bytes {
    char *at;
    size_t size;
} bytes;

static bytes read_file(void)
{
    FILE *file = fopen(path, "rb");
    bytes b = {NULL, 0};
    struct stat about;

    assert_non_null(file);
    assert_int_equal(fstat(fileno(file), &about), 0);
    b.size = (size_t)about.st_size;
    b.at = malloc(b.size + 1);
    assert_int_equal(fread(b.at, 1, b.size, file), b.size);
    fclose(file);
    return b;
}

static void write_file(const char *at, size_t size)
{
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(at, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* --- matrices --------------------------------------------------------------------------------- */

static double *value_of(const gsolve_csr *csr)
{
    return (double *)(uintptr_t)csr->value;
}

/* Scales row and column i by d_i, from 1 to 1.3, so that a symmetric matrix stays symmetric. */
static void change_values(const gsolve_csr *csr, uint64_t seed)
{
    for (int32_t i = 0; i < csr->nrows; i++) {
        for (int64_t k = gs_start(csr, i); k < gs_start(csr, i + 1); k++) {
            const double di = 1.15 + 0.15 * gsolve_random(seed, (uint64_t)i);
            const double dj = 1.15 + 0.15 * gsolve_random(seed, (uint64_t)csr->col[k]);
            value_of(csr)[k] *= di * dj;
        }
    }
}

/* The generated matrix with values of this type. */
static gsolve_csr typed_matrix(gsolve_context *ctx, const char *name, gsolve_type type)
{
    gsolve_csr wide = read_matrix(ctx, name), csr;

    if (type == GSOLVE_F64) return wide;
    OK(ctx, gsolve_csr_convert(&csr, ctx, type, &wide));
    gsolve_csr_free(&wide, ctx);
    return csr;
}

/* --- applications ----------------------------------------------------------------------------- */

typedef struct results {
    size_t bytes; /* of each array */
    void *z, *transposed;
    double dots[COLUMNS];
} results;

static gsolve_dense vectors_of(void *value, int32_t n, gsolve_type type)
{
    const gsolve_dense v = {n, COLUMNS, n, value, type, GSOLVE_HOST, GSOLVE_COLUMN_MAJOR};
    return v;
}

/* Applications to one column and to several. */
static results apply_all(gsolve_context *ctx, const gsolve_precond *M, int32_t n, gsolve_type type)
{
    const size_t size = gs_type_size(type);
    results r = {.bytes = COLUMNS * (size_t)n * size};
    void *b = malloc(r.bytes + 1);
    gsolve_status status;

    r.z = calloc(1, r.bytes + 1);
    r.transposed = calloc(1, r.bytes + 1);
    for (int64_t i = 0; i < (int64_t)COLUMNS * n; i++) {
        const double v = gsolve_random(5, (uint64_t)i);
        if (type == GSOLVE_F32) ((float *)b)[i] = (float)v;
        if (type == GSOLVE_F64) ((double *)b)[i] = v;
    }
    const gsolve_dense R = vectors_of(b, n, type), Z = vectors_of(r.z, n, type);
    OK(ctx, gsolve_precond_apply(M, R, Z));
    OK(ctx, gsolve_precond_apply_dot(M, gs_column_of(R, 0), gs_column_of(Z, 0), r.dots));
    status = gsolve_precond_apply_transpose(M, R, vectors_of(r.transposed, n, type));
    if (status != GSOLVE_UNSUPPORTED) assert_int_equal(status, GSOLVE_OK);
    free(b);
    return r;
}

static void free_results(results *r)
{
    free(r->z), free(r->transposed);
}

/* Elements of this many bytes that differ. */
static size_t differences(const void *a, const void *b, size_t end, size_t size)
{
    const char *x = a, *y = b;
    size_t count = 0;

    for (size_t at = 0; at < end; at += size) count += memcmp(x + at, y + at, size) != 0;
    return count;
}

/* stage: what has been done to L since M was saved. */
static void same_bits(gsolve_context *ctx, const gsolve_precond *M, const gsolve_precond *L,
                      const char *what, const char *stage)
{
    gsolve_precond_info info = GSOLVE_INIT(gsolve_precond_info);

    gsolve_precond_describe(M, &info);
    const size_t size = gs_type_size(info.type), n = (size_t)info.n;
    results a = apply_all(ctx, M, info.n, info.type), b = apply_all(ctx, L, info.n, info.type);
    const size_t z = differences(a.z, b.z, a.bytes, size);
    const size_t transposed = differences(a.transposed, b.transposed, a.bytes, size);
    const size_t dots = differences(a.dots, b.dots, sizeof a.dots, sizeof *a.dots);
    if (z || transposed || dots) {
        fail_msg("%s, %s: the loaded preconditioner has other bits: %zu of %zu elements of z, %zu "
                 "of the transposed z, %zu of %d dots",
                 what, stage, z, COLUMNS * n, transposed, dots, COLUMNS);
    }
    free_results(&a), free_results(&b);
}

static void same_description(const gsolve_precond *M, const gsolve_precond *L)
{
    gsolve_precond_info a = GSOLVE_INIT(gsolve_precond_info), b = a;
    gsolve_level_info x = GSOLVE_INIT(gsolve_level_info), y = x;
    int k = 0;

    gsolve_precond_describe(M, &a);
    gsolve_precond_describe(L, &b);
    assert_string_equal(a.kind, b.kind);
    assert_string_equal(a.spec, b.spec);
    assert_string_equal(a.note, b.note);
    assert_int_equal(a.n, b.n);
    assert_int_equal(a.type, b.type);
    assert_true(a.moved == b.moved);
    assert_true(b.bytes > 0);
    for (; gsolve_precond_level(M, k, &x); k++) {
        assert_true(gsolve_precond_level(L, k, &y));
        assert_int_equal(x.rows, y.rows);
        assert_true(x.entries == y.entries);
        assert_string_equal(x.form, y.form);
        assert_int_equal(x.type, y.type);
    }
    assert_false(gsolve_precond_level(L, k, &y));
}

/* --- the same bits ---------------------------------------------------------------------------- */

/* M as it is, in a file, and read again. */
static gsolve_precond *reload(gsolve_context *ctx, const gsolve_precond *M, const char *spec,
                              const gsolve_matrix *A)
{
    gsolve_precond *L = NULL;

    OK(ctx, gsolve_precond_save(M, path));
    OK(ctx, gsolve_precond_load(&L, ctx, spec, A, path));
    return L;
}

/* Updates A and both preconditioners. */
static void update_both(gsolve_context *ctx, gsolve_matrix *A, gsolve_precond *M, gsolve_precond *L,
                        const gsolve_csr *csr)
{
    OK(ctx, gsolve_matrix_update(A, csr));
    OK(ctx, gsolve_precond_update_from(M, A));
    OK(ctx, gsolve_precond_update_from(L, A));
}

static void round_trip(gsolve_context *ctx, const char *matrix, const char *spec, gsolve_type type)
{
    gsolve_csr wide = read_matrix(ctx, matrix), csr = typed_matrix(ctx, matrix, type);
    gsolve_matrix *A = NULL;
    gsolve_precond *M = NULL, *L, *again;
    char what[300];

    snprintf(what, sizeof what, "%s %s %s", matrix, spec, type == GSOLVE_F32 ? "f32" : "f64");
    OK(ctx, gsolve_matrix_create(&A, ctx, "auto", &csr));
    if (gsolve_precond_create_from(&M, ctx, spec, A) != GSOLVE_OK) {
        fail_msg("%s: %s", what, gsolve_error(ctx));
    }
    L = reload(ctx, M, spec, A);
    same_description(M, L);
    same_bits(ctx, M, L, what, "loaded");
    for (uint64_t k = 0; k < 2; k++) {
        char stage[40];
        gsolve_csr new;
        change_values(&wide, k);
        OK(ctx, gsolve_csr_convert(&new, ctx, type, &wide));
        update_both(ctx, A, M, L, &new);
        snprintf(stage, sizeof stage, "after update %d", (int)k);
        same_bits(ctx, M, L, what, stage);
        again = reload(ctx, L, spec, A); /* of levels that were loaded and updated */
        snprintf(stage, sizeof stage, "reloaded after update %d", (int)k);
        same_bits(ctx, M, again, what, stage);
        gsolve_precond_destroy(&again);
        gsolve_csr_free(&new, ctx);
    }
    gsolve_precond_destroy(&L);
    gsolve_precond_destroy(&M);
    gsolve_matrix_destroy(&A);
    gsolve_csr_free(&csr, ctx);
    gsolve_csr_free(&wide, ctx);
}

static const char *const specs[] = {
    "amg",
    "amg,coarsest=50",
    "amg,coarsest=50,smoother=l1_jacobi",
    "amg,coarsest=50,smoother=spai0",
    "amg,coarsest=50,smoother=gs",
    "amg,coarsest=50,smoother=ilu",
    "amg,coarsest=50,its=5,cycle=w",
    "amg,coarsest=50,coarsening=ua,cycle=k",
    "amg,coarsest=50,damping=0,cycle=v",
    "amg,coarsest=50,aggregation=mis2,format=sell",
    "amg,coarsest=50,complexity=1.05",
    "amg,coarsest=50,reuse=rebuild",
    "amg,coarsest=50,levels=2,pre=2",
    "amg,coarsest=50,coarsening=classical",
    "amg,coarsest=50,coarsening=classical,aggressive=1,format=csr",
    "amg,coarsest=50,coarsening=classical,interpolation=one_point",
    "amg,coarsest=50,coarsening=classical,complexity=1.05",
};
enum { SPECS = sizeof specs / sizeof *specs };

static const char *const matrices[] = {"gen:poisson3d,n=9", "gen:elasticity3d,n=5",
                                       "gen:convdiff3d,n=9", "gen:neumann2d,n=21",
                                       "gen:jump3d,n=8"};
enum { MATRICES = sizeof matrices / sizeof *matrices };

static void all_options(void **state)
{
    gsolve_context *ctx = open_context(2);
    (void)state;

    for (int m = 0; m < MATRICES; m++) {
        for (int k = 0; k < SPECS; k++) {
            if (!is_mine()) continue;
            round_trip(ctx, matrices[m], specs[k], GSOLVE_F64);
            if ((m + k) % 3 == 0) round_trip(ctx, matrices[m], specs[k], GSOLVE_F32);
        }
    }
    close_context(ctx);
}

/* Large enough that the levels are in single precision and in slices. */
static void levels_in_single_precision(void **state)
{
    gsolve_context *ctx = open_context(2);
    (void)state;

    round_trip(ctx, "gen:poisson3d,n=30", "amg", GSOLVE_F64);
    round_trip(ctx, "gen:elasticity3d,n=11", "amg,type=f32", GSOLVE_F64);
    round_trip(ctx, "gen:tridiagonal,n=1", "amg", GSOLVE_F64);
    round_trip(ctx, "gen:tridiagonal,n=0", "amg", GSOLVE_F64);
    close_context(ctx);
}

/* --- near-null vectors and null spaces ---------------------------------------------------------
 */

static void near_null_vectors(void **state)
{
    gsolve_context *ctx = open_context(2);
    gsolve_csr csr = read_matrix(ctx, "gen:elasticity3d,n=6");
    const int32_t n = csr.nrows;
    double *B = random_vector((int64_t)2 * n, 8);
    const gsolve_dense two = {n, 2, n, B, GSOLVE_F64, GSOLVE_HOST, GSOLVE_COLUMN_MAJOR};
    const gsolve_dense xyz = {n / 3, 3, n / 3, B, GSOLVE_F64, GSOLVE_HOST, GSOLVE_COLUMN_MAJOR};
    const char *spec = "amg,coarsest=50,near_null=given";
    gsolve_matrix *A = NULL;
    gsolve_precond *M = NULL, *L;
    (void)state;

    OK(ctx, gsolve_matrix_create(&A, ctx, "csr", &csr));
    OK(ctx, gsolve_precond_create_from(&M, ctx, spec, A));
    unlink(path);
    assert_int_equal(gsolve_precond_save(M, path), GSOLVE_BAD_ARGUMENT);
    assert_non_null(strstr(gsolve_error(ctx), "gsolve_precond_set_near_null"));
    assert_int_equal(access(path, F_OK), -1);
    OK(ctx, gsolve_precond_set_coordinates(M, xyz));
    L = reload(ctx, M, spec, A);
    same_bits(ctx, M, L, "coordinates", "loaded");
    OK(ctx, gsolve_precond_set_near_null(M, two));
    OK(ctx, gsolve_precond_set_near_null(L, two));
    same_bits(ctx, M, L, "near-null vectors", "set after loading");
    gsolve_precond_destroy(&L);
    L = reload(ctx, M, NULL, A);
    same_bits(ctx, M, L, "near-null vectors", "loaded");
    gsolve_precond_destroy(&L);
    gsolve_precond_destroy(&M);
    gsolve_matrix_destroy(&A);
    gsolve_csr_free(&csr, ctx);
    free(B);
    close_context(ctx);
}

/* The matrix of blocks sets the unknowns of a node, and its null space the coarsest level. */
static void null_space(void **state)
{
    gsolve_context *ctx = open_context(2);
    gsolve_csr csr = read_matrix(ctx, "gen:neumann2d,n=20");
    const gsolve_null_space constants = {.constants = true};
    gsolve_matrix *A = NULL, *plain = NULL;
    gsolve_precond *M = NULL, *L, *other = NULL, *created = NULL;
    (void)state;

    OK(ctx, gsolve_matrix_create(&plain, ctx, "csr", &csr));
    OK(ctx, gsolve_matrix_create(&A, ctx, "csr", &csr));
    OK(ctx, gsolve_matrix_set_null_space(A, &constants, NULL));
    OK(ctx, gsolve_precond_create_from(&M, ctx, "amg,coarsest=50", A));
    OK(ctx, gsolve_precond_create_from(&created, ctx, "amg,coarsest=50", plain));
    L = reload(ctx, M, "auto", A);
    same_bits(ctx, M, L, "null space", "loaded");
    OK(ctx, gsolve_precond_load(&other, ctx, NULL, plain, path));
    same_bits(ctx, created, other, "null space of the other matrix", "loaded");
    gsolve_precond_destroy(&created);
    gsolve_precond_destroy(&other);
    gsolve_precond_destroy(&L);
    gsolve_precond_destroy(&M);
    gsolve_matrix_destroy(&plain);
    gsolve_matrix_destroy(&A);
    gsolve_csr_free(&csr, ctx);
    close_context(ctx);
}

/* --- another device --------------------------------------------------------------------------- */

/* |a - b| <= most |a| */
static void are_close(const results *a, const results *b, double most)
{
    const double *x = a->z, *y = b->z;
    double square = 0, difference = 0;

    for (size_t i = 0; i < a->bytes / sizeof *x; i++) {
        square += x[i] * x[i];
        difference += (x[i] - y[i]) * (x[i] - y[i]);
    }
    if (!(difference <= most * most * square)) {
        fail_msg("the results differ by %g of %g", sqrt(difference), sqrt(square));
    }
}

/* Saves in one context, and loads in the other. */
static void carry(gsolve_context *from, gsolve_context *to, const char *matrix, const char *spec)
{
    gsolve_csr csr = read_matrix(from, matrix), other = read_matrix(to, matrix);
    const int32_t n = csr.nrows;
    gsolve_matrix *A = NULL, *C = NULL;
    gsolve_precond *M = NULL, *L = NULL;
    results a, b;

    OK(from, gsolve_matrix_create(&A, from, "csr", &csr));
    OK(to, gsolve_matrix_create(&C, to, "csr", &other));
    OK(from, gsolve_precond_create_from(&M, from, spec, A));
    OK(from, gsolve_precond_save(M, path));
    OK(to, gsolve_precond_load(&L, to, spec, C, path));
    for (int k = 0; k < 2; k++) {
        a = apply_all(from, M, n, GSOLVE_F64);
        b = apply_all(to, L, n, GSOLVE_F64);
        are_close(&a, &b, 1e-3);
        free_results(&a), free_results(&b);
        change_values(&csr, 3);
        change_values(&other, 3);
        OK(from, gsolve_precond_update(M, &csr));
        OK(to, gsolve_precond_update(L, &other));
    }
    gsolve_precond_destroy(&L);
    gsolve_precond_destroy(&M);
    gsolve_matrix_destroy(&C);
    gsolve_matrix_destroy(&A);
    gsolve_csr_free(&other, to);
    gsolve_csr_free(&csr, from);
}

static void other_device(void **state)
{
    /* cycle=auto depends on the device */
    static const char *const spec[] = {"amg,coarsest=50,cycle=v",
                                       "amg,coarsest=50,cycle=v,coarsening=classical",
                                       "amg,coarsest=50,cycle=v,coarsening=ua", "amg"};
    gsolve_context *ctx = open_context(2), *cpu = NULL;
    (void)state;

    OK(NULL, gsolve_context_create(&cpu, "cpu,threads=1"));
    for (size_t k = 0; k < sizeof spec / sizeof *spec; k++) {
        for (int m = 0; m < 2; m++) {
            carry(ctx, cpu, matrices[m], spec[k]);
            carry(cpu, ctx, matrices[m], spec[k]);
        }
    }
    close_context(cpu);
    close_context(ctx);
}

/* --- refusals --------------------------------------------------------------------------------- */

typedef struct base { /* a file, its matrix, and what was saved */
    gsolve_context *ctx;
    gsolve_csr csr;
    gsolve_matrix *A;
    gsolve_precond *M;
} base;

static base make_base(gsolve_context *ctx, const char *matrix, const char *spec)
{
    base s = {.ctx = ctx, .csr = read_matrix(ctx, matrix)};

    OK(ctx, gsolve_matrix_create(&s.A, ctx, "csr", &s.csr));
    OK(ctx, gsolve_precond_create_from(&s.M, ctx, spec, s.A));
    OK(ctx, gsolve_precond_save(s.M, path));
    return s;
}

static void drop_base(base *s)
{
    gsolve_precond_destroy(&s->M);
    gsolve_matrix_destroy(&s->A);
    gsolve_csr_free(&s->csr, s->ctx);
}

/* Loading for A fails with this status and a sentence with this part. */
static void refused(gsolve_context *ctx, const char *spec, const gsolve_matrix *A, const char *file,
                    gsolve_status expected, const char *part)
{
    const int64_t blocks = blocks_of(ctx);
    gsolve_precond *L = NULL;
    const gsolve_status status = gsolve_precond_load(&L, ctx, spec, A, file);

    if (status != expected || !strstr(gsolve_error(ctx), part)) {
        fail_msg("status %d and not %d: %s", (int)status, (int)expected, gsolve_error(ctx));
    }
    assert_null(L);
    assert_int_equal(blocks_of(ctx), blocks);
}

/* Moves the entries to other columns, in the same number per row. */
static void reverse_columns(const gsolve_csr *csr)
{
    int32_t *col = (int32_t *)(uintptr_t)csr->col;

    for (int32_t i = 0; i < csr->nrows; i++) {
        const int64_t begin = gs_start(csr, i), end = gs_start(csr, i + 1);
        for (int64_t a = begin, b = end - 1; a <= b; a++, b--) {
            const int32_t first = col[a];
            col[a] = csr->ncols - 1 - col[b];
            col[b] = csr->ncols - 1 - first;
        }
    }
    for (int32_t i = 0; i < csr->nrows; i++) col[gs_start(csr, i)] = 0; /* not a mirror image */
}

static void other_matrices(void **state)
{
    gsolve_context *ctx = open_context(2);
    base s = make_base(ctx, "gen:poisson2d,n=20", "amg,coarsest=50");
    gsolve_csr narrow = typed_matrix(ctx, "gen:poisson2d,n=20", GSOLVE_F32);
    gsolve_csr larger = read_matrix(ctx, "gen:poisson2d,n=21");
    gsolve_csr shifted = read_matrix(ctx, "gen:poisson2d,n=20");
    gsolve_csr moved = read_matrix(ctx, "gen:poisson2d,n=20");
    gsolve_matrix *A = NULL;
    gsolve_precond *L = NULL;
    (void)state;

    value_of(&shifted)[7] = nextafter(value_of(&shifted)[7], 9);
    OK(ctx, gsolve_matrix_create(&A, ctx, "csr", &narrow));
    refused(ctx, NULL, A, path, GSOLVE_BAD_MATRIX, "type f64");
    gsolve_matrix_destroy(&A);
    OK(ctx, gsolve_matrix_create(&A, ctx, "csr", &larger));
    refused(ctx, NULL, A, path, GSOLVE_BAD_MATRIX, "another pattern (400 rows");
    gsolve_matrix_destroy(&A);
    reverse_columns(&moved); /* the same sizes */
    OK(ctx, gsolve_matrix_create(&A, ctx, "csr", &moved));
    refused(ctx, NULL, A, path, GSOLVE_BAD_MATRIX, "another pattern or in another order; set");
    gsolve_matrix_destroy(&A);
    OK(ctx, gsolve_matrix_create(&A, ctx, "csr", &shifted));
    refused(ctx, NULL, A, path, GSOLVE_BAD_MATRIX, "other values");
    gsolve_matrix_destroy(&A);
    refused(ctx, "amg", s.A, path, GSOLVE_BAD_SPEC, "amg,coarsest=50 and not amg");
    refused(ctx, "ic", s.A, path, GSOLVE_UNSUPPORTED, "only amg and direct can be saved");
    refused(ctx, "amg,coarsest=x", s.A, path, GSOLVE_BAD_SPEC, "coarsest");
    OK(ctx, gsolve_precond_load(&L, ctx, "amg,coarsest=50,pre=1", s.A, path)); /* pre=1: default */
    gsolve_precond_destroy(&L);
    gsolve_csr_free(&moved, ctx);
    gsolve_csr_free(&shifted, ctx);
    gsolve_csr_free(&larger, ctx);
    gsolve_csr_free(&narrow, ctx);
    drop_base(&s);
    close_context(ctx);
}

/* Saving fails with this status and a sentence with this part. */
static void not_saved(gsolve_context *ctx, const gsolve_precond *M, const char *file,
                      gsolve_status expected, const char *part)
{
    const gsolve_status status = gsolve_precond_save(M, file);

    if (status != expected || !strstr(gsolve_error(ctx), part)) {
        fail_msg("status %d and not %d: %s", (int)status, (int)expected, gsolve_error(ctx));
    }
}

static void other_arguments(void **state)
{
    static const char *const kind[] = {"none", "jacobi", "ilu", "ic", "isai", "chebyshev"};
    gsolve_context *ctx = open_context(2);
    base s = make_base(ctx, "gen:poisson2d,n=8", "amg");
    gsolve_precond *L = NULL;
    char missing[320];
    (void)state;

    for (size_t k = 0; k < sizeof kind / sizeof *kind; k++) {
        OK(ctx, gsolve_precond_create_from(&L, ctx, kind[k], s.A));
        not_saved(ctx, L, path, GSOLVE_UNSUPPORTED, "only amg and direct can be saved");
        assert_non_null(strstr(gsolve_error(ctx), kind[k]));
        gsolve_precond_destroy(&L);
    }
    snprintf(missing, sizeof missing, "%s/none/levels", folder);
    assert_int_equal(gsolve_precond_save(NULL, path), GSOLVE_BAD_ARGUMENT);
    not_saved(ctx, s.M, NULL, GSOLVE_BAD_ARGUMENT, "gsolve_precond_save: path is NULL");
    not_saved(ctx, s.M, "", GSOLVE_BAD_ARGUMENT, "path is empty");
    not_saved(ctx, s.M, missing, GSOLVE_BAD_FILE, "No such file or directory");
    not_saved(ctx, s.M, folder, GSOLVE_BAD_FILE, "is a directory; name a file");
    not_saved(ctx, s.M, "/dev/null", GSOLVE_BAD_FILE, "is not a regular file");
    assert_int_equal(gsolve_precond_load(NULL, ctx, NULL, s.A, path), GSOLVE_BAD_ARGUMENT);
    assert_string_equal(gsolve_error(ctx), "gsolve_precond_load: an argument is NULL");
    assert_int_equal(gsolve_precond_load(&L, NULL, NULL, s.A, path), GSOLVE_BAD_ARGUMENT);
    refused(ctx, NULL, NULL, path, GSOLVE_BAD_ARGUMENT, "NULL");
    refused(ctx, NULL, s.A, NULL, GSOLVE_BAD_ARGUMENT, "NULL");
    refused(ctx, NULL, s.A, missing, GSOLVE_BAD_FILE, "cannot read");
    refused(ctx, NULL, s.A, folder, GSOLVE_BAD_FILE, "is a directory; name a file");
    refused(ctx, NULL, s.A, "", GSOLVE_BAD_ARGUMENT, "path is empty");
    refused(ctx, NULL, s.A, "/dev/null", GSOLVE_BAD_FILE, "is not a regular file");
    drop_base(&s);
    close_context(ctx);
}

static void holds(const char *text)
{
    bytes b = read_file();

    assert_int_equal(b.size, strlen(text));
    assert_memory_equal(b.at, text, b.size);
    free(b.at);
}

/* Files of the user are not replaced; set-ups, empty files and parts of set-ups are. */
static void other_files(void **state)
{
    static const char *const text[] = {"# A text of the user", "gs", "gssetup"};
    gsolve_context *ctx = open_context(2);
    base s = make_base(ctx, "gen:poisson2d,n=8", "amg");
    bytes b = read_file();
    gsolve_solver *S = NULL;
    (void)state;

    OK(ctx, gsolve_solver_create(&S, ctx, "direct,library=cxsparse", s.A, NULL));
    write_file(text[0], strlen(text[0]));
    refused(ctx, NULL, s.A, path, GSOLVE_BAD_FILE, "not a set-up file of gsolve; name another");
    not_saved(ctx, s.M, path, GSOLVE_BAD_FILE, "is not a set-up file of gsolve; name another file");
    assert_int_equal(gsolve_solver_save(S, path), GSOLVE_BAD_FILE);
    holds(text[0]);
    for (size_t k = 1; k < sizeof text / sizeof *text; k++) {
        write_file(text[k], strlen(text[k]));
        OK(ctx, gsolve_precond_save(s.M, path));
    }
    write_file(b.at, b.size / 2);
    OK(ctx, gsolve_precond_save(s.M, path));
    write_file("", 0);
    OK(ctx, gsolve_solver_save(S, path));
    OK(ctx, gsolve_precond_save(s.M, path)); /* a set-up of another kind */
    if (geteuid() != 0) {                    /* root may write everything */
        assert_int_equal(chmod(path, 0444), 0);
        not_saved(ctx, s.M, path, GSOLVE_BAD_FILE, "no permission");
    }
    free(b.at);
    gsolve_solver_destroy(&S);
    drop_base(&s);
    unlink(path);
    close_context(ctx);
}

/* The file is complete or as before, whichever allocation fails. */
static void denied_memory(void **state)
{
    gsolve_context *ctx = open_context(2);
    base s = make_base(ctx, "gen:poisson2d,n=12", "amg,coarsest=20,coarsening=classical");
    const int64_t blocks = blocks_of(ctx);
    gsolve_precond *L = NULL;
    gsolve_status status = GSOLVE_NO_MEMORY;
    (void)state;

    for (int64_t n = 0; status != GSOLVE_OK; n++) {
        gsolve_context_limit_allocations(ctx, n);
        status = gsolve_precond_save(s.M, path);
        gsolve_context_limit_allocations(ctx, -1);
        if (status != GSOLVE_OK) assert_int_equal(status, GSOLVE_NO_MEMORY);
    }
    status = GSOLVE_NO_MEMORY;
    for (int64_t n = 0; status != GSOLVE_OK; n++) {
        gsolve_context_limit_allocations(ctx, n);
        status = gsolve_precond_load(&L, ctx, "auto", s.A, path);
        gsolve_context_limit_allocations(ctx, -1);
        if (status == GSOLVE_OK) break;
        assert_int_equal(status, GSOLVE_NO_MEMORY);
        assert_int_equal(blocks_of(ctx), blocks);
    }
    same_bits(ctx, s.M, L, "after denied memory", "loaded");
    gsolve_precond_destroy(&L);
    drop_base(&s);
    close_context(ctx);
}

/* --- changed bytes ---------------------------------------------------------------------------- */

/* As in matrix/setup_file_format.h. */
typedef struct file_head {
    char magic[8];
    uint32_t version, order;
    uint64_t hash, last;
    int64_t size;
    char library[24];
    gs_saved_head head;
} file_head;

typedef struct array_head {
    uint64_t bytes, chain;
} array_head;

/* Sets all hashes and the size as a writer of these bytes would, as far as the sizes of the arrays
 * allow. */
static void set_hashes(const gsolve_context *ctx, bytes b)
{
    file_head h;
    array_head a;
    uint64_t chain = 1;

    if (b.size < sizeof h) return;
    for (size_t at = sizeof h; at + sizeof a <= b.size;) {
        memcpy(&a, b.at + at, sizeof a);
        if (a.bytes > b.size - at - sizeof a) break;
        a.chain = chain = gs_hash(ctx, b.at + at + sizeof a, a.bytes, chain ^ a.bytes);
        memcpy(b.at + at, &a, sizeof a);
        at += sizeof a + (a.bytes + 7) / 8 * 8;
    }
    memcpy(&h, b.at, sizeof h);
    h.hash = 0;
    h.last = chain;
    h.size = (int64_t)b.size;
    h.hash = gs_hash(ctx, &h, sizeof h, 1);
    memcpy(b.at, &h, sizeof h);
}

/* The elements of array k. */
static void *array_at(bytes b, int k)
{
    size_t at = sizeof(file_head);

    for (array_head a; k-- > 0; at += sizeof a + (a.bytes + 7) / 8 * 8) {
        memcpy(&a, b.at + at, sizeof a);
    }
    return b.at + at + sizeof(array_head);
}

/* Loads the file, and uses what it holds if it is accepted. Returns whether it is. */
static bool try_file(const base *s)
{
    const int64_t blocks = blocks_of(s->ctx);
    gsolve_precond *L = NULL;
    results r;

    if (gsolve_precond_load(&L, s->ctx, NULL, s->A, path) != GSOLVE_OK) {
        assert_null(L);
        assert_true(strlen(gsolve_error(s->ctx)) > 0);
    } else {
        r = apply_all(s->ctx, L, s->csr.nrows, GSOLVE_F64);
        free_results(&r);
        gsolve_precond_update_from(L, s->A); /* may fail */
    }
    const bool accepted = L != NULL;
    gsolve_precond_destroy(&L);
    assert_int_equal(blocks_of(s->ctx), blocks);
    return accepted;
}

/* A share of `count` trials on a GPU: the 3500 set-ups of changed_numbers take 1.3 s on a CPU and
 * minutes on a GPU. The tests on the CPU make all trials. */
static size_t trials_of(const gsolve_context *ctx, size_t count)
{
    return strcmp(ctx->device->plugin.name, "cuda") == 0 ? count / 50 : count;
}

/* Every byte that is changed is noticed, and every end that is cut off. */
static void changed_bytes(void **state)
{
    gsolve_context *ctx = open_context(1);
    base s = make_base(ctx, "gen:poisson2d,n=9", "amg,coarsest=20");
    bytes b = read_file();
    const size_t step = b.size / trials_of(ctx, 2000) + 1;
    (void)state;

    assert_true(try_file(&s));
    for (size_t at = 0; at < b.size; at += at < sizeof(file_head) + 32 ? 1 : step) {
        const char before = b.at[at];
        b.at[at] = (char)(before ^ (1 << at % 8));
        write_file(b.at, b.size);
        /* the padding of arrays has no meaning */
        if (try_file(&s) && before != 0) fail_msg("byte %zu was changed, and accepted", at);
        b.at[at] = before;
    }
    for (size_t size = 0; size < b.size; size += size < sizeof(file_head) + 32 ? 1 : step) {
        write_file(b.at, size);
        if (try_file(&s)) fail_msg("%zu of %zu bytes were accepted", size, b.size);
    }
    b.at[b.size] = 0;
    write_file(b.at, b.size + 1);
    assert_false(try_file(&s));
    free(b.at);
    drop_base(&s);
    close_context(ctx);
}

/* Numbers that are wrong while all hashes are right. What is accepted must be usable. */
static void changed_numbers(void **state)
{
    static const char *const spec[] = {
        "amg,coarsest=20",
        "amg,coarsest=20,coarsening=ua",
        "amg,coarsest=20,coarsening=classical",
        "amg,coarsest=20,coarsening=classical,aggressive=2",
    };
    static const int32_t wrong[] = {-1, 0, 1, 2, 7, 1000000, INT32_MAX, INT32_MIN};
    (void)state;

    for (size_t k = 0; k < sizeof spec / sizeof *spec; k++) {
        gsolve_context *ctx = open_context(1);
        base s = make_base(ctx, k % 2 ? "gen:elasticity3d,n=3" : "gen:poisson2d,n=9", spec[k]);
        bytes b = read_file();
        char *copy = malloc(b.size);
        const size_t trials = trials_of(ctx, 1500);
        size_t refusals = 0;
        memcpy(copy, b.at, b.size);
        for (uint64_t trial = 0; trial < trials; trial++) {
            const double where = 0.5 + 0.5 * gsolve_random(k, trial);
            const size_t at = (size_t)(where * (double)(b.size / 4 - 1)) * 4;
            const size_t which = (size_t)(trial % (sizeof wrong / sizeof *wrong));
            memcpy(b.at + at, &wrong[which], sizeof *wrong);
            set_hashes(ctx, b);
            write_file(b.at, b.size);
            refusals += !try_file(&s);
            memcpy(b.at, copy, b.size);
        }
        assert_true(refusals > trials / 15);
        free(copy), free(b.at);
        drop_base(&s);
        close_context(ctx);
    }
}

/* The dimension of the null space and the size of blocks are at most the number of rows. */
static void numbers_beyond_the_rows(void **state)
{
    enum { BLOCK = 6, NULL_SPACE = 7 }; /* 32-bit numbers in amg's first array */
    static const int at[] = {BLOCK, NULL_SPACE};
    gsolve_context *ctx = open_context(1);
    base s = make_base(ctx, "gen:poisson2d,n=9", "amg,coarsest=20");
    bytes b = read_file();
    (void)state;

    for (int k = 0; k < 2; k++) {
        int32_t *number = (int32_t *)array_at(b, 1) + at[k];
        const int32_t before = *number;
        assert_int_equal(before, 0);
        for (int more = 0; more < 2; more++) {
            *number = more ? INT32_MAX : s.csr.nrows + 1;
            set_hashes(ctx, b);
            write_file(b.at, b.size);
            refused(ctx, NULL, s.A, path, GSOLVE_BAD_FILE, "out of range");
        }
        *number = before;
    }
    free(b.at);
    drop_base(&s);
    close_context(ctx);
}

/* The sentences say what is wrong with the file. */
static void damaged_files(void **state)
{
    gsolve_context *ctx = open_context(1);
    base s = make_base(ctx, "gen:poisson2d,n=9", "amg,coarsest=20");
    bytes b = read_file();
    char text[80];
    (void)state;

    snprintf(text, sizeof text, "is truncated: %d of %zu bytes", 1000, b.size);
    write_file(b.at, 1000);
    refused(ctx, NULL, s.A, path, GSOLVE_BAD_FILE, text);
    write_file(b.at, 100);
    refused(ctx, NULL, s.A, path, GSOLVE_BAD_FILE, "is truncated: 100 bytes");
    b.at[b.size] = 0;
    write_file(b.at, b.size + 1);
    refused(ctx, NULL, s.A, path, GSOLVE_BAD_FILE, "is damaged (it is longer than");
    b.at[b.size - 100] ^= 1;
    write_file(b.at, b.size);
    refused(ctx, NULL, s.A, path, GSOLVE_BAD_FILE, "is damaged (a checksum is wrong)");
    b.at[40] ^= 1;
    write_file(b.at, b.size);
    refused(ctx, NULL, s.A, path, GSOLVE_BAD_FILE, "is damaged (a checksum is wrong)");
    free(b.at);
    drop_base(&s);
    close_context(ctx);
}

static void other_formats(void **state)
{
    gsolve_context *ctx = open_context(1);
    base s = make_base(ctx, "gen:poisson2d,n=9", "amg");
    bytes b = read_file();
    file_head *h = (file_head *)(void *)b.at;
    (void)state;

    h->version = 7;
    write_file(b.at, b.size);
    refused(ctx, NULL, s.A, path, GSOLVE_BAD_FILE, "version 7");
    h->version = 1;
    h->order = 0x04030201;
    write_file(b.at, b.size);
    refused(ctx, NULL, s.A, path, GSOLVE_BAD_FILE, "byte order");
    h->magic[0] = 'x';
    write_file(b.at, b.size);
    refused(ctx, NULL, s.A, path, GSOLVE_BAD_FILE, "not a set-up file of gsolve");
    write_file("", 0);
    refused(ctx, NULL, s.A, path, GSOLVE_BAD_FILE, "is truncated: 0 bytes");
    unlink(path);
    free(b.at);
    drop_base(&s);
    close_context(ctx);
}

/* --- factors of the method direct ------------------------------------------------------------- */

typedef struct system_of_two { /* A X = B with two columns */
    gsolve_csr csr;
    gsolve_matrix *A;
    double *b, *x, *y;
} system_of_two;

static system_of_two make_system(gsolve_context *ctx, const char *name, gsolve_type type)
{
    system_of_two s = {.csr = typed_matrix(ctx, name, type)};

    OK(ctx, gsolve_matrix_create(&s.A, ctx, "csr", &s.csr));
    s.b = random_vector((int64_t)2 * s.csr.nrows, 4);
    s.x = malloc(((size_t)2 * (size_t)s.csr.ncols + 1) * sizeof *s.x);
    s.y = malloc(((size_t)2 * (size_t)s.csr.ncols + 1) * sizeof *s.y);
    return s;
}

static void drop_system(gsolve_context *ctx, system_of_two *s)
{
    gsolve_matrix_destroy(&s->A);
    gsolve_csr_free(&s->csr, ctx);
    free(s->b), free(s->x), free(s->y);
}

static gsolve_dense two_columns(double *v, int32_t n)
{
    const gsolve_dense d = {n, 2, n, v, GSOLVE_F64, GSOLVE_HOST, GSOLVE_COLUMN_MAJOR};
    return d;
}

static gsolve_status run_system(gsolve_solver *S, const system_of_two *s, double *x)
{
    gsolve_result result = GSOLVE_INIT(gsolve_result);

    memset(x, 0, (size_t)2 * (size_t)s->csr.ncols * sizeof *x);
    return gsolve_solver_run(S, two_columns(s->b, s->csr.nrows), two_columns(x, s->csr.ncols),
                             &result);
}

static void same_solutions(gsolve_context *ctx, gsolve_solver *S, gsolve_solver *L,
                           const system_of_two *s, const char *what)
{
    OK(ctx, run_system(S, s, s->x));
    OK(ctx, run_system(L, s, s->y));
    if (memcmp(s->x, s->y, (size_t)2 * (size_t)s->csr.ncols * sizeof *s->x) != 0) {
        fail_msg("%s: the loaded factors give other bits", what);
    }
    assert_string_equal(gsolve_solver_note(S), gsolve_solver_note(L));
}

static void factor_round_trip(gsolve_context *ctx, const char *name, const char *spec,
                              gsolve_type type)
{
    system_of_two s = make_system(ctx, name, type);
    gsolve_csr wide = read_matrix(ctx, name), new;
    gsolve_solver *S = NULL, *L = NULL;

    OK(ctx, gsolve_solver_create(&S, ctx, spec, s.A, NULL));
    OK(ctx, gsolve_solver_save(S, path));
    OK(ctx, gsolve_solver_load(&L, ctx, spec, s.A, path));
    same_solutions(ctx, S, L, &s, name);
    for (int k = 0; k < 2; k++) {
        for (int64_t e = 0; e < gs_start(&wide, wide.nrows); e++) value_of(&wide)[e] *= 1.25;
        OK(ctx, gsolve_csr_convert(&new, ctx, type, &wide));
        OK(ctx, gsolve_matrix_update(s.A, &new));
        assert_int_equal(gsolve_solver_save(L, path), GSOLVE_BAD_ARGUMENT);
        assert_non_null(strstr(gsolve_error(ctx), "older values"));
        same_solutions(ctx, S, L, &s, name);
        gsolve_csr_free(&new, ctx);
        gsolve_solver_destroy(&L);
        OK(ctx, gsolve_solver_save(S, path));
        OK(ctx, gsolve_solver_load(&L, ctx, spec, s.A, path));
        same_solutions(ctx, S, L, &s, name);
    }
    gsolve_solver_destroy(&L);
    gsolve_solver_destroy(&S);
    gsolve_csr_free(&wide, ctx);
    drop_system(ctx, &s);
}

static void factors(void **state)
{
    gsolve_context *ctx = open_context(2);
    (void)state;

    factor_round_trip(ctx, "gen:poisson2d,n=20", "direct,library=cxsparse", GSOLVE_F64);
    factor_round_trip(ctx, "gen:poisson2d,n=20", "direct,library=cxsparse", GSOLVE_F32);
    factor_round_trip(ctx, "gen:convdiff3d,n=7", "direct,library=cxsparse", GSOLVE_F64);
    factor_round_trip(ctx, "gen:circuit,n=300,dense=2", "direct,library=cxsparse", GSOLVE_F64);
    factor_round_trip(ctx, "gen:poisson2d,n=9", "direct,factor=qr", GSOLVE_F64);
    factor_round_trip(ctx, "gen:random,n=80,cols=50", "direct", GSOLVE_F64);
    factor_round_trip(ctx, "gen:random,n=50,cols=80", "direct", GSOLVE_F64);
    factor_round_trip(ctx, "gen:tridiagonal,n=1", "direct", GSOLVE_F64);
    close_context(ctx);
}

/* A run with more columns than all earlier ones solves with the factors that are there, computed or
 * loaded. New factors would have a limit of their own in place of the number that the test writes
 * there. spec: with a '+', the factors are loaded. */
static void kept_factors(gsolve_context *ctx, const char *name, const char *spec, gsolve_type type)
{
    const double mark = 12345.5;
    const bool loaded = spec[0] == '+';
    system_of_two s = make_system(ctx, name, type);
    gsolve_solver *S = NULL;
    gs_direct_state *own;

    OK(ctx, gsolve_solver_create(&S, ctx, spec + loaded, s.A, NULL));
    if (loaded) {
        OK(ctx, gsolve_solver_save(S, path));
        gsolve_solver_destroy(&S);
        OK(ctx, gsolve_solver_load(&S, ctx, spec + loaded, s.A, path));
    }
    own = S->state;
    own->factors->request.limit.entries = mark;
    OK(ctx, run_system(S, &s, s.x));
    assert_true(own->factors->request.limit.entries == mark);
    if (loaded) OK(ctx, gsolve_solver_save(S, path));
    for (int64_t e = 0; e < gs_start(&s.csr, s.csr.nrows); e++) {
        if (type == GSOLVE_F32) ((float *)s.csr.value)[e] *= 2;
        if (type == GSOLVE_F64) ((double *)s.csr.value)[e] *= 2;
    }
    OK(ctx, gsolve_matrix_update(s.A, &s.csr));
    OK(ctx, run_system(S, &s, s.y)); /* new values still get new factors */
    for (int64_t i = 0; i < (int64_t)2 * s.csr.ncols; i++) {
        assert_true(fabs(s.x[i] - 2 * s.y[i]) <= 1e-5 * (1 + fabs(s.x[i])));
    }
    gsolve_solver_destroy(&S);
    drop_system(ctx, &s);
}

static void factors_are_kept(void **state)
{
    gsolve_context *ctx = open_context(2);
    (void)state;

    kept_factors(ctx, "gen:poisson2d,n=20", "direct", GSOLVE_F64);
    kept_factors(ctx, "gen:poisson2d,n=20", "+direct", GSOLVE_F64);
    kept_factors(ctx, "gen:poisson2d,n=20", "+direct", GSOLVE_F32);
    kept_factors(ctx, "gen:convdiff3d,n=6", "direct,order=rcm,scale=symmetric", GSOLVE_F64);
    kept_factors(ctx, "gen:convdiff3d,n=6", "+direct,factor=qr", GSOLVE_F64);
    kept_factors(ctx, "gen:random,n=80,cols=50", "+direct", GSOLVE_F64);
    close_context(ctx);
}

static void factors_refused(void **state)
{
    gsolve_context *ctx = open_context(2);
    system_of_two s = make_system(ctx, "gen:poisson2d,n=9", GSOLVE_F64);
    gsolve_solver *S = NULL, *L = NULL;
    gsolve_precond *M = NULL;
    (void)state;

    OK(ctx, gsolve_solver_create(&S, ctx, "cg", s.A, NULL));
    assert_int_equal(gsolve_solver_save(S, path), GSOLVE_UNSUPPORTED);
    gsolve_solver_destroy(&S);
    OK(ctx, gsolve_solver_create(&S, ctx, "direct,scale=symmetric", s.A, NULL));
    assert_int_equal(gsolve_solver_save(S, path), GSOLVE_UNSUPPORTED);
    gsolve_solver_destroy(&S);
    OK(ctx, gsolve_solver_create(&S, ctx, "direct,library=cxsparse", s.A, NULL));
    OK(ctx, gsolve_solver_save(S, path));
    assert_int_equal(gsolve_solver_load(&L, ctx, "cg", s.A, path), GSOLVE_UNSUPPORTED);
    assert_int_equal(gsolve_solver_load(&L, ctx, "direct,factor=lu", s.A, path), GSOLVE_BAD_SPEC);
    assert_non_null(strstr(gsolve_error(ctx), "Cholesky"));
    assert_int_equal(gsolve_solver_load(&L, ctx, "direct,order=rcm", s.A, path),
                     GSOLVE_UNSUPPORTED);
    assert_int_equal(gsolve_precond_load(&M, ctx, NULL, s.A, path), GSOLVE_BAD_SPEC);
    assert_non_null(strstr(gsolve_error(ctx), "gsolve_solver_load"));
    assert_int_equal(gsolve_solver_load(&L, ctx, "direct", s.A, folder), GSOLVE_BAD_FILE);
    assert_int_equal(gsolve_solver_load(&L, ctx, "direct", s.A, NULL), GSOLVE_BAD_ARGUMENT);
    assert_int_equal(gsolve_solver_load(&L, NULL, "direct", s.A, path), GSOLVE_BAD_ARGUMENT);
    assert_int_equal(gsolve_solver_save(S, NULL), GSOLVE_BAD_ARGUMENT);
    assert_int_equal(gsolve_solver_save(NULL, path), GSOLVE_BAD_ARGUMENT);
    OK(ctx, gsolve_precond_create_from(&M, ctx, "amg", s.A));
    OK(ctx, gsolve_precond_save(M, path));
    assert_int_equal(gsolve_solver_load(&L, ctx, "direct", s.A, path), GSOLVE_BAD_SPEC);
    assert_null(L);
    gsolve_precond_destroy(&M);
    gsolve_solver_destroy(&S);
    drop_system(ctx, &s);
    close_context(ctx);
}

/* As changed_numbers. */
static void changed_factors(void **state)
{
    static const char *const spec[] = {"direct,library=cxsparse", "direct,factor=qr",
                                       "direct,factor=lu,library=cxsparse"};
    static const int32_t wrong[] = {-1, 0, 1, 2, 79, 1000000, INT32_MAX, INT32_MIN};
    gsolve_context *ctx = open_context(1);
    (void)state;

    for (size_t k = 0; k < sizeof spec / sizeof *spec; k++) {
        system_of_two s = make_system(ctx, "gen:poisson2d,n=9", GSOLVE_F64);
        gsolve_solver *S = NULL, *L = NULL;
        const size_t trials = trials_of(ctx, 1000);
        size_t refusals = 0;
        OK(ctx, gsolve_solver_create(&S, ctx, spec[k], s.A, NULL));
        OK(ctx, gsolve_solver_save(S, path));
        bytes b = read_file();
        char *copy = malloc(b.size);
        memcpy(copy, b.at, b.size);
        for (uint64_t trial = 0; trial < trials; trial++) {
            const double where = 0.5 + 0.5 * gsolve_random(k, trial);
            const size_t at = (size_t)(where * (double)(b.size / 4 - 1)) * 4;
            memcpy(b.at + at, &wrong[trial % (sizeof wrong / sizeof *wrong)], sizeof *wrong);
            set_hashes(ctx, b);
            write_file(b.at, b.size);
            refusals += gsolve_solver_load(&L, ctx, "direct", s.A, path) != GSOLVE_OK;
            if (L) run_system(L, &s, s.y); /* may fail */
            gsolve_solver_destroy(&L);
            memcpy(b.at, copy, b.size);
        }
        assert_true(refusals > trials / 15);
        free(copy), free(b.at);
        gsolve_solver_destroy(&S);
        drop_system(ctx, &s);
    }
    close_context(ctx);
}

/* A matrix whose QR gets rows more than it has: half of its columns are empty. */
static system_of_two make_deficient(gsolve_context *ctx, int32_t n)
{
    system_of_two s = {.b = random_vector((int64_t)2 * n, 4)};
    int32_t *row = malloc((size_t)n * sizeof *row), *col = malloc((size_t)n * sizeof *col);
    double *value = malloc((size_t)n * sizeof *value);

    for (int32_t i = 0; i < n; i++) {
        row[i] = i, col[i] = i < n / 2 ? n / 2 + i % 3 : i, value[i] = 1;
    }
    OK(ctx, gs_csr_from_triplets(&s.csr, ctx, n, n, n, row, col, value));
    OK(ctx, gsolve_matrix_create(&s.A, ctx, "csr", &s.csr));
    s.x = malloc((size_t)2 * (size_t)n * sizeof *s.x);
    s.y = malloc((size_t)2 * (size_t)n * sizeof *s.y);
    free(row), free(col), free(value);
    return s;
}

static void clip(bytes b, int array, int32_t end)
{
    array_head a;
    int32_t *index = array_at(b, array);

    memcpy(&a, (char *)index - sizeof a, sizeof a);
    for (size_t k = 0; k < a.bytes / sizeof *index; k++) {
        if (index[k] >= end) index[k] = end - 1;
    }
}

static void run_one_column(gsolve_context *ctx, gsolve_solver *S, const system_of_two *s, double *x)
{
    gsolve_result result = GSOLVE_INIT(gsolve_result);

    memset(x, 0, (size_t)s->csr.ncols * sizeof *x);
    OK(ctx, gsolve_solver_run(S, gsolve_vector(s->b, s->csr.nrows), gsolve_vector(x, s->csr.ncols),
                              &result));
}

/* A file that says that QR added no rows. An update adds them, and its solves need more space. */
static void factors_that_grow(void **state)
{
    enum { N = 40, SIZES = 1, ROWS = 2, INDICES_OF_L = 5 }; /* arrays */
    gsolve_context *ctx = open_context(1);
    system_of_two s = make_deficient(ctx, N);
    gsolve_solver *S = NULL, *L = NULL;
    (void)state;

    OK(ctx, gsolve_solver_create(&S, ctx, "direct,factor=qr", s.A, NULL));
    OK(ctx, gsolve_solver_save(S, path));
    bytes b = read_file();
    int32_t *m2 = (int32_t *)array_at(b, SIZES) + 4;
    assert_true(*m2 > N && *m2 < 2 * N);
    *m2 = N;
    clip(b, ROWS, N);
    clip(b, INDICES_OF_L, N);
    set_hashes(ctx, b);
    write_file(b.at, b.size);
    OK(ctx, gsolve_solver_load(&L, ctx, "direct,factor=qr", s.A, path));
    OK(ctx, gsolve_matrix_update(s.A, &s.csr));
    run_one_column(ctx, S, &s, s.x);
    run_one_column(ctx, L, &s, s.y);
    assert_memory_equal(s.x, s.y, N * sizeof *s.x);
    free(b.at);
    gsolve_solver_destroy(&L);
    gsolve_solver_destroy(&S);
    drop_system(ctx, &s);
    close_context(ctx);
}

/* The limits of the options and of the context hold for factors from a file. */
static void limits_of_files(void **state)
{
    static const char *const spec[] = {"direct,limit=0.005", "direct,work=0.001"};
    gsolve_context *ctx = NULL, *tight = NULL;
    gsolve_solver *S = NULL;
    (void)state;

    assert_int_equal(gsolve_context_create(&ctx, "cpu"), GSOLVE_OK);
    assert_int_equal(gsolve_context_create(&tight, "cpu,memory=2e6"), GSOLVE_OK);
    system_of_two s = make_system(ctx, "gen:poisson3d,n=12", GSOLVE_F64);
    system_of_two t = make_system(tight, "gen:poisson3d,n=12", GSOLVE_F64);
    OK(ctx, gsolve_solver_create(&S, ctx, "direct,factor=lu,library=cxsparse", s.A, NULL));
    OK(ctx, gsolve_solver_save(S, path));
    gsolve_solver_destroy(&S);
    for (int k = 0; k < 2; k++) {
        assert_int_equal(gsolve_solver_load(&S, ctx, spec[k], s.A, path), GSOLVE_UNSUPPORTED);
        assert_non_null(strstr(gsolve_error(ctx), "limit=MILLIONS"));
    }
    assert_int_equal(gsolve_solver_load(&S, tight, "direct", t.A, path), GSOLVE_NO_MEMORY);
    assert_non_null(strstr(gsolve_error(tight), "the factorisation needs"));
    assert_null(S);
    drop_system(tight, &t);
    drop_system(ctx, &s);
    close_context(tight);
    close_context(ctx);
}

/* --- the automatic solver --------------------------------------------------------------------- */

typedef struct seen { /* by the monitor */
    bool read, written;
    char note[600];
} seen;

static bool watch(const gsolve_attempt *t, void *user)
{
    seen *what = user;

    if (t->stage != GSOLVE_ATTEMPT_ENDED) return true;
    what->read = t->setup_read;
    what->written = t->setup_written;
    snprintf(what->note, sizeof what->note, "%s", t->setup_note);
    return true;
}

static seen solve_automatically(gsolve_context *ctx, const gsolve_csr *csr, const char *method,
                                const char *precond)
{
    double *b = random_vector(csr->nrows, 2), *x = calloc((size_t)csr->nrows + 1, sizeof *x);
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    gsolve_auto *S = NULL;
    seen what = {0};

    OK(ctx, gsolve_auto_create(&S, ctx, "", csr));
    OK(ctx, gsolve_auto_set_choices(S, 1, &method, &precond));
    OK(ctx, gsolve_auto_set_setup_file(S, path));
    gsolve_auto_set_attempt_monitor(S, watch, &what);
    OK(ctx,
       gsolve_auto_run(S, gsolve_vector(b, csr->nrows), gsolve_vector(x, csr->nrows), &result));
    assert_int_equal(result.outcome, GSOLVE_CONVERGED);
    gsolve_auto_destroy(&S);
    free(b), free(x);
    return what;
}

static void automatic(void **state)
{
    static const char *const choice[][2] = {{"cg", "amg,coarsest=50"},
                                            {"direct,library=cxsparse", "none"}};
    gsolve_context *ctx = open_context(2);
    gsolve_csr csr = read_matrix(ctx, "gen:poisson2d,n=20");
    gsolve_auto *S = NULL;
    (void)state;

    unlink(path);
    for (int k = 0; k < 2; k++) {
        seen what = solve_automatically(ctx, &csr, choice[k][0], choice[k][1]);
        if (k == 1) { /* the long set-up of another kind stays */
            assert_true(!what.written && !what.read);
            assert_non_null(strstr(what.note, "holds a set-up of amg and not of direct; delete"));
            unlink(path);
            what = solve_automatically(ctx, &csr, choice[k][0], choice[k][1]);
        }
        assert_true(what.written && !what.read);
        assert_string_equal(what.note, "");
        what = solve_automatically(ctx, &csr, choice[k][0], choice[k][1]);
        assert_true(what.read && !what.written);
        assert_string_equal(what.note, "");
    }
    seen what = solve_automatically(ctx, &csr, "cg", "jacobi");
    assert_true(!what.read && !what.written);
    assert_non_null(strstr(what.note, "jacobi cannot be saved to a file; only amg and direct can"));
    what = solve_automatically(ctx, &csr, "cg", "none");
    assert_true(!what.read && !what.written);
    write_file("a text of the user", 18);
    OK(ctx, gsolve_auto_create(&S, ctx, "", &csr));
    assert_int_equal(gsolve_auto_set_setup_file(S, path), GSOLVE_BAD_FILE);
    assert_non_null(strstr(gsolve_error(ctx), "not a set-up file of gsolve"));
    assert_int_equal(gsolve_auto_set_setup_file(S, folder), GSOLVE_BAD_FILE);
    assert_non_null(strstr(gsolve_error(ctx), "is a directory"));
    assert_int_equal(gsolve_auto_set_setup_file(S, ""), GSOLVE_BAD_ARGUMENT);
    assert_non_null(strstr(gsolve_error(ctx), "path is empty"));
    assert_int_equal(gsolve_auto_set_setup_file(NULL, path), GSOLVE_BAD_ARGUMENT);
    OK(ctx, gsolve_auto_set_setup_file(S, NULL));
    gsolve_auto_destroy(&S);
    unlink(path);
    gsolve_csr_free(&csr, ctx);
    close_context(ctx);
}

/* A choice that fails writes no file, so that the one that solves the system does; an attempt that
 * uses no file says nothing about it. */
static void automatic_after_failures(void **state)
{
    static const char *const methods[] = {"cg,maxit=1", "gmres", "cg"};
    static const char *const preconds[] = {"amg,coarsest=50", "amg,coarsest=60", "jacobi"};
    gsolve_context *ctx = open_context(2);
    gsolve_csr csr = read_matrix(ctx, "gen:poisson2d,n=20");
    const int32_t n = csr.nrows;
    double *b = random_vector(n, 2), *x = calloc((size_t)n + 1, sizeof *x);
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    gsolve_auto *S = NULL;
    gsolve_precond *M = NULL;
    seen what = {0};
    (void)state;

    unlink(path);
    OK(ctx, gsolve_auto_create(&S, ctx, "", &csr));
    OK(ctx, gsolve_auto_set_choices(S, 1, methods, preconds));
    OK(ctx, gsolve_auto_set_setup_file(S, path));
    gsolve_auto_set_attempt_monitor(S, watch, &what);
    OK(ctx, gsolve_auto_run(S, gsolve_vector(b, n), gsolve_vector(x, n), &result));
    assert_int_equal(result.outcome, GSOLVE_ITERATION_LIMIT);
    assert_true(!what.read && !what.written);
    assert_string_equal(what.note, "this choice has not solved the system");
    assert_int_equal(access(path, F_OK), -1);
    OK(ctx, gsolve_auto_set_choices(S, 2, methods, preconds));
    memset(x, 0, (size_t)n * sizeof *x);
    OK(ctx, gsolve_auto_run(S, gsolve_vector(b, n), gsolve_vector(x, n), &result));
    assert_int_equal(result.outcome, GSOLVE_CONVERGED);
    assert_true(!what.read && what.written);
    assert_string_equal(what.note, "");
    OK(ctx, gsolve_precond_load(&M, ctx, preconds[1], gsolve_auto_matrix(S), path));
    gsolve_precond_destroy(&M);
    OK(ctx, gsolve_auto_set_setup_file(S, NULL));
    OK(ctx, gsolve_auto_set_choices(S, 1, methods + 2, preconds + 2));
    memset(x, 0, (size_t)n * sizeof *x);
    OK(ctx, gsolve_auto_run(S, gsolve_vector(b, n), gsolve_vector(x, n), &result));
    assert_true(!what.read && !what.written);
    assert_string_equal(what.note, "");
    gsolve_auto_destroy(&S);
    unlink(path);
    gsolve_csr_free(&csr, ctx);
    free(b), free(x);
    close_context(ctx);
}

/* A file for another pattern stays; one for other values, other options, or a part of a file is
 * replaced. */
static void automatic_on_other_files(void **state)
{
    gsolve_context *ctx = open_context(2);
    gsolve_csr small = read_matrix(ctx, "gen:poisson2d,n=12");
    gsolve_csr csr = read_matrix(ctx, "gen:poisson2d,n=20");
    (void)state;

    unlink(path);
    solve_automatically(ctx, &small, "cg", "amg");
    bytes b = read_file();
    seen what = solve_automatically(ctx, &csr, "cg", "amg");
    assert_true(!what.written && !what.read);
    assert_non_null(strstr(what.note, "levels belongs to another matrix (144 rows); delete it or"));
    what = solve_automatically(ctx, &small, "cg", "amg,smoother=l1_jacobi");
    assert_true(what.written && !what.read);
    change_values(&small, 3);
    what = solve_automatically(ctx, &small, "cg", "amg,smoother=l1_jacobi");
    assert_true(what.written && !what.read);
    assert_non_null(strstr(what.note, "this pattern and other values"));
    assert_null(strstr(what.note, "; ")); /* no advice to callers of gsolve_precond_load */
    write_file(b.at, 1000);
    what = solve_automatically(ctx, &csr, "cg", "amg");
    assert_true(what.written && !what.read);
    assert_non_null(strstr(what.note, "is truncated: 1000 of"));
    free(b.at);
    gsolve_csr_free(&csr, ctx);
    gsolve_csr_free(&small, ctx);
    close_context(ctx);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest shared[] = {cmocka_unit_test(all_options)};
    const struct CMUnitTest other[] = {
        cmocka_unit_test(levels_in_single_precision),
        cmocka_unit_test(near_null_vectors),
        cmocka_unit_test(null_space),
        cmocka_unit_test(other_device),
        cmocka_unit_test(other_matrices),
        cmocka_unit_test(other_arguments),
        cmocka_unit_test(other_files),
        cmocka_unit_test(denied_memory),
        cmocka_unit_test(changed_bytes),
        cmocka_unit_test(changed_numbers),
        cmocka_unit_test(numbers_beyond_the_rows),
        cmocka_unit_test(damaged_files),
        cmocka_unit_test(other_formats),
        cmocka_unit_test(factors),
        cmocka_unit_test(factors_are_kept),
        cmocka_unit_test(factors_refused),
        cmocka_unit_test(changed_factors),
        cmocka_unit_test(factors_that_grow),
        cmocka_unit_test(limits_of_files),
        cmocka_unit_test(automatic),
        cmocka_unit_test(automatic_after_failures),
        cmocka_unit_test(automatic_on_other_files),
    };
    int code;

    need_device();
    take_part(argc, argv);
    make_folder();
    code = run_parts(shared, 1, other, sizeof other / sizeof *other);
    remove_folder();
    return code;
}
