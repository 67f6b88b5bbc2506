/* write.c: Matrix Market files out. */
#include <stdio.h>
#include <string.h>

#include "core/try.h"
#include "gsolve_io.h"
#include "io/number.h"
#include "io/output.h"

static bool is_compressed(const char *path)
{
    const size_t length = strlen(path);
    return length > 3 && strcmp(path + length - 3, ".gz") == 0;
}

/* The banner, and comment with a '%' before each of its lines. */
static void write_banner(gs_output *o, const char *format, const char *symmetry,
                         const char *comment)
{
    char *to = gs_output_begin(o);

    to += sprintf(to, "%%%%MatrixMarket matrix %s real %s\n", format, symmetry);
    gs_output_end(o, to);
    while (comment && *comment) {
        const size_t length = strcspn(comment, "\n"), kept = length < 240 ? length : 240;
        to = gs_output_begin(o);
        *to++ = '%';
        memcpy(to, comment, kept);
        to += kept;
        *to++ = '\n';
        gs_output_end(o, to);
        comment += length + (comment[length] == '\n');
    }
}

static bool is_stored(gsolve_symmetry symmetry, int32_t i, int32_t j)
{
    return symmetry == GSOLVE_GENERAL || (symmetry == GSOLVE_SKEW ? j < i : j <= i);
}

static int64_t count_stored(const gsolve_csr *csr, gsolve_symmetry symmetry)
{
    int64_t count = 0;

    for (int32_t i = 0; i < csr->nrows; i++) {
        for (int64_t k = gs_start(csr, i); k < gs_start(csr, i + 1); k++) {
            count += is_stored(symmetry, i, csr->col[k]);
        }
    }
    return count;
}

/* Refuses to write half of a matrix that does not have that symmetry. */
static gsolve_status check_symmetry(gsolve_context *ctx, const gsolve_csr *csr,
                                    gsolve_symmetry symmetry)
{
    gsolve_traits traits;
    gsolve_status status = GSOLVE_OK;

    if (symmetry == GSOLVE_GENERAL) return GSOLVE_OK;
    TRY(gsolve_csr_examine(ctx, csr, &traits));
    if (symmetry == GSOLVE_SKEW ? !traits.skew : !traits.symmetric) {
        status = gsolve_fail(ctx, GSOLVE_BAD_MATRIX,
                             "the matrix is not %s and cannot be written as such",
                             symmetry == GSOLVE_SKEW ? "skew-symmetric" : "symmetric");
    }
done:
    return status;
}

static void write_rows(gs_output *o, const gsolve_csr *csr, gsolve_symmetry symmetry)
{
    for (int32_t i = 0; i < csr->nrows; i++) {
        for (int64_t k = gs_start(csr, i); k < gs_start(csr, i + 1); k++) {
            if (!is_stored(symmetry, i, csr->col[k])) continue;
            char *to = gs_output_begin(o);
            to = gs_integer_write(to, i + (int64_t)1);
            *to++ = ' ';
            to = gs_integer_write(to, csr->col[k] + (int64_t)1);
            *to++ = ' ';
            to = gs_number_write(to, gs_value(csr, k));
            *to++ = '\n';
            gs_output_end(o, to);
        }
    }
}

gsolve_status gsolve_write_matrix(gsolve_context *ctx, const char *path, const gsolve_csr *csr,
                                  gsolve_symmetry symmetry, const char *comment)
{
    static const char *const names[] = {"general", "symmetric", "skew-symmetric", "symmetric"};
    gs_output o;
    char *to;
    gsolve_status status;
    bool clean;

    if (!ctx) return GSOLVE_BAD_ARGUMENT;
    if (!path || !csr || (unsigned)symmetry > GSOLVE_HERMITIAN) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT, "gsolve_write_matrix: an argument is not valid");
    }
    TRY(gs_csr_check(ctx, csr, &clean));
    TRY(check_symmetry(ctx, csr, symmetry));
    TRY(gs_output_open(&o, ctx, path, is_compressed(path)));
    write_banner(&o, "coordinate", names[symmetry], comment);
    to = gs_output_begin(&o);
    to += sprintf(to, "%d %d %lld\n", csr->nrows, csr->ncols, (long long)count_stored(csr, symmetry));
    gs_output_end(&o, to);
    write_rows(&o, csr, symmetry);
    TRY(gs_output_close(&o, ctx, true));
done:
    return status;
}

gsolve_status gsolve_write_dense(gsolve_context *ctx, const char *path, const gsolve_dense *v,
                                 const char *comment)
{
    gs_output o;
    char *to;
    gsolve_status status;

    if (!ctx) return GSOLVE_BAD_ARGUMENT;
    if (!path || !v || v->place != GSOLVE_HOST || v->nrows < 0 || v->ncols < 0) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT, "gsolve_write_dense: an argument is not valid");
    }
    TRY(gs_output_open(&o, ctx, path, is_compressed(path)));
    write_banner(&o, "array", "general", comment);
    to = gs_output_begin(&o);
    to += sprintf(to, "%d %d\n", v->nrows, v->ncols);
    gs_output_end(&o, to);
    for (int64_t j = 0; j < v->ncols; j++) {
        for (int64_t i = 0; i < v->nrows; i++) {
            const int64_t at = j * v->stride + i;
            to = gs_number_write(gs_output_begin(&o), v->type == GSOLVE_F32
                                                          ? (double)((float *)v->value)[at]
                                                          : ((double *)v->value)[at]);
            *to++ = '\n';
            gs_output_end(&o, to);
        }
    }
    TRY(gs_output_close(&o, ctx, true));
done:
    return status;
}
