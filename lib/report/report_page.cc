#include "lib/report/report_page.h"

#include <zlib.h>

#include "lib/base/base64.h"
#include "lib/base/check.h"
#include "lib/report/page_text.h"

namespace fakeprop {
namespace {

// In zlib's format, which browsers call "deflate".
std::string Deflate(std::string_view text) {
  uLongf size = compressBound(text.size());
  std::string out(size, '\0');
  const int status = compress2(reinterpret_cast<Bytef*>(out.data()), &size, reinterpret_cast<const Bytef*>(text.data()),
      text.size(), Z_DEFAULT_COMPRESSION);
  FAKEPROP_CHECK(status == Z_OK);
  out.resize(size);
  return out;
}

std::string Inflate(std::string_view bytes, size_t size) {
  std::string out(size, '\0');
  uLongf written = size;
  const int status = uncompress(
      reinterpret_cast<Bytef*>(out.data()), &written, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
  if (status != Z_OK || written != size) throw InternalError("the page's data is damaged");
  return out;
}

// Text in HTML, outside of tags and in quotes.
std::string EscapeHtml(std::string_view text) {
  std::string out;
  for (char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default: out += c;
    }
  }
  return out;
}

constexpr std::string_view kDataStart = "<script type=\"application/octet-stream\" id=\"data\" data-bytes=\"";
constexpr std::string_view kDataEnd = "</script>";

}  // namespace

std::string ReportPage(std::string_view title, std::string_view data, PageConnects connects) {
  std::string page(kPageBeforeConnect);
  page += connects == PageConnects::kNowhere ? "'none'" : "'self'";
  page += kPageBeforeTitle;
  page += EscapeHtml(title);
  page += kPageBeforeData;
  page += std::string(kDataStart) + std::to_string(data.size()) + "\">";
  page += EncodeBase64(Deflate(data));
  page += kDataEnd;
  page += kPageAfterData;
  return page;
}

std::string DataInPage(std::string_view page) {
  const size_t start = page.find(kDataStart);
  const size_t text = start == std::string_view::npos ? start : page.find("\">", start);
  const size_t end = text == std::string_view::npos ? text : page.find(kDataEnd, text);
  if (end == std::string_view::npos) throw InternalError("the page has no data");
  const size_t size =
      std::stoull(std::string(page.substr(start + kDataStart.size(), text - start - kDataStart.size())));
  return Inflate(DecodeBase64(page.substr(text + 2, end - text - 2)), size);
}

}  // namespace fakeprop
