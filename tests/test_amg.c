/* test_amg.c [PART PARTS]: what multigrid promises: few iterations, whatever the size; the same
 * levels every time; updates that are as good as a new set-up; refusals that say why. */
#include <math.h>

#include "tests/parts.h"

/* --- solving ---------------------------------------------------------------------------------- */

typedef struct solve {
    int iterations;
    gsolve_outcome outcome;
    double residual;
    char note[160];
} solve;

static double *right_hand_side(int32_t n, bool balanced)
{
    double *b = malloc((size_t)n * sizeof *b), mean = 0;

    for (int32_t i = 0; i < n; i++) b[i] = 1 + 0.5 * gsolve_random(3, (uint64_t)i);
    for (int32_t i = 0; i < n; i++) mean += b[i] / n;
    for (int32_t i = 0; balanced && i < n; i++) b[i] -= mean;
    return b;
}

static solve solve_with(gsolve_context *ctx, const gsolve_csr *csr, const char *method,
                        const gsolve_precond *M, bool balanced)
{
    double *b = right_hand_side(csr->nrows, balanced);
    double *x = calloc((size_t)csr->nrows, sizeof *x);
    gsolve_matrix *A = NULL;
    gsolve_solver *S = NULL;
    gsolve_precond_info info = GSOLVE_INIT(gsolve_precond_info);
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    solve s;

    OK(ctx, gsolve_matrix_create(&A, ctx, "csr", csr));
    OK(ctx, gsolve_solver_create(&S, ctx, method, A, M));
    OK(ctx,
       gsolve_solver_run(S, gsolve_vector(b, csr->nrows), gsolve_vector(x, csr->nrows), &result));
    gsolve_precond_describe(M, &info);
    s.iterations = result.iterations;
    s.outcome = result.outcome;
    s.residual = result.relative_residual;
    memcpy(s.note, info.note, sizeof s.note);
    gsolve_solver_destroy(&S);
    gsolve_matrix_destroy(&A);
    free(b), free(x);
    return s;
}

static solve solve_model(gsolve_context *ctx, const char *matrix, const char *method,
                         const char *precond)
{
    gsolve_csr csr = read_matrix(ctx, matrix);
    gsolve_precond *M = NULL;
    solve s;

    OK(ctx, gsolve_precond_create(&M, ctx, precond, &csr));
    s = solve_with(ctx, &csr, method, M, strstr(matrix, "neumann") != NULL);
    if (s.outcome != GSOLVE_CONVERGED) {
        fail_msg("%s by %s + %s: %s after %d iterations, residual %g", matrix, method, precond,
                 gsolve_outcome_text(s.outcome), s.iterations, s.residual);
    }
    gsolve_precond_destroy(&M);
    gsolve_csr_free(&csr, ctx);
    return s;
}

static void at_most(int iterations, gsolve_context *ctx, const char *matrix, const char *method,
                    const char *precond)
{
    const solve s = solve_model(ctx, matrix, method, precond);

    if (s.iterations > iterations) {
        fail_msg("%s by %s + %s took %d iterations and not %d (%s)", matrix, method, precond,
                 s.iterations, iterations, s.note);
    }
}

static void model_problems(void **state)
{
    gsolve_context *ctx = open_context(2);
    (void)state;

    at_most(20, ctx, "gen:poisson3d,n=30", "cg", "amg");
    at_most(25, ctx, "gen:poisson2d,n=160", "cg", "amg");
    at_most(20, ctx, "gen:poisson3d27,n=24", "cg", "amg");
    at_most(30, ctx, "gen:anisotropic3d,n=30", "cg", "amg");
    at_most(40, ctx, "gen:jump3d,n=30", "cg", "amg");
    at_most(40, ctx, "gen:convdiff3d,n=30", "bicgstab", "amg");
    at_most(60, ctx, "gen:convdiff3d,n=30", "gmres", "amg");
    close_context(ctx);
}

/* Twice the points along an edge: a few iterations more. */
static void grid_independence(void **state)
{
    gsolve_context *ctx = open_context(2);
    (void)state;

    const solve coarse = solve_model(ctx, "gen:poisson2d,n=100", "cg", "amg,coarsest=200");
    const solve fine = solve_model(ctx, "gen:poisson2d,n=400", "cg", "amg,coarsest=200");
    assert_true(fine.iterations <= coarse.iterations * 4 / 3 + 2);
    close_context(ctx);
}

