/* ranking.c: the order of jacobi, ic and amg with cg, by estimates of iterations and times from the
 * statistics of the matrix. It covers matrices that look like a discretised elliptic operator. The
 * times of an iteration and of a set-up are those of matrix/cost_model.h. The numbers of this file
 * are not times, so they are not in its table: they come from the iterations and the systems in the
 * documentation of the automatic choice. */
#include "solver/choose/ranking.h"

#include <math.h>
#include <stdio.h>

const char *const gs_ranked_precond_name[GS_RANKED_COUNT] = {"jacobi", "ic", "amg"};

/* --- the kind of problem ---------------------------------------------------------------------- */

/* Constants are near-null: A times a constant vector is nearly 0. */
typedef enum problem {
    OTHER,
    DOMINATED, /* diagonally dominant */
    ELLIPTIC,  /* nearly an M-matrix; constants are near-null */
    HIGHER,  /* of higher order: constants are near-null, but some off-diagonal entries positive */
    ELASTIC, /* two or three unknowns per node; constants are near-null */
} problem;

/* The number of rows whose diagonal entry is less than the sum of the others, even if only by the
 * rounding of a file's values. */
static int32_t weak_rows(const gsolve_statistics *t)
{
    return t->nrows - t->dominant_rows;
}

static bool has_few_weak_rows(const gsolve_statistics *t)
{
    return weak_rows(t) <= t->nrows / 50;
}

/* Whether constants are near-null: half of the rows or more have the sum 0. Rows that are weak only
 * by rounding count as rows with the sum 0. */
static bool has_null_constants(const gsolve_statistics *t)
{
    const int64_t rounded = t->dominance >= 0.99 ? weak_rows(t) : 0;

    return 2 * (t->zero_sum_rows + rounded) >= t->nrows;
}

/* Whether neighbours have close numbers: at most four planes of a cube apart. */
static bool is_banded(const gsolve_statistics *t)
{
    return t->bandwidth <= 4 * pow(t->nrows, 2.0 / 3);
}

/* Whether rows have about the same length, as on a mesh. */
static bool is_even(const gsolve_statistics *t)
{
    return t->longest_row <= 4 * t->mean_row + 32;
}

/* The last condition allows an operator with a term of order 0, such as a time step. */
static bool is_elliptic(const gsolve_statistics *t)
{
    return t->positive_off <= t->entries / 50 && is_even(t) && t->dominance < 1.2 &&
           (has_few_weak_rows(t) || t->dominance >= 0.99) &&
           (has_null_constants(t) || (t->dominance > 1 && is_banded(t)));
}

/* In a row of sum 0 the positive off-diagonal entries are half (1 / dominance - 1) of the diagonal.
 * The mean dominance is 0.9 with elements of degree 2 on triangles, 0.64 to 0.75 on tetrahedra and
 * cubes, 0.7 with degree 3 on triangles, 0.78 and more for differences of order 4 to 8. It is at
 * most 0.5 where multigrid takes longer than ic: elastic bodies 0.26 to 0.46, edge elements 0.25 to
 * 0.5, the biharmonic operator 0.46. At most 0.49 of the entries are positive. On a cube of 15
 * points per side 0.6 of the rows have another sum than 0: those at the boundary or next to it. */
static bool is_of_higher_order(const gsolve_statistics *t)
{
    const bool constants = (t->spread < 100 ? 3 : 2) * (int64_t)t->zero_sum_rows >= t->nrows;

    return constants && is_even(t) && t->block == 1 && t->mean_dominance >= 0.55 &&
           t->positive_off <= 0.5 * (double)t->entries;
}

static problem classify(const gsolve_statistics *t)
{
    const bool constants = 2 * (int64_t)t->zero_sum_rows >= t->nrows && is_even(t);

    if (t->bandwidth == 1 && t->dominance < 1.2) return OTHER; /* ic is a direct solver */
    if (is_elliptic(t)) return ELLIPTIC;
    if (has_few_weak_rows(t)) return DOMINATED;
    if (constants && (t->block == 2 || t->block == 3) && t->spread < 100) return ELASTIC;
    return is_of_higher_order(t) ? HIGHER : OTHER;
}

