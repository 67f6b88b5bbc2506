/* test_opa.c: the optimal partition of bce against the paper's algorithms as they are written, and
 * against every partition there is. */
#include "tests/common.h"

#include "spmv/bce/opa.h"

#include <math.h>
#include <time.h>

enum { MOST_LENGTHS = 64 };

static int below(uint64_t seed, uint64_t k, int n)
{
    return (int)((gsolve_random(seed, k) + 1) / 2 * n) % n;
}

static gs_bce_model paper(int64_t least, int64_t all)
{
    gs_bce_model model = gs_bce_model_of(GS_BCE_PAPER, all, 1, 12, true);
    model.least = least;
    return model;
}

static int64_t rows_of(int classes, const gs_bce_class *class)
{
    int64_t rows = 0;
    for (int c = 0; c < classes; c++) rows += class[c].rows;
    return rows;
}

/* The classes of rows[m], m = 1 to most. */
static int classes_of(int most, const int32_t *rows, gs_bce_class *class)
{
    int classes = 0;
    for (int m = 1; m <= most; m++) {
        if (rows[m] > 0) class[classes++] = (gs_bce_class){m, rows[m]};
    }
    return classes;
}

static int64_t best_cost(const gs_bce_model *model, int classes, const gs_bce_class *class,
                         int most)
{
    gs_bce_class *copy = malloc(((size_t)classes + 1) * sizeof *copy);
    gs_bce_partition best;
    int64_t sum = 0;

    memcpy(copy, class, (size_t)classes * sizeof *copy);
    gs_bce_best(&best, model, classes, copy, most);
    assert_in_range(best.blocks, classes > 0, most);
    for (int b = 0; b < best.blocks; b++) { /* the blocks cost what is said */
        sum += gs_bce_block_cost(model, best.block[b].width, best.block[b].rows);
        assert_true(b == 0 || best.block[b - 1].width < best.block[b].width);
    }
    if (best.blocks > 1) sum += model->order * model->all;
    assert_true(sum == best.cost);
    assert_true(rows_of(best.blocks, best.block) == rows_of(classes, class));
    for (int b = 0, c = 0; b < best.blocks; b++) { /* and hold whole classes */
        int32_t rows = 0;
        for (; best.slack == 0 && c < classes && class[c].width <= best.block[b].width; c++) {
            rows += class[c].rows;
        }
        assert_true(best.slack > 0 || rows == best.block[b].rows);
    }
    free(copy);
    return best.cost;
}

/* --- the paper's algorithms ------------------------------------------------------------------- */

/* T(R_{a,b}) of section 5.3, times f_p: W L or E. A range without rows takes no time: W = 0. */
static int64_t paper_T(const int32_t *b_m, int a, int b, int64_t L)
{
    int64_t N = 0, W = 0;
    for (int m = a; m <= b; m++) {
        N += b_m[m];
        if (b_m[m] > 0) W = m;
    }
    return N <= L ? W * L : W * N;
}

/* Algorithms 1 and 2 on the rows of 1 to M entries: the cost, and k and the M_j in cut[0..k]. */
static int64_t algorithms_1_and_2(const int32_t *b_m, int M, int64_t L, int *k, int *cut)
{
    static int64_t C[MOST_LENGTHS + 1][MOST_LENGTHS + 1];
    static int D[MOST_LENGTHS + 1][MOST_LENGTHS + 1];
    int64_t cost = INT64_MAX;

    for (int m = 1; m <= M; m++) C[m][1] = paper_T(b_m, 1, m, L);
    for (int kk = 2; kk <= M; kk++) {
        for (int m = kk; m <= M; m++) {
            C[m][kk] = INT64_MAX;
            for (int j = kk - 1; j <= m - 1; j++) {
                const int64_t q = C[j][kk - 1] + paper_T(b_m, j + 1, m, L);
                if (q < C[m][kk]) {
                    C[m][kk] = q;
                    D[m][kk] = j;
                }
            }
        }
    }
    for (int kk = 1; kk <= M; kk++) {
        if (C[M][kk] < cost) {
            cost = C[M][kk];
            *k = kk;
        }
    }
    cut[0] = 0;
    cut[*k] = M; /* which the paper leaves out: Algorithm 2 ends with M_1 */
    for (int i = M, j = *k; j >= 2; j--) {
        cut[j - 1] = D[i][j];
        i = D[i][j];
    }
    return cost;
}

