/* test_galerkin.c: R A P at once beside R A P as two products, for every shape of rows.
 * $GSOLVE_TEST_DEVICE names the device. */
#include <math.h>

#include "spgemm/spgemm.h"
#include "tests/common.h"

/* R, A and P: of P's pattern alone where R is NULL, transposed. */
static const struct triple {
    const char *R, *A, *P;
    bool at_once; /* on a GPU; on the CPU all are */
    /* an entry of A becomes a block of fine x fine, one of P of fine x coarse; 0: no blocks */
    int32_t fine, coarse;
} triples[] = {
    {NULL, "gen:poisson3d,n=9", "gen:random,n=729,cols=60,row=3", true, 0, 0},
    {NULL, "gen:poisson3d27,n=8", "gen:random,n=512,cols=20,row=2", true, 0, 0},
    {NULL, "gen:elasticity3d,n=4", "gen:random,n=300,cols=150,row=5", true, 0, 0},
    {NULL, "gen:rmat,scale=9", "gen:random,n=512,cols=512,row=1", true, 0, 0},
    {NULL, "gen:emptyrows,n=200", "gen:emptyrows,n=200,cols=90", true, 0, 0},
    {NULL, "gen:circuit,n=900,dense=2", "gen:random,n=900,cols=400,row=2", true, 0, 0},
    {NULL, "gen:tridiagonal,n=1", "gen:tridiagonal,n=1", true, 0, 0},
    {NULL, "gen:tridiagonal,n=40", "gen:random,n=40,cols=1,row=1", true, 0, 0},
    {NULL, "gen:poisson2d,n=200", "gen:random,n=40000,cols=20000,row=2", true, 0, 0},
    {"gen:random,n=70,cols=300,row=9", "gen:random,n=300,cols=300,row=40",
     "gen:random,n=300,cols=2000,row=3", true, 0, 0},
    {"gen:random,n=5,cols=900,row=300", "gen:random,n=900,cols=900,row=200",
     "gen:random,n=900,cols=3000,row=30", false, 0, 0},
    {"gen:random,n=2,cols=3000,row=2000", "gen:random,n=3000,cols=3000,row=300",
     "gen:random,n=3000,cols=30,row=3", true, 0, 0},
    {"gen:random,n=0,cols=9", "gen:tridiagonal,n=9", "gen:random,n=9,cols=4,row=2", false, 0, 0},
    {"gen:random,n=4,cols=9,row=3", "gen:tridiagonal,n=9", "gen:random,n=9,cols=0,row=0", true, 0,
     0},
    {NULL, "gen:tridiagonal,n=60", "gen:random,n=60,cols=60,row=12", true, 0, 0},
    {NULL, "gen:poisson3d27,n=7", "gen:random,n=343,cols=30,row=3", true, 3, 6},
    {NULL, "gen:poisson2d,n=30", "gen:random,n=900,cols=100,row=2", true, 2, 3},
    {NULL, "gen:emptyrows,n=200", "gen:emptyrows,n=200,cols=90", true, 2, 8},
    {NULL, "gen:poisson3d,n=14", "gen:random,n=2744,cols=120,row=2", true, 1, 5},
    {NULL, "gen:rmat,scale=7", "gen:random,n=128,cols=30,row=4", true, 1, 7},
};
enum { TRIPLES = sizeof triples / sizeof *triples };

typedef struct operands {
    gsolve_csr R, A, P; /* where kernels work */
} operands;

