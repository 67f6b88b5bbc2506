/* solvers.c: gsolve compare --solvers: measures combinations of methods, preconditioners and
 * formats on one or more matrices. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/compare/solvers.h"
#include "cli/json.h"
#include "cli/signals.h"

/* Reads the matrix. *head = what that printed, for the place behind the verdict; it must be freed.
 */
static int read_system(cms *s, cms_matrix *a, const char *name, char **head)
{
    cli *c = s->m->c;
    FILE *text = c->text;
    size_t length = 0;
    int code;

    *head = NULL;
    if (text) c->text = open_memstream(head, &length);
    if (text && !c->text) {
        c->text = text;
        return cli_fail(c, "out of memory");
    }
    if (s->matrices == 1) cli_stops(CLI_STOPS_SOON); /* there is nothing to report yet */
    code = s->m->backend->read(s->m, name, &a->system);
    cli_stops(CLI_STOPS_RUN);
    if (text) fclose(c->text);
    c->text = text;
    return code;
}

static int compare_on(cms *s, const char *name)
{
    cli *c = s->m->c;
    cms_matrix *a = &s->matrix[s->matrices];
    char *head = NULL;
    int code;

    s->matrices++;
    code = read_system(s, a, name, &head);
    a->rtol = cli_rtol(c);
    a->atol = isnan(c->args.atol) ? 0 : c->args.atol;
    if (!code) cmp_keep_pattern(s->m, &a->system);
    if (!code) code = cms_combine(s, a);
    if (!code) code = cms_measure(s, a);
    if (!code) {
        cms_decide(a);
        cms_say_matrix(s, a, head ? head : "");
    }
    s->m->backend->close(s->m, &a->system);
    free(head);
    return code;
}

static int compare_all(cms *s)
{
    cli *c = s->m->c;
    const cli_many *names = &c->args.matrices;
    int code = 0;

    s->matrix = calloc((size_t)names->count, sizeof *s->matrix);
    if (!s->matrix) return cli_fail(c, "out of memory");
    for (int k = 0; !code && k < names->count && !cli_interrupted(); k++) {
        if (k > 0) cli_say(c, "\n");
        code = compare_on(s, names->item[k]);
    }
    if (code && c->stopped && s->matrices > 1) { /* the others are reported */
        s->matrices--;
        c->stopped = false;
        code = 0;
    }
    cli_stops(CLI_STOPS_AT_ONCE);
    return code;
}

static void write_csv(FILE *file, const void *s)
{
    cms_csv(file, s);
}

static int write_files(cms *s, const cms_profile *profile)
{
    cli *c = s->m->c;

    if (c->args.json && cli_json_write(c, cms_json(s, profile))) return CLI_ERROR;
    if (cmp_write_by(c, c->args.csv, write_csv, s)) return CLI_ERROR;
    return c->args.html ? cmp_write_page(s->m, cms_json(s, profile)) : 0;
}

static int write_all(cms *s)
{
    cli *c = s->m->c;
    cms_profile profile;
    int code = cms_profile_make(s, &profile);

    if (!code) cms_decide_all(s, &profile);
    if (!code && s->matrices > 1) cms_say_profile(s, &profile);
    if (!code) cmp_say_interrupt(c, s->matrices);
    if (!code) code = s->m->backend->agree(s->m, s->m->first ? write_files(s, &profile) : 0);
    cms_profile_free(&profile);
    return code;
}

/* Whether each matrix has a combination that solved it, and Ctrl-C interrupted nothing. */
static bool all_solved(const cms *s)
{
    bool solved = !cli_interrupted();

    for (int k = 0; k < s->matrices; k++) {
        solved &= s->matrix[k].rows > 0 && s->matrix[k].row[0].solved;
    }
    return solved;
}

static void release(cms *s)
{
    for (int k = 0; k < s->matrices; k++) {
        for (int i = 0; i < s->matrix[k].rows; i++) free(s->matrix[k].row[i].history);
        free(s->matrix[k].row);
    }
    free(s->matrix);
    free(s);
}

int cms_compare(cmp *m)
{
    cms *s = calloc(1, sizeof *s);
    int code;

    if (!s) return cli_fail(m->c, "out of memory");
    s->m = m;
    code = cms_read_lists(s);
    if (!code) code = compare_all(s);
    if (!code) code = write_all(s);
    if (!code && !all_solved(s)) code = CLI_NOT_CONVERGED;
    release(s);
    return code;
}
