#!/usr/bin/env python3
"""Measures the source of the library and the command: size, functions, casts, cycles, words. See measure_code.sh."""

import argparse
import bisect
import collections
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "tests"))
import check_cycles  # noqa: E402

# --- words ------------------------------------------------------------------------------------------------------------

# The words that the glossary replaces, with their inflected forms. First those that have no other use in this field:
PRIVATE = {
    "glance": "glance glances glanced",
    "look": "look looks looked looking",
    "seen": "seen",
    "tally": "tally tallies tallied tallying",
    "kin": "kin",
    "strewn": "strewn",
    "scattered": "scattered",
    "likely": "likely",
    "foresee": "foresee foresees foreseen foresaw foreseeing",
    "forecast": "forecast forecasts",
    "outlook": "outlook outlooks",
    "prospect": "prospect prospects",
    "told": "told foretold",
    "announce": "announce announces announced announcing",
    "judge": "judge judges judged judging judgement",
    "settle": "settle settles settled settling",
    "courier": "courier couriers",
    "crew": "crew crews",
    "seat": "seat seats seated",
    "flip": "flip flips flipped flipping",
    "mend": "mend mends mended mending",
    "by rows / by columns": ["by rows", "by columns"],
    "side by side": ["side by side"],
    "made again": ["made again", "make again", "makes again"],
    "anew": "anew afresh",
    "the way / ways": ["the way", "the ways"],
}
# ... then those that also have an ordinary use ("the whole block", "an early return"), so that some may stay:
AMBIGUOUS = {
    "turn": "turn turns turned turning",
    "carry": "carry carries carried carrying",
    "early": "early",
    "team": "team teams",
    "ring": "ring rings",
    "window": "window windows",
    "strip": "strip strips",
    "whole": "whole",
    "adopt": "adopt adopts adopted adopting",
    "take": "take takes took taken taking",
    "room": "room rooms",
}
# Public names of the second table.
PUBLIC = """gsolve_traits gsolve_csr_examine gsolve_outlook gsolve_turn gsolve_matrix_turn gsolve_glance gsolve_prospect
gsolve_matrix_forecast gsolve_solver_forecast gsolve_matrix_take gsolve_precond_varies gsolve_precond_runs
gsolve_solver_watch gsolve_solver_profiled gsolve_choose gsolve_context_grant GSOLVE_BY_COLUMNS GSOLVE_BY_ROWS
gsolve_place""".split()
# Sentences of the third table, as regular expressions.
SENTENCES = ["computed afresh", "by its signs and row sums", "which paid after", "no new least residual in so many",
             "entries are announced, but only", "is one word too many", "is to be read and to be written",
             "every time is the median", "not fallen to .{1,20} yet", "[Rr]ows sum to nothing",
             "what columns share is divided", "neither the row before nor its own end", "[Ss]o little nobody waits for"]

# --- reading ----------------------------------------------------------------------------------------------------------

TOKEN = re.compile(
    r"""(?P<comment>/\*.*?\*/|//[^\n]*)
      | (?P<string>(?:u8|[LuU])?"(?:\\.|[^"\\\n])*")
      | (?P<char>'(?:\\.|[^'\\\n])+')
      | (?P<word>[A-Za-z_]\w*)
      | (?P<number>\.?\d(?:[eEpP][+-]|[\w.'])*)
      | (?P<mark>->|::|<<<|>>>|\.\.\.|[^\s\w])""",
    re.X | re.S)

Token = collections.namedtuple("Token", "kind text line directive")
Function = collections.namedtuple("Function", "name path line lines parameters static body")  # parameters: token lists


class Source:
    """A formatted file: its tokens, and which of its lines hold code and comments."""

    def __init__(self, root, path):
        self.path = path
        with open(os.path.join(root, path), encoding="utf-8") as file:
            text = file.read()
        begins = [0] + [match.end() for match in re.finditer("\n", text)]
        self.lines = text.count("\n")
        directive = directive_lines(text)
        self.tokens, self.comments = [], []
        code, comment = set(), set()
        for match in TOKEN.finditer(text):
            line = bisect.bisect_right(begins, match.start())
            token = Token(match.lastgroup, match.group(), line, directive.get(line, 0))
            if token.kind == "comment":
                self.comments.append(token.text)
                comment.update(range(line, line + token.text.count("\n") + 1))
            elif token.text != "\\":
                self.tokens.append(token)
                code.add(line)
        self.code_lines = len(code)
        self.comment_lines = len(comment - code)
        self.shared_lines = len(comment & code)


