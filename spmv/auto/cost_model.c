/* cost_model.c: the cost of conversions and products in the built-in formats, in products of csr.
 * The constants stand in one place because one benchmark measures them together, for complete
 * solves against the same products of csr (bench/bench_auto.c).
 *
 *     product = (B / e + a G + L) / (t B0 + G + L)      build = b + c / (t B0 + G + L)
 *
 * B: bytes of a product in that format, with x and y; B0: the same in csr. G: the wait for far
 * elements of x, as bytes; L: a launch, as bytes. e: bandwidth of the format over that of csr,
 * which does not shorten the wait. a: wait of the format over that of csr. t: slowdown of csr where
 * some rows are much longer than most, since csr cuts these into tiles on a GPU; known for
 * segmented only. c: fixed cost of a build, as bytes. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "matrix/sample.h"
#include "spmv/auto/cost_model.h"

typedef enum layout { SEGMENTS, SLICES, GROUPS, BLOCKS } layout;

enum { CPU, CUDA, DEVICES };

/* e is 1 or less where nothing better was measured: then a format pays only if it moves fewer bytes
 * than csr. On an H200, sell reached 1.01 to 1.24 on regular rows, segmented 1.04 to 1.2 and bsr
 * 1.07 to 1.17. */
typedef struct rate {
    const char *name;
    layout layout;
    double regular[DEVICES], irregular[DEVICES]; /* e, for regular and irregular lengths of rows */
    double waits[DEVICES];                       /* a */
    double build[DEVICES], begin[DEVICES];       /* b, c */
} rate;

/* auto does not choose a built-in format without an entry. */
static const rate rates[] = {
    /* on a CPU, unpacking 16-bit indices costs a part of what they save */
    {"sell", SLICES, {0.95, 1.05}, {0.8, 0.7}, {1, 0.95}, {10, 2.5}, {0, 0.26e9}},
    /* one index per block, and the block's values are contiguous */
    {"bsr", BLOCKS, {1.0, 1.05}, {1.0, 1.05}, {1, 1}, {12, 4}, {0, 1e9}},
    /* rows of one length are not neighbours: accesses to x and y are less ordered */
    {"bce", GROUPS, {0.85, 0.9}, {0.85, 0.9}, {1, 1}, {20, 16}, {0, 0}},
    /* reads the bytes of csr, divided among the threads in another order */
    {"segmented", SEGMENTS, {0.9, 1.05}, {0.95, 1.0}, {1, 0.85}, {8, 1.5}, {0, 0.25e9}},
};

#define LEAST_BYTES (10 << 20) /* of a product on a GPU; below it the launch dominates */
#define LEAST_GAIN  0.03       /* of a product; a smaller gain is within the error of the model */
#define FULL        0.95       /* least share of dense blocks */

/* The cost of a far element of x, which reads a cache line and uses little of it, in bytes at the
 * speed of a copy. Measured: on an H200 (copy: 4300 GB/s) 118 to 164 G elements/s from the L2 cache
 * and 50 G elements/s from memory; on a Zen 5 core (copy: 30 GB/s) 0.8 ns per element. It costs
 * nothing if x fits into the cache next to the cores. */
#define NEAR_CACHE (1 << 20)
#define L2_CACHE   (60e6)
#define FAR_BYTES  24
#define BEYOND_L2  80

/* On a GPU: L; and the bytes of rows and vectors up to which a solve stays in the L2 cache.
 * There, neither coalesced reads nor evict-first loads help. */
#define LAUNCH  12e6
#define FITS_L2 40e6

/* Constants of cut rows in segments on a GPU, from rmat, web, circuit, lp and emptyrows on an H200.
 */
#define TILES 1.5 /* t */
#define WAIT  1.4 /* a */
/* Least share of entries in irregular rows with which ordering by columns pays. */
#define LEAST_IRREGULAR 0.45
#define IRREGULAR_WAIT  0.5    /* factor of the wait for these entries after ordering */
#define CUT_BUILD       3      /* b */
#define CUT_BEGIN       0.86e9 /* c */

static double size_of(const gsolve_pattern_sample *g)
{
    return g->type == GSOLVE_F32 ? 4 : 8;
}

static double vector_bytes(const gsolve_pattern_sample *g)
{
    return size_of(g) * ((double)g->ncols + g->nrows);
}

/* The share of entries that wait for an element of x. */
static double far_share(const gsolve_pattern_sample *g, int device)
{
    if (size_of(g) * g->ncols <= NEAR_CACHE) return 0;
    return device == CUDA && g->irregular > g->far ? g->irregular : g->far;
}

/* The cost of waiting for x, in bytes. */
static double wait_bytes(const gsolve_pattern_sample *g, int device)
{
    const double each = device == CUDA && size_of(g) * g->ncols > L2_CACHE ? BEYOND_L2 : FAR_BYTES;
    return far_share(g, device) * each * (double)g->entries;
}

