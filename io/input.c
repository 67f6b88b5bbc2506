/* input.c: the bytes of a file in memory, and error messages with its line numbers. */
#include "io/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/descriptor.h"
#include "core/interrupt.h"

gsolve_status gs_input_fail(const gs_input *in, const char *at, const char *format, ...)
{
    char message[512];
    long long line = 1;
    va_list arguments;

    for (const char *p = in->begin; p < at && (p = memchr(p, '\n', (size_t)(at - p))); p++) line++;
    for (int64_t k = 0; k < in->skips && in->skip[k].at <= (size_t)(at - in->begin); k++) {
        line += in->skip[k].lines;
    }
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return gsolve_fail(in->ctx, GSOLVE_BAD_FILE, "%.400s:%lld: %s", in->name, line, message);
}

void gs_input_token(char token[GS_TOKEN], const char *begin, const char *end)
{
    const size_t length = (size_t)(end - begin), most = GS_TOKEN - 4;
    size_t k = 0;

    for (; k < length && k < most; k++) {
        const unsigned char c = (unsigned char)begin[k];
        token[k] = c >= ' ' && c < 127 ? begin[k] : '?';
    }
    memcpy(token + k, "...", 3);
    token[length > most ? k + 3 : k] = 0;
}

gsolve_status gs_input_size(int64_t *size, const char **p, const gs_input *in, const char *what,
                            int64_t most)
{
    const gs_word word = gs_next_word(p, in->end);
    char token[GS_TOKEN];

    *size = gs_word_integer(word);
    if (*size >= 0 && *size <= most) return GSOLVE_OK;
    gs_input_token(token, word.begin, word.end);
    return gs_input_fail(in, word.begin,
                         "the number of %s is '%s'; it must be a whole number from 0 to %lld", what,
                         token, (long long)most);
}

bool gs_input_progress(const gs_input *in, int64_t done, int64_t total)
{
    if (in->progress) in->progress(done < total ? done : total, total, in->user);
    return !gs_must_stop(in->ctx);
}

bool gs_input_too_large(const gs_input *in, int64_t n)
{
    const int64_t size_limit = in->size_limit ? in->size_limit : GS_DEFAULT_SIZE_LIMIT;
    return n > size_limit && n / 256 > in->end - in->begin;
}

void gs_input_memory(gs_input *in, gsolve_context *ctx, const char *name, const char *data,
                     size_t bytes, const gsolve_read_options *options)
{
    *in = (gs_input){.ctx = ctx, .name = name, .begin = data, .end = data + bytes};
    if (options) {
        in->progress = options->progress;
        in->user = options->user;
    }
    in->source.bytes = (int64_t)bytes;
}

static gsolve_status refuse(gsolve_context *ctx, const char *path, const char *why)
{
    return gsolve_fail(ctx, GSOLVE_BAD_FILE, "%.400s: %s", path, why);
}

static gsolve_status load(gs_input *in, gsolve_context *ctx, const char *path, int file,
                          const gsolve_read_options *options)
{
    struct stat s;
    size_t bytes;
    char *block;
    bool is_mapped = false;
    gsolve_status status = GSOLVE_OK;

    if (fstat(file, &s) != 0) return refuse(ctx, path, strerror(errno));
    if (S_ISDIR(s.st_mode)) return refuse(ctx, path, "it is a directory; give the name of a file");
    if (!S_ISREG(s.st_mode) || s.st_size == 0 || lseek(file, 0, SEEK_CUR) > 0) {
        status = gs_read_stream(&block, &bytes, ctx, path, file); /* files of /proc have size 0 */
    } else {
        bytes = (size_t)s.st_size;
        block = gs_map_file(ctx, file, 0, bytes);
        is_mapped = true;
        if (!block) status = GSOLVE_NO_MEMORY;
    }
    if (status != GSOLVE_OK) return status;
    gs_input_memory(in, ctx, path, block, bytes, options);
    in->block[0] = block;
    in->mapped = is_mapped;
    in->changed = gs_time_of_change(&s);
    return GSOLVE_OK;
}

gsolve_status gs_input_file(gs_input *in, gsolve_context *ctx, const char *path,
                            const gsolve_read_options *options)
{
    const int file = gs_open_named(path, O_RDONLY, STDIN_FILENO);
    gsolve_status status;

    if (strcmp(path, "-") == 0) path = "standard input";
    if (file < 0) return refuse(ctx, path, strerror(errno));
    status = load(in, ctx, path, file, options);
    close(file);
    return status;
}

#define FORGOTTEN ((int64_t)64 << 20) /* bytes of a text whose pages are worth the calls */

void gs_input_forget(const gs_input *in, const char *from, const char *to)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *block = in->block[0];

    if (!in->mapped || in->begin != block || in->end - in->begin < FORGOTTEN) return;
    const size_t begin = ((size_t)(from - block) + page - 1) / page * page;
    const size_t end = (size_t)(to - block) / page * page;
    if (begin < end) madvise(block + begin, end - begin, MADV_DONTNEED);
}

void gs_input_close(gs_input *in)
{
    for (int k = 0; k < 3; k++) {
        gsolve_free(in->ctx, GSOLVE_HOST, in->block[k]);
        in->block[k] = NULL;
    }
}
