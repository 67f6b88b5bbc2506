/* page.c: writes the page: the template, with the JSON and the tables in their places. */
#include "cli/page/page.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/diagnosis.h"

/* Writes JSON for a script element. '<' stands in strings only, where < means the same: the text
 * then holds neither the end of the element nor the beginning of a comment. */
static void put_json(FILE *file, const char *text)
{
    for (; *text; text++) {
        if (*text == '<') {
            fputs("\\u003c", file);
        } else {
            fputc(*text, file);
        }
    }
}

/* Writes the template up to mark, and returns what follows mark. */
static const char *put_until(FILE *file, const char *from, const char *mark)
{
    const char *end = strstr(from, mark);

    fwrite(from, 1, (size_t)(end - from), file);
    return end + strlen(mark);
}

static void put_page(FILE *file, const char *json, const cJSON *object)
{
    const char *at = (const char *)cli_page_template;

    at = put_until(file, at, "<!--tables-->");
    cli_page_tables(file, object);
    at = put_until(file, at, "<!--json-->");
    put_json(file, json);
    fputs(at, file);
}

int cli_page_write(cli *c, const char *path, const cJSON *object)
{
    char *json = cJSON_PrintUnformatted(object), *text = NULL;
    size_t length = 0;
    FILE *file = json ? open_memstream(&text, &length) : NULL;
    int code;

    if (file) put_page(file, json, object);
    if (!file || fclose(file) != 0) {
        code = cli_fail(c, "out of memory while writing %s", path);
    } else {
        code = cli_write_text(c, path, text);
    }
    free(json);
    free(text);
    return code;
}

/* --- what the page shows and --json does not have --------------------------------------------- */

static void add_command(cJSON *extra, const cli *c)
{
    char text[CLI_COMMAND_LENGTH] = "gsolve";

    if (c->ranks > 0) snprintf(text, sizeof text, "mpirun -n %d gsolve", c->ranks);
    for (int k = 1; k < c->count; k++) cli_append_word(text, c->word[k]);
    cli_json_text(extra, "command", text);
}

cJSON *cli_page_extra(const cli *c, cJSON *object)
{
    const time_t now = time(NULL);
    char date[32];
    struct tm utc;

    cli_json_head(object);
    cJSON *extra = cJSON_AddObjectToObject(object, "page");
    strftime(date, sizeof date, "%Y-%m-%d %H:%M UTC", gmtime_r(&now, &utc));
    cJSON_AddStringToObject(extra, "date", date);
    add_command(extra, c);
    return extra;
}
