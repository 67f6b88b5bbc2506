/* fuzz_interface.c: random sequences of calls of the C interface, with random matrices and specs,
 * denied allocations and bad arguments. A sequence is a function of its seed.
 *
 *   fuzz_interface [--seconds S | --count N] [--seed K] [--device NAME] [--without NAME]...
 *                  [--keep-going] [--verbose]
 *
 * --seed K --count 1 repeats the sequence that a failure names. --without skips a plug-in or a word
 * of an option by its name, a call by its name in the lists of calls, or: denials, scales (values
 * beyond 1e-8 to 1e8), mixed (b and x of other types than A), aliased (b and x in one array), best
 * (the check that x is no worse than the first guess), threads (more than one), repeat.
 * --keep-going reports each failure in a line. $GSOLVE_TEST_DEVICE, or --device, is cpu, cuda, or
 * apart: see tests/apart.h.
 *
 * What is checked: no crash, hang or leak; a failure has a sentence and leaves outputs untouched;
 * "converged" and the residual that is reported agree with |b - A x| in long double of the caller's
 * arrays; products agree with a plain loop; a sequence that is repeated, also with another number
 * of threads, yields the same bits. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "matrix/csr.h"
#include "tests/apart.h"
#include "tests/fuzz/interface.h"

enum { CONTEXTS = 4, MOST_CALLS = 40, SECONDS_A_SEQUENCE = 60 };

/* Of the sanitizers, if they are in the build: what is called when they find something. */
#if defined(__GNUC__)
void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));
void __ubsan_on_report(void);
#endif

/* --- crashes and hangs
 * ---------------------------------------------------------------------------- */

static void say(const char *text)
{
    if (write(STDERR_FILENO, text, strlen(text)) < 0) _exit(1);
}

static void at_death(void)
{
    say("FAILED: the program died in this sequence:\n");
    print_trace(STDERR_FILENO);
}

#if defined(__GNUC__)
void __ubsan_on_report(void)
{
    at_death();
}
#endif

static void at_signal(int number)
{
    say(number == SIGALRM ? "FAILED: this sequence takes too long:\n"
                          : "FAILED: a signal in this sequence:\n");
    print_trace(STDERR_FILENO);
    _exit(1);
}

static void watch_for_crashes(void)
{
    static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

    signal(SIGALRM, at_signal);
#if defined(__GNUC__)
    if (__sanitizer_set_death_callback) {
        __sanitizer_set_death_callback(at_death);
        return;
    }
#endif
    for (size_t k = 0; k < sizeof crashes / sizeof *crashes; k++) signal(crashes[k], at_signal);
}

/* --- a sequence
 * ----------------------------------------------------------------------------------- */

static const api_call *const lists[] = {matrix_calls, precond_calls, solver_calls, product_calls,
                                        other_calls};
enum { LISTS = sizeof lists / sizeof *lists };

static void run_one_call(fuzz *f)
{
    int64_t sum = 0, wanted;

    for (int l = 0; l < LISTS; l++) {
        for (const api_call *c = lists[l]; c->name; c++) sum += c->weight;
    }
    wanted = below(f, sum);
    for (int l = 0; l < LISTS; l++) {
        for (const api_call *c = lists[l]; c->name; c++) {
            if (wanted >= 0 && wanted < c->weight && !skips(f, c->name)) c->run(f);
            wanted -= c->weight;
        }
    }
}

/* Solvers first or last: either is allowed. */
static void drop_all(fuzz *f)
{
    const bool solvers_first = chance(f, 50);

    for (int k = 0; k < HANDLES && solvers_first; k++) drop_solver(f, k);
    for (int k = 0; k < HANDLES; k++) {
        drop_matrix(f, k);
        drop_precond(f, k);
        drop_product(f, k);
    }
    for (int k = 0; k < HANDLES; k++) drop_solver(f, k);
    for (int k = 0; k < INPUTS; k++) drop_input(&f->given[k]);
}

/* The caller's own arrays; what the library holds goes with the context. */
static void abandon_all(fuzz *f)
{
    for (int k = 0; k < INPUTS; k++) drop_input(&f->given[k]);
    for (int k = 0; k < HANDLES; k++) {
        if (f->matrix[k].A) drop_input(&f->matrix[k].given);
        if (f->precond[k].M) drop_input(&f->precond[k].given);
        drop_input(&f->product[k].left);
        drop_input(&f->product[k].middle);
        drop_input(&f->product[k].right);
    }
}

static void begin_sequence(fuzz *f, uint64_t seed)
{
    f->seed = f->state = seed;
    f->hash = 1469598103934665603u;
    f->denies = chance(f, 25) && !skips(f, "denials");
    f->untimed = true;
    begin_without_faults();
    begin_trace(f);
    for (int k = 0; k < INPUTS; k++) draw_input(f, &f->given[k]);
    draw_matrix(f);
}

/* In ctx, which is as before afterwards; abandoned: or destroyed with all that is in it. */
static void run_sequence(fuzz *f, gsolve_context *ctx, uint64_t seed, bool abandoned)
{
    const settings *set = f->set;
    const bool has_gpu = f->has_gpu;
    gsolve_context_info before = GSOLVE_INIT(gsolve_context_info),
                        after = GSOLVE_INIT(gsolve_context_info);

    memset(f, 0, sizeof *f);
    f->set = set;
    f->has_gpu = has_gpu;
    f->ctx = ctx;
    gsolve_context_describe(ctx, &before);
    alarm(SECONDS_A_SEQUENCE);
    begin_sequence(f, seed);
    for (int64_t calls = 5 + below(f, MOST_CALLS); calls > 0 && !f->failed; calls--) {
        run_one_call(f);
    }
    if (abandoned) {
        abandon_all(f);
    } else {
        drop_all(f);
        gsolve_context_describe(ctx, &after);
        if (after.bytes != before.bytes || after.blocks != before.blocks) {
            complain(f, "%lld bytes in %lld blocks are left when all handles are destroyed",
                     (long long)(after.bytes - before.bytes),
                     (long long)(after.blocks - before.blocks));
        }
    }
    alarm(0);
}

