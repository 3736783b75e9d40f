// Short programs of graphs, points, statistics and reinforcement.
#include <torch/torch.h>

#include <cmath>

#include "lib/fake/programs/same_on_fakes.h"
#include "lib/fake/programs/short_programs.h"

namespace fakeprop::programs {
namespace {

namespace nn = torch::nn;
namespace F = torch::nn::functional;
using torch::Device;
using torch::Tensor;
using torch::indexing::Ellipsis;
using torch::indexing::Slice;

void AttendToNeighbours(Device device, Trace& trace) {
  constexpr int64_t kNodes = 8, kEdges = 20;
  const Tensor edges = torch::randint(kNodes, {2, kEdges}, Longs(device)), from = edges[0], to = edges[1];
  nn::Linear project(6, 8), score(16, 1);
  MoveAll({project.ptr(), score.ptr()}, device);
  const Tensor h = project(torch::randn({kNodes, 6}, On(device)));
  const Tensor scores = F::leaky_relu(score(torch::cat({h.index_select(0, from), h.index({to})}, 1))).squeeze(-1);
  const Tensor most = torch::full({kNodes}, -1e9, On(device)).scatter_reduce(0, to, scores, "amax");
  const Tensor weights = (scores - most.index({to})).exp();
  const Tensor sums = torch::zeros({kNodes}, On(device)).index_add(0, to, weights);
  const Tensor messages = h.index_select(0, from) * (weights / (sums.gather(0, to) + 1e-16)).unsqueeze(1);
  const Tensor degree = torch::zeros({kNodes}, On(device)).scatter_add_(0, to, torch::ones({kEdges}, On(device)));
  Tensor out = torch::zeros({kNodes, 8}, On(device)).index_add_(0, to, messages);
  out = F::elu(out * degree.clamp_min(1).pow(-0.5).unsqueeze(1));
  const Tensor groups = torch::randint(2, {kNodes}, Longs(device));
  const Tensor pooled = torch::zeros({2, 8}, On(device)).index_reduce(0, groups, out, "mean");
  pooled.sum().backward();
  trace.Note("pooled", pooled);
  trace.NoteModule("project", *project);
  trace.NoteModule("score", *score);
}

TEST(Science, GraphAttention) { ExpectSameOnFakes(AttendToNeighbours); }

void ChooseExperts(Device device, Trace& trace) {
  constexpr int64_t kExperts = 4, kWidth = 16, kTokens = 10, kRoom = 4;
  nn::Linear gate(kWidth, kExperts);
  gate->to(device);
  const Tensor x = torch::randn({kTokens, kWidth}, On(device)).requires_grad_();
  const Tensor all = gate(x).softmax(-1);
  const auto [weights, chosen] = all.topk(2, -1);
  const Tensor flat = chosen.flatten();
  const Tensor order = torch::cumsum(F::one_hot(flat, kExperts), 0).gather(1, flat.unsqueeze(1)).squeeze(1) - 1;
  const Tensor place = torch::where(order < kRoom, flat * kRoom + order, torch::full_like(order, kExperts * kRoom));
  const Tensor rows =
      torch::zeros({kExperts * kRoom + 1, kWidth}, On(device)).index_copy(0, place, x.repeat_interleave(2, 0));
  const Tensor experts = torch::randn({kExperts, kWidth, kWidth}, On(device)).requires_grad_();
  const Tensor made = rows.narrow(0, 0, kExperts * kRoom).view({kExperts, kRoom, kWidth}).bmm(experts);
  const Tensor padded = torch::cat({made.flatten(0, 1), torch::zeros({1, kWidth}, On(device))});
  const Tensor back = padded.index_select(0, place).view({kTokens, 2, kWidth});
  const Tensor out = (back * (weights / weights.sum(-1, true)).unsqueeze(-1)).sum(1);
  const Tensor load = torch::zeros({kExperts}, On(device)).scatter_add(0, flat, torch::ones({2 * kTokens}, On(device)));
  (out.pow(2).mean() + kExperts * (load / load.sum() * all.mean(0)).sum()).backward();
  trace.Note("out", out);
  trace.Note("gradient", x.grad());
  trace.Note("experts", experts.grad());
  trace.NoteModule("gate", *gate);
}

TEST(Science, MixtureOfExperts) { ExpectSameOnFakes(ChooseExperts); }

// The farthest points, and what lies near them.
void GroupPoints(Device device, Trace& trace) {
  const Tensor points = torch::rand({2, 32, 3}, On(device)), batch = torch::arange(2, Longs(device));
  Tensor centres = torch::zeros({2, 8}, Longs(device));
  Tensor distances = torch::full({2, 32}, 1e10, On(device)), farthest = torch::randint(32, {2}, Longs(device));
  for (int i = 0; i < 8; ++i) {
    centres.index_put_({Slice(), i}, farthest);
    const Tensor centre = points.index({batch, farthest}).view({2, 1, 3});
    distances = torch::minimum(distances, (points - centre).pow(2).sum(-1));
    farthest = std::get<1>(distances.max(-1));
  }
  const Tensor chosen = points.index({batch.view({2, 1}), centres});
  const Tensor near = std::get<1>(torch::cdist(chosen, points).topk(4, -1, /*largest=*/false));
  const Tensor groups = points.index({batch.view({2, 1, 1}), near}) - chosen.unsqueeze(2);
  nn::Sequential net(nn::Conv2d(3, 16, 1), nn::BatchNorm2d(16), nn::ReLU());
  net->to(device);
  const Tensor features = std::get<0>(net->forward(groups.permute({0, 3, 2, 1})).max(2)).transpose(1, 2);
  const auto [closeness, index] = (1.0 / (torch::cdist(points, chosen) + 1e-8)).topk(3);
  const Tensor weights = closeness / closeness.sum(-1, true);
  const Tensor spread = (features.index({batch.view({2, 1, 1}), index}) * weights.unsqueeze(-1)).sum(2);
  spread.sum().backward();
  trace.Note("spread", spread);
  trace.NoteModule("net", *net);
}

TEST(Science, Points) { ExpectSameOnFakes(GroupPoints); }

void RenderRays(Device device, Trace& trace) {
  const Tensor origins = torch::randn({5, 3}, On(device)), rays = F::normalize(torch::randn({5, 3}, On(device)));
  const Tensor t = torch::linspace(2, 6, 16, On(device)), middle = 0.5 * (t.slice(0, 1) + t.slice(0, 0, -1));
  const Tensor upper = torch::cat({middle, t.slice(0, -1)}), lower = torch::cat({t.slice(0, 0, 1), middle});
  const Tensor depths = lower + (upper - lower) * torch::rand({5, 16}, On(device));
  const Tensor points = origins.unsqueeze(1) + rays.unsqueeze(1) * depths.unsqueeze(2);
  nn::Linear net(9, 4);
  net->to(device);
  const Tensor raw = net(torch::cat({points, points.sin(), points.cos()}, -1));
  const Tensor last = torch::full({5, 1}, 1e10, On(device));
  const Tensor steps = torch::cat({depths.diff(1, 1), last}, 1) * rays.norm(2, -1, true);
  const Tensor alpha = 1 - torch::exp(-F::softplus(raw.index({Ellipsis, 3})) * steps);
  const Tensor passed = torch::cumprod(torch::cat({torch::ones({5, 1}, On(device)), 1 - alpha + 1e-10}, 1), 1);
  const Tensor weights = alpha * passed.index({Slice(), Slice(torch::indexing::None, -1)});
  const Tensor colours = (weights.unsqueeze(-1) * raw.slice(2, 0, 3).sigmoid()).sum(1);
  F::mse_loss(colours, torch::rand({5, 3}, On(device))).backward();
  trace.NoteModule("net", *net);
  // Samples again where the weights are large.
  Tensor density = (weights.slice(1, 1, -1) + 1e-5).detach();
  density = density / density.sum(1, true);
  const Tensor sums = torch::cat({torch::zeros({5, 1}, On(device)), density.cumsum(1)}, 1);
  const Tensor drawn = torch::rand({5, 8}, On(device)), above = torch::searchsorted(sums, drawn, false, true);
  const Tensor ends = torch::stack({(above - 1).clamp_min(0), above.clamp_max(sums.size(1) - 1)}, -1);
  const Tensor between = sums.unsqueeze(1).expand({5, 8, sums.size(1)}).gather(2, ends);
  const Tensor width = between.select(-1, 1) - between.select(-1, 0);
  const Tensor part = (drawn - between.select(-1, 0)) / torch::where(width < 1e-5, torch::ones_like(width), width);
  trace.Note("depths", std::get<0>(torch::sort(torch::cat({depths, part}, 1))));
}

TEST(Science, RadianceFields) { ExpectSameOnFakes(RenderRays); }

void SolveEquations(Device device, Trace& trace) {
  const auto doubles = On(device).dtype(torch::kDouble);
  const Tensor x = torch::randn({6, 2}, doubles), y = torch::randn({6, 1}, doubles);
  const Tensor scale = torch::zeros({}, doubles).requires_grad_();
  const Tensor points = x / scale.exp(), distances = torch::cdist(points, points);
  const Tensor kernel = torch::exp(-0.5 * distances.pow(2)) + 1e-2 * torch::eye(6, doubles);
  const Tensor lower = torch::linalg_cholesky(kernel);
  const Tensor likelihood = 0.5 * y.t().mm(torch::cholesky_solve(y, lower)).squeeze() + lower.diagonal().log().sum();
  likelihood.backward();
  trace.Note("scale", scale.grad());
  const auto [q, r] = torch::linalg_qr(x);
  const auto [u, s, vh] = torch::linalg_svd(x, false);
  trace.Note("product", q.mm(r) + u.mm(s.diag()).mm(vh));
  trace.Note("solved", torch::linalg_solve_triangular(lower, y, false));
  trace.Note("determinant", std::get<1>(torch::slogdet(kernel)));
  trace.Note("values", std::get<0>(torch::linalg_eigh(kernel)));
  Tensor state = torch::zeros({4, 1}, doubles), spread = torch::eye(4, doubles);
  const Tensor step = torch::eye(4, doubles);
  Tensor seen = torch::zeros({2, 4}, doubles);
  seen[0][0] = 1;
  seen.index_put_({1, 1}, 1.0);
  step.diagonal(2).fill_(0.1);
  for (int i = 0; i < 2; ++i) {
    spread = step.mm(spread).mm(step.t()) + 0.01 * torch::eye(4, doubles);
    const Tensor noise = torch::addmm(torch::eye(2, doubles), seen.mm(spread), seen.t());
    const Tensor gain = torch::linalg_solve(noise, seen.mm(spread)).t();
    state = step.mm(state) + gain.mm(torch::randn({2, 1}, doubles) - seen.mm(step.mm(state)));
    spread = (torch::eye(4, doubles) - gain.mm(seen)).mm(spread);
  }
  trace.Note("state", state);
  trace.Note("spread", torch::linalg_pinv(spread) + torch::matrix_exp(step) + torch::linalg_matrix_power(step, 3));
}

TEST(Science, LinearAlgebra) { ExpectSameOnFakes(SolveEquations); }

void TransportMasses(Device device, Trace& trace) {
  const Tensor a = torch::randn({6, 2}, On(device)).requires_grad_(), b = torch::randn({5, 2}, On(device));
  const Tensor cost = torch::cdist(a, b).pow(2);
  Tensor f = torch::zeros({6}, On(device)), g = torch::zeros({5}, On(device));
  for (int i = 0; i < 3; ++i) {
    f = -0.1 * torch::logsumexp((g.unsqueeze(0) - cost) / 0.1 - std::log(5.0), 1);
    g = -0.1 * torch::logsumexp((f.unsqueeze(1) - cost) / 0.1 - std::log(6.0), 0);
  }
  const Tensor plan = ((f.unsqueeze(1) + g - cost) / 0.1).exp();
  (plan * cost).sum().backward();
  trace.Note("gradient", a.grad());
  trace.Note("moved", plan.mm(b) / plan.sum(1, true));
}

TEST(Science, OptimalTransport) { ExpectSameOnFakes(TransportMasses); }

void LearnWords(Device device, Trace& trace) {
  nn::Embedding in(nn::EmbeddingOptions(50, 8).sparse(true)), out(nn::EmbeddingOptions(50, 8).sparse(true));
  torch::optim::SGD optimizer(MoveAll({in.ptr(), out.ptr()}, device), 0.1);
  const Tensor frequencies = torch::rand({50}, On(device)).pow(0.75);
  for (int i = 0; i < 2; ++i) {
    const Tensor centre = torch::randint(50, {6}, Longs(device)), near = torch::randint(50, {6}, Longs(device));
    const Tensor others = frequencies.multinomial(30, true).view({6, 5}), v = in(centre);
    const Tensor right = torch::log_sigmoid((v * out(near)).sum(1));
    const Tensor wrong = torch::log_sigmoid(-out(others).bmm(v.unsqueeze(2)).squeeze(2)).sum(1);
    const Tensor loss = -(right + wrong).mean();
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
    trace.Note("loss", loss);
  }
  const Tensor words = F::normalize(in->weight.detach());
  trace.Note("nearest", std::get<1>(words.mm(words.t()).topk(5)));
  trace.Note("analogy", (words[1] - words[2] + words[3]).matmul(words.t()).argmax());
}

TEST(Science, WordsWithSparseGradients) { ExpectSameOnFakes(LearnWords); }

// ---- reinforcement

void LearnToAct(Device device, Trace& trace) {
  nn::Linear policy(4, 3), value(4, 1);
  const auto parameters = MoveAll({policy.ptr(), value.ptr()}, device);
  torch::optim::Adam optimizer(parameters, 3e-4);
  const Tensor states = torch::randn({8, 4}, On(device)), rewards = torch::randn({8}, On(device));
  const Tensor logits = F::log_softmax(policy(states), 1), actions = logits.exp().multinomial(1, true);
  const Tensor before = logits.gather(1, actions).squeeze(1).detach(), values = value(states).squeeze(1).detach();
  std::vector<Tensor> found(8);
  Tensor latest = torch::zeros({}, On(device));
  for (int i = 7; i >= 0; --i) {
    const Tensor next = i < 7 ? values[i + 1] : torch::zeros({}, On(device));
    latest = rewards[i] + 0.99 * next - values[i] + 0.99 * 0.95 * latest;
    found[i] = latest;
  }
  Tensor advantages = torch::stack(found);
  advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8);
  for (const Tensor& part : torch::randperm(8, Longs(device)).split(4)) {
    const Tensor now = F::log_softmax(policy(states.index({part})), 1);
    const Tensor ratio = (now.gather(1, actions.index({part})).squeeze(1) - before.index({part})).exp();
    const Tensor gain = advantages.index({part});
    const Tensor of_policy = -torch::min(ratio * gain, ratio.clamp(0.8, 1.2) * gain).mean();
    const Tensor goal = (advantages + values).index({part});
    const Tensor of_value = F::mse_loss(value(states.index({part})).squeeze(1), goal);
    optimizer.zero_grad();
    (of_policy + 0.5 * of_value + 0.01 * (now.exp() * now).sum(1).mean()).backward();
    nn::utils::clip_grad_norm_(parameters, 0.5);
    optimizer.step();
    trace.Note("ratio", ratio);
  }
  trace.NoteModule("policy", *policy);
}

TEST(Science, PolicyGradients) { ExpectSameOnFakes(LearnToAct); }

struct Transition {
  Tensor state, action, reward, next, done;
};

void ReplayMemory(Device device, Trace& trace) {
  nn::Sequential net(nn::Linear(4, 16), nn::ReLU(), nn::Linear(16, 2));
  net->to(device);
  torch::optim::RMSprop optimizer(net->parameters(), torch::optim::RMSpropOptions(1e-3));
  std::vector<Transition> memory;
  Tensor state = torch::zeros({4});
  for (int i = 0; i < 6; ++i) {
    const Tensor action = net->forward(state.to(device).unsqueeze(0)).argmax(1).cpu(), next = torch::randn({4});
    memory.push_back({state, action, torch::tensor(static_cast<float>(i)), next, torch::tensor(i % 5 == 4)});
    state = next;
  }
  const auto collect = [&](Tensor Transition::*part) {
    std::vector<Tensor> all;
    for (const Transition& t : memory) all.push_back(t.*part);
    return torch::stack(all).to(device);
  };
  Tensor goal;
  {
    const torch::NoGradGuard no_grad;
    const Tensor best = std::get<0>(net->forward(collect(&Transition::next)).max(1));
    goal = collect(&Transition::reward) + 0.99 * best * (1 - collect(&Transition::done).to(torch::kFloat));
  }
  const Tensor taken = net->forward(collect(&Transition::state)).gather(1, collect(&Transition::action)).squeeze(1);
  F::huber_loss(taken, goal).backward();
  nn::utils::clip_grad_value_(net->parameters(), 1.0);
  optimizer.step();
  trace.Note("goal", goal);
  trace.NoteModule("net", *net);
}

TEST(Science, ReplayedTransitions) { ExpectSameOnFakes(ReplayMemory); }

}  // namespace
}  // namespace fakeprop::programs
