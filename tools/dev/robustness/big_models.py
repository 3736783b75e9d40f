"""Models of 20 GB whose weights are holes in a file: as torch.export.save and torch.jit.save lay them out."""

import json
import struct

from zip_writer import ZipWriter

WIDTH = 8192
LAYERS = 64
VOCABULARY = 153_600  # the last layer's weight is 5 GB, beyond what 32 bits count


def make_small():
    """Models of the same form with next to no weights, from here on."""
    global WIDTH, LAYERS, VOCABULARY
    WIDTH, LAYERS, VOCABULARY = 8, 3, 16


def weights():
    """Name and shape of each weight."""
    for i in range(LAYERS):
        yield f"layers.{i}.weight", (WIDTH, WIDTH)
    yield "head.weight", (VOCABULARY, WIDTH)


def tensor_meta(shape, strides=None, requires_grad=False):
    strides = strides or [shape[1], 1]
    ints = lambda numbers: [{"as_int": n} for n in numbers]
    return {"dtype": 7, "sizes": ints(shape), "requires_grad": requires_grad, "device": {"type": "cpu", "index": None},
            "strides": ints(strides), "storage_offset": {"as_int": 0}, "layout": 7}


def graph_json():
    names = {name: "p_" + name.replace(".", "_") for name, _ in weights()}
    values = {names[name]: tensor_meta(shape, requires_grad=True) for name, shape in weights()}
    values["x"] = tensor_meta((16, WIDTH))
    nodes, last = [], "x"
    for i, (name, _) in enumerate(weights()):
        argument = lambda key, value: {"name": key, "arg": {"as_tensor": {"name": value}}, "kind": 1}
        nodes.append({"target": "torch.ops.aten.linear.default", "name": f"linear_{i}", "metadata": {},
                      "inputs": [argument("input", last), argument("weight", names[name])],
                      "outputs": [{"as_tensor": {"name": f"linear_{i}"}}], "is_hop_single_tensor_return": None})
        last = f"linear_{i}"
    parameters = [{"parameter": {"arg": {"name": names[name]}, "parameter_name": name}} for name, _ in weights()]
    inputs = [{"as_tensor": {"name": name}} for name in [*names.values(), "x"]]
    return {
        "graph_module": {
            "graph": {"inputs": inputs, "outputs": [{"as_tensor": {"name": last}}], "nodes": nodes, "tensor_values": values,
                      "sym_int_values": {}, "sym_bool_values": {}, "sym_float_values": {}, "custom_obj_values": {},
                      "is_single_tensor_return": False},
            "signature": {"input_specs": parameters + [{"user_input": {"arg": {"as_tensor": {"name": "x"}}}}],
                          "output_specs": [{"user_output": {"arg": {"as_tensor": {"name": last}}}}]},
            "module_call_graph": [], "metadata": {}, "treespec_namedtuple_fields": {},
        },
        "opset_version": {"aten": 10}, "range_constraints": {}, "schema_version": {"major": 8, "minor": 15},
        "verifiers": ["TRAINING"], "torch_version": "2.13.0", "guards_code": [],
    }


def write_pt2(path):
    with open(path, "wb") as file:
        archive = ZipWriter(file)
        config = {}
        for i, (name, shape) in enumerate(weights()):
            archive.add_hole(f"model/data/weights/weight_{i}", 4 * shape[0] * shape[1])
            config[name] = {"path_name": f"weight_{i}", "is_param": True, "use_pickle": False, "tensor_meta": tensor_meta(shape, requires_grad=True)}
        archive.add("model/data/weights/model_weights_config.json", json.dumps({"config": config}).encode())
        archive.add("model/data/constants/model_constants_config.json", b'{"config": {}}')
        archive.add("model/models/model.json", json.dumps(graph_json()).encode())
        archive.add("model/archive_format", b"pt2")
        archive.add("model/archive_version", b"0")
        archive.add("model/.data/version", b"6\n")
        archive.add("model/byteorder", b"little")
        archive.close()


def text(value):
    return b"X" + struct.pack("<I", len(value)) + value.encode()


def number(value):
    return b"J" + struct.pack("<i", value) if value < 1 << 31 else b"\x8a\x08" + struct.pack("<q", value)


def pickled_tensor(key, shape):
    storage = b"(" + text("storage") + b"ctorch\nFloatStorage\n" + text(key) + text("cpu") + number(shape[0] * shape[1]) + b"tQ"
    sizes = number(shape[0]) + number(shape[1]) + b"\x86" + number(shape[1]) + number(1) + b"\x86"
    return b"ctorch._utils\n_rebuild_tensor_v2\n(" + storage + number(0) + sizes + b"\x88ccollections\nOrderedDict\n)RtR"


def pickled_module():
    """data.pkl of a scripted module with one attribute for each weight."""
    fields = b"".join(text(name.replace(".", "_")) + pickled_tensor(str(i), shape) for i, (name, shape) in enumerate(weights()))
    flags = text("training") + b"\x89" + text("_is_full_backward_hook") + b"N"
    return b"\x80\x02c__torch__\nNet\n)\x81}(" + fields + flags + b"ub."


def torchscript_code():
    names = [name.replace(".", "_") for name, _ in weights()]
    fields = "".join(f"  {name} : Tensor\n" for name in names)
    calls = "".join(f"    x{i + 1} = torch.linear(x{i}, self.{name})\n" for i, name in enumerate(names))
    listed = "".join(f'"{name}", ' for name in names)
    return (f"class Net(Module):\n  __parameters__ = [{listed}]\n  __buffers__ = []\n{fields}  training : bool\n"
            "  _is_full_backward_hook : Optional[bool]\n  def forward(self: __torch__.Net,\n    x0: Tensor) -> Tensor:\n"
            f"{calls}    return x{len(names)}\n")


def write_torchscript(path):
    with open(path, "wb") as file:
        archive = ZipWriter(file)
        for i, (_, shape) in enumerate(weights()):
            archive.add_hole(f"net/data/{i}", 4 * shape[0] * shape[1])
        archive.add("net/data.pkl", pickled_module())
        archive.add("net/code/__torch__.py", torchscript_code().encode())
        archive.add("net/constants.pkl", b"\x80\x02).")
        archive.add("net/version", b"3\n")
        archive.add("net/byteorder", b"little")
        archive.close()