static void cycles_and_smoothers(void **state)
{
    static const char *const flexible[] = {"amg,coarsest=100,cycle=k",
                                           "amg,coarsest=100,cycle=k,damping=0"};
    static const char *const spec[] = {"amg,coarsest=100",
                                       "amg,coarsest=100,cycle=w",
                                       "amg,coarsest=100,pre=2,post=2",
                                       "amg,coarsest=100,smoother=l1_jacobi",
                                       "amg,coarsest=100,format=sell",
                                       "amg,coarsest=100,format=csr",
                                       "amg,coarsest=100,type=f32",
                                       "amg,coarsest=100,type=same",
                                       "amg,coarsest=5",
                                       "amg,levels=2,coarsest=10"};
    gsolve_context *ctx = open_context(2);
    (void)state;

    for (size_t k = 0; k < sizeof spec / sizeof *spec; k++) {
        at_most(30, ctx, "gen:poisson2d,n=80", "cg", spec[k]);
    }
    for (size_t k = 0; k < sizeof flexible / sizeof *flexible; k++) {
        at_most(40, ctx, "gen:poisson2d,n=80", "fgmres", flexible[k]);
        at_most(60, ctx, "gen:convdiff3d,n=16", "fgmres", flexible[k]);
    }
    at_most(45, ctx, "gen:poisson2d,n=80", "gmres", "amg,coarsest=100,pre=0");
    at_most(45, ctx, "gen:poisson2d,n=80", "gmres", "amg,coarsest=100,post=0");
    close_context(ctx);
}

/* W and K are worth more iterations than V has over. */
static void cycles_differ(void **state)
{
    gsolve_context *ctx = open_context(2);
    (void)state;

    const solve v =
        solve_model(ctx, "gen:poisson2d,n=200", "fgmres", "amg,coarsest=100,damping=0,cycle=v");
    const solve w =
        solve_model(ctx, "gen:poisson2d,n=200", "fgmres", "amg,coarsest=100,damping=0,cycle=w");
    const solve k =
        solve_model(ctx, "gen:poisson2d,n=200", "fgmres", "amg,coarsest=100,damping=0,cycle=k");
    assert_true(w.iterations < v.iterations);
    assert_true(k.iterations < v.iterations);
    close_context(ctx);
}

static void singular_systems(void **state)
{
    static const char *const spec[] = {"amg", "amg,coarsest=100", "amg,coarsest=100,type=f32",
                                       "amg,coarsest=100000"};
    gsolve_context *ctx = open_context(2);
    (void)state;

    for (size_t k = 0; k < sizeof spec / sizeof *spec; k++) {
        const solve s = solve_model(ctx, "gen:neumann2d,n=40", "cg", spec[k]);
        assert_true(s.iterations <= 25);
        assert_non_null(strstr(s.note, "singular: 1 null vector"));
    }
    close_context(ctx);
}

/* --- the map ---------------------------------------------------------------------------------- */

static void apply(gsolve_context *ctx, const gsolve_precond *M, bool transposed, int32_t n,
                  uint64_t seed, double *r, double *z)
{
    for (int32_t i = 0; i < n; i++) r[i] = gsolve_random(seed, (uint64_t)i);
    OK(ctx, (transposed ? gsolve_precond_apply_transpose
                        : gsolve_precond_apply)(M, gsolve_vector(r, n), gsolve_vector(z, n)));
}

