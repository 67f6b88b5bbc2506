/* cache.c: the binary format: a head of one page, then the arrays in the machine's byte order. Each
 * array begins on a page, so that it can be mapped. The head holds a hash of itself and one of the
 * arrays; every read recomputes both, so a damaged cache is not used. */
#include "io/cache.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/replace.h"

#define PAGE   GS_CACHE_PAGE
#define ORDER  0x01020304
#define ARRAYS GS_CACHE_ARRAYS

typedef struct head {
    char magic[8];
    uint32_t version, order;
    uint64_t hash;    /* of the head, with 0 here */
    uint64_t payload; /* hash of the arrays */
    gs_stamp stamp;
    int32_t dense, nrows, ncols, offset;
    int64_t at[ARRAYS], bytes[ARRAYS]; /* start, columns, values; dense: values only */
    int64_t stored, duplicates, text_bytes;
    char kind[32], field[16];
    int32_t symmetry, unused;
    gsolve_inspection inspection; /* of the matrix; not clean: unknown */
} head;

_Static_assert(sizeof(head) <= PAGE, "the head of a cache is one page");

static uint64_t hash_head(const gsolve_context *ctx, const head *h)
{
    head copy;

    memcpy(&copy, h, sizeof copy); /* with the bytes between the members */
    copy.hash = 0;
    return gs_hash(ctx, &copy, sizeof copy, GS_CACHE_VERSION);
}

/* A hash of the arrays' bytes, the same for any number of threads; missing arrays have 0 bytes. */
static uint64_t hash_arrays(const gsolve_context *ctx, const head *h,
                            const void *const array[ARRAYS])
{
    uint64_t hash = GS_CACHE_VERSION;

    for (int k = 0; k < ARRAYS; k++) hash = gs_hash(ctx, array[k], (size_t)h->bytes[k], hash);
    return hash;
}

/* The bytes of an array in the file: whole pages, at least one, as 0 bytes cannot be mapped. */
static int64_t padded_size(int64_t bytes)
{
    return bytes ? (bytes + PAGE - 1) / PAGE * PAGE : PAGE;
}

/* Sets the offsets of the arrays; returns the size of the file. */
static int64_t set_offsets(head *h)
{
    int64_t at = PAGE;

    for (int k = 0; k < ARRAYS; k++) {
        h->at[k] = at;
        at += padded_size(h->bytes[k]);
    }
    return at;
}

/* --- the path of a cache ----------------------------------------------------------- */

/* The path beside the source. */
static bool path_beside(char path[PATH_MAX], const char *source)
{
    return snprintf(path, PATH_MAX, "%s.gscache", source) < PATH_MAX;
}

/* The user's folder for caches. create: creates it if necessary. */
static bool user_folder(char folder[PATH_MAX], bool create)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int length;

    if (cache && *cache) {
        length = snprintf(folder, PATH_MAX, "%s", cache);
    } else if (home && *home) {
        length = snprintf(folder, PATH_MAX, "%s/.cache", home);
    } else {
        return false;
    }
    if (length + 8 >= PATH_MAX) return false;
    if (create) mkdir(folder, 0700);
    memcpy(folder + length, "/gsolve", 8);
    if (create) mkdir(folder, 0700);
    return true;
}

/* The path in the user's folder: the name of the source, and a hash of its full path. */
static bool path_in_user_folder(char path[PATH_MAX], const gsolve_context *ctx, const char *source,
                                bool create)
{
    char folder[PATH_MAX], full[PATH_MAX];
    const char *slash = strrchr(source, '/'), *name = slash ? slash + 1 : source;

    if (!user_folder(folder, create) || !realpath(source, full)) return false;
    const uint64_t hash = gs_hash(ctx, full, strlen(full), 0);
    return snprintf(path, PATH_MAX, "%s/%.100s-%016llx.gscache", folder, name,
                    (unsigned long long)hash) < PATH_MAX;
}

/* --- reading ------------------------------------------------------------------------ */

/* Whether these are statistics of the matrix that the head describes. */
static bool is_of(const gsolve_statistics *t, const head *h)
{
    return t->size == sizeof *t && t->nrows == h->nrows && t->ncols == h->ncols &&
           t->entries * (int64_t)sizeof(double) == h->bytes[2];
}

/* Whether the head is valid, belongs to this source, and agrees with the size of the file. */
static bool is_valid(const head *h, const gsolve_context *ctx, const gs_stamp *stamp, bool dense,
                     int64_t size)
{
    head expected = *h;

    if (memcmp(h->magic, "gscache", 8) != 0 || h->version != GS_CACHE_VERSION ||
        h->order != ORDER) {
        return false;
    }
    if (h->hash != hash_head(ctx, h) || h->dense != dense) return false;
    if (memcmp(&h->stamp, stamp, sizeof *stamp) != 0) return false;
    if (h->inspection.clean && !is_of(&h->inspection.statistics, h)) return false;
    return set_offsets(&expected) == size && memcmp(expected.at, h->at, sizeof h->at) == 0;
}

