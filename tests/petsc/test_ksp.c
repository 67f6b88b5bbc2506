/* test_ksp.c: KSP of type gsolve: methods, preconditioners, operators and updates. */
#include "support.h"

#define GSOLVE "-ksp_type gsolve "

static void methods(void **state)
{
    static const char *const specs[] = {"auto",     "cg",       "pipecg",     "bicg",
                                        "bicgstab", "cgs",      "tfqmr",      "idr",
                                        "gmres",    "fgmres",   "minres",     "refine,inner=cg",
                                        "direct",   "block_cg", "block_gmres"};
    Mat A = stencil(30, 0, 0);
    char options[160];

    (void)state;
    for (size_t k = 0; k < sizeof specs / sizeof *specs; k++) {
        OK(PetscSNPrintf(options, sizeof options,
                         GSOLVE "-ksp_rtol 1e-9 -ksp_gsolve_method %s -pc_gsolve_precond jacobi",
                         specs[k]));
        solve_with(A, options, 1.0001);
    }
    OK(MatDestroy(&A));
}

static void formats(void **state)
{
    static const char *const specs[] = {"auto", "csr", "sell", "bsr", "bce"};
    Mat A = stencil(24, 0, 0);
    char options[128], text[4096], line[64];
    Vec x, b;

    (void)state;
    vectors(A, &x, &b);
    for (size_t k = 0; k < sizeof specs / sizeof *specs; k++) {
        OK(PetscSNPrintf(options, sizeof options, GSOLVE "-ksp_gsolve_format %s", specs[k]));
        KSP ksp = solver_for(A, A, options);
        solve(ksp, b, x, 1.0001);
        view((PetscObject)ksp, text, sizeof text);
        OK(PetscSNPrintf(line, sizeof line, "matrix: format %s", specs[k]));
        assert_non_null(strstr(text, line));
        assert_non_null(strstr(text, "in use: method cg"));
        OK(KSPDestroy(&ksp));
    }
    OK(VecDestroy(&x));
    OK(VecDestroy(&b));
    OK(MatDestroy(&A));
}

/* --- preconditioners ------------------------------------------------------------------------ */

/* PCs of PETSc as preconditioners of gsolve's methods. */
static void foreign_pcs(void **state)
{
    static const char *const pcs[] = {"none", "jacobi", "sor", "icc", "gamg", "lu", "asm", "hypre"};
    Mat A = stencil(30, 0, 0);
    char options[160];

    (void)state;
    for (size_t k = 0; k < sizeof pcs / sizeof *pcs; k++) {
        OK(PetscSNPrintf(options, sizeof options, GSOLVE "-pc_type %s -ksp_rtol 1e-8", pcs[k]));
#if !defined(PETSC_HAVE_HYPRE)
        if (strcmp(pcs[k], "hypre") == 0) continue;
#endif
        const int its = solve_with(A, options, 1.0001);
        if (strcmp(pcs[k], "lu") == 0) assert_int_equal(its, 1);
    }
    /* An inner Krylov method is not one linear map. */
    solve_with(A, GSOLVE "-pc_type ksp -ksp_ksp_type gmres -ksp_ksp_rtol 1e-1 -ksp_rtol 1e-8",
               1.0001);
    OK(MatDestroy(&A));
    A = stencil(30, 0.3, 0);
    solve_with(A, GSOLVE "-ksp_gsolve_method bicg -pc_type ilu -ksp_rtol 1e-8", 1.0001);
    OK(MatDestroy(&A));
}

/* The PC becomes one of gsolve, unless the program or an option has chosen another type. */
static void default_pc(void **state)
{
    Mat A = stencil(8, 0, 0);
    KSP ksp = solver_for(A, A, GSOLVE);
    PCType type;
    PC pc;

    (void)state;
    OK(KSPGetPC(ksp, &pc));
    OK(PCGetType(pc, &type));
    assert_string_equal(type, "gsolve");
    OK(PCSetType(pc, PCILU)); /* after the type of the KSP: it stays */
    OK(KSPSetFromOptions(ksp));
    OK(PCGetType(pc, &type));
    assert_string_equal(type, "ilu");
    OK(KSPDestroy(&ksp));
    ksp = solver_for(A, A, GSOLVE "-pc_type icc");
    OK(KSPGetPC(ksp, &pc));
    OK(PCGetType(pc, &type));
    assert_string_equal(type, "icc");
    OK(KSPDestroy(&ksp));
    ksp = solver_for(A, A, "-pc_type sor");
    OK(KSPSetType(ksp, KSPGSOLVE));
    OK(KSPGetPC(ksp, &pc));
    OK(PCGetType(pc, &type));
    assert_string_equal(type, "sor");
    OK(KSPDestroy(&ksp));
    OK(MatDestroy(&A));
}

