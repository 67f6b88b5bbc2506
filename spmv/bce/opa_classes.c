/* opa_classes.c: the input of the optimal partition: the constants of its cost model, and the
 * classes, merged if they are too many. */
#include <string.h>

#include "spmv/bce/opa.h"

gs_bce_model gs_bce_model_of(gs_bce_measure measure, int64_t all, int64_t windows, int64_t entry,
                             bool gpu)
{
    const gs_bce_model model = {
        .measure = measure,
        .lanes = gpu ? 32 : 8, /* a warp; a vector */
        .most_lanes = gpu ? 32 : 1,
        .least = 128, /* the paper takes the cores of a multiprocessor: 192 then, 128 on Hopper */
        .entry = entry,
        /* 6300 warps share 4300 GB/s, so a warp could move 0.7 bytes per ns while it waits about 2
         * us for the head of a slice, for its first columns and for their x. On a CPU 5 ns. */
        .slice = gpu ? 1400 : 64,
        /* x is read in sectors of 32 bytes. A row that shares its sector with no neighbour reads 24
         * more bytes of x from the L2 cache, which holds x and y of a window: 8 for each of three
         * neighbours in another block. On a CPU cache lines are wider, and x is in a nearer cache.
         */
        .neighbour = gpu ? 8 : 1,
        .order = measure == GS_BCE_BYTES ? sizeof(int32_t) : 0,
        .all = all,
        .windows = windows,
        .busy = 65536, /* 2000 warps with 1.5 kB in flight each keep the memory busy */
        .deep = 96, /* 6000 warps share the memory for 60 us over 96 entries; a single warp takes a
                       third of that */
    };
    return model;
}

/* Counts the groups of classes whose widths differ by a factor of at most 1 + slack, formed from
 * the longest down. If into is not NULL, stores them ascending at the end of its `classes`
 * elements; into may be class. */
static int group(int classes, const gs_bce_class *class, double slack, gs_bce_class *into)
{
    int groups = 0;

    for (int c = classes; c > 0;) {
        gs_bce_class all = {class[c - 1].width, 0};
        while (c > 0 && class[c - 1].width * (1 + slack) >= all.width) all.rows += class[--c].rows;
        groups++;
        if (into) into[classes - groups] = all;
    }
    return groups;
}

int gs_bce_merge(int classes, gs_bce_class *class, int most, double *slack)
{
    int groups;

    *slack = 0;
    if (classes <= most) return classes;
    for (*slack = 1.0 / 256; group(classes, class, *slack, NULL) > most; *slack *= 1.5) continue;
    groups = group(classes, class, *slack, class);
    memmove(class, class + classes - groups, (size_t)groups * sizeof *class);
    return groups;
}
