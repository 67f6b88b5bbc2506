/* test_io_binary.c: files that NumPy, SciPy, PETSc and MATLAB write, plain text and compressed
 * files: what tests/files/make.py wrote is read with the same bits, what gsolve writes it reads
 * back, and damaged files give a sentence. */
#include <math.h>
#include <zlib.h>

#include "io/input.h"
#include "io_support.h"

static const double A[36] = {4, -1, 0, 0, 0, 0, -1,   4, -1, 0,  0, 0, 0, 0, 4, 0, 2.5, 0,
                             0, 0,  0, 4, 0, 0, 1e-3, 0, 0,  -7, 4, 0, 0, 0, 3, 0, 0,   4};
static const double b[6] = {1, 2, 3, 4.5, -5, 1e-6};

/* Whether the last error says that the build lacks a library; then prints the name of the file. */
static bool is_missing(const bench *s, const char *name)
{
    const bool missing = strstr(gsolve_error(s->ctx), "this build of gsolve") ||
                         strstr(gsolve_error(s->ctx), "cannot be loaded");
    if (missing) printf("skipped %s: %s\n", name, gsolve_error(s->ctx));
    return missing;
}

static const char *source_path(bench *s, const char *name)
{
    snprintf(s->path, sizeof s->path, "%s/tests/files/%s", GSOLVE_SOURCE_DIR, name);
    return s->path;
}

/* The bytes of a file of tests/files; free them with free. */
static unsigned char *load(bench *s, const char *name, size_t *bytes)
{
    FILE *file = fopen(source_path(s, name), "rb");
    unsigned char *data = malloc(8192);

    if (!file) fail_msg("%s is missing", s->path);
    *bytes = fread(data, 1, 8192, file);
    assert_true(*bytes < 8192);
    fclose(file);
    return data;
}

/* --- what others wrote ------------------------------------------------------------------------ */

static const struct {
    const char *name, *kind, *field;
} matrices[] = {
    {"csr_stored.npz", "SciPy", "real"},   {"csr_deflated.npz", "SciPy", "real"},
    {"csc_stored.npz", "SciPy", "real"},   {"csc_deflated.npz", "SciPy", "real"},
    {"coo_stored.npz", "SciPy", "real"},   {"coo_deflated.npz", "SciPy", "real"},
    {"dia_stored.npz", "SciPy", "real"},   {"dia_deflated.npz", "SciPy", "real"},
    {"bsr_stored.npz", "SciPy", "real"},   {"csr_int64.npz", "SciPy", "real"},
    {"csr_bool.npz", "SciPy", "pattern"},  {"A_rows.npy", "NumPy", "real"},
    {"A_columns.npy", "NumPy", "real"},    {"A_big_endian.npy", "NumPy", "real"},
    {"A_b.petsc", "PETSc", "real"},        {"A_b_int64.petsc", "PETSc", "real"},
    {"A_b.mat", "MATLAB", "real"},         {"struct.mat", "MATLAB", "real"},
    {"A.mtx", "Matrix Market", "real"},    {"A.mtx.bz2", "Matrix Market", "real"},
    {"A.mtx.xz", "Matrix Market", "real"}, {"A.mtx.zst", "Matrix Market", "real"},
};

static void foreign_matrices(void **state)
{
    bench *s = *state;

    for (size_t k = 0; k < sizeof matrices / sizeof *matrices; k++) {
        gsolve_csr csr;
        gsolve_source source = GSOLVE_INIT(gsolve_source);
        const bool pattern = strcmp(matrices[k].field, "pattern") == 0;
        double x[64];

        if (gsolve_read_matrix(&csr, s->ctx, source_path(s, matrices[k].name), NULL, &source)) {
            if (!is_missing(s, matrices[k].name)) fail_msg("%s", gsolve_error(s->ctx));
            continue;
        }
        assert_string_equal(source.kind, matrices[k].kind);
        assert_string_equal(source.field, matrices[k].field);
        assert_int_equal(source.symmetry, GSOLVE_GENERAL);
        spread(x, &csr);
        for (int i = 0; i < 36; i++) {
            if (x[i] != (pattern ? (double)(A[i] != 0) : A[i])) {
                fail_msg("%s: element %d is %g", matrices[k].name, i, x[i]);
            }
        }
        gsolve_csr_free(&csr, s->ctx);
    }
}

