/* test_formats.c [FORMAT | PART PARTS]: every format in the list, or that one, against cs_di_gaxpy
 * of CXSparse. */
#include "tests/dense.h"
#include "tests/parts.h"

#include <cs.h>
#include <math.h>

/* A, or A', for CXSparse, to be freed by cs_di_spfree. */
static cs_di *reference(const gsolve_csr *A, bool transposed)
{
    cs_di columns = {.nzmax = (int)gsolve_csr_entries(A),
                     .m = A->ncols,
                     .n = A->nrows,
                     .p = (int *)(uintptr_t)A->start,
                     .i = (int *)(uintptr_t)A->col,
                     .x = (double *)(uintptr_t)A->value,
                     .nz = -1}; /* of A' */
    cs_di *rows = cs_di_transpose(&columns, 1), *back = NULL;
    assert_non_null(rows);
    if (!transposed) return rows;
    back = cs_di_transpose(rows, 1);
    assert_non_null(back);
    cs_di_spfree(rows);
    return back;
}

static gsolve_dense new_dense(int32_t nrows, int32_t ncols, gsolve_type type, uint64_t seed)
{
    const gsolve_dense v = {
        nrows, ncols,       nrows + 3,          calloc((size_t)(nrows + 3) * (size_t)ncols + 1, 8),
        type,  GSOLVE_HOST, GSOLVE_COLUMN_MAJOR};
    for (int32_t c = 0; c < ncols; c++) {
        for (int32_t i = 0; i < nrows; i++) {
            set(v, c * v.stride + i, gsolve_random(seed, (uint64_t)(c * (int64_t)nrows + i)));
        }
    }
    return v;
}

/* The operands of y = alpha op(A) x + beta y. exact: op(A) x by CXSparse for the first and for the
 * new values of A. */
typedef struct side {
    gsolve_dense x, before, y; /* before: y on entry */
    double *exact[2];
} side;

/* A matrix of one type with its first and its new values, and the exact products of A and A'. They
 * are computed once for all formats. */
typedef struct problem {
    gsolve_csr A[2];
    side side[2];    /* of A and of A' */
    int32_t columns; /* of x and y */
} problem;

static size_t bytes_of(gsolve_dense v, int32_t columns)
{
    return (size_t)(v.stride * columns) * gs_type_size(v.type);
}

/* op(A) x in double precision, column by column without gaps. */
static double *exact_product(const gsolve_csr *A, bool transposed, gsolve_dense x, int32_t rows)
{
    cs_di *S = reference(A, transposed);
    double *xd = calloc((size_t)x.nrows + 1, 8);
    double *exact = calloc((size_t)rows * (size_t)x.ncols + 1, 8);

    for (int32_t c = 0; c < x.ncols; c++) {
        for (int32_t i = 0; i < x.nrows; i++) xd[i] = get(x, c * x.stride + i);
        cs_di_gaxpy(S, xd, exact + c * (int64_t)rows); /* y += A x */
    }
    free(xd);
    cs_di_spfree(S);
    return exact;
}

/* wide is in double precision. The function leaves the new values in it. */
static problem new_problem(gsolve_context *ctx, gsolve_csr *wide, gsolve_type type, int32_t columns)
{
    problem p = {.columns = columns};

    for (int transposed = 0; transposed < 2; transposed++) {
        const int32_t in = transposed ? wide->nrows : wide->ncols;
        const int32_t out = transposed ? wide->ncols : wide->nrows;
        side *s = &p.side[transposed];
        s->x = new_dense(in, columns, type, 1);
        s->before = new_dense(out, columns, type, 2);
        s->y = new_dense(out, columns, type, 2);
    }
    for (int given = 0; given < 2; given++) {
        for (int64_t k = 0; given && k < gsolve_csr_entries(wide); k++) {
            ((double *)(uintptr_t)wide->value)[k] = gsolve_random(3, (uint64_t)k);
        }
        OK(ctx, gsolve_csr_convert(&p.A[given], ctx, type, wide));
        for (int transposed = 0; transposed < 2; transposed++) {
            side *s = &p.side[transposed];
            s->exact[given] = exact_product(wide, transposed, s->x, s->y.nrows);
        }
    }
    return p;
}