static void as_the_paper(void **state)
{
    (void)state;
    for (int trial = 0; trial < 300; trial++) {
        const uint64_t seed = 100 + (uint64_t)trial;
        const int M = 1 + below(seed, 1, 40);
        const int64_t L = 1 + below(seed, 2, 30);
        int32_t b_m[MOST_LENGTHS + 1] = {0};
        gs_bce_class class[MOST_LENGTHS];
        int k = 0, cut[MOST_LENGTHS + 1];

        for (int m = 1; m <= M; m++) { /* a third of the lengths does not occur */
            if (below(seed, 10 + (uint64_t)m, 3) > 0) {
                b_m[m] = 1 + below(seed, 100 + (uint64_t)m, trial % 2 ? 200 : 10);
            }
        }
        b_m[M] += b_m[M] == 0;
        const int classes = classes_of(M, b_m, class);
        const gs_bce_model model = paper(L, rows_of(classes, class));
        const int64_t cost = algorithms_1_and_2(b_m, M, L, &k, cut);
        assert_true(best_cost(&model, classes, class, GS_BCE_MOST_BLOCKS) == cost);
        int64_t sum = 0;
        for (int j = 1; j <= k; j++) sum += paper_T(b_m, cut[j - 1] + 1, cut[j], L);
        assert_true(sum == cost);
    }
}

/* The matrix of section 5.1. Section 5.6 has it cut at 2 and 4 "using OPA", for no L that is named;
 * there is none for which that is the best: of L = 1, 2, ... the costs are those of the blocks. */
static void the_papers_example(void **state)
{
    const int32_t b_m[] = {0, 2, 3, 2, 1, 0, 1, 1};
    const int64_t costs[] = {0, 31, 34, 39, 45, 45, 54, 63};
    gs_bce_class class[7];
    const int classes = classes_of(7, b_m, class);
    (void)state;

    assert_int_equal(classes, 6);
    for (int64_t L = 1; L <= 7; L++) {
        const gs_bce_model model = paper(L, 10);
        const int64_t theirs =
            paper_T(b_m, 1, 2, L) + paper_T(b_m, 3, 4, L) + paper_T(b_m, 5, 7, L);
        const int64_t cost = best_cost(&model, classes, class, GS_BCE_MOST_BLOCKS);
        if (cost != costs[L]) fail_msg("L %d: %d", (int)L, (int)cost);
        assert_true(cost < theirs);
    }
}

/* --- every partition -------------------------------------------------------------------------- */

/* The least cost of all partitions into runs of classes, of at most most blocks. */
static int64_t exhaustive(const gs_bce_model *model, int classes, const gs_bce_class *class,
                          int most)
{
    int64_t least = INT64_MAX;

    for (unsigned cuts = 0; cuts < 1u << (classes - 1); cuts++) { /* bit c: class c ends a block */
        int64_t cost = 0, rows = 0;
        int blocks = 0;
        for (int c = 0; c < classes; c++) {
            rows += class[c].rows;
            if (c < classes - 1 && !(cuts >> c & 1)) continue;
            cost += gs_bce_block_cost(model, class[c].width, rows);
            rows = 0;
            blocks++;
        }
        if (blocks > 1) cost += model->order * model->all;
        if (blocks <= most && cost < least) least = cost;
    }
    return least;
}

static int random_classes(uint64_t seed, int most, gs_bce_class *class)
{
    const int classes = 1 + below(seed, 1, most);
    int width = below(seed, 2, 2); /* empty rows are a class too */

    for (int c = 0; c < classes; c++) {
        const int size = below(seed, 10 + (uint64_t)c, 4); /* from a few rows to very many */
        class[c].width = width;
        class[c].rows = 1 + below(seed, 50 + (uint64_t)c,
                                  size == 0   ? 3
                                  : size == 1 ? 60
                                  : size == 2 ? 3000
                                              : 200000);
        width += 1 + below(seed, 90 + (uint64_t)c, 1 + 40 * below(seed, 3, 2));
    }
    return classes;
}

