/* compare_page.c: gsolve compare as an HTML page. */
#include "cli/compare/compare.h"
#include "cli/page/page.h"

void cmp_keep_pattern(cmp *m, const cli_system *s)
{
    cJSON *pattern;

    if (!m->c->args.html) return;
    if (!m->patterns) m->patterns = cJSON_CreateArray();
    pattern = cJSON_CreateObject();
    cli_page_statistics(pattern, &s->statistics);
    cli_page_spy(pattern, &s->csr);
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
