/* test_changes.c: programs that change a matrix, its type, its null spaces or the PC between two
 * solves. */
#include "support.h"

#include <locale.h>

#define GSOLVE "-ksp_type gsolve "

static void assemble(Mat A)
{
    OK(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
    OK(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
}

static void set_pair(Mat A, PetscInt i, PetscInt j, double value)
{
    OK(MatSetValue(A, i, j, value, INSERT_VALUES));
    OK(MatSetValue(A, j, i, value, INSERT_VALUES));
    assemble(A);
}

static KSPConvergedReason reason_after(KSP ksp, Vec b, Vec x)
{
    KSPConvergedReason reason;

    OK(KSPSolve(ksp, b, x));
    OK(KSPGetConvergedReason(ksp, &reason));
    return reason;
}

/* The type of the PC, from one solve to the next; and another PC. */
static void pc_types(void **state)
{
    Mat A = stencil(20, 0, 0);
    KSP ksp = solver_for(A, A, GSOLVE "-pc_type none");
    PCType type;
    Vec x, b;
    PC pc;

    (void)state;
    vectors(A, &x, &b);
    OK(KSPGetPC(ksp, &pc));
    assert_true(solve(ksp, b, x, 1.0001) > 10);
    OK(PCSetType(pc, PCLU));
    assert_int_equal(solve(ksp, b, x, 1.0001), 1);
    OK(PCSetType(pc, PCNONE));
    assert_true(solve(ksp, b, x, 1.0001) > 10);
    OK(PCCreate(PETSC_COMM_SELF, &pc));
    OK(PCSetType(pc, PCLU));
    OK(PCSetOperators(pc, A, A));
    OK(KSPSetPC(ksp, pc));
    OK(PCDestroy(&pc));
    assert_int_equal(solve(ksp, b, x, 1.0001), 1);
    OK(KSPDestroy(&ksp));
    /* PETSc takes no bjacobi by default without a matrix: the program has asked for it. */
    OK(PetscOptionsClear(NULL));
    OK(KSPCreate(PETSC_COMM_SELF, &ksp));
    OK(KSPGetPC(ksp, &pc));
    OK(PCSetType(pc, PCBJACOBI));
    OK(KSPSetType(ksp, KSPGSOLVE));
    OK(PCGetType(pc, &type));
    assert_string_equal(type, "bjacobi");
    OK(KSPDestroy(&ksp));
    OK(VecDestroy(&x));
    OK(VecDestroy(&b));
    OK(MatDestroy(&A));
}

/* The automatic choice has a preconditioner for the transpose too, also for blocks. */
static void transposed_automatic(void **state)
{
    PetscReal *xy;
    Mat A[2] = {stencil(60, 0.4, 0), elasticity(20, &xy)};
    PetscInt its;

    (void)state;
    for (int k = 0; k < 2; k++) {
        KSP ksp = solver_for(A[k], A[k], GSOLVE "-ksp_rtol 1e-8");
        Vec x, b;
        vectors(A[k], &x, &b);
        for (int round = 0; round < 2; round++) {
            solve(ksp, b, x, 1.0001);
            OK(KSPSolveTranspose(ksp, b, x));
            OK(KSPGetIterationNumber(ksp, &its));
            assert_true(its < 100); /* without a preconditioner: 416 */
            assert_true(residual(A[k], x, b, 1) <= 1.0001e-8);
        }
        OK(KSPDestroy(&ksp));
        OK(VecDestroy(&x));
        OK(VecDestroy(&b));
        OK(MatDestroy(&A[k]));
    }
    OK(PetscFree(xy));
}

/* A preconditioner that cannot be updated is not applied; later values can be good again. */
static void failed_update(void **state)
{
    static const char *const options[] = {"-ksp_type gmres -pc_type gsolve -pc_gsolve_precond ilu",
                                          "-ksp_type cg -pc_type gsolve -pc_gsolve_precond jacobi",
                                          GSOLVE "-pc_gsolve_precond ilu"};
    const PetscInt row = 60;
    PetscInt its;
    Vec x, b;

    (void)state;
    for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
        Mat A = stencil(20, 0, 0);
        KSP ksp = solver_for(A, A, options[k]);
        OK(MatSetOption(A, MAT_KEEP_NONZERO_PATTERN, PETSC_TRUE));
        vectors(A, &x, &b);
        solve(ksp, b, x, 10);
        OK(MatZeroRowsColumns(A, 1, &row, 0, NULL, NULL));
        assert_int_equal(reason_after(ksp, b, x), KSP_DIVERGED_PC_FAILED);
        OK(KSPGetIterationNumber(ksp, &its));
        assert_int_equal(its, 0);
        OK(MatZeroRowsColumns(A, 1, &row, 4, NULL, NULL));
        OK(KSPSolve(ksp, b, x)); /* PETSc's methods still fail in this solve */
        solve(ksp, b, x, 10);
        OK(KSPDestroy(&ksp));
        OK(VecDestroy(&x));
        OK(VecDestroy(&b));
        OK(MatDestroy(&A));
    }
}

/* Entries of a dense matrix that become 0, and zeros that become others. */
static void dense_patterns(void **state)
{
    static const char *const options[] = {GSOLVE, "-ksp_type cg -pc_type gsolve "
                                                  "-ksp_norm_type unpreconditioned"};
    Vec x, b;

    (void)state;
    for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
        Mat A = stencil(10, 0, 0);
        OK(MatConvert(A, MATSEQDENSE, MAT_INPLACE_MATRIX, &A));
        vectors(A, &x, &b);
        KSP ksp = solver_for(A, A, options[k]);
        solve(ksp, b, x, 1.0001);
        set_pair(A, 0, 1, 0);
        solve(ksp, b, x, 1.0001);
        set_pair(A, 3, 47, -0.5);
        solve(ksp, b, x, 1.0001);
        OK(KSPDestroy(&ksp));
        OK(VecDestroy(&x));
        OK(VecDestroy(&b));
        OK(MatDestroy(&A));
    }
}

