/* test_auto_handle.c: the automatic solver: it falls back once and remembers, keeps everything for
 * new values, builds again when that pays, and stays usable after failures. */
#include <math.h>

#include "tests/common.h"

/* --- systems ---------------------------------------------------------------------------------- */

/* A system whose values change. */
typedef struct problem {
    gsolve_context *ctx;
    gsolve_csr csr;
    double *value; /* of csr, for writing */
    double *b, *x;
} problem;

static problem open_problem(const char *matrix)
{
    problem p = {.ctx = open_context(2)};

    p.csr = read_matrix(p.ctx, matrix);
    const int64_t entries = gsolve_csr_entries(&p.csr);
    p.value = malloc((size_t)(entries + 1) * sizeof(double));
    memcpy(p.value, p.csr.value, (size_t)entries * sizeof(double));
    p.b = random_vector(8 * (int64_t)p.csr.nrows, 3);
    p.x = calloc(8 * (size_t)p.csr.ncols + 1, sizeof(double));
    return p;
}

static void close_problem(problem *p)
{
    gsolve_csr_free(&p->csr, p->ctx);
    free(p->value);
    free(p->b);
    free(p->x);
    close_context(p->ctx);
}

/* The matrix with the values that the test has changed. */
static gsolve_csr rows_of(const problem *p)
{
    gsolve_csr csr = p->csr;

    csr.value = p->value;
    return csr;
}

/* values = factor * A + shift I. */
static void set_values(problem *p, double factor, double shift)
{
    for (int32_t i = 0; i < p->csr.nrows; i++) {
        for (int64_t k = gs_start(&p->csr, i); k < gs_start(&p->csr, i + 1); k++) {
            p->value[k] = factor * gs_value(&p->csr, k) + (p->csr.col[k] == i ? shift : 0);
        }
    }
}

static gsolve_auto *new_handle(problem *p, const char *options)
{
    const gsolve_csr csr = rows_of(p);
    gsolve_auto *S = NULL;

    OK(p->ctx, gsolve_auto_create(&S, p->ctx, options, &csr));
    return S;
}

static void update(problem *p, gsolve_auto *S)
{
    const gsolve_csr csr = rows_of(p);

    OK(p->ctx, gsolve_auto_update(S, &csr));
}

static gsolve_dense columns(double *value, int32_t rows, int32_t ncols)
{
    gsolve_dense v = gsolve_vector(value, rows);

    v.ncols = ncols;
    return v;
}

/* Solves from 0. The result must be that of the x that is returned. */
static gsolve_result run(problem *p, gsolve_auto *S, int32_t ncols)
{
    const gsolve_dense b = columns(p->b, p->csr.nrows, ncols);
    const gsolve_dense x = columns(p->x, p->csr.ncols, ncols);
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    double relative[8], worst = 0;

    memset(p->x, 0, (size_t)p->csr.ncols * (size_t)ncols * sizeof(double));
    OK(p->ctx, gsolve_auto_run(S, b, x, &result));
    OK(p->ctx, gsolve_matrix_residual(gsolve_auto_matrix(S), b, x, relative));
    for (int32_t c = 0; c < ncols; c++) worst = fmax(worst, relative[c]);
    assert_true(fabs(worst - result.relative_residual) <= 1e-6 * worst + 1e-15);
    return result;
}

static gsolve_auto_info info_of(const gsolve_auto *S)
{
    gsolve_auto_info info = GSOLVE_INIT(gsolve_auto_info);

    gsolve_auto_describe(S, &info);
    return info;
}

/* The bits of x as a number. */
static uint64_t bits_of(const problem *p)
{
    uint64_t hash = 14695981039346656037u;

    for (int32_t i = 0; i < p->csr.ncols; i++) {
        uint64_t word;
        memcpy(&word, &p->x[i], sizeof word);
        hash = (hash ^ word) * 1099511628211u;
    }
    return hash;
}

/* --- falling back ----------------------------------------------------------------------------- */

/* A log that counts the lines about choices and keeps the last one that contains `word`. */
typedef struct lines {
    int count;
    const char *word;
    char found[2000];
} lines;

static void keep_line(const char *line, void *user)
{
    lines *l = user;

    l->count += strstr(line, " + ") != NULL;
    if (strstr(line, l->word)) snprintf(l->found, sizeof l->found, "%s", line);
}

