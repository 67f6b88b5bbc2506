/* parts.c: what the page of --html shows of each rank. */
#include <stdlib.h>

#include "cli/ranks/ranks.h"

enum { ROWS, ENTRIES, GHOSTS, NEIGHBOURS, FACTS }; /* of a rank */

static int by_number(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Sorts the columns of other ranks and counts the different ones, and the ranks that own them.
 * end[k]: the first column that rank k does not own. */
static void count_ghosts(int64_t *col, int64_t count, const int64_t *end, int64_t fact[FACTS])
{
    int owner = 0, last = -1;

    qsort(col, (size_t)count, sizeof *col, by_number);
    for (int64_t k = 0; k < count; k++) {
        if (k > 0 && col[k] == col[k - 1]) continue;
        while (col[k] >= end[owner]) owner++;
        fact[GHOSTS]++;
        fact[NEIGHBOURS] += owner != last;
        last = owner;
    }
}

/* False: out of memory. */
static bool count_part(const cli_rows *A, const int64_t *end, int64_t fact[FACTS])
{
    const int64_t first = A->cols.first, entries = cli_row_start(A, A->rows.count);
    int64_t *col = malloc((size_t)(entries + 1) * sizeof *col), count = 0;

    if (!col) return false;
    for (int64_t k = 0; k < entries; k++) {
        const int64_t j = cli_row_column(A, k);
        if (j < first || j >= first + A->cols.count) col[count++] = j;
    }
    fact[ROWS] = A->rows.count;
    fact[ENTRIES] = entries;
    count_ghosts(col, count, end, fact);
    free(col);
    return true;
}

static cJSON *list_of(const int64_t *fact, int ranks)
{
    static const char *const key[] = {"rows", "entries", "ghosts", "neighbours"};
    cJSON *list = cJSON_CreateArray();

    for (int k = 0; k < ranks; k++) {
        cJSON *part = cJSON_CreateObject();
        cJSON_AddNumberToObject(part, "rank", k);
        for (int i = 0; i < FACTS; i++) {
            cJSON_AddNumberToObject(part, key[i], (double)fact[k * FACTS + i]);
        }
        cJSON_AddItemToArray(list, part);
    }
    return list;
}

cJSON *ranks_list_parts(const ranks_run *r)
{
    const cli_rows A = cli_rows_of_rank(&r->csr);
    int64_t *const end = calloc((size_t)r->ranks, sizeof *end);
    int64_t *const all = calloc((size_t)r->ranks, FACTS * sizeof *all);
    int64_t own = A.cols.first + A.cols.count, fact[FACTS] = {0};
    int made = end && all;
    cJSON *list = NULL;

    MPI_Allreduce(MPI_IN_PLACE, &made, 1, MPI_INT, MPI_MIN, r->comm);
    if (made) {
        MPI_Allgather(&own, 1, MPI_INT64_T, end, 1, MPI_INT64_T, r->comm);
        made = count_part(&A, end, fact);
        MPI_Allreduce(MPI_IN_PLACE, &made, 1, MPI_INT, MPI_MIN, r->comm);
    }
    if (made) {
        MPI_Allgather(fact, FACTS, MPI_INT64_T, all, FACTS, MPI_INT64_T, r->comm);
        list = list_of(all, r->ranks);
    }
    free(end);
    free(all);
    return list;
}

void ranks_sum_pattern(const ranks_run *r, cli_spy *spy)
{
    MPI_Allreduce(MPI_IN_PLACE, spy->count, CLI_GRID * CLI_GRID, MPI_DOUBLE, MPI_SUM, r->comm);
}
