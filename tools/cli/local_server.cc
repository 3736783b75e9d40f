#include "tools/cli/local_server.h"

#include <httplib.h>

#include <mutex>
#include <random>

namespace fakeprop::cli {
namespace {

constexpr size_t kMostBody = 16 << 20;  // bytes; a spec is far smaller

// Takes as long for a wrong text as for the right one of the same length.
bool IsSameSecret(const std::string& a, const std::string& b) {
  unsigned char differs = a.size() != b.size();
  for (size_t i = 0; i < a.size() && i < b.size(); ++i) differs |= static_cast<unsigned char>(a[i] ^ b[i]);
  return differs == 0;
}

// By this option a port is free again as soon as its server has ended. On Windows it is, and the option of that name
// lets two servers share a port.
#ifdef _WIN32
constexpr int kOneServer = SO_EXCLUSIVEADDRUSE;
#else
constexpr int kOneServer = SO_REUSEADDR;
#endif

// Without the library's own options, by which two servers could share a port.
void SetSocketOptions(socket_t socket) {
  const int on = 1;
  setsockopt(socket, SOL_SOCKET, kOneServer, reinterpret_cast<const char*>(&on), sizeof on);
}

void SetHeaders(httplib::Response& response) {
  response.set_header("Cache-Control", "no-store");
  response.set_header("Referrer-Policy", "no-referrer");
  response.set_header("X-Content-Type-Options", "nosniff");
  response.set_header("X-Frame-Options", "DENY");
  response.set_header("Cross-Origin-Resource-Policy", "same-origin");
  response.set_header("Cross-Origin-Opener-Policy", "same-origin");
}

}  // namespace

struct LocalServer::State {
  std::string token;
  Handler handler;
  std::mutex mutex;
  httplib::Server server;
  int port = 0;

  bool IsOwn(const std::string& host) const {
    const std::string end = ":" + std::to_string(port);
    return host == "127.0.0.1" + end || host == "localhost" + end;
  }

  bool IsAllowed(const httplib::Request& request) const {
    const std::string host = request.get_header_value("Host");
    if (request.get_header_value_count("Host") != 1 || !IsOwn(host)) return false;
    if (request.has_header("Origin") && request.get_header_value("Origin") != "http://" + host) return false;
    const std::string given = request.has_header("X-Fakeprop-Token") ? request.get_header_value("X-Fakeprop-Token")
                                                                     : request.get_param_value("token");
    return IsSameSecret(given, token);
  }

  void Answer(const httplib::Request& request, httplib::Response& response) {
    const std::lock_guard lock(mutex);
    LocalResponse answer = handler({request.method, request.path, request.get_param_value("graph"), request.body});
    response.status = answer.status;
    response.set_content(std::move(answer.body), answer.type.c_str());
  }
};

LocalServer::LocalServer(std::string token, Handler handler) : state_(std::make_unique<State>()) {
  State& state = *state_;
  state.token = std::move(token);
  state.handler = std::move(handler);
  state.server.set_payload_max_length(kMostBody);
  state.server.set_socket_options(SetSocketOptions);
  state.server.set_pre_routing_handler([&state](const httplib::Request& request, httplib::Response& response) {
    SetHeaders(response);
    if (state.IsAllowed(request)) return httplib::Server::HandlerResponse::Unhandled;
    response.status = 403;
    response.set_content("open the whole address that was printed, with its token\n", "text/plain; charset=utf-8");
    return httplib::Server::HandlerResponse::Handled;
  });
  const auto answer = [&state](const httplib::Request& request, httplib::Response& response) {
    state.Answer(request, response);
  };
  state.server.Get(".*", answer);
  state.server.Post(".*", answer);
}

LocalServer::~LocalServer() { Stop(); }

bool LocalServer::Listen(int port) {
  State& state = *state_;
  state.port = port;
  if (port != 0) return state.server.bind_to_port("127.0.0.1", port);
  state.port = state.server.bind_to_any_port("127.0.0.1");
  return state.port > 0;
}

int LocalServer::port() const { return state_->port; }

std::string LocalServer::Url() const {
  return "http://127.0.0.1:" + std::to_string(state_->port) + "/?token=" + state_->token;
}

void LocalServer::Serve() { state_->server.listen_after_bind(); }

void LocalServer::Stop() { state_->server.stop(); }

std::string NewToken() {
  std::random_device random;
  std::string token;
  for (int i = 0; i < 32; ++i) token += "0123456789abcdef"[random() & 15];
  return token;
}

}  // namespace fakeprop::cli
