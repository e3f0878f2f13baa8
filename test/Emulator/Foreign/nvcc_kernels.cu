// Kernels for nvcc: barriers in shared memory with copies, reductions, clusters, local memory, calls.
//
// The PTX ISA's own names are used where CUDA C++ has none, so that only the compiler's headers are needed.
#include <cstdio>

typedef unsigned long long u64;

static __device__ unsigned getShared(const void *pointer) { return (unsigned)__cvta_generic_to_shared(pointer); }

static __device__ void initBarrier(u64 *barrier, unsigned arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(getShared(barrier)), "r"(arrivals) : "memory");
}

static __device__ void fenceInit() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }

static __device__ void expectBytes(u64 *barrier, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(getShared(barrier)), "r"(bytes)
               : "memory");
}

static __device__ void arrive(u64 *barrier) {
  asm volatile("{ .reg .b64 state; mbarrier.arrive.shared::cta.b64 state, [%0]; }" ::"r"(getShared(barrier))
               : "memory");
}

static __device__ void wait(u64 *barrier, unsigned parity) {
  unsigned isDone;
  do
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                 : "=r"(isDone)
                 : "r"(getShared(barrier)), "r"(parity)
                 : "memory");
  while (!isDone);
}

static __device__ void copyBulk(void *to, const void *from, unsigned bytes, u64 *barrier) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                   getShared(to)),
               "l"(from), "r"(bytes), "r"(getShared(barrier))
               : "memory");
}

// y = a x + y. The first warp brings pieces of x through a ring; the others compute.
extern "C" __global__ void ring(const float *x, float *y, float a, int pieces) {
  constexpr int kPiece = 128, kStages = 4;
  __shared__ alignas(128) float tiles[kStages][kPiece];
  __shared__ u64 full[kStages], empty[kStages];
  if (threadIdx.x == 0) {
    for (int i = 0; i < kStages; ++i) {
      initBarrier(&full[i], 1);
      initBarrier(&empty[i], kPiece);
    }
    fenceInit();
  }
  __syncthreads();
  const float *own = x + (size_t)blockIdx.x * pieces * kPiece;
  if (threadIdx.x < 32) {
    if (threadIdx.x == 0)
      for (int i = 0; i < pieces; ++i) {
        int place = i % kStages, round = i / kStages;
        wait(&empty[place], (round & 1) ^ 1);
        expectBytes(&full[place], sizeof(tiles[0]));
        copyBulk(tiles[place], own + i * kPiece, sizeof(tiles[0]), &full[place]);
      }
    return;
  }
  int lane = threadIdx.x - 32;
  float *to = y + (size_t)blockIdx.x * pieces * kPiece + lane;
  for (int i = 0; i < pieces; ++i) {
    int place = i % kStages, round = i / kStages;
    wait(&full[place], round & 1);
    to[i * kPiece] += a * tiles[place][lane];
    arrive(&empty[place]);
  }
}

// Transposes tiles of 32 by 32 that tensor copies bring and take back.
struct alignas(64) TensorMap {
  char bytes[128];
};
extern "C" __global__ void transpose(const __grid_constant__ TensorMap from, const __grid_constant__ TensorMap to) {
  __shared__ alignas(128) float tile[32][32];
  __shared__ alignas(128) float turned[32][32];
  __shared__ u64 barrier;
  int i = blockIdx.y * 32, j = blockIdx.x * 32;
  if (threadIdx.x == 0) {
    initBarrier(&barrier, 1);
    fenceInit();
    expectBytes(&barrier, sizeof(tile));
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], "
                 "[%4];" ::"r"(getShared(tile)),
                 "l"(&from), "r"(j), "r"(i), "r"(getShared(&barrier))
                 : "memory");
  }
  __syncthreads();
  wait(&barrier, 0);
  for (int k = threadIdx.x; k < 32 * 32; k += blockDim.x)
    turned[k % 32][k / 32] = tile[k / 32][k % 32];
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&to), "r"(i),
                 "r"(j), "r"(getShared(turned))
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;");
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
  }
}

// The sum of all elements, by shuffles, shared memory and an atomic; and how many are positive.
extern "C" __global__ void blockSum(const float *x, int count, float *sum, int *positive) {
  __shared__ float partial[32];
  float own = 0;
  bool isPositive = true;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
    own += x[i];
    isPositive = isPositive && x[i] > 0;
  }
  for (int distance = 16; distance > 0; distance /= 2)
    own += __shfl_down_sync(0xffffffffu, own, distance);
  if (threadIdx.x % 32 == 0)
    partial[threadIdx.x / 32] = own;
  int positives = __syncthreads_count(isPositive);
  if (threadIdx.x < 32) {
    float rest = threadIdx.x < blockDim.x / 32 ? partial[threadIdx.x] : 0;
    for (int distance = 16; distance > 0; distance /= 2)
      rest += __shfl_xor_sync(0xffffffffu, rest, distance);
    if (threadIdx.x == 0) {
      atomicAdd(sum, rest);
      atomicAdd(positive, positives);
    }
  }
}

// Each thread sorts eight numbers in an array of its own.
extern "C" __global__ void localSort(const int *x, int *y) {
  int values[8];
  int first = (blockIdx.x * blockDim.x + threadIdx.x) * 8;
  for (int i = 0; i < 8; ++i)
    values[x[first + i] & 7] = x[first + i];
  int sum = 0;
#pragma unroll 1
  for (int i = 0; i < 8; ++i) {
    sum += values[(x[first] + i) & 7];
    y[first + i] = sum;
  }
}

struct Pair {
  float quotient;
  int steps;
};
static __device__ __noinline__ Pair iterate(float x, int limit) {
  Pair pair = {x, 0};
  while (pair.steps < limit && pair.quotient > 1.0f) {
    pair.quotient *= 0.5f;
    ++pair.steps;
  }
  return pair;
}

// Calls a function that is not inlined, with a structure as its result; threads take other numbers of steps.
extern "C" __global__ void callFunction(const float *x, float *quotients, int *steps) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i % 3 == 0)
    return;
  Pair pair = iterate(x[i], 20 + i % 3);
  quotients[i] = pair.quotient;
  steps[i] = pair.steps;
}

// The sums of a cluster of two: each block adds what the other one has in its shared memory.
extern "C" __global__ void __cluster_dims__(2, 1, 1) clusterSum(const int *x, int *y) {
  __shared__ int own;
  if (threadIdx.x == 0)
    own = 0;
  __syncthreads();
  int value = x[blockIdx.x * blockDim.x + threadIdx.x];
  int sum = __reduce_add_sync(0xffffffffu, value);
  if (threadIdx.x % 32 == 0)
    atomicAdd(&own, sum);
  asm volatile("barrier.cluster.arrive.release.aligned;\n\tbarrier.cluster.wait.acquire.aligned;" ::: "memory");
  unsigned rank, other;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(other) : "r"(getShared(&own)), "r"(rank ^ 1));
  int others;
  asm volatile("ld.shared::cluster.b32 %0, [%1];" : "=r"(others) : "r"(other) : "memory");
  y[blockIdx.x * blockDim.x + threadIdx.x] = own + others;
  asm volatile("barrier.cluster.arrive.release.aligned;\n\tbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}

// Prints, through a function that only a machine's driver has.
extern "C" __global__ void report(const int *x) {
  if (x[threadIdx.x] < 0)
    printf("negative: %d\n", x[threadIdx.x]);
}
