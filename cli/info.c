/* info.c: gsolve info: what a matrix looks like, and what would be done with it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/common.h"

static const cli_option options[] = {
    {'A', "matrix", "FILE", "the matrix: a file, or gen:NAME,key=value,..."},
    {0, "threads", "N", "threads of the CPU (default: all)"},
    {0, "cache", NULL, "keep a binary copy of the file, and read it if there is one"},
    {0, "json", "FILE|-", "write the findings as JSON"},
    {0, "quiet", NULL, "print errors only"},
    {'h', "help", NULL, "print this"},
    {0},
};

const cli_command cli_info = {"info", "FILE",
                              "Describes a matrix: sizes, symmetry, diagonal, row lengths, scaling, "
                              "and what auto would choose.",
                              options, 0, 1, NULL};

static const char *definiteness(const gsolve_traits *t)
{
    if (t->nrows != t->ncols) return "not square";
    if (!t->symmetric) return "not symmetric";
    if (t->zero_diagonals) return "not definite: zeros on the diagonal";
    if (t->negative_diagonals == t->nrows) return "perhaps negative definite: negative diagonal";
    if (t->negative_diagonals) return "indefinite: the diagonal has both signs";
    if (t->zero_sum_rows == t->nrows) return "singular: every row sums to 0";
    if (t->dominant_rows == t->nrows) return "positive definite or semidefinite: diagonally dominant";
    return "perhaps positive definite: positive diagonal";
}

/* A bar for each class of lengths from 2^(k-1) to 2^k - 1. */
static void print_lengths(const gsolve_traits *t)
{
    int64_t most = 1;

    for (int k = 0; k < 32; k++) most = t->length[k] > most ? t->length[k] : most;
    for (int k = 0; k < 32; k++) {
        const int64_t low = k ? (int64_t)1 << (k - 1) : 0, high = k ? ((int64_t)1 << k) - 1 : 0;
        char range[48], rows[32];
        if (t->length[k] == 0) continue;
        snprintf(range, sizeof range, low == high ? "%lld" : "%lld to %lld", (long long)low,
                 (long long)high);
        printf("    %-18s %13s  ", range, cli_grouped(t->length[k], rows));
        for (int64_t bar = 0; bar < (40 * t->length[k] + most - 1) / most; bar++) putchar('#');
        putchar('\n');
    }
}

static void print_choices(const gsolve_traits *t)
{
    gsolve_choice choice;

    for (int k = 0; gsolve_choose(t, k, &choice); k++) {
        printf("  %-16s %s + %s: %s\n", k == 0 ? "auto" : k == 1 ? "else" : "", choice.solver,
               choice.precond, choice.why);
    }
}

static void print_text(const char *name, const gsolve_source *source, const gsolve_traits *t)
{
    const double forecast = (double)t->entries * 12 + 4.0 * t->nrows;
    char one[32], two[32], three[32];

    printf("%s\n", name);
    printf("  %-16s %s%s%s, %s, %s stored%s\n", "kind", source->kind, source->field[0] ? ", " : "",
           source->field, cli_symmetry(source->symmetry), cli_grouped(source->stored, one),
           source->cached ? ", from the cache" : "");
    if (source->duplicates) {
        printf("  %-16s %s entries were added to another in the same place\n", "duplicates",
               cli_grouped(source->duplicates, one));
    }
    printf("  %-16s %s x %s\n", "dimensions", cli_grouped(t->nrows, one), cli_grouped(t->ncols, two));
    printf("  %-16s %s, %.3g %% of all places\n", "entries", cli_grouped(t->entries, one),
           t->nrows && t->ncols ? 100.0 * (double)t->entries / t->nrows / t->ncols : 0);
    printf("  %-16s pattern %s, values %s\n", "symmetry",
           t->symmetric_pattern ? "symmetric" : "not symmetric",
           t->symmetric ? "symmetric" : t->skew ? "skew-symmetric" : "not symmetric");
    printf("  %-16s %s\n", "definiteness", definiteness(t));
    printf("  %-16s %s zero or missing", "diagonal", cli_grouped(t->zero_diagonals, one));
    if (t->zero_diagonals) printf(" (first in row %d)", t->first_zero_diagonal + 1);
    printf(", %s negative; spread %.3g; rows dominated by it %s\n",
           cli_grouped(t->negative_diagonals, two), t->spread, cli_grouped(t->dominant_rows, three));
    printf("  %-16s %s rows, %s columns", "empty", cli_grouped(t->empty_rows, one),
           cli_grouped(t->empty_cols, two));
    if (t->empty_rows) printf(" (first: row %d)", t->first_empty_row + 1);
    printf("\n  %-16s %s\n", "bandwidth", cli_grouped(t->bandwidth, one));
    printf("  %-16s %d unknown%s a node\n", "block", t->block, t->block == 1 ? "" : "s");
    printf("  %-16s |a| from %.3g to %.3g, row maxima by a factor of %.3g\n", "scaling", t->least,
           t->largest, t->scaling);
    if (t->nrows && t->zero_sum_rows == t->nrows) {
        printf("  %-16s constants: every row sums to 0\n", "null space");
    }
    printf("  %-16s least %d, mean %.2f, most %d, deviation %.2f\n", "row lengths", t->shortest_row,
           t->mean_row, t->longest_row, t->deviation_row);
    print_lengths(t);
    printf("  %-16s %s as csr in double precision\n", "memory", cli_bytes(forecast, one));
    print_choices(t);
}

