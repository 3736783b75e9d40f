// The page of a report: one HTML file that needs no network.
#pragma once

#include <string>
#include <string_view>

namespace fakeprop {

// What the page may connect to.
enum class PageConnects { kNowhere, kToItsServer };

// The whole file. `title` is any text. `data` is what ReportData writes; it is compressed into the page.
std::string ReportPage(std::string_view title, std::string_view data, PageConnects connects = PageConnects::kNowhere);

// The data in a page that ReportPage made. Throws an InternalError for any other text.
std::string DataInPage(std::string_view page);

}  // namespace fakeprop
