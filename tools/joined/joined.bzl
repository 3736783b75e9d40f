"""The sources of a program joined into a few files: join_sources.py says how and why.

The BUILD files of the libraries stay the one list of sources. Only the first build of all, and builds for other
platforms, are quicker this way; after a change a library of its own builds quicker.
"""

_Sources = provider(fields = {
    "sources": "depset of the .cc files",
    "others": "depset of what else stands in srcs",
    "libraries": "CcInfo of each dependency",
})

def _sources_impl(target, ctx):
    files = []
    if target.label.workspace_name == "" and hasattr(ctx.rule.attr, "srcs"):
        # Sources of other systems stand among the textual headers, since Bazel does not compile those.
        parts = ctx.rule.attr.srcs + getattr(ctx.rule.attr, "textual_hdrs", [])
        files = [file for part in parts for file in part.files.to_list()]
    deps = getattr(ctx.rule.attr, "deps", [])
    below = [dep[_Sources] for dep in deps if _Sources in dep]
    return [_Sources(
        sources = depset(
            [file for file in files if file.extension == "cc"],
            transitive = [dep.sources for dep in below],
        ),
        others = depset(
            [file for file in files if file.extension != "cc"],
            transitive = [dep.others for dep in below],
        ),
        libraries = [dep[CcInfo] for dep in deps if CcInfo in dep],
    )]

_sources = aspect(
    implementation = _sources_impl,
    attr_aspects = ["deps"],
)

def _joined_sources_impl(ctx):
    sources = depset(transitive = [root[_Sources].sources for root in ctx.attr.roots])
    libraries = [library for root in ctx.attr.roots for library in root[_Sources].libraries]
    contexts = [library.compilation_context for library in libraries]
    headers = depset(transitive = [context.headers for context in contexts])
    included = depset(transitive = [sources, headers] + [root[_Sources].others for root in ctx.attr.roots])
    all_headers = [header for header in headers.to_list() if header.extension == "h"]
    own_headers = [header for header in all_headers if not header.owner.workspace_name]
    parts = [ctx.actions.declare_file("%s/part_%d.cc" % (ctx.label.name, part)) for part in range(ctx.attr.parts)]
    arguments = ctx.actions.args()
    arguments.add_all("--headers", own_headers)
    arguments.add_all("--sources", sources)
    arguments.add_all("--out", parts)
    arguments.use_param_file("@%s")
    arguments.set_param_file_format("multiline")
    ctx.actions.run(
        executable = "python3",
        arguments = [ctx.file._join.path, arguments],
        inputs = depset([ctx.file._join], transitive = [included]),
        outputs = parts,
        use_default_shell_env = True,
        mnemonic = "JoinSources",
    )
    context = cc_common.create_compilation_context(
        headers = included,
        defines = depset(transitive = [context.defines for context in contexts]),
        includes = depset(transitive = [context.includes for context in contexts]),
        quote_includes = depset(transitive = [context.quote_includes for context in contexts]),
        system_includes = depset(transitive = [context.system_includes for context in contexts]),
    )
    return [
        DefaultInfo(files = depset(parts)),
        CcInfo(compilation_context = context, linking_context = _system_libraries(ctx, libraries)),
    ]

def _system_libraries(ctx, libraries):
    """Flags for the linker, such as -l:libz.a, without what the libraries compile."""
    inputs = depset(transitive = [library.linking_context.linker_inputs for library in libraries])
    flags = [depset(input.user_link_flags) for input in inputs.to_list() if input.user_link_flags]
    return cc_common.create_linking_context(linker_inputs = depset([
        cc_common.create_linker_input(owner = ctx.label, user_link_flags = depset(transitive = flags)),
    ]))

joined_sources = rule(
    implementation = _joined_sources_impl,
    doc = "`parts` files with all sources of `roots`. As a dependency of what compiles them: their headers.",
    attrs = {
        "roots": attr.label_list(aspects = [_sources], doc = "programs and shared libraries"),
        "parts": attr.int(mandatory = True),
        "_join": attr.label(default = "//tools/joined:join_sources.py", allow_single_file = True),
    },
)
