#pragma once

#include <optional>

namespace pairs::model {

class ReportSaving;
class SampleSaving;
struct PosteriorState;
struct ReportAsked;
struct SamplesAsked;

// What the Posterior tab writes.
class PosteriorFiles {
 public:
  explicit PosteriorFiles(PosteriorState& state) : state_(state) {}

  // The run, set and N that samples would be drawn for, and the object that writes them; none while loading.
  std::optional<SamplesAsked> samples_asked() const;
  SampleSaving& samples();
  // The request for a report; none for a simulated set or while loading.
  std::optional<ReportAsked> report_asked() const;
  ReportSaving& reports();

 private:
  PosteriorState& state_;
};

}  // namespace pairs::model
