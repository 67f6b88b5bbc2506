/* diagnosis.h: what the command says about a system that it did not solve: the cause, the remedy,
 * and the command line that does what the remedy says. */
#ifndef GS_CLI_DIAGNOSIS_H
#define GS_CLI_DIAGNOSIS_H

#include "cli/json.h"

enum { CLI_COMMAND_LENGTH = 4096 };

/* Appends a blank, unless text is empty, and the word, in quotes where a shell would change it. */
void cli_append_word(char text[CLI_COMMAND_LENGTH], const char *word);

/* text = the command line of c with what the diagnosis changes, for a shell; "" if the diagnosis
 * has no remedy. */
void cli_remedy_command(const cli *c, const gsolve_diagnosis *d, char text[CLI_COMMAND_LENGTH]);

/* Prints the remedy and its command, if there is one. */
void cli_say_remedy(const cli *c, const gsolve_diagnosis *d);

/* cli_fail with the cause, the remedy and its command, in a line. */
int cli_fail_diagnosed(cli *c, const gsolve_diagnosis *d);

/* Refuses a method that the statistics of A exclude, unless --force is given. Returns 0 or
 * CLI_ERROR. */
int cli_check_method(cli *c, const gsolve_matrix *A);

/* *d and text[size] = diagnosis and explanation of the attempt t of S, which has ended. note: of
 * its method. */
void cli_explain_attempt(const cli *c, gsolve_auto *S, const gsolve_attempt *t, const char *note,
                         gsolve_diagnosis *d, char *text, size_t size);

/* Adds the keys explanation, cause_name, cause, remedy and command. explanation: of a solve that
 * did what it should. */
void cli_diagnosis_json(cJSON *object, const cli *c, const gsolve_diagnosis *d,
                        const char *explanation);

#endif
