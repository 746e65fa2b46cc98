// What has to be settled before LibTorch meets the processor and its memory.

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

// Whether a child process comes to the end of `work`, within `seconds`. False
// also if there can be no child. What `work` throws, and the signal that it
// dies of, are not told.
bool EndsInAChild(void (*work)(), int seconds);

// Each operator frees tensors of some megabytes that the next one asks for
// again. The C library gives such blocks back to the system, which then has to
// clear every page anew: a third of the time that evaluating a ResNet20 takes
// (bench/nn_peer.py). This makes the process keep what it has. For programs to
// call at their start; it is not for a library to decide.
void KeepFreedMemory();

}  // namespace rebasin::nn

#endif  // REBASIN_NN_PROCESSOR_H_
