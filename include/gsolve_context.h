/* gsolve_context.h: status codes, and the context: one device, its memory and the last error. */
#ifndef GSOLVE_CONTEXT_H
#define GSOLVE_CONTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- exported functions --------------------------------------------------------- */

/* Precedes each function that the library exports. All other functions of the library are hidden,
 * so that an application may use their names. A tool that reads the headers and does not know
 * attributes may define GSOLVE_API as nothing. */
#ifndef GSOLVE_API
#define GSOLVE_API __attribute__((visibility("default")))
#endif

/* --- structs that the library fills ---------------------------------------------- */

/* Initialises a struct that the library fills, such as gsolve_result or gsolve_matrix_info:
 *
 *     gsolve_result result = GSOLVE_INIT(gsolve_result);
 *
 * Such a struct begins with the member `size`, and later versions of the library may append
 * members. GSOLVE_INIT sets `size` to the size of the struct in this header, and all other members
 * to 0. A function that fills the struct writes at most `size` bytes and leaves `size` as it is. It
 * sets members that the library does not know to 0. A call with a `size` that is 0 or too small
 * fails with GSOLVE_BAD_ARGUMENT. A function that returns no status then does nothing, and one that
 * returns a bool returns false. */
#ifndef __cplusplus
#define GSOLVE_INIT(type) {.size = sizeof(type)}
#else
#define GSOLVE_INIT(type)                       \
    [] {                                        \
        type gsolve_initialised = type();       \
        gsolve_initialised.size = sizeof(type); \
        return gsolve_initialised;              \
    }()
#endif

/* --- version -------------------------------------------------------------------- */

/* The version of this header. */
#define GSOLVE_VERSION_MAJOR 0
#define GSOLVE_VERSION_MINOR 1
#define GSOLVE_VERSION_PATCH 0
#define GSOLVE_VERSION       "0.1.0"

/* Returns the version of the linked library, such as "0.1.0", a constant string. */
GSOLVE_API const char *gsolve_version(void);

/* --- status --------------------------------------------------------------------- */

/* The status codes and their texts.
 *
 *     GSOLVE_OK             the call succeeded
 *     GSOLVE_BAD_ARGUMENT   an argument is NULL, out of range, or does not fit another argument
 *     GSOLVE_BAD_SPEC       a spec has an unknown name or key, or a value that is not allowed
 *     GSOLVE_BAD_MATRIX     a matrix is malformed or has an unsuitable shape, pattern or value
 *     GSOLVE_BAD_FILE       a file cannot be read or written, or its content is malformed
 *     GSOLVE_NO_MEMORY      the memory of the host or of the device is too small
 *     GSOLVE_NO_DEVICE      the build does not support the device, or the machine does not have it
 *     GSOLVE_UNSUPPORTED    this format, preconditioner, method or function, or this device, cannot
 *                           do what the call asks for
 *     GSOLVE_ZERO_PIVOT     a factorisation or a diagonal preconditioner would divide by zero
 *     GSOLVE_DEVICE_FAILED  the GPU reported an error
 *     GSOLVE_INTERRUPTED    the caller interrupted the call, or the time limit of the context was
 *                           reached
 *     GSOLVE_RANK_FAILED    another rank of a distributed system is gone or does not answer, or the
 *                           connection to it failed
 */
#define GSOLVE_STATUS_LIST(X)                                  \
    X(GSOLVE_OK, "success")                                    \
    X(GSOLVE_BAD_ARGUMENT, "argument missing or out of range") \
    X(GSOLVE_BAD_SPEC, "unknown name, key or value in a spec") \
    X(GSOLVE_BAD_MATRIX, "malformed or unsuitable matrix")     \
    X(GSOLVE_BAD_FILE, "file cannot be read or written")       \
    X(GSOLVE_NO_MEMORY, "out of memory")                       \
    X(GSOLVE_NO_DEVICE, "device absent from build or machine") \
    X(GSOLVE_UNSUPPORTED, "not supported")                     \
    X(GSOLVE_ZERO_PIVOT, "zero pivot")                         \
    X(GSOLVE_DEVICE_FAILED, "device failure")                  \
    X(GSOLVE_INTERRUPTED, "interrupted")                       \
    X(GSOLVE_RANK_FAILED, "a rank failed")

/* Makes an enumerator from a line of a list such as GSOLVE_STATUS_LIST. GSOLVE_STATUS_COUNT is the
 * number of status codes. */
