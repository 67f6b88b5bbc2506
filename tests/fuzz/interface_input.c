/* interface_input.c: random matrices of all shapes, well formed or not. */
#include "tests/fuzz/interface.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- entries in the order in which they were drawn ----------------------------------------------
 */

typedef struct entry {
    int32_t row, col;
    double value;
} entry;

typedef struct entries {
    entry *at;
    int64_t count, room;
    int32_t nrows, ncols;
} entries;

static void put(entries *e, int64_t row, int64_t col, double value)
{
    if (row < 0 || row >= e->nrows || col < 0 || col >= e->ncols) return;
    if (e->count == e->room) {
        e->room = e->room * 2 + 64;
        e->at = realloc(e->at, (size_t)e->room * sizeof *e->at);
        if (!e->at) abort();
    }
    e->at[e->count++] = (entry){(int32_t)row, (int32_t)col, value};
}

static void put_pair(entries *e, int64_t row, int64_t col, double value, double mirrored)
{
    put(e, row, col, value);
    if (row != col) put(e, col, row, mirrored);
}

/* --- kinds of matrices --------------------------------------------------------------------------
 */

typedef void maker(fuzz *f, entries *e, int nature);

static void make_random(fuzz *f, entries *e, int nature)
{
    const int64_t mean = 1 + below(f, chance(f, 10) ? 40 : 6);

    for (int64_t k = e->nrows * mean; k > 0; k--) {
        put(e, below(f, e->nrows), below(f, e->ncols), draw_value(f, nature));
    }
}

static void make_dominant(fuzz *f, entries *e, int nature)
{
    const int64_t mean = 1 + below(f, 5);

    for (int64_t i = 0; i < e->nrows; i++) {
        double sum = 0;
        for (int64_t k = 0; k < mean; k++) {
            const double value = draw_value(f, nature);
            put(e, i, below(f, e->ncols), value);
            sum += fabs(value);
        }
        put(e, i, i, 1.5 * sum + (nature == 9));
    }
}

/* -1, 2 + shift, -1 along one or two directions. */
static void make_laplacian(fuzz *f, entries *e, int nature)
{
    const int64_t n = e->nrows, wide = chance(f, 50) ? n : 1 + (int64_t)sqrt((double)n);
    const double shift = chance(f, 30) ? -below(f, 3) * 0.7 : uniform(f) + 1;
    const double scale = nature < 5 ? fabs(draw_value(f, nature)) : 1;
    const bool insulated = chance(f, 25); /* singular */

    for (int64_t i = 0; i < n; i++) {
        const bool right = (i + 1) % wide != 0 && i + 1 < n, down = i + wide < n;
        const bool left = i % wide != 0, up = i >= wide;
        put(e, i, i, scale * (insulated ? right + left + up + down : 4 + shift));
        if (right) put_pair(e, i, i + 1, -scale, -scale);
        if (down) put_pair(e, i, i + wide, -scale, -scale);
    }
}

/* Symmetric and positive definite, indefinite, or skew. */
static void make_mirrored(fuzz *f, entries *e, int nature)
{
    const int sort = (int)below(f, 3);
    const int64_t n = e->nrows, mean = 1 + below(f, 4);
    double *sum = must_alloc(((size_t)n + 1) * sizeof *sum);

    memset(sum, 0, (size_t)n * sizeof *sum);
    for (int64_t k = n * mean; k > 0 && n > 1; k--) {
        const int64_t i = below(f, n), j = below(f, n);
        const double value = draw_value(f, nature);
        if (i == j) continue;
        put_pair(e, i, j, value, sort == 2 ? -value : value);
        sum[i] += fabs(value);
        sum[j] += fabs(value);
    }
    for (int64_t i = 0; i < n; i++) {
        if (sort == 0) put(e, i, i, sum[i] * 1.1 + (nature == 9));
        if (sort == 1 && chance(f, 60)) put(e, i, i, draw_value(f, nature));
    }
    free(sum);
}

static void make_diagonal(fuzz *f, entries *e, int nature)
{
    const int holes = chance(f, 30) ? 20 : 0;

    for (int64_t i = 0; i < e->nrows; i++) {
        if (!chance(f, holes)) put(e, i, i, draw_value(f, nature));
    }
}

static void make_permutation(fuzz *f, entries *e, int nature)
{
    const int64_t step = 1 + below(f, e->ncols);

    for (int64_t i = 0; i < e->nrows && e->ncols > 0; i++) {
        put(e, i, (i + step) % e->ncols, nature == 9 ? 1 : draw_value(f, nature));
    }
}