/* The diagonal is positive and A is not definite: cg fails. Later runs do not try it again. */
static void falls_back_once(void **state)
{
    problem p = open_problem("gen:poisson2d,n=12");
    lines l = {.word = "cg"};
    (void)state;

    set_values(&p, 1, -1.5);
    gsolve_auto *S = new_handle(&p, "rtol=1e-9");
    gsolve_context_set_log(p.ctx, keep_line, &l);
    assert_string_equal(info_of(S).method, "");
    assert_int_equal(info_of(S).choice, -1);
    assert_int_equal(run(&p, S, 1).outcome, GSOLVE_CONVERGED);
    const int choice = info_of(S).choice, attempts = info_of(S).attempts;
    assert_true(attempts > 1 && choice == attempts - 1);
    assert_int_equal(l.count, 2 * attempts);
    assert_non_null(strstr(l.found, "cg"));
    assert_non_null(strstr(gsolve_auto_explain(S), "failed"));
    assert_non_null(strstr(gsolve_auto_explain(S), "rtol=1e-9"));
    for (int step = 1; step < 5; step++) {
        set_values(&p, 1 + 0.01 * step, -1.5);
        update(&p, S);
        assert_int_equal(run(&p, S, 1).outcome, GSOLVE_CONVERGED);
        assert_int_equal(info_of(S).attempts, 1);
        assert_int_equal(info_of(S).updates, step);
        assert_null(strstr(gsolve_auto_explain(S), "failed"));
    }
    assert_int_equal(info_of(S).runs, 5);
    assert_int_equal(info_of(S).rebuilds, 0);
    assert_true(info_of(S).total_solve_seconds >= info_of(S).solve_seconds);
    gsolve_auto_destroy(&S);
    close_problem(&p);
}

/* The choice that is kept fails with new values: those of its list that follow are tried, then
 * those before. */
static void falls_back_later(void **state)
{
    static const char *const methods[] = {"cg,maxit=2", "minres,maxit=60", "gmres,restart=80"};
    static const char *const preconds[] = {"jacobi", "none", "ilu"};
    problem p = open_problem("gen:poisson2d,n=40");
    gsolve_auto *S = NULL;
    (void)state;

    set_values(&p, 1, 4);
    S = new_handle(&p, "");
    OK(p.ctx, gsolve_auto_set_choices(S, 3, methods, preconds));
    assert_int_equal(run(&p, S, 1).outcome, GSOLVE_CONVERGED);
    assert_int_equal(info_of(S).choice, 1);
    set_values(&p, 1, 0); /* more than 60 iterations without a preconditioner */
    update(&p, S);
    assert_int_equal(run(&p, S, 1).outcome, GSOLVE_CONVERGED);
    assert_int_equal(info_of(S).choice, 2);
    assert_int_equal(info_of(S).attempts, 2);
    set_values(&p, 0, 1); /* the identity, without the diagonal of A: one iteration */
    update(&p, S);
    assert_int_equal(run(&p, S, 1).outcome, GSOLVE_CONVERGED);
    assert_int_equal(info_of(S).choice, 2);
    assert_int_equal(info_of(S).attempts, 1);
    set_values(&p, 1, -8); /* the diagonal is negative */
    for (int32_t i = 0; i < p.csr.nrows; i++) p.value[gs_start(&p.csr, i)] = 0;
    update(&p, S);
    run(&p, S, 1);
    assert_string_equal(info_of(S).why, info_of(S).choice == 0   ? "choice 1 of the caller"
                                        : info_of(S).choice == 1 ? "choice 2 of the caller"
                                                                 : "choice 3 of the caller");
    gsolve_auto_destroy(&S);
    close_problem(&p);
}

/* The list is made again from new values: cg is given up where A is no longer symmetric. */
static void makes_new_list(void **state)
{
    problem p = open_problem("gen:poisson2d,n=60");
    gsolve_auto *S = new_handle(&p, "");
    (void)state;

    assert_int_equal(run(&p, S, 1).outcome, GSOLVE_CONVERGED);
    assert_int_equal(strncmp(info_of(S).method, "cg", 2), 0);
    for (int32_t i = 0; i < p.csr.nrows; i++) {
        for (int64_t k = gs_start(&p.csr, i); k < gs_start(&p.csr, i + 1); k++) {
            if (p.csr.col[k] < i) p.value[k] = -5;
            if (p.csr.col[k] > i) p.value[k] = 3;
        }
    }
    update(&p, S);
    assert_int_equal(run(&p, S, 1).outcome, GSOLVE_CONVERGED);
    assert_int_not_equal(strncmp(info_of(S).method, "cg", 2), 0);
    assert_non_null(strstr(gsolve_auto_explain(S), "cg"));
    assert_int_equal(run(&p, S, 1).outcome, GSOLVE_CONVERGED);
    assert_int_equal(info_of(S).attempts, 1);
    gsolve_auto_destroy(&S);
    close_problem(&p);
}