/* The file of version 7.3 is packed, because HDF5 wastes space. */
static void matlab_of_version_7(void **state)
{
    bench *s = *state;
    unsigned char data[8192];
    gsolve_csr csr;
    double x[64];
    gzFile packed = gzopen(source_path(s, "A_v73.mat.gz"), "rb");

    assert_non_null(packed);
    const int bytes = gzread(packed, data, sizeof data);
    gzclose(packed);
    assert_true(bytes > 0);
    put_bytes(s, "v73.mat", data, (size_t)bytes);
    if (gsolve_read_matrix(&csr, s->ctx, s->path, NULL, NULL) != GSOLVE_OK) {
        if (!is_missing(s, "v73.mat")) fail_msg("%s", gsolve_error(s->ctx));
        return;
    }
    spread(x, &csr);
    assert_true(same_bits(x, A, 36));
    gsolve_csr_free(&csr, s->ctx);
    put_bytes(s, "v73.mat", data, (size_t)bytes / 2);
    assert_int_equal(gsolve_read_matrix(&csr, s->ctx, s->path, NULL, NULL), GSOLVE_BAD_FILE);
}

static void foreign_vectors(void **state)
{
    static const struct {
        const char *name;
        int columns;
    } files[] = {{"b.npy", 1},   {"b_version2.npy", 1},  {"b_version3.npy", 1}, {"b.npz", 1},
                 {"B.npy", 2},   {"b.txt", 1},           {"B.txt", 2},          {"A_b.petsc", 1},
                 {"b.petsc", 1}, {"A_b_int64.petsc", 1}, {"A_b.mat", 1},        {"struct.mat", 1}};
    bench *s = *state;

    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        gsolve_dense v;
        if (gsolve_read_dense(&v, s->ctx, source_path(s, files[k].name), NULL, NULL)) {
            if (!is_missing(s, files[k].name)) fail_msg("%s", gsolve_error(s->ctx));
            continue;
        }
        assert_int_equal(v.nrows, 6);
        assert_int_equal(v.ncols, files[k].columns);
        for (int i = 0; i < 6 * v.ncols; i++) {
            const double expected = b[i % 6] * (i / 6 + 1);
            if (((double *)v.value)[i] != expected) fail_msg("%s: element %d", files[k].name, i);
        }
        gsolve_dense_free(&v, s->ctx);
    }
}

/* --- what gsolve writes ----------------------------------------------------------------------- */

static void written_matrices(void **state)
{
    static const char *const names[] = {"w.npz", "w.petsc", "w.bin", "w.NPZ"};
    bench *s = *state;
    gsolve_csr csr, again;
    double x[64];

    assert_int_equal(gsolve_read_matrix(&csr, s->ctx, source_path(s, "A.mtx"), NULL, NULL), 0);
    for (int k = 0; k < 4; k++) {
        put(s, names[k], "");
        if (gsolve_write_matrix(s->ctx, s->path, &csr, GSOLVE_GENERAL, NULL) ||
            gsolve_read_matrix(&again, s->ctx, s->path, NULL, NULL)) {
            fail_msg("%s", gsolve_error(s->ctx));
        }
        spread(x, &again);
        assert_true(same_bits(x, A, 36));
        gsolve_csr_free(&again, s->ctx);
        assert_int_equal(gsolve_write_matrix(s->ctx, s->path, &csr, GSOLVE_SYMMETRIC, NULL),
                         GSOLVE_BAD_ARGUMENT);
    }
    assert_int_equal(gsolve_write_matrix(s->ctx, "w.npy", &csr, GSOLVE_GENERAL, NULL),
                     GSOLVE_UNSUPPORTED);
    assert_non_null(strstr(gsolve_error(s->ctx), ".npz"));
    assert_int_equal(gsolve_write_matrix(s->ctx, "no/such/w.npz", &csr, GSOLVE_GENERAL, NULL),
                     GSOLVE_BAD_FILE);
    gsolve_csr_free(&csr, s->ctx);
}