def directive_lines(text):
    """For each line of a preprocessor directive, and its continuation lines, the number of its first line."""
    found, first = {}, 0
    for number, line in enumerate(text.split("\n"), 1):
        if first or re.match(r"\s*#", line):
            first = first or number
            found[number] = first
        if not line.endswith("\\"):
            first = 0
    return found


def read_tree(root, clang_format):
    """The sources of root, formatted by root's .clang-format."""
    paths = sorted(check_cycles.source_files(root))
    with tempfile.TemporaryDirectory() as copy:
        for path in paths:
            os.makedirs(os.path.dirname(os.path.join(copy, path)), exist_ok=True)
            shutil.copyfile(os.path.join(root, path), os.path.join(copy, path))
        style = os.path.join(root, ".clang-format")
        if clang_format and os.path.exists(style):
            shutil.copyfile(style, os.path.join(copy, ".clang-format"))
            parts = [paths[k::2] for k in range(2)]
            running = [subprocess.Popen([clang_format, "-i"] + part, cwd=copy) for part in parts if part]
            if any([process.wait() for process in running]):
                sys.exit("clang-format failed")
        return [Source(copy, path) for path in paths]


def find_clang_format():
    for name in (os.environ.get("CLANG_FORMAT"), "clang-format", "clang-format-18"):
        try:
            if name:
                return name, subprocess.run([name, "--version"], check=True, capture_output=True,
                                            text=True).stdout.strip()
        except (OSError, subprocess.CalledProcessError):
            pass
    print("clang-format is not found: the lines are counted as they stand", file=sys.stderr)
    return None, "none"


# --- functions --------------------------------------------------------------------------------------------------------

CLOSED_BY = {"(": ")", "[": "]", "{": "}"}
NO_FUNCTION = {"if", "for", "while", "switch", "__launch_bounds__", "__attribute__", "alignas", "decltype"}


def closing(tokens, at):
    """The index of the bracket that closes the one at index at."""
    depth = 0
    for k in range(at, len(tokens)):
        if tokens[k].text in "([{":
            depth += 1
        elif tokens[k].text in ")]}":
            depth -= 1
            if depth == 0:
                return k
    return len(tokens) - 1


def functions_of(source):
    """The functions that a file defines, those inside structures and namespaces included."""
    tokens = [token for token in source.tokens if not token.directive]
    at, head = 0, []  # head: indices of the tokens since the last declaration, bracketed groups by their ends
    found = []
    while at < len(tokens):
        text = tokens[at].text
        if text == "{":
            end = closing(tokens, at)
            words = {tokens[k].text for k in head}
            function = function_head(tokens, head)
            if function:
                name, parameters, first = function
                found.append(Function(name, source.path, tokens[first].line, tokens[end].line - tokens[first].line + 1,
                                      parameters, "static" in words, tokens[at : end + 1]))
            elif not (words & {"namespace", "struct", "class", "union"} or
                      "extern" in words and '"C"' in words) or "=" in words:
                head.append(at)
                at = end + 1
                continue
            else:  # what is inside is read too
                at, head = at + 1, []
                continue
            at, head = end + 1, []
        elif text in ";}":
            at, head = at + 1, []
        elif text in "([":
            head.append(at)
            at = closing(tokens, at)
            head.append(at)
            at += 1
        else:
            head.append(at)
            at += 1
    return found


