/* setup_file.c: files that hold a set-up, see setup_file.h. */
#include "matrix/setup_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/try.h"

#define VERSION 1 /* of the format; each change of what callers write needs a new number */
#define ORDER   0x01020304
#define MAGIC   "gssetup"

typedef struct file_head {
    char magic[8];
    uint32_t version, order;
    uint64_t hash; /* of this struct, with 0 here */
    uint64_t last; /* the chain after the last array */
    int64_t size;  /* of the file */
    char library[24];
    gs_saved_head head;
} file_head;

typedef struct array_head { /* stands before each array; the array is padded to 8 bytes */
    uint64_t bytes, chain;
} array_head;

static uint64_t hash_head(const gsolve_context *ctx, const file_head *h)
{
    file_head copy = *h;

    copy.hash = 0;
    return gs_hash(ctx, &copy, sizeof copy, VERSION);
}

static size_t padding_of(size_t bytes)
{
    return (8 - bytes % 8) % 8;
}

/* The hash of an array that follows those with the hash `chain`. */
static uint64_t link_array(const gsolve_context *ctx, uint64_t chain, const void *data,
                           size_t bytes)
{
    return gs_hash(ctx, data, bytes, chain ^ bytes);
}

/* --- the matrix ------------------------------------------------------------------------------- */

static gsolve_status hash_values(uint64_t *hash, gsolve_context *ctx, const gsolve_csr *csr,
                                 int64_t entries, gsolve_type type)
{
    float *narrow = NULL;
    gsolve_status status = GSOLVE_OK;

    if (type == csr->type) {
        *hash = gs_hash(ctx, csr->value, (size_t)entries * gs_type_size(type), VERSION);
        return GSOLVE_OK;
    }
    if (csr->type == GSOLVE_F32) { /* no set-up is wider than its matrix */
        *hash = 0;
        return GSOLVE_OK;
    }
    ALLOC(ctx, GSOLVE_HOST, narrow, entries);
#pragma omp parallel for schedule(static) num_threads(gsolve_threads(ctx))
    for (int64_t k = 0; k < entries; k++) narrow[k] = (float)((const double *)csr->value)[k];
    *hash = gs_hash(ctx, narrow, (size_t)entries * sizeof *narrow, VERSION);
done:
    gsolve_free(ctx, GSOLVE_HOST, narrow);
    return status;
}

gsolve_status gs_saved_set_matrix(gs_saved_head *head, gsolve_context *ctx, const gsolve_csr *csr)
{
    head->n = csr->nrows;
    head->entries = gs_start(csr, csr->nrows);
    head->pattern = gs_csr_pattern_hash(ctx, csr);
    return hash_values(&head->values, ctx, csr, head->entries, (gsolve_type)head->stored);
}

/* --- writing ---------------------------------------------------------------------------------- */

static gsolve_status write_error(const gs_saving *s, int code)
{
    return gsolve_fail(s->ctx, GSOLVE_BAD_FILE, "cannot write %.400s: %s", s->file.path,
                       strerror(code));
}

static gsolve_status write_bytes(gs_saving *s, const void *data, size_t bytes)
{
    const int code = gs_replace_write(&s->file, data, bytes);

    s->bytes += (int64_t)bytes;
    return code ? write_error(s, code) : GSOLVE_OK;
}

gsolve_status gs_save_begin(gs_saving *s, gsolve_context *ctx, const char *path,
                            const gs_saved_head *head)
{
    const file_head space = {.size = 0}; /* gs_save_end writes the head */
    gsolve_status status;
    int code;

    s->ctx = ctx;
    s->head = *head;
    s->chain = VERSION;
    s->bytes = 0;
    code = gs_replace_begin(&s->file, ctx, path);
    if (code) return write_error(s, code);
    status = write_bytes(s, &space, sizeof space);
    return status == GSOLVE_OK ? GSOLVE_OK : gs_save_end(s, status);
}

