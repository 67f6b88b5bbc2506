/* info.c: gsolve info: the properties of a matrix, and the choices of auto for it. */
#include <math.h>
#include <string.h>

#include "cli/attempt.h"
#include "cli/json.h"
#include "cli/memory_estimate.h"
#include "cli/precond_estimate.h"

#define BAR 40 /* characters of the longest bar */

/* --- hints ------------------------------------------------------------------------------------ */

static bool positive_diagonal(const gsolve_statistics *t)
{
    return t->zero_diagonals == 0 && t->negative_diagonals == 0;
}

/* What signs and row sums alone show about definiteness. */
static const char *definiteness(const gsolve_statistics *t)
{
    const bool dominant = t->dominant_rows == t->nrows;

    if (t->nrows != t->ncols) return "not square: only least-squares methods apply";
    if (t->nrows == 0) return "no rows";
    if (t->empty_rows > 0) return "singular: some rows are empty";
    if (t->skew) return "skew-symmetric: x^T A x = 0 for all x";
    if (!t->symmetric) {
        if (dominant && t->dominance > 1) return "nonsingular: all rows strictly dominant";
        if (dominant && positive_diagonal(t) && t->positive_off == 0) {
            return "M-matrix, possibly singular: positive diagonal, no positive entry off it, all "
                   "rows at least weakly dominant";
        }
        return "unknown: not symmetric";
    }
    if (t->negative_diagonals == t->nrows) {
        return dominant ? "negative semidefinite or definite; cg can solve with -A"
                        : "not positive definite: all diagonal entries are negative; try -A";
    }
    if (t->negative_diagonals > 0)
        return "indefinite: the diagonal has entries of both signs, or zeros";
    if (t->zero_diagonals > 0) return "not positive definite: the diagonal has zeros";
    if (dominant && t->dominance > 1) {
        return "positive definite: symmetric, positive diagonal, all rows strictly dominant";
    }
    if (dominant && t->zero_sum_rows == t->nrows) {
        return "positive semidefinite and singular: the constant vector is in the null space";
    }
    if (dominant) {
        return "positive semidefinite: symmetric, positive diagonal, all rows weakly dominant; "
               "positive definite if each connected component has a strictly dominant row";
    }
    return "possibly positive definite: symmetric with a positive diagonal";
}

static size_t csr_bytes(const gsolve_statistics *t, size_t value)
{
    const size_t offset = t->entries > INT32_MAX ? sizeof(int64_t) : sizeof(int32_t);
    return (size_t)t->entries * (value + sizeof(int32_t)) + ((size_t)t->nrows + 1) * offset;
}

/* --- text ------------------------------------------------------------------------------------- */

/* "4-7" for the rows of bucket k. */
static void bucket_name(int k, char name[32])
{
    const long long least = k ? 1LL << (k - 1) : 0, most = k ? (1LL << k) - 1 : 0;

    if (least == most) {
        snprintf(name, 32, "%lld", least);
    } else {
        snprintf(name, 32, "%lld-%lld", least, most);
    }
}

static void say_rows(const cli *c, const gsolve_statistics *t)
{
    int64_t longest = 1;
    int first = 0, last = 31;
    char name[32];

    if (t->nrows == 0) return;
    if (t->shortest_row == t->longest_row) {
        cli_item(c, "rows", "%s in every row", cli_count(t->longest_row, "entry").text);
    } else {
        cli_item(c, "rows",
                 "%d to %d entries, %.4g on average, standard deviation %.4g; classes of row "
                 "lengths between powers of two:",
                 t->shortest_row, t->longest_row, t->mean_row, t->deviation_row);
    }
    while (first < 31 && t->length[first] == 0) first++;
    while (last > 0 && t->length[last] == 0) last--;
    for (int k = first; k <= last; k++) longest = t->length[k] > longest ? t->length[k] : longest;
    cli_say(c, "%12s%12s%12s\n", "", "entries", "rows");
    for (int k = first; k <= last; k++) {
        const int bar = (int)ceil((double)t->length[k] / (double)longest * BAR);
        bucket_name(k, name);
        cli_say(c, "%12s%12s%12lld%s%.*s\n", "", name, (long long)t->length[k], bar ? " " : "", bar,
                "########################################");
    }
}