static double dot(const double *x, const double *y, int32_t n)
{
    double sum = 0;
    for (int32_t i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

/* s'M r = r'M' s, where M' is M if A is symmetric and sweeps are as many before as after. */
static void check_adjoint(gsolve_context *ctx, const char *matrix, const char *precond,
                          bool symmetric)
{
    gsolve_csr csr = read_matrix(ctx, matrix);
    const int32_t n = csr.nrows;
    double *v[4];
    gsolve_precond *M = NULL;

    for (int k = 0; k < 4; k++) v[k] = malloc((size_t)n * sizeof **v);
    OK(ctx, gsolve_precond_create(&M, ctx, precond, &csr));
    apply(ctx, M, false, n, 1, v[0], v[1]);
    for (int transposed = !symmetric; transposed < 2; transposed++) {
        apply(ctx, M, transposed, n, 2, v[2], v[3]);
        const double one = dot(v[2], v[1], n), two = dot(v[0], v[3], n);
        const double scale = sqrt(dot(v[1], v[1], n) * dot(v[2], v[2], n));
        if (fabs(one - two) > 1e-12 * scale) {
            fail_msg("%s, %s: %.17g and %.17g", matrix, precond, one, two);
        }
    }
    for (int k = 0; k < 4; k++) free(v[k]);
    gsolve_precond_destroy(&M);
    gsolve_csr_free(&csr, ctx);
}

static void symmetric_cycles(void **state)
{
    gsolve_context *ctx = open_context(2);
    (void)state;

    check_adjoint(ctx, "gen:poisson2d,n=50", "amg,coarsest=60", true);
    check_adjoint(ctx, "gen:poisson2d,n=50", "amg,coarsest=60,smoother=l1_jacobi", true);
    check_adjoint(ctx, "gen:jump3d,n=14", "amg,coarsest=60,cycle=w,pre=2,post=2", true);
    check_adjoint(ctx, "gen:poisson2d,n=50", "amg,coarsest=60,pre=2", false);
    check_adjoint(ctx, "gen:poisson2d,n=50", "amg,coarsest=60,pre=0", false);
    check_adjoint(ctx, "gen:convdiff3d,n=14", "amg,coarsest=60,pre=0,post=3", false);
    check_adjoint(ctx, "gen:convdiff3d,n=14", "amg,coarsest=60,smoother=l1_jacobi,cycle=w", false);
    check_adjoint(ctx, "gen:convdiff3d,n=10", "amg,coarsest=5000", false);
    close_context(ctx);
}

/* Ten set-ups and applications by one and by two threads: the same bits. */
static void same_bits(void **state)
{
    static const char *const spec[] = {"amg,coarsest=100", "amg,coarsest=100,cycle=k,type=f32"};
    (void)state;

    for (size_t s = 0; s < sizeof spec / sizeof *spec; s++) {
        double *first = NULL;
        for (int time = 0; time < 10; time++) {
            gsolve_context *ctx = open_context(1 + time % 2);
            gsolve_csr csr = read_matrix(ctx, "gen:jump3d,n=24");
            double *r = malloc((size_t)csr.nrows * 8), *z = malloc((size_t)csr.nrows * 8);
            gsolve_precond *M = NULL;
            OK(ctx, gsolve_precond_create(&M, ctx, spec[s], &csr));
            apply(ctx, M, false, csr.nrows, 5, r, z);
            if (!first) {
                first = z;
                z = NULL;
            } else {
                assert_memory_equal(first, z, (size_t)csr.nrows * 8);
            }
            gsolve_precond_destroy(&M);
            gsolve_csr_free(&csr, ctx);
            close_context(ctx);
            free(r), free(z);
        }
        free(first);
    }
}

/* --- new values ------------------------------------------------------------------------------- */

static void scale(const gsolve_csr *csr, double factor)
{
    double *value = (double *)(uintptr_t)csr->value;
    for (int64_t k = 0; k < gsolve_csr_entries(csr); k++) value[k] *= factor;
}

/* Values times a constant leave all decisions, so that an update is a new set-up: the first, which
 * finds what to keep, and those that go by it. */
static void check_update(const char *matrix)
{
    static const char *const spec[] = {"amg,coarsest=100", "amg,coarsest=100,reuse=rebuild",
                                       "amg,coarsest=100,reuse=keep,smoother=l1_jacobi"};
    gsolve_context *ctx = open_context(2);
    gsolve_csr csr = read_matrix(ctx, matrix);
    const int32_t n = csr.nrows;
    double *r = malloc((size_t)n * 8), *z = malloc((size_t)n * 8), *want = malloc((size_t)n * 8);

    for (size_t s = 0; s < sizeof spec / sizeof *spec; s++) {
        gsolve_precond *M = NULL, *fresh = NULL;
        OK(ctx, gsolve_precond_create(&M, ctx, spec[s], &csr));
        for (int k = 0; k < 3; k++) {
            scale(&csr, k == 1 ? 0.2 : 3);
            OK(ctx, gsolve_precond_create(&fresh, ctx, spec[s], &csr));
            OK(ctx, gsolve_precond_update(M, &csr));
            apply(ctx, fresh, false, n, 4, r, want);
            apply(ctx, M, false, n, 4, r, z);
            for (int32_t i = 0; i < n; i++) z[i] -= want[i];
            assert_true(sqrt(dot(z, z, n)) <= 1e-12 * sqrt(dot(want, want, n)));
            gsolve_precond_destroy(&fresh);
        }
        gsolve_precond_destroy(&M);
    }
    free(r), free(z), free(want);
    gsolve_csr_free(&csr, ctx);
    close_context(ctx);
}

static void update_is_set_up(void **state)
{
    (void)state;

    check_update("gen:jump3d,n=18");
    check_update("gen:elasticity3d,n=7"); /* by blocks on a GPU */
}

/* Levels that suit other values are kept until solves take longer by more than a set-up. */
static void levels_are_made_anew(void **state)
{
    gsolve_context *ctx = open_context(2);
    gsolve_csr csr = read_matrix(ctx, "gen:anisotropic3d,n=20,eps=0.0001");
    gsolve_csr turned = read_matrix(ctx, "gen:anisotropic3d,n=20,eps=10000");
    gsolve_precond *M = NULL;
    gsolve_precond_info info = GSOLVE_INIT(gsolve_precond_info);
    (void)state;

    OK(ctx, gsolve_precond_create(&M, ctx, "amg,coarsest=100", &csr));
    const solve one = solve_with(ctx, &csr, "cg", M, false);
    OK(ctx, gsolve_precond_update(M, &turned));
    const solve two = solve_with(ctx, &turned, "cg", M, false);
    assert_true(two.iterations > one.iterations + 10);
    OK(ctx, gsolve_precond_update(M, &turned));
    const solve three = solve_with(ctx, &turned, "cg", M, false);
    assert_true(three.iterations < two.iterations - 5);
    gsolve_precond_describe(M, &info);
    assert_non_null(strstr(info.note, "levels rebuilt:"));
    gsolve_precond_destroy(&M);
    gsolve_csr_free(&csr, ctx), gsolve_csr_free(&turned, ctx);
    close_context(ctx);
}

/* Several solves with the same values are no longer ones. */
static void levels_are_kept_between_solves(void **state)
{
    gsolve_context *ctx = open_context(2);
    gsolve_csr csr = read_matrix(ctx, "gen:jump3d,n=18");
    gsolve_precond *M = NULL;
    gsolve_precond_info info = GSOLVE_INIT(gsolve_precond_info);
    (void)state;

    OK(ctx, gsolve_precond_create(&M, ctx, "amg,coarsest=100", &csr));
    for (int updates = 0; updates < 3; updates++) {
        for (int run = 0; run < 1 + 2 * updates; run++) (void)solve_with(ctx, &csr, "cg", M, false);
        OK(ctx, gsolve_precond_update(M, &csr));
        gsolve_precond_describe(M, &info);
        assert_null(strstr(info.note, "levels rebuilt:"));
    }
    gsolve_precond_destroy(&M);
    gsolve_csr_free(&csr, ctx);
    close_context(ctx);
}

/* Aggregates by mis2 as a GPU has them: few entries on the coarse levels, few iterations more. */
static void parallel_aggregates(void **state)
{
    static const char *const mis2 = "amg,coarsest=100,aggregation=mis2";
    gsolve_context *ctx = open_context(2);
    (void)state;

    const solve s = solve_model(ctx, "gen:poisson3d,n=40", "cg", mis2);
    assert_true(s.iterations <= 16);
    assert_non_null(strstr(s.note, "operator complexity 1.1"));
    at_most(24, ctx, "gen:convdiff3d,n=30", "bicgstab", mis2);
    close_context(ctx);
}

/* --- vectors from the caller ------------------------------------------------------------------ */

static void near_null_vectors(void **state)
{
    gsolve_context *ctx = open_context(2);
    gsolve_csr csr = read_matrix(ctx, "gen:poisson2d,n=60");
    const int32_t n = csr.nrows;
    double *B = malloc((size_t)n * 8), *z = malloc((size_t)n * 8), *want = malloc((size_t)n * 8);
    double *r = malloc((size_t)n * 8);
    gsolve_precond *M = NULL, *N = NULL, *ic = NULL;
    (void)state;

    for (int32_t i = 0; i < n; i++) B[i] = 1;
    OK(ctx, gsolve_precond_create(&M, ctx, "amg,coarsest=100,near_null=given", &csr));
    for (int32_t i = 0; i < n; i++) r[i] = 1;
    assert_int_equal(gsolve_precond_apply(M, gsolve_vector(r, n), gsolve_vector(z, n)),
                     GSOLVE_BAD_ARGUMENT);
    assert_non_null(strstr(gsolve_error(ctx), "call gsolve_precond_set_near_null"));
    OK(ctx, gsolve_precond_update(M, &csr));
    assert_int_equal(gsolve_precond_set_near_null(M, gsolve_vector(B, n - 1)), GSOLVE_BAD_ARGUMENT);
    assert_int_equal(gsolve_precond_set_near_null(M, gsolve_vector(NULL, n)), GSOLVE_BAD_ARGUMENT);
    OK(ctx, gsolve_precond_set_near_null(M, gsolve_vector(B, n)));
    OK(ctx, gsolve_precond_create(&N, ctx, "amg,coarsest=100", &csr));
    apply(ctx, M, false, n, 7, r, z);
    apply(ctx, N, false, n, 7, r, want);
    assert_memory_equal(z, want, (size_t)n * 8);
    OK(ctx, gsolve_precond_set_near_null(N, gsolve_vector(B, n))); /* once more */
    apply(ctx, N, false, n, 7, r, z);
    assert_memory_equal(z, want, (size_t)n * 8);
    OK(ctx, gsolve_precond_create(&ic, ctx, "ic", &csr));
    assert_int_equal(gsolve_precond_set_near_null(ic, gsolve_vector(B, n)), GSOLVE_UNSUPPORTED);
    assert_non_null(strstr(gsolve_error(ctx), "ic does not use near-null vectors"));
    gsolve_precond_destroy(&M), gsolve_precond_destroy(&N), gsolve_precond_destroy(&ic);
    free(B), free(z), free(r), free(want);
    gsolve_csr_free(&csr, ctx);
    close_context(ctx);
}

/* A matrix that was scaled from both sides: what its levels must keep is the scaling's inverse. */
static void scaled_matrix(void **state)
{
    gsolve_context *ctx = open_context(2);
    gsolve_csr csr = read_matrix(ctx, "gen:poisson2d,n=80");
    const int32_t n = csr.nrows, *start = csr.start;
    double *value = (double *)(uintptr_t)csr.value, *B = malloc((size_t)n * 8);
    gsolve_precond *M = NULL;
    (void)state;

    for (int32_t i = 0; i < n; i++) B[i] = exp(3 * gsolve_random(9, (uint64_t)i));
    for (int32_t i = 0; i < n; i++) {
        for (int32_t k = start[i]; k < start[i + 1]; k++) value[k] /= B[i] * B[csr.col[k]];
    }
    OK(ctx, gsolve_precond_create(&M, ctx, "amg,coarsest=100,type=same", &csr));
    const solve blind = solve_with(ctx, &csr, "cg", M, false);
    OK(ctx, gsolve_precond_set_near_null(M, gsolve_vector(B, n)));
    const solve seeing = solve_with(ctx, &csr, "cg", M, false);
    assert_int_equal(seeing.outcome, GSOLVE_CONVERGED);
    assert_true(2 * seeing.iterations < blind.iterations);
    gsolve_precond_destroy(&M);
    free(B);
    gsolve_csr_free(&csr, ctx);
    close_context(ctx);
}

/* Rotations are what constants miss: fewer iterations. */
static void rigid_motions(void **state)
{
    enum { EDGE = 8 }; /* elements */
    gsolve_context *ctx = open_context(2);
    gsolve_csr csr = read_matrix(ctx, "gen:elasticity3d,n=8");
    const int32_t nodes = csr.nrows / 3;
    gsolve_dense xyz = {nodes,
                        3,
                        nodes,
                        calloc((size_t)nodes * 3, 8),
                        GSOLVE_F64,
                        GSOLVE_HOST,
                        GSOLVE_COLUMN_MAJOR};
    double *place = xyz.value;
    gsolve_precond *M = NULL;
    (void)state;

    assert_int_equal(nodes, EDGE * (EDGE + 1) * (EDGE + 1)); /* the face x = 0 is clamped */
    for (int32_t i = 0; i < nodes; i++) {
        place[i] = 1 + i % EDGE;
        place[nodes + i] = i / EDGE % (EDGE + 1);
        place[2 * nodes + i] = i / EDGE / (EDGE + 1);
    }
    OK(ctx, gsolve_precond_create(&M, ctx, "amg,coarsest=100", &csr));
    const solve constants = solve_with(ctx, &csr, "cg", M, false);
    OK(ctx, gsolve_precond_set_coordinates(M, xyz));
    const solve rotations = solve_with(ctx, &csr, "cg", M, false);
    assert_int_equal(rotations.outcome, GSOLVE_CONVERGED);
    if (rotations.iterations >= constants.iterations) {
        fail_msg("%d iterations with rotations, %d without", rotations.iterations,
                 constants.iterations);
    }
    xyz.nrows--;
    assert_int_equal(gsolve_precond_set_coordinates(M, xyz), GSOLVE_BAD_ARGUMENT);
    gsolve_precond_destroy(&M);
    free(place);
    gsolve_csr_free(&csr, ctx);
    close_context(ctx);
}

/* --- what it tells, and refuses --------------------------------------------------------------- */

static void table_of_levels(void **state)
{
    gsolve_context *ctx = open_context(2);
    gsolve_csr csr = read_matrix(ctx, "gen:poisson2d,n=80");
    gsolve_level_info level = GSOLVE_INIT(gsolve_level_info),
                      finer = GSOLVE_INIT(gsolve_level_info);
    gsolve_precond_info info = GSOLVE_INIT(gsolve_precond_info);
    gsolve_precond *M = NULL, *ic = NULL;
    int count = 0;
    (void)state;

    OK(ctx, gsolve_precond_create(&M, ctx, "amg,coarsest=100,type=f32", &csr));
    for (; gsolve_precond_level(M, count, &level); count++) {
        assert_true(level.entries > 0 && level.bytes > 0 && level.type == GSOLVE_F32);
        assert_true(fabs(level.mean_row - (double)level.entries / level.rows) < 1e-12);
        assert_true(count == 0 ? level.rows == csr.nrows : 2 * level.rows < finer.rows);
        finer = level;
    }
    assert_true(count >= 3 && level.rows <= 100);
    assert_false(gsolve_precond_level(M, -1, &level));
    gsolve_precond_describe(M, &info);
    assert_non_null(strstr(info.note, "levels, operator complexity 1."));
    assert_non_null(strstr(info.note, "in single precision"));
    assert_true(info.bytes > 0 && info.moved > 0);
    OK(ctx, gsolve_precond_create(&ic, ctx, "ic", &csr));
    assert_false(gsolve_precond_level(ic, 0, &level));
    gsolve_precond_destroy(&M), gsolve_precond_destroy(&ic);
    gsolve_csr_free(&csr, ctx);
    close_context(ctx);
}

static void bound_on_complexity(void **state)
{
    gsolve_context *ctx = open_context(2);
    gsolve_csr csr = read_matrix(ctx, "gen:anisotropic3d,n=24");
    gsolve_precond *M = NULL;
    gsolve_precond_info free_info = GSOLVE_INIT(gsolve_precond_info),
                        bound_info = GSOLVE_INIT(gsolve_precond_info);
    (void)state;

    OK(ctx, gsolve_precond_create(&M, ctx, "amg,coarsest=100,complexity=100", &csr));
    gsolve_precond_describe(M, &free_info);
    gsolve_precond_destroy(&M);
    OK(ctx, gsolve_precond_create(&M, ctx, "amg,coarsest=100,complexity=1.3", &csr));
    gsolve_precond_describe(M, &bound_info);
    gsolve_precond_destroy(&M);
    assert_null(strstr(free_info.note, "harder"));
    assert_non_null(strstr(bound_info.note, "coarsened harder"));
    assert_true(atof(strstr(bound_info.note, "operator complexity ") + 20) <
                atof(strstr(free_info.note, "operator complexity ") + 20));
    gsolve_csr_free(&csr, ctx);
    close_context(ctx);
}

static void refusals(void **state)
{
    static const struct {
        const char *spec, *words;
        gsolve_status status;
    } bad[] = {
        {"amg,pre=0,post=0", "smooths nothing", GSOLVE_BAD_SPEC},
        {"amg,cycle=x", "cycle", GSOLVE_BAD_SPEC},
        {"amg,smoother=none", "smoother", GSOLVE_BAD_SPEC},
        {"amg,levels=0", "levels", GSOLVE_BAD_SPEC},
        {"amg,colour=red", "colour", GSOLVE_BAD_SPEC},
    };
    gsolve_context *ctx = open_context(1);
    gsolve_csr csr = read_matrix(ctx, "gen:poisson2d,n=30"), wide = csr;
    double r[900] = {1}, z[900];
    gsolve_precond *M = NULL;
    (void)state;

    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        assert_int_equal(gsolve_precond_create(&M, ctx, bad[k].spec, &csr), bad[k].status);
        assert_null(M);
        if (!strstr(gsolve_error(ctx), bad[k].words)) fail_msg("said: %s", gsolve_error(ctx));
    }
    wide.ncols++;
    assert_int_equal(gsolve_precond_create(&M, ctx, "amg", &wide), GSOLVE_BAD_MATRIX);
    OK(ctx, gsolve_precond_create(&M, ctx, "amg,cycle=k", &csr));
    assert_true(gsolve_precond_is_variable(M));
    assert_int_equal(
        gsolve_precond_apply_transpose(M, gsolve_vector(r, 900), gsolve_vector(z, 900)),
        GSOLVE_UNSUPPORTED);
    gsolve_precond_destroy(&M);
    OK(ctx, gsolve_precond_create(&M, ctx, "amg", &csr));
    assert_false(gsolve_precond_is_variable(M));
    gsolve_precond_destroy(&M);
    gsolve_csr_free(&csr, ctx);
    close_context(ctx);
}

/* --- the automatic choice ----------------------------------------------------------------------
 */

static bool is_chosen(gsolve_context *ctx, const char *matrix)
{
    gsolve_csr csr = read_matrix(ctx, matrix);
    gsolve_statistics traits = GSOLVE_INIT(gsolve_statistics);
    gsolve_choice choice = GSOLVE_INIT(gsolve_choice);

    OK(ctx, gsolve_csr_statistics(ctx, &csr, &traits));
    assert_true(gsolve_auto_choose(ctx, &traits, 0, &choice));
    gsolve_csr_free(&csr, ctx);
    return strcmp(choice.precond, "amg") == 0;
}

/* Elliptic, symmetric and so long that no device is faster with jacobi; test_choose.c has more. */
static void chosen_where_it_pays(void **state)
{
    gsolve_context *ctx = open_context(2);
    (void)state;

    assert_true(is_chosen(ctx, "gen:poisson2d,n=240"));
    assert_true(is_chosen(ctx, "gen:neumann2d,n=240"));
    assert_false(is_chosen(ctx, "gen:poisson3d,n=30"));
    assert_false(is_chosen(ctx, "gen:convdiff3d,nx=8,ny=8,nz=120"));
    assert_false(is_chosen(ctx, "gen:elasticity3d,n=8"));
    assert_false(is_chosen(ctx, "gen:tridiagonal,n=5000,diag=4"));
    close_context(ctx);
}

/* The whole in one call. */
static void solved_by_it(void **state)
{
    gsolve_context *ctx = open_context(2);
    gsolve_csr csr = read_matrix(ctx, "gen:poisson2d,n=240");
    double *b = right_hand_side(csr.nrows, false), *x = calloc((size_t)csr.nrows, sizeof *x);
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    (void)state;

    OK(ctx,
       gsolve_solve(ctx, &csr, gsolve_vector(b, csr.nrows), gsolve_vector(x, csr.nrows), &result));
    assert_int_equal(result.outcome, GSOLVE_CONVERGED);
    assert_true(result.iterations <= 25);
    free(b), free(x);
    gsolve_csr_free(&csr, ctx);
    close_context(ctx);
}

/* --- memory that is denied -------------------------------------------------------------------- */

/* On a GPU that other tests use, a sweep takes more than a minute: it is done in parts. */
enum { PARTS = 4 };

/* An update that is denied memory keeps what it has made for those to come. */
static void deny_update(gsolve_context *ctx, gsolve_precond *M, const gsolve_csr *csr)
{
    gsolve_status status = GSOLVE_NO_MEMORY;

    for (int64_t granted = 0; status != GSOLVE_OK; granted++) {
        gsolve_context_limit_allocations(ctx, granted);
        status = gsolve_precond_update(M, csr);
        gsolve_context_limit_allocations(ctx, -1);
        assert_true(status == GSOLVE_OK || status == GSOLVE_NO_MEMORY);
        assert_true(granted < 1000);
    }
}

static void denied_memory(void **state)
{
    enum { SPECS = 3 };
    static const char *const spec[SPECS] = {"amg,coarsest=30", "amg,coarsest=30,cycle=k,type=f32",
                                            "amg,coarsest=30,smoother=l1_jacobi,format=sell"};
    gsolve_context *ctx = open_context(1);
    gsolve_csr csr = read_matrix(ctx, "gen:poisson2d,n=24");
    double r[576], z[576], want[576];
    (void)state;

    for (int k = 0; k < SPECS * (PARTS + 1); k++) {
        const char *now = spec[k / (PARTS + 1)];
        const int part = k % (PARTS + 1);
        gsolve_precond *M = NULL;
        if (!is_mine()) continue;
        if (part < PARTS) {
            ALLOCATION_SWEEP_FROM(ctx, part, PARTS, gsolve_precond_create(&M, ctx, now, &csr));
            gsolve_precond_destroy(&M);
            continue;
        }
        OK(ctx, gsolve_precond_create(&M, ctx, now, &csr));
        apply(ctx, M, false, 576, 1, r, want);
        deny_update(ctx, M, &csr);
        apply(ctx, M, false, 576, 1, r, z);
        assert_memory_equal(z, want, sizeof z);
        for (int i = 0; i < 576; i++) r[i] = 1;
        ALLOCATION_SWEEP(ctx, gsolve_precond_set_near_null(M, gsolve_vector(r, 576)));
        apply(ctx, M, false, 576, 1, r, z);
        assert_memory_equal(z, want, sizeof z);
        gsolve_precond_destroy(&M);
    }
    gsolve_csr_free(&csr, ctx);
    close_context(ctx);
}

/* A set-up that fails at every one of its allocations where each level is too heavy, so that it is
 * coarsened three times. The cases reach the allocations of all coarsenings, with scalar unknowns
 * and with nodes. */
static void denied_memory_where_levels_are_heavy(void **state)
{
    static const struct {
        const char *matrix, *coarsening;
    } cases[] = {
        {"gen:poisson3d,n=5", "sa,aggregation=greedy"},
        {"gen:elasticity3d,n=3", "sa,reuse=rebuild"},
        {"gen:poisson3d,n=5", "sa,aggregation=mis2"},
        {"gen:elasticity3d,n=3", "ua,cycle=k"},
        {"gen:rmat,scale=7", "sa,reuse=rebuild"},
        {"gen:elasticity3d,n=3", "classical"},
        {"gen:rmat,scale=7", "classical"},
    };
    gsolve_context *ctx = open_context(1);
    (void)state;

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        gsolve_csr csr = read_matrix(ctx, cases[k].matrix);
        char spec[96];
        snprintf(spec, sizeof spec, "amg,complexity=1,coarsest=5,smoother=l1_jacobi,coarsening=%s",
                 cases[k].coarsening);
        for (int part = 0; part <= PARTS;
             part++) { /* on a GPU that others use, a sweep takes more than a minute */
            gsolve_precond *M = NULL;
            if (!is_mine()) continue;
            if (part < PARTS) {
                ALLOCATION_SWEEP_FROM(ctx, part, PARTS, gsolve_precond_create(&M, ctx, spec, &csr));
            } else {
                OK(ctx, gsolve_precond_create(&M, ctx, spec, &csr));
                deny_update(ctx, M, &csr);
            }
            gsolve_precond_destroy(&M);
        }
        gsolve_csr_free(&csr, ctx);
    }
    close_context(ctx);
}