/* csr in that type and those offsets where kernels work; csr is released. */
static gsolve_csr take(gsolve_context *ctx, gsolve_csr *csr, gsolve_type type, bool wide,
                       uint64_t seed)
{
    gsolve_csr C, there;

    OK(ctx, gsolve_csr_convert(&C, ctx, type, csr));
    gsolve_csr_free(csr, ctx);
    for (int64_t k = 0; k < gsolve_csr_entries(&C); k++) {
        const double v = gsolve_random(seed, (uint64_t)k);
        if (type == GSOLVE_F32) {
            ((float *)(uintptr_t)C.value)[k] = (float)v;
        } else {
            ((double *)(uintptr_t)C.value)[k] = v;
        }
    }
    if (wide) {
        int64_t *start = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)C.nrows + 1, sizeof *start);
        for (int32_t i = 0; i <= C.nrows; i++) start[i] = gs_start(&C, i);
        gsolve_free(ctx, GSOLVE_HOST, (void *)(uintptr_t)C.start);
        C.start = start;
        C.offset = GSOLVE_O64;
    }
    OK(ctx, gs_csr_move(&there, ctx, gs_location(ctx), &C));
    assert_int_equal(there.offset, C.offset);
    gsolve_csr_free(&C, ctx);
    return there;
}

/* csr with a dense block instead of each entry; csr is released. */
static gsolve_csr in_blocks(gsolve_context *ctx, gsolve_csr *csr, int32_t height, int32_t width)
{
    const size_t elements = (size_t)gsolve_csr_entries(csr) * (size_t)(height * width);
    void *value = gsolve_alloc(ctx, GSOLVE_HOST, elements, gs_type_size(csr->type));
    const gsolve_blocked B = {csr->nrows, csr->ncols,    csr->start, csr->col, value, csr->offset,
                              csr->type,  csr->location, height,     width,    false};
    gsolve_csr C;

    memset(value, 0, elements * gs_type_size(csr->type));
    OK(ctx, gsolve_blocked_to_csr(&C, ctx, &B));
    gsolve_free(ctx, GSOLVE_HOST, value);
    gsolve_csr_free(csr, ctx);
    return C;
}

static operands take_triple(gsolve_context *ctx, const struct triple *t, gsolve_type type,
                            bool wide, uint64_t seed)
{
    gsolve_csr A = read_matrix(ctx, t->A), P = read_matrix(ctx, t->P), R;
    operands o;

    if (t->fine > 0) A = in_blocks(ctx, &A, t->fine, t->fine);
    if (t->fine > 0) P = in_blocks(ctx, &P, t->fine, t->coarse);
    if (t->R) {
        R = read_matrix(ctx, t->R);
    } else {
        OK(ctx, gsolve_csr_transpose(&R, ctx, &P));
    }
    o.R = take(ctx, &R, type, wide, seed);
    o.A = take(ctx, &A, type, wide, seed + 1);
    o.P = take(ctx, &P, type, wide, seed + 2);
    return o;
}

static void drop(gsolve_context *ctx, operands *o)
{
    gsolve_csr_free(&o->R, ctx);
    gsolve_csr_free(&o->A, ctx);
    gsolve_csr_free(&o->P, ctx);
}

/* What lies there, fetched. */
static gsolve_csr here(gsolve_context *ctx, const gsolve_csr *C)
{
    gsolve_csr fetched;

    OK(ctx, gs_csr_move(&fetched, ctx, GSOLVE_HOST, C));
    return fetched;
}

/* The same pattern; values the same, or nearly. */
static void assert_same(gsolve_context *ctx, const gsolve_csr *C, const gsolve_csr *D, bool exactly)
{
    gsolve_csr c = here(ctx, C), d = here(ctx, D);
    const int64_t entries = gsolve_csr_entries(&c);

    assert_true(c.nrows == d.nrows && c.ncols == d.ncols && c.type == d.type);
    assert_int_equal(entries, gsolve_csr_entries(&d));
    for (int32_t i = 0; i <= c.nrows; i++) assert_int_equal(gs_start(&c, i), gs_start(&d, i));
    assert_memory_equal(c.col, d.col, (size_t)entries * sizeof *c.col);
    if (exactly) {
        assert_memory_equal(c.value, d.value, (size_t)entries * gs_type_size(c.type));
    }
    for (int64_t k = 0; k < entries; k++) {
        const double x = gs_value(&c, k), y = gs_value(&d, k);
        const double near = (c.type == GSOLVE_F32 ? 1e-4 : 1e-12) * (10 + fabs(x));
        if (!(fabs(x - y) <= near)) fail_msg("entry %d: %g, not %g", (int)k, y, x);
    }
    gsolve_csr_free(&c, ctx);
    gsolve_csr_free(&d, ctx);
}