def function_head(tokens, head):
    """(name, parameters, index of the first token) of a definition whose head stands before a "{"; or None."""
    while head and tokens[head[-1]].text in ("const", "noexcept", "override"):
        head = head[:-1]
    texts = [tokens[k].text for k in head]
    depth_colon = next((k for k, text in enumerate(texts) if text == ":" and k and texts[k - 1] == ")"), None)
    if depth_colon:  # a constructor with initialisers
        head, texts = head[:depth_colon], texts[:depth_colon]
    if len(head) < 3 or texts[-1] != ")" or "=" in texts and "operator" not in texts:
        return None
    first = 0
    while (len(head) > first + 3 and texts[first + 1] == "(" and texts[first + 2] == ")" and
           tokens[head[first + 3]].line > tokens[head[first + 2]].line and texts[first] not in NO_FUNCTION):
        first += 3  # a macro on a line of its own
    opening, before = head[-2], len(head) - 3
    if texts[before] == ")":  # FN(name)(parameters)
        name = f"{texts[before - 2]}({''.join(token.text for token in tokens[head[before - 1] + 1 : head[before]])})"
    else:
        name = texts[before]
    if name in NO_FUNCTION or not re.match(r"\w|\)|[^\w\s]", name):
        return None
    return name, split_parameters(tokens[opening + 1 : head[-1]]), head[first]


def split_parameters(tokens):
    """The tokens of each parameter in a list of parameters."""
    if not tokens or [token.text for token in tokens] == ["void"]:
        return []
    depth, parts = 0, [[]]
    for token in tokens:
        if token.text in ("(", "[", "{", "<"):
            depth += 1
        elif token.text in (")", "]", "}", ">"):
            depth -= 1
        if token.text == "," and depth == 0:
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


def function_pointers(source):
    """The numbers of parameters of the function pointers that a file declares: (*name)(parameters)."""
    tokens = source.tokens
    for k, token in enumerate(tokens[:-2]):
        if token.text == "(" and tokens[k + 1].text == "*" and tokens[k + 2].text != "*":
            end = closing(tokens, k)
            if end + 1 < len(tokens) and tokens[end + 1].text == "(" and end <= k + 6:
                last = closing(tokens, end + 1)
                if last + 1 < len(tokens) and tokens[last + 1].text in (";", ",", ")", "="):
                    yield len(split_parameters(tokens[end + 2 : last]))


# --- casts ------------------------------------------------------------------------------------------------------------

BASIC = set("""void char short int long float double signed unsigned bool _Bool size_t ssize_t ptrdiff_t FILE
half __half __nv_bfloat16 z_const""".split())
QUALIFIERS = {"const", "volatile", "restrict", "__restrict__", "struct", "union", "enum", "typename"}
BEFORE_CAST = {"return", "case", "else", "do", "throw"}
ADDRESS = {"uintptr_t", "intptr_t", "size_t", "ptrdiff_t"}


def type_names(sources):
    """The names of types: typedef, using, structures of C++, parameters of templates, macros that stand for types."""
    names = set(BASIC)
    for source in sources:
        tokens = source.tokens
        cpp = source.path.endswith((".cu", ".cuh"))
        for k, token in enumerate(tokens):
            text = token.text
            if text == "typedef":
                names.update(typedef_names(tokens, k))
            elif text == "using" and tokens[k + 2].text == "=":
                names.add(tokens[k + 1].text)
            elif text in ("class", "typename") or cpp and text in ("struct", "union", "enum"):
                if tokens[k + 1].kind == "word":
                    names.add(tokens[k + 1].text)
            elif token.kind == "word" and re.fullmatch(r"\w+_t", text):
                names.add(text)
    for source in sources:
        tokens = source.tokens
        for k, token in enumerate(tokens[:-3]):
            if (token.text == "define" and tokens[k - 1].text == "#" and tokens[k + 2].text in names and
                    tokens[k + 2].directive == token.directive and tokens[k + 3].directive != token.directive):
                names.add(tokens[k + 1].text)  # #define T float
    return names


def typedef_names(tokens, at):
    depth, name = 0, None
    for k in range(at + 1, len(tokens)):
        text = tokens[k].text
        if text == "(" and depth == 0 and tokens[k + 1].text == "*":
            return [tokens[k + 2].text]
        if text in "([{":
            depth += 1
        elif text in ")]}":
            depth -= 1
        elif text == ";" and depth == 0:
            return [name] if name else []
        elif tokens[k].kind == "word" and depth == 0:
            name = text
    return []


Cast = collections.namedtuple("Cast", "first end type")  # tokens[first] is "(", tokens[end] the ")"


