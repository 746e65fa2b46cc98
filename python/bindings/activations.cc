#include "python/bindings/activations.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "match/activations/activation_costs.h"
#include "match/activations/match_by_costs.h"
#include "python/bindings/align.h"
#include "python/bindings/choices.h"
#include "python/bindings/operation.h"
#include "rebasin/error.h"
#include "rebasin/match.h"
#include "rebasin/model.h"

namespace rebasin::python {
namespace {

namespace nb = nanobind;

using Values = nb::ndarray<const float, nb::c_contig, nb::device::cpu>;
// A weight, the axis of its layer's input that carries units, and that input as
// both models computed it.
using Seen = std::tuple<std::string, size_t, Values, Values>;
// A weight and the length of the axis that carries units.
using TapRow = std::tuple<std::string, int64_t>;

constexpr size_t kInputAxis = 1;  // of weights of dense layers, convolutions

bool HasGroup(const Axis& axis) {
  return std::any_of(
      axis.segments.begin(), axis.segments.end(), [](const Segment& segment) {
        return std::any_of(
            segment.begin(), segment.end(),
            [](const Factor& factor) { return factor.group != kNoGroup; });
      });
}

// True for weights whose second axis is permuted with the inputs of a layer.
bool IsTap(const TensorSymmetry& tensor) {
  return !tensor.statistic && !tensor.in_list() && tensor.parts() == 1 &&
         tensor.axes.size() > kInputAxis && HasGroup(tensor.axes[kInputAxis]);
}

Shape ShapeOf(const Values& values) {
  Shape shape;
  for (size_t axis = 0; axis < values.ndim(); ++axis) {
    shape.push_back(static_cast<int64_t>(values.shape(axis)));
  }
  return shape;
}

// Collects the moments of activations, and matches by them.
class ActivationMatcher {
 public:
  ActivationMatcher(Model a, Model b, bool correlation)
      : a_(std::move(a)),
        b_(std::move(b)),
        cost_(correlation ? ActivationCost::kCorrelation
                          : ActivationCost::kProduct) {
    if (a_.symmetry()->scalings().empty()) return;
    throw Error(ErrorCode::kUnsupported,
                "activations are matched by permutations alone",
                "leave out symmetries=");
  }

  std::vector<TapRow> Taps() const {
    std::vector<TapRow> rows;
    for (const TensorSymmetry& tensor : a_.symmetry()->tensors()) {
      if (IsTap(tensor)) {
        rows.emplace_back(tensor.name, tensor.axes[kInputAxis].size());
      }
    }
    return rows;
  }

  void Add(const std::vector<Seen>& seen) {
    std::vector<std::vector<Axis>> axes;
    std::vector<std::string> names;
    for (const Seen& tap : seen) {
      axes.push_back(AxesOf(tap));
      names.push_back(std::get<0>(tap));
    }
    const nb::gil_scoped_release released;
    const std::lock_guard lock(mutex_);
    const auto sites = FindActivationSites(*a_.symmetry(), axes);
    Begin(names, sites);
    ActivationCosts::Batch batch(*costs_);
    for (size_t s = 0; s < sites.size(); ++s) {
      const auto& [name, axis, x, y] = seen[sites[s].tap];
      batch.Measure(s, sites[s], x.data(), y.data());
    }
    costs_->Add(batch);
  }

  FittedAlignment Match(const MatchOptions& options,
                        const Settings& how) const {
    if (!costs_) {
      throw Error(ErrorCode::kUsage, "no activations were added");
    }
    CheckFinite();
    return RunOperation(how, [&](const Run& run) {
      ThreadPool pool(run);
      Alignment alignment =
          MatchByCosts(a_.symmetry(), costs_->Costs(cost_), 0, a_.weights,
                       b_.weights, options, run, pool);
      MatchReport report =
          DescribeAlignment(a_.weights, b_.weights, alignment, run);
      report.start = "activations";
      report.converged = true;
      FittedAlignment fitted = FitTo(b_, std::move(alignment));
      fitted.report = std::move(report);
      return fitted;
    });
  }

 private:
  // The axes of a layer's input: that with units is the weight's.
  std::vector<Axis> AxesOf(const Seen& tap) const {
    const auto& [name, axis, x, y] = tap;
    const TensorSymmetry* tensor = a_.symmetry()->Find(name);
    const Shape shape = ShapeOf(x);
    const bool known = tensor != nullptr && IsTap(*tensor);
    if (!known || axis >= shape.size() || shape != ShapeOf(y) ||
        shape[axis] != tensor->axes[kInputAxis].size()) {
      throw Error(ErrorCode::kMismatch,
                  "activations at " + Quoted(name) + " are " +
                      ShapeText(shape) + " in A and " + ShapeText(ShapeOf(y)) +
                      " in B, which is not the input of this weight");
    }
    std::vector<Axis> axes;
    for (const int64_t size : shape) {
      axes.push_back({.segments = {{{kNoGroup, size}}}});
    }
    axes[axis] = tensor->axes[kInputAxis];
    return axes;
  }

  void Begin(const std::vector<std::string>& names,
             const std::vector<ActivationSite>& sites) {
    if (!costs_) {
      names_ = names;
      sites_ = sites;
      costs_.emplace(sites_);
    }
    if (names == names_ && SameSites(sites, sites_)) return;
    throw Error(ErrorCode::kMismatch,
                "this batch has other activations than those before it");
  }

  void CheckFinite() const {
    for (size_t s = 0; s < sites_.size(); ++s) {
      if (costs_->AllFinite(s)) continue;
      throw Error(ErrorCode::kBadInput, "activations at " +
                                            Quoted(names_[sites_[s].tap]) +
                                            " are NaN, infinite or too large");
    }
  }

  std::mutex mutex_;  // one batch is added at a time
  Model a_, b_;
  ActivationCost cost_;
  std::vector<std::string> names_;  // of taps
  std::vector<ActivationSite> sites_;
  std::optional<ActivationCosts> costs_;
};

}  // namespace

void BindActivations(nb::module_& module) {
  nb::class_<ActivationMatcher>(module, "ActivationMatcher",
                                "Moments of activations.")
      .def(nb::init<Model, Model, bool>(), nb::arg("a"), nb::arg("b"),
           nb::arg("correlation"))
      .def("taps", &ActivationMatcher::Taps)
      .def("add", &ActivationMatcher::Add, nb::arg("seen"))
      .def("match", &ActivationMatcher::Match, nb::arg("options"),
           nb::arg("run"));
}

}  // namespace rebasin::python