static void free_problem(gsolve_context *ctx, problem *p)
{
    for (int k = 0; k < 2; k++) {
        gsolve_csr_free(&p->A[k], ctx);
        free(p->side[k].x.value);
        free(p->side[k].before.value);
        free(p->side[k].y.value);
        for (int given = 0; given < 2; given++) free(p->side[k].exact[given]);
    }
}

/* Fails the test; the message names the format, the matrix and the product. */
__attribute__((format(printf, 3, 4))) static void wrong_product(const gsolve_matrix *M,
                                                                bool transposed, const char *text,
                                                                ...)
{
    gsolve_matrix_info info = GSOLVE_INIT(gsolve_matrix_info);
    char message[200];
    va_list list;

    va_start(list, text);
    vsnprintf(message, sizeof message, text, list);
    va_end(list);
    gsolve_matrix_describe(M, &info);
    fail_msg("%s, A %d x %d in %s, y = %s x: %s", info.form, info.nrows, info.ncols,
             info.type == GSOLVE_F32 ? "f32" : "f64", transposed ? "A'" : "A", message);
}

/* Checks y = alpha op(A) x + beta y in the first columns. M has the values of p->A[given]. */
static void check_product(gsolve_context *ctx, const gsolve_matrix *M, const problem *p, int given,
                          bool transposed, int32_t columns, int variant)
{
    const side *s = &p->side[transposed];
    const double tolerance = s->x.type == GSOLVE_F32 ? 1e-4 : 1e-12;
    const double alpha = variant % 2 ? -0.5 : 1, beta = variant / 2 ? 2 : 0;
    gsolve_dense x = s->x, y = s->y;

    x.ncols = y.ncols = columns;
    memcpy(y.value, s->before.value, bytes_of(y, columns));
    if (beta == 0 && y.nrows > 0) set(y, 0, NAN); /* must not be read */
    if ((transposed ? gsolve_matrix_apply_transpose : gsolve_matrix_apply)(M, alpha, x, beta, y)) {
        wrong_product(M, transposed, "%s", gsolve_error(ctx));
    }
    for (int32_t c = 0; c < columns; c++) {
        const double *exact = s->exact[given] + c * (int64_t)y.nrows;
        for (int32_t i = 0; i < y.nrows; i++) {
            const double want = alpha * exact[i] + beta * get(s->before, c * y.stride + i);
            const double got = get(y, c * y.stride + i);
            if (!(fabs(got - want) <= tolerance * (1 + fabs(want)) * 100)) {
                wrong_product(M, transposed, "row %d: %g instead of %g", i, got, want);
            }
        }
        assert_true(get(y, c * y.stride + y.nrows) == 0); /* nothing behind the column */
    }
}

enum { MOST_SPECS = 256, SPEC = 64 };

static const char *only; /* that format */

/* Whether the CPU refuses the option. */
static bool is_of_a_gpu(const gsolve_option *o)
{
    static const char begin[] = "only on a GPU";
    return strncmp(o->help, begin, sizeof begin - 1) == 0;
}

/* The formats that ctx knows, each with every word of its options of words, and some more; returns
 * how many. */
