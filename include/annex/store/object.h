// The values that a store keeps and hands out: objects, events, and the bytes of a body.
//
// A store knows no resource types. An object is a key in a collection, a body that is stored and given back
// as bytes, and the terms that it can be selected by.
//
// Thread rule: Object and Event are immutable once shared (shared_ptr<const …>) and may be read from any
// thread.
#pragma once

#include "annex/base/mutex.h"
#include "annex/selector/terms.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace annex::store {

// The version column: one total order over all writes of a store, rising by at least one with each, kept over
// restarts. It is the resourceVersion of the API. 0 is no revision.
using Revision = std::int64_t;

// A set of keys that belong together (the objects of one resource). Never reused after the collection was
// dropped.
using CollectionId = std::int64_t;

// A body as stored: JSON text in which the resourceVersion's digits are left out, since they are known only
// when the body is committed. `revision_at` is where they go.
//
//   {"kind":"Widget","metadata":{"name":"a","resourceVersion":""},"spec":{}}
//                                                             ^ revision_at
struct Body {
  std::string bytes;
  std::uint32_t revision_at = 0;
};

// Appends the body with `revision` in its place.
void AppendBody(std::string& out, std::string_view bytes, std::uint32_t revision_at, Revision revision);

struct Object {
  std::string key;  // "NAMESPACE/NAME", or "NAME" for a cluster-scoped object
  Revision revision = 0;
  Body body;
  selector::TermSet terms;
  // Which form body and terms have: a fingerprint that the writer of the object chose (api: of the storage
  // version's schema and selectable fields). A reader that knows the same fingerprint may use the bytes as
  // they are. 0 is the fingerprint of nothing.
  std::uint64_t format = 0;
};
using ObjectPtr = std::shared_ptr<const Object>;

// One committed change of one object.
class Event {
 public:
  Event(Revision revision, CollectionId collection, std::string key, ObjectPtr object, ObjectPtr previous)
      : revision_(revision),
        collection_(collection),
        key_(std::move(key)),
        object_(std::move(object)),
        previous_(std::move(previous)) {}

  Revision revision() const { return revision_; }
  CollectionId collection() const { return collection_; }
  const std::string& key() const { return key_; }
  // The state after the change; nullptr if it deleted the object.
  const ObjectPtr& object() const { return object_; }
  // The state before; nullptr if the change created the object.
  const ObjectPtr& previous() const { return previous_; }

  // The event in the form that `form` names, made by `make` the first time and shared by all watchers that
  // ask for the same form. The caller sees to it that equal numbers mean equal bytes.
  std::shared_ptr<const std::string> Rendering(std::uint64_t form,
                                               const std::function<std::string()>& make) const;

  // Bytes that the event holds in memory, renderings left out.
  std::size_t Size() const;

 private:
  const Revision revision_;
  const CollectionId collection_;
  const std::string key_;
  const ObjectPtr object_;
  const ObjectPtr previous_;
  mutable base::Mutex mutex_;
  mutable std::vector<std::pair<std::uint64_t, std::shared_ptr<const std::string>>> renderings_
      ANNEX_GUARDED_BY(mutex_);
};
using EventPtr = std::shared_ptr<const Event>;

}  // namespace annex::store
