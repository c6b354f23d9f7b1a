#include "core/base/csv_first_line.h"

#include <fmt/format.h>

#include <algorithm>

namespace pairs {

CsvFirstLine::Form CsvFirstLine::form_of(std::string_view cell) {
  if (cell.starts_with('-') || cell.starts_with('+')) cell.remove_prefix(1);
  const bool tenths = cell.size() > 2 && cell[cell.size() - 2] == '.';
  if (tenths && cell.find_last_not_of("0123456789", cell.size() - 3) == cell.npos &&
      cell.back() >= '0' && cell.back() <= '9')
    return Form::tenths;
  if (cell.empty() || cell.find_first_not_of("0123456789") != cell.npos) return Form::other;
  return Form::whole;
}

void CsvFirstLine::take(const std::vector<CsvCell>& cells) {
  std::vector<double> numbers;
  for (const CsvCell& cell : cells) {
    double value = 0;
    const Form form = form_of(cell.text);
    if (form == Form::other || (!forms_.empty() && form != forms_.front()) ||
        parse_csv_number(cell.text, value) != CsvNumber::good) {
      forms_.clear();
      return;
    }
    forms_.push_back(form);
    numbers.push_back(value);
    text_ += fmt::format("{}{}", text_.empty() ? "" : ", ", cell.text);
  }
  alike_.assign(forms_.size(), 0);
  if (numbers.size() == 1 && forms_.front() == Form::whole) only_ = numbers.front();
  std::sort(numbers.begin(), numbers.end());
  numbers_ = !numbers.empty() && (numbers.front() == 0 || numbers.front() == 1);
  for (std::size_t k = 1; k < numbers.size(); ++k) numbers_ &= numbers[k] == numbers[0] + static_cast<double>(k);
}

void CsvFirstLine::compare(const std::vector<CsvCell>& cells, std::size_t shift) {
  if (forms_.empty()) return;
  ++rows_;
  for (std::size_t k = 0; k < forms_.size() && k + shift < cells.size(); ++k)
    alike_[k] += form_of(cells[k + shift].text) == forms_[k] || is_missing_cell(cells[k + shift].text);
}

std::string CsvFirstLine::otherwise() const {
  // One number is soon written otherwise than a few others.
  if (forms_.empty() || rows_ < (forms_.size() == 1 ? 4 : 1)) return "";
  if (std::none_of(alike_.begin(), alike_.end(), [&](std::size_t alike) { return 50 * alike <= rows_; })) return "";
  if (only_ == static_cast<double>(rows_)) return "the number of rows";
  return numbers_ ? "column numbers" : "";
}

}  // namespace pairs
