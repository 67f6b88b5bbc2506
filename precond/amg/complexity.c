/* complexity.c: the number of levels of a hierarchy and their sizes, compared with the finest one.
 */
#include "precond/amg/distributed/rank_level.h"
#include "precond/amg/hierarchy.h"

double gs_level_total_rows(const gs_level *l)
{
    return l->ranks ? (double)l->ranks->rows.rows.total : l->rows.nrows;
}

int64_t gs_hierarchy_finest_entries(const gs_hierarchy *h)
{
    return h->finer.levels > 0 ? h->finer.finest : h->level[0].entries;
}

double gs_hierarchy_operator_complexity(const gs_hierarchy *h)
{
    const gs_hierarchy *coarse = h->coarse ? h->coarse->h : NULL;
    double entries = (double)h->finer.sum;

    for (int k = 0; k < h->levels; k++) entries += (double)h->level[k].entries;
    for (int k = 1; coarse && k < coarse->levels; k++) entries += (double)coarse->level[k].entries;
    return gs_hierarchy_finest_entries(h) > 0 ? entries / (double)gs_hierarchy_finest_entries(h)
                                              : 1;
}

double gs_hierarchy_grid_complexity(const gs_hierarchy *h)
{
    const gs_hierarchy *coarse = h->coarse ? h->coarse->h : NULL;
    double rows = 0;

    for (int k = 0; k < h->levels; k++) rows += gs_level_total_rows(&h->level[k]);
    for (int k = 1; coarse && k < coarse->levels; k++)
        rows += gs_level_total_rows(&coarse->level[k]);
    return gs_level_total_rows(h->level) > 0 ? rows / gs_level_total_rows(h->level) : 1;
}

int gs_hierarchy_levels(const gs_hierarchy *h)
{
    return h->coarse ? h->levels - 1 + h->coarse->h->levels : h->levels;
}

const gs_level *gs_hierarchy_level(const gs_hierarchy *h, int k)
{
    if (!h || k >= gs_hierarchy_levels(h)) return NULL;
    return h->coarse && k + 1 >= h->levels ? &h->coarse->h->level[k + 1 - h->levels] : &h->level[k];
}
