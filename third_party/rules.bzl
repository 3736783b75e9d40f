"""Bazel's own rules, as Debian packages them for its Bazel 4.2."""

_FOLDER = "/usr/share/bazel/rules/"

def _copy(ctx, name, package):
    if not ctx.path(_FOLDER + name).exists:
        fail("%s%s is missing: run tools/setup, or install the package %s; third_party/README.md has the way for other systems" %
             (_FOLDER, name, package))
    ctx.execute(["cp", "-r", _FOLDER + name + "/.", "."])

def _debian_rules_java_impl(ctx):
    _copy(ctx, "java", "bazel-rules-java")

# Nothing here is Java, but Bazel loads its rules to find toolchains.
debian_rules_java = repository_rule(_debian_rules_java_impl)

def _debian_rules_cc_impl(ctx):
    _copy(ctx, "cc", "bazel-rules-cc")

    # rules_cc 0.0.4 calls use_cpp_toolchain(), which the tools of Bazel 4.2 don't have yet.
    for file in ["compiler_flag", "cc_flags_supplier"]:
        path = "cc/private/rules_impl/%s.bzl" % file
        text = ctx.read(path)
        text = text.replace(', "use_cpp_toolchain")', ")")
        text = text.replace("use_cpp_toolchain()", '["@bazel_tools//tools/cpp:toolchain_type"]')
        ctx.file(path, text)

debian_rules_cc = repository_rule(_debian_rules_cc_impl)

def _no_coverage_tools_impl(ctx):
    ctx.file("BUILD", """
filegroup(
    name = "coverage_report_generator",
    visibility = ["//visibility:public"],
)
""")

# Every test names a generator of coverage reports, which Bazel would download.
no_coverage_tools = repository_rule(_no_coverage_tools_impl)
