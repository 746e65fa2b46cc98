// A report: the question, the facts of the run, the results, and whether they
// support the claims. It has text, tables, charts and maps, and is output as a
// page (html.h) and as files (files.h).

#ifndef REBASIN_REPORT_DOCUMENT_H_
#define REBASIN_REPORT_DOCUMENT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "report/chart.h"
#include "report/contour.h"

namespace rebasin {

struct Paragraph {
  std::string text;
};

struct SectionTitle {
  std::string text;
};

// Preformatted lines. With a summary, they are folded away behind it.
struct Listing {
  std::string text;
  std::string summary = {};
};

// A bar beneath the text of a cell. Places are shares of the cell's width, from
// 0 to 1; what is beyond is cut off.
struct Bar {
  double begin = 0, end = 0;
  double error = 0;                 // half the length of a whisker at the end
  std::optional<double> mark = {};  // an upright line
  bool emphasis = false;
  bool dots = false;  // a ring at the begin, a dot at the end, a line between
};

// The text for display, the exact number for files, and where the text links
// to on a page.
struct Cell {
  Cell(std::string words) : text(std::move(words)) {}
  Cell(const char* words) : text(words) {}
  Cell(std::string words, double number)
      : text(std::move(words)), value(number) {}

  std::string text;
  std::optional<double> value = {};
  std::optional<Bar> bar = {};  // only in pages
  std::string link = {};        // relative; empty: none
};

// `name` is the file name: letters, digits and hyphens.
struct DataTable {
  std::string name = {};
  std::string caption = {};
  std::vector<std::string> columns = {};
  std::vector<std::vector<Cell>> rows = {};
  bool folded = false;  // away behind the caption
};

struct Plot {
  std::string name = {};
  std::string caption = {};  // alternative text
  Figure figure = {};
};

struct MapPlot {
  std::string name = {};
  std::string caption = {};
  Contour contour = {};
};

enum class Support {
  kSupported,
  kMixed,  // in parts
  kNotSupported,
  // The claim speaks of larger networks or longer training, and what was found
  // at this size does not support it.
  kNotTested,
};

// A finding that must not be missed.
struct Callout {
  Support tone = Support::kNotTested;  // good, half good, bad, neither
  std::string title = {};
  std::string text = {};
};

using Block = std::variant<Paragraph, SectionTitle, Callout, Listing, DataTable,
                           Plot, MapPlot>;

// A claim, and the verdict of this run in plain words.
struct Claim {
  std::string claim = {};
  Support support = Support::kNotTested;
  std::string finding = {};
};

struct Fact {
  std::string name;
  std::string text;
};

struct Document {
  std::string title = {};
  std::string question = {};  // in one sentence
  std::vector<Claim> claims = {};
  std::vector<Block> blocks = {};
  std::vector<Fact> facts = {};  // command, seed, version, machine, data
};

// "supported", "mixed", "not supported", "not tested at this size".
const char* SupportText(Support support);

}  // namespace rebasin

#endif  // REBASIN_REPORT_DOCUMENT_H_
