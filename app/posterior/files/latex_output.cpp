#include "app/posterior/files/latex_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "app/posterior/files/text_output.h"
#include "core/base/text/text.h"
#include "core/report/number_text.h"

namespace pairs {
namespace {

struct Spelling {
  std::string_view text, latex;
};
constexpr std::array<Spelling, 13> kEscaped = {{{"\\", "\\textbackslash{}"},
                                                {"&", "\\&"},
                                                {"%", "\\%"},
                                                {"$", "\\$"},
                                                {"#", "\\#"},
                                                {"_", "\\_"},
                                                {"{", "\\{"},
                                                {"}", "\\}"},
                                                {"~", "\\textasciitilde{}"},
                                                {"^", "\\textasciicircum{}"},
                                                {"<", "\\textless{}"},
                                                {">", "\\textgreater{}"},
                                                {"|", "\\textbar{}"}}};
constexpr std::array<Spelling, 31> kMathematics = {
    {{"α", "\\alpha"},   {"β", "\\beta"},   {"γ", "\\gamma"}, {"δ", "\\delta"}, {"ε", "\\epsilon"}, {"ζ", "\\zeta"},
     {"η", "\\eta"},     {"θ", "\\theta"},  {"ι", "\\iota"},  {"κ", "\\kappa"}, {"λ", "\\lambda"},  {"μ", "\\mu"},
     {"ν", "\\nu"},      {"ξ", "\\xi"},     {"π", "\\pi"},    {"ρ", "\\rho"},   {"σ", "\\sigma"},   {"τ", "\\tau"},
     {"υ", "\\upsilon"}, {"φ", "\\varphi"}, {"χ", "\\chi"},   {"ψ", "\\psi"},   {"ω", "\\omega"},   {"Γ", "\\Gamma"},
     {"Δ", "\\Delta"},   {"Λ", "\\Lambda"}, {"Σ", "\\Sigma"}, {"Φ", "\\Phi"},   {"Ψ", "\\Psi"},     {"Ω", "\\Omega"},
     {"−", "-"}}};
constexpr std::array<Spelling, 10> kLowered = {{{"₀", "0"},
                                                {"₁", "1"},
                                                {"₂", "2"},
                                                {"₃", "3"},
                                                {"₄", "4"},
                                                {"₅", "5"},
                                                {"₆", "6"},
                                                {"₇", "7"},
                                                {"₈", "8"},
                                                {"₉", "9"}}};

// The spelling at the start of the text; null if there is none.
template <class Spellings>
const Spelling* spelling_in(const Spellings& spellings, std::string_view text) {
  const auto at =
      std::find_if(spellings.begin(), spellings.end(), [&](const Spelling& one) { return text.starts_with(one.text); });
  return at == spellings.end() ? nullptr : &*at;
}

class LatexOutput final : public SetsOutput {
 public:
  LatexOutput(const std::filesystem::path& file, const SetsHead& head) : text_(file), head_(head) {
    std::string columns = "lr", first = "Set & $N$";
    for (const Target& target : head.info->targets) {
      const std::string label = latex_text(target.label);
      columns += "rr";
      first += fmt::format(" & {} & {}, 90\\,\\%", label, label);
      if (head.refined) {
        columns += "r";
        first += fmt::format(" & {}, refined", label);
      }
      if (!head.exact) continue;
      columns += "r";
      first += fmt::format(" & {}, exact", label);
    }
    text_.write(
        fmt::format("% Needs \\usepackage{{booktabs}}. Mean and standard deviation, and the {} interval of "
                    "90 %.\n\\begin{{tabular}}{{{}}}\n\\toprule\n{} \\\\\n\\midrule\n",
                    interval_title(head.interval), columns, first));
  }
  void add(const SetRow& row) override {
    std::string line = latex_text(row.name);
    if (!row.problem.empty()) {
      line += fmt::format(" & \\multicolumn{{{}}}{{l}}{{{}}}",
                          1 + (2 + (head_.exact ? 1 : 0) + (head_.refined ? 1 : 0)) * head_.info->targets.size(),
                          latex_text(row.problem));
    } else {
      line += fmt::format(" & {}", row.n);
      for (std::size_t t = 0; t < row.numbers.size(); ++t) {
        line += cells(row.numbers[t]);
        if (head_.refined) line += row.refined.empty() ? " & -" : " & " + mean_text(row.refined[t]);
        if (head_.exact) line += row.exact.empty() ? " & -" : " & " + mean_text(row.exact[t]);
      }
    }
    text_.write(line + " \\\\\n");
  }
  void finish() override {
    text_.write("\\bottomrule\n\\end{tabular}\n");
    text_.finish();
  }

 private:
  std::string cells(const TargetNumbers& numbers) const {
    const int decimals = decimals_of(numbers.sd);
    const auto [low, high] = numbers.most(head_.interval);
    const std::string interval = head_.interval == IntervalKind::upper_limit
                                     ? fmt::format("$< {}$", rounded(high, decimals))
                                     : fmt::format("$[{},\\, {}]$", rounded(low, decimals), rounded(high, decimals));
    return fmt::format(" & {} & {}", mean_text(numbers), interval);
  }
  static std::string mean_text(const TargetNumbers& numbers) {
    const int decimals = decimals_of(numbers.sd);
    return fmt::format("${} \\pm {}$", rounded(numbers.mean, decimals), rounded(numbers.sd, decimals));
  }

  TextOutput text_;
  SetsHead head_;
};

}  // namespace

std::unique_ptr<SetsOutput> latex_output(const std::filesystem::path& file, const SetsHead& head) {
  return std::make_unique<LatexOutput>(file, head);
}

std::string latex_text(std::string_view raw) {
  const std::string safe = printable(raw, raw.size());
  std::string_view text = safe;
  std::string out;
  while (!text.empty()) {
    if (const Spelling* const escaped = spelling_in(kEscaped, text)) {
      out += escaped->latex;
      text.remove_prefix(escaped->text.size());
      continue;
    }
    std::string mathematics;
    if (const Spelling* const letter = spelling_in(kMathematics, text)) {
      mathematics = letter->latex;
      text.remove_prefix(letter->text.size());
    }
    std::string lowered;
    while (const Spelling* const digit = spelling_in(kLowered, text)) {
      lowered += digit->latex;
      text.remove_prefix(digit->text.size());
    }
    if (!lowered.empty()) mathematics += "_{" + lowered + "}";
    if (!mathematics.empty()) {
      out += "$" + mathematics + "$";
      continue;
    }
    out += text.front();
    text.remove_prefix(1);
  }
  return out;
}

int decimals_of(double sd) {
  if (!(sd > 0) || !std::isfinite(sd)) return 6;
  const int decimals = 1 - static_cast<int>(std::floor(std::log10(sd)));
  // 0.0996 is 0.10 in two digits.
  const bool carried = std::round(sd * std::pow(10.0, decimals)) >= 100;
  return decimals - (carried ? 1 : 0);
}

std::string rounded(double value, int decimals) {
  if (!std::isfinite(value)) return "-";
  const double unit = std::pow(10.0, -std::min(decimals, 0));
  const double nearest = decimals < 0 ? std::round(value / unit) * unit : value;
  std::string text = fmt::format("{:.{}f}", nearest, std::max(decimals, 0));
  if (text.starts_with('-') && text.find_first_of("123456789") == text.npos) text.erase(0, 1);
  return text;
}

}  // namespace pairs
