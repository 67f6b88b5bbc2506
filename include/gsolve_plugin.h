/* gsolve_plugin.h: how to write a format or a preconditioner of your own, and register it. The
 * built-in ones use the same structs and functions. docs/howto/write_a_format.md and
 * docs/howto/write_a_preconditioner.md are tutorials.
 *
 * A format plug-in or preconditioner plug-in is one struct of functions and data. Its member `user`
 * is a pointer of the author, which `build` gets, so that a plug-in needs no global variables. The
 * function `build` creates the state of one matrix or preconditioner (self). The other functions
 * get this state. Those with a parameter `void *self` may write to it; those with `const void
 * *self` may not. A function that can fail calls gsolve_fail or passes on the status of a call that
 * failed. A member marked "optional" may be NULL; all other functions are required.
 *
 * The functions run on the thread that called the library. They may start OpenMP threads, and must
 * not keep global state. Arrays "on the device" are where kernels of the context's device read
 * them: in the GPU's memory, or on the host if the device is the CPU. On a GPU, kernels run on the
 * stream that gsolve_stream returns, and a function may return before they have ended.
 *
 * On a GPU a solver captures its steps in a CUDA graph, except the first steps of a run and the
 * first steps after the number of columns has changed. So a function that computes may allocate
 * memory of the GPU in its first call for a number of columns, and must neither allocate nor free
 * it in later calls. gsolve_copy within the GPU's memory can be captured. If a function waits for
 * the stream, as gsolve_copy to or from the host does, the capture fails, and the solver launches
 * the kernels of its steps one by one.
 */
#ifndef GSOLVE_PLUGIN_H
#define GSOLVE_PLUGIN_H

#include "gsolve.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- names and options of a plug-in --------------------------------------------- */

/* The type of an option's value and of its member in the options struct. */
typedef enum gsolve_option_kind {
    GSOLVE_INT,   /* an int */
    GSOLVE_REAL,  /* a double */
    GSOLVE_FLAG,  /* a bool, written 0, no, false, off, 1, yes, true or on */
    GSOLVE_CHOICE /* one word of a list; the member is an int, the position of the word from 0 */
} gsolve_option_kind;

/* One option that a spec can set. The options struct is a struct that the author of the plug-in
 * defines, with one member for each option. The library allocates it, sets it from this table and
 * from the spec, and passes it as `options`, valid during the call. The library also prints help
 * from this table. */
typedef struct gsolve_option {
    const char *key, *help;
    gsolve_option_kind kind;
    size_t offset;       /* offsetof the option's member in the options struct */
    double initial;      /* value if the spec does not set the option; for GSOLVE_CHOICE the
                            position of the word */
    double least, most;  /* smallest and largest value allowed, for GSOLVE_INT and GSOLVE_REAL */
    const char *choices; /* words such as "auto|lu|qr" for GSOLVE_CHOICE, else NULL */
} gsolve_option;

/* What all plug-ins have in common. */
typedef struct gsolve_plugin {
    const char *name;            /* in specs, such as "sell" */
    const char *summary;         /* one line for "gsolve list" */
    const gsolve_option *option; /* array that ends with a NULL key; NULL: no options */
    size_t option_size;          /* sizeof the options struct, or 0 */
} gsolve_plugin;

/* --- how a format takes part in "auto" ------------------------------------------ */

/* Statistics of a matrix. Those from narrow on, except irregular, are of a sample: up to about 1024
 * groups of 32 consecutive rows, of each row the first 64 entries. The others are of all rows. A
 * fraction is from 0 to 1. */
