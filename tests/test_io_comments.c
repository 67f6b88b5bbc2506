/* test_io_comments.c: compressed comments and blank lines take no memory, and every line keeps its
 * number. */
#include <zlib.h>

#include "io_support.h"

#define HEAD "%%MatrixMarket matrix coordinate real general\n"
#define MUCH ((int64_t)32 << 20) /* bytes of comments */
#define MOST ((size_t)24 << 20)  /* bytes held while they are read: 16 MiB at a time, and zlib */

typedef struct packer {
    gzFile file;
    int64_t bytes, lines; /* written so far */
} packer;

static packer begin_packed(bench *b)
{
    packer p = {0};

    snprintf(b->path, sizeof b->path, "%s/c.mtx.gz", b->folder);
    p.file = gzopen(b->path, "wb1");
    assert_non_null(p.file);
    return p;
}

static void add(packer *p, const char *text, size_t bytes)
{
    assert_int_equal(gzwrite(p->file, text, (unsigned)bytes), bytes);
    p->bytes += (int64_t)bytes;
    for (size_t k = 0; k < bytes; k++) p->lines += text[k] == '\n';
}

static void add_text(packer *p, const char *text)
{
    add(p, text, strlen(text));
}

/* pattern again and again, in whole, until at least so many bytes are written. */
static void repeat(packer *p, const char *pattern, int64_t bytes)
{
    static char block[1 << 18];
    const size_t length = strlen(pattern), whole = sizeof block / length * length;

    for (size_t k = 0; k < whole; k++) block[k] = pattern[k % length];
    for (int64_t done = 0; done < bytes; done += (int64_t)whole) add(p, block, whole);
}

static void end_packed(packer *p)
{
    assert_int_equal(gzclose(p->file), Z_OK);
}

/* Most bytes that were held while b->path was read. */
static size_t peak_of(bench *b, gsolve_csr *csr, gsolve_source *source, gsolve_status *status)
{
    gsolve_context_info info = GSOLVE_INIT(gsolve_context_info);
    gsolve_context *ctx;

    assert_int_equal(gsolve_context_create(&ctx, "cpu,threads=2"), GSOLVE_OK);
    *status = gsolve_read_matrix(csr, ctx, b->path, NULL, source);
    gsolve_context_describe(ctx, &info);
    if (*status == GSOLVE_OK) {
        double x[64];
        spread(x, csr);
        assert_true(same_bits(x, (double[]){5, 0, 0, 7}, 4));
        gsolve_csr_free(csr, ctx);
    } else {
        print_message("%s\n", gsolve_error(ctx));
    }
    gsolve_context_destroy(&ctx);
    return info.peak;
}

/* What a long stretch may be made of. The last two are one line without an end. */
static const char *const patterns[] = {
    "% a comment of some length\n", "%\n", "\n", "   \t \r\n", " % after blanks\n\n", "%c\n \n",
    "\n%\n%%%%%%%%%%%%%\n",         "%",   " "};
enum { PATTERNS = sizeof patterns / sizeof *patterns };

static void bounded(void **state)
{
    bench *b = *state;
    gsolve_status status;
    gsolve_source source = GSOLVE_INIT(gsolve_source);
    gsolve_csr csr;

    for (int k = 0; k < PATTERNS; k++) {
        packer p = begin_packed(b);
        add_text(&p, HEAD);
        repeat(&p, patterns[k], MUCH);
        add_text(&p, "\n2 2 2\n1 1 5\n2 2 7\n");
        end_packed(&p);
        const size_t peak = peak_of(b, &csr, &source, &status);
        assert_int_equal(status, GSOLVE_OK);
        assert_int_equal(source.bytes, p.bytes);
        if (peak > MOST) fail_msg("pattern %d: %zu bytes were held", k, peak);
    }
}