/* --- new values ------------------------------------------------------------------------------- */

/* A handle with these choices, for a matrix in a format that does not change. */
static gsolve_auto *handle_by(problem *p, const gsolve_matrix *A, const char *method,
                              const char *precond)
{
    gsolve_auto *S = NULL;

    OK(p->ctx, gsolve_auto_create_from(&S, p->ctx, "rtol=1e-10", A));
    OK(p->ctx, gsolve_auto_set_choices(S, 1, &method, &precond));
    return S;
}

static gsolve_matrix *matrix_of(problem *p)
{
    const gsolve_csr csr = rows_of(p);
    gsolve_matrix *A = NULL;

    OK(p->ctx, gsolve_matrix_create(&A, p->ctx, "csr", &csr));
    return A;
}

/* A run after an update has the bits of a new handle for the new values. */
static void updates_keep_bits(void **state)
{
    static const char *const choice[][2] = {
        {"cg", "jacobi"}, {"cg", "ic"}, {"minres", "none"}, {"gmres", "ilu"}, {"direct", "none"}};
    (void)state;

    for (size_t k = 0; k < sizeof choice / sizeof *choice; k++) {
        problem p = open_problem("gen:poisson2d,n=20");
        gsolve_matrix *A = matrix_of(&p);
        gsolve_auto *S = handle_by(&p, A, choice[k][0], choice[k][1]);
        run(&p, S, 1);
        for (int step = 1; step < 4; step++) {
            set_values(&p, 1 + 0.3 * step, 0.1 * step);
            const gsolve_csr csr = rows_of(&p);
            OK(p.ctx, gsolve_matrix_update(A, &csr));
            assert_int_equal(run(&p, S, 1).outcome, GSOLVE_CONVERGED);
            const uint64_t kept = bits_of(&p);
            gsolve_matrix *B = matrix_of(&p);
            gsolve_auto *fresh = handle_by(&p, B, choice[k][0], choice[k][1]);
            run(&p, fresh, 1);
            if (bits_of(&p) != kept) fail_msg("%s + %s differs", choice[k][0], choice[k][1]);
            gsolve_auto_destroy(&fresh);
            gsolve_matrix_destroy(&B);
        }
        assert_int_equal(info_of(S).updates, 3);
        assert_int_equal(gsolve_auto_update(S, &p.csr), GSOLVE_BAD_ARGUMENT);
        gsolve_auto_destroy(&S);
        gsolve_matrix_destroy(&A);
        close_problem(&p);
    }
}

/* The same calls give the same bits, and later steps hold no more memory. */
static void repeats(void **state)
{
    uint64_t bits[2][12];
    gsolve_context_info info = GSOLVE_INIT(gsolve_context_info);
    size_t bytes = 0;
    (void)state;

    for (int time = 0; time < 2; time++) {
        problem p = open_problem("gen:poisson3d,n=14");
        gsolve_auto *S = new_handle(&p, "");
        for (int step = 0; step < 12; step++) {
            set_values(&p, 1 + 0.1 * step, 0.01);
            if (step > 0) update(&p, S);
            assert_int_equal(run(&p, S, 1).outcome, GSOLVE_CONVERGED);
            bits[time][step] = bits_of(&p);
            gsolve_context_describe(p.ctx, &info);
            if (step == 3) bytes = info.bytes;
            if (step > 3) assert_int_equal(info.bytes, bytes);
        }
        gsolve_auto_destroy(&S);
        close_problem(&p);
    }
    assert_memory_equal(bits[0], bits[1], sizeof bits[0]);
}

/* Later steps allocate nothing, not even for a moment. On a GPU the update of jacobi copies the
 * rows to the host. */
static void allocates_once(void **state)
{
    problem p = open_problem("gen:poisson2d,n=50");
    gsolve_context_info info = GSOLVE_INIT(gsolve_context_info);
    int64_t allocations = 0;
    (void)state;

    set_values(&p, 0.01, 1);
    gsolve_auto *S = new_handle(&p, "");
    for (int step = 0; step < 6; step++) {
        update(&p, S);
        assert_int_equal(run(&p, S, 1).outcome, GSOLVE_CONVERGED);
        gsolve_context_describe(p.ctx, &info);
        if (step == 1) allocations = info.allocations;
    }
    assert_string_equal(info_of(S).precond, "jacobi");
    if (gs_location(p.ctx) == GSOLVE_HOST) assert_int_equal(info.allocations, allocations);
    gsolve_auto_destroy(&S);
    close_problem(&p);
}

