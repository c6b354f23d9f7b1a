#pragma once
// Stand-ins for panels that are being written.
#include "app/gui/palette.h"
#include "app/gui/plot_view.h"
#include "app/gui/ui.h"
#include "app/model/studio.h"
#define STUB(C) struct C { void draw(model::Studio&) { ui::empty_state(#C, "Being written."); } }
#define STUBD(C) struct C { void open() {} void draw() {} }
#if __has_include("app/gui/train_panel.cpp")
#include "app/gui/train_panel.h"
#else
namespace pairs::gui { STUB(TrainPanel); }
#endif
#if __has_include("app/gui/task_panel.cpp")
#include "app/gui/task_panel.h"
#else
namespace pairs::gui { STUB(TaskPanel); }
#endif
#if __has_include("app/gui/posterior_panel.cpp")
#include "app/gui/posterior_panel.h"
#else
namespace pairs::gui { STUB(PosteriorPanel); }
#endif
#if __has_include("app/gui/evaluate_panel.cpp")
#include "app/gui/evaluate_panel.h"
#else
namespace pairs::gui { STUB(EvaluatePanel); }
#endif
#if __has_include("app/gui/compare_panel.cpp")
#include "app/gui/compare_panel.h"
#else
namespace pairs::gui { STUB(ComparePanel); }
#endif
#if __has_include("app/gui/sidebar.cpp")
#include "app/gui/sidebar.h"
#else
namespace pairs::gui { STUB(Sidebar); }
#endif
#if __has_include("app/gui/log_drawer.cpp")
#include "app/gui/log_drawer.h"
#else
namespace pairs::gui { STUB(LogDrawer); }
#endif
#if __has_include("app/gui/about.cpp")
#include "app/gui/about.h"
#else
namespace pairs::gui { STUBD(AboutDialog); }
#endif
#if __has_include("app/gui/shortcuts.cpp")
#include "app/gui/shortcuts.h"
#else
namespace pairs::gui { STUBD(ShortcutsDialog); }
#endif
