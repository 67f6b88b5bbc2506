/* no_metis.c: replaces metis.c in a build without METIS. */
#include "partition/partition.h"

const gs_partitioner gs_metis_partitioner = {
    .name = "metis",
    .lacks = "the partition metis needs METIS, and this build of gsolve has none: install METIS "
             "(Debian package libmetis-dev) and configure gsolve with -DGSOLVE_METIS=ON, or use "
             "the partition blocks"};
