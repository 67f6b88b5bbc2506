/* pattern.c: the pattern of a matrix, for the page. */
#include <stdlib.h>

#include "cli/page/page.h"

enum { GRID = 64, MOST_ENTRIES = 20000000 }; /* counted entries; about 50 ms */

static int64_t offset(const gsolve_csr *rows, int64_t i)
{
    return rows->offset == GSOLVE_O32 ? ((const int32_t *)rows->start)[i]
                                      : ((const int64_t *)rows->start)[i];
}

/* count += the entries of every step-th row. */
static void count_rows(const gsolve_csr *rows, int64_t step, int height, int width, int64_t *count)
{
    for (int64_t i = 0; i < rows->nrows; i += step) {
        int64_t *cell = count + i * height / rows->nrows * width;
        for (int64_t k = offset(rows, i); k < offset(rows, i + 1); k++) {
            cell[(int64_t)rows->col[k] * width / rows->ncols]++;
        }
    }
}

void cli_page_spy(cJSON *object, const gsolve_csr *rows)
{
    const int height = rows->nrows < GRID ? rows->nrows : GRID;
    const int width = rows->ncols < GRID ? rows->ncols : GRID;
    const int64_t entries = rows->nrows > 0 ? offset(rows, rows->nrows) : 0;
    const int64_t step = 1 + entries / MOST_ENTRIES;
    int64_t *count = calloc((size_t)GRID * GRID, sizeof *count);
    cJSON *spy, *list;

    if (!count || rows->location != GSOLVE_HOST || entries == 0) {
        free(count);
        return;
    }
    count_rows(rows, step, height, width, count);
    spy = cJSON_AddObjectToObject(object, "spy");
    cJSON_AddNumberToObject(spy, "rows", height);
    cJSON_AddNumberToObject(spy, "cols", width);
    cJSON_AddNumberToObject(spy, "every", (double)step);
    list = cJSON_AddArrayToObject(spy, "counts");
    for (int k = 0; k < height * width; k++) {
        cJSON_AddItemToArray(list, cJSON_CreateNumber((double)count[k]));
    }
    free(count);
}

void cli_page_statistics(cJSON *object, const gsolve_statistics *t)
{
    cJSON *list = cJSON_AddArrayToObject(object, "row_lengths");

    for (int k = 0; k < 32; k++) {
        cJSON_AddItemToArray(list, cJSON_CreateNumber((double)t->length[k]));
    }
    cJSON_AddNumberToObject(object, "shortest_row", t->shortest_row);
    cJSON_AddNumberToObject(object, "longest_row", t->longest_row);
    cli_json_add(object, "mean_row", t->mean_row);
    cJSON_AddStringToObject(object, "symmetry", cli_symmetry_words(t));
}
