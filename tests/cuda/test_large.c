/* test_large.c: a matrix of more than 2^31 entries, made on the GPU, in every format that takes it.
 * On the CPU, and on the CPU dressed as a device, the same with few rows.
 *
 * Rows repeat every PERIOD rows, so that copies of what was copied make the matrix; 2^31 and 2^32
 * entries are no whole number of periods, so that an offset cut to 32 bits shows. All numbers are
 * small integers, so that sums are exact in any order. Four rows each share 60 columns in a row,
 * which begin at a multiple of four. */
#include "tests/common.h"

enum { PERIOD = 1000, ROW = 60, COLUMNS = 8 * (PERIOD / 4 - 1) + ROW };
enum { MANY = 36000000, FEW = 30 * PERIOD }; /* rows */

static const double LEAST = 40e9;   /* bytes of a device: the rows in csr, and vectors */
static const double NEEDED = 100e9; /* free: for a form of the rows twice as large too */

static gsolve_context *ctx;
static int32_t nrows;

static int32_t column(int32_t i, int32_t k)
{
    return 8 * (i % PERIOD / 4) + k;
}

static double value(int32_t i, int32_t k)
{
    return 1 + (i % PERIOD + k) % 5;
}

static double operand(int32_t j)
{
    return j % 13 - 6;
}

static double exact(int32_t i) /* (A x)_i */
{
    double sum = 0;
    for (int32_t k = 0; k < ROW; k++) sum += value(i, k) * operand(column(i, k));
    return sum;
}

/* --- on the device --------------------------------------------------------------------------- */

/* count elements of size bytes: those at period, on the host, again and again. */
static void *repeated(const void *period, size_t length, size_t count, size_t size)
{
    const gsolve_location location = gs_location(ctx);
    char *all = gsolve_alloc(ctx, location, count, size);
    size_t done = length * size;

    if (!all) fail_msg("%s", gsolve_error(ctx));
    OK(ctx, gsolve_copy(ctx, all, location, period, GSOLVE_HOST, done));
    while (done < count * size) {
        const size_t left = count * size - done, now = done < left ? done : left;
        OK(ctx, gsolve_copy(ctx, all + done, location, all, location, now));
        done += now;
    }
    return all;
}

static void *new_offsets(gsolve_offset width)
{
    const gsolve_location location = gs_location(ctx);
    const size_t count = (size_t)nrows + 1, size = gs_offset_size(width);
    char *host = malloc(count * size), *start = gsolve_alloc(ctx, location, count, size);

    if (!start) fail_msg("%s", gsolve_error(ctx));
    for (size_t i = 0; i < count; i++) {
        if (width == GSOLVE_O64) {
            ((int64_t *)(void *)host)[i] = (int64_t)i * ROW;
        } else {
            ((int32_t *)(void *)host)[i] = (int32_t)i * ROW;
        }
    }
    OK(ctx, gsolve_copy(ctx, start, location, host, GSOLVE_HOST, count * size));
    free(host);
    return start;
}

static gsolve_csr new_rows(void)
{
    static int32_t col[PERIOD * ROW];
    static double values[PERIOD * ROW];
    const size_t entries = (size_t)nrows * ROW;
    const gsolve_offset width = entries > INT32_MAX ? GSOLVE_O64 : GSOLVE_O32;

    for (int32_t i = 0; i < PERIOD; i++) {
        for (int32_t k = 0; k < ROW; k++) {
            col[i * ROW + k] = column(i, k);
            values[i * ROW + k] = value(i, k);
        }
    }
    return (gsolve_csr){nrows,
                        COLUMNS,
                        new_offsets(width),
                        repeated(col, PERIOD * ROW, entries, sizeof *col),
                        repeated(values, PERIOD * ROW, entries, sizeof *values),
                        width,
                        GSOLVE_F64,
                        gs_location(ctx)};
}

/* n numbers on the device, all of them value. */
static gsolve_dense constant(int32_t n, double value_of_all)
{
    return (gsolve_dense){n,
                          1,
                          n,
                          repeated(&value_of_all, 1, (size_t)n, 8),
                          GSOLVE_F64,
                          gs_location(ctx),
                          GSOLVE_COLUMN_MAJOR};
}

static void drop(gsolve_dense v)
{
    gsolve_free(ctx, v.location, v.value);
}

