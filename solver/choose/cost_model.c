/* cost_model.c: what iterations and set-up are likely to take, for the matrices of which that can
 * be told from their traits: those that look like a discretised elliptic operator.
 * docs/understand/automatic_choice.md has the measurements that the numbers below come from. */
#include "solver/choose/cost_model.h"

#include <math.h>
#include <stdio.h>

const char *const gs_ranked_precond_name[GS_RANKED_COUNT] = {"jacobi", "ic", "amg"};

/* --- what it looks like -------------------------------------------------------------------------
 */

typedef enum kin {
    OTHER,
    DOMINATED, /* by its diagonal */
    ELLIPTIC,  /* an M-matrix, nearly or wholly, constants near-null */
    HIGHER, /* constants near-null, some entries above 0: elements or differences of higher order */
    ELASTIC, /* two or three unknowns a node, constants near-null */
} kin;

/* Rows whose diagonal is less than the others' sum, be it by the rounding of a file's values. */
static int32_t weak_rows(const gsolve_statistics *t)
{
    return t->nrows - t->dominant_rows;
}

static bool has_few_weak_rows(const gsolve_statistics *t)
{
    return weak_rows(t) <= t->nrows / 50;
}

/* Rows sum to nothing, or did so before rounding, which half of them are weak by. */
static bool knows_constants(const gsolve_statistics *t)
{
    const int64_t rounded = t->dominance >= 0.99 ? weak_rows(t) : 0;

    return 2 * (t->zero_sum_rows + rounded) >= t->nrows;
}

/* Neighbours have numbers near each other: at most four planes of a cube away. */
static bool is_orderly(const gsolve_statistics *t)
{
    return t->bandwidth <= 4 * pow(t->nrows, 2.0 / 3);
}

/* Rows about equally long, as on a mesh. */
static bool is_even(const gsolve_statistics *t)
{
    return t->longest_row <= 4 * t->mean_row + 32;
}

/* The last condition: an operator with a term of order 0, such as a step in time. */
static bool is_elliptic(const gsolve_statistics *t)
{
    return t->positive_off <= t->entries / 50 && is_even(t) && t->dominance < 1.2 &&
           (has_few_weak_rows(t) || t->dominance >= 0.99) &&
           (knows_constants(t) || (t->dominance > 1 && is_orderly(t)));
}

/* Rows that sum to 0 have entries above 0 of half (1 / dominance - 1) times the diagonal. The mean
 * dominance is 0.9 with elements of degree 2 on triangles, 0.64 to 0.75 on tetrahedra and cubes,
 * 0.7 with degree 3 on triangles, 0.78 and more for differences of order 4 to 8. Where multigrid
 * takes longer than ic it is at most 0.5: elastic bodies 0.26 to 0.46, edge elements 0.25 to 0.5,
 * the biharmonic operator 0.46. At most 0.49 of the entries are above 0. On a cube of 15 points an
 * edge 0.6 of the rows do not sum to 0: they are at the boundary or next to it. */
static bool is_of_higher_order(const gsolve_statistics *t)
{
    const bool constants = (t->spread < 100 ? 3 : 2) * (int64_t)t->zero_sum_rows >= t->nrows;

    return constants && is_even(t) && t->block == 1 && t->mean_dominance >= 0.55 &&
           t->positive_off <= 0.5 * (double)t->entries;
}

static kin findings_of(const gsolve_statistics *t)
{
    const bool constants = 2 * (int64_t)t->zero_sum_rows >= t->nrows && is_even(t);

    if (t->bandwidth == 1 && t->dominance < 1.2) return OTHER; /* of which ic is the inverse */
    if (is_elliptic(t)) return ELLIPTIC;
    if (has_few_weak_rows(t)) return DOMINATED;
    if (constants && (t->block == 2 || t->block == 3) && t->spread < 100) return ELASTIC;
    return is_of_higher_order(t) ? HIGHER : OTHER;
}

/* --- the grid -----------------------------------------------------------------------------------
 */

/* A square of L points an edge has the share 4 / L of its points at the boundary, a cube 6 / L;
 * there rows do not sum to 0, with operators of higher order in the next layer neither. Where these
 * sums tell nothing, the numbering does: along planes of L^2 points or lines of L; or else the
 * length of rows. */