/* Maps array[first...], whose bytes must have the hash in the head. False: none is mapped. */
static bool map_arrays(void *array[ARRAYS], int first, const head *h, gsolve_context *ctx, int file)
{
    bool good = true;

    for (int k = first; k < ARRAYS && good; k++) {
        array[k] = gs_map_file(ctx, file, h->at[k], (size_t)padded_size(h->bytes[k]));
        good = array[k] != NULL;
    }
    good = good && hash_arrays(ctx, h, (const void *const *)array) == h->payload;
    for (int k = first; k < ARRAYS && !good; k++) gsolve_free(ctx, GSOLVE_HOST, array[k]);
    return good;
}

/* Sets what to the mapped arrays. */
static bool load_arrays(gs_cached what, const head *h, gsolve_context *ctx, int file)
{
    void *array[ARRAYS] = {NULL};

    if (!map_arrays(array, what.csr ? 0 : ARRAYS - 1, h, ctx, file)) return false;
    if (what.csr) {
        *what.csr = (gsolve_csr){h->nrows,   h->ncols,   array[0],
                                 array[1],   array[2],   (gsolve_offset)h->offset,
                                 GSOLVE_F64, GSOLVE_HOST};
    } else {
        *what.dense = (gsolve_dense){h->nrows,   h->ncols,    h->nrows,           array[2],
                                     GSOLVE_F64, GSOLVE_HOST, GSOLVE_COLUMN_MAJOR};
    }
    return true;
}

