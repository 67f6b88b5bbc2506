/* unknown.c: names the format of a file that gsolve does not read, and says how to convert it. */
#include "io/unknown.h"

#include <string.h>
#include <strings.h>

#include "io/number.h"

typedef struct format { /* a format that is recognised by its first bytes */
    int64_t at;
    int length; /* of magic */
    const char *magic;
    const char *name, *advice;
} format;

#define SAVE_NPZ "write it with scipy.sparse.save_npz(\"A.npz\", A)"
#define GZIP_IT  "unpack it first: "

static const format formats[] = {
    {0, 8, "\x89HDF\r\n\x1a\n", "an HDF5 file",
     "read its arrays with h5py in Python and " SAVE_NPZ ", A = csc_matrix((data, ir, jc))"},
    {0, 4,
     "\x7f"
     "ELF",
     "a program or library (ELF)", "give the file of the matrix"},
    {0, 5, "%PDF-", "a PDF document", "give the file of the matrix"},
    {0, 4, "\x89PNG", "a picture (PNG)", "give the file of the matrix"},
    {0, 3, "\xff\xd8\xff", "a picture (JPEG)", "give the file of the matrix"},
    {0, 4, "GIF8", "a picture (GIF)", "give the file of the matrix"},
    {0, 8, "gscache", "the binary copy of a matrix that --cache keeps",
     "give the file that it was made from, with --cache"},
    {0, 8, "gssetup", "a set-up of gsolve", "give it with --setup, and the matrix with -A"},
    {0, 2, "\x80\2", "a pickled Python object", "in Python: A = pickle.load(f), then " SAVE_NPZ},
    {0, 2, "\x80\3", "a pickled Python object", "in Python: A = pickle.load(f), then " SAVE_NPZ},
    {0, 2, "\x80\4", "a pickled Python object", "in Python: A = pickle.load(f), then " SAVE_NPZ},
    {0, 2, "\x80\5", "a pickled Python object", "in Python: A = pickle.load(f), then " SAVE_NPZ},
    {0, 6, "7z\xbc\xaf\x27\x1c", "a 7-Zip archive", GZIP_IT "7z x FILE"},
    {0, 6, "Rar!\x1a\x07", "a RAR archive", GZIP_IT "unrar x FILE"},
    {257, 5, "ustar", "a tar archive, perhaps of the SuiteSparse collection",
     GZIP_IT "tar -xf FILE, and give the .mtx file that it holds"},
    {0, 2, "\x1f\x9d", "a file of the program compress", GZIP_IT "gzip -dk FILE"},
    {0, 4, "\x04\x22\x4d\x18", "a file of the program lz4", GZIP_IT "lz4 -dk FILE"},
    {0, 4, "PAR1", "a Parquet file", "in Python: pandas.read_parquet, then " SAVE_NPZ},
    {0, 15, "SQLite format 3", "an SQLite database", "write the entries as Matrix Market"},
    {0, 42, "version https://git-lfs.github.com/spec/v1",
     "a pointer of Git LFS, not the file itself", "fetch the file with git lfs pull"},
    {0, 16, "# Created by Oct", "an Octave text file",
     "in Octave: load FILE, then mmwrite(\"A.mtx\", A), or save -v7 A.mat A"},
    {0, 9, "<!DOCTYPE", "a page of HTML, such as the error page of a download",
     "look at it with a browser, and download the matrix again"},
    {0, 5, "<html", "a page of HTML, such as the error page of a download",
     "look at it with a browser, and download the matrix again"},
    {0, 5, "<?xml", "an XML file", "write the matrix as Matrix Market"},
    {0, 2, "\xff\xfe", "a text of 16-bit characters (UTF-16)",
     "convert it: iconv -f UTF-16 -t ASCII FILE > A.mtx"},
    {0, 2, "\xfe\xff", "a text of 16-bit characters (UTF-16)",
     "convert it: iconv -f UTF-16 -t ASCII FILE > A.mtx"},
    {0, 3, "\xef\xbb\xbf", "a text that begins with a byte order mark (UTF-8 with BOM)",
     "remove the mark: tail -c +4 FILE > A.mtx"},
    {0, 1, "{", "a JSON file", "write the matrix as Matrix Market or with scipy.sparse.save_npz"},
};

