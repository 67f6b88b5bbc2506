/* suggest.h: the name that the author of an unknown name, key or word probably meant. */
#ifndef GS_CORE_SUGGEST_H
#define GS_CORE_SUGGEST_H

#include <stdbool.h>
#include <stddef.h>

/* A row of the table of synonyms: words under which users of other libraries know a name. */
typedef struct gs_synonym {
    const char *kind;  /* "method", "preconditioner", ..., "option" or "word", see gs_suggest */
    const char *name;  /* a name, or a spec with options, such as "direct,factor=lu" */
    const char *words; /* separated by blanks; lower-case letters and digits only */
    bool similar;      /* another algorithm, the most similar one that gsolve has */
} gs_synonym;

extern const gs_synonym gs_synonyms[]; /* ends with a NULL kind */

/* The names of the plug-ins that are often given as another kind: "'ilu' is a preconditioner". Ends
 * with a NULL kind. */
extern const gs_synonym gs_kinds_of_names[];

/* Returns the names at index 0, 1, ... and NULL after the last one. */
typedef const char *gs_name_at(const void *user, int index);

typedef enum gs_relation {
    GS_NO_SUGGESTION,
    GS_NEAREST, /* a typo */
    GS_SYNONYM, /* another word for the name */
    GS_SIMILAR, /* gsolve does not have what was meant */
    GS_SIMILAR_OTHER_KIND,
    GS_OTHER_KIND,     /* the name of another kind */
    GS_NOT_IN_LIST,    /* a synonym whose name is not in the list: not in this build */
    GS_WRONG_SEPARATOR /* a name, and options after another character than a comma */
} gs_relation;

typedef struct gs_suggestion {
    gs_relation relation;
    const char *kind; /* of name */
    char name[64];    /* a name, perhaps with options */
} gs_suggestion;

/* Finds the name for an unknown word of this kind: "method", "preconditioner", "format", "device",
 * "generator", "product", "type", "option" (a key) or "word" (of a value). Letters are compared
 * without their case, and punctuation is ignored: "ILU(0)" is "ilu0". */
void gs_suggest(gs_suggestion *s, const char *kind, const char *word, gs_name_at *name_at,
                const void *user);

/* text = the suggestion in parentheses with a blank before it, such as " (did you mean 'gmres'?)",
 * or "". given: the unknown word. */
void gs_suggest_text(char *text, size_t size, const gs_suggestion *s, const char *given);

#endif
