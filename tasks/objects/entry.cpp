#include "tasks/objects/entry.h"

#include "tasks/objects/mesh/mesh_account.h"
#include "tasks/objects/objects.h"

namespace pairs {

TaskEntry objects_entry() {
  return {
      .name = "objects",
      .make = make_objects,
      .settings = ObjectsSettings(),
      .data = DataSet{"meshes", "objects", "",
                      "Meshes are OFF, OBJ, STL and PLY files at any depth; ModelNet40 is read as it is distributed.",
                      find_mesh_data, "meshes", false, account_of_meshes}};
}

}  // namespace pairs
