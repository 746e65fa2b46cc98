// The report page of a merge: the verdict, the models beside each other, what
// was kept of each parent, the agreement of the weights before and after, and
// the units that moved. The fixed axes and the log are folded away.

#include "cli/merge_page.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>
#include <utility>

#include "base/text.h"
#include "cli/judgement_page.h"
#include "cli/page.h"
#include "cli/similarity_page.h"
#include "lab/blocks.h"

namespace rebasin::cli {
namespace {

using lab::NumberCell;

// With more groups, the table of them is folded away.
constexpr size_t kMaxGroups = 20;

Cell CountCell(int64_t count) {
  return NumberCell(static_cast<double>(count), 9);
}

DataTable GroupTable(const MergePage& page) {
  DataTable table{.name = "groups", .columns = {"group", "units", "moved"}};
  const Symmetry& symmetry = *page.structure->symmetry;
  int64_t all = 0, all_moved = 0;
  for (size_t g = 0; g < symmetry.groups().size(); ++g) {
    const int group = static_cast<int>(g);
    const int64_t units = symmetry.groups()[g].size * symmetry.Copies(group);
    const int64_t moved = page.alignment->UnitsMoved(group);
    Cell cell = CountCell(moved);
    cell.bar = Bar{.end = static_cast<double>(moved) /
                          static_cast<double>(std::max<int64_t>(units, 1))};
    table.rows.push_back({symmetry.groups()[g].name, CountCell(units), cell});
    all += units;
    all_moved += moved;
  }
  table.caption = Grouped(all_moved) + " of " + Grouped(all) +
                  " interchangeable units of B changed places";
  table.folded = table.rows.size() > kMaxGroups;
  return table;
}

DataTable FixedTable(const Discovery& discovery) {
  DataTable table{.name = "fixed",
                  .caption = "Fixed axes, and why",
                  .columns = {"weight", "axis", "indices", "reason"},
                  .folded = true};
  for (const FixedAxis& fixed : discovery.fixed) {
    table.rows.push_back(
        {fixed.weight, NumberCell(fixed.axis),
         NumberCell(static_cast<double>(fixed.indices), 9),
         fixed.reason + (fixed.cause.empty() ? "" : ": " + fixed.cause)});
  }
  return table;
}

// The blocks are appended.
void Add(std::vector<Block> blocks, Document& document) {
  std::move(blocks.begin(), blocks.end(), std::back_inserter(document.blocks));
}

// Without their folders, if that leaves them different.
std::vector<std::string> ShortNames(const std::vector<std::string>& paths) {
  std::vector<std::string> names;
  for (const std::string& path : paths) {
    names.push_back(std::filesystem::path(path).filename().string());
  }
  const std::set<std::string> distinct(names.begin(), names.end());
  return distinct.size() == names.size() ? names : paths;
}

void AddResults(const MergePage& page, Document& document) {
  if (page.judgement != nullptr) {
    Add(JudgementBlocks(*page.judgement, page.judged_on,
                        ShortNames(page.models)),
        document);
  }
  if (page.repaired != nullptr) Add(RepairBlocks(*page.repaired), document);
}

void AddAlignment(const MergePage& page, Document& document) {
  if (page.report != nullptr) {
    Add({SectionTitle{"How alike the models are"}}, document);
    Add(SimilarityBlocks(*page.report, *page.structure->symmetry), document);
  }
  if (page.alignment != nullptr) {
    Add({SectionTitle{"What was moved"}, GroupTable(page)}, document);
  }
}

void AddDetails(const MergePage& page, Document& document) {
  Add({SectionTitle{"Details"}}, document);
  if (page.structure->discovery != nullptr) {
    Add({FixedTable(*page.structure->discovery)}, document);
  }
  if (!page.text.empty()) Add({Listing{page.text, "The log"}}, document);
}

}  // namespace

void WriteMergePage(const MergePage& page, const std::string& path,
                    const Context& context) {
  Document document{
      .title = "A merge: " + page.title,
      .question = "What was merged, what came of it, and what had to change?"};
  AddResults(page, document);
  AddAlignment(page, document);
  AddDetails(page, document);
  WritePage(std::move(document), path, context);
}

}  // namespace rebasin::cli
