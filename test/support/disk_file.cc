#include "disk_file.h"

#include <algorithm>
#include <map>
#include <utility>

namespace annex::test {

void DiskFile::Apply(std::string& content, const Change& change) {
  if (change.truncates) {
    content.resize(change.at);
    return;
  }
  if (content.size() < change.at + change.bytes.size()) content.resize(change.at + change.bytes.size());
  content.replace(change.at, change.bytes.size(), change.bytes);
}

void DiskFile::Write(std::size_t offset, std::string_view bytes) {
  changes_.push_back({false, offset, std::string(bytes)});
  Apply(live_, changes_.back());
}

void DiskFile::Truncate(std::size_t size) {
  changes_.push_back({true, size, {}});
  Apply(live_, changes_.back());
}

void DiskFile::Sync() {
  for (const Change& change : changes_) Apply(synced_, change);
  changes_.clear();
}

void DiskFile::LosePower(SeededRandom& random, std::size_t sector_bytes, Survival survival) {
  synced_ = AfterPowerLoss(random, sector_bytes, survival);
  live_ = synced_;
  changes_.clear();
}

void DiskFile::FailSync(SeededRandom& random, std::size_t sector_bytes) {
  synced_ = AfterPowerLoss(random, sector_bytes, Survival::kSome);
  changes_.clear();
}

std::string DiskFile::AfterPowerLoss(SeededRandom& random, std::size_t sector_bytes,
                                     Survival survival) const {
  if (survival == Survival::kAll) return live_;
  if (survival == Survival::kNothing) return synced_;

  // What came after the first truncation that is lost went to other places on the disk, and is lost with it.
  std::vector<std::size_t> ends = {changes_.size()};
  for (std::size_t i = 0; i < changes_.size(); ++i) {
    if (changes_[i].truncates) ends.push_back(i);
  }
  const std::size_t end = ends[random.Below(ends.size())];
  std::string content = synced_;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= end; ++i) {
    if (i < end && !changes_[i].truncates) continue;
    ApplySome(content, begin, i, random, sector_bytes);
    if (i < end) Apply(content, changes_[i]);
    begin = i + 1;
  }
  return content;
}

void DiskFile::ApplySome(std::string& content, std::size_t first, std::size_t last, SeededRandom& random,
                         std::size_t sector_bytes) const {
  std::vector<std::size_t> sizes = {content.size()};
  std::map<std::size_t, std::vector<const Change*>> sectors;
  for (std::size_t i = first; i < last; ++i) {
    const Change& change = changes_[i];
    sizes.push_back(std::max(sizes.back(), change.at + change.bytes.size()));
    for (std::size_t at = change.at - change.at % sector_bytes; at < change.at + change.bytes.size();
         at += sector_bytes) {
      sectors[at].push_back(&change);
    }
  }
  content.resize(sizes.back());
  for (const auto& [begin, touching] : sectors) {
    const std::size_t end = begin + sector_bytes;
    // How many of the writes to this sector made it.
    const std::size_t made = random.Below(touching.size() + 1);
    for (std::size_t i = 0; i < made; ++i) {
      const Change& change = *touching[i];
      const std::size_t from = std::max(begin, change.at);
      const std::size_t to = std::min(end, change.at + change.bytes.size());
      content.replace(from, to - from, change.bytes, from - change.at, to - from);
    }
  }
  content.resize(sizes[random.Below(sizes.size())]);
}

}  // namespace annex::test
