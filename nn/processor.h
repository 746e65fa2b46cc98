// What has to be settled before LibTorch meets the processor and its memory.

#ifndef REBASIN_NN_PROCESSOR_H_
#define REBASIN_NN_PROCESSOR_H_

namespace rebasin::nn {

// Products in bfloat16 go to oneDNN. That of Debian 12 uses the tile registers
// (AMX) of processors that have them without having set them up, and the
// process dies of an illegal instruction; PyTorch's does so too. This limits
// oneDNN to the vector registers, by its environment variable
// ONEDNN_MAX_CPU_ISA unless somebody has set that. It has an effect only
// before the first operator runs. Cheap to call again.
void AvoidTileRegisters();

// Each operator frees tensors of some megabytes that the next one asks for
// again. The C library gives such blocks back to the system, which then has to
// clear every page anew: a third of the time that evaluating a ResNet20 takes
// (bench/nn_peer.py). This makes the process keep what it has. For programs to
// call at their start; it is not for a library to decide.
void KeepFreedMemory();

}  // namespace rebasin::nn

#endif  // REBASIN_NN_PROCESSOR_H_
