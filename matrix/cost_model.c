/* cost_model.c: the cost of products and conversions in the built-in formats. A product takes
 *
 *     csr:          t B0 / w + G + L
 *     a format:     B / (e w) + a G + L     conversion: b times csr's product, + d N + c
 *
 * B0, B: bytes of a product with x and y. w: bandwidth. G: wait for far elements of x. L: launch.
 * N: entries. t: tiles, or 1 if no row is much longer than most. e: regular or irregular, a: wait,
 * b: build, d: entry, c: begin of the format. bench/calibrate.py has the same formulas. */
#include "matrix/cost_model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* --- parameters that are not measured ------------------------------------------------------------
 * The caches are those of the processors; the other limits were chosen with whole solves on an H200
 * (bench/bench_auto.c). */

/* Bytes of x up to which no element is far: a cache next to a core; and of the L2 cache of a GPU.
 */
#define NEAR_CACHE (1 << 20)
#define L2_CACHE   60e6
/* Bytes of rows and vectors of a solve that stays in a cache. There, fewer bytes hardly help on a
 * CPU; on a GPU, neither coalesced reads nor evict-first loads do. */
#define FITS_CPU  8e6
#define FITS_CUDA 40e6
/* Of a product on a GPU: bytes below which the launch dominates. */
#define LEAST_BYTES (10 << 20)
/* Of a product: a smaller gain is within the error of the model. */
#define LEAST_GAIN 0.03
/* Least share of dense blocks; least share of entries in irregular rows that pays for ordering. */
#define FULL      0.95
#define IRREGULAR 0.45

/* --- the matrix ----------------------------------------------------------------------------------
 */

/* What the model knows of a matrix. */
typedef struct subject {
    const gs_device_costs *of;
    bool gpu;
    double rows, entries, filled; /* filled: entries with the padding of slices */
    double value;                 /* bytes of a value */
    double vectors, csr;          /* bytes of x and y; of the rows in csr */
    double index;                 /* mean bytes of an index in slices */
    double wait;                  /* G */
    double irregular;             /* share of entries in irregular rows */
    int block;                    /* size of the dense blocks that fill the matrix, or 1 */
    bool has_long;                /* some rows are much longer than most; csr's kernels on a GPU
                                   * decide the same way */
    bool is_regular;              /* rows of similar lengths */
    bool cached;                  /* a solve stays in a cache */
} subject;

static int block_of(const gsolve_pattern_sample *g)
{
    int b = 6;

    while (b > 1 && !(g->block[b] >= FULL)) b--;
    return b;
}

static subject subject_of(const gsolve_pattern_sample *g)
{
    const bool gpu = strcmp(g->device, "cuda") == 0;
    const gs_device_costs *of = &gs_cost_table[gpu ? GS_COST_CUDA : GS_COST_CPU];
    const double value = g->type == GSOLVE_F32 ? 4 : 8, x = value * g->ncols;
    const double share = gpu && g->irregular > g->far ? g->irregular : g->far;
    const double far = x > NEAR_CACHE ? share : 0, entries = (double)g->entries;
    subject s = {
        .of = of,
        .gpu = gpu,
        .rows = g->nrows,
        .entries = entries,
        .filled = (double)(gpu ? g->filled32 : g->filled8),
        .value = value,
        .vectors = x + value * g->nrows,
        .csr = entries * (value + 4) + (g->offset == GSOLVE_O64 ? 8. : 4.) * g->nrows,
        /* 16-bit indices gain nothing while a product on a GPU waits for x */
        .index = 4 - 2 * g->narrow * (1 - (gpu ? far : 0)),
        .wait = far * entries * (gpu && x > L2_CACHE ? of->beyond : of->far),
        .irregular = g->irregular,
        .block = block_of(g),
        .has_long = g->longest_row > 3 * entries / fmax(1, g->nrows) + 16,
    };

    s.is_regular = !s.has_long && g->empty_rows <= g->nrows / 4;
    s.cached = s.csr + 3 * s.vectors < (gpu ? FITS_CUDA : FITS_CPU);
    return s;
}

/* --- the model -----------------------------------------------------------------------------------
 */

/* The bytes of the form that one product reads; negative if the format does not apply. Segments are
 * sorted on a GPU if padding would exceed a tenth. */
static double form_bytes(const subject *s, gs_cost_format format)
{
    const double b = s->block;

    switch (format) {
    case GS_COST_SELL: return s->filled * (s->value + s->index);
    case GS_COST_BSR: return b < 2 ? -1 : s->entries * (s->value + 4 / (b * b)) + 4 * s->rows / b;
    case GS_COST_BCE: return s->entries * (s->value + s->index) + 4 * s->rows;
    case GS_COST_SEGMENTED:
        return s->gpu ? fmin(s->filled, 1.1 * s->entries) * (s->value + 4) : s->csr;
    default: return s->csr;
    }
}

/* Relative to the wait of csr. */
static double own_wait(const subject *s, gs_cost_format format)
{
    const double wait = s->of->format[format].wait;

    if (s->cached) return 1;
    if (format != GS_COST_CUT) return wait;
    return wait * (1 - (1 - s->of->ordered) * (s->irregular >= IRREGULAR ? s->irregular : 0));
}

static void estimate(const subject *s, gs_cost_format format, gsolve_format_estimate *p)
{
    const gs_device_costs *of = s->of;
    const gs_format_costs *own = &of->format[format];
    const double known = s->is_regular ? own->regular : own->irregular;
    const double speed = of->bandwidth * (s->cached ? fmin(known, own->cached) : known);
    const double slower = s->has_long ? of->tiles : 1;
    const double csr = slower * (s->csr + s->vectors) / of->bandwidth + s->wait + of->launch;

    p->bytes = form_bytes(s, format);
    p->product =
        ((p->bytes + s->vectors) / speed + own_wait(s, format) * s->wait + of->launch) / csr;
    p->build = own->build + (own->entry * s->entries + own->begin) / csr;
}

bool gs_estimate_format(const gsolve_format *format, const gsolve_pattern_sample *sample,
                        gsolve_format_estimate *p)
{
    static const char *const name[] = {"sell", "bsr", "bce", "segmented"};
    const subject s = subject_of(sample);
    gs_cost_format f = GS_COST_SELL;

    if (format->estimate) return format->estimate(sample, p, format->user);
    while (f < GS_COST_CUT && strcmp(name[f], format->plugin.name) != 0) f++;
    if (f == GS_COST_CUT || s.csr + s.vectors == 0 || form_bytes(&s, f) < 0) return false;
    if (s.gpu && s.csr + s.vectors < LEAST_BYTES) return false;
    snprintf(p->spec, sizeof p->spec, "%s", name[f]);
    if (s.gpu && f == GS_COST_SEGMENTED && (!s.is_regular || s.irregular >= IRREGULAR)) {
        f = GS_COST_CUT;
    }
    estimate(&s, f, p);
    return p->product <= 1 - LEAST_GAIN;
}
