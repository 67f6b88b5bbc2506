/* test_same_bits.c: repeated work gives the same bits: ten products in every format, and four
 * solves of many steps by every method with every preconditioner. On a GPU the systems are large
 * enough for many blocks.
 *
 *     test_same_bits [FORMAT | PART PARTS]
 *
 * FORMAT: that format and nothing else. PART of PARTS, from 1: every PARTS-th piece of the work, so
 * that several processes share it. */
#include "tests/parts.h"

enum { TIMES = 10, SOLVES = 4 };

static const double ROOM = 8e9; /* bytes of a GPU, more than a form takes that is not refused */

/* The small ones for the CPU, the large ones for a GPU. */
static const char *const products[][2] = {
    {"gen:rmat,scale=10,degree=20", "gen:rmat,scale=17,degree=16"},
    {"gen:poisson3d,n=14", "gen:poisson3d,n=90"},
    {"gen:convdiff3d,n=12", "gen:convdiff3d,n=70"},
    {"gen:circuit,n=4000,dense=2", "gen:circuit,n=300000,dense=2"},
    {"gen:random,n=700,cols=2500,row=9", "gen:random,n=70000,cols=250000,row=9"},
};
static const char *const systems[][2] = {
    {"gen:rmat,scale=9,degree=8", "gen:rmat,scale=13,degree=8"},
    {"gen:poisson2d,n=24", "gen:poisson2d,n=110"},
    {"gen:convdiff3d,n=8", "gen:convdiff3d,n=24"},
};

static const char *only; /* that format and nothing else, if not NULL */

static bool on_gpu(const gsolve_context *ctx)
{
    return gsolve_stream(ctx) != NULL;
}

/* --- products --------------------------------------------------------------------------------- */

enum { COLUMNS = 3 };

typedef struct operands {
    int32_t nrows, ncols, longer; /* of A; the larger of the two */
    gsolve_type type;
    void *x, *y;
    double dots[COLUMNS];
} operands;

static gsolve_dense dense(const operands *o, void *value, int32_t rows, int32_t columns)
{
    return (gsolve_dense){rows,    columns,     o->longer,          value,
                          o->type, GSOLVE_HOST, GSOLVE_COLUMN_MAJOR};
}

static operands new_operands(const gsolve_csr *A)
{
    operands o = {.nrows = A->nrows, .ncols = A->ncols, .type = A->type};
    o.longer = A->nrows > A->ncols ? A->nrows : A->ncols;
    const size_t count = (size_t)o.longer * COLUMNS;

    o.x = calloc(count, 8);
    o.y = calloc(count, 8);
    for (size_t i = 0; i < count; i++) {
        const double value = gsolve_random(11, i);
        if (A->type == GSOLVE_F32) {
            ((float *)o.x)[i] = (float)value;
        } else {
            ((double *)o.x)[i] = value;
        }
    }
    return o;
}

/* y and the sums are 0 to begin with, then the kind-th product of x. */
static gsolve_status multiply(const gsolve_matrix *A, operands *o, int kind)
{
    const int32_t m = o->nrows, n = o->ncols;

    memset(o->y, 0, (size_t)o->longer * COLUMNS * 8);
    memset(o->dots, 0, sizeof o->dots);
    switch (kind) {
    case 0: return gsolve_matrix_apply(A, 1, dense(o, o->x, n, 1), 0, dense(o, o->y, m, 1));
    case 1:
        return gsolve_matrix_apply(A, -0.7, dense(o, o->x, n, COLUMNS), 2,
                                   dense(o, o->y, m, COLUMNS));
    case 2:
        return gsolve_matrix_apply_transpose(A, 1, dense(o, o->x, m, COLUMNS), 0,
                                             dense(o, o->y, n, COLUMNS));
    default:
        return gsolve_matrix_apply_dot(A, dense(o, o->x, n, COLUMNS), dense(o, o->y, m, COLUMNS),
                                       dense(o, o->x, m, COLUMNS), o->dots, NULL);
    }
}

/* A form whose padding is beyond measure may be refused, the first time; csr never. Not because
 * others have filled the device. */
static bool refused(gsolve_context *ctx, const char *format, gsolve_status status, int time)
{
    if (status == GSOLVE_OK) return false;
    if (time > 0 || strcmp(format, "csr") == 0 ||
        (status != GSOLVE_NO_MEMORY && status != GSOLVE_UNSUPPORTED)) {
        fail_msg("%s, the %dth time: %s", format, time + 1, gsolve_error(ctx));
    }
    need_memory(ctx, ROOM);
    return true;
}