#define GSOLVE_ENUM(name, text) name,
typedef enum gsolve_status { GSOLVE_STATUS_LIST(GSOLVE_ENUM) GSOLVE_STATUS_COUNT } gsolve_status;

/* Returns the text of a status, such as "out of memory"; for another value "unknown status". */
GSOLVE_API const char *gsolve_status_text(gsolve_status status);

/* --- context -------------------------------------------------------------------- */

/* A device, the memory allocated on it and on the host, and the text of the last error. All other
 * objects are created in a context. */
typedef struct gsolve_context gsolve_context;

/* Creates a context on a device. `spec` is one of
 *
 *     "cpu", "cpu,threads=8"    the CPU; default number of threads: omp_get_max_threads()
 *     "cuda", "cuda,index=1"    an NVIDIA GPU; default index: 0
 *     "auto"                    GPU 0 if it can be used, else the CPU;
 *                               gsolve_context_info.description then says why it is the CPU
 *
 * Each takes the option memory, as in "cuda,memory=2e9": the context never has more than this
 * number of bytes allocated in the memory of its device (the memory of the host on the CPU).
 * An allocation beyond the limit fails with GSOLVE_NO_MEMORY, and the limit replaces the free
 * memory of the device wherever the library asks for it. 0, the default, means no limit.
 *
 * On a GPU the context has a stream and a memory pool of its own. It works in the primary context
 * of the GPU, like the CUDA runtime. After a call the calling thread has the same current device
 * as before. An error that is pending in the CUDA runtime (cudaPeekAtLastError) before a call is
 * not taken for an error of the library, and an error is pending after the call too. The code of
 * this error can change to cudaErrorInvalidValue if the program and the library are linked to the
 * same copy of the CUDA runtime. The shared library has a copy of its own.
 *
 * If the environment variable GSOLVE_TRACE names a file, calls in the context write set-up phases
 * and operations to it as a Chrome trace, and the call fails with GSOLVE_BAD_FILE if the file
 * cannot be written.
 *
 * The kernels of the CPU are compiled for several levels of the processor: on x86-64 "baseline",
 * "v3" (AVX2) and "v4" (AVX-512), elsewhere "baseline" alone. A context uses the highest level that
 * the processor supports, or the one that the environment variable GSOLVE_CPU_LEVEL names; the call
 * fails with GSOLVE_BAD_ARGUMENT if the processor or the build does not have that. Results have the
 * same bits on every level.
 *
 * Fails with GSOLVE_NO_DEVICE if the build has no CUDA or the machine does not have this GPU, with
 * GSOLVE_NO_MEMORY if the memory of the GPU is full, and with GSOLVE_DEVICE_FAILED for other errors
 * of the GPU. gsolve_error(NULL) then returns the cause. */
GSOLVE_API gsolve_status gsolve_context_create(gsolve_context **ctx, const char *spec);

/* Where a context allocates memory. A function that is NULL is replaced by the allocator of the
 * library. The functions for one kind of memory are both NULL or neither. `user` is passed on to
 * them. They run during calls in the context, in the thread that calls, and in
 * gsolve_context_destroy. They must not call functions of the library in this context. */
typedef struct gsolve_context_options {
    size_t size; /* set by GSOLVE_INIT */
    void *user;
    /* Returns at least `bytes` bytes of the host's memory, aligned like those of malloc, or NULL.
     * The function beside it frees them and gets the same number of bytes. */
    void *(*allocate_host)(size_t bytes, void *user);
    void (*release_host)(void *block, size_t bytes, void *user);
    /* The same for the memory of a GPU, with an address that is a multiple of 256. `stream` is the
     * cudaStream_t of the context: the library uses the block on this stream only, and after a
     * release only work that the stream got before can still use it. */
    void *(*allocate_device)(size_t bytes, void *stream, void *user);
    void (*release_device)(void *block, size_t bytes, void *stream, void *user);
} gsolve_context_options;

/* Does what gsolve_context_create does, with the allocators of *options, which is copied. NULL:
 * those of the library.
 *
 * Some memory does not come from these functions and does not count for the option memory: the
 * context itself, page-locked buffers of the host (at most 33 MB for each GPU context), 0.5 MB of
 * work space of a GPU context, what cuSPARSE allocates for itself, and the factors that the method
 * "direct" and the coarsest level of "amg" compute on the host, which CXSparse or another library
 * allocates by malloc. On the CPU "direct" refuses factors that exceed what the option memory
 * leaves.
 *
 * Fails with GSOLVE_BAD_ARGUMENT also if options->size is not that of the struct, or if a function
 * is given without the function beside it. */
