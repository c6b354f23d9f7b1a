# Reads the C++ and CUDA files named as arguments (paths from the repository root) and prints every line that tests the
# kind of an observation, a target, an embedder or a head. Only the files below may choose by kind; everything else that
# depends on a kind is in the kind's own folder or class. Exit 1 when there is such a line.

BEGIN {
  chooses["core/task.h"] = 1             # the kinds' names
  chooses["core/target_model.cpp"] = 1   # target_model
  chooses["core/nn/embedder.cpp"] = 1    # embedder_kinds
  chooses["core/heads/make_head.cpp"] = 1  # head_kinds
  chooses["tasks/own/file/x_kind.cpp"] = 1    # x_kind
  chooses["app/kinds/kind.cpp"] = 1      # room_of, target_room_of
  chooses["app/posterior/source/posterior_source.cpp"] = 1  # a source with a density or without
  chooses["app/scores/scoring.cpp"] = 1  # scoring_of
}

function complain(text) {
  print FILENAME ":" FNR ": " text
  wrong = 1
}

FNR == 1 { ++files }

FILENAME in chooses { next }

{
  line = $0
  sub(/\/\/.*/, "", line)
  # A task states its kind.
  if (FILENAME ~ /^tasks\//) sub(/(target_)?kind = (Observation|Target)Kind::[a-z]+;/, "", line)
  if (line ~ /(Observation|Target)Kind::|[.>]image_target\(\)|[.>]target_kind/)
    complain("asks for the kind of an observation or a target; give its room, or its model, a face")
  else if (line ~ /kind *[!=]= *"(mlp|cnn|resnet|view|rows|spline|umnn|gaussian|flow-matching)"/ || line ~ /(embedder|head|config)\.kind *[!=]=/)
    complain("asks for the kind of an embedder or a head; let it, or its entry in the table of kinds, tell")
  else if (FILENAME ~ /^app\// && line ~ /(^|[^a-z_])(has_density|viewing|of_images)\(/)
    complain("asks whether a posterior is a density or an image; let its page, its scoring or its target's room tell")
  else if (line ~ /dynamic_(pointer_)?cast/ && FILENAME ~ /^(core\/(train|eval)|app)\//)
    complain("casts to a kind; ask through an interface")
}

END {
  if (files == 0) {
    print "no source files were given"
    exit 1
  }
  if (!wrong) print files " files ask for no kind"
  exit wrong
}
