"""Compiles kernels of triton_kernels.py for sm_90a without a GPU.

Each input line is a request in JSON with these fields:

- name of the kernel
- `signature`: types by the name of the parameter
- `constants`
- `aligned`: names of parameters that are multiples of 16
- `options`: num_warps, num_stages
- `out`: a file for the PTX; a file of the same name with the suffix .json gets the data for a launch

The answer is a line that is empty on success.
"""

import json
import pathlib
import sys
import traceback

import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from triton.experimental.gluon._runtime import GluonASTSource

import triton_kernels


def make_source(function, wanted):
    names = function.arg_names
    signature = {name: wanted["signature"].get(name, "constexpr") for name in names}
    constants = {(names.index(name),): value for name, value in wanted["constants"].items()}
    attributes = {(names.index(name),): [["tt.divisibility", 16]] for name in wanted["aligned"]}
    make = GluonASTSource if function.is_gluon() else ASTSource
    return make(fn=function, signature=signature, constexprs=constants, attrs=attributes)


def compile_kernel(wanted):
    source = make_source(getattr(triton_kernels, wanted["name"]), wanted)
    compiled = triton.compile(source, target=GPUTarget("cuda", 90, 32), options=wanted["options"])
    metadata = compiled.metadata
    kept = {"version": triton.__version__, "name": metadata.name, "shared": metadata.shared,
            "warps": metadata.num_warps, "ctas": metadata.num_ctas, "scratch": metadata.global_scratch_size,
            "descriptors": metadata.tensordesc_meta}
    out = pathlib.Path(wanted["out"])
    out.write_text(compiled.asm["ptx"])
    out.with_suffix(".json").write_text(json.dumps(kept))


def main():
    for line in sys.stdin:
        try:
            compile_kernel(json.loads(line))
            print(flush=True)
        except Exception:
            print(json.dumps(traceback.format_exc()), flush=True)


if __name__ == "__main__":
    main()
