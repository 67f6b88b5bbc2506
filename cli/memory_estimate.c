/* memory_estimate.c: estimates the memory of a solve on the device, before any is allocated. */
#include "cli/memory_estimate.h"

#include <string.h>

#include "gsolve_plugin.h"

static const char *const methods[] = {"cg", "bicgstab", "gmres,restart=30"};
enum { METHODS = sizeof methods / sizeof *methods };

typedef struct room { /* of the device; total 0: it shares the host's */
    size_t unused, total;
} room;

static room room_of(const cli *c)
{
    room r = {0, 0};

    if (gsolve_context_memory(c->ctx, &r.unused, &r.total) != GSOLVE_OK) return (room){0, 0};
    return r;
}

/* Of the format that auto takes, or 0. */
static size_t least_matrix(const cli *c, const cli_system *s)
{
    size_t bytes;

    return gsolve_matrix_memory(c->ctx, "auto", &s->csr, &bytes) == GSOLVE_OK ? bytes : 0;
}

void cli_memory_estimate_print(const cli *c, const cli_system *s)
{
    const room r = room_of(c);
    const size_t matrix = least_matrix(c, s);
    gsolve_context_info device;
    const gsolve_plugin *format;
    char unknown[256] = "";
    gsolve_status status;
    size_t bytes;

    gsolve_context_describe(c->ctx, &device);
    cli_item(c, "device", "%s: %s", device.device, device.description);
    if (r.total > 0) {
        cli_item(c, "", "%s free of %s", cli_bytes((double)r.unused).text,
                 cli_bytes((double)r.total).text);
    }
    cli_item(c, "memory", "estimated bytes that a solve on this device holds%s",
             r.total == 0 ? "; each format includes the csr rows of A" : "");
    for (int k = 0; (format = gsolve_format_at(c->ctx, k)); k++) {
        status = gsolve_matrix_memory(c->ctx, format->name, &s->csr, &bytes);
        if (status == GSOLVE_OK) {
            cli_item(c, "", "%s for A in the format %s%s", cli_bytes((double)bytes).text,
                     format->name,
                     strcmp(format->name, "auto") == 0 ? ", which begins as csr" : "");
        } else if (status == GSOLVE_UNSUPPORTED) {
            const size_t length = strlen(unknown);
            snprintf(unknown + length, sizeof unknown - length, " %s", format->name);
        }
    }
    if (unknown[0]) cli_item(c, "", "no estimate for A in:%s", unknown);
    for (int k = 0; k < METHODS; k++) {
        if (gsolve_solver_memory(c->ctx, methods[k], &s->csr, 1, &bytes) != GSOLVE_OK) continue;
        cli_item(c, "", "%s for the work space of %s, %s together with A in csr%s",
                 cli_bytes((double)bytes).text, methods[k],
                 cli_bytes((double)(matrix + bytes)).text,
                 r.total > 0 && matrix + bytes > r.unused ? ", more than is free" : "");
    }
}

static void add(cJSON *list, const char *name, size_t bytes)
{
    cJSON *item = cJSON_CreateObject();

    cJSON_AddStringToObject(item, "name", name);
    cJSON_AddNumberToObject(item, "bytes", (double)bytes);
    cJSON_AddItemToArray(list, item);
}

void cli_memory_estimate_json(cJSON *object, const cli *c, const cli_system *s)
{
    cJSON *forecast = cJSON_AddObjectToObject(object, "forecast"), *list;
    const room r = room_of(c);
    gsolve_context_info device;
    const gsolve_plugin *format;
    size_t bytes;

    gsolve_context_describe(c->ctx, &device);
    cJSON_AddStringToObject(forecast, "device", device.device);
    cJSON_AddStringToObject(forecast, "type", c->is.type == GSOLVE_F32 ? "f32" : "f64");
    if (r.total > 0) {
        cJSON_AddNumberToObject(forecast, "memory_free", (double)r.unused);
        cJSON_AddNumberToObject(forecast, "memory_total", (double)r.total);
    }
    list = cJSON_AddArrayToObject(forecast, "formats");
    for (int k = 0; (format = gsolve_format_at(c->ctx, k)); k++) {
        if (gsolve_matrix_memory(c->ctx, format->name, &s->csr, &bytes) == GSOLVE_OK) {
            add(list, format->name, bytes);
        }
    }
    list = cJSON_AddArrayToObject(forecast, "solvers");
    for (int k = 0; k < METHODS; k++) {
        if (gsolve_solver_memory(c->ctx, methods[k], &s->csr, 1, &bytes) == GSOLVE_OK) {
            add(list, methods[k], bytes);
        }
    }
}