/* --- building again --------------------------------------------------------------------------- */

/* Time steps become longer, I + factor A: jacobi is the best for the first, and then multigrid. */
static void rebuilds_choice(void **state)
{
    problem p = open_problem("gen:poisson2d,n=300");
    lines l = {.word = "replaces"};
    int most = 0, rebuilt = -1;
    (void)state;

    set_values(&p, 0.02, 1);
    gsolve_auto *S = new_handle(&p, "");
    gsolve_context_set_log(p.ctx, keep_line, &l);
    run(&p, S, 1);
    assert_string_equal(info_of(S).precond, "jacobi");
    for (int step = 1; step < 8; step++) {
        set_values(&p, 0.02 * pow(16, step), 1);
        update(&p, S);
        const gsolve_result result = run(&p, S, 1);
        assert_int_equal(result.outcome, GSOLVE_CONVERGED);
        if (result.iterations > most) most = result.iterations;
        if (rebuilt < 0 && info_of(S).rebuilds > 0) {
            rebuilt = step;
            assert_string_equal(info_of(S).precond, "amg");
            assert_non_null(strstr(l.found, "jacobi"));
            assert_non_null(strstr(gsolve_auto_explain(S), "replaces"));
        }
    }
    assert_true(rebuilt > 1);
    assert_string_equal(info_of(S).precond, "amg");
    assert_true(info_of(S).iterations < most / 4);
    assert_int_equal(info_of(S).attempts, 1);
    gsolve_auto_destroy(&S);
    close_problem(&p);
}

/* The couplings of one direction become small: levels that were built for equal ones serve badly.
 * amg is named, so that the choice stays. */
static void rebuilds_levels(void **state)
{
    static const char *const method[] = {"cg"}, *const precond[] = {"amg"};
    problem p = open_problem("gen:poisson2d,n=80");
    gsolve_auto *S = new_handle(&p, "");
    (void)state;

    OK(p.ctx, gsolve_auto_set_choices(S, 1, method, precond));
    run(&p, S, 1);
    const int first = info_of(S).first_iterations;
    for (int step = 1; step < 6; step++) {
        const double weak = pow(10, -step);
        for (int32_t i = 0; i < p.csr.nrows; i++) {
            for (int64_t k = gs_start(&p.csr, i); k < gs_start(&p.csr, i + 1); k++) {
                const int32_t j = p.csr.col[k];
                p.value[k] = j == i ? 2 + 2 * weak : abs(j - i) == 1 ? -weak : -1;
            }
        }
        update(&p, S);
        assert_int_equal(run(&p, S, 1).outcome, GSOLVE_CONVERGED);
    }
    assert_in_range(info_of(S).rebuilds, 1, 4);
    assert_true(info_of(S).iterations < 4 * first + 10);
    gsolve_auto_destroy(&S);
    close_problem(&p);
}

/* --- shapes and places ------------------------------------------------------------------------ */

static void several_columns(void **state)
{
    problem p = open_problem("gen:convdiff3d,n=8");
    gsolve_auto *S = new_handle(&p, "");
    gsolve_result column = GSOLVE_INIT(gsolve_result);
    (void)state;

    for (int32_t ncols = 0; ncols < 8; ncols += 3) {
        const gsolve_result result = run(&p, S, ncols);
        assert_int_equal(result.outcome, GSOLVE_CONVERGED);
        for (int32_t c = 0; c < ncols; c++) {
            OK(p.ctx, gsolve_solver_column(gsolve_auto_solver(S), c, &column));
            assert_true(column.relative_residual <= result.relative_residual);
        }
        update(&p, S);
    }
    run(&p, S, 1);
    gsolve_auto_destroy(&S);
    close_problem(&p);
}

/* b and x where the kernels of the device read them. */
static void on_the_device(void **state)
{
    problem p = open_problem("gen:poisson2d,n=12");
    const int32_t n = p.csr.nrows;
    const gsolve_location there = gs_location(p.ctx);
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    (void)state;

    set_values(&p, 1, -1.5);
    gsolve_auto *S = new_handle(&p, "");
    gsolve_dense b = gsolve_vector(gsolve_alloc(p.ctx, there, (size_t)n, 8), n);
    gsolve_dense x = gsolve_vector(gsolve_alloc(p.ctx, there, (size_t)n, 8), n);
    b.location = x.location = there;
    OK(p.ctx, gsolve_copy(p.ctx, b.value, there, p.b, GSOLVE_HOST, (size_t)n * 8));
    run(&p, S, 1);
    const uint64_t bits = bits_of(&p);
    gsolve_auto_destroy(&S);
    S = new_handle(&p, "");
    memset(p.x, 0, (size_t)n * 8);
    OK(p.ctx, gsolve_copy(p.ctx, x.value, there, p.x, GSOLVE_HOST, (size_t)n * 8));
    OK(p.ctx, gsolve_auto_run(S, b, x, &result));
    assert_int_equal(result.outcome, GSOLVE_CONVERGED);
    assert_true(info_of(S).attempts > 1);
    OK(p.ctx, gsolve_copy(p.ctx, p.x, GSOLVE_HOST, x.value, there, (size_t)n * 8));
    assert_true(bits_of(&p) == bits);
    gsolve_auto_destroy(&S);
    gsolve_free(p.ctx, there, b.value);
    gsolve_free(p.ctx, there, x.value);
    close_problem(&p);
}

