"""The tests of the rule families."""

load("@rules_cc//cc:defs.bzl", "cc_test")

def rule_families(names):
    """A small test for each family, from <family>_test.cc."""
    for name in names:
        cc_test(
            name = name + "_test",
            size = "small",
            srcs = [name + "_test.cc"],
            deps = [
                ":testing",
                "@googletest//:gtest",
            ],
        )
