#include "tensor/gemm.h"

#include <algorithm>
#include <array>
#include <vector>

#include "tensor/gemm_blocks.h"
#include "tensor/gemm_kernel.h"
#include "tensor/gemm_rounded.h"

namespace rebasin {
namespace {

// Packs one panel of `width` units. If the part has fewer, the rest are zeros.
void PackPanel(const GemmPacker& pack, const GemmPart& part, int64_t width,
               float* out) {
  if (part.count < width) std::fill(out, out + part.steps * width, 0.0f);
  pack(part, width, out);
}

// The same with rounding: packs a few steps at a time, which stay in the cache.
template <WordOrder kOrder>
void PackRoundedPanel(const GemmPacker& pack, const GemmPart& part,
                      int64_t width, float* out) {
  constexpr int64_t kSteps = 128;  // even
  alignas(64) std::array<float, kSteps * kRoundedGemmTile.columns> exact;
  for (int64_t s = 0; s < part.steps; s += kSteps) {
    GemmPart some = part;
    some.step += s;
    some.steps = std::min(kSteps, part.steps - s);
    PackPanel(pack, some, width, exact.data());
    RoundPanel(kOrder, some.steps, width, exact.data(), out);
    out += (some.steps + 1) / 2 * width;
  }
}

// The functions that pack panels and multiply tiles, for one precision.
struct Arithmetic {
  GemmTile tile;
  decltype(&PackPanel) pack;
  decltype(&MultiplyTile) multiply;
  int64_t steps_a_word;

  // Floats in a panel for each unit.
  int64_t Words(int64_t steps) const {
    return (steps + steps_a_word - 1) / steps_a_word;
  }
};

Arithmetic ArithmeticFor(GemmOperands operands) {
  if (operands == GemmOperands::kRoundedIfFaster && MultipliesRounded()) {
    return {kRoundedGemmTile, PackRoundedPanel<WordOrder::kEvenLow>,
            MultiplyRoundedTile, 2};
  }
  if (operands == GemmOperands::kBFloat16 && MultipliesBFloat16Exactly()) {
    return {kRoundedGemmTile, PackRoundedPanel<WordOrder::kEvenHigh>,
            MultiplyRoundedTile, 2};
  }
  return {GemmTileHere(), PackPanel, MultiplyTile, 1};
}

// Packs units [first, first + count) as panels of `width`.
void PackPanels(const Arithmetic& arithmetic, const GemmPacker& pack,
                GemmPart part, int64_t width, float* out) {
  const int64_t end = part.unit + part.count;
  for (; part.unit < end; part.unit += width) {
    part.count = std::min(width, end - part.unit);
    arithmetic.pack(pack, part, width, out);
    out += arithmetic.Words(part.steps) * width;
  }
}

// Computes a tile that extends beyond c in a buffer, and adds the part inside.
void MultiplyEdge(decltype(&MultiplyTile) multiply, int64_t words,
                  const float* a, const float* b, float* c, int64_t c_stride,
                  int64_t rows, int64_t columns) {
  constexpr int64_t kStride = kLargestGemmTile.columns;
  std::array<float, kLargestGemmTile.rows * kStride> tile{};
  multiply(words, a, b, tile.data(), kStride);
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) {
      c[i * c_stride + j] += tile[i * kStride + j];
    }
  }
}

class Product {
 public:
  Product(ThreadPool& pool, const GemmShape& shape, const GemmPacker& a,
          const GemmPacker& b, float* c, int64_t c_stride,
          const Arithmetic& arithmetic)
      : pool_(pool),
        shape_(shape),
        arithmetic_(arithmetic),
        tile_(arithmetic.tile),
        strips_(shape.m, tile_.rows, pool.threads()),
        a_(a),
        b_(b),
        c_(c),
        c_stride_(c_stride) {
    for (int64_t j = 0; j < shape.n; j += kGemmBlockColumns) {
      for (int64_t s = 0; s < shape.k; s += kGemmSteps) {
        blocks_.push_back({.unit = j,
                           .count = std::min(kGemmBlockColumns, shape.n - j),
                           .step = s,
                           .steps = std::min(kGemmSteps, shape.k - s)});
      }
    }
    const int64_t size = RoundUp(blocks_[0].count, tile_.columns) *
                         arithmetic_.Words(blocks_[0].steps);
    ahead_ = blocks_.size() > 1 && pool.threads() > 1;
    b_panels_[0] =
        GemmBuffer(GemmOperand::kB, ahead_ ? 2 * size : size, large_);
    b_panels_[1] = b_panels_[0] + (ahead_ ? size : 0);
  }

