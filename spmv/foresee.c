/* foresee.c: what the built-in formats would make of a matrix, in products of csr: kept in one
 * place because it is measured in one go, each against the same products of csr
 * (bench/bench_auto.c).
 *
 *     product = (B / e + G) / (B0 + G)
 *
 * B: bytes of a product in that format, B0: in csr; G: what waiting for far elements of x costs, as
 * bytes; e: the share of the bandwidth that the format reaches, over that of csr, which does not
 * shorten the wait (sell over csr on an H200: renumbered stencil of 262144 rows 0.98, random rows
 * 0.98, rmat 1.16; foreseen 0.97, 0.98, 1.17). Of segments on a GPU more is known:
 *
 *     product = (B + a G) / (t B0 + G)
 *
 * t: what csr loses where some rows are much longer than most, which it cuts into tiles; a: what
 * waiting costs segments, less where those of strewn rows (glance.h) are put in the order of their
 * columns. */
#include <stdio.h>
#include <string.h>

#include "spmv/glance.h"

typedef enum layout { ROWS, SEGMENTS, SLICES, GROUPS, BLOCKS } layout;

enum { CPU, CUDA, DEVICES };

/* e is 1 or less where nothing better is known: then fewer bytes decide alone, and a format that
 * moves those of csr is not taken. build: products of csr. On an H200 sell reached 1.01 to 1.19 on
 * regular rows and was built in 3 to 5 products, bsr 1.07 to 1.17 in 5 to 7. begin: what a build
 * takes however small the matrix, as bytes of products. */
typedef struct rate {
    const char *name;
    layout layout;
    double regular[DEVICES], irregular[DEVICES]; /* e, by the lengths of the rows */
    double build[DEVICES], begin[DEVICES];
} rate;

static const rate rates[] = {
    /* bytes as reckoned; on a CPU the unpacking of indices takes some of what they spare */
    {"sell", SLICES, {0.95, 1.05}, {0.8, 0.7}, {10, 5}, {0, 0}},
    /* one index for a whole block, and its values in a row */
    {"bsr", BLOCKS, {1.0, 1.05}, {1.0, 1.05}, {12, 8}, {0, 0}},
    /* rows of one length lie apart: x and y are read and written with less order */
    {"bce", GROUPS, {0.85, 0.9}, {0.85, 0.9}, {20, 16}, {0, 0}},
    /* the bytes of csr, shared out otherwise; 0.16 ms on an H200 */
    {"segmented", SEGMENTS, {0.9, 1.0}, {0.95, 1.0}, {8, 3}, {0, 0.7e9}},
    {"speculative", ROWS, {0.9, 0.85}, {0.95, 1.0}, {1, 1}, {0, 0}},
};

#define LEAST_BYTES (8 << 20) /* of a product on a GPU; below it the launch is what takes time */
#define LEAST_GAIN  0.03      /* of a product: less is within what is not known */
#define FULL        0.95      /* share of blocks that must be dense */

/* A far element of x comes with a cache line of which it uses little. As bytes at the speed of a
 * copy: 118 to 164 G elements/s from the L2 of an H200 (copy: 4300 GB/s), 50 G/s from beyond it; on
 * a Zen 5 core 0.8 ns (30 GB/s). x that fits into the cache next to the cores costs nothing. */
#define NEAR_CACHE (1 << 20)
#define L2_CACHE   (60e6)
#define FAR_BYTES  24
#define BEYOND_L2  80

/* Of segments on a GPU, from products on an H200 with rmat, web, circuit, lp and emptyrows. */
#define TILES       1.25
#define WAIT        1.15
#define STREWN      0.5 /* share of entries in strewn rows from which the order of columns pays */
#define STREWN_WAIT 0.5 /* of the wait for these that is left then */

static double size_of(const gsolve_glance *g)
{
    return g->type == GSOLVE_F32 ? 4 : 8;
}

