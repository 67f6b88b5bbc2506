/* run.c: a solve: tolerances, monitors and outcomes. */
#include "petsc/plugin.h"

/* --- tolerances -------------------------------------------------------------------------- */

/* Whether the KSP's convergence test decides, which gsolve then calls in each iteration, and not
 * gsolve's own. It is so for any test but PETSc's default with its default options, and for
 * products by finite differences: they are linear to about 8 digits only, so the true residual can
 * differ from that of the method. */
static PetscErrorCode has_own_test(KSP ksp, PetscBool *own)
{
    const KSPConvergedDefaultCtx *context = ksp->cnvP;
    Mat A;

    PetscFunctionBegin;
    PetscCall(KSPGetOperators(ksp, &A, NULL));
    PetscCall(PetscObjectTypeCompare((PetscObject)A, MATMFFD, own));
    if (ksp->normtype == KSP_NORM_NONE || ksp->converged == KSPConvergedSkip) {
        *own = PETSC_FALSE;
    } else if (ksp->converged != KSPConvergedDefault) {
        *own = PETSC_TRUE;
    } else if (context && (context->initialrtol || context->mininitialrtol)) {
        *own = PETSC_TRUE;
    }
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool runs_to_the_limit(KSP ksp)
{
    return ksp->normtype == KSP_NORM_NONE || ksp->converged == KSPConvergedSkip ? PETSC_TRUE
                                                                                : PETSC_FALSE;
}

/* Writes a number for a spec, with a point whatever the locale of the program has. */
static void write_number(double value, char *text, size_t size)
{
    char *to = text;

    (void)snprintf(text, size, "%.17g", value);
    for (const char *from = text; *from; from++) {
        if (strchr("0123456789+-einf", *from)) {
            *to++ = *from;
        } else if (to > text && to[-1] != '.') {
            *to++ = '.';
        }
    }
    *to = 0;
}

/* The tolerances that the KSP has now. The default of the KSP for the number of iterations leaves
 * each method its own. */
static PetscErrorCode set_tolerances(KSP ksp)
{
    gs_petsc_ksp *k = ksp->data;
    const PetscBool test_decides = k->own_test || runs_to_the_limit(ksp) ? PETSC_TRUE : PETSC_FALSE;
    char options[160], limit[32] = "", rtol[32], atol[32], dtol[32];

    PetscFunctionBegin;
    if (ksp->max_it != 10000 || runs_to_the_limit(ksp)) {
        PetscCall(PetscSNPrintf(limit, sizeof limit, ",maxit=%d", (int)ksp->max_it));
    }
    write_number(test_decides ? 0 : ksp->rtol, rtol, sizeof rtol);
    write_number(test_decides ? 0 : ksp->abstol, atol, sizeof atol);
    write_number(PetscMax(ksp->divtol, 1), dtol, sizeof dtol);
    PetscCall(PetscSNPrintf(options, sizeof options, "rtol=%s,atol=%s,dtol=%s%s", rtol, atol, dtol,
                            limit));
    GSOLVE_CALL(k->host, k->automatic ? gsolve_auto_set(k->automatic, options)
                                      : gsolve_solver_set(k->S, options));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- monitors ---------------------------------------------------------------------------- */

static PetscErrorCode report(KSP ksp, PetscInt iteration, PetscReal norm)
{
    PetscFunctionBegin;
    ksp->its = iteration;
    ksp->rnorm = norm;
    PetscCall(KSPLogResidualHistory(ksp, norm));
    PetscCall(KSPMonitor(ksp, iteration, norm));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* Reports an iteration with its largest residual, once the run has begun the next one. */
static PetscErrorCode report_largest(KSP ksp, PetscInt next)
{
    gs_petsc_ksp *k = ksp->data;

    PetscFunctionBegin;
    if (k->iteration >= 0 && next != k->iteration) {
        PetscCall(report(ksp, k->iteration, k->norm));
        k->norm = 0;
    }
    k->iteration = next;
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* gsolve calls it for each column in each iteration. */
static gsolve_decision test(int iteration, int32_t column, double residual, double rhs, void *user)
{
    KSP ksp = user;
    gs_petsc_ksp *k = ksp->data;
    KSPConvergedReason reason = KSP_CONVERGED_ITERATING;

    (void)column, (void)rhs;
    if (!k->error) k->error = report_largest(ksp, iteration);
    k->norm = PetscMax(k->norm, residual);
    if (!k->error && k->own_test) {
        k->error = (*ksp->converged)(ksp, iteration, residual, &reason, ksp->cnvP);
        if (reason) k->reason = reason;
    }
    if (k->error || reason < 0) return GSOLVE_STOP;
    return reason > 0 ? GSOLVE_ACCEPT : GSOLVE_CONTINUE;
}

static void set_test(KSP ksp)
{
    gs_petsc_ksp *k = ksp->data;
    const PetscBool wanted =
        k->own_test || ksp->numbermonitors || ksp->res_hist ? PETSC_TRUE : PETSC_FALSE;

    k->iteration = -1;
    k->norm = 0;
    if (k->automatic) {
        gsolve_auto_set_stopping_test(k->automatic, wanted ? test : NULL, ksp);
    } else {
        gsolve_solver_set_stopping_test(k->S, wanted ? test : NULL, ksp);
    }
}

/* --- outcomes ---------------------------------------------------------------------------- */

static PetscBool limit_is_success(KSP ksp)
{
    const KSPConvergedDefaultCtx *context = ksp->cnvP;

    if (runs_to_the_limit(ksp)) return PETSC_TRUE;
    return ksp->converged == KSPConvergedDefault && context && context->convmaxits ? PETSC_TRUE
                                                                                   : PETSC_FALSE;
}

/* Whether x minimises |b - A x| for a square A without a given null space: b has no
 * solution, and nobody asked for less. */
static PetscBool lacks_solution(KSP ksp, const gsolve_result *result)
{
    const gs_petsc_ksp *k = ksp->data;
    gsolve_matrix_info info = GSOLVE_INIT(gsolve_matrix_info);
    PetscInt rows = 0, columns = 0;

    if (result->outcome != GSOLVE_LEAST_SQUARES) return PETSC_FALSE;
    gsolve_matrix_describe(k->A, &info);
    (void)MatGetSize(ksp->pc->mat, &rows, &columns); /* of all ranks */
    return rows == columns && !info.null_space ? PETSC_TRUE : PETSC_FALSE;
}

static KSPConvergedReason reason_of(KSP ksp, const gsolve_result *result, PetscReal rhs)
{
    const gs_petsc_ksp *k = ksp->data;

    switch (result->outcome) {
    case GSOLVE_CONVERGED:
        return rhs > 0 && ksp->rnorm <= ksp->rtol * rhs ? KSP_CONVERGED_RTOL : KSP_CONVERGED_ATOL;
    case GSOLVE_LEAST_SQUARES:
        return lacks_solution(ksp, result) ? KSP_DIVERGED_BREAKDOWN : KSP_CONVERGED_RTOL_NORMAL;
    case GSOLVE_ACCEPTED:
    case GSOLVE_STOPPED: return k->reason ? k->reason : KSP_DIVERGED_BREAKDOWN;
    case GSOLVE_ITERATION_LIMIT:
        return limit_is_success(ksp) ? KSP_CONVERGED_ITS : KSP_DIVERGED_ITS;
    case GSOLVE_TIME_LIMIT: return KSP_DIVERGED_ITS;
    case GSOLVE_DIVERGED:
        return PetscIsInfOrNanReal(ksp->rnorm) ? KSP_DIVERGED_NANORINF : KSP_DIVERGED_DTOL;
    case GSOLVE_INDEFINITE: return KSP_DIVERGED_INDEFINITE_MAT;
    default: /* stagnated, breakdown, not solved */
        return runs_to_the_limit(ksp) ? KSP_CONVERGED_ITS : KSP_DIVERGED_BREAKDOWN;
    }
}

/* gsolve_solver_explain may examine the matrix, so it is called only if somebody reads the text. */
static PetscErrorCode explain(KSP ksp)
{
    gs_petsc_ksp *k = ksp->data;
    PetscBool info;

    PetscFunctionBegin;
    PetscCall(PetscInfoEnabled(KSP_CLASSID, &info));
    if (!k->explain && !info) PetscFunctionReturn(PETSC_SUCCESS);
    const char *text =
        k->automatic ? gsolve_auto_explain(k->automatic) : gsolve_solver_explain(k->S);
    PetscCall(PetscInfo(ksp, "gsolve: %s\n", text));
    if (k->explain) {
        PetscCall(PetscPrintf(PetscObjectComm((PetscObject)ksp), "gsolve: %s\n", text));
    }
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- run ----------------------------------------------------------------------------------- */

static gsolve_status run(KSP ksp, gsolve_dense b, gsolve_dense x, gsolve_result *result)
{
    gs_petsc_ksp *k = ksp->data;
    gsolve_status status;

    set_test(ksp);
    k->running = PETSC_TRUE;
    status = k->automatic ? gsolve_auto_run(k->automatic, b, x, result)
                          : gsolve_solver_run(k->S, b, x, result);
    k->running = PETSC_FALSE;
    if (!k->error) k->error = report_largest(ksp, -1);
    return status;
}

/* Whether a method that gsolve has chosen for a given preconditioner has failed by it. */
static PetscBool falls_back(const gs_petsc_ksp *k, const gsolve_result *result)
{
    return !k->automatic && !k->fell_back && strcmp(k->method, "auto") == 0 &&
                   (result->outcome == GSOLVE_INDEFINITE || result->outcome == GSOLVE_BREAKDOWN)
               ? PETSC_TRUE
               : PETSC_FALSE;
}

/* Errors in functions of PETSc come before those of gsolve that follow from them. */
static PetscErrorCode check_run(KSP ksp, gsolve_status status)
{
    gs_petsc_ksp *k = ksp->data;

    PetscFunctionBegin;
    if (k->error) PetscCall(k->error);
    PetscCall(gs_petsc_function_check(&k->shell));
    PetscCall(gs_petsc_function_check(&k->wrapped_pc));
    if (status == GSOLVE_ZERO_PIVOT && !ksp->errorifnotconverged) {
        PetscCall(PetscInfo(ksp, "gsolve: %s\n", gsolve_error(k->host->ctx)));
        ksp->reason = KSP_DIVERGED_PC_FAILED;
        PetscFunctionReturn(PETSC_SUCCESS);
    }
    GSOLVE_CALL(k->host, status);
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* Solves for the columns of b; rhs is the largest |b|. */
static PetscErrorCode solve_dense(KSP ksp, gsolve_dense b, gsolve_dense x, PetscReal rhs)
{
    gs_petsc_ksp *k = ksp->data;
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    PetscInt before = 0;

    PetscFunctionBegin;
    PetscCall(has_own_test(ksp, &k->own_test));
    k->error = PETSC_SUCCESS;
    k->reason = KSP_CONVERGED_ITERATING;
    PetscCall(set_tolerances(ksp));
    PetscCall(PetscLogEventBegin(k->solve, ksp, 0, 0, 0));
    gsolve_status status = run(ksp, b, x, &result);
    if (status == GSOLVE_OK && falls_back(k, &result)) {
        before = result.iterations;
        PetscCall(gs_petsc_ksp_fall_back(ksp));
        PetscCall(set_tolerances(ksp));
        status = run(ksp, b, x, &result);
    }
    PetscCall(PetscLogEventEnd(k->solve, ksp, 0, 0, 0));
    PetscCall(check_run(ksp, status));
    if (status != GSOLVE_OK) PetscFunctionReturn(PETSC_SUCCESS);
    ksp->its = before + result.iterations;
    ksp->rnorm = result.relative_residual * (rhs > 0 ? rhs : 1);
    ksp->reason = reason_of(ksp, &result, rhs);
    if (lacks_solution(ksp, &result)) {
        PetscCall(PetscInfo(ksp, "gsolve: A is square and singular, or nearly so, and no x solves "
                                 "A x = b; x minimises |b - A x|. Add boundary conditions, or give "
                                 "the null space to MatSetNullSpace\n"));
    }
    PetscCall(explain(ksp));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* *go_on: a solve is possible. guess: norm of the initial guess. */
static PetscErrorCode begin(KSP ksp, PetscReal rhs, PetscReal guess, PetscBool *go_on)
{
    PCFailedReason failed;

    PetscFunctionBegin;
    *go_on = PETSC_FALSE;
    ksp->its = 0;
    ksp->rnorm = rhs;
    PetscCall(gs_petsc_ksp_setup(ksp)); /* KSPSetUp called both, unless the PC is another one or */
    PetscCall(PCSetUp(ksp->pc));        /* values have changed since, without KSPSetOperators */
    PetscCall(PCGetFailedReason(ksp->pc, &failed));
    if (failed) {
        ksp->reason = KSP_DIVERGED_PC_FAILED;
    } else if (PetscIsInfOrNanReal(rhs) || PetscIsInfOrNanReal(guess)) {
        ksp->reason = KSP_DIVERGED_NANORINF;
    } else {
        ksp->reason = KSP_CONVERGED_ITERATING;
        PetscCall(gs_petsc_ksp_prepare(ksp));
        *go_on = PETSC_TRUE;
    }
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode gs_petsc_ksp_solve(KSP ksp)
{
    const PetscScalar *from;
    PetscScalar *to;
    PetscInt rows, columns;
    PetscReal rhs, guess;
    PetscBool go_on;

    PetscFunctionBegin;
    PetscCall(VecNorm(ksp->vec_rhs, NORM_2, &rhs));
    PetscCall(VecNorm(ksp->vec_sol, NORM_2, &guess));
    PetscCall(begin(ksp, rhs, guess, &go_on));
    if (!go_on) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(VecGetLocalSize(ksp->vec_rhs, &rows));
    PetscCall(VecGetLocalSize(ksp->vec_sol, &columns));
    PetscCall(VecGetArrayRead(ksp->vec_rhs, &from));
    PetscCall(VecGetArray(ksp->vec_sol, &to));
    PetscCall(
        solve_dense(ksp, gsolve_vector((double *)from, rows), gsolve_vector(to, columns), rhs));
    PetscCall(VecRestoreArray(ksp->vec_sol, &to));
    PetscCall(VecRestoreArrayRead(ksp->vec_rhs, &from));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* Several right-hand sides in one run. */
PetscErrorCode gs_petsc_ksp_matsolve(KSP ksp, Mat B, Mat X)
{
    PetscInt stride, rows, columns;
    PetscReal *norms, guess, rhs = 0;
    const PetscScalar *from;
    gsolve_dense b, x;
    PetscScalar *to;
    PetscBool go_on;

    PetscFunctionBegin;
    PetscCall(MatGetSize(B, NULL, &columns));
    PetscCall(PetscMalloc1(columns, &norms));
    PetscCall(MatGetColumnNorms(B, NORM_2, norms));
    for (PetscInt c = 0; c < columns; c++) rhs = PetscMax(rhs, norms[c]);
    PetscCall(PetscFree(norms));
    PetscCall(MatNorm(X, NORM_FROBENIUS, &guess));
    PetscCall(begin(ksp, rhs, guess, &go_on));
    if (!go_on) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(MatGetLocalSize(B, &rows, NULL));
    PetscCall(MatDenseGetArrayRead(B, &from));
    b = gsolve_vector((double *)from, rows);
    PetscCall(MatDenseGetLDA(B, &stride));
    b.stride = stride;
    PetscCall(MatGetLocalSize(X, &rows, NULL));
    PetscCall(MatDenseGetArray(X, &to));
    x = gsolve_vector(to, rows);
    PetscCall(MatDenseGetLDA(X, &stride));
    x.stride = stride;
    b.ncols = x.ncols = columns;
    PetscCall(solve_dense(ksp, b, x, rhs));
    PetscCall(MatDenseRestoreArray(X, &to));
    PetscCall(MatDenseRestoreArrayRead(B, &from));
    PetscFunctionReturn(PETSC_SUCCESS);
}
