/* compare.c: gsolve compare: measures the formats on one or more matrices. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/compare/compare.h"
#include "cli/json.h"
#include "cli/options.h"

/* --- preparation ------------------------------------------------------------------------------ */

/* The matrices: those of -A, then the operands. */
static int gather_names(cli *c)
{
    cli_many *names = &c->args.matrices;

    for (int k = 0; k < c->args.operands; k++) {
        if (names->count == CLI_MOST_MATRICES) {
            return cli_fail(c, "more than %d matrices are given", CLI_MOST_MATRICES);
        }
        names->item[names->count++] = c->args.operand[k];
    }
    if (names->count > 0) return 0;
    return cli_fail(c, "no matrix is given; write gsolve compare FILE");
}

static const char *generator_name(const void *unused, int k)
{
    const gsolve_plugin *generator = gsolve_generator_at(k);

    (void)unused;
    return generator ? generator->name : NULL;
}

/* Checks that a matrix can be read, before others are measured. A single matrix is read at once and
 * needs no check. */
static int check_name(cli *c, const char *name)
{
    const char *near;
    char word[64];

    if (c->args.matrices.count == 1) return 0;
    if (strncmp(name, "gen:", 4) != 0) {
        return access(name, R_OK) == 0 ? 0 : cli_fail(c, "%s: %s", name, strerror(errno));
    }
    if (cli_is_generator(name + 4)) return 0;
    snprintf(word, sizeof word, "%.*s", (int)strcspn(name + 4, ","), name + 4);
    near = gsolve_nearest_name("generator", word, generator_name, NULL);
    return cli_fail(c, "there is no generator '%s'%s%s%s; gsolve list generators shows them", word,
                    near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

/* Checks that all files can be read or written; only one process has to. */
static int check_all_files(cli *c)
{
    if (cli_check_files(c)) return CLI_ERROR;
    for (int k = 0; k < c->args.matrices.count; k++) {
        if (check_name(c, c->args.matrices.item[k])) return CLI_ERROR;
    }
    return 0;
}

static int prepare(cmp *m)
{
    cli *c = m->c;
    const time_t now = time(NULL);
    struct tm utc;

    if (gather_names(c)) return CLI_ERROR;
    if (m->backend->agree(m, m->first ? check_all_files(c) : 0)) return CLI_ERROR;
    if (!cms_is_asked(&c->args) && c->args.solver && cli_spec_is(c->args.solver, "direct")) {
        return cli_fail(
            c, "direct makes no products, so the format does not matter; choose another method "
               "(gsolve list solvers)");
    }
    if (m->backend->open(m) || cli_check_specs(c)) return CLI_ERROR;
    m->device.size = sizeof m->device;
    gsolve_context_describe(c->ctx, &m->device);
    strftime(m->date, sizeof m->date, "%Y-%m-%d %H:%M UTC", gmtime_r(&now, &utc));
    return cmp_register_cxsparse(c->ctx, &m->device) == GSOLVE_OK ? 0 : cli_fail_library(c);
}

/* --- the matrices ----------------------------------------------------------------------------- */

/* Not over ranks, where nothing is compared with it: see partial in cmp_row. */
static int measure_copy(cmp *m, cmp_matrix *a)
{
    a->copy_speed = NAN;
    if (m->ranks > 0) return 0;
    return gsolve_context_copy_speed(m->c->ctx, &a->copy_speed) == GSOLVE_OK
               ? 0
               : cli_fail_library(m->c);
}

static int compare_on(cmp *m, const char *name)
{
    cmp_matrix *a = &m->matrix[m->matrices];
    int code;

    a->row = calloc((size_t)m->formats, sizeof *a->row);
    if (!a->row) return cli_fail(m->c, "out of memory");
    m->matrices++;
    code = m->backend->read(m, name, &a->system);
    if (!code) cmp_keep_pattern(m, &a->system);
    a->solves = a->system.nrows == a->system.ncols;
    if (!code && a->solves) code = cmp_choose_method(m, a);
    if (!code) code = measure_copy(m, a);
    if (!code) code = cmp_measure(m, a);
    if (!code) cmp_say_matrix(m, a);
    m->backend->close(m, &a->system);
    return code;
}

static int compare_all(cmp *m)
{
    const cli_many *names = &m->c->args.matrices;
    int code = 0;

    cli_stops(CLI_STOPS_RUN);
    m->matrix = calloc((size_t)names->count, sizeof *m->matrix);
    if (!m->matrix) return cli_fail(m->c, "out of memory");
    for (int k = 0; !code && k < names->count && !cli_interrupted(); k++) {
        if (k > 0) cli_say(m->c, "\n");
        code = compare_on(m, names->item[k]);
    }
    cli_stops(CLI_STOPS_AT_ONCE);
    if (!code && m->matrices > 1) cmp_say_means(m);
    if (!code) cmp_say_interrupt(m->c, m->matrices);
    return code;
}

/* --- results ---------------------------------------------------------------------------------- */

static void write_csv(FILE *file, const void *m)
{
    cmp_csv(file, m);
}

static int write_all(cmp *m)
{
    const cli_arguments *args = &m->c->args;

    if (args->json && cli_json_write(m->c, cmp_json(m))) return CLI_ERROR;
    if (cmp_write_by(m->c, args->csv, write_csv, m)) return CLI_ERROR;
    return args->html ? cmp_write_page(m, cmp_json(m)) : 0;
}

/* Whether every product is correct, every solve converged, and Ctrl-C interrupted nothing. */
static bool all_succeeded(const cmp *m)
{
    bool success = !cli_interrupted();

    for (int k = 0; k < m->matrices; k++) {
        const cmp_matrix *a = &m->matrix[k];
        for (int f = 0; f < m->formats; f++) {
            const cmp_row *r = &a->row[f];
            success &= !r->wrong && (!r->solved || r->result.outcome == GSOLVE_CONVERGED);
        }
    }
    return success;
}

static int compare_formats(cmp *m)
{
    int code = cmp_choose_formats(m);

    if (!code) code = compare_all(m);
    if (!code) code = m->backend->agree(m, m->first ? write_all(m) : 0);
    if (!code && !all_succeeded(m)) code = CLI_NOT_CONVERGED;
    for (int k = 0; k < m->matrices; k++) free(m->matrix[k].row);
    free(m->matrix);
    return code;
}

int cmp_run(cli *c, const cmp_backend *backend, struct ranks_run *run, bool first)
{
    cmp *m = calloc(1, sizeof *m);
    int code;

    if (!m) return cli_fail(c, "out of memory");
    *m = (cmp){.c = c, .backend = backend, .run = run, .first = first};
    code = prepare(m);
    if (!code) code = cms_is_asked(&c->args) ? cms_compare(m) : compare_formats(m);
    cJSON_Delete(m->patterns);
    free(m);
    return code;
}