typedef struct gsolve_pattern_sample {
    const char *device; /* "cpu" or "cuda" */
    int32_t nrows, ncols;
    int64_t entries;
    gsolve_type type;
    gsolve_offset offset;
    int32_t longest_row; /* number of entries of the longest row */
    int32_t empty_rows;  /* number of rows without entries */
    int64_t filled8;     /* number of entries if the rows are cut into groups of 8 (rows 0 to 7, 8
                            to 15, ...) and each row is padded to the longest of its group */
    int64_t filled32;    /* filled8 for groups of 32 rows */
    double narrow;       /* fraction of the groups for which 16-bit indices suffice in the format
                            "sell": for each k, the k-th entries of the rows of the group span at
                            most 65534 columns */
    double far;          /* of all pairs of k-th entries of two consecutive rows of a group: the
                            fraction whose columns differ by more than 4096 */
    double irregular;    /* fraction of all entries that are in irregular rows: rows of more than
                            128 entries that share few cache lines of x with the row before */
    double block[7];     /* block[b], b = 2 to 6: fraction of the groups of b rows that consist of
                            dense b x b blocks, where rows and columns of a block begin at
                            multiples of b */
} gsolve_pattern_sample;

/* What a format would cost for a matrix. The unit of `product` and `build` is the time of one
 * product y = A x with one column in the format "csr" with the same matrix; it is not seconds. */
typedef struct gsolve_format_estimate {
    char spec[64];  /* spec of this format, with the options to use */
    double product; /* time of a product; below 1: faster than "csr" */
    double build;   /* time of the conversion from CSR */
    double bytes;   /* memory of the converted form in bytes */
} gsolve_format_estimate;

/* --- format --------------------------------------------------------------------- */

/* A storage format. In the comments, csr is A, x has ncols elements, y has nrows, and all vectors
 * are on the device, have the type of csr and do not overlap. */
typedef struct gsolve_format {
    size_t size; /* sizeof(gsolve_format), for gsolve_register_format */
    gsolve_plugin plugin;
    void *user; /* for build, memory and estimate; the library does not read what it points to */
    /* Converts csr, which has this number of entries, and sets *self to the state. `user` is the
     * member of this struct. csr is on the device and checked; its columns ascend strictly. The
     * struct and its arrays stay valid at the same addresses until destroy, so self may keep
     * pointers to them. On failure build frees what it allocated and leaves *self unchanged.
     * GSOLVE_UNSUPPORTED means that the format cannot store this matrix. */
    gsolve_status (*build)(void **self, gsolve_context *ctx, const gsolve_csr *csr, int64_t entries,
                           const void *options, void *user);
    /* Frees self. */
    void (*destroy)(void *self, gsolve_context *ctx);
    /* Computes y = alpha A x + beta y for one column, column-major. If beta is 0, y must not be
     * read. */
    gsolve_status (*apply)(void *self, gsolve_context *ctx, double alpha, gsolve_dense x,
                           double beta, gsolve_dense y);
    /* Optional: y = alpha A x + beta y for two or more columns; x and y have the same layout. NULL:
     * the library calls apply for each column. */
    gsolve_status (*apply_block)(void *self, gsolve_context *ctx, double alpha, gsolve_dense x,
                                 double beta, gsolve_dense y);
    /* Whether apply_block accepts row-major x and y. If not, the library copies row-major vectors
     * to column-major ones before the call, and the result back after it. */
    bool row_major;
    /* Optional: y = alpha A' x + beta y for one column; x has nrows elements and y has ncols. NULL:
     * the library builds A' in the same format when a caller first needs it. */
    gsolve_status (*apply_transpose)(void *self, gsolve_context *ctx, double alpha, gsolve_dense x,
                                     double beta, gsolve_dense y);
    /* Optional: y = A x for one column, and in the same pass *wy = w'y, and *yy = y'y unless yy is
     * NULL. wy and yy are on the device. w has nrows elements and may be x. NULL: the library
     * computes the sums after the product. */
    gsolve_status (*apply_dot)(void *self, gsolve_context *ctx, gsolve_dense x, gsolve_dense y,
                               gsolve_dense w, double *wy, double *yy);
    /* Optional: updates self to new values of csr. csr is the matrix that build got: the arrays are
     * the same, and the array `value` has new contents. After a failure the library calls update
     * again before the next product, or destroy. NULL: the library calls build for a new state and
     * then destroy for the old one. */
    gsolve_status (*update)(void *self, gsolve_context *ctx, const gsolve_csr *csr);
    /* Optional: returns the number of bytes that build would allocate on the device. csr->start is
     * on the host. The function must not read csr->col and csr->value. NULL: the format has no
     * estimate, and gsolve_matrix_memory fails. */
    size_t (*memory)(const gsolve_csr *csr, const void *options, void *user);
    /* Optional: changes members of *info where this format differs from CSR: form, stored, bytes,
     * convert_seconds, changes and note. The library has set all members for CSR. */
    void (*describe)(const void *self, gsolve_matrix_info *info);
    /* Optional: if a product is expected to be faster than in the format "csr", sets all members of
     * *estimate and returns true; else returns false. NULL: "auto" does not consider the format. */
    bool (*estimate)(const gsolve_pattern_sample *sample, gsolve_format_estimate *estimate,
                     void *user);
} gsolve_format;

