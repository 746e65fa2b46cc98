#include "nn/lowering.h"

#include <map>

#include "nn/ops/ops.h"

namespace rebasin::nn {
namespace {

using Table = std::map<std::string_view, const Lowering*>;

Table MakeTable() {
  Table table;
  for (const std::span<const Lowering> family :
       {ElementwiseLowerings(), ProductLowerings(), ConvLowerings(),
        NormLowerings(), PoolingLowerings(), ShapeLowerings()}) {
    for (const Lowering& lowering : family) table[lowering.op] = &lowering;
  }
  return table;
}

}  // namespace

std::optional<at::Tensor> OpCall::Optional(size_t input) const {
  if (!Has(input)) return std::nullopt;
  return inputs_[input];
}

std::vector<int64_t> OpCall::Ints(size_t input) const {
  if (const auto ints = context_.Ints(input)) return *ints;
  throw Error(ErrorCode::kUnsupported,
              "cannot run " + NodeText(context_.node()) + ": input " +
                  std::to_string(input) + " depends on data");
}

const Lowering* FindLowering(std::string_view op) {
  static const Table table = MakeTable();
  const auto found = table.find(op);
  return found == table.end() ? nullptr : found->second;
}

}  // namespace rebasin::nn