static void as_exhaustive_search(void **state)
{
    (void)state;
    for (int trial = 0; trial < 300; trial++) {
        gs_bce_class class[12];
        const uint64_t seed = 1000 + (uint64_t)trial;
        const int classes = random_classes(seed, 12, class);
        const int64_t all = rows_of(classes, class);
        const gs_bce_model models[] = {
            paper(1 + below(seed, 5, 200), all),
            gs_bce_model_of(GS_BCE_BYTES, all, 1, 12, true),
            gs_bce_model_of(GS_BCE_BYTES, all, 1 + below(seed, 6, 50), 8, true),
            gs_bce_model_of(GS_BCE_BYTES, all, 1, 12, false),
        };
        for (size_t m = 0; m < sizeof models / sizeof *models; m++) {
            for (int most = 1; most <= 6; most++) {
                assert_true(best_cost(&models[m], classes, class, most) ==
                            exhaustive(&models[m], classes, class, most));
            }
            assert_true(best_cost(&models[m], classes, class, GS_BCE_MOST_BLOCKS) ==
                        exhaustive(&models[m], classes, class, GS_BCE_MOST_BLOCKS));
        }
    }
}

/* The least cost of all partitions of rows into sets: row r joins one of the sets so far, or a new
 * one. */
static int64_t any_sets(const int *length, int rows, int r, int sets, int (*set)[2], int64_t L)
{
    int64_t least = INT64_MAX;

    if (r == rows) {
        least = 0;
        for (int s = 0; s < sets; s++) least += set[s][1] * (set[s][0] > L ? set[s][0] : L);
        return least;
    }
    for (int s = 0; s <= sets; s++) {
        const int before[2] = {s < sets ? set[s][0] : 0, s < sets ? set[s][1] : 0};
        set[s][0] = before[0] + 1;
        set[s][1] = length[r] > before[1] ? length[r] : before[1];
        const int64_t cost = any_sets(length, rows, r + 1, s < sets ? sets : sets + 1, set, L);
        if (cost < least) least = cost;
        set[s][0] = before[0];
        set[s][1] = before[1];
    }
    return least;
}

/* Theorems 5.1 and 5.2: no sets of rows store less than runs of classes do. */
static void no_sets_store_less(void **state)
{
    (void)state;
    for (int trial = 0; trial < 40; trial++) {
        int length[8], set[9][2];
        int32_t b_m[10] = {0};
        gs_bce_class class[10];

        for (int r = 0; r < 8; r++) {
            length[r] = 1 + below(5000 + (uint64_t)trial, (uint64_t)r, 8);
            b_m[length[r]]++;
        }
        const int classes = classes_of(9, b_m, class);
        const gs_bce_model model = paper(1, 8);
        assert_true(best_cost(&model, classes, class, GS_BCE_MOST_BLOCKS) ==
                    any_sets(length, 8, 0, 0, set, 1));
    }
}

/* With a floor they may: a short row beside a long one that is below the floor anyhow. */
static void the_floor_breaks_the_theorems(void **state)
{
    const int length[] = {1, 1, 1, 1, 1, 10};
    const gs_bce_class class[] = {{1, 5}, {10, 1}};
    const gs_bce_model model = paper(4, 6);
    int set[7][2];
    (void)state;

    assert_true(best_cost(&model, 2, class, GS_BCE_MOST_BLOCKS) == 5 * 1 + 4 * 10);
    assert_true(any_sets(length, 6, 0, 0, set, 4) == 4 * 1 + 4 * 10);
}

/* --- many classes ----------------------------------------------------------------------------- */

static int64_t most_merging_costs(const gs_bce_class *class, int classes, const gs_bce_model *model,
                                  double slack)
{
    gs_bce_class *copy = malloc((size_t)classes * sizeof *copy);
    gs_bce_partition best;
    double sum = 0;

    memcpy(copy, class, (size_t)classes * sizeof *copy);
    gs_bce_best(&best, model, classes, copy, GS_BCE_MOST_BLOCKS);
    assert_true(best.slack == 0);
    for (int b = 0; b < best.blocks; b++) {
        sum += (double)best.block[b].width * (double)(best.block[b].rows + model->least);
    }
    free(copy);
    return (int64_t)floor((1 + slack) * sum);
}

