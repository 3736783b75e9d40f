// Real tensors and modules as fakes.
#include <torch/torch.h>

#include <iostream>

#include "fakeprop/fake_tensor_mode.h"

int main() {
  using namespace fakeprop;
  const FakeTensorMode mode;
  const torch::Tensor real = torch::rand({4, 6}).requires_grad_(), view = real.t();
  const torch::Tensor fake = mode.FromRealTensor(real), fake_view = mode.FromRealTensor(view);
  std::cout << fake_view.sizes() << " " << fake_view.strides() << ", a view of the fake "
            << fake_view._base().is_same(fake) << ", the same one again "
            << mode.FromRealTensor(view).is_same(fake_view) << "\n";
  try {
    fake + torch::rand({6});
  } catch (const NotFake& e) {
    std::cout << e.what_without_backtrace() << "\n";
  }

  torch::nn::Sequential net(torch::nn::Linear(6, 3), torch::nn::ReLU(), torch::nn::Linear(3, 1));
  std::shared_ptr<torch::nn::Module> copy;
  {
    const FakeCopyMode copying(mode);
    copy = net->clone();
  }
  auto& fake_net = dynamic_cast<torch::nn::SequentialImpl&>(*copy);
  fake_net.forward(fake).sum().backward();
  const torch::Tensor grad = fake_net.parameters()[0].grad();
  std::cout << "grad " << grad.sizes() << ", fake " << IsFakeTensor(grad) << "\n";
  std::cout << "the real net has one: " << net->parameters()[0].grad().defined() << "\n";
}
