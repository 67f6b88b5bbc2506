/* tables.c: JSON as HTML tables, for readers without scripts. */
#include <stdlib.h>
#include <string.h>

#include "cli/page/page.h"

enum { MOST_NUMBERS = 40, PATH = 200 };

/* Writes text with & < > " as entities. */
static void put_text(FILE *file, const char *text)
{
    for (; *text; text++) {
        switch (*text) {
        case '&': fputs("&amp;", file); break;
        case '<': fputs("&lt;", file); break;
        case '>': fputs("&gt;", file); break;
        case '"': fputs("&quot;", file); break;
        default: fputc(*text, file);
        }
    }
}

static bool is_container(const cJSON *item)
{
    return cJSON_IsObject(item) || cJSON_IsArray(item);
}

static void put_value(FILE *file, const cJSON *item)
{
    if (cJSON_IsString(item)) {
        put_text(file, item->valuestring);
    } else if (cJSON_IsNumber(item)) {
        fprintf(file, "%.6g", item->valuedouble);
    } else if (cJSON_IsBool(item)) {
        fputs(cJSON_IsTrue(item) ? "yes" : "no", file);
    }
}

static void begin_table(FILE *file, const char *path)
{
    fputs("<table><caption>", file);
    put_text(file, *path ? path : "result");
    fputs("</caption>\n", file);
}

static void put_row(FILE *file, const cJSON *item)
{
    fputs("<tr><th scope=\"row\">", file);
    put_text(file, item->string);
    fputs("</th><td>", file);
    put_value(file, item);
    fputs("</td></tr>\n", file);
}

/* An array of numbers: the values, or how many they are. */
static void put_numbers(FILE *file, const cJSON *list, const char *path)
{
    const int count = cJSON_GetArraySize(list);
    const cJSON *item;

    fputs("<p>", file);
    put_text(file, path);
    fprintf(file, ": %d values", count);
    if (count > 0 && count <= MOST_NUMBERS) {
        fputc(':', file);
        cJSON_ArrayForEach(item, list)
        {
            fputc(' ', file);
            put_value(file, item);
        }
    }
    fputs("</p>\n", file);
}

/* The item of an array with the most members; its keys are the heads of the table. */
static const cJSON *widest(const cJSON *list)
{
    const cJSON *found = list->child, *item;

    cJSON_ArrayForEach(item, list)
    {
        if (cJSON_GetArraySize(item) > cJSON_GetArraySize(found)) found = item;
    }
    return found;
}

/* An array of objects: a row for each. */
static void put_objects(FILE *file, const cJSON *list, const char *path)
{
    const cJSON *heads = widest(list), *item, *head;

    fputs("<div>", file);
    begin_table(file, path);
    fputs("<tr>", file);
    cJSON_ArrayForEach(head, heads)
    {
        if (is_container(head)) continue;
        fputs("<th scope=\"col\">", file);
        put_text(file, head->string);
        fputs("</th>", file);
    }
    fputs("</tr>\n", file);
    cJSON_ArrayForEach(item, list)
    {
        fputs("<tr>", file);
        cJSON_ArrayForEach(head, heads)
        {
            if (is_container(head)) continue;
            fputs("<td>", file);
            put_value(file, cJSON_GetObjectItemCaseSensitive(item, head->string));
            fputs("</td>", file);
        }
        fputs("</tr>\n", file);
    }
    fputs("</table></div>\n", file);
}

static void put(FILE *file, const cJSON *item, const char *path);

static void put_members(FILE *file, const cJSON *object, const char *path)
{
    char name[PATH];
    const cJSON *item;

    cJSON_ArrayForEach(item, object)
    {
        if (!is_container(item)) continue;
        snprintf(name, sizeof name, "%.100s%s%.90s", path, *path ? "." : "", item->string);
        put(file, item, name);
    }
}

/* Calls itself through put_members, as deep as the JSON of this command is nested. */
static void put(FILE *file, const cJSON *item, const char *path)
{
    char name[PATH];
    const cJSON *member;
    int k = 0;

    if (cJSON_IsArray(item) && !cJSON_IsObject(item->child)) {
        put_numbers(file, item, path);
        return;
    }
    if (cJSON_IsArray(item)) {
        put_objects(file, item, path);
        cJSON_ArrayForEach(member, item)
        {
            snprintf(name, sizeof name, "%.100s %d", path, ++k);
            put_members(file, member, name);
        }
        return;
    }
    begin_table(file, path);
    cJSON_ArrayForEach(member, item)
    {
        if (!is_container(member)) put_row(file, member);
    }
    fputs("</table>\n", file);
    put_members(file, item, path);
}

void cli_page_tables(FILE *file, const cJSON *object)
{
    put(file, object, "");
}