/* Least squares, and a singular system without a solution: the least-squares solution. */
static void without_solution(void **state)
{
    static const char *const matrices[] = {"gen:random,n=80,cols=50", "gen:random,n=50,cols=80",
                                           "gen:neumann2d,n=15"};
    (void)state;

    for (int m = 0; m < 3; m++) {
        problem p = open_problem(matrices[m]);
        gsolve_auto *S = new_handle(&p, "");
        const gsolve_result first = run(&p, S, 1);
        assert_int_equal(first.outcome, m == 1 ? GSOLVE_CONVERGED : GSOLVE_LEAST_SQUARES);
        assert_true(first.relative_residual < 1);
        if (m == 0) assert_int_equal(info_of(S).choices, 4);
        update(&p, S);
        const gsolve_result second = run(&p, S, 1);
        assert_true(second.relative_residual <= first.relative_residual * (1 + 1e-6));
        assert_int_equal(info_of(S).runs, 2);
        assert_true(strlen(gsolve_auto_explain(S)) > 20);
        gsolve_auto_destroy(&S);
        close_problem(&p);
    }
}

static void single_precision(void **state)
{
    problem p = open_problem("gen:poisson2d,n=20");
    gsolve_csr single;
    gsolve_auto *S = NULL;
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    (void)state;

    OK(p.ctx, gsolve_csr_convert(&single, p.ctx, GSOLVE_F32, &p.csr));
    OK(p.ctx, gsolve_auto_create(&S, p.ctx, "rtol=1e-5", &single));
    for (int step = 0; step < 3; step++) {
        OK(p.ctx, gsolve_auto_run(S, gsolve_vector(p.b, p.csr.nrows),
                                  gsolve_vector(p.x, p.csr.nrows), &result));
        assert_int_equal(result.outcome, GSOLVE_CONVERGED);
        OK(p.ctx, gsolve_auto_update(S, &single));
    }
    gsolve_auto_destroy(&S);
    gsolve_csr_free(&single, p.ctx);
    close_problem(&p);
}

/* --- callbacks -------------------------------------------------------------------------------- */

static bool stop_at_two(int iteration, double residual, void *user)
{
    (void)residual, (void)user;
    return iteration < 2;
}

static bool count_stages(const gsolve_attempt *attempt, void *user)
{
    int *stage = user;

    assert_int_equal(attempt->size, sizeof *attempt);
    assert_true((attempt->stage == GSOLVE_ATTEMPT_ENDED) == (attempt->result != NULL));
    stage[attempt->stage]++;
    if (attempt->stage != GSOLVE_ATTEMPT_BEGINS && attempt->status == GSOLVE_OK) {
        assert_non_null(attempt->S);
        assert_non_null(attempt->M);
    }
    return attempt->stage != GSOLVE_ATTEMPT_ENDED;
}

/* A monitor that stops ends the attempts, and so does an attempt monitor. */
static void callbacks(void **state)
{
    problem p = open_problem("gen:convdiff3d,n=8");
    gsolve_auto *S = new_handle(&p, "maxit=3");
    int stage[3] = {0};
    (void)state;

    gsolve_auto_set_attempt_monitor(S, count_stages, stage);
    assert_int_not_equal(run(&p, S, 1).outcome, GSOLVE_CONVERGED);
    assert_int_equal(info_of(S).attempts, 1);
    for (int k = 0; k < 3; k++) assert_int_equal(stage[k], 1);
    gsolve_auto_set_attempt_monitor(S, NULL, NULL);
    gsolve_auto_set_monitor(S, stop_at_two, NULL);
    assert_int_equal(run(&p, S, 1).outcome, GSOLVE_STOPPED);
    assert_int_equal(info_of(S).attempts, 1);
    gsolve_auto_set_monitor(S, NULL, NULL);
    run(&p, S, 1);
    assert_true(info_of(S).attempts > 1);
    gsolve_auto_destroy(&S);
    close_problem(&p);
}

