/* test_streaming.c: products with operands on the host, chunk by chunk and band by band, give the
 * bits of the plain product, whatever the chunks, the layout and the memory. */
#include <math.h>

#include "tests/common.h"

enum { COLUMNS = 13 };

static gsolve_context *ctx;

typedef struct operands {
    gsolve_dense x, y, plain; /* plain: y of the product that is not cut */
    size_t bytes;             /* of y, with what lies between its lines */
} operands;

static gsolve_dense new_dense(int32_t n, gsolve_layout layout, int32_t gap, uint64_t seed)
{
    const int64_t stride = (layout == GSOLVE_ROW_MAJOR ? COLUMNS : n) + gap;
    const int64_t lines = layout == GSOLVE_ROW_MAJOR ? n : COLUMNS;

    return (gsolve_dense){n,          COLUMNS,     stride, random_vector(lines * stride, seed),
                          GSOLVE_F64, GSOLVE_HOST, layout};
}

static operands new_operands(const gsolve_csr *csr, gsolve_layout layout, int32_t gap)
{
    operands o = {.x = new_dense(csr->ncols, layout, gap, 1),
                  .y = new_dense(csr->nrows, layout, gap, 2),
                  .plain = new_dense(csr->nrows, layout, gap, 2)};

    o.bytes = (size_t)o.y.stride * (size_t)(layout == GSOLVE_ROW_MAJOR ? csr->nrows : COLUMNS) * 8;
    return o;
}

static void drop(operands *o)
{
    free(o->x.value);
    free(o->y.value);
    free(o->plain.value);
}

/* y is plain, to rounding unless all bits are to be the same; both begin anew. */
static void compare(operands *o, bool bits)
{
    double *fresh = random_vector((int64_t)(o->bytes / 8), 2);
    const double *y = o->y.value, *plain = o->plain.value;

    if (bits) assert_memory_equal(y, plain, o->bytes);
    for (size_t i = 0; i < o->bytes / 8; i++) assert_true(fabs(y[i] - plain[i]) < 1e-11);
    memcpy(o->y.value, fresh, o->bytes);
    memcpy(o->plain.value, fresh, o->bytes);
    free(fresh);
}

static bool has_place(void)
{
    return gs_location(ctx) == GSOLVE_DEVICE;
}

/* A format may sum the columns of a narrow chunk in another order than those of a wide one. */
static void try_chunks(const gsolve_csr *csr, const char *spec, gsolve_layout layout, int32_t gap,
                       int first)
{
    const double beta[] = {0, -0.5};
    gsolve_matrix *A = NULL;
    operands o = new_operands(csr, layout, gap);

    OK(ctx, gsolve_matrix_create(&A, ctx, spec, csr));
    for (int k = first; k < 8; k++) {
        const gsolve_stream_options options = {.columns = k < 6 ? 1 + 2 * (k / 2) : 0,
                                               .sequential = k % 3 == 0};
        gsolve_stream_info info = GSOLVE_INIT(gsolve_stream_info);
        OK(ctx, gsolve_matrix_apply(A, 1.5, o.x, beta[k % 2], o.plain));
        OK(ctx, gsolve_matrix_stream(A, 1.5, o.x, beta[k % 2], o.y, &options, &info));
        compare(&o, strcmp(spec, "csr_scalar") == 0);
        assert_int_equal(info.bands, 1);
        if (!has_place() || options.columns == 0) continue;
        assert_int_equal(info.columns, options.columns);
        assert_int_equal(info.chunks, (COLUMNS + options.columns - 1) / options.columns);
    }
    drop(&o);
    gsolve_matrix_destroy(&A);
}

static void chunks(void **state)
{
    static const char *const specs[] = {"csr_scalar", "csr", "ellr", "segmented", "bsr,block=3"};
    gsolve_csr csr = read_matrix(ctx, "gen:elasticity3d,n=5");
    (void)state;

    for (size_t f = 0; f < sizeof specs / sizeof *specs; f++) {
        for (int gap = 0; gap < 4; gap += 3) {
            try_chunks(&csr, specs[f], GSOLVE_COLUMN_MAJOR, gap, 0);
            try_chunks(&csr, specs[f], GSOLVE_ROW_MAJOR, gap, 0);
        }
    }
    gsolve_csr_free(&csr, ctx);
}

/* More bytes than all pages of a lane hold. */
static void many_pages(void **state)
{
    gsolve_csr csr = read_matrix(ctx, "gen:tridiagonal,n=500000");
    (void)state;

    try_chunks(&csr, "csr_scalar", GSOLVE_COLUMN_MAJOR, 0, 6);
    try_chunks(&csr, "csr_scalar", GSOLVE_ROW_MAJOR, 1, 7);
    gsolve_csr_free(&csr, ctx);
}

