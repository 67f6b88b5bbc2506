/* test_ranks.c: objects of PETSc with several ranks; mpirun starts it with 1, 2, 3 and 4. */
#include "support.h"

#define GSOLVE "-ksp_type gsolve "
#define CG     "-ksp_type cg -ksp_norm_type unpreconditioned -ksp_rtol 1e-8 "

enum { SIDE = 24 };

static int ranks_of_world(void)
{
    PetscMPIInt ranks;

    MPI_Comm_size(PETSC_COMM_WORLD, &ranks);
    return ranks;
}

/* Sets the entries of the five-point stencil of support.h on n x n points in the rows of a rank. */
static void fill(Mat A, PetscInt n, double wind, double shift)
{
    PetscInt first, end;

    OK(MatGetOwnershipRange(A, &first, &end));
    for (PetscInt i = first; i < end; i++) {
        OK(MatSetValue(A, i, i, 4 + shift + 0.1 * (double)(i % 5), INSERT_VALUES));
        if (i % n > 0) OK(MatSetValue(A, i, i - 1, -1 - wind, INSERT_VALUES));
        if (i % n < n - 1) OK(MatSetValue(A, i, i + 1, -1 + wind, INSERT_VALUES));
        if (i >= n) OK(MatSetValue(A, i, i - n, -1, INSERT_VALUES));
        if (i + n < n * n) OK(MatSetValue(A, i, i + n, -1, INSERT_VALUES));
    }
    OK(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
    OK(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
}

/* The stencil over all ranks. first_empty: rank 0 has no rows. */
static Mat distributed(PetscInt n, double wind, double shift, int first_empty)
{
    PetscMPIInt rank;
    PetscInt local = PETSC_DECIDE;
    Mat A;

    MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
    if (first_empty && ranks_of_world() > 1) {
        const PetscInt others = ranks_of_world() - 1;
        local = rank == 0 ? 0 : n * n / others + (rank == others ? n * n % others : 0);
    }
    OK(MatCreateAIJ(PETSC_COMM_WORLD, local, local, n * n, n * n, 5, NULL, 5, NULL, &A));
    fill(A, n, wind, shift);
    return A;
}

/* cg + jacobi: the iterations of PETSc's own, by the PC and by the KSP. */
static void iterations_of_petsc(void **state)
{
    (void)state;
    for (int empty = 0; empty < 2; empty++) {
        Mat A = distributed(SIDE, 0, 0, empty);
        const int expected = solve_with(A, CG "-pc_type jacobi", 1.0001);
        assert_true(expected > 20);
        assert_int_equal(solve_with(A, CG "-pc_type gsolve -pc_gsolve_precond jacobi", 1.0001),
                         expected);
        const int own = solve_with(A,
                                   GSOLVE "-ksp_rtol 1e-8 -ksp_gsolve_method cg "
                                          "-pc_gsolve_precond jacobi",
                                   1.0001);
        assert_true(own >= expected - 1 && own <= expected + 1); /* rounding */
        OK(MatDestroy(&A));
    }
}

static void methods(void **state)
{
    static const char *const options[] = {
        GSOLVE,
        GSOLVE "-ksp_gsolve_method gmres -pc_gsolve_precond ilu",
        GSOLVE "-ksp_gsolve_method bicgstab -pc_gsolve_precond jacobi",
        GSOLVE "-ksp_gsolve_method idr -pc_gsolve_precond block_jacobi -ksp_gsolve_format sell",
        GSOLVE "-pc_type none",
        GSOLVE "-pc_type bjacobi -sub_pc_type gsolve",
        GSOLVE "-pc_type bjacobi -sub_pc_type gsolve -sub_pc_gsolve_precond amg",
        GSOLVE "-pc_type gamg",
        GSOLVE "-pc_type asm -sub_ksp_type gsolve -sub_ksp_gsolve_method direct",
        "-ksp_type gmres -ksp_pc_side right -pc_type gsolve",
        "-ksp_type gmres -ksp_pc_side right -pc_type gsolve -pc_gsolve_precond isai",
        "-ksp_type gmres -ksp_pc_side right -pc_type gsolve -pc_gsolve_precond none",
    };
    Mat A = distributed(SIDE, 0.3, 0, 0);

    (void)state;
    for (size_t k = 0; k < sizeof options / sizeof *options; k++) solve_with(A, options[k], 1.0001);
    OK(MatDestroy(&A));
    A = distributed(SIDE, 0, 0, 1);
    solve_with(A, GSOLVE, 1.0001);
    solve_with(A, GSOLVE "-ksp_gsolve_method pipecg -pc_gsolve_precond chebyshev", 1.0001);
    solve_with(A, CG "-pc_type gsolve -pc_gsolve_precond chebyshev", 1.0001);
    solve_with(A, CG "-pc_type gsolve -pc_gsolve_precond amg", 1.0001);
    solve_with(A, CG "-pc_type gsolve -pc_gsolve_precond ic", 1.0001);
    solve_with(A, CG "-pc_type gsolve", 1.0001);
    OK(MatDestroy(&A));
}

/* Types that PETSc converts. Each takes the iterations of AIJ. */
static void types(void **state)
{
    static const char *const names[] = {MATMPIBAIJ, MATMPISBAIJ, MATIS, MATMPIDENSE};
    static const char *const options[] = {GSOLVE "-ksp_gsolve_method cg -pc_gsolve_precond jacobi",
                                          CG "-pc_type gsolve -pc_gsolve_precond jacobi"};
    Mat A = distributed(SIDE, 0, 0, 0), B;

    (void)state;
    OK(MatSetOption(A, MAT_SYMMETRIC, PETSC_TRUE));
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        OK(MatConvert(A, names[k], MAT_INITIAL_MATRIX, &B));
        for (int o = 0; o < 2; o++) {
            const int expected = solve_with(A, options[o], 1.0001);
            const int its = solve_with(B, options[o], 1.0001);
            if (its != expected) fail_msg("%s: %d iterations, AIJ %d", names[k], its, expected);
        }
        OK(MatDestroy(&B));
    }
    OK(MatDestroy(&A));
}

/* New values in the same pattern are an update, also of a preconditioner that keeps the matrix. */
static void updates(void **state)
{
    static const char *const options[] = {
        GSOLVE "-ksp_gsolve_method cg -pc_gsolve_precond jacobi",
        GSOLVE "-pc_gsolve_precond chebyshev",
        GSOLVE,
        CG "-pc_type gsolve -pc_gsolve_precond chebyshev",
        CG "-pc_type gsolve -pc_gsolve_precond ic",
    };
    Vec x, b;

    (void)state;
    for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
        Mat A = distributed(SIDE, 0, 0, 0);
        KSP ksp = solver_for(A, A, options[k]);
        vectors(A, &x, &b);
        solve(ksp, b, x, 1.0001);
        const int set_ups = count_of("GsolveSetUp"), before = count_of("GsolveUpdate");
        fill(A, SIDE, 0, 1);
        OK(VecSet(x, 0));
        const int its = solve(ksp, b, x, 1.0001);
        assert_int_equal(count_of("GsolveSetUp"), set_ups);
        assert_true(count_of("GsolveUpdate") > before);
        OK(KSPDestroy(&ksp));
        ksp = solver_for(A, A, options[k]); /* as if made for the new values */
        OK(VecSet(x, 0));
        assert_int_equal(solve(ksp, b, x, 1.0001), its);
        OK(KSPDestroy(&ksp));
        OK(VecDestroy(&x));
        OK(VecDestroy(&b));
        OK(MatDestroy(&A));
    }
}

