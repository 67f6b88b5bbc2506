/* test_info.c: structs that the library fills, for callers that know an older or a newer version of
 * them: sizes that are refused, and which bytes are written. */
#include "tests/common.h"

#include "core/info.h"

/* --- the helper ------------------------------------------------------------------------------- */

typedef struct grown { /* the last member was appended */
    size_t size;
    int a;
    double b;
    int64_t appended;
} grown;

enum { FIRST = offsetof(grown, appended) };

static void an_older_caller_gets_what_it_knows(void **state)
{
    const grown own = {.a = 1, .b = 2, .appended = 3};
    grown to = {.size = FIRST, .appended = 77};
    (void)state;

    gs_fill_info(&to, &own, sizeof own, FIRST);
    assert_true(to.size == FIRST && to.a == 1 && to.b == 2 && to.appended == 77);
}

static void a_newer_caller_gets_zeros_for_the_rest(void **state)
{
    const grown own = {.a = 1, .b = 2};
    grown to = {.size = sizeof to, .appended = 77};
    (void)state;

    gs_fill_info(&to, &own, FIRST, FIRST);
    assert_true(to.size == sizeof to && to.a == 1 && to.b == 2 && to.appended == 0);
}

static void unusable_sizes_are_left(void **state)
{
    static const size_t sizes[] = {0, 8, FIRST - 1, 1 << 20, SIZE_MAX};
    const grown own = {.a = 1};
    (void)state;

    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        grown to = {.size = sizes[k], .a = 5};
        gs_fill_info(&to, &own, sizeof own, FIRST);
        assert_true(to.size == sizes[k] && to.a == 5);
        assert_false(gs_info_fits(&to, FIRST));
    }
    gs_fill_info(NULL, &own, sizeof own, FIRST);
    assert_false(gs_info_fits(NULL, FIRST));
}

/* --- the functions ---------------------------------------------------------------------------- */

enum { N = 16, TAIL = 64 };

typedef struct problem {
    gsolve_context *ctx;
    gsolve_csr csr;
    gsolve_matrix *A;
    gsolve_precond *M;
    gsolve_solver *S;
    gsolve_auto *automatic;
    gsolve_product *P;
    gsolve_assembly *plan;
    gsolve_galerkin *G;
    double b[N], x[N];
} problem;

static problem open_problem(void)
{
    problem p = {.ctx = open_context(2)};

    p.csr = read_matrix(p.ctx, "gen:poisson2d,n=4");
    for (int i = 0; i < N; i++) p.b[i] = 1;
    OK(p.ctx, gsolve_matrix_create(&p.A, p.ctx, "auto", &p.csr));
    OK(p.ctx, gsolve_precond_create(&p.M, p.ctx, "amg", &p.csr));
    OK(p.ctx, gsolve_solver_create(&p.S, p.ctx, "cg,spectrum=on", p.A, p.M));
    OK(p.ctx, gsolve_auto_create(&p.automatic, p.ctx, "", &p.csr));
    OK(p.ctx, gsolve_product_create(&p.P, p.ctx, "auto", &p.csr, &p.csr));
    OK(p.ctx, gsolve_assembly_create(&p.plan, p.ctx, GSOLVE_F64,
                                     &(gsolve_triplets){.nrows = N, .ncols = N}));
    OK(p.ctx, gsolve_galerkin_create(&p.G, p.ctx, "auto", NULL, &p.csr, &p.csr));
    return p;
}

static void close_problem(problem *p)
{
    gsolve_galerkin_destroy(&p->G);
    gsolve_product_destroy(&p->P);
    gsolve_assembly_destroy(&p->plan);
    gsolve_auto_destroy(&p->automatic);
    gsolve_solver_destroy(&p->S);
    gsolve_precond_destroy(&p->M);
    gsolve_matrix_destroy(&p->A);
    gsolve_csr_free(&p->csr, p->ctx);
    close_context(p->ctx);
}

/* Each calls a function with `info` as the struct that it fills. GSOLVE_BAD_ARGUMENT stands for
 * the false of a function that returns a bool. */
static gsolve_status solver_run(problem *p, void *info)
{
    memset(p->x, 0, sizeof p->x);
    return gsolve_solver_run(p->S, gsolve_vector(p->b, N), gsolve_vector(p->x, N), info);
}

static gsolve_status solve(problem *p, void *info)
{
    return gsolve_solve(p->ctx, &p->csr, gsolve_vector(p->b, N), gsolve_vector(p->x, N), info);
}

static gsolve_status column(problem *p, void *info)
{
    return gsolve_solver_column(p->S, 0, info);
}