GSOLVE_API gsolve_status gsolve_context_create_with(gsolve_context **ctx, const char *spec,
                                                    const gsolve_context_options *options);

/* Destroys all objects in the context, frees all memory allocated in it, and closes the device. A
 * stream of the caller is not destroyed. */
GSOLVE_API void gsolve_context_destroy(gsolve_context **ctx);

/* Moves the context to another device, for a program that chooses the device after it has read the
 * matrix. `spec` and the errors are those of gsolve_context_create. Registered plug-ins and arrays
 * on the host stay valid, also arrays that gsolve_alloc made in a context on the CPU with
 * GSOLVE_DEVICE; these are GSOLVE_HOST afterwards. On a GPU the context begins with a stream of its
 * own.
 *
 * Fails with GSOLVE_BAD_ARGUMENT if the context contains a gsolve_matrix, gsolve_precond,
 * gsolve_product, gsolve_galerkin or gsolve_assembly, or an array in the memory of a GPU. After a
 * failure the context is unchanged. */
GSOLVE_API gsolve_status gsolve_context_use_device(gsolve_context *ctx, const char *spec);

/* Makes the context work on a CUDA stream of the caller, instead of the non-blocking stream that
 * the context has created. `stream` is a cudaStream_t of the context's device. NULL is CUDA's
 * default stream, which cannot be captured; solvers then launch their kernels one by one instead of
 * as a CUDA graph.
 *
 * The call waits for all work on the stream that the context used before. All objects in the
 * context stay valid. The caller keeps ownership of the stream, which must live until the context
 * is destroyed or gets another stream. While a call in the context runs, no other thread may submit
 * work to the stream: this work could be captured into a graph of the solver.
 *
 * Fails with GSOLVE_UNSUPPORTED on the CPU, and with GSOLVE_BAD_ARGUMENT if the stream belongs to
 * another device or is being captured. */
GSOLVE_API gsolve_status gsolve_context_use_stream(gsolve_context *ctx, void *stream);

/* A function of the caller that receives one line of text without a line feed. `line` is valid
 * during the call only. `user` is the pointer that the caller passed together with the function. */
typedef void gsolve_log(const char *line, void *user);

/* From now on calls in the context call log(line, user) for each decision that a user may ask
 * about: choices of "auto" and fall-backs, conversions of a matrix to another format, rebuilt
 * levels of "amg", and set-ups of preconditioners with their times. A run of an automatic solver
 * gives two lines for each choice that it tries: the reason for the choice, and its outcome or
 * error. `log` must not call functions of the library in this context. NULL: no lines. */
GSOLVE_API void gsolve_context_set_log(gsolve_context *ctx, gsolve_log *log, void *user);

/* A function of the caller that follows the stages of a call: "read", "convert", "set-up of the
 * preconditioner", "coarse matrix", and so on, the names of the ranges in a trace (GSOLVE_TRACE).
 * `stage` begins, a constant string that stays valid; NULL: the stage that began last and has not
 * ended ends. Stages nest. `level` is the level of "amg" that the stage belongs to, 0 for the
 * finest, or -1. */
typedef void gsolve_stage_monitor(const char *stage, int level, void *user);

/* From now on calls in the context call monitor(stage, level, user). `monitor` must not call
 * functions of the library in this context other than gsolve_context_interrupt. NULL: no calls. */
GSOLVE_API void gsolve_context_set_stage_monitor(gsolve_context *ctx, gsolve_stage_monitor *monitor,
                                                 void *user);

/* --- interruption ---------------------------------------------------------------
 *
 * Calls that can take long stop when the caller asks for it:
 *
 *     a run of a solver (gsolve_solver_run, gsolve_auto_run, gsolve_solve) ends after the iteration
 *     that it is in, with the best x so far, its true residual, and the outcome GSOLVE_STOPPED or
 *     GSOLVE_TIME_LIMIT
 *     reading a matrix or a vector, creating or updating a preconditioner, and each step of the
 *     factorisation of "direct" fail with GSOLVE_INTERRUPTED, in a run of a solver too
 *
 * An object whose update fails with GSOLVE_INTERRUPTED is as after GSOLVE_NO_MEMORY. Calls look for
 * a request at least between the levels of "amg", between blocks of rows that "ilu", "ic" and
 * "isai" compute, and between parts of a file. They do not look inside one step of an iteration,
 * inside an ordering or a factorisation of "direct", or while they wait for a GPU. Other calls,
 * such as gsolve_write_dense, ignore a request. */