/* --- the grid --------------------------------------------------------------------------------- */

/* The number of dimensions. A square of L points per side has 4 / L of its points at the boundary,
 * a cube 6 / L. Rows at the boundary have another sum than 0; with operators of higher order also
 * the rows of the next layer. Where that decides nothing, the bandwidth does: L in a square, L^2 in
 * a cube; or else the length of rows. */
static int dimensions(const gsolve_statistics *t, problem kind)
{
    const double n = t->nrows, square = sqrt(n), boundary = 1 - t->zero_sum_rows / n;

    if (kind == ELLIPTIC && has_few_weak_rows(t) && boundary <= 0.5 && boundary * square >= 2) {
        return fabs(log(boundary * square / 4)) < fabs(log(boundary * cbrt(n) / 6)) ? 2 : 3;
    }
    if (kind == HIGHER && boundary * square >= 2) {
        return fabs(log(boundary * square / 8)) < fabs(log(boundary * cbrt(n) / 12)) ? 2 : 3;
    }
    if (kind == ELLIPTIC && is_banded(t)) return n / t->bandwidth > square / 2 ? 2 : 3;
    return t->mean_row <= (kind == HIGHER ? 20 : 9) ? 2 : 3;
}

/* Points per side. A long grid, with few points at the boundary, counts with its longest side. */
static double length_of(const gsolve_statistics *t, problem kind, int dims)
{
    const double nodes = (double)t->nrows / t->block, edge = pow(nodes, 1.0 / dims);
    const double boundary = 1 - (double)t->zero_sum_rows / t->nrows;
    const double numbered = (double)t->nrows / fmax(1, t->bandwidth);

    return kind == ELLIPTIC && boundary * edge < dims ? fmax(edge, numbered) : edge;
}

/* --- estimates -------------------------------------------------------------------------------- */

/* The factor by which coefficients that jump, between regions or directions, multiply the
 * iterations of jacobi. A spread of 8 is that of a mesh. Entries below 1e-8 of the largest count as
 * rounding errors. Operators of higher order have small entries without such jumps. */
static double jump_factor(const gsolve_statistics *t, problem kind)
{
    const double ratio = t->largest / t->least, spread = fmax(1, t->spread / 8);
    const bool differ = kind != HIGHER && ratio > 100 && ratio < 1e8;

    return fmax(pow(spread, 1.0 / 6), differ ? 2 : 1);
}

/* Iterations to 1e-8. */
typedef struct counts {
    double jacobi; /* for each point of the grid's length */
    double ic;     /* for each iteration with jacobi */
    double amg;
} counts;

static const counts *counts_of(const gsolve_statistics *t, problem kind, int dims)
{
    static const counts square = {1.86, 0.43, 9}, cube = {2.5, 0.43, 12}, wide = {1.45, 0.5, 9};
    static const counts higher_square = {2.5, 0.4, 14}, higher_cube = {3, 0.4, 11};
    static const counts elastic = {10.7, 0.35, 27};

    if (kind == ELASTIC) return &elastic;
    if (kind == HIGHER) return dims == 2 ? &higher_square : &higher_cube;
    if (t->mean_row > 8) return &wide;
    return dims == 2 ? &square : &cube;
}

/* With jacobi the iterations grow with the length, up to a bound from the dominance d: the
 * condition number is at most (d + 1) / (d - 1). With ic they are a fraction of those, and a
 * smaller one where coefficients jump. With multigrid they are constant; one level is a
 * factorisation. */
static void estimate_iterations(const gsolve_statistics *t, problem kind, double jumps,
                                bool one_level, gs_cost_estimate *e)
{
    const counts *c = counts_of(t, kind, e->dimensions);
    const double d = t->dominance;
    double *its = e->iterations;

    its[GS_JACOBI] = (kind == ELASTIC ? 1 : jumps) * e->length * c->jacobi;
    if (d > 1) its[GS_JACOBI] = fmin(its[GS_JACOBI], 9.5 * sqrt((d + 1) / (d - 1)));
    its[GS_IC] = (kind == ELLIPTIC && jumps > 1.5 ? 0.31 : c->ic) * its[GS_JACOBI];
    its[GS_AMG] = one_level ? 2 : c->amg;
}