static const format *recognise(const gs_input *in)
{
    const int64_t size = in->end - in->begin;

    for (size_t k = 0; k < sizeof formats / sizeof *formats; k++) {
        const format *f = &formats[k];
        if (size >= f->at + f->length &&
            strncasecmp(in->begin + f->at, f->magic, (size_t)f->length) == 0) {
            return f;
        }
    }
    return NULL;
}

bool gs_unknown_is(const gs_input *in)
{
    return recognise(in) != NULL;
}

/* The first line that is no comment. */
static gs_word first_line(const gs_input *in)
{
    const char *p = in->begin;

    while (p < in->end) {
        const char *word = gs_skip_blanks(p, in->end), *end = gs_line_end(p, in->end);
        if (word < end && *word != '#' && *word != '%') return (gs_word){word, end};
        p = end < in->end ? end + 1 : end;
    }
    return (gs_word){p, p};
}

/* The numbers in a line that contains nothing else but separators; 0: it contains other things. */
static int count_numbers(gs_word line, char *separator)
{
    int count = 0;
    gs_real real;

    *separator = ' ';
    for (const char *p = line.begin; p < line.end;) {
        p = gs_number_read(p, line.end, 0, &real);
        if (!p) return 0;
        count++;
        p = gs_skip_blanks(p, line.end);
        if (p < line.end && (*p == ',' || *p == ';')) *separator = *p++;
        p = gs_skip_blanks(p, line.end);
    }
    return count;
}

static gsolve_status refuse_text(const gs_input *in, const char *wanted)
{
    const gs_word line = first_line(in);
    const char *p = in->begin;
    char token[GS_TOKEN], separator;
    const int count = count_numbers(line, &separator);
    const bool misspelt = in->end - p > 8 && strncasecmp(p, "%%Matrix", 8) == 0;

    if (count && separator != ' ' && !misspelt) {
        return gs_input_fail(in, line.begin,
                             "the numbers are separated by '%c' (CSV); gsolve reads numbers "
                             "separated by blanks: tr '%c' ' ' < FILE > FILE.txt",
                             separator, separator);
    }
    if (count && !misspelt) {
        return gs_input_fail(
            in, line.begin,
            "the file is a text with %d number%s in its first line, without a header. If its lines "
            "are ROW COLUMN VALUE, put two lines before them: %s matrix coordinate real general, "
            "and ROWS COLUMNS ENTRIES; a vector is given with -b",
            count, count > 1 ? "s" : "", GS_MARKET_BANNER);
    }
    gs_input_token(token, p, gs_line_end(p, in->end));
    return gs_input_fail(in, p, "the file begins with '%s'; %s", token, wanted);
}

gsolve_status gs_unknown(const gs_input *in, bool dense)
{
    const int64_t size = in->end - in->begin;
    const format *f = recognise(in);
    const char *p = in->begin;

    if (f) {
        return gs_input_fail(in, p, "the file is %s; %s", f->name, f->advice);
    }
    if (memchr(p, 0, (size_t)(size < 4096 ? size : 4096))) {
        return gs_input_fail(
            in, p,
            "the file is binary; gsolve reads Matrix Market, Rutherford-Boeing, "
            "Harwell-Boeing, NumPy and SciPy (.npy, .npz), PETSc and MATLAB files, "
            "also compressed");
    }
    return refuse_text(
        in, dense ? "a Matrix Market file must begin with " GS_MARKET_BANNER
                    ", and a text of numbers with a number"
                  : "a Matrix Market file must begin with " GS_MARKET_BANNER ", and the third line "
                    "of a Rutherford-Boeing or Harwell-Boeing file must begin with a type such as "
                    "rua");
}
