/* npz.c: .npz files. scipy.sparse.save_npz writes a matrix as a zip archive of arrays: format.npy
 * (csr, csc, coo, bsr or dia), shape.npy, and the arrays of that format. numpy.savez writes
 * archives of any arrays; one that holds a single array is read as this array. */
#include <stdio.h>
#include <string.h>

#include "core/try.h"
#include "io/market.h"
#include "io/numpy.h"
#include "io/zip.h"

#define ARRAYS 4

typedef struct archive { /* an open archive and the arrays that were read from it */
    gs_zip zip;
    gs_input *in;
    void *owned[ARRAYS + 2]; /* inflated members */
    int count;
    int64_t nrows, ncols;
    char format[8];
} archive;

static void close_archive(archive *z)
{
    for (int k = 0; k < z->count; k++) gsolve_free(z->in->ctx, GSOLVE_HOST, z->owned[k]);
}

/* Reads member m as an array. m must stay: the array refers to its name. */
static gsolve_status read_member(gs_npy *a, archive *z, const gs_zip_member *m)
{
    const char *data;
    gsolve_status status;

    TRY(gs_zip_read(&data, &z->owned[z->count], m, z->in));
    z->count++;
    TRY(gs_npy_parse(a, data, m->size, m->name, z->in));
done:
    return status;
}

/* Reads the array `name`, which must have that many dimensions. name must stay. */
static gsolve_status read_array(gs_npy *a, archive *z, const char *name, int dims)
{
    gs_zip_member m;
    bool found;
    gsolve_status status;

    TRY(gs_zip_find(&m, &found, &z->zip, name, z->in));
    if (!found) {
        return gs_binary_fail(z->in, NULL,
                              "the archive has no array %s, which a matrix of the format %s needs; "
                              "write it with scipy.sparse.save_npz",
                              name, z->format[0] ? z->format : "csr");
    }
    TRY(read_member(a, z, &m));
    a->array.what = name;
    if (a->dims != dims) {
        return gs_binary_fail(z->in, name, "the array has %d dimensions; it must have %d", a->dims,
                              dims);
    }
done:
    return status;
}

static gsolve_status need_integers(const gs_npy *a, const gs_input *in)
{
    if (gs_array_is_integer(&a->array)) return GSOLVE_OK;
    return gs_binary_fail(in, a->array.what, "its elements are not integers");
}

static gsolve_status read_indices(gs_npy *a, archive *z, const char *name)
{
    gsolve_status status;

    TRY(read_array(a, z, name, 1));
    TRY(need_integers(a, z->in));
done:
    return status;
}

/* z->format = the word in format.npy: bytes, or characters of four bytes. */
static gsolve_status read_format(archive *z)
{
    gs_npy a;
    gsolve_status status;

    TRY(read_array(&a, z, "format.npy", 0));
    const int step = a.array.kind == 'U' ? 4 : 1;
    const int first = step == 4 && (a.array.swapped == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__))
                          ? 3
                          : 0; /* the lowest byte of a character */
    for (int k = 0; k < 7 && k * step + first < a.array.size; k++) {
        const char c = a.array.data[k * step + first];
        z->format[k] = (char)(c >= 'a' && c <= 'z' ? c : 0);
        if (!z->format[k]) break;
    }
done:
    return status;
}

static gsolve_status read_shape(archive *z)
{
    int64_t shape[2];
    gs_npy a;
    gsolve_status status;

    TRY(read_indices(&a, z, "shape.npy"));
    if (a.array.count != 2) {
        return gs_binary_fail(z->in, "shape.npy", "the matrix has %lld dimensions; it must have 2",
                              (long long)a.array.count);
    }
    TRY(gs_array_offsets(shape, &a.array, 2, INT64_MAX, z->in));
    z->nrows = shape[0];
    z->ncols = shape[1];
    TRY(gs_binary_sizes(z->in, "shape.npy", z->nrows, z->ncols));
done:
    return status;
}

/* --- the formats of SciPy --------------------------------------------------------------------- */

