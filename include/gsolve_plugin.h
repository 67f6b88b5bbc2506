/* gsolve_plugin.h: what a format or a preconditioner is made of. The built-in ones are made of
 * the same structs and registered the same way. */
#ifndef GSOLVE_PLUGIN_H
#define GSOLVE_PLUGIN_H

#include "gsolve.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- options a spec may set; the table also prints the help ------------------ */

typedef enum gsolve_option_kind {
    GSOLVE_INT,   /* an int */
    GSOLVE_REAL,  /* a double */
    GSOLVE_FLAG,  /* a bool: 0, 1, no, yes, false, true */
    GSOLVE_CHOICE /* an int: which of the words in choices */
} gsolve_option_kind;

typedef struct gsolve_option {
    const char *key, *help;
    gsolve_option_kind kind;
    size_t offset; /* of that member in the plug-in's options struct */
    double initial, least, most;
    const char *choices; /* "auto|lu|qr" for a GSOLVE_CHOICE, else NULL */
} gsolve_option;

typedef struct gsolve_plugin {   /* first member of every kind of plug-in */
    const char *name;            /* "bce" */
    const char *summary;         /* one line for gsolve list */
    const gsolve_option *option; /* ends with a NULL key; NULL: no options */
    size_t option_size;          /* sizeof the options struct */
} gsolve_plugin;

/* --- what "auto" asks a format ------------------------------------------------- */

/* What a quick look at a matrix tells. A sample is of groups of 32 rows each. */
typedef struct gsolve_pattern_sample {
    const char *device; /* "cpu" or "cuda" */
    int32_t nrows, ncols;
    int64_t entries;
    gsolve_type type;
    gsolve_offset offset;
    int32_t longest_row, empty_rows;
    int64_t filled8, filled32; /* entries if every row were as long as the longest of its 8, 32 */
    double narrow;             /* share of the sample whose columns fit 16 bits, see sample.h */
    double far;       /* share of its entries more than 4096 columns from the row before's */
    double irregular; /* share of all entries in long rows that read x far and wide, see sample.h */
    double block[7];  /* [b], b = 2 to 6: share of its places with dense, aligned b x b blocks */
} gsolve_pattern_sample;

/* Times are in products of csr with the same matrix. */
typedef struct gsolve_format_estimate {
    char spec[64];         /* what to build */
    double product, build; /* that a product and the build take */
    double bytes;          /* that it would hold */
} gsolve_format_estimate;

/* --- the kinds; a member marked optional may be NULL -------------------------- */

typedef struct gsolve_format {
    gsolve_plugin plugin;
    /* csr is on ctx's device, sorted and checked, and stays valid and in place until destroy:
     * a format may keep its pointers. On failure build frees what it took, *self stays unset. */
    gsolve_status (*build)(void **self, gsolve_context *ctx, const gsolve_csr *csr,
                           const void *options);
    void (*destroy)(void *self, gsolve_context *ctx);
    /* One column; x and y are on ctx's device, of csr's type and of fitting length. */
    gsolve_status (*apply)(const void *self, gsolve_context *ctx, double alpha, gsolve_dense x,
                           double beta, gsolve_dense y);
    /* optional: several columns at once, else apply is called for each; x and y of one layout */
    gsolve_status (*apply_block)(const void *self, gsolve_context *ctx, double alpha,
                                 gsolve_dense x, double beta, gsolve_dense y);
    bool row_major; /* apply_block takes x and y by rows too; else they are transposed before */
    /* optional: y = alpha A' x + beta y, one column; else A' is built once in the same format */
    gsolve_status (*apply_transpose)(const void *self, gsolve_context *ctx, double alpha,
                                     gsolve_dense x, double beta, gsolve_dense y);
    /* optional: y = A x, *wy = w'y and, unless yy is NULL, *yy = y'y in one pass, one column; wy
     * and yy on the device; w may be x */
    gsolve_status (*apply_dot)(const void *self, gsolve_context *ctx, gsolve_dense x,
                               gsolve_dense y, gsolve_dense w, double *wy, double *yy);
    /* optional: csr, the same as in build, now holds new values; else destroy and build are called
     */
    gsolve_status (*update)(void *self, gsolve_context *ctx, const gsolve_csr *csr);
    /* optional: bytes that build would take, from row lengths alone */
    size_t (*memory)(const gsolve_csr *csr, const void *options);
    /* optional: fills stored and bytes, else those of csr */
    void (*describe)(const void *self, gsolve_matrix_info *info);
    /* optional: makes "auto" consider this format. *prospect: of a product faster than that of csr;
     * false: there is none */
    bool (*estimate)(const gsolve_pattern_sample *glance, gsolve_format_estimate *prospect);
    /* optional: the form may change, see gsolve_matrix_adapt; apply gives other bits then */
    gsolve_status (*adapt)(void *self, gsolve_context *ctx, const gsolve_run_estimate *outlook,
                           gsolve_adaptation *turn);
} gsolve_format;

