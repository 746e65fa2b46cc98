#include "discovery/rule.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <unordered_map>

#include "discovery/rules/rules.h"

namespace rebasin {
namespace {

// Slots from here on are reserved for RuleContext.
constexpr int kOwnSlots = 1 << 20;

std::vector<LabelledAxis> WithLabels(const Labels& labels, const Axes& axes) {
  std::vector<LabelledAxis> labelled;
  for (size_t k = 0; k < labels.size(); ++k) {
    labelled.push_back({labels[k], axes[k]});
  }
  return labelled;
}

// Whether a law restricts more than its values do. A law without mixed labels
// and with equal operands does not, and graphs contain thousands of these.
bool RestrictsClaims(const Law& law) {
  if (!law.mixed.empty()) return true;
  return std::adjacent_find(law.operands.begin(), law.operands.end(),
                            std::not_equal_to<>()) != law.operands.end();
}

}  // namespace

bool RuleContext::AxisVaries(size_t input, size_t axis) const {
  return sizes_.AxisDepends(op_.node().inputs[input], axis);
}

bool RuleContext::ElementVaries(size_t input, size_t element) const {
  return sizes_.ElementDepends(op_.node().inputs[input], element);
}

AtomId RuleContext::FreeSlot(int slot, int64_t size, AtomId outer) {
  const auto found = slots_.find(slot);
  if (found != slots_.end()) return found->second;
  const AtomId atom =
      outer == kNoAtom ? algebra_.Free(size) : algebra_.FreeWithin(size, outer);
  slots_.emplace(slot, atom);
  return atom;
}

Expression RuleContext::FreeAxis(int slot, int64_t size) {
  return size == 1 ? Expression{{}} : Expression{{FreeSlot(slot, size)}};
}

Expression RuleContext::FixedAxis(int slot, int64_t size) {
  if (size == 1) return {{}};
  const auto found = slots_.find(slot);
  if (found != slots_.end()) return {{found->second}};
  const AtomId atom = algebra_.Fixed(size, cause_);
  slots_.emplace(slot, atom);
  return {{atom}};
}

void RuleContext::ReportWholeAxis(size_t input, size_t k, size_t output,
                                  size_t out) {
  ReportStrip({.input = input,
               .input_axis = k,
               .output = output,
               .output_axis = out,
               .size = shape(input)[k]});
}

void RuleContext::ReportStrip(const Strip& strip) {
  if (correspondence_ != nullptr) correspondence_->strips.push_back(strip);
  const bool whole =
      strip.size == shape(strip.input)[strip.input_axis] &&
      output(strip.output) != nullptr &&
      strip.size == output_shape(strip.output)[strip.output_axis];
  if (!whole) return;
  CarryChoices(strip.input, strip.input_axis, strip.output, strip.output_axis);
}

bool RuleContext::HasChoices() const {
  return std::any_of(
      inputs_.begin(), inputs_.end(), [](const RuleInput& input) {
        return input.choices != nullptr && !input.choices->empty();
      });
}

void RuleContext::CarryChoices(size_t input, size_t axis, size_t output,
                               size_t output_axis) {
  if (inputs_[input].choices == nullptr) return;
  carried_[{input, output}][axis].insert(output_axis);
}

std::vector<Choice> RuleContext::ChoicesOf(size_t output) const {
  std::vector<Choice> choices = chosen_[output];
  for (const auto& [between, carried] : carried_) {
    if (between.second != output) continue;
    for (const Choice& choice : *inputs_[between.first].choices) {
      Choice here{.among = choice.among, .by = choice.by};
      bool known = true;
      for (size_t axis : choice.axes) {
        const auto found = carried.find(axis);
        known &= found != carried.end();
        if (known) here.axes.insert(found->second.begin(), found->second.end());
      }
      const bool is_new =
          std::find(choices.begin(), choices.end(), here) == choices.end();
      if (known && is_new) choices.push_back(std::move(here));
    }
  }
  return choices;
}

void RuleContext::CarryLabels(size_t input, const Labels& from, size_t output,
                              const Labels& to) {
  if (input >= inputs() || inputs_[input].choices == nullptr) return;
  for (size_t k = 0; k < from.size(); ++k) {
    for (size_t out = 0; out < to.size(); ++out) {
      if (from[k] == kNoLabel || from[k] != to[out]) continue;
      CarryChoices(input, k, output, out);
    }
  }
}

// A choice counts as one more axis of an operand. Operands share this axis's
// label if they have the same choice along the same labels.
void RuleContext::AddChoices(const Labelling& labelling, Law& law) const {
  constexpr int kFirst = 1 << 20;  // beyond all labels of axes
  std::map<std::pair<ValueId, std::set<int>>, int> labels_of_choices;
  const auto add = [&](const std::vector<Choice>& choices, const Labels& labels,
                       std::vector<LabelledAxis>& operand) {
    for (const Choice& choice : choices) {
      std::set<int> along;
      for (size_t axis : choice.axes) along.insert(labels[axis]);
      const auto [label, is_new] = labels_of_choices.try_emplace(
          {choice.by, along},
          kFirst + static_cast<int>(labels_of_choices.size()));
      operand.push_back({label->second, choice.among});
      const bool mixed = std::any_of(along.begin(), along.end(), [&](int each) {
        return law.mixed.contains(each);
      });
      if (mixed) law.mixed.insert(label->second);
    }
  };
  size_t operand = 0;
  for (size_t i = 0; i < labelling.inputs.size(); ++i) {
    if (labelling.inputs[i].empty() || !Has(i)) continue;
    if (inputs_[i].choices != nullptr) {
      add(*inputs_[i].choices, labelling.inputs[i], law.operands[operand]);
    }
    ++operand;
  }
  for (size_t o = 0; o < labelling.outputs.size(); ++o) {
    if (o >= outputs() || output(o) == nullptr) continue;
    add(ChoicesOf(o), labelling.outputs[o], law.operands[operand++]);
  }
}

// Broadcast axes lose their label. Returns the labels of those that are
// broadcast at this size only: at another, each of their indices meets one
// index of the other axis.
std::set<int> RuleContext::DropBroadcast(Labelling& labelling) const {
  std::set<int> larger, open;
  for (size_t i = 0; i < labelling.inputs.size(); ++i) {
    for (size_t k = 0; Has(i) && k < labelling.inputs[i].size(); ++k) {
      if (shape(i)[k] != 1) larger.insert(labelling.inputs[i][k]);
    }
  }
  for (size_t i = 0; i < labelling.inputs.size(); ++i) {
    for (size_t k = 0; Has(i) && k < labelling.inputs[i].size(); ++k) {
      int& label = labelling.inputs[i][k];
      if (shape(i)[k] != 1 || !larger.contains(label)) continue;
      if (AxisVaries(i, k)) open.insert(label);
      label = kNoLabel;
    }
  }
  return open;
}

void RuleContext::Apply(Labelling labelling) {
  const std::set<int> open = DropBroadcast(labelling);
  if (correspondence_ != nullptr) correspondence_->labelling = labelling;
  std::map<int, Expression> meaning;
  Law law{.operands = {}, .mixed = labelling.mixed};
  for (size_t i = 0; i < labelling.inputs.size(); ++i) {
    const Labels& labels = labelling.inputs[i];
    if (labels.empty() || !Has(i)) continue;
    for (size_t k = 0; k < labels.size(); ++k) {
      if (labels[k] == kNoLabel || shape(i)[k] == 1) continue;
      const auto [known, is_new] = meaning.try_emplace(labels[k], axes(i)[k]);
      if (!is_new) Unify(known->second, axes(i)[k]);
    }
    law.operands.push_back(WithLabels(labels, axes(i)));
  }
  for (int label : labelling.fixed) {
    if (meaning.contains(label)) Fix(meaning[label]);
  }
  for (int label : open) {
    if (meaning.contains(label)) FixForAllSizes(meaning[label]);
  }
  for (size_t o = 0; o < labelling.outputs.size(); ++o) {
    if (o >= outputs() || output(o) == nullptr) continue;
    const Labels& labels = labelling.outputs[o];
    Axes axes;
    for (size_t k = 0; k < labels.size(); ++k) {
      const int64_t size = output_shape(o)[k];
      const auto known = meaning.find(labels[k]);
      const bool same = labels[k] != kNoLabel && known != meaning.end() &&
                        algebra_.SizeOf(known->second) == size;
      const int slot = kOwnSlots + static_cast<int>(o * 64 + k);
      axes.push_back(same ? known->second : FixedAxis(slot, size));
    }
    law.operands.push_back(WithLabels(labels, axes));
    SetAxes(o, std::move(axes));
    for (size_t i = 0; i < labelling.inputs.size(); ++i) {
      CarryLabels(i, labelling.inputs[i], o, labels);
    }
  }
  if (HasChoices()) AddChoices(labelling, law);
  if (RestrictsClaims(law)) AddLaw(std::move(law));
}

void RuleContext::PassPositions() {
  const bool moves = FactsOf(op_.node()).keeps().chosen_units;
  if (!moves || inputs() == 0 || inputs_[0].positions == nullptr) return;
  for (const ValueType* type : output_types_) {
    if (type == nullptr || type->kind != Kind::kInteger) return;
  }
  const Expression along = *TakePositions(0);
  for (size_t o = 0; o < outputs(); ++o) SetPositions(o, along);
}

void RuleContext::FixUntakenPositions() {
  for (const RuleInput& input : inputs_) {
    if (input.positions != nullptr) Fix(*input.positions);
  }
}

void RuleContext::FixAll() {
  for (size_t i = 0; i < inputs(); ++i) {
    if (!Has(i) || inputs_[i].axes == nullptr) continue;
    for (const Expression& axis : axes(i)) Fix(axis);
  }
  for (size_t o = 0; o < outputs(); ++o) {
    if (output(o) == nullptr) continue;
    Axes axes;
    for (size_t k = 0; k < output_shape(o).size(); ++k) {
      const int slot = kOwnSlots + static_cast<int>(o * 64 + k);
      axes.push_back(FixedAxis(slot, output_shape(o)[k]));
    }
    SetAxes(o, std::move(axes));
  }
}

Rule FindRule(std::string_view op) {
  static const auto table = [] {
    std::unordered_map<std::string_view, Rule> rules;
    for (const auto family : AllRules()) {
      for (const NamedRule& named : family) rules[named.op] = named.rule;
    }
    return rules;
  }();
  const auto found = table.find(op);
  return found == table.end() ? nullptr : found->second;
}

Labels InOrder(int64_t rank) {
  Labels labels(rank);
  std::iota(labels.begin(), labels.end(), 0);
  return labels;
}

Labels Broadcast(const Shape& from, const Shape& to) {
  Labels labels(from.size());
  std::iota(labels.begin(), labels.end(),
            static_cast<int>(to.size() - from.size()));
  return labels;
}

}  // namespace rebasin
