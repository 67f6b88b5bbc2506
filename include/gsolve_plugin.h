/* gsolve_plugin.h: how to write a format or a preconditioner of your own, and register it. The
 * built-in ones use the same structs and functions. docs/howto/write_a_format.md is a tutorial.
 *
 * A plug-in is one constant struct of functions. Each function gets the state that build returned
 * (self) and the context. Functions that compute may write to work space in self. A member marked
 * "optional" may be NULL. The functions run on the thread
 * that called the library, and must not keep global state. Arrays "on the device" are where
 * kernels of the context's device read them: in the GPU's memory, or on the host for the CPU.
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
    GSOLVE_FLAG,  /* a bool, written 0, 1, no, yes, false or true */
    GSOLVE_CHOICE /* one word of a list; the member is an int, the word's number from 0 */
} gsolve_option_kind;

/* One option that a spec can set. The library parses specs and prints help from this table. */
typedef struct gsolve_option {
    const char *key, *help;
    gsolve_option_kind kind;
    size_t offset;       /* offsetof the option's member in the options struct */
    double initial;      /* default value */
    double least, most;  /* smallest and largest value allowed, for GSOLVE_INT and GSOLVE_REAL */
    const char *choices; /* words such as "auto|lu|qr" for GSOLVE_CHOICE, else NULL */
} gsolve_option;

/* What all plug-ins have in common; the first member of each plug-in's struct. */
typedef struct gsolve_plugin {
    const char *name;            /* such as "bce" */
    const char *summary;         /* one line for gsolve list */
    const gsolve_option *option; /* array that ends with a NULL key; NULL: no options */
    size_t option_size;          /* sizeof the options struct */
} gsolve_plugin;

/* --- how a format takes part in "auto" ------------------------------------------ */

/* Statistics of a matrix from all row lengths and a sample of its rows. The sample consists of
 * groups of 32 consecutive rows. */
typedef struct gsolve_pattern_sample {
    const char *device; /* "cpu" or "cuda" */
    int32_t nrows, ncols;
    int64_t entries;
    gsolve_type type;
    gsolve_offset offset;
    int32_t longest_row; /* entries of the longest row */
    int32_t empty_rows;  /* number of rows without entries */
    int64_t filled8;     /* entries if each 8 consecutive rows were padded to their longest row */
    int64_t filled32;    /* entries if each 32 consecutive rows were padded to their longest row */
    double narrow;       /* share of the sample's groups whose columns fit in 16-bit indices as the
                            format sell stores them */
    double far;          /* share of the sample's entries that are more than 4096 columns from the
                            entry at the same position of the row before */
    double irregular;    /* share of all entries that are in irregular rows: rows of more than 128
                            entries that read x with little reuse of cache lines */
    double block[7];     /* block[b], b = 2 to 6: share of the aligned b x b blocks with an entry
                            that are full */
} gsolve_pattern_sample;

/* What a format would cost for a matrix. The unit of time is one product of the format csr with the
 * same matrix. */
typedef struct gsolve_format_estimate {
    char spec[64];  /* the format with its options */
    double product; /* time of a product */
    double build;   /* time of the conversion */
    double bytes;   /* memory of the converted matrix in bytes */
} gsolve_format_estimate;

/* --- format --------------------------------------------------------------------- */

typedef struct gsolve_format {
    gsolve_plugin plugin;
    /* Converts csr, which has this number of entries, and stores the state in *self. csr is on the
     * device, checked, with ascending
     * columns and without duplicates. It stays valid and in place until destroy, so self may
     * contain pointers to its arrays. On failure build frees what it allocated and leaves *self
     * unchanged. */
    gsolve_status (*build)(void **self, gsolve_context *ctx, const gsolve_csr *csr, int64_t entries,
                           const void *options);
    /* Frees self. */
    void (*destroy)(void *self, gsolve_context *ctx);
    /* y = alpha A x + beta y for one column. x and y are on the device, have csr's type and
     * matching lengths. If beta is 0, y must not be read. */
    gsolve_status (*apply)(void *self, gsolve_context *ctx, double alpha, gsolve_dense x,
                           double beta, gsolve_dense y);
    /* optional: y = alpha A x + beta y for several columns; x and y have the same layout. NULL:
     * apply is called for each column. */
    gsolve_status (*apply_block)(void *self, gsolve_context *ctx, double alpha, gsolve_dense x,
                                 double beta, gsolve_dense y);
    /* Whether apply_block accepts row-major x and y. If not, the library converts their layout. */
    bool row_major;
    /* optional: y = alpha A' x + beta y for one column. NULL: the library builds A' in the same
     * format when it is first needed. */
    gsolve_status (*apply_transpose)(void *self, gsolve_context *ctx, double alpha, gsolve_dense x,
                                     double beta, gsolve_dense y);
    /* optional: y = A x, *wy = w'y, and *yy = y'y unless yy is NULL, in one pass over one column.
     * wy and yy are on the device. w may be x. */
    gsolve_status (*apply_dot)(void *self, gsolve_context *ctx, gsolve_dense x, gsolve_dense y,
                               gsolve_dense w, double *wy, double *yy);
    /* optional: the csr that was given to build has new values. NULL: the library calls build and
     * destroy. */
    gsolve_status (*update)(void *self, gsolve_context *ctx, const gsolve_csr *csr);
    /* optional: returns the bytes that build would allocate, computed from the row lengths */
    size_t (*memory)(const gsolve_csr *csr, const void *options);
    /* optional: sets info->form, stored, bytes, convert_seconds, changes and note. The caller has
     * filled *info with the values of csr. */
    void (*describe)(const void *self, gsolve_matrix_info *info);
    /* optional: "auto" considers the format only if this member is set. Fills *estimate and returns
     * true if a product is expected to be faster than that of csr, else returns false. */
    bool (*estimate)(const gsolve_pattern_sample *sample, gsolve_format_estimate *estimate);
    /* optional: may change the stored form between two products, see gsolve_matrix_adapt. apply may
     * compute other bits afterwards. */
    gsolve_status (*adapt)(void *self, gsolve_context *ctx, const gsolve_run_estimate *estimate,
                           gsolve_adaptation *adaptation);
} gsolve_format;

