/* test_pc.c: PC of type gsolve under the KSPs of PETSc. */
#include "support.h"

static void every_kind(void **state)
{
    static const char *const kinds[] = {
        "auto", "none",      "jacobi", "block_jacobi,size=4",     "ilu", "ic",
        "isai", "chebyshev", "amg",    "amg,coarsening=classical"};
    Mat A = stencil(40, 0, 0);
    char options[128];

    (void)state;
    const int without = solve_with(A, "-ksp_type cg -pc_type none -ksp_rtol 1e-8", 1);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        OK(PetscSNPrintf(options, sizeof options,
                         "-ksp_type cg -ksp_norm_type unpreconditioned -ksp_rtol 1e-8 -pc_type "
                         "gsolve -pc_gsolve_precond %s",
                         kinds[k]));
        const int its = solve_with(A, options, 1.01);
        assert_true(its <= without);
        if (strncmp(kinds[k], "amg", 3) == 0) assert_true(its < 15);
    }
    OK(MatDestroy(&A));
}

static void other_methods(void **state)
{
    Mat A = stencil(30, 0.3, 0);
    static const char *const methods[] = {"gmres", "bcgs", "fgmres", "richardson", "tfqmr"};
    char options[160];

    (void)state;
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
        OK(PetscSNPrintf(options, sizeof options,
                         "-ksp_type %s -ksp_rtol 1e-8 -pc_type gsolve -pc_gsolve_precond amg",
                         methods[k]));
        assert_true(solve_with(A, options, 50) < 60);
    }
    OK(MatDestroy(&A));
}

/* (M^-1 x)'y = x'(M^-T y). */
static void transposed(void **state)
{
    static const char *const kinds[] = {"jacobi", "ilu", "amg", "block_jacobi,size=2"};
    Mat A = stencil(20, 0.4, 0.1);
    char options[128];
    PetscScalar left, right;
    Vec x, y, z;
    PC pc;

    (void)state;
    vectors(A, &x, &y);
    OK(VecDuplicate(x, &z));
    for (PetscInt i = 0; i < 400; i++) OK(VecSetValue(x, i, (double)(i % 7) - 3, INSERT_VALUES));
    OK(VecAssemblyBegin(x));
    OK(VecAssemblyEnd(x));
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        OK(PetscSNPrintf(options, sizeof options, "-pc_type gsolve -pc_gsolve_precond %s",
                         kinds[k]));
        KSP ksp = solver_for(A, A, options);
        OK(KSPGetPC(ksp, &pc));
        OK(KSPSetUp(ksp));
        OK(PCApply(pc, x, z));
        OK(VecDot(z, y, &left));
        OK(PCApplyTranspose(pc, y, z));
        OK(VecDot(x, z, &right));
        assert_true(fabs(left - right) < 1e-10 * fabs(left));
        OK(KSPDestroy(&ksp));
    }
    OK(VecDestroy(&x));
    OK(VecDestroy(&y));
    OK(VecDestroy(&z));
    OK(MatDestroy(&A));
}

static void several_columns(void **state)
{
    Mat A = stencil(20, 0.4, 0.1), R, Z;
    KSP ksp = solver_for(A, A, "-pc_type gsolve -pc_gsolve_precond amg");
    PetscReal norm;
    Vec r, z, want;
    PC pc;

    (void)state;
    OK(MatCreateDense(PETSC_COMM_SELF, 400, 3, 400, 3, NULL, &R));
    OK(MatSetRandom(R, NULL));
    OK(MatDuplicate(R, MAT_DO_NOT_COPY_VALUES, &Z));
    OK(KSPGetPC(ksp, &pc));
    OK(KSPSetUp(ksp));
    const int before = count_of("GsolveApply");
    OK(PCMatApply(pc, R, Z));
    assert_int_equal(count_of("GsolveApply"), before + 1);
    OK(MatCreateVecs(A, &want, NULL));
    for (PetscInt c = 0; c < 3; c++) {
        OK(MatDenseGetColumnVecRead(R, c, &r));
        OK(PCApply(pc, r, want));
        OK(MatDenseRestoreColumnVecRead(R, c, &r));
        OK(MatDenseGetColumnVec(Z, c, &z));
        OK(VecAXPY(want, -1, z));
        OK(MatDenseRestoreColumnVec(Z, c, &z));
        OK(VecNorm(want, NORM_2, &norm));
        assert_true(norm < 1e-12);
    }
    OK(VecDestroy(&want));
    OK(MatDestroy(&R));
    OK(MatDestroy(&Z));
    OK(KSPDestroy(&ksp));
    OK(MatDestroy(&A));
}