/* The automatic choice passes block size and near-null vectors to amg. */
static void automatic_elasticity(void **state)
{
    PetscReal *xy;
    Mat A = elasticity(60, &xy);
    char text[8192];
    Vec x, b;
    PC pc;

    (void)state;
    vectors(A, &x, &b);
    KSP ksp = solver_for(A, A, GSOLVE "-ksp_rtol 1e-8");
    OK(KSPGetPC(ksp, &pc));
    OK(PCSetCoordinates(pc, 2, 60 * 61, xy));
    const int its = solve(ksp, b, x, 1.0001);
    view((PetscObject)ksp, text, sizeof text);
    assert_non_null(strstr(text, "preconditioner amg,block=2,near_null=given"));
    assert_null(strstr(text, "rtol=")); /* a tolerance stands with the KSP's own */
    OK(MatScale(A, 3));
    assert_int_equal(solve(ksp, b, x, 1.0001), its);
    /* The preconditioner of the PC itself is there when somebody asks for it. */
    OK(PCApply(pc, b, x));
    OK(KSPDestroy(&ksp));
    OK(VecDestroy(&x));
    OK(VecDestroy(&b));
    OK(MatDestroy(&A));
    OK(PetscFree(xy));
}

/* --- operators -------------------------------------------------------------------------------- */

static void updates(void **state)
{
    static const char *const options[] = {GSOLVE, GSOLVE "-pc_gsolve_precond amg,coarsest=50",
                                          GSOLVE "-pc_type sor", GSOLVE "-ksp_gsolve_method direct",
                                          GSOLVE "-ksp_gsolve_matrix_free -pc_type jacobi"};
    Mat A, B;
    Vec x, b;

    (void)state;
    for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
        A = stencil(20, 0, 0);
        B = stencil(20, 0, 2);
        vectors(A, &x, &b);
        KSP ksp = solver_for(A, A, options[k]);
        const int first = solve(ksp, b, x, 1.0001);
        const int setups = count_of("GsolveSetUp");
        OK(MatScale(A, 5)); /* without KSPSetOperators */
        assert_true(abs(solve(ksp, b, x, 1.0001) - first) <= 1);
        OK(MatShift(A, 1));
        OK(KSPSetOperators(ksp, A, A));
        assert_true(solve(ksp, b, x, 1.0001) <= first);
        assert_int_equal(count_of("GsolveSetUp"), setups);
        OK(KSPSetOperators(ksp, B, B)); /* another matrix of this size */
        solve(ksp, b, x, 1.0001);
        assert_true(count_of("GsolveSetUp") > setups);
        OK(KSPReset(ksp));
        OK(KSPSetOperators(ksp, A, B)); /* a preconditioner from another matrix */
        solve(ksp, b, x, 1.0001);
        OK(KSPDestroy(&ksp));
        OK(VecDestroy(&x));
        OK(VecDestroy(&b));
        OK(MatDestroy(&A));
        OK(MatDestroy(&B));
    }
}

static void matrix_types(void **state)
{
    static const char *const types[] = {MATSEQBAIJ, MATSEQSBAIJ, MATSEQDENSE, MATMPIAIJ, MATNEST};

    (void)state;
    for (size_t k = 0; k < sizeof types / sizeof *types; k++) {
        Mat A = stencil(12, 0, 0);
        Vec x, b;
        OK(MatSetOption(A, MAT_SYMMETRIC, PETSC_TRUE));
        if (strcmp(types[k], MATNEST) == 0) {
            Mat nest;
            OK(MatCreateNest(PETSC_COMM_SELF, 1, NULL, 1, NULL, &A, &nest));
            OK(MatDestroy(&A));
            A = nest;
        } else {
            OK(MatConvert(A, types[k], MAT_INPLACE_MATRIX, &A));
        }
        KSP ksp = solver_for(A, A, GSOLVE "-ksp_rtol 1e-8");
        vectors(A, &x, &b);
        solve(ksp, b, x, 1.0001);
        OK(MatScale(A, 2));
        solve(ksp, b, x, 1.0001);
        OK(KSPDestroy(&ksp));
        OK(VecDestroy(&x));
        OK(VecDestroy(&b));
        OK(MatDestroy(&A));
    }
}