/* --- settings, operators ---------------------------------------------------------------------- */

/* Later runs have the bits of a new handle with these options; the options do not pile up. */
static void settings(void **state)
{
    static const char *const set[] = {"rtol=1e-3", "rtol=1e-11,maxit=400", "atol=1e-3",
                                      "rtol=1e-6"};
    static const char *const given[] = {"rtol=1e-3", "rtol=1e-11,maxit=400",
                                        "rtol=1e-11,maxit=400,atol=1e-3",
                                        "rtol=1e-6,maxit=400,atol=1e-3"};
    problem p = open_problem("gen:poisson2d,n=20");
    gsolve_matrix *A = matrix_of(&p);
    gsolve_auto *S = NULL;
    (void)state;

    OK(p.ctx, gsolve_auto_create_from(&S, p.ctx, "rtol=1e-9", A));
    OK(p.ctx, gsolve_auto_set(S, "maxit=500"));
    run(&p, S, 1);
    for (int time = 0; time < 100; time++) OK(p.ctx, gsolve_auto_set(S, "rtol=1e-9,maxit=10000"));
    for (int k = 0; k < 4; k++) {
        gsolve_auto *fresh = NULL;
        OK(p.ctx, gsolve_auto_set(S, set[k]));
        const gsolve_result result = run(&p, S, 1);
        const uint64_t bits = bits_of(&p);
        assert_int_equal(result.outcome, GSOLVE_CONVERGED);
        assert_int_equal(info_of(S).attempts, 1);
        assert_non_null(strstr(info_of(S).method, set[k]));
        OK(p.ctx, gsolve_auto_create_from(&fresh, p.ctx, given[k], A));
        assert_int_equal(run(&p, fresh, 1).iterations, result.iterations);
        assert_true(bits_of(&p) == bits);
        gsolve_auto_destroy(&fresh);
    }
    OK(p.ctx, gsolve_auto_set(S, ""));
    assert_int_equal(gsolve_auto_set(S, NULL), GSOLVE_BAD_ARGUMENT);
    assert_int_equal(gsolve_auto_set(S, "restart=5"), GSOLVE_BAD_SPEC);
    assert_int_equal(gsolve_auto_set(S, "guess=given"), GSOLVE_BAD_SPEC);
    assert_int_equal(gsolve_auto_set(S, "rtol=7"), GSOLVE_BAD_SPEC);
    assert_non_null(strstr(info_of(S).method, "rtol=1e-6"));
    gsolve_auto_destroy(&S);
    gsolve_matrix_destroy(&A);
    close_problem(&p);
}

/* y = tridiag(-1, s, -1) x, where s is the caller's number. */
static gsolve_status apply_line(gsolve_context *ctx, gsolve_dense x, gsolve_dense y, void *user)
{
    const double *from = x.value, s = *(const double *)user;
    double *to = y.value;
    (void)ctx;

    for (int32_t i = 0; i < x.nrows; i++) {
        to[i] = s * from[i] - (i > 0 ? from[i - 1] : 0) - (i + 1 < x.nrows ? from[i + 1] : 0);
    }
    return GSOLVE_OK;
}

/* A matrix-free operator: its flags decide, and it is updated. */
static void operators(void **state)
{
    problem p = open_problem("gen:tridiagonal,n=60");
    gsolve_matrix *A = NULL;
    gsolve_auto *S = NULL;
    double s = 2.5;
    (void)state;

    if (gs_location(p.ctx) == GSOLVE_HOST) { /* the function computes on the host */
        OK(p.ctx,
           gsolve_matrix_create_operator(&A, p.ctx, 60, 60, GSOLVE_F64, apply_line, NULL, &s));
        OK(p.ctx, gsolve_matrix_set_flags(A, GSOLVE_FUNCTION_DEFINITE));
        OK(p.ctx, gsolve_auto_create_from(&S, p.ctx, "rtol=1e-9", A));
        for (int step = 0; step < 3; step++) {
            s = 2.5 + step;
            OK(p.ctx, gsolve_matrix_update_operator(A, &s));
            assert_int_equal(run(&p, S, 1).outcome, GSOLVE_CONVERGED);
            assert_string_equal(gsolve_solver_name(gsolve_auto_solver(S)), "cg");
            assert_int_equal(info_of(S).attempts, 1);
        }
        assert_non_null(strstr(gsolve_auto_explain(S), "operator"));
    }
    gsolve_auto_destroy(&S);
    gsolve_matrix_destroy(&A);
    close_problem(&p);
}

