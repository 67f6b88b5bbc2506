/* input.h: what a reader reads: a whole text in memory, and to whom to report. */
#ifndef GS_IO_INPUT_H
#define GS_IO_INPUT_H

#include "core/context.h"
#include "gsolve_io.h"

typedef struct gs_skip { /* lines of the file that are not in the text: comments, blank lines */
    size_t at;           /* they stood before this character of the text */
    int64_t lines;
} gs_skip;

typedef struct gs_input {
    gsolve_context *ctx;
    const char *name;          /* for the sentences */
    const char *begin, *end;   /* the text, decompressed */
    void *block[3];            /* owned: the mapped file, the inflated text, skip; or NULL */
    const gs_skip *skip;       /* what was left out of the text, ascending */
    int64_t skips;             /* how many of these */
    gsolve_progress *progress; /* or NULL */
    void *user;
    /* Rows, columns and elements that a file may announce whatever its own size: memory that no
     * entry asks for. 0: GS_ROOMY. */
    int64_t roomy;
    gsolve_source source; /* filled by the reader */
} gs_input;

#define GS_ROOMY ((int64_t)1 << 28)

/* in = data[0..bytes), which must stay; not inflated yet. options: whom to tell of the progress, or
 * NULL. */
void gs_input_memory(gs_input *in, gsolve_context *ctx, const char *name, const char *data,
                     size_t bytes, const gsolve_read_options *options);

/* in = the bytes of a file, mapped: not inflated yet. */
gsolve_status gs_input_file(gs_input *in, gsolve_context *ctx, const char *path,
                            const gsolve_read_options *options);
void gs_input_close(gs_input *in);

/* Inflates in's text if it begins with gzip's magic number. In gzip.c. */
gsolve_status gs_input_unpack(gs_input *in);

/* in's text, of whatever kind it is. */
gsolve_status gs_read_memory(gsolve_csr *csr, gs_input *in);
gsolve_status gs_read_dense_memory(gsolve_dense *v, gs_input *in);

/* Records "NAME:LINE: sentence", LINE being that of at; returns GSOLVE_BAD_FILE. */
__attribute__((format(printf, 3, 4))) gsolve_status gs_input_fail(const gs_input *in,
                                                                  const char *at,
                                                                  const char *format, ...);

/* token = [begin, end) made fit to be shown: shortened, without control characters. */
#define GS_TOKEN 48
void gs_input_token(char token[GS_TOKEN], const char *begin, const char *end);

/* *size = the word after *p, a number of what from 0 to most. */
gsolve_status gs_input_size(int64_t *size, const char **p, const gs_input *in, const char *what,
                            int64_t most);

/* Calls progress, if there is one; from the thread that called the library only. */
void gs_input_progress(const gs_input *in, int64_t done, int64_t total);

/* Whether n rows, columns or elements are more than the file's size lets believe. */
bool gs_input_absurd(const gs_input *in, int64_t n);

/* The readers, each for its kind of text. */
gsolve_status gs_market_matrix(gsolve_csr *csr, gs_input *in);
gsolve_status gs_market_dense(gsolve_dense *v, gs_input *in);
gsolve_status gs_boeing_matrix(gsolve_csr *csr, gs_input *in);

/* Whether the third line begins as that of a Rutherford-Boeing or Harwell-Boeing file does. */
bool gs_boeing_is(const gs_input *in);

/* Whether a text begins as a Matrix Market file does. */
#define GS_MARKET_BANNER "%%MatrixMarket"
bool gs_market_is(const char *begin, const char *end);

#endif
