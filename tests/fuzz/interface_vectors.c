/* interface_vectors.c: right-hand sides, solutions and operands, in arrays of just their size. */
#include "tests/fuzz/interface.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GAP = 0x3c }; /* a byte that no call may change between the columns */

static size_t size_of(const gsolve_dense *d)
{
    return d->type == GSOLVE_F32 ? 4 : 8;
}

static int64_t at(const gsolve_dense *d, int64_t row, int64_t column)
{
    return d->layout == GSOLVE_ROW_MAJOR ? row * d->stride + column : column * d->stride + row;
}

static double read_at(const gsolve_dense *d, const void *from, int64_t k)
{
    return d->type == GSOLVE_F32 ? (double)((const float *)from)[k] : ((const double *)from)[k];
}

double number_at(const vectors *v, int64_t row, int64_t column)
{
    return read_at(&v->d, v->host, at(&v->d, row, column));
}

double number_before(const vectors *v, int64_t row, int64_t column)
{
    return read_at(&v->d, v->before, at(&v->d, row, column));
}

static void set_number(vectors *v, int64_t row, int64_t column, double value)
{
    const int64_t k = at(&v->d, row, column);
    const double most = v->d.type == GSOLVE_F32 ? 1e38 : 1e307;

    if (fabs(value) > most && isfinite(value)) value = copysign(most, value);
    if (v->d.type == GSOLVE_F32) {
        ((float *)v->host)[k] = (float)value;
    } else {
        ((double *)v->host)[k] = value;
    }
}

filling draw_filling(fuzz *f)
{
    const int64_t k = below(f, 100);

    if (k < 8) return ZEROS;
    if (k < 20) return ONES;
    if (k < 30 && !skips(f, "scales")) return EXTREME;
    return k < 32 ? NOT_FINITE : RANDOM;
}

static void fill(fuzz *f, vectors *v, filling how)
{
    const double scale = how == EXTREME ? pow(10, (double)below(f, 601) - 300) : 1;

    for (int32_t c = 0; c < v->d.ncols; c++) {
        for (int32_t i = 0; i < v->d.nrows; i++) {
            const double value = how == ZEROS ? 0 : how == ONES ? 1 : uniform(f) * scale;
            set_number(v, i, c, value);
        }
    }
    if (how != NOT_FINITE || v->d.nrows < 1 || v->d.ncols < 1) return;
    set_number(v, below(f, v->d.nrows), below(f, v->d.ncols), chance(f, 50) ? NAN : INFINITY);
}

vectors make_vectors(fuzz *f, int32_t nrows, int32_t ncols, gsolve_type type, gsolve_layout layout,
                     filling how)
{
    vectors v = {{nrows, ncols, 0, NULL, type, GSOLVE_HOST, layout}, NULL, NULL, 0};
    const int64_t lines = layout == GSOLVE_ROW_MAJOR ? nrows : ncols;
    const int64_t line = layout == GSOLVE_ROW_MAJOR ? ncols : nrows;

    v.d.stride = line + (chance(f, 20) ? below(f, 5) : 0);
    v.bytes = (size_t)(lines > 0 ? (lines - 1) * v.d.stride + line : 0) * size_of(&v.d);
    v.host = must_alloc(v.bytes);
    v.before = must_alloc(v.bytes);
    memset(v.host, GAP, v.bytes);
    fill(f, &v, how);
    v.d.value = v.host;
    if (f->has_gpu && chance(f, 50)) {
        v.d.location = GSOLVE_DEVICE;
        v.d.value = gsolve_alloc(f->ctx, GSOLVE_DEVICE, v.bytes, 1);
    }
    keep_copy(&v);
    if (v.d.location == GSOLVE_DEVICE &&
        gsolve_copy(f->ctx, v.d.value, GSOLVE_DEVICE, v.host, GSOLVE_HOST, v.bytes) != GSOLVE_OK) {
        complain(f, "vectors cannot be copied to the device: %s", gsolve_error(f->ctx));
    }
    return v;
}

void keep_copy(vectors *v)
{
    if (v->bytes > 0) memcpy(v->before, v->host, v->bytes);
}

void fetch_vectors(fuzz *f, vectors *v)
{
    if (v->d.location == GSOLVE_HOST) return;
    if (gsolve_copy(f->ctx, v->host, GSOLVE_HOST, v->d.value, GSOLVE_DEVICE, v->bytes)) {
        complain(f, "vectors cannot be copied from the device: %s", gsolve_error(f->ctx));
    }
}

void drop_vectors(fuzz *f, vectors *v)
{
    if (v->d.location == GSOLVE_DEVICE) gsolve_free(f->ctx, GSOLVE_DEVICE, v->d.value);
    free(v->host);
    free(v->before);
}

bool all_finite(const vectors *v)
{
    for (int32_t c = 0; c < v->d.ncols; c++) {
        for (int32_t i = 0; i < v->d.nrows; i++) {
            if (!isfinite(number_at(v, i, c))) return false;
        }
    }
    return true;
}

bool unchanged(const vectors *v)
{
    return v->bytes == 0 || memcmp(v->host, v->before, v->bytes) == 0;
}

void check_gaps(fuzz *f, const char *call, const vectors *v)
{
    const int64_t lines = v->d.layout == GSOLVE_ROW_MAJOR ? v->d.nrows : v->d.ncols;
    const int64_t line = v->d.layout == GSOLVE_ROW_MAJOR ? v->d.ncols : v->d.nrows;
    const size_t size = size_of(&v->d);

    for (int64_t k = 0; k + 1 < lines; k++) {
        const size_t from = (size_t)(k * v->d.stride + line) * size;
        const size_t to = (size_t)((k + 1) * v->d.stride) * size;
        if (memcmp((char *)v->host + from, (char *)v->before + from, to - from) != 0) {
            complain(f, "%s writes between the columns or rows of a vector", call);
        }
    }
}

void hash_vectors(fuzz *f, const vectors *v)
{
    add_to_hash(f, v->host, v->bytes);
}