/* With a null space an inconsistent system has a least-squares solution, which is a success. */
static void null_spaces(void **state)
{
    const gsolve_null_space constants = {.constants = true};
    problem p = open_problem("gen:neumann2d,n=30");
    gsolve_matrix *A = matrix_of(&p);
    gsolve_auto *S = NULL;
    (void)state;

    OK(p.ctx, gsolve_matrix_set_null_space(A, &constants, NULL));
    OK(p.ctx, gsolve_auto_create_from(&S, p.ctx, "", A));
    for (int step = 0; step < 3; step++) {
        set_values(&p, 1 + step, 0);
        const gsolve_csr csr = rows_of(&p);
        OK(p.ctx, gsolve_matrix_update(A, &csr));
        assert_int_equal(run(&p, S, 1).outcome, GSOLVE_LEAST_SQUARES);
        if (step > 0) assert_int_equal(info_of(S).attempts, 1);
    }
    gsolve_auto_destroy(&S);
    gsolve_matrix_destroy(&A);
    close_problem(&p);
}

static gsolve_decision accept_early(int iteration, int32_t column, double residual, double norm,
                                    void *user)
{
    (void)column, (void)residual, (void)norm, (void)user;
    return iteration < 2 ? GSOLVE_CONTINUE : GSOLVE_ACCEPT;
}

/* What the caller's test accepts needs no other choice. */
static void stopping_test(void **state)
{
    problem p = open_problem("gen:convdiff3d,n=8");
    gsolve_auto *S = new_handle(&p, "rtol=1e-30"); /* which no iteration reaches */
    (void)state;

    gsolve_auto_set_stopping_test(S, accept_early, NULL);
    assert_int_equal(run(&p, S, 1).outcome, GSOLVE_ACCEPTED);
    assert_int_equal(info_of(S).attempts, 1);
    gsolve_auto_set_stopping_test(S, NULL, NULL);
    OK(p.ctx, gsolve_auto_set(S, "rtol=1e-8"));
    assert_int_equal(run(&p, S, 1).outcome, GSOLVE_CONVERGED);
    gsolve_auto_destroy(&S);
    close_problem(&p);
}

/* --- errors and failures ---------------------------------------------------------------------- */

static void bad_arguments(void **state)
{
    problem p = open_problem("gen:poisson2d,n=5");
    const gsolve_dense b = gsolve_vector(p.b, 25), x = gsolve_vector(p.x, 25);
    gsolve_auto *S = NULL;
    gsolve_auto_info info = {.size = 1, .choices = 77};
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    (void)state;

    assert_int_equal(gsolve_auto_create(&S, p.ctx, "restart=5", &p.csr), GSOLVE_BAD_SPEC);
    assert_int_equal(gsolve_auto_create(&S, p.ctx, "rtol=2", &p.csr), GSOLVE_BAD_SPEC);
    assert_int_equal(gsolve_auto_create(&S, p.ctx, NULL, &p.csr), GSOLVE_BAD_ARGUMENT);
    assert_int_equal(gsolve_auto_create(&S, p.ctx, "", NULL), GSOLVE_BAD_ARGUMENT);
    assert_int_equal(gsolve_auto_create(&S, NULL, "", &p.csr), GSOLVE_BAD_ARGUMENT);
    assert_null(S);
    assert_int_equal(gsolve_auto_run(NULL, b, x, &result), GSOLVE_BAD_ARGUMENT);
    S = new_handle(&p, "");
    assert_string_equal(gsolve_auto_explain(S), "There has been no run yet.");
    gsolve_auto_describe(S, &info);
    assert_int_equal(info.choices, 77);
    assert_int_equal(gsolve_auto_run(S, b, gsolve_vector(p.x, 24), &result), GSOLVE_BAD_ARGUMENT);
    assert_int_equal(gsolve_auto_run(S, b, gsolve_vector(NULL, 25), &result), GSOLVE_BAD_ARGUMENT);
    assert_int_equal(gsolve_auto_run(S, b, x, NULL), GSOLVE_BAD_ARGUMENT);
    assert_int_equal(gsolve_auto_set_choices(S, 0, NULL, NULL), GSOLVE_BAD_ARGUMENT);
    const char *const none[] = {"nosuchmethod"}, *const jacobi[] = {"jacobi"};
    p.b[7] = NAN;
    assert_int_equal(gsolve_auto_run(S, b, x, &result), GSOLVE_BAD_ARGUMENT);
    assert_int_equal(info_of(S).attempts, 1);
    p.b[7] = 1;
    assert_int_equal(run(&p, S, 1).outcome, GSOLVE_CONVERGED);
    assert_int_equal(info_of(S).attempts, 1);
    OK(p.ctx, gsolve_auto_set_choices(S, 1, none, jacobi));
    assert_int_equal(gsolve_auto_run(S, b, x, &result), GSOLVE_BAD_SPEC);
    gsolve_auto_destroy(&S);
    gsolve_auto_destroy(&S);
    gsolve_auto_destroy(NULL);
    close_problem(&p);
}

