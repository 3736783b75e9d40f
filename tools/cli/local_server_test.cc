#include "tools/cli/local_server.h"

#include <gtest/gtest.h>
#include <httplib.h>

#include <thread>

namespace fakeprop::cli {
namespace {

class LocalServerTest : public testing::Test {
 protected:
  LocalServerTest()
      : server_("secret", [this](const LocalRequest& request) {
          ++handled_;
          return LocalResponse{200, "text/plain", request.method + " " + request.path + " " + request.body};
        }) {
    is_bound_ = server_.Listen(0);
    thread_ = std::thread([this] { server_.Serve(); });
    client_ = std::make_unique<httplib::Client>("127.0.0.1", server_.port());
    // The server is ready when it refuses.
    while (!client_->Get("/")) std::this_thread::yield();
  }
  ~LocalServerTest() override {
    server_.Stop();
    thread_.join();
  }

  std::string Own() const { return "127.0.0.1:" + std::to_string(server_.port()); }
  int StatusOf(const std::string& path, const httplib::Headers& headers) {
    const auto result = client_->Get(path, headers);
    return result ? result->status : 0;
  }

  int handled_ = 0;
  bool is_bound_ = false;
  LocalServer server_;
  std::thread thread_;
  std::unique_ptr<httplib::Client> client_;
};

TEST_F(LocalServerTest, AnswersWithTheToken) {
  EXPECT_TRUE(is_bound_);
  EXPECT_EQ(client_->Get("/data?token=secret")->body, "GET /data ");
  EXPECT_EQ(client_->Post("/spec", {{"X-Fakeprop-Token", "secret"}}, "{}", "application/json")->body, "POST /spec {}");
  EXPECT_EQ(StatusOf("/", {{"X-Fakeprop-Token", "secret"}, {"Origin", "http://" + Own()}}), 200);
  EXPECT_EQ(
      StatusOf("/", {{"X-Fakeprop-Token", "secret"}, {"Host", "localhost:" + std::to_string(server_.port())}}), 200);
}

TEST_F(LocalServerTest, RefusesOthers) {
  const std::string token = "X-Fakeprop-Token";
  EXPECT_EQ(StatusOf("/", {}), 403);
  EXPECT_EQ(StatusOf("/?token=secre", {}), 403);
  EXPECT_EQ(StatusOf("/?token=secret1", {}), 403);
  EXPECT_EQ(StatusOf("/?token=", {}), 403);
  // A wrong header counts, whatever the URL has.
  EXPECT_EQ(StatusOf("/?token=secret", {{token, "other"}}), 403);
  // A name that an attacker lets point to this machine.
  EXPECT_EQ(StatusOf("/", {{token, "secret"}, {"Host", "evil.example"}}), 403);
  EXPECT_EQ(StatusOf("/", {{token, "secret"}, {"Host", "evil.example:" + std::to_string(server_.port())}}), 403);
  EXPECT_EQ(StatusOf("/", {{token, "secret"}, {"Host", "127.0.0.1:1"}}), 403);
  for (const std::string origin : {"http://evil.example", "null", "https://127.0.0.1", "http://127.0.0.1:1"})
    EXPECT_EQ(StatusOf("/", {{token, "secret"}, {"Origin", origin}}), 403) << origin;
  EXPECT_EQ(
      client_->Post("/spec", {{token, "secret"}, {"Origin", "http://evil.example"}}, "{}", "text/plain")->status, 403);
  EXPECT_EQ(client_->Options("/")->status, 403);
  EXPECT_EQ(handled_, 0);
}

TEST_F(LocalServerTest, SaysNothingToOtherOrigins) {
  const auto result = client_->Get("/", {{"X-Fakeprop-Token", "secret"}});
  EXPECT_FALSE(result->has_header("Access-Control-Allow-Origin"));
  EXPECT_EQ(result->get_header_value("Cross-Origin-Resource-Policy"), "same-origin");
  EXPECT_EQ(result->get_header_value("Referrer-Policy"), "no-referrer");
}

TEST(NewToken, IsLongAndNew) {
  EXPECT_EQ(NewToken().size(), 32u);
  EXPECT_NE(NewToken(), NewToken());
}

}  // namespace
}  // namespace fakeprop::cli