static gsolve_status auto_run(problem *p, void *info)
{
    return gsolve_auto_run(p->automatic, gsolve_vector(p->b, N), gsolve_vector(p->x, N), info);
}

static gsolve_status auto_describe(problem *p, void *info)
{
    gsolve_auto_describe(p->automatic, info);
    return GSOLVE_OK;
}

static gsolve_status context(problem *p, void *info)
{
    gsolve_context_describe(p->ctx, info);
    return GSOLVE_OK;
}

static gsolve_status csr_statistics(problem *p, void *info)
{
    return gsolve_csr_statistics(p->ctx, &p->csr, info);
}

static gsolve_status matrix_statistics(problem *p, void *info)
{
    return gsolve_matrix_statistics(p->A, info);
}

static gsolve_status matrix(problem *p, void *info)
{
    gsolve_matrix_describe(p->A, info);
    return GSOLVE_OK;
}

static gsolve_status precond(problem *p, void *info)
{
    gsolve_precond_describe(p->M, info);
    return GSOLVE_OK;
}

static gsolve_status level(problem *p, void *info)
{
    return gsolve_precond_level(p->M, 0, info) ? GSOLVE_OK : GSOLVE_BAD_ARGUMENT;
}

static gsolve_status assembly(problem *p, void *info)
{
    gsolve_assembly_describe(p->plan, info);
    return GSOLVE_OK;
}

static gsolve_status product(problem *p, void *info)
{
    gsolve_product_describe(p->P, info);
    return GSOLVE_OK;
}

static gsolve_status galerkin(problem *p, void *info)
{
    gsolve_galerkin_describe(p->G, info);
    return GSOLVE_OK;
}

static gsolve_status profile(problem *p, void *info)
{
    gsolve_solver_get_profile(p->S, info);
    return GSOLVE_OK;
}

static gsolve_status profile_at(problem *p, void *info)
{
    return gsolve_solver_profile_at(p->S, 0, info) ? GSOLVE_OK : GSOLVE_BAD_ARGUMENT;
}

static gsolve_status spectrum(problem *p, void *info)
{
    return gsolve_solver_spectrum(p->S, info);
}

static gsolve_status matrix_stream(problem *p, void *info)
{
    return gsolve_matrix_stream(p->A, 1, gsolve_vector(p->b, N), 0, gsolve_vector(p->x, N), NULL,
                                info);
}

static gsolve_status csr_stream(problem *p, void *info)
{
    return gsolve_csr_stream(p->ctx, &p->csr, 1, gsolve_vector(p->b, N), 0, gsolve_vector(p->x, N),
                             NULL, info);
}

static gsolve_status source(problem *p, void *info)
{
    gsolve_csr csr = {0};
    const gsolve_status status = gsolve_read_matrix(&csr, p->ctx, "gen:poisson2d,n=4", NULL, info);

    gsolve_csr_free(&csr, p->ctx);
    return status;
}

static gsolve_status choice(problem *p, void *info)
{
    gsolve_statistics t = GSOLVE_INIT(gsolve_statistics);

    OK(p->ctx, gsolve_matrix_statistics(p->A, &t));
    return gsolve_auto_choose(p->ctx, &t, 0, info) ? GSOLVE_OK : GSOLVE_BAD_ARGUMENT;
}

typedef enum refusal { SENTENCE, FALSE, NOTHING } refusal; /* how a function refuses a size */

#define CASE(function, type, refusal) {#function, function, sizeof(type), GS_LEAST_##type, refusal}

static const struct {
    const char *name;
    gsolve_status (*call)(problem *p, void *info);
    size_t size, least;
    refusal refusal;
} cases[] = {
    CASE(solver_run, gsolve_result, SENTENCE),
    CASE(solve, gsolve_result, SENTENCE),
    CASE(column, gsolve_result, SENTENCE),
    CASE(auto_run, gsolve_result, SENTENCE),
    CASE(auto_describe, gsolve_auto_info, NOTHING),
    CASE(context, gsolve_context_info, NOTHING),
    CASE(csr_statistics, gsolve_statistics, SENTENCE),
    CASE(matrix_statistics, gsolve_statistics, SENTENCE),
    CASE(matrix, gsolve_matrix_info, NOTHING),
    CASE(precond, gsolve_precond_info, NOTHING),
    CASE(level, gsolve_level_info, FALSE),
    CASE(assembly, gsolve_assembly_info, NOTHING),
    CASE(product, gsolve_product_info, NOTHING),
    CASE(galerkin, gsolve_product_info, NOTHING),
    CASE(profile, gsolve_profile, NOTHING),
    CASE(profile_at, gsolve_profile_class, FALSE),
    CASE(spectrum, gsolve_spectrum, SENTENCE),
    CASE(matrix_stream, gsolve_stream_info, SENTENCE),
    CASE(csr_stream, gsolve_stream_info, SENTENCE),
    CASE(source, gsolve_source, SENTENCE),
    CASE(choice, gsolve_choice, FALSE),
};

