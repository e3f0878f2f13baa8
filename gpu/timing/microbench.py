#!/usr/bin/env python3
"""Measures the constants of the clock (docs/design/clock.md) on a GPU: microbench.py OUT.json

Generates the kernels of wgmma, builds microbench.cu with nvcc, runs it and writes its rows with card and versions.
"""

import argparse
import datetime
import json
import pathlib
import subprocess
import tempfile

FOLDER = pathlib.Path(__file__).resolve().parent
# Type of the operands, depth of one instruction, columns, A from registers, major of A and B (1: not along K).
FORMS = [("bf16", 16, n, rs, 0, tb) for n in (8, 16, 32, 64, 96, 128, 192, 256) for rs in (0, 1) for tb in (0, 1)]
FORMS += [("bf16", 16, n, 0, 1, 0) for n in (64, 128)]
FORMS += [("e4m3", 32, n, rs, 0, 0) for n in (64, 128, 256) for rs in (0, 1)]
FORMS += [("tf32", 8, n, rs, 0, 0) for n in (64, 128, 256) for rs in (0, 1)]

DESCRIPTOR = """
__device__ inline uint64_t describe(uint32_t at) {
  return (at >> 4 & 0x3fff) | uint64_t(1) << 16 | uint64_t(64) << 32 | uint64_t(1) << 62;
}
__device__ inline void commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
__device__ inline void fenceMma() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
template <int kLeft> __device__ inline void awaitMma() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(kLeft) : "memory");
}
"""

# With A in registers a group ends before the next begins (ptxas C7512), so only two warpgroups show the rate.
# The second warpgroup can do other work instead: 1 ex2, 2 fma, 3 shared stores, 4 shared loads.
KERNEL = """
template <int kSize, int kGroups> __global__ void __launch_bounds__(256, 1) {name}(long long *out, int during) {{
  int group = threadIdx.x / 128;
  // Each instruction reads other rows or columns of 32 KiB of A and 64 KiB of B.
  uint64_t a = describe(address(shared) + group * 32768), b = describe(address(shared) + 65536);
  uint32_t r0 = 0, r1 = 0, r2 = 0, r3 = 0;
  (void)a, (void)r0, (void)r1, (void)r2, (void)r3;
  float d[{count}];
  for (int i = 0; i < {count}; ++i)
    d[i] = 0;
  float x[8];
  for (int i = 0; i < 8; ++i)
    x[i] = threadIdx.x * 0.001f + i;
  uint32_t at = address(shared) + 131072 + threadIdx.x % 128 * 16;
  __syncthreads();
  long long start = now(), issued = start, waited = start;
  if (during && group == 1) {{
    if (during == 1)
      for (int n = 0; n < kGroups * kSize; ++n)
#pragma unroll
        for (int k = 0; k < 16; ++k)
          asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(x[k % 8]));
    if (during == 2)
      for (int n = 0; n < kGroups * kSize; ++n)
#pragma unroll
        for (int k = 0; k < 16; ++k)
          asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(x[k % 8]));
    if (during == 3)
      for (int n = 0; n < kGroups * kSize; ++n)
#pragma unroll
        for (int k = 0; k < 16; ++k)
          asm volatile("st.shared.v4.b32 [%0], {{%1,%1,%1,%1}};" ::"r"(at + k * 2048), "f"(x[0]) : "memory");
    if (during == 4)
      for (int n = 0; n < kGroups * kSize; ++n)
#pragma unroll
        for (int k = 0; k < 16; ++k)
          asm volatile("ld.volatile.shared.v4.b32 {{%0,%1,%2,%3}}, [%4];"
                       : "=f"(x[0]), "=f"(x[1]), "=f"(x[2]), "=f"(x[3]) : "r"(at + k * 2048) : "memory");
    issued = waited = now();
  }} else {{
    #pragma unroll 1
    for (int n = 0; n < kGroups; ++n) {{
      fenceMma();
#pragma unroll
      for (int k = 0; k < kSize; ++k)
      {{
        uint64_t ak = a + (k % 4) * 2 + (k / 4 % 4) * 512, bk = b + (k % 4) * 2 + (k / 4 % 2) * 2048;
        (void)ak;
        asm volatile("{text}" : {outputs} : {inputs});
      }}
      commit();
      issued = now();
      awaitMma<{left}>();
    }}
    awaitMma<0>();
    waited = now();
  }}
  float sum = x[0] + x[1] + x[2] + x[3] + x[4] + x[5] + x[6] + x[7];
  for (int i = 0; i < {count}; ++i)
    sum += d[i];
  if (sum == 12345.f)
    out[1024] = 1;
  if (threadIdx.x % 128 == 0) {{
    out[group * 2] = issued - start;
    out[group * 2 + 1] = waited - start;
  }}
}}
"""


