#include "annex/source/resource_publisher.h"

#include "annex/base/log.h"
#include "annex/json/read.h"
#include "annex/json/write.h"

#include <utility>
#include <vector>

namespace annex::source {
namespace {

using json::Value;

constexpr std::size_t kReindexPage = 500;
constexpr std::chrono::milliseconds kOldUsersPoll{50};

// FNV-1a with 64 bits: the same in every process.
constexpr std::uint64_t kFnvBasis = 14695981039346656037ULL;
std::uint64_t Fnv1a(std::uint64_t hash, std::string_view text) {
  constexpr std::uint64_t kPrime = 1099511628211ULL;
  for (const char character : text) hash = (hash ^ static_cast<unsigned char>(character)) * kPrime;
  return hash;
}

// A hash of what of a definition its objects are served by.
std::uint64_t Serving(const Value& definition, const ResourcePublisher::Options& options) {
  Value essence = Value::object();
  if (const Value* spec = json::Find(definition, "spec")) essence["spec"] = *spec;
  // What may be stored decides whether lists have to reckon with the webhook.
  const bool webhook = json::TextAt(definition, {"spec", "conversion", "strategy"}) == "Webhook";
  if (webhook) essence["stored"] = json::ItemsAt(definition, {"status", "storedVersions"});
  essence["incarnation"] = options.incarnation;
  essence["names"] = {options.names.plural, options.names.singular, options.names.kind,
                      options.names.list_kind};
  essence["shortNames"] = options.names.short_names;
  essence["categories"] = options.names.categories;
  return Fnv1a(kFnvBasis, json::ToJson(essence));
}

// A hash of all that its resource is made from.
std::uint64_t Essence(std::uint64_t serving, const ResourcePublisher::Options& options) {
  std::uint64_t hash = Fnv1a(serving, options.terminating ? "terminating" : "");
  hash = Fnv1a(hash, options.read_only ? "read-only" : "");
  hash = Fnv1a(hash, options.leaving ? "leaving" : "");
  return Fnv1a(hash, options.established ? "established" : "");
}

std::string CollectionName(const Value& definition, const ResourcePublisher::Options& options) {
  std::string name = json::TextAt(definition, {"spec", "group"}) + "/" + options.names.plural;
  if (!options.incarnation.empty()) name += "/" + options.incarnation;
  return name;
}

definition::Resource::Options ResourceOptions(const ResourcePublisher::Options& options,
                                              store::CollectionId collection, std::uint64_t serving) {
  definition::Resource::Options made;
  made.names = options.names;
  made.terminating = options.terminating;
  made.leaving = options.leaving;
  made.collection = collection;
  made.established = options.established;
  made.serving = serving;
  return made;
}

}  // namespace

ResourcePublisher::ResourcePublisher(store::Store& store, store::WatchHub& hub,
                                     definition::Registry& registry, base::Executor& executor)
    : store_(store), hub_(hub), registry_(registry), executor_(executor) {}

std::shared_ptr<const definition::Resource> ResourcePublisher::Find(const std::string& name) const {
  const auto found = resources_.find(name);
  return found == resources_.end() ? nullptr : found->second;
}

base::Task<base::Result<store::CollectionInfo>> ResourcePublisher::OpenCollection(std::string name) {
  const auto start = [this, &name](std::function<void(base::Result<store::CollectionInfo>)> done) {
    store_.OpenCollection(name, std::move(done));
  };
  co_return co_await base::Await<base::Result<store::CollectionInfo>>(executor_, start);
}

base::Task<base::Result<void>> ResourcePublisher::SetAccess(store::CollectionId collection,
                                                            store::Store::Access access) {
  const auto start = [this, collection, access](std::function<void(base::Result<void>)> done) {
    store_.SetAccess(collection, access, std::move(done));
  };
  co_return co_await base::Await<base::Result<void>>(executor_, start);
}

base::Task<base::Result<void>> ResourcePublisher::Publish(Value definition, Options options) {
  const std::string name = json::TextAt(definition, {"metadata", "name"});
  const std::uint64_t serving = Serving(definition, options);
  const std::uint64_t essence = Essence(serving, options);
  if (const auto known = published_.find(name);
      known != published_.end() && known->second.essence == essence) {
    co_return base::Result<void>();
  }
  std::string collection_name = CollectionName(definition, options);
  ANNEX_CO_TRY(const store::CollectionInfo collection, co_await OpenCollection(std::move(collection_name)));
  ANNEX_CO_TRY(auto resource,
               definition::Resource::Compile(definition, ResourceOptions(options, collection.id, serving)));
  if (options.read_only != published_[name].read_only) {
    const auto access =
        options.read_only ? store::Store::Access::kReadOnly : store::Store::Access::kReadWrite;
    ANNEX_CO_RETURN_IF_ERROR(co_await SetAccess(collection.id, access));
  }
  const std::weak_ptr<const definition::Resource> old = std::exchange(resources_[name], resource);
  published_[name] = {essence, !options.incarnation.empty(), options.read_only};
  if (collection.terms_format != resource->format()) tasks_.Spawn(Reindex(resource, old));
  PublishSnapshot();
  hub_.Interrupt(collection.id);
  co_return base::Result<void>();
}

base::Task<base::Result<std::shared_ptr<const definition::Resource>>> ResourcePublisher::Prepare(
    Value definition, Options options) {
  const std::uint64_t serving = Serving(definition, options);
  std::string collection_name = CollectionName(definition, options);
  ANNEX_CO_TRY(const store::CollectionInfo collection, co_await OpenCollection(std::move(collection_name)));
  co_return definition::Resource::Compile(definition, ResourceOptions(options, collection.id, serving));
}

base::Task<base::Result<void>> ResourcePublisher::Withdraw(std::string name) {
  const auto found = resources_.find(name);
  if (found == resources_.end()) co_return base::Result<void>();
  const store::CollectionId collection = found->second->collection();
  resources_.erase(found);
  const bool drop = std::exchange(published_[name], {}).has_incarnation;
  published_.erase(name);
  PublishSnapshot();
  hub_.Interrupt(collection);
  if (!drop) co_return base::Result<void>();
  const auto start = [this, collection](std::function<void(base::Result<void>)> done) {
    store_.DropCollection(collection, std::move(done));
  };
  co_return co_await base::Await<base::Result<void>>(executor_, start);
}

std::map<std::string, std::string> ResourcePublisher::Fingerprints() const {
  std::map<std::string, std::string> fingerprints;
  std::map<std::string, std::uint64_t> hashes;
  for (const auto& [name, resource] : resources_) {
    std::uint64_t& hash = hashes.try_emplace(resource->group(), kFnvBasis).first->second;
    hash = Fnv1a(hash, name + "=" + std::to_string(published_.at(name).essence));
  }
  for (const auto& [group, hash] : hashes) fingerprints[group] = std::to_string(hash);
  return fingerprints;
}

void ResourcePublisher::Release() {
  held_ = false;
  PublishSnapshot();
}

void ResourcePublisher::PublishSnapshot() {
  if (held_) return;
  std::vector<std::shared_ptr<const definition::Resource>> all;
  all.reserve(resources_.size());
  for (const auto& [name, resource] : resources_) all.push_back(resource);
  registry_.Publish(std::make_shared<const definition::Snapshot>(std::move(all)));
  if (on_change_) on_change_();
}

base::Task<void> ResourcePublisher::Reindex(std::shared_ptr<const definition::Resource> resource,
                                            std::weak_ptr<const definition::Resource> old) {
  const std::string name = resource->name();
  // Requests that began with the old definition may still store objects with its terms. They hold it as long
  // as they last.
  while (!old.expired()) co_await base::Sleep(executor_, kOldUsersPoll);
  if (Find(name) != resource) co_return;
  auto done = co_await ReindexObjects(*resource);
  if (!done) {
    base::LogError(
        "Indexing the objects of a definition failed; selectors on its fields read all objects until it "
        "succeeds",
        {{"definition", name}, {"error", done.error().message}});
  }
}

base::Task<base::Result<void>> ResourcePublisher::ReindexObjects(const definition::Resource& resource) {
  std::string start;
  bool all_known = true;
  for (bool more = true; more;) {
    std::vector<store::TermUpdate> updates;
    store::ListQuery query;
    query.collection = resource.collection();
    query.start = start;
    std::size_t rows = 0;
    ANNEX_CO_TRY(const store::Page page, store_.List(query, [&](const store::Row& row) {
      if (rows++ == kReindexPage) return store::Visit::kStop;
      start.assign(row.key).push_back('\0');
      if (row.format == resource.format()) return store::Visit::kNext;
      std::string text;
      store::AppendBody(text, row.body, row.revision_at, row.revision);
      auto object = json::Parse(text);
      // An object that cannot be read is found by no selector on a field; reading it says why.
      if (!object || !resource.ReadStored(*object)) return store::Visit::kNext;
      // What a webhook would make of it is seen when somebody asks, and when it is written again.
      const bool foreign = resource.webhook() && resource.VersionOf(*object) != &resource.storage_version();
      all_known = all_known && !foreign;
      if (!foreign) updates.push_back({std::string(row.key), row.revision, resource.TermsOf(*object)});
      return store::Visit::kNext;
    }));
    more = page.more;
    if (!updates.empty()) {
      const auto write = [&](std::function<void(base::Result<void>)> done) {
        store_.UpdateTerms(resource.collection(), std::move(updates), std::move(done));
      };
      ANNEX_CO_RETURN_IF_ERROR(co_await base::Await<base::Result<void>>(executor_, write));
    }
  }
  if (!all_known) co_return base::Result<void>();
  const auto finish = [&](std::function<void(base::Result<void>)> done) {
    store_.SetTermsFormat(resource.collection(), resource.format(), std::move(done));
  };
  co_return co_await base::Await<base::Result<void>>(executor_, finish);
}

}  // namespace annex::source
