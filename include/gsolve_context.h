/* gsolve_context.h: status codes, and the context: one device, its memory and the last error. */
#ifndef GSOLVE_CONTEXT_H
#define GSOLVE_CONTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- version -------------------------------------------------------------------- */

/* The version of this header. */
#define GSOLVE_VERSION_MAJOR 0
#define GSOLVE_VERSION_MINOR 1
#define GSOLVE_VERSION_PATCH 0
#define GSOLVE_VERSION       "0.1.0"

/* Returns the version of the linked library, such as "0.1.0". */
const char *gsolve_version(void);

/* --- status --------------------------------------------------------------------- */

/* The status codes and their texts. */
#define GSOLVE_STATUS_LIST(X)                                  \
    X(GSOLVE_OK, "success")                                    \
    X(GSOLVE_BAD_ARGUMENT, "argument missing or out of range") \
    X(GSOLVE_BAD_SPEC, "unknown name, key or value in a spec") \
    X(GSOLVE_BAD_MATRIX, "malformed matrix")                   \
    X(GSOLVE_BAD_FILE, "unreadable file")                      \
    X(GSOLVE_NO_MEMORY, "out of memory")                       \
    X(GSOLVE_NO_DEVICE, "device absent from build or machine") \
    X(GSOLVE_UNSUPPORTED, "not supported by this plug-in")     \
    X(GSOLVE_ZERO_PIVOT, "zero pivot")                         \
    X(GSOLVE_DEVICE_FAILED, "device failure")

#define GSOLVE_ENUM(name, text) name,
typedef enum gsolve_status { GSOLVE_STATUS_LIST(GSOLVE_ENUM) GSOLVE_STATUS_COUNT } gsolve_status;

/* Returns the text of a status, such as "out of memory". */
const char *gsolve_status_text(gsolve_status status);

/* --- context -------------------------------------------------------------------- */

/* A device, the memory allocated on it and on the host, and the last error. All other objects are
 * created in a context. */
typedef struct gsolve_context gsolve_context;

/* Creates a context on a device. spec is one of
 *
 *     "cpu", "cpu,threads=8"    the CPU; without threads: as many threads as OpenMP offers
 *     "cuda", "cuda,index=1"    an NVIDIA GPU
 *     "auto"                    a GPU if this build and this machine have a usable one, else the
 *                               CPU; gsolve_context_info.description then says why it is the CPU
 *
 * Fails with GSOLVE_NO_DEVICE if the build or the machine lacks the device. Fails with
 * GSOLVE_NO_MEMORY or GSOLVE_DEVICE_FAILED if the device's memory is full or the device is
 * unusable. gsolve_error(NULL) returns the cause. */
gsolve_status gsolve_context_create(gsolve_context **ctx, const char *spec);

/* Destroys all objects in the context, frees all its memory, and closes the device. */
void gsolve_context_destroy(gsolve_context **ctx);

/* Moves the context to another device, for a program that chooses the device after it has read the
 * matrix. spec is as for gsolve_context_create. Arrays on the host stay valid. Fails with
 * GSOLVE_BAD_ARGUMENT if the context contains a matrix, a preconditioner or an array on the device.
 * After a failure the context is unchanged. */
gsolve_status gsolve_context_use_device(gsolve_context *ctx, const char *spec);

/* Makes the context work on the caller's CUDA stream. stream is a cudaStream_t of the context's
 * device. NULL is CUDA's default stream, on which solvers run without recorded CUDA graphs.
 *
 * The call waits for all work on the previous stream. All objects in the context stay valid. The
 * caller keeps ownership of the stream, which must live until the context is destroyed or gets
 * another stream. While a call in the context runs, no other thread may submit work to the stream:
 * that work could become part of a recorded graph.
 *
 * Fails with GSOLVE_UNSUPPORTED on the CPU, and with GSOLVE_BAD_ARGUMENT if the stream belongs to
 * another device or is being captured. */
gsolve_status gsolve_context_use_stream(gsolve_context *ctx, void *stream);

/* Returns one sentence about the last failure in the context, or "" if no call has failed. The text
 * is valid until the next call. gsolve_error(NULL) describes the last failed gsolve_context_create
 * of the calling thread. */
const char *gsolve_error(const gsolve_context *ctx);

typedef struct gsolve_context_info {
    const char *device;    /* "cpu" or "cuda" */
    char description[256]; /* such as "AMD EPYC, 2 threads" */
    int threads;           /* threads used on the CPU */
    size_t bytes;          /* bytes allocated now, on the host and on the device together */
    size_t peak;           /* largest value of bytes so far */
    int64_t blocks;        /* allocations that are not freed yet */
    int64_t allocations;   /* all allocations so far */
} gsolve_context_info;

/* Fills *info. */
void gsolve_context_describe(const gsolve_context *ctx, gsolve_context_info *info);

/* Returns the free and the total memory of the device in bytes. Fails with GSOLVE_UNSUPPORTED on
 * the CPU. */
gsolve_status gsolve_context_memory(gsolve_context *ctx, size_t *unused, size_t *total);

/* Measures the copy bandwidth of the device: bytes read plus bytes written per second when a large
 * array is copied within the device's memory. The result is the best of several copies. Compare the
 * bandwidth of a profile (gsolve_profile_class) with it. The call needs 512 MiB of temporary memory
 * and makes do with less. */
gsolve_status gsolve_context_copy_speed(gsolve_context *ctx, double *bytes_per_second);

/* For tests of allocation failures: the next count allocations succeed and all later ones fail. A
 * negative count removes the limit. */
void gsolve_context_limit_allocations(gsolve_context *ctx, int64_t count);

#ifdef __cplusplus
}
#endif
#endif