/* Some rows and columns are nearly dense. */
static void make_arrow(fuzz *f, entries *e, int nature)
{
    const int64_t heavy = below(f, e->nrows);

    for (int64_t i = 0; i < e->nrows; i++) {
        put(e, i, i, chance(f, 90) ? 3 : draw_value(f, nature));
        if (i == heavy || !chance(f, 80)) continue;
        put_pair(e, i, heavy, draw_value(f, nature) / e->nrows, draw_value(f, nature) / e->nrows);
    }
}

/* Dense blocks of a node's unknowns. */
static void make_blocks(fuzz *f, entries *e, int nature)
{
    const int64_t size = 2 + below(f, 5), nodes = (e->nrows + size - 1) / size;

    for (int64_t i = 0; i < nodes; i++) {
        for (int64_t j = i - 1; j <= i + 1; j++) {
            for (int64_t k = 0; k < size * size; k++) {
                const int64_t r = k / size, c = k % size;
                const double heavy = i == j && r == c ? 3.0 * (double)size : 0;
                put(e, i * size + r, j * size + c, heavy + draw_value(f, nature));
            }
        }
    }
}

static void make_nothing(fuzz *f, entries *e, int nature)
{
    (void)nature;
    if (chance(f, 50)) put(e, 0, 0, 0);
}

/* --- from entries to rows -----------------------------------------------------------------------
 */

int64_t offset_at(const gsolve_csr *csr, int64_t row)
{
    return csr->offset == GSOLVE_O64 ? ((const int64_t *)csr->start)[row]
                                     : (int64_t)((const int32_t *)csr->start)[row];
}

double value_at(const gsolve_csr *csr, int64_t k)
{
    return csr->type == GSOLVE_F32 ? (double)((const float *)csr->value)[k]
                                   : ((const double *)csr->value)[k];
}

static void set_offset(gsolve_csr *csr, int64_t row, int64_t offset)
{
    if (csr->offset == GSOLVE_O64) {
        ((int64_t *)(uintptr_t)csr->start)[row] = offset;
    } else {
        ((int32_t *)(uintptr_t)csr->start)[row] = (int32_t)offset;
    }
}

/* In range of the type, so that sums of duplicates are, too. */
static void set_value(gsolve_csr *csr, int64_t k, double value)
{
    const double most = csr->type == GSOLVE_F32 ? 1e36 : 1e305;
    const double kept = isnan(value) ? 0 : fabs(value) > most ? copysign(most, value) : value;

    if (csr->type == GSOLVE_F32) {
        ((float *)(uintptr_t)csr->value)[k] = (float)kept;
    } else {
        ((double *)(uintptr_t)csr->value)[k] = kept;
    }
}

static size_t offset_size(const gsolve_csr *csr)
{
    return csr->offset == GSOLVE_O64 ? 8 : 4;
}

static size_t value_size(const gsolve_csr *csr)
{
    return csr->type == GSOLVE_F32 ? 4 : 8;
}

static void allocate(gsolve_csr *csr, int64_t count)
{
    csr->start = must_alloc(((size_t)csr->nrows + 1) * offset_size(csr));
    csr->col = must_alloc((size_t)count * sizeof *csr->col);
    csr->value = must_alloc((size_t)count * value_size(csr));
    csr->location = GSOLVE_HOST;
}

/* A row's entries stand in the order in which they were put. */
static void compress(const entries *e, gsolve_csr *csr)
{
    int64_t *next = must_alloc(((size_t)e->nrows + 2) * sizeof *next), sum = 0;

    memset(next, 0, ((size_t)e->nrows + 2) * sizeof *next);
    for (int64_t k = 0; k < e->count; k++) next[e->at[k].row + 1]++;
    allocate(csr, e->count);
    for (int32_t i = 0; i <= e->nrows; i++) {
        sum += next[i];
        next[i] = sum;
        set_offset(csr, i, sum);
    }
    for (int64_t k = 0; k < e->count; k++) {
        const int64_t at = next[e->at[k].row]++;
        ((int32_t *)(uintptr_t)csr->col)[at] = e->at[k].col;
        set_value(csr, at, e->at[k].value);
    }
    free(next);
}

static int by_place(const void *left, const void *right)
{
    const entry *a = left, *b = right;

    if (a->row != b->row) return a->row < b->row ? -1 : 1;
    return a->col < b->col ? -1 : a->col > b->col;
}

