/* json_keys.c: json_keys FILE KEY... checks that FILE is JSON and holds each KEY, such as
 * seconds.read, attempts[] (an array that is not empty) or rows[2].format (a[] is a[0]); KEY=VALUE
 * also that it is this string or number. */
#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *read_whole(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    size_t length = 0, room = 0, got = 1;

    while (file && got > 0) {
        if (length + 4096 > room) text = realloc(text, room = 2 * room + 8192);
        if (!text) break;
        got = fread(text + length, 1, 4096, file);
        length += got;
    }
    if (text) text[length] = 0;
    if (file) fclose(file);
    return text;
}

/* The member of object at the path "a.b[1].c". */
static const cJSON *find(const cJSON *object, char *path)
{
    for (char *key = strtok(path, "."); key && object; key = strtok(NULL, ".")) {
        char *brackets = strstr(key, "[");
        if (brackets) *brackets = 0;
        object = cJSON_GetObjectItemCaseSensitive(object, key);
        if (brackets) object = cJSON_GetArrayItem(object, atoi(brackets + 1));
    }
    return object;
}

static int has_value(const cJSON *item, const char *value)
{
    if (cJSON_IsString(item)) return strcmp(item->valuestring, value) == 0;
    if (cJSON_IsBool(item)) return strcmp(cJSON_IsTrue(item) ? "true" : "false", value) == 0;
    if (cJSON_IsNull(item)) return strcmp("null", value) == 0;
    return cJSON_IsNumber(item) && item->valuedouble == strtod(value, NULL);
}

int main(int argc, char **argv)
{
    char *text = argc > 1 ? read_whole(argv[1]) : NULL;
    cJSON *object = text ? cJSON_ParseWithOpts(text, NULL, 1) : NULL;
    int bad = !object;

    if (!object) printf("%s is no JSON\n", argc > 1 ? argv[1] : "?");
    for (int k = 2; object && k < argc; k++) {
        char path[256];
        const char *value = strchr(argv[k], '=');
        snprintf(path, sizeof path, "%.*s", (int)strcspn(argv[k], "="), argv[k]);
        const cJSON *item = find(object, path);
        if (!item || (value && !has_value(item, value + 1))) {
            printf("%s: %s is %s\n", argv[1], argv[k], item ? "different" : "missing");
            bad = 1;
        }
    }
    cJSON_Delete(object);
    free(text);
    return bad;
}
