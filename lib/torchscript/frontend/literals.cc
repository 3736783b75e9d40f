// Source: SourceImporterImpl::parseSourceIfNeeded and importClass in torch/csrc/jit/serialization/import_source.cpp,
// and evaluateDefaults in torch/csrc/jit/frontend/ir_emitter.cpp, which runs what it evaluates (torch 2.13).
#include "lib/torchscript/frontend/literals.h"

#include <torch/csrc/jit/frontend/parser.h>
#include <torch/csrc/jit/frontend/tree_views.h>

#include "lib/error/error.h"

namespace fakeprop::libtorch {
namespace {

namespace jit = torch::jit;

bool IsLiteral(const jit::TreeRef& tree);

bool AreLiterals(const jit::TreeRef& tree) {
  for (const jit::TreeRef& inner : tree->trees())
    if (!IsLiteral(inner)) return false;
  return true;
}

// `annotate(List[int], [])`: what follows the type.
bool IsAnnotation(const jit::Apply& apply) {
  if (apply.callee().kind() != jit::TK_VAR || jit::Var(apply.callee()).name().name() != "annotate") return false;
  return apply.inputs().size() == 2 && IsLiteral(apply.inputs()[1].tree()) && apply.attributes().empty();
}

// `torch.device("cpu")`.
bool IsDevice(const jit::Apply& apply) {
  if (apply.callee().kind() != '.' || apply.callee().range().text() != "torch.device") return false;
  return apply.inputs().size() == 1 && apply.inputs()[0].kind() == jit::TK_STRINGLITERAL && apply.attributes().empty();
}

bool IsLiteral(const jit::TreeRef& tree) {
  switch (tree->kind()) {
    case jit::TK_CONST:
    case jit::TK_STRINGLITERAL:
    case jit::TK_TRUE:
    case jit::TK_FALSE:
    case jit::TK_NONE:
    case jit::TK_VAR: return true;  // inf, nan
    case '-':
    case jit::TK_UNARY_MINUS:
    case jit::TK_LIST:
    case jit::TK_OPTION:
    case jit::TK_LIST_LITERAL:
    case jit::TK_TUPLE_LITERAL:
    case jit::TK_DICT_LITERAL: return AreLiterals(tree);
    case '.': return true;  // CONSTANTS.c0
    case jit::TK_APPLY: return IsAnnotation(jit::Apply(tree)) || IsDevice(jit::Apply(tree));
    default: return false;
  }
}

void Check(const jit::TreeRef& tree, const char* what) {
  if (IsLiteral(tree)) return;
  Fail(ErrorClass::kValueError,
      std::string(what) + " is computed: " + tree->range().text().str() + "; nothing of a file's code is run");
}

void CheckDef(const jit::Def& def) {
  for (const jit::Param& param : def.decl().params())
    if (param.defaultValue().present()) Check(param.defaultValue().get().tree(), "the default of a parameter");
}

void CheckClass(const jit::ClassDef& cls) {
  for (const jit::Stmt& statement : cls.body()) {
    if (statement.kind() == jit::TK_DEF) CheckDef(jit::Def(statement));
    if (statement.kind() != jit::TK_ASSIGN) continue;
    const jit::Assign assign(statement);
    if (assign.rhs().present()) Check(assign.rhs().get().tree(), "a constant of a class");
  }
}

}  // namespace

void CheckLiterals(const std::shared_ptr<jit::Source>& source) {
  jit::Parser parser(source);
  jit::Lexer& lexer = parser.lexer();
  // Lines of imports and versions hold nothing that is evaluated.
  while (lexer.cur().kind != jit::TK_EOF) {
    if (lexer.cur().kind == jit::TK_CLASS_DEF) CheckClass(jit::ClassDef(parser.parseClass()));
    else if (lexer.cur().kind == jit::TK_DEF) CheckDef(jit::Def(parser.parseFunction(/*is_method=*/false)));
    else lexer.next();
  }
}

}  // namespace fakeprop::libtorch