def casts_of(tokens, types):
    """The C casts among tokens: "(type)" before an operand. "(void)" before a statement is not one."""
    found = []
    for k, token in enumerate(tokens):
        if token.text != "(" or k + 1 >= len(tokens):
            continue
        first = tokens[k + 1].text
        if first not in types and first not in QUALIFIERS:
            continue
        before = tokens[k - 1] if k else None
        if before and (before.kind == "word" and before.text not in BEFORE_CAST or before.text == "]"):
            continue
        end = closing(tokens, k)
        inside = tokens[k + 1 : end]
        if end + 1 >= len(tokens) or not is_type(inside, types):
            continue
        after = tokens[end + 1]
        if not (after.kind in ("word", "number", "string", "char") or after.text in ("(", "&", "*", "-", "+", "~", "!")):
            continue
        if after.text in QUALIFIERS or after.line != tokens[end].line and after.directive != tokens[end].directive:
            continue
        text = " ".join(token.text for token in inside)
        if text != "void":
            found.append(Cast(k, end, text))
    return found


def is_type(tokens, types):
    named = False
    for k, token in enumerate(tokens):
        if token.kind == "word":
            tagged = k and tokens[k - 1].text in ("struct", "union", "enum", "::", "typename")
            if token.text not in types and token.text not in QUALIFIERS and not tagged:
                return False
            named = named or token.text not in QUALIFIERS
        elif token.kind == "number":
            if not any(t.text == "<" for t in tokens[:k]):
                return False
        elif token.text not in ("*", "(", ")", "<", ">", ",", "::", "["):
            return False
    return named


def casts_through(tokens, casts):
    """The casts of a pointer through an integer type, and those by const_cast: (index, drops const)."""
    at = {cast.first: cast for cast in casts}
    found = []
    for cast in casts:
        inner = at.get(cast.end + 1)
        if cast.type.endswith("*") and inner and inner.type in ADDRESS:
            found.append((cast.first, inner.end + 1, "const" not in cast.type.split(), False))
    for k, token in enumerate(tokens):
        if token.text == "const_cast":
            end = next(j for j in range(k, len(tokens)) if tokens[j].text == "(")
            drops = not any(t.text == "const" for t in tokens[k:end])
            found.append((k, end + 1, drops, True))
    return found


def wrappers_of(sources, functions, types):
    """Short functions and macros that hide a cast which drops const, as (name, path, by const_cast, uses).

    A function hides one if it is static or stands in a header, has at most 12 lines, and casts a parameter that is
    declared const."""
    candidates = []
    for source in sources:
        for function in functions[source.path]:
            if function.lines > 12 or not (function.static or source.path.endswith((".h", ".cuh"))):
                continue
            through = casts_through(function.body, casts_of(function.body, types))
            names = {part[-1].text for part in function.parameters if any(token.text == "const" for token in part)}
            kinds = [by for _, j, drops, by in through if drops and operand(function.body, j) in names]
            if kinds:
                candidates.append((function.name, source.path, kinds[0]))
        tokens = source.tokens
        for k, token in enumerate(tokens):
            if token.text == "define" and tokens[k - 1].text == "#" and token.directive:
                body = [t for t in tokens[k : k + 400] if t.directive == token.directive]
                kinds = [by for _, _, drops, by in casts_through(body, casts_of(body, types)) if drops]
                if kinds:
                    candidates.append((tokens[k + 1].text, source.path, kinds[0]))
    result = []
    for name, path, by in candidates:
        uses = 0
        for source in sources:
            if path.endswith((".c", ".cu")) and source.path != path:
                continue
            tokens = source.tokens
            lines = {f.line for f in functions[source.path] if f.name == name}
            for k, token in enumerate(tokens[:-1]):
                if (token.text == name and tokens[k + 1].text == "(" and token.line not in lines and
                        tokens[k - 1].text not in (".", "->", "define")):
                    uses += is_call(tokens, k)
        result.append((name, path, by, uses))
    return result


def operand(tokens, at):
    """The first name at or after an index: that of the variable that is cast."""
    return next(token.text for token in tokens[at:] if token.kind == "word")


def is_call(tokens, k):
    """Whether the name at index k, before "(", is called rather than declared."""
    before = tokens[k - 1]
    return not (before.kind == "word" and before.text not in BEFORE_CAST or before.text in ("*", "&") and
                tokens[k - 2].kind == "word" and tokens[k - 2].text not in BEFORE_CAST and
                tokens[closing(tokens, k + 1) + 1].text in (";", "{"))


