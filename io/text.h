/* text.h: the text of a file in memory, and what readers say when it is not as it should be. */
#ifndef GS_TEXT_H
#define GS_TEXT_H

#include "core/csr.h"
#include "gsolve_io.h"

typedef struct gs_text {
    const char *name; /* for errors */
    const char *data; /* size bytes, followed by nothing one may read */
    size_t size;
    void *block;      /* to be released with gsolve_free */
} gs_text;

/* The file's bytes, decompressed if they are gzip's. */
gsolve_status gs_text_load(gs_text *text, gsolve_context *ctx, const char *path);
void gs_text_free(gs_text *text, gsolve_context *ctx);

/* The readers: a sparse matrix or a dense one (see gsolve_io.h) from text; source->kind, field,
 * symmetry, stored, duplicates are set. */
gsolve_status gs_mm_matrix(gsolve_csr *csr, gsolve_context *ctx, const gs_text *text,
                           const gsolve_read_options *options, gsolve_source *source);
gsolve_status gs_mm_dense(gsolve_dense *v, gsolve_context *ctx, const gs_text *text,
                          const gsolve_read_options *options, gsolve_source *source);
gsolve_status gs_hb_matrix(gsolve_csr *csr, gsolve_context *ctx, const gs_text *text,
                           gsolve_source *source);

/* Whichever of them the text is for. */
gsolve_status gs_parse_matrix(gsolve_csr *csr, gsolve_context *ctx, const gs_text *text,
                              const gsolve_read_options *options, gsolve_source *source);

/* Fails with "NAME:LINE: " before the sentence. */
__attribute__((format(printf, 4, 5))) gsolve_status
gs_text_fail(gsolve_context *ctx, const gs_text *text, int64_t line, const char *format, ...);

/* The number, from 1, of the line in which the byte at lies. */
int64_t gs_text_line(const gs_text *text, const char *at);

/* v = an owned dense matrix of zeros. */
gsolve_status gs_dense_new(gsolve_dense *v, gsolve_context *ctx, int32_t nrows, int32_t ncols);

/* The binary cache, see cache.c. found: csr and source are set. */
gsolve_status gs_cache_read(gsolve_csr *csr, gsolve_context *ctx, const char *path,
                            gsolve_source *source, bool *found);
void gs_cache_write(gsolve_context *ctx, const char *path, const gsolve_csr *csr,
                    gsolve_source *source);

#endif