gsolve_status gs_save_array(gs_saving *s, const void *data, gsolve_location location, size_t bytes)
{
    static const char zeros[8];
    array_head h = {.bytes = bytes};
    void *copy = NULL;
    gsolve_status status = GSOLVE_OK;

    if (location != GSOLVE_HOST && gs_location(s->ctx) != GSOLVE_HOST) {
        copy = gsolve_alloc(s->ctx, GSOLVE_HOST, bytes, 1);
        TRY(copy ? GSOLVE_OK : GSOLVE_NO_MEMORY);
        TRY(gsolve_copy(s->ctx, copy, GSOLVE_HOST, data, location, bytes));
        data = copy;
    }
    h.chain = s->chain = link_array(s->ctx, s->chain, data, bytes);
    TRY(write_bytes(s, &h, sizeof h));
    TRY(write_bytes(s, data, bytes));
    TRY(write_bytes(s, zeros, padding_of(bytes)));
done:
    gsolve_free(s->ctx, GSOLVE_HOST, copy);
    return status;
}

gsolve_status gs_save_csr(gs_saving *s, const gsolve_csr *csr, int64_t entries)
{
    const size_t count = (size_t)entries;
    gsolve_status status;

    TRY(gs_save_array(s, csr->start, csr->location,
                      ((size_t)csr->nrows + 1) * gs_offset_size(csr->offset)));
    TRY(gs_save_array(s, csr->col, csr->location, count * sizeof *csr->col));
    TRY(gs_save_array(s, csr->value, csr->location, count * gs_type_size(csr->type)));
done:
    return status;
}

/* Writes the head over its space at the beginning of the file. */
static gsolve_status write_head(const gs_saving *s)
{
    file_head h;

    memset(&h, 0, sizeof h);
    memcpy(h.magic, MAGIC, sizeof h.magic);
    h.version = VERSION;
    h.order = ORDER;
    h.size = s->bytes;
    h.last = s->chain;
    snprintf(h.library, sizeof h.library, "%.23s", gsolve_version());
    h.head = s->head;
    h.hash = hash_head(s->ctx, &h);
    const ssize_t written = pwrite(s->file.file, &h, sizeof h, 0);
    if (written == (ssize_t)sizeof h) return GSOLVE_OK;
    return write_error(s, written < 0 ? errno : ENOSPC);
}

gsolve_status gs_save_end(gs_saving *s, gsolve_status status)
{
    int code;

    if (status == GSOLVE_OK) status = write_head(s);
    /* not durable: reading refuses a file that a loss of power has damaged */
    code = gs_replace_end(&s->file, status == GSOLVE_OK, false);
    return status == GSOLVE_OK && code ? write_error(s, code) : status;
}

/* --- reading ---------------------------------------------------------------------------------- */

gsolve_status gs_load_damaged(const gs_loading *l, const char *what)
{
    return gsolve_fail(
        l->ctx, GSOLVE_BAD_FILE,
        "%.400s is damaged before byte %lld: %s; delete it and save the set-up again", l->path,
        (long long)l->bytes, what);
}

static gsolve_status read_bytes(gs_loading *l, void *data, size_t bytes)
{
    char *to = data;

    while (bytes > 0) {
        const ssize_t got = pread(l->file, to, bytes < 1 << 30 ? bytes : 1 << 30, l->bytes);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) {
            return gsolve_fail(l->ctx, GSOLVE_BAD_FILE, "cannot read %.400s: %s", l->path,
                               strerror(errno));
        }
        if (got == 0) return gs_load_damaged(l, "the file is truncated");
        to += got;
        bytes -= (size_t)got;
        l->bytes += got;
    }
    return GSOLVE_OK;
}