/* Sorts, and sums or keeps the duplicates. True: some are left. */
static bool tidy(fuzz *f, entries *e)
{
    const bool sums = chance(f, 75), sorts = sums || chance(f, 30);
    bool duplicates = false;
    int64_t count = 0;

    if (!sorts || e->count == 0) return e->count > 0; /* there may be some */
    qsort(e->at, (size_t)e->count, sizeof *e->at, by_place);
    for (int64_t k = 0; k < e->count; k++) {
        const bool same = count > 0 && by_place(&e->at[count - 1], &e->at[k]) == 0;
        if (same && sums) {
            e->at[count - 1].value += e->at[k].value;
        } else {
            duplicates = duplicates || same;
            e->at[count++] = e->at[k];
        }
    }
    e->count = count;
    return duplicates;
}

/* Rows in another order of their entries. */
static void shuffle(fuzz *f, entries *e)
{
    for (int64_t k = e->count - 1; k > 0; k--) {
        const int64_t other = below(f, k + 1);
        const entry swapped = e->at[k];
        e->at[k] = e->at[other];
        e->at[other] = swapped;
    }
}

/* D A D with D from 1e-150 to 1e150. */
static void scale_entries(fuzz *f, entries *e)
{
    const int32_t n = e->nrows > e->ncols ? e->nrows : e->ncols;
    const int most = chance(f, 50) ? 8 : 150;
    double *scale = must_alloc(((size_t)n + 1) * sizeof *scale);

    for (int32_t i = 0; i < n; i++) scale[i] = pow(10, uniform(f) * most);
    for (int64_t k = 0; k < e->count; k++) {
        e->at[k].value *= scale[e->at[k].row] * scale[e->at[k].col];
    }
    free(scale);
}

/* --- malformed ones -----------------------------------------------------------------------------
 */

static void spoil(fuzz *f, input *in)
{
    gsolve_csr *csr = &in->csr;
    const int64_t count = offset_at(csr, csr->nrows);
    int32_t *col = (int32_t *)(uintptr_t)csr->col;
    const int64_t at = below(f, count);

    in->malformed = true;
    switch (count > 0 ? below(f, 7) : 7) {
    case 0: col[at] = -1 - (int32_t)below(f, 1000); return;
    case 1: col[at] = csr->ncols; return;
    case 2: col[at] = INT32_MAX; return;
    case 3:
    case 4:
        if (csr->type == GSOLVE_F32) {
            ((float *)(uintptr_t)csr->value)[at] = chance(f, 50) ? NAN : INFINITY;
        } else {
            ((double *)(uintptr_t)csr->value)[at] = chance(f, 50) ? NAN : -INFINITY;
        }
        return;
    case 5: set_offset(csr, 0, 1); return;
    case 6:
        if (csr->nrows > 1) {
            set_offset(csr, 1 + below(f, csr->nrows - 1), chance(f, 50) ? count + 1 : -1);
            return;
        }
        set_offset(csr, 0, -1);
        return;
    default: set_offset(csr, 0, 1 + below(f, 3)); return;
    }
}

/* --- the whole -------------------------------------------------------------------------------- */

static int32_t draw_size(fuzz *f)
{
    if (chance(f, 4)) return 0;
    if (chance(f, 10)) return 1 + (int32_t)below(f, 3);
    return 1 + (int32_t)below(f, chance(f, 15) ? 300 : 40);
}

/* One of the generators, small. */
static bool generate(fuzz *f, input *in)
{
    static const char *const form[] = {
        "poisson2d,n=%d",  "poisson3d,n=%d",    "anisotropic3d,n=%d",  "jump3d,n=%d,cells=2",
        "convdiff3d,n=%d", "elasticity3d,n=%d", "neumann2d,n=%d",      "shuffled3d,n=%d",
        "circuit,n=%d0",   "web,n=%d0",         "rmat,n=%d0,degree=4", "band,n=%d5,row=12,width=9",
        "lengths,n=%d0",   "lp,n=%d,cols=70",   "emptyrows,n=%d0",     "random,n=%d0,cols=30"};
    const int which = (int)below(f, sizeof form / sizeof *form);
    char name[100], text[120];
    gsolve_csr csr;
    bool good;

    snprintf(name, sizeof name, form[which], which == 5 ? 2 : 1 + (int)below(f, 7));
    snprintf(text, sizeof text, "gen:%s", name);
    trace(f, "gsolve_read_matrix(\"%s\")\n", text);
    if (!passed(f, "gsolve_read_matrix", gsolve_read_matrix(&csr, f->ctx, text, NULL, NULL))) {
        return false;
    }
    good = fetch_csr(f, "gsolve_read_matrix", &csr, ASCENDING, in);
    gsolve_csr_free(&csr, f->ctx);
    return good;
}