/* What the decision on a kind of device rests on besides times. */
typedef struct rules {
    double one_level; /* most rows with which amg has one level, a factorisation (coarsest.c) */
    double chip;      /* most entries that cg + jacobi keeps on the chip (resident.c) */
    double short_run; /* amg may come first although it is slower: up to this total in ns, */
    double margin;    /* and if it takes at most this many ns more than the fastest */
    int fallbacks, fallback[GS_RANKED_COUNT]; /* tried after the first choice */
    const char *device;                       /* in the message */
} rules;

/* On a GPU ic comes last, because triangular solves run one set of rows after another. */
static const rules rules_of[GS_COST_DEVICES] = {
    [GS_COST_CPU] = {.one_level = 2000,
                     .short_run = 10e6,
                     .margin = 2e6,
                     .fallbacks = 2,
                     .fallback = {GS_IC, GS_AMG},
                     .device = ""},
    [GS_COST_CUDA] = {.one_level = 512,
                      .chip = 2e6,
                      .fallbacks = 3,
                      .fallback = {GS_AMG, GS_JACOBI, GS_IC},
                      .device = "GPU "},
};

/* The factor of the time of amg for what the entries do not tell: coefficients that jump and
 * long rows give more entries on coarse levels, and a factorisation of a cube has more fill. */
static double fill_of(const gsolve_statistics *t, problem kind, int dims, double jumps,
                      bool one_level)
{
    if (one_level) return dims == 3 ? 6 : 1;
    return (jumps > 1.5 ? 1.15 : 1) * (kind == HIGHER && dims == 3 && t->mean_row > 15 ? 1.2 : 1);
}

static void estimate_times(const gsolve_statistics *t, problem kind, gs_cost_device device,
                           gs_cost_estimate *e)
{
    const gs_device_costs *of = &gs_cost_table[device];
    const gs_iteration_costs *c = kind == ELASTIC ? of->blocks : of->plain;
    const double entries = (double)t->entries, rows = t->nrows;

    for (int k = 0; k < GS_RANKED_COUNT; k++) {
        const double step = k == GS_JACOBI && entries <= rules_of[device].chip
                                ? of->on_chip
                                : c[k].entry * entries + c[k].row * rows + c[k].step;
        e->ns[k] = e->iterations[k] * step + c[k].setup_entry * entries + c[k].setup_row * rows +
                   c[k].setup;
        e->setup_ns[k] = c[k].setup_entry * entries + c[k].setup_row * rows + c[k].setup;
    }
}

bool gs_estimate_cost(const gsolve_statistics *t, bool on_gpu, gs_cost_estimate *e)
{
    static const char *const words[] = {
        [ELLIPTIC] = "a discretised elliptic operator",
        [HIGHER] = "an elliptic operator of higher order",
        [ELASTIC] = "linear elasticity",
    };
    const gs_cost_device device = on_gpu ? GS_COST_CUDA : GS_COST_CPU;
    const bool one_level = t->nrows <= rules_of[device].one_level;
    const problem kind = classify(t);
    double jumps;

    if (kind == OTHER || kind == DOMINATED) return false;
    jumps = jump_factor(t, kind);
    e->kind = words[kind];
    e->dimensions = kind == ELASTIC ? t->block : dimensions(t, kind);
    e->length = length_of(t, kind, e->dimensions);
    estimate_iterations(t, kind, jumps, one_level, e);
    estimate_times(t, kind, device, e);
    e->ns[GS_AMG] *= fill_of(t, kind, e->dimensions, jumps, one_level);
    e->setup_ns[GS_AMG] *= fill_of(t, kind, e->dimensions, jumps, one_level);
    return true;
}

/* --- the decision ----------------------------------------------------------------------------- */

static int fastest_of(const double ns[GS_RANKED_COUNT])
{
    int fastest = 0;

    for (int k = 1; k < GS_RANKED_COUNT; k++) fastest = ns[k] < ns[fastest] ? k : fastest;
    return fastest;
}