static void written_vectors(void **state)
{
    static const char *const names[] = {"v.npy", "v.petsc", "v.txt", "v.mtx"};
    double values[15] = {1e-300, -2, 3.25, 4, 77, 5, 6, 0.1, 8, 77, 9, 1e17, 11, -12, 77};
    const gsolve_dense v = {4, 3, 5, values, GSOLVE_F64, GSOLVE_HOST, GSOLVE_COLUMN_MAJOR};
    bench *s = *state;
    gsolve_dense w;

    for (int k = 0; k < 8; k++) {
        gsolve_dense given = v;
        given.ncols = k < 4 ? 3 : 1;
        put(s, names[k % 4], "");
        if (gsolve_write_dense(s->ctx, s->path, &given, NULL) ||
            gsolve_read_dense(&w, s->ctx, s->path, NULL, NULL)) {
            fail_msg("%s", gsolve_error(s->ctx));
        }
        assert_int_equal(w.nrows, 4);
        assert_int_equal(w.ncols, given.ncols);
        for (int j = 0; j < w.ncols; j++) {
            assert_true(same_bits((double *)w.value + 4 * j, values + 5 * j, 4));
        }
        gsolve_dense_free(&w, s->ctx);
    }
    assert_int_equal(gsolve_write_dense(s->ctx, "v.npz", &v, NULL), GSOLVE_UNSUPPORTED);
}

/* Sizes for which all loops run over several pieces, with several threads. */
static void large(void **state)
{
    static const char *const names[] = {"l.npz", "l.petsc"};
    bench *s = *state;
    gsolve_csr csr, again;

    assert_int_equal(gsolve_read_matrix(&csr, s->ctx, "gen:poisson2d,n=300", NULL, NULL), 0);
    const size_t entries = (size_t)gsolve_csr_entries(&csr);
    for (int k = 0; k < 2; k++) {
        put(s, names[k], "");
        assert_int_equal(gsolve_write_matrix(s->ctx, s->path, &csr, GSOLVE_GENERAL, NULL), 0);
        assert_int_equal(gsolve_read_matrix(&again, s->ctx, s->path, NULL, NULL), 0);
        assert_memory_equal(csr.start, again.start, ((size_t)csr.nrows + 1) * 4);
        assert_memory_equal(csr.col, again.col, entries * 4);
        assert_memory_equal(csr.value, again.value, entries * 8);
        gsolve_csr_free(&again, s->ctx);
    }
    gsolve_csr_free(&csr, s->ctx);
}

/* --- text ------------------------------------------------------------------------------------- */

static void text(void **state)
{
    static const struct {
        const char *text;
        int rows, columns;
        const char *says;
    } cases[] = {
        {"1\n2\n3\n", 3, 1, NULL},
        {"1\n2\n3", 3, 1, NULL},
        {"  1 2 3  \n", 3, 1, NULL},
        {"# head\n% head\n\n1 2\n\n2 4 # tail\r\n3 6\n", 3, 2, NULL},
        {"7", 1, 1, NULL},
        {"1 2\n3\n", 0, 0, ":2: this line has 1 numbers"},
        {"1\nx\n", 0, 0, ":2: 'x' is not a finite"},
        {"1\nnan\n", 0, 0, "'nan'"},
        {"1\n1e999\n", 0, 0, "'1e999'"},
        {"1;2\n", 0, 0, "separated by ';' (CSV)"},
        {"%%MatrixMarkt matrix array real general\n2 1\n1\n1\n", 0, 0, "begins with"},
        {"hello\n", 0, 0, "begins with 'hello'"},
        {"# nothing else\n", 0, 0, "begins with"},
    };
    bench *s = *state;

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        gsolve_dense v;
        put(s, "t.txt", cases[k].text);
        const gsolve_status status = gsolve_read_dense(&v, s->ctx, s->path, NULL, NULL);
        if (cases[k].says) {
            assert_int_equal(status, GSOLVE_BAD_FILE);
            if (!strstr(gsolve_error(s->ctx), cases[k].says)) fail_msg("%s", gsolve_error(s->ctx));
            continue;
        }
        if (status != GSOLVE_OK) fail_msg("%s", gsolve_error(s->ctx));
        assert_int_equal(v.nrows, cases[k].rows);
        assert_int_equal(v.ncols, cases[k].columns);
        assert_true(((double *)v.value)[v.nrows * v.ncols - 1] ==
                    (v.nrows == 1 ? 7 : 3.0 * v.ncols));
        gsolve_dense_free(&v, s->ctx);
    }
}

/* --- refused ---------------------------------------------------------------------------------- */

