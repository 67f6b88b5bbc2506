/* suggest.c: the nearest name, by synonyms and by the distance of optimal string alignment. */
#include "core/suggest.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "gsolve_plugin.h"

enum { MOST = 32 }; /* letters of a word that are compared, and a zero */

/* to = the letters and digits of word, in lower case. */
static void normalise(const char *word, char to[MOST])
{
    int length = 0;

    for (; *word && length < MOST - 1; word++) {
        if (isalnum((unsigned char)*word)) to[length++] = (char)tolower((unsigned char)*word);
    }
    to[length] = 0;
}

static int minimum(int a, int b)
{
    return a < b ? a : b;
}

/* The number of letters to insert, delete, replace or swap with the next one that change a into b
 * (optimal string alignment); only the first 31 letters of each are compared. */
static int distance(const char *a, const char *b)
{
    int d[MOST][MOST];
    const int m = (int)strnlen(a, MOST - 1), n = (int)strnlen(b, MOST - 1);

    for (int i = 0; i <= m; i++) {
        for (int j = 0; j <= n; j++) {
            if (i == 0 || j == 0) {
                d[i][j] = i + j;
                continue;
            }
            d[i][j] = minimum(d[i - 1][j - 1] + (a[i - 1] != b[j - 1]),
                              minimum(d[i - 1][j], d[i][j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                d[i][j] = minimum(d[i][j], d[i - 2][j - 2] + 1);
            }
        }
    }
    return d[m][n];
}

/* The name nearest to word, or NULL if none is near. A word that begins a name is near. */
static const char *nearest(const char *word, gs_name_at *name_at, const void *user)
{
    const char *name, *found = NULL;
    const size_t length = strlen(word);
    int least = 1 + (minimum((int)length, MOST - 1) + 2) /
                        3; /* names at this distance or more are not near */

    for (int k = 0; length > 0 && (name = name_at(user, k)); k++) {
        char lower[MOST] = "", given[MOST] = "";
        for (int i = 0; i < MOST - 1 && name[i]; i++) {
            lower[i] = (char)tolower((unsigned char)name[i]);
        }
        for (int i = 0; i < MOST - 1 && word[i]; i++) {
            given[i] = (char)tolower((unsigned char)word[i]);
        }
        const int far = strncmp(lower, given, length) == 0 ? 0 : distance(given, lower);
        if (far < least) {
            least = far;
            found = name;
        }
    }
    return found;
}

/* --- synonyms --------------------------------------------------------------------------------- */

/* Whether `words`, separated by blanks, have the normalised word. */
static bool has_word(const char *words, const char *word)
{
    char each[MOST];

    for (const char *at = words; *at; at += strspn(at, " ")) {
        const size_t length = strcspn(at, " ");
        snprintf(each, sizeof each, "%.*s", (int)length, at);
        normalise(each, each);
        if (strcmp(each, word) == 0) return true;
        at += length;
    }
    return false;
}

/* The name of the list that spec names, or NULL. */
static const char *listed(const char *spec, gs_name_at *name_at, const void *user)
{
    const size_t length = strcspn(spec, ",");
    const char *name;

    for (int k = 0; (name = name_at(user, k)); k++) {
        if (strlen(name) == length && strncmp(name, spec, length) == 0) return name;
    }
    return NULL;
}

/* The name of the list that is word but for case and punctuation, or NULL. */
static const char *same_letters(const char *word, gs_name_at *name_at, const void *user)
{
    char letters[MOST];
    const char *name;

    for (int k = 0; (name = name_at(user, k)); k++) {
        normalise(name, letters);
        if (word[0] && strcmp(letters, word) == 0) return name;
    }
    return NULL;
}

static void set(gs_suggestion *s, gs_relation relation, const char *kind, const char *name)
{
    s->relation = relation;
    s->kind = kind;
    snprintf(s->name, sizeof s->name, "%s", name);
}

/* Keys and words depend on their plug-in, so a synonym that the list lacks says nothing. */
static bool is_name(const char *kind)
{
    return strcmp(kind, "option") != 0 && strcmp(kind, "word") != 0 && strcmp(kind, "type") != 0;
}

/* The synonym of this kind. */
static bool find_synonym(gs_suggestion *s, const char *kind, const char *word, gs_name_at *name_at,
                         const void *user)
{
    for (const gs_synonym *t = gs_synonyms; t->kind; t++) {
        if (strcmp(t->kind, kind) != 0 || !has_word(t->words, word)) continue;
        if (listed(t->name, name_at, user)) {
            set(s, t->similar ? GS_SIMILAR : GS_SYNONYM, kind, t->name);
            return true;
        }
        if (is_name(kind)) set(s, GS_NOT_IN_LIST, kind, t->name);
    }
    return s->relation != GS_NO_SUGGESTION;
}

/* The name or synonym of another kind. */
static bool find_other_kind(gs_suggestion *s, const char *kind, const char *word)
{
    const gs_synonym *const tables[] = {gs_kinds_of_names, gs_synonyms};
    char name[MOST];

    for (int table = 0; is_name(kind) && table < 2; table++) {
        for (const gs_synonym *t = tables[table]; t->kind; t++) {
            if (strcmp(t->kind, kind) == 0 || strcmp(t->kind, "list") == 0 || !is_name(t->kind) ||
                !has_word(t->words, word)) {
                continue;
            }
            set(s, t->similar ? GS_SIMILAR_OTHER_KIND : GS_OTHER_KIND, t->kind, t->name);
            for (const char *at = t->words; !t->name[0] && *at; at += strspn(at, " ")) {
                snprintf(s->name, sizeof s->name, "%.*s", (int)strcspn(at, " "), at);
                normalise(s->name, name);
                if (strcmp(name, word) == 0) return true;
                at += strcspn(at, " ");
            }
            return true;
        }
    }
    return false;
}

/* --- suggestions ------------------------------------------------------------------------------ */

/* "cuda:1" and "gpu1" are "cuda,index=1". */
static bool find_numbered_device(gs_suggestion *s, const char *kind, const char *word,
                                 gs_name_at *name_at, const void *user)
{
    const size_t letters = strcspn(word, "0123456789");
    char stem[MOST];
    const size_t digits = strspn(word + letters, "0123456789");

    if (strcmp(kind, "device") != 0 || digits == 0 || word[letters + digits]) return false;
    snprintf(stem, sizeof stem, "%.*s", (int)letters, word);
    if (strcmp(stem, "cuda") != 0 && !find_synonym(s, kind, stem, name_at, user)) return false;
    if (strcmp(stem, "cuda") != 0 && strcmp(s->name, "cuda") != 0) return false;
    set(s, listed("cuda", name_at, user) ? GS_SYNONYM : GS_NOT_IN_LIST, kind, "cuda,index=");
    snprintf(s->name + strlen(s->name), sizeof s->name - strlen(s->name), "%.4s", word + letters);
    return true;
}

/* "gmres(50)", "gmres:restart=50" and "gmres restart=50" begin with a name. */
static bool find_separator(gs_suggestion *s, const char *given, gs_name_at *name_at,
                           const void *user)
{
    char head[MOST];
    const size_t length = strcspn(given, " \t(:;=[{/");
    const char *name;

    if (!given[length] || length == 0) return false;
    snprintf(head, sizeof head, "%.*s", (int)length, given);
    normalise(head, head);
    name = same_letters(head, name_at, user);
    if (name) set(s, GS_WRONG_SEPARATOR, NULL, name);
    return name != NULL;
}

void gs_suggest(gs_suggestion *s, const char *kind, const char *word, gs_name_at *name_at,
                const void *user)
{
    char letters[MOST];
    const char *name;

    set(s, GS_NO_SUGGESTION, NULL, "");
    normalise(word, letters);
    name = same_letters(letters, name_at, user);
    if (name) {
        set(s, GS_NEAREST, kind, name);
        return;
    }
    if (!letters[0] || find_synonym(s, kind, letters, name_at, user)) return;
    if (find_numbered_device(s, kind, letters, name_at, user)) return;
    if (is_name(kind) && find_separator(s, word, name_at, user)) return;
    if (find_other_kind(s, kind, letters)) return;
    name = nearest(word, name_at, user);
    if (name) set(s, GS_NEAREST, kind, name);
}

void gs_suggest_text(char *text, size_t size, const gs_suggestion *s, const char *given)
{
    const char *article = s->kind && strchr("aeiou", s->kind[0]) ? "an" : "a";

    switch (s->relation) {
    case GS_NO_SUGGESTION: snprintf(text, size, "%s", ""); break;
    case GS_NEAREST: snprintf(text, size, " (did you mean '%s'?)", s->name); break;
    case GS_SYNONYM: snprintf(text, size, " (gsolve calls it '%s')", s->name); break;
    case GS_SIMILAR:
        snprintf(text, size, " (gsolve does not have it; the most similar one is '%s')", s->name);
        break;
    case GS_SIMILAR_OTHER_KIND:
        snprintf(text, size, " (gsolve does not have it; the most similar one is the %s '%s')",
                 s->kind, s->name);
        break;
    case GS_OTHER_KIND:
        if (strcasecmp(given, s->name) == 0) {
            snprintf(text, size, " ('%s' is %s %s)", s->name, article, s->kind);
        } else {
            snprintf(text, size, " (gsolve has it as the %s '%s')", s->kind, s->name);
        }
        break;
    case GS_NOT_IN_LIST:
        snprintf(text, size, " (gsolve calls it '%s'; this build does not have it)", s->name);
        break;
    case GS_WRONG_SEPARATOR:
        snprintf(text, size, " (options follow the name after commas: '%s,key=value')", s->name);
        break;
    }
}

const char *gsolve_nearest_name(const char *kind, const char *word,
                                const char *(*name_at)(const void *user, int index),
                                const void *user)
{
    gs_suggestion s;

    if (!kind || !word || !name_at) return NULL;
    gs_suggest(&s, kind, word, name_at, user);
    return listed(s.name, name_at, user);
}