/* Opens a regular file only: open would block on a pipe, and could start a device. */
static int open_regular(const char *path)
{
    struct stat s;

    if (stat(path, &s) != 0 || !S_ISREG(s.st_mode)) return -1;
    return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

/* Opens a cache whose head is valid; returns its descriptor, or -1. */
static int open_valid(head *h, const char *path, const gsolve_context *ctx, const gs_stamp *stamp,
                      bool dense)
{
    const int file = open_regular(path);
    struct stat s;

    if (file < 0) return -1;
    if (fstat(file, &s) == 0 && S_ISREG(s.st_mode) && pread(file, h, sizeof *h, 0) == sizeof *h &&
        is_valid(h, ctx, stamp, dense, s.st_size)) {
        return file;
    }
    close(file);
    return -1;
}

static void set_source(gsolve_source *source, const head *h, const char *path)
{
    snprintf(source->kind, sizeof source->kind, "%.31s", h->kind);
    snprintf(source->field, sizeof source->field, "%.15s", h->field);
    snprintf(source->cache, sizeof source->cache, "%.1023s", path);
    source->symmetry = (gsolve_symmetry)h->symmetry;
    source->stored = h->stored;
    source->duplicates = h->duplicates;
    source->bytes = h->text_bytes;
    source->inspection = h->inspection;
    source->cached = true;
}

static bool read_from(const char *path, gs_cached what, gsolve_context *ctx, const gs_stamp *stamp,
                      gsolve_source *source)
{
    head h;
    const int file = open_valid(&h, path, ctx, stamp, what.dense != NULL);
    bool good;

    if (file < 0) return false;
    good = load_arrays(what, &h, ctx, file);
    close(file);
    if (good) set_source(source, &h, path);
    return good;
}

bool gs_cache_open(gs_cache_file *f, const gsolve_context *ctx, const char *path, bool beside,
                   const gs_stamp *stamp, gsolve_source *source)
{
    char cache[PATH_MAX];
    head h;

    if (!(beside ? path_beside(cache, path) : path_in_user_folder(cache, ctx, path, false))) {
        return false;
    }
    f->file = open_valid(&h, cache, ctx, stamp, false);
    if (f->file < 0) return false;
    f->nrows = h.nrows;
    f->ncols = h.ncols;
    f->offset = (gsolve_offset)h.offset;
    memcpy(f->at, h.at, sizeof f->at);
    memcpy(f->bytes, h.bytes, sizeof f->bytes);
    f->head = h.hash;
    f->payload = h.payload;
    set_source(source, &h, cache);
    return true;
}

bool gs_cache_read(gs_cached what, gsolve_context *ctx, const char *path, const gs_stamp *stamp,
                   gsolve_source *source)
{
    char cache[PATH_MAX];

    if (path_beside(cache, path) && read_from(cache, what, ctx, stamp, source)) return true;
    return path_in_user_folder(cache, ctx, path, false) &&
           read_from(cache, what, ctx, stamp, source);
}

/* --- writing ------------------------------------------------------------------------ */

static int write_padded(const gs_replacement *r, const void *data, int64_t bytes, int64_t padded)
{
    static const char zeros[PAGE];
    int code = gs_replace_write(r, data, (size_t)bytes);

    return code ? code : gs_replace_write(r, zeros, (size_t)(padded - bytes));
}

static bool write_to(const char *path, gsolve_context *ctx, const head *h,
                     const void *const array[ARRAYS])
{
    gs_replacement r;
    int code = gs_replace_begin(&r, ctx, path);

    if (code) return false;
    code = write_padded(&r, h, sizeof *h, PAGE);
    for (int k = 0; k < ARRAYS && !code; k++) {
        code = write_padded(&r, array[k], h->bytes[k], padded_size(h->bytes[k]));
    }
    return gs_replace_end(&r, !code, false) == 0 && !code; /* its hash shows whether it is whole */
}

static void describe_matrix(head *h, int32_t nrows, int32_t ncols, int64_t entries,
                            gsolve_offset offset)
{
    h->nrows = nrows;
    h->ncols = ncols;
    h->offset = (int32_t)offset;
    h->bytes[0] = ((int64_t)nrows + 1) * (int64_t)gs_offset_size(offset);
    h->bytes[1] = entries * (int64_t)sizeof(int32_t);
    h->bytes[2] = entries * (int64_t)sizeof(double);
}

static void describe(head *h, gs_cached what)
{
    h->dense = what.dense != NULL;
    if (what.csr) {
        describe_matrix(h, what.csr->nrows, what.csr->ncols, gs_start(what.csr, what.csr->nrows),
                        what.csr->offset);
    } else {
        h->nrows = what.dense->nrows;
        h->ncols = what.dense->ncols;
        h->bytes[2] = (int64_t)h->nrows * h->ncols * (int64_t)sizeof(double);
    }
}

/* What the head says about the source. */
static void describe_source(head *h, const gs_stamp *stamp, const gsolve_source *source)
{
    memcpy(h->magic, "gscache", sizeof h->magic);
    h->version = GS_CACHE_VERSION;
    h->order = ORDER;
    h->stamp = *stamp;
    h->stored = source->stored;
    h->duplicates = source->duplicates;
    h->text_bytes = source->bytes;
    h->symmetry = (int32_t)source->symmetry;
    memcpy(h->kind, source->kind, sizeof h->kind);
    memcpy(h->field, source->field, sizeof h->field);
    h->inspection = source->inspection;
}

int64_t gs_cache_lay_out(gs_cache_file *f, int32_t nrows, int32_t ncols, int64_t entries)
{
    const gsolve_offset offset = entries > INT32_MAX ? GSOLVE_O64 : GSOLVE_O32;
    head h = {0};
    int64_t size;

    describe_matrix(&h, nrows, ncols, entries, offset);
    size = set_offsets(&h);
    *f = (gs_cache_file){.file = -1, .nrows = nrows, .ncols = ncols, .offset = offset};
    memcpy(f->at, h.at, sizeof f->at);
    memcpy(f->bytes, h.bytes, sizeof f->bytes);
    return size;
}

void gs_cache_first_page(char page[GS_CACHE_PAGE], const gsolve_context *ctx,
                         const gs_cache_file *f, const gs_stamp *stamp, const gsolve_source *source)
{
    head h;

    memset(&h, 0, sizeof h);
    describe_source(&h, stamp, source);
    describe_matrix(&h, f->nrows, f->ncols, f->bytes[1] / (int64_t)sizeof(int32_t), f->offset);
    set_offsets(&h);
    h.payload = f->payload;
    h.hash = hash_head(ctx, &h);
    memset(page, 0, GS_CACHE_PAGE);
    memcpy(page, &h, sizeof h);
}

bool gs_cache_path(char path[PATH_MAX], const gsolve_context *ctx, const char *source, bool beside)
{
    return beside ? path_beside(path, source) : path_in_user_folder(path, ctx, source, true);
}

void gs_cache_write(gs_cached what, gsolve_context *ctx, const char *path, const gs_stamp *stamp,
                    gsolve_source *source)
{
    const void *array[ARRAYS] = {NULL};
    char cache[PATH_MAX];
    bool written;
    head h;

    memset(&h, 0, sizeof h);
    describe_source(&h, stamp, source);
    describe(&h, what);
    set_offsets(&h);
    if (what.csr) {
        array[0] = what.csr->start;
        array[1] = what.csr->col;
    }
    array[2] = what.csr ? what.csr->value : what.dense->value;
    h.payload = hash_arrays(ctx, &h, array);
    h.hash = hash_head(ctx, &h);
    written = gs_cache_path(cache, ctx, path, true) && write_to(cache, ctx, &h, array);
    if (!written) {
        written = gs_cache_path(cache, ctx, path, false) && write_to(cache, ctx, &h, array);
    }
    if (written) snprintf(source->cache, sizeof source->cache, "%.1023s", cache);
}
