// The C interface, opened as a shared library, as Python opens it.
#include "fakeprop/c_api.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr const char* kLibrary = "fakeprop/libfakeprop.so";
constexpr const char* kModel = "graphs/resnet_small/graph.json";

template <typename Function>
Function* Symbol(const char* name) {
  static void* library = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  if (!library) throw std::runtime_error(dlerror());
  return reinterpret_cast<Function*>(dlsym(library, name));
}

#define IN_LIBRARY(function) (*Symbol<decltype(function)>(#function))

// A text of the library; empty for none.
std::string Take(char* text) {
  const std::string taken = text ? text : "";
  IN_LIBRARY(fakeprop_free_text)(text);
  return taken;
}

struct Answer {
  std::string text;
  std::string said;
};

class CGraph {
 public:
  explicit CGraph(const std::string& bytes) {
    char* said = nullptr;
    graph_ = IN_LIBRARY(fakeprop_read_graph)(bytes.data(), bytes.size(), "given.json", &said);
    said_ = Take(said);
  }
  ~CGraph() { IN_LIBRARY(fakeprop_free_graph)(graph_); }
  CGraph(const CGraph&) = delete;

  bool is_read() const { return graph_ != nullptr; }
  const std::string& said() const { return said_; }
  const fakeprop_graph* handle() const { return graph_; }
  std::string InputSpec() const { return Take(IN_LIBRARY(fakeprop_input_spec)(graph_)); }

  Answer Propagate(const fakeprop_options* options = nullptr) const {
    char* said = nullptr;
    std::string text = Take(IN_LIBRARY(fakeprop_propagate)(graph_, options, &said));
    return {std::move(text), Take(said)};
  }

 private:
  fakeprop_graph* graph_ = nullptr;
  std::string said_;
};

std::string ModelText() {
  std::ifstream file(kModel, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

constexpr const char* kProduct = R"({"format": "fakeprop.fx/1", "nodes": [
  {"name": "x", "op": "placeholder", "target": "x"},
  {"name": "y", "op": "call_function", "target": "torch.ops.aten.mm.default", "args": [{"node": "x"}, {"node": "x"}]},
  {"name": "t", "op": "call_function", "target": "torch.ops.aten.t.default", "args": [{"node": "x"}]},
  {"name": "output", "op": "output", "target": "output", "args": [{"node": "y"}]}]})";

bool Has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(CApi, Versions) {
  EXPECT_EQ(IN_LIBRARY(fakeprop_c_api_version)(), FAKEPROP_C_API_VERSION);
  EXPECT_TRUE(Has(IN_LIBRARY(fakeprop_version)(), "."));
}

TEST(CApi, PropagatesWhatAFileRecorded) {
  const CGraph graph(ModelText());
  ASSERT_TRUE(graph.is_read()) << graph.said();
  const Answer answer = graph.Propagate();
  EXPECT_EQ(answer.said, "");
  EXPECT_TRUE(Has(answer.text, "fakeprop.annotations/1"));
  EXPECT_TRUE(Has(graph.InputSpec(), "fakeprop.inputs/1"));
}

TEST(CApi, ASpecWithSymbols) {
  const CGraph graph(kProduct);
  fakeprop_options options = {};
  options.inputs = R"({"format": "fakeprop.inputs/1", "symbols": {"n": {"min": 2, "hint": 4}},
                       "inputs": {"x": {"shape": ["n", "n"], "dtype": "float32"}}})";
  EXPECT_TRUE(Has(graph.Propagate(&options).text, R"("shape": ["n", "n"])"));
  options.concrete = 1;
  EXPECT_TRUE(Has(graph.Propagate(&options).text, R"("shape": [4, 4])"));
}

// The annotations of kProduct for an input of this shape; `more` is added to the input, and `rest` to the spec.
class CAnnotations {
 public:
  explicit CAnnotations(const std::string& shape, const std::string& rest = "", const std::string& more = "")
      : graph_(kProduct) {
    const std::string spec = R"({"format": "fakeprop.inputs/1", "inputs": {"x": {"shape": )" + shape +
                             R"(, "dtype": "float32")" + more + "}}" + rest + "}";
    fakeprop_options options = {};
    options.inputs = spec.c_str();
    annotations_ = IN_LIBRARY(fakeprop_annotate)(graph_.handle(), &options, nullptr);
  }
  ~CAnnotations() { IN_LIBRARY(fakeprop_free_annotations)(annotations_); }
  CAnnotations(const CAnnotations&) = delete;

  std::string Json() const { return Take(IN_LIBRARY(fakeprop_annotations_json)(annotations_)); }
  const fakeprop_values* Values() const { return IN_LIBRARY(fakeprop_annotations_values)(annotations_); }

