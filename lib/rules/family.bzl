"""What a folder of rule families builds, and the list of all families as C++."""

load("@rules_cc//cc:defs.bzl", "cc_library", "cc_test")
load("//lib/rules:families.bzl", "FAMILIES")

def rule_families(deps = [], copts = []):
    """The library and the tests of a folder: <family>.cc and <family>_test.cc for each family that families.bzl lists."""
    folder = native.package_name().split("/")[-1]
    cc_library(
        name = folder,
        srcs = [family + ".cc" for family in FAMILIES[folder]],
        copts = copts,
        visibility = ["//lib/rules:__subpackages__"],
        deps = [
            "//lib/rules:families",
            "//lib/rules:rule_table",
            "//lib/rules/core",
            "//lib/rules/support",
        ] + deps,
    )
    for family in FAMILIES[folder]:
        cc_test(
            name = family + "_test",
            size = "small",
            srcs = [family + "_test.cc"],
            deps = [
                "//lib/rules/testing",
                "@googletest//:gtest",
            ],
        )

    # The tables of calls, which other hosts run as well.
    native.filegroup(
        name = "call_tables",
        srcs = [family + "_test.cc" for family in FAMILIES[folder]],
        visibility = ["//lib/rules:__pkg__"],
    )

def _functions():
    """`view` becomes ViewRules, the function in view.cc that returns the family's rows."""
    families = [family for folder in sorted(FAMILIES) for family in FAMILIES[folder]]
    return ["".join([word.capitalize() for word in family.split("_")]) + "Rules" for family in families]

def _write_impl(ctx):
    ctx.actions.write(ctx.outputs.out, ctx.attr.text)

_write = rule(
    implementation = _write_impl,
    attrs = {"out": attr.output(), "text": attr.string()},
)

def _files():
    """Where the families are written, in the order of _functions()."""
    return ["lib/rules/%s/%s.cc" % (folder, family) for folder in sorted(FAMILIES) for family in FAMILIES[folder]]

def family_sources():
    """families.h and families.cc: a function for each family, and all of them in one list; family_files.inc: their files."""
    _write(
        name = "family_files",
        out = "family_files.inc",
        text = "".join(["\"%s\",\n" % file for file in _files()]),
    )
    _write(
        name = "families_header",
        out = "families.h",
        text = "\n".join([
            "// Every family of rules. Written by the build from families.bzl.",
            "#pragma once",
            "",
            "#include <vector>",
            "",
            "#include \"lib/rules/rule_table.h\"",
            "",
            "namespace fakeprop::rules {",
            "",
        ] + ["RuleRows %s();" % function for function in _functions()] + [
            "",
            "std::vector<RuleRows> RuleFamilies();",
            "",
            "}  // namespace fakeprop::rules",
            "",
        ]),
    )
    _write(
        name = "families_source",
        out = "families.cc",
        text = "\n".join([
            "#include \"lib/rules/families.h\"",
            "",
            "std::vector<fakeprop::RuleRows> fakeprop::rules::RuleFamilies() {",
            "  return {",
        ] + ["      %s()," % function for function in _functions()] + [
            "  };",
            "}",
            "",
        ]),
    )
