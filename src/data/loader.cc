// A ring of buffers between the threads that fill them and the caller. Batch b
// is in slot b % slots; a thread may start it when the caller is done with the
// previous batch in that slot.

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "data/batch_maker.h"
#include "rebasin/error.h"
#include "rebasin/nn/data.h"

namespace rebasin {
namespace {

// A batch and its state. Owned by the thread that makes it until it is ready,
// then by the caller.
struct Slot {
  BatchBuffer buffer;
  bool ready = false;
  std::exception_ptr error;  // thrown while it was made
};

int CheckedThreads(int threads) {
  if (threads >= 0) return threads;
  throw Error(ErrorCode::kUsage,
              "a loader cannot have " + std::to_string(threads) + " threads");
}

}  // namespace

struct Loader::Impl {
  Impl(Dataset data, const LoaderOptions& options)
      : dataset(std::move(data)), maker(dataset, options) {
    const int threads = CheckedThreads(options.threads);
    // The caller holds one slot, each thread fills one, and one is ready.
    const int64_t most = threads == 0 ? 1 : int64_t{threads} + 2;
    const int64_t needed = std::min(most, std::max<int64_t>(batches(), 1));
    for (int64_t i = 0; i < needed; ++i) {
      slots.push_back({.buffer = maker.MakeBuffer(), .error = nullptr});
    }
    StartThreads(std::min<int64_t>(threads, needed));
  }

  ~Impl() {
    Interrupt();
    {
      const std::lock_guard lock(mutex);
      stopping = true;
    }
    work.notify_all();
    for (std::thread& worker : workers) worker.join();
  }

  int64_t batches() const { return maker.batches(); }
  int64_t count() const { return static_cast<int64_t>(slots.size()); }
  Slot& slot(int64_t batch) {
    return slots[static_cast<size_t>(batch % count())];
  }

  void StartThreads(int64_t threads) {
    workers.reserve(static_cast<size_t>(threads));
    for (int64_t i = 0; i < threads; ++i) {
      try {
        workers.emplace_back([this] { RunWorker(); });
      } catch (const std::exception&) {
        return;  // no more threads or memory: work with fewer
      }
    }
  }

  void RunWorker() {
    std::unique_lock lock(mutex);
    while (true) {
      work.wait(lock, [&] {
        return stopping || (next < end && next < held + count());
      });
      if (stopping) return;
      const int64_t batch = next++;
      slot(batch).ready = false;
      ++busy;
      lock.unlock();
      MakeBatch(batch);
      lock.lock();
      --busy;
      slot(batch).ready = true;
      done.notify_all();
    }
  }

  // Needs no lock: the caller owns the slot, and the epoch does not change
  // while a thread is busy.
  void MakeBatch(int64_t batch) {
    Slot& mine = slot(batch);
    mine.error = nullptr;
    try {
      maker.Make(epoch, batch, interrupted, mine.buffer);
    } catch (...) {
      mine.error = std::current_exception();
    }
  }

  // Stops the workers and drops all queued batches.
  void Interrupt() {
    interrupted = true;
    std::unique_lock lock(mutex);
    end = 0;
    done.wait(lock, [&] { return busy == 0; });
    interrupted = false;
  }

  void Start(int64_t number, int64_t first_batch) {
    Interrupt();
    Epoch started = maker.MakeEpoch(number);
    {
      const std::lock_guard lock(mutex);
      epoch = std::move(started);
      for (Slot& each : slots) each.ready = false;
      next = held = wanted = first_batch;
      end = batches();
    }
    work.notify_all();
  }

  // Waits for the next batch and returns its slot; null at the end of the
  // epoch.
  Slot* Advance() {
    std::unique_lock lock(mutex);
    if (wanted >= end) return nullptr;
    const int64_t batch = wanted++;
    held = batch;  // the slot of the previous batch becomes free
    if (workers.empty()) {
      lock.unlock();
      MakeBatch(batch);
      return &slot(batch);
    }
    work.notify_all();
    done.wait(lock, [&] { return slot(batch).ready && next > batch; });
    return &slot(batch);
  }

  const Dataset dataset;
  const BatchMaker maker;
  std::atomic<bool> interrupted = false;

  std::mutex mutex;              // guards all below, except buffer contents
  std::condition_variable work;  // signals that a batch may be made
  std::condition_variable done;  // signals that a batch was made
  Epoch epoch;
  std::vector<Slot> slots;
  int64_t next = 0;    // first batch that is not started
  int64_t held = 0;    // batch that the caller has or waits for
  int64_t wanted = 0;  // next batch for the caller
  int64_t end = 0;     // of the epoch
  int busy = 0;        // threads that are making a batch
  bool stopping = false;
  std::vector<std::thread> workers;
};

Loader::Loader(Dataset dataset, const LoaderOptions& options)
    : impl_(std::make_unique<Impl>(std::move(dataset), options)) {}

Loader::~Loader() = default;

int64_t Loader::batches() const { return impl_->batches(); }

void Loader::Start(int64_t epoch, int64_t first_batch) {
  if (first_batch < 0) {
    throw Error(ErrorCode::kUsage, "an epoch cannot start at batch " +
                                       std::to_string(first_batch));
  }
  impl_->Start(epoch, first_batch);
}

bool Loader::Next(Batch* batch) {
  const Slot* const slot = impl_->Advance();
  if (slot == nullptr) return false;
  if (slot->error) std::rethrow_exception(slot->error);
  const BatchBuffer& buffer = slot->buffer;
  const size_t size = static_cast<size_t>(buffer.size);
  const size_t values =
      size * static_cast<size_t>(impl_->dataset.example_size());
  batch->size = buffer.size;
  batch->examples = std::span(buffer.examples).first(values);
  batch->labels = std::span(buffer.labels);
  if (!batch->labels.empty()) batch->labels = batch->labels.first(size);
  return true;
}

}  // namespace rebasin
