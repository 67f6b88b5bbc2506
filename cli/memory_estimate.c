/* memory_estimate.c: estimates the memory of a solve on the device, without allocating any. */
#include "cli/memory_estimate.h"

#include <string.h>

#include "gsolve_plugin.h"

static const char *const methods[] = {"cg", "bicgstab", "gmres,restart=30"};
enum { METHODS = sizeof methods / sizeof *methods };

typedef struct device_memory { /* total 0: the device uses the host's memory */
    size_t unused, total;
} device_memory;

static device_memory memory_of(const cli *c)
{
    device_memory m = {0, 0};

    if (gsolve_context_memory(c->ctx, &m.unused, &m.total) != GSOLVE_OK) {
        return (device_memory){0, 0};
    }
    return m;
}

/* The bytes of the matrix in the format auto; 0: unknown. */
static size_t matrix_bytes(const cli *c, const cli_system *s)
{
    size_t bytes;

    return gsolve_matrix_memory(c->ctx, "auto", &s->csr, &bytes) == GSOLVE_OK ? bytes : 0;
}

void cli_memory_estimate_print(const cli *c, const cli_system *s)
{
    const device_memory m = memory_of(c);
    const size_t matrix = matrix_bytes(c, s);
    gsolve_context_info device = GSOLVE_INIT(gsolve_context_info);
    const gsolve_plugin *format;
    char unknown[256] = "";
    gsolve_status status;
    size_t bytes;

    gsolve_context_describe(c->ctx, &device);
    cli_item(c, "device", "%s: %s", device.device, device.description);
    if (m.total > 0) {
        cli_item(c, "", "%s free of %s", cli_bytes((double)m.unused).text,
                 cli_bytes((double)m.total).text);
    }
    cli_item(c, "memory", "estimated bytes that a solve on this device holds%s",
             m.total == 0 ? "; each format includes the csr rows of A" : "");
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
                 m.total > 0 && matrix + bytes > m.unused ? ", more than is free" : "");
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
    cJSON *estimate = cJSON_AddObjectToObject(object, "memory_estimate"), *list;
    const device_memory m = memory_of(c);
    gsolve_context_info device = GSOLVE_INIT(gsolve_context_info);
    const gsolve_plugin *format;
    size_t bytes;

    gsolve_context_describe(c->ctx, &device);
    cJSON_AddStringToObject(estimate, "device", device.device);
    cJSON_AddStringToObject(estimate, "type", c->args.type == GSOLVE_F32 ? "f32" : "f64");
    if (m.total > 0) {
        cJSON_AddNumberToObject(estimate, "memory_free", (double)m.unused);
        cJSON_AddNumberToObject(estimate, "memory_total", (double)m.total);
    }
    list = cJSON_AddArrayToObject(estimate, "formats");
    for (int k = 0; (format = gsolve_format_at(c->ctx, k)); k++) {
        if (gsolve_matrix_memory(c->ctx, format->name, &s->csr, &bytes) == GSOLVE_OK) {
            add(list, format->name, bytes);
        }
    }
    list = cJSON_AddArrayToObject(estimate, "solvers");
    for (int k = 0; k < METHODS; k++) {
        if (gsolve_solver_memory(c->ctx, methods[k], &s->csr, 1, &bytes) == GSOLVE_OK) {
            add(list, methods[k], bytes);
        }
    }
}