static gsolve_status check_head(gs_loading *l, const file_head *h)
{
    if (memcmp(h->magic, MAGIC, sizeof h->magic) != 0) {
        return gsolve_fail(l->ctx, GSOLVE_BAD_FILE,
                           "%.400s is not a file of gsolve_precond_save or gsolve_solver_save; "
                           "give the name of one",
                           l->path);
    }
    if (h->order != ORDER) {
        return gsolve_fail(l->ctx, GSOLVE_BAD_FILE,
                           "%.400s was written on a machine with another byte order; save the "
                           "set-up on this one",
                           l->path);
    }
    if (h->version != VERSION) {
        return gsolve_fail(l->ctx, GSOLVE_BAD_FILE,
                           "%.400s has version %u of the format, and this gsolve reads version %d; "
                           "save the set-up again",
                           l->path, h->version, VERSION);
    }
    if (h->hash != hash_head(l->ctx, h)) return gs_load_damaged(l, "the head has another hash");
    if (h->size != l->size)
        return gs_load_damaged(l, "the file has another size than its head says");
    return GSOLVE_OK;
}

/* Opens a regular file only: open would block on a pipe. */
static gsolve_status open_file(gs_loading *l)
{
    struct stat about;

    if (stat(l->path, &about) == 0 && !S_ISREG(about.st_mode)) {
        return gsolve_fail(l->ctx, GSOLVE_BAD_FILE, "cannot read %.400s: it is not a regular file",
                           l->path);
    }
    l->file = open(l->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (l->file < 0 || fstat(l->file, &about) != 0) {
        const int code = errno;
        gs_load_end(l);
        return gsolve_fail(l->ctx, GSOLVE_BAD_FILE, "cannot read %.400s: %s", l->path,
                           strerror(code));
    }
    l->size = about.st_size;
    return GSOLVE_OK;
}

#define LONGEST_SPEC 65536

static gsolve_status check_numbers(const gs_loading *l)
{
    const gs_saved_head *h = &l->head;

    if (memchr(h->kind, 0, sizeof h->kind) && h->n >= 0 && h->entries >= 0 && h->text >= 0 &&
        h->text < LONGEST_SPEC && (uint32_t)h->type < GSOLVE_TYPE_COUNT &&
        (uint32_t)h->stored < GSOLVE_TYPE_COUNT &&
        (h->type == h->stored || h->stored == GSOLVE_F32)) {
        return GSOLVE_OK;
    }
    return gs_load_damaged(l, "a number of the head is out of range");
}

gsolve_status gs_load_begin(gs_loading *l, gsolve_context *ctx, const char *path)
{
    file_head h;
    gsolve_status status;

    *l = (gs_loading){.ctx = ctx, .path = path, .file = -1, .chain = VERSION};
    status = open_file(l);
    if (status != GSOLVE_OK) return status;
    memset(&h, 0, sizeof h);
    if (l->size < (int64_t)sizeof h.magic) {
        status = gs_load_damaged(l, "the file is truncated");
    } else {
        status = read_bytes(l, &h, l->size < (int64_t)sizeof h ? (size_t)l->size : sizeof h);
    }
    if (status == GSOLVE_OK) status = check_head(l, &h);
    l->head = h.head;
    if (status == GSOLVE_OK) status = check_numbers(l);
    if (status != GSOLVE_OK) gs_load_end(l);
    return status;
}

/* Reads the head of the next array, which must have this size. */
static gsolve_status begin_array(gs_loading *l, size_t bytes, array_head *h)
{
    gsolve_status status;

    TRY(read_bytes(l, h, sizeof *h));
    if (h->bytes != bytes || (int64_t)bytes > l->size - l->bytes) {
        status = gs_load_damaged(l, "an array has another size than expected");
    }
done:
    return status;
}

static gsolve_status end_array(gs_loading *l, const array_head *h, void *data)
{
    char zeros[8];
    gsolve_status status;

    TRY(read_bytes(l, data, (size_t)h->bytes));
    TRY(read_bytes(l, zeros, padding_of((size_t)h->bytes)));
    l->chain = link_array(l->ctx, l->chain, data, (size_t)h->bytes);
    if (l->chain != h->chain) status = gs_load_damaged(l, "an array has another hash");
done:
    return status;
}

gsolve_status gs_load_array(gs_loading *l, void *data, size_t bytes)
{
    array_head h;
    gsolve_status status;

    TRY(begin_array(l, bytes, &h));
    TRY(end_array(l, &h, data));
done:
    return status;
}

gsolve_status gs_load_new(gs_loading *l, void **out, size_t count, size_t size)
{
    array_head h;
    void *data = NULL;
    gsolve_status status;

    if (count > (size_t)l->size / size) return gs_load_damaged(l, "an array exceeds the file");
    TRY(begin_array(l, count * size, &h));
    data = gsolve_alloc(l->ctx, GSOLVE_HOST, count, size);
    TRY(data ? GSOLVE_OK : GSOLVE_NO_MEMORY);
    TRY(end_array(l, &h, data));
    *out = data;
    data = NULL;
done:
    gsolve_free(l->ctx, GSOLVE_HOST, data);
    return status;
}

gsolve_status gs_load_int32(gs_loading *l, int32_t **out, size_t count, int32_t least, int32_t most)
{
    void *data = NULL;
    bool good = true;
    const gsolve_status status = gs_load_new(l, &data, count, sizeof **out);

    if (status != GSOLVE_OK) return status;
    for (size_t k = 0; k < count; k++) {
        const int32_t v = ((const int32_t *)data)[k];
        good &= v >= least && v <= most;
    }
    *out = data;
    if (good) return GSOLVE_OK;
    *out = NULL;
    gsolve_free(l->ctx, GSOLVE_HOST, data);
    return gs_load_damaged(l, "a number is out of range");
}

gsolve_status gs_load_uint8(gs_loading *l, uint8_t **out, size_t count, uint8_t most)
{
    void *data = NULL;
    bool good = true;
    const gsolve_status status = gs_load_new(l, &data, count, 1);

    if (status != GSOLVE_OK) return status;
    for (size_t k = 0; k < count; k++) good &= ((const uint8_t *)data)[k] <= most;
    *out = data;
    if (good) return GSOLVE_OK;
    *out = NULL;
    gsolve_free(l->ctx, GSOLVE_HOST, data);
    return gs_load_damaged(l, "a flag is out of range");
}

/* Reads the three arrays of *csr, whose other members are set. */
static gsolve_status load_arrays(gs_loading *l, gsolve_csr *csr, size_t entries)
{
    void *start = NULL, *col = NULL, *value = NULL;
    gsolve_status status;

    TRY(gs_load_new(l, &start, (size_t)csr->nrows + 1, gs_offset_size(csr->offset)));
    csr->start = start;
    TRY(gs_load_new(l, &col, entries, sizeof *csr->col));
    csr->col = col;
    TRY(gs_load_new(l, &value, entries, gs_type_size(csr->type)));
    csr->value = value;
done:
    return status;
}

gsolve_status gs_load_csr(gs_loading *l, gsolve_csr *out, int32_t nrows, int32_t ncols,
                          int64_t entries, gsolve_type type)
{
    gsolve_csr csr = {.nrows = nrows, .ncols = ncols, .type = type, .location = GSOLVE_HOST};
    bool clean;
    gsolve_status status;

    if (nrows < 0 || ncols < 0 || entries < 0) return gs_load_damaged(l, "a size is negative");
    csr.offset = entries > INT32_MAX ? GSOLVE_O64 : GSOLVE_O32;
    TRY(load_arrays(l, &csr, (size_t)entries));
    /* before the offsets are followed */
    if (gs_start(&csr, nrows) != entries || gs_csr_check(l->ctx, &csr, &clean) != GSOLVE_OK ||
        !clean) {
        status = gs_load_damaged(l, "the rows of a matrix are malformed");
        goto done;
    }
    *out = csr;
    memset(&csr, 0, sizeof csr);
done:
    gsolve_csr_free(&csr, l->ctx);
    return status;
}

gsolve_status gs_load_check_matrix(const gs_loading *file, const gsolve_csr *rows)
{
    const gs_saved_head *h = &file->head;
    gs_saved_head own = {.stored = h->stored};
    gsolve_status status;

    if (h->type != (int32_t)rows->type) {
        return gsolve_fail(file->ctx, GSOLVE_BAD_MATRIX,
                           "%.400s was saved for a matrix of type %s, and this one has type %s; "
                           "set it up from the matrix and save it again",
                           file->path, h->type == GSOLVE_F32 ? "f32" : "f64",
                           rows->type == GSOLVE_F32 ? "f32" : "f64");
    }
    TRY(gs_saved_set_matrix(&own, file->ctx, rows));
    if (own.n != h->n || own.entries != h->entries || own.pattern != h->pattern) {
        return gsolve_fail(file->ctx, GSOLVE_BAD_MATRIX,
                           "%.400s was saved for a matrix with another pattern (%d rows, %lld "
                           "entries; this one has %d rows, %lld entries); set it up "
                           "from the matrix and save it again",
                           file->path, h->n, (long long)h->entries, own.n, (long long)own.entries);
    }
    if (own.values != h->values) {
        return gsolve_fail(file->ctx, GSOLVE_BAD_MATRIX,
                           "%.400s was saved for a matrix with this pattern and other values; "
                           "set it up from the matrix and save it again, or load the file for "
                           "the former values and update",
                           file->path);
    }
done:
    return status;
}

gsolve_status gs_load_check_end(const gs_loading *l)
{
    return l->bytes == l->size ? GSOLVE_OK : gs_load_damaged(l, "the file does not end here");
}

void gs_load_end(gs_loading *l)
{
    if (l->file >= 0) close(l->file);
    l->file = -1;
}

/* --- before a file is replaced ---------------------------------------------------------------- */

bool gs_setup_file_exists(const char *path)
{
    struct stat about;

    return stat(path, &about) == 0 && (!S_ISREG(about.st_mode) || about.st_size > 0);
}

bool gs_setup_file_is_writable(const char *path)
{
    char magic[sizeof MAGIC] = "";
    struct stat about;
    int file;
    bool good;

    if (!gs_setup_file_exists(path)) return true;
    if (stat(path, &about) != 0 || !S_ISREG(about.st_mode)) return false;
    file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    good = file >= 0 && pread(file, magic, sizeof magic, 0) == (ssize_t)sizeof magic &&
           memcmp(magic, MAGIC, sizeof magic) == 0;
    if (file >= 0) close(file);
    return good;
}

/* --- to the device ---------------------------------------------------------------------------- */

gsolve_status gs_place_array(gsolve_context *ctx, void **data, size_t bytes)
{
    void *there;
    gsolve_status status;

    if (gs_location(ctx) == GSOLVE_HOST) return GSOLVE_OK;
    there = gsolve_alloc(ctx, GSOLVE_DEVICE, bytes, 1);
    if (!there) return GSOLVE_NO_MEMORY;
    status = gsolve_copy(ctx, there, GSOLVE_DEVICE, *data, GSOLVE_HOST, bytes);
    if (status == GSOLVE_OK) {
        gsolve_free(ctx, GSOLVE_HOST, *data);
        *data = there;
    } else {
        gsolve_free(ctx, GSOLVE_DEVICE, there);
    }
    return status;
}

gsolve_status gs_place_csr(gsolve_context *ctx, gsolve_csr *csr)
{
    gsolve_csr there = {0};
    gsolve_status status;

    if (gs_location(ctx) == GSOLVE_HOST) return GSOLVE_OK;
    status = gs_csr_move(&there, ctx, GSOLVE_DEVICE, csr);
    if (status != GSOLVE_OK) return status;
    gsolve_csr_free(csr, ctx);
    *csr = there;
    return GSOLVE_OK;
}
