/* interface_draw.c: random draws, the trace of a sequence, and what is checked after every call. */
#include "tests/fuzz/interface.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- draws ------------------------------------------------------------------------------------ */

uint64_t draw(fuzz *f)
{
    uint64_t z = f->state += 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

int64_t below(fuzz *f, int64_t n)
{
    return n < 1 ? 0 : (int64_t)(draw(f) % (uint64_t)n);
}

bool chance(fuzz *f, int percent)
{
    return below(f, 100) < percent;
}

double uniform(fuzz *f)
{
    return (double)(int64_t)draw(f) / 9223372036854775808.0;
}

/* Natures of a matrix's or a vector's values: 0 to 5 as below, the rest moderate. */
int draw_nature(fuzz *f)
{
    return skips(f, "scales") || !chance(f, 25) ? 9 : (int)below(f, 6);
}

double draw_value(fuzz *f, int nature)
{
    const double moderate = uniform(f);

    switch (nature) {
    case 0: return (double)below(f, 7) - 3;
    case 1: return moderate * pow(10, (double)below(f, 601) - 300);
    case 2: return moderate * 1e-300;
    case 3: return moderate * 1e300;
    case 4: return moderate * 1e-170;
    case 5: return chance(f, 20) ? 0 : moderate * pow(10, (double)below(f, 17) - 8);
    default: return moderate;
    }
}

gsolve_type draw_type(fuzz *f)
{
    return chance(f, 30) ? GSOLVE_F32 : GSOLVE_F64;
}

void *must_alloc(size_t bytes)
{
    void *block = malloc(bytes);

    if (!block && bytes > 0) {
        fprintf(stderr, "fuzz_interface: out of memory\n");
        exit(2);
    }
    return block;
}

/* --- the trace -------------------------------------------------------------------------------- */

static char trace_text[1 << 17];
static size_t trace_length;

void begin_trace(fuzz *f)
{
    trace_length = 0;
    trace(f, "sequence %llu%s\n", (unsigned long long)f->seed,
          f->denies ? ", which denies allocations" : "");
}

void trace(fuzz *f, const char *format, ...)
{
    const size_t room = sizeof trace_text - trace_length;
    va_list arguments;

    va_start(arguments, format);
    const int length = vsnprintf(trace_text + trace_length, room, format, arguments);
    va_end(arguments);
    if (f->set->verbose) fputs(trace_text + trace_length, stderr);
    if (length > 0) trace_length += (size_t)length < room ? (size_t)length : room - 1;
}

/* Only what may be called when the program has crashed. */
void print_trace(int file)
{
    for (size_t done = 0; done < trace_length;) {
        const ssize_t count = write(file, trace_text + done, trace_length - done);
        if (count <= 0) return;
        done += (size_t)count;
    }
}

void complain(fuzz *f, const char *format, ...)
{
    char text[2048];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (!f->failed && !f->set->keep_going && !f->set->verbose) print_trace(STDERR_FILENO);
    if (!f->failed) {
        fprintf(stderr, "FAILED: sequence %llu: %s\n", (unsigned long long)f->seed, text);
    }
    f->failed = true;
}

bool skips(const fuzz *f, const char *name)
{
    for (int k = 0; k < f->set->skips; k++) {
        if (strcmp(f->set->skipped[k], name) == 0) return true;
    }
    return false;
}

/* --- what is compared when a sequence is repeated --------------------------------------------- */

void add_to_hash(fuzz *f, const void *bytes, size_t count)
{
    const unsigned char *p = bytes;

    for (size_t k = 0; k < count; k++) f->hash = (f->hash ^ p[k]) * 1099511628211u;
}

void add_number(fuzz *f, int64_t number)
{
    add_to_hash(f, &number, sizeof number);
}

/* --- before and after a call ------------------------------------------------------------------ */

void deny_some(fuzz *f)
{
    int64_t granted;

    if (!f->denies || !chance(f, 25)) return;
    granted = below(f, chance(f, 50) ? 8 : 120);
    trace(f, "  gsolve_context_limit_allocations(%lld)\n", (long long)granted);
    gsolve_context_limit_allocations(f->ctx, granted);
    f->denied = true;
}

bool passed(fuzz *f, const char *call, gsolve_status status)
{
    const bool denied = f->denied;
    const char *said = gsolve_error(f->ctx);

    if (denied) gsolve_context_limit_allocations(f->ctx, -1);
    f->denied = false;
    add_number(f, status);
    if (status == GSOLVE_OK) return true;
    trace(f, "  %s: %s: %s\n", call, gsolve_status_text(status), said);
    if (strlen(said) < 10)
        complain(f, "%s fails with '%s' and says '%s'", call, gsolve_status_text(status), said);
    if (status == GSOLVE_NO_MEMORY && !denied && !strstr(said, "limit") &&
        !strstr(said, "memory=") && !strstr(said, "factors")) {
        complain(f, "%s is out of memory though no allocation was denied: %s", call, said);
    }
    if (status == GSOLVE_DEVICE_FAILED && !strstr(said, "the test wants it so")) {
        complain(f, "%s: the device failed: %s", call, said);
    }
    return false;
}

bool passed_handle(fuzz *f, const char *call, gsolve_status status, void **handle)
{
    const bool good = passed(f, call, status);

    if (good && (*handle == UNTOUCHED || !*handle)) complain(f, "%s yields no handle", call);
    if (!good && *handle != UNTOUCHED) complain(f, "%s fails and changes the handle", call);
    if (!good) *handle = NULL;
    return good;
}
