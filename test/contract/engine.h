// Engine: what a storage engine gives to be held to the contract of store.h: a place for data that outlives a
// Store, and a writer executor to run it on.
//
// Each engine's program links the suite with one definition of MakeEngine.
//
// Thread rule: called by the test's thread only.
#pragma once

#include "annex/base/clock.h"
#include "annex/base/executor.h"
#include "annex/base/metrics.h"
#include "annex/base/result.h"
#include "annex/store/store.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <future>
#include <memory>

namespace annex::test {

class Engine {
 public:
  struct Settings {
    std::chrono::seconds history_age{600};
    std::int64_t history_bytes = 1LL << 30;
    std::size_t max_queued_writes = 20'000;
    std::size_t max_queued_bytes = 256UL << 20U;
    store::Revision revisions_beyond = 0;
  };

  virtual ~Engine() = default;

  // Opens the store on this engine's data, with a new writer executor. REQUIRES: none is open.
  virtual base::Result<std::unique_ptr<store::Store>> Open(const Settings& settings, const base::Clock& clock,
                                                           base::Metrics& metrics,
                                                           store::CommitObserver* observer) = 0;
  // The writer executor runs no task any more; afterwards the store may be destroyed.
  virtual void Stop() = 0;

  // Lets the store work until `done` is ready. False if it never will be.
  virtual bool Wait(std::future<void>& done) = 0;
  // Between Pause and Resume the writer executor begins no task.
  virtual void Pause() = 0;
  virtual void Resume() = 0;

  // Bytes that the data takes up, once everything is at its place.
  virtual std::uint64_t DataBytes() = 0;

  // From now on every write to the disk fails: `full` for a lack of space, else as a broken disk does. False
  // if this engine's disk cannot be broken.
  virtual bool BreakDisk(bool full) { return false; }
  virtual void HealDisk() {}
};

std::unique_ptr<Engine> MakeEngine();

}  // namespace annex::test
