/* context.c: contexts, status and error sentences, the memory of a device. */
#include "core/context.h"
#include "core/info.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local char create_error[512]; /* of this thread's last failed create */

const char *gsolve_version(void)
{
    return GSOLVE_VERSION;
}

const char *gsolve_status_text(gsolve_status status)
{
#define TEXT(name, text) [name] = text,
    static const char *const text[] = {GSOLVE_STATUS_LIST(TEXT)};
    return (unsigned)status < GSOLVE_STATUS_COUNT ? text[status] : "unknown status";
}

const char *gsolve_outcome_text(gsolve_outcome outcome)
{
    static const char *const text[] = {GSOLVE_OUTCOME_LIST(TEXT)};
    return (unsigned)outcome < GSOLVE_OUTCOME_COUNT ? text[outcome] : "unknown outcome";
}

gsolve_status gsolve_fail(gsolve_context *ctx, gsolve_status status, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(ctx->error, sizeof ctx->error, format, arguments);
    va_end(arguments);
    ctx->agreed = GSOLVE_OK;
    return status;
}

const char *gsolve_error(const gsolve_context *ctx)
{
    return ctx ? ctx->error : create_error;
}

/* --- devices ------------------------------------------------------------------ */

static const gsolve_plugin *const devices[] = {&gs_device_host.plugin, &gs_device_cuda.plugin,
                                               NULL};

const gsolve_plugin *gsolve_device_at(int index)
{
    return gs_plugin_at(NULL, devices, index);
}

/* The driver starts a GPU in threads of its own. Beside 16 threads of OpenMP that read a file and
 * spin between their loops, both end later. */
#define BESIDE_START 4

static int gpu_starts;

void gs_count_gpu_starts(int change)
{
    __atomic_fetch_add(&gpu_starts, change, __ATOMIC_RELAXED);
}

int gs_reading_threads(const gsolve_context *ctx)
{
    const int threads = gsolve_threads(ctx);
    const bool starting = __atomic_load_n(&gpu_starts, __ATOMIC_RELAXED) > 0;

    return starting && threads > BESIDE_START ? BESIDE_START : threads;
}

static gsolve_status open_named(gsolve_context *ctx, const char *name, const char *spec)
{
    char error[256] = "";
    const gsolve_plugin *plugin;
    void *options;
    gsolve_status status =
        gs_plugin_parse(ctx, NULL, devices, "device", name ? name : spec, &plugin, &options);
    const gs_device_options *chosen = options;

    if (status != GSOLVE_OK) return status;
    if (name) status = gs_spec_options(ctx, plugin, spec, options);
    if (status == GSOLVE_OK) {
        ctx->device = (const gs_device *)(const void *)plugin;
        gs_count_gpu_starts(gs_on_gpu(ctx));
        status = ctx->device->open(&ctx->queue, ctx, options, error, ctx->description);
        gs_count_gpu_starts(-gs_on_gpu(ctx));
        if (status != GSOLVE_OK) {
            ctx->device = &gs_device_host;
            gsolve_fail(ctx, status, "%s", error);
        }
    }
    if (status == GSOLVE_OK) {
        ctx->most_bytes = chosen->memory > 0 ? (size_t)chosen->memory : SIZE_MAX;
    }
    gsolve_free(ctx, GSOLVE_HOST, options);
    return status;
}