/* The fastest; or amg if a user does not notice that it is slower: where an estimate is too low,
 * the iterations with amg grow least. */
static int first_choice(const double ns[GS_RANKED_COUNT], const rules *of)
{
    const int fastest = fastest_of(ns);

    return ns[GS_AMG] <= of->short_run && ns[GS_AMG] - ns[fastest] <= of->margin ? GS_AMG : fastest;
}

/* Digits of a time relative to the fastest: enough to show that it is slower, without an exponent.
 */
static int digits_of(double ratio)
{
    return ratio < 1.095 ? 3 : ratio < 99.5 ? 2 : 1 + (int)log10(ratio + 0.5);
}

/* Writes the reason for the first choice. */
static void write_reason(const gs_cost_estimate *e, const rules *of, int first, char *why,
                         size_t size)
{
    const int fastest = fastest_of(e->ns);
    double ratio[GS_RANKED_COUNT];
    char robust[64] = "";

    for (int k = 0; k < GS_RANKED_COUNT; k++) ratio[k] = e->ns[k] / e->ns[fastest];
    if (first != fastest) {
        snprintf(robust, sizeof robust, "; amg is chosen: at most %.3g ms slower, but more robust",
                 1e-6 * of->margin);
    }
    snprintf(why, size,
             "looks like %s with about %.0f points per side; estimated relative %stimes: "
             "jacobi %.*g, ic %.*g, amg %.*g%s",
             e->kind, e->length, of->device, digits_of(ratio[GS_JACOBI]), ratio[GS_JACOBI],
             digits_of(ratio[GS_IC]), ratio[GS_IC], digits_of(ratio[GS_AMG]), ratio[GS_AMG],
             robust);
}

/* The first choice, then the others. */
static gs_precond_ranking rank_by_time(const gs_cost_estimate *e, const rules *of)
{
    gs_precond_ranking l = {.order = {first_choice(e->ns, of)}, .count = 1};

    for (int k = 0; k < of->fallbacks; k++) {
        if (of->fallback[k] != l.order[0]) l.order[l.count++] = of->fallback[k];
    }
    write_reason(e, of, l.order[0], l.why, sizeof l.why);
    return l;
}

gs_precond_ranking gs_rank_preconds(const gsolve_statistics *t, bool on_gpu)
{
    static const gs_precond_ranking dominated = {
        {GS_JACOBI, GS_IC}, 2, "symmetric and diagonally dominant"};
    static const gs_precond_ranking other = {{GS_IC}, 1, "symmetric with a positive diagonal"};
    static const gs_precond_ranking other_on_gpu = {
        {GS_JACOBI, GS_IC}, 2, "symmetric with a positive diagonal; ic is slow on a GPU"};
    gs_cost_estimate e;

    if (gs_estimate_cost(t, on_gpu, &e))
        return rank_by_time(&e, &rules_of[on_gpu ? GS_COST_CUDA : GS_COST_CPU]);
    if (classify(t) == DOMINATED) return dominated;
    return on_gpu ? other_on_gpu : other;
}

/* --- bicgstab --------------------------------------------------------------------------------- */

/* An iteration of bicgstab has twice the products and applications of one of cg. */
static double time_of_bicgstab(const gs_cost_estimate *e, int kind)
{
    return e->setup_ns[kind] + 2 * (e->ns[kind] - e->setup_ns[kind]);
}

bool gs_prefers_amg(const gsolve_statistics *t, bool on_gpu, char *why, size_t size)
{
    gs_cost_estimate e;

    if (!gs_estimate_cost(t, on_gpu, &e)) return false;
    const double ilu = time_of_bicgstab(&e, GS_IC), amg = time_of_bicgstab(&e, GS_AMG);
    if (amg >= ilu) return false;
    snprintf(why, size,
             "symmetric apart from fixed rows; looks like %s with about %.0f points per side; "
             "estimated relative %stimes: ilu %.*g, amg 1",
             e.kind, e.length, rules_of[on_gpu ? GS_COST_CUDA : GS_COST_CPU].device,
             digits_of(ilu / amg), ilu / amg);
    return true;
}
