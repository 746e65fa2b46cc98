// What has to be settled before LibTorch meets the processor.

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

}  // namespace rebasin::nn

#endif  // REBASIN_NN_PROCESSOR_H_
