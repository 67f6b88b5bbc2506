/* extension.h: the C code of the Python extension: a monitor that records the
 * residuals, one that diagnoses failed attempts, a test that lets Python handle signals, and the
 * loading of libgsolve_mpi. */
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

#include "gsolve.h"
#include "gsolve_io.h"
#include "gsolve_plugin.h"

/* What the monitor of a solver keeps. */
typedef struct pygsolve_watch {
    double *history;      /* the residuals of the last run, one for each iteration from 0 on */
    int length, capacity; /* of history */
} pygsolve_watch;

/* Returns 0, or 1 to stop the call: a signal handler has raised an exception. Defined in Python. */
static int pygsolve_handle_signals(void);

static double pygsolve_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A gsolve_interrupt_test. Python handles signals every 50 ms; user: when it was asked last, in
 * seconds, a double. */
static bool pygsolve_interrupt(void *user)
{
    double *asked = user;
    const double now = pygsolve_now();

    if (now - *asked < 0.05) return false;
    *asked = now;
    return pygsolve_handle_signals() != 0;
}

/* A gsolve_monitor; user is a pygsolve_watch. */
static bool pygsolve_monitor(int iteration, double residual, void *user)
{
    pygsolve_watch *watch = user;

    if (iteration >= watch->capacity) {
        const int capacity = 2 * iteration + 64;
        double *longer = realloc(watch->history, (size_t)capacity * sizeof *longer);
        if (!longer) return true;
        watch->history = longer;
        watch->capacity = capacity;
    }
    watch->history[iteration] = residual;
    watch->length = iteration + 1;
    return true;
}

/* A gsolve_attempt_monitor; user is the gsolve_auto. Only at the end of an attempt the library can
 * find out why it failed, and it keeps the cause. */
static bool pygsolve_attempt(const gsolve_attempt *attempt, void *user)
{
    gsolve_diagnosis diagnosis = GSOLVE_INIT(gsolve_diagnosis);

    if (attempt->stage == GSOLVE_ATTEMPT_ENDED && attempt->result &&
        !gsolve_outcome_is_success(attempt->result->outcome)) {
        gsolve_auto_diagnose(user, &diagnosis);
    }
    return true;
}

static void pygsolve_free_watch(pygsolve_watch *watch)
{
    free(watch->history);
    free(watch);
}

static pygsolve_watch *pygsolve_new_watch(void)
{
    return calloc(1, sizeof(pygsolve_watch));
}

/* The handle of a library, or NULL. The dynamic linker searches it where it finds those of this
 * module. */
static void *pygsolve_load(const char *name)
{
    return dlopen(name, RTLD_NOW | RTLD_LOCAL);
}

static const char *pygsolve_load_error(void)
{
    return dlerror();
}

/* The function that the library, or one that it needs, defines. */
static void *pygsolve_symbol(void *library, const char *name)
{
    return dlsym(library, name);
}

/* Whether the library uses the libgsolve of this module. */
static bool pygsolve_is_own(void *library)
{
    return dlsym(library, "gsolve_version") == (void *)gsolve_version;
}
