"""Tests that compare annotations with PyTorch's."""

load("@rules_cc//cc:defs.bzl", "cc_test")

def golden_test(name, folder, data):
    """Every graph.json below `folder` (from the workspace's root) against the expected.json beside it."""
    cc_test(
        name = name,
        size = "small",
        srcs = ["//lib/testing:golden_graph_test.cc"],
        args = [folder],
        data = data + ["//lib/libtorch_fallback/plugin"],
        deps = [
            "//lib/testing:golden_graph",
            "@googletest//:gtest",
        ],
    )
