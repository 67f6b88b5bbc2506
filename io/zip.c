/* zip.c: members of zip archives: stored or deflated, also of 4 GiB and more (zip64).
 * PKWARE: .ZIP file format specification, version 6.3. All numbers have their lowest byte first. */
#define ZLIB_CONST /* z_stream.next_in is const */
#include "io/zip.h"

#include <string.h>
#include <zlib.h>

#include "core/interrupt.h"
#include "core/try.h"
#include "io/binary.h"

#define END_SIZE   22   /* bytes of the end of the directory */
#define HEAD_SIZE  46   /* of a member in the directory, without name, extra fields and comment */
#define LOCAL_SIZE 30   /* of the head before the content */
#define MOST_GAIN  1032 /* the most bytes that deflate packs into one byte */
#define MEMBERS    1000 /* the most members that are searched */
#define CRC_PIECE  ((int64_t)1 << 20)

static uint64_t number(const char *p, int bytes)
{
    uint64_t n = 0;

    for (int k = bytes - 1; k >= 0; k--) n = n << 8 | (unsigned char)p[k];
    return n;
}

bool gs_zip_is(const char *begin, const char *end)
{
    return end - begin > 4 && (memcmp(begin, "PK\3\4", 4) == 0 || memcmp(begin, "PK\5\6", 4) == 0);
}

static gsolve_status damaged(const gs_input *in, const char *what)
{
    return gs_binary_fail(
        in, NULL, "%s; the zip archive is damaged or truncated: copy or write it again", what);
}

/* The record that ends the archive, or NULL. Only a comment may follow it. */
static const char *find_end(const gs_input *in)
{
    const char *p = in->end - END_SIZE;
    const char *least = p - in->begin > 65535 ? p - 65535 : in->begin;

    for (; p >= least; p--) {
        if (memcmp(p, "PK\5\6", 4) == 0) return p;
    }
    return NULL;
}

/* The larger record of archives whose numbers do not fit, or NULL. */
static const char *find_wide_end(const gs_input *in, const char *end)
{
    const char *locator = end - 20;
    uint64_t at;

    if (locator < in->begin || memcmp(locator, "PK\6\7", 4) != 0) return NULL;
    at = number(locator + 8, 8);
    if (at > (uint64_t)(locator - in->begin) || locator - (in->begin + at) < 56) return NULL;
    return memcmp(in->begin + at, "PK\6\6", 4) == 0 ? in->begin + at : NULL;
}

gsolve_status gs_zip_open(gs_zip *zip, const gs_input *in)
{
    const char *end = in->end - in->begin >= END_SIZE ? find_end(in) : NULL, *wide;
    uint64_t at, bytes, members;

    if (!end) return damaged(in, "the directory at its end is missing");
    wide = find_wide_end(in, end);
    members = wide ? number(wide + 32, 8) : number(end + 10, 2);
    bytes = wide ? number(wide + 40, 8) : number(end + 12, 4);
    at = wide ? number(wide + 48, 8) : number(end + 16, 4);
    if (at > (uint64_t)(end - in->begin) || bytes > (uint64_t)(end - in->begin) - at) {
        return damaged(in, "its directory lies outside the file");
    }
    if (members > bytes / HEAD_SIZE) return damaged(in, "its directory is too short");
    *zip = (gs_zip){in->begin + at, (int64_t)bytes, (int64_t)members};
    return GSOLVE_OK;
}

/* Numbers that do not fit in 32 bits are in an extra field: sizes and offset, in this order, each
 * only if its place holds 2^32 - 1. */
static bool read_wide(uint64_t value[3], const char *extra, const char *end)
{
    while (end - extra >= 4) {
        const char *field = extra + 4, *next = field + number(extra + 2, 2);
        if (next > end) return false;
        for (int k = 0; number(extra, 2) == 1 && k < 3; k++) {
            if (value[k] != UINT32_MAX) continue;
            if (next - field < 8) return false;
            value[k] = number(field, 8);
            field += 8;
        }
        extra = next;
    }
    return true;
}

/* *member = the one at p; *next = the one after it. */
static gsolve_status read_member(gs_zip_member *member, const char **next, const char *p,
                                 const gs_zip *zip, const gs_input *in)
{
    const char *end = zip->directory + zip->bytes;
    const uint64_t archive = (uint64_t)(in->end - in->begin);

    if (end - p < HEAD_SIZE || memcmp(p, "PK\1\2", 4) != 0) {
        return damaged(in, "its directory has a malformed entry");
    }
    const int64_t name = (int64_t)number(p + 28, 2), extra = (int64_t)number(p + 30, 2);
    const int64_t comment = (int64_t)number(p + 32, 2);
    uint64_t value[3] = {number(p + 24, 4), number(p + 20, 4), number(p + 42, 4)};

    if (end - p < HEAD_SIZE + name + extra + comment ||
        !read_wide(value, p + HEAD_SIZE + name, p + HEAD_SIZE + name + extra)) {
        return damaged(in, "its directory has a malformed entry");
    }
    if (value[2] > archive || value[1] > archive || value[0] > INT64_MAX) {
        return damaged(in, "its directory has an entry that lies outside the file");
    }
    *member = (gs_zip_member){.method = (int)number(p + 10, 2),
                              .crc = (uint32_t)number(p + 16, 4),
                              .packed = (int64_t)value[1],
                              .size = (int64_t)value[0],
                              .local = in->begin + value[2],
                              .encrypted = number(p + 8, 2) & 1};
    gs_input_token(member->name, p + HEAD_SIZE, p + HEAD_SIZE + name);
    *next = p + HEAD_SIZE + name + extra + comment;
    return GSOLVE_OK;
}

