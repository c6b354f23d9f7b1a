#include "app/batch/parts/command.h"

namespace pairs::batch {

const std::vector<CommandEntry>& commands() {
  static const std::vector<CommandEntry> all = {
      {"run", "Train an estimator for a task, or resume a run", add_run},
      {"likelihood", "Learn the likelihood of one observation, by which infer --refine sharpens posteriors",
       add_likelihood},
      {"benchmark", "Train and score tasks whose exact posterior is known", add_benchmark},
      {"evaluate", "Measure a run on fresh test sets: NLL, gap to exact, RMAE, calibration", add_evaluate},
      {"infer", "Posterior of your own observed set", add_infer},
      {"report", "One page on a posterior of your own set: result, checks, calibration, methods, commands", add_report},
      {"session", "What a session of the window holds, and the same with its runs and data in a folder", add_session},
      {"embed", "Embeddings and aggregates of one set as arrays of NumPy", add_embed},
      {"frequentist", "Confidence intervals, limits, significance and coverage by simulated sets", add_frequentist},
      {"external-validation", "Coverage of a run on real items with known θ", add_external_validation},
      {"compare", "Runs side by side on the same test sets: quality, cost, settings", add_compare},
      {"ensemble", "Average runs into an ensemble, which also reports how far they differ", add_ensemble},
      {"tag", "Put tags and notes on runs, by which the window finds them", add_tag},
      {"figure", "Draw a figure of one or more runs as SVG, PDF, PNG or CSV", add_figure},
      {"study", "Run, plan or draw a study: tasks x strategies x seeds x settings", add_study},
      {"queue", "What is trained one after the other: list, add, order, pause, work", add_queue},
      {"tasks", "List the tasks", add_tasks},
      {"presets", "Show the settings of a task's presets side by side", add_presets},
      {"data", "List which real data were found where, and what is missing", add_data},
      {"devices", "List the devices that can compute", add_devices},
      {"selftest", "Check the numerics of this program on this machine", add_selftest},
      {"render", "Draw a scene of spheres as a PNG: its colors, depth, normals or identities", add_render},
      {"convert", "Rename keys in files of earlier versions", add_convert},
      {"demo", "Train, draw and evaluate every task with its quick preset", add_demo},
  };
  return all;
}

}  // namespace pairs::batch
