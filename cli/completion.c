/* completion.c: gsolve completion bash|zsh: the completion script of a shell. Its data, the
 * function _gsolve_words, comes from the tables of the commands and of the plug-ins. */
#include <string.h>

#include "cli/options.h"

/* --- data ------------------------------------------------------------------------------------ */

static void write_words(FILE *file, const char *words)
{
    for (; *words; words++) fputc(*words == '|' ? ' ' : *words, file);
}

/* The list whose plug-ins the option names: --solver one, --formats several; or NULL. */
static const char *list_of(const cli_option *o)
{
    static const char *const lists[] = {"solvers", "preconds", "formats", "devices"};
    const size_t length = strlen(o->name);

    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) {
        const size_t more = strlen(lists[k]) - length;
        if (strncmp(lists[k], o->name, length) == 0 && more <= 1) return lists[k];
    }
    return NULL;
}

/* What completes the option's argument: files, matrices, words, a list of plug-ins, "each" and such
 * a list (several specs), or nothing. */
static void write_argument(FILE *file, const cli_option *o)
{
    const char *list = list_of(o), *argument = o->argument;

    if (o->kind == CLI_WORD) {
        fprintf(file, "words ");
        write_words(file, argument);
    } else if (strcmp(o->name, "matrix") == 0) {
        fprintf(file, "matrices");
    } else if (strcmp(o->name, "rhs") == 0) {
        fprintf(file, "files ones random random,k= A*ones");
    } else if (list) {
        fprintf(file, "%s%s", strcmp(list, o->name) == 0 ? "each " : "", list);
    } else if (strstr(argument, "FILE")) {
        fprintf(file, "files");
        if (strchr(argument, '|')) fprintf(file, " %.*s", (int)strcspn(argument, "|"), argument);
    } else {
        fprintf(file, "nothing");
    }
}

static void write_command(FILE *file, const cli_command *command)
{
    fprintf(file, "    options:%s) echo", command->name);
    for (const cli_option *o = command->option; o->help; o++) {
        if (o->name) fprintf(file, " --%s", o->name);
        if (o->name && o->letter) fprintf(file, " -%c", o->letter);
    }
    fprintf(file, " ;;\n");
    for (const cli_option *o = command->option; o->help; o++) {
        if (!o->name || o->kind == CLI_FLAG) continue;
        fprintf(file, "    %s:--%s", command->name, o->name);
        if (o->letter) fprintf(file, " | %s:-%c", command->name, o->letter);
        fprintf(file, ") echo '");
        write_argument(file, o);
        fprintf(file, "' ;;\n");
    }
}

static void write_name(FILE *file, const char *list, const gsolve_plugin *plugin)
{
    fprintf(file, "    %s:%s) echo", list, plugin->name);
    for (const gsolve_option *o = plugin->option; o && o->key; o++) fprintf(file, " %s=", o->key);
    fprintf(file, " ;;\n");
    for (const gsolve_option *o = plugin->option; o && o->key; o++) {
        if (o->kind == GSOLVE_INT || o->kind == GSOLVE_REAL) continue;
        fprintf(file, "    %s:%s:%s) echo ", list, plugin->name, o->key);
        write_words(file, o->kind == GSOLVE_FLAG ? "0|1" : o->choices);
        fprintf(file, " ;;\n");
    }
}

/* One line of a list for each of its names, which the function of the shell prints together. */
static void write_list_name(FILE *file, const char *list, const gsolve_plugin *plugin)
{
    fprintf(file, "    [ \"$1\" != %s ] || echo %s\n", list, plugin->name);
}

static void write_data(FILE *file)
{
    fprintf(file, "# The names of a list.\n_gsolve_list() {\n");
    cli_each_plugin(file, write_list_name);
    fprintf(file, "    case $1 in solvers | preconds | devices) echo auto ;; esac\n}\n\n");
    fprintf(file,
            "# The words of: commands; options:COMMAND; COMMAND:OPTION (what its argument is); "
            "LIST:NAME (keys); LIST:NAME:KEY (values).\n_gsolve_words() {\n    case $1 in\n"
            "    commands) echo");
    for (const cli_command *c = cli_commands; c->name; c++) fprintf(file, " %s", c->name);
    fprintf(file, " help ;;\n");
    for (const cli_command *c = cli_commands; c->name; c++) write_command(file, c);
    cli_each_plugin(file, write_name);
    fprintf(file, "    esac\n}\n\n");
}

