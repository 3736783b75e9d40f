// The objects of a TorchScript archive: its modules and their attributes, and the tensors among the code's constants.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/archive/pickle.h"
#include "lib/base/zip_archive.h"
#include "lib/graph/graph.h"

namespace fakeprop {

class ScriptData {
 public:
  // Reads the pickles of an archive whose members are in the folder `root`. Does not read data of tensors. Throws
  // ArchiveError if a pickle is missing, damaged or not that of a module, or names a class that no TorchScript archive
  // has.
  ScriptData(const ZipArchive& archive, std::string root);

  PickleIndex module() const { return objects_.root(); }
  // The constants of the code: CONSTANTS.c0 ...
  const std::vector<PickleIndex>& constants() const { return constants_; }

  // The value of an attribute. Nothing if the object has no attribute of this name, or if the class's own code sets its
  // state.
  std::optional<PickleIndex> FindAttribute(PickleIndex object, std::string_view name) const;
  // "__torch__.zoo.MLP". Empty if the item is not an object of a class.
  std::string_view ClassOf(PickleIndex object) const;
  // The state of a module that its class's own code sets (`__setstate__`).
  std::optional<PickleIndex> StateOf(PickleIndex object) const;
  // The classes of all modules that have such a state.
  std::vector<std::string> ClassesWithState() const;
  // The names and values of an object's attributes.
  std::vector<std::pair<std::string_view, PickleIndex>> AttributesOf(PickleIndex object) const;

  bool IsTensor(PickleIndex value) const;
  // The metadata of a tensor, and the elements if it is a small tensor of integers or bools. `storage` gets a name that
  // tensors on the same storage share.
  Attribute ReadTensor(PickleIndex value, std::string& storage) const;
  // The number in a tensor of rank 0. Nothing for any other value.
  std::optional<Value> ReadTensorNumber(PickleIndex value) const;

  // A number, string, device or None. Nothing for any other value.
  std::optional<Value> ReadPlain(PickleIndex value) const;
  // The item of a list, tuple or dict, without the calls around it that declare its type. It has the children.
  const PickleItem& ItemOf(PickleIndex value) const { return objects_[Unwrap(value)]; }
  // Describes any other value for messages: "a quantized tensor", "an object of class ...".
  std::string Describe(PickleIndex value) const;

 private:
  PickleIndex Unwrap(PickleIndex value) const;
  // Names and values in turn; null if there are none.
  const std::vector<PickleIndex>* FieldsOf(PickleIndex object) const;

  // The folder in which a tensor's data is.
  std::string FolderOf(PickleIndex value) const { return root_ + (value < first_constant_ ? "data/" : "constants/"); }

  const ZipArchive& archive_;
  std::string root_;
  Pickle objects_;  // of the modules, and then of the code's constants
  size_t first_constant_;
  std::vector<PickleIndex> constants_;
};

}  // namespace fakeprop
