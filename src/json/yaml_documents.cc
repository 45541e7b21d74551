// ParseYamlDocuments: yaml-cpp's parser, its events turned into YamlEvents.
#include "annex/json/yaml.h"
#include "yaml_events.h"

#include <algorithm>
#include <exception>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

namespace annex::json {
namespace {

base::Status Problem(int line, const std::string& text) {
  return {base::Reason::kBadRequest, "yaml: line " + std::to_string(line + 1) + ": " + text};
}

// Collects one document after the other. yaml-cpp numbers anchors from 1 in each document.
class Collector final : public YAML::EventHandler {
 public:
  YamlEvents Take() { return std::exchange(events_, {}); }
  int Line() const { return line_; }
  std::size_t Begin() const { return begin_; }

  void OnDocumentStart(const YAML::Mark& mark) override {
    events_ = {};
    line_ = -1;
    begin_ = static_cast<std::size_t>(mark.pos);
    anchors_ = {""};
    anchor_.clear();
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    events_.AddScalar(NodeAt(mark, "?", anchor), {}, true);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    events_.AddAlias(static_cast<std::uint32_t>(mark.line), anchors_[anchor]);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    events_.AddScalar(NodeAt(mark, tag, anchor), value, tag == "?");
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    events_.Open(YamlEvent::Kind::kSequence, NodeAt(mark, tag, anchor));
  }
  void OnSequenceEnd() override { events_.Close(0); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    events_.Open(YamlEvent::Kind::kMapping, NodeAt(mark, tag, anchor));
  }
  void OnMapEnd() override { events_.Close(0); }
  void OnAnchor(const YAML::Mark&, const std::string& name) override { anchor_ = name; }

 private:
  // "?" stands for no tag, "!" for quotes.
  YamlEvents::Node NodeAt(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    if (line_ < 0) line_ = mark.line;
    YamlEvents::Node node{.line = static_cast<std::uint32_t>(mark.line),
                          .tag = tag == "?" || tag == "!" ? "" : tag};
    if (anchor != 0) {
      // A name may stand for a further node later: the number tells them apart.
      node.anchor = std::exchange(anchor_, {}) + '#' + std::to_string(anchor);
      anchors_.resize(anchor + 1);
      anchors_[anchor] = node.anchor;
    }
    return node;
  }

  YamlEvents events_;
  int line_ = -1;          // of the document's first node
  std::size_t begin_ = 0;  // of the document in the text
  std::vector<std::string> anchors_;
  std::string anchor_;
};

class Reader {
 public:
  explicit Reader(std::string text) : text_(std::move(text)), stream_(text_), parser_(stream_) {}

  base::Result<std::vector<YamlDocument>> Read() {
    std::vector<YamlDocument> documents;
    for (bool first = true;; first = false) {
      ANNEX_TRY(const bool found, ReadEvents());
      if (!found) return documents;
      // yaml-cpp goes on with whatever it cannot make sense of as a further document, even without moving.
      if (!first && text_.compare(collector_.Begin(), 3, "---") != 0) {
        return base::Error(Problem(std::max(collector_.Line(), 0), "did not find expected <document start>"));
      }
      const int line = std::max(collector_.Line(), 0);
      YamlReport report;
      auto value = DecodeYaml(collector_.Take(), &report);
      if (!value) return base::Error(std::move(value).error());
      if (!report.duplicate_keys.empty()) {
        return base::Error(base::Reason::kBadRequest, "yaml: " + report.duplicate_keys.front().Message());
      }
      if (!value->is_null()) documents.push_back({*std::move(value), static_cast<std::size_t>(line) + 1});
    }
  }

 private:
  base::Result<bool> ReadEvents() {
    try {
      return parser_.HandleNextDocument(collector_);
    } catch (const YAML::DeepRecursion& error) {
      return base::Error(Problem(error.mark.line, "exceeded max depth of 500"));
    } catch (const YAML::Exception& error) {
      return base::Error(Problem(error.mark.line, error.msg));
    } catch (const std::exception& error) {
      return base::Error(base::Reason::kBadRequest, std::string("yaml: ") + error.what());
    }
  }

  const std::string text_;
  std::istringstream stream_;
  YAML::Parser parser_;
  Collector collector_;
};

}  // namespace

base::Result<std::vector<YamlDocument>> ParseYamlDocuments(std::string_view text) {
  YamlText read = ReadYamlText(text);
  if (!read.problem.empty()) return base::Error(base::Reason::kBadRequest, "yaml: " + read.problem);
  return Reader(std::move(read.text)).Read();
}

}  // namespace annex::json
