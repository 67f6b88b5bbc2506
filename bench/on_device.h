/* on_device.h: what the benchmarks of a device share: its context, vectors on it, records. */
#ifndef ON_DEVICE_H
#define ON_DEVICE_H

#include <string.h>

#include "bench/bench.h"
#include "gsolve_io.h"
#include "gsolve_plugin.h"

static gsolve_context *ctx;
static gsolve_place place; /* where its vectors lie */
static gsolve_context_info about;

/* Ends the program unless the call succeeded. */
static inline void check(gsolve_status status)
{
    if (status == GSOLVE_OK) return;
    fprintf(stderr, "%s\n", gsolve_error(ctx));
    exit(1);
}

/* Opens the device in $GSOLVE_DEVICE, or cuda. */
static inline void open_device(void)
{
    const char *device = getenv("GSOLVE_DEVICE");

    if (gsolve_context_create(&ctx, device ? device : "cuda") != GSOLVE_OK) {
        fprintf(stderr, "%s\n", gsolve_error(NULL));
        exit(1);
    }
    gsolve_context_describe(ctx, &about);
    place = strcmp(about.device, "cpu") == 0 ? GSOLVE_HOST : GSOLVE_DEVICE;
}

/* Bytes a second, read and written, of a copy within the device: the best of ten. */
static inline double copy_bandwidth(void)
{
    const size_t bytes = (size_t)1 << 30;
    void *from = gsolve_alloc(ctx, place, bytes, 1), *to = gsolve_alloc(ctx, place, bytes, 1);
    double best = 0;

    if (!from || !to) check(GSOLVE_NO_MEMORY);
    for (int run = 0; run < 10; run++) {
        const double begin = bench_now();
        check(gsolve_copy(ctx, to, place, from, place, bytes));
        const double speed = 2 * (double)bytes / (bench_now() - begin);
        if (speed > best) best = speed;
    }
    gsolve_free(ctx, place, from);
    gsolve_free(ctx, place, to);
    return best;
}

static inline size_t bytes_of(gsolve_dense v)
{
    return (size_t)v.nrows * (size_t)v.ncols * sizeof(double);
}

static inline void put_vector(gsolve_dense v, const double *values)
{
    check(gsolve_copy(ctx, v.value, place, values, GSOLVE_HOST, bytes_of(v)));
}

static inline void get_vector(gsolve_dense v, double *values)
{
    check(gsolve_copy(ctx, values, GSOLVE_HOST, v.value, place, bytes_of(v)));
}

/* n numbers on the host: random ones, or zeros. */
static inline double *new_numbers(int64_t n, bool filled)
{
    double *values = (double *)calloc((size_t)n + 1, sizeof *values);

    if (!values) check(GSOLVE_NO_MEMORY);
    for (int64_t i = 0; filled && i < n; i++) values[i] = gsolve_random(1, (uint64_t)i);
    return values;
}

/* The same on the device, in so many columns. */
static inline gsolve_dense vector_on_device(int32_t n, int32_t columns, bool filled)
{
    const int64_t count = (int64_t)n * columns;
    gsolve_dense v = {n, columns, n, NULL, GSOLVE_F64, place};
    double *values = new_numbers(count, filled);

    v.value = gsolve_alloc(ctx, place, (size_t)count + 1, sizeof *values);
    if (!v.value) check(GSOLVE_NO_MEMORY);
    put_vector(v, values);
    free(values);
    return v;
}

/* max |x - y| / max |y| */
static inline double difference(const double *x, const double *y, int64_t n)
{
    double worst = 0, most = 0;

    for (int64_t i = 0; i < n; i++) {
        const double apart = x[i] > y[i] ? x[i] - y[i] : y[i] - x[i];
        const double size = y[i] < 0 ? -y[i] : y[i];
        if (!(apart <= worst) && worst == worst) worst = apart; /* nan stays */
        if (size > most) most = size;
    }
    return most > 0 ? worst / most : worst;
}

#endif
