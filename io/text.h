/* text.h: words and lines. The end of the text is given; nothing is read beyond it. */
#ifndef GS_IO_TEXT_H
#define GS_IO_TEXT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef struct gs_word {
    const char *begin, *end;
} gs_word;

/* White space within a line. */
static inline bool gs_is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r' && c != '\n');
}

static inline const char *gs_skip_blanks(const char *p, const char *end)
{
    while (p < end && gs_is_blank(*p)) p++;
    return p;
}

/* The line's '\n', or the end of the text. */
static inline const char *gs_line_end(const char *p, const char *end)
{
    const char *newline = p < end ? memchr(p, '\n', (size_t)(end - p)) : NULL;
    return newline ? newline : end;
}

/* The next word of the line, empty at the end of the line; moves *p after it. */
static inline gs_word gs_next_word(const char **p, const char *end)
{
    gs_word word;

    word.begin = gs_skip_blanks(*p, end);
    for (word.end = word.begin; word.end < end && *word.end != '\n' && !gs_is_blank(*word.end);) {
        word.end++;
    }
    *p = word.end;
    return word;
}

/* The value of the word's digits; -1: there are none, or another character, or it exceeds 10^18. */
static inline int64_t gs_word_integer(gs_word word)
{
    int64_t n = word.begin < word.end ? 0 : -1;

    for (const char *p = word.begin; p < word.end; p++) {
        if ((unsigned char)(*p - '0') >= 10 || n > 100000000000000000) return -1;
        n = 10 * n + (*p - '0');
    }
    return n;
}

#endif
