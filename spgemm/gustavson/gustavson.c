/* gustavson.c: the method gustavson, see gustavson_host.c. */
#include "spgemm/spgemm.h"

const gs_multiplier gs_gustavson_multiplier = {
    .plugin = {"gustavson", "C = A B row by row on the CPU, by Gustavson's method", NULL, 0},
    .most = 1,
    .host = GS_LEVEL_LIST(gs_gustavson_host),
};