static void named_formats(void **state)
{
    static const struct {
        const char *bytes;
        int count;
        const char *says;
    } files[] = {
        {"\x89HDF\r\n\x1a\n\0\0\0\0", 12, "an HDF5 file"},
        {"%PDF-1.7\n1 0 obj\n", 17, "a PDF document"},
        {"\x89PNG\r\n\x1a\n", 8, "a picture (PNG)"},
        {"\x7f"
         "ELF\2\1\1\0",
         8, "(ELF)"},
        {"\x80\4\x95\0\0", 5, "pickled Python object"},
        {"7z\xbc\xaf\x27\x1c\0\4", 8, "7z x FILE"},
        {"\x1f\x9d\x90\1\2", 5, "gzip -dk"},
        {"<!doctype html><html>", 21, "page of HTML"},
        {"version https://git-lfs.github.com/spec/v1\noid", 46, "git lfs pull"},
        {"# Created by Octave 8\n# name: A\n", 32, "Octave"},
        {"\xef\xbb\xbf%%MatrixMarket", 17, "byte order mark"},
        {"{\"a\": 1}", 8, "JSON"},
        {"1,2,3.5\n4,5,6\n", 14, "separated by ','"},
        {"1 2 3.5\n", 8, "ROW COLUMN VALUE"},
        {"PK\5\6\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 22, "zip archive"},
        {"PK\3\4 and nothing else", 22, "damaged or truncated"},
        {"\1\2\3\0\0\0", 6, "the file is binary"},
        {"gscache\0\2\0\0\0", 12, "--cache"},
        {"\x28\xb5\x2f\xfd\x99\x99\x99\x99\x99", 9, "zstd"},
        {"BZh9\x99\x99\x99\x99\x99\x99\x99", 11, "bzip2"},
        {"\xfd"
         "7zXZ\0\x99\x99\x99\x99\x99\x99\x99\x99",
         14, "xz"},
    };
    bench *s = *state;

    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        gsolve_csr csr;
        put_bytes(s, "unknown", files[k].bytes, (size_t)files[k].count);
        assert_int_equal(gsolve_read_matrix(&csr, s->ctx, s->path, NULL, NULL), GSOLVE_BAD_FILE);
        if (!strstr(gsolve_error(s->ctx), files[k].says)) {
            fail_msg("'%s' is not in: %s", files[k].says, gsolve_error(s->ctx));
        }
        assert_int_equal(strncmp(gsolve_error(s->ctx), s->path, strlen(s->path)), 0);
    }
}

/* An .npy file of version 1 with this description and 64 bytes of zeros. */
static void put_array(bench *s, const char *description)
{
    char file[300] = "\x93NUMPY\1\0";
    const size_t length = strlen(description);

    file[8] = (char)length;
    memcpy(file + 10, description, length);
    put_bytes(s, "array.npy", file, 10 + length + 64);
}

static void refused_arrays(void **state)
{
    static const struct {
        const char *description, *says;
    } arrays[] = {
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (9,), }", "only 64 bytes follow"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (4294967296, 4294967296), }", "shape"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (3000000000,0), }", "it must be from"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (2000000000,0), }", "far too large"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (2,2,2), }", "3 dimensions"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (1,1,1,1), }", "more than 3"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (), }", "0 dimensions"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (x,), }", "'shape'"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (3", "'shape'"},
        {"{'descr': '<f8', 'fortran_order': 0, 'shape': (3,), }", "'fortran_order'"},
        {"{'fortran_order': False, 'shape': (3,), }", "'descr'"},
        {"{'descr': '<f2', 'fortran_order': False, 'shape': (3,), }", "type <f2"},
        {"{'descr': '<c16', 'fortran_order': False, 'shape': (3,), }", "complex"},
        {"{'descr': '|O', 'fortran_order': False, 'shape': (3,), }", "pickled"},
        {"{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (3,), }", "type"},
        {"{'descr': '<U9', 'fortran_order': False, 'shape': (1,), }", "type <U9"},
    };
    bench *s = *state;
    gsolve_dense v;

    put_array(s, "{'descr': '<f8', 'fortran_order': False, 'shape': (8,), }");
    assert_int_equal(gsolve_read_dense(&v, s->ctx, s->path, NULL, NULL), GSOLVE_OK);
    gsolve_dense_free(&v, s->ctx);
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) {
        put_array(s, arrays[k].description);
        assert_int_equal(gsolve_read_dense(&v, s->ctx, s->path, NULL, NULL), GSOLVE_BAD_FILE);
        if (!strstr(gsolve_error(s->ctx), arrays[k].says)) {
            fail_msg("'%s' is not in: %s", arrays[k].says, gsolve_error(s->ctx));
        }
    }
}

