// Where this program stands, and where pip puts the packages that are installed beside it.
#pragma once

#include <filesystem>
#include <vector>

namespace fakeprop {

// The program's file; empty if the system does not say (Linux without /proc).
std::filesystem::path ExecutablePath();

// The folders of Python packages that belong to the installation of a program, such as
// PREFIX/lib/python3.12/site-packages for PREFIX/bin/fakeprop. PREFIX itself is among them, where `pip install
// --target` puts packages.
std::vector<std::filesystem::path> SitePackagesBeside(const std::filesystem::path& program);

}  // namespace fakeprop
