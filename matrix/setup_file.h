/* setup_file.h: files that hold a set-up for one matrix: the levels of amg, or a factorisation.
 *
 * A file is a head of fixed size and arrays, all in the byte order of the machine that wrote it.
 * The head holds its own hash, the hashes of the matrix, and the size of the file. Before each
 * array stand its size and a hash of its bytes and of all arrays before it. Reading verifies the
 * hashes. The callers check in addition all sizes and indices that they read, so that a file with
 * valid hashes and wrong numbers cannot make them access memory outside their arrays.
 *
 * A file appears complete under its name or not at all (core/replace.h). */
#ifndef GS_MATRIX_SETUP_FILE_H
#define GS_MATRIX_SETUP_FILE_H

#include "core/replace.h"
#include "matrix/csr.h"

/* The set-up and the matrix it belongs to. The writer sets the members up to `text`. */
typedef struct gs_saved_head {
    char kind[32];            /* "amg", "direct" */
    char device[16];          /* on which it was set up */
    uint64_t pattern, values; /* hashes of the matrix with values of the type `stored` */
    int64_t entries;          /* of the matrix */
    int32_t n, type;          /* rows of the matrix; type of the vectors */
    int32_t stored;           /* value type of the arrays */
    int32_t text;             /* length of the spec, the first array; 0: there is none */
} gs_saved_head;

/* Sets the head of a set-up of this kind for vectors of this type. Its arrays have the type of csr,
 * which is on the host. spec: the text, or NULL. */
gsolve_status gs_saved_set_head(gs_saved_head *head, gsolve_context *ctx, const char *kind,
                                const char *spec, gsolve_type type, const gsolve_csr *csr);

/* Sets pattern, values, entries and n: the hashes are those of csr, on the host, with its values as
 * type `head->stored` holds them. */
gsolve_status gs_saved_set_matrix(gs_saved_head *head, gsolve_context *ctx, const gsolve_csr *csr);

/* --- writing ---------------------------------------------------------------------------------- */

typedef struct gs_saving {
    gsolve_context *ctx;
    gs_replacement file;
    gs_saved_head head;
    uint64_t chain; /* the hash of the last array */
    int64_t bytes;  /* written so far */
} gs_saving;

/* Fails if there is a file that is no set-up (gs_setup_file_check) or that may not be written. s
 * must not move in memory before gs_save_end. On failure there is nothing to end. */
gsolve_status gs_save_begin(gs_saving *s, gsolve_context *ctx, const char *path,
                            const gs_saved_head *head);
/* data: at any location */
gsolve_status gs_save_array(gs_saving *s, const void *data, gsolve_location location, size_t bytes);
/* The three arrays of csr, which has this number of entries, at any location. */
gsolve_status gs_save_csr(gs_saving *s, const gsolve_csr *csr, int64_t entries);
/* Completes the file if status is GSOLVE_OK; else removes it. Returns status, or the failure. */
gsolve_status gs_save_end(gs_saving *s, gsolve_status status);

/* --- reading ---------------------------------------------------------------------------------- */

typedef struct gs_loading {
    gsolve_context *ctx;
    const char *path;
    int file;
    gs_saved_head head;
    uint64_t chain;
    int64_t bytes, size; /* read so far; of the file */
} gs_loading;

/* Opens a file and checks its head. On failure there is nothing to end. path must stay until
 * gs_load_end. */
gsolve_status gs_load_begin(gs_loading *l, gsolve_context *ctx, const char *path);
/* data = the next array, which must have this size; data is on the host. */
gsolve_status gs_load_array(gs_loading *l, void *data, size_t bytes);
/* *data = a new array on the host with the next array's `count` elements of `size` bytes. Nothing
 * is allocated if the file does not hold that many bytes. */
gsolve_status gs_load_new(gs_loading *l, void **data, size_t count, size_t size);
/* As gs_load_new, of numbers from least to most. */
gsolve_status gs_load_int32(gs_loading *l, int32_t **data, size_t count, int32_t least,
                            int32_t most);
gsolve_status gs_load_uint8(gs_loading *l, uint8_t **data, size_t count, uint8_t most);
/* *csr = the next three arrays, on the host, owned: clean rows of that shape. */
gsolve_status gs_load_csr(gs_loading *l, gsolve_csr *csr, int32_t nrows, int32_t ncols,
                          int64_t entries, gsolve_type type);
/* Fails with the sentence that the file is damaged; why: "an aggregate is out of range". */
gsolve_status gs_load_damaged(const gs_loading *l, const char *why);
/* Fails unless the file is for the matrix with these rows, which are on the host. */
gsolve_status gs_load_check_matrix(const gs_loading *l, const gsolve_csr *rows);
/* Fails unless the file ends here. */
gsolve_status gs_load_check_end(const gs_loading *l);
void gs_load_end(gs_loading *l);

/* --- before a file is replaced ---------------------------------------------------------------- */

/* Whether there is a file of this name that is not empty. */
bool gs_setup_file_exists(const char *path);
/* Fails unless there is no file of this name, an empty one, or a set-up. */
gsolve_status gs_setup_file_check(gsolve_context *ctx, const char *path);
/* Fails if the file is an undamaged set-up of another kind than that of spec ("amg,its=5"), or for
 * another pattern than that of rows, which are on the host. */
gsolve_status gs_setup_file_check_owner(gsolve_context *ctx, const char *path, const char *spec,
                                        const gsolve_csr *rows);

/* --- to the device ---------------------------------------------------------------------------- */

/* Moves an array of the host that gs_load_new allocated to where ctx's kernels read it. On failure
 * it stays as it is. */
gsolve_status gs_place_array(gsolve_context *ctx, void **data, size_t bytes);
gsolve_status gs_place_csr(gsolve_context *ctx, gsolve_csr *csr);

#endif
