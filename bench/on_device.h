/* on_device.h: what the benchmarks of a device share: its context, vectors on it, records. */
#ifndef ON_DEVICE_H
#define ON_DEVICE_H

#include <string.h>

#include "bench/bench.h"
#include "gsolve_io.h"
#include "gsolve_plugin.h"

static gsolve_context *ctx;
static gsolve_location location; /* where its vectors lie */
static gsolve_context_info about = GSOLVE_INIT(gsolve_context_info);

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
    location = strcmp(about.device, "cpu") == 0 ? GSOLVE_HOST : GSOLVE_DEVICE;
}

/* Waits until the device has finished all work: copies a byte of an array there to the host. */
static inline void wait_for_device(const void *array)
{
    char first;
    check(gsolve_copy(ctx, &first, GSOLVE_HOST, array, location, sizeof first));
}

/* Bytes a second, read and written, of a copy within the device: the best of ten. */
static inline double copy_bandwidth(void)
{
    const size_t bytes = (size_t)1 << 30;
    void *from = gsolve_alloc(ctx, location, bytes, 1), *to = gsolve_alloc(ctx, location, bytes, 1);
    double best = 0;

    if (!from || !to) check(GSOLVE_NO_MEMORY);
    for (int run = 0; run < 10; run++) {
        const double begin = bench_now();
        check(gsolve_copy(ctx, to, location, from, location, bytes));
        wait_for_device(to);
        const double speed = 2 * (double)bytes / (bench_now() - begin);
        if (speed > best) best = speed;
    }
    gsolve_free(ctx, location, from);
    gsolve_free(ctx, location, to);
    return best;
}

static inline size_t size_of(gsolve_type type)
{
    return type == GSOLVE_F32 ? sizeof(float) : sizeof(double);
}

/* n numbers on the host: random ones, or zeros. */
static inline double *new_numbers(int64_t n, bool filled)
{
    double *values = (double *)calloc((size_t)n + 1, sizeof *values);

    if (!values) check(GSOLVE_NO_MEMORY);
    for (int64_t i = 0; filled && i < n; i++) values[i] = gsolve_random(1, (uint64_t)i);
    return values;
}

/* v, without gaps between its columns, from doubles on the host, or into them. */
static inline void put_vector(gsolve_dense v, const double *values)
{
    const size_t count = (size_t)v.nrows * (size_t)v.ncols, bytes = count * size_of(v.type);
    float *narrow = (float *)malloc((count + 1) * sizeof *narrow);

    if (!narrow) check(GSOLVE_NO_MEMORY);
    for (size_t i = 0; v.type == GSOLVE_F32 && i < count; i++) narrow[i] = (float)values[i];
    check(gsolve_copy(ctx, v.value, location,
                      v.type == GSOLVE_F32 ? (const void *)narrow : (const void *)values,
                      GSOLVE_HOST, bytes));
    free(narrow);
}

static inline void get_vector(gsolve_dense v, double *values)
{
    const size_t count = (size_t)v.nrows * (size_t)v.ncols, bytes = count * size_of(v.type);
    const float *narrow = (const float *)(const void *)values;

    check(gsolve_copy(ctx, values, GSOLVE_HOST, v.value, location, bytes));
    if (v.type == GSOLVE_F64) return;
    for (size_t i = count; i-- > 0;) { /* widened in location, from the end */
        const double wide = (double)narrow[i];
        memcpy(&values[i], &wide, sizeof wide);
    }
}

/* The same numbers on the device, in so many columns. */
static inline gsolve_dense vector_on_device(gsolve_type type, int32_t n, int32_t columns,
                                            bool filled)
{
    const int64_t count = (int64_t)n * columns;
    gsolve_dense v = {n, columns, n, NULL, type, location, GSOLVE_COLUMN_MAJOR};
    double *values = new_numbers(count, filled);

    v.value = gsolve_alloc(ctx, location, (size_t)count + 1, size_of(type));
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

/* A copy on the device of csr, which lies on the host; csr itself where that is the device. */
static inline gsolve_csr rows_on_device(const gsolve_csr *csr)
{
    const size_t entries = (size_t)gsolve_csr_entries(csr), rows = (size_t)csr->nrows + 1;
    const size_t width = csr->offset == GSOLVE_O64 ? 8 : 4;
    const struct {
        const void *from;
        size_t count, size;
    } part[] = {{csr->start, rows, width},
                {csr->col, entries, sizeof *csr->col},
                {csr->value, entries, size_of(csr->type)}};
    gsolve_csr there = *csr;
    void *to[3];

    if (location == GSOLVE_HOST) return there;
    for (int k = 0; k < 3; k++) {
        to[k] = gsolve_alloc(ctx, location, part[k].count, part[k].size);
        if (!to[k]) check(GSOLVE_NO_MEMORY);
        check(gsolve_copy(ctx, to[k], location, part[k].from, GSOLVE_HOST,
                          part[k].count * part[k].size));
    }
    there.start = to[0];
    there.col = to[1];
    there.value = to[2];
    there.location = location;
    return there;
}

#endif
