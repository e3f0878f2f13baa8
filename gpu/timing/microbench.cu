// Measures how many cycles instructions and hand-overs take on one multiprocessor, and how fast copies are.
//
// Prints one line for each row: name, parameters, value, unit. microbench.py builds and runs it, and generates
// mma.inc: kernels for each shape of wgmma. Operands are zeros, so that power limits nothing.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>

#define CHECK(call)                                                                                                    \
  do {                                                                                                                 \
    cudaError_t error = (call);                                                                                        \
    if (error != cudaSuccess) {                                                                                        \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error));                              \
      std::exit(1);                                                                                                    \
    }                                                                                                                  \
  } while (0)

extern __shared__ __align__(1024) char shared[];

__device__ inline uint32_t address(const void *pointer) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}
__device__ inline long long now() {
  long long t;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(t)::"memory");
  return t;
}
__device__ inline void init(uint32_t barrier, int count) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(barrier), "r"(count) : "memory");
}
__device__ inline void arrive(uint32_t barrier) {
  asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(barrier) : "memory");
}
__device__ inline void expect(uint32_t barrier, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}
__device__ inline void await(uint32_t barrier, int parity) {
  asm volatile("{ .reg .pred p; L: mbarrier.try_wait.parity.shared.b64 p, [%0], %1; @p bra D; bra L; D: }" ::"r"(barrier),
               "r"(parity)
               : "memory");
}
__device__ inline void load(uint32_t to, const void *from, int bytes, uint32_t barrier) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
               "l"(from), "r"(bytes), "r"(barrier)
               : "memory");
}

#include "mma.inc"

//===--------------------------------------------------------------------===//
// Register work: cycles of a scheduler for an instruction of one warp
//===--------------------------------------------------------------------===//

// 8 independent chains hide the latency, 1 chain shows it.
#define ARITHMETIC(NAME, TYPE, TEXT, CONSTRAINT)                                                                       \
  template <int kChains> __global__ void NAME(long long *out, TYPE seed) {                                             \
    TYPE x[kChains];                                                                                                   \
    for (int i = 0; i < kChains; ++i)                                                                                  \
      x[i] = seed + static_cast<TYPE>(threadIdx.x + i);                                                                \
    __syncthreads();                                                                                                   \
    long long start = now();                                                                                           \
    for (int n = 0; n < 64; ++n)                                                                                       \
      _Pragma("unroll") for (int k = 0; k < 64; ++k) asm volatile(TEXT : "+" CONSTRAINT(x[k % kChains]) : CONSTRAINT(x[(k + 1) % kChains]));                  \
    long long end = now();                                                                                             \
    TYPE sum = 0;                                                                                                      \
    for (int i = 0; i < kChains; ++i)                                                                                  \
      sum += x[i];                                                                                                     \
    if (sum == static_cast<TYPE>(12345))                                                                               \
      out[1024 + threadIdx.x] = 1;                                                                                     \
    __syncthreads();                                                                                                   \
    if (threadIdx.x % 32 == 0)                                                                                         \
      out[threadIdx.x / 32] = end - start;                                                                             \
  }
ARITHMETIC(ffma, float, "fma.rn.f32 %0, %0, %0, %0;", "f")
ARITHMETIC(fmul, float, "mul.rn.f32 %0, %0, %0;", "f")
ARITHMETIC(fadd, float, "add.rn.f32 %0, %0, %0;", "f")
ARITHMETIC(fmax2, float, "max.f32 %0, %0, 0f3F800000;", "f")
ARITHMETIC(ex2, float, "ex2.approx.ftz.f32 %0, %0;", "f")
ARITHMETIC(log2, float, "lg2.approx.ftz.f32 %0, %0;", "f")
ARITHMETIC(convert, uint32_t, "{ .reg .f32 f; mov.b32 f, %0; cvt.rn.bf16x2.f32 %0, f, f; }", "r")
ARITHMETIC(iadd, uint32_t, "add.u32 %0, %0, %1;", "r")
ARITHMETIC(lop, uint32_t, "lop3.b32 %0, %0, %1, 12345, 0x96;", "r")
ARITHMETIC(imad, uint32_t, "mad.lo.u32 %0, %0, %0, %0;", "r")
ARITHMETIC(shuffle, uint32_t, "shfl.sync.bfly.b32 %0, %0, 1, 31, 0xffffffff;", "r")
ARITHMETIC(select, uint32_t, "{ .reg .pred p; setp.gt.u32 p, %0, 77; selp.b32 %0, %0, 5, p; }", "r")

