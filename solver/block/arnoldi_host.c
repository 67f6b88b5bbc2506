/* arnoldi_host.c: the kernels of block_gmres in block.h on the CPU. */
#include "solver/block/block.h"

#include <math.h>
#include <string.h>

#include "vector/blocks.h"

static double square(int64_t count, const double *v)
{
    double sum = 0;

    for (int64_t i = 0; i < count; i++) sum += v[i] * v[i];
    return sum;
}

static void rotate(const gs_arnoldi_small *a);

/* --- orthogonal blocks ------------------------------------------------------------------------ */

static gsolve_status first(gs_queue *q, const gs_arnoldi_small *a)
{
    const int b = a->b, rows = a->steps * b;
    double *C = gs_arnoldi_current(a), floor[GS_BLOCK] = {0};
    gs_block_factor f;
    bool well = true;

    (void)q;
    for (int c = 0; c < b; c++) {
        const double left = a->G[c + c * GS_BLOCK], was = square(rows, C + c * a->ld) + left;
        floor[c] = a->steps == 0 && a->ended[c] ? INFINITY : a->noise * a->noise * was;
        if (left > floor[c] && !(left >= GS_ONE_PASS_ENOUGH * was)) well = false;
        if (a->steps == 0) a->no_update[c] = 1;
    }
    gs_block_factorise(&f, b, a->G, floor);
    for (int c = 0; c < b; c++) {
        for (int i = 0; i < b; i++) {
            a->t[i + c * GS_BLOCK] = f.t[i][c];
            C[rows + i + c * a->ld] = gs_block_zeta(&f, c, i);
        }
    }
    *a->once = well && f.least >= GS_ONE_PASS_ENOUGH;
    if (a->steps == 0) *a->length = 0;
    if (*a->once && a->steps > 0) rotate(a);
    return GSOLVE_OK;
}

/* column += again S, and S = (new S) S below it. */
static void correct_column(const gs_arnoldi_small *a, const gs_block_factor *f, double *column)
{
    const int b = a->b, rows = a->steps * b;
    double S[GS_BLOCK];

    memcpy(S, column + rows, (size_t)b * sizeof *S);
    for (int m = 0; m < b; m++) {
        for (int i = 0; i < rows; i++) column[i] += a->again[i + m * a->ld] * S[m];
    }
    for (int i = 0; i < b; i++) {
        column[rows + i] = 0;
        for (int m = 0; m < b; m++) column[rows + i] += gs_block_zeta(f, m, i) * S[m];
    }
}

static gsolve_status second(gs_queue *q, const gs_arnoldi_small *a)
{
    const int b = a->b;
    gs_block_factor f;

    (void)q;
    gs_block_factorise(&f, b, a->G, NULL);
    for (int c = 0; c < b; c++) {
        correct_column(a, &f, gs_arnoldi_current(a) + c * a->ld);
        for (int i = 0; i < b; i++) a->t[i + c * GS_BLOCK] = f.t[i][c];
    }
    if (a->steps > 0) rotate(a);
    return GSOLVE_OK;
}

/* --- the least-squares problem ---------------------------------------------------------------- */

/* Two blocks of rows: this step's of H, of the product of its reflections, and of g. */
typedef struct pair {
    double H[GS_BLOCK][2 * GS_BLOCK], Q[2 * GS_BLOCK][2 * GS_BLOCK], g[GS_BLOCK][2 * GS_BLOCK];
} pair;

/* y -= v (v'y) factor over the rows [from, to). */
static void reflect(int from, int to, const double *v, double factor, double *y)
{
    double sum = 0;

    for (int i = from; i < to; i++) sum += v[i] * y[i];
    sum *= factor;
    for (int i = from; i < to; i++) y[i] -= sum * v[i];
}

/* The Householder reflection that clears column k of H below its row k. A column that is 0, of a
 * vector that is 0, leaves all as it is: its row is 0 too, and so is its part of y. */
