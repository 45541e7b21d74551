#include "annex/store/object.h"

#include "annex/store/store.h"

#include <array>
#include <charconv>

namespace annex::store {

void AppendBody(std::string& out, std::string_view bytes, std::uint32_t revision_at, Revision revision) {
  std::array<char, 24> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), revision).ptr;
  out.reserve(out.size() + bytes.size() + digits.size());
  out.append(bytes.substr(0, revision_at));
  out.append(digits.data(), static_cast<std::size_t>(end - digits.data()));
  out.append(bytes.substr(revision_at));
}

std::shared_ptr<const std::string> Event::Rendering(std::uint64_t form,
                                                    const std::function<std::string()>& make) const {
  {
    const base::MutexLock lock(mutex_);
    for (const auto& [known, bytes] : renderings_) {
      if (known == form) return bytes;
    }
  }
  // Made outside the lock; two watchers may make it at the same time, the first one's is kept.
  auto made = std::make_shared<const std::string>(make());
  const base::MutexLock lock(mutex_);
  for (const auto& [known, bytes] : renderings_) {
    if (known == form) return bytes;
  }
  renderings_.emplace_back(form, made);
  return made;
}

std::size_t Event::Size() const {
  std::size_t size = sizeof(Event) + key_.size();
  for (const ObjectPtr& state : {object_, previous_}) {
    if (state)
      size += sizeof(Object) + state->key.size() + state->body.bytes.size() + state->terms.encoded().size();
  }
  return size;
}

base::Result<ObjectPtr> Store::Load(CollectionId collection, std::string_view key) {
  ObjectPtr object;
  const auto copy = [&object](const Row& row) {
    object = std::make_shared<const Object>(
        Object{std::string(row.key), row.revision, Body{std::string(row.body), row.revision_at},
               selector::TermSet::FromEncoded(std::string(row.terms)), row.format});
  };
  ANNEX_RETURN_IF_ERROR(Get(collection, key, copy));
  return object;
}

}  // namespace annex::store