/* New values in the same pattern update M; another pattern makes a new one. */
static void updates(void **state)
{
    static const char *const types[] = {MATSEQAIJ, MATSEQBAIJ, MATSEQSBAIJ, MATSEQDENSE, MATMPIAIJ};
    Mat A, B;
    Vec x, b;

    (void)state;
    for (size_t k = 0; k < sizeof types / sizeof *types; k++) {
        A = stencil(16, 0, 0);
        vectors(A, &x, &b);
        OK(MatSetOption(A, MAT_SYMMETRIC, PETSC_TRUE));
        OK(MatConvert(A, types[k], MAT_INPLACE_MATRIX, &A));
        KSP ksp = solver_for(A, A,
                             "-ksp_type cg -ksp_rtol 1e-8 -pc_type gsolve -pc_gsolve_precond "
                             "amg,coarsest=20 -ksp_norm_type unpreconditioned");
        const int setups = count_of("GsolveSetUp"), later = count_of("GsolveUpdate");
        const int first = solve(ksp, b, x, 1.01);
        OK(MatScale(A, 7));
        assert_true(abs(solve(ksp, b, x, 1.01) - first) <= 1);
        assert_int_equal(count_of("GsolveSetUp"), setups + 1);
        assert_int_equal(count_of("GsolveUpdate"), later + 1);
        B = stencil(16, 0, 1);
        OK(MatSetOption(B, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
        OK(MatSetValue(B, 0, 99, -0.1, INSERT_VALUES));
        OK(MatSetValue(B, 99, 0, -0.1, INSERT_VALUES));
        OK(MatAssemblyBegin(B, MAT_FINAL_ASSEMBLY));
        OK(MatAssemblyEnd(B, MAT_FINAL_ASSEMBLY));
        OK(MatSetOption(B, MAT_SYMMETRIC, PETSC_TRUE));
        OK(MatConvert(B, types[k], MAT_INPLACE_MATRIX, &B));
        OK(KSPSetOperators(ksp, B, B));
        assert_true(solve(ksp, b, x, 1.01) <= first);
        assert_int_equal(count_of("GsolveSetUp"), setups + 2);
        OK(KSPDestroy(&ksp));
        OK(VecDestroy(&x));
        OK(VecDestroy(&b));
        OK(MatDestroy(&A));
        OK(MatDestroy(&B));
    }
}

#define ELASTIC "-ksp_type cg -ksp_norm_type unpreconditioned -ksp_rtol 1e-8 -pc_type gsolve "

/* Rigid body motions make amg better, whether they come as vectors or from coordinates. */
static void near_null_space(void **state)
{
    PetscReal *xy;
    Mat A = elasticity(40, &xy);
    MatNullSpace rigid;
    char text[8192];
    Vec where, x, b;
    PC pc;

    (void)state;
    vectors(A, &x, &b);
    const int constants = solve_with(A, ELASTIC "-pc_gsolve_precond amg,coarsest=200", 1.01);

    KSP ksp = solver_for(A, A, ELASTIC "-pc_gsolve_precond amg,coarsest=200");
    OK(KSPGetPC(ksp, &pc));
    OK(PCSetCoordinates(pc, 2, 40 * 41, xy));
    const int by_coordinates = solve(ksp, b, x, 1.01);
    assert_true(by_coordinates < constants);
    view((PetscObject)pc, text, sizeof text);
    assert_non_null(strstr(text, "block=2"));
    assert_non_null(strstr(text, "near_null=given"));

    OK(VecCreateSeqWithArray(PETSC_COMM_SELF, 2, 2 * 40 * 41, xy, &where));
    OK(MatNullSpaceCreateRigidBody(where, &rigid));
    OK(MatSetNearNullSpace(A, rigid));
    OK(MatScale(A, 2)); /* values change, and the near-null space was set: a new set-up */
    assert_int_equal(solve(ksp, b, x, 1.01), by_coordinates);
    OK(MatScale(A, 3)); /* an update keeps it */
    const int setups = count_of("GsolveSetUp");
    assert_int_equal(solve(ksp, b, x, 1.01), by_coordinates);
    assert_int_equal(count_of("GsolveSetUp"), setups);

    OK(MatNullSpaceDestroy(&rigid));
    OK(VecDestroy(&where));
    OK(VecDestroy(&x));
    OK(VecDestroy(&b));
    OK(KSPDestroy(&ksp));
    OK(MatDestroy(&A));
    OK(PetscFree(xy));
}

static void block_sizes(void **state)
{
    PetscReal *xy;
    Mat A = elasticity(10, &xy);
    KSP ksp = solver_for(A, A, ELASTIC "-pc_gsolve_precond block_jacobi");
    char text[4096];
    PC pc;

    (void)state;
    OK(KSPSetUp(ksp));
    OK(KSPGetPC(ksp, &pc));
    view((PetscObject)pc, text, sizeof text);
    assert_non_null(strstr(text, "block_jacobi,size=2"));
    OK(KSPDestroy(&ksp));
    ksp = solver_for(A, A, ELASTIC "-pc_gsolve_precond block_jacobi,size=1");
    OK(KSPSetUp(ksp));
    OK(KSPGetPC(ksp, &pc));
    view((PetscObject)pc, text, sizeof text);
    assert_non_null(strstr(text, "block_jacobi,size=1"));
    OK(KSPDestroy(&ksp));
    OK(MatDestroy(&A));
    OK(PetscFree(xy));
}

static void null_space(void **state)
{
    Mat A = neumann(30);
    MatNullSpace constants;
    KSP ksp = solver_for(A, A,
                         "-ksp_type cg -ksp_rtol 1e-8 -ksp_norm_type unpreconditioned "
                         "-pc_type gsolve -pc_gsolve_precond amg");
    Vec x, b;

    (void)state;
    vectors(A, &x, &b);
    OK(MatGetNullSpace(A, &constants));
    OK(MatNullSpaceRemove(constants, b));
    assert_true(solve(ksp, b, x, 1.01) < 20);
    OK(VecDestroy(&x));
    OK(VecDestroy(&b));
    OK(KSPDestroy(&ksp));
    OK(MatDestroy(&A));
}

/* --- shells ----------------------------------------------------------------------------- */

static PetscErrorCode diagonal(Mat shell, Vec d)
{
    Mat A;

    PetscFunctionBegin;
    PetscCall(MatShellGetContext(shell, &A));
    PetscCall(MatGetDiagonal(A, d));
    PetscFunctionReturn(0);
}

static void shells(void **state)
{
    Mat A = stencil(30, 0, 0), shell;

    (void)state;
    OK(MatCreateShell(PETSC_COMM_SELF, 900, 900, 900, 900, A, &shell));
    OK(MatShellSetOperation(shell, MATOP_MULT, (void (*)(void))multiply_shell));
    const int plain = solve_with(shell, "-ksp_type cg -pc_type none", 50);
    /* without the diagonal, which is constant here */
    const int its =
        solve_with(shell, "-ksp_type cg -pc_type gsolve -pc_gsolve_precond chebyshev", 50);
    assert_true(its < plain);
    OK(MatShellSetOperation(shell, MATOP_GET_DIAGONAL, (void (*)(void))diagonal));
    assert_true(
        abs(solve_with(shell, "-ksp_type cg -pc_type gsolve -pc_gsolve_precond chebyshev", 50) -
            its) <= 1);
    assert_int_equal(solve_with(shell, "-ksp_type cg -pc_type gsolve", 50), plain);
    KSP ksp = solver_for(shell, shell, "-pc_type gsolve -pc_gsolve_precond amg");
    FAILS("needs the rows of the matrix, and a matrix of type shell has none", KSPSetUp(ksp));
    OK(KSPDestroy(&ksp));
    ksp = solver_for(shell, A, "-ksp_type cg -pc_type gsolve -pc_gsolve_precond amg");
    Vec x, b;
    vectors(A, &x, &b);
    assert_true(solve(ksp, b, x, 50) < 10);
    OK(VecDestroy(&x));
    OK(VecDestroy(&b));
    OK(KSPDestroy(&ksp));
    OK(MatDestroy(&shell));
    OK(MatDestroy(&A));
}

/* --- failures --------------------------------------------------------------------------- */

static void failures(void **state)
{
    Mat A = stencil(8, 0, -4); /* a zero diagonal */
    KSPConvergedReason reason;
    Vec x, b;
    KSP ksp;

    (void)state;
    vectors(A, &x, &b);
    ksp = solver_for(A, A, "-pc_type gsolve -pc_gsolve_precond amgg");
    FAILS("did you mean 'amg'", KSPSetUp(ksp));
    OK(KSPDestroy(&ksp));
    ksp = solver_for(A, A, "-pc_type gsolve -pc_gsolve_device gpu");
    FAILS("gpu", KSPSetUp(ksp));
    OK(KSPDestroy(&ksp));
    /* A zero pivot is a reason of the KSP, and an error where errors are wanted. */
    ksp = solver_for(A, A, "-pc_type gsolve -pc_gsolve_precond jacobi");
    OK(KSPSolve(ksp, b, x));
    OK(KSPGetConvergedReason(ksp, &reason));
    assert_int_equal(reason, KSP_DIVERGED_PC_FAILED);
    OK(MatShift(A, 4)); /* and new values repair it */
    OK(KSPSetOperators(ksp, A, A));
    OK(KSPSolve(ksp, b, x));
    OK(KSPGetConvergedReason(ksp, &reason));
    if (reason <= 0) fail_msg("%s", KSPConvergedReasons[reason]);
    OK(KSPDestroy(&ksp));
    OK(MatShift(A, -4));
    ksp = solver_for(A, A,
                     "-pc_type gsolve -pc_gsolve_precond jacobi "
                     "-ksp_error_if_not_converged");
    FAILS("diagonal", KSPSolve(ksp, b, x));
    OK(KSPDestroy(&ksp));
    OK(VecDestroy(&x));
    OK(VecDestroy(&b));
    OK(MatDestroy(&A));
}

/* Options that are read again replace what was set up. */
static void options_again(void **state)
{
    Mat A = stencil(30, 0, 0);
    KSP ksp = solver_for(A, A,
                         "-ksp_type cg -pc_type gsolve -pc_gsolve_precond jacobi "
                         "-ksp_norm_type unpreconditioned");
    Vec x, b;

    (void)state;
    vectors(A, &x, &b);
    const int first = solve(ksp, b, x, 1.01);
    OK(PetscOptionsInsertString(NULL, "-pc_gsolve_precond amg -pc_gsolve_device cpu,threads=1"));
    OK(KSPSetFromOptions(ksp));
    assert_true(solve(ksp, b, x, 1.01) < first);
    OK(KSPReset(ksp));
    OK(KSPSetOperators(ksp, A, A));
    assert_true(solve(ksp, b, x, 1.01) < first);
    OK(VecDestroy(&x));
    OK(VecDestroy(&b));
    OK(KSPDestroy(&ksp));
    OK(MatDestroy(&A));
}

/* amg with the K-cycle differs between applications, and the view says so. */
static void variable(void **state)
{
    Mat A = stencil(60, 0, 0);
    KSP ksp = solver_for(A, A,
                         "-ksp_type fgmres -pc_type gsolve -pc_gsolve_precond "
                         "amg,cycle=k,coarsest=100");
    char text[8192];
    Vec x, b;
    PC pc;

    (void)state;
    vectors(A, &x, &b);
    solve(ksp, b, x, 1.01);
    OK(KSPGetPC(ksp, &pc));
    view((PetscObject)pc, text, sizeof text);
    assert_non_null(strstr(text, "flexible KSP"));
    assert_non_null(strstr(text, "level 1:"));
    OK(VecDestroy(&x));
    OK(VecDestroy(&b));
    OK(KSPDestroy(&ksp));
    OK(MatDestroy(&A));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind),    cmocka_unit_test(other_methods),
        cmocka_unit_test(transposed),    cmocka_unit_test(several_columns),
        cmocka_unit_test(updates),       cmocka_unit_test(near_null_space),
        cmocka_unit_test(block_sizes),   cmocka_unit_test(null_space),
        cmocka_unit_test(shells),        cmocka_unit_test(failures),
        cmocka_unit_test(options_again), cmocka_unit_test(variable),
    };
    return run_all(tests, sizeof tests / sizeof *tests, "petsc_pc", argc, argv);
}