/* A shell needs no option, and its errors come back. */
static void shells(void **state)
{
    Mat A = stencil(20, 0, 0), shell;
    char text[4096];
    Vec x, b;

    (void)state;
    OK(MatCreateShell(PETSC_COMM_SELF, 400, 400, 400, 400, A, &shell));
    OK(MatShellSetOperation(shell, MATOP_MULT, (void (*)(void))multiply_shell));
    vectors(A, &x, &b);
    KSP ksp = solver_for(shell, shell, GSOLVE);
    solve(ksp, b, x, 1.0001);
    view((PetscObject)ksp, text, sizeof text);
    assert_non_null(strstr(text, "in use: method gmres"));
    OK(KSPDestroy(&ksp));
    OK(MatSetOption(shell, MAT_SPD, PETSC_TRUE));
    ksp = solver_for(shell, shell, GSOLVE "-pc_gsolve_precond chebyshev,its=20");
    solve(ksp, b, x, 1.0001);
    OK(KSPDestroy(&ksp));
    ksp = solver_for(shell, A, GSOLVE "-pc_gsolve_precond amg");
    assert_true(solve(ksp, b, x, 1.0001) < 12);
    OK(KSPDestroy(&ksp));
    ksp = solver_for(shell, shell, GSOLVE "-pc_gsolve_precond amg");
    FAILS("needs the rows of the matrix, and a matrix of type shell has none", KSPSolve(ksp, b, x));
    OK(KSPDestroy(&ksp));
    ksp = solver_for(shell, shell, GSOLVE "-pc_type none -pc_gsolve_precond amg");
    solve(ksp, b, x, 1.0001); /* -pc_type decides */
    OK(KSPDestroy(&ksp));
    ksp = solver_for(shell, shell, GSOLVE "-ksp_gsolve_method direct");
    FAILS("gsolve: ", KSPSolve(ksp, b, x));
    OK(KSPDestroy(&ksp));
    ksp = solver_for(shell, shell, GSOLVE);
    OK(MatShellSetContext(shell, NULL));
    FAILS("this shell has no matrix", KSPSolve(ksp, b, x));
    OK(KSPDestroy(&ksp));
    OK(VecDestroy(&x));
    OK(VecDestroy(&b));
    OK(MatDestroy(&shell));
    OK(MatDestroy(&A));
}

static PetscErrorCode fails(PC pc, Vec x, Vec y)
{
    PetscFunctionBegin;
    (void)pc, (void)x, (void)y;
    SETERRQ(PETSC_COMM_SELF, PETSC_ERR_USER, "this preconditioner fails");
}

static PetscErrorCode halves(PC pc, Vec x, Vec y)
{
    PetscFunctionBegin;
    (void)pc;
    PetscCall(VecAXPBY(y, 0.5, 0, x));
    PetscFunctionReturn(0);
}

static void shell_pc(void **state)
{
    Mat A = stencil(10, 0, 0);
    KSP ksp = solver_for(A, A, GSOLVE "-pc_type shell");
    Vec x, b;
    PC pc;

    (void)state;
    vectors(A, &x, &b);
    OK(KSPGetPC(ksp, &pc));
    OK(PCShellSetApply(pc, halves));
    solve(ksp, b, x, 1.0001);
    OK(PCShellSetApply(pc, fails));
    FAILS("this preconditioner fails", KSPSolve(ksp, b, x));
    OK(PCShellSetApply(pc, halves)); /* and the solver is as before */
    solve(ksp, b, x, 1.0001);
    OK(PCSetType(pc, PCJACOBI)); /* another type in the same PC */
    solve(ksp, b, x, 1.0001);
    OK(PCSetType(pc, PCGSOLVE));
    solve(ksp, b, x, 1.0001);
    OK(KSPDestroy(&ksp));
    OK(VecDestroy(&x));
    OK(VecDestroy(&b));
    OK(MatDestroy(&A));
}

/* A preconditioner that is not positive definite for a method that needs one: gmres follows. */
static void falls_back(void **state)
{
    Mat A = stencil(10, 0, 0), P = stencil(10, 0, 0);
    KSP ksp = solver_for(A, P, GSOLVE "-pc_type ilu -ksp_rtol 1e-8");
    char text[4096];
    Vec x, b;

    (void)state;
    vectors(A, &x, &b);
    OK(MatScale(P, -1));
    for (int round = 0; round < 2; round++) {
        solve(ksp, b, x, 1.0001);
        view((PetscObject)ksp, text, sizeof text);
        assert_non_null(strstr(text, "in use: method gmres"));
    }
    OK(KSPDestroy(&ksp));
    OK(VecDestroy(&x));
    OK(VecDestroy(&b));
    OK(MatDestroy(&A));
    OK(MatDestroy(&P));
}

