/* csr.h: functions on compressed sparse rows (CSR). The rows are on the host unless a comment says
 * otherwise. */
#ifndef GS_MATRIX_CSR_H
#define GS_MATRIX_CSR_H

#include "core/dense.h"

/* Returns offset row of csr, which is on the host, as 64 bits. */
static inline int64_t gs_start(const gsolve_csr *csr, int32_t row)
{
    return csr->offset == GSOLVE_O64 ? ((const int64_t *)csr->start)[row]
                                     : (int64_t)((const int32_t *)csr->start)[row];
}

static inline size_t gs_offset_size(gsolve_offset offset)
{
    return offset == GSOLVE_O64 ? sizeof(int64_t) : sizeof(int32_t);
}

/* Entry k's value as a double. */
static inline double gs_value(const gsolve_csr *csr, int64_t k)
{
    return csr->type == GSOLVE_F32 ? (double)((const float *)csr->value)[k]
                                   : ((const double *)csr->value)[k];
}

/* to[k] = value, in this type. */
static inline void gs_put_value(void *to, gsolve_type type, int64_t k, double value)
{
    if (type == GSOLVE_F32) {
        ((float *)to)[k] = (float)value;
    } else {
        ((double *)to)[k] = value;
    }
}

/* *offset = start[row] of csr; *entries = the number of its entries. csr is at any location; on the
 * device this waits for the device. */
gsolve_status gs_csr_offset(gsolve_context *ctx, const gsolve_csr *csr, int32_t row,
                            int64_t *offset);
gsolve_status gs_csr_entries(gsolve_context *ctx, const gsolve_csr *csr, int64_t *entries);

/* *row = the row of an entry of csr, at any location. */
gsolve_status gs_csr_row_of(gsolve_context *ctx, const gsolve_csr *csr, int64_t entry,
                            int32_t *row);

/* The row of an entry of csr, which is on the host: the last that begins at or before it and is not
 * empty. */
int32_t gs_row_of_entry(const gsolve_csr *csr, int64_t entry);

/* Bytes of csr's three arrays, for this number of entries. */
static inline double gs_csr_bytes(const gsolve_csr *csr, int64_t entries)
{
    return ((double)csr->nrows + 1) * (double)gs_offset_size(csr->offset) +
           (double)entries * (double)(sizeof *csr->col + gs_type_size(csr->type));
}

/* convert.c: B = an owned copy of A, both on the host, with values of that type and offsets in 32
 * bits where they fit. Values that the type cannot hold become 0 or infinite; gsolve_csr_convert
 * refuses such matrices. */
gsolve_status gs_csr_copy(gsolve_csr *B, gsolve_context *ctx, gsolve_type type,
                          const gsolve_csr *A);

/* B = an owned copy of A in the memory of a location. */
gsolve_status gs_csr_move(gsolve_csr *B, gsolve_context *ctx, gsolve_location location,
                          const gsolve_csr *A);
/* As gs_csr_move, of an A with `numbers` values for each entry. */
gsolve_status gs_csr_move_blocks(gsolve_csr *B, gsolve_context *ctx, gsolve_location location,
                                 const gsolve_csr *A, int64_t numbers);

/* If *csr is on the device: *fetched = an owned copy on the host, and *csr points to it. */
gsolve_status gs_csr_to_host(const gsolve_csr **csr, gsolve_context *ctx, gsolve_csr *fetched);

/* Whether the columns ascend strictly in every row, at any location of csr; false if the check
 * itself fails. */
bool gs_rows_ascend(gsolve_context *ctx, const gsolve_csr *csr);

/* Allocates the three arrays of an owned csr of that shape, uninitialised. Offsets have 32 bits if
 * the number of entries fits. */
gsolve_status gs_csr_new(gsolve_csr *csr, gsolve_context *ctx, int32_t nrows, int32_t ncols,
                         int64_t entries, gsolve_type type);
/* As gs_csr_new, in the memory of a location. */
gsolve_status gs_csr_new_at(gsolve_csr *csr, gsolve_context *ctx, gsolve_location location,
                            int32_t nrows, int32_t ncols, int64_t entries, gsolve_type type);

/* Allocates the three arrays of csr, with `numbers` values for each entry; its other members are
 * set. On failure *csr is all zero. */
gsolve_status gs_csr_new_arrays(gsolve_csr *csr, gsolve_context *ctx, int64_t entries,
                                int64_t numbers);

/* Owned rows: a view of them, and their three arrays for writing. */
typedef struct gs_csr_arrays {
    gsolve_csr csr;
    void *start;
    int32_t *col;
    void *value;
} gs_csr_arrays;

/* Returns csr and its arrays for writing. The arrays must be blocks of ctx, on the host or on the
 * device; an array that is not becomes NULL. */
gs_csr_arrays gs_csr_arrays_of(const gsolve_context *ctx, const gsolve_csr *csr);

static inline void gs_set_start(const gs_csr_arrays *to, int64_t row, int64_t offset)
{
    if (to->csr.offset == GSOLVE_O64) {
        ((int64_t *)to->start)[row] = offset;
    } else {
        ((int32_t *)to->start)[row] = (int32_t)offset;
    }
}