# --- direct calls, from the sources -----------------------------------------------------------------------------------


def call_graph(sources, functions, bodies):
    """graph[from][to] = names: the direct calls between .c and .cu files. A function or macro of a header counts as
    part of each file that calls it; bodies: the files that .c and .cu files include as a part of themselves."""
    home, inline = {}, {}
    for source in sources:
        header = source.path.endswith((".h", ".cuh"))
        for function in functions[source.path]:
            calls = called(function.body)
            if header:
                inline.setdefault(function.name, set()).update(calls)
            elif not function.static:
                home.setdefault(function.name, source.path)
        if header:
            for name, body in macros(source):
                inline.setdefault(name, set()).update(called(body))
    graph = {}
    for source in sources:
        if source.path.endswith((".h", ".cuh")) or os.path.basename(source.path) == "no_cuda.c":
            continue
        own = {function.name for function in functions[source.path]}
        names, queue = set(), [name for f in functions[source.path] for name in called(f.body)]
        for body in bodies.get(source.path, ()):
            own.update(function.name for function in functions[body])
            queue += [name for f in functions[body] for name in called(f.body)]
        for _, body in macros(source):
            queue += called(body)
        while queue:
            name = queue.pop()
            if name in names or name in own:
                continue
            names.add(name)
            if name not in home:
                queue += inline.get(name, ())
        graph[source.path] = {}
        for name in names - check_cycles.ERRORS:
            if home.get(name, source.path) != source.path:
                graph[source.path].setdefault(home[name], set()).add(name)
    return graph


def called(tokens):
    return {token.text for k, token in enumerate(tokens[:-1])
            if token.kind == "word" and tokens[k + 1].text in ("(", "<<<") and
            tokens[k - 1].text not in (".", "->")}


def macros(source):
    tokens = source.tokens
    k = 0
    while k + 1 < len(tokens):
        if tokens[k].directive and tokens[k].text == "define" and tokens[k - 1].text == "#":
            end = k + 1
            while end < len(tokens) and tokens[end].directive == tokens[k].directive:
                end += 1
            yield tokens[k + 1].text, tokens[k + 2 : end]
            k = end
        else:
            k += 1


def included_bodies(sources, root):
    """For each .c and .cu file the files with functions named FN(...) that it includes, directly or through others."""
    graph = check_cycles.include_graph(root, node=lambda path: path)
    bodies = {source.path for source in sources if any(token.text in ("FN", "ON") for token in source.tokens)}
    result = {}
    for path in graph:
        if path.endswith((".c", ".cu")):
            found, queue = set(), list(graph[path])
            while queue:
                target = queue.pop()
                if target not in found:
                    found.add(target)
                    queue += graph.get(target, ())
            result[path] = {target for target in found if target in bodies}
    return result


# --- words ------------------------------------------------------------------------------------------------------------