static int dimensions(const gsolve_statistics *t, kin look)
{
    const double n = t->nrows, square = sqrt(n), rim = 1 - t->zero_sum_rows / n;

    if (look == ELLIPTIC && has_few_weak_rows(t) && rim <= 0.5 && rim * square >= 2) {
        return fabs(log(rim * square / 4)) < fabs(log(rim * cbrt(n) / 6)) ? 2 : 3;
    }
    if (look == HIGHER && rim * square >= 2) {
        return fabs(log(rim * square / 8)) < fabs(log(rim * cbrt(n) / 12)) ? 2 : 3;
    }
    if (look == ELLIPTIC && is_orderly(t)) return n / t->bandwidth > square / 2 ? 2 : 3;
    return t->mean_row <= (look == HIGHER ? 20 : 9) ? 2 : 3;
}

/* Points along an edge, or where little of a long grid is boundary along its longest. */
static double length_of(const gsolve_statistics *t, kin look, int dims)
{
    const double nodes = (double)t->nrows / t->block, edge = pow(nodes, 1.0 / dims);
    const double rim = 1 - (double)t->zero_sum_rows / t->nrows;
    const double numbered = (double)t->nrows / fmax(1, t->bandwidth);

    return look == ELLIPTIC && rim * edge < dims ? fmax(edge, numbered) : edge;
}

/* --- the forecast -------------------------------------------------------------------------------
 */

/* Coefficients that jump, from box to box or with the direction: jacobi takes so many times the
 * iterations. A spread of 8 is that of a mesh; entries of less than 1e-8 of the largest are taken
 * for rounding. Operators of higher order have small entries without such jumps. */
static double unevenness(const gsolve_statistics *t, kin look)
{
    const double ratio = t->largest / t->least, spread = fmax(1, t->spread / 8);
    const bool differ = look != HIGHER && ratio > 100 && ratio < 1e8;

    return fmax(pow(spread, 1.0 / 6), differ ? 2 : 1);
}

typedef double numbers[GS_RANKED_COUNT];

/* With jacobi in proportion to the length, and as few as the dominance promises: the condition is
 * at most (d + 1) / (d - 1). ic takes a share of these; multigrid takes what it takes, but for one
 * level, which is solved exactly. */
static void forecast_iterations(const gsolve_statistics *t, kin look, int dims, double length,
                                numbers its)
{
    const double uneven = unevenness(t, look), d = t->dominance;
    const bool wide = t->mean_row > 8;
    double share;

    its[GS_JACOBI] = uneven * length *
                     (look == HIGHER ? (dims == 2 ? 2.5 : 3)
                      : wide         ? 1.45
                      : dims == 2    ? 1.86
                                     : 2.5);
    if (d > 1) its[GS_JACOBI] = fmin(its[GS_JACOBI], 9.5 * sqrt((d + 1) / (d - 1)));
    share = look == HIGHER ? 0.4 : uneven > 1.5 ? 0.31 : wide ? 0.5 : 0.43;
    its[GS_IC] = share * its[GS_JACOBI];
    its[GS_AMG] = look == HIGHER ? (dims == 2 ? 14 : 11) : dims == 2 || wide ? 9 : 12;
    if (look == ELASTIC) {
        its[GS_JACOBI] = 10.7 * length;
        its[GS_IC] = 0.35 * its[GS_JACOBI];
        its[GS_AMG] = 27;
    }
}

/* ns of an iteration of cg and of the set-up: for each entry, for each row, and whatever the size.
 */
typedef struct price {
    double entry, row, step, setup_entry, setup_row, setup;
} price;

/* Of a kind of device, fp64. */
typedef struct prices {
    price plain[GS_RANKED_COUNT], blocks[GS_RANKED_COUNT];
    double one_level;     /* rows of a matrix that amg factors at once (coarsest.c) */
    double chip, on_chip; /* entries of a system that cg + jacobi keeps on the chip; ns of a step */
    double waits;         /* ns that nobody notices */
    int thens, then[GS_RANKED_COUNT]; /* what to try after the first, unless it is that */
    const char *whose;                /* times: "" or "GPU " */
} prices;

/* One core. */
static const prices cpu = {
    .plain = {{0.55, 2.65, 0, 0, 20, 0}, {1.12, 6.85, 0, 15, 0, 0}, {2.6, 28, 0, 46, 250, 0}},
    .blocks = {{0.5, 0, 0, 3.4, 0, 0}, {1.18, 0, 0, 26, 0, 0}, {2.95, 0, 0, 97, 0, 0}},
    .one_level = 2000,
    .waits = 2e6,
    .thens = 2,
    .then = {GS_IC, GS_AMG},
    .whose = "",
};

/* An H200. Triangles are solved a set of rows after the other: ic is the slowest whatever the
 * size, its set-up not counted, and comes last. Neither is that of jacobi: auto has looked at the
 * rows on the host, where it is made. */