static void compare(gsolve_context *ctx, const struct triple *t, gsolve_type type, bool wide)
{
    operands o = take_triple(ctx, t, type, wide, 1), next = take_triple(ctx, t, type, wide, 77);
    gs_galerkin G, again, other;
    gsolve_csr AP, RAP;

    OK(ctx, gs_galerkin_make(&G, ctx, "auto", &o.R, &o.A, &o.P, true));
    OK(ctx, gs_galerkin_make(&again, ctx, "auto", &o.R, &o.A, &o.P, false));
    assert_true(t->fine > 0 ||
                G.at_once == (t->at_once || strcmp(ctx->device->plugin.name, "cuda") != 0));
    OK(ctx, gs_csr_multiply(&AP, ctx, "esc", &o.A, &o.P));
    OK(ctx, gs_csr_multiply(&RAP, ctx, "esc", &o.R, &AP));
    assert_same(ctx, &RAP, &G.RAP.C.csr, false);
    assert_same(ctx, &again.RAP.C.csr, &G.RAP.C.csr, true);
    OK(ctx,
       gs_galerkin_update(&G, &next.R, &next.A, &next.P)); /* which may keep more for the next */
    OK(ctx, gs_galerkin_make(&other, ctx, "auto", &next.R, &next.A, &next.P, false));
    assert_same(ctx, &other.RAP.C.csr, &G.RAP.C.csr, true);
    OK(ctx, gs_galerkin_update(&G, &o.R, &o.A, &o.P));
    assert_same(ctx, &again.RAP.C.csr, &G.RAP.C.csr, true);
    OK(ctx, gs_galerkin_update(&G, &next.R, &next.A, &next.P));
    assert_same(ctx, &other.RAP.C.csr, &G.RAP.C.csr, true);
    gs_galerkin_drop(&G);
    gs_galerkin_drop(&again);
    gs_galerkin_drop(&other);
    gsolve_csr_free(&AP, ctx);
    gsolve_csr_free(&RAP, ctx);
    drop(ctx, &o);
    drop(ctx, &next);
}

static void every_shape(void **state)
{
    gsolve_context *ctx = open_context(2);

    (void)state;
    for (int k = 0; k < TRIPLES; k++) {
        for (int way = 0; way < 4; way++) {
            compare(ctx, &triples[k], way % 2 ? GSOLVE_F32 : GSOLVE_F64, way >= 2);
            if (blocks_of(ctx) != 0) fail_msg("triple %d leaves memory behind", k);
        }
    }
    close_context(ctx);
}

/* The bits do not depend on the number of threads. */
static void compare_threads(const struct triple *t)
{
    gsolve_context *one = open_context(1), *three = open_context(3);
    operands o = take_triple(one, t, GSOLVE_F64, false, 5);
    operands p = take_triple(three, t, GSOLVE_F64, false, 5);
    gs_galerkin G, H;
    gsolve_csr C, D;

    OK(one, gs_galerkin_make(&G, one, "auto", &o.R, &o.A, &o.P, false));
    OK(three, gs_galerkin_make(&H, three, "auto", &p.R, &p.A, &p.P, false));
    C = here(one, &G.RAP.C.csr);
    D = here(three, &H.RAP.C.csr);
    assert_int_equal(gsolve_csr_entries(&C), gsolve_csr_entries(&D));
    assert_memory_equal(C.col, D.col, (size_t)gsolve_csr_entries(&C) * sizeof *C.col);
    assert_memory_equal(C.value, D.value, (size_t)gsolve_csr_entries(&C) * sizeof(double));
    gsolve_csr_free(&C, one);
    gsolve_csr_free(&D, three);
    gs_galerkin_drop(&G);
    gs_galerkin_drop(&H);
    drop(one, &o);
    drop(three, &p);
    close_context(one);
    close_context(three);
}

