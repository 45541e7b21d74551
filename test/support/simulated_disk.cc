#include "simulated_disk.h"

#include "annex/base/check.h"
#include "simulated_disk_impl.h"

#include <atomic>
#include <functional>
#include <set>

namespace annex::test {
namespace {

std::string NewName() {
  static std::atomic<int> disks{0};
  return "simulated-" + std::to_string(disks++);
}

bool Hits(SimulatedDisk::Fault fault, Operation operation) {
  switch (fault) {
    case SimulatedDisk::Fault::kIoError:
      return true;
    case SimulatedDisk::Fault::kReadError:
      return operation == Operation::kRead;
    case SimulatedDisk::Fault::kFull:
    case SimulatedDisk::Fault::kShortWrite:
      return operation == Operation::kWrite;
    case SimulatedDisk::Fault::kSyncError:
      return operation == Operation::kSync;
  }
  return false;
}

int IoErrorOf(Operation operation) {
  switch (operation) {
    case Operation::kOpen:
      return SQLITE_CANTOPEN;
    case Operation::kDelete:
      return SQLITE_IOERR_DELETE;
    case Operation::kRead:
      return SQLITE_IOERR_READ;
    case Operation::kWrite:
      return SQLITE_IOERR_WRITE;
    case Operation::kTruncate:
      return SQLITE_IOERR_TRUNCATE;
    case Operation::kSync:
      return SQLITE_IOERR_FSYNC;
    case Operation::kSize:
      return SQLITE_IOERR_FSTAT;
    case Operation::kMap:
      return SQLITE_IOERR_SHMMAP;
  }
  return SQLITE_IOERR;
}

}  // namespace

SimulatedDisk::Impl::Impl(std::uint64_t seed, Trace* trace_to)
    : name(NewName()), random(seed), trace(trace_to) {}

int SimulatedDisk::Impl::Begin(Operation operation, std::optional<Fault>& fault) {
  fault.reset();
  if (!stopped && ++operations == stop_at) stopped = true;
  if (stopped) return IoErrorOf(operation);
  if (!plan || !Hits(plan->fault, operation)) return SQLITE_OK;
  if (plan->after > 0) {
    --plan->after;
    return SQLITE_OK;
  }
  fault = plan->fault;
  ++faults_hit;
  if (!plan->forever) plan.reset();
  const bool full = *fault == Fault::kFull || *fault == Fault::kShortWrite;
  return full ? SQLITE_FULL : IoErrorOf(operation);
}

int SimulatedDisk::Impl::Begin(Operation operation) {
  std::optional<Fault> ignored;
  return Begin(operation, ignored);
}

void SimulatedDisk::Impl::Note(std::string_view what, const Node& node, std::size_t at,
                               std::string_view bytes) {
  if (trace == nullptr) return;
  std::string line(what);
  line.append(" ")
      .append(node.path)
      .append(" ")
      .append(std::to_string(at))
      .append("+")
      .append(std::to_string(bytes.size()));
  // The begin tells: a frame of the log has a checksum of all that came before in its header.
  line.append(" ").append(std::to_string(std::hash<std::string_view>()(bytes.substr(0, 256))));
  trace->Add(line);
}

SimulatedDisk::SimulatedDisk(std::uint64_t seed, Trace* trace) : impl_(std::make_unique<Impl>(seed, trace)) {
  SetUpVfs(*impl_);
  ANNEX_CHECK(sqlite3_vfs_register(&impl_->vfs, 0) == SQLITE_OK, "SQLite takes any vfs");
}

SimulatedDisk::~SimulatedDisk() {
  sqlite3_vfs_unregister(&impl_->vfs);
  const base::MutexLock lock(impl_->mutex);
  ANNEX_CHECK(impl_->open_files == 0, "a disk outlives the connections to it");
}

const std::string& SimulatedDisk::vfs() const {
  return impl_->name;
}

void SimulatedDisk::Stop() {
  const base::MutexLock lock(impl_->mutex);
  impl_->stopped = true;
}

void SimulatedDisk::StopIn(std::uint64_t operations) {
  const base::MutexLock lock(impl_->mutex);
  impl_->stop_at = impl_->operations + operations;
}

bool SimulatedDisk::stopped() const {
  const base::MutexLock lock(impl_->mutex);
  return impl_->stopped;
}

void SimulatedDisk::Restart(Crash crash) {
  const base::MutexLock lock(impl_->mutex);
  ANNEX_CHECK(impl_->open_files == 0, "connections do not survive a crash");
  if (crash == Crash::kPower) impl_->LosePower();
  impl_->stopped = false;
  impl_->stop_at = 0;
}

void SimulatedDisk::Impl::LosePower() {
  using Survival = DiskFile::Survival;
  const std::uint64_t choice = random.Below(6);
  const Survival survival = choice == 0 ? Survival::kNothing : choice == 1 ? Survival::kAll : Survival::kSome;
  sector_bytes = random.OneIn(2) ? 512 : 4096;

  std::set<std::string> paths;
  for (const auto* known : {&entries, &synced_entries}) {
    for (const auto& [path, node] : *known) paths.insert(path);
  }
  std::map<std::string, std::shared_ptr<Node>> left;
  for (const std::string& path : paths) {
    const bool as_seen = survival == Survival::kAll || (survival == Survival::kSome && random.OneIn(2));
    const auto& from = as_seen ? entries : synced_entries;
    const auto entry = from.find(path);
    if (entry == from.end()) continue;
    auto node = std::make_shared<Node>();
    node->path = path;
    node->file = entry->second->file;
    node->file.LosePower(random, sector_bytes, survival);
    Note("left", *node, 0, node->file.bytes());
    left.emplace(path, std::move(node));
  }
  entries = left;
  synced_entries = std::move(left);
}

void SimulatedDisk::Inject(const FaultPlan& plan) {
  const base::MutexLock lock(impl_->mutex);
  impl_->plan = plan;
}

void SimulatedDisk::Heal() {
  const base::MutexLock lock(impl_->mutex);
  impl_->plan.reset();
}

std::uint64_t SimulatedDisk::faults_hit() const {
  const base::MutexLock lock(impl_->mutex);
  return impl_->faults_hit;
}

void SimulatedDisk::IgnoreSyncs() {
  const base::MutexLock lock(impl_->mutex);
  impl_->ignore_syncs = true;
}

SimulatedDisk::Counts SimulatedDisk::counts(Role role) const {
  const base::MutexLock lock(impl_->mutex);
  return impl_->CountsOf(role);
}

std::uint64_t SimulatedDisk::operations() const {
  const base::MutexLock lock(impl_->mutex);
  return impl_->operations;
}

std::size_t SimulatedDisk::SizeOf(const std::string& path) const {
  return ReadFile(path).size();
}

std::string SimulatedDisk::ReadFile(const std::string& path) const {
  const base::MutexLock lock(impl_->mutex);
  const auto entry = impl_->entries.find(path);
  return entry == impl_->entries.end() ? std::string() : std::string(entry->second->file.bytes());
}

void SimulatedDisk::WriteFile(const std::string& path, const std::string& bytes) {
  const base::MutexLock lock(impl_->mutex);
  auto& node = impl_->entries[path];
  if (!node) node = std::make_shared<Node>();
  node->path = path;
  node->file.Truncate(0);
  node->file.Write(0, bytes);
  node->file.Sync();
  impl_->synced_entries[path] = node;
}

}  // namespace annex::test
