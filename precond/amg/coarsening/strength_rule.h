/* strength_rule.h: which connections are strong, decided alike on every device: no sums, hence
 * nothing that is rounded otherwise where products and sums are fused. SMALL: what a function of
 * this device is declared with. */
#ifndef GS_PRECOND_AMG_COARSENING_STRENGTH_RULE_H
#define GS_PRECOND_AMG_COARSENING_STRENGTH_RULE_H

#include <stdbool.h>

typedef struct gs_node_norms { /* of a node: the norms of its blocks */
    double diagonal, largest;  /* largest: of those beside the diagonal */
} gs_node_norms;

/* Vanek's rule; but many equal neighbours share what the diagonal balances, as the 26 of the
 * trilinear elements' Laplacian, and are strong by what the largest of both nodes is. A node
 * without diagonal has no strong neighbours and is none. */
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
