/* no_bzip2.c: replaces bzip2.c in a build without libbz2. */
#include "io/unpack.h"

const gs_unpacker gs_bzip2 = {"bzip2",        "BZh", 3,    "bzip2 -dk", "libbz2-dev",
                              "GSOLVE_BZIP2", NULL,  NULL, NULL};
