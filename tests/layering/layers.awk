# Reads the C++ and CUDA files named as arguments (paths from the repository root) and prints every #include that runs
# against the order of the folders: app -> tasks -> render -> core, and inside core
# base <- ops, sets <- pool, nn <- heads <- core/*.h <- eval, likelihood <- train, with report and images on base alone; in app a
# folder of a tab sees no other tab's, and in tasks a task's folder no other task's, nor does anybody but the registry see
# one, and the catalog that of people's own. Tests of core see core alone. Within a large folder its own folders have an
# order, too. Exit 1 when there is one.

BEGIN {
  allow("core/base", "")
  allow("core/parallel", "core/base")
  allow("core/ops", "core/base")
  allow("core/pool", "core/base core/ops")
  allow("core/sets", "core/base")
  allow("core/nn", "core/base core/ops core/sets")
  allow("core/heads", "core/base core/ops core/sets core/nn")
  allow("core", "core/base core/ops core/sets core/nn core/heads core/pool")
  allow("core/likelihood", "core/base core/ops core/sets core/nn core")
  allow("core/report", "core/base")
  allow("core/images", "core/base")
  allow("core/eval", "core/base core/ops core/sets core/nn core/heads core/pool core core/report")
  allow("core/train", "core/base core/parallel core/ops core/sets core/nn core/heads core/pool core core/report core/eval core/likelihood")
  allow("render", "core/base")
  allow("tasks", "core/base core/ops core/sets core/nn core/heads core/pool core core/report core/images render")
  all_core = "core/base core/parallel core/ops core/sets core/pool core/nn core/heads core core/report core/images core/eval core/likelihood core/train"
  allow("app/text", "core/base")
  allow("app/runs", all_core " tasks app/text")
  allow("app/kinds", all_core " render tasks app/text")
  allow("app/scores", all_core " tasks app/text app/runs app/kinds")
  allow("app/posterior", all_core " render tasks app/text app/runs app/kinds")
  rooms = all_core " render tasks app/text app/runs app/kinds app/scores app/posterior"
  allow("app/report", rooms)
  allow("app/session", rooms)
  rooms = rooms " app/report app/session"
  allow("app/studies", rooms)
  rooms = rooms " app/studies"
  allow("app/desktop", "core/base")
  allow("app/gpu", "core/base")
  allow("app/queue", rooms " app/desktop")
  rooms = rooms " app/desktop app/gpu app/queue"
  allow("app/batch", rooms)
  # The parts that tabs share, the tabs, which do not see each other, and the parts that hold them.
  allow("app/model/hub", rooms)
  allow("app/model/files", rooms " app/model/hub")
  n = split("library task train posterior viewer evaluate compare settings", tab, " ")
  for (i = 1; i <= n; ++i) {
    allow("app/model/" tab[i], rooms " app/model/hub app/model/files")
    model = model " app/model/" tab[i]
    gui = gui " app/gui/" tab[i]
  }
  allow("app/model", rooms " app/model/hub app/model/files" model)
  allow("app/gui/platform", all_core)
  # The list of runs is shown in several places.
  allow("app/gui/widgets", rooms " app/model app/model/hub app/model/files app/model/library app/gui/platform")
  allow("app/gui/plot", rooms " app/model/hub app/model/files app/gui/platform app/gui/widgets")
  parts = " app/gui/platform app/gui/widgets app/gui/plot"
  for (i = 1; i <= n; ++i) allow("app/gui/" tab[i], rooms " app/model app/model/hub app/model/files app/model/library app/model/" tab[i] parts)
  allow("app/gui", rooms " app/model app/model/hub app/model/files" model parts gui)
  allow("app", rooms " app/batch app/model app/gui")

  # The folders of a large folder: each sees those before it, and the files of the large folder itself see all.
  inner("core/base", "text numbers files tables fields threads system gpu")
  inner("core/eval", "metrics calibration references evaluate")
  inner("core/train", "events settings cache run steps stages")
  inner("tasks/objects", "mesh generated")
  inner("tasks/molecules", "chemistry formats")
  inner("tasks/own", "stored tables arrow fits keeper file program budget")
  inner("app/posterior", "question source caveats validation set answer checks plots set_posterior many follow frequentist figures files")
  inner("app/model/posterior", "shown work")
  inner("app/batch", "parts infer figure data train machine evaluate convert")
}

