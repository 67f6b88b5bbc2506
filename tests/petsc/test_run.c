/* test_run.c: KSP of type gsolve: tolerances, monitors, converged reasons, texts. */
#include "support.h"

#define GSOLVE "-ksp_type gsolve "

/* --- tolerances and reasons ------------------------------------------------------------------ */

static KSPConvergedReason reason_after(KSP ksp, Vec b, Vec x)
{
    KSPConvergedReason reason;

    OK(KSPSolve(ksp, b, x));
    OK(KSPGetConvergedReason(ksp, &reason));
    return reason;
}

/* Those of each solve, whatever the specs say. */
static void tolerances(void **state)
{
    static const char *const options[] = {
        GSOLVE "-pc_gsolve_precond jacobi -ksp_gsolve_method cg,rtol=0.5,maxit=1", GSOLVE};
    Mat A = stencil(60, 0, 0);
    PetscReal norm, rhs;
    PetscInt its;
    Vec x, b;

    (void)state;
    vectors(A, &x, &b);
    OK(VecNorm(b, NORM_2, &rhs));
    for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
        KSP ksp = solver_for(A, A, options[k]);
        OK(KSPSetTolerances(ksp, 1e-2, 0, 1e5, 1000));
        const int few = solve(ksp, b, x, 1.0001);
        OK(KSPSetTolerances(ksp, 1e-10, 0, 1e5, 1000));
        assert_true(solve(ksp, b, x, 1.0001) > few);
        OK(KSPSetTolerances(ksp, 1e-12, 1e-2 * rhs, 1e5, 1000));
        assert_int_equal(reason_after(ksp, b, x), KSP_CONVERGED_ATOL);
        OK(KSPGetResidualNorm(ksp, &norm));
        assert_true(fabs(norm - residual(A, x, b, 0) * rhs) < 1e-6 * norm);
        OK(KSPSetTolerances(ksp, 1e-10, 0, 1e5, 2));
        if (k == 0) assert_int_equal(reason_after(ksp, b, x), KSP_DIVERGED_ITS);
        if (k == 1) assert_true(reason_after(ksp, b, x) > 0); /* by the next choice, direct */
        OK(KSPGetIterationNumber(ksp, &its));
        assert_true(its <= 2);
        OK(KSPDestroy(&ksp));
    }
    OK(VecDestroy(&x));
    OK(VecDestroy(&b));
    OK(MatDestroy(&A));
}

static void reasons(void **state)
{
    Mat A = stencil(12, 0, 0);
    KSP ksp = solver_for(A, A, GSOLVE "-ksp_gsolve_method cg -pc_type none");
    PetscReal norm;
    Vec x, b;

    (void)state;
    vectors(A, &x, &b);
    assert_int_equal(reason_after(ksp, b, x), KSP_CONVERGED_RTOL);
    OK(VecScale(b, -1));
    OK(MatScale(A, -1));
    assert_int_equal(reason_after(ksp, b, x), KSP_DIVERGED_INDEFINITE_MAT);
    OK(VecSet(b, 0));
    OK(VecSet(x, 5));
    assert_int_equal(reason_after(ksp, b, x), KSP_CONVERGED_ATOL);
    OK(VecNorm(x, NORM_2, &norm));
    assert_true(norm == 0);
    OK(VecSetValue(b, 3, NAN, INSERT_VALUES));
    assert_int_equal(reason_after(ksp, b, x), KSP_DIVERGED_NANORINF);
    OK(KSPDestroy(&ksp));
    OK(VecSet(b, 1));
    ksp = solver_for(A, A, GSOLVE "-ksp_gsolve_method richardson -ksp_error_if_not_converged");
    FAILS("gsolve: ", KSPSolve(ksp, b, x));
    OK(KSPDestroy(&ksp));
    OK(VecDestroy(&x));
    OK(VecDestroy(&b));
    OK(MatDestroy(&A));
}

/* Without a norm the KSP makes the number of iterations that it is told, as a smoother does. */
static void without_norm(void **state)
{
    static const char *const options[] = {
        GSOLVE "-ksp_norm_type none -ksp_max_it 3 -ksp_gsolve_method cg -pc_type jacobi",
        GSOLVE "-ksp_convergence_test skip -ksp_max_it 3 -ksp_gsolve_method cg -pc_type jacobi",
        GSOLVE "-ksp_converged_maxits -ksp_max_it 3 -ksp_gsolve_method cg -pc_type jacobi"};
    Mat A = stencil(20, 0, 0);
    PetscInt its;
    Vec x, b;

    (void)state;
    vectors(A, &x, &b);
    for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
        KSP ksp = solver_for(A, A, options[k]);
        assert_int_equal(reason_after(ksp, b, x), KSP_CONVERGED_ITS);
        OK(KSPGetIterationNumber(ksp, &its));
        assert_int_equal(its, 3);
        OK(KSPDestroy(&ksp));
    }
    KSP ksp = solver_for(A, A, GSOLVE "-ksp_norm_type preconditioned");
    FAILS("does not support", KSPSolve(ksp, b, x));
    OK(KSPDestroy(&ksp));
    OK(VecDestroy(&x));
    OK(VecDestroy(&b));
    OK(MatDestroy(&A));
}

