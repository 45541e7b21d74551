// ReaderPool: read-only connections, made when all are in use and kept for the next caller.
//
// As reads are synchronous, there are never more of them than threads that read.
//
// Thread rule: thread-safe. A Lease belongs to one thread.
#pragma once

#include "annex/base/mutex.h"
#include "reader.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace annex::store::sqlite {

class ReaderPool {
 public:
  ReaderPool(std::string path, std::string vfs, std::int64_t cache_bytes)
      : path_(std::move(path)), vfs_(std::move(vfs)), cache_bytes_(cache_bytes) {}

  class Lease {
   public:
    Lease(ReaderPool& pool, std::unique_ptr<Reader> reader) : pool_(&pool), reader_(std::move(reader)) {}
    ~Lease() {
      if (reader_) pool_->Return(std::move(reader_));
    }
    Lease(Lease&&) = default;
    Lease& operator=(Lease&&) = delete;
    Reader* operator->() const { return reader_.get(); }

   private:
    ReaderPool* pool_;
    std::unique_ptr<Reader> reader_;
  };

  base::Result<Lease> Take() {
    {
      const base::MutexLock lock(mutex_);
      if (!idle_.empty()) {
        auto reader = std::move(idle_.back());
        idle_.pop_back();
        return Lease(*this, std::move(reader));
      }
    }
    ANNEX_TRY(auto reader, Reader::Open(path_, vfs_, cache_bytes_));
    return Lease(*this, std::move(reader));
  }

 private:
  void Return(std::unique_ptr<Reader> reader) {
    const base::MutexLock lock(mutex_);
    idle_.push_back(std::move(reader));
  }

  const std::string path_;
  const std::string vfs_;
  const std::int64_t cache_bytes_;
  base::Mutex mutex_;
  std::vector<std::unique_ptr<Reader>> idle_ ANNEX_GUARDED_BY(mutex_);
};

}  // namespace annex::store::sqlite