void draw_input(fuzz *f, input *in)
{
    static maker *const makers[] = {make_random,    make_random,      make_dominant, make_dominant,
                                    make_laplacian, make_laplacian,   make_mirrored, make_mirrored,
                                    make_diagonal,  make_permutation, make_arrow,    make_blocks,
                                    make_nothing};
    const int which = (int)below(f, sizeof makers / sizeof *makers), nature = draw_nature(f);
    entries e = {0};

    memset(in, 0, sizeof *in);
    if (chance(f, 12) && generate(f, in)) return;
    e.nrows = draw_size(f);
    e.ncols = chance(f, 85) ? e.nrows : draw_size(f);
    if (e.nrows > 0 && e.ncols > 0) makers[which](f, &e, nature);
    if (chance(f, 5) && !skips(f, "scales")) scale_entries(f, &e);
    in->duplicates = tidy(f, &e);
    if (chance(f, 15)) shuffle(f, &e);
    in->csr.nrows = e.nrows;
    in->csr.ncols = e.ncols;
    in->csr.offset = chance(f, 25) ? GSOLVE_O64 : GSOLVE_O32;
    in->csr.type = draw_type(f);
    compress(&e, &in->csr);
    if (chance(f, 4)) spoil(f, in);
    trace(f, "matrix %d x %d, %lld entries, %s, kind %d, values %d%s%s%s\n", e.nrows, e.ncols,
          (long long)e.count, in->csr.type == GSOLVE_F32 ? "f32" : "f64", which, nature,
          in->csr.offset == GSOLVE_O64 ? ", 64-bit offsets" : "",
          in->duplicates ? ", may have duplicates" : "", in->malformed ? ", malformed" : "");
    free(e.at);
}

void drop_input(input *in)
{
    free((void *)(uintptr_t)in->csr.start);
    free((void *)(uintptr_t)in->csr.col);
    free((void *)(uintptr_t)in->csr.value);
    memset(in, 0, sizeof *in);
}

input copy_input(const input *in)
{
    const int64_t count = in->malformed ? 0 : offset_at(&in->csr, in->csr.nrows);
    input copy = *in;

    allocate(&copy.csr, count);
    memcpy((void *)(uintptr_t)copy.csr.start, in->csr.start,
           ((size_t)copy.csr.nrows + 1) * offset_size(&copy.csr));
    if (count == 0) return copy;
    memcpy((void *)(uintptr_t)copy.csr.col, in->csr.col, (size_t)count * sizeof *copy.csr.col);
    memcpy((void *)(uintptr_t)copy.csr.value, in->csr.value, (size_t)count * value_size(&copy.csr));
    return copy;
}

input transpose_input(const input *in)
{
    input out = {in->csr, false, in->duplicates};
    entries e = {0};

    e.nrows = out.csr.nrows = in->csr.ncols;
    e.ncols = out.csr.ncols = in->csr.nrows;
    for (int32_t i = 0; i < in->csr.nrows; i++) {
        for (int64_t k = offset_at(&in->csr, i); k < offset_at(&in->csr, i + 1); k++) {
            put(&e, in->csr.col[k], i, value_at(&in->csr, k));
        }
    }
    compress(&e, &out.csr);
    free(e.at);
    return out;
}

input convert_input(const input *in, gsolve_type type)
{
    const int64_t count = offset_at(&in->csr, in->csr.nrows);
    input out = *in;

    out.csr.type = type;
    allocate(&out.csr, count);
    memcpy((void *)(uintptr_t)out.csr.start, in->csr.start,
           ((size_t)out.csr.nrows + 1) * offset_size(&out.csr));
    for (int64_t k = 0; k < count; k++) {
        ((int32_t *)(uintptr_t)out.csr.col)[k] = in->csr.col[k];
        set_value(&out.csr, k, value_at(&in->csr, k));
    }
    return out;
}

