/* no_zstd.c: replaces zstd.c in a build without libzstd. */
#include "io/unpack.h"

const gs_unpacker gs_zstd = {
    "zstd", "\x28\xb5\x2f\xfd", 4, "zstd -dk", "libzstd-dev", "GSOLVE_ZSTD", NULL, NULL, NULL};
