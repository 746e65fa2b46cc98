#include "graph/ops/einsum_equation.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <string>

namespace rebasin {
namespace {

// The labels of one term. An ellipsis has `hidden` axes.
Labels ParseTerm(const OpContext& context, const std::string& term,
                 int64_t hidden) {
  Labels labels;
  for (size_t i = 0; i < term.size(); ++i) {
    if (std::isalpha(static_cast<unsigned char>(term[i]))) {
      labels.push_back(term[i]);
    } else if (term.compare(i, 3, "...") == 0) {
      for (int64_t h = hidden; h > 0; --h) {
        labels.push_back(static_cast<Label>(-h));
      }
      i += 2;
    } else {
      throw context.Bad("its equation has an invalid character");
    }
  }
  return labels;
}

std::vector<std::string> SplitTerms(const std::string& text) {
  std::vector<std::string> terms(1);
  for (char c : text) {
    if (c == ',') {
      terms.emplace_back();
    } else {
      terms.back() += c;
    }
  }
  return terms;
}

Labels ParseInput(const OpContext& context, const std::string& term,
                  size_t input) {
  const int64_t rank = context.rank(input);
  const bool dots = term.find('.') != std::string::npos;
  const int64_t letters = static_cast<int64_t>(term.size()) - (dots ? 3 : 0);
  const Labels labels =
      ParseTerm(context, term, std::max<int64_t>(rank - letters, 0));
  if (static_cast<int64_t>(labels.size()) != rank) {
    throw context.Bad("term " + Quoted(term) + " does not fit " +
                      ShapeText(context.shape(input)));
  }
  return labels;
}

void AddSizes(const OpContext& context, const Labels& labels,
              const Shape& shape, std::map<Label, int64_t>& sizes) {
  for (size_t axis = 0; axis < labels.size(); ++axis) {
    int64_t& size = sizes.emplace(labels[axis], 1).first->second;
    if (size != shape[axis] && size != 1 && shape[axis] != 1) {
      throw context.Bad("sizes " + std::to_string(size) + " and " +
                        std::to_string(shape[axis]) + " have the same label");
    }
    if (size == 1) size = shape[axis];
  }
}

// Without an arrow, the output has the ellipsis, then the letters that occur
// once, in alphabetical order.
Labels ImplicitOutput(const std::vector<Labels>& inputs) {
  std::map<Label, int> times;
  for (const Labels& labels : inputs) {
    for (Label label : labels) ++times[label];
  }
  Labels output;
  for (const auto& [label, count] : times) {
    if (label < 0 || count == 1) output.push_back(label);
  }
  return output;
}

}  // namespace

Equation ParseEquation(const OpContext& context) {
  std::string text = context.String("equation", "");
  std::erase(text, ' ');
  const size_t arrow = text.find("->");
  const auto terms = SplitTerms(text.substr(0, arrow));
  if (terms.size() != context.inputs()) {
    throw context.Bad("its equation does not have a term for each input");
  }
  Equation equation;
  for (size_t i = 0; i < terms.size(); ++i) {
    equation.inputs.push_back(ParseInput(context, terms[i], i));
    AddSizes(context, equation.inputs.back(), context.shape(i), equation.sizes);
  }
  const int64_t hidden =
      std::count_if(equation.sizes.begin(), equation.sizes.end(),
                    [](const auto& entry) { return entry.first < 0; });
  equation.output = arrow == std::string::npos
                        ? ImplicitOutput(equation.inputs)
                        : ParseTerm(context, text.substr(arrow + 2), hidden);
  std::set<Label> seen;
  for (Label label : equation.output) {
    if (!equation.sizes.contains(label) || !seen.insert(label).second) {
      throw context.Bad(
          "its output repeats a label, or has a label that no input has");
    }
  }
  return equation;
}

Shape ShapeOf(const Labels& labels, const Equation& equation) {
  Shape shape;
  for (Label label : labels) shape.push_back(equation.sizes.at(label));
  return shape;
}

}  // namespace rebasin
