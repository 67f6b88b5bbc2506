/* lists.c: lists of specs in the arguments of gsolve compare. */
#include <string.h>

#include "cli/compare/compare.h"

/* Characters of the first spec of a list: up to a ';', or a ',' before a word without '='. */
static int spec_length(const char *list)
{
    int length = (int)strcspn(list, ",;");

    while (list[length] == ',') {
        const int word = (int)strcspn(list + length + 1, ",;");
        if (!memchr(list + length + 1, '=', (size_t)word)) break;
        length += 1 + word;
    }
    return length;
}

static int check(cli *c, const char *option, const char *list, const char *at, int length)
{
    if (length == 0) {
        return cli_fail(c, "--%s '%.200s' contains an empty name", option, list);
    }
    if (length < CMP_SPEC) return 0;
    return cli_fail(c,
                    "the spec '%.40s...' in --%s is too long: it has %d characters, and at most %d "
                    "are allowed",
                    at, option, length, CMP_SPEC - 1);
}

static void trim(char *text)
{
    size_t length = strlen(text);

    while (length > 0 && text[length - 1] == ' ') text[--length] = 0;
}

int cmp_split(cli *c, const char *option, const char *list, char (*spec)[CMP_SPEC], int most,
              int *count)
{
    const char *at = list;

    *count = 0;
    for (bool more = true; more;) {
        at += strspn(at, " ");
        const int length = spec_length(at);
        if (check(c, option, list, at, length)) return CLI_ERROR;
        if (*count == most) return cli_fail(c, "--%s has more than %d specs", option, most);
        snprintf(spec[*count], CMP_SPEC, "%.*s", length, at);
        trim(spec[(*count)++]);
        more = at[length] != 0;
        at += length + more;
    }
    return 0;
}
