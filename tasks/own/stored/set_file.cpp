#include "tasks/own/stored/set_file.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "core/base/text/error.h"
#include "core/base/text/text.h"

namespace pairs {
namespace {

// The largest gap of unneeded numbers that is read along with others, and the most numbers read at once.
constexpr std::int64_t kMostGap = 1 << 12, kMostWindow = 1 << 16;
// Numbers that are scanned at once.
constexpr std::int64_t kScanned = 1 << 20;
// Sets for the check of precision, observations of each (rows if these are ragged), and the tolerated loss relative to
// a standard deviation.
constexpr std::int64_t kPrecisionSets = 64, kPrecisionEach = 64;
constexpr double kMostLost = 0.01;

std::string shape_text(const std::vector<std::int64_t>& shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

std::string extents_text(const std::vector<std::int64_t>& shape) {
  return fmt::format("{}", fmt::join(shape, ", "));
}

bool ends_with(const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& end, std::size_t from) {
  return shape.size() == from + end.size() &&
         std::equal(end.begin(), end.end(), shape.begin() + static_cast<std::ptrdiff_t>(from));
}

// What to do if NaN marks missing observations.
const char* padding_hint(double value, bool rows) {
  return std::isnan(value) && !rows ? "; where NaN fills smaller sets up, write padding = \"nan\" in [simulations]"
                                    : "";
}

}  // namespace

std::int64_t SimulationShape::numbers() const {
  return std::accumulate(observation.begin(), observation.end(), std::int64_t{1}, std::multiplies<>());
}

SetFile::SetFile(std::string name, std::vector<std::shared_ptr<const StoredFile>> files,
                 std::vector<std::unique_ptr<ArrayFile>> arrays, const SimulationFiles& names,
                 const SimulationShape& shape)
    : name_(std::move(name)), files_(std::move(files)), arrays_(std::move(arrays)), shape_(shape) {
  theta_ = need(names.theta, "theta", fmt::format("[S, {}]", shape_.targets));
  check_columns(*theta_, shape_.targets);
  sets_ = theta_->shape()[0];
  PAIRS_CHECK(sets_ > 0, "{} holds no sets; write the file again, or take it out of [simulations] files",
              theta_->where());
  if (shape_.nuisances > 0) psi_ = need_rows(names.psi, "psi", shape_.nuisances, names.theta);
  if (shape_.given > 0) given_ = need_rows(names.given, "given", shape_.given, names.theta);
  x_ = need(names.x, "x", shape_.rows ? "[R, columns]" : fmt::format("[S, M, {}]", extents_text(shape_.observation)));
  const std::unique_ptr<StoredArray> offsets = find(names.offsets, "offsets");
  if (shape_.rows) row_offsets_ = find(names.row_offsets, "row_offsets");
  if (row_offsets_ != nullptr)
    PAIRS_CHECK(row_offsets_->shape().size() == 1 && row_offsets_->shape()[0] >= 2,
                "{} has shape {}, but [T + 1] is needed: where each of T observations begins, and where the last ends",
                row_offsets_->where(), shape_text(row_offsets_->shape()));
  const std::int64_t total = row_offsets_ != nullptr ? row_offsets_->shape()[0] - 1 : x_->shape()[0];
  if (offsets != nullptr) read_offsets(*offsets, total);
  if (shape_.rows)
    lay_out_rows();
  else
    lay_out_blocks();
  if (names.padding == "nan") take_padding();
  for (const auto& array : arrays_)
    for (auto& source : array->sources()) files_.push_back(std::move(source));
}

std::unique_ptr<StoredArray> SetFile::find(const std::string& name, const std::string& key) const {
  for (const auto& file : arrays_)
    if (std::unique_ptr<StoredArray> array = file->array(name)) {
      PAIRS_CHECK(!array->shape().empty(), "{} is a single number where an array is needed ([simulations] {})",
                  array->where(), key);
      return array;
    }
  return nullptr;
}

std::unique_ptr<StoredArray> SetFile::need(const std::string& name, const std::string& key,
                                           const std::string& shape) const {
  std::unique_ptr<StoredArray> array = find(name, key);
  if (array != nullptr) return array;
  std::vector<std::string> held;
  for (const auto& file : arrays_)
    for (const std::string& one : file->names()) held.push_back(printable(one));
  fail("{} holds no array '{}' ({}), only {}; save it under that name, or set {} = \"...\" in [simulations]", name_,
       printable(name), shape, held.empty() ? "nothing" : fmt::format("{}", fmt::join(held, ", ")), key);
}

void SetFile::check_columns(const StoredArray& array, std::int64_t columns) const {
  const auto& shape = array.shape();
  const bool fits = (shape.size() == 2 && shape[1] == columns) || (shape.size() == 1 && columns == 1);
  PAIRS_CHECK(fits, "{} has shape {}, but [S, {}] is needed: one row per set, a column for each name in task.toml",
              array.where(), shape_text(shape), columns);
}

void SetFile::read_offsets(const StoredArray& array, std::int64_t observations) {
  PAIRS_CHECK(array.shape().size() == 1 && array.shape()[0] == sets_ + 1,
              "{} has shape {}, but [{}] is needed: where each of the {} sets begins, and where the last ends",
              array.where(), shape_text(array.shape()), sets_ + 1, sets_);
  starts_.resize(static_cast<std::size_t>(sets_) + 1);
  array.read(0, sets_ + 1, starts_.data());
  PAIRS_CHECK(starts_.front() == 0 && starts_.back() == observations,
              "{} leads from {} to {}, but must lead from 0 to {}, the number of observations", array.where(),
              starts_.front(), starts_.back(), observations);
  for (std::int64_t s = 0; s < sets_; ++s)
    PAIRS_CHECK(starts_[static_cast<std::size_t>(s)] < starts_[static_cast<std::size_t>(s) + 1],
                "{}: set {} begins at {} and ends at {}; every set must hold an observation", array.where(), s,
                starts_[static_cast<std::size_t>(s)], starts_[static_cast<std::size_t>(s) + 1]);
}

void SetFile::lay_out_blocks() {
  const auto& shape = x_->shape();
  const bool single = shape_.observation == std::vector<std::int64_t>{1};
  if (!starts_.empty()) {
    PAIRS_CHECK(ends_with(shape, shape_.observation, 1) || (single && shape.size() == 1),
                "{} has shape {}, but with offsets [T, {}] is needed", x_->where(), shape_text(shape),
                extents_text(shape_.observation));
    return;
  }
  PAIRS_CHECK(ends_with(shape, shape_.observation, 2) || (single && shape.size() == 2),
              "{} has shape {}, but [S, M, {}] is needed: {} sets of M observations each; sets of different sizes need "
              "offsets",
              x_->where(), shape_text(shape), extents_text(shape_.observation), sets_);
  PAIRS_CHECK(shape[0] == sets_, "{} holds {} sets, but theta {}; write one row of each a set", x_->where(), shape[0],
              sets_);
  PAIRS_CHECK(shape[1] > 0, "{} has shape {}: its sets hold no observations", x_->where(), shape_text(shape));
  each_ = shape[1];
}

void SetFile::take_padding() {
  PAIRS_CHECK(!shape_.rows,
              "{} is ragged rows, of which none are padded; leave padding out of [simulations], and save row_offsets",
              x_->where());
  if (each_ == 0) return;  // offsets define how many observations a set holds
  const std::int64_t numbers = shape_.numbers(), all = each_ * numbers;
  const std::int64_t at_once = std::clamp<std::int64_t>(kScanned / all, 1, sets_);
  std::vector<float> x(static_cast<std::size_t>(at_once * all));
  held_.resize(static_cast<std::size_t>(sets_));
  bool full = true;
  for (std::int64_t first = 0, count; first < sets_; first += count) {
    count = std::min(at_once, sets_ - first);
    x_->read(first * all, count * all, x.data());
    for (std::int64_t i = 0; i < count; ++i) {
      const float* set = x.data() + i * all;
      std::int64_t held = all;
      while (held > 0 && std::isnan(set[held - 1])) --held;
      PAIRS_CHECK(held > 0, "{}: set {} is NaN throughout; leave it out, or simulate it again", x_->where(), first + i);
      const auto hole = std::find_if(set, set + held, [](float one) { return std::isnan(one); });
      PAIRS_CHECK(hole == set + held && held % numbers == 0,
                  "{}: observation {} of set {} is NaN in part, or others follow it, but padding is whole observations "
                  "behind the last one: leave the set out, or simulate it again",
                  x_->where(), (hole - set) / numbers, first + i);
      held_[static_cast<std::size_t>(first + i)] = held / numbers;
      full &= held == all;
    }
  }
  if (full) return;
  stride_ = each_;
  each_ = 0;
}

void SetFile::lay_out_rows() {
  const auto& shape = x_->shape();
  if (row_offsets_ == nullptr) {
    PAIRS_CHECK(
        starts_.empty() && shape.size() == 4 && shape[0] == sets_ && shape[1] > 0 && shape[3] == shape_.numbers(),
        "{} has shape {}, but ragged rows are [R, {}] with the array row_offsets [T + 1], or [S, M, rows, {}] "
        "where every observation has as many",
        x_->where(), shape_text(shape), shape_.numbers(), shape_.numbers());
    each_ = shape[1];
    rows_each_ = shape[2];
    return;
  }
  PAIRS_CHECK(ends_with(shape, shape_.observation, 1), "{} has shape {}, but with row_offsets [R, {}] is needed",
              x_->where(), shape_text(shape), shape_.numbers());
  const std::int64_t total = row_offsets_->shape()[0] - 1;
  std::int64_t ends[2] = {0, 0};
  row_offsets_->read(0, 1, &ends[0]);
  row_offsets_->read(total, 1, &ends[1]);
  PAIRS_CHECK(ends[0] == 0 && ends[1] == shape[0],
              "{} leads from {} to {}, but must lead from 0 to {}, the number of rows of x", row_offsets_->where(),
              ends[0], ends[1], shape[0]);
  if (!starts_.empty()) return;
  PAIRS_CHECK(
      total > 0 && total % sets_ == 0,
      "{} holds {} observations, which {} sets do not share equally; give offsets [S + 1], where each set begins",
      row_offsets_->where(), total, sets_);
  each_ = total / sets_;
}

std::int64_t SetFile::first_observation(std::int64_t set) const {
  return each_ > 0 ? set * each_ : stride_ > 0 ? set * stride_ : starts_[static_cast<std::size_t>(set)];
}

void SetFile::read_latents(const StoredArray& array, std::int64_t first, std::int64_t count, std::int64_t columns,
                           double* out) const {
  array.read(first * columns, count * columns, out);
  for (std::int64_t i = 0; i < count * columns; ++i)
    PAIRS_CHECK(std::isfinite(out[i]), "{}: row {} holds {} in column {}; every number must be finite", array.where(),
                first + i / columns, out[i], i % columns);
}

std::unique_ptr<StoredArray> SetFile::need_rows(const std::string& name, const char* key, std::int64_t columns,
                                                const std::string& theta) const {
  std::unique_ptr<StoredArray> array = need(name, key, fmt::format("[{}, {}]", sets_, columns));
  check_columns(*array, columns);
  PAIRS_CHECK(array->shape()[0] == sets_, "{} has {} rows, but there are {} sets of {}; write one row per set",
              array->where(), array->shape()[0], sets_, theta);
  return array;
}

void SetFile::read_theta(std::int64_t first, std::int64_t count, double* out) const {
  read_latents(*theta_, first, count, shape_.targets, out);
}

void SetFile::read_psi(std::int64_t first, std::int64_t count, double* out) const {
  if (psi_ != nullptr) read_latents(*psi_, first, count, shape_.nuisances, out);
}

void SetFile::read_given(std::int64_t first, std::int64_t count, double* out) const {
  if (given_ != nullptr) read_latents(*given_, first, count, shape_.given, out);
}

template <class Number>
void SetFile::gather(std::int64_t set, std::vector<Wanted<Number>>& wanted) const {
  std::sort(wanted.begin(), wanted.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Number> window;
  for (std::size_t i = 0, end; i < wanted.size(); i = end) {
    const std::int64_t begin = wanted[i].first;
    std::int64_t stop = begin + wanted[i].count;
    for (end = i + 1; end < wanted.size(); ++end) {
      const std::int64_t next = std::max(stop, wanted[end].first + wanted[end].count);
      if (wanted[end].first - stop > kMostGap || next - begin > kMostWindow) break;
      stop = next;
    }
    if (end == i + 1) {
      x_->read(begin, wanted[i].count, wanted[i].out);
      continue;
    }
    window.resize(static_cast<std::size_t>(stop - begin));
    x_->read(begin, stop - begin, window.data());
    for (std::size_t k = i; k < end; ++k)
      std::copy_n(window.data() + (wanted[k].first - begin), wanted[k].count, wanted[k].out);
  }
  for (const Wanted<Number>& one : wanted)
    for (std::int64_t j = 0; j < one.count; ++j)
      PAIRS_CHECK(
          std::isfinite(static_cast<float>(one.out[j])),
          "{}: set {} holds {} in an observation; every number must be finite in float32: leave the set out, or "
          "simulate it again{}",
          x_->where(), set, one.out[j], padding_hint(static_cast<double>(one.out[j]), shape_.rows));
}

template <class Number>
void SetFile::read_blocks(std::int64_t set, std::span<const std::int64_t> positions, Number* out) const {
  const std::int64_t numbers = shape_.numbers(), first = first_observation(set);
  std::vector<Wanted<Number>> wanted;
  wanted.reserve(positions.size());
  for (const std::int64_t position : positions) {
    wanted.push_back({(first + position) * numbers, numbers, out});
    out += numbers;
  }
  gather(set, wanted);
}

void SetFile::read_observations(std::int64_t set, std::span<const std::int64_t> positions, float* out) const {
  read_blocks(set, positions, out);
}
void SetFile::read_observations(std::int64_t set, std::span<const std::int64_t> positions, double* out) const {
  read_blocks(set, positions, out);
}

void SetFile::row_spans(std::int64_t set, std::span<const std::int64_t> positions, RowSpan* out) const {
  if (row_offsets_ == nullptr) {
    for (const std::int64_t position : positions) *out++ = {(set * each_ + position) * rows_each_, rows_each_};
    return;
  }
  // Offsets of a whole set are read together; for a large set only the requested ones.
  const std::int64_t first = first_observation(set), held = observations(set);
  std::vector<std::int64_t> all;
  if (held <= kMostWindow) {
    all.resize(static_cast<std::size_t>(held) + 1);
    row_offsets_->read(first, held + 1, all.data());
  }
  for (const std::int64_t position : positions) {
    std::int64_t ends[2];
    if (all.empty())
      row_offsets_->read(first + position, 2, ends);
    else
      std::copy_n(all.begin() + position, 2, ends);
    PAIRS_CHECK(
        ends[0] >= 0 && ends[0] <= ends[1] && ends[1] <= x_->shape()[0],
        "{}: observation {} of set {} begins at row {} and ends at {}, where {} holds {} rows; offsets must ascend",
        row_offsets_->where(), position, set, ends[0], ends[1], x_->where(), x_->shape()[0]);
    *out++ = {ends[0], ends[1] - ends[0]};
  }
}

template <class Number>
void SetFile::read_rows_as(std::int64_t set, std::span<const RowSpan> spans, Number* out) const {
  const std::int64_t columns = shape_.numbers();
  std::vector<Wanted<Number>> wanted;
  wanted.reserve(spans.size());
  for (const RowSpan& span : spans) {
    if (span.count > 0) wanted.push_back({span.begin * columns, span.count * columns, out});
    out += span.count * columns;
  }
  gather(set, wanted);
}

void SetFile::read_rows(std::int64_t set, std::span<const RowSpan> spans, float* out) const {
  read_rows_as(set, spans, out);
}
void SetFile::read_rows(std::int64_t set, std::span<const RowSpan> spans, double* out) const {
  read_rows_as(set, spans, out);
}

std::vector<double> SetFile::first_observations_of(std::int64_t set, std::int64_t count) const {
  std::vector<std::int64_t> first(static_cast<std::size_t>(std::min(count, observations(set))));
  std::iota(first.begin(), first.end(), 0);
  std::vector<double> out;
  if (!shape_.rows) {
    out.resize(first.size() * static_cast<std::size_t>(shape_.numbers()));
    read_observations(set, first, out.data());
    return out;
  }
  std::vector<RowSpan> spans(first.size());
  row_spans(set, first, spans.data());
  std::int64_t rows = 0;
  for (const RowSpan& span : spans) rows += span.count;
  out.resize(static_cast<std::size_t>(rows * shape_.numbers()));
  read_rows(set, spans, out.data());
  return out;
}

std::int64_t SetFile::set_of_observation(std::int64_t observation) const {
  if (each_ > 0) return observation / each_;
  if (stride_ > 0) return observation / stride_;
  return std::upper_bound(starts_.begin(), starts_.end(), observation) - starts_.begin() - 1;
}

std::string SetFile::place_of_number(std::int64_t number) const {
  const std::int64_t row = number / shape_.numbers();
  if (row_offsets_ != nullptr) return fmt::format("row {}", row);
  const std::int64_t observation = rows_each_ > 0 ? row / rows_each_ : row;
  return fmt::format("an observation of set {}", set_of_observation(observation));
}

bool SetFile::fills_up(std::int64_t number) const {
  if (stride_ == 0) return false;
  const std::int64_t observation = number / shape_.numbers();
  return observation % stride_ >= held_[static_cast<std::size_t>(observation / stride_)];
}

std::int64_t SetFile::numbers() const {
  std::int64_t count = x_->count() + sets_ * (shape_.nuisances + shape_.given);
  if (row_offsets_ != nullptr) count += row_offsets_->count();
  return count;
}

void SetFile::scan(const std::function<void(std::int64_t)>& done) const {
  for (const auto& [array, columns] :
       {std::pair(psi_.get(), shape_.nuisances), std::pair(given_.get(), shape_.given)}) {
    if (array == nullptr) continue;
    const std::int64_t at_once = std::max<std::int64_t>(1, kScanned / columns);
    std::vector<double> values(static_cast<std::size_t>(at_once * columns));
    for (std::int64_t first = 0, count; first < sets_; first += count) {
      count = std::min(at_once, sets_ - first);
      read_latents(*array, first, count, columns, values.data());
      done(count * columns);
    }
  }
  if (row_offsets_ != nullptr) {
    std::vector<std::int64_t> ends(static_cast<std::size_t>(kScanned));
    std::int64_t before = 0;
    for (std::int64_t first = 0, count; first < row_offsets_->count(); first += count) {
      count = std::min(kScanned, row_offsets_->count() - first);
      row_offsets_->read(first, count, ends.data());
      for (std::int64_t i = 0; i < count; ++i) {
        PAIRS_CHECK(ends[static_cast<std::size_t>(i)] >= before,
                    "{}: observation {} begins at row {} and ends at {}; offsets must ascend", row_offsets_->where(),
                    first + i - 1, before, ends[static_cast<std::size_t>(i)]);
        before = ends[static_cast<std::size_t>(i)];
      }
      done(count);
    }
  }
  std::vector<float> x(static_cast<std::size_t>(kScanned));
  for (std::int64_t first = 0, count; first < x_->count(); first += count) {
    count = std::min(kScanned, x_->count() - first);
    x_->read(first, count, x.data());
    for (std::int64_t i = 0; i < count; ++i) {
      const float value = x[static_cast<std::size_t>(i)];
      if (std::isfinite(value) || fills_up(first + i)) continue;
      fail("{} holds {} in {}; every number must be finite in float32: leave the set out, or simulate it again{}",
           x_->where(), value, place_of_number(first + i), padding_hint(value, shape_.rows));
    }
    done(count);
  }
}

void SetFile::check_precision(const std::vector<std::string>& columns, const InputScale& input) const {
  if (!x_->exceeds_float32()) return;
  // Rows of ragged observations, observations of points; for images all numbers of a channel or, without
  // standardization, all numbers.
  const std::int64_t numbers = shape_.numbers();
  const std::int64_t wide = !columns.empty() ? numbers : std::max<std::int64_t>(1, std::ssize(input.location));
  const std::int64_t each = columns.empty() ? numbers / wide : 1;  // numbers of a channel, which are contiguous
  std::vector<double> squares(static_cast<std::size_t>(wide)), lost(squares), largest(squares);
  std::int64_t seen = 0;
  const std::int64_t looked_at = std::min<std::int64_t>(sets_, kPrecisionSets);
  for (std::int64_t k = 0; k < looked_at; ++k) {
    const std::int64_t set = k * (sets_ / looked_at);
    std::int64_t first = first_observation(set), count = std::min<std::int64_t>(observations(set), kPrecisionEach);
    if (row_offsets_ != nullptr) {
      std::int64_t begin = 0, end = 0;
      row_offsets_->read(first, 1, &begin);
      row_offsets_->read(first + count, 1, &end);
      if (begin < 0 || end < begin || end > x_->shape()[0]) continue;  // reported when it is read
      first = begin;
      count = std::min<std::int64_t>(end - begin, kPrecisionEach);
    } else if (rows_each_ > 0) {
      first *= rows_each_;
      count = std::min<std::int64_t>(count * rows_each_, kPrecisionEach);
    }
    const std::int64_t values = count * each;
    if (values < 2) continue;
    std::vector<double> x(static_cast<std::size_t>(count * numbers));
    x_->read(first * numbers, count * numbers, x.data());
    for (std::int64_t c = 0; c < wide; ++c) {
      const auto column = static_cast<std::size_t>(c);
      const double location = input.empty() ? 0 : input.location[column],
                   scale = input.empty() ? 1 : input.scale[column];
      const auto value_at = [&](std::int64_t i) {
        return x[static_cast<std::size_t>((i / each) * numbers + c * each + i % each)];
      };
      double mean = 0;
      for (std::int64_t i = 0; i < values; ++i) mean += value_at(i) / static_cast<double>(values);
      for (std::int64_t i = 0; i < values; ++i) {
        const double value = value_at(i), seen_as = (value - location) / scale;
        squares[column] +=
            (value - mean) * (value - mean) * static_cast<double>(values) / static_cast<double>(values - 1);
        lost[column] =
            std::max(lost[column], std::fabs(seen_as - static_cast<double>(static_cast<float>(seen_as))) * scale);
        largest[column] = std::max(largest[column], std::fabs(value));
      }
    }
    seen += values;
  }
  for (std::size_t c = 0; c < squares.size() && seen > 0; ++c) {
    const double sd = std::sqrt(squares[c] / static_cast<double>(seen));
    if (!(sd > 0) || !std::isfinite(sd) || lost[c] <= kMostLost * sd) continue;
    fail(
        "{}: numbers{} are as large as {:.9g} and differ within sets by {:.3g} (standard deviation), of which float32, "
        "in which networks compute, loses up to {:.3g}; subtract an offset such as {:.6g} from them and save them "
        "again",
        x_->where(), columns.empty() ? "" : fmt::format(" of column '{}'", columns[c]), largest[c], sd, lost[c],
        largest[c]);
  }
}

void SetFile::check_unchanged() const {
  for (const auto& file : files_) file->check_unchanged();
}

}  // namespace pairs
