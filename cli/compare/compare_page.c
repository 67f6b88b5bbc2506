/* compare_page.c: gsolve compare as an HTML page. */
#include "cli/compare/compare.h"
#include "cli/page/page.h"

void cmp_keep_pattern(cmp_matrix *a)
{
    a->pattern = cJSON_CreateObject();
    cli_page_spy(a->pattern, &a->system.csr);
    cJSON_AddStringToObject(a->pattern, "symmetry", cli_symmetry_words(&a->system.statistics));
    cJSON_AddNumberToObject(a->pattern, "shortest_row", a->system.statistics.shortest_row);
    cJSON_AddNumberToObject(a->pattern, "longest_row", a->system.statistics.longest_row);
    cli_json_add(a->pattern, "mean_row", a->system.statistics.mean_row);
}

int cmp_write_page(cmp *m, cJSON *object)
{
    cJSON *extra = cli_page_extra(m->c, object), *list;
    int code;

    list = cJSON_AddArrayToObject(extra, "matrices");
    for (int k = 0; k < m->matrices; k++) {
        cJSON_AddItemToArray(list,
                             m->matrix[k].pattern ? m->matrix[k].pattern : cJSON_CreateObject());
        m->matrix[k].pattern = NULL;
    }
    code = cli_page_write(m->c, m->c->args.html, object);
    cJSON_Delete(object);
    return code;
}
