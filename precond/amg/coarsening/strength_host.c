/* strength_host.c: strong connections on the CPU. */
#include <math.h>

#include "core/try.h"
#include "precond/amg/coarsening/aggregation.h"

#define SMALL static inline
#include "precond/amg/coarsening/aggregate_rules.h"
#include "precond/amg/coarsening/classical/classical_rules.h"
#include "precond/amg/coarsening/pairwise_rules.h"
#include "precond/diagonal.h"

/* Positions in the rows of a node, which are read together, one column node after the other. */
typedef struct node_rows {
    int32_t block;
    int64_t next[GS_MAX_UNKNOWNS], end[GS_MAX_UNKNOWNS];
} node_rows;

static node_rows begin_node(const gsolve_csr *A, int32_t block, int32_t I)
{
    const int32_t first = I * block;
    node_rows w;

    w.block = block;
    for (int32_t r = 0; r < block; r++) {
        w.next[r] = gs_start(A, first + r);
        w.end[r] = gs_start(A, first + r + 1);
    }
    return w;
}

/* The smallest column node in which a row still has an entry; INT32_MAX: none. */
static int32_t next_node(const gsolve_csr *A, const node_rows *w)
{
    int32_t least = INT32_MAX; /* no column has this number */

    for (int32_t r = 0; r < w->block; r++) {
        const int32_t j = w->next[r] < w->end[r] ? A->col[w->next[r]] : INT32_MAX;
        if (j < least) least = j;
    }
    return least < INT32_MAX ? least / w->block : INT32_MAX;
}

/* The number of the last column of node J. */
static inline int32_t last_column(const node_rows *w, int32_t J)
{
    return (J + 1) * w->block - 1;
}

/* Advances past the entries in column node J; sets their flags in strong unless it is NULL. */
static void skip_node(const gsolve_csr *A, node_rows *w, int32_t J, uint8_t *strong, uint8_t mark)
{
    const int32_t last = last_column(w, J);

    for (int32_t r = 0; r < w->block; r++) {
        for (; w->next[r] < w->end[r] && A->col[w->next[r]] <= last; w->next[r]++) {
            if (strong) strong[w->next[r]] = mark;
        }
    }
}

#define GS_BODY "precond/amg/coarsening/strength_body.h"
#include "core/each_type.h"

const gs_strength_kernels GS_LEVEL(gs_strength_host)[GSOLVE_TYPE_COUNT] = {
    {connect_f32, depend_f32, diagonal_f32, weigh_f32, measure_f32, link_f32},
    {connect_f64, depend_f64, diagonal_f64, weigh_f64, measure_f64, link_f64}};
