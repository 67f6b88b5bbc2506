/* numpy.c: .npy files of the versions 1, 2 and 3: a magic number, a text in the form of a Python
 * dictionary that describes the array, and its elements.
 * https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html */
#include "io/numpy.h"

#include <stdlib.h>
#include <string.h>

#include "core/staging.h"
#include "core/try.h"

#define MAGIC "\x93NUMPY"

bool gs_npy_is(const char *begin, const char *end)
{
    return end - begin >= 6 && memcmp(begin, MAGIC, 6) == 0;
}

/* --- the description -------------------------------------------------------------------------- */

typedef struct head { /* the description in the file */
    const char *begin, *end;
    const char *what;
    const gs_input *in;
} head;

/* The value of a key, after the colon and blanks; NULL: it is missing. */
static const char *value_of(const head *h, const char *key)
{
    const char *p = memmem(h->begin, (size_t)(h->end - h->begin), key, strlen(key));

    if (!p) return NULL;
    p = gs_skip_blanks(p + strlen(key), h->end);
    if (p == h->end || *p != ':') return NULL;
    return gs_skip_blanks(p + 1, h->end);
}

static gsolve_status malformed(const head *h, const char *key, const char *value)
{
    char token[GS_TOKEN];

    gs_input_token(token, value ? value : h->end, h->end);
    return gs_binary_fail(h->in, h->what,
                          "its description of the array has %s %s instead of %s; write it again "
                          "with numpy.save",
                          value ? "the text" : "no", value ? token : "value", key);
}

/* Refuses the types that are not numbers, or not real ones. */
static gsolve_status refuse_type(const head *h, const char *type)
{
    const char c = type[0] && strchr("<>|=", type[0]) ? type[1] : type[0];
    const char *end = type;
    char token[GS_TOKEN];

    while (end < h->end && end - type < 24 && *end != '\'' && *end != '"') end++;
    gs_input_token(token, type, end);
    if (c == 'c') {
        return gs_binary_fail(
            h->in, h->what,
            "the array is complex (%s); gsolve solves real systems: save its real "
            "part with numpy.save(FILE, A.real)",
            token);
    }
    if (c == 'O') {
        return gs_binary_fail(h->in, h->what,
                              "the array holds pickled Python objects, not numbers; save a sparse "
                              "matrix with scipy.sparse.save_npz, and a vector as "
                              "numpy.asarray(x, dtype=float)");
    }
    return gs_binary_fail(h->in, h->what,
                          "the elements have the type %s; gsolve reads float32, float64, integers "
                          "and bool: save A.astype(float)",
                          token);
}

/* Reads '<f8' and the like. */
static gsolve_status read_type(gs_npy *a, const head *h, bool may_be_text)
{
    const char *p = value_of(h, "'descr'"), *type;
    const bool little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
    char *rest, text[16] = "";
    bool valid;

    if (!p || h->end - p < 8) return malformed(h, "'descr'", p);
    if (*p != '\'' && *p != '"') return refuse_type(h, p);
    type = p + 1;
    memcpy(text, type, h->end - type < 15 ? (size_t)(h->end - type) : 15);
    a->array.swapped = (text[0] == '>' && little) || (text[0] == '<' && !little);
    a->array.kind = text[1];
    const long size = strtol(text + 2, &rest, 10);
    if (!strchr("<>|=", text[0]) || *rest != *p || size < 1) return refuse_type(h, type);
    a->array.size = (int)size;
    valid = a->array.kind == 'f'                           ? size == 4 || size == 8
            : a->array.kind == 'i' || a->array.kind == 'u' ? size <= 8 && !(size & (size - 1))
            : a->array.kind == 'b'                         ? size == 1
            : (a->array.kind == 'S' || a->array.kind == 'U') && may_be_text ? size <= 32
                                                                            : false;
    return valid ? GSOLVE_OK : refuse_type(h, type);
}

/* Reads (3, 4), (3,) or (); *count = the product. */
static gsolve_status read_shape(gs_npy *a, const head *h)
{
    const char *begin = value_of(h, "'shape'"), *p = begin;

    if (!p || *p != '(') return malformed(h, "'shape'", p);
    a->array.count = 1;
    for (p = gs_skip_blanks(p + 1, h->end); p < h->end && *p != ')';) {
        gs_word digits = {p, p};
        while (digits.end < h->end && (unsigned char)(*digits.end - '0') < 10) digits.end++;
        const int64_t n = gs_word_integer(digits);
        if (n < 0) return malformed(h, "'shape'", begin);
        if (a->dims == 3) {
            return gs_binary_fail(h->in, h->what,
                                  "the array has more than 3 dimensions; save a "
                                  "vector or a matrix");
        }
        a->shape[a->dims++] = n;
        if (__builtin_mul_overflow(a->array.count, n, &a->array.count)) {
            return malformed(h, "'shape'", begin);
        }
        p = digits.end < h->end && *digits.end == 'L' ? digits.end + 1 : digits.end; /* Python 2 */
        p = gs_skip_blanks(p, h->end);
        if (p < h->end && *p == ',') p = gs_skip_blanks(p + 1, h->end);
    }
    return p < h->end ? GSOLVE_OK : malformed(h, "'shape'", begin);
}

