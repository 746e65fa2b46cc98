// Tries out work that may crash.

#ifndef REBASIN_IO_CHILD_H_
#define REBASIN_IO_CHILD_H_

namespace rebasin {

// Runs `work` in a process of its own and returns whether it ended without a
// signal or an exception within `seconds`. False also if the system refuses
// another process. Costs a few milliseconds.
bool EndsInAChild(void (*work)(), int seconds);

}  // namespace rebasin

#endif  // REBASIN_IO_CHILD_H_