/* --- scripts ---------------------------------------------------------------------------------- */

/* Both shells: prints the candidates for the word $3 of the command $1 after the word $2, one in a
 * line; "files" stands for all file names. */
static const char candidates[] =
    "# The specs that begin with $2, of the list $1.\n"
    "_gsolve_specs() {\n"
    "    local head name last word\n"
    "    case $2 in\n"
    "    *,*) head=${2%,*}, name=${2%%,*} last=${2##*,} ;;\n"
    "    *) _gsolve_list \"$1\" && return ;;\n"
    "    esac\n"
    "    case $last in\n"
    "    *=*) for word in $(_gsolve_words \"$1:$name:${last%%=*}\"); do echo "
    "\"$head${last%%=*}=$word\"; done ;;\n"
    "    *) for word in $(_gsolve_words \"$1:$name\"); do echo \"$head$word\"; done ;;\n"
    "    esac\n"
    "}\n\n"
    "# A matrix: a file or gen:NAME,key=value.\n"
    "_gsolve_matrices() {\n"
    "    local word\n"
    "    case $1 in\n"
    "    gen:*) for word in $(_gsolve_specs generators \"${1#gen:}\"); do echo \"gen:$word\"; done "
    ";;\n"
    "    *) echo files gen: | tr ' ' '\\n' ;;\n"
    "    esac\n"
    "}\n\n"
    "# What the argument $1 can be, as _gsolve_words says it, for the word $2.\n"
    "_gsolve_arguments() {\n"
    "    local word\n"
    "    case $1 in\n"
    "    matrices) _gsolve_matrices \"$2\" ;;\n"
    "    words\\ *) echo \"${1#words }\" | tr ' ' '\\n' ;;\n"
    "    files*) echo \"$1\" | tr ' ' '\\n' ;;\n"
    "    nothing) ;;\n"
    "    each\\ *)\n"
    "        _gsolve_specs \"${1#each }\" \"$2\"\n"
    "        case $2 in\n"
    "        *,*) for word in $(_gsolve_list \"${1#each }\"); do echo \"${2%,*},$word\"; done ;;\n"
    "        esac ;;\n"
    "    *) _gsolve_specs \"$1\" \"$2\" ;;\n"
    "    esac\n"
    "}\n\n"
    "# The candidates for the word $3 of the command $1 after the word $2. The line \"files\" "
    "stands "
    "for file names.\n"
    "_gsolve_candidates() {\n"
    "    local argument list\n"
    "    argument=$(_gsolve_words \"$1:$2\")\n"
    "    if [ -n \"$argument\" ]; then\n"
    "        _gsolve_arguments \"$argument\" \"$3\"\n"
    "        return\n"
    "    fi\n"
    "    case $3 in\n"
    "    -*) _gsolve_words \"options:$1\" | tr ' ' '\\n' && return ;;\n"
    "    esac\n"
    "    [ \"$2\" != gsolve ] || _gsolve_words commands | tr ' ' '\\n'\n"
    "    case $1 in\n"
    "    help) _gsolve_words commands | tr ' ' '\\n' ;;\n"
    "    generate) _gsolve_specs generators \"$3\" ;;\n"
    "    convert) echo files ;;\n"
    "    list) for list in solvers preconds formats products generators devices; do\n"
    "        echo $list && _gsolve_list $list\n"
    "    done ;;\n"
    "    *) _gsolve_matrices \"$3\" ;;\n"
    "    esac\n"
    "}\n\n";