static void initial_guess(void **state)
{
    Mat A = stencil(20, 0, 0);
    KSP ksp = solver_for(A, A, GSOLVE "-ksp_rtol 1e-9 -ksp_gsolve_method cg -pc_type jacobi");
    PetscInt its;
    Vec x, b;

    (void)state;
    vectors(A, &x, &b);
    const int first = solve(ksp, b, x, 1.0001);
    assert_int_equal(solve(ksp, b, x, 1.0001), first); /* x is not a guess */
    OK(KSPSetInitialGuessNonzero(ksp, PETSC_TRUE));
    assert_int_equal(solve(ksp, b, x, 1.0001), 0);
    OK(VecShift(x, 1e-6));
    assert_true(solve(ksp, b, x, 1.0001) < first);
    OK(KSPDestroy(&ksp));
    ksp = solver_for(A, A, GSOLVE "-ksp_guess_type fischer -ksp_rtol 1e-9");
    solve(ksp, b, x, 1.0001);
    solve(ksp, b, x, 1.0001);
    OK(KSPGetIterationNumber(ksp, &its));
    assert_true(its <= 1);
    OK(KSPDestroy(&ksp));
    OK(VecDestroy(&x));
    OK(VecDestroy(&b));
    OK(MatDestroy(&A));
}

/* --- monitors and tests ------------------------------------------------------------------------
 */

typedef struct seen {
    int calls, last;
    double norm;
    int fail_at;
} seen;

static PetscErrorCode watch(KSP ksp, PetscInt iteration, PetscReal norm, void *user)
{
    seen *s = user;

    PetscFunctionBegin;
    (void)ksp;
    PetscCheck(iteration != s->fail_at, PETSC_COMM_SELF, PETSC_ERR_USER, "this monitor fails");
    s->calls++;
    s->last = (int)iteration;
    s->norm = norm;
    PetscFunctionReturn(0);
}

static void monitors(void **state)
{
    static const char *const options[] = {GSOLVE "-ksp_gsolve_method cg -pc_type jacobi",
                                          GSOLVE "-ksp_gsolve_method gmres -pc_gsolve_precond ilu",
                                          GSOLVE};
    Mat A = stencil(20, 0, 0);
    PetscReal history[200], rhs;
    PetscInt count;
    Vec x, b;

    (void)state;
    vectors(A, &x, &b);
    OK(VecNorm(b, NORM_2, &rhs));
    for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
        KSP ksp = solver_for(A, A, options[k]);
        seen s = {.fail_at = -1};
        OK(KSPMonitorSet(ksp, watch, &s, NULL));
        OK(KSPSetResidualHistory(ksp, history, 200, PETSC_TRUE));
        const int its = solve(ksp, b, x, 1.0001);
        assert_int_equal(s.calls, its + 1);
        assert_int_equal(s.last, its);
        OK(KSPGetResidualHistory(ksp, NULL, &count));
        assert_int_equal(count, its + 1);
        assert_true(fabs(history[0] - rhs) < 1e-12 * rhs);
        assert_true(fabs(history[its] - residual(A, x, b, 0) * rhs) <
                    1e-3 * history[its] + 1e-13 * rhs);
        s.fail_at = 1;
        FAILS("this monitor fails", KSPSolve(ksp, b, x));
        s.fail_at = -1;
        assert_int_equal(solve(ksp, b, x, 1.0001), its);
        OK(KSPDestroy(&ksp));
    }
    OK(VecDestroy(&x));
    OK(VecDestroy(&b));
    OK(MatDestroy(&A));
}

/* PETSc's monitor loses a vector when it fails, so this is no test for valgrind. */
static void no_iterate(void **state)
{
    Mat A;
    Vec x, b;

    (void)state;
    if (getenv("GSOLVE_TEST_VALGRIND")) skip();
    A = stencil(20, 0, 0);
    vectors(A, &x, &b);
    KSP ksp = solver_for(A, A, GSOLVE "-ksp_monitor_true_residual ascii:/dev/null");
    FAILS("has no iterate for monitors", KSPSolve(ksp, b, x));
    OK(KSPDestroy(&ksp));
    OK(VecDestroy(&x));
    OK(VecDestroy(&b));
    OK(MatDestroy(&A));
}