/* "auto" opens a usable GPU, else the CPU; the description of the CPU then says why. */
static gsolve_status open_device(gsolve_context *ctx, const char *spec)
{
    static const char no_cuda[] = "this build of gsolve has no CUDA";
    const bool automatic = gs_spec_is(spec, "auto"), cuda = gs_device_cuda.plugin.name;
    char why[sizeof ctx->error];
    gsolve_status status;

    if (gs_spec_is(spec, "cuda") && !cuda) {
        return gsolve_fail(ctx, GSOLVE_NO_DEVICE, "%s", no_cuda);
    }
    if (!automatic) return open_named(ctx, NULL, spec);
    status = cuda ? open_named(ctx, "cuda", spec) : GSOLVE_NO_DEVICE;
    if (status != GSOLVE_NO_DEVICE && status != GSOLVE_NO_MEMORY &&
        status != GSOLVE_DEVICE_FAILED) {
        return status;
    }
    snprintf(why, sizeof why, "%s", cuda ? ctx->error : no_cuda);
    status = open_named(ctx, "cpu", spec);
    if (status == GSOLVE_OK) {
        const size_t at = strlen(ctx->description);
        snprintf(ctx->description + at, sizeof ctx->description - at, "; %.120s", why);
        ctx->error[0] = 0;
    }
    return status;
}

/* --- create and destroy ------------------------------------------------------- */

/* Copies the caller's options to *copy. Fails if they are not whole. */
static gsolve_status take_options(gsolve_context_options *copy,
                                  const gsolve_context_options *options)
{
    memset(copy, 0, sizeof *copy);
    if (!options) return GSOLVE_OK;
    if (options->size != sizeof *options) {
        snprintf(
            create_error, sizeof create_error,
            "the member size of the gsolve_context_options is %zu, not %zu: declare the struct "
            "as 'gsolve_context_options name = GSOLVE_INIT(gsolve_context_options)'",
            options->size, sizeof *options);
        return GSOLVE_BAD_ARGUMENT;
    }
    if (!options->allocate_host != !options->release_host ||
        !options->allocate_device != !options->release_device) {
        snprintf(create_error, sizeof create_error,
                 "gsolve_context_create_with: an allocate function needs the release function for "
                 "the same memory, and the reverse; set both or none");
        return GSOLVE_BAD_ARGUMENT;
    }
    *copy = *options;
    return GSOLVE_OK;
}

gsolve_status gsolve_context_create_with(gsolve_context **out, const char *spec,
                                         const gsolve_context_options *options)
{
    gsolve_context *ctx = NULL;
    gsolve_context_options caller;
    gsolve_status status = GSOLVE_NO_MEMORY;

    create_error[0] = 0;
    if (!out || !spec) {
        snprintf(create_error, sizeof create_error, "gsolve_context_create: an argument is NULL");
        return GSOLVE_BAD_ARGUMENT;
    }
    if (take_options(&caller, options) != GSOLVE_OK) return GSOLVE_BAD_ARGUMENT;
    gs_detect_fork();
    ctx = calloc(1, sizeof *ctx);
    if (ctx) {
        ctx->device = &gs_device_host;
        ctx->caller = caller;
        status = gs_memory_open(ctx);
        if (status == GSOLVE_OK) status = gs_cpu_level_set(ctx);
        if (status == GSOLVE_OK) status = open_device(ctx, spec);
        if (status == GSOLVE_OK) status = gs_trace_open(ctx);
    }
    if (status != GSOLVE_OK) {
        snprintf(create_error, sizeof create_error, "%.500s",
                 ctx && ctx->error[0] ? ctx->error : gsolve_status_text(status));
        gsolve_context_destroy(&ctx);
        return status;
    }
    *out = ctx;
    return GSOLVE_OK;
}

gsolve_status gsolve_context_create(gsolve_context **out, const char *spec)
{
    return gsolve_context_create_with(out, spec, NULL);
}

void gsolve_context_destroy(gsolve_context **ctx)
{
    gsolve_context *own = ctx ? *ctx : NULL;

    if (!own) return;
    __atomic_store_n(ctx, NULL,
                     __ATOMIC_SEQ_CST); /* first, for a signal handler that follows ctx */
    gs_trace_close(own);
    gs_memory_close(own);
    if (own->queue) own->device->close(own->queue);
    free(own);
}