/* A pair of entries that couples the first and the last rank. */
static void patterns(void **state)
{
    static const char *const options[] = {GSOLVE, "-pc_type gsolve -ksp_pc_side right"};
    const PetscInt last = SIDE * SIDE - 1;
    Vec x, b;

    (void)state;
    for (int k = 0; k < 4; k++) {
        Mat A = distributed(SIDE, 0, 0, 0);
        if (k > 1)
            OK(MatConvert(A, MATMPIBAIJ, MAT_INPLACE_MATRIX, &A)); /* the change is unnoticed */
        OK(MatSetOption(A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
        KSP ksp = solver_for(A, A, options[k % 2]);
        vectors(A, &x, &b);
        solve(ksp, b, x, 1.0001);
        OK(MatSetValue(A, 0, last, -0.5, INSERT_VALUES));
        OK(MatSetValue(A, last, 0, -0.5, INSERT_VALUES));
        OK(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
        OK(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
        solve(ksp, b, x, 1.0001);
        OK(KSPDestroy(&ksp));
        OK(VecDestroy(&x));
        OK(VecDestroy(&b));
        OK(MatDestroy(&A));
    }
}

/* A zero pivot of one rank is that of all. */
static void zero_pivot(void **state)
{
    static const char *const options[] = {GSOLVE "-pc_gsolve_precond jacobi -ksp_gsolve_method cg",
                                          CG "-pc_type gsolve -pc_gsolve_precond jacobi"};
    KSPConvergedReason reason;
    Vec x, b;

    (void)state;
    for (int k = 0; k < 2; k++) {
        for (int later = 0; later < 2; later++) {
            Mat A = distributed(SIDE, 0, 0, 0);
            KSP ksp = solver_for(A, A, options[k]);
            vectors(A, &x, &b);
            if (later) solve(ksp, b, x, 1.0001);
            OK(MatSetValue(A, 3, 3, 0, INSERT_VALUES));
            OK(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
            OK(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
            OK(KSPSolve(ksp, b, x));
            OK(KSPGetConvergedReason(ksp, &reason));
            assert_int_equal(reason, KSP_DIVERGED_PC_FAILED);
            OK(KSPDestroy(&ksp));
            OK(VecDestroy(&x));
            OK(VecDestroy(&b));
            OK(MatDestroy(&A));
        }
    }
}

static PetscErrorCode count_norms(KSP ksp, PetscInt iteration, PetscReal norm, void *count)
{
    (void)ksp, (void)iteration, (void)norm;
    ++*(int *)count;
    return 0;
}

/* Converged in iteration 5, says the program. */
static PetscErrorCode five(KSP ksp, PetscInt iteration, PetscReal norm, KSPConvergedReason *reason,
                           void *user)
{
    (void)ksp, (void)norm, (void)user;
    *reason = iteration == 5 ? KSP_CONVERGED_RTOL : KSP_CONVERGED_ITERATING;
    return 0;
}

static void monitors_and_tests(void **state)
{
    Mat A = distributed(SIDE, 0, 0, 0);
    KSP ksp = solver_for(A, A, GSOLVE "-ksp_gsolve_method cg -pc_gsolve_precond jacobi");
    int count = 0;
    PetscInt its;
    Vec x, b;

    (void)state;
    vectors(A, &x, &b);
    OK(KSPMonitorSet(ksp, count_norms, &count, NULL));
    const int expected = solve(ksp, b, x, 1.0001);
    assert_int_equal(count, expected + 1);
    OK(KSPSetConvergenceTest(ksp, five, NULL, NULL));
    OK(VecSet(x, 0));
    OK(KSPSolve(ksp, b, x));
    OK(KSPGetIterationNumber(ksp, &its));
    assert_int_equal(its, 5);
    OK(KSPDestroy(&ksp));
    OK(VecDestroy(&x));
    OK(VecDestroy(&b));
    OK(MatDestroy(&A));
}

static void several_columns(void **state)
{
    static const char *const options[] = {GSOLVE "-ksp_gsolve_method cg -pc_gsolve_precond ic",
                                          "-ksp_type preonly -pc_type gsolve "
                                          "-pc_gsolve_precond jacobi"};
    Mat A = distributed(SIDE, 0, 0, 0), B, X, R;
    PetscReal norm, rhs;
    PetscInt rows;

    (void)state;
    OK(MatGetLocalSize(A, &rows, NULL));
    OK(MatCreateDense(PETSC_COMM_WORLD, rows, PETSC_DECIDE, SIDE * SIDE, 3, NULL, &B));
    OK(MatSetRandom(B, NULL));
    OK(MatDuplicate(B, MAT_DO_NOT_COPY_VALUES, &X));
    for (int k = 0; k < 2; k++) {
        KSP ksp = solver_for(A, A, options[k]);
        OK(MatZeroEntries(X));
        OK(KSPSetUp(ksp));
        OK(KSPMatSolve(ksp, B, X));
        OK(MatMatMult(A, X, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &R));
        OK(MatAYPX(R, -1, B, SAME_NONZERO_PATTERN));
        OK(MatNorm(R, NORM_FROBENIUS, &norm));
        OK(MatNorm(B, NORM_FROBENIUS, &rhs));
        assert_true(norm <= (k == 0 ? 1e-5 : 1) * rhs);
        OK(MatDestroy(&R));
        OK(KSPDestroy(&ksp));
    }
    OK(MatDestroy(&X));
    OK(MatDestroy(&B));
    OK(MatDestroy(&A));
}

/* PETSc's default over several ranks, bjacobi, gives way to gsolve; one that was named stays. */
static void default_pc(void **state)
{
    Mat A = distributed(SIDE, 0, 0, 0);
    char text[8192];
    PCType type;
    KSP ksp;
    PC pc;
    Vec x, b;

    (void)state;
    ksp = solver_for(A, A, GSOLVE "-pc_type bjacobi");
    OK(KSPGetPC(ksp, &pc));
    OK(PCGetType(pc, &type));
    assert_string_equal(type, PCBJACOBI);
    OK(KSPDestroy(&ksp));
    ksp = solver_for(A, A, GSOLVE);
    OK(KSPGetPC(ksp, &pc));
    OK(PCGetType(pc, &type));
    assert_string_equal(type, "gsolve");
    vectors(A, &x, &b);
    solve(ksp, b, x, 1.0001);
    view((PetscObject)ksp, text, sizeof text);
    int rank;
    MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
    if (rank == 0) {
        assert_non_null(strstr(text, "in use: method cg"));
        assert_non_null(strstr(text, "576 x 576, 2784 entries"));
    }
    OK(KSPDestroy(&ksp));
    OK(VecDestroy(&x));
    OK(VecDestroy(&b));
    OK(MatDestroy(&A));
}

/* A transposed system with a KSP of PETSc, and a singular system with its null space. */
static void transposed_and_singular(void **state)
{
    const char *transposed = "-ksp_type gmres -ksp_pc_side right -pc_type gsolve "
                             "-pc_gsolve_precond ilu";
    Mat A = distributed(SIDE, 0.3, 0, 0);
    KSP ksp = solver_for(A, A, transposed);
    MatNullSpace constants;
    PetscInt first, end;
    Vec x, b;

    (void)state;
    vectors(A, &x, &b);
    OK(KSPSolveTranspose(ksp, b, x));
    assert_true(residual(A, x, b, 1) < 1.0001e-5);
    OK(KSPDestroy(&ksp));
    OK(MatDestroy(&A));
    A = distributed(SIDE, 0, 0, 0);
    OK(MatGetOwnershipRange(A, &first, &end));
    for (PetscInt i = first; i < end; i++) {
        const int missing =
            (i % SIDE == 0) + (i % SIDE == SIDE - 1) + (i < SIDE) + (i + SIDE >= SIDE * SIDE);
        OK(MatSetValue(A, i, i, 4 - missing, INSERT_VALUES));
    }
    OK(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
    OK(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
    OK(MatNullSpaceCreate(PETSC_COMM_WORLD, PETSC_TRUE, 0, NULL, &constants));
    OK(MatSetNullSpace(A, constants));
    OK(MatNullSpaceRemove(constants, b));
    OK(MatNullSpaceDestroy(&constants));
    for (int own = 0; own < 2; own++) {
        ksp = solver_for(A, A,
                         own ? GSOLVE "-pc_gsolve_precond jacobi"
                             : CG "-pc_type gsolve -pc_gsolve_precond jacobi");
        OK(VecSet(x, 0));
        solve(ksp, b, x, 1.0001);
        OK(KSPDestroy(&ksp));
    }
    OK(VecDestroy(&x));
    OK(VecDestroy(&b));
    OK(MatDestroy(&A));
}

/* More rows than columns: the least-squares solution, A'(b - A x) = 0. */
static void rectangular(void **state)
{
    const PetscInt columns = 90, rows = 3 * columns;
    KSPConvergedReason reason;
    PetscReal norm, rhs;
    PetscInt first, end;
    Vec x, b, r, s;
    Mat A;
    KSP ksp;

    (void)state;
    OK(MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, rows, columns, 2, NULL, 2, NULL,
                    &A));
    OK(MatGetOwnershipRange(A, &first, &end));
    for (PetscInt i = first; i < end; i++) {
        OK(MatSetValue(A, i, i % columns, 2 + (double)(i % 3), INSERT_VALUES));
        OK(MatSetValue(A, i, (7 * i + 3) % columns, -1, INSERT_VALUES));
    }
    OK(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
    OK(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
    vectors(A, &x, &b);
    OK(VecDuplicate(b, &r));
    OK(VecDuplicate(x, &s));
    ksp = solver_for(A, A, GSOLVE "-ksp_rtol 1e-10");
    OK(KSPSolve(ksp, b, x));
    OK(KSPGetConvergedReason(ksp, &reason));
    assert_int_equal(reason, KSP_CONVERGED_RTOL_NORMAL);
    OK(MatMult(A, x, r));
    OK(VecAYPX(r, -1, b));
    OK(MatMultTranspose(A, r, s));
    OK(VecNorm(s, NORM_2, &norm));
    OK(VecNorm(b, NORM_2, &rhs));
    assert_true(norm < 1e-6 * rhs);
    OK(KSPDestroy(&ksp));
    OK(VecDestroy(&x));
    OK(VecDestroy(&b));
    OK(VecDestroy(&r));
    OK(VecDestroy(&s));
    OK(MatDestroy(&A));
}

/* What one rank can and several cannot: a sentence on all ranks, which names what to do. */
static void refused(void **state)
{
    static const struct {
        const char *options, *text;
    } cases[] = {
        {GSOLVE "-ksp_gsolve_method cg -pc_gsolve_precond amg,coarsening=ua", "-pc_type bjacobi"},
        {GSOLVE "-ksp_gsolve_method cg -pc_gsolve_precond amg,coarsening=ua", "use coarsening=sa"},
        {GSOLVE "-ksp_gsolve_method direct -pc_type none", "-sub_ksp_type gsolve"},
        {"-ksp_type cg -pc_type gsolve -pc_gsolve_precond amg,coarsening=ua", "-sub_pc_type gsolve"},
        {GSOLVE "-ksp_gsolve_matrix_free -pc_type none", "Use a KSP of PETSc"},
    };
    Mat A, shell;
    PetscInt rows;
    KSP ksp;
    Vec x, b;

    (void)state;
    if (ranks_of_world() == 1) skip();
    A = distributed(SIDE, 0, 0, 0);
    vectors(A, &x, &b);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        ksp = solver_for(A, A, cases[k].options);
        FAILS(cases[k].text, KSPSolve(ksp, b, x));
        OK(KSPDestroy(&ksp));
    }
    ksp = solver_for(A, A, GSOLVE "-pc_type none");
    FAILS("transposed systems on one rank", KSPSolveTranspose(ksp, b, x));
    OK(KSPDestroy(&ksp));
    OK(MatGetLocalSize(A, &rows, NULL));
    OK(MatCreateShell(PETSC_COMM_WORLD, rows, rows, SIDE * SIDE, SIDE * SIDE, A, &shell));
    OK(MatShellSetOperation(shell, MATOP_MULT, (void (*)(void))multiply_shell));
    ksp = solver_for(shell, A, GSOLVE "-pc_type jacobi");
    FAILS("this matrix of type shell", KSPSolve(ksp, b, x));
    OK(KSPDestroy(&ksp));
    ksp = solver_for(shell, A, "-ksp_type cg -pc_type gsolve"); /* the PC has rows */
    solve(ksp, b, x, 10);
    OK(KSPDestroy(&ksp));
    OK(MatDestroy(&shell));
    OK(VecDestroy(&x));
    OK(VecDestroy(&b));
    OK(MatDestroy(&A));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(iterations_of_petsc),
        cmocka_unit_test(methods),
        cmocka_unit_test(types),
        cmocka_unit_test(updates),
        cmocka_unit_test(patterns),
        cmocka_unit_test(zero_pivot),
        cmocka_unit_test(monitors_and_tests),
        cmocka_unit_test(several_columns),
        cmocka_unit_test(default_pc),
        cmocka_unit_test(transposed_and_singular),
        cmocka_unit_test(rectangular),
        cmocka_unit_test(refused),
    };
    return run_all(tests, sizeof tests / sizeof *tests, "petsc_ranks", argc, argv);
}
