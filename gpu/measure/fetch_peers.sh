#!/usr/bin/env bash
# Collects the packages of the peers of bench.py (see docs/gpu.md) for CPython 3.12 on x86-64, without unused
# files, and packs them: fetch_peers.sh OUT
# OUT/ is then the folder for bench.py --peers. OUT.tar.xz and OUT-fa3.tar.xz (FlashAttention-3) are its archives.
set -euo pipefail
[ $# -eq 1 ] || { sed -n '2,4s/^# \{0,1\}//p' "$0" >&2; exit 2; }
out=$1
[ ! -e "$out" ] || { echo "error: $out exists" >&2; exit 1; }

# Versions that worked together with torch 2.11 for CUDA 13.
packages=(
  flash-attn-4==4.0.0b36
  nvidia-cutlass-dsl==4.8.1
  nvidia-cutlass-dsl-libs-base==4.8.1
  nvidia-cutlass-dsl-libs-core==4.8.1
  nvidia-cutlass-dsl-libs-cu13==4.8.1
  quack-kernels==0.6.5
  apache-tvm-ffi==0.1.12
  torch-c-dlpack-ext==0.1.5
  liger-kernel==0.8.5
  fa3-fwd==0.0.3
)
platforms=()
for name in manylinux_2_28 manylinux_2_24 manylinux_2_17 manylinux2014; do
  platforms+=(--platform "${name}_x86_64")
done

wheels=$(mktemp -d)
trap 'rm -rf "$wheels"' EXIT
python3 -m pip download --quiet --no-deps --only-binary=:all: --python-version 3.12 \
  --implementation cp --abi cp312 --abi cp39 --abi abi3 --abi none "${platforms[@]}" -d "$wheels" "${packages[@]}"
mkdir -p "$out"
for wheel in "$wheels"/*.whl; do
  python3 -m zipfile -e "$wheel" "$out"
done

# Sources, headers and static libraries; libraries for older versions of torch; a profiler.
rm -rf "$out"/tvm_ffi/{3rdparty,src,include} "$out"/nvidia_cutlass_dsl/cu13/include \
  "$out"/nvidia_cutlass_dsl/dsl_packages/iket/profiler "$out"/liger_kernel/ops/backends/_ascend
find "$out" \( -name '*.a' -o -name 'libtorch_c_dlpack_addon_*' -o -name RECORD \) -delete

# The x86 filter compresses machine code better; any xz can unpack it.
pack() { # ARCHIVE FILE...: packs files of the folder
  tar --sort=name --owner=0 --group=0 --mtime=@0 -C "$out" -cf - "${@:2}" \
    | xz --threads=1 --x86 --lzma2=preset=9e,dict=256MiB > "$1"
  echo "$1: $(($(stat -c %s "$1") / 1048576)) MiB"
}
echo "$out: $(($(du -sk "$out" | cut -f1) / 1024)) MiB"
pack "$out.tar.xz" --exclude './fa3_fwd*' .
(cd "$out" && ls -d fa3_fwd*) | { mapfile -t files; pack "$out-fa3.tar.xz" "${files[@]}"; }