static int specs_of(const gsolve_context *ctx, char spec[MOST_SPECS][SPEC])
{
    static const char *const more[] = {
        "cusparse,alg=sell,slice=7",
        "cusparse,alg=sell,slice=128",
        "cusparse,alg=bsr,block=2",
        "cusparse,alg=bsr,block=3",
        "cusparse,alg=bsr,block=5",
        "cusparse,alg=bsr,block=32",
        "sell,sigma=1,most=1000",
        "sell,slice=8,sigma=64",
        "sell,slice=64,sigma=1000",
        "sell,most=5,index=16",
        "sell,index=16,value=auto",
        "sell,slice=16,index=16",
        "ellr,threads=1,index=16",
        "ellr,threads=4,most=9",
        "ellr,threads=32,index=16",
        "ellr,block=64,rows=40",
        "bce,blocks=2",
        "bce,window=1024",
        "bsr,block=2",
        "bsr,block=3",
        "bsr,block=4",
        "bsr,block=5",
        "bsr,block=6",
        "bsr,block=7",
        "bsr,block=8",
        "hyb,width=1",
        "hyb,width=7",
        "segmented,length=1",
        "segmented,length=4",
        "segmented,length=1024",
        "bsr,block=3,index=32",
    };
    static const char *const on_a_gpu[] = {
        "segmented,length=4,order=columns",
        "segmented,length=2,sum=reduce,order=columns",
        "segmented,length=8,order=length",
        "segmented,length=1024,order=rows,sum=thread",
        "speculative,steps=1",
        "speculative,steps=1,bunches=1",
        "speculative,bunches=3",
    };
    const bool gpu = gs_on_gpu(ctx);
    const gsolve_plugin *format;
    int count = 0;

    for (int f = 0; (format = gsolve_format_at(ctx, f)); f++) {
        if (only && strcmp(format->name, only) != 0) continue;
        snprintf(spec[count++], SPEC, "%s", format->name);
        for (const gsolve_option *o = format->option; o && o->key; o++) {
            if (!gpu && is_of_a_gpu(o)) continue;
            for (const char *word = o->choices; word && *word; word += *word == '|') {
                const size_t length = strcspn(word, "|");
                snprintf(spec[count++], SPEC, "%s,%s=%.*s", format->name, o->key, (int)length,
                         word);
                word += length;
            }
        }
        for (size_t k = 0; k < sizeof more / sizeof *more; k++) {
            if (gs_spec_is(more[k], format->name)) snprintf(spec[count++], SPEC, "%s", more[k]);
        }
        for (size_t k = 0; gpu && k < sizeof on_a_gpu / sizeof *on_a_gpu; k++) {
            if (!gs_spec_is(on_a_gpu[k], format->name)) continue;
            snprintf(spec[count++], SPEC, "%s", on_a_gpu[k]);
        }
        assert_true(count < MOST_SPECS - 16);
    }
    return count;
}

/* Multiplies one column and several by A and by A'. Each product uses one of the four pairs of
 * alpha and beta; with the new values it uses the other alpha and the other beta. Either A or A' is
 * multiplied by more than two columns. rotation selects all this, so that every format meets every
 * choice with several matrices. */
static void check_products(gsolve_context *ctx, const gsolve_matrix *M, const problem *p, int given,
                           int32_t several, int rotation)
{
    for (int kind = 0; kind < 4; kind++) {
        const bool transposed = kind % 2;
        /* more columns of a long y are no other case */
        const bool few = transposed == rotation % 2 || p->side[transposed].y.nrows > 100000;
        const int variant = (rotation / 2 + kind) % 4;
        check_product(ctx, M, p, given, transposed,
                      kind < 2 ? 1
                      : few    ? 2
                               : several,
                      given ? 3 - variant : variant);
    }
}

/* The sums that a product makes on its way, against those over the y that it wrote. */
static void check_dots(gsolve_context *ctx, const gsolve_matrix *M, const problem *p,
                       int32_t columns)
{
    gsolve_dense x = p->side[0].x, y = p->side[0].y;
    gsolve_dense w = new_dense(y.nrows, columns, y.type, 5);
    gsolve_dense plain = new_dense(y.nrows, columns, y.type, 2);
    /* a block's sums may run in another order than those of a column */
    const double rounding = columns == 1 ? 0 : y.type == GSOLVE_F32 ? 1e-4 : 1e-12;
    double wy[8], yy[8], alone[8];

    x.ncols = y.ncols = columns;
    memcpy(y.value, plain.value, bytes_of(y, columns));
    OK(ctx, gsolve_matrix_apply_dot(M, x, y, w, alone, NULL));
    OK(ctx, gsolve_matrix_apply_dot(M, x, y, w, wy, yy));
    OK(ctx, gsolve_matrix_apply(M, 1, x, 0, plain));
    for (int32_t c = 0; c < columns; c++) {
        double with = 0, own = 0, size = 0;
        for (int32_t i = 0; i < y.nrows; i++) {
            const int64_t at = c * y.stride + i;
            with += get(w, at) * get(y, at);
            own += get(y, at) * get(y, at);
            size += fabs(get(w, at) * get(y, at));
            assert_true(fabs(get(y, at) - get(plain, at)) <= rounding * (1 + fabs(get(y, at))));
        }
        assert_true(fabs(wy[c] - with) <= 1e-13 * size);
        assert_true(fabs(alone[c] - with) <= 1e-13 * size);
        assert_true(fabs(yy[c] - own) <= 1e-13 * own);
    }
    free(w.value);
    free(plain.value);
}