static void reflect_all(pair *p, int b, int k)
{
    double v[2 * GS_BLOCK];
    const double size = sqrt(square(2 * b - k, p->H[k] + k)), top = p->H[k][k];
    const double alpha = top > 0 ? -size : size;

    if (!(size > 0)) return;
    memcpy(v, p->H[k], sizeof v);
    v[k] = top - alpha;
    const double factor = 1 / (alpha * (alpha - top)); /* 2 / v'v */
    for (int c = k + 1; c < b; c++) reflect(k, 2 * b, v, factor, p->H[c]);
    for (int c = 0; c < 2 * b; c++) reflect(k, 2 * b, v, factor, p->Q[c]);
    for (int c = 0; c < b; c++) reflect(k, 2 * b, v, factor, p->g[c]);
    memset(p->H[k] + k, 0, (size_t)(2 * b - k) * sizeof(double));
    p->H[k][k] = alpha;
}

/* column = Q column in two blocks of rows. */
static void apply_pair(int b, const double *Q, double *column)
{
    double was[2 * GS_BLOCK];

    memcpy(was, column, (size_t)(2 * b) * sizeof *was);
    memset(column, 0, (size_t)(2 * b) * sizeof *was);
    for (int m = 0; m < 2 * b; m++) {
        for (int i = 0; i < 2 * b; i++) column[i] += Q[i + m * 2 * b] * was[m];
    }
}

static void rotate(const gs_arnoldi_small *a)
{
    const int b = a->b, j = a->steps - 1;
    const size_t one = (size_t)b * sizeof(double), two = 2 * one;
    double *C = gs_arnoldi_current(a);
    pair p = {0};

    for (int c = 0; c < b; c++) {
        for (int i = 0; i < j; i++) apply_pair(b, a->Q + i * 4 * b * b, C + c * a->ld + i * b);
        memcpy(p.H[c], C + c * a->ld + j * b, two);
        memcpy(p.g[c], a->g + c * a->ld + j * b, one); /* and 0 below */
    }
    for (int i = 0; i < 2 * b; i++) p.Q[i][i] = 1;
    for (int k = 0; k < b; k++) reflect_all(&p, b, k);
    for (int c = 0; c < b; c++) {
        memcpy(C + c * a->ld + j * b, p.H[c], one);
        memcpy(a->g + c * a->ld + j * b, p.g[c], two);
        if (!a->ended[c]) a->rr[c] = square(b, p.g[c] + b);
    }
    for (int c = 0; c < 2 * b; c++) memcpy(a->Q + j * 4 * b * b + c * 2 * b, p.Q[c], two);
    *a->length = a->steps;
}

/* R y = y in rows; a vanishing pivot (a vector that is 0, or singular A) gives 0. */
static gsolve_status solve(gs_queue *q, const gs_arnoldi_small *a)
{
    const int b = a->b, rows = *a->length * b;

    (void)q;
    for (int c = 0; c < b; c++) {
        double *y = a->again + c * a->ld;
        memcpy(y, a->g + c * a->ld, (size_t)rows * sizeof *y);
        for (int l = rows - 1; l >= 0; l--) {
            const double *column = a->H + l * a->ld;
            y[l] = column[l] != 0 ? y[l] / column[l] : 0;
            for (int i = 0; i < l; i++) y[i] -= column[i] * y[l];
        }
        a->no_update[c] = rows == 0;
    }
    return GSOLVE_OK;
}

static gsolve_status close(gs_queue *q, const gs_arnoldi_small *a)
{
    (void)q;
    *a->length = 0;
    for (int c = 0; c < a->b; c++) a->no_update[c] = 1;
    return GSOLVE_OK;
}

#define GS_BODY "solver/block/arnoldi_body.h"
#include "core/each_type.h"

/* Sums of every block of rows. */
static size_t space(int64_t n, int vectors, int b)
{
    const int most = vectors > b ? vectors : b, tiles = (most + 1) / 2 * ((b + 3) / 4);

    return (size_t)gs_blocks_of(n).count * (size_t)tiles * 8 * sizeof(double);
}

#define TABLE(t) {space, project_##t, subtract_##t, times_##t, first, second, solve, close}

const gs_arnoldi_kernels GS_LEVEL(gs_arnoldi_host)[GSOLVE_TYPE_COUNT] = {TABLE(f32), TABLE(f64)};
