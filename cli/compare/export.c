/* export.c: gsolve compare as JSON and as comma-separated values; docs/howto/compare_formats.md
 * describes the keys. */
#include <math.h>
#include <string.h>

#include "cli/compare/compare.h"
#include "cli/compare/rows.h"
#include "cli/json.h"

/* --- JSON ------------------------------------------------------------------------------------- */

static void add_product(cJSON *item, const cmp_matrix *a, const cmp_row *r)
{
    const double product = cmp_median(&r->product), build = cmp_median(&r->build);

    cJSON_AddStringToObject(item, "stored_as", r->info.format);
    cli_json_add(item, "build_seconds", build);
    cli_json_add(item, "build_products", build / product);
    cli_json_add(item, "product_seconds", product);
    cli_json_add(item, "product_least_seconds", cmp_least(&r->product));
    cli_json_add(item, "product_most_seconds", cmp_most(&r->product));
    cli_json_add(item, "gflops", cmp_gflops(r));
    cli_json_add(item, "bytes", cmp_bytes(r));
    cli_json_add(item, "bytes_per_second", cmp_speed(r));
    cli_json_add(item, "share_of_copy", cmp_speed(r) / a->copy_speed);
    cli_json_add(item, "stored", cmp_stored(r));
    cli_json_add(item, "padding", cmp_padding(r));
    cli_json_add(item, "product_error", r->error);
}

static void add_solve(cJSON *item, const cmp *m, const cmp_matrix *a, const cmp_row *r)
{
    const double overtakes = cmp_overtakes(m, a, r);

    cJSON_AddStringToObject(item, "outcome", cmp_outcome(a, r));
    cli_json_add(item, "iterations", r->solved ? r->result.iterations : NAN);
    cli_json_add(item, "residual", r->solved ? r->result.relative_residual : NAN);
    cli_json_add(item, "iteration_seconds", cmp_step(a, r));
    cli_json_add(item, "iteration_least_seconds", cmp_least(&r->iteration));
    cli_json_add(item, "iteration_most_seconds", cmp_most(&r->iteration));
    cli_json_add(item, "setup_seconds", cmp_median(&r->setup));
    cli_json_add(item, "solve_seconds", cmp_median(&r->solve));
    cli_json_add(item, "total_seconds", a->solves ? cmp_total(a, r) : NAN);
    cJSON_AddBoolToObject(item, "overtakes", isfinite(overtakes));
    cli_json_add(item, "overtakes_at", overtakes);
    for (int i = 0; i < CMP_COUNTS; i++) {
        char key[32];
        snprintf(key, sizeof key, "seconds_at_%d", cmp_counts[i]);
        cli_json_add(item, key, cmp_cost(a, r, cmp_counts[i]));
    }
}

static cJSON *json_row(const cmp *m, const cmp_matrix *a, const cmp_row *r)
{
    cJSON *item = cJSON_CreateObject();

    cli_json_text(item, "format", r->spec);
    if (r->problem[0]) {
        cli_json_text(item, "error", r->problem);
    } else {
        cJSON_AddNullToObject(item, "error");
    }
    if (!cmp_is_measured(r)) return item;
    add_product(item, a, r);
    add_solve(item, m, a, r);
    return item;
}

static void add_winners(cJSON *object, const cmp *m, const cmp_matrix *a)
{
    cJSON *list = cJSON_AddArrayToObject(object, "fastest");

    for (int i = 0; i < CMP_COUNTS; i++) {
        const cmp_row *r = cmp_winner(m, a, cmp_counts[i]);
        if (!r) continue;
        cJSON *item = cJSON_CreateObject();
        cJSON_AddNumberToObject(item, "iterations", cmp_counts[i]);
        cli_json_text(item, "format", r->spec);
        cli_json_add(item, "seconds", cmp_cost(a, r, cmp_counts[i]));
        cJSON_AddItemToArray(list, item);
    }
}

static cJSON *json_matrix(const cmp *m, const cmp_matrix *a)
{
    cJSON *object = cJSON_CreateObject(), *list;

    cli_json_matrix(object, &a->system);
    cli_json_text(object, "rhs", m->c->args.rhs ? m->c->args.rhs : "A*ones");
    cJSON_AddBoolToObject(object, "solves", a->solves);
    cli_json_text(object, "solver", a->solver);
    cli_json_text(object, "precond", a->precond);
    cli_json_add(object, "rtol", a->solves ? a->rtol : NAN);
    cli_json_add(object, "atol", a->solves ? a->atol : NAN);
    cli_json_add(object, "precond_seconds", a->solves ? a->precond_seconds : NAN);
    cli_json_add(object, "copy_bytes_per_second", a->copy_speed);
    cJSON_AddNumberToObject(object, "rounds", a->rounds);
    cJSON_AddNumberToObject(object, "columns", cmp_columns(m));
    list = cJSON_AddArrayToObject(object, "row_lengths");
    for (int k = 0; k < 32; k++) {
        cJSON_AddItemToArray(list, cJSON_CreateNumber((double)a->system.statistics.length[k]));
    }
    list = cJSON_AddArrayToObject(object, "rows");
    for (int f = 0; f < m->formats; f++) {
        cJSON_AddItemToArray(list, json_row(m, a, &a->row[f]));
    }
    add_winners(object, m, a);
    return object;
}

