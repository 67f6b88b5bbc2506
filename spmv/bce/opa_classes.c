/* opa_classes.c: what the optimal partition is made from: the figures of its model, and the
 * classes, merged where they are many. */
#include <string.h>

#include "spmv/bce/opa.h"

gs_bce_model gs_bce_model_of(gs_bce_measure measure, int64_t all, int64_t windows, int64_t entry,
                             bool gpu)
{
    const gs_bce_model model = {
        .measure = measure,
        .lanes = gpu ? 32 : 8, /* a warp; a vector */
        .least = 128, /* the paper takes the cores of a multiprocessor: 192 then, 128 on Hopper */
        .entry = entry,
        /* On 4300 GB/s shared by 6300 warps, a warp could move 0.7 bytes a ns while it waits some
         * 2 us for a slice's position, for its first columns and for their x. On a CPU 5 ns. */
        .slice = gpu ? 1400 : 64,
        /* A row alone in its sector of 32 bytes takes 24 bytes of x beside its own from the second
         * cache, which holds the x and y of a window: 8 for each neighbour that lies in another
         * block. On a CPU x comes in wider lines, and is found nearer. */
        .toll = gpu ? 8 : 1,
        .order = measure == GS_BCE_BYTES ? sizeof(int32_t) : 0,
        .all = all,
        .windows = windows,
        .busy = gpu ? 65536 : 0, /* 2000 warps, each with 1.5 kB under way, keep the memory busy */
        .deep = gpu ? 96 : INT32_MAX, /* 6000 warps share the memory for 60 us over so many; one
                                         that is left alone takes a third of that */
    };
    return model;
}

/* The groups of classes within a factor of 1 + slack of the longest, made from the longest down;
 * into, if not NULL, takes them, ascending, at the end of classes elements, and may be class. */
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