/* With `on` true, asks the present and all later calls in the context to stop. With `on` false,
 * takes the request back. Safe in a signal handler and in any thread. */
GSOLVE_API void gsolve_context_interrupt(gsolve_context *ctx, bool on);

/* A function of the caller that returns true to stop the call; this then counts as
 * gsolve_context_interrupt(ctx, true). It runs in the thread that made the call, at most once in 10
 * ms, and must not call functions of the library in this context other than
 * gsolve_context_interrupt. */
typedef bool gsolve_interrupt_test(void *user);

/* From now on calls in the context call test(user). NULL: no calls. */
GSOLVE_API void gsolve_context_set_interrupt_test(gsolve_context *ctx, gsolve_interrupt_test *test,
                                                  void *user);

/* Makes the calls in the context stop once `seconds` have passed since this call. INFINITY: there
 * is no limit, as in a new context. The number of iterations that a run makes, and so the bits of
 * x, then depend on time. Fails with GSOLVE_BAD_ARGUMENT if `seconds` is negative or NaN. */
GSOLVE_API gsolve_status gsolve_context_set_time_limit(gsolve_context *ctx, double seconds);

/* --- errors and information ----------------------------------------------------- */

/* Returns one sentence about the last failure in the context, or "" if no call has failed. A call
 * that succeeds does not clear the sentence. The text is valid until the next call in this context.
 * gsolve_error(NULL) describes the last gsolve_context_create of the calling thread: why it failed,
 * or "". This text is valid until the thread calls gsolve_context_create again. */
GSOLVE_API const char *gsolve_error(const gsolve_context *ctx);

/* The device of a context and its memory. The counts include what the library allocates for itself
 * and blocks of gsolve_alloc. */
typedef struct gsolve_context_info {
    size_t size;           /* set by GSOLVE_INIT */
    const char *device;    /* "cpu" or "cuda"; a constant string */
    char description[256]; /* such as "AMD EPYC, 2 threads" */
    int threads;           /* CPU threads that calls use; on a GPU: those for work on the host */
    size_t bytes;          /* bytes allocated now, on the host and on the device together */
    size_t peak;           /* largest value of bytes so far */
    int64_t blocks;        /* number of allocations that are not freed yet */
    int64_t allocations;   /* number of allocations since the context was created */
    const char *cpu_level; /* level of the kernels on the CPU, see gsolve_context_create; a constant
                            * string */
    int rank, ranks;    /* number of this rank, from 0, and of all ranks; 0 and 1 without ranks */
    char transport[16]; /* how ranks communicate, such as "mpi"; "" without ranks */
} gsolve_context_info;

/* Sets all members of *info. */
GSOLVE_API void gsolve_context_describe(const gsolve_context *ctx, gsolve_context_info *info);

/* Sets *available to the free and *total to the total memory of the device in bytes. Memory that
 * the library has freed and keeps for reuse counts as free. With the option memory neither number
 * exceeds what this limit leaves. Fails with GSOLVE_UNSUPPORTED on the CPU. */
GSOLVE_API gsolve_status gsolve_context_memory(gsolve_context *ctx, size_t *available,
                                               size_t *total);

/* Frees the memory that the library keeps for reuse, on the host and on the device. On a GPU the
 * call waits for the work of the context. Call it to give memory to other contexts and programs
 * that share the device. */
GSOLVE_API gsolve_status gsolve_context_trim(gsolve_context *ctx);

/* Measures the copy bandwidth of the device, a CPU or a GPU: the bytes read plus the bytes written
 * per second when a large array is copied within the device's memory. The result is the best of
 * several copies. Compare it with bytes / seconds of a gsolve_profile_class.
 * The call uses 512 MiB of temporary memory, or less if these are not free. It fails with
 * GSOLVE_NO_MEMORY if not even 2 MiB are free. */
GSOLVE_API gsolve_status gsolve_context_copy_speed(gsolve_context *ctx, double *bytes_per_second);

/* For tests of allocation failures: the next `count` allocations in the context succeed, if there
 * is memory for them, and all later ones fail. A negative `count` removes the limit. */
GSOLVE_API void gsolve_context_limit_allocations(gsolve_context *ctx, int64_t count);

#ifdef __cplusplus
}
#endif
#endif