typedef struct gsolve_precond_kind {
    gsolve_plugin plugin;
    /* csr is square, on the host (but see on_device), sorted and checked, and valid during the call
     * only; what apply reads must be on ctx's device. On failure build frees what it took, *self
     * stays unset. */
    gsolve_status (*build)(void **self, gsolve_context *ctx, const gsolve_csr *csr,
                           const void *options);
    void (*destroy)(void *self, gsolve_context *ctx);
    /* One or many columns, of csr's type. */
    gsolve_status (*apply)(const void *self, gsolve_context *ctx, gsolve_dense r, gsolve_dense z);
    /* optional: z = M^-T r, for bicg; else the method that needs it refuses M */
    gsolve_status (*apply_transpose)(const void *self, gsolve_context *ctx, gsolve_dense r,
                                     gsolve_dense z);
    /* optional: z = M^-1 r and *rz = r'z in one pass, one column, rz on the device */
    gsolve_status (*apply_dot)(const void *self, gsolve_context *ctx, gsolve_dense r,
                               gsolve_dense z, double *rz);
    /* optional: the reciprocals if M is a diagonal (see gsolve_precond_diagonal) */
    const void *(*diagonal)(const void *self);
    /* optional: new values, same pattern; else destroy and build are called */
    gsolve_status (*update)(void *self, gsolve_context *ctx, const gsolve_csr *csr);
    /* optional: fills note, and moved where it is not what is held, r and z */
    void (*describe)(const void *self, gsolve_precond_info *info);
    /* optional: whether apply is not a fixed linear map, so that a flexible method is needed */
    bool (*is_variable)(const void *self);
} gsolve_precond_kind;

/* The struct must outlive the context. GSOLVE_BAD_ARGUMENT: a required member is missing, the
 * name is taken, or holds other characters than a-z, 0-9 and '_'. */
gsolve_status gsolve_register_format(gsolve_context *ctx, const gsolve_format *format);
gsolve_status gsolve_register_precond(gsolve_context *ctx, const gsolve_precond_kind *kind);

/* The index-th of what ctx knows, the built-in ones first; NULL past the last. The lists of
 * methods, of ways to multiply matrices and of generators are the same in every context. */
const gsolve_plugin *gsolve_format_at(const gsolve_context *ctx, int index);
const gsolve_plugin *gsolve_precond_at(const gsolve_context *ctx, int index);
const gsolve_plugin *gsolve_method_at(int index);
const gsolve_plugin *gsolve_multiplier_at(int index); /* of gsolve_csr_multiply */
const gsolve_plugin *gsolve_device_at(int index);

/* --- what a plug-in may call --------------------------------------------------- */

/* count elements of size bytes, uninitialised, on ctx's device (or on the host), aligned to 64
 * bytes, or NULL with the error recorded; never NULL for count 0. Counted: what is left when
 * the context is destroyed is freed there. */
void *gsolve_alloc(gsolve_context *ctx, gsolve_location location, size_t count, size_t size);
void gsolve_free(gsolve_context *ctx, gsolve_location location, void *block); /* NULL: nothing */
/* bytes from one place to another; 0: nothing. To and from the host it is done on return; within
 * the device it comes in its turn, behind what was asked before. GSOLVE_DEVICE_FAILED. */
gsolve_status gsolve_copy(gsolve_context *ctx, void *to, gsolve_location to_place, const void *from,
                          gsolve_location from_place, size_t bytes);
int gsolve_threads(const gsolve_context *ctx);  /* for the CPU kernels: num_threads(...) */
void *gsolve_stream(const gsolve_context *ctx); /* a cudaStream_t, or NULL */

/* Records the sentence for gsolve_error, and returns status. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
gsolve_status
gsolve_fail(gsolve_context *ctx, gsolve_status status, const char *format, ...);

#ifdef __cplusplus
}
#endif
#endif
