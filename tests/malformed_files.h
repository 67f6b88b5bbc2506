/* malformed_files.h: texts that are no matrix, with the line and a part of the error sentence. */
#ifndef TESTS_MALFORMED_FILES_H
#define TESTS_MALFORMED_FILES_H

#define MM      "%%MatrixMarket matrix "
#define GENERAL MM "coordinate real general\n"
#define TITLE   "A title                                                                 KEY     \n"

#define RB(type, body) TITLE "3 1 1 1\n" type "\n(3I2)           (2I2)           (2F4.1)\n" body

static const struct {
    int line;
    const char *text, *says; /* says: a part of the sentence */
} malformed_files[] = {
    {1, "hello\nworld\n", "begins with 'hello'"},
    {1, "%%MatrixMarkt matrix\n", "begins with"},
    {1,
     "\x7f"
     "ELF",
     "a program or library (ELF)"},
    {1, "%%MatrixMarket\n1 1 1\n", "object"},
    {1, MM "coordinate\n", "field"},
    {1, MM "dense real general\n", "'dense'; it must be one of coordinate and array"},
    {1, MM "coordinate quaternion general\n", "'quaternion'"},
    {1, MM "coordinate complex general\n1 1 1\n1 1 1 1\n", "complex"},
    {1, MM "coordinate complex hermitian\n1 1 1\n1 1 1 1\n", "complex"},
    {1, MM "coordinate real triangular\n", "'triangular'"},
    {1, MM "coordinate pattern skew-symmetric\n1 1 0\n", "skew-symmetric"},
    {1, MM "array pattern general\n1 1\n", "array"},
    {2, GENERAL, "ends before the line with the numbers of rows"},
    {4, GENERAL "% only\n% comments\n", "ends before the line with the numbers of rows"},
    {2, GENERAL "2 2\n1 1 1\n", "number of entries is missing"},
    {2, GENERAL "2 x 1\n", "number of columns is 'x'"},
    {2, GENERAL "-1 2 1\n", "number of rows is '-1'"},
    {2, GENERAL "2147483648 2 1\n1 1 1\n", "number of rows is '2147483648'"},
    {2, GENERAL "99999999999999999999999999 2 1\n1 1 1\n", "number of rows"},
    {2, GENERAL "2 2 1 7\n1 1 1\n", "unexpected '7' after the sizes"},
    {2, GENERAL "2000000000 2 1\n1 1 1\n", "far too"},
    {2, GENERAL "2 2 1000000000000\n1 1 1\n", "truncated"},
    {2, MM "array real general\n2000000000 2000000000\n1\n", "truncated"},
    {2, MM "coordinate real symmetric\n2 3 1\n1 1 1\n", "square"},
    {3, GENERAL "2 2 1\n0 1 1\n", "the row is '0'; it must be a whole number from 1 to 2"},
    {3, GENERAL "2 2 1\n3 1 1\n", "the row is '3'"},
    {3, GENERAL "2 2 1\n1 3 1\n", "the column is '3'"},
    {3, GENERAL "2 2 1\n1 -1 1\n", "the column is '-1'"},
    {3, GENERAL "2 2 1\n1.5 1 1\n", "the row is '1.5'"},
    {4, GENERAL "2 2 2\n1 1 1.0000\n1\n", "the column is missing"},
    {3, GENERAL "2 2 1\n1 1\n  \n", "the value is missing"},
    {3, GENERAL "2 2 1\n1 1 nan\n", "the value is 'nan'"},
    {3, GENERAL "2 2 1\n1 1 -inf\n", "the value is '-inf'"},
    {3, GENERAL "2 2 1\n1 1 1e999\n", "the value is '1e999'"},
    {3, GENERAL "2 2 1\n1 1 0x10\n", "the value is '0x10'"},
    {3, GENERAL "2 2 1\n1 1 1,5\n", "the value is '1,5'"},
    {3, GENERAL "2 2 1\n1 1 1 2\n", "unexpected '2'"},
    {3, MM "coordinate pattern general\n2 2 1\n1 1 1\n", "unexpected '1'"},
    {3, MM "coordinate integer general\n2 2 1\n1 1 1.5\n", "whole number"},
    {3, MM "array real general\n1 2\n1 2\n3\n", "unexpected '2'"},
    {4, GENERAL "2 2 1\n1 1 1\n2 2 2\n", "one entry more than the 1 that the header declares"},
    {5, GENERAL "2 2 3\n1 1 1.0000\n2 2 2\n", "ends after 2 of the 3 entries"},
    {7, GENERAL "2 2 3\n1 1 1.000\n2 2 2\n%\n\n", "ends after 2 of the 3 entries"},
    {4, MM "array real general\n2 1\n1.00\n", "ends after 1 of the 2 entries"},
    {6, MM "coordinate real symmetric\n3 3 3\n1 2 1\n% c\n1 3 1\n3 2 1\n",
     "row 3 and column 2 (counted from 1) and those before it lie on"},
    {4, MM "coordinate real skew-symmetric\n2 2 2\n2 1 1\n1 2 1\n", "different sides"},
    {3, MM "coordinate real skew-symmetric\n2 2 1\n2 2 5\n", "is 5; it must be 0"},
    {3, RB("cua 2 2 1 0", ""), "complex"},
    {3, RB("rue 2 2 1 0", ""), "assembled matrices only"},
    {3, RB("qua 2 2 1 0", ""), "another file"},
    {3, RB("rsa 2 1 1 0", ""), "square"},
    {3, RB("rua 2 x 1 0", ""), "number of columns is 'x'"},
    {3, RB("rua 2 2 99999999 0", ""), "truncated"},
    {2, TITLE "3 1\nrua 2 2 1 0\n", "four or five"},
    {4, TITLE "3 1 1 1\nrua 2 2 1 0\n(3A2) (1I2) (1F4.1)\n 1 2 2\n", "'(3A2)'"},
    {4, TITLE "3 1 1 1\nrua 2 2 1 0\n(3I2) (1F4.1) (1F4.1)\n 1 2 2\n", "'(1F4.1)'"},
    {4, TITLE "3 1 1 1\nrua 2 2 1 0\n(3I2) (1I2)\n 1 2 2\n", "the values is ''"},
    {5, RB("rua 2 2 1 0", " 1 3 2\n 1\n 1.0\n"), "column pointer is ' 3'"},
    {5, RB("rua 2 2 1 0", " 2 2 2\n 1\n 1.0\n"), "column pointer is ' 2'"},
    {6, RB("rua 2 2 1 0", " 1 2 2\n 3\n 1.0\n"), "row number is ' 3'"},
    {7, RB("rua 2 2 1 0", " 1 2 2\n 1\n  x \n"), "value is '  x '"},
    {7, RB("rua 2 2 1 0", " 1 2 2\n 1\n nan\n"), "value is ' nan'"},
    {7, RB("rua 2 2 1 0", " 1 2 2\n 1\n1 1.\n"),
     "it must be a finite decimal number in the columns"},
    {7, RB("rua 2 2 1 0", " 1 2 2\n 1\n"), "ends before the last value"},
    {6, RB("rsa 2 2 2 0", " 1 2 3\n 2 1\n 1.0 1.0\n"), "different sides"},
    {7, RB("rza 2 2 1 0", " 1 2 2\n 1\n 1.0\n"), "must be 0"},
};

enum { MALFORMED_FILES = sizeof malformed_files / sizeof *malformed_files };

#endif