/* Comments in all places at once, the entries among them. */
static void everywhere(void **state)
{
    bench *b = *state;
    packer p = begin_packed(b);
    gsolve_status status;
    gsolve_source source = GSOLVE_INIT(gsolve_source);
    gsolve_csr csr;

    add_text(&p, HEAD);
    for (int k = 0; k < PATTERNS - 2; k++) repeat(&p, patterns[k], 1 << 22);
    add_text(&p, "2 2 2\n");
    repeat(&p, patterns[2], 1 << 24);
    add_text(&p, " 1 1 5\n% one line\n");
    repeat(&p, patterns[0], 1 << 24);
    add_text(&p, "2 2 7\n");
    repeat(&p, patterns[7], 1 << 24); /* without a '\n' at its end */
    end_packed(&p);
    assert_true(peak_of(b, &csr, &source, &status) <= MOST);
    assert_int_equal(status, GSOLVE_OK);
    assert_int_equal(source.bytes, p.bytes);
}

static void expect_line(bench *b, const packer *p, const char *says)
{
    char begin[400];
    gsolve_csr csr;

    snprintf(begin, sizeof begin, "%s:%lld: ", b->path, (long long)p->lines + 1);
    assert_int_equal(gsolve_read_matrix(&csr, b->ctx, b->path, NULL, NULL), GSOLVE_BAD_FILE);
    if (strncmp(gsolve_error(b->ctx), begin, strlen(begin)) != 0 ||
        !strstr(gsolve_error(b->ctx), says)) {
        fail_msg("expected %s%s\nbut %s", begin, says, gsolve_error(b->ctx));
    }
}

/* A sentence names the line of the file, whatever was left out before it. */
static void lines(void **state)
{
    bench *b = *state;
    packer at;

    for (int k = 0; k < PATTERNS - 2; k++) {
        packer p = begin_packed(b);
        add_text(&p, HEAD);
        repeat(&p, patterns[k], 1 << 21);
        add_text(&p, "2 2 3\n1 1 5\n");
        repeat(&p, patterns[k], 1 << 21);
        add_text(&p, "% a comment\n2 2 7\n\n%\n");
        at = p;
        add_text(&p, "2 x 7\n");
        repeat(&p, patterns[k], 1 << 21);
        end_packed(&p);
        expect_line(b, &at, "the column is 'x'");

        p = begin_packed(b);
        add_text(&p, HEAD);
        repeat(&p, patterns[k], 1 << 21);
        end_packed(&p);
        expect_line(b, &p, "ends before the line with the numbers of rows");
    }
}

/* Other kinds of text have no comments: nothing is left out. */
static void other_text(void **state)
{
    bench *b = *state;
    packer p = begin_packed(b);
    gsolve_csr csr;

    add_text(&p, "hello\n");
    repeat(&p, "% x\n", 1 << 21);
    end_packed(&p);
    assert_int_equal(gsolve_read_matrix(&csr, b->ctx, b->path, NULL, NULL), GSOLVE_BAD_FILE);
    assert_non_null(strstr(gsolve_error(b->ctx), ":1: the file begins with 'hello'"));
}

/* Entries of more text than a step inflates, with comments of every length between them. */
static void many_entries(void **state)
{
    enum { N = 600000 };
    bench *b = *state;
    packer p = begin_packed(b);
    gsolve_source source = GSOLVE_INIT(gsolve_source);
    gsolve_csr csr;
    char line[200];

    snprintf(line, sizeof line, "%d %d %d\n", N, N, N);
    add_text(&p, HEAD);
    add_text(&p, line);
    for (int i = 1; i <= N; i++) {
        snprintf(line, sizeof line, "%d %d %d.00000000000000000000000000\n", i, i, i);
        add_text(&p, line);
        if (i % 40000 == 0) repeat(&p, i % 80000 ? "% c\n" : "\n", (int64_t)i / 40 << i / 100000);
    }
    end_packed(&p);
    assert_int_equal(gsolve_read_matrix(&csr, b->ctx, b->path, NULL, &source), GSOLVE_OK);
    assert_int_equal(source.bytes, p.bytes);
    assert_int_equal(gsolve_csr_entries(&csr), N);
    for (int i = 0; i < N; i++) {
        assert_true(csr.col[i] == i && ((const double *)csr.value)[i] == i + 1);
    }
    gsolve_csr_free(&csr, b->ctx);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(bounded), TEST(everywhere), TEST(lines),
                                       TEST(other_text), TEST(many_entries)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
