#include "onnx/names.h"

#include <algorithm>
#include <cctype>
#include <string>

namespace rebasin {
namespace {

// Names of buffers that are computed once and never trained. The list is also
// in docs/formats.md.
constexpr std::string_view kTables[] = {
    // positions
    "inv_freq", "freqs", "freqs_cis", "freqs_cos", "freqs_sin", "cos", "sin",
    "cos_cached", "sin_cached", "cos_cache", "sin_cache", "cos_sin_cache",
    "rotary_cos", "rotary_sin", "position_ids", "position_index",
    "relative_position_index", "relative_coords_table", "rel_pos_index",
    "timesteps", "sigmas",
    // masks
    "mask", "attn_mask", "attention_mask", "causal_mask", "bias_mask",
    "masked_bias", "tril", "triu", "future_mask",
    // bookkeeping and constants of other kinds
    "num_batches_tracked", "anchors", "anchor_grid", "grid", "strides",
    "pixel_mean", "pixel_std", "logit_mask", "window", "mel_filters"};

// Names that torch.export gives to results of operators, and so to folded
// tensors. Does not include operators that compute: the exponential of a
// learned scale is a single number that is trained.
constexpr std::string_view kOperations[] = {
    // Operators that copy or reshape.
    "alias", "cat", "clone", "contiguous", "detach", "expand", "expand_as",
    "flatten", "getitem", "index", "index_select", "lift_fresh_copy", "permute",
    "repeat", "reshape", "select", "slice", "split", "squeeze", "stack", "t",
    "to", "transpose", "unbind", "unflatten", "unsqueeze", "view", "view_as",
    // Operators that create tensors.
    "arange", "full", "full_like", "ones", "ones_like", "scalar_tensor_default",
    "zeros", "zeros_like",
    // Bounds of Clip.
    "max_val_cast", "min_val_cast"};

bool AllDigits(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return std::isdigit(c); });
}

std::string_view TrailingDigitsRemoved(std::string_view text) {
  while (!text.empty() &&
         std::isdigit(static_cast<unsigned char>(text.back()))) {
    text.remove_suffix(1);
  }
  return text;
}

// "clone", "view_3". Parameters of modules have a path instead.
bool IsNamedLikeOperation(std::string_view name) {
  if (name.find_first_of("./:") != std::string_view::npos) return false;
  std::string_view stem = TrailingDigitsRemoved(name);
  if (stem.size() < name.size() && stem.ends_with('_')) stem.remove_suffix(1);
  return std::find(std::begin(kOperations), std::end(kOperations), stem) !=
         std::end(kOperations);
}

}  // namespace

bool IsAnonymous(std::string_view name) {
  if (AllDigits(name) || name.starts_with("onnx::")) return true;
  if (IsNamedLikeOperation(name)) return true;
  const std::string_view stem = TrailingDigitsRemoved(name);
  if (stem.size() == name.size()) return false;
  const std::string_view last = stem.substr(stem.rfind('/') + 1);
  return last.ends_with("_output_") || last.ends_with("__") || last == "val_" ||
         last == "const_" || last == "Constant_" || last == "constant_" ||
         last == "_val_" || last == "node_Constant_";
}

bool IsNamedLikeTable(std::string_view name) {
  const std::string_view last = name.substr(name.find_last_of("./:") + 1);
  return last.starts_with("rotary_emb") ||
         std::find(std::begin(kTables), std::end(kTables), last) !=
             std::end(kTables);
}

}  // namespace rebasin
