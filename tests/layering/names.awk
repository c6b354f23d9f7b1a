# Reads files of core and app and prints every line that names a task, or a task's setting. The variables `tasks` and `keys`
# hold the tasks and the keys of their settings, separated by spaces. Exit 1 when there is such a line.

BEGIN {
  task_count = split(tasks, task, " ")
  key_count = split(keys, key, " ")
  if (!task_count || !key_count) {
    print "no tasks or settings were given"
    wrong = 1
    exit 1
  }
  # A strategy and a head have this name, too: it is a task's only where the line mentions tasks.
  shared["gaussian"] = 1
  commands = "(run|infer|evaluate|compare|presets|samples|posterior|width|--tasks?|--train|--like)"
  for (i = 1; i <= task_count; ++i) {
    name = task[i]
    if (name ~ /-/) {
      snake = name
      gsub(/-/, "_", snake)
      camel = ""
      n = split(name, part, "-")
      for (k = 1; k <= n; ++k) camel = camel toupper(substr(part[k], 1, 1)) substr(part[k], 2)
      anywhere[i] = "(^|[^A-Za-z0-9_-])(" name "|" snake ")|" camel
    } else {
      literal[i] = "\"" name "\""
      command[i] = commands " " name "([^A-Za-z0-9_-]|$)"
    }
  }
}

function complain(what) {
  print FILENAME ":" FNR ": names " what "; ask the catalog of tasks, or a face that the task has"
  wrong = 1
}

{
  ++lines
  for (i = 1; i <= task_count; ++i) {
    if (i in anywhere) {
      if ($0 ~ anywhere[i]) complain("the task " task[i])
    } else if ($0 ~ command[i] || ($0 ~ literal[i] && (!(task[i] in shared) || tolower($0) ~ /task/))) {
      complain("the task " task[i])
    }
  }
  for (i = 1; i <= key_count; ++i)
    if ($0 ~ "(^|[^A-Za-z0-9_.])task\\." key[i] "[\"= ]" && $0 ~ "\"[^\"]*task\\." key[i]) complain("the setting " key[i] " of a task")
}

END {
  if (!wrong && !lines) {
    print "no source files were given"
    exit 1
  }
  if (!wrong) print lines " lines without the names of " task_count " tasks and " key_count " settings"
  exit wrong
}
