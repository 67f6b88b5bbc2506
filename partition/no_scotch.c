/* no_scotch.c: replaces scotch.c in a build without Scotch. */
#include "partition/partition.h"

const gs_partitioner gs_scotch_partitioner = {
    .name = "scotch",
    .lacks = "the partition scotch needs Scotch 7, and this build of gsolve has none: install "
             "Scotch (Debian package libscotch-dev) and configure gsolve with -DGSOLVE_SCOTCH=ON, "
             "or use the partition metis or blocks"};
