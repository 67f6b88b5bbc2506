/* diagnosis.c: cause, remedy and command line of a solve that failed. */
#include "cli/diagnosis.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/json.h"
#include "cli/options.h"

/* --- words for a shell ------------------------------------------------------------------------ */

static void append(char text[CLI_COMMAND_LENGTH], const char *more)
{
    const size_t used = strlen(text);
    snprintf(text + used, CLI_COMMAND_LENGTH - used, "%s", more);
}

void cli_append_word(char text[CLI_COMMAND_LENGTH], const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-+=,./:@%^";
    char letter[] = {0, 0};

    if (text[0]) append(text, " ");
    if (*word && word[strspn(word, plain)] == 0) {
        append(text, word);
        return;
    }
    append(text, "'");
    for (; *word; word++) {
        letter[0] = *word;
        append(text, *word == '\'' ? "'\\''" : letter);
    }
    append(text, "'");
}

/* --- the arguments of the remedy -------------------------------------------------------------- */

/* value = that of "key=" in "...,key=value,...". Returns whether it is there. */
static bool find_value(const char *options, const char *key, char value[64])
{
    const size_t length = strlen(key);

    for (const char *at = options; at; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, key, length) != 0 || at[length] != '=') continue;
        snprintf(value, 64, "%.*s", (int)strcspn(at + length + 1, ","), at + length + 1);
        return true;
    }
    return false;
}

/* A tolerance in the spec of a method that is replaced stays in force. */
static void keep_tolerance(const cli_arguments *from, const char *key, double *to)
{
    char value[64];

    if (isnan(*to) && from->solver && find_value(from->solver, key, value)) *to = atof(value);
}

/* Sets the arguments that the options of the remedy name. */
static void set_options(cli_arguments *a, const char *options, char words[2][64])
{
    char value[64];

    if (find_value(options, "maxit", value)) a->maxit = strcmp(value, "default") ? atoi(value) : -1;
    if (find_value(options, "rtol", value)) a->rtol = atof(value);
    if (find_value(options, "type", value)) a->type = GSOLVE_F64;
    if (find_value(options, "order", value)) a->order = 0;
    if (find_value(options, "scale", value)) a->scale = strcmp(value, "auto") == 0 ? 3 : 0;
    if (find_value(options, "null_space", words[0])) {
        a->null_space = words[0];
        a->scale = a->order = 0;
    }
}

/* spec without its option `key`. */
static const char *without(const char *spec, const char *key, char to[300])
{
    char pattern[32], *at;

    if (!spec) return NULL;
    snprintf(to, 300, "%s", spec);
    snprintf(pattern, sizeof pattern, ",%s=", key);
    while ((at = strstr(to, pattern))) {
        const char *rest = at + 1 + strcspn(at + 1, ",");
        memmove(at, rest, strlen(rest) + 1);
    }
    return to;
}

/* *a = the arguments with what *d changes; without options that neither change x nor write it. */
static void apply(const gsolve_diagnosis *d, cli_arguments *a, char words[2][64], char spec[300])
{
    const cli_arguments given = *a;

    a->monitor = a->profile = a->quiet = a->force = a->print_c = false;
    a->setup = NULL;
    a->config = NULL; /* its options are in *a */
    if (d->precond[0]) a->precond = strcmp(d->precond, "auto") ? d->precond : NULL;
    if (d->method[0]) {
        keep_tolerance(&given, "rtol", &a->rtol);
        keep_tolerance(&given, "atol", &a->atol);
        a->solver = strcmp(d->method, "auto") ? d->method : NULL;
        if (strncmp(d->method, "direct", 6) == 0) a->precond = NULL;
    } else if (d->options[0]) { /* the option of the command has precedence, but the spec remains */
        a->solver = without(a->solver, strstr(d->options, "rtol=") ? "rtol" : "maxit", spec);
    }
    set_options(a, d->options, words);
}

/* --- the command line ------------------------------------------------------------------------- */