/* Whether the format of that spec takes several columns at once: else they are products of one. */
static bool takes_blocks(const gsolve_context *ctx, const char *spec)
{
    const gsolve_plugin *format = NULL;

    for (int f = 0; (format = gsolve_format_at(ctx, f)); f++) {
        if (gs_spec_is(spec, format->name)) break;
    }
    return format && gs_format_of(format)->apply_block;
}

/* A format may refuse a matrix for too much padding (see docs/howto/write_a_format.md), but none of
 * the nasty ones. */
static void conform(gsolve_context *ctx, const char *spec, const problem *p, int rotation,
                    bool nasty_one)
{
    gsolve_matrix *M = NULL;

    if (!create_or_refused(&M, ctx, spec, &p->A[0])) {
        if (nasty_one) fail_msg("%s refuses a small matrix: %s", spec, gsolve_error(ctx));
        return;
    }
    check_products(ctx, M, p, 0, takes_blocks(ctx, spec) ? p->columns : 2, rotation);
    /* the bits of csr1 may change */
    if (!strstr(spec, "alg=csr1")) check_dots(ctx, M, p, rotation % 2 ? 6 : 1);
    OK(ctx, gsolve_matrix_update(M, &p->A[1])); /* new values in the same pattern */
    check_products(ctx, M, p, 1, 2, rotation);
    gsolve_matrix_destroy(&M);
}

static void conformance(void **state)
{
    gsolve_context *ctx = open_context(2);
    char spec[MOST_SPECS][SPEC];
    const int specs = specs_of(ctx, spec);
    /* x is irregularly read, and larger than 1 MiB in both types; the lengths of short rows change,
     * in several tasks */
    static const char *const more[] = {"gen:random,n=3000,cols=264000,row=9",
                                       "gen:circuit,n=9000,dense=0"};
    enum { MORE = sizeof more / sizeof *more };
    (void)state;

    for (int m = 0; m < NASTY + MORE; m++) {
        gsolve_csr A = read_matrix(ctx, m < NASTY ? nasty[m] : more[m - NASTY]);
        for (int type = 0; type < GSOLVE_TYPE_COUNT; type++) {
            gsolve_csr wide;
            OK(ctx, gsolve_csr_convert(&wide, ctx, GSOLVE_F64, &A));
            /* fifteen columns are eight, four, two and one */
            problem p = new_problem(ctx, &wide, (gsolve_type)type, 15);
            for (int f = 0; f < specs; f++) {
                if (is_mine()) conform(ctx, spec[f], &p, m + type + f, m < NASTY);
            }
            free_problem(ctx, &p);
            gsolve_csr_free(&wide, ctx);
        }
        gsolve_csr_free(&A, ctx);
    }
    close_context(ctx);
}

/* The CPU refuses options that work on a GPU only, and says so. */
static void options_of_a_gpu(void **state)
{
    static const char *const specs[] = {"segmented,sum=thread", "segmented,order=rows",
                                        "speculative,width=4", "speculative,steps=2",
                                        "speculative,bunches=8"};
    gsolve_context *ctx = open_context(2);
    gsolve_csr A = read_matrix(ctx, "gen:poisson2d,n=8");
    (void)state;

    for (size_t k = 0; k < sizeof specs / sizeof *specs; k++) {
        gsolve_matrix *M = NULL;
        const gsolve_status status = gsolve_matrix_create(&M, ctx, specs[k], &A);
        assert_int_equal(status, gs_on_gpu(ctx) ? GSOLVE_OK : GSOLVE_UNSUPPORTED);
        if (status != GSOLVE_OK) assert_non_null(strstr(gsolve_error(ctx), "on a GPU only"));
        gsolve_matrix_destroy(&M);
    }
    gsolve_csr_free(&A, ctx);
    close_context(ctx);
}