/* --- preconditioner ------------------------------------------------------------- */

/* A kind of preconditioner. Vectors are on the device, column-major, and have the type of csr. */
typedef struct gsolve_precond_kind {
    size_t size; /* sizeof(gsolve_precond_kind), for gsolve_register_precond */
    gsolve_plugin plugin;
    void *user; /* for build; the library does not read what it points to */
    /* Sets up the preconditioner for csr and sets *self to the state. `user` is the member of this
     * struct. csr is square, on the host
     * and checked; its columns ascend strictly. It is valid during the call only, so build copies
     * what it needs later. Arrays that kernels of apply read must be on the device. On failure
     * build frees what it allocated and leaves *self unchanged. */
    gsolve_status (*build)(void **self, gsolve_context *ctx, const gsolve_csr *csr,
                           const void *options, void *user);
    /* Frees self. */
    void (*destroy)(void *self, gsolve_context *ctx);
    /* Computes z = M^-1 r for one or several columns. r and z do not overlap. */
    gsolve_status (*apply)(void *self, gsolve_context *ctx, gsolve_dense r, gsolve_dense z);
    /* Optional: z = M^-T r, for "bicg", "lsqr" and "lsmr". NULL: such a run with this
     * preconditioner fails with GSOLVE_UNSUPPORTED. */
    gsolve_status (*apply_transpose)(void *self, gsolve_context *ctx, gsolve_dense r,
                                     gsolve_dense z);
    /* Optional: z = M^-1 r for one column, and in the same pass *rz = r'z. rz is on the device.
     * NULL: the library computes the sum afterwards. */
    gsolve_status (*apply_dot)(void *self, gsolve_context *ctx, gsolve_dense r, gsolve_dense z,
                               double *rz);
    /* Optional: returns what gsolve_precond_diagonal returns. NULL: M is not diagonal. */
    const void *(*diagonal)(const void *self);
    /* Optional: sets up self for a csr with new values in the same pattern, with the rules of build
     * for csr. After GSOLVE_ZERO_PIVOT self must be unchanged. NULL: the library calls build for a
     * new state and then destroy for the old one. */
    gsolve_status (*update)(void *self, gsolve_context *ctx, const gsolve_csr *csr);
    /* Optional: sets info->note, and info->moved if one application moves other bytes than those of
     * self, r and z. The library has set all other members. */
    void (*describe)(const void *self, gsolve_precond_info *info);
    /* Optional: returns what gsolve_precond_is_variable returns. NULL: false. */
    bool (*is_variable)(const void *self);
} gsolve_precond_kind;

/* --- registration --------------------------------------------------------------- */

/* Adds a format to the context. The library copies the struct. What its members point to (name,
 * summary, option table, user) must live as long as the context. format->size is the sizeof of the
 * struct in the caller's header: if it is smaller than the library's, the members that are missing
 * count as 0.
 *
 * Fails with GSOLVE_BAD_ARGUMENT if a required function is NULL or `size` is too small to have it,
 * if the name exists already or contains other characters than a-z, 0-9 and '_', or if the context
 * has 32 registered formats already. Fails with GSOLVE_UNSUPPORTED if `size` is larger than the
 * library's and a member that the library does not know is not 0. */
GSOLVE_API gsolve_status gsolve_register_format(gsolve_context *ctx, const gsolve_format *format);

