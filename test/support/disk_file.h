// DiskFile: the bytes of one file on a simulated disk: what programs see, and what would be left if the power
// went now.
//
// A disk writes whole sectors, each at a moment of its own choosing. So after a loss of power every sector
// shows some state that it had between the last Sync and the end, independently of its neighbours: writes are
// lost, torn and reordered, but a sector never holds the later of two writes without the earlier one. The
// length of the file is such a thing of its own, too. A truncation is there or not as a whole.
//
//   synced: AAAA AAAA      write BBBBBB at 0, then CC at 6      left, for example: AAAA BBCC  or  BBBB BBAA
//
// Thread rule: none; SimulatedDisk locks.
#pragma once

#include "seeded_random.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace annex::test {

class DiskFile {
 public:
  // How much of what was not synced a loss of power leaves.
  enum class Survival : std::uint8_t {
    kNothing,  // the disk had written nothing yet
    kAll,      // it had written everything, as when only the process dies
    kSome,     // each sector for itself
  };

  std::string_view bytes() const { return live_; }
  void Write(std::size_t offset, std::string_view bytes);
  void Truncate(std::size_t size);
  // From now on, everything written so far stays.
  void Sync();
  // What programs see becomes what a loss of power leaves.
  void LosePower(SeededRandom& random, std::size_t sector_bytes, Survival survival);
  // A sync that failed: some of what was not synced is on the disk, the rest never will be, although programs
  // still see it (as the Linux page cache has it: the pages count as clean).
  void FailSync(SeededRandom& random, std::size_t sector_bytes);

 private:
  struct Change {
    bool truncates;
    std::size_t at;  // offset, or the new size
    std::string bytes;
  };

  std::string AfterPowerLoss(SeededRandom& random, std::size_t sector_bytes, Survival survival) const;
  // Applies, of the changes from `first` until `last`, which are all writes, what made it to the disk.
  void ApplySome(std::string& content, std::size_t first, std::size_t last, SeededRandom& random,
                 std::size_t sector_bytes) const;
  static void Apply(std::string& content, const Change& change);

  std::string live_;
  std::string synced_;
  std::vector<Change> changes_;  // since the last sync
};

}  // namespace annex::test
