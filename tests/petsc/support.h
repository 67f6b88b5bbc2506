/* support.h: matrices of PETSc, and helpers, for the tests of the plug-in. */
#ifndef TESTS_PETSC_SUPPORT_H
#define TESTS_PETSC_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <petscksp.h>

#include "gsolve_petsc.h"

/* A call of PETSc that must succeed. */
#define OK(...) assert_int_equal((int)(__VA_ARGS__), 0)

/* The five-point stencil on n x n points: diffusion, with a wind in x of this strength, and an
 * addition to the diagonal. */
static inline Mat stencil(PetscInt n, double wind, double shift)
{
    Mat A;
    OK(MatCreateSeqAIJ(PETSC_COMM_SELF, n * n, n * n, 5, NULL, &A));
    for (PetscInt i = 0; i < n * n; i++) {
        OK(MatSetValue(A, i, i, 4 + shift, INSERT_VALUES));
        if (i % n > 0) OK(MatSetValue(A, i, i - 1, -1 - wind, INSERT_VALUES));
        if (i % n < n - 1) OK(MatSetValue(A, i, i + 1, -1 + wind, INSERT_VALUES));
        if (i >= n) OK(MatSetValue(A, i, i - n, -1, INSERT_VALUES));
        if (i + n < n * n) OK(MatSetValue(A, i, i + n, -1, INSERT_VALUES));
    }
    OK(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
    OK(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
    return A;
}

/* Neumann's problem on n x n points: singular, with the constants as its null space. */
static inline Mat neumann(PetscInt n)
{
    Mat A = stencil(n, 0, 0);
    MatNullSpace constants;

    for (PetscInt i = 0; i < n * n; i++) {
        const int missing = (i % n == 0) + (i % n == n - 1) + (i < n) + (i + n >= n * n);
        OK(MatSetValue(A, i, i, 4 - missing, INSERT_VALUES));
    }
    OK(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
    OK(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
    OK(MatNullSpaceCreate(PETSC_COMM_SELF, PETSC_TRUE, 0, NULL, &constants));
    OK(MatSetNullSpace(A, constants));
    OK(MatNullSpaceDestroy(&constants));
    return A;
}

/* Plane elasticity on n x n bilinear elements that are clamped at their left side: the stiffness of
 * a square with Young's modulus 1 and Poisson's ratio 0.3. Coordinates go to *xy, which the caller
 * frees. */
static inline Mat elasticity(PetscInt n, PetscReal **xy)
{
    const double v = 0.3,
                 k[8] = {0.5 - v / 6,    0.125 + v / 8,  -0.25 - v / 12, -0.125 + 3 * v / 8,
                         -0.25 + v / 12, -0.125 - v / 8, v / 6,          0.125 - 3 * v / 8};
    static const int at[8][8] = {{0, 1, 2, 3, 4, 5, 6, 7}, {1, 0, 7, 6, 5, 4, 3, 2},
                                 {2, 7, 0, 5, 6, 3, 4, 1}, {3, 6, 5, 0, 7, 2, 1, 4},
                                 {4, 5, 6, 7, 0, 1, 2, 3}, {5, 4, 3, 2, 1, 0, 7, 6},
                                 {6, 3, 4, 1, 2, 7, 0, 5}, {7, 2, 1, 4, 3, 6, 5, 0}};
    const PetscInt nodes = n * (n + 1); /* without the clamped ones */
    Mat A;

    OK(MatCreateSeqAIJ(PETSC_COMM_SELF, 2 * nodes, 2 * nodes, 18, NULL, &A));
    OK(MatSetBlockSize(A, 2));
    for (PetscInt e = 0; e < n * n; e++) {
        const PetscInt x = e % n, y = e / n;
        const PetscInt corner[4][2] = {{x, y}, {x + 1, y}, {x + 1, y + 1}, {x, y + 1}};
        PetscInt row[8];
        PetscScalar value[64];
        for (int c = 0; c < 8; c++) {
            const PetscInt *p = corner[c / 2];
            row[c] = p[0] == 0 ? -1 : 2 * (p[1] * n + p[0] - 1) + c % 2;
            for (int d = 0; d < 8; d++) value[8 * c + d] = k[at[c][d]] / (1 - v * v);
        }
        OK(MatSetValues(A, 8, row, 8, row, value, ADD_VALUES));
    }
    OK(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
    OK(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
    OK(PetscMalloc1(2 * nodes, xy));
    for (PetscInt i = 0; i < nodes; i++) {
        (*xy)[2 * i] = (double)(i % n + 1) / (double)n;
        (*xy)[2 * i + 1] = (double)(i / n) / (double)n; /* n + 1 rows of nodes */
    }
    return A;
}

/* A vector of the rows of A with values that differ, and one for the solution. */
static inline void vectors(Mat A, Vec *x, Vec *b)
{
    PetscInt first, end;

    OK(MatCreateVecs(A, x, b));
    OK(VecGetOwnershipRange(*b, &first, &end));
    for (PetscInt i = first; i < end; i++) {
        OK(VecSetValue(*b, i, 1 + 0.5 * ((double)((i * 37 + 11) % 101) / 101), INSERT_VALUES));
    }
    OK(VecAssemblyBegin(*b));
    OK(VecAssemblyEnd(*b));
    OK(VecSet(*x, 0));
}

/* |b - A x| / |b|, or with A' for A. */
static inline double residual(Mat A, Vec x, Vec b, int transposed)
{
    PetscReal norm, rhs;
    Vec r;

    OK(VecDuplicate(b, &r));
    OK(transposed ? MatMultTranspose(A, x, r) : MatMult(A, x, r));
    OK(VecAYPX(r, -1, b));
    OK(VecNorm(r, NORM_2, &norm));
    OK(VecNorm(b, NORM_2, &rhs));
    OK(VecDestroy(&r));
    return norm / rhs;
}

/* Sets options, each with its value: "-pc_type gsolve -ksp_rtol 1e-8". */
static inline KSP solver_for(Mat A, Mat P, const char *options)
{
    KSP ksp;

    OK(PetscOptionsClear(NULL));
    OK(PetscOptionsInsertString(NULL, options));
    OK(KSPCreate(PetscObjectComm((PetscObject)A), &ksp));
    OK(KSPSetOperators(ksp, A, P));
    OK(KSPSetFromOptions(ksp));
    return ksp;
}

/* Solves, and demands that the KSP has converged to its relative tolerance, as the true residual
 * shows; `slack` times larger is allowed where the KSP tests another norm. Returns the number of
 * iterations. */
static inline int solve(KSP ksp, Vec b, Vec x, double slack)
{
    KSPConvergedReason reason;
    PetscReal rtol;
    PetscInt its;
    Mat A;

    OK(KSPSolve(ksp, b, x));
    OK(KSPGetConvergedReason(ksp, &reason));
    if (reason <= 0) fail_msg("%s", KSPConvergedReasons[reason]);
    OK(KSPGetTolerances(ksp, &rtol, NULL, NULL, NULL));
    OK(KSPGetOperators(ksp, &A, NULL));
    OK(KSPGetIterationNumber(ksp, &its));
    const double reached = residual(A, x, b, 0);
    if (reached > slack * rtol) fail_msg("residual %g", reached);
    return (int)its;
}

/* One solve with these options; returns the number of iterations. */
static inline int solve_with(Mat A, const char *options, double slack)
{
    KSP ksp = solver_for(A, A, options);
    Vec x, b;

    vectors(A, &x, &b);
    const int its = solve(ksp, b, x, slack);
    OK(VecDestroy(&x));
    OK(VecDestroy(&b));
    OK(KSPDestroy(&ksp));
    return its;
}

/* What a view of the object prints. */
static inline void view(PetscObject object, char *text, size_t size)
{
    PetscViewer viewer;
    FILE *file = tmpfile();

    assert_non_null(file);
    OK(PetscViewerASCIIOpenWithFILE(PetscObjectComm(object), file, &viewer));
    OK(PetscObjectView(object, viewer));
    OK(PetscViewerDestroy(&viewer));
    rewind(file);
    text[fread(text, 1, size - 1, file)] = 0;
    fclose(file);
}

/* The sentence of the last error; errors are not printed while `keep` handles them. */
static inline PetscErrorCode keep(MPI_Comm comm, int line, const char *function, const char *file,
                                  PetscErrorCode code, PetscErrorType type, const char *message,
                                  void *kept)
{
    (void)comm, (void)line, (void)function, (void)file;
    if (type == PETSC_ERROR_INITIAL) (void)PetscStrncpy(kept, message, 1024);
    return code;
}

/* A call of PETSc that must fail with a sentence that has this text. */
#define FAILS(text, ...)                                           \
    do {                                                           \
        char kept_[1024] = "";                                     \
        OK(PetscPushErrorHandler(keep, kept_));                    \
        const PetscErrorCode code_ = (__VA_ARGS__);                \
        OK(PetscPopErrorHandler());                                \
        assert_int_not_equal((int)code_, 0);                       \
        if (!strstr(kept_, text)) fail_msg("sentence: %s", kept_); \
    } while (0)

/* Number of times that an event of -log_view has been counted. */
static inline int count_of(const char *name)
{
    PetscEventPerfInfo info;
    PetscLogEvent event;

    OK(PetscLogEventGetId(name, &event));
    if (event < 0) return 0;
    OK(PetscLogEventGetPerfInfo(PETSC_DETERMINE, event, &info));
    return (int)info.count;
}

static inline int run_all(const struct CMUnitTest *tests, size_t count, const char *name, int argc,
                          char **argv)
{
    if (PetscInitialize(&argc, &argv, NULL, NULL)) return 1;
    if (PetscLogDefaultBegin() || GsolvePetscRegister() || GsolvePetscRegister()) return 1;
    const int failed = _cmocka_run_group_tests(name, tests, count, NULL, NULL);
    return PetscFinalize() || failed;
}

/* y = A x for a shell whose context is A. */
static inline PetscErrorCode multiply_shell(Mat shell, Vec x, Vec y)
{
    Mat A;

    PetscFunctionBegin;
    PetscCall(MatShellGetContext(shell, &A));
    PetscCheck(A, PETSC_COMM_SELF, PETSC_ERR_USER, "this shell has no matrix");
    PetscCall(MatMult(A, x, y));
    PetscFunctionReturn(0);
}

#endif