/* Long rows all over an x that is large in that type, but every seventh row shorter or empty. */
static gsolve_csr read_long_rows(gsolve_context *ctx, gsolve_type type)
{
    gsolve_csr A = read_matrix(ctx, type == GSOLVE_F32 ? "gen:lp,n=1100,cols=290000,row=370"
                                                       : "gen:lp,n=1100,cols=150000,row=370");
    int32_t *start = (int32_t *)(uintptr_t)A.start, *col = (int32_t *)(uintptr_t)A.col;
    double *value = (double *)(uintptr_t)A.value;
    int32_t from = 0, at = 0;

    for (int32_t i = 0; i < A.nrows; i++) {
        const int32_t n = start[i + 1] - from, kept = i % 7 == 3 ? i % 3 * 150 : n;
        memmove(col + at, col + from, (size_t)kept * sizeof *col);
        memmove(value + at, value + from, (size_t)kept * sizeof *value);
        from = start[i + 1];
        at += kept;
        start[i + 1] = at;
    }
    return A;
}

static void rows_by_strips(void **state)
{
    gsolve_context *ctx = open_context(2);
    char spec[MOST_SPECS][SPEC];
    const int specs = specs_of(ctx, spec);
    (void)state;

    for (int type = 0; type < GSOLVE_TYPE_COUNT; type++) {
        gsolve_csr A = read_long_rows(ctx, (gsolve_type)type);
        problem p = new_problem(ctx, &A, (gsolve_type)type, 3);
        for (int f = 0; f < specs; f++) {
            gsolve_matrix *M = NULL;
            if (strchr(spec[f], ',') && !gs_spec_is(spec[f], "sell")) continue;
            if (!is_mine()) continue;
            if (!create_or_refused(&M, ctx, spec[f], &p.A[0])) continue;
            for (int variant = 0; variant < 4; variant++) {
                check_product(ctx, M, &p, 0, false, 1, variant);
                check_product(ctx, M, &p, 0, false, 3, variant);
            }
            check_dots(ctx, M, &p, 1);
            gsolve_matrix_destroy(&M);
        }
        free_problem(ctx, &p);
        gsolve_csr_free(&A, ctx);
    }
    close_context(ctx);
}

/* Whether row i of A has an entry in that column. */
static bool has_entry(const gsolve_csr *A, int32_t i, int32_t column)
{
    for (int64_t k = gs_start(A, i); k < gs_start(A, i + 1); k++) {
        if (A->col[k] == column) return true;
    }
    return false;
}

/* An infinite element of x reaches only rows with an entry in its column: padding multiplies
 * nothing. Blocks of bsr hold zeros, and so do some of cuSPARSE's forms. */
static void infinite_x(void **state)
{
    static const char *const names[] = {"gen:poisson2d,n=40", "gen:emptyrows,n=600",
                                        "gen:circuit,n=3000,dense=1", "gen:random,n=700,row=5"};
    gsolve_context *ctx = open_context(2);
    char spec[MOST_SPECS][SPEC];
    const int specs = specs_of(ctx, spec);
    (void)state;

    for (size_t m = 0; m < sizeof names / sizeof *names; m++) {
        gsolve_csr A = read_matrix(ctx, names[m]);
        gsolve_dense x = new_dense(A.ncols, 1, GSOLVE_F64, 1);
        gsolve_dense y = new_dense(A.nrows, 1, GSOLVE_F64, 2);
        set(x, 0, INFINITY);
        for (int f = 0; f < specs; f++) {
            gsolve_matrix *M = NULL;
            if (gs_spec_is(spec[f], "bsr") || gs_spec_is(spec[f], "cusparse")) continue;
            if (!create_or_refused(&M, ctx, spec[f], &A)) continue;
            OK(ctx, gsolve_matrix_apply(M, 1, x, 0, y));
            for (int32_t i = 0; i < A.nrows; i++) {
                if (isfinite(get(y, i)) || has_entry(&A, i, 0)) continue;
                wrong_product(M, false, "row %d: %g for an infinite x[0], where A has no entry", i,
                              get(y, i));
            }
            gsolve_matrix_destroy(&M);
        }
        free(x.value);
        free(y.value);
        gsolve_csr_free(&A, ctx);
    }
    close_context(ctx);
}

/* The same bits for any number of threads, for one column or many, and from 64-bit offsets. On a
 * GPU csr converts many columns to row-major where rows are long or differ; these have other bits.
 */