static void repeat_products(gsolve_context *ctx, const char *format, const gsolve_csr *csr)
{
    enum { KINDS = 4 };
    const int kinds = csr->nrows == csr->ncols ? KINDS : KINDS - 1;
    operands o = new_operands(csr);
    const size_t bytes = (size_t)o.longer * COLUMNS * 8;
    bool skipped[KINDS] = {false};
    double dots[KINDS][COLUMNS];
    char *first = malloc(bytes * KINDS);
    gsolve_matrix *A = NULL;

    for (int time = 0; time < TIMES; time++) {
        if (time % 5 == 0) { /* a format is built the same way twice */
            gsolve_matrix_destroy(&A);
            const gsolve_status made = gsolve_matrix_create(&A, ctx, format, csr);
            if (refused(ctx, format, made, time)) break;
        }
        for (int kind = 0; kind < kinds; kind++) {
            char *y = first + (size_t)kind * bytes;
            if (skipped[kind]) continue;
            skipped[kind] = refused(ctx, format, multiply(A, &o, kind), time); /* A' may be */
            if (time == 0) {
                memcpy(y, o.y, bytes);
                memcpy(dots[kind], o.dots, sizeof o.dots);
            } else if (memcmp(y, o.y, bytes) != 0 ||
                       memcmp(dots[kind], o.dots, sizeof o.dots) != 0) {
                fail_msg("%s: product %d has other bits the %dth time", format, kind, time + 1);
            }
        }
    }
    gsolve_matrix_destroy(&A);
    free(first);
    free(o.x);
    free(o.y);
}

/* A format as it is, and with each word of its options of words, but for those that choose by time:
 * two matrices may be two forms then, with bits of their own. */
static void repeat_format(gsolve_context *ctx, const gsolve_plugin *format, const gsolve_csr *csr)
{
    char spec[64];

    repeat_products(ctx, format->name, csr);
    for (const gsolve_option *o = format->option; o && o->key; o++) {
        for (const char *word = o->choices; word && *word; word += *word == '|') {
            const size_t length = strcspn(word, "|");
            snprintf(spec, sizeof spec, "%s,%s=%.*s", format->name, o->key, (int)length, word);
            if (strncmp(word, "measure", length) != 0) repeat_products(ctx, spec, csr);
            word += length;
        }
    }
}

static void formats(void **state)
{
    gsolve_context *ctx = open_context(1);
    const gsolve_plugin *format;
    (void)state;

    for (size_t m = 0; m < sizeof products / sizeof *products; m++) {
        gsolve_csr wide = read_matrix(ctx, products[m][on_gpu(ctx)]);
        for (int type = 0; type < GSOLVE_TYPE_COUNT; type++) {
            gsolve_csr csr;
            OK(ctx, gsolve_csr_convert(&csr, ctx, (gsolve_type)type, &wide));
            for (int f = 0; (format = gsolve_format_at(ctx, f)); f++) {
                if (strcmp(format->name, "cusparse") == 0) continue; /* promises no bits */
                if (only && strcmp(format->name, only) != 0) continue;
                if (is_mine()) repeat_format(ctx, format, &csr);
            }
            gsolve_csr_free(&csr, ctx);
        }
        gsolve_csr_free(&wide, ctx);
    }
    close_context(ctx);
}

/* --- solves ----------------------------------------------------------------------------------- */

typedef struct solve {
    double *x;
    gsolve_result result;
} solve;

static solve run_once(gsolve_context *ctx, gsolve_solver *S, double *b, int32_t n)
{
    solve s = {calloc((size_t)n + 1, sizeof *s.x), GSOLVE_INIT(gsolve_result)};
    OK(ctx, gsolve_solver_run(S, gsolve_vector(b, n), gsolve_vector(s.x, n), &s.result));
    return s;
}

static void repeat_solves(gsolve_context *ctx, const char *spec, const gsolve_matrix *A,
                          const gsolve_precond *M, double *b, int32_t n)
{
    gsolve_precond_info info = GSOLVE_INIT(gsolve_precond_info);
    gsolve_solver *S = NULL;
    solve first = {0};

    gsolve_precond_describe(M, &info);
    for (int time = 0; time < SOLVES; time++) {
        if (time % 2 == 0) {
            gsolve_solver_destroy(&S);
            OK(ctx, gsolve_solver_create(&S, ctx, spec, A, M));
        }
        const solve again = run_once(ctx, S, b, n);
        if (time == 0) {
            first = again;
            continue;
        }
        if (memcmp(first.x, again.x, (size_t)n * sizeof *b) != 0 ||
            memcmp(&first.result.relative_residual, &again.result.relative_residual,
                   sizeof(double)) != 0 ||
            first.result.iterations != again.result.iterations) {
            fail_msg("%s + %s: other bits the %dth time", spec, info.kind, time + 1);
        }
        free(again.x);
    }
    gsolve_solver_destroy(&S);
    free(first.x);
}

