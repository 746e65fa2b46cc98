// Settings that must be made before LibTorch is used.

#ifndef REBASIN_NN_PROCESSOR_H_
#define REBASIN_NN_PROCESSOR_H_

namespace rebasin::nn {

// Products in bfloat16 go to oneDNN, which uses the tile registers (AMX) of
// processors that announce them. With some of its versions, and on virtual
// machines that announce tiles and have none, the process then dies of an
// illegal instruction. So where tiles are announced, a child process tries
// such products; if it dies, oneDNN is limited to the vector registers, by its
// environment variable ONEDNN_MAX_CPU_ISA. Nothing is tried where somebody has
// set that. It has an effect only before the first operator runs. Cheap to
// call again.
void AvoidBrokenTiles();

// Whether the processor announces tile registers.
bool AnnouncesTiles();

// Products of the kinds that networks have, in bfloat16.
void MultiplyInBFloat16();

// Each operator frees tensors of some megabytes that the next one allocates
// again. The C library returns such blocks to the system, which must then clear
// every page: a third of the time of evaluating a ResNet20 (bench/nn_peer.py).
// This makes the process keep freed memory. Programs call it at start; a
// library must not decide this.
void KeepFreedMemory();

}  // namespace rebasin::nn

#endif  // REBASIN_NN_PROCESSOR_H_
