/* calls.c: what happens around public calls and operations: the current device, the log, ranges. */
#include "core/trace.h"

#include <stdarg.h>
#include <stdio.h>

gsolve_context *gs_enter(gsolve_context *ctx)
{
    if (ctx->depth++ > 0) return ctx;
    ctx->agreed = GSOLVE_OK; /* an earlier call has failed, not this one */
    if (ctx->device->enter && ctx->queue) ctx->device->enter(ctx->queue);
    return ctx;
}

void gs_leave(gsolve_context **ctx)
{
    gsolve_context *left = *ctx;

    if (--left->depth > 0) return;
    if (left->trace) gs_trace_flush(left->trace);
    if (left->device->leave && left->queue) left->device->leave(left->queue);
}

void gsolve_context_set_log(gsolve_context *ctx, gsolve_log *log, void *user)
{
    ctx->log = log;
    ctx->log_user = user;
}

void gs_log(gsolve_context *ctx, const char *format, ...)
{
    char line[1500];
    va_list arguments;

    if (!ctx->log) return;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    ctx->log(line, ctx->log_user);
}

void gs_range_push_level(const gsolve_context *ctx, const char *name, int level)
{
    if (ctx->device->range_push) ctx->device->range_push(name);
    if (ctx->trace) gs_trace_push(ctx->trace, name);
    if (ctx->stage_monitor) ctx->stage_monitor(name, level, ctx->stage_user);
}

void gs_range_push(const gsolve_context *ctx, const char *name)
{
    gs_range_push_level(ctx, name, -1);
}

void gs_range_pop(const gsolve_context *ctx)
{
    if (ctx->trace) gs_trace_pop(ctx->trace);
    if (ctx->trace && ctx->depth == 0) gs_trace_flush(ctx->trace);
    if (ctx->device->range_pop) ctx->device->range_pop();
    if (ctx->stage_monitor) ctx->stage_monitor(NULL, -1, ctx->stage_user);
}