static void say_diagonal(const cli *c, const gsolve_statistics *t)
{
    char zeros[128] = "0 zero entries";

    if (t->zero_diagonals > 0) {
        snprintf(zeros, sizeof zeros,
                 "%d zero or missing entries, the first in row %d (counted from 1)",
                 t->zero_diagonals, t->first_zero_diagonal + 1);
    }
    cli_item(c, "diagonal", "%s, %d negative entries; ratio of largest to smallest magnitude %.3g",
             zeros, t->negative_diagonals, t->spread);
    cli_item(c, "",
             "%d of %s at least weakly diagonally dominant; min over rows of |a_ii| / sum_{j != i} "
             "|a_ij| = %.3g",
             t->dominant_rows, cli_count(t->nrows, "row").text, t->dominance);
}

static void say_shape(const cli *c, const gsolve_statistics *t)
{
    const double cells = (double)t->nrows * (double)t->ncols;

    cli_item(c, "size", "%d x %d, %s, %.3g %% of all positions", t->nrows, t->ncols,
             cli_count(t->entries, "entry").text, cells > 0 ? 100 * (double)t->entries / cells : 0);
    if (t->nrows == t->ncols) {
        cli_item(c, "symmetry", "pattern %s, values %s",
                 t->symmetric_pattern ? "symmetric" : "not symmetric",
                 t->symmetric        ? "symmetric"
                 : t->skew           ? "skew-symmetric"
                 : t->symmetric_rest ? "symmetric apart from rows with a diagonal entry only"
                                     : "not symmetric");
        say_diagonal(c, t);
    } else {
        cli_item(c, "symmetry", "none: the matrix is rectangular");
    }
    say_rows(c, t);
    if (t->empty_rows > 0 || t->empty_cols > 0) {
        cli_item(c, "empty", "%s, %s", cli_count(t->empty_rows, "row").text,
                 cli_count(t->empty_cols, "column").text);
    }
    if (t->empty_rows > 0)
        cli_item(c, "", "the first empty row is row %d (counted from 1)", t->first_empty_row + 1);
}

static void say_values(const cli *c, const gsolve_statistics *t)
{
    cli_item(c, "bandwidth", "%d = max |i - j|", t->bandwidth);
    if (t->block > 1) {
        cli_item(c, "blocks", "dense %d x %d blocks (%d unknowns per node)", t->block, t->block,
                 t->block);
    } else {
        cli_item(c, "blocks", "no dense blocks in the pattern");
    }
    if (t->entries > 0) {
        cli_item(c, "values", "|a_ij| from %.3g to %.3g; row maxima differ by a factor of %.3g",
                 t->least, t->largest, t->scaling);
    }
    if (t->nrows == t->ncols) {
        cli_item(c, "signs", "off-diagonal entries: %lld positive", (long long)t->positive_off);
    }
    cli_item(c, "row sums", "%d of %s sum to 0 up to rounding%s", t->zero_sum_rows,
             cli_count(t->nrows, "row").text,
             t->nrows > 0 && t->zero_sum_rows == t->nrows ? ": A is singular, A*ones = 0"
             : 10 * (int64_t)t->zero_sum_rows > 9 * (int64_t)t->nrows
                 ? ": A maps the constant vector almost to 0"
                 : "");
    cli_item(c, "properties", "%s", definiteness(t));
    cli_item(c, "csr", "%s in f64, %s in f32: row offsets, column indices and values",
             cli_bytes((double)csr_bytes(t, sizeof(double))).text,
             cli_bytes((double)csr_bytes(t, sizeof(float))).text);
}

static void say_choices(const cli *c, const gsolve_context *target, const gsolve_statistics *t)
{
    gsolve_choice choice = GSOLVE_INIT(gsolve_choice);

    for (int k = 0; gsolve_auto_choose(target, t, k, &choice); k++) {
        cli_item(c, k ? "" : "auto", "%s%s + %s: %s", k ? "if that fails: " : "", choice.method,
                 choice.precond, choice.why);
    }
}

/* --- JSON ------------------------------------------------------------------------------------- */