static const prices gpu = {
    .plain = {{0.0024, 0.0226, 14e3, 0, 0, 0},
              {0.25, 0, 600e3, 0, 0, 0},
              {0.016, 0.13, 100e3, 0.22, 1.3, 2.8e6}},
    .blocks = {{0.0024, 0.0226, 14e3, 0, 0, 0},
               {1.3, 0, 600e3, 0, 0, 0},
               {0.021, 0, 100e3, 0.6, 0, 4.3e6}},
    .one_level = 512,
    .chip = 2e6,
    .on_chip = 12e3,
    .thens = 3,
    .then = {GS_AMG, GS_JACOBI, GS_IC},
    .whose = "GPU ",
};

static void forecast_times(const gsolve_statistics *t, const prices *of, kin look, int dims,
                           const numbers its, numbers ns)
{
    const price *p = look == ELASTIC ? of->blocks : of->plain;
    const double entries = (double)t->entries, rows = t->nrows;
    const bool one = rows <= of->one_level;

    for (int k = 0; k < GS_RANKED_COUNT; k++) {
        const double count = k == GS_AMG && one ? 2 : its[k];
        const double step = k == GS_JACOBI && entries <= of->chip
                                ? of->on_chip
                                : p[k].entry * entries + p[k].row * rows + p[k].step;
        ns[k] = count * step + p[k].setup_entry * entries + p[k].setup_row * rows + p[k].setup;
    }
    if (!one && unevenness(t, look) > 1.5) ns[GS_AMG] *= 1.15; /* more entries on coarse levels */
    if (!one && look == HIGHER && dims == 3 && t->mean_row > 15) ns[GS_AMG] *= 1.2; /* likewise */
    if (one && dims == 3) ns[GS_AMG] *= 2.5;                                        /* more fill */
}

/* Of a time over the least, so that none is in powers of ten, and that it is seen which is less. */
static int digits(double ratio)
{
    return ratio < 1.095 ? 3 : ratio < 99.5 ? 2 : 1 + (int)log10(ratio + 0.5);
}

/* The fastest, or multigrid where all is over soon anyway, whose iterations grow least where the
 * forecast is too hopeful; then others. */
static void forecast(const gsolve_statistics *t, const prices *of, kin look, gs_precond_ranking *l)
{
    const char *what = look == ELASTIC    ? "linear elasticity"
                       : look == ELLIPTIC ? "a discretised elliptic operator"
                                          : "a discretised elliptic operator";
    const int dims = look == ELASTIC ? t->block : dimensions(t, look);
    const double length = length_of(t, look, dims);
    int best = GS_JACOBI, first;
    numbers its, ns, over;
    bool soon;

    forecast_iterations(t, look, dims, length, its);
    forecast_times(t, of, look, dims, its, ns);
    for (int k = 1; k < GS_RANKED_COUNT; k++) best = ns[k] < ns[best] ? k : best;
    for (int k = 0; k < GS_RANKED_COUNT; k++) over[k] = ns[k] / ns[best];
    soon = ns[GS_AMG] <= 5 * of->waits && ns[GS_AMG] - ns[best] <= of->waits;
    first = soon ? GS_AMG : best;
    l->order[l->count++] = first;
    for (int k = 0; k < of->thens; k++) {
        if (of->then[k] != first) l->order[l->count++] = of->then[k];
    }
    snprintf(
        l->why, sizeof l->why,
        "looks like %s with about %.0f points per side; estimated relative %stimes: jacobi %.*g, "
        "ic %.*g, amg %.*g%s",
        what, length, of->whose, digits(over[GS_JACOBI]), over[GS_JACOBI], digits(over[GS_IC]),
        over[GS_IC], digits(over[GS_AMG]), over[GS_AMG],
        first != best ? "; amg is safer, at most 2 ms slower" : "");
}

gs_precond_ranking gs_rank_preconds(const gsolve_statistics *t, bool on_gpu)
{
    static const gs_precond_ranking other = {{GS_IC}, 1, "symmetric with a positive diagonal"};
    static const gs_precond_ranking other_on_gpu = {
        {GS_JACOBI, GS_IC}, 2, "symmetric with a positive diagonal; ic is slow on a GPU"};
    const kin look = findings_of(t);
    gs_precond_ranking l = {.count = 0};

    if (look == OTHER) return on_gpu ? other_on_gpu : other;
    if (look == DOMINATED) {
        return (gs_precond_ranking){{GS_JACOBI, GS_IC}, 2, "symmetric and diagonally dominant"};
    }
    forecast(t, on_gpu ? &gpu : &cpu, look, &l);
    return l;
}
