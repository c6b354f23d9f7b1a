#include "app/posterior/files/latex_output.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/base/files/files.h"
#include "tests/core/base/temporary_folder.h"

namespace pairs {
namespace {

TEST(Latex, EscapesWhatIsSpecialToIt) {
  EXPECT_EQ(latex_text("run_1 & 50 % of #3"), "run\\_1 \\& 50 \\% of \\#3");
  EXPECT_EQ(latex_text("a\\b{c}~^$|<>"),
            "a\\textbackslash{}b\\{c\\}\\textasciitilde{}\\textasciicircum{}\\$\\textbar{}\\textless{}\\textgreater{}");
  EXPECT_EQ(latex_text("θ₁₂ of ψ, Zürich"), "$\\theta_{12}$ of $\\psi$, Zürich");
  EXPECT_EQ(latex_text("T₂"), "T$_{2}$");
  EXPECT_EQ(latex_text("\x1b\u202e\xff"), "\\textbackslash{}x1b\\textbackslash{}u202e\\textbackslash{}xff");
}

TEST(Latex, RoundsToTwoDigitsOfTheSd) {
  const auto reported = [](double mean, double sd) {
    return rounded(mean, decimals_of(sd)) + " " + rounded(sd, decimals_of(sd));
  };
  EXPECT_EQ(reported(0.20507662, 0.04574749), "0.205 0.046");
  EXPECT_EQ(reported(0.5, 0.0996), "0.50 0.10");
  EXPECT_EQ(reported(0.5, 0.0994), "0.500 0.099");
  EXPECT_EQ(reported(-12.345, 3.21), "-12.3 3.2");
  EXPECT_EQ(reported(-0.0004, 0.12), "0.00 0.12");
  EXPECT_EQ(reported(123456, 1234), "123500 1200");
  EXPECT_EQ(reported(123456, 99.6), "123460 100");
  EXPECT_EQ(rounded(NAN, 2), "-");
}

TEST(Latex, IsATableThatIsWhole) {
  TaskInfo info;
  info.targets.resize(2);
  info.targets[0].label = "θ₁";
  info.targets[1].label = "V";
  const TemporaryFolder folder;
  SetsHead head;
  head.info = &info;
  head.sets = 2;
  SetRow row;
  row.name = "run_1";
  row.n = 20;
  row.numbers.resize(2);
  for (TargetNumbers& one : row.numbers) {
    one.mean = 0.25;
    one.sd = 0.031;
    one.intervals[0][1] = {0.2004, 0.3};
  }
  SetRow failed;
  failed.name = "b";
  failed.problem = "50 % is no number";
  write_sets(folder / "a.tex", head, [&](const std::function<void(const SetRow&)>& take) {
    take(row);
    take(failed);
  });
  EXPECT_EQ(read_file(folder / "a.tex"),
            "% Needs \\usepackage{booktabs}. Mean and standard deviation, and the central interval of 90 %.\n"
            "\\begin{tabular}{lrrrrr}\n\\toprule\n"
            "Set & $N$ & $\\theta_{1}$ & $\\theta_{1}$, 90\\,\\% & V & V, 90\\,\\% \\\\\n\\midrule\n"
            "run\\_1 & 20 & $0.250 \\pm 0.031$ & $[0.200,\\, 0.300]$ & $0.250 \\pm 0.031$ & $[0.200,\\, 0.300]$ \\\\\n"
            "b & \\multicolumn{5}{l}{50 \\% is no number} \\\\\n"
            "\\bottomrule\n\\end{tabular}\n");
}

}  // namespace
}  // namespace pairs
