#!/usr/bin/env bash
# sizes.sh ROOT: fails when a folder under ROOT holds more than 50 source files, unless it is one of the lists of similar
# files named here, when a class declares more than 30 public methods, or when a line of a source file has more than 120
# columns outside of a raw string. sizes.sh --selftest tests this script.
set -euo pipefail
if [[ $1 == --selftest ]]; then
  tree=$(mktemp -d)
  trap 'rm -rf "$tree"' EXIT
  mkdir -p "$tree"/{app,core/ops,tests}
  for i in $(seq 51); do touch "$tree/app/a$i.cpp" "$tree/core/ops/a$i.cu" "$tree/tests/a$i.h"; done
  methods() { for i in $(seq "$1"); do echo "  int f$i(int a = g(1), std::function<void()> b = {}) const;"; done; }
  {
    echo 'struct Point { int x = f(1); std::function<void(int)> go; int sum() const { return x; } };'
    echo 'class Large : public Point {  // class Comment { int a();'
    echo ' public:'
    echo '  Large() = default;'
    echo '  enum class Kind { one, two };'
    echo '  struct Inner { void a(); void b(); };'
    methods 30
    echo '  bool operator==(const Large&) const = default;'
    echo ' private:'
    methods 9
    echo '};'
    echo 'class Small {'
    methods 40
    echo ' public:'
    methods 30
    echo '  std::map<int, std::function<void(int)>> heard_;'
    echo '};'
  } >"$tree/core/large.h"
  long=$(printf 'ψ%.0s' $(seq 118))
  printf '// %s\n// %s\nauto raw = R"(\n%s%s\n)";\n' "${long:0:117}" "$long" "$long" "$long" >"$tree/core/wide.cpp"
  wanted="app holds 51 source files; at most 50 make one idea
core/large.h:2: class Large has 31 public methods; at most 30 make one idea
core/wide.cpp:2: the line has 121 columns; at most 120 fit on a screen
tests holds 51 source files; at most 50 make one idea"
  got=$("$0" "$tree" || true)
  [[ $got == "$wanted" ]] && exit 0
  printf 'expected\n%s\nbut got\n%s\n' "$wanted" "$got"
  exit 1
fi
cd "$1"
python3 - <<'END'
import collections, os, re, sys

# Lists of similar files: one or three for each operator, on the CPU and on the GPU.
alike = {"core/ops"}
most_files, most_methods, most_columns = 50, 30, 120
problems = []


def without_texts(text):
    """Blanks comments and literals, so that lines keep their numbers."""
    keep = lambda m: re.sub(r"[^\n]", " ", m[0])
    return re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', keep, text, flags=re.S)


def methods(name, body, public):
    """The number of public methods that the body of a class declares, without those of classes within it."""
    count, statement, i = 0, "", 0
    while i < len(body):
        c = body[i]
        if c in "({":
            depth, start = 0, i
            while i < len(body):
                depth += body[i] in "({"
                depth -= body[i] in ")}"
                i += 1
                if depth == 0:
                    break
            statement += "()" if c == "(" else "{}"
            # The body of a method ends its declaration; a member's value in braces does not.
            if c == "{" and (re.match(r"\s*(class|struct|enum|union)\b", statement) or "(" in statement):
                rest = re.match(r"\s*;", body[i:])
                if rest:
                    i += rest.end()
                count += public and is_method(statement, name)
                statement = ""
            continue
        statement += c
        i += 1
        label = re.search(r"\b(public|private|protected)\s*:$", statement)
        if label and not body[i:i + 1] == ":":
            public, statement = label[1] == "public", ""
        elif c == ";":
            count += public and is_method(statement, name)
            statement = ""
    return count


def is_method(statement, name):
    if re.match(r"\s*(class|struct|enum|union|using|friend|static_assert|typedef)\b", statement):
        return False
    before = None
    while before != statement:  # templates' arguments, innermost first
        before, statement = statement, re.sub(r"<[^<>]*>", "", statement)
    statement = re.sub(r"operator\s*(\(\)|[^\w\s(]+)", "operator_", statement)
    declared = statement.split("=")[0]
    found = re.search(r"(~?\w+)\s*\(\)", declared)
    return bool(found) and found[1].lstrip("~") != name  # neither constructors nor destructors


for root, folders, files in os.walk("."):
    folders[:] = [f for f in folders if not f.startswith(".") and os.path.join(root, f) not in ("./build", "./third_party")]
    folder = os.path.relpath(root)
    sources = [f for f in files if re.search(r"\.(h|cpp|cu|cuh)$", f)]
    if len(sources) > most_files and folder not in alike:
        problems.append(f"{folder} holds {len(sources)} source files; at most {most_files} make one idea")
    for file in sources:
        path = os.path.join(folder, file)
        text = open(path, encoding="utf-8").read()
        plain = re.sub(r'R"(\w*)\(.*?\)\1"', lambda m: re.sub(r"[^\n]", "", m[0]), text, flags=re.S)
        for number, line in enumerate(plain.split("\n"), 1):
            if len(line) > most_columns:
                problems.append(f"{path}:{number}: the line has {len(line)} columns; "
                                f"at most {most_columns} fit on a screen")
        if folder.startswith("tests"):
            continue
        text = without_texts(text)
        for found in re.finditer(r"\b(class|struct)\s+(\w+)(?:\s+final)?\s*(?::[^;{()]*)?\{", text):
            if re.search(r"\benum\s*$", text[:found.start()]):
                continue
            depth, end = 1, found.end()
            while depth and end < len(text):
                depth += text[end] == "{"
                depth -= text[end] == "}"
                end += 1
            count = methods(found[2], text[found.end():end - 1], found[1] == "struct")
            if count > most_methods:
                line = text.count("\n", 0, found.start()) + 1
                problems.append(f"{path}:{line}: class {found[2]} has {count} public methods; "
                                f"at most {most_methods} make one idea")
print("\n".join(sorted(problems)))
sys.exit(1 if problems else 0)
END