template <typename T> using Kernel = void (*)(long long *, T);

static std::vector<long long> fetch(long long *device, int count) {
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  std::vector<long long> host(count);
  CHECK(cudaMemcpy(host.data(), device, count * sizeof(long long), cudaMemcpyDeviceToHost));
  return host;
}

static void print(const char *name, const char *parameters, double value, const char *unit) {
  std::printf("%s\t%s\t%.4g\t%s\n", name, parameters, value, unit);
}

template <typename T> static void timeArithmetic(const char *name, Kernel<T> wide, Kernel<T> chain, long long *out) {
  char text[64];
  for (int warps : {4, 8, 12}) {
    wide<<<1, 32 * warps>>>(out, T(0));
    wide<<<1, 32 * warps>>>(out, T(0));
    auto cycles = fetch(out, warps);
    std::snprintf(text, sizeof text, "warps=%d", warps);
    print(name, text, *std::max_element(cycles.begin(), cycles.end()) / 4096.0 / (warps / 4), "cycles");
  }
  chain<<<1, 32>>>(out, T(0));
  print(name, "latency", fetch(out, 1)[0] / 4096.0, "cycles");
}
#define TIME(NAME, TYPE) timeArithmetic<TYPE>(#NAME, NAME<8>, NAME<1>, out)

//===--------------------------------------------------------------------===//
// Shared memory
//===--------------------------------------------------------------------===//

enum class Access { Load32, Load64, Load128, Store32, Store64, Store128, Matrix };

template <Access kAccess> __global__ void accessShared(long long *out) {
  constexpr bool isWide = kAccess == Access::Load128 || kAccess == Access::Store128 || kAccess == Access::Matrix;
  constexpr int kBytes = isWide ? 16 : kAccess == Access::Load64 || kAccess == Access::Store64 ? 8 : 4;
  uint32_t base = address(shared) + (threadIdx.x % 32) * kBytes + threadIdx.x / 32 * 1024;
  uint32_t a = threadIdx.x, b = 1, c = 2, d = 3, sum = 0;
  __syncthreads();
  long long start = now();
  for (int n = 0; n < 64; ++n)
#pragma unroll
    for (int k = 0; k < 16; ++k) {
      if (kAccess == Access::Load32)
        asm volatile("ld.volatile.shared.b32 %0, [%1];" : "=r"(a) : "r"(base + k * 32) : "memory");
      if (kAccess == Access::Load64)
        asm volatile("ld.volatile.shared.v2.b32 {%0,%1}, [%2];" : "=r"(a), "=r"(b) : "r"(base + k * 32) : "memory");
      if (kAccess == Access::Load128)
        asm volatile("ld.volatile.shared.v4.b32 {%0,%1,%2,%3}, [%4];"
                     : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                     : "r"(base + k * 32)
                     : "memory");
      if (kAccess == Access::Store32)
        asm volatile("st.shared.b32 [%0], %1;" ::"r"(base + k * 32), "r"(a) : "memory");
      if (kAccess == Access::Store64)
        asm volatile("st.shared.v2.b32 [%0], {%1,%2};" ::"r"(base + k * 32), "r"(a), "r"(b) : "memory");
      if (kAccess == Access::Store128)
        asm volatile("st.shared.v4.b32 [%0], {%1,%2,%3,%4};" ::"r"(base + k * 32), "r"(a), "r"(b), "r"(c), "r"(d)
                     : "memory");
      if (kAccess == Access::Matrix)
        asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1,%2,%3,%4};" ::"r"(base + k * 32), "r"(a),
                     "r"(b), "r"(c), "r"(d)
                     : "memory");
      sum += a + b + c + d;
    }
  long long end = now();
  if (sum == 12345)
    out[1024 + threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x % 32 == 0)
    out[threadIdx.x / 32] = end - start;
}

template <Access kAccess> static void timeShared(const char *name, int bytes, long long *out) {
  CHECK(cudaFuncSetAttribute(accessShared<kAccess>, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536));
  char text[64];
  for (int warps : {4, 8}) {
    accessShared<kAccess><<<1, 32 * warps, 65536>>>(out);
    accessShared<kAccess><<<1, 32 * warps, 65536>>>(out);
    auto cycles = fetch(out, warps);
    std::snprintf(text, sizeof text, "warps=%d", warps);
    print(name, text, bytes * 32.0 * 1024 * warps / *std::max_element(cycles.begin(), cycles.end()), "bytes/cycle");
  }
}