static void merging_is_bounded(void **state)
{
    enum { CLASSES = 120 };
    gs_bce_class class[CLASSES], merged[CLASSES];
    double slack;
    (void)state;

    for (int trial = 0; trial < 100; trial++) {
        const uint64_t seed = 9000 + (uint64_t)trial;
        for (int c = 0; c < CLASSES; c++) {
            class[c].width = (c ? class[c - 1].width : 0) + 1 + below(seed, (uint64_t)c, 5);
            class[c].rows = 1 + below(seed, 500 + (uint64_t)c, trial % 2 ? 9 : 900);
        }
        const gs_bce_model model = paper(1 + below(seed, 1000, 200), rows_of(CLASSES, class));
        for (int most = 1; most < CLASSES; most += 7) {
            memcpy(merged, class, sizeof class);
            const int left = gs_bce_merge(CLASSES, merged, most, &slack);
            assert_in_range(left, 1, most);
            assert_true(rows_of(left, merged) == rows_of(CLASSES, class));
            for (int c = 0, m = 0; c < CLASSES; c++) { /* each row in the narrowest that holds it */
                while (merged[m].width < class[c].width) m++;
                assert_true(class[c].width * (1 + slack) >= merged[m].width);
            }
            assert_true(best_cost(&model, left, merged, GS_BCE_MOST_BLOCKS) <=
                        most_merging_costs(class, CLASSES, &model, slack));
        }
    }
    assert_int_equal(gs_bce_merge(CLASSES, class, CLASSES, &slack), CLASSES);
    assert_true(slack == 0);
}

/* The least cost of at most most blocks, by the recurrence as it stands. */
static int64_t by_layers(const gs_bce_model *model, int classes, const gs_bce_class *class,
                         int most)
{
    enum { CLASSES = 300 };
    int64_t cost[2][CLASSES + 1], before[CLASSES + 1] = {0};

    assert_in_range(classes, 1, CLASSES);
    for (int c = 0; c < classes; c++) before[c + 1] = before[c] + class[c].rows;
    for (int j = 0; j <= classes; j++) cost[0][j] = j == 0 ? 0 : INT64_MAX / 2;
    for (int k = 1; k <= most; k++) {
        const int64_t *last = cost[(k - 1) % 2];
        int64_t *next = cost[k % 2];
        next[0] = 0;
        for (int j = 1; j <= classes; j++) {
            next[j] = last[j];
            for (int i = 0; i < j; i++) {
                const int64_t all =
                    last[i] + gs_bce_block_cost(model, class[j - 1].width, before[j] - before[i]);
                if (all < next[j]) next[j] = all;
            }
        }
    }
    return cost[most % 2][classes];
}