/* Steps enough to be recorded and replayed. */
static void limit(char spec[96], const char *method)
{
    snprintf(spec, 96, "%s,maxit=%s", method,
             strncmp(method, "direct", 6) == 0   ? "1"
             : strncmp(method, "refine", 6) == 0 ? "2,inner_maxit=12"
                                                 : "40");
}

/* All methods on A with one preconditioner, as far as it takes A; its set-up is made twice. */
static bool repeat_methods(gsolve_context *ctx, const char *precond, const gsolve_csr *csr,
                           const gsolve_matrix *A, double *b)
{
    static const char *const more[] = {"gmres,basis=f32", "idr,s=1", "refine,inner=gmres"};
    const gsolve_plugin *method;
    gsolve_precond *M = NULL;
    char spec[96];

    if (gsolve_precond_create(&M, ctx, precond, csr) == GSOLVE_ZERO_PIVOT) return false;
    assert_non_null(M);
    for (int i = 0; (method = gsolve_method_at(i)); i++) {
        if (strcmp(method->name, "direct") == 0 && strcmp(precond, "none") != 0) continue;
        limit(spec, method->name);
        repeat_solves(ctx, spec, A, M, b, csr->nrows);
    }
    for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
        limit(spec, more[i]);
        repeat_solves(ctx, spec, A, M, b, csr->nrows);
    }
    gsolve_precond_destroy(&M);
    return true;
}

static void methods(void **state)
{
    gsolve_context *ctx = open_context(1);
    const gsolve_plugin *precond;
    int taken = 0;
    (void)state;

    for (size_t m = 0; m < sizeof systems / sizeof *systems; m++) {
        gsolve_csr csr = read_matrix(ctx, systems[m][on_gpu(ctx)]);
        gsolve_matrix *A = NULL;
        double *b = random_vector(csr.nrows, 6);
        OK(ctx, gsolve_matrix_create(&A, ctx, "csr", &csr)); /* auto remembers earlier solves */
        for (int j = 0; (precond = gsolve_precond_at(ctx, j)); j++) {
            if (is_mine()) taken += repeat_methods(ctx, precond->name, &csr, A, b);
        }
        gsolve_matrix_destroy(&A);
        gsolve_csr_free(&csr, ctx);
        free(b);
    }
    assert_true(parts.count > 1 || taken >= 16);
    close_context(ctx);
}

/* A preconditioner set up anew, and one brought up to date, are the same. */
static void preconditioners(void **state)
{
    gsolve_context *ctx = open_context(1);
    gsolve_csr csr = read_matrix(ctx, systems[1][on_gpu(ctx)]);
    const int32_t n = csr.nrows;
    double *r = random_vector(n, 6), *z = calloc((size_t)n, 8), *first = calloc((size_t)n, 8);
    const gsolve_plugin *precond;
    (void)state;

    for (int j = 0; (precond = gsolve_precond_at(ctx, j)); j++) {
        gsolve_precond *M = NULL;
        if (!is_mine()) continue;
        for (int time = 0; time < TIMES; time++) {
            if (time % 2 == 0) {
                gsolve_precond_destroy(&M);
                OK(ctx, gsolve_precond_create(&M, ctx, precond->name, &csr));
            } else {
                OK(ctx, gsolve_precond_update(M, &csr));
            }
            OK(ctx, gsolve_precond_apply(M, gsolve_vector(r, n), gsolve_vector(z, n)));
            if (time == 0) memcpy(first, z, (size_t)n * 8);
            if (memcmp(first, z, (size_t)n * 8) != 0) {
                fail_msg("%s has other bits the %dth time", precond->name, time + 1);
            }
        }
        gsolve_precond_destroy(&M);
    }
    gsolve_csr_free(&csr, ctx);
    free(r);
    free(z);
    free(first);
    close_context(ctx);
}

int main(int argc, char **argv)
{
    only = argc == 2 ? argv[1] : NULL;
    take_part(argc, argv);
    need_device();
    const struct CMUnitTest one[] = {cmocka_unit_test(formats)};
    const struct CMUnitTest all[] = {cmocka_unit_test(formats), cmocka_unit_test(methods),
                                     cmocka_unit_test(preconditioners)};
    return only ? cmocka_run_group_tests(one, NULL, NULL) : cmocka_run_group_tests(all, NULL, NULL);
}