//===--------------------------------------------------------------------===//
// Synchronisation
//===--------------------------------------------------------------------===//

// Two warps, or two warpgroups, wait for each other at mbarriers.
__global__ void exchangeMbarrier(long long *out, int threads) {
  uint32_t first = address(shared), second = first + 8;
  if (threadIdx.x == 0) {
    init(first, threads == 32 ? 1 : threads / 32);
    init(second, threads == 32 ? 1 : threads / 32);
  }
  __syncthreads();
  bool isFirst = threadIdx.x < threads, isLeader = threadIdx.x % 32 == 0;
  long long start = now();
  for (int n = 0; n < 256; ++n) {
    if (isFirst) {
      if (isLeader)
        arrive(first);
      await(second, n & 1);
    } else {
      await(first, n & 1);
      if (isLeader)
        arrive(second);
    }
  }
  long long end = now();
  if (threadIdx.x == 0)
    out[0] = end - start;
}

__global__ void exchangeNamed(long long *out, int groups) {
  int group = threadIdx.x / 128;
  __syncthreads();
  long long start = now();
  if (groups == 1) {
    for (int n = 0; n < 256; ++n)
      asm volatile("bar.sync 1, 128;" ::: "memory");
  } else if (groups > 2) { // All meet.
    for (int n = 0; n < 256; ++n)
      asm volatile("bar.sync 1, %0;" ::"r"((groups - 1) * 128) : "memory");
  } else {
    for (int n = 0; n < 256; ++n) {
      if (group == 0) {
        asm volatile("bar.arrive 1, 256;" ::: "memory");
        asm volatile("bar.sync 2, 256;" ::: "memory");
      } else {
        asm volatile("bar.sync 1, 256;" ::: "memory");
        asm volatile("bar.arrive 2, 256;" ::: "memory");
      }
    }
  }
  long long end = now();
  if (threadIdx.x == 0)
    out[0] = end - start;
}

// A proxy fence after `stores` stores of 16 bytes by each thread.
template <int kStores> __global__ void fenceAfterStores(long long *out) {
  uint32_t base = address(shared) + threadIdx.x * 16;
  __syncthreads();
  long long start = now();
  for (int n = 0; n < 64; ++n) {
#pragma unroll
    for (int k = 0; k < kStores; ++k)
      asm volatile("st.shared.v4.b32 [%0], {%1,%1,%1,%1};" ::"r"(base + k * 2048), "r"(n) : "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  }
  long long end = now();
  if (threadIdx.x == 0)
    out[0] = end - start;
}

//===--------------------------------------------------------------------===//
// Copies
//===--------------------------------------------------------------------===//

// One thread of each CTA loads `count` pieces of `bytes` with `depth` in flight. `stride` separates CTAs.
__global__ void copyIn(long long *out, const char *from, int bytes, int count, int depth, size_t stride) {
  uint32_t barriers = address(shared), data = barriers + 1024;
  if (threadIdx.x == 0)
    for (int i = 0; i < depth; ++i)
      init(barriers + 8 * i, 1);
  __syncthreads();
  if (threadIdx.x != 0)
    return;
  from += blockIdx.x * stride;
  long long start = now();
  int awaitedSlot = 0, awaitedParity = 0, slot = 0;
  for (int n = 0; n < count + depth; ++n) {
    if (n >= depth) {
      await(barriers + 8 * awaitedSlot, awaitedParity);
      if (++awaitedSlot == depth) {
        awaitedSlot = 0;
        awaitedParity ^= 1;
      }
    }
    if (n < count) {
      expect(barriers + 8 * slot, bytes);
      load(data + slot * bytes, from, bytes, barriers + 8 * slot);
      from += bytes;
      if (++slot == depth)
        slot = 0;
    }
  }
  long long end = now();
  out[blockIdx.x] = end - start;
}

__global__ void addOut(long long *out, float *to, int bytes, int count, size_t stride) {
  uint32_t data = address(shared);
  if (threadIdx.x != 0)
    return;
  char *base = reinterpret_cast<char *>(to) + blockIdx.x * stride;
  long long start = now();
  for (int n = 0; n < count; ++n) {
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], %2;" ::"l"(
                     base + static_cast<size_t>(n) * bytes),
                 "r"(data), "r"(bytes)
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
  }
  asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
  long long end = now();
  out[blockIdx.x] = end - start;
}

__global__ void chase(long long *out, const unsigned *from, int count) {
  unsigned at = 0;
  long long start = now();
  for (int n = 0; n < count; ++n)
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(at) : "l"(from + at) : "memory");
  long long end = now();
  out[0] = end - start;
  out[1] = at;
}

