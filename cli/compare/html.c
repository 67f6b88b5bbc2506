/* html.c: text and numbers on the HTML page of gsolve compare. */
#include <math.h>

#include "cli/compare/compare.h"

void cmp_escaped(FILE *file, const char *text)
{
    for (; *text; text++) {
        switch (*text) {
        case '&': fputs("&amp;", file); break;
        case '<': fputs("&lt;", file); break;
        case '>': fputs("&gt;", file); break;
        case '"': fputs("&quot;", file); break;
        case ',': fputs(",<wbr>", file); break;
        default: fputc(*text, file);
        }
    }
}

cli_words cmp_short(double value)
{
    const int decimals = !(value >= 0.1) ? 4
                         : value < 10    ? 3
                         : value < 100   ? 2
                         : value < 1000  ? 1
                                         : 0;
    cli_words words;

    if (isfinite(value)) {
        snprintf(words.text, sizeof words.text, "%.*f", decimals, value);
    } else {
        snprintf(words.text, sizeof words.text, "-");
    }
    return words;
}
