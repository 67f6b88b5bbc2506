/* test_trace.c: the Chrome trace of $GSOLVE_TRACE is valid JSON at all times, has the ranges and
 * the operations of a solve, and stays within its limit. */
#include <cjson/cJSON.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/trace.h"
#include "gsolve.h"
#include "tests/common.h"

static char path[64];

static void begin(void)
{
    snprintf(path, sizeof path, "test_trace_%d.json", (int)getpid());
    unlink(path);
    setenv("GSOLVE_TRACE", path, 1);
}

static void end(void)
{
    unsetenv("GSOLVE_TRACE");
    unlink(path);
}

static char *read_text(size_t *length)
{
    FILE *file = fopen(path, "r");
    struct stat about;
    char *text;

    assert_non_null(file);
    assert_int_equal(fstat(fileno(file), &about), 0);
    text = calloc((size_t)about.st_size + 1, 1);
    assert_int_equal(fread(text, 1, (size_t)about.st_size, file), about.st_size);
    fclose(file);
    *length = (size_t)about.st_size;
    return text;
}

static const char *word_of(const cJSON *event, const char *key)
{
    return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(event, key));
}

static double number_of(const cJSON *event, const char *key)
{
    const cJSON *number = cJSON_GetObjectItemCaseSensitive(event, key);

    assert_true(cJSON_IsNumber(number));
    return number->valuedouble;
}

static void check_event(const cJSON *event)
{
    assert_non_null(word_of(event, "name"));
    assert_true(number_of(event, "pid") > 0);
    assert_true(number_of(event, "tid") >= 0);
    if (strcmp(word_of(event, "ph"), "M") == 0) return;
    assert_string_equal(word_of(event, "ph"), "X");
    assert_true(number_of(event, "ts") > 0);
    assert_true(number_of(event, "dur") >= 0);
}

/* Parses the file, checks each event, and returns the number of events that have this name.
 * *from and *to: begin and end of the last of them, in microseconds. */
static int count_events(const char *name, double *from, double *to)
{
    size_t length;
    char *text = read_text(&length);
    cJSON *all = cJSON_ParseWithLength(text, length);
    const cJSON *events = cJSON_GetObjectItemCaseSensitive(all, "traceEvents"), *event;
    int found = 0;

    if (!cJSON_IsArray(events)) fail_msg("no JSON: %.300s", text);
    cJSON_ArrayForEach(event, events)
    {
        check_event(event);
        if (strcmp(word_of(event, "name"), name) != 0) continue;
        found++;
        if (!from) continue;
        *from = number_of(event, "ts");
        *to = *from + number_of(event, "dur");
    }
    cJSON_Delete(all);
    free(text);
    return found;
}

static gsolve_context *open_here(void)
{
    gsolve_context *ctx = NULL;

    if (open_test_device(&ctx, "cpu", "")) fail_msg("%s", gsolve_error(NULL));
    return ctx;
}

/* Solves with amg. monitor may be NULL. Returns the number of iterations. */
static int solve(gsolve_context *ctx, gsolve_monitor *monitor)
{
    gsolve_csr csr = read_matrix(ctx, "gen:poisson2d,n=60");
    double *b = malloc((size_t)csr.nrows * sizeof *b);
    double *x = calloc((size_t)csr.nrows, sizeof *x);
    gsolve_precond *M = NULL;
    gsolve_matrix *A = NULL;
    gsolve_solver *S = NULL;
    gsolve_result result = GSOLVE_INIT(gsolve_result);

    for (int i = 0; i < csr.nrows; i++) b[i] = 1;
    OK(ctx, gsolve_matrix_create(&A, ctx, "csr", &csr));
    OK(ctx, gsolve_precond_create_from(&M, ctx, "amg", A));
    OK(ctx, gsolve_solver_create(&S, ctx, "cg", A, M));
    if (monitor) gsolve_solver_set_monitor(S, monitor, NULL);
    OK(ctx,
       gsolve_solver_run(S, gsolve_vector(b, csr.nrows), gsolve_vector(x, csr.nrows), &result));
    assert_int_equal(result.outcome, GSOLVE_CONVERGED);
    gsolve_solver_destroy(&S);
    gsolve_precond_destroy(&M);
    gsolve_matrix_destroy(&A);
    gsolve_csr_free(&csr, ctx);
    free(b);
    free(x);
    return result.iterations;
}