__global__ void atomicChain(long long *out, unsigned *to) {
  unsigned at = 0;
  long long start = now();
  for (int n = 0; n < 64; ++n)
    at = atomicAdd(to, 1 + (at >> 31));
  long long end = now();
  out[0] = end - start;
  out[1] = at;
}

__global__ void nothing(long long *out) {
  if (out && threadIdx.x == 9999)
    out[0] = 1;
}

static void timeCopies(long long *out, int multiprocessors) {
  char text[96];
  size_t size = size_t(4) << 30;
  char *data;
  CHECK(cudaMalloc(&data, size));
  CHECK(cudaMemset(data, 0, size));
  CHECK(cudaFuncSetAttribute(copyIn, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 * 1024));
  CHECK(cudaFuncSetAttribute(addOut, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 * 1024));
  int shared = 180 * 1024;
  // Latency of one piece, from L2 (after a first run) and from memory.
  for (int bytes : {256, 4096, 16384, 32768}) {
    copyIn<<<1, 32, shared>>>(out, data, bytes, 16, 1, 0);
    copyIn<<<1, 32, shared>>>(out, data, bytes, 16, 1, 0);
    std::snprintf(text, sizeof text, "bytes=%d from=l2", bytes);
    print("copy latency", text, fetch(out, 1)[0] / 16.0, "cycles");
    CHECK(cudaMemset(data + (size >> 1), 1, size >> 1)); // Drives the first half out of L2.
    copyIn<<<1, 32, shared>>>(out, data + (size_t(1) << 28), bytes, 16, 1, 0);
    std::snprintf(text, sizeof text, "bytes=%d from=memory", bytes);
    print("copy latency", text, fetch(out, 1)[0] / 16.0, "cycles");
  }
  // Bytes per cycle of a multiprocessor, alone and with all others.
  for (int ctas : {1, multiprocessors})
    for (int bytes : {4096, 16384, 32768})
      for (int from : {0, 1, 2}) { // own pieces in L2; the same pieces for all; memory
        int depth = 131072 / bytes;
        int count = from == 2 ? (16 << 20) / bytes : 2048 * 1024 / bytes / (ctas > 1 && from == 0 ? 8 : 1);
        size_t stride = from == 1 ? 0 : from == 0 ? 256 * 1024 : size_t(16) << 20;
        for (int i = 0; i < (from == 2 ? 1 : 2); ++i)
          copyIn<<<ctas, 32, shared>>>(out, data, bytes, count, depth, stride);
        auto cycles = fetch(out, ctas);
        double total = 0;
        for (long long c : cycles)
          total += double(bytes) * count / c;
        std::snprintf(text, sizeof text, "bytes=%d ctas=%d from=%s", bytes, ctas,
                      from == 0 ? "l2" : from == 1 ? "l2, the same" : "memory");
        print("copy rate", text, total / ctas, "bytes/cycle");
      }
  for (int ctas : {1, multiprocessors})
    for (int bytes : {4096, 16384}) {
      for (int i = 0; i < 2; ++i)
        addOut<<<ctas, 32, shared>>>(out, reinterpret_cast<float *>(data), bytes, 64, 1 << 18);
      auto cycles = fetch(out, ctas);
      double total = 0;
      for (long long c : cycles)
        total += double(bytes) * 64 / c;
      std::snprintf(text, sizeof text, "bytes=%d ctas=%d", bytes, ctas);
      print("bulk add rate", text, total / ctas, "bytes/cycle");
    }
  // Latency of loads by threads: a chain of pointers with a stride of 4 KiB.
  for (int from : {0, 1}) {
    size_t steps = from ? 8192 : 1024, stride = from ? 65536 : 4096;
    std::vector<unsigned> chain(steps * stride / 4, 0);
    for (size_t i = 0; i < steps; ++i)
      chain[i * stride / 4] = unsigned((i + 1) % steps * stride / 4);
    CHECK(cudaMemcpy(data, chain.data(), chain.size() * 4, cudaMemcpyHostToDevice));
    if (from)
      CHECK(cudaMemset(data + (size >> 1), 1, size >> 1)); // Drives the chain out of L2.
    for (int i = 0; i < (from ? 1 : 2); ++i)
      chase<<<1, 1>>>(out, reinterpret_cast<unsigned *>(data), int(steps));
    print("load latency", from ? "from=memory" : "from=l2", fetch(out, 1)[0] / double(steps), "cycles");
  }
  atomicChain<<<1, 1>>>(out, reinterpret_cast<unsigned *>(data));
  print("atomic latency", "", fetch(out, 1)[0] / 64.0, "cycles");
  CHECK(cudaFree(data));
}