static void refused_vectors(void **state)
{
    static const struct {
        const char *name, *says;
    } files[] = {{"complex.npy", "complex"},
                 {"objects.npy", "pickled"},
                 {"csr_stored.npz", "sparse matrix"},
                 {"B.csv", "tr ',' ' '"},
                 {"A_b.mat.gz", "No such file"}};
    bench *s = *state;
    gsolve_csr csr;
    gsolve_dense v;

    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        assert_int_equal(gsolve_read_dense(&v, s->ctx, source_path(s, files[k].name), NULL, NULL),
                         GSOLVE_BAD_FILE);
        if (!strstr(gsolve_error(s->ctx), files[k].says)) fail_msg("%s", gsolve_error(s->ctx));
    }
    assert_int_equal(gsolve_read_matrix(&csr, s->ctx, source_path(s, "b.petsc"), NULL, NULL),
                     GSOLVE_BAD_FILE);
    assert_non_null(strstr(gsolve_error(s->ctx), "no matrix"));
}

/* --- damaged ---------------------------------------------------------------------------------- */

/* Reads the bytes as matrix and vector; whatever they are, nothing may remain. */
static void try_bytes(const bench *s, const char *data, size_t bytes)
{
    for (int dense = 0; dense < 2; dense++) {
        gsolve_csr csr;
        gsolve_dense v;
        gs_input in;
        gsolve_status status;

        gs_input_memory(&in, s->ctx, "damaged", data, bytes, NULL);
        status = gs_input_unpack(&in);
        if (status == GSOLVE_OK) {
            status = dense ? gs_read_dense_memory(&v, &in) : gs_read_memory(&csr, &in);
        }
        if (status == GSOLVE_OK && dense) gsolve_dense_free(&v, s->ctx);
        if (status == GSOLVE_OK && !dense) gsolve_csr_free(&csr, s->ctx);
        if (status != GSOLVE_OK) assert_true(strlen(gsolve_error(s->ctx)) > 20);
        gs_input_close(&in);
        assert_int_equal(blocks_of(s->ctx), 0);
    }
}

static uint32_t number(const unsigned char *p, int bytes)
{
    uint32_t n = 0;
    for (int k = bytes - 1; k >= 0; k--) n = n << 8 | p[k];
    return n;
}

/* Corrects the checksums of an archive of stored members, as far as its directory can be read, so
 * that a change of the content is not found by them. */
static void correct_checksums(unsigned char *data, size_t bytes)
{
    const unsigned char *end = data + bytes - 22;
    size_t at = number(end + 16, 4);

    while (at + 46 <= bytes && memcmp(data + at, "PK\1\2", 4) == 0) {
        unsigned char *entry = data + at;
        const size_t local = number(entry + 42, 4), size = number(entry + 20, 4);
        if (local + 30 > bytes) return;
        const size_t content =
            local + 30 + number(data + local + 26, 2) + number(data + local + 28, 2);
        if (content > bytes || size > bytes - content) return;
        const uint32_t crc = (uint32_t)crc32(0, data + content, (unsigned)size);
        for (int k = 0; k < 4; k++) entry[16 + k] = (unsigned char)(crc >> 8 * k);
        at += 46 + number(entry + 28, 2) + number(entry + 30, 2) + number(entry + 32, 2);
    }
}

/* Every truncation of a file, and every byte changed. */
static void damaged(void **state)
{
    static const char *const names[] = {
        "csr_stored.npz", "csc_deflated.npz", "coo_stored.npz", "dia_stored.npz",
        "bsr_stored.npz", "A_rows.npy",       "A_b.petsc",      "b.txt",
        "A.mtx.bz2",      "A.mtx.xz",         "A.mtx.zst"};
    bench *s = *state;

    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        size_t bytes;
        unsigned char *data = load(s, names[k], &bytes);
        for (size_t cut = 1; cut < bytes; cut++) try_bytes(s, (char *)data, cut);
        for (size_t at = 0; at < bytes; at++) {
            const unsigned char byte = data[at];
            data[at] = (unsigned char)(at % 2 ? byte ^ 0x81 : 255);
            try_bytes(s, (char *)data, bytes);
            if (strstr(names[k], "_stored.npz")) {
                correct_checksums(data, bytes);
                try_bytes(s, (char *)data, bytes);
            }
            data[at] = byte;
        }
        free(data);
    }
}

