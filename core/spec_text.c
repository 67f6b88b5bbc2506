/* spec_text.c: the characters of a spec: blanks and case. */
#include "core/spec.h"

#include <string.h>
#include <strings.h>

static const char blanks[] = " \t\r\n";

gs_slice_of_text gs_spec_trim(const char *text, size_t length)
{
    const size_t skip = strspn(text, blanks);

    if (skip >= length) return (gs_slice_of_text){text, 0};
    for (text += skip, length -= skip; length > 0 && strchr(blanks, text[length - 1]);) length--;
    return (gs_slice_of_text){text, length};
}

bool gs_spec_is(const char *spec, const char *name)
{
    const gs_slice_of_text given = gs_spec_trim(spec, strcspn(spec, ","));
    return strlen(name) == given.length && strncasecmp(given.at, name, given.length) == 0;
}

void gsolve_tidy_spec(char *spec)
{
    const size_t name = spec ? strcspn(spec, ",") : 0;
    char *to = spec;

    if (!spec) return;
    for (const char *at = spec; *at; at++) {
        if (at < spec + name && *at >= 'A' && *at <= 'Z') {
            *to++ = (char)(*at - 'A' + 'a');
        } else if (!strchr(blanks, *at)) {
            *to++ = *at;
        } else { /* keep blanks within a word, which is an error that a sentence will show */
            const char *next = at + strspn(at, blanks);
            const bool begins = to == spec || to[-1] == ',' || to[-1] == '=';
            if (!begins && *next && *next != ',' && *next != '=') *to++ = *at;
        }
    }
    *to = 0;
}