#define CASES (sizeof cases / sizeof *cases)

/* A struct of `size` bytes whose other bytes, and those behind it, are 0xA5. */
static unsigned char *marked(size_t size, size_t bytes)
{
    unsigned char *info = malloc(bytes);

    assert_non_null(info);
    memset(info, 0xA5, bytes);
    memcpy(info, &size, sizeof size);
    return info;
}

static size_t count_marks(const unsigned char *info, size_t begin, size_t end)
{
    size_t marks = 0;

    for (size_t k = begin; k < end; k++) marks += info[k] == 0xA5;
    return marks;
}

static void refuse(problem *p, size_t k, size_t size)
{
    const size_t head = sizeof size, bytes = cases[k].size + TAIL;
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    unsigned char *info = marked(size, bytes);

    OK(p->ctx, solver_run(p, &result)); /* which column and profile describe */
    const gsolve_status status = cases[k].call(p, info);

    print_message("%s, size %zu\n", cases[k].name, size);
    assert_int_equal(status, cases[k].refusal == NOTHING ? GSOLVE_OK : GSOLVE_BAD_ARGUMENT);
    if (cases[k].refusal == SENTENCE) assert_non_null(strstr(gsolve_error(p->ctx), "GSOLVE_INIT("));
    assert_memory_equal(info, &size, head);
    assert_int_equal(count_marks(info, head, bytes), bytes - head);
    free(info);
}

static void sizes_that_are_refused(void **state)
{
    problem p = open_problem();
    (void)state;

    OK(p.ctx, gsolve_solver_profile(p.S, true));
    for (size_t k = 0; k < CASES; k++) {
        refuse(&p, k, 0);
        refuse(&p, k, cases[k].least - 1);
        refuse(&p, k, (size_t)-1);
    }
    close_problem(&p);
}

static void accept(problem *p, size_t k, size_t size)
{
    const size_t bytes = cases[k].size + 2 * TAIL;
    const size_t known = size < cases[k].size ? size : cases[k].size;
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    unsigned char *info = marked(size, bytes);

    OK(p->ctx, solver_run(p, &result)); /* which column and profile describe */
    print_message("%s, size %zu\n", cases[k].name, size);
    OK(p->ctx, cases[k].call(p, info));
    assert_memory_equal(info, &size, sizeof size);
    assert_true(count_marks(info, sizeof size, known) < known / 8);
    for (size_t i = known; i < size; i++) assert_int_equal(info[i], 0);
    assert_int_equal(count_marks(info, size, bytes), bytes - size);
    free(info);
}

static void sizes_that_are_accepted(void **state)
{
    problem p = open_problem();
    (void)state;

    OK(p.ctx, gsolve_solver_profile(p.S, true));
    for (size_t k = 0; k < CASES; k++) {
        accept(&p, k, cases[k].least);
        accept(&p, k, cases[k].size);
        accept(&p, k, cases[k].size + TAIL);
    }
    close_problem(&p);
}

/* The statistics are an argument of gsolve_auto_choose, too. */
static void statistics_of_an_older_caller(void **state)
{
    problem p = open_problem();
    gsolve_statistics t = GSOLVE_INIT(gsolve_statistics);
    gsolve_choice first = GSOLVE_INIT(gsolve_choice), second = first;
    (void)state;

    OK(p.ctx, gsolve_matrix_statistics(p.A, &t));
    assert_true(gsolve_auto_choose(p.ctx, &t, 0, &first));
    t.size = GS_LEAST_gsolve_statistics;
    assert_true(gsolve_auto_choose(p.ctx, &t, 0, &second));
    assert_string_equal(first.method, second.method);
    assert_string_equal(first.why, second.why);
    t.size = 0;
    assert_false(gsolve_auto_choose(p.ctx, &t, 0, &second));
    close_problem(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_older_caller_gets_what_it_knows),
        cmocka_unit_test(a_newer_caller_gets_zeros_for_the_rest),
        cmocka_unit_test(unusable_sizes_are_left),
        cmocka_unit_test(sizes_that_are_refused),
        cmocka_unit_test(sizes_that_are_accepted),
        cmocka_unit_test(statistics_of_an_older_caller),
    };

    need_device();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