def kernel(form):
    kind, depth, n, registers, major_a, major_b = form
    count = n // 2
    name = f"mma_{kind}_{n}_{registers}{major_a}{major_b}"
    outputs = ", ".join(f'"+f"(d[{i}])' for i in range(count))
    sums = ",".join(f"%{i}" for i in range(count))
    transposes = "" if kind != "bf16" else (f", {major_b}" if registers else f", {major_a}, {major_b}")
    if registers:
        operands, inputs = "{" + ",".join(f"%{count + i}" for i in range(4)) + "}", '"r"(r0), "r"(r1), "r"(r2), "r"(r3), '
        last = count + 4
    else:
        operands, inputs, last = f"%{count}", '"l"(ak), ', count + 1
    text = (f"wgmma.mma_async.sync.aligned.m64n{n}k{depth}.f32.{kind}.{kind} {{{sums}}}, {operands}, %{last}, "
            f"1, 1, 1{transposes};")
    return name, KERNEL.format(name=name, count=count, text=text, outputs=outputs, inputs=inputs + '"l"(bk)',
                               left=0 if registers else 1)


def launches(form):
    """Throughput of one and two warpgroups, time to issue and latency of groups, order of service, other work."""
    kind, _, n, registers, major_a, major_b = form
    name = kernel(form)[0]
    label = f"{kind} n={n} a={'registers' if registers else 'shared'}" + (" a across k" if major_a else "") + (
        " b across k" if major_b else "")
    lines = [f'  timeProduct("{label}", {name}<16, 32>, {name}<1, 1>, {name}<9, 1>, out);']
    if kind == "bf16" and n in (64, 128, 256) and not major_a and not major_b:
        lines += [f'  timeGroups("{label}", {{{name}<1, 1>, {name}<2, 1>, {name}<4, 1>, {name}<8, 1>, {name}<16, 1>, {name}<16, 32>}}, out);']
    return lines


TIMES = """
using Product = void (*)(long long *, int);

static std::vector<long long> run(Product product, int warpgroups, int during, long long *out) {
  CHECK(cudaFuncSetAttribute(product, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 * 1024));
  for (int i = 0; i < 2; ++i)
    product<<<1, 128 * warpgroups, 200 * 1024>>>(out, during);
  return fetch(out, 4);
}

static void timeProduct(const char *label, Product sixteen, Product one, Product nine, long long *out) {
  char text[96];
  for (int warpgroups : {1, 2}) {
    std::snprintf(text, sizeof text, "%s warpgroups=%d", label, warpgroups);
    print("product", text, run(sixteen, warpgroups, 0, out)[1] / 512.0 / warpgroups, "cycles");
  }
  print("product alone", label, run(one, 1, 0, out)[1], "cycles");
  print("nine products alone", label, run(nine, 1, 0, out)[1], "cycles");
}

static void timeGroups(const char *label, std::vector<Product> products, long long *out) {
  char text[96];
  int size = 1;
  for (Product product : products) {
    if (size > 16)
      break;
    std::snprintf(text, sizeof text, "%s group=%d", label, size);
    auto cycles = run(product, 1, 0, out);
    print("product issued", text, cycles[0], "cycles");
    print("product awaited", text, cycles[1], "cycles");
    cycles = run(product, 2, 0, out);
    print("two groups awaited, first", text, cycles[1], "cycles");
    print("two groups awaited, second", text, cycles[3], "cycles");
    size *= 2;
  }
  const char *works[] = {"", "ex2", "fma", "shared store 16", "shared load 16"};
  for (int work = 1; work <= 4; ++work) {
    auto cycles = run(products.back(), 2, work, out);
    std::snprintf(text, sizeof text, "%s during %s", label, works[work]);
    print("product", text, cycles[1] / 512.0, "cycles");
    std::snprintf(text, sizeof text, "%s during %s", works[work], label);
    print("work", text, cycles[3] / 512.0 / 16, "cycles");
  }
}
"""


def generate(path):
    kernels = [kernel(form)[1] for form in FORMS]
    calls = [line for form in FORMS for line in launches(form)]
    body = "static void timeProducts(long long *out) {\n" + "\n".join(calls) + "\n}\n"
    path.write_text(DESCRIPTOR + "".join(kernels) + "static std::vector<long long> fetch(long long *, int);\n"
                    "static void print(const char *, const char *, double, const char *);\n" + TIMES + body)


def build(program):
    with tempfile.TemporaryDirectory() as folder:
        generate(pathlib.Path(folder) / "mma.inc")
        subprocess.run(["nvcc", "-O3", "-std=c++17", "-cudart", "static", "-gencode", "arch=compute_90a,code=sm_90a",
                        f"-I{folder}", str(FOLDER / "microbench.cu"), "-o", str(program)], check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=pathlib.Path, help="the file to write")
    parser.add_argument("--program", type=pathlib.Path, help="run this program, which --build wrote")
    parser.add_argument("--build", action="store_true", help="build the program OUT, and do not run it")
    options = parser.parse_args()
    if options.build:
        build(options.out)
        return
    with tempfile.TemporaryDirectory() as folder:
        program = options.program
        if not program:
            program = pathlib.Path(folder) / "microbench"
            build(program)
        output = subprocess.run([str(program.resolve())], check=True, text=True, capture_output=True).stdout
    head, *lines = output.splitlines()
    rows = [dict(zip(("name", "parameters", "value", "unit"), line.split("\t"))) for line in lines]
    for row in rows:
        row["value"] = float(row["value"])
    text = ",\n  ".join(json.dumps(row) for row in rows)
    options.out.write_text(f'{{"date": "{datetime.date.today()}", "machine": {json.dumps(head[2:])}, '
                           f'"rows": [\n  {text}\n]}}\n')
    print(f"{len(rows)} rows: {head[2:]}")


if __name__ == "__main__":
    main()
