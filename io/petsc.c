/* petsc.c: files that MatView and VecView write to a binary viewer. A file is a sequence of
 * objects; all numbers have their highest byte first:
 *
 *     Vec   1211214, n, n values
 *     Mat   1211216, rows, columns, entries, the length of each row, columns, values;
 *           entries = -1: a dense matrix, whose values follow by rows
 *
 * Integers have 32 bits, or 64 bits if PETSc was configured with 64-bit indices. */
#include "io/petsc.h"

#include <stdio.h>

#include "core/staging.h"
#include "core/try.h"
#include "io/numpy.h"

#define MAT 1211216
#define VEC 1211214

typedef struct object { /* Mat or Vec */
    int64_t kind;
    int64_t nrows, ncols, entries;
    int width; /* bytes of an integer */
    bool dense;
    const char *begin, *body; /* its number, and what follows its sizes */
} object;

static int64_t integer_at(const char *p, int width)
{
    uint64_t n = 0;

    for (int k = 0; k < width; k++) n = n << 8 | (unsigned char)p[k];
    return width == 4 ? (int32_t)(uint32_t)n : (int64_t)n;
}

/* The bytes of an integer of the object at p; 0: it is neither Mat nor Vec. */
static int width_at(const char *p, const char *end)
{
    for (int width = 4; width <= 8; width += 4) {
        if (end - p < 2 * width) return 0;
        const int64_t kind = integer_at(p, width);
        if (kind == MAT || kind == VEC) return width;
    }
    return 0;
}

bool gs_petsc_is(const char *begin, const char *end)
{
    return width_at(begin, end) > 0;
}

static long long at(const gs_input *in, const char *p)
{
    return (long long)(p - in->begin);
}

static gsolve_status truncated(const object *o, const gs_input *in, int64_t needed)
{
    return gs_binary_fail(in, NULL,
                          "the %s at byte %lld needs %lld bytes after its sizes, but the file has "
                          "only %lld: it is truncated, or PETSc wrote it with complex or "
                          "single-precision numbers",
                          o->kind == MAT ? "matrix" : "vector", at(in, o->begin), (long long)needed,
                          (long long)(in->end - o->body));
}

/* The bytes after the sizes of o, which fit in 32 bits. */
static int64_t body_bytes(const object *o)
{
    int64_t bytes;

    if (o->kind == VEC) return 8 * o->nrows;
    if (o->dense) return __builtin_mul_overflow(8 * o->nrows, o->ncols, &bytes) ? INT64_MAX : bytes;
    return o->width * o->nrows + (o->width + 8) * o->entries;
}

/* *o = the head of the object at p. */
static gsolve_status read_head(object *o, const char *p, const gs_input *in)
{
    const int width = width_at(p, in->end);
    gsolve_status status;

    if (width == 0) {
        return gs_binary_fail(
            in, NULL, "there is neither a matrix (Mat) nor a vector (Vec) at byte %lld", at(in, p));
    }
    *o = (object){.kind = integer_at(p, width), .width = width, .begin = p, .ncols = 1};
    o->body = p + width * (o->kind == MAT ? 4 : 2);
    if (o->body > in->end) {
        o->body = in->end;
        return truncated(o, in, 2 * width);
    }
    o->nrows = integer_at(p + width, width);
    if (o->kind == MAT) {
        o->ncols = integer_at(p + 2 * width, width);
        o->entries = integer_at(p + 3 * width, width);
    }
    o->dense = o->entries == -1;
    TRY(gs_binary_sizes(in, NULL, o->nrows, o->ncols));
    if (o->entries < -1 || o->entries > in->end - o->body) {
        return gs_binary_fail(in, NULL,
                              "the matrix at byte %lld has %lld entries in a file of %lld bytes; "
                              "the file is damaged or truncated",
                              at(in, p), (long long)o->entries, at(in, in->end));
    }
    if (body_bytes(o) > in->end - o->body) return truncated(o, in, body_bytes(o));
done:
    return status;
}