static gsolve_status read_compressed(gsolve_csr *csr, archive *z)
{
    gs_lines l = {.nrows = z->nrows, .ncols = z->ncols, .by_columns = z->format[2] == 'c'};
    gs_npy start, index, value;
    gsolve_status status;

    TRY(read_indices(&start, z, "indptr.npy"));
    TRY(read_indices(&index, z, "indices.npy"));
    TRY(read_array(&value, z, "data.npy", 1));
    l.start = start.array;
    l.index = index.array;
    l.value = value.array;
    gs_binary_source(z->in, "SciPy", &value.array, 0);
    TRY(gs_lines_matrix(csr, &l, z->in));
done:
    return status;
}

static gsolve_status assemble(gsolve_csr *csr, archive *z, gs_triplets *t, const gs_array *values,
                              int64_t entries)
{
    gs_binary_source(z->in, "SciPy", values, entries);
    return gs_assemble(csr, z->in->ctx, (int32_t)z->nrows, (int32_t)z->ncols, entries, t,
                       GSOLVE_GENERAL, &z->in->source.duplicates);
}

static gsolve_status read_coo(gsolve_csr *csr, archive *z)
{
    gs_npy row, col, value;
    gs_triplets t = {0};
    gsolve_status status;

    TRY(read_indices(&row, z, "row.npy"));
    TRY(read_indices(&col, z, "col.npy"));
    TRY(read_array(&value, z, "data.npy", 1));
    const int64_t entries = value.array.count;
    if (row.array.count != entries || col.array.count != entries) {
        return gs_binary_fail(z->in, NULL,
                              "there are %lld rows, %lld columns and %lld values; the numbers must "
                              "be equal",
                              (long long)row.array.count, (long long)col.array.count,
                              (long long)entries);
    }
    ALLOC(z->in->ctx, GSOLVE_HOST, t.i, entries);
    ALLOC(z->in->ctx, GSOLVE_HOST, t.j, entries);
    ALLOC(z->in->ctx, GSOLVE_HOST, t.v, entries);
    TRY(gs_array_indices(t.i, &row.array, entries, z->nrows - 1, z->in));
    TRY(gs_array_indices(t.j, &col.array, entries, z->ncols - 1, z->in));
    TRY(gs_array_values(t.v, 1, &value.array, 0, entries, z->in));
    TRY(assemble(csr, z, &t, &value.array, entries));
done:
    gs_triplets_free(&t, z->in->ctx);
    return status;
}

/* Element (i, j) of the matrix is element j of the diagonal with the offset j - i. Zeros are
 * padding. */
static int64_t place_diagonal(gs_triplets *t, int64_t at, const archive *z, int64_t offset,
                              const double *value, int64_t length)
{
    for (int64_t j = offset > 0 ? offset : 0; j < length && j < z->ncols; j++) {
        if (j - offset >= z->nrows) break;
        if (value[j] == 0) continue;
        t->i[at] = (int32_t)(j - offset);
        t->j[at] = (int32_t)j;
        t->v[at++] = value[j];
    }
    return at;
}

static gsolve_status read_dia(gsolve_csr *csr, archive *z)
{
    gs_npy offsets, value;
    gs_triplets t = {0};
    int64_t at = 0, count;
    int64_t *offset = NULL;
    double *diagonal = NULL;
    gsolve_status status;

    TRY(read_indices(&offsets, z, "offsets.npy"));
    TRY(read_array(&value, z, "data.npy", 2));
    count = offsets.array.count;
    const int64_t length = value.shape[1];
    if (value.shape[0] != count || value.fortran) {
        return gs_binary_fail(z->in, "data.npy",
                              "it has %lld rows for %lld diagonals, or its order is Fortran's; "
                              "save A.tocsr()",
                              (long long)value.shape[0], (long long)count);
    }
    ALLOC(z->in->ctx, GSOLVE_HOST, t.i, value.array.count);
    ALLOC(z->in->ctx, GSOLVE_HOST, t.j, value.array.count);
    ALLOC(z->in->ctx, GSOLVE_HOST, t.v, value.array.count);
    ALLOC(z->in->ctx, GSOLVE_HOST, diagonal, count > 0 ? length : 0);
    ALLOC(z->in->ctx, GSOLVE_HOST, offset, count);
    gs_array_signed(offset, &offsets.array, count);
    for (int64_t d = 0; d < count; d++) {
        TRY(gs_array_values(diagonal, 1, &value.array, d * length, length, z->in));
        if (offset[d] > -z->nrows && offset[d] < z->ncols) {
            at = place_diagonal(&t, at, z, offset[d], diagonal, length);
        }
    }
    TRY(assemble(csr, z, &t, &value.array, at));
done:
    gsolve_free(z->in->ctx, GSOLVE_HOST, offset);
    gsolve_free(z->in->ctx, GSOLVE_HOST, diagonal);
    gs_triplets_free(&t, z->in->ctx);
    return status;
}