def identifier_words(name):
    """gs_readAhead -> gs, read, ahead."""
    return [word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+", name)]


def count_words(sources):
    """counts[word] = [in identifiers, in comments, in strings, in names of files]; counts of public names."""
    groups = {**PRIVATE, **AMBIGUOUS}
    single = {form: word for word, forms in groups.items() if isinstance(forms, str) for form in forms.split()}
    phrases = {word: re.compile(r"\b(?:" + "|".join(forms).replace(" ", r"[\s*_-]+") + r")\b", re.I)
               for word, forms in groups.items() if not isinstance(forms, str)}
    counts = {word: [0, 0, 0, 0] for word in groups}
    public = collections.Counter()

    def add(words, text, where):
        for word in words:
            if word in single:
                counts[single[word]][where] += 1
        for word, pattern in phrases.items():
            counts[word][where] += len(pattern.findall(text))

    for source in sources:
        include_lines = {t.line for k, t in enumerate(source.tokens) if t.text == "include" and t.directive}
        for token in source.tokens:
            if token.kind == "word":
                words = identifier_words(token.text)
                add(words, " ".join(words), 0)
                public[token.text] += token.text in PUBLIC
            elif token.kind == "string" and token.line not in include_lines:
                add(re.findall("[a-z]+", token.text.lower()), token.text, 2)
        for comment in source.comments:
            add(re.findall("[a-z]+", comment.lower()), comment, 1)
        stem = os.path.splitext(os.path.basename(source.path))[0]
        add(identifier_words(stem), stem.replace("_", " "), 3)
    return counts, {name: public[name] for name in PUBLIC}


# --- the table --------------------------------------------------------------------------------------------------------


def ranked(rows, label, items, most=10):
    for k, (number, name) in enumerate(sorted(items, key=lambda item: (-item[0], item[1]))[:most], 1):
        rows.append((f"{label} {k}", f"{number} {name}"))


def measure(root, clang_format):
    """The table of a tree: a list of (what, value), "" between groups."""
    sources = read_tree(root, clang_format)
    functions = {source.path: functions_of(source) for source in sources}
    every = [function for found in functions.values() for function in found]
    types = type_names(sources)
    rows = []

    code = sum(s.code_lines for s in sources)
    rows += [("lines", sum(s.lines for s in sources)), ("code lines", code)]
    for kinds, name in (((".c", ".h"), ".c and .h"), ((".cu", ".cuh"), ".cu and .cuh")):
        own = [s for s in sources if s.path.endswith(kinds)]
        lines = sum(s.code_lines for s in own)
        comments = sum(s.comment_lines for s in own)
        rows += [(f"code lines of {name}", lines), (f"comment lines of {name}", comments),
                 (f"lines of {name} with code and a comment", sum(s.shared_lines for s in own)),
                 (f"comment share of {name}, %", round(100 * comments / max(1, lines + comments), 1))]
    rows += [("comment lines", sum(s.comment_lines for s in sources)), ("", "")]

    folders = collections.Counter(os.path.dirname(s.path) for s in sources)
    rows += [("files", len(sources)), ("folders", len(folders))]
    ranked(rows, "files of folder", [(count, folder) for folder, count in folders.items()])
    rows.append(("", ""))

    rows += [("files above 300 lines", sum(s.lines > 300 for s in sources)),
             ("files above 450 lines", sum(s.lines > 450 for s in sources))]
    ranked(rows, "lines of file", [(s.lines, s.path) for s in sources])
    rows.append(("", ""))

    many = [f for f in every if len(f.parameters) > 8]
    rows += [("functions", len(every)), ("median lines of a function", statistics.median([f.lines for f in every] or [0])),
             ("functions above 40 lines", sum(f.lines > 40 for f in every)),
             ("functions above 60 lines", sum(f.lines > 60 for f in every))]
    ranked(rows, "lines of function", [(f.lines, f"{f.name} {f.path}") for f in every], 5)
    rows += [("functions with more than 8 parameters", len(many)),
             ("... of those in .c and .h", sum(f.path.endswith((".c", ".h")) for f in many)),
             ("function pointers with more than 8 parameters", sum(n > 8 for s in sources for n in function_pointers(s)))]
    ranked(rows, "parameters of function", [(len(f.parameters), f"{f.name} {f.path}") for f in every], 5)
    rows.append(("", ""))

    rows += cast_rows(sources, functions, types)

    own = {s.path for s in sources}
    includes = check_cycles.include_graph(root)
    headers = check_cycles.include_graph(root, node=lambda path: path)
    calls = call_graph(sources, functions, included_bodies(sources, root))
    for name, graph in (("includes between headers", headers), ("includes between modules", includes),
                        ("direct calls between files", calls)):
        groups = check_cycles.components(graph)
        rows += [(f"cycles of {name}: groups", len(groups)),
                 (f"cycles of {name}: files in them", sum(map(len, groups))),
                 (f"cycles of {name}: edges in them", len(check_cycles.cyclic_edges(graph)))]
    rows.append(("", ""))

    rows += [("uses of told in the context", sum(count_told(s.tokens) for s in sources)),
             ("mentions of gs_device_cuda outside core/",
              sum(t.text == "gs_device_cuda" for s in sources for t in s.tokens if not s.path.startswith("core/"))),
             ("", "")]
    rows += word_rows(sources)
    return rows


def cast_rows(sources, functions, types):
    casts = {s.path: casts_of(s.tokens, types) for s in sources}
    through = [(s.path, *c) for s in sources for c in casts_through(s.tokens, casts[s.path])]
    wrappers = wrappers_of(sources, functions, types)
    rows = [("C casts", sum(map(len, casts.values()))),
            ("C casts to pointers", sum(c.type.endswith("*") for found in casts.values() for c in found)),
            ("C++ casts",
             sum(t.text in ("static_cast", "reinterpret_cast", "const_cast") for s in sources for t in s.tokens))]
    for name, by in (("casts through uintptr_t", False), ("const_cast", True)):
        own = [c for c in through if c[4] == by]
        hidden = sum(w[3] for w in wrappers if w[2] == by)
        rows += [(name, len(own)), (f"{name}, hidden in functions and macros: their uses", hidden),
                 (f"{name}, hidden ones counted", len(own) + hidden),
                 (f"{name} that drop const, hidden ones counted", sum(c[3] for c in own) + hidden)]
    ranked(rows, "uses of hiding function", [(w[3], f"{w[0]} {w[1]}") for w in wrappers if w[3]])
    rows.append(("", ""))
    return rows


def count_told(tokens):
    """gs_told, and the member told of a context: ctx->told."""
    return sum(t.text == "gs_told" or t.text == "told" and tokens[k - 1].text == "->" and tokens[k - 2].text == "ctx"
               for k, t in enumerate(tokens))


def word_rows(sources):
    counts, public = count_words(sources)

    def total(words):
        return [sum(counts[word][k] for word in words) for k in range(4)]

    def row(label, numbers):
        return (label, [sum(numbers)] + numbers)

    rows = [row("private words: all; identifiers, comments, strings, files", total(PRIVATE))]
    rows += [row(f"  {word}", counts[word]) for word in PRIVATE]
    rows.append(row("words that also have an ordinary use", total(AMBIGUOUS)))
    rows += [row(f"  {word}", counts[word]) for word in AMBIGUOUS]
    rows.append(("old public names", sum(public.values())))
    rows += [(f"  {name}", count) for name, count in public.items()]
    rows.append(("old sentences", count_sentences(sources)))
    return rows


def count_sentences(sources):
    """The sentences of the glossary's last table, in comments and strings, however they are broken into lines."""
    count = 0
    for source in sources:
        joined = '"'.join([t.text for t in source.tokens if t.kind == "string"])
        for text in source.comments + [re.sub(r'""+', "", joined)]:
            text = re.sub(r"[\s*/]+", " ", text)
            count += sum(len(re.findall(sentence, text)) for sentence in SENTENCES)
    return count


def text_of(value):
    return " ".join(f"{number:<5}" for number in value) if isinstance(value, list) else str(value)


def print_tables(trees, tables):
    """One column for each tree; rows are matched by what they measure."""
    labels = []
    for table in tables:
        for k, (label, _) in enumerate(table):
            if label and label not in labels:
                before = [l for l, _ in table[:k] if l]
                labels.insert(labels.index(before[-1]) + 1 if before else 0, label)
    blanks = {table[k - 1][0] for table in tables for k, (label, _) in enumerate(table) if not label}
    width = max(map(len, labels)) + 2
    values = [dict(table) for table in tables]
    columns = [max(len(text_of(v)) for v in list(value.values()) + [tree]) + 2 for tree, value in zip(trees, values)]
    print((" " * width + "".join(f"{tree:<{column}}" for tree, column in zip(trees, columns))).rstrip())
    for label in labels:
        cells = "".join(f"{text_of(value.get(label, '')):<{column}}" for value, column in zip(values, columns))
        print(f"{label:<{width}}{cells}".rstrip())
        if label in blanks:
            print()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tree", nargs="*", default=[os.path.dirname(HERE)])
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    clang_format, version = find_clang_format()
    tables = [[("clang-format", version)] + measure(tree, clang_format) for tree in arguments.tree]
    names = [os.path.basename(os.path.abspath(tree)) for tree in arguments.tree]
    if arguments.json:
        print(json.dumps([{"tree": name, **{l: v for l, v in table if l}} for name, table in zip(names, tables)], indent=1))
    else:
        print_tables(names, tables)


if __name__ == "__main__":
    main()