static void any_threads(void **state)
{
    (void)state;
    compare_threads(&triples[8]);
    compare_threads(&triples[TRIPLES - 2]);
}

/* R with an empty row at its end: its rows come in groups no longer. */
static gsolve_csr ungrouped(gsolve_context *ctx, const gsolve_csr *R)
{
    const int64_t entries = gsolve_csr_entries(R);
    gsolve_csr longer = *R, copy;
    int32_t *start = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)R->nrows + 2, sizeof *start);

    for (int32_t i = 0; i <= R->nrows; i++) start[i] = (int32_t)gs_start(R, i);
    start[R->nrows + 1] = (int32_t)entries;
    longer.nrows++;
    longer.start = start;
    OK(ctx, gsolve_csr_convert(&copy, ctx, R->type, &longer));
    gsolve_free(ctx, GSOLVE_HOST, start);
    return copy;
}

/* Groups of rows have the bits of single rows. On a GPU there are no groups. */
static void groups_keep_the_bits(void **state)
{
    gsolve_context *ctx = open_context(2);

    (void)state;
    for (int k = 0; k < TRIPLES && gs_location(ctx) == GSOLVE_HOST; k++) {
        for (int type = 0; type < 2 && triples[k].fine > 0; type++) {
            operands o = take_triple(ctx, &triples[k], type ? GSOLVE_F32 : GSOLVE_F64, false, 9);
            gsolve_csr longer = ungrouped(ctx, &o.R);
            gs_galerkin G, single;
            OK(ctx, gs_galerkin_make(&G, ctx, "auto", &o.R, &o.A, &o.P, false));
            OK(ctx, gs_galerkin_make(&single, ctx, "auto", &longer, &o.A, &o.P, false));
            assert_true(single.RAP.stats.products == G.RAP.stats.products);
            single.RAP.C.csr.nrows--;
            assert_same(ctx, &single.RAP.C.csr, &G.RAP.C.csr, true);
            gs_galerkin_drop(&G);
            gs_galerkin_drop(&single);
            gsolve_csr_free(&longer, ctx);
            drop(ctx, &o);
        }
    }
    close_context(ctx);
}

static gsolve_status make_and_drop(gsolve_context *ctx, const operands *o)
{
    gs_galerkin G = {0};
    gsolve_status status = gs_galerkin_make(&G, ctx, "auto", &o->R, &o->A, &o->P, true);

    for (int k = 0; k < 2 && status == GSOLVE_OK; k++) {
        status = gs_galerkin_update(&G, &o->R, &o->A, &o->P);
    }
    gs_galerkin_drop(&G);
    gs_galerkin_drop(&G); /* nothing is left of it */
    return status;
}

static void deny_memory(void **state)
{
    gsolve_context *ctx = open_context(2);
    operands few = take_triple(ctx, &triples[0], GSOLVE_F64, false, 3);
    operands many = take_triple(ctx, &triples[9], GSOLVE_F32, true, 3);
    operands groups = take_triple(ctx, &triples[TRIPLES - 1], GSOLVE_F64, false, 3);

    (void)state;
    ALLOCATION_SWEEP(ctx, make_and_drop(ctx, &few));
    ALLOCATION_SWEEP(ctx, make_and_drop(ctx, &many));
    ALLOCATION_SWEEP(ctx, make_and_drop(ctx, &groups));
    drop(ctx, &groups);
    drop(ctx, &few);
    drop(ctx, &many);
    close_context(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_shape),
        cmocka_unit_test(any_threads),
        cmocka_unit_test(groups_keep_the_bits),
        cmocka_unit_test(deny_memory),
    };

    need_device();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
