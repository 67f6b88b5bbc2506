/* source.h: formats of files. */
#ifndef GS_CLI_SOURCE_H
#define GS_CLI_SOURCE_H

#include "cli/cli.h"

/* words = what the file implies: "; symmetric: the file holds one triangle; integer values", and
 * the number of duplicates; "" if nothing. */
void cli_source_words(char *words, size_t size, const gsolve_source *source);

/* The formats that the name of an output file chooses: Matrix Market; vectors and dense matrices
 * only; PETSc, and SciPy's for matrices. */
bool cli_is_market_name(const char *path);
bool cli_is_dense_name(const char *path);
bool cli_is_binary_name(const char *path);

#endif
