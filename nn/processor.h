// Settings that must be made before LibTorch is used.

#ifndef REBASIN_NN_PROCESSOR_H_
#define REBASIN_NN_PROCESSOR_H_

namespace rebasin::nn {

// Products in bfloat16 use oneDNN. The version in Debian 12, and that of
// PyTorch, use the tile registers (AMX) without initialising them, and the
// process dies of an illegal instruction. This limits oneDNN to vector
// registers by the environment variable ONEDNN_MAX_CPU_ISA, unless it is set
// already. It has an effect only before the first operator runs. Repeated calls
// are cheap.
void AvoidTileRegisters();

// Each operator frees tensors of some megabytes that the next one allocates
// again. The C library returns such blocks to the system, which must then clear
// every page: a third of the time of evaluating a ResNet20 (bench/nn_peer.py).
// This makes the process keep freed memory. Programs call it at start; a
// library must not decide this.
void KeepFreedMemory();

}  // namespace rebasin::nn

#endif  // REBASIN_NN_PROCESSOR_H_
