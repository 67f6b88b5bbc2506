/* block_host.c: the kernels of block.h on the CPU, for every type. */
#include "solver/block/block.h"

#include <math.h>
#include <string.h>

#include "vector/blocks.h"

#define SMALL static
#include "vector/convergence_body.h"

/* --- small matrices --------------------------------------------------------------------------- */

/* Flags all columns if a square is negative or no vector is independent. */
static void factorise(gs_block_factor *f, const gs_block_small *a)
{
    int *flag = a->convergence.flag + a->convergence.c;
    bool negative = false;

    gs_block_factorise(f, a->b, a->G, NULL);
    for (int i = 0; i < a->b; i++) negative = negative || a->G[i + i * GS_BLOCK] < 0;
    for (int c = 0; c < a->b; c++) {
        if (negative && !flag[c]) flag[c] = GSOLVE_INDEFINITE;
        if (f->rank == 0 && !flag[c]) flag[c] = GSOLVE_BREAKDOWN;
    }
}

static gsolve_status solve(gs_queue *q, const gs_block_small *a)
{
    const int b = a->b;
    gs_block_factor f;

    (void)q;
    factorise(&f, a);
    for (int c = 0; c < b; c++) {
        for (int i = 0; i < b; i++) {
            double sum = 0;
            for (int m = 0; m < f.rank; m++) sum += f.t[i][m] * f.t[c][m];
            a->xi[i + c * GS_BLOCK] = sum;
        }
    }
    for (int c = 0; c < b; c++) {
        for (int i = 0; i < b; i++) {
            double sum = 0;
            for (int m = 0; m < b; m++) sum += a->xi[i + m * GS_BLOCK] * a->sigma[m + c * GS_BLOCK];
            a->alpha[i + c * GS_BLOCK] = sum;
        }
    }
    return GSOLVE_OK;
}

/* x'WW x. */
static double square(const double *x, const double *WW, int b)
{
    double all = 0;

    for (int j = 0; j < b; j++) {
        double sum = 0;
        for (int i = 0; i < b; i++) sum += WW[i + j * GS_BLOCK] * x[i];
        all += sum * x[j];
    }
    return all;
}

static void test_columns(const gs_block_small *a)
{
    for (int c = 0; c < a->b; c++) {
        gs_convergence_test convergence = a->convergence;
        convergence.c += c;
        if (convergence.ended[convergence.c]) continue;
        a->rr[c] = square(a->sigma + c * GS_BLOCK, a->WW, a->b);
        test_column(&convergence, a->rr[c], 1);
    }
}

static gsolve_status orthogonal(gs_queue *q, const gs_block_small *a, bool start)
{
    const int b = a->b;
    gs_block_factor f;

    (void)q;
    factorise(&f, a);
    if (!start) test_columns(a);
    for (int c = 0; c < b; c++) {
        double *sigma = a->sigma + c * GS_BLOCK, before[GS_BLOCK];
        for (int i = 0; i < b; i++) {
            a->t[i + c * GS_BLOCK] = f.t[i][c];
            a->zeta[i + c * GS_BLOCK] = gs_block_zeta(&f, i, c);
            before[i] = start ? i == c : sigma[i];
        }
        for (int m = 0; m < b; m++) {
            sigma[m] = 0;
            for (int i = 0; i < b; i++) sigma[m] += gs_block_zeta(&f, i, m) * before[i];
        }
        for (int i = b; i < a->all; i++) {
            double sum = 0;
            for (int m = 0; m < b; m++) sum -= a->G[i + m * GS_BLOCK] * f.t[m][c];
            a->zeta[i + c * GS_BLOCK] = sum;
        }
    }
    return GSOLVE_OK;
}

#define GS_BODY "solver/block/block_body.h"
#include "core/each_type.h"

#define TABLE(t)                                           \
    {sizeof(double) * GS_MAX_BLOCKS * GS_BLOCK * GS_BLOCK, \
     gram_##t,                                             \
     squares_##t,                                          \
     step_##t,                                             \
     combine_##t,                                          \
     solve,                                                \
     orthogonal}

const gs_block_kernels GS_LEVEL(gs_block_host)[GSOLVE_TYPE_COUNT] = {TABLE(f32), TABLE(f64)};