/* Fails if gsolve_matrix_create must refuse csr, at any location. *clean: the columns of every row
 * ascend strictly and the offsets have the narrowest type that holds them, so that csr can be used
 * without a copy. It may be NULL. */
gsolve_status gs_csr_check(gsolve_context *ctx, const gsolve_csr *csr, bool *clean);

/* Fails if a matrix of nrows x ncols blocks of height x width has 2^31 or more rows or columns. */
gsolve_status gs_check_size_in_blocks(gsolve_context *ctx, int32_t nrows, int32_t ncols,
                                      int32_t height, int32_t width);

/* The largest b of at most 8 for which the pattern of a clean csr on the host consists of dense
 * aligned b x b blocks. */
int32_t gs_csr_block_size(gsolve_context *ctx, const gsolve_csr *csr);

/* For functions that work on the host only. GSOLVE_UNSUPPORTED: csr is on the device. */
gsolve_status gs_csr_need_host(gsolve_context *ctx, const gsolve_csr *csr);
/* gs_csr_need_host and gs_csr_check. */
gsolve_status gs_csr_check_host(gsolve_context *ctx, const gsolve_csr *csr);

/* B = an owned, clean copy of A at the location of A. gs_csr_check has accepted A; ascending: it
 * has found that the rows ascend, as they must on the device. If destination is not NULL and A's
 * rows do not ascend, (*destination)[k] = the entry of B to which entry k of A is added (release it
 * with gsolve_free); else *destination = NULL.
 */
gsolve_status gs_csr_clean(gsolve_csr *B, gsolve_context *ctx, const gsolve_csr *A, bool ascending,
                           int64_t **destination);

/* B = an owned copy of A, both on the device, with offsets in 32 bits if they fit. */
gsolve_status gs_csr_narrow(gsolve_csr *B, gsolve_context *ctx, const gsolve_csr *A);

/* sort.c: compressed rows from triplets (i[k], j[k], v[k]) with indices from 0 that are in range. v
 * NULL: all values are 1. The columns of each row ascend; duplicates are added in the order of k.
 */
gsolve_status gs_csr_from_triplets(gsolve_csr *csr, gsolve_context *ctx, int32_t nrows,
                                   int32_t ncols, int64_t entries, const int32_t *i,
                                   const int32_t *j, const double *v);

/* A' at the location of A, and new values for it. */
typedef struct gs_transpose_kernels {
    /* T = A', owned, with ascending columns. A has that many entries. (*order)[k] = the number in A
     * of entry k of T, in 32 bits if it fits; release it with gsolve_free. All arrays are where
     * ctx's kernels read them. */
    gsolve_status (*make)(gsolve_csr *T, void **order, gsolve_context *ctx, const gsolve_csr *A,
                          int64_t entries);
    /* Copies new values of A, whose pattern is unchanged, to T. */
    gsolve_status (*refill)(const gsolve_csr *T, const void *order, gsolve_context *ctx,
                            const gsolve_csr *A);
} gs_transpose_kernels;

extern const gs_transpose_kernels gs_transpose_host[GSOLVE_TYPE_COUNT];
extern const gs_transpose_kernels gs_transpose_cuda[GSOLVE_TYPE_COUNT];

static inline gsolve_status gs_transpose_make(gsolve_csr *T, void **order, gsolve_context *ctx,
                                              const gsolve_csr *A, int64_t entries)
{
    return GS_SCALAR_KERNELS(gs_transpose, ctx, A->type)->make(T, order, ctx, A, entries);
}

static inline gsolve_status gs_transpose_refill(const gsolve_csr *T, const void *order,
                                                gsolve_context *ctx, const gsolve_csr *A)
{
    return GS_SCALAR_KERNELS(gs_transpose, ctx, A->type)->refill(T, order, ctx, A);
}

/* gsolve_csr_transpose of an A on the host that has been checked. */
gsolve_status gs_csr_transpose(gsolve_csr *C, gsolve_context *ctx, const gsolve_csr *A);

/* The index of the first of value[0..n) that is lost in single precision: it becomes
 * infinite, or it is not 0 and becomes 0. -1: none. */
int64_t gs_first_lost(const gsolve_context *ctx, int64_t n, const double *value);

/* What a lost value becomes: "0" or "infinite". */
const char *gs_single_words(double value);

/* A 64-bit hash of n bytes; the same for any number of threads. Not cryptographic. */
uint64_t gs_hash(const gsolve_context *ctx, const void *data, size_t bytes, uint64_t seed);

/* gs_hash in parts, for several ranks: part[k] is the hash of piece k, which has GS_HASH_PIECE
 * bytes, the last one fewer; and the hash of all `bytes` bytes from these parts. */
#define GS_HASH_PIECE ((size_t)1 << 20)
uint64_t gs_hash_part(const void *piece, size_t bytes, uint64_t seed);
uint64_t gs_hash_of_parts(const uint64_t *part, size_t bytes, uint64_t seed);

/* Hash of the pattern of a csr on the host: sizes, offsets and columns. */
uint64_t gs_csr_pattern_hash(const gsolve_context *ctx, const gsolve_csr *csr);

#endif