static void timeLaunches(int multiprocessors) {
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  char text[64];
  for (int perSM : {1, 16, 64})
    for (int threads : {128, 384}) {
      CHECK(cudaFuncSetAttribute(nothing, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 * 1024));
      float best = 1e9;
      for (int i = 0; i < 8; ++i) {
        CHECK(cudaEventRecord(begin));
        for (int k = 0; k < 20; ++k)
          nothing<<<multiprocessors * perSM, threads, 200 * 1024>>>(nullptr);
        CHECK(cudaEventRecord(end));
        CHECK(cudaEventSynchronize(end));
        float ms;
        CHECK(cudaEventElapsedTime(&ms, begin, end));
        best = std::min(best, ms);
      }
      std::snprintf(text, sizeof text, "ctas per multiprocessor=%d threads=%d", perSM, threads);
      print("launch", text, best * 1e3 / 20, "us");
    }
}

int main() {
  cudaDeviceProp properties;
  CHECK(cudaGetDeviceProperties(&properties, 0));
  int driver, runtime;
  CHECK(cudaDriverGetVersion(&driver));
  CHECK(cudaRuntimeGetVersion(&runtime));
  std::printf("# %s, %d multiprocessors, driver %d, runtime %d\n", properties.name, properties.multiProcessorCount,
              driver, runtime);
  long long *out;
  CHECK(cudaMalloc(&out, 1 << 20));
  // Warm up to a high clock.
  for (int i = 0; i < 2000; ++i)
    ffma<8><<<132, 512>>>(out, 0.f);
  CHECK(cudaDeviceSynchronize());
  TIME(ffma, float);
  TIME(fmul, float);
  TIME(fadd, float);
  TIME(fmax2, float);
  TIME(ex2, float);
  TIME(log2, float);
  TIME(convert, uint32_t);
  TIME(iadd, uint32_t);
  TIME(lop, uint32_t);
  TIME(imad, uint32_t);
  TIME(shuffle, uint32_t);
  TIME(select, uint32_t);
  timeShared<Access::Load32>("shared load 4", 4, out);
  timeShared<Access::Load64>("shared load 8", 8, out);
  timeShared<Access::Load128>("shared load 16", 16, out);
  timeShared<Access::Store32>("shared store 4", 4, out);
  timeShared<Access::Store64>("shared store 8", 8, out);
  timeShared<Access::Store128>("shared store 16", 16, out);
  timeShared<Access::Matrix>("stmatrix x4", 16, out);
  char text[64];
  for (int threads : {32, 128}) {
    exchangeMbarrier<<<1, 2 * threads, 1024>>>(out, threads);
    std::snprintf(text, sizeof text, "threads=%d", threads);
    print("mbarrier hand-over", text, fetch(out, 1)[0] / 512.0, "cycles");
  }
  for (int groups : {1, 2, 3, 4}) {
    exchangeNamed<<<1, 128 * (groups > 2 ? groups - 1 : groups)>>>(out, groups);
    const char *what[] = {"", "one warpgroup meets", "hand-over", "2 warpgroups meet", "3 warpgroups meet"};
    print("named barrier", what[groups], fetch(out, 1)[0] / (groups == 2 ? 512.0 : 256.0), "cycles");
  }
  fenceAfterStores<0><<<1, 128, 65536>>>(out);
  CHECK(cudaFuncSetAttribute(fenceAfterStores<0>, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536));
  CHECK(cudaFuncSetAttribute(fenceAfterStores<8>, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536));
  CHECK(cudaFuncSetAttribute(fenceAfterStores<16>, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536));
  cudaGetLastError();
  fenceAfterStores<0><<<1, 128, 65536>>>(out);
  print("proxy fence", "stores=0", fetch(out, 1)[0] / 64.0, "cycles");
  fenceAfterStores<8><<<1, 128, 65536>>>(out);
  print("proxy fence", "stores=8", fetch(out, 1)[0] / 64.0, "cycles");
  fenceAfterStores<16><<<1, 128, 65536>>>(out);
  print("proxy fence", "stores=16", fetch(out, 1)[0] / 64.0, "cycles");
  timeProducts(out);
  timeCopies(out, properties.multiProcessorCount);
  timeLaunches(properties.multiProcessorCount);
  return 0;
}