static void add_statistics(cJSON *object, const gsolve_statistics *t)
{
    const struct {
        const char *key;
        double value;
    } number[] = {
        {"empty_rows", t->empty_rows},
        {"first_empty_row", t->first_empty_row},
        {"empty_cols", t->empty_cols},
        {"zero_diagonals", t->zero_diagonals},
        {"first_zero_diagonal", t->first_zero_diagonal},
        {"negative_diagonals", t->negative_diagonals},
        {"shortest_row", t->shortest_row},
        {"longest_row", t->longest_row},
        {"mean_row", t->mean_row},
        {"deviation_row", t->deviation_row},
        {"bandwidth", t->bandwidth},
        {"block", t->block},
        {"dominant_rows", t->dominant_rows},
        {"zero_sum_rows", t->zero_sum_rows},
        {"positive_off_diagonals", (double)t->positive_off},
        {"dominance", t->dominance},
        {"spread", t->spread},
        {"scaling", t->scaling},
        {"least", t->least},
        {"largest", t->largest},
        {"csr_bytes_f64", (double)csr_bytes(t, sizeof(double))},
        {"csr_bytes_f32", (double)csr_bytes(t, sizeof(float))},
    };

    cJSON_AddBoolToObject(object, "symmetric_pattern", t->symmetric_pattern);
    cJSON_AddBoolToObject(object, "symmetric", t->symmetric);
    cJSON_AddBoolToObject(object, "skew", t->skew);
    cJSON_AddBoolToObject(object, "symmetric_rest", t->symmetric_rest);
    for (size_t k = 0; k < sizeof number / sizeof *number; k++) {
        cli_json_add(object, number[k].key, number[k].value);
    }
    cJSON_AddStringToObject(object, "definiteness", definiteness(t));
}

static int write_json(cli *c, const gsolve_context *target, const cli_system *s,
                      const cli_precond_estimate *p)
{
    cJSON *object = cJSON_CreateObject(), *list, *item;
    char name[32];
    gsolve_choice choice = GSOLVE_INIT(gsolve_choice);

    cli_json_matrix(object, s);
    add_statistics(cJSON_AddObjectToObject(object, "statistics"), &s->statistics);
    cli_memory_estimate_json(object, c, s);
    cli_precond_estimate_json(object, p);
    list = cJSON_AddArrayToObject(object, "row_lengths");
    for (int k = 0; k < 32; k++) {
        if (s->statistics.length[k] == 0) continue;
        item = cJSON_CreateObject();
        bucket_name(k, name);
        cJSON_AddStringToObject(item, "entries", name);
        cJSON_AddNumberToObject(item, "rows", (double)s->statistics.length[k]);
        cJSON_AddItemToArray(list, item);
    }
    list = cJSON_AddArrayToObject(object, "auto");
    for (int k = 0; gsolve_auto_choose(target, &s->statistics, k, &choice); k++) {
        item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "solver", choice.method);
        cJSON_AddStringToObject(item, "precond", choice.precond);
        cJSON_AddStringToObject(item, "why", choice.why);
        cJSON_AddItemToArray(list, item);
    }
    return cli_json_write(c, object);
}

/* Prints the properties of the matrix, and the memory and the choices for a solve on target's
 * device.
 */
static int describe(cli *c, gsolve_context *target, const cli_system *s)
{
    cli_precond_estimate p = {0};

    cli_precond_estimate_make(c, target, s, &p);
    say_shape(c, &s->statistics);
    say_values(c, &s->statistics);
    cli_memory_estimate_print(c, s);
    say_choices(c, target, &s->statistics);
    cli_precond_estimate_print(c, &p);
    return c->args.json ? write_json(c, target, s, &p) : 0;
}

/* Creates a second context, on the device that the user named, else on the CPU: a GPU is started
 * only if the user asks for one. */
static int open_target(cli *c, gsolve_context **target)
{
    gsolve_context *host = c->ctx;
    int code;

    c->ctx = NULL;
    code = cli_names_device(c) ? cli_open(c) : cli_open_host(c);
    *target = c->ctx;
    c->ctx = host;
    return code;
}

int cli_info(cli *c)
{
    gsolve_context *target = NULL;
    cli_system s = {0};
    int code;

    if (!c->args.matrix) return cli_fail(c, "no matrix is given; write gsolve info FILE");
    if (cli_check_files(c) || cli_open_host(c) || cli_check_specs(c)) return CLI_ERROR;
    code = cli_read_matrix(c, c->args.matrix, &s);
    if (!code) code = cli_analyse(c, &s);
    if (!code) code = open_target(c, &target);
    if (!code) code = describe(c, target, &s);
    gsolve_context_destroy(&target);
    cli_close_system(c, &s);
    return code;
}