/* --- a level that is too heavy, and then none --------------------------------------------------
 */

enum { PATH = 30, LEAVES = 300, HUB = PATH, OTHER = HUB + 1, ALL = OTHER + 1 + LEAVES };

/* A path of strong connections, and leaves that name a hub weakly: beside what connects the hub to
 * another node, which has no diagonal, so that this is never strong. */
static gsolve_csr path_and_star(gsolve_context *ctx)
{
    gsolve_csr csr;
    int32_t *start, *col, at = 0;
    double *value;

    OK(ctx, gs_csr_new(&csr, ctx, ALL, ALL, 3 * PATH - 2 + 3 + 2 * LEAVES, GSOLVE_F64));
    start = (int32_t *)(uintptr_t)csr.start;
    col = (int32_t *)(uintptr_t)csr.col;
    value = (double *)(uintptr_t)csr.value;
    for (int32_t i = 0; i < ALL; i++) {
        start[i] = at;
        if (i > 0 && i < PATH) col[at] = i - 1, value[at++] = -1;
        if (i > HUB) col[at] = HUB, value[at++] = i == OTHER ? -1 : -1e-3;
        if (i != OTHER) col[at] = i, value[at++] = 2;
        if (i + 1 < PATH || i == HUB) col[at] = i + 1, value[at++] = -1;
    }
    start[ALL] = at;
    return csr;
}

