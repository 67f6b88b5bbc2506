/* choose_support.h: what the tests of the automatic choice share. */
#ifndef TESTS_CHOOSE_SUPPORT_H
#define TESTS_CHOOSE_SUPPORT_H

#include "tests/common.h"

/* Calls gsolve_auto_choose as for a context on the device. No function of the device is called. */
static inline bool choose_on(const gs_device *device, const gsolve_context *ctx,
                             const gsolve_statistics *statistics, int attempt,
                             gsolve_choice *choice)
{
    gsolve_context there = *ctx;

    there.device = device;
    return gsolve_auto_choose(&there, statistics, attempt, choice);
}

static inline gsolve_choice first_of(const gs_device *device, gsolve_context *ctx,
                                     const gsolve_csr *csr)
{
    gsolve_statistics statistics = GSOLVE_INIT(gsolve_statistics);
    gsolve_choice choice = GSOLVE_INIT(gsolve_choice);

    OK(ctx, gsolve_csr_statistics(ctx, csr, &statistics));
    assert_true(choose_on(device, ctx, &statistics, 0, &choice));
    return choice;
}

static inline const char *device_words(const gs_device *device)
{
    return device == &gs_device_cuda ? "on a GPU" : "on a CPU";
}

/* Prints the first choice if it is not cg with the preconditioner; returns the number of errors. */
static inline int count_wrong(const gs_device *device, gsolve_context *ctx, const gsolve_csr *csr,
                              const char *name, const char *precond)
{
    const gsolve_choice choice = first_of(device, ctx, csr);

    if (strcmp(choice.method, "cg") == 0 && strcmp(choice.precond, precond) == 0) return 0;
    print_error("%s %s: auto takes %s + %s instead of cg + %s: %s\n", name, device_words(device),
                choice.method, choice.precond, precond, choice.why);
    return 1;
}

#endif