static double vector_bytes(const gsolve_glance *g)
{
    return size_of(g) * ((double)g->ncols + g->nrows);
}

/* What waiting for x costs. */
static double wait_bytes(const gsolve_glance *g, int device)
{
    const double x = size_of(g) * g->ncols;
    const double far = x <= NEAR_CACHE ? 0 : device == CUDA && x > L2_CACHE ? BEYOND_L2 : FAR_BYTES;
    const double share = device == CUDA && g->strewn > g->far ? g->strewn : g->far;

    return share * far * (double)g->entries;
}

static double csr_bytes(const gsolve_glance *g)
{
    const double offset = g->offset == GSOLVE_O64 ? 8 : 4;
    return (double)g->entries * (size_of(g) + 4) + offset * g->nrows;
}

/* The largest size of dense blocks that the matrix is made of, or 1. */
static int block_of(const gsolve_glance *g)
{
    int b = 6;

    while (b > 1 && !(g->block[b] >= FULL)) b--;
    return b;
}

/* What one product reads of the form; below 0: it would be another one. */
static double form_bytes(const gsolve_glance *g, layout l, int device)
{
    const double index = 4 - 2 * g->narrow, entries = (double)g->entries;
    const double filled = (double)(device == CUDA ? g->filled32 : g->filled8);
    const double b = block_of(g);

    switch (l) {
    case ROWS:
    case SEGMENTS: return csr_bytes(g);
    case SLICES: return filled * (size_of(g) + index);
    case GROUPS: return entries * (size_of(g) + index) + 4. * g->nrows;
    case BLOCKS: return b < 2 ? -1 : entries * (size_of(g) + 4 / (b * b)) + 4 * g->nrows / b;
    }
    return -1;
}

static double mean_length(const gsolve_glance *g)
{
    return g->nrows > 0 ? (double)g->entries / g->nrows : 0;
}

/* Some rows are much longer than most: as the kernels of csr on a GPU decide. */
static bool has_long(const gsolve_glance *g)
{
    return g->longest_row > 3 * mean_length(g) + 16;
}

static bool is_regular(const gsolve_glance *g)
{
    return !has_long(g) && g->empty_rows <= g->nrows / 4;
}

/* moved: bytes of csr, x and y. */
static double product_of_segments(const gsolve_glance *g, double moved, double wait)
{
    const double strewn = g->strewn >= STREWN ? g->strewn : 0;
    const double own = WAIT * (1 - (1 - STREWN_WAIT) * strewn);

    return (moved + own * wait) / ((has_long(g) ? TILES : 1) * moved + wait);
}

static bool foresee(const rate *r, const gsolve_glance *g, gsolve_prospect *p)
{
    const int device = strcmp(g->device, "cuda") == 0 ? CUDA : CPU;
    const double bytes = form_bytes(g, r->layout, device), wait = wait_bytes(g, device);
    const double vectors = vector_bytes(g), plain = csr_bytes(g) + vectors + wait;
    const double e = is_regular(g) ? r->regular[device] : r->irregular[device];

    if (bytes < 0 || plain == 0 || (device == CUDA && plain < LEAST_BYTES)) return false;
    p->product = r->layout == SEGMENTS && device == CUDA
                     ? product_of_segments(g, bytes + vectors, wait)
                     : ((bytes + vectors) / e + wait) / plain;
    p->build = r->build[device] + r->begin[device] / plain;
    p->bytes = bytes;
    snprintf(p->spec, sizeof p->spec, "%s", r->name);
    return p->product <= 1 - LEAST_GAIN;
}

bool gs_foresee(const gsolve_format *format, const gsolve_glance *glance, gsolve_prospect *prospect)
{
    if (format->foresee) return format->foresee(glance, prospect);
    for (size_t k = 0; k < sizeof rates / sizeof *rates; k++) {
        if (strcmp(rates[k].name, format->plugin.name) == 0) {
            return foresee(&rates[k], glance, prospect);
        }
    }
    return false;
}