static void bits(void **state)
{
    enum { COLUMNS = 15 }; /* eight, four, two and one */
    static const char *const names[] = {
        "gen:rmat,scale=11,degree=40", "gen:circuit,n=90000,dense=2", "gen:poisson2d,n=200",
        "gen:random,n=140000,row=5", "gen:lp,n=1100,cols=150000,row=370"};
    (void)state;

    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        double *first = NULL, first_dot = 0;
        for (int threads = 1; threads <= 8; threads = threads == 3 ? 8 : threads + 1) {
            gsolve_context *ctx = open_context(threads);
            gsolve_csr A = read_matrix(ctx, names[k]), wide = A;
            const int32_t n = A.nrows, m = A.ncols;
            int64_t *start = malloc(((size_t)n + 1) * sizeof *start);
            double *x = random_vector(COLUMNS * (int64_t)m, 3), dot;
            double *y = malloc((size_t)n * COLUMNS * 8);
            const bool as_alone = !gs_on_gpu(ctx) || strstr(names[k], "poisson2d");
            gsolve_matrix *M = NULL;
            for (int32_t i = 0; i <= n; i++) start[i] = gs_start(&A, i);
            wide.start = start;
            wide.offset = GSOLVE_O64;
            OK(ctx, gsolve_matrix_create(&M, ctx, "csr", threads == 2 ? &wide : &A));
            const gsolve_dense X = {m, COLUMNS, m, x, GSOLVE_F64, GSOLVE_HOST, GSOLVE_COLUMN_MAJOR};
            const gsolve_dense Y = {n, COLUMNS, n, y, GSOLVE_F64, GSOLVE_HOST, GSOLVE_COLUMN_MAJOR};
            OK(ctx, gsolve_matrix_apply(M, 1, X, 0, Y));
            double *one = malloc((size_t)n * 8);
            OK(ctx, gsolve_matrix_apply_dot(M, gsolve_vector(x, m), gsolve_vector(one, n),
                                            gsolve_vector(x, n), &dot, NULL));
            if (as_alone) assert_memory_equal(one, y, (size_t)n * 8);
            for (int32_t c = 0; as_alone && c < COLUMNS; c++) {
                OK(ctx, gsolve_matrix_apply(M, 1, gs_column_of(X, c), 0, gsolve_vector(one, n)));
                assert_memory_equal(one, gs_column_of(Y, c).value, (size_t)n * 8);
            }
            if (!first) {
                first = y;
                first_dot = dot;
            } else {
                assert_memory_equal(first, y, (size_t)n * COLUMNS * 8);
                assert_memory_equal(&first_dot, &dot, sizeof dot);
                free(y);
            }
            free(one);
            free(x);
            free(start);
            gsolve_matrix_destroy(&M);
            gsolve_csr_free(&A, ctx);
            close_context(ctx);
        }
        free(first);
    }
}

static void updates(void **state)
{
    gsolve_context *ctx = open_context(2);
    int32_t start[] = {0, 3, 5}, col[] = {1, 0, 1, 0, 1}; /* unsorted, with a duplicate */
    double value[] = {1, 2, 3, 4, 5}, x[] = {1, 10}, y[2];
    gsolve_csr csr = gsolve_csr_view(2, start, col, value);
    gsolve_matrix *M = NULL;
    gsolve_matrix_info info = GSOLVE_INIT(gsolve_matrix_info);
    (void)state;

    OK(ctx, gsolve_matrix_create(&M, ctx, "auto", &csr));
    OK(ctx, gsolve_matrix_apply(M, 1, gsolve_vector(x, 2), 0, gsolve_vector(y, 2)));
    assert_true(y[0] == 42 && y[1] == 54);
    OK(ctx, gsolve_matrix_apply_transpose(M, 1, gsolve_vector(x, 2), 0, gsolve_vector(y, 2)));
    assert_true(y[0] == 42 && y[1] == 54);
    for (int k = 0; k < 5; k++) value[k] *= 2;
    value[4] = 0;
    OK(ctx, gsolve_matrix_update(M, &csr));
    OK(ctx, gsolve_matrix_apply(M, 1, gsolve_vector(x, 2), 0, gsolve_vector(y, 2)));
    assert_true(y[0] == 84 && y[1] == 8);
    OK(ctx, gsolve_matrix_apply_transpose(M, 1, gsolve_vector(x, 2), 0, gsolve_vector(y, 2)));
    assert_true(y[0] == 84 && y[1] == 8);
    gsolve_matrix_describe(M, &info);
    assert_int_equal(info.version, 2);
    assert_int_equal(info.entries, 4);
    col[0] = 0;
    assert_int_equal(gsolve_matrix_update(M, &csr), GSOLVE_BAD_MATRIX);
    assert_non_null(strstr(gsolve_error(ctx), "pattern or type"));
    gsolve_matrix_destroy(&M);
    close_context(ctx);
}

