/* formats.c: the formats that gsolve compare measures. */
#include <string.h>

#include "cli/compare/compare.h"

static int add_spec(cmp *m, const char *spec, int length)
{
    if (m->formats == CMP_MOST_FORMATS) {
        return cli_fail(m->c, "--formats has more than %d formats", CMP_MOST_FORMATS);
    }
    if (length >= CMP_SPEC) {
        return cli_fail(
            m->c,
            "the format '%.40s...' is too long: it has %d characters, and at most %d are allowed",
            spec, length, CMP_SPEC - 1);
    }
    snprintf(m->spec[m->formats++], CMP_SPEC, "%.*s", length, spec);
    return 0;
}

/* --- all formats ------------------------------------------------------------------------------ */

/* The values of the option alg, "a|b|c", one for each algorithm; or NULL. */
static const char *algorithms(const gsolve_plugin *format)
{
    for (const gsolve_option *o = format->option; o && o->key; o++) {
        if (o->kind == GSOLVE_CHOICE && strcmp(o->key, "alg") == 0) return o->choices;
    }
    return NULL;
}

static int add_all(cmp *m)
{
    const gsolve_plugin *format;
    char spec[2 * CMP_SPEC];
    int code = 0;

    for (int k = 0; !code && (format = gsolve_format_at(m->c->ctx, k)); k++) {
        const char *word = algorithms(format);
        if (!word) code = add_spec(m, format->name, (int)strlen(format->name));
        while (word && *word && !code) {
            const int length = (int)strcspn(word, "|");
            snprintf(spec, sizeof spec, "%.60s,alg=%.*s", format->name, length, word);
            code = add_spec(m, spec, (int)strlen(spec));
            word += length + (word[length] == '|');
        }
    }
    return code;
}

/* --- the formats of --formats ----------------------------------------------------------------- */

/* Checks the specs with a matrix of one entry: whether a spec is valid does not depend on the
 * matrix. */
static int check_names(cmp *m)
{
    const int32_t start[] = {0, 1}, col[] = {0};
    const double value[] = {1};
    const gsolve_csr one = gsolve_csr_view(1, start, col, value);

    for (int k = 0; k < m->formats; k++) {
        gsolve_matrix *A = NULL;
        const gsolve_status status = gsolve_matrix_create(&A, m->c->ctx, m->spec[k], &one);
        gsolve_matrix_destroy(&A);
        if (status == GSOLVE_BAD_SPEC) return cli_fail_library(m->c);
    }
    return 0;
}

/* Finds csr, with which the others are compared; adds it if it is missing. */
static int find_base(cmp *m)
{
    for (int k = 0; k < m->formats; k++) {
        if (strcmp(m->spec[k], "csr") == 0) {
            m->base = k;
            return 0;
        }
    }
    if (add_spec(m, "csr", 3)) return CLI_ERROR;
    for (int k = m->formats - 1; k > 0; k--) memcpy(m->spec[k], m->spec[k - 1], CMP_SPEC);
    strcpy(m->spec[0], "csr");
    m->base = 0;
    return 0;
}

int cmp_add_formats(cmp *m, const char *list)
{
    if (cmp_split(m->c, "formats", list, m->spec, CMP_MOST_FORMATS, &m->formats)) return CLI_ERROR;
    return check_names(m);
}

int cmp_choose_formats(cmp *m)
{
    if (m->c->args.formats ? cmp_add_formats(m, m->c->args.formats) : add_all(m)) return CLI_ERROR;
    return find_base(m);
}
