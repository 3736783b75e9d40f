"""TorchScript archives free of this machine's paths."""

import io
import pickle
import zipfile

import torch

import export_graphs
import golden


def bytes_of(module):
    """What torch.jit.save writes, with the files that debug records name relative to the repository, or to where torch is."""
    file = io.BytesIO()
    torch.jit.save(module, file)
    with zipfile.ZipFile(file) as archive:
        entries = [(info, archive.read(info)) for info in archive.infolist()]
    shortened = io.BytesIO()
    with zipfile.ZipFile(shortened, "w") as archive:
        for info, data in entries:
            if info.filename.endswith(".debug_pkl"):
                data = pickle.dumps(_shortened(pickle.loads(data)), protocol=2)
            info.extra = b""  # padding to where the record stood
            archive.writestr(info, data)
    return shortened.getvalue()


def _shortened(value):
    if isinstance(value, (list, tuple)):
        return type(value)(_shortened(item) for item in value)
    if isinstance(value, str):
        for parent in (golden.ROOT, export_graphs.TORCH_PARENT):
            value = value.replace(f"{parent}/", "")
    return value