/* Mostly near the old ones, so that a symmetric matrix and a diagonal keep what they are. */
void draw_new_values(fuzz *f, input *in)
{
    const int64_t count = offset_at(&in->csr, in->csr.nrows);
    const double factor = 1 + uniform(f) / 2;
    const bool anew = chance(f, 30);
    const int nature = draw_nature(f);

    for (int64_t k = 0; k < count; k++) {
        set_value(&in->csr, k, anew ? draw_value(f, nature) : factor * value_at(&in->csr, k));
    }
    if (chance(f, 4) && count > 0) spoil(f, in);
}

int pick_input(fuzz *f)
{
    return (int)below(f, INPUTS);
}

/* --- arrays that calls get and return -----------------------------------------------------------
 */

static void *to_device(fuzz *f, const void *from, size_t bytes)
{
    void *block = gsolve_alloc(f->ctx, GSOLVE_DEVICE, bytes, 1);

    if (!block || gsolve_copy(f->ctx, block, GSOLVE_DEVICE, from, GSOLVE_HOST, bytes)) {
        complain(f, "copying %zu bytes to the device failed: %s", bytes, gsolve_error(f->ctx));
    }
    return block;
}

gsolve_csr lend(fuzz *f, const input *in)
{
    gsolve_csr csr = in->csr;
    const int64_t count = in->malformed ? 0 : offset_at(&csr, csr.nrows);

    if (!f->has_gpu || in->malformed || !chance(f, 40)) return csr;
    csr.start = to_device(f, csr.start, ((size_t)csr.nrows + 1) * offset_size(&csr));
    csr.col = to_device(f, csr.col, (size_t)count * sizeof *csr.col);
    csr.value = to_device(f, csr.value, (size_t)count * value_size(&csr));
    csr.location = GSOLVE_DEVICE;
    return csr;
}

void take_back(fuzz *f, const input *in, gsolve_csr *lent)
{
    if (lent->start == in->csr.start) return;
    gsolve_free(f->ctx, GSOLVE_DEVICE, (void *)(uintptr_t)lent->start);
    gsolve_free(f->ctx, GSOLVE_DEVICE, (void *)(uintptr_t)lent->col);
    gsolve_free(f->ctx, GSOLVE_DEVICE, (void *)(uintptr_t)lent->value);
}

static bool copy_out(fuzz *f, const void *to, const void *from, gsolve_location location,
                     size_t bytes)
{
    return gsolve_copy(f->ctx, (void *)(uintptr_t)to, GSOLVE_HOST, from, location, bytes) ==
           GSOLVE_OK;
}

/* Columns must be in range and ascend unless they may be in any order; offsets begin with 0. */
static bool well_formed(const gsolve_csr *csr, order how)
{
    if (offset_at(csr, 0) != 0) return false;
    for (int32_t i = 0; i < csr->nrows; i++) {
        int32_t last = how == ASCENDING ? -1 : 0;
        if (offset_at(csr, i) > offset_at(csr, i + 1)) return false;
        for (int64_t k = offset_at(csr, i); k < offset_at(csr, i + 1); k++) {
            if (csr->col[k] < (how == ANY_ORDER ? 0 : last + (how == ASCENDING)) ||
                csr->col[k] >= csr->ncols)
                return false;
            last = csr->col[k];
        }
    }
    return true;
}

bool fetch_csr(fuzz *f, const char *call, const gsolve_csr *csr, order how, input *out)
{
    const size_t offsets = ((size_t)csr->nrows + 1) * offset_size(csr);
    const void *start = must_alloc(offsets);
    bool good;

    memset(out, 0, sizeof *out);
    out->csr = *csr;
    out->duplicates = how != ASCENDING;
    out->csr.start = start;
    good = copy_out(f, start, csr->start, csr->location, offsets);
    const int64_t count = good ? offset_at(&out->csr, csr->nrows) : 0;
    allocate(&out->csr, count);
    memcpy((void *)(uintptr_t)out->csr.start, start, offsets);
    free((void *)(uintptr_t)start);
    good = good &&
           copy_out(f, out->csr.col, csr->col, csr->location, (size_t)count * sizeof *csr->col) &&
           copy_out(f, out->csr.value, csr->value, csr->location, (size_t)count * value_size(csr));
    if (!good) complain(f, "the result of %s cannot be copied: %s", call, gsolve_error(f->ctx));
    if (good && !well_formed(&out->csr, how)) {
        complain(f, "%s returns rows whose columns do not ascend", call);
        good = false;
    }
    if (!good) drop_input(out);
    return good;
}
