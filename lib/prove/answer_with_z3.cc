#include "lib/prove/answer_with_z3.h"

#include "lib/prove/solver.h"

namespace fakeprop {
namespace {

class Prover {
 public:
  Prover(ShapeEnv& env, std::unique_ptr<Solver> solver) : env_(env), solver_(std::move(solver)) {}

  std::optional<bool> Answer(Sym condition) {
    CatchUp();
    if (auto it = answers_.find(condition); it != answers_.end() && (it->second.answer || it->second.facts == facts_))
      return it->second.answer;
    std::optional<bool> answer;
    // Negated as a term, since the negated expression may leave 64 bits.
    const std::string term = solver_->Term(condition);
    if (!Possible("(not " + term + ")")) answer = true;
    else if (!Possible(term)) answer = false;
    answers_[condition] = {answer, facts_};
    return answer;
  }

 private:
  struct Known {
    std::optional<bool> answer;
    size_t facts = 0;  // how many there were
  };

  // Tells the solver all facts that are new since the last question.
  void CatchUp() {
    for (; symbols_ < env_.symbols().size(); ++symbols_) solver_->Declare(env_.symbols()[symbols_]);
    for (; facts_ < env_.facts().size(); ++facts_) solver_->Assume(env_.facts()[facts_]);
  }

  bool Possible(const std::string& term) const {
    return solver_->Ask(term, {}, nullptr) != Solver::Answer::kImpossible;
  }

  ShapeEnv& env_;
  std::unique_ptr<Solver> solver_;
  size_t symbols_ = 0, facts_ = 0;
  std::unordered_map<Sym, Known> answers_;
};

}  // namespace

bool AnswerWithZ3(ShapeEnv& env, std::string& reason) {
  std::unique_ptr<Solver> solver = Solver::Open(reason);
  if (!solver) return false;
  auto prover = std::make_shared<Prover>(env, std::move(solver));
  env.SetProver([prover](Sym condition) { return prover->Answer(condition); });
  return true;
}

}  // namespace fakeprop
