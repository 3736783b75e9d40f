// A library whose constructor throws what is no std::exception.
namespace {

struct Throwing {
  Throwing() { throw 7; }
} throwing;

}  // namespace