/* Adds a kind of preconditioner to the context, with the rules of gsolve_register_format. For such
 * a kind gsolve_precond_level returns false, and the functions that set the near-null space fail
 * with GSOLVE_UNSUPPORTED. */
GSOLVE_API gsolve_status gsolve_register_precond(gsolve_context *ctx,
                                                 const gsolve_precond_kind *kind);

/* Returns the format at position `index` of the context's list, from 0, or NULL if there is none.
 * The list has the built-in formats for the context's device and then the registered ones. */
GSOLVE_API const gsolve_plugin *gsolve_format_at(const gsolve_context *ctx, int index);

/* Returns the kind of preconditioner at position `index` of the context's list, from 0, or NULL if
 * there is none. The list has the built-in kinds and then the registered ones. */
GSOLVE_API const gsolve_plugin *gsolve_precond_at(const gsolve_context *ctx, int index);

/* Returns the method at position `index`, from 0, or NULL if there is none. All contexts have the
 * same methods. */
GSOLVE_API const gsolve_plugin *gsolve_method_at(int index);

/* Returns the product method of gsolve_csr_multiply at position `index`, from 0, or NULL if there
 * is none. */
GSOLVE_API const gsolve_plugin *gsolve_multiplier_at(int index);

/* Returns the device at position `index`, from 0, such as "cpu", or NULL if there is none. The list
 * has the devices that the build supports. */
GSOLVE_API const gsolve_plugin *gsolve_device_at(int index);

/* Returns the name of the library of sparse factorisations at position `index`, from 0, such as
 * "cxsparse", or NULL if there is none. The list has the libraries of the build. The option
 * `library` of the method "direct" selects one. The name is a constant string. */
GSOLVE_API const char *gsolve_factor_library_at(int index);

/* Returns the name that the author of an unknown `word` probably meant, or NULL if none is near.
 * `kind` is "method", "preconditioner", "format", "device", "generator", "product", "type",
 * "option" (a key) or "word" (of a value): it selects the synonyms, so that "pcg" gives the method
 * "cg". name_at(user, index) returns the names for the indices 0, 1, ... and NULL after the last
 * one; the names stay valid during the call. The result is one of them. Besides synonyms, the
 * nearest name by insertions, deletions, replacements and swaps of letters (optimal string
 * alignment) is found, if at most about a third of the letters differ. A NULL argument gives NULL;
 * `user` may be NULL. */
GSOLVE_API const char *gsolve_nearest_name(const char *kind, const char *word,
                                           const char *(*name_at)(const void *user, int index),
                                           const void *user);

/* Changes `spec` in place to the form in which the library stores specs: its name in lower case,
 * and no blanks around names, keys and values. NULL: does nothing. */
GSOLVE_API void gsolve_tidy_spec(char *spec);

/* --- transport between ranks ---------------------------------------------------- */

/* Messages between this rank and others: to or from rank[k] the bytes offset[k] to offset[k + 1] of
 * buffer. The ranks ascend strictly, none is the own one, and no message is empty. */
typedef struct gsolve_messages {
    int count;            /* number of messages */
    const int *rank;      /* count ranks */
    const size_t *offset; /* count + 1 positions in buffer, in bytes */
    void *buffer;
} gsolve_messages;

/* A transport moves bytes between the ranks of a distributed system; it knows no types and adds
 * nothing up. A rank is usually a process; each has a context of its own. All ranks call allgather
 * and neighbor_exchange in the same order. libgsolve_mpi has a transport over MPI.
 *
 * All arrays are on the host, also if the contexts compute on GPUs: then the library copies.
 *
 * The functions run on the thread that called the library. They return GSOLVE_OK, or
 * GSOLVE_RANK_FAILED if a rank is gone or the transport failed. After a failure the library calls
 * only close. */
