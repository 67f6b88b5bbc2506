/* test_spgemm_hash.c: on a GPU, rows of C of every size that the method hash treats by itself, close together
 * and far apart, beside gustavson on the CPU. */
#include <math.h>

#include "spgemm/spgemm.h"
#include "tests/common.h"

enum { INNER = 4000 };

/* INNER columns; rows of 0 to INNER entries, of which there are some of each size. */
static gsolve_csr of_all_lengths(gsolve_context *ctx)
{
    static const int32_t length[] = {0, 1,  2,  3,   5,   8,   13,  21,   34,   55,
                                     0, 89, 90, 144, 233, 377, 610, 1000, 1999, INNER};
    enum { LENGTHS = sizeof length / sizeof *length, ROWS = 2 * LENGTHS };
    gsolve_csr A;
    int64_t entries = 0;

    for (int k = 0; k < ROWS; k++) entries += length[k % LENGTHS];
    OK(ctx, gs_csr_new(&A, ctx, ROWS, INNER, entries, GSOLVE_F64));
    const gs_csr_arrays to = gs_csr_arrays_of(ctx, &A);
    double *value = to.value;
    entries = 0;
    for (int32_t i = 0; i < ROWS; i++) {
        const int32_t n = length[i % LENGTHS], step = i < LENGTHS ? INNER / (n ? n : 1) : 1;
        gs_set_start(&to, i, entries);
        for (int32_t k = 0; k < n; k++, entries++) {
            to.col[entries] = (i < LENGTHS ? 0 : INNER - n) + k * step;
            value[entries] = (double)(entries % 17) - 7.5;
        }
    }
    gs_set_start(&to, ROWS, entries);
    return A;
}

static void assert_close(const gsolve_csr *C, const gsolve_csr *R)
{
    const double small = C->type == GSOLVE_F32 ? 1e-5 : 1e-13;

    assert_int_equal(gsolve_csr_entries(C), gsolve_csr_entries(R));
    for (int32_t i = 0; i < C->nrows; i++) assert_int_equal(gs_start(C, i), gs_start(R, i));
    for (int64_t k = 0; k < gsolve_csr_entries(C); k++) {
        if (C->col[k] != R->col[k]) fail_msg("entry %lld", (long long)k);
        if (fabs(gs_value(C, k) - gs_value(R, k)) > small * 1e4) {
            fail_msg("entry %lld: %g, not %g", (long long)k, gs_value(C, k), gs_value(R, k));
        }
    }
}

static void assert_same_values(const gsolve_csr *C, const gsolve_csr *D)
{
    assert_memory_equal(C->value, D->value, (size_t)gsolve_csr_entries(C) * gs_type_size(C->type));
}

static void check(gsolve_context *ctx, const gsolve_csr *A, const gsolve_csr *B)
{
    gsolve_context *cpu;
    gsolve_product *P;
    gsolve_csr R, C, D;

    assert_int_equal(gsolve_context_create(&cpu, "cpu"), GSOLVE_OK);
    OK(cpu, gsolve_csr_multiply(&R, cpu, "gustavson", A, B));
    OK(ctx, gsolve_csr_multiply(&C, ctx, "hash", A, B));
    assert_close(&C, &R);
    for (int run = 0; run < 3; run++) {
        OK(ctx, gsolve_csr_multiply(&D, ctx, "hash", A, B));
        assert_close(&D, &R);
        assert_same_values(&C, &D);
        gsolve_csr_free(&D, ctx);
    }
    OK(ctx, gsolve_product_create(&P, ctx, "hash", A, B));
    OK(ctx, gsolve_product_update(P, A, B));
    OK(ctx, gsolve_product_csr(P, &D));
    OK(ctx, gs_csr_move(&D, ctx, GSOLVE_HOST, &D));
    assert_same_values(&C, &D);
    gsolve_csr_free(&D, ctx);
    gsolve_product_destroy(&P);
    gsolve_csr_free(&C, ctx);
    gsolve_csr_free(&R, cpu);
    gsolve_context_destroy(&cpu);
}

/* Of a B of INNER rows, in both types. */
static void multiply_rows(const char *B_spec)
{
    gsolve_context *ctx = open_context(2);
    gsolve_csr A = of_all_lengths(ctx), B = read_matrix(ctx, B_spec), a, b;

    check(ctx, &A, &B);
    OK(ctx, gsolve_csr_convert(&a, ctx, GSOLVE_F32, &A));
    OK(ctx, gsolve_csr_convert(&b, ctx, GSOLVE_F32, &B));
    check(ctx, &a, &b);
    gsolve_csr_free(&A, ctx);
    gsolve_csr_free(&B, ctx);
    gsolve_csr_free(&a, ctx);
    gsolve_csr_free(&b, ctx);
    close_context(ctx);
}

static void far_apart(void **state)
{
    (void)state;
    multiply_rows("gen:random,n=4000,cols=5000000,row=20"); /* the longest: about 80000 entries */
}

static void few_each(void **state)
{
    (void)state;
    multiply_rows("gen:random,n=4000,cols=400000,row=3");
}

static void close_together(void **state)
{
    (void)state;
    multiply_rows("gen:random,n=4000,cols=30000,row=40"); /* almost 30000 */
}

static void all_columns(void **state)
{
    (void)state;
    multiply_rows("gen:random,n=4000,cols=700,row=100");
}

static void in_a_band(void **state)
{
    (void)state;
    multiply_rows("gen:band,n=4000,row=40,width=300");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(far_apart),      cmocka_unit_test(few_each),
        cmocka_unit_test(close_together), cmocka_unit_test(all_columns),
        cmocka_unit_test(in_a_band),
    };

    gsolve_context *ctx = NULL;

    need_device();
    ctx = open_context(1);
    const bool is_gpu = gs_on_gpu(ctx);
    close_context(ctx);
    if (!is_gpu) return 77; /* skipped: the CPU has no method hash */
    return cmocka_run_group_tests_name("spgemm_hash", tests, NULL, NULL);
}