 private:
  CGraph graph_;
  fakeprop_annotations* annotations_ = nullptr;
};

TEST(CApi, ValuesAsNumbers) {
  const CAnnotations annotations("[2, 2]");
  EXPECT_TRUE(Has(annotations.Json(), R"("shape": [2, 2])"));
  const fakeprop_values* values = annotations.Values();
  ASSERT_NE(values, nullptr);
  EXPECT_STREQ(values->names, "float32\ncpu\n");
  EXPECT_EQ(values->symbols, nullptr);
  const std::vector<int64_t> storages = {2, 16, 16}, positions = {4, 8, 19, 30, 41};
  const std::vector<int64_t> x = {5, 0, 0, 1, 0, 0, 2, 2, 2, 2, 1}, y = {5, 1, 0, 1, 0, 0, 2, 2, 2, 2, 1};
  const std::vector<int64_t> t = {5, 0, 0, 1, 0, 0, 2, 2, 2, 1, 2};  // on the storage of x
  std::vector<int64_t> expected;
  for (const auto& part : {storages, positions, x, y, t, y}) expected.insert(expected.end(), part.begin(), part.end());
  EXPECT_EQ(std::vector<int64_t>(values->numbers, values->numbers + values->count), expected);
}

TEST(CApi, FlagsOfTensors) {
  const CAnnotations annotations("[2, 2]", "", R"(, "requires_grad": true)");
  ASSERT_NE(annotations.Values(), nullptr);
  for (const int64_t position : {8, 19, 30})
    EXPECT_EQ(annotations.Values()->numbers[position + 4], FAKEPROP_TENSOR_REQUIRES_GRAD) << position;
}

TEST(CApi, ExpressionsAmongNumbers) {
  const CAnnotations annotations(R"(["n", "n"])", R"(, "symbols": {"n": {"min": 2, "hint": 4}})");
  const fakeprop_values* values = annotations.Values();
  ASSERT_NE(values, nullptr);
  EXPECT_STREQ(values->expressions, "4*n**2\nn\n");
  EXPECT_TRUE(Has(values->symbols, R"("n": {"min": 2, "hint": 4)")) << values->symbols;
  const std::vector<int64_t> storages = {2, -1, -1}, x = {5, 0, 0, 1, 0, 0, 2, -2, -2, -2, 1};
  EXPECT_EQ(std::vector<int64_t>(values->numbers, values->numbers + 3), storages);
  EXPECT_EQ(std::vector<int64_t>(values->numbers + 8, values->numbers + 19), x);
}

TEST(CApi, NoNumbersForErrors) { EXPECT_EQ(CAnnotations("[2, 3]").Values(), nullptr); }

TEST(CApi, AnErrorOfANodeIsInTheAnnotationsAndSaid) {
  const CGraph graph(kProduct);
  fakeprop_options options = {};
  options.inputs = R"({"format": "fakeprop.inputs/1", "inputs": {"x": {"shape": [2, 3], "dtype": "float32"}}})";
  const Answer stopped = graph.Propagate(&options);
  EXPECT_TRUE(Has(stopped.text, "FP3001")) << stopped.text;
  EXPECT_TRUE(Has(stopped.said, "error[FP3001]")) << stopped.said;
  EXPECT_FALSE(Has(stopped.text, R"("shape": [3, 2])"));
  options.keep_going = 1;
  EXPECT_TRUE(Has(graph.Propagate(&options).text, R"("shape": [3, 2])"));
}

TEST(CApi, WhatCannotBeReadIsSaid) {
  const CGraph graph("no graph");
  EXPECT_FALSE(graph.is_read());
  EXPECT_TRUE(Has(graph.said(), "error[FP1")) << graph.said();
  const CGraph product(kProduct);
  fakeprop_options options = {};
  options.inputs = "{}";
  const Answer bad_spec = product.Propagate(&options);
  EXPECT_EQ(bad_spec.text, "");
  EXPECT_TRUE(Has(bad_spec.said, "error[FP2")) << bad_spec.said;
  options = {};
  options.op_rules = "[]";
  EXPECT_TRUE(Has(product.Propagate(&options).said, "the rules for given.json"));
}

TEST(CApi, ThreadsShareAGraph) {
  const CGraph graph(ModelText());
  const std::string expected = graph.Propagate().text;
  std::vector<std::string> found(4);
  std::vector<std::thread> threads;
  for (std::string& text : found) threads.emplace_back([&] { text = graph.Propagate().text; });
  for (std::thread& thread : threads) thread.join();
  for (const std::string& text : found) EXPECT_EQ(text, expected);
}

}  // namespace
