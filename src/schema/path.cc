#include "path.h"

#include <algorithm>
#include <vector>

namespace annex::schema {
namespace {

// From the root to `frame`.
std::vector<const PathFrame*> FramesOf(const PathFrame& frame) {
  std::vector<const PathFrame*> frames;
  for (const PathFrame* at = &frame; at != nullptr; at = at->parent) frames.push_back(at);
  std::reverse(frames.begin(), frames.end());
  return frames;
}

void AppendIndex(std::string& text, std::size_t index) {
  text += '[';
  text += std::to_string(index);
  text += ']';
}

}  // namespace

std::string DottedPath(const PathFrame& frame) {
  std::string text;
  bool begun = false;
  for (const PathFrame* at : FramesOf(frame)) {
    if (at->kind == PathFrame::Kind::kIndex) {
      AppendIndex(text, at->index);
    } else {
      if (begun) text += '.';
      text += at->name;
    }
    begun = begun || at->kind != PathFrame::Kind::kRoot || !at->name.empty();
  }
  return text;
}

std::string OpenApiPath(const PathFrame& frame) {
  std::string text;
  for (const PathFrame* at : FramesOf(frame)) {
    if (at->kind == PathFrame::Kind::kIndex) {
      AppendIndex(text, at->index);
    } else {
      if (at->kind == PathFrame::Kind::kKey || !text.empty()) text += '.';
      text += at->name;
    }
  }
  return text;
}

std::string FieldPathText(const PathFrame& frame) {
  std::string text;
  for (const PathFrame* at : FramesOf(frame)) {
    if (at->kind == PathFrame::Kind::kIndex) {
      AppendIndex(text, at->index);
    } else if (at->kind == PathFrame::Kind::kKey ||
               (at->kind == PathFrame::Kind::kProperty && at->name.empty())) {
      text.append("[").append(at->name).append("]");
    } else {
      if (!text.empty()) text += '.';
      text += at->name;
    }
  }
  return text;
}

}  // namespace annex::schema
