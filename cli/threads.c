/* threads.c: refuses more threads than processors. */
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "cli/system.h"

int cli_check_threads(cli *c, const char *device)
{
    const char *key = strstr(device, ",threads=");
    const long asked = c->args.threads >= 0 ? c->args.threads : key ? strtol(key + 9, NULL, 10) : 0;
    /* those of a job or a container may be fewer than those of the machine */
    const int usable = omp_get_num_procs();

    if (c->args.force || asked <= usable) return 0;
    return cli_fail(c,
                    "%ld threads are asked for, and gsolve may use %d processor%s here; give a "
                    "smaller number, or add --force",
                    asked, usable, usable == 1 ? "" : "s");
}
