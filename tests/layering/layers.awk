# Reads the C++ and CUDA files named as arguments (paths from the repository root) and prints every #include that runs
# against the order of the folders: app -> tasks -> render -> core, and inside core
# base <- ops, sets <- nn <- heads <- core/*.h <- eval <- train, with report on base alone. Exit 1 when there is one.

BEGIN {
  allow("core/base", "")
  allow("core/ops", "core/base")
  allow("core/sets", "core/base")
  allow("core/nn", "core/base core/ops core/sets")
  allow("core/heads", "core/base core/ops core/sets core/nn")
  allow("core", "core/base core/ops core/sets core/nn core/heads")
  allow("core/report", "core/base")
  allow("core/eval", "core/base core/ops core/sets core/nn core/heads core core/report")
  allow("core/train", "core/base core/ops core/sets core/nn core/heads core core/report core/eval")
  allow("render", "core/base")
  allow("tasks", "core/base core/ops core/sets core/nn core/heads core render")
  all_core = "core/base core/ops core/sets core/nn core/heads core core/report core/eval core/train"
  allow("app/common", all_core " render tasks")
  allow("app/batch", all_core " render tasks app/common")
  allow("app/model", all_core " render tasks app/common")
  allow("app/gui", all_core " render tasks app/common app/model")
  allow("app", all_core " render tasks app/common app/batch app/model app/gui")
}

function allow(folder, list,   n, i, parts) {
  known[folder] = 1
  may[folder, folder] = 1
  n = split(list, parts, " ")
  for (i = 1; i <= n; ++i) may[folder, parts[i]] = 1
}

# The longest known folder that holds the path, or "". Only files stand in core itself: a folder of core has its own rule.
function layer(path) {
  if (match(path, /^core\/[^\/]+\//)) return substr(path, 1, RLENGTH - 1) in known ? substr(path, 1, RLENGTH - 1) : ""
  while (sub(/\/[^\/]*$/, "", path)) if (path in known) return path
  return ""
}

function complain(text) {
  print FILENAME ":" FNR ": " text
  wrong = 1
}

FNR == 1 {
  here = layer(FILENAME)
  if (here == "") complain("stands in no folder that tests/layering/layers.awk knows; add the folder there")
  ++files
}

/^[ \t]*#[ \t]*(include|import)/ {
  target = $0
  if (!match(target, /["<][^">]*[">]/)) next
  quoted = substr(target, RSTART, 1) == "\""
  target = substr(target, RSTART + 1, RLENGTH - 2)

  if (target ~ /^(imgui|implot|GLFW\/|GL\/|GLES|EGL\/|KHR\/|X11\/|glad|epoxy\/)/) {
    if (here != "app/gui") complain("includes " target "; only app/gui may see the window's libraries")
    next
  }
  if (target ~ /(^|\/)\.\.?\//) {
    complain("includes " target "; write the path from the repository root")
    next
  }
  if (target ~ /^tests\//) {
    complain("includes " target "; programs do not depend on their tests")
    next
  }
  there = layer(target)
  if (there == "" && quoted && here != "" && target !~ /\//) there = here  # a file beside this one
  if (there == "" || here == "") next  # a library's header
  ++includes
  if (!((here, there) in may)) complain(here " includes " target "; " there " does not stand before " here)
}

END {
  if (files == 0) {
    print "no source files were given"
    exit 1
  }
  if (!wrong) print files " files, " includes " includes within the project, all in order"
  exit wrong
}
