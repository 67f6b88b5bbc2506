/* setup_file_read.c: reads files that hold a set-up, see setup_file.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/try.h"
#include "matrix/setup_file_format.h"

/* --- reading ---------------------------------------------------------------------------------- */

gsolve_status gs_load_damaged(const gs_loading *l, const char *why)
{
    return gsolve_fail(l->ctx, GSOLVE_BAD_FILE, "%.400s is damaged (%s)", l->path, why);
}

/* size: that the header gives; 0: the file is shorter than the header. */
static gsolve_status refuse_truncated(const gs_loading *l, int64_t size)
{
    char whole[32] = "";

    if (size > 0) snprintf(whole, sizeof whole, " of %lld", (long long)size);
    return gsolve_fail(l->ctx, GSOLVE_BAD_FILE, "%.400s is truncated: %lld%s bytes", l->path,
                       (long long)l->size, whole);
}

gsolve_status gs_setup_refuse_kind(gsolve_context *ctx, const char *path)
{
    return gsolve_fail(ctx, GSOLVE_BAD_FILE,
                       "%.400s is not a set-up file of gsolve; name another file", path);
}

gsolve_status gs_setup_refuse_type(gsolve_context *ctx, const char *path, unsigned mode)
{
    return gsolve_fail(ctx, GSOLVE_BAD_FILE, "%.400s is %s; name a file", path,
                       S_ISDIR(mode) ? "a directory" : "not a regular file");
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
        if (got == 0) return gs_load_damaged(l, "it ends while it is read");
        to += got;
        bytes -= (size_t)got;
        l->bytes += got;
    }
    return GSOLVE_OK;
}

static gsolve_status check_head(gs_loading *l, const gs_setup_file_head *h)
{
    if (!gs_setup_is_magic(h->magic, (size_t)l->bytes))
        return gs_setup_refuse_kind(l->ctx, l->path);
    if (l->size < (int64_t)sizeof *h) return refuse_truncated(l, 0);
    if (h->order != GS_SETUP_ORDER) {
        return gsolve_fail(l->ctx, GSOLVE_BAD_FILE,
                           "%.400s was written on a machine with another byte order; save the "
                           "set-up on this one",
                           l->path);
    }
    if (h->version != GS_SETUP_VERSION) {
        return gsolve_fail(l->ctx, GSOLVE_BAD_FILE,
                           "%.400s has version %u of the format, and this gsolve reads version %d; "
                           "save the set-up again",
                           l->path, h->version, GS_SETUP_VERSION);
    }
    if (h->hash != gs_setup_hash_head(l->ctx, h)) {
        return gs_load_damaged(l, "a checksum is wrong");
    }
    if (l->size < h->size) return refuse_truncated(l, h->size);
    return l->size == h->size ? GSOLVE_OK : gs_load_damaged(l, "it is longer than its header says");
}

/* Opens a regular file only: open would block on a pipe. */
static gsolve_status open_file(gs_loading *l)
{
    struct stat about;

    if (!*l->path) return gsolve_fail(l->ctx, GSOLVE_BAD_ARGUMENT, "path is empty; name a file");
    if (stat(l->path, &about) == 0 && !S_ISREG(about.st_mode)) {
        return gs_setup_refuse_type(l->ctx, l->path, about.st_mode);
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
    return gs_load_damaged(l, "a number of the header is out of range");
}

gsolve_status gs_load_begin(gs_loading *l, gsolve_context *ctx, const char *path)
{
    gs_setup_file_head h;
    gsolve_status status;

    *l = (gs_loading){.ctx = ctx, .path = path, .file = -1, .chain = GS_SETUP_VERSION};
    status = open_file(l);
    if (status != GSOLVE_OK) return status;
    memset(&h, 0, sizeof h);
    status = read_bytes(l, &h, l->size < (int64_t)sizeof h ? (size_t)l->size : sizeof h);
    if (status == GSOLVE_OK) status = check_head(l, &h);
    l->head = h.head;
    if (status == GSOLVE_OK) status = check_numbers(l);
    if (status != GSOLVE_OK) gs_load_end(l);
    return status;
}

/* Reads the head of the next array, which must have this size. */
static gsolve_status begin_array(gs_loading *l, size_t bytes, gs_setup_array_head *h)
{
    gsolve_status status;

    TRY(read_bytes(l, h, sizeof *h));
    if (h->bytes != bytes || (int64_t)bytes > l->size - l->bytes) {
        status = gs_load_damaged(l, "an array has another size than expected");
    }
done:
    return status;
}

static gsolve_status end_array(gs_loading *l, const gs_setup_array_head *h, void *data)
{
    char zeros[8];
    gsolve_status status;

    TRY(read_bytes(l, data, (size_t)h->bytes));
    TRY(read_bytes(l, zeros, gs_setup_padding((size_t)h->bytes)));
    l->chain = gs_setup_link(l->ctx, l->chain, data, (size_t)h->bytes);
    if (l->chain != h->chain) status = gs_load_damaged(l, "a checksum is wrong");
done:
    return status;
}

gsolve_status gs_load_array(gs_loading *l, void *data, size_t bytes)
{
    gs_setup_array_head h;
    gsolve_status status;

    TRY(begin_array(l, bytes, &h));
    TRY(end_array(l, &h, data));
done:
    return status;
}

gsolve_status gs_load_new(gs_loading *l, void **out, size_t count, size_t size)
{
    gs_setup_array_head h;
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

static gsolve_status refuse_pattern(const gs_loading *file, const gs_saved_head *own)
{
    const gs_saved_head *h = &file->head;
    char sizes[120] = " or in another order";

    if (own->n != h->n || own->entries != h->entries) {
        snprintf(sizes, sizeof sizes,
                 " (%d rows, %lld entries; this one has %d rows, %lld entries)", h->n,
                 (long long)h->entries, own->n, (long long)own->entries);
    }
    return gsolve_fail(file->ctx, GSOLVE_BAD_MATRIX,
                       "%.400s was saved for a matrix with another pattern%s; set it up from the "
                       "matrix and save it again",
                       file->path, sizes);
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
    if (!gs_saved_same_pattern(&own, h)) return refuse_pattern(file, &own);
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
