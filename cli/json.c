/* json.c: results as JSON. */
#include "cli/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of the UTF-8 character that s begins with, or 0. */
static int utf8_length(const unsigned char *s)
{
    const int length = s[0] < 0x80                   ? 1
                       : s[0] >= 0xc2 && s[0] < 0xe0 ? 2
                       : s[0] >= 0xe0 && s[0] < 0xf0 ? 3
                       : s[0] >= 0xf0 && s[0] < 0xf5 ? 4
                                                     : 0;
    for (int k = 1; k < length; k++) {
        if ((s[k] & 0xc0) != 0x80) return 0;
    }
    return length;
}

void cli_json_text(cJSON *object, const char *key, const char *text)
{
    char clean[2048];
    size_t k = 0;

    while (*text && k + 4 < sizeof clean) {
        int length = utf8_length((const unsigned char *)text);
        clean[k] = '?';
        if (length > 0) memcpy(clean + k, text, (size_t)length);
        if (length == 0) length = 1;
        k += (size_t)length;
        text += length;
    }
    clean[k] = 0;
    cJSON_AddStringToObject(object, key, clean);
}

cJSON *cli_json_number(double value)
{
    return isfinite(value) ? cJSON_CreateNumber(value) : cJSON_CreateNull();
}

void cli_json_add(cJSON *object, const char *key, double value)
{
    cJSON_AddItemToObject(object, key, cli_json_number(value));
}

void cli_json_matrix(cJSON *object, const cli_system *s)
{
    cJSON *matrix = cJSON_AddObjectToObject(object, "matrix");

    cJSON_AddNumberToObject(matrix, "rows", (double)s->nrows);
    cJSON_AddNumberToObject(matrix, "cols", (double)s->ncols);
    cJSON_AddNumberToObject(matrix, "entries", (double)s->entries);
    cJSON_AddBoolToObject(matrix, "symmetric", s->statistics.symmetric);
    cli_json_text(matrix, "source", s->name);
    cJSON_AddStringToObject(matrix, "kind", s->source.kind);
    cJSON_AddNumberToObject(matrix, "duplicates", (double)s->source.duplicates);
    cJSON_AddBoolToObject(matrix, "cached", s->source.cached);
}

/* Puts item before all others of object, unless that has the key. */
static void insert_first(cJSON *object, const char *key, cJSON *item)
{
    cJSON *holder = cJSON_CreateObject(); /* gives item its key */

    if (cJSON_HasObjectItem(object, key) || !holder) {
        cJSON_Delete(item);
    } else {
        cJSON_AddItemToObject(holder, key, item);
        cJSON_InsertItemInArray(object, 0, cJSON_DetachItemFromObject(holder, key));
    }
    cJSON_Delete(holder);
}

void cli_json_head(cJSON *object)
{
    insert_first(object, "index_base", cJSON_CreateNumber(0));
    insert_first(object, "gsolve", cJSON_CreateString(gsolve_version()));
}

int cli_json_write(cli *c, cJSON *object)
{
    char *text, *line = NULL;
    int code;

    cli_json_head(object);
    text = cJSON_Print(object);
    cJSON_Delete(object);
    if (text) line = realloc(text, strlen(text) + 2);
    if (!line) {
        free(text);
        return cli_fail(c, "out of memory while writing JSON");
    }
    strcat(line, "\n");
    code = cli_write_text(c, c->args.json, line);
    free(line);
    return code;
}

void cli_json_error(cli *c)
{
    cJSON *object;

    if (!cli_json_fits(c) || ferror(stdout)) return;
    object = cJSON_CreateObject();
    cli_json_text(object, "error", c->error);
    cli_json_write(c, object);
}
