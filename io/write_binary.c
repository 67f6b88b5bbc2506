/* write_binary.c: vectors and matrices in NumPy's and PETSc's formats, and vectors as plain text.
 */
#include "io/write_binary.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/replace.h"
#include "core/try.h"
#include "io/number.h"
#include "io/write_npz.h"
#include "matrix/csr.h"

#define PIECE ((int64_t)1 << 13) /* numbers that are converted before they are written */

gsolve_file_format gsolve_file_format_of(const char *path)
{
    static const struct {
        const char *end;
        gsolve_file_format format;
    } ends[] = {
        {".npz", GSOLVE_FILE_NPZ},   {".npy", GSOLVE_FILE_NPY},   {".petsc", GSOLVE_FILE_PETSC},
        {".bin", GSOLVE_FILE_PETSC}, {".txt", GSOLVE_FILE_TEXT},  {".mat", GSOLVE_FILE_OTHER},
        {".h5", GSOLVE_FILE_OTHER},  {".csv", GSOLVE_FILE_OTHER}, {".rb", GSOLVE_FILE_OTHER},
        {".rua", GSOLVE_FILE_OTHER}, {".zip", GSOLVE_FILE_OTHER}, {".bz2", GSOLVE_FILE_OTHER},
        {".xz", GSOLVE_FILE_OTHER},  {".zst", GSOLVE_FILE_OTHER}};
    const size_t length = strlen(path);

    for (size_t k = 0; k < sizeof ends / sizeof *ends; k++) {
        const size_t tail = strlen(ends[k].end);
        if (length > tail && strcasecmp(path + length - tail, ends[k].end) == 0) {
            return ends[k].format;
        }
    }
    return GSOLVE_FILE_MARKET;
}

static gsolve_status refuse_name(gsolve_context *ctx, const char *path, const char *names)
{
    return gsolve_fail(ctx, GSOLVE_UNSUPPORTED,
                       "cannot write %.400s: gsolve does not write %s files; use a name that ends "
                       "in %s",
                       path, strrchr(path, '.'), names);
}

static double value_at(const gsolve_dense *v, int64_t i, int64_t j)
{
    const int64_t at = i + j * v->stride;

    return v->type == GSOLVE_F32 ? (double)((const float *)v->value)[at]
                                 : ((const double *)v->value)[at];
}

/* --- PETSc ------------------------------------------------------------------------------------ */

#define MAT 1211216
#define VEC 1211214

static uint32_t big32(int64_t n)
{
    const uint32_t m = (uint32_t)(int32_t)n;
    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? __builtin_bswap32(m) : m;
}

static uint64_t big64(double x)
{
    uint64_t m;

    memcpy(&m, &x, sizeof m);
    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? __builtin_bswap64(m) : m;
}

static gsolve_status put_integers(gs_file *f, const int32_t *n, int64_t count)
{
    uint32_t piece[PIECE];
    gsolve_status status = GSOLVE_OK;

    for (int64_t first = 0; first < count; first += PIECE) {
        const int64_t many = count - first < PIECE ? count - first : PIECE;
        for (int64_t k = 0; k < many; k++) piece[k] = big32(n[first + k]);
        TRY(gs_file_put(f, piece, many * 4));
    }
done:
    return status;
}

/* The lengths of the rows. */
static gsolve_status put_lengths(gs_file *f, const gsolve_csr *csr)
{
    uint32_t piece[PIECE];
    gsolve_status status = GSOLVE_OK;

    for (int64_t first = 0; first < csr->nrows; first += PIECE) {
        const int64_t many = csr->nrows - first < PIECE ? csr->nrows - first : PIECE;
        for (int64_t k = 0; k < many; k++) {
            const int32_t i = (int32_t)(first + k);
            piece[k] = big32(gs_start(csr, i + 1) - gs_start(csr, i));
        }
        TRY(gs_file_put(f, piece, many * 4));
    }
done:
    return status;
}

static gsolve_status put_values(gs_file *f, const gsolve_csr *csr, int64_t entries)
{
    uint64_t piece[PIECE];
    gsolve_status status = GSOLVE_OK;

    for (int64_t first = 0; first < entries; first += PIECE) {
        const int64_t many = entries - first < PIECE ? entries - first : PIECE;
        for (int64_t k = 0; k < many; k++) piece[k] = big64(gs_value(csr, first + k));
        TRY(gs_file_put(f, piece, many * 8));
    }
done:
    return status;
}

