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
  // Reads the pickles of an archive whose members stand in the folder `root`, and no data of tensors. Throws
  // ArchiveError where one is missing, damaged or no module's, or names a class that no TorchScript archive has.
  ScriptData(const ZipArchive& archive, std::string root);

  PickleIndex module() const { return objects_.root(); }
  size_t constants() const { return constants_.size(); }

  // An attribute's value; nothing where the object has none of the name, or its state is one that its own code sets.
  std::optional<PickleIndex> FindAttribute(PickleIndex object, std::string_view name) const;
  // "__torch__.zoo.MLP"; empty for what is no object of a class.
  std::string_view ClassOf(PickleIndex object) const;
  // The names and values of an object's attributes.
  std::vector<std::pair<std::string_view, PickleIndex>> AttributesOf(PickleIndex object) const;

  bool IsTensor(PickleIndex value) const;
  // Of a tensor: what is known without its data, and the elements of a small one of integers or bools. `storage` gets a
  // name that tensors on one storage share.
  Attribute ReadTensor(PickleIndex value, std::string& storage) const;
  // The same of constant `number` of the code; nothing where that is no plain tensor.
  std::optional<Attribute> ReadConstant(size_t number, std::string& storage) const;

  // The number in constant `number` of the code, where it is a tensor of rank 0.
  std::optional<Value> ReadConstantNumber(size_t number) const;

  // A number, string, device or None; nothing for anything else.
  std::optional<Value> ReadPlain(PickleIndex value) const;
  // Lists, tuples and dicts, without the calls that say what type they are of; their item has the children.
  const PickleItem& ItemOf(PickleIndex value) const { return objects_[Unwrap(value)]; }
  // What a value is that is none of these, for messages: "a quantized tensor", "an object of class ...".
  std::string Describe(PickleIndex value) const;

 private:
  PickleIndex Unwrap(PickleIndex value) const;
  // Names and values in turn; null where there are none.
  const std::vector<PickleIndex>* FieldsOf(PickleIndex object) const;

  const ZipArchive& archive_;
  std::string root_;
  Pickle objects_;
  Pickle constant_objects_;
  std::vector<PickleIndex> constants_;
};

}  // namespace fakeprop
