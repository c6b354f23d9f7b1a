#pragma once

#include <string>
#include <vector>

#include "app/batch/parts/set_options.h"
#include "app/posterior/question/question.h"

namespace CLI {
class App;
}

namespace pairs::batch {

// The options that ask a question of a posterior, as given.
class QuestionOptions {
 public:
  // The question that they ask. Throws a usage Error for options that exclude each other, and for unknown words.
  Question question() const;

 private:
  friend void add_question_options(CLI::App& app, QuestionOptions& options, const struct QuestionOptionUse& use);
  Question asked_;
  SetOptions set_;
  bool own_seed_ = false;  // the command has a --seed of its own, which also draws what --random draws
  std::string interval_, source_;
  bool refine_ = false;
  std::vector<std::string> prior_, training_prior_;
};

// Which options a command has, by the help of each; those without help, it lacks. Options of sets: add_set_options.
struct QuestionOptionUse {
  bool run = true;  // the run is the first argument
  SetOptionUse set = {};
  std::string n = {}, interval = {}, derive = {}, prior = {}, training_prior = {}, seed = {}, learned_product = {},
              refine = {}, source = {};
};
// Declares the options. `options` outlives the parsed command.
void add_question_options(CLI::App& app, QuestionOptions& options, const QuestionOptionUse& use);

}  // namespace pairs::batch