static cJSON *to_json(const char *name, const gsolve_source *source, const gsolve_traits *t)
{
    cJSON *o = cJSON_CreateObject(), *lengths = cJSON_CreateArray();
    gsolve_choice choice;

    cJSON_AddStringToObject(o, "source", name);
    cJSON_AddStringToObject(o, "kind", source->kind);
    cJSON_AddStringToObject(o, "field", source->field);
    cJSON_AddStringToObject(o, "stored_as", cli_symmetry(source->symmetry));
    cli_add_number(o, "rows", t->nrows);
    cli_add_number(o, "cols", t->ncols);
    cli_add_number(o, "entries", (double)t->entries);
    cli_add_number(o, "duplicates", (double)source->duplicates);
    cJSON_AddBoolToObject(o, "symmetric_pattern", t->symmetric_pattern);
    cJSON_AddBoolToObject(o, "symmetric", t->symmetric);
    cJSON_AddBoolToObject(o, "skew", t->skew);
    cJSON_AddStringToObject(o, "definiteness", definiteness(t));
    cli_add_number(o, "empty_rows", t->empty_rows);
    cli_add_number(o, "empty_cols", t->empty_cols);
    cli_add_number(o, "zero_diagonals", t->zero_diagonals);
    cli_add_number(o, "negative_diagonals", t->negative_diagonals);
    cli_add_number(o, "dominant_rows", t->dominant_rows);
    cli_add_number(o, "zero_sum_rows", t->zero_sum_rows);
    cli_add_number(o, "shortest_row", t->shortest_row);
    cli_add_number(o, "longest_row", t->longest_row);
    cli_add_number(o, "mean_row", t->mean_row);
    cli_add_number(o, "deviation_row", t->deviation_row);
    cli_add_number(o, "bandwidth", t->bandwidth);
    cli_add_number(o, "block", t->block);
    cli_add_number(o, "dominance", t->dominance);
    cli_add_number(o, "spread", t->spread);
    cli_add_number(o, "scaling", t->scaling);
    cli_add_number(o, "least", t->least);
    cli_add_number(o, "largest", t->largest);
    for (int k = 0; k < 32; k++) {
        cJSON_AddItemToArray(lengths, cJSON_CreateNumber((double)t->length[k]));
    }
    cJSON_AddItemToObject(o, "row_lengths", lengths);
    cJSON *choices = cJSON_AddArrayToObject(o, "auto");
    for (int k = 0; gsolve_choose(t, k, &choice); k++) {
        cJSON *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "solver", choice.solver);
        cJSON_AddStringToObject(item, "precond", choice.precond);
        cJSON_AddStringToObject(item, "why", choice.why);
        cJSON_AddItemToArray(choices, item);
    }
    return o;
}

int cli_run_info(const cli_arguments *a)
{
    const char *option = cli_value(a, "matrix"), *json = cli_value(a, "json");
    const char *name = option ? option : a->argument[0];
    gsolve_context *ctx = NULL;
    gsolve_source source;
    gsolve_traits traits;
    gsolve_csr csr;
    double seconds;

    if (!name || (option && a->argument[0])) {
        return cli_fail("info takes one matrix; usage: gsolve info FILE");
    }
    int code = cli_check_output("--json", json);
    if (code == 0) code = cli_open(a, &ctx);
    if (code == 0) code = cli_read(a, ctx, name, &csr, &source, &seconds);
    if (code == 0) {
        if (gsolve_csr_examine(ctx, &csr, &traits) != GSOLVE_OK) {
            code = cli_fail_context(a, ctx);
        } else {
            if (cli_talks(a)) print_text(name, &source, &traits);
            if (json) code = cli_write_json(json, to_json(name, &source, &traits));
        }
        gsolve_csr_free(&csr, ctx);
    }
    gsolve_context_destroy(&ctx);
    return code;
}