static void misuse(void **state)
{
    gsolve_context *ctx = open_context(1);
    gsolve_csr A = read_matrix(ctx, "gen:random,n=5,cols=8"), given = A;
    gsolve_matrix *M = NULL;
    double v[8] = {0}, r;
    (void)state;

    assert_int_equal(gsolve_matrix_create(&M, ctx, "dense", &A), GSOLVE_BAD_SPEC);
    assert_non_null(strstr(gsolve_error(ctx), "csr"));
    assert_int_equal(gsolve_matrix_create(NULL, ctx, "csr", &A), GSOLVE_BAD_ARGUMENT);
    assert_null(M);
    ALLOCATION_SWEEP(ctx, gsolve_matrix_create(&M, ctx, "csr", &A));
    assert_int_equal(gsolve_matrix_apply(M, 1, gsolve_vector(v, 5), 0, gsolve_vector(v, 5)),
                     GSOLVE_BAD_ARGUMENT);
    assert_non_null(strstr(gsolve_error(ctx), "8"));
    assert_int_equal(gsolve_matrix_apply(M, 1, gsolve_vector(NULL, 8), 0, gsolve_vector(v, 5)),
                     GSOLVE_BAD_ARGUMENT);
    assert_int_equal(gsolve_matrix_apply_dot(M, gsolve_vector(v, 8), gsolve_vector(v, 5),
                                             gsolve_vector(v, 8), &r, NULL),
                     GSOLVE_BAD_ARGUMENT);
    assert_int_equal(gsolve_matrix_apply_dot(M, gsolve_vector(v, 8), gsolve_vector(v, 5),
                                             gsolve_vector(v, 5), NULL, NULL),
                     GSOLVE_BAD_ARGUMENT);
    gsolve_matrix_destroy(&M);
    ALLOCATION_SWEEP(ctx, gsolve_matrix_create_owned(&M, ctx, "csr", &given));
    assert_null(given.start); /* the matrix owns the arrays now */
    gsolve_matrix_destroy(&M);
    close_context(ctx);
}

/* |b - Ax| / |b| on numbers whose squares overflow or vanish. */
static void residual(void **state)
{
    const double scales[] = {1, 1e200, 1e-200};
    gsolve_context *ctx = open_context(2);
    gsolve_csr A = read_matrix(ctx, "gen:tridiagonal,n=3,low=0,diag=1,high=0");
    gsolve_matrix *M = NULL;
    (void)state;

    OK(ctx, gsolve_matrix_create(&M, ctx, "csr", &A));
    for (int k = 0; k < 3; k++) {
        double b[] = {3 * scales[k], 4 * scales[k], 0}, x[] = {3 * scales[k], 3.5 * scales[k], 0},
               r;
        OK(ctx, gsolve_matrix_residual(M, gsolve_vector(b, 3), gsolve_vector(x, 3), &r));
        assert_true(fabs(r - 0.1) < 1e-15);
        b[0] = b[1] = 0;
        x[0] = x[1] = 0;
        OK(ctx, gsolve_matrix_residual(M, gsolve_vector(b, 3), gsolve_vector(x, 3), &r));
        assert_true(r == 0);
    }
    gsolve_matrix_destroy(&M);
    gsolve_csr_free(&A, ctx);
    close_context(ctx);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest shared[] = {
        cmocka_unit_test(conformance),
        cmocka_unit_test(rows_by_strips),
    };
    const struct CMUnitTest other[] = {
        cmocka_unit_test(infinite_x), cmocka_unit_test(bits),
        cmocka_unit_test(updates),    cmocka_unit_test(misuse),
        cmocka_unit_test(residual),   cmocka_unit_test(options_of_a_gpu),
    };

    need_device();
    only = argc == 2 ? argv[1] : NULL;
    take_part(argc, argv);
    return RUN_PARTS(shared, other);
}
