/* profile.h: where the time of a solve's iterations goes, compared with a memory copy. */
#ifndef GS_CLI_PROFILE_H
#define GS_CLI_PROFILE_H

#include <cjson/cJSON.h>

#include "cli/cli.h"

/* What the bandwidth is that others are compared with. */
#define CLI_BANDWIDTH                                                                      \
    "%.1f GB/s, copying a large array in the memory of this device (bytes read and bytes " \
    "written)"

enum { CLI_MOST_CLASSES = 64 };

/* The time of a class on the ranks with the least and with the most of it. */
typedef struct cli_spread {
    double least, most;
    int least_rank, most_rank;
} cli_spread;

typedef struct cli_profile_line {
    gsolve_profile_class of;
    cli_spread spread; /* over several ranks */
} cli_profile_line;

/* Over several ranks: times are means over the ranks, bytes and the speed of a copy are those of
 * all ranks together. */
typedef struct cli_profile {
    bool made;
    gsolve_profile run;                      /* of the solve itself */
    gsolve_profile timed;                    /* of the second solve, with each operation timed */
    cli_profile_line line[CLI_MOST_CLASSES]; /* of the second solve */
    int lines;
    int ranks;         /* 0: one */
    cli_spread all;    /* of all lines together */
    bool same_bits;    /* the two solutions are the same */
    double copy_speed; /* bytes per second */
    size_t peak;       /* of memory, before the second solve */
    double seconds;    /* of the second solve and the copy */
} cli_profile;

/* Solves again with S, from the first guess, which becomes the solution; x: the solution of the
 * first solve. The lines have the order of the library. */
gsolve_status cli_profile_make(cli *c, cli_profile *p, gsolve_solver *S, gsolve_dense b,
                               gsolve_dense guess, gsolve_dense x);

/* Puts the lines with the longest time first. */
void cli_profile_sort(cli_profile *p);

void cli_profile_say(const cli *c, const cli_profile *p);
void cli_profile_json(cJSON *object, const cli_profile *p);

#endif
