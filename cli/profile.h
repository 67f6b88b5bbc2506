/* profile.h: where the time of a solve's iterations goes, against a copy within the same memory. */
#ifndef GS_CLI_PROFILE_H
#define GS_CLI_PROFILE_H

#include <cjson/cJSON.h>

#include "cli/cli.h"

/* What the bandwidth is that others are compared with. */
#define CLI_BANDWIDTH                                                                      \
    "%.1f GB/s, copying a large array in the memory of this device (bytes read and bytes " \
    "written)"

enum { CLI_MOST_CLASSES = 64 };

typedef struct cli_profile {
    bool made;
    gsolve_profile run;   /* of the solve itself */
    gsolve_profile timed; /* of the same solve once more, each operation timed */
    gsolve_profile_class line[CLI_MOST_CLASSES]; /* of that, the longest first */
    int lines;
    bool same_bits;    /* the two solutions are the same */
    double copy_speed; /* bytes a second */
    size_t peak;       /* of memory, before all this */
    double seconds;    /* that all this took */
} cli_profile;

/* Solves once more by S, from the first guess, which becomes the solution; x: that of the solve
 * itself. */
gsolve_status cli_profile_make(cli *c, cli_profile *p, gsolve_solver *S, gsolve_dense b,
                               gsolve_dense guess, gsolve_dense x);

void cli_profile_say(const cli *c, const cli_profile *p);
void cli_profile_json(cJSON *object, const cli_profile *p);

#endif