function inner(folder, list,   n, i, parts) {
  large[folder] = 1
  n = split(list, parts, " ")
  for (i = 1; i <= n; ++i) place[folder "/" parts[i]] = i
}

# The large folder that holds the path, or "".
function large_folder(path) {
  while (sub(/\/[^\/]*$/, "", path)) if (path in large) return path
  return ""
}

# The rank of a path in the order of the large folder that holds it: 999 for that folder's own files, 0 if unknown.
function place_in(folder, path,   rest) {
  rest = substr(path, length(folder) + 2)
  if (rest !~ /\//) return 999
  sub(/\/.*/, "", rest)
  return place[folder "/" rest] + 0
}

function allow(folder, list,   n, i, parts) {
  known[folder] = 1
  may[folder, folder] = 1
  n = split(list, parts, " ")
  for (i = 1; i <= n; ++i) may[folder, parts[i]] = 1
}

# The longest known folder that holds the path, or "". Only files stand in core itself: a folder of core has its own rule.
function layer(path) {
  if (path ~ /^tasks\/parts\//) return "tasks"
  if (path ~ /^tests\/(core\/|[^\/]+$)/) return "tests/core"  # including files that all tests share
  if (match(path, /^tasks\/[^\/]+\//)) return substr(path, 1, RLENGTH - 1)  # a task's own
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
  home = large_folder(FILENAME)
  stands = home == "" ? 0 : place_in(home, FILENAME)
  if (home != "" && stands == 0) complain("stands in no folder of " home " that tests/layering/layers.awk knows; add the folder there")
  if (here == "") complain("stands in no folder that tests/layering/layers.awk knows; add the folder there")
  ++files
}

/^[ \t]*#[ \t]*(include|import)/ {
  target = $0
  if (!match(target, /["<][^">]*[">]/)) next
  quoted = substr(target, RSTART, 1) == "\""
  target = substr(target, RSTART + 1, RLENGTH - 2)

  if (target ~ /^(imgui|implot|GLFW\/|GL\/|GLES|EGL\/|KHR\/|X11\/|glad|epoxy\/)/) {
    if (here !~ /^app\/gui/) complain("includes " target "; only app/gui may see the window's libraries")
    next
  }
  if (target ~ /(^|\/)\.\.?\//) {
    complain("includes " target "; write the path from the repository root")
    next
  }
  if (here == "tests/core") {
    if (quoted && target ~ /\// && layer(target) !~ /^(tests\/)?core/)
      complain("includes " target "; tests of core see core alone")
    next
  }
  if (target ~ /^tests\//) {
    complain("includes " target "; programs do not depend on their tests")
    next
  }
  if (home != "" && large_folder(target) == home && place_in(home, target) > stands)
    complain(FILENAME " includes " target "; the folders of " home " have another order")
  there = layer(target)
  if (there == "" && quoted && here != "" && target !~ /\//) there = here  # a file in the same folder
  if (there == "" || here == "") next  # a library's header
  ++includes
  if (there ~ /^tasks\//) {
    if (there != here && FILENAME != "tasks/registry.cpp" && !(FILENAME == "tasks/catalog.cpp" && there == "tasks/own"))
      complain(here " includes " target "; only the registry sees a task's folder")
    next
  }
  if (here ~ /^tasks\//) {
    if (there != "tasks" && !(("tasks", there) in may)) complain(here " includes " target "; " there " does not stand before " here)
    next
  }
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
