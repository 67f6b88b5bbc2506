/* strength_rule.h: which connections are strong, the same on every device: the rule has no sums, so
 * that fused operations cannot change a decision. SMALL: the storage class of this function in the
 * including file. */
#ifndef GS_PRECOND_AMG_COARSENING_STRENGTH_RULE_H
#define GS_PRECOND_AMG_COARSENING_STRENGTH_RULE_H

#include <stdbool.h>

typedef struct gs_node_norms { /* Frobenius norms of the blocks of a node */
    double diagonal, largest;  /* largest: over the blocks beside the diagonal */
} gs_node_norms;

/* Vanek's rule, or this one: the connection is strong compared with the largest connections of both
 * nodes. It is for rows with many equal neighbours, such as the 26 of trilinear elements, which are
 * all small beside the diagonal. A node without a diagonal has no strong connections. */
#define GS_LARGEST_FACTOR 4

SMALL bool gs_is_strong(double square, double strength, gs_node_norms I, gs_node_norms J)
{
    const double largest = I.largest > J.largest ? I.largest : J.largest;
    const double part = GS_LARGEST_FACTOR * strength * largest;

    if (!(I.diagonal > 0 && J.diagonal > 0)) return false;
    return square > strength * strength * I.diagonal * J.diagonal ||
           (square > part * part && square > 0);
}

#endif
