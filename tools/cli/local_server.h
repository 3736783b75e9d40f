// A server for pages on this machine: it listens on 127.0.0.1 alone and answers only requests that know its token.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace fakeprop::cli {

struct LocalRequest {
  std::string method;  // "GET" or "POST"
  std::string path;    // "/data"
  std::string graph;   // the parameter `graph`; empty if it is not given
  std::string body;
};

struct LocalResponse {
  int status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string body;
};

// Another page in the same browser can send requests to this machine. So each request must have this server's host and
// port as its Host, no Origin or this server's, and the token: in the URL or in the header X-Fakeprop-Token. Any other
// request gets 403 and no content, and the handler does not see it.
class LocalServer {
 public:
  using Handler = std::function<LocalResponse(const LocalRequest&)>;

  // `handler` answers one request at a time.
  LocalServer(std::string token, Handler handler);
  ~LocalServer();

  // Port 0: any free one. Returns false if the port cannot be used.
  bool Listen(int port);
  int port() const;
  // "http://127.0.0.1:8080/?token=..."
  std::string Url() const;
  // Answers requests until Stop is called.
  void Serve();
  // May be called from another thread.
  void Stop();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// 128 random bits as hexadecimal digits.
std::string NewToken();

}  // namespace fakeprop::cli