gsolve_status gs_zip_at(gs_zip_member *member, const gs_zip *zip, int64_t index, const gs_input *in)
{
    const char *p = zip->directory;
    gsolve_status status;

    do {
        TRY(read_member(member, &p, p, zip, in));
    } while (index-- > 0);
done:
    return status;
}

gsolve_status gs_zip_find(gs_zip_member *member, bool *found, const gs_zip *zip, const char *name,
                          const gs_input *in)
{
    const char *p = zip->directory;
    gsolve_status status = GSOLVE_OK;

    *found = false;
    for (int64_t k = 0; k < zip->members && k < MEMBERS && !*found; k++) {
        TRY(read_member(member, &p, p, zip, in));
        *found = strcmp(member->name, name) == 0;
    }
done:
    return status;
}

/* --- content ---------------------------------------------------------------------------------- */

static gsolve_status inflate_member(char *to, const char *from, const gs_zip_member *m,
                                    const gs_input *in)
{
    z_stream z = {.zalloc = gs_gzip_alloc, .zfree = gs_gzip_free, .opaque = in->ctx};
    const size_t most = (size_t)1 << 24; /* the counts of zlib have only 32 bits */
    size_t left = (size_t)m->packed, space = (size_t)m->size;
    gsolve_status status = GSOLVE_OK;
    int code = Z_OK;

    if (inflateInit2(&z, -MAX_WBITS) != Z_OK) return GSOLVE_NO_MEMORY;
    z.next_in = (const unsigned char *)from;
    z.next_out = (unsigned char *)to;
    while (code == Z_OK && status == GSOLVE_OK) {
        const unsigned input = (unsigned)(left < most ? left : most);
        const unsigned output = (unsigned)(space < most ? space : most);
        z.avail_in = input;
        z.avail_out = output;
        code = inflate(&z, Z_NO_FLUSH);
        left -= input - z.avail_in;
        space -= output - z.avail_out;
        gs_input_progress(in, m->size - (int64_t)space, m->size);
        status = gs_check_interrupt(in->ctx);
    }
    inflateEnd(&z);
    if (status != GSOLVE_OK) return status;
    if (code == Z_MEM_ERROR) return GSOLVE_NO_MEMORY;
    if (code == Z_STREAM_END && space == 0) return GSOLVE_OK;
    return gs_binary_fail(in, m->name,
                          "the compressed data are damaged or truncated; copy or write the file "
                          "again");
}

uint32_t gs_zip_crc(gsolve_context *ctx, const void *data, int64_t bytes)
{
    const int threads = gsolve_threads(ctx) < 64 ? gsolve_threads(ctx) : 64;
    const int64_t each = (bytes / threads / CRC_PIECE + 1) * CRC_PIECE;
    uint32_t part[64];
    uLong crc = crc32(0, NULL, 0);

#pragma omp parallel for schedule(static, 1) num_threads(threads)
    for (int t = 0; t < threads; t++) {
        const int64_t from = t * each, to = from + each < bytes ? from + each : bytes;
        part[t] = (uint32_t)(from < to ? crc32_z(0, (const unsigned char *)data + from,
                                                 (size_t)(to - from))
                                       : 0);
    }
    for (int t = 0; t < threads && t * each < bytes; t++) {
        const int64_t left = bytes - t * each;
        crc = crc32_combine(crc, part[t], (z_off_t)(left < each ? left : each));
    }
    return (uint32_t)crc;
}

/* Where the content of a member begins. */
static gsolve_status find_content(const char **content, const gs_zip_member *m, const gs_input *in)
{
    const char *p = m->local;

    if (in->end - p < LOCAL_SIZE || memcmp(p, "PK\3\4", 4) != 0) {
        return gs_binary_fail(in, m->name,
                              "the member is not where the directory of the zip archive says; "
                              "the file is damaged");
    }
    const int64_t head = LOCAL_SIZE + (int64_t)number(p + 26, 2) + (int64_t)number(p + 28, 2);
    if (in->end - p < head || in->end - p - head < m->packed) {
        return gs_binary_fail(in, m->name, "the file ends within this member; it is truncated");
    }
    *content = p + head;
    return GSOLVE_OK;
}

static gsolve_status check_member(const gs_zip_member *m, const gs_input *in)
{
    if (m->encrypted) {
        return gs_binary_fail(in, m->name,
                              "the member is encrypted; write the file without a "
                              "password");
    }
    if (m->method != 0 && m->method != 8) {
        return gs_binary_fail(in, m->name,
                              "the member has the compression method %d; gsolve reads stored (0) "
                              "and deflated (8) members: write it with numpy or scipy",
                              m->method);
    }
    if (m->method == 0 ? m->size != m->packed : m->size / MOST_GAIN > m->packed) {
        return gs_binary_fail(in, m->name,
                              "the directory says %lld bytes, but %lld bytes in the file cannot "
                              "hold them; the file is damaged",
                              (long long)m->size, (long long)m->packed);
    }
    return GSOLVE_OK;
}

gsolve_status gs_zip_read(const char **data, void **owned, const gs_zip_member *m,
                          const gs_input *in)
{
    const char *content = NULL;
    char *block = NULL;
    gsolve_status status;

    TRY(check_member(m, in));
    TRY(find_content(&content, m, in));
    if (m->method == 8) {
        ALLOC(in->ctx, GSOLVE_HOST, block, m->size);
        TRY(inflate_member(block, content, m, in));
        content = block;
    }
    if (gs_zip_crc(in->ctx, content, m->size) != m->crc) {
        status = gs_binary_fail(in, m->name,
                                "the checksum is wrong; the file is damaged: copy or write it "
                                "again");
        goto done;
    }
    *data = content;
    *owned = block;
    block = NULL;
done:
    gsolve_free(in->ctx, GSOLVE_HOST, block);
    return status;
}