static void little_memory(void **state)
{
    gsolve_csr csr = read_matrix(ctx, "gen:poisson2d,n=20");
    const size_t column = 2 * 2 * 400 * 8; /* x and y, twice */
    operands o = new_operands(&csr, GSOLVE_COLUMN_MAJOR, 0);
    gsolve_stream_options options = {.memory = column * 2};
    gsolve_stream_info info = GSOLVE_INIT(gsolve_stream_info);
    gsolve_matrix *A = NULL;
    (void)state;

    OK(ctx, gsolve_matrix_create(&A, ctx, "csr_scalar", &csr));
    OK(ctx, gsolve_matrix_apply(A, 1, o.x, 0, o.plain));
    OK(ctx, gsolve_matrix_stream(A, 1, o.x, 0, o.y, &options, &info));
    compare(&o, true);
    if (has_place()) {
        assert_int_equal(info.columns, 2);
        assert_true(info.bytes <= options.memory);
        options.memory = column - 1;
        assert_int_equal(gsolve_matrix_stream(A, 1, o.x, 0, o.y, &options, &info),
                         GSOLVE_NO_MEMORY);
        options = (gsolve_stream_options){.memory = column * 2, .columns = 3};
        assert_int_equal(gsolve_matrix_stream(A, 1, o.x, 0, o.y, &options, &info),
                         GSOLVE_NO_MEMORY);
        options = (gsolve_stream_options){.format = "csr"}; /* the matrix has a format already */
        assert_int_equal(gsolve_matrix_stream(A, 1, o.x, 0, o.y, &options, &info),
                         GSOLVE_BAD_ARGUMENT);
        options.format = NULL;
        o.x.nrows--;
        assert_int_equal(gsolve_matrix_stream(A, 1, o.x, 0, o.y, &options, &info),
                         GSOLVE_BAD_ARGUMENT);
    }
    drop(&o);
    gsolve_matrix_destroy(&A);
    gsolve_csr_free(&csr, ctx);
}

/* csr row by row has the same bits in a band: sums of a row do not know of others. */
static void bands(void **state)
{
    static const char *const names[] = {"gen:poisson3d,n=9", "gen:tridiagonal,n=3000"};
    (void)state;

    for (int m = 0; m < 2; m++) {
        gsolve_csr csr = read_matrix(ctx, names[m]);
        const size_t all = (size_t)gsolve_csr_entries(&csr) * 12;
        const size_t vectors = 2 * (size_t)csr.nrows * 8;
        for (int layout = 0; layout < 2; layout++) {
            operands o =
                new_operands(&csr, layout ? GSOLVE_ROW_MAJOR : GSOLVE_COLUMN_MAJOR, layout);
            const gsolve_stream_options options = {.format = "csr_scalar",
                                                   .memory = all > 8 * vectors ? all : 8 * vectors,
                                                   .columns = 3,
                                                   .sequential = layout};
            gsolve_stream_info info = GSOLVE_INIT(gsolve_stream_info);
            gsolve_matrix *A = NULL;
            OK(ctx, gsolve_matrix_create(&A, ctx, "csr_scalar", &csr));
            OK(ctx, gsolve_matrix_apply(A, 2, o.x, 0.5, o.plain));
            OK(ctx, gsolve_csr_stream(ctx, &csr, 2, o.x, 0.5, o.y, &options, &info));
            compare(&o, true);
            if (has_place()) {
                assert_true(info.bands > 1);
                assert_int_equal(info.chunks, 5);
            }
            gsolve_matrix_destroy(&A);
            drop(&o);
        }
        gsolve_csr_free(&csr, ctx);
    }
}

static void failures(void **state)
{
    gsolve_csr csr = read_matrix(ctx, "gen:poisson2d,n=10");
    operands o = new_operands(&csr, GSOLVE_COLUMN_MAJOR, 0);
    const gsolve_stream_options options = {.memory = 60000, .columns = 3};
    const int64_t before = blocks_of(ctx);
    gsolve_status status = GSOLVE_NO_MEMORY;
    (void)state;

    for (int64_t granted = 0; status == GSOLVE_NO_MEMORY; granted++) {
        gsolve_context_limit_allocations(ctx, granted);
        status = gsolve_csr_stream(ctx, &csr, 1, o.x, 0, o.y, &options, NULL);
        gsolve_context_limit_allocations(ctx, -1);
        assert_int_equal(blocks_of(ctx), before);
        assert_true(granted < 1000);
    }
    assert_int_equal(status, GSOLVE_OK);
    drop(&o);
    gsolve_csr_free(&csr, ctx);
}

static int open_all(void **state)
{
    (void)state;
    ctx = open_context(2);
    return 0;
}

static int close_all(void **state)
{
    (void)state;
    close_context(ctx);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chunks), cmocka_unit_test(many_pages), cmocka_unit_test(little_memory),
        cmocka_unit_test(bands),  cmocka_unit_test(failures),
    };

    need_device();
    return cmocka_run_group_tests(tests, open_all, close_all);
}
