/* threads.c: refuses more threads than processors. */
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/system.h"

/* The processors that this process may use: those of a job or a container may be fewer than those
 * of the machine. */
static int usable_processors(void)
{
    cpu_set_t set;

    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0) return CPU_COUNT(&set);
    return (int)sysconf(_SC_NPROCESSORS_ONLN); /* more than 1024 processors */
}

int cli_check_threads(cli *c, const char *device)
{
    const char *key = strstr(device, ",threads=");
    const long asked = c->args.threads >= 0 ? c->args.threads : key ? strtol(key + 9, NULL, 10) : 0;
    const int usable = usable_processors();

    if (c->args.force || asked <= usable) return 0;
    return cli_fail(c,
                    "%ld threads are asked for, and gsolve may use %d processor%s here; give a "
                    "smaller number, or add --force",
                    asked, usable, usable == 1 ? "" : "s");
}