static gsolve_status read_order(gs_npy *a, const head *h)
{
    const char *p = value_of(h, "'fortran_order'");

    if (!p || h->end - p < 5) return malformed(h, "'fortran_order'", p);
    a->fortran = *p == 'T';
    return *p == 'T' || *p == 'F' ? GSOLVE_OK : malformed(h, "'fortran_order'", p);
}

gsolve_status gs_npy_parse(gs_npy *a, const char *data, int64_t bytes, const char *what,
                           const gs_input *in)
{
    const unsigned char *p = (const unsigned char *)data;
    head h = {.what = what, .in = in};
    int64_t length = 0, skip, needed;
    gsolve_status status;

    *a = (gs_npy){.array.what = what};
    if (bytes < 12 || !gs_npy_is(data, data + bytes)) {
        return gs_binary_fail(in, what, "the array is truncated; write the file again");
    }
    if (p[6] < 1 || p[6] > 3) {
        return gs_binary_fail(in, what,
                              "the array has the format version %d.%d; gsolve reads 1, 2 and 3",
                              p[6], p[7]);
    }
    skip = p[6] == 1 ? 10 : 12;
    length = p[8] + 256 * p[9];
    if (p[6] > 1) length += 65536 * (p[10] + 256 * (int64_t)p[11]);
    if (length > bytes - skip) {
        return gs_binary_fail(in, what, "the array is truncated; write the file again");
    }
    h.begin = data + skip;
    h.end = h.begin + length;
    TRY(read_type(a, &h, what && strcmp(what, "format.npy") == 0));
    TRY(read_order(a, &h));
    TRY(read_shape(a, &h));
    a->array.data = h.end;
    if (__builtin_mul_overflow(a->array.count, (int64_t)a->array.size, &needed) ||
        needed > bytes - skip - length) {
        return gs_binary_fail(in, what,
                              "the array has %lld elements of %d bytes, but only %lld bytes "
                              "follow; the file is truncated",
                              (long long)a->array.count, a->array.size,
                              (long long)(bytes - skip - length));
    }
done:
    return status;
}

/* --- vectors and dense matrices --------------------------------------------------------------- */

#define TILE ((int64_t)1 << 16) /* elements that are transposed at a time; they stay in cache */

/* v = a row-major array. The rows are converted in groups, and put into the columns. */
static gsolve_status fill_transposed(const gsolve_dense *v, const gs_npy *a, const gs_input *in)
{
    const int64_t n = v->nrows, k = v->ncols, most = TILE / k + 1;
    double *x = v->value, *tile = NULL;
    gsolve_status status;

    ALLOC(in->ctx, GSOLVE_HOST, tile, (n < most ? n : most) * k);
    for (int64_t i = 0; i < n; i += most) {
        const int64_t rows = n - i < most ? n - i : most;
        TRY(gs_array_values(tile, 1, &a->array, i * k, rows * k, in));
#pragma omp parallel for schedule(static) num_threads(gsolve_threads(in->ctx)) if (k > 64)
        for (int64_t j = 0; j < k; j++) {
            for (int64_t r = 0; r < rows; r++) x[j * v->stride + i + r] = tile[r * k + j];
        }
    }
done:
    gsolve_free(in->ctx, GSOLVE_HOST, tile);
    return status;
}

gsolve_status gs_npy_to_dense(gsolve_dense *v, const gs_npy *a, gs_input *in)
{
    const int64_t nrows = a->shape[0], ncols = a->dims == 2 ? a->shape[1] : 1;
    gsolve_dense x = {0};
    gsolve_status status;

    if (a->dims < 1 || a->dims > 2) {
        return gs_binary_fail(in, a->array.what,
                              "the array has %d dimensions; a vector has 1, and a dense matrix 2: "
                              "save A.reshape(ROWS, COLUMNS)",
                              a->dims);
    }
    TRY(gs_binary_sizes(in, a->array.what, nrows, ncols));
    TRY(gs_dense_new(&x, in->ctx, GSOLVE_HOST, GSOLVE_F64, (int32_t)nrows, (int32_t)ncols));
    if (a->fortran || ncols <= 1 || nrows <= 1) {
        TRY(gs_array_values(x.value, 1, &a->array, 0, nrows * ncols, in));
    } else {
        TRY(fill_transposed(&x, a, in));
    }
    gs_binary_source(in, "NumPy", &a->array, nrows * ncols);
    *v = x;
    x.value = NULL;
done:
    gsolve_free(in->ctx, GSOLVE_HOST, x.value);
    return status;
}

gsolve_status gs_npy_dense(gsolve_dense *v, gs_input *in)
{
    gs_npy a;
    gsolve_status status;

    TRY(gs_npy_parse(&a, in->begin, in->end - in->begin, NULL, in));
    TRY(gs_npy_to_dense(v, &a, in));
done:
    return status;
}

gsolve_status gs_npy_matrix(gsolve_csr *csr, gs_input *in)
{
    gsolve_dense v;
    gsolve_status status;

    TRY(gs_npy_dense(&v, in));
    status = gs_dense_rows(csr, &v, in);
    gsolve_free(in->ctx, GSOLVE_HOST, v.value);
done:
    return status;
}
