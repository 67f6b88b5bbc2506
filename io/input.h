/* input.h: the input of a reader: a text in memory, its name, and the progress callback; and its
 * words and lines. */
#ifndef GS_IO_INPUT_H
#define GS_IO_INPUT_H

#include <string.h>

#include "core/context.h"
#include "gsolve_io.h"

typedef struct gs_skip { /* lines of the file that are not in the text: comments, blank lines */
    size_t at;           /* the offset in the text before which they were */
    int64_t lines;
} gs_skip;

typedef struct gs_input {
    gsolve_context *ctx;
    const char *name;          /* for error messages */
    const char *begin, *end;   /* the text, decompressed */
    void *block[3];            /* owned: the mapped file, the inflated text, skip; or NULL */
    bool mapped;               /* block[0] is a mapped file, which nobody writes to */
    int64_t changed;           /* the time of the file's last change, ns */
    const gs_skip *skip;       /* the lines that were removed from the text, ascending */
    int64_t skips;             /* the number of elements of skip */
    gsolve_progress *progress; /* or NULL */
    void *user;
    /* The rows, columns and elements that a file of any size may declare. They take memory even
     * without entries. 0: GS_DEFAULT_SIZE_LIMIT. */
    int64_t size_limit;
    gsolve_source source; /* filled by the reader */
} gs_input;

#define GS_DEFAULT_SIZE_LIMIT ((int64_t)1 << 28)

/* in = data[0..bytes), which must stay valid; does not inflate. options: with the progress
 * callback, or NULL. */
void gs_input_memory(gs_input *in, gsolve_context *ctx, const char *name, const char *data,
                     size_t bytes, const gsolve_read_options *options);

/* in = the mapped bytes of a regular file, or all bytes of another file ("-": standard input) from
 * its present offset to its end; does not inflate. */
gsolve_status gs_input_file(gs_input *in, gsolve_context *ctx, const char *path,
                            const gsolve_read_options *options);
void gs_input_close(gs_input *in);

/* *data = the bytes of the descriptor to its end, at least one; free them with gsolve_free. name:
 * for error messages. In stream.c. */
gsolve_status gs_read_stream(char **data, size_t *bytes, gsolve_context *ctx, const char *name,
                             int file);
/* The part [from, to) of the text is not read soon: its pages of a mapped file leave the process.
 * Any thread may call this. */
void gs_input_forget(const gs_input *in, const char *from, const char *to);

/* Inflates in's text if it begins with gzip's magic number. In gzip.c. */
gsolve_status gs_input_unpack(gs_input *in);

/* Memory for zlib, which counts as memory of the context: z->zalloc, z->zfree and z->opaque. */
void *gs_gzip_alloc(void *ctx, unsigned count, unsigned size);
void gs_gzip_free(void *ctx, void *block);

/* Reads in's text in any of the formats. */
gsolve_status gs_read_memory(gsolve_csr *csr, gs_input *in);
gsolve_status gs_read_dense_memory(gsolve_dense *v, gs_input *in);

/* Records the error "NAME:LINE: message", where LINE is the line of `at`; returns GSOLVE_BAD_FILE.
 */
__attribute__((format(printf, 3, 4))) gsolve_status gs_input_fail(const gs_input *in,
                                                                  const char *at,
                                                                  const char *format, ...);

/* token = [begin, end) for an error message: shortened, without control characters. */
#define GS_TOKEN 48
void gs_input_token(char token[GS_TOKEN], const char *begin, const char *end);

/* *size = the next word at *p, which must be a number from 0 to most. what: its meaning, for the
 * error message. */
gsolve_status gs_input_size(int64_t *size, const char **p, const gs_input *in, const char *what,
                            int64_t most);

/* Calls the progress callback, if there is one. Returns false if the caller asks to stop; the
 * reader then fails with gs_check_interrupt. Only the thread that called the library may call this.
 */
bool gs_input_progress(const gs_input *in, int64_t done, int64_t total);

/* Whether n rows, columns or elements are too many for the size of the file. */
bool gs_input_too_large(const gs_input *in, int64_t n);

/* The readers of each format. */
gsolve_status gs_market_matrix(gsolve_csr *csr, gs_input *in);
gsolve_status gs_market_dense(gsolve_dense *v, gs_input *in);
gsolve_status gs_boeing_matrix(gsolve_csr *csr, gs_input *in);

/* Whether the third line begins as that of a Rutherford-Boeing or Harwell-Boeing file does. */
bool gs_boeing_is(const gs_input *in);

/* Whether a text begins as a Matrix Market file does. */
#define GS_MARKET_BANNER "%%MatrixMarket"
bool gs_market_is(const char *begin, const char *end);

/* --- words and lines: nothing is read beyond the given end of the text ------------------------ */

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