static const char bash[] =
    "_gsolve() {\n"
    "    local line=${COMP_LINE:0:COMP_POINT} cur='' previous command=solve prefix word list\n"
    "    local -a words\n"
    "    read -ra words <<<\"$line\"\n"
    "    [[ $line == *[[:blank:]] ]] || { cur=${words[-1]} && unset 'words[-1]'; }\n"
    "    previous=${words[-1]##*/}\n"
    "    if [[ \" $(_gsolve_words commands) \" == *\" ${words[1]} \"* ]]; then "
    "command=${words[1]}; "
    "fi\n"
    "    prefix=$cur\n"
    "    if [[ $cur == --*=* ]]; then previous=${cur%%=*} cur=${cur#*=}; fi\n"
    "    prefix=${prefix%\"$cur\"}\n"
    "    list=$(_gsolve_candidates \"$command\" \"$previous\" \"$cur\")\n"
    "    COMPREPLY=()\n"
    "    while IFS= read -r word; do\n"
    "        if [[ $word == files ]]; then\n"
    "            compopt -o filenames 2>/dev/null\n"
    "            while IFS= read -r word; do COMPREPLY+=(\"$word\"); done < <(compgen -f -- "
    "\"$cur\")\n"
    "        elif [[ -n $word && $word == \"$cur\"* ]]; then\n"
    "            [[ $word != *[=:,] && $cur != *,* ]] || compopt -o nospace 2>/dev/null\n"
    "            COMPREPLY+=(\"$word\")\n"
    "        fi\n"
    "    done <<<\"$list\"\n"
    "    # readline completes only what follows the last of its own word breaks\n"
    "    word=$prefix$cur\n"
    "    if [[ $COMP_WORDBREAKS == *=* && $word == *=* ]]; then prefix=${word%\"${word##*=}\"}; "
    "fi\n"
    "    if [[ $COMP_WORDBREAKS == *:* && $word == *:* && ${word##*:} != *=* ]]; then "
    "prefix=${word%\"${word##*:}\"}; fi\n"
    "    if [[ $cur != \"$word\" ]]; then COMPREPLY=(\"${COMPREPLY[@]/#/${word%\"$cur\"}}\"); fi\n"
    "    COMPREPLY=(\"${COMPREPLY[@]#\"$prefix\"}\")\n"
    "}\n"
    "complete -F _gsolve gsolve\n";

static const char zsh[] =
    "_gsolve() {\n"
    "    local cur=${words[CURRENT]} previous=${words[CURRENT-1]} command=solve line\n"
    "    local -a list plain open\n"
    "    if [[ \" $(_gsolve_words commands) \" == *\" ${words[2]} \"* ]]; then "
    "command=${words[2]}; "
    "fi\n"
    "    (( CURRENT > 2 )) || previous=gsolve\n"
    "    if [[ $cur == --*=* ]]; then\n"
    "        previous=${cur%%=*} cur=${cur#*=}\n"
    "        compset -P '*='\n"
    "    fi\n"
    "    list=(${(f)\"$(setopt shwordsplit; _gsolve_candidates $command $previous $cur)\"})\n"
    "    for line in $list; do\n"
    "        if [[ $line == files ]]; then\n"
    "            _files\n"
    "        elif [[ $line == *[=:,] || $cur == *,* ]]; then\n"
    "            open+=($line)\n"
    "        else\n"
    "            plain+=($line)\n"
    "        fi\n"
    "    done\n"
    "    (( ! $#plain )) || compadd -- $plain\n"
    "    (( ! $#open )) || compadd -S '' -- $open\n"
    "}\n"
    "if [[ $funcstack[1] == _gsolve ]]; then _gsolve \"$@\"; else compdef _gsolve gsolve; fi\n";

int cli_completion(cli *c, const char *shell, FILE *file)
{
    const bool is_zsh = shell && strcmp(shell, "zsh") == 0;

    if (!is_zsh && (!shell || strcmp(shell, "bash") != 0)) {
        return cli_fail(c, "the shells are bash and zsh; write gsolve completion bash");
    }
    if (is_zsh) fprintf(file, "#compdef gsolve\n");
    fprintf(file, "# Completion of the command gsolve in %s; made by: gsolve completion %s\n\n",
            shell, shell);
    write_data(file);
    fprintf(file, "%s%s", candidates, is_zsh ? zsh : bash);
    return 0;
}