/* The blocks of a matrix: entry k of the pattern is block k of value. */
typedef struct blocks {
    gsolve_csr pattern; /* owned, without values */
    int64_t height, width;
    gs_npy value;
} blocks;

/* The rows of the block row I. */
static void expand_block_row(const gs_csr_arrays *to, const blocks *b, const double *value,
                             int32_t I)
{
    const int64_t first = gs_start(&b->pattern, I), end = gs_start(&b->pattern, I + 1);
    double *a = to->value;

    for (int64_t r = 0; r < b->height; r++) {
        int64_t at = (first * b->height + r * (end - first)) * b->width;
        gs_set_start(to, I * b->height + r, at);
        for (int64_t k = first; k < end; k++) {
            for (int64_t c = 0; c < b->width; c++, at++) {
                to->col[at] = (int32_t)(b->pattern.col[k] * b->width + c);
                a[at] = value[(k * b->height + r) * b->width + c];
            }
        }
    }
}

static gsolve_status expand_blocks(gsolve_csr *csr, const blocks *b, archive *z)
{
    const int64_t count = gs_start(&b->pattern, b->pattern.nrows);
    const int64_t entries = count * b->height * b->width;
    gsolve_csr A = {0};
    double *value = NULL;
    gsolve_status status;

    ALLOC(z->in->ctx, GSOLVE_HOST, value, entries);
    TRY(gs_array_values(value, 1, &b->value.array, 0, entries, z->in));
    TRY(gs_csr_new(&A, z->in->ctx, (int32_t)z->nrows, (int32_t)z->ncols, entries, GSOLVE_F64));
    const gs_csr_arrays to = gs_csr_arrays_of(z->in->ctx, &A);
#pragma omp parallel for schedule(static) num_threads(gsolve_threads(z->in->ctx))
    for (int32_t I = 0; I < b->pattern.nrows; I++) expand_block_row(&to, b, value, I);
    gs_set_start(&to, z->nrows, entries);
    gs_binary_source(z->in, "SciPy", &b->value.array, entries);
    TRY(gs_lines_clean(&A, z->in, "indices.npy"));
    *csr = A;
done:
    if (status != GSOLVE_OK) gsolve_csr_free(&A, z->in->ctx);
    gsolve_free(z->in->ctx, GSOLVE_HOST, value);
    return status;
}

static gsolve_status read_bsr(gsolve_csr *csr, archive *z)
{
    blocks b = {0};
    gs_npy start, index;
    gsolve_status status;

    TRY(read_indices(&start, z, "indptr.npy"));
    TRY(read_indices(&index, z, "indices.npy"));
    TRY(read_array(&b.value, z, "data.npy", 3));
    b.height = b.value.shape[1];
    b.width = b.value.shape[2];
    if (b.height < 1 || b.width < 1 || z->nrows % b.height || z->ncols % b.width ||
        b.value.shape[0] < index.array.count || b.value.fortran) {
        return gs_binary_fail(z->in, "data.npy",
                              "%lld blocks of %lld x %lld do not fit to %lld indices and a matrix "
                              "of %lld x %lld; save A.tocsr()",
                              (long long)b.value.shape[0], (long long)b.height, (long long)b.width,
                              (long long)index.array.count, (long long)z->nrows,
                              (long long)z->ncols);
    }
    TRY(gs_lines_pattern(&b.pattern, z->nrows / b.height, z->ncols / b.width, &start.array,
                         &index.array, z->in));
    TRY(expand_blocks(csr, &b, z));
done:
    gsolve_csr_free(&b.pattern, z->in->ctx);
    return status;
}