static double csr_bytes(const gsolve_pattern_sample *g)
{
    const double offset = g->offset == GSOLVE_O64 ? 8 : 4;
    return (double)g->entries * (size_of(g) + 4) + offset * g->nrows;
}

/* The largest size of dense blocks that fill the matrix, or 1. */
static int block_of(const gsolve_pattern_sample *g)
{
    int b = 6;

    while (b > 1 && !(g->block[b] >= FULL)) b--;
    return b;
}

/* The bytes of the form that one product reads; negative if the format does not apply. Segments are
 * sorted if padding would exceed a tenth. */
static double form_bytes(const gsolve_pattern_sample *g, layout l, int device)
{
    /* 16-bit indices gain nothing while the product waits for x */
    const double hidden = device == CUDA ? far_share(g, device) : 0;
    const double index = 4 - 2 * g->narrow * (1 - hidden), entries = (double)g->entries;
    const double filled = (double)(device == CUDA ? g->filled32 : g->filled8);
    const double b = block_of(g);

    switch (l) {
    case SEGMENTS:
        return device == CPU ? csr_bytes(g) : fmin(filled, 1.1 * entries) * (size_of(g) + 4);
    case SLICES: return filled * (size_of(g) + index);
    case GROUPS: return entries * (size_of(g) + index) + 4. * g->nrows;
    case BLOCKS: return b < 2 ? -1 : entries * (size_of(g) + 4 / (b * b)) + 4 * g->nrows / b;
    }
    return -1;
}

static double mean_length(const gsolve_pattern_sample *g)
{
    return g->nrows > 0 ? (double)g->entries / g->nrows : 0;
}

/* Whether some rows are much longer than most; csr's kernels on a GPU decide the same way. */
static bool has_long(const gsolve_pattern_sample *g)
{
    return g->longest_row > 3 * mean_length(g) + 16;
}

static bool is_regular(const gsolve_pattern_sample *g)
{
    return !has_long(g) && g->empty_rows <= g->nrows / 4;
}

/* Whether segments cut rows and order them: where lengths differ much, or rows are irregular. */
static bool is_cut(const gsolve_pattern_sample *g)
{
    return !is_regular(g) || g->irregular >= LEAST_IRREGULAR;
}

/* Estimates segments on a GPU where rows are cut. */
static void estimate_cut(const gsolve_pattern_sample *g, gsolve_format_estimate *p)
{
    const double moved = csr_bytes(g) + vector_bytes(g), wait = wait_bytes(g, CUDA);
    const double irregular = g->irregular >= LEAST_IRREGULAR ? g->irregular : 0;
    const double own = WAIT * (1 - (1 - IRREGULAR_WAIT) * irregular);
    const double plain = (has_long(g) ? TILES : 1) * moved + wait + LAUNCH;

    p->product = (moved + own * wait + LAUNCH) / plain;
    p->build = CUT_BUILD + CUT_BEGIN / plain;
    p->bytes = csr_bytes(g);
}

static void estimate_plain(const rate *r, const gsolve_pattern_sample *g, int device,
                           gsolve_format_estimate *p)
{
    const double wait = wait_bytes(g, device), launch = device == CUDA ? LAUNCH : 0;
    const double vectors = vector_bytes(g), plain = csr_bytes(g) + vectors + wait + launch;
    const bool fits_l2 = device == CUDA && csr_bytes(g) + 3 * vectors < FITS_L2;
    const double known = is_regular(g) ? r->regular[device] : r->irregular[device];
    const double e = fits_l2 ? fmin(known, 1) : known, a = fits_l2 ? 1 : r->waits[device];

    p->bytes = form_bytes(g, r->layout, device);
    p->product = ((p->bytes + vectors) / e + a * wait + launch) / plain;
    p->build = r->build[device] + r->begin[device] / plain;
}

static bool estimate_built_in(const rate *r, const gsolve_pattern_sample *g,
                              gsolve_format_estimate *p)
{
    const int device = strcmp(g->device, "cuda") == 0 ? CUDA : CPU;
    const double moved = csr_bytes(g) + vector_bytes(g);

    if (moved == 0 || form_bytes(g, r->layout, device) < 0) return false;
    if (device == CUDA && moved < LEAST_BYTES) return false;
    if (device == CUDA && r->layout == SEGMENTS && is_cut(g)) {
        estimate_cut(g, p);
    } else {
        estimate_plain(r, g, device, p);
    }
    snprintf(p->spec, sizeof p->spec, "%s", r->name);
    return p->product <= 1 - LEAST_GAIN;
}

bool gs_estimate_format(const gsolve_format *format, const gsolve_pattern_sample *sample,
                        gsolve_format_estimate *estimate)
{
    if (format->estimate) return format->estimate(sample, estimate);
    for (size_t k = 0; k < sizeof rates / sizeof *rates; k++) {
        if (strcmp(rates[k].name, format->plugin.name) == 0) {
            return estimate_built_in(&rates[k], sample, estimate);
        }
    }
    return false;
}
