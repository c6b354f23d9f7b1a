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

// A field for a path and, below it, a view of the disk: places on the left, the folder's files, and a preview of the
// selected one. If the desktop has its own file dialogs, buttons that open them replace the list. The body of a dialog
// that opens or saves.
class FileBrowser {
 public:
  enum class Kind { open, open_folder, save };  // open: a file or a folder
  struct Request {
    Kind kind = Kind::open;
    std::string title, hint;                 // of the desktop's dialog; shown in the empty field
    std::vector<model::FileFilter> filters;  // in addition to "All files"; the first is the default
    bool direct = false;                     // the path is the only question: opens the desktop's dialog at once
  };
  // The user's last action.
  struct Ended {
    bool done = false;      // the path was confirmed
    bool replace = false;   // the desktop has confirmed that the file may be replaced
    bool canceled = false;  // the desktop's dialog, the only question, was canceled
  };

  // Starts anew with this text; the field takes the keyboard focus.
  void start(std::string text);
  // Stops reading the disk, and closes the desktop's dialog.
  void stop();
  void focus() { fresh_ = true; }
  // Enters the selected folder if there is nothing to open but its contents; else returns false.
  bool enter_plain();
  // Replaces the typed text.
  void set_text(std::string text);

  // Call within a dialog, once per frame. `field` names the input; `name` precedes the names of all else:
  // "<name>/entry/FILE", "/place/home", "/recent/0", "/filter", "/hidden", "/up", "/sort/size", "/browse",
  // "/browse-folder". `blocked`: why nothing can be changed now.
  Ended draw(const std::string& name, const std::string& field, const Request& request, std::string_view blocked = {});

  const std::string& text() const { return text_; }
  std::filesystem::path path() const;
  // Whether the text has changed in the last draw().
  bool changed() const { return changed_; }

  // The width of a dialog with a browser, at scale 1.
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
  std::string text_, before_, offered_;  // offered: the initial text
  std::optional<std::string> put_;       // text to put into the field, which may be in use
  std::string chosen_;                   // an entry of the listing
  std::string problem_;                  // of the desktop's dialog
  std::filesystem::path start_;          // the folder shown while nothing is typed
  bool fresh_ = false, active_ = false, changed_ = false, scroll_ = false, own_ = false, asked_once_ = false;
  bool caret_to_end_ = false;  // once the field has the keyboard focus
  bool completes_ = false;     // the next Tab completes the text
  std::uint64_t asked_ = 0;    // number of the open desktop dialog; 0: none
  int filter_ = 0;
  model::ListingView view_, shown_view_;  // requested; current in shown_
  std::unique_ptr<model::FileBrowsing> disk_;
  std::shared_ptr<const model::FolderListing> listing_;
  std::vector<const model::FileEntry*> shown_;  // of listing_
  PictureTextures pictures_;
};

}  // namespace pairs::gui
