// The kinds of work that the store's writer does for callers.
#pragma once

#include "sqlite_store.h"

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace annex::store::sqlite {

// Why a job was not done, in the words of the contract.
inline base::Status NotDone(const base::Status& why) {
  if (why.reason == base::Reason::kTooManyRequests) return why;
  return {base::Reason::kInternalError, "the store could not write: " + why.message};
}

class CommitJob final : public Job {
 public:
  CommitJob(Mutation mutation, std::function<void(base::Result<Committed>)> done)
      : mutation_(std::move(mutation)),
        bytes_(mutation_.next ? mutation_.next->body.bytes.size() : 0),
        done_(std::move(done)) {}

  std::size_t Bytes() const override { return bytes_; }

  base::Result<void> Run(Writer& writer, Group& group) override {
    auto event = writer.Apply(mutation_, group.newest + 1);
    if (!event) {
      refused_ = std::move(event).error();
      if (refused_->reason == base::Reason::kInternalError) return base::Error(*refused_);
      return {};
    }
    ++group.newest;
    committed_ = Committed{(*event)->revision(), (*event)->object()};
    if (mutation_.seen) group.replaced_bytes += static_cast<std::int64_t>(mutation_.seen->body.bytes.size());
    group.events.push_back(*std::move(event));
    return {};
  }

  void Finish(const base::Result<void>& committed) override {
    if (!committed) {
      done_(base::Error(NotDone(committed.error())));
    } else if (refused_) {
      done_(base::Error(*std::move(refused_)));
    } else {
      done_(std::move(committed_));
    }
  }

 private:
  Mutation mutation_;
  const std::size_t bytes_;
  const std::function<void(base::Result<Committed>)> done_;
  std::optional<base::Status> refused_;
  Committed committed_;
};

class OpenCollectionJob final : public Job {
 public:
  OpenCollectionJob(std::string name, std::function<void(base::Result<CollectionInfo>)> done)
      : name_(std::move(name)), done_(std::move(done)) {}

  base::Result<void> Run(Writer& writer, Group& /*group*/) override {
    ANNEX_TRY(info_, writer.OpenCollection(name_));
    return {};
  }

  void Finish(const base::Result<void>& committed) override {
    if (committed) {
      done_(std::move(info_));
    } else {
      done_(base::Error(NotDone(committed.error())));
    }
  }

 private:
  const std::string name_;
  const std::function<void(base::Result<CollectionInfo>)> done_;
  CollectionInfo info_;
};

// A job whose caller only wants to know that it was done.
class PlainJob : public Job {
 public:
  explicit PlainJob(std::function<void(base::Result<void>)> done) : done_(std::move(done)) {}

  void Finish(const base::Result<void>& committed) override {
    if (committed) {
      done_(std::move(outcome_));
    } else {
      done_(base::Error(NotDone(committed.error())));
    }
  }

 protected:
  base::Result<void> outcome_;

 private:
  const std::function<void(base::Result<void>)> done_;
};

class DropCollectionJob final : public PlainJob {
 public:
  DropCollectionJob(CollectionId collection, std::function<void(base::Result<void>)> done)
      : PlainJob(std::move(done)), collection_(collection) {}

  base::Result<void> Run(Writer& writer, Group& group) override {
    ANNEX_TRY(const bool existed, writer.MarkDropped(collection_));
    if (existed) {
      group.dropped.push_back(collection_);
    } else {
      outcome_ = base::Error(base::Reason::kNotFound, "the collection does not exist");
    }
    return {};
  }

 private:
  const CollectionId collection_;
};

class SetAccessJob final : public PlainJob {
 public:
  SetAccessJob(CollectionId collection, Store::Access access, std::function<void(base::Result<void>)> done)
      : PlainJob(std::move(done)), collection_(collection), access_(access) {}

  base::Result<void> Run(Writer& writer, Group& /*group*/) override {
    writer.SetAccess(collection_, access_);
    return {};
  }

 private:
  const CollectionId collection_;
  const Store::Access access_;
};

class UpdateTermsJob final : public PlainJob {
 public:
  UpdateTermsJob(CollectionId collection, std::vector<TermUpdate> updates,
                 std::function<void(base::Result<void>)> done)
      : PlainJob(std::move(done)), collection_(collection), updates_(std::move(updates)) {}

  base::Result<void> Run(Writer& writer, Group& /*group*/) override {
    ANNEX_TRY(const bool exists, writer.CollectionExists(collection_));
    if (!exists) {
      outcome_ = base::Error(base::Reason::kNotFound, "the collection does not exist");
      return {};
    }
    for (const TermUpdate& update : updates_) ANNEX_RETURN_IF_ERROR(writer.UpdateTerms(collection_, update));
    return {};
  }

 private:
  const CollectionId collection_;
  const std::vector<TermUpdate> updates_;
};

class SetTermsFormatJob final : public PlainJob {
 public:
  SetTermsFormatJob(CollectionId collection, std::uint64_t terms_format,
                    std::function<void(base::Result<void>)> done)
      : PlainJob(std::move(done)), collection_(collection), terms_format_(terms_format) {}

  base::Result<void> Run(Writer& writer, Group& /*group*/) override {
    ANNEX_TRY(const bool existed, writer.SetTermsFormat(collection_, terms_format_));
    if (!existed) outcome_ = base::Error(base::Reason::kNotFound, "the collection does not exist");
    return {};
  }

 private:
  const CollectionId collection_;
  const std::uint64_t terms_format_;
};

}  // namespace annex::store::sqlite
