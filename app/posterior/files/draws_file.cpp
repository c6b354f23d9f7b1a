#include "app/posterior/files/draws_file.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "tasks/parts/hdf5_lock.h"

#if PAIRS_WITH_HDF5
#define H5_USE_110_API  // later versions keep the names of this one
#include <hdf5.h>
#include <hdf5_hl.h>
#endif

namespace pairs {

bool is_draws_file(const std::filesystem::path& file) {
  return file.extension() == ".nc" || file.extension() == ".h5";
}

#if PAIRS_WITH_HDF5
namespace {

constexpr std::int64_t kMostObserved = 1000000;  // numbers
constexpr double kBlockBytes = 16 << 20;         // of samples that are written at once
constexpr std::int64_t kBlockSets = 64;

// An identifier of the library, closed with the object. Throws Error if there is none.
class OpenedId {
 public:
  OpenedId(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {
    PAIRS_CHECK(id >= 0, "The samples cannot be written as HDF5; free some space or choose another place");
  }
  ~OpenedId() {
    if (id_ >= 0) close_(id_);
  }
  OpenedId(OpenedId&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  OpenedId& operator=(const OpenedId&) = delete;
  operator hid_t() const { return id_; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

void check_written(herr_t status) {
  PAIRS_CHECK(status >= 0, "The samples cannot be written as HDF5; free some space or choose another place");
}

// Tracks the order of creation, as netCDF-4 requires of files and groups.
hid_t tracking(hid_t kind) {
  const hid_t list = H5Pcreate(kind);
  H5Pset_link_creation_order(list, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
  H5Pset_attr_creation_order(list, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
  return list;
}

OpenedId group_in(hid_t parent, const char* name) {
  const OpenedId list(tracking(H5P_GROUP_CREATE), H5Pclose);
  return {H5Gcreate2(parent, name, H5P_DEFAULT, list, H5P_DEFAULT), H5Gclose};
}

// A data set of this shape, in chunks if `chunk` is not empty, filled with NaN where nothing is written.
OpenedId dataset_in(hid_t group, const std::string& name, hid_t type, const std::vector<hsize_t>& shape,
                    const std::vector<hsize_t>& chunk = {}) {
  const OpenedId space(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr), H5Sclose);
  const OpenedId list(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_attr_creation_order(list, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
  const double missing = NAN;
  if (H5Tget_class(type) == H5T_FLOAT) H5Pset_fill_value(list, H5T_NATIVE_DOUBLE, &missing);
  if (!chunk.empty()) H5Pset_chunk(list, static_cast<int>(chunk.size()), chunk.data());
  return {H5Dcreate2(group, name.c_str(), type, space, H5P_DEFAULT, list, H5P_DEFAULT), H5Dclose};
}

OpenedId text_type() {
  OpenedId type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type, H5T_VARIABLE);
  H5Tset_cset(type, H5T_CSET_UTF8);
  return type;
}

void put_attribute(hid_t object, const std::string& name, const std::string& text) {
  const OpenedId type(text_type()), space(H5Screate(H5S_SCALAR), H5Sclose);
  const OpenedId attribute(H5Acreate2(object, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  const char* at = text.c_str();
  check_written(H5Awrite(attribute, type, &at));
}

// A coordinate 0, 1, 2, … that names a dimension.
OpenedId counting_scale(hid_t group, const char* name, std::int64_t count) {
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(count));
  for (std::size_t k = 0; k < numbers.size(); ++k) numbers[k] = static_cast<std::int64_t>(k);
  OpenedId scale = dataset_in(group, name, H5T_STD_I64LE, {static_cast<hsize_t>(count)});
  check_written(H5Dwrite(scale, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.data()));
  check_written(H5DSset_scale(scale, name));
  return scale;
}

// A coordinate of texts that names a dimension; the texts are written later.
OpenedId text_scale(hid_t group, const char* name, std::int64_t count) {
  const OpenedId type(text_type());
  OpenedId scale = dataset_in(group, name, type, {static_cast<hsize_t>(count)});
  check_written(H5DSset_scale(scale, name));
  return scale;
}

void write_texts(hid_t dataset, std::int64_t first, const std::vector<std::string>& texts) {
  const OpenedId type(text_type()), space(H5Dget_space(dataset), H5Sclose);
  const hsize_t start = static_cast<hsize_t>(first), count = texts.size();
  const OpenedId memory(H5Screate_simple(1, &count, nullptr), H5Sclose);
  check_written(H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, nullptr, &count, nullptr));
  std::vector<const char*> at;
  for (const std::string& text : texts) at.push_back(text.c_str());
  check_written(H5Dwrite(dataset, type, memory, space, H5P_DEFAULT, at.data()));
}

OpenedId create_file(const std::filesystem::path& file) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  const OpenedId list(tracking(H5P_FILE_CREATE), H5Pclose);
  return {H5Fcreate(file.c_str(), H5F_ACC_TRUNC, list, H5P_DEFAULT), H5Fclose};
}

void put_reported(hid_t file, const TaskInfo& info, const std::map<std::string, std::string>& reported) {
  put_attribute(file, "inference_library", "Pairs Studio");
  put_attribute(file, "task", info.name);
  for (const auto& [name, text] : reported) put_attribute(file, name, text);
}

void put_label(hid_t dataset, const Target& target) {
  put_attribute(dataset, "long_name", target.label);
}

// The observations of one set, if they are few and rows of one width.
void put_observed(hid_t file, const TaskInfo& info, const Observations& x) {
  if (!x.defined() || x.is_ragged() || x.numbers() > kMostObserved) return;
  const torch::Tensor rows = x.block().flatten(1).to(torch::kCPU, torch::kFloat64).contiguous();
  if (rows.size(1) != static_cast<std::int64_t>(info.observation_columns.size())) return;
  const OpenedId group = group_in(file, "observed_data");
  const OpenedId observation = counting_scale(group, "observation", rows.size(0));
  const OpenedId column = text_scale(group, "column", rows.size(1));
  write_texts(column, 0, info.observation_columns);
  const OpenedId dataset =
      dataset_in(group, "x", H5T_IEEE_F64LE, {static_cast<hsize_t>(rows.size(0)), static_cast<hsize_t>(rows.size(1))});
  check_written(H5DSattach_scale(dataset, observation, 0));
  check_written(H5DSattach_scale(dataset, column, 1));
  check_written(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows.const_data_ptr<double>()));
}

// Samples of many sets, written in blocks of sets.
class DrawsOutput final : public SetsOutput {
 public:
  DrawsOutput(const std::filesystem::path& file, const SetsHead& head) : head_(head) {
    const auto targets = static_cast<double>(head.info->targets.size());
    const double each = std::max(8 * static_cast<double>(head.samples) * targets, 1.0);
    block_ = std::clamp(static_cast<std::int64_t>(kBlockBytes / each), std::int64_t{1}, kBlockSets);
    const std::lock_guard guard(hdf5_lock());
    file_ = std::make_unique<OpenedId>(create_file(file));
    std::map<std::string, std::string> reported;
    for (const auto& [name, value] : head.reported.items())
      if (value.is_string() && name != "task") reported[name] = value.get<std::string>();
    put_reported(*file_, *head.info, reported);
    make_group();
  }
  ~DrawsOutput() override {
    const std::lock_guard guard(hdf5_lock());
    targets_.clear();
    names_.reset();
    file_.reset();
  }

  void add(const SetRow& row) override {
    waiting_.push_back(row.name);
    samples_.push_back(row.problem.empty() ? row.samples.to(torch::kCPU, torch::kFloat64) : torch::Tensor());
    if (static_cast<std::int64_t>(waiting_.size()) == block_) write_block();
  }
  void finish() override {
    if (!waiting_.empty()) write_block();
    const std::lock_guard guard(hdf5_lock());
    targets_.clear();
    names_.reset();
    check_written(H5Fflush(*file_, H5F_SCOPE_GLOBAL));
    file_.reset();
  }

 private:
  void make_group() {
    const OpenedId group = group_in(*file_, "posterior");
    const OpenedId chain = counting_scale(group, "chain", 1), draw = counting_scale(group, "draw", head_.samples);
    names_ = std::make_unique<OpenedId>(text_scale(group, "set", head_.sets));
    const auto draws = static_cast<hsize_t>(head_.samples), sets = static_cast<hsize_t>(head_.sets);
    for (const Target& target : head_.info->targets) {
      const std::vector<hsize_t> chunk = {1, draws, std::min(static_cast<hsize_t>(block_), sets)};
      auto dataset =
          std::make_unique<OpenedId>(dataset_in(group, target.name, H5T_IEEE_F64LE, {1, draws, sets}, chunk));
      check_written(H5DSattach_scale(*dataset, chain, 0));
      check_written(H5DSattach_scale(*dataset, draw, 1));
      check_written(H5DSattach_scale(*dataset, *names_, 2));
      put_label(*dataset, target);
      targets_.push_back(std::move(dataset));
    }
  }

  void write_block() {
    const torch::Tensor missing =
        torch::full({head_.samples, static_cast<std::int64_t>(targets_.size())}, NAN, torch::kFloat64);
    for (torch::Tensor& one : samples_)
      if (!one.defined()) one = missing;
    const torch::Tensor all = torch::stack(samples_, 1);  // [S, b, d]
    const std::lock_guard guard(hdf5_lock());
    const std::array<hsize_t, 3> start = {0, 0, static_cast<hsize_t>(written_)},
                                 count = {1, static_cast<hsize_t>(head_.samples), waiting_.size()};
    const OpenedId memory(H5Screate_simple(3, count.data(), nullptr), H5Sclose);
    for (std::size_t t = 0; t < targets_.size(); ++t) {
      const torch::Tensor values = all.select(2, static_cast<std::int64_t>(t)).contiguous();
      const OpenedId space(H5Dget_space(*targets_[t]), H5Sclose);
      check_written(H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr));
      check_written(
          H5Dwrite(*targets_[t], H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, values.const_data_ptr<double>()));
    }
    write_texts(*names_, written_, waiting_);
    written_ += static_cast<std::int64_t>(waiting_.size());
    waiting_.clear();
    samples_.clear();
  }

  SetsHead head_;
  std::int64_t block_ = 1, written_ = 0;
  std::unique_ptr<OpenedId> file_, names_;
  std::vector<std::unique_ptr<OpenedId>> targets_;
  std::vector<std::string> waiting_;  // sets of the block
  std::vector<torch::Tensor> samples_;
};

// Numbers [S] float64 of the samples of a chain.
OpenedId put_draws(hid_t group, const std::string& name, const torch::Tensor& values, hid_t chain, hid_t draw) {
  OpenedId dataset = dataset_in(group, name, H5T_IEEE_F64LE, {1, static_cast<hsize_t>(values.size(0))});
  check_written(H5DSattach_scale(dataset, chain, 0));
  check_written(H5DSattach_scale(dataset, draw, 1));
  const torch::Tensor numbers = values.contiguous();
  check_written(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.const_data_ptr<double>()));
  return dataset;
}

void write_one(const std::filesystem::path& file, const TaskInfo& info, const torch::Tensor& samples,
               const Observations& x, const std::map<std::string, std::string>& reported,
               const torch::Tensor& weights) {
  const std::lock_guard guard(hdf5_lock());
  const OpenedId opened = create_file(file);
  put_reported(opened, info, reported);
  const OpenedId group = group_in(opened, "posterior");
  const OpenedId chain = counting_scale(group, "chain", 1), draw = counting_scale(group, "draw", samples.size(0));
  const torch::Tensor columns = samples.to(torch::kCPU, torch::kFloat64);
  for (std::size_t t = 0; t < info.targets.size(); ++t) {
    const OpenedId dataset =
        put_draws(group, info.targets[t].name, columns.select(1, static_cast<std::int64_t>(t)), chain, draw);
    put_label(dataset, info.targets[t]);
  }
  if (weights.defined()) {
    const OpenedId extra = group_in(opened, "sample_stats");
    const OpenedId chains = counting_scale(extra, "chain", 1), draws = counting_scale(extra, "draw", weights.size(0));
    const OpenedId dataset = put_draws(extra, "weight", weights, chains, draws);
    put_attribute(dataset, "long_name", "importance weight");
  }
  put_observed(opened, info, x);
  check_written(H5Fflush(opened, H5F_SCOPE_GLOBAL));
}

}  // namespace

void write_draws(const std::filesystem::path& file, const TaskInfo& info, const torch::Tensor& samples,
                 const Observations& x, const std::map<std::string, std::string>& reported,
                 const torch::Tensor& weights) {
  write_file_through(
      file, [&](const std::filesystem::path& temporary) { write_one(temporary, info, samples, x, reported, weights); });
}

std::unique_ptr<SetsOutput> draws_output(const std::filesystem::path& file, const SetsHead& head) {
  return std::make_unique<DrawsOutput>(file, head);
}

#else
namespace {

[[noreturn]] void fail_without_hdf5() {
  fail_usage("This build writes no HDF5: install libhdf5-dev and configure it with -DPAIRS_HDF5=ON, or write .npz");
}

}  // namespace

void write_draws(const std::filesystem::path&, const TaskInfo&, const torch::Tensor&, const Observations&,
                 const std::map<std::string, std::string>&, const torch::Tensor&) {
  fail_without_hdf5();
}

std::unique_ptr<SetsOutput> draws_output(const std::filesystem::path&, const SetsHead&) {
  fail_without_hdf5();
}
#endif

}  // namespace pairs