  // While the threads use one block of b, the next block is packed: they
  // synchronise once for each block, and the small tasks at its end balance
  // their shares. A single thread needs no synchronisation, and with one block
  // has more cache.
  void Run() {
    for (size_t block = 0; block < blocks_.size(); ++block) {
      if (block == 0 || !ahead_) {
        ForEach(PackTasks(block), [&](int64_t task) { PackTask(block, task); });
      }
      const int64_t pack_tasks = ahead_ ? PackTasks(block + 1) : 0;
      ForEach(strips_.count() + pack_tasks, [&](int64_t task) {
        if (task < strips_.count()) {
          RunStrip(block, task);
        } else {
          PackTask(block + 1, task - strips_.count());
        }
      });
    }
  }

 private:
  static constexpr int64_t kColumnsPerTask = 64;

  int64_t PackTasks(size_t block) const {
    if (block >= blocks_.size()) return 0;
    return (blocks_[block].count + kColumnsPerTask - 1) / kColumnsPerTask;
  }

  void PackTask(size_t block, int64_t task) {
    GemmPart part = blocks_[block];
    const int64_t begin = task * kColumnsPerTask;
    part.unit += begin;
    part.count = std::min(kColumnsPerTask, part.count - begin);
    PackPanels(arithmetic_, b_, part, tile_.columns,
               b_panels_[block % 2] + begin * arithmetic_.Words(part.steps));
  }

  // Waking other threads takes longer than a small block.
  template <typename Task>
  void ForEach(int64_t tasks, const Task& task) {
    constexpr int64_t kParallelWork = int64_t{1} << 21;
    if (shape_.m * blocks_[0].count * blocks_[0].steps >= kParallelWork) {
      pool_.For(tasks, task);
    } else {
      for (int64_t t = 0; t < tasks; ++t) task(t);
    }
  }

  void RunStrip(size_t index, int64_t strip) {
    const GemmPart& block = blocks_[index];
    const int64_t row = strips_.begin(strip);
    const int64_t rows = strips_.begin(strip + 1) - row;
    const int64_t words = arithmetic_.Words(block.steps);
    GemmFloats large;
    float* a_panels =
        GemmBuffer(GemmOperand::kA, RoundUp(rows, tile_.rows) * words, large);
    PackPanels(
        arithmetic_, a_,
        {.unit = row, .count = rows, .step = block.step, .steps = block.steps},
        tile_.rows, a_panels);
    for (int64_t j = 0; j < block.count; j += tile_.columns) {
      const float* b = b_panels_[index % 2] + j * words;
      const int64_t columns = std::min(tile_.columns, block.count - j);
      for (int64_t i = 0; i < rows; i += tile_.rows) {
        const float* a = a_panels + i * words;
        float* c = c_ + (row + i) * c_stride_ + block.unit + j;
        const int64_t height = std::min(tile_.rows, rows - i);
        if (height == tile_.rows && columns == tile_.columns) {
          arithmetic_.multiply(words, a, b, c, c_stride_);
        } else {
          MultiplyEdge(arithmetic_.multiply, words, a, b, c, c_stride_, height,
                       columns);
        }
      }
    }
  }

  ThreadPool& pool_;
  const GemmShape shape_;
  const Arithmetic arithmetic_;
  const GemmTile tile_;
  const GemmStrips strips_;
  const GemmPacker& a_;
  const GemmPacker& b_;
  float* c_;
  const int64_t c_stride_;
  GemmFloats large_;
  bool ahead_ = false;                   // packs the next block in advance
  std::vector<GemmPart> blocks_;         // of b, in the order of the sums
  std::array<float*, 2> b_panels_ = {};  // of the current block and the next
};

}  // namespace

GemmPacker PackFrom(const GemmMatrix& matrix) {
  const int64_t unit_stride = matrix.transposed ? 1 : matrix.stride;
  const int64_t step_stride = matrix.transposed ? matrix.stride : 1;
  return
      [=, data = matrix.data](const GemmPart& part, int64_t width, float* out) {
        const float* from =
            data + part.unit * unit_stride + part.step * step_stride;
        for (int64_t s = 0; s < part.steps; ++s) {
          for (int64_t u = 0; u < part.count; ++u) {
            out[s * width + u] = from[s * step_stride + u * unit_stride];
          }
        }
      };
}

void GemmAdd(ThreadPool& pool, const GemmShape& shape, const GemmPacker& a,
             const GemmPacker& b, float* c, int64_t c_stride,
             GemmOperands operands) {
  if (shape.m == 0 || shape.n == 0 || shape.k == 0) return;
  Product(pool, shape, a, b, c, c_stride, ArithmeticFor(operands)).Run();
}

}  // namespace rebasin