static gs_array array_at(const char *data, int64_t count, char kind, int size, const char *what)
{
    return (gs_array){data, count, kind, size, __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, what};
}

/* start = the sums of the lengths of rows, which must give the number of entries. */
static gsolve_status sum_lengths(int64_t *start, const object *o, const gs_input *in)
{
    const gs_array length = array_at(o->body, o->nrows, 'i', o->width, "row lengths");
    gsolve_status status;

    TRY(gs_array_offsets(start + 1, &length, o->nrows, o->entries, in));
    start[0] = 0;
    for (int64_t i = 0; i < o->nrows && start[i] <= o->entries; i++) start[i + 1] += start[i];
    for (int64_t i = 0; i <= o->nrows; i++) {
        if (i < o->nrows ? start[i] <= o->entries : start[i] == o->entries) continue;
        return gs_binary_fail(in, "row lengths",
                              "the sum of the lengths of the rows is not %lld, the number of "
                              "entries that the head declares; the file is damaged",
                              (long long)o->entries);
    }
done:
    return status;
}

static gsolve_status read_rows(gsolve_csr *csr, const object *o, gs_input *in)
{
    const char *index = o->body + o->width * o->nrows, *value = index + o->width * o->entries;
    const gs_lines l = {.nrows = o->nrows,
                        .ncols = o->ncols,
                        .index = array_at(index, o->entries, 'i', o->width, "columns"),
                        .value = array_at(value, o->entries, 'f', 8, "values")};
    int64_t *start = NULL;
    gsolve_status status;

    ALLOC(in->ctx, GSOLVE_HOST, start, o->nrows + 1);
    TRY(sum_lengths(start, o, in));
    gs_binary_source(in, "PETSc", &l.value, o->entries);
    TRY(gs_lines_matrix_at(csr, &l, start, in));
done:
    gsolve_free(in->ctx, GSOLVE_HOST, start);
    return status;
}

/* A vector, or a dense matrix, which is stored by rows. */
static gsolve_status read_dense(gsolve_dense *v, const object *o, gs_input *in)
{
    const gs_npy a = {array_at(o->body, o->nrows * o->ncols, 'f', 8, "values"), .dims = 2,
                      .shape = {o->nrows, o->ncols}};
    gsolve_status status;

    TRY(gs_npy_to_dense(v, &a, in));
    snprintf(in->source.kind, sizeof in->source.kind, "PETSc");
done:
    return status;
}

/* *o = the first object that is wanted; *found: whether there is one. */
static gsolve_status find(object *o, bool *found, const gs_input *in,
                          bool (*wanted)(const object *))
{
    gsolve_status status = GSOLVE_OK;

    *found = false;
    for (const char *p = in->begin; p < in->end && !*found; p = o->body + body_bytes(o)) {
        TRY(read_head(o, p, in));
        *found = wanted(o);
        if (*found) break;
    }
done:
    return status;
}

static bool is_matrix(const object *o)
{
    return o->kind == MAT;
}

static bool is_dense(const object *o)
{
    return o->kind == VEC || o->dense;
}

gsolve_status gs_petsc_matrix(gsolve_csr *csr, gs_input *in)
{
    object o;
    gsolve_dense v;
    bool found;
    gsolve_status status;

    TRY(find(&o, &found, in, is_matrix));
    if (!found) {
        return gs_binary_fail(in, NULL,
                              "the file holds a vector (Vec) and no matrix (Mat); give "
                              "it as right-hand side, -b");
    }
    if (!o.dense) return read_rows(csr, &o, in);
    TRY(read_dense(&v, &o, in));
    status = gs_dense_rows(csr, &v, in);
    gsolve_free(in->ctx, GSOLVE_HOST, v.value);
done:
    return status;
}

gsolve_status gs_petsc_dense(gsolve_dense *v, gs_input *in)
{
    object o;
    bool found;
    gsolve_status status;

    TRY(find(&o, &found, in, is_dense));
    if (found) return read_dense(v, &o, in);
    status = gs_binary_fail(in, NULL, "the file holds a sparse matrix (Mat) and no vector (Vec)");
done:
    return status;
}