/* The context destroys a handle that is left, also one for a matrix of the caller. */
static void left_to_the_context(void **state)
{
    problem p = open_problem("gen:poisson2d,n=5");
    gsolve_matrix *A = matrix_of(&p);
    gsolve_auto *S = NULL;
    (void)state;

    OK(p.ctx, gsolve_auto_create_from(&S, p.ctx, "", A));
    run(&p, S, 1);
    run(&p, new_handle(&p, ""), 1);
    gsolve_context_destroy(&p.ctx);
    free(p.value);
    free(p.b);
    free(p.x);
}

/* A handle from its creation to its second run. */
static gsolve_status whole_life(problem *p)
{
    const gsolve_csr csr = rows_of(p);
    const gsolve_dense b = gsolve_vector(p->b, csr.nrows), x = gsolve_vector(p->x, csr.nrows);
    gsolve_auto *S = NULL;
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    gsolve_status status = gsolve_auto_create(&S, p->ctx, "", &csr);

    memset(p->x, 0, (size_t)csr.nrows * sizeof(double));
    if (status == GSOLVE_OK) status = gsolve_auto_run(S, b, x, &result);
    if (status == GSOLVE_OK) status = gsolve_auto_update(S, &csr);
    if (status == GSOLVE_OK) status = gsolve_auto_run(S, b, x, &result);
    gsolve_auto_destroy(&S);
    return status;
}

static void denied(void **state)
{
    static const char *const matrices[] = {"gen:poisson2d,n=6", "gen:convdiff3d,n=4"};
    (void)state;

    for (int m = 0; m < 2; m++) {
        problem p = open_problem(matrices[m]);
        ALLOCATION_SWEEP(p.ctx, whole_life(&p));
        close_problem(&p);
    }
}

/* After a run or an update that was denied memory, the handle goes on, and with its choice. */
static void denied_and_used_again(void **state)
{
    problem p = open_problem("gen:poisson2d,n=12");
    const gsolve_dense b = gsolve_vector(p.b, 144), x = gsolve_vector(p.x, 144);
    bool passed = false;
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    (void)state;

    set_values(&p, 1, -1.5); /* cg fails */
    gsolve_auto *S = new_handle(&p, "");
    run(&p, S, 1);
    const int choice = info_of(S).choice;
    const gsolve_csr csr = rows_of(&p);
    for (int granted = 0; !passed && granted < 200; granted++) {
        gsolve_context_limit_allocations(p.ctx, granted);
        passed = gsolve_auto_update(S, &csr) == GSOLVE_OK &&
                 gsolve_auto_run(S, b, columns(p.x, 144, 1), &result) == GSOLVE_OK;
        gsolve_context_limit_allocations(p.ctx, -1);
        OK(p.ctx, gsolve_auto_update(S, &csr));
        OK(p.ctx, gsolve_auto_run(S, b, x, &result));
        assert_int_equal(result.outcome, GSOLVE_CONVERGED);
        assert_int_equal(info_of(S).choice, choice);
        assert_int_equal(info_of(S).attempts, 1);
    }
    assert_true(passed);
    gsolve_auto_destroy(&S);
    close_problem(&p);
}

int main(void)
{
    need_device();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(falls_back_once),
        cmocka_unit_test(falls_back_later),
        cmocka_unit_test(makes_new_list),
        cmocka_unit_test(updates_keep_bits),
        cmocka_unit_test(repeats),
        cmocka_unit_test(allocates_once),
        cmocka_unit_test(rebuilds_choice),
        cmocka_unit_test(rebuilds_levels),
        cmocka_unit_test(several_columns),
        cmocka_unit_test(on_the_device),
        cmocka_unit_test(without_solution),
        cmocka_unit_test(single_precision),
        cmocka_unit_test(callbacks),
        cmocka_unit_test(settings),
        cmocka_unit_test(operators),
        cmocka_unit_test(null_spaces),
        cmocka_unit_test(stopping_test),
        cmocka_unit_test(bad_arguments),
        cmocka_unit_test(left_to_the_context),
        cmocka_unit_test(denied),
        cmocka_unit_test(denied_and_used_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
