/* plugin_notes.h: what gsolve list NAME says of a plug-in besides its summary and its options. */
#ifndef GS_CLI_PLUGIN_NOTES_H
#define GS_CLI_PLUGIN_NOTES_H

#include <stddef.h>

typedef struct cli_note {
    const char *list;    /* "solvers" */
    const char *name;    /* of the plug-in */
    const char *needs;   /* requirements */
    const char *source;  /* authors and year, or what it is */
    const char *example; /* a command that runs, or NULL: made from the name */
} cli_note;

/* The note on a plug-in of a list, or NULL. */
const cli_note *cli_find_note(const char *list, const char *name);

/* text = a command that uses the plug-in, or "" for the products of matrices. */
void cli_example_of(const char *list, const char *name, char *text, size_t size);

#endif
