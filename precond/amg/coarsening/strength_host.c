/* strength_host.c: strong connections on the CPU. */
#include <math.h>

#include "core/try.h"
#include "precond/amg/coarsening/aggregation.h"

#define SMALL static inline
#include "precond/amg/coarsening/strength_rule.h"

/* The rows of a node walked through together, column node by column node. */
typedef struct walk {
    int32_t block;
    int64_t next[GS_MAX_UNKNOWNS], end[GS_MAX_UNKNOWNS];
} walk;

static walk begin_walk(const gsolve_csr *A, int32_t block, int32_t I)
{
    const int32_t first = I * block;
    walk w;

    w.block = block;
    for (int32_t r = 0; r < block; r++) {
        w.next[r] = gs_start(A, first + r);
        w.end[r] = gs_start(A, first + r + 1);
    }
    return w;
}

/* The least node that a row has still an entry in; INT32_MAX: none. */
static int32_t nearest(const gsolve_csr *A, const walk *w)
{
    int32_t J = INT32_MAX;

    for (int32_t r = 0; r < w->block; r++) {
        const int32_t node = w->next[r] < w->end[r] ? A->col[w->next[r]] / w->block : INT32_MAX;
        if (node < J) J = node;
    }
    return J;
}

/* Past the entries in node J, the nearest; unless strong is NULL, each is marked so. */
static void pass(const gsolve_csr *A, walk *w, int32_t J, uint8_t *strong, uint8_t mark)
{
    for (int32_t r = 0; r < w->block; r++) {
        for (; w->next[r] < w->end[r] && A->col[w->next[r]] / w->block == J; w->next[r]++) {
            if (strong) strong[w->next[r]] = mark;
        }
    }
}

#define GS_BODY "precond/amg/coarsening/strength_body.h"
#include "core/each_type.h"

const gs_strength_kernels gs_strength_host[GSOLVE_TYPE_COUNT] = {{connect_f32}, {connect_f64}};
