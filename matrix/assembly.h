/* assembly.h: the plan of an assembly: for each entry of a matrix the triplets that are added to
 * it.
 *
 *     entry       |    0    | 1 |  2  |       a_e = v[place[first[e]]] + ...
 *     first       | 0         3   4     6          + v[place[first[e + 1] - 1]]
 *     place       | 1   4   7 | 0 | 2 5 |     v: the values of the triplets
 *
 * The triplets of an entry ascend, so the sum has one order. With both halves of a symmetric matrix
 * the number of a triplet stands in two segments. */
#ifndef GS_MATRIX_ASSEMBLY_H
#define GS_MATRIX_ASSEMBLY_H

#include "matrix/csr.h"

struct gsolve_assembly {
    gsolve_context *ctx;
    int64_t number;            /* 1, 2, ... in the order of creation in ctx */
    int64_t triplets, skipped; /* numbers of triplets */
    int64_t entries;           /* of csr */
    gsolve_csr csr;            /* the matrix where ctx's kernels read it */
    uint32_t *first, *place;   /* see above, where ctx's kernels read them */
    unsigned long long *bad;   /* on a GPU: what sum finds */
    void *staged;              /* the values of the host, on the device; made when first needed */
    size_t bytes;
    double seconds;
};

typedef struct gs_assembly_kernels {
    /* Sets all members of plan from entries on that its comment says are where kernels read them,
     * and plan->skipped. The arrays of t are there, too. *bad = the first triplet that is not
     * accepted, or -1; then the plan is not made. */
    gsolve_status (*make)(gsolve_assembly *plan, gsolve_type type, const gsolve_triplets *t,
                          int64_t *bad);
    /* to[e] = the sum of entry e, or to[e] += the sum if `add` is set; value and `to` are where
     * kernels read them. Unless bad is NULL, *bad = the first e with a result that is not finite,
     * or -1; this waits for the device. */
    gsolve_status (*sum)(const gsolve_assembly *plan, const void *value, void *to, bool add,
                         int64_t *bad);
} gs_assembly_kernels;

extern const gs_assembly_kernels gs_assembly_host[GSOLVE_TYPE_COUNT];
extern const gs_assembly_kernels gs_assembly_cuda[GSOLVE_TYPE_COUNT];

/* gs_assembly_kernels.sum for values at any location. Fails if the location cannot be read. */
gsolve_status gs_assembly_sum(gsolve_assembly *plan, const void *value, gsolve_location location,
                              void *to, bool add, int64_t *bad);

/* Fails with GSOLVE_BAD_ARGUMENT if value or location cannot be the values of plan. */
gsolve_status gs_assembly_check_values(const gsolve_assembly *plan, const void *value,
                                       gsolve_location location);

#endif