/* --- contexts
 * --------------------------------------------------------------------------------------- */

/* NULL: there is no such device. Plug-ins of the test's own are registered. */
static gsolve_context *open_context(fuzz *f, int threads)
{
    char keys[32] = "";

    f->ctx = NULL;
    if (strcmp(f->set->device, "cuda") != 0) snprintf(keys, sizeof keys, ",threads=%d", threads);
    if (open_test_device(&f->ctx, "cpu", keys) != GSOLVE_OK) return NULL;
    f->has_gpu = gs_location(f->ctx) == GSOLVE_DEVICE;
    register_plugins(f);
    return f->ctx;
}

/* Mostly the first, of one thread, which is the fastest. */
static int context_of(const fuzz *f, uint64_t seed)
{
    const uint64_t k = (seed * 0x9e3779b97f4a7c15u >> 40) % 20;

    return f->has_gpu || k < 13 || skips(f, "threads") ? 0 : k < 17 ? 1 : k < 19 ? 2 : 3;
}

static void run_abandoned(fuzz *f, uint64_t seed)
{
    gsolve_context *ctx = open_context(f, 1);

    if (!ctx) return;
    run_sequence(f, ctx, seed, true);
    gsolve_context_destroy(&ctx);
}

/* Once, and some of them once more with as many or other threads. */
static void run_seed(fuzz *f, gsolve_context **contexts, uint64_t seed)
{
    const int first = context_of(f, seed);
    const int last = f->has_gpu || skips(f, "threads") ? 0
                     : seed % 30 == 0                  ? (first + 1) % CONTEXTS
                                                       : first;
    const bool repeats = seed % 5 == 0 && !skips(f, "repeat");
    uint64_t hash;

    if (seed % 16 == 7 && !f->has_gpu) {
        run_abandoned(f, seed);
        return;
    }
    run_sequence(f, contexts[first], seed, false);
    if (!repeats || f->failed || f->denies || !f->untimed) return;
    hash = f->hash;
    run_sequence(f, contexts[last], seed, false);
    if (hash != f->hash) {
        complain(f, "the sequence yields other bits when it is repeated (contexts %d and %d)",
                 first, last);
    }
}

/* --- the program
 * ------------------------------------------------------------------------------------- */

static void usage(void)
{
    fprintf(stderr, "usage: fuzz_interface [--seconds S | --count N] [--seed K] [--device NAME]\n"
                    "                      [--without NAME]... [--keep-going] [--verbose]\n");
    exit(2);
}

static void read_arguments(settings *set, int count, char **argument)
{
    for (int k = 1; k < count; k++) {
        const char *key = argument[k], *value = k + 1 < count ? argument[k + 1] : NULL;
        k++;
        if (strcmp(key, "--keep-going") == 0) {
            set->keep_going = true;
            k--;
        } else if (strcmp(key, "--verbose") == 0) {
            set->verbose = true;
            k--;
        } else if (!value) {
            usage();
        } else if (strcmp(key, "--seconds") == 0) {
            set->seconds = atof(value);
        } else if (strcmp(key, "--count") == 0) {
            set->count = atol(value);
        } else if (strcmp(key, "--seed") == 0) {
            set->seed = strtoull(value, NULL, 10);
        } else if (strcmp(key, "--device") == 0) {
            set->device = value;
        } else if (strcmp(key, "--without") == 0 && set->skips < MOST_SKIPPED) {
            set->skipped[set->skips++] = value;
        } else {
            usage();
        }
    }
}

/* Starts the program again with OpenMP's threads asleep between two regions: on a machine with
 * fewer free processors than threads they take ten times as long awake. */
static void let_threads_sleep(char **argument)
{
    if (getenv("OMP_WAIT_POLICY")) return;
    setenv("OMP_WAIT_POLICY", "passive", 1);
    execv("/proc/self/exe", argument);
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int count, char **argument)
{
    const char *device = getenv("GSOLVE_TEST_DEVICE");
    settings set = {.seed = 1, .device = device ? device : "cpu"};
    static fuzz f;
    gsolve_context *contexts[CONTEXTS] = {NULL};
    const double begin = now();
    long done = 0, failed = 0;

    let_threads_sleep(argument); /* and go on if that fails */
    read_arguments(&set, count, argument);
    setenv("GSOLVE_TEST_DEVICE", set.device, 1);
    if (set.count == 0 && !(set.seconds > 0)) set.count = 1000;
    f.set = &set;
    watch_for_crashes();
    for (int k = 0; k < (strcmp(set.device, "cpu") == 0 ? CONTEXTS : 1); k++) {
        contexts[k] = open_context(&f, k + 1);
        if (contexts[k]) continue;
        printf("skipped: %s\n", gsolve_error(NULL));
        return 77;
    }
    while ((set.count == 0 || done < set.count) &&
           (!(set.seconds > 0) || now() - begin < set.seconds)) {
        run_seed(&f, contexts, set.seed + (uint64_t)done++);
        failed += f.failed;
        if (f.failed && !set.keep_going) break;
    }
    for (int k = 0; k < CONTEXTS; k++) gsolve_context_destroy(&contexts[k]);
    printf("%ld sequences, %ld failed, in %.0f s\n", done, failed, now() - begin);
    return failed > 0;
}
