#include "tasks/digits/entry.h"

#include "tasks/digits/digits.h"
#include "tasks/digits/images.h"

namespace pairs {

TaskEntry digits_entry() {
  return {.name = "digits",
          .make = [](const TaskOptions& o) { return make_digits(o.data); },
          .data = DataSet{"MNIST", "digits", "[.gz]",
                          "MNIST is read as it is distributed: four IDX files, gzipped or plain, in the folder or in "
                          "mnist/ below it.",
                          find_mnist}};
}

}  // namespace pairs