static void append_option(char text[CLI_COMMAND_LENGTH], const cli_option *o,
                          const cli_arguments *a)
{
    static const char dashes[] = "--";
    const void *at = (const char *)a + o->offset,
               *unset = (const char *)&cli_no_arguments + o->offset;
    char name[40], value[64] = "";
    const char *word = value;
    const char *choice = o->argument;

    switch (o->kind) {
    case CLI_FLAG:
        if (!*(const bool *)at) return;
        word = NULL;
        break;
    case CLI_TEXT:
        word = *(const char *const *)at;
        if (!word) return;
        break;
    case CLI_WHOLE:
        if (*(const int *)at == *(const int *)unset) return;
        snprintf(value, sizeof value, "%d", *(const int *)at);
        break;
    case CLI_REAL:
        if (isnan(*(const double *)at)) return;
        snprintf(value, sizeof value, "%s", cli_number(*(const double *)at).text);
        break;
    case CLI_WORD:
        if (*(const int *)at == *(const int *)unset) return;
        for (int k = *(const int *)at; k > 0; k--) choice += strcspn(choice, "|") + 1;
        snprintf(value, sizeof value, "%.*s", (int)strcspn(choice, "|"), choice);
        break;
    default: return;
    }
    if (o->letter) {
        snprintf(name, sizeof name, "-%c", o->letter);
    } else {
        snprintf(name, sizeof name, "%s%s", dashes, o->name);
    }
    cli_append_word(text, name);
    if (word) cli_append_word(text, word);
}

void cli_remedy_command(const cli *c, const gsolve_diagnosis *d, char text[CLI_COMMAND_LENGTH])
{
    char words[2][64], spec[300];
    cli_arguments a = c->args;

    text[0] = 0;
    if (!d->remedy[0]) return;
    apply(d, &a, words, spec);
    cli_append_word(text, c->count > 0 ? c->word[0] : "gsolve");
    for (const cli_option *o = c->command->option; o->help; o++) {
        if (o->name) append_option(text, o, &a);
    }
}

/* --- reports ---------------------------------------------------------------------------------- */

void cli_say_remedy(const cli *c, const gsolve_diagnosis *d)
{
    char command[CLI_COMMAND_LENGTH];

    cli_remedy_command(c, d, command);
    if (!command[0]) return;
    cli_item(c, "try", "%s", d->remedy);
    cli_say(c, "%12s%s\n", "", command); /* in one line, so that it can be copied */
}

int cli_fail_diagnosed(cli *c, const gsolve_diagnosis *d)
{
    char command[CLI_COMMAND_LENGTH];

    cli_remedy_command(c, d, command);
    return cli_fail(c, "%s %s%s%s", d->cause, d->remedy, command[0] ? " Run: " : "", command);
}

int cli_check_method(cli *c, const gsolve_matrix *A)
{
    const char *method = c->args.solver, *precond = c->args.precond ? c->args.precond : "none";
    gsolve_diagnosis d = GSOLVE_INIT(gsolve_diagnosis);

    if (!method || c->args.force) return 0;
    if (gsolve_auto_check(c->ctx, A, method, precond, &d) != GSOLVE_OK) return cli_fail_library(c);
    return d.name[0] ? cli_fail_diagnosed(c, &d) : 0;
}

void cli_explain_attempt(const cli *c, gsolve_auto *S, const gsolve_attempt *t, const char *note,
                         gsolve_diagnosis *d, char *text, size_t size)
{
    const gsolve_result *r = t->result;
    const bool solved = r && gsolve_outcome_is_success(r->outcome);

    *d = (gsolve_diagnosis)GSOLVE_INIT(gsolve_diagnosis);
    snprintf(text, size, "%s", solved ? gsolve_solver_explain(t->S) : gsolve_error(c->ctx));
    if (solved) return;
    gsolve_auto_diagnose(S, d);
    if (r && (r->outcome == GSOLVE_STOPPED || r->outcome == GSOLVE_TIME_LIMIT)) {
        snprintf(text, size, "%s after %s at |b - Ax| / |b| = %.1e.",
                 r->outcome == GSOLVE_STOPPED ? "Interrupted" : "The time limit was reached",
                 cli_count(r->iterations, "iteration").text, r->relative_residual);
    } else if (r || d->remedy[0]) {
        snprintf(text, size, "%s%s%s", d->cause, note[0] ? " " : "", note);
    }
}

void cli_diagnosis_json(cJSON *object, const cli *c, const gsolve_diagnosis *d,
                        const char *explanation)
{
    char command[CLI_COMMAND_LENGTH], text[2000];

    snprintf(text, sizeof text, "%s%s%s", explanation, d->remedy[0] ? " " : "", d->remedy);
    cJSON_AddStringToObject(object, "explanation", text);
    if (!d->name[0]) return;
    cli_remedy_command(c, d, command);
    cJSON_AddStringToObject(object, "cause_name", d->name);
    cli_json_text(object, "cause", d->cause);
    cJSON_AddStringToObject(object, "remedy", d->remedy);
    cli_json_text(object, "command", command);
}