/* --- preconditioner ------------------------------------------------------------- */

typedef struct gsolve_precond_kind {
    gsolve_plugin plugin;
    /* Sets up the preconditioner and stores the state in *self. csr is square, on the host,
     * checked, with ascending columns and without duplicates. It is valid during the call only.
     * Arrays that apply reads must be on the device. On failure build frees what it allocated and
     * leaves *self unchanged. */
    gsolve_status (*build)(void **self, gsolve_context *ctx, const gsolve_csr *csr,
                           const void *options);
    /* Frees self. */
    void (*destroy)(void *self, gsolve_context *ctx);
    /* z = M^-1 r for one or several columns of csr's type. r and z are on the device, column-major,
     * and do not overlap. */
    gsolve_status (*apply)(void *self, gsolve_context *ctx, gsolve_dense r, gsolve_dense z);
    /* optional: z = M^-T r, for the method bicg. NULL: bicg refuses the preconditioner. */
    gsolve_status (*apply_transpose)(void *self, gsolve_context *ctx, gsolve_dense r,
                                     gsolve_dense z);
    /* optional: z = M^-1 r and *rz = r'z in one pass over one column. rz is on the device. */
    gsolve_status (*apply_dot)(void *self, gsolve_context *ctx, gsolve_dense r, gsolve_dense z,
                               double *rz);
    /* optional: returns what gsolve_precond_diagonal returns */
    const void *(*diagonal)(const void *self);
    /* optional: sets up M for new values in the same pattern. NULL: the library calls build and
     * destroy. */
    gsolve_status (*update)(void *self, gsolve_context *ctx, const gsolve_csr *csr);
    /* optional: sets info->note, and info->moved if one application moves other bytes than those of
     * self, r and z */
    void (*describe)(const void *self, gsolve_precond_info *info);
    /* optional: returns what gsolve_precond_is_variable returns; NULL: false */
    bool (*is_variable)(const void *self);
} gsolve_precond_kind;

/* --- registration --------------------------------------------------------------- */

/* Adds a format to the context. The struct must live as long as the context. Fails with
 * GSOLVE_BAD_ARGUMENT if a required member is missing, or if the name is taken or contains other
 * characters than a-z, 0-9 and '_'. */
gsolve_status gsolve_register_format(gsolve_context *ctx, const gsolve_format *format);

/* Adds a preconditioner to the context, with the rules of gsolve_register_format. */
gsolve_status gsolve_register_precond(gsolve_context *ctx, const gsolve_precond_kind *kind);

/* Returns format number index of the context, or NULL if there are fewer. The built-in formats come
 * first. */
const gsolve_plugin *gsolve_format_at(const gsolve_context *ctx, int index);

/* Returns preconditioner number index of the context, or NULL if there are fewer. The built-in ones
 * come first. */
const gsolve_plugin *gsolve_precond_at(const gsolve_context *ctx, int index);

/* Returns method number index, or NULL if there are fewer. All contexts have the same methods. */
const gsolve_plugin *gsolve_method_at(int index);

/* Returns product method number index of gsolve_csr_multiply, or NULL if there are fewer. */
const gsolve_plugin *gsolve_multiplier_at(int index);

/* Returns device number index, such as "cpu", or NULL if there are fewer. */
const gsolve_plugin *gsolve_device_at(int index);

/* --- services for plug-ins ------------------------------------------------------ */

/* Allocates count elements of size bytes on the host or on the device, uninitialised and aligned to
 * 64 bytes. Returns NULL and records the error if memory is short. Never returns NULL for count =
 * 0 otherwise. gsolve_context_destroy frees all blocks that are left. */
void *gsolve_alloc(gsolve_context *ctx, gsolve_location location, size_t count, size_t size);

/* Frees a block that gsolve_alloc returned. Accepts NULL. */
void gsolve_free(gsolve_context *ctx, gsolve_location location, const void *block);

/* Copies bytes from one array to another. A copy to or from the host is complete on return. A copy
 * within the device follows the earlier work on the context's stream. */
gsolve_status gsolve_copy(gsolve_context *ctx, void *to, gsolve_location to_location,
                          const void *from, gsolve_location from_location, size_t bytes);

/* Returns the number of threads for OpenMP kernels: num_threads(gsolve_threads(ctx)). */
int gsolve_threads(const gsolve_context *ctx);

/* Returns the cudaStream_t on which kernels must run, or NULL on the CPU. */
void *gsolve_stream(const gsolve_context *ctx);

/* Records a sentence for gsolve_error, formatted as by printf, and returns status. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
gsolve_status
gsolve_fail(gsolve_context *ctx, gsolve_status status, const char *format, ...);

#ifdef __cplusplus
}
#endif
#endif
