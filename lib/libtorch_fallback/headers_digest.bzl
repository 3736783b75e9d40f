"""A header with a digest of other headers: what two binaries compile alike has one digest."""

_COMMAND = """
out=$1; name=$2; shift 2
digest=$(cat "$@" | sha256sum | cut -c1-16)
{
  echo '#pragma once'
  echo '#include <cstdint>'
  echo 'namespace fakeprop {'
  echo "inline constexpr uint64_t $name = 0x${digest}ull;"
  echo "inline constexpr const char* ${name}Headers[] = {"
  printf '    "%s",\\n' "$@"
  echo '};'
  echo '}  // namespace fakeprop'
} > $out
"""

def _headers_digest_impl(ctx):
    out = ctx.actions.declare_file(ctx.label.name + ".h")
    headers = {}
    for dep in ctx.attr.deps:
        for header in dep[CcInfo].compilation_context.headers.to_list():
            if not header.owner.workspace_name:
                headers[header.path] = header
    paths = sorted(headers)
    ctx.actions.run_shell(
        inputs = headers.values(),
        outputs = [out],
        command = _COMMAND,
        arguments = [out.path, ctx.attr.constant] + paths,
    )
    return [DefaultInfo(files = depset([out]))]

headers_digest = rule(
    doc = "NAME.h with the constant `fakeprop::CONSTANT`, and the headers' paths as `CONSTANTHeaders`.",
    implementation = _headers_digest_impl,
    attrs = {
        "constant": attr.string(mandatory = True),
        "deps": attr.label_list(providers = [CcInfo], doc = "All headers of these and of what they depend on."),
    },
)