static void transposed(void **state)
{
    static const char *const options[] = {GSOLVE "-ksp_rtol 1e-8",
                                          GSOLVE "-ksp_rtol 1e-8 -pc_gsolve_precond ilu",
                                          GSOLVE "-ksp_rtol 1e-8 -pc_type ilu"};
    Mat A = stencil(20, 0.4, 0);
    KSPConvergedReason reason;
    Vec x, b;

    (void)state;
    vectors(A, &x, &b);
    for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
        KSP ksp = solver_for(A, A, options[k]);
        for (int round = 0; round < 2; round++) {
            solve(ksp, b, x, 1.0001);
            OK(KSPSolveTranspose(ksp, b, x));
            OK(KSPGetConvergedReason(ksp, &reason));
            assert_true(reason > 0);
            assert_true(residual(A, x, b, 1) <= 1.0001e-8);
        }
        OK(KSPDestroy(&ksp));
    }
    OK(VecDestroy(&x));
    OK(VecDestroy(&b));
    OK(MatDestroy(&A));
}

static void several_columns(void **state)
{
    Mat A = stencil(20, 0, 0), B, X, R;
    static const char *const options[] = {GSOLVE "-ksp_rtol 1e-8",
                                          GSOLVE "-ksp_rtol 1e-8 -pc_type "
                                                 "jacobi",
                                          GSOLVE "-ksp_rtol 1e-8 -ksp_gsolve_method block_cg "
                                                 "-ksp_monitor ascii:/dev/null"};
    PetscReal norms[2][4];

    (void)state;
    OK(MatCreateDense(PETSC_COMM_SELF, 400, 4, 400, 4, NULL, &B));
    OK(MatSetRandom(B, NULL));
    OK(MatDuplicate(B, MAT_DO_NOT_COPY_VALUES, &X));
    for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
        KSP ksp = solver_for(A, A, options[k]);
        const int before = count_of("GsolveSolve");
        OK(KSPMatSolve(ksp, B, X));
        assert_int_equal(count_of("GsolveSolve"), before + 1);
        OK(MatMatMult(A, X, MAT_INITIAL_MATRIX, 1, &R));
        OK(MatAXPY(R, -1, B, SAME_NONZERO_PATTERN));
        OK(MatGetColumnNorms(R, NORM_2, norms[0]));
        OK(MatGetColumnNorms(B, NORM_2, norms[1]));
        for (int c = 0; c < 4; c++) assert_true(norms[0][c] <= 1.0001e-8 * norms[1][c]);
        OK(MatDestroy(&R));
        OK(KSPDestroy(&ksp));
    }
    OK(MatDestroy(&B));
    OK(MatDestroy(&X));
    OK(MatDestroy(&A));
}

/* |b - A x| has no component in A's range. */
static void least_squares(void **state)
{
    static const char *const options[] = {GSOLVE, GSOLVE "-ksp_gsolve_method lsqr -ksp_rtol 1e-8",
                                          GSOLVE "-ksp_gsolve_method lsmr -pc_type none "
                                                 "-ksp_rtol 1e-8"};
    KSPConvergedReason reason;
    PetscReal norm;
    Vec x, b, r, g;
    Mat A;

    (void)state;
    OK(MatCreateSeqAIJ(PETSC_COMM_SELF, 30, 10, 3, NULL, &A));
    for (PetscInt i = 0; i < 30; i++) {
        OK(MatSetValue(A, i, i % 10, 2 + (double)(i % 4), INSERT_VALUES));
        OK(MatSetValue(A, i, (i + 3) % 10, (double)(i % 3) - 1, INSERT_VALUES));
    }
    OK(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
    OK(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
    vectors(A, &x, &b);
    OK(VecDuplicate(b, &r));
    OK(VecDuplicate(x, &g));
    for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
        KSP ksp = solver_for(A, A, options[k]);
        OK(VecSet(x, 0));
        OK(KSPSolve(ksp, b, x));
        OK(KSPGetConvergedReason(ksp, &reason));
        assert_int_equal(reason, KSP_CONVERGED_RTOL_NORMAL);
        OK(MatMult(A, x, r));
        OK(VecAYPX(r, -1, b));
        OK(MatMultTranspose(A, r, g));
        OK(VecNorm(g, NORM_2, &norm));
        assert_true(norm < 1e-5);
        OK(KSPDestroy(&ksp));
    }
    OK(VecDestroy(&x));
    OK(VecDestroy(&b));
    OK(VecDestroy(&r));
    OK(VecDestroy(&g));
    OK(MatDestroy(&A));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(methods),
        cmocka_unit_test(formats),
        cmocka_unit_test(foreign_pcs),
        cmocka_unit_test(default_pc),
        cmocka_unit_test(automatic_elasticity),
        cmocka_unit_test(updates),
        cmocka_unit_test(matrix_types),
        cmocka_unit_test(shells),
        cmocka_unit_test(shell_pc),
        cmocka_unit_test(falls_back),
        cmocka_unit_test(transposed),
        cmocka_unit_test(several_columns),
        cmocka_unit_test(least_squares),
    };
    return run_all(tests, sizeof tests / sizeof *tests, "petsc_ksp", argc, argv);
}