/* PETSc does not notice each change of a pattern. */
static void unnoticed_patterns(void **state)
{
    static const char *const types[] = {MATMPIBAIJ, MATIS};
    Vec x, b;

    (void)state;
    for (size_t k = 0; k < 4; k++) {
        Mat A = stencil(10, 0, 0);
        OK(MatConvert(A, types[k % 2], MAT_INPLACE_MATRIX, &A));
        OK(MatSetOption(A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
        vectors(A, &x, &b);
        KSP ksp = solver_for(A, A, k < 2 ? GSOLVE : "-pc_type gsolve -ksp_pc_side right");
        solve(ksp, b, x, 1.0001);
        set_pair(A, 3, 47, -0.5);
        solve(ksp, b, x, 1.0001);
        OK(KSPDestroy(&ksp));
        OK(VecDestroy(&x));
        OK(VecDestroy(&b));
        OK(MatDestroy(&A));
    }
}

/* A nest of which one block is a shell has products only. Blocks change alone. */
static void nest_with_shell(void **state)
{
    Mat A = stencil(10, 0, 0), shell, nest, transpose;
    Vec x, b;

    (void)state;
    OK(MatCreateShell(PETSC_COMM_SELF, 100, 100, 100, 100, A, &shell));
    OK(MatShellSetOperation(shell, MATOP_MULT, (void (*)(void))multiply_shell));
    OK(MatCreateTranspose(A, &transpose));
    Mat lower[2] = {shell, transpose};
    for (int k = 0; k < 2; k++) {
        Mat blocks[4] = {A, NULL, NULL, lower[k]};
        OK(MatCreateNest(PETSC_COMM_SELF, 2, NULL, 2, NULL, blocks, &nest));
        vectors(nest, &x, &b);
        KSP ksp = solver_for(nest, nest, GSOLVE);
        solve(ksp, b, x, 1.0001);
        OK(MatScale(A, 2)); /* the nest is not told */
        solve(ksp, b, x, 1.0001);
        OK(KSPDestroy(&ksp));
        OK(VecDestroy(&x));
        OK(VecDestroy(&b));
        OK(MatDestroy(&nest));
    }
    OK(MatDestroy(&transpose));
    OK(MatDestroy(&shell));
    OK(MatDestroy(&A));
}

/* Coordinates that come after the first solve. */
static void later_coordinates(void **state)
{
    PetscReal *xy;
    Mat A = elasticity(40, &xy);
    KSP ksp = solver_for(A, A, GSOLVE);
    char text[4096];
    Vec x, b;
    PC pc;

    (void)state;
    vectors(A, &x, &b);
    solve(ksp, b, x, 1.0001);
    OK(KSPGetPC(ksp, &pc));
    OK(PCSetCoordinates(pc, 2, 40 * 41, xy));
    solve(ksp, b, x, 1.0001);
    view((PetscObject)ksp, text, sizeof text);
    assert_non_null(strstr(text, "near_null=given"));
    OK(KSPDestroy(&ksp));
    OK(VecDestroy(&x));
    OK(VecDestroy(&b));
    OK(MatDestroy(&A));
    OK(PetscFree(xy));
}

/* MatZeroRows makes a symmetric matrix unsymmetric: cg no longer fits. */
static void lost_symmetry(void **state)
{
    static const char *const options[] = {GSOLVE, GSOLVE "-pc_type jacobi"};
    const PetscInt rows[3] = {3, 77, 100};
    Vec x, b;

    (void)state;
    for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
        Mat A = stencil(20, 0, 0);
        KSP ksp = solver_for(A, A, options[k]);
        vectors(A, &x, &b);
        solve(ksp, b, x, 1.0001);
        OK(MatSetOption(A, MAT_KEEP_NONZERO_PATTERN, PETSC_TRUE));
        OK(MatZeroRows(A, 3, rows, 1, NULL, NULL));
        assert_true(solve(ksp, b, x, 1.0001) < 100);
        OK(KSPDestroy(&ksp));
        OK(VecDestroy(&x));
        OK(VecDestroy(&b));
        OK(MatDestroy(&A));
    }
}

static void nan_guess(void **state)
{
    Mat A = stencil(10, 0, 0);
    KSP ksp = solver_for(A, A, GSOLVE "-ksp_initial_guess_nonzero");
    Vec x, b;

    (void)state;
    vectors(A, &x, &b);
    OK(VecSet(x, NAN));
    assert_int_equal(reason_after(ksp, b, x), KSP_DIVERGED_NANORINF);
    OK(VecSet(x, 1e3));
    solve(ksp, b, x, 1.0001);
    OK(KSPDestroy(&ksp));
    OK(VecDestroy(&x));
    OK(VecDestroy(&b));
    OK(MatDestroy(&A));
}

/* The decimal point of the program's locale is a comma. */
static void decimal_comma(void **state)
{
    KSP ksp;
    Vec x, b;
    Mat A;

    (void)state;
    if (!setlocale(LC_NUMERIC, "de_DE.UTF-8")) skip();
    A = stencil(10, 0, 0);
    ksp = solver_for(A, A, GSOLVE);
    vectors(A, &x, &b);
    solve(ksp, b, x, 1.0001);
    setlocale(LC_NUMERIC, "C");
    OK(KSPDestroy(&ksp));
    OK(VecDestroy(&x));
    OK(VecDestroy(&b));
    OK(MatDestroy(&A));
}

/* A square A that is singular and whose null space the program did not give. */
static void no_solution(void **state)
{
    static const char *const options[] = {GSOLVE "-ksp_rtol 1e-8", GSOLVE
                                          "-ksp_rtol 1e-8 -ksp_gsolve_method lsmr -pc_type none"};
    Mat A = neumann(10);
    KSPConvergedReason reason;
    PetscReal norm;
    PetscScalar sum;
    Vec x, b, r;

    (void)state;
    OK(MatSetNullSpace(A, NULL));
    vectors(A, &x, &b);
    OK(VecDuplicate(b, &r));
    OK(VecSum(b, &sum));
    for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
        KSP ksp = solver_for(A, A, options[k]);
        OK(VecSet(x, 0));
        OK(KSPSolve(ksp, b, x));
        OK(KSPGetConvergedReason(ksp, &reason));
        assert_int_equal(reason, KSP_DIVERGED_BREAKDOWN);
        OK(MatMult(A, x, r));
        OK(VecAYPX(r, -1, b)); /* the mean of b, which no x reaches */
        OK(VecShift(r, -sum / 100));
        OK(VecNorm(r, NORM_2, &norm));
        assert_true(norm < 1e-4);
        OK(KSPSetErrorIfNotConverged(ksp, PETSC_TRUE));
        FAILS("DIVERGED_BREAKDOWN", KSPSolve(ksp, b, x));
        OK(KSPDestroy(&ksp));
    }
    OK(VecDestroy(&x));
    OK(VecDestroy(&b));
    OK(VecDestroy(&r));
    OK(MatDestroy(&A));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pc_types),           cmocka_unit_test(transposed_automatic),
        cmocka_unit_test(failed_update),      cmocka_unit_test(dense_patterns),
        cmocka_unit_test(nest_with_shell),    cmocka_unit_test(no_solution),
        cmocka_unit_test(unnoticed_patterns), cmocka_unit_test(later_coordinates),
        cmocka_unit_test(lost_symmetry),      cmocka_unit_test(nan_guess),
        cmocka_unit_test(decimal_comma),
    };
    return run_all(tests, sizeof tests / sizeof *tests, "petsc_changes", argc, argv);
}
