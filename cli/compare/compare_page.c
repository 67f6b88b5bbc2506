/* compare_page.c: gsolve compare as an HTML page. */
#include "cli/compare/compare.h"
#include "cli/page/page.h"

static void sum_counts(const cmp *m, cli_spy *spy)
{
    enum { CELLS = CLI_GRID * CLI_GRID };
    long double number[CELLS];

    for (int k = 0; k < CELLS; k++) number[k] = spy->count[k];
    m->backend->sum(m, number, CELLS);
    for (int k = 0; k < CELLS; k++) spy->count[k] = (double)number[k];
}

void cmp_keep_pattern(cmp *m, const cli_system *s)
{
    cli_rows rows;
    cJSON *pattern;
    cli_spy spy;

    if (!m->c->args.html) return;
    rows = m->backend->rows(m, s);
    cli_page_count(&spy, &rows, s->entries);
    sum_counts(m, &spy);
    if (!m->patterns) m->patterns = cJSON_CreateArray();
    pattern = cJSON_CreateObject();
    cli_page_statistics(pattern, &s->statistics);
    cli_page_spy(pattern, &spy);
    m->backend->add_parts(m, pattern);
    cJSON_AddItemToArray(m->patterns, pattern);
}

int cmp_write_page(cmp *m, cJSON *object)
{
    cJSON *extra = cli_page_extra(m->c, object);
    int code;

    cJSON_AddItemToObject(extra, "matrices", m->patterns);
    m->patterns = NULL;
    code = cli_page_write(m->c, m->c->args.html, object);
    cJSON_Delete(object);
    return code;
}
