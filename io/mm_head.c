/* mm_head.c: the banner and the sizes of a Matrix Market file (Boisvert, Pozo and Remington 1996). */
#include <ctype.h>
#include <limits.h>
#include <string.h>
#include <strings.h>

#include "core/try.h"
#include "io/mm.h"
#include "io/number.h"

enum { LINE = 1024 }; /* longest banner or size line */

/* Copies the line at p (without its end) and returns the next line, or the end of the text. */
static const char *take_line(const gs_text *text, const char *p, char line[LINE])
{
    const char *end = text->data + text->size;
    const char *stop = memchr(p, '\n', (size_t)(end - p));
    const size_t length = (size_t)((stop ? stop : end) - p);
    const size_t kept = length < LINE - 16 ? length : LINE - 16;

    memset(line, 0, LINE);
    memcpy(line, p, kept);
    return stop ? stop + 1 : end;
}

static bool is_blank(const char *line)
{
    return line[strspn(line, " \t\r\f\v")] == 0;
}

/* The number of word in the list, or -1. */
static int find_word(const char *word, const char *const *list)
{
    for (int k = 0; list[k]; k++) {
        if (strcasecmp(word, list[k]) == 0) return k;
    }
    return -1;
}

static gsolve_status read_banner(gs_mm_head *head, gsolve_context *ctx, const gs_text *text,
                                 char *line)
{
    static const char *const formats[] = {"coordinate", "array", NULL};
    static const char *const fields[] = {"real", "integer", "pattern", "complex", "double", NULL};
    static const char *const symmetries[] = {"general", "symmetric", "skew-symmetric", "hermitian",
                                             NULL};
    char *word[5] = {0}, *rest = NULL;

    for (int k = 0; k < 5; k++) {
        word[k] = strtok_r(k ? NULL : line, " \t\r\f\v", &rest);
        if (!word[k]) word[k] = (char *)(uintptr_t)"";
    }
    if (strcasecmp(word[0], "%%MatrixMarket") != 0) {
        return gs_text_fail(ctx, text, 1,
                            "found '%.30s'; a Matrix Market file begins with '%%%%MatrixMarket'",
                            word[0]);
    }
    if (strcasecmp(word[1], "matrix") != 0) {
        return gs_text_fail(ctx, text, 1, "the object is '%.30s'; only 'matrix' is read", word[1]);
    }
    const int format = find_word(word[2], formats), field = find_word(word[3], fields);
    const int symmetry = find_word(word[4], symmetries);
    if (format < 0) {
        return gs_text_fail(ctx, text, 1, "the format is '%.30s'; allowed are coordinate and array",
                            word[2]);
    }
    if (field == 3) {
        return gs_text_fail(ctx, text, 1,
                            "the matrix is complex; only real, integer and pattern matrices are "
                            "solved");
    }
    if (field < 0) {
        return gs_text_fail(ctx, text, 1,
                            "the field is '%.30s'; allowed are real, integer and pattern", word[3]);
    }
    if (symmetry < 0) {
        return gs_text_fail(ctx, text, 1,
                            "the symmetry is '%.30s'; allowed are general, symmetric, "
                            "skew-symmetric and hermitian",
                            word[4]);
    }
    head->array = format == 1;
    head->field = field == 1 ? MM_INTEGER : field == 2 ? MM_PATTERN : MM_REAL;
    head->symmetry = (gsolve_symmetry)symmetry;
    if (head->array && field == 2) {
        return gs_text_fail(ctx, text, 1, "an array cannot be a pattern; its values must be stored");
    }
    return GSOLVE_OK;
}

static gsolve_status read_sizes(gs_mm_head *head, gsolve_context *ctx, const gs_text *text,
                                const char *line)
{
    const int wanted = head->array ? 2 : 3;
    int64_t size[3] = {0};
    const char *p = line;
    int found = 0;

    for (; found < wanted; found++) {
        p += strspn(p, " \t\r\f\v");
        if (!gs_parse_integer(&p, &size[found])) break;
    }
    if (found < wanted || !is_blank(p)) {
        return gs_text_fail(ctx, text, head->line,
                            "found '%.60s' where the sizes are expected: %s", line,
                            head->array ? "rows and columns" : "rows, columns and entries");
    }
    if (size[0] >= INT_MAX || size[1] >= INT_MAX) {
        return gs_text_fail(ctx, text, head->line,
                            "the matrix is %lld x %lld; rows and columns must be below 2^31",
                            (long long)size[0], (long long)size[1]);
    }
    head->nrows = size[0];
    head->ncols = size[1];
    head->entries = size[2];
    if (head->symmetry != GSOLVE_GENERAL && size[0] != size[1]) {
        return gs_text_fail(ctx, text, head->line,
                            "the matrix is %lld x %lld, and only a square one has a symmetry",
                            (long long)size[0], (long long)size[1]);
    }
    if (head->array) {
        const int64_t n = size[0];
        head->entries = head->symmetry == GSOLVE_GENERAL ? n * size[1]
                        : head->symmetry == GSOLVE_SKEW  ? n * (n - 1) / 2
                                                         : n * (n + 1) / 2;
    }
    return GSOLVE_OK;
}

gsolve_status gs_mm_read_head(gs_mm_head *head, gsolve_context *ctx, const gs_text *text)
{
    const char *p = text->data, *end = text->data + text->size;
    char line[LINE];
    gsolve_status status;

    p = take_line(text, p, line);
    TRY(read_banner(head, ctx, text, line));
    head->line = 1;
    do {
        if (p >= end) {
            return gs_text_fail(ctx, text, head->line,
                                "the file ends before the line with the sizes");
        }
        p = take_line(text, p, line);
        head->line++;
    } while (line[0] == '%' || is_blank(line));
    TRY(read_sizes(head, ctx, text, line));
    head->line++;
    head->body = p;
    /* an entry takes a digit for each of its numbers, and what separates them */
    const int64_t least = head->array ? 1 : head->field == MM_PATTERN ? 3 : 5;
    if (head->entries > (end - p + 1) / (least + 1) + 1) {
        return gs_text_fail(ctx, text, head->line - 1,
                            "%lld entries are announced, more than the %lld bytes that follow can "
                            "hold; the file is truncated or the number is wrong",
                            (long long)head->entries, (long long)(end - p));
    }
done:
    return status;
}
