#!/usr/bin/env bash
# words.sh ROOT [COUNT=LIMIT ...]: counts wordings that a native reader stumbles over and compares each count with its
# limit. A count above its limit fails and lists the places; a count below fails, too, and asks for a lower limit.
# words.sh --selftest: plants one fault of each kind in a small tree and expects each to be found.
set -euo pipefail

# The limits. The aims are 0, 20, 0, 0 and 0.
limits=(
  comments=0     # comments that begin with "Of", "Those", "That of" or "The same"
  tells=5        # "tell", "tells", "told" in string literals of app, core and tasks, in README.md and docs/**/*.md
  pieces=0       # shredded lines in app/batch: literals of 12 characters or fewer, with more of their line in the next
  sentences=0    # sentences of more than 40 words in README.md and docs/**/*.md, outside of code blocks and tables
  british=0      # British spellings in sources, README.md and docs/**/*.md, but for names of earlier versions
)

count() {
  python3 - "$@" <<'P'
import os, re, subprocess, sys

root, limits = sys.argv[1], dict(item.split("=") for item in sys.argv[2:])
problems = {
    "comments": 'comments begin with "Of", "Those", "That of" or "The same": write sentences with a subject',
    "tells": 'texts use "tell", "tells" or "told": write show, report, state, list or know',
    "pieces": "literals of 12 characters or fewer shred a line of help: write a raw string laid out by hand",
    "sentences": "sentences of the pages have more than 40 words: split them",
    "british": "words and names have British spelling: write color, neighbor, center, learned, standardize and the like",
}
found = {kind: [] for kind in problems}

def files():
    if os.path.exists(os.path.join(root, ".git")):
        listed = ["git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        names = subprocess.run(listed, stdout=subprocess.PIPE, check=True).stdout.decode().split("\0")
    else:
        names = [os.path.relpath(os.path.join(at, name), root) for at, _, all in os.walk(root) for name in all]
        names = [name for name in names if not re.match(r"build|runs/|\.", name)]
    return sorted(name for name in set(names) if os.path.isfile(os.path.join(root, name)))

def add(kind, name, text, at, what):
    found[kind].append(f"{name}:{text.count(chr(10), 0, at) + 1}: {what.strip()}")

begins = r"(?:Of|Those|That of|The same)\b.*"
told = re.compile(r"\b(?:tells?|told)\b", re.I)
british = re.compile(
    r"\w*(?:(?:col|behavi|neighb|fav|hon|flav|rum|vig)our|learnt|artefact|(?:label|model|travel|signal)l(?:ed|ing)"
    r"|(?:standard|normal|optim|initial|recogn|organ|summar|minim|maxim|parametr|general|regular|random|visual|serial"
    r"|synchron|discret|categor|character)(?-i:is(?:e|ing|ation)))\w*|\b(?:grey|centre)\w*", re.I)

def spell(name, text, place, words):
    if re.search(r"/(renamed_keys|converted_file|convert_command|shell_help)(_test)?\.(h|cpp)$", name):
        return  # names of earlier versions
    for hit in british.finditer(words):
        add("british", name, text, place + hit.start(), hit[0])
token = re.compile(
    r'(?P<comment>//[^\n]*|/\*.*?\*/)|R"(?P<delimiter>[^()\\ ]{0,16})\((?P<raw>.*?)\)(?P=delimiter)"'
    r'|"(?P<text>(?:\\.|[^"\\\n])*)"|\'(?:\\.|[^\'\\\n])+\'|\d[\w\']*|\w+|[^\s\w]', re.S)
unescaped = lambda text: re.sub(r"\\(.)", lambda m: "\n" if m[1] == "n" else m[1], text)
blank = lambda m: re.sub(r"[^\n]", " ", m[0])

def check_literals(name, text, pieces):
    for place, piece, raw in pieces:
        for hit in told.finditer(piece):
            add("tells", name, text, place + raw * hit.start(), repr(piece[max(0, hit.start() - 40):hit.end() + 40]))
    if len(pieces) < 2 or not name.startswith("app/batch/"):
        return
    starts_line = True
    for place, piece, raw in pieces[:-1]:  # a short end is what any wrapped text may have
        if len(piece) <= 12 and not (starts_line and piece.endswith("\n")):
            add("pieces", name, text, place, repr(piece))
        starts_line = piece.endswith("\n")

def check_cpp(name, text):
    adjacent = []
    spell(name, text, 0, text)
    for m in token.finditer(text):
        if m["comment"]:
            for line in re.finditer(r"^(?:[ \t]*//+|[ \t]*/?\*+)?[ \t]*(" + begins + ")", m[0], re.M):
                add("comments", name, text, m.start() + line.start(1), line[1])
        elif m["raw"] is not None:
            adjacent.append((m.start("raw"), m["raw"], True))
        elif m["text"] is not None:
            adjacent.append((m.start(), unescaped(m["text"]), False))
        elif adjacent:
            if re.match("(app|core|tasks)/", name):
                check_literals(name, text, adjacent)
            adjacent = []

def check_hashes(name, text):
    for m in re.finditer(r"(?:^|[ \t])#+[ \t]*(" + begins + ")", text, re.M):
        add("comments", name, text, m.start(1), m[1])

    for m in re.finditer(r"(?:^|[ \t])#+[ \t][^\n]*", text):
        spell(name, text, m.start(), m[0])

def check_page(name, text):
    spell(name, text, 0, text)
    for hit in told.finditer(text):
        add("tells", name, text, hit.start(), text[text.rfind("\n", 0, hit.start()) + 1:].split("\n")[0])
    prose = re.sub(r"^[ \t]*(```|~~~).*?^[ \t]*\1[^\n]*", blank, text, flags=re.M | re.S)
    prose = re.sub(r"^[ \t]*(?:\||#|<)[^\n]*", blank, prose, flags=re.M)
    prose = re.sub(r"`[^`]*`|\$[^$\n]+\$", lambda m: "X" + "_" * (len(m[0]) - 1), prose)
    prose = re.sub(r"(\]\()[^)\s]*\)", lambda m: "]" + " " * (len(m[0]) - 1), prose)
    for part in re.finditer(r"(?:(?!\n[ \t]*(?:\n|[-*>] |\d+\. )).)+", prose, re.S):
        for m in re.finditer(r"\S.*?(?:[.!?][)\]\"'*_]*(?=\s+[^a-z\s])|\Z)", part[0], re.S):
            words = re.findall(r"\S*\w\S*", m[0])
            if len(words) > 40:
                add("sentences", name, text, part.start() + m.start(), f"{len(words)} words: {' '.join(words[:8])} ...")

for name in files():
    with open(os.path.join(root, name), encoding="utf-8", errors="replace") as file:
        if re.search(r"\.(h|c|cpp|cu|cuh)$", name):
            check_cpp(name, file.read())
        elif re.search(r"\.(sh|py|cmake)$|(^|/)CMakeLists\.txt$", name):
            check_hashes(name, file.read())
        elif re.fullmatch(r"README\.md|docs/.*\.md", name):
            check_page(name, file.read())

for kind, problem in problems.items():
    number, limit = len(found[kind]), int(limits[kind])
    if number > limit:
        print(*found[kind], f"words.sh: {number} {problem} (the limit is {limit}).", sep="\n")
    elif number < limit:
        print(f"words.sh: the limit {kind}={limit} is too high: set it to {number} in tests/scripts/words.sh.")
sys.exit(any(len(found[kind]) != int(limits[kind]) for kind in problems))
P
}

# Plants faults and harmless neighbors in a tree. The first line of each file is blank.
selftest() {
  tree=$(mktemp -d)
  trap 'rm -rf "$tree"' EXIT
  mkdir -p "$tree"/{app/batch,core,tests,docs/how-to}
  plant() { printf '%s\n' '' "${@:2}" >"$tree/$1"; }
  plant core/b.h 'int colour;  // color' '// A neighbour.' 'auto s = "grey", t = "gray";'
  plant core/a.h '// Often.' '// Of it.' '/* Those' ' The same. */' 's = "// Of";' "int n = 1'0;" 'f();  // That of'
  plant core/a.cu 'auto s = "a\ntold", t = "foretold";  // told' 'auto u = R"(a' '"tells")";  // Of it.'
  plant tests/a.cpp 'auto s = "tell";'
  plant tests/a.cmake '# Of it.' 'set(a "#Often")'
  plant tests/a.sh 'true  '"#"' Those.' '# Therefore.'
  plant tests/a.py '# The same.'
  plant app/batch/a.cpp 'f("Lines:\n" "of a set larger " "than\n" "in training" ' '" or so\n" "ab", "a", "b");'
  local forty wrong=0 expected found
  forty=$(printf 'word %.0s' {1..40})
  plant README.md "A ${forty% }." '' "$forty" '' '- Two.' "- Three. $forty" "  more of it." '' '| told |'
  plant docs/how-to/a.md "A neighbour told me. $forty"
  plant docs/a.md '```' "A $forty" '```' "| A $forty |" "A \`tell\`. \`A\` $forty. More." "$forty"
  plant CHANGELOG.md "A $forty told."
  expected="comments: core/a.cu:4 core/a.h:3 core/a.h:4 core/a.h:5 core/a.h:8 tests/a.cmake:2 tests/a.py:2 tests/a.sh:2
tells: README.md:10 core/a.cu:2 core/a.cu:4 docs/a.md:6 docs/how-to/a.md:2
pieces: app/batch/a.cpp:2 app/batch/a.cpp:2 app/batch/a.cpp:3
sentences: README.md:2 README.md:7 docs/a.md:6 docs/a.md:6 docs/how-to/a.md:2
british: core/b.h:2 core/b.h:3 core/b.h:4 docs/how-to/a.md:2"
  found=$(for kind in comments tells pieces sentences british; do
    count "$tree" {comments,tells,pieces,sentences,british}=99 $kind=0 | grep -v '^words.sh: ' | cut -d: -f1,2 | LC_ALL=C sort |
      paste -sd' ' | sed "s/^/$kind: /"
  done) || true
  diff <(echo "$expected") <(echo "$found") || wrong=1
  count "$tree" comments=8 tells=5 pieces=3 sentences=5 british=4 || wrong=1
  count "$tree" comments=8 tells=6 pieces=3 sentences=5 british=4 >"$tree/out" && wrong=1
  grep -q 'tells=6 is too high: set it to 5 ' "$tree/out" || wrong=1
  return $wrong
}

if [[ $1 == --selftest ]]; then selftest; else count "$1" "${limits[@]}" "${@:2}"; fi