/* Where the number of blocks is kept by a price, the loss is within what is said. */
static void prices_are_bounded(void **state)
{
    enum { CLASSES = 300 };
    gs_bce_class class[CLASSES], copy[CLASSES];
    int lossy = 0;
    (void)state;

    for (int trial = 0; trial < 12; trial++) {
        const uint64_t seed = 700 + (uint64_t)trial;
        for (int c = 0; c < CLASSES; c++) {
            class[c].width = (c ? class[c - 1].width : 0) + 1 + below(seed, (uint64_t)c, 5);
            class[c].rows = 1 + below(seed, 500 + (uint64_t)c, trial % 3 ? 900 : 9);
        }
        const int64_t all = rows_of(CLASSES, class);
        const gs_bce_model models[] = {paper(1 + below(seed, 1000, 200), all),
                                       gs_bce_model_of(GS_BCE_BYTES, all, 4, 12, true)};
        for (int m = 0; m < 2; m++) {
            gs_bce_partition best;
            const int most = 7 + 5 * below(seed, 2000, 6);
            memcpy(copy, class, sizeof class);
            gs_bce_best(&best, &models[m], CLASSES, copy, most);
            const int64_t cost =
                best.cost - (best.blocks > 1 ? models[m].order * models[m].all : 0);
            const int64_t least = by_layers(&models[m], CLASSES, class, most);
            assert_in_range(best.blocks, 1, most);
            assert_true(cost >= least);
            assert_true((double)cost <= (1 + best.slack) * (double)least * (1 + 1e-12));
            assert_true(best.slack < 0.05);
            lossy += best.slack > 0;
        }
    }
    assert_true(lossy > 0);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Many classes, in about a millisecond. The limit leaves room for slow machines and sanitizers;
 * O(M'^3) would take seconds. */
static void thousands_of_classes(void **state)
{
    enum { MOST = 40000 };
    gs_bce_class *class = malloc(MOST * sizeof *class), *copy = malloc(MOST * sizeof *copy);
    const int counts[] = {0, 1, 500, 1000, 2000, GS_BCE_MOST_CLASSES, 5000, MOST};
    (void)state;

    for (size_t n = 0; n < sizeof counts / sizeof *counts; n++) {
        const int classes = counts[n];
        for (int c = 0; c < classes; c++)
            class[c] = (gs_bce_class){c, 1 + 4000000 / (c + 1) / (c + 1)};
        const gs_bce_model models[] = {
            gs_bce_model_of(GS_BCE_BYTES, rows_of(classes, class), 1, 12, true),
            paper(128, rows_of(classes, class)),
        };
        for (int m = 0; m < 2; m++) {
            for (int most = GS_BCE_MOST_BLOCKS; most > 1; most /= 5) {
                gs_bce_partition best;
                double least = 1;
                for (int k = 0; k < 5; k++) {
                    memcpy(copy, class, (size_t)classes * sizeof *copy);
                    const double begin = now();
                    gs_bce_best(&best, &models[m], classes, copy, most);
                    least = fmin(least, now() - begin);
                }
                print_message("%d classes, at most %d: %d blocks, slack %.4f, %.3f ms\n", classes,
                              most, best.blocks, best.slack, 1e3 * least);
                assert_true(least < 0.02);
                assert_true(best.slack < 0.2);
                assert_true(classes <= GS_BCE_MOST_CLASSES || best.slack > 0);
            }
        }
    }
    free(class);
    free(copy);
}

/* More lanes where rows are long or few, and always so many that the price uses. */
static void lanes(void **state)
{
    const gs_bce_model gpu = gs_bce_model_of(GS_BCE_BYTES, 1 << 24, 1, 12, true);
    const gs_bce_model cpu = gs_bce_model_of(GS_BCE_BYTES, 1 << 24, 1, 12, false);
    (void)state;

    assert_int_equal(gs_bce_lanes(&gpu, 7, 1 << 24), 1);
    assert_int_equal(gs_bce_lanes(&gpu, 81, 1 << 20), 1);
    assert_int_equal(gs_bce_lanes(&gpu, 81, 10000), 8);
    assert_int_equal(gs_bce_lanes(&cpu, 81, 10000), 1);
    assert_int_equal(gs_bce_lanes(&gpu, 2048, 1 << 20), 32);
    assert_int_equal(gs_bce_lanes(&cpu, 2048, 1 << 20), 1);
    assert_int_equal(gs_bce_lanes(&cpu, 7, 4), 1);
    assert_int_equal(gs_bce_lanes(&gpu, 7, 4), 8);
    assert_int_equal(gs_bce_lanes(&cpu, 7, 1), 1);
    assert_int_equal(gs_bce_lanes(&cpu, 0, 1), 1);
    for (int width = 0; width < 3000; width += 1 + width / 8) { /* fewer rows, no fewer lanes */
        for (int rows = 1; rows < 1 << 20; rows += 1 + rows / 8) {
            assert_true(gs_bce_lanes(&gpu, width, rows) >= gs_bce_lanes(&gpu, width, rows + 1));
        }
    }
}

/* By the bytes on a GPU the rows at the faces of a box stay among their neighbours, and rows of
 * very different lengths part. */
static void what_pays(void **state)
{
    const int32_t n = 256 - 2;
    gs_bce_class box[] = {{4, 8}, {5, 12 * n}, {6, 6 * n * n}, {7, n * n * n}};
    gs_bce_class mixed[] = {{4, 1 << 20}, {8, 1 << 20}, {40, 1 << 20}};
    const gs_bce_model in_box = gs_bce_model_of(GS_BCE_BYTES, 1 << 24, 256, 12, true);
    const gs_bce_model in_mixed = gs_bce_model_of(GS_BCE_BYTES, 3 << 20, 48, 12, true);
    gs_bce_partition best;
    (void)state;

    gs_bce_best(&best, &in_box, 4, box, GS_BCE_MOST_BLOCKS);
    assert_int_equal(best.blocks, 1);
    gs_bce_best(&best, &in_mixed, 3, mixed, GS_BCE_MOST_BLOCKS);
    assert_int_equal(best.blocks, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_the_paper),
        cmocka_unit_test(the_papers_example),
        cmocka_unit_test(as_exhaustive_search),
        cmocka_unit_test(no_sets_store_less),
        cmocka_unit_test(the_floor_breaks_the_theorems),
        cmocka_unit_test(merging_is_bounded),
        cmocka_unit_test(prices_are_bounded),
        cmocka_unit_test(thousands_of_classes),
        cmocka_unit_test(lanes),
        cmocka_unit_test(what_pays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