typedef struct gsolve_transport {
    size_t size;      /* sizeof(gsolve_transport), for gsolve_context_set_transport */
    const char *name; /* such as "mpi"; at most 15 characters */
    /* recv = the `bytes` bytes at send of all ranks, in rank order. bytes is the same on all ranks
     * and may be 0. send and recv do not overlap. */
    gsolve_status (*allgather)(void *self, const void *send, size_t bytes, void *recv);
    /* Sends the messages of `out` and receives those of `in`. Each message has the same number of
     * bytes on both sides. Between two ranks there is at most one message in each direction. A rank
     * may have no messages. */
    gsolve_status (*neighbor_exchange)(void *self, const gsolve_messages *out,
                                       const gsolve_messages *in);
    /* Optional: gsolve_context_destroy calls it. It may wait for the other ranks. */
    void (*close)(void *self);
    /* Optional, both or none: neighbor_exchange in two parts. exchange_begin may return before the
     * messages have arrived; exchange_end waits for them. Between both, the library computes what
     * does not need them, and calls no other function of the transport. The arrays of `out` and
     * `in` stay valid until exchange_end; the structs need not. */
    gsolve_status (*exchange_begin)(void *self, const gsolve_messages *out,
                                    const gsolve_messages *in);
    gsolve_status (*exchange_end)(void *self);
} gsolve_transport;

/* Makes ctx one of `ranks` contexts that share distributed matrices, with the number `rank` from 0.
 * All ranks call it, with the same transport and number of ranks, before they create anything else
 * in ctx; `self` is passed to the transport's functions. The library copies *transport; its name
 * and what self points to must live as long as ctx. gsolve_context_destroy calls close(self),
 * unless this call failed.
 *
 * Fails with GSOLVE_BAD_ARGUMENT if an argument is NULL or out of range, or if ctx has matrices,
 * preconditioners or a transport already, and on all ranks if some compute on a CPU and some on a
 * GPU. */
GSOLVE_API gsolve_status gsolve_context_set_transport(gsolve_context *ctx,
                                                      const gsolve_transport *transport, void *self,
                                                      int rank, int ranks);

/* --- services for plug-ins ------------------------------------------------------ */

/* Allocates `count` elements of `size` bytes on the host or on the device, uninitialised and
 * aligned to 64 bytes. On the CPU, GSOLVE_DEVICE means the host. A `count` of 0 gives a valid
 * block. If memory is short, records the error and returns NULL; the caller then returns
 * GSOLVE_NO_MEMORY. gsolve_context_destroy frees all blocks that are left. */
GSOLVE_API void *gsolve_alloc(gsolve_context *ctx, gsolve_location location, size_t count,
                              size_t size);

/* Frees a block that gsolve_alloc returned for this location. A `block` that is NULL is allowed. It
 * is safe to free a block on the device while kernels that use it are still in the context's
 * stream: its memory is reused only after them. */
GSOLVE_API void gsolve_free(gsolve_context *ctx, gsolve_location location, const void *block);

/* Copies `bytes` bytes from one array to another. The arrays must be valid and must not overlap;
 * this is not checked. A copy to or from the host waits for all earlier work on the context's
 * stream and is complete on return. A copy within the GPU's memory is submitted to the stream and
 * may run after the return. */
GSOLVE_API gsolve_status gsolve_copy(gsolve_context *ctx, void *to, gsolve_location to_location,
                                     const void *from, gsolve_location from_location, size_t bytes);

/* Returns the number of threads for OpenMP on the host: num_threads(gsolve_threads(ctx)). */
GSOLVE_API int gsolve_threads(const gsolve_context *ctx);

/* Returns the cudaStream_t on which kernels must run. On the CPU it is NULL. On a GPU it can be
 * NULL, too: CUDA's default stream. So NULL does not tell a CPU from a GPU; use the member `device`
 * of gsolve_context_info, which is "cpu" or "cuda". */
GSOLVE_API void *gsolve_stream(const gsolve_context *ctx);

/* Records a sentence for gsolve_error, formatted as by printf, and returns `status`. A sentence of
 * 1024 characters or more is cut. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
GSOLVE_API gsolve_status
gsolve_fail(gsolve_context *ctx, gsolve_status status, const char *format, ...);

#ifdef __cplusplus
}
#endif
#endif