/* --- archives ----------------------------------------------------------------------------------
 */

/* Fails: which arrays the archive holds, instead of a matrix or a single array. */
static gsolve_status refuse(const archive *z, const char *wanted)
{
    char names[200] = "";
    int length = 0;
    gs_zip_member m;
    bool numpy = false;

    for (int64_t k = 0; k < z->zip.members && k < 4; k++) {
        const gsolve_status status = gs_zip_at(&m, &z->zip, k, z->in);
        if (status != GSOLVE_OK) return status;
        numpy |= strlen(m.name) > 4 && strcmp(m.name + strlen(m.name) - 4, ".npy") == 0;
        length +=
            snprintf(names + length, sizeof names - (size_t)length, "%s%s", k ? ", " : "", m.name);
    }
    if (!numpy) {
        return gs_binary_fail(z->in, NULL,
                              "the file is a zip archive (%s%s), not a matrix; unpack it with "
                              "unzip, and give a file that it holds",
                              names, z->zip.members > 4 ? ", ..." : "");
    }
    return gs_binary_fail(z->in, NULL, "the archive holds the arrays %s%s; %s", names,
                          z->zip.members > 4 ? ", ..." : "", wanted);
}

static bool is_sparse(const archive *z)
{
    gs_zip_member m;
    bool found = false;

    return gs_zip_find(&m, &found, &z->zip, "format.npy", z->in) == GSOLVE_OK && found;
}

static gsolve_status read_sparse(gsolve_csr *csr, archive *z)
{
    static const struct {
        const char *name;
        gsolve_status (*read)(gsolve_csr *, archive *);
    } formats[] = {{"csr", read_compressed},
                   {"csc", read_compressed},
                   {"coo", read_coo},
                   {"bsr", read_bsr},
                   {"dia", read_dia}};
    gsolve_status status;

    TRY(read_format(z));
    TRY(read_shape(z));
    for (size_t k = 0; k < sizeof formats / sizeof *formats; k++) {
        if (strcmp(formats[k].name, z->format) == 0) return formats[k].read(csr, z);
    }
    status = gs_binary_fail(z->in, "format.npy",
                            "the format '%s' is not one of csr, csc, coo, bsr and dia; save "
                            "A.tocsr()",
                            z->format);
done:
    return status;
}

/* An archive with one array. */
static gsolve_status read_single(gsolve_dense *v, archive *z, const char *wanted)
{
    gs_zip_member m;
    gs_npy a;
    gsolve_status status;

    if (z->zip.members != 1) return refuse(z, wanted);
    TRY(gs_zip_at(&m, &z->zip, 0, z->in));
    if (strlen(m.name) < 4 || strcmp(m.name + strlen(m.name) - 4, ".npy") != 0) {
        return refuse(z, wanted);
    }
    TRY(read_member(&a, z, &m));
    TRY(gs_npy_to_dense(v, &a, z->in));
done:
    return status;
}

gsolve_status gs_npz_dense(gsolve_dense *v, gs_input *in)
{
    archive z = {.in = in};
    gsolve_status status;

    TRY(gs_zip_open(&z.zip, in));
    if (is_sparse(&z)) {
        return gs_binary_fail(in, NULL,
                              "the file holds a sparse matrix; save a vector or a dense matrix "
                              "with numpy.save(FILE, A.toarray())");
    }
    TRY(read_single(v, &z, "save the vector alone with numpy.save"));
done:
    close_archive(&z);
    return status;
}

gsolve_status gs_npz_matrix(gsolve_csr *csr, gs_input *in)
{
    archive z = {.in = in};
    gsolve_dense v;
    gsolve_status status;

    TRY(gs_zip_open(&z.zip, in));
    if (is_sparse(&z)) {
        TRY(read_sparse(csr, &z));
    } else {
        TRY(read_single(&v, &z, "save the matrix with scipy.sparse.save_npz"));
        status = gs_dense_rows(csr, &v, in);
        gsolve_free(in->ctx, GSOLVE_HOST, v.value);
    }
done:
    close_archive(&z);
    return status;
}
