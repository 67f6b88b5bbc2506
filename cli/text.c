/* text.c: prints items, error sentences and quantities. */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "cli/cli.h"

#define LABEL 12 /* columns of an item's label */

double cli_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void cli_say(const cli *c, const char *format, ...)
{
    va_list arguments;

    if (!c->text) return;
    va_start(arguments, format);
    vfprintf(c->text, format, arguments);
    va_end(arguments);
}

void cli_wrap(FILE *file, int indent, int width, const char *text)
{
    int column = indent;

    while (*text) {
        const int length = (int)strcspn(text, " ");
        if (column > indent && width > 0 && column + 1 + length > width) {
            fprintf(file, "\n%*s", indent, "");
            column = indent;
        } else if (column > indent) {
            fputc(' ', file);
            column++;
        }
        fprintf(file, "%.*s", length, text);
        column += length;
        text += length;
        text += strspn(text, " ");
    }
    fputc('\n', file);
}

void cli_item(const cli *c, const char *label, const char *format, ...)
{
    char text[4096];
    va_list arguments;

    if (!c->text) return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(c->text, "%-*s", LABEL, label);
    cli_wrap(c->text, LABEL, c->width, text);
    fflush(c->text);
}

int cli_fail(cli *c, const char *format, ...)
{
    char sentence[sizeof c->error];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    if (c->text) fflush(c->text);
    if (!c->silent) fprintf(stderr, "gsolve: %s\n", sentence);
    if (!c->error[0]) memcpy(c->error, sentence, sizeof c->error);
    return CLI_ERROR;
}

/* --- quantities ---------------------------------------------------------------------------- */

/* Three digits of value / unit and the unit's name. */
static cli_words three_digits(double value, const char *unit)
{
    cli_words words;
    const int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;

    snprintf(words.text, sizeof words.text, "%.*f %s", decimals, value, unit);
    return words;
}

cli_words cli_bytes(double bytes)
{
    if (bytes >= 1e9) return three_digits(bytes / 1e9, "GB");
    if (bytes >= 1e6) return three_digits(bytes / 1e6, "MB");
    if (bytes >= 1e3) return three_digits(bytes / 1e3, "kB");
    return cli_count((int64_t)bytes, "byte");
}

cli_words cli_seconds(double seconds)
{
    cli_words words;

    if (seconds < 0.9995) return three_digits(1e3 * seconds, "ms");
    if (seconds < 600) return three_digits(seconds, "s");
    snprintf(words.text, sizeof words.text, "%.0f min", seconds / 60);
    return words;
}

cli_words cli_count(int64_t count, const char *noun)
{
    const size_t length = strlen(noun);
    const bool ies = length > 1 && noun[length - 1] == 'y';
    cli_words words;

    if (count == 1) {
        snprintf(words.text, sizeof words.text, "1 %s", noun);
    } else {
        snprintf(words.text, sizeof words.text, "%lld %.*s%s", (long long)count,
                 (int)(ies ? length - 1 : length), noun, ies ? "ies" : "s");
    }
    return words;
}

cli_words cli_number(double number)
{
    int digits = fabs(number) >= 1 && fabs(number) < 1e6 ? 10 : 1;
    cli_words words;

    do {
        snprintf(words.text, sizeof words.text, "%.*g", digits, number);
    } while (digits++ < 17 && strtod(words.text, NULL) != number);
    return words;
}

bool cli_spec_is(const char *spec, const char *name)
{
    const size_t length = strcspn(spec, ",");
    return strlen(name) == length && strncasecmp(spec, name, length) == 0;
}