static void set_up_and_steps(void **state)
{
    gsolve_context *ctx;
    double solve_from, solve_to, from, to;
    int iterations;
    (void)state;

    begin();
    ctx = open_here();
    assert_int_equal(count_events("process_name", NULL, NULL), 1);
    iterations = solve(ctx, NULL);
    /* the context still exists */
    assert_int_equal(count_events("read", NULL, NULL), 1);
    assert_int_equal(count_events("set-up of the preconditioner", NULL, NULL), 1);
    assert_true(count_events("coarsening and transfer", NULL, NULL) >= 1);
    assert_int_equal(count_events("solve", &solve_from, &solve_to), 1);
    assert_int_equal(count_events("update of r", &from, &to), iterations);
    assert_true(from > solve_from - 1000 && to < solve_to + 1000); /* two clocks on a GPU */
    gsolve_context_destroy(&ctx);
    assert_int_equal(count_events("solve", NULL, NULL), 1);
    end();
}

/* Both contexts write to the file, in turns. */
static void two_contexts(void **state)
{
    gsolve_context *first, *second;
    (void)state;

    begin();
    first = open_here();
    solve(first, NULL);
    second = open_here();
    solve(second, NULL);
    solve(first, NULL);
    gsolve_context_destroy(&second);
    solve(first, NULL);
    gsolve_context_destroy(&first);
    assert_int_equal(count_events("process_name", NULL, NULL), 1);
    assert_int_equal(count_events("solve", NULL, NULL), 4);
    end();
}

static bool leave_early(int iteration, double residual, void *user)
{
    (void)residual, (void)user;
    if (iteration >= 3) exit(0);
    return true;
}

/* A process that ends by exit within a solve, with all handles alive. */
static void exit_within_a_solve(void **state)
{
    int ended = -1;
    (void)state;

    begin();
    const pid_t child = fork();
    if (child == 0) {
        gsolve_context *ctx = open_here();
        solve(ctx, leave_early);
        _exit(1); /* the monitor has not been called */
    }
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &ended, 0), child);
    assert_true(WIFEXITED(ended) && WEXITSTATUS(ended) == 0);
    assert_int_equal(count_events("set-up of the preconditioner", NULL, NULL), 1);
    assert_int_equal(count_events("solve", NULL, NULL), 0);
    end();
}

/* The file of another process is replaced, that of this process is continued up to the limit. */
static void old_and_full_files(void **state)
{
    static const char old[] = "{\"traceEvents\":[{\"name\":\"old\"}]}";
    gsolve_context *ctx;
    struct stat about;
    FILE *file;
    (void)state;

    begin();
    file = fopen(path, "w");
    assert_non_null(file);
    fputs(old, file);
    fclose(file);
    ctx = open_here();
    assert_int_equal(count_events("old", NULL, NULL), 0);
    assert_int_equal(count_events("process_name", NULL, NULL), 1);
    assert_int_equal(truncate(path, GS_TRACE_LIMIT - 20), 0);
    solve(ctx, NULL);
    assert_int_equal(stat(path, &about), 0);
    assert_int_equal(about.st_size, GS_TRACE_LIMIT - 20);
    gsolve_context_destroy(&ctx);
    end();
}

static void unusable_file(void **state)
{
    gsolve_context *ctx = NULL;
    (void)state;

    setenv("GSOLVE_TRACE", "no/such/folder/trace.json", 1);
    assert_int_equal(open_test_device(&ctx, "cpu", ""), GSOLVE_BAD_FILE);
    assert_non_null(strstr(gsolve_error(NULL), "GSOLVE_TRACE=no/such/folder/trace.json"));
    assert_null(ctx);
    setenv("GSOLVE_TRACE", "", 1); /* as if it were not set */
    ctx = open_here();
    assert_null(ctx->trace);
    gsolve_context_destroy(&ctx);
    unsetenv("GSOLVE_TRACE");
}

/* need_device, in a child: a process that has used a GPU cannot use it in a child of fork. */
static void need_device_in_child(void)
{
    const pid_t child = fork();
    int ended = 0;

    if (child == 0) {
        need_device();
        exit(0);
    }
    waitpid(child, &ended, 0);
    if (!WIFEXITED(ended) || WEXITSTATUS(ended)) exit(WIFEXITED(ended) ? WEXITSTATUS(ended) : 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exit_within_a_solve), /* first: a GPU does not work after a fork */
        cmocka_unit_test(set_up_and_steps),    cmocka_unit_test(two_contexts),
        cmocka_unit_test(old_and_full_files),  cmocka_unit_test(unusable_file),
    };

    unsetenv("GSOLVE_TRACE");
    need_device_in_child();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
