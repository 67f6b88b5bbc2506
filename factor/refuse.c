/* refuse.c: the sentences of factorisations that are refused or fail, see factor.h. */
#include <stdio.h>
#include <string.h>

#include "factor/factor.h"
#include "gsolve_plugin.h"

gs_count_words gs_count_in_words(double number)
{
    gs_count_words words;
    const double unit = number < 1e6 ? 1 : number < 1e9 ? 1e6 : 1e9;
    const char *name = number < 1e6 ? "" : number < 1e9 ? " million" : " billion";
    const bool whole = unit == 1 || number >= 1000 * unit;

    snprintf(words.text, sizeof words.text, whole ? "%.0f%s" : "%.3g%s", number / unit, name);
    return words;
}

/* --- matrices that Cholesky does not factor --------------------------------------------------- */

/* The entry (i, j), 0 if A has none. */
static double entry(const gsolve_csr *A, int32_t i, int32_t j)
{
    int64_t least = gs_start(A, i), most = gs_start(A, i + 1);

    while (least < most) {
        const int64_t middle = least + (most - least) / 2;
        if (A->col[middle] == j) return gs_value(A, middle);
        if (A->col[middle] < j) least = middle + 1;
        if (A->col[middle] > j) most = middle;
    }
    return 0;
}

gsolve_status gs_factor_check_symmetric(gsolve_context *ctx, const gsolve_csr *A)
{
    double largest = 0;
    int32_t row = 0, column = 0;

    for (int32_t i = 0; i < A->nrows; i++) {
        for (int64_t k = gs_start(A, i); k < gs_start(A, i + 1); k++) {
            const int32_t j = A->col[k];
            const double difference = fabs(gs_value(A, k) - entry(A, j, i));
            if (!(difference > largest)) continue;
            largest = difference;
            row = i < j ? i : j;
            column = i < j ? j : i;
        }
    }
    if (largest == 0) return GSOLVE_OK; /* zeros are stored on one side only */
    return gsolve_fail(ctx, GSOLVE_UNSUPPORTED,
                       "Cholesky needs a symmetric matrix, and A is not: a(%d,%d) = %g and "
                       "a(%d,%d) = %g (counted from 1); use factor=lu or factor=auto",
                       row + 1, column + 1, entry(A, row, column), column + 1, row + 1,
                       entry(A, column, row));
}

gsolve_status gs_factor_not_definite(gsolve_context *ctx, const gs_factorisation *F,
                                     const gsolve_csr *A)
{
    for (int32_t i = 0; i < A->nrows && !F->request.ordered; i++) {
        const double diagonal = entry(A, i, i);
        if (diagonal > 0) continue;
        return gsolve_fail(ctx, GSOLVE_ZERO_PIVOT,
                           "the matrix is not positive definite: the diagonal entry of row %d "
                           "(counted from 1) is %g",
                           i + 1, diagonal);
    }
    return gsolve_fail(ctx, GSOLVE_ZERO_PIVOT,
                       "the matrix is not positive definite: Cholesky met a pivot that is not "
                       "above 0");
}

/* --- libraries -------------------------------------------------------------------------------- */

const char *gs_factor_kind_name(gs_factor_kind kind)
{
    static const char *const names[GS_FACTOR_KINDS] = {"auto", "Cholesky", "LU", "QR"};

    return names[kind];
}

/* What a library computes, in the order of gs_factor_choice. */
static const struct {
    const char *name, *what;
    bool kind[GS_FACTOR_KINDS];
} can[GS_LIBRARIES] = {
    [GS_LIBRARY_CXSPARSE] = {"cxsparse", "Cholesky, LU and QR", {false, true, true, true}},
    [GS_LIBRARY_CHOLMOD] = {"cholmod",
                            "Cholesky of symmetric positive definite matrices",
                            {[GS_CHOLESKY] = true}},
    [GS_LIBRARY_UMFPACK] = {"umfpack", "LU of square matrices", {[GS_LU] = true}},
    [GS_LIBRARY_MUMPS] = {"mumps",
                          "Cholesky and LU of square matrices",
                          {[GS_CHOLESKY] = true, [GS_LU] = true}},
};

bool gs_factor_choice_computes(gs_factor_choice choice, gs_factor_kind kind)
{
    return choice == GS_LIBRARY_AUTO || can[choice].kind[kind];
}

static gs_factor_choice choice_of(const gs_factor_library *library)
{
    gs_factor_choice choice = GS_LIBRARY_CXSPARSE;

    while (strcmp(can[choice].name, library->name) != 0) choice++;
    return choice;
}

static gsolve_status check_kind(gsolve_context *ctx, const gs_factor_library *library,
                                gs_factor_kind kind, const gsolve_csr *A)
{
    const gs_factor_choice choice = choice_of(library);
    char reason[80];

    if (can[choice].kind[kind]) return GSOLVE_OK;
    if (A->nrows != A->ncols) {
        snprintf(reason, sizeof reason, "this one is %d x %d", A->nrows, A->ncols);
    } else if (kind == GS_LU && gs_factor_check_symmetric(ctx, A) != GSOLVE_OK) {
        snprintf(reason, sizeof reason, "this one is not symmetric");
    } else {
        snprintf(reason, sizeof reason, "%s is wanted", gs_factor_kind_name(kind));
    }
    return gsolve_fail(ctx, GSOLVE_UNSUPPORTED,
                       "%s does %s, and %s; leave library out (%s is by cxsparse%s)", library->name,
                       can[choice].what, reason, gs_factor_kind_name(kind),
                       kind == GS_LU ? ", umfpack or mumps" : "");
}

gsolve_status gs_factor_check_library(gsolve_context *ctx, const gs_factor_library *library,
                                      gs_factor_kind kind, const gsolve_csr *A)
{
    const gsolve_status status = check_kind(ctx, library, kind, A);

    if (status != GSOLVE_OK || library->computes[kind]) return status;
    return gsolve_fail(ctx, GSOLVE_UNSUPPORTED,
                       "this build of gsolve has no %s; install the Debian package %s and "
                       "configure gsolve with -D%s=ON, or use library=auto",
                       library->name, library->package, library->option);
}
