/* no_xz.c: replaces xz.c in a build without liblzma. */
#include "io/unpack.h"

const gs_unpacker gs_xz = {"xz",
                           "\xfd"
                           "7zXZ",
                           5,
                           "xz -dk",
                           "liblzma-dev",
                           "GSOLVE_XZ",
                           NULL,
                           NULL,
                           NULL};