/* --- products -------------------------------------------------------------------------------- */

static void assert_exact(const char *format, gsolve_dense y)
{
    double *host = malloc((size_t)nrows * sizeof *host), period[PERIOD];

    for (int32_t i = 0; i < PERIOD; i++) period[i] = exact(i);
    OK(ctx, gsolve_copy(ctx, host, GSOLVE_HOST, y.value, y.location, (size_t)nrows * sizeof *host));
    for (int32_t i = 0; i < nrows; i++) {
        if (host[i] != period[i % PERIOD]) {
            fail_msg("%s: row %d: %g instead of %g", format, i, host[i], period[i % PERIOD]);
        }
    }
    free(host);
}

static void multiply(const char *format, const gsolve_matrix *A, gsolve_dense x)
{
    const gsolve_dense y = constant(nrows, -1), ones = constant(nrows, 1);
    const gsolve_dense sums = constant(2, -1);
    double whole = 0, square = 0, got[2];

    OK(ctx, gsolve_matrix_apply(A, 1, x, 0, y));
    assert_exact(format, y);
    OK(ctx, gsolve_matrix_apply_dot(A, x, y, ones, sums.value, (double *)sums.value + 1));
    assert_exact(format, y);
    OK(ctx, gsolve_copy(ctx, got, GSOLVE_HOST, sums.value, sums.location, sizeof got));
    for (int32_t i = 0; i < PERIOD; i++) {
        whole += exact(i) * (nrows / PERIOD);
        square += exact(i) * exact(i) * (nrows / PERIOD);
    }
    if (got[0] != whole || got[1] != square) {
        fail_msg("%s: sums %.17g and %.17g instead of %.17g and %.17g", format, got[0], got[1],
                 whole, square);
    }
    drop(sums);
    drop(ones);
    drop(y);
}

/* The rows become A's where the format takes them; else they stay, with a sentence. */
static void try_format(const char *spec, gsolve_csr *rows, gsolve_dense x)
{
    gsolve_matrix *A = NULL;
    gsolve_status status;

    if (!rows->start) *rows = new_rows();
    status = gsolve_matrix_create_owned(&A, ctx, spec, rows);
    if (status != GSOLVE_OK) {
        printf("%s: %s\n", spec, gsolve_error(ctx));
        assert_true(status == GSOLVE_NO_MEMORY || status == GSOLVE_UNSUPPORTED);
        assert_true(strlen(gsolve_error(ctx)) > 20);
        assert_string_not_equal(spec, "csr"); /* which must take it */
        return;
    }
    multiply(spec, A, x);
    gsolve_matrix_destroy(&A);
}

/* Many where the device can hold them. */
static int32_t rows_for_device(void)
{
    size_t unused = 0, total = 0;

    if (!gsolve_stream(ctx)) return FEW;
    OK(ctx, gsolve_context_memory(ctx, &unused, &total));
    if ((double)total < LEAST) {
        printf("few rows: the device has %.3g GB, and many take %.3g\n", 1e-9 * (double)total,
               1e-9 * LEAST);
        return FEW;
    }
    need_memory(ctx, NEEDED);
    return MANY;
}

static void every_format(void **state)
{
    static const char *const more[] = {"bce,index=32", "sell,index=32", "bsr,block=4",
                                       "cusparse,alg=coo"};
    double numbers[COLUMNS];
    const gsolve_plugin *format;
    gsolve_csr rows = {0};
    (void)state;

    ctx = open_context(2);
    nrows = rows_for_device();
    for (int32_t j = 0; j < COLUMNS; j++) numbers[j] = operand(j);
    const gsolve_dense x = {COLUMNS,
                            1,
                            COLUMNS,
                            repeated(numbers, COLUMNS, COLUMNS, sizeof *numbers),
                            GSOLVE_F64,
                            gs_location(ctx),
                            GSOLVE_COLUMN_MAJOR};
    for (int f = 0; (format = gsolve_format_at(ctx, f)); f++) {
        try_format(format->name, &rows, x);
        for (size_t k = 0; k < sizeof more / sizeof *more; k++) {
            if (gs_spec_is(more[k], format->name)) try_format(more[k], &rows, x);
        }
    }
    gsolve_csr_free(&rows, ctx);
    drop(x);
    close_context(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_format)};

    need_device();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
