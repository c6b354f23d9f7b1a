#pragma once

#include <imgui.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/gui/widgets/picture_textures.h"
#include "app/model/files/file_browsing.h"

namespace pairs::gui {

// A field for a path and, below it, what is on the disk: places on the left, the folder's files, and what the chosen
// one holds. Where the desktop has file dialogs of its own, buttons that show those in place of the list. The middle of
// a dialog that opens or saves.
class FileBrowser {
 public:
  enum class Kind { open, open_folder, save };  // open: a file or a folder
  struct Request {
    Kind kind = Kind::open;
    std::string title, hint;                 // of the desktop's dialog; in the empty field
    std::vector<model::FileFilter> filters;  // beside "All files"; the first is chosen at first
    bool direct = false;                     // nothing else is asked: the desktop's dialog comes at once
  };
  // What a person has just done.
  struct Ended {
    bool done = false;       // the path is the one
    bool replace = false;    // the desktop has asked whether the file of this path may be replaced
    bool cancelled = false;  // the desktop's dialog, which was all that was asked
  };

  // Begins anew with this text; the field takes the keyboard.
  void start(std::string text);
  // Leaves off: nothing is looked at any more, and the desktop's dialog is closed.
  void stop();
  void focus() { fresh_ = true; }
  // Goes into the folder that is chosen, where there is nothing to open but what is in it; else false.
  bool enter_plain();
  // Another text than the person's.
  void set_text(std::string text);

  // Within a dialog, once a frame. `field` names the input, `name` begins the names of all else: "<name>/entry/FILE",
  // "/place/home", "/recent/0", "/filter", "/hidden", "/up", "/sort/size", "/browse", "/browse-folder". `blocked`: why
  // nothing can be changed now.
  Ended draw(const std::string& name, const std::string& field, const Request& request, std::string_view blocked = {});

  const std::string& text() const { return text_; }
  std::filesystem::path path() const;
  // Whether the text has changed in the last draw().
  bool changed() const { return changed_; }

  // The width of a dialog with a browser in it, at scale 1.
  static constexpr float dialog_width = 880;

 private:
  std::filesystem::path place() const;
  std::string in_place(const std::string& entry) const;
  void choose(const model::FileEntry& entry);
  void go(const std::filesystem::path& folder);
  std::string completion() const;
  void take_keys();
  static int edit(ImGuiInputTextCallbackData* data);
  bool field(const std::string& name, const Request& request, std::string_view blocked, float width);
  void update();
  void options(const std::string& name, const Request& request);
  void places(const std::string& name, ImVec2 size);
  void recent(const std::string& name, std::size_t most);
  void titles(const std::string& name, float width, float size_at, float time_at);
  void entries(const std::string& name, ImVec2 size, Ended& ended);
  void preview(const std::string& name, ImVec2 size);
  void list(const std::string& name, const Request& request, Ended& ended);
  void desktop(const std::string& name, const Request& request, std::string_view blocked);
  void ask_desktop(const Request& request, bool folder);
  void take_desktop(const Request& request, Ended& ended);

  Kind kind_ = Kind::open;
  std::string text_, before_, offered_;  // offered: what it began with
  std::optional<std::string> put_;       // goes into the field, which may be edited just now
  std::string chosen_;                   // an entry of the listing
  std::string problem_;                  // of the desktop's dialog
  std::filesystem::path start_;          // the folder that is shown while nothing is typed
  bool fresh_ = false, active_ = false, changed_ = false, scroll_ = false, own_ = false, asked_once_ = false;
  bool caret_to_end_ = false;  // once the field has the keyboard
  bool completes_ = false;     // the next Tab completes the text
  std::uint64_t asked_ = 0;    // a question of the desktop's dialog; 0: none is open
  int filter_ = 0;
  model::ListingView view_, shown_view_;  // as wanted; as shown_ is
  std::unique_ptr<model::FileBrowsing> disk_;
  std::shared_ptr<const model::FolderListing> listing_;
  std::vector<const model::FileEntry*> shown_;  // of listing_
  PictureTextures pictures_;
};

}  // namespace pairs::gui