static void damaged_content(void **state)
{
    bench *s = *state;
    size_t bytes;
    unsigned char *data = load(s, "csr_stored.npz", &bytes);
    gsolve_csr csr;

    for (size_t at = 0; at + 8 < bytes; at++) {
        if (memcmp(data + at, "data.npy", 8) != 0) continue;
        data[at + 180] ^= 1; /* a number of the first member of that name */
        break;
    }
    put_bytes(s, "content.npz", data, bytes);
    free(data);
    assert_int_equal(gsolve_read_matrix(&csr, s->ctx, s->path, NULL, NULL), GSOLVE_BAD_FILE);
    assert_non_null(strstr(gsolve_error(s->ctx), "data.npy: the checksum is wrong"));
}

/* 300 MB of zeros, which xz packs into 50 KB. */
static void expanding(void **state)
{
    bench *s = *state;
    char command[700];
    gsolve_csr csr;

    snprintf(command, sizeof command,
             "head -c 300000000 /dev/zero 2>/dev/null | xz -0 > '%s/zeros' 2>/dev/null", s->folder);
    if (system(command) != 0) {
        printf("skipped: the program xz is missing\n");
        return;
    }
    snprintf(s->path, sizeof s->path, "%s/zeros", s->folder);
    assert_int_equal(gsolve_read_matrix(&csr, s->ctx, s->path, NULL, NULL), GSOLVE_BAD_FILE);
    if (!is_missing(s, "zeros.xz")) {
        assert_non_null(strstr(gsolve_error(s->ctx), "more than a matrix does"));
    }
}

/* --- memory denied ---------------------------------------------------------------------------- */

static void denied(void **state)
{
    bench *s = *state;

    for (size_t k = 0; k < 2 * (sizeof matrices / sizeof *matrices); k++) {
        const char *name = matrices[k / 2].name;
        gsolve_status status = GSOLVE_NO_MEMORY;
        for (int count = 0; status == GSOLVE_NO_MEMORY; count++) {
            gsolve_csr csr = {.nrows = 77};
            gsolve_dense v = {.nrows = 77};
            assert_true(count < 200);
            gsolve_context_limit_allocations(s->ctx, count);
            status = k % 2 ? gsolve_read_dense(&v, s->ctx, source_path(s, name), NULL, NULL)
                           : gsolve_read_matrix(&csr, s->ctx, source_path(s, name), NULL, NULL);
            gsolve_context_limit_allocations(s->ctx, -1);
            if (status == GSOLVE_OK && k % 2) gsolve_dense_free(&v, s->ctx);
            if (status == GSOLVE_OK && k % 2 == 0) gsolve_csr_free(&csr, s->ctx);
            if (status != GSOLVE_OK) assert_int_equal(k % 2 ? v.nrows : csr.nrows, 77);
            assert_int_equal(blocks_of(s->ctx), 0);
        }
    }
}

static void denied_writes(void **state)
{
    static const char *const names[] = {"d.npz", "d.petsc"};
    bench *s = *state;
    gsolve_csr csr;

    assert_int_equal(gsolve_read_matrix(&csr, s->ctx, source_path(s, "A.mtx"), NULL, NULL), 0);
    for (int k = 0; k < 2; k++) {
        gsolve_status status = GSOLVE_NO_MEMORY;
        for (int count = 0; status != GSOLVE_OK; count++) {
            assert_true(count < 50);
            snprintf(s->path, sizeof s->path, "%s/%s", s->folder, names[k]);
            gsolve_context_limit_allocations(s->ctx, count);
            status = gsolve_write_matrix(s->ctx, s->path, &csr, GSOLVE_GENERAL, NULL);
            gsolve_context_limit_allocations(s->ctx, -1);
            if (status != GSOLVE_OK) assert_int_equal(access(s->path, F_OK), -1);
        }
    }
    gsolve_csr_free(&csr, s->ctx);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(foreign_matrices),
                                       TEST(matlab_of_version_7),
                                       TEST(foreign_vectors),
                                       TEST(written_matrices),
                                       TEST(written_vectors),
                                       TEST(large),
                                       TEST(text),
                                       TEST(named_formats),
                                       TEST(refused_arrays),
                                       TEST(refused_vectors),
                                       TEST(damaged),
                                       TEST(damaged_content),
                                       TEST(expanding),
                                       TEST(denied),
                                       TEST(denied_writes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
