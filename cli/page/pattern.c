/* pattern.c: the pattern of a matrix, for the page. */
#include "cli/page/page.h"

enum { MOST_ENTRIES = 20000000 }; /* counted entries; about 50 ms */

/* spy->count += the entries of every spy->every-th row. */
static void count_rows(const cli_rows *A, cli_spy *spy)
{
    const int64_t every = spy->every, first = (A->rows.first + every - 1) / every * every;

    for (int64_t i = first; i < A->rows.first + A->rows.count; i += every) {
        const int32_t here = (int32_t)(i - A->rows.first);
        double *cell = spy->count + i * spy->rows / A->rows.total * spy->cols;
        for (int64_t k = cli_row_start(A, here); k < cli_row_start(A, here + 1); k++) {
            cell[cli_row_column(A, k) * spy->cols / A->cols.total]++;
        }
    }
}

void cli_page_count(cli_spy *spy, const cli_rows *A, int64_t entries)
{
    *spy = (cli_spy){.rows = A->rows.total < CLI_GRID ? (int)A->rows.total : CLI_GRID,
                     .cols = A->cols.total < CLI_GRID ? (int)A->cols.total : CLI_GRID,
                     .every = 1 + entries / MOST_ENTRIES};
    if (entries > 0) count_rows(A, spy);
}

void cli_page_spy(cJSON *object, const cli_spy *counted)
{
    cJSON *spy, *list;
    double sum = 0;

    for (int k = 0; k < counted->rows * counted->cols; k++) sum += counted->count[k];
    if (sum == 0) return;
    spy = cJSON_AddObjectToObject(object, "spy");
    cJSON_AddNumberToObject(spy, "rows", counted->rows);
    cJSON_AddNumberToObject(spy, "cols", counted->cols);
    cJSON_AddNumberToObject(spy, "every", (double)counted->every);
    list = cJSON_AddArrayToObject(spy, "counts");
    for (int k = 0; k < counted->rows * counted->cols; k++) {
        cJSON_AddItemToArray(list, cJSON_CreateNumber(counted->count[k]));
    }
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