gsolve_status gsolve_context_use_device(gsolve_context *ctx, const char *spec)
{
    char description[sizeof ctx->description];
    const gs_device *device;
    gs_queue *queue;
    size_t most_bytes;
    gsolve_status status;

    if (!ctx) return GSOLVE_BAD_ARGUMENT;
    if (!spec)
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT, "gsolve_context_use_device: the spec is NULL");
    if (ctx->comm) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT,
                           "the device of a context with a transport between ranks cannot be "
                           "changed");
    }
    if (ctx->handles > 0 || gs_memory_on_device(ctx)) {
        return gsolve_fail(
            ctx, GSOLVE_BAD_ARGUMENT,
            "the device of a context cannot be changed while matrices, preconditioners or arrays "
            "of the context are on the device %s",
            ctx->device->plugin.name);
    }
    device = ctx->device;
    queue = ctx->queue;
    most_bytes = ctx->most_bytes;
    memcpy(description, ctx->description, sizeof description);
    status = open_device(ctx, spec);
    if (status == GSOLVE_OK) {
        device->close(queue);
        if (ctx->device->alloc) gs_memory_trim(ctx); /* blocks that only the CPU reuses */
    } else {
        ctx->device = device;
        ctx->queue = queue;
        ctx->most_bytes = most_bytes;
        memcpy(ctx->description, description, sizeof description);
    }
    return status;
}

gsolve_status gsolve_context_use_stream(gsolve_context *ctx, void *stream)
{
    if (!ctx) return GSOLVE_BAD_ARGUMENT;
    if (!ctx->device->use_stream) {
        return gsolve_fail(ctx, GSOLVE_UNSUPPORTED, "the device %s has no streams; only cuda has",
                           ctx->device->plugin.name);
    }
    GS_ENTER(ctx);
    return ctx->device->use_stream(ctx->queue, stream);
}

void gsolve_context_describe(const gsolve_context *ctx, gsolve_context_info *info)
{
    gsolve_context_info own = {
        .device = ctx->device->plugin.name,
        .threads = gsolve_threads(ctx),
        .bytes = ctx->bytes,
        .peak = ctx->peak,
        .blocks = ctx->blocks,
        .allocations = ctx->allocations,
        .cpu_level = gs_cpu_level_name(ctx),
        .rank = ctx->rank,
        .ranks = ctx->comm ? ctx->ranks : 1,
    };

    memcpy(own.description, ctx->description, sizeof own.description);
    memcpy(own.transport, ctx->transport, sizeof own.transport);
    GS_FILL_INFO(gsolve_context_info, info, &own);
}

void *gsolve_stream(const gsolve_context *ctx)
{
    return ctx->device->stream ? ctx->device->stream(ctx->queue) : NULL;
}

gsolve_status gsolve_context_memory(gsolve_context *ctx, size_t *available, size_t *total)
{
    if (!ctx) return GSOLVE_BAD_ARGUMENT;
    if (!available || !total) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT, "gsolve_context_memory: an argument is NULL");
    }
    if (!ctx->device->memory) {
        return gsolve_fail(ctx, GSOLVE_UNSUPPORTED, "the device %s has no memory of its own",
                           ctx->device->plugin.name);
    }
    GS_ENTER(ctx);
    size_t unused = 0, all = 0;
    const gsolve_status status = ctx->device->memory(ctx->queue, &unused, &all);
    const size_t used = gs_memory_used(ctx), most = ctx->most_bytes;
    if (status != GSOLVE_OK) return status;
    const size_t left = most == SIZE_MAX ? SIZE_MAX : most > used ? most - used : 0;
    *available = left < unused ? left : unused;
    *total = all < most ? all : most;
    return GSOLVE_OK;
}

gsolve_status gsolve_context_trim(gsolve_context *ctx)
{
    if (!ctx) return GSOLVE_BAD_ARGUMENT;
    GS_ENTER(ctx);
    gs_memory_trim(ctx);
    return ctx->device->trim ? ctx->device->trim(ctx->queue) : GSOLVE_OK;
}

void gsolve_context_limit_allocations(gsolve_context *ctx, int64_t count)
{
    ctx->allocations_left = count < 0 ? -1 : count;
}
