/* page.h: results as an HTML page. The page is page.html, with its style sheet and its scripts
 * inside and the JSON of the result in an element of its own; the scripts draw everything from the
 * JSON. Where scripts are off the page shows the JSON as tables. */
#ifndef GS_CLI_PAGE_PAGE_H
#define GS_CLI_PAGE_PAGE_H

#include "cli/json.h"
#include "cli/solve.h"

extern const unsigned char cli_page_template[]; /* page.html and a 0, made by embed.cmake */

/* Writes the page of the JSON `object` to the file path; "-": standard output. Returns 0 or
 * CLI_ERROR. */
int cli_page_write(cli *c, const char *path, const cJSON *object);

/* Writes object as tables, those of an object in an object with the path of its keys as caption. */
void cli_page_tables(FILE *file, const cJSON *object);

/* Adds page{command, date} to the JSON of a page, and returns it: what the page shows and --json
 * does not have. */
cJSON *cli_page_extra(const cli *c, cJSON *object);

enum { CLI_GRID = 64 };

/* The entries of a matrix, counted in a grid of at most 64 x 64 cells: count[i * cols + j] is of
 * the cell in row i and column j. Numbers are exact below 2^53. */
typedef struct cli_spy {
    int rows, cols;
    int64_t every; /* only each every-th row is counted, 1 but for very large matrices */
    double count[CLI_GRID * CLI_GRID];
} cli_spy;

/* *spy = the counts of A's rows, of a matrix with this many entries. */
void cli_page_count(cli_spy *spy, const cli_rows *A, int64_t entries);

/* Adds spy{rows, cols, every, counts}, unless no entry was counted. */
void cli_page_spy(cJSON *object, const cli_spy *counted);

/* Adds row_lengths (length of gsolve_statistics), shortest_row, longest_row, mean_row, symmetry. */
void cli_page_statistics(cJSON *object, const gsolve_statistics *t);

/* Adds to list the curve of the attempt with this number, which has run. */
void cli_page_curve(cJSON *list, int number, const cli_attempt *a);

/* Writes the results of a solve to the files of --json and --html, and deletes object, the JSON.
 * Returns 0 or CLI_ERROR. */
int cli_page_of_solve(cli *c, const cli_solution *s, cJSON *object);

#endif