static cJSON *json_mean(const cmp *m, int f)
{
    const cmp_mean mean = cmp_mean_of(m, f);
    cJSON *item = cJSON_CreateObject();

    cli_json_text(item, "format", m->spec[f]);
    cJSON_AddNumberToObject(item, "matrices", mean.matrices);
    cli_json_add(item, "product", mean.product);
    cli_json_add(item, "iteration", mean.step);
    cli_json_add(item, "total", mean.total);
    cli_json_add(item, "build_products", mean.build_products);
    for (int i = 0; i < CMP_COUNTS; i++) {
        char key[32];
        snprintf(key, sizeof key, "at_%d", cmp_counts[i]);
        cli_json_add(item, key, mean.at[i]);
    }
    return item;
}

cJSON *cmp_json_head(const cmp *m, const char *compares, const char *verdict, double noise)
{
    cJSON *object = cJSON_CreateObject();

    cJSON_AddStringToObject(object, "gsolve", gsolve_version());
    cJSON_AddStringToObject(object, "version", gsolve_version());
    cJSON_AddStringToObject(object, "compares", compares);
    cli_json_text(object, "verdict", verdict);
    cli_json_add(object, "noise", noise);
    cJSON_AddStringToObject(object, "date", m->date);
    cJSON_AddStringToObject(object, "device", m->device.device);
    cli_json_text(object, "description", m->device.description);
    cJSON_AddStringToObject(object, "type", m->c->args.type == GSOLVE_F32 ? "f32" : "f64");
    cJSON_AddBoolToObject(object, "interrupted", cli_interrupted());
    if (m->ranks == 0) return object;
    cJSON_AddNumberToObject(object, "ranks", m->ranks);
    cJSON_AddNumberToObject(object, "ranks_started", m->started);
    cJSON_AddStringToObject(object, "transport", m->device.transport);
    cJSON_AddNumberToObject(object, "threads", m->device.threads);
    return object;
}

cJSON *cmp_json(const cmp *m)
{
    char verdict[400];
    cJSON *object = cmp_json_head(m, "formats", cmp_verdict(m, verdict), cmp_noise(m)), *list;

    cmp_add_rows(object, m);
    list = cJSON_AddArrayToObject(object, "matrices");
    for (int k = 0; k < m->matrices; k++) {
        cJSON_AddItemToArray(list, json_matrix(m, &m->matrix[k]));
    }
    list = cJSON_AddArrayToObject(object, "means");
    for (int f = 0; m->matrices > 1 && f < m->formats; f++) {
        cJSON_AddItemToArray(list, json_mean(m, f));
    }
    return object;
}

/* --- comma-separated values ------------------------------------------------------------------- */

static void csv_figures(FILE *file, const cmp *m, const cmp_matrix *a, const cmp_row *r)
{
    const bool solved = a->solves && r->solved;
    const double value[] = {
        1e3 * cmp_median(&r->build),
        cmp_median(&r->build) / cmp_median(&r->product),
        1e3 * cmp_median(&r->product),
        cmp_gflops(r),
        1e-9 * cmp_speed(r),
        cmp_speed(r) / a->copy_speed,
        cmp_bytes(r),
        cmp_stored(r),
        100 * cmp_padding(r),
        solved ? r->result.iterations : NAN,
        1e3 * cmp_step(a, r),
        1e3 * cmp_median(&r->setup),
        1e3 * cmp_median(&r->solve),
        a->solves ? 1e3 * cmp_total(a, r) : NAN,
        solved ? r->result.relative_residual : NAN,
    };

    for (size_t k = 0; k < sizeof value / sizeof *value; k++) cmp_csv_number(file, value[k]);
    fprintf(file, ",%s", cmp_outcome(a, r));
    cmp_csv_number(file, r == &a->row[m->base] ? NAN : cmp_overtakes(m, a, r)); /* never: empty */
    for (int i = 0; i < CMP_COUNTS; i++) cmp_csv_number(file, 1e3 * cmp_cost(a, r, cmp_counts[i]));
    fputc(',', file);
}

static void csv_row(FILE *file, const cmp *m, const cmp_matrix *a, const cmp_row *r)
{
    cmp_csv_text(file, a->system.name);
    fprintf(file, ",%lld,%lld,%lld,", (long long)a->system.nrows, (long long)a->system.ncols,
            (long long)a->system.entries);
    cmp_csv_text(file, m->device.description);
    fprintf(file, ",%s,", m->c->args.type == GSOLVE_F32 ? "f32" : "f64");
    cmp_csv_text(file, a->solver);
    fputc(',', file);
    cmp_csv_text(file, a->precond);
    cmp_csv_number(file, a->solves ? a->rtol : NAN);
    fputc(',', file);
    cmp_csv_text(file, r->spec);
    if (cmp_is_measured(r)) {
        csv_figures(file, m, a, r);
    } else {
        fprintf(file, ",,,,,,,,,,,,,,,,,,,,,,");
    }
    cmp_csv_text(file, r->problem);
    fputc('\n', file);
}

void cmp_csv(FILE *file, const cmp *m)
{
    fprintf(file, "matrix,rows,cols,entries,device,type,solver,precond,rtol,format,build_ms,"
                  "build_products,product_ms,gflops,gbytes_per_second,share_of_copy,bytes,stored,"
                  "padding_percent,iterations,iteration_ms,setup_ms,solve_ms,total_ms,residual,"
                  "outcome,overtakes_csr_at");
    for (int i = 0; i < CMP_COUNTS; i++) fprintf(file, ",at_%d_ms", cmp_counts[i]);
    fprintf(file, ",error\n");
    for (int k = 0; k < m->matrices; k++) {
        for (int f = 0; f < m->formats; f++) csv_row(file, m, &m->matrix[k], &m->matrix[k].row[f]);
    }
}
