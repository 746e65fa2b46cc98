// (x P')(P y) = x y: an index that is summed over may be permuted in both
// factors. All other indices pass to the output.

#include <algorithm>
#include <cctype>
#include <string>

#include "discovery/rules/rules.h"

namespace rebasin {
namespace {

// Labels are the axes of the output, in order, and kSummed.
constexpr int kSummed = 1000;

void MatMul(RuleContext& context) {
  const int rank_a = static_cast<int>(context.op().rank(0));
  const int rank_b = static_cast<int>(context.op().rank(1));
  const int rank = static_cast<int>(context.output_shape(0).size());
  const int batch = std::max(rank_a, rank_b) - 2;  // axes before the matrices
  // The labels of the rows of a and of the columns of b, if these are matrices.
  const int row = rank_a > 1 ? rank - (rank_b > 1 ? 2 : 1) : kNoLabel;
  const int column = rank_b > 1 ? rank - 1 : kNoLabel;
  const auto labels = [&](int operand_rank) {
    Labels result;
    for (int k = 0; k + 2 < operand_rank; ++k) {
      result.push_back(batch - (operand_rank - 2) + k);
    }
    return result;
  };
  Labels a = labels(rank_a);
  if (rank_a > 1) a.push_back(row);
  a.push_back(kSummed);
  Labels b = labels(rank_b);
  b.push_back(kSummed);
  if (rank_b > 1) b.push_back(column);
  context.Apply(
      {.inputs = {a, b}, .outputs = {InOrder(rank)}, .mixed = {kSummed}});
}

void Gemm(RuleContext& context) {
  Labels a = {0, kSummed};
  Labels b = {kSummed, 1};
  if (context.op().Int("transA", 0) != 0) std::swap(a[0], a[1]);
  if (context.op().Int("transB", 0) != 0) std::swap(b[0], b[1]);
  Labels c;
  if (context.Has(2)) c = Broadcast(context.shape(2), context.output_shape(0));
  context.Apply({.inputs = {a, b, c}, .outputs = {{0, 1}}, .mixed = {kSummed}});
}

// The labels of one term. An ellipsis covers the axes without a letter and is
// aligned at its end.
Labels EinsumLabels(std::string_view term, int64_t rank) {
  constexpr int kEllipsisEnd = 512;
  const auto letters = std::count_if(term.begin(), term.end(), [](char c) {
    return std::isalpha(static_cast<unsigned char>(c));
  });
  Labels labels;
  for (size_t i = 0; i < term.size(); ++i) {
    if (std::isalpha(static_cast<unsigned char>(term[i]))) {
      labels.push_back(term[i]);
    } else if (term[i] == '.') {
      for (int64_t k = letters; k < rank; ++k) {
        labels.push_back(static_cast<int>(kEllipsisEnd - rank + k));
      }
      i += 2;
    }
  }
  return labels;
}

std::vector<std::string> SplitTerms(const std::string& text) {
  std::vector<std::string> terms(1);
  for (char c : text) {
    if (c == ',') {
      terms.emplace_back();
    } else if (c != ' ') {
      terms.back() += c;
    }
  }
  return terms;
}

// Without "->" the output has the ellipsis, then the letters that occur once,
// in alphabetical order.
std::string ImplicitOutput(const std::string& equation) {
  std::string output = equation.find('.') == std::string::npos ? "" : "...";
  for (char c = 'A'; c <= 'z'; ++c) {
    if (std::isalpha(static_cast<unsigned char>(c)) &&
        std::count(equation.begin(), equation.end(), c) == 1) {
      output += c;
    }
  }
  return output;
}

void Einsum(RuleContext& context) {
  const std::string equation = context.op().String("equation", "");
  const size_t arrow = equation.find("->");
  const auto terms = SplitTerms(equation.substr(0, arrow));
  const std::string output = arrow == std::string::npos
                                 ? ImplicitOutput(equation)
                                 : SplitTerms(equation.substr(arrow + 2))[0];
  if (terms.size() != context.inputs()) return context.FixAll();
  Labelling labelling;
  for (size_t i = 0; i < terms.size(); ++i) {
    labelling.inputs.push_back(EinsumLabels(terms[i], context.op().rank(i)));
    labelling.mixed.insert(labelling.inputs[i].begin(),
                           labelling.inputs[i].end());
  }
  labelling.outputs = {EinsumLabels(
      output, static_cast<int64_t>(context.output_shape(0).size()))};
  for (int label : labelling.outputs[0]) labelling.mixed.erase(label);
  context.Apply(labelling);
}

constexpr NamedRule kRules[] = {
    {"MatMul", MatMul},
    {"Gemm", Gemm},
    {"Einsum", Einsum},
};

}  // namespace

std::span<const NamedRule> ProductsRules() { return kRules; }

}  // namespace rebasin
