/* source.c: what the format of a file implies, and which formats the name of an output file
 * chooses. */
#include "cli/source.h"

#include <string.h>
#include <strings.h>

void cli_source_words(char *words, size_t size, const gsolve_source *source)
{
    const bool generated = strcmp(source->kind, "generator") == 0;
    size_t length = 0;

    words[0] = 0;
    if (!generated && source->symmetry != GSOLVE_GENERAL) {
        length +=
            (size_t)snprintf(words, size, "; %s: the file holds one triangle",
                             source->symmetry == GSOLVE_SKEW ? "skew-symmetric" : "symmetric");
    }
    if (!generated && strcmp(source->field, "pattern") == 0 && length < size) {
        length += (size_t)snprintf(words + length, size - length, "; pattern: all values are 1");
    }
    if (!generated && strcmp(source->field, "integer") == 0 && length < size) {
        length += (size_t)snprintf(words + length, size - length, "; integer values");
    }
    if (source->duplicates > 0 && length < size) {
        snprintf(words + length, size - length, "; %s summed",
                 cli_count(source->duplicates, "duplicate entry").text);
    }
}

static bool ends_in(const char *text, const char *end)
{
    const size_t length = strlen(text), tail = strlen(end);
    return length > tail && strcasecmp(text + length - tail, end) == 0;
}

bool cli_is_market_name(const char *path)
{
    return ends_in(path, ".mtx") || ends_in(path, ".mtx.gz");
}

bool cli_is_dense_name(const char *path)
{
    const gsolve_file_format format = gsolve_file_format_of(path);
    return format == GSOLVE_FILE_NPY || format == GSOLVE_FILE_TEXT;
}

bool cli_is_binary_name(const char *path)
{
    const gsolve_file_format format = gsolve_file_format_of(path);
    return format == GSOLVE_FILE_NPZ || format == GSOLVE_FILE_PETSC;
}
