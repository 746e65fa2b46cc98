#include "tensor/gemm.h"

#include <hwy/aligned_allocator.h>

#include <algorithm>
#include <array>

#include "tensor/gemm_kernel.h"

namespace rebasin {
namespace {

// Sizes of the blocks, after Goto and van de Geijn: a strip of a stays in the
// second-level cache while it meets all of a block of b, of which one panel at
// a time is in the first-level cache.
constexpr int64_t kSteps = 512;
constexpr int64_t kMostStripRows = 240;
constexpr int64_t kBlockColumns = 4096;

int64_t RoundUp(int64_t value, int64_t to) {
  return (value + to - 1) / to * to;
}

// High strips use a packed block of b more often, low ones share better among
// threads. How rows are shared changes no sum.
int64_t StripRows(int64_t m, int64_t tile_rows, int threads) {
  if (threads == 1) return kMostStripRows;
  const int64_t fair =
      RoundUp((m + 4 * threads - 1) / (4 * threads), tile_rows);
  return std::clamp(fair, 4 * tile_rows, kMostStripRows);
}

// Packs units [first, first + count) as panels of `width`, the last one filled
// up with zeros.
void PackPanels(const GemmPacker& pack, GemmPart part, int64_t width,
                float* out) {
  const int64_t end = part.unit + part.count;
  for (; part.unit < end; part.unit += width) {
    part.count = std::min(width, end - part.unit);
    if (part.count < width) std::fill(out, out + part.steps * width, 0.0f);
    pack(part, width, out);
    out += part.steps * width;
  }
}

// Where a tile hangs over the edge of c, it is computed beside it and the part
// inside is added.
void MultiplyEdge(int64_t steps, const float* a, const float* b, float* c,
                  int64_t c_stride, int64_t rows, int64_t columns) {
  constexpr int64_t kStride = kLargestGemmTile.columns;
  std::array<float, kLargestGemmTile.rows * kStride> tile{};
  MultiplyTile(steps, a, b, tile.data(), kStride);
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) {
      c[i * c_stride + j] += tile[i * kStride + j];
    }
  }
}

class Product {
 public:
  Product(ThreadPool& pool, const GemmShape& shape, const GemmPacker& a,
          const GemmPacker& b, float* c, int64_t c_stride)
      : pool_(pool),
        shape_(shape),
        tile_(GemmTileHere()),
        strip_rows_(StripRows(shape.m, tile_.rows, pool.threads())),
        a_(a),
        b_(b),
        c_(c),
        c_stride_(c_stride),
        b_panels_(hwy::AllocateAligned<float>(
            RoundUp(std::min(kBlockColumns, shape.n), tile_.columns) *
            std::min(kSteps, shape.k))) {}

  void Run() {
    for (int64_t j = 0; j < shape_.n; j += kBlockColumns) {
      for (int64_t s = 0; s < shape_.k; s += kSteps) {
        RunBlock({.unit = j,
                  .count = std::min(kBlockColumns, shape_.n - j),
                  .step = s,
                  .steps = std::min(kSteps, shape_.k - s)});
      }
    }
  }

 private:
  // All rows of c, for one block of b: first b is packed, then strips of rows
  // use it.
  void RunBlock(const GemmPart& block) {
    constexpr int64_t kColumnsPerTask = 128;
    ForEach((block.count + kColumnsPerTask - 1) / kColumnsPerTask, block,
            [&](int64_t task) {
              const int64_t begin = task * kColumnsPerTask;
              GemmPart part = block;
              part.unit += begin;
              part.count = std::min(kColumnsPerTask, block.count - begin);
              PackPanels(b_, part, tile_.columns,
                         b_panels_.get() + begin * block.steps);
            });
    ForEach((shape_.m + strip_rows_ - 1) / strip_rows_, block,
            [&](int64_t strip) { RunStrip(strip * strip_rows_, block); });
  }

  // Small blocks are not worth waking other threads for.
  void ForEach(int64_t tasks, const GemmPart& block,
               const std::function<void(int64_t)>& task) {
    constexpr int64_t kParallelWork = int64_t{1} << 21;
    if (shape_.m * block.count * block.steps >= kParallelWork) {
      pool_.For(tasks, task);
    } else {
      for (int64_t t = 0; t < tasks; ++t) task(t);
    }
  }

  void RunStrip(int64_t row, const GemmPart& block) {
    const int64_t rows = std::min(strip_rows_, shape_.m - row);
    const auto a_panels =
        hwy::AllocateAligned<float>(RoundUp(rows, tile_.rows) * block.steps);
    PackPanels(
        a_,
        {.unit = row, .count = rows, .step = block.step, .steps = block.steps},
        tile_.rows, a_panels.get());
    for (int64_t j = 0; j < block.count; j += tile_.columns) {
      const float* b = b_panels_.get() + j * block.steps;
      const int64_t columns = std::min(tile_.columns, block.count - j);
      for (int64_t i = 0; i < rows; i += tile_.rows) {
        const float* a = a_panels.get() + i * block.steps;
        float* c = c_ + (row + i) * c_stride_ + block.unit + j;
        const int64_t height = std::min(tile_.rows, rows - i);
        if (height == tile_.rows && columns == tile_.columns) {
          MultiplyTile(block.steps, a, b, c, c_stride_);
        } else {
          MultiplyEdge(block.steps, a, b, c, c_stride_, height, columns);
        }
      }
    }
  }

  ThreadPool& pool_;
  const GemmShape shape_;
  const GemmTile tile_;
  const int64_t strip_rows_;
  const GemmPacker& a_;
  const GemmPacker& b_;
  float* c_;
  const int64_t c_stride_;
  // Aligned, so that no vector of it crosses a cache line.
  const hwy::AlignedFreeUniquePtr<float[]> b_panels_;
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
             const GemmPacker& b, float* c, int64_t c_stride) {
  if (shape.m == 0 || shape.n == 0 || shape.k == 0) return;
  Product(pool, shape, a, b, c, c_stride).Run();
}

}  // namespace rebasin
