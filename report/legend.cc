#include "report/legend.h"

#include <algorithm>

#include "report/axes.h"

namespace rebasin {
namespace {

constexpr double kSample = 30;    // the length of a line's sample
constexpr double kNameGap = 8;    // from the sample to the name
constexpr double kEntryGap = 26;  // from a name to the next sample
constexpr double kRowHeight = 23;
constexpr double kBelow = 12;  // distance from the last row

constexpr TextStyle kNameStyle = {
    .size = 14, .color = kInk, .upwards = Align::kMiddle};
constexpr TextStyle kTitleStyle = {.size = 18, .color = kInk, .bold = true};
constexpr TextStyle kSubtitleStyle = {.size = 14, .color = kGray};

constexpr double kTitleHeight = 30;
constexpr double kSubtitleHeight = 22;
constexpr double kTextsBelow = 8;

double TextsHeight(const Heading& heading) {
  const double height = (heading.title.empty() ? 0 : kTitleHeight) +
                        (heading.subtitle.empty() ? 0 : kSubtitleHeight);
  return height == 0 ? 0 : height + kTextsBelow;
}

}  // namespace

Legend::Legend(Canvas& canvas, std::vector<LegendEntry> entries, double width)
    : entries_(std::move(entries)) {
  double left = 0;
  int row = 0;
  for (const LegendEntry& entry : entries_) {
    const TextStyle style =
        Fitted(canvas, entry.name, kNameStyle, width - kSample - kNameGap);
    const double length =
        kSample + kNameGap + canvas.TextWidth(entry.name, style);
    if (left > 0 && left + length > width) {
      left = 0;
      ++row;
    }
    places_.push_back({left, row, style});
    left += length + kEntryGap;
  }
}

double Legend::height() const {
  if (places_.empty()) return 0;
  return (places_.back().row + 1) * kRowHeight + kBelow;
}

void Legend::Draw(Canvas& canvas, Point top_left) const {
  for (size_t e = 0; e < entries_.size(); ++e) {
    const double x = top_left.x + places_[e].left;
    const double y = top_left.y + (places_[e].row + 0.5) * kRowHeight;
    canvas.Line({x, y}, {x + kSample, y}, entries_[e].stroke);
    canvas.Text({x + kSample + kNameGap, y}, entries_[e].name,
                places_[e].style);
  }
}

double HeadingHeight(Canvas& canvas, const Heading& heading, double width) {
  return TextsHeight(heading) + Legend(canvas, heading.entries, width).height();
}

void DrawHeading(Canvas& canvas, const Heading& heading, const Box& page) {
  double base = page.top + 17;
  if (!heading.title.empty()) {
    canvas.Text({page.left, base}, heading.title,
                Fitted(canvas, heading.title, kTitleStyle, page.width()));
    base += kTitleHeight - 6;
  }
  if (!heading.subtitle.empty()) {
    canvas.Text({page.left, base}, heading.subtitle,
                Fitted(canvas, heading.subtitle, kSubtitleStyle, page.width()));
  }
  const Legend legend(canvas, heading.entries, page.width());
  legend.Draw(canvas, {page.left, page.top + TextsHeight(heading)});
}

}  // namespace rebasin