static PetscErrorCode decide(KSP ksp, PetscInt iteration, PetscReal norm,
                             KSPConvergedReason *reason, void *user)
{
    const int *rule = user;

    PetscFunctionBegin;
    (void)ksp, (void)norm;
    PetscCheck(*rule != 3, PETSC_COMM_SELF, PETSC_ERR_USER, "this test fails");
    *reason = KSP_CONVERGED_ITERATING;
    if (iteration == 4 && *rule == 1) *reason = KSP_CONVERGED_STEP_LENGTH;
    if (iteration == 4 && *rule == 2) *reason = KSP_DIVERGED_NULL;
    PetscFunctionReturn(0);
}

/* A convergence test of the program takes the place of the tolerances. */
static void own_test(void **state)
{
    Mat A = stencil(20, 0, 0);
    KSP ksp = solver_for(A, A, GSOLVE "-ksp_gsolve_method cg -pc_type jacobi");
    int rule = 1;
    PetscInt its;
    Vec x, b;

    (void)state;
    vectors(A, &x, &b);
    OK(KSPSetConvergenceTest(ksp, decide, &rule, NULL));
    assert_int_equal(reason_after(ksp, b, x), KSP_CONVERGED_STEP_LENGTH);
    OK(KSPGetIterationNumber(ksp, &its));
    assert_int_equal(its, 4);
    rule = 2;
    assert_int_equal(reason_after(ksp, b, x), KSP_DIVERGED_NULL);
    rule = 3;
    FAILS("this test fails", KSPSolve(ksp, b, x));
    OK(KSPDestroy(&ksp));
    /* The default test relative to the first residual, which is smaller than b here. */
    ksp = solver_for(A, A, GSOLVE "-ksp_gsolve_method cg -pc_type jacobi -ksp_rtol 1e-3");
    const int relative_to_b = solve(ksp, b, x, 1.0001);
    OK(KSPSetInitialGuessNonzero(ksp, PETSC_TRUE));
    OK(KSPConvergedDefaultSetUIRNorm(ksp));
    assert_int_equal(reason_after(ksp, b, x), KSP_CONVERGED_RTOL);
    OK(KSPGetIterationNumber(ksp, &its));
    assert_true(its > 1 && relative_to_b > 1);
    assert_true(residual(A, x, b, 0) < 1.0001e-6);
    OK(KSPDestroy(&ksp));
    OK(VecDestroy(&x));
    OK(VecDestroy(&b));
    OK(MatDestroy(&A));
}

static void null_space(void **state)
{
    Mat A = neumann(20), C;
    KSP ksp = solver_for(A, A, GSOLVE "-ksp_rtol 1e-8");
    MatNullSpace constants;
    KSPConvergedReason reason;
    PetscScalar sum;
    Vec x, b;

    (void)state;
    vectors(A, &x, &b);
    OK(MatGetNullSpace(A, &constants));
    OK(KSPSolve(ksp, b, x)); /* not in the range of A */
    OK(KSPGetConvergedReason(ksp, &reason));
    assert_int_equal(reason, KSP_CONVERGED_RTOL_NORMAL);
    OK(MatNullSpaceRemove(constants, b));
    solve(ksp, b, x, 1.0001);
    OK(VecSum(x, &sum));
    assert_true(fabs(sum) < 1e-6);
    OK(KSPDestroy(&ksp));
    ksp = solver_for(A, A,
                     GSOLVE "-ksp_gsolve_null_space 0 -ksp_gsolve_method minres "
                            "-pc_type none");
    solve(ksp, b, x, 1.0001);
    OK(KSPDestroy(&ksp));
    C = stencil(20, 0, 0); /* which is regular */
    OK(MatSetNullSpace(C, constants));
    ksp = solver_for(C, C, GSOLVE);
    FAILS("null space", KSPSolve(ksp, b, x));
    OK(KSPDestroy(&ksp));
    OK(VecDestroy(&x));
    OK(VecDestroy(&b));
    OK(MatDestroy(&A));
    OK(MatDestroy(&C));
}

/* --- texts ---------------------------------------------------------------------------------------
 */

