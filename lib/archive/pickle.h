// Reads Python pickles as plain data. It only describes the objects that Python would build: no class is looked up and
// no function is called. Source: the opcodes of Python's pickletools (protocols 0 to 5, of which PyTorch writes 2 to
// 4).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fakeprop {

// An error in a pickle, and its byte.
struct PickleError {
  size_t byte;
  std::string message;
};

using PickleIndex = uint32_t;
inline constexpr PickleIndex kNoItem = UINT32_MAX;

struct PickleItem {
  enum class Kind : uint8_t {
    kNone,
    kBool,
    kInt,
    kFloat,
    kString,
    kBytes,
    kTuple,
    kList,
    kDict,
    kGlobal,      // a class or function; text: its name, "collections.OrderedDict"
    kObject,      // the result of calling a class or function; children: the items that are added to it
    kPersistent,  // an object that is kept elsewhere, such as a storage; children: its id
  };
  Kind kind = Kind::kNone;
  int64_t integer = 0;                // kInt, kBool
  double real = 0;                    // kFloat
  std::string text;                   // kString, kBytes, kGlobal
  std::vector<PickleIndex> children;  // items; keys and values in turn of a dict
  PickleIndex callee = kNoItem;       // kObject: the class or function,
  PickleIndex arguments = kNoItem;    // what it is called with (a tuple),
  PickleIndex state = kNoItem;        // and the state that is set on the result, if any
};

// Items by index. An item that several others hold is there once. A list may hold itself.
class Pickle {
 public:
  // Reads the pickle at the start of `bytes`. Throws PickleError if the pickle is malformed or names a global that
  // `allowed` refuses.
  static Pickle Read(std::string_view bytes, bool (*allowed)(std::string_view global));

  PickleIndex root() const { return root_; }
  const PickleItem& operator[](PickleIndex i) const { return items_[i]; }
  // Adds the items of another pickle, and returns the index of its root here. Its items follow those that are there.
  PickleIndex Append(Pickle other);
  size_t size() const { return items_.size(); }
  // The name of the function or class that made an object; empty for any other item.
  std::string_view CalleeOf(const PickleItem& item) const;

 private:
  friend class PickleMachine;
  std::vector<PickleItem> items_;
  PickleIndex root_ = 0;
};

}  // namespace fakeprop