/* Coarsened as usual the leaves stay behind; coarsened harder each becomes an aggregate of its own,
 * and the next level is hardly smaller. */
static void too_heavy_then_useless(void **state)
{
    gsolve_context *ctx = open_context(1);
    gsolve_csr csr = path_and_star(ctx);
    gsolve_precond_info info = GSOLVE_INIT(gsolve_precond_info);
    gsolve_precond *M = NULL;
    (void)state;

    OK(ctx,
       gsolve_precond_create(&M, ctx, "amg,smoother=l1_jacobi,coarsest=5,aggregation=mis2", &csr));
    gsolve_precond_describe(M, &info);
    assert_non_null(strstr(info.note, "levels"));
    gsolve_precond_destroy(&M);
    OK(ctx, gsolve_precond_create(
                &M, ctx, "amg,smoother=l1_jacobi,coarsest=5,aggregation=mis2,complexity=1", &csr));
    gsolve_precond_describe(M, &info);
    assert_non_null(strstr(info.note, "1 level,"));
    gsolve_precond_destroy(&M);
    gsolve_csr_free(&csr, ctx);
    close_context(ctx);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest shared[] = {
        cmocka_unit_test(denied_memory),
        cmocka_unit_test(denied_memory_where_levels_are_heavy),
    };
    const struct CMUnitTest other[] = {
        cmocka_unit_test(model_problems),
        cmocka_unit_test(grid_independence),
        cmocka_unit_test(cycles_and_smoothers),
        cmocka_unit_test(cycles_differ),
        cmocka_unit_test(singular_systems),
        cmocka_unit_test(symmetric_cycles),
        cmocka_unit_test(same_bits),
        cmocka_unit_test(update_is_set_up),
        cmocka_unit_test(levels_are_made_anew),
        cmocka_unit_test(levels_are_kept_between_solves),
        cmocka_unit_test(parallel_aggregates),
        cmocka_unit_test(near_null_vectors),
        cmocka_unit_test(scaled_matrix),
        cmocka_unit_test(rigid_motions),
        cmocka_unit_test(table_of_levels),
        cmocka_unit_test(bound_on_complexity),
        cmocka_unit_test(refusals),
        cmocka_unit_test(too_heavy_then_useless),
        cmocka_unit_test(chosen_where_it_pays),
        cmocka_unit_test(solved_by_it),
    };

    need_device();
    take_part(argc, argv);
    return RUN_PARTS(shared, other);
}