static void texts(void **state)
{
    Mat A = stencil(20, 0, 0);
    KSP ksp = solver_for(A, A,
                         GSOLVE "-ksp_gsolve_method cg -ksp_gsolve_format sell "
                                "-pc_gsolve_precond amg,coarsest=50");
    static const char *const shown[] = {
        "type: gsolve", "-ksp_gsolve_method cg",  "method cg", "format sell",
        "400 x 400",    "-pc_gsolve_precond amg", "level 1:",  "UNPRECONDITIONED"};
    char text[8192];
    Vec x, b;

    (void)state;
    vectors(A, &x, &b);
    view((PetscObject)ksp, text, sizeof text); /* before the set-up */
    solve(ksp, b, x, 1.0001);
    view((PetscObject)ksp, text, sizeof text);
    for (size_t k = 0; k < sizeof shown / sizeof *shown; k++) {
        if (!strstr(text, shown[k])) fail_msg("no '%s' in %s", shown[k], text);
    }
    OK(KSPDestroy(&ksp));
    ksp = solver_for(A, A, GSOLVE "-ksp_gsolve_method no_method");
    FAILS("no_method", KSPSolve(ksp, b, x));
    OK(KSPDestroy(&ksp));
    ksp = solver_for(A, A, GSOLVE "-ksp_gsolve_format no_format");
    FAILS("no_format", KSPSolve(ksp, b, x));
    OK(KSPDestroy(&ksp));
    ksp = solver_for(A, A, GSOLVE "-ksp_gsolve_device cpu,threads=0x");
    FAILS("threads", KSPSolve(ksp, b, x));
    OK(KSPDestroy(&ksp));
    OK(VecDestroy(&x));
    OK(VecDestroy(&b));
    OK(MatDestroy(&A));
}

/* A KSP lives longer than its PC, and a PC longer than its KSP. */
static void lifetimes(void **state)
{
    Mat A = stencil(20, 0, 0);
    KSP ksp = solver_for(A, A, GSOLVE "-ksp_gsolve_method cg -pc_gsolve_precond jacobi"), other;
    PC pc, second;
    Vec x, b;

    (void)state;
    vectors(A, &x, &b);
    solve(ksp, b, x, 1.0001);
    OK(KSPGetPC(ksp, &pc));
    OK(PetscObjectReference((PetscObject)pc));
    OK(PCCreate(PETSC_COMM_SELF, &second));
    OK(PCSetType(second, PCGSOLVE));
    OK(PCSetOperators(second, A, A));
    OK(KSPSetPC(ksp, second)); /* with a context of its own, which becomes that of the KSP */
    OK(PCDestroy(&second));
    solve(ksp, b, x, 1.0001);
    OK(KSPDestroy(&ksp));
    OK(PCApply(pc, b, x));
    OK(KSPCreate(PETSC_COMM_SELF, &other)); /* a PC that another KSP has set up */
    OK(KSPSetPC(other, pc));
    OK(PCDestroy(&pc));
    OK(KSPSetType(other, KSPGSOLVE));
    OK(KSPSetOperators(other, A, A));
    solve(other, b, x, 1.0001);
    OK(KSPSetType(other, KSPCG)); /* the PC sets itself up, and then updates */
    solve(other, b, x, 100);
    const int setups = count_of("GsolveSetUp");
    OK(MatScale(A, 2));
    OK(KSPSetOperators(other, A, A));
    solve(other, b, x, 100);
    assert_int_equal(count_of("GsolveSetUp"), setups);
    OK(KSPSetType(other, KSPGSOLVE));
    solve(other, b, x, 1.0001);
    OK(KSPDestroy(&other));
    OK(VecDestroy(&x));
    OK(VecDestroy(&b));
    OK(MatDestroy(&A));
}

/* No unknowns, as on a rank without rows, and one. */
static void tiny(void **state)
{
    static const char *const options[] = {GSOLVE, "-ksp_type cg -pc_type gsolve",
                                          GSOLVE "-pc_type jacobi",
                                          GSOLVE "-pc_gsolve_precond amg"};

    (void)state;
    for (PetscInt n = 0; n < 2; n++) {
        for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
            Mat A = stencil(n, 0, 0);
            KSP ksp = solver_for(A, A, options[k]);
            Vec x, b;
            vectors(A, &x, &b);
            assert_true(reason_after(ksp, b, x) > 0);
            OK(KSPDestroy(&ksp));
            OK(VecDestroy(&x));
            OK(VecDestroy(&b));
            OK(MatDestroy(&A));
        }
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tolerances),   cmocka_unit_test(reasons),
        cmocka_unit_test(without_norm), cmocka_unit_test(initial_guess),
        cmocka_unit_test(monitors),     cmocka_unit_test(no_iterate),
        cmocka_unit_test(own_test),     cmocka_unit_test(null_space),
        cmocka_unit_test(texts),        cmocka_unit_test(tiny),
        cmocka_unit_test(lifetimes),
    };
    return run_all(tests, sizeof tests / sizeof *tests, "petsc_run", argc, argv);
}