static gsolve_status put_petsc_matrix(gs_file *f, const gsolve_csr *csr)
{
    const int64_t entries = gs_start(csr, csr->nrows);
    const int32_t head[] = {MAT, csr->nrows, csr->ncols, (int32_t)entries};
    gsolve_status status;

    if (entries > INT32_MAX) {
        return gsolve_fail(f->ctx, GSOLVE_UNSUPPORTED,
                           "cannot write %.400s: the matrix has %lld entries, and PETSc's files "
                           "with 32-bit indices hold fewer than 2^31; write .npz",
                           f->replacement.path, (long long)entries);
    }
    TRY(put_integers(f, head, 4));
    TRY(put_lengths(f, csr));
    TRY(put_integers(f, csr->col, entries));
    TRY(put_values(f, csr, entries));
done:
    return status;
}

/* A vector; several columns: a dense matrix, whose values follow by rows. */
static gsolve_status put_petsc_dense(gs_file *f, const gsolve_dense *v)
{
    const int32_t vector[] = {VEC, v->nrows}, matrix[] = {MAT, v->nrows, v->ncols, -1};
    const int64_t count = (int64_t)v->nrows * v->ncols;
    uint64_t piece[PIECE];
    int64_t at = 0;
    gsolve_status status;

    TRY(v->ncols == 1 ? put_integers(f, vector, 2) : put_integers(f, matrix, 4));
    for (int64_t k = 0; k < count; k++) {
        piece[at++] = big64(value_at(v, k / v->ncols, k % v->ncols));
        if (at < PIECE && k + 1 < count) continue;
        TRY(gs_file_put(f, piece, at * 8));
        at = 0;
    }
done:
    return status;
}

/* --- text ------------------------------------------------------------------------------------- */

static gsolve_status put_text(gs_file *f, const gsolve_dense *v)
{
    char text[PIECE + GS_NUMBER_SIZE + 1], *to = text;
    gsolve_status status = GSOLVE_OK;

    for (int32_t i = 0; i < v->nrows; i++) {
        for (int32_t j = 0; j < v->ncols; j++) {
            to = gs_number_write(to, value_at(v, i, j));
            *to++ = j + 1 < v->ncols ? ' ' : '\n';
            if (to - text < PIECE) continue;
            TRY(gs_file_put(f, text, to - text));
            to = text;
        }
    }
    TRY(gs_file_put(f, text, to - text));
done:
    return status;
}

/* --- files ------------------------------------------------------------------------------------ */

gsolve_status gs_write_binary_matrix(gsolve_context *ctx, const char *path,
                                     gsolve_file_format format, const gsolve_csr *csr,
                                     gsolve_symmetry symmetry)
{
    gs_file *f = NULL;
    gsolve_status status;

    if (symmetry != GSOLVE_GENERAL) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT,
                           "cannot write %.400s: only Matrix Market files (.mtx, .mtx.gz) have a "
                           "symmetric form; write all entries, without --symmetric",
                           path);
    }

    if (format == GSOLVE_FILE_OTHER) return refuse_name(ctx, path, ".mtx, .mtx.gz, .npz or .petsc");
    if (format != GSOLVE_FILE_NPZ && format != GSOLVE_FILE_PETSC) {
        return gsolve_fail(ctx, GSOLVE_UNSUPPORTED,
                           "cannot write %.400s: %s files hold vectors and dense matrices; name a "
                           "sparse matrix .mtx, .mtx.gz, .npz or .petsc",
                           path, format == GSOLVE_FILE_NPY ? ".npy" : ".txt");
    }
    ALLOC(ctx, GSOLVE_HOST, f, 1);
    TRY(gs_file_begin(f, ctx, path));
    status =
        gs_file_end(f, format == GSOLVE_FILE_NPZ ? gs_put_npz(f, csr) : put_petsc_matrix(f, csr));
done:
    gsolve_free(ctx, GSOLVE_HOST, f);
    return status;
}

gsolve_status gs_write_binary_dense(gsolve_context *ctx, const char *path,
                                    gsolve_file_format format, const gsolve_dense *v)
{
    gs_file *f = NULL;
    gsolve_status status;

    if (format == GSOLVE_FILE_OTHER) {
        return refuse_name(ctx, path, ".mtx, .mtx.gz, .npy, .txt or .petsc");
    }
    if (format == GSOLVE_FILE_NPZ) {
        return gsolve_fail(ctx, GSOLVE_UNSUPPORTED,
                           "cannot write %.400s: .npz files hold sparse matrices; name a vector or "
                           "dense matrix .npy, .mtx, .txt or .petsc",
                           path);
    }
    ALLOC(ctx, GSOLVE_HOST, f, 1);
    TRY(gs_file_begin(f, ctx, path));
    status = gs_file_end(f, format == GSOLVE_FILE_NPY     ? gs_put_npy(f, v)
                            : format == GSOLVE_FILE_PETSC ? put_petsc_dense(f, v)
                                                          : put_text(f, v));
done:
    gsolve_free(ctx, GSOLVE_HOST, f);
    return status;
}
